// Files that were dropped on the page: a model with what belongs to it, or a recording.

import { unzipSync } from 'fflate';
import { State } from 'manikin';
import { readModel } from 'manikin/files';
import { readRecording } from 'manikin/recording';
import { type Checkpoint, World } from 'manikin/world';

export interface Opened {
  readonly title: string;
  /** Of a recording: its moments. */
  readonly moments?: readonly Checkpoint[];
  readonly about: string;
  readonly world: World;
  readonly warnings: readonly string[];
}

const MOST_BYTES = 256 * 1024 * 1024;
const MODEL = /\.(urdf|xml|sdf|osim|bvh|json)$/i;

/** The named file among those given, or the first that is a model. */
export function openFiles(name: string, given: readonly (readonly [string, Uint8Array])[]): Opened {
  const files = new Map(
    given.flatMap(([path, bytes]) => (/\.zip$/i.test(path) ? unzipped(bytes) : [[path, bytes] as const])),
  );
  const main = [name, ...files.keys()].find((path) => files.has(path) && MODEL.test(path));
  const recording = [...files].find(([path]) => /\.mcap$/i.test(path));
  if (recording !== undefined && (main === undefined || main === recording[0])) return openRecording(...recording);
  if (main === undefined)
    throw new Error(
      `None of these files is a model (.urdf, .xml, .sdf, .osim, .bvh, .json) or a recording (.mcap): ${[...files.keys()].slice(0, 5).join(', ')}.`,
    );
  const folder = main.slice(0, Math.max(0, main.lastIndexOf('/')));
  // Files that were dropped one by one have lost their folders.
  const byName = new Map([...files].map(([path, bytes]) => [path.slice(path.lastIndexOf('/') + 1), bytes]));
  const read = (path: string): Uint8Array | undefined =>
    files.get(path) ?? byName.get(path.slice(path.lastIndexOf('/') + 1));
  const { mechanism, state } = readModel(files.get(main)!, main, { files: { folder, read } });
  const free = mechanism.joints.some(({ type, parent }) => type === 'floating' && parent < 0);
  const world = new World({ step: 2e-3, gravity: mechanism.gravity, ground: free });
  world.add(mechanism, { state: state ?? new State(mechanism) });
  return {
    title: mechanism.name,
    about: `${main}: ${mechanism.bodies.length} bodies, ${mechanism.nv} degrees of freedom.`,
    world,
    warnings: mechanism.warnings.map(({ message, where }) => `${where} ${message}`.trim()),
  };
}

function unzipped(bytes: Uint8Array): (readonly [string, Uint8Array])[] {
  let sum = 0;
  const filter = ({ originalSize }: { originalSize: number }): boolean => {
    sum += originalSize;
    if (sum > MOST_BYTES) throw new Error(`The archive holds more than ${MOST_BYTES / 2 ** 20} MB.`);
    return true;
  };
  return Object.entries(unzipSync(bytes, { filter }));
}

/** What was recorded, to look at and to go on from. */
function openRecording(name: string, bytes: Uint8Array): Opened {
  const { moments, complete } = readRecording(bytes, name);
  const [first] = moments;
  if (first === undefined) throw new Error(`The recording "${name}" holds no moment.`);
  const world = new World({ step: 2e-3, ground: true });
  for (const [member, state] of first.states) world.add(state.mechanism, { name: member, state });
  const checkpoints = moments.flatMap(({ time, states }): Checkpoint[] => {
    if (states.size !== world.members.length) return [];
    for (const [member, state] of states) {
      const own = world.member(member);
      if (own.state.mechanism === state.mechanism) own.state.copy(state);
      else own.restructure(state.mechanism, state.clone());
      own.changed();
    }
    return [{ ...world.save(), time }];
  });
  return {
    title: name,
    about: `A recording of ${first.states.size} mechanisms, ${moments.length} moments. Whatever you do to it goes on from there.`,
    world,
    moments: checkpoints,
    warnings: complete ? [] : ['The recording ends early: what came before is there.'],
  };
}
