// A captured motion for the gallery: inverse dynamics of a file, or of a made-up walk.

import { ImportError } from 'manikin';
import { type Motion, readMotion, readMotionModel } from 'manikin/files';
import { inverseOfMotion } from 'manikin/motion';
import { motionReplay, type Replay } from 'manikin/plot';
import { inText } from '../physics/in-text.js';
import type { FileProblem } from '../physics/protocol.js';
import { gaitBvh } from './gait-bvh.js';

const CUTOFF = 6;
/** Of the made-up walk, which is in centimetres. */
const [WALK, SCALE] = [{ seconds: 4, stride: 1.2, speed: 100 }, 0.01];
const MODEL = /\.(osim|urdf|xml|sdf|json)$/i;

/** Torques, support and gait cycle of a motion, to be played. */
export function capturedMotion(files: readonly (readonly [string, Uint8Array])[]): Replay {
  const motion =
    files.length === 0 ? readMotion(gaitBvh(WALK), 'walk.bvh', { cutoff: CUTOFF, scale: SCALE }) : motionOf(files);
  const { trajectory, feet, height } = motion;
  const edge = Math.ceil(0.5 / (CUTOFF * trajectory.interval));
  const result = inverseOfMotion(trajectory, { feet, edge, ...(height !== undefined && { height }) });
  const torques = result.frames.map(({ tau }, k) => motion.forces(k, tau));
  return motionReplay(motion, result, { title: files[0]?.[0] ?? 'A made-up walk', torques, edge });
}

/** What is wrong with the files, with its lines; nothing where that is not what went wrong. */
export function problemsOf(error: unknown, files: readonly (readonly [string, Uint8Array])[]): FileProblem[] {
  if (!(error instanceof ImportError)) return [];
  return error.problems.map((problem) => inText(problem, new Map(files)));
}

function motionOf(files: readonly (readonly [string, Uint8Array])[]): Motion {
  const [name, bytes] = files.find(([path]) => /\.(bvh|mot|sto)$/i.test(path)) ?? [];
  if (name === undefined || bytes === undefined)
    throw new Error('A captured motion is a .bvh file, or a .mot or .sto file with its model (.osim).');
  if (/\.bvh$/i.test(name)) return readMotion(bytes, name, { cutoff: CUTOFF });
  const model = files.find(([path]) => MODEL.test(path));
  if (model === undefined) throw new Error(`"${name}" needs the model it belongs to: open the .osim file with it.`);
  return readMotion(bytes, name, { cutoff: CUTOFF, model: readMotionModel(model[1], model[0]) });
}
