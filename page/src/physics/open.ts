// Files that were dropped on the page: a model with what belongs to it, a scene, or a recording.

import { unzipSync } from 'fflate';
import { ImportError, type Mat3, MechanismError, type Vec3 } from 'manikin';
import { type Model, readModel } from 'manikin/files';
import type { ModelFiles } from 'manikin/formats';
import { readRecording } from 'manikin/recording';
import { addModel, fitStart, isScene, parseScene, sceneWorld } from 'manikin/scenes';
import { type Checkpoint, World } from 'manikin/world';
import { isCheckpoint, openCheckpoint } from './checkpoint.js';
import { type Files, inText, read } from './in-text.js';
import { upOf } from './picture.js';
import type { FileProblem } from './protocol.js';
import { type Opened, plainRun } from './scenes.js';

const MOST_BYTES = 256 * 1024 * 1024;
const MODEL = /\.(urdf|xml|sdf|osim|bvh|json)$/i;
const RECORDING = /\.mcap$/i;

/** What could not be opened. */
interface Refused {
  readonly error: string;
  readonly problems: readonly FileProblem[];
}

/** The named file among those given, or the first that is a model; or all that is wrong with it. */
export async function openFiles(
  name: string,
  given: readonly (readonly [string, Uint8Array])[],
  present: Opened,
): Promise<Opened | Refused> {
  const files = new Map(
    given.flatMap(([path, bytes]) => (/\.zip$/i.test(path) ? unzipped(path, bytes) : [[path, bytes] as const])),
  );
  try {
    const [only] = files;
    const opened =
      files.size === 1 && isCheckpoint(only[1])
        ? await openCheckpoint(only[1], only[0], present)
        : openAmong(name, files);
    return { ...opened, warnings: opened.warnings.map((warning) => inText(warning, files)) };
  } catch (error) {
    if (!(error instanceof ImportError || error instanceof MechanismError)) throw error;
    return { error: error.message, problems: error.problems.map((problem) => inText(problem, files)) };
  }
}

function openAmong(name: string, files: Files): Opened {
  const main =
    [name, ...files.keys()].find((path) => files.has(path) && MODEL.test(path)) ??
    [...files.keys()].find((path) => RECORDING.test(path));
  if (main === undefined)
    throw new Error(
      `None of these files is a model (.urdf, .xml, .sdf, .osim, .bvh, .json) or a recording (.mcap): ${[...files.keys()].slice(0, 5).join(', ')}.`,
    );
  if (RECORDING.test(main)) return openRecording(main, files.get(main)!);
  const folder = main.slice(0, Math.max(0, main.lastIndexOf('/')));
  const own = { folder, read: (path: string) => read(files, path) };
  const text = /\.json$/i.test(main) ? new TextDecoder().decode(files.get(main)) : '';
  if (isScene(text)) return openScene(main, text, own);
  const model = readModel(files.get(main)!, main, { files: own });
  const { mechanism } = model;
  const world = new World({ step: 2e-3, gravity: mechanism.gravity });
  const free = mechanism.joints.some(({ type, parent }) => type === 'floating' && parent < 0);
  // What is fixed hangs above the ground, which waits for what is let go.
  const depth = free ? 0 : depthOf(model);
  const [x, y, z] = upOf(mechanism.gravity);
  world.ground({ ...level(mechanism.gravity), at: [-depth * x, -depth * y, -depth * z] });
  const { member, warnings } = addModel(world, model);
  const start = fitStart(world, member);
  return {
    name: '',
    title: mechanism.name,
    about: `${main}: ${counted(mechanism.bodies.length, 'body', 'bodies')}, ${counted(mechanism.nv, 'degree', 'degrees')} of freedom.`,
    run: plainRun(world),
    warnings: [...mechanism.warnings, ...warnings, ...start],
  };
}

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** How far a model reaches below the ground's origin where it stands by itself, metres. */
function depthOf(model: Model): number {
  const { mechanism } = model;
  const up = upOf(mechanism.gravity);
  const world = new World({ gravity: mechanism.gravity });
  world.ground(level(mechanism.gravity));
  const { member } = addModel(world, model);
  const heights = mechanism.bodies.flatMap(({ name, com, collisions }) => {
    const { E, t } = world.pose(member, name);
    // The end of a link whose centre of mass is in its middle.
    const end = t.map((x, k) => x + 2 * (E[k] * com[0] + E[3 + k] * com[1] + E[6 + k] * com[2]));
    const points = [t, end].map((point) => point[0] * up[0] + point[1] * up[1] + point[2] * up[2]);
    return collisions.length > 0 ? [...points, world.distance([member, name], 'ground')] : points;
  });
  return Math.max(0, -Math.min(...heights));
}

/** A ground across gravity: files of people and motions often have y upwards. */
function level(gravity: Vec3): { E?: Mat3 } {
  const [x, y] = upOf(gravity);
  if (y > 0.5) return { E: [0, 0, 1, 1, 0, 0, 0, 1, 0] };
  return x > 0.5 ? { E: [0, 1, 0, 0, 0, 1, 1, 0, 0] } : {};
}

function openScene(main: string, text: string, files: ModelFiles): Opened {
  const scene = parseScene(text, { file: main });
  const run = sceneWorld(scene, { files });
  return {
    name: '',
    title: scene.name ?? main,
    about: scene.description ?? `${main}: a scene of ${counted(scene.mechanisms.length, 'mechanism')}.`,
    run,
    warnings: run.warnings,
  };
}

function unzipped(path: string, bytes: Uint8Array): (readonly [string, Uint8Array])[] {
  let sum = 0;
  const filter = ({ originalSize }: { originalSize: number }): boolean => {
    sum += originalSize;
    if (sum > MOST_BYTES) throw new Error(`The archive holds more than ${MOST_BYTES / 2 ** 20} MB.`);
    return true;
  };
  try {
    return Object.entries(unzipSync(bytes, { filter }));
  } catch (error) {
    throw new Error(`"${path}" is no zip archive that can be read (${(error as Error).message}); pack it again.`);
  }
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
    about: `A recording of ${first.states.size} mechanism${first.states.size === 1 ? '' : 's'}, ${moments.length} moments. Whatever you do to it goes on from there.`,
    run: plainRun(world),
    moments: checkpoints,
    warnings: complete ? [] : [{ where: name, message: 'The recording ends early: what came before is there.' }],
  };
}
