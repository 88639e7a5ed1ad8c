// Files that were dropped on the page: a model with what belongs to it, a scene, or a recording.

import { unzipSync } from 'fflate';
import { readModel } from 'manikin/files';
import type { ModelFiles } from 'manikin/formats';
import { readRecording } from 'manikin/recording';
import { addModel, isScene, parseScene, sceneWorld } from 'manikin/scenes';
import { type Checkpoint, World } from 'manikin/world';
import { type Opened, plainRun } from './scenes.js';

const MOST_BYTES = 256 * 1024 * 1024;
const MODEL = /\.(urdf|xml|sdf|osim|bvh|json)$/i;
const RECORDING = /\.mcap$/i;

/** The named file among those given, or the first that is a model. */
export function openFiles(name: string, given: readonly (readonly [string, Uint8Array])[]): Opened {
  const files = new Map(
    given.flatMap(([path, bytes]) => (/\.zip$/i.test(path) ? unzipped(bytes) : [[path, bytes] as const])),
  );
  const main =
    [name, ...files.keys()].find((path) => files.has(path) && MODEL.test(path)) ??
    [...files.keys()].find((path) => RECORDING.test(path));
  if (main === undefined)
    throw new Error(
      `None of these files is a model (.urdf, .xml, .sdf, .osim, .bvh, .json) or a recording (.mcap): ${[...files.keys()].slice(0, 5).join(', ')}.`,
    );
  if (RECORDING.test(main)) return openRecording(main, files.get(main)!);
  const folder = main.slice(0, Math.max(0, main.lastIndexOf('/')));
  // Files that were dropped one by one have lost their folders.
  const byName = new Map([...files].map(([path, bytes]) => [path.slice(path.lastIndexOf('/') + 1), bytes]));
  const read = (path: string): Uint8Array | undefined =>
    files.get(path) ?? byName.get(path.slice(path.lastIndexOf('/') + 1));
  const own = { folder, read };
  const text = /\.json$/i.test(main) ? new TextDecoder().decode(files.get(main)) : '';
  if (isScene(text)) return openScene(main, text, own);
  const model = readModel(files.get(main)!, main, { files: own });
  const { mechanism } = model;
  const free = mechanism.joints.some(({ type, parent }) => type === 'floating' && parent < 0);
  const world = new World({ step: 2e-3, gravity: mechanism.gravity, ground: free });
  const { warnings } = addModel(world, model);
  return {
    name: '',
    title: mechanism.name,
    about: `${main}: ${mechanism.bodies.length} bodies, ${mechanism.nv} degrees of freedom.`,
    run: plainRun(world),
    warnings: [...mechanism.warnings, ...warnings].map(({ message, where }) => `${where} ${message}`.trim()),
  };
}

function openScene(main: string, text: string, files: ModelFiles): Opened {
  const scene = parseScene(text, { file: main });
  const run = sceneWorld(scene, { files });
  return {
    name: '',
    title: scene.name ?? main,
    about: scene.description ?? `${main}: a scene of ${scene.mechanisms.length} mechanisms.`,
    run,
    warnings: run.warnings.map(({ message, where }) => `${where} ${message}`.trim()),
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
    name: '',
    title: name,
    about: `A recording of ${first.states.size} mechanisms, ${moments.length} moments. Whatever you do to it goes on from there.`,
    run: plainRun(world),
    moments: checkpoints,
    warnings: complete ? [] : ['The recording ends early: what came before is there.'],
  };
}
