// A moment as a checkpoint file: going on from it gives the same bits. It names its scene; a checkpoint of something else is for what
// is on the stage.

import { formatCheckpoint, parseCheckpoint } from 'manikin/recording';
import { type Opened, type Run, sceneNamed } from './scenes.js';

/** What the page writes beside the state. */
interface More {
  readonly page?: { readonly scene: string; readonly events: number };
}

export function isCheckpoint(bytes: Uint8Array): boolean {
  return new TextDecoder().decode(bytes.subarray(0, 24)) === '{"manikin":"checkpoint",';
}

export function checkpointOf({ name, run }: Opened): Uint8Array {
  const more: More = { page: { scene: name, events: run.save().events } };
  return new TextEncoder().encode(formatCheckpoint(run.world, more));
}

/** The scene at that moment: the one that the file names, or the one that is there. */
export async function openCheckpoint(bytes: Uint8Array, file: string, present: Opened): Promise<Opened> {
  const text = new TextDecoder().decode(bytes);
  const named = sceneIn(text);
  const opened = named === undefined ? present : await loaded(named);
  const { checkpoint, more } = parseCheckpoint(text, opened.run.world, { file });
  opened.run.restore({ world: checkpoint, events: (more as More | null)?.page?.events ?? 0 });
  // A link begins with a scene at its start: this is none.
  return { ...opened, name: '', about: `${opened.about} From ${file}, at ${checkpoint.time.toFixed(3)} s.` };
}

function sceneIn(text: string): string | undefined {
  try {
    const { more } = JSON.parse(text.slice(text.indexOf('\n') + 1)) as { readonly more: More | null };
    return more?.page?.scene || undefined;
  } catch {
    // The reader says what is wrong with it.
    return undefined;
  }
}

async function loaded(scene: string): Promise<Opened> {
  const { name, title, about, build } = sceneNamed(scene);
  const run: Run = await build();
  return { name, title, about, run, warnings: run.warnings };
}
