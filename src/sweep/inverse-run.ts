// Inverse dynamics of a captured motion as a run of a sweep.

import { extensionOf, MODEL_FILES, MOTION_FILES } from '../files/kinds.js';
import { DEFAULT_CUTOFF, type Motion, readMotion, readMotionModel } from '../files/read-motion.js';
import { decodeText } from '../formats/decode-text.js';
import { parseExternalLoads } from '../formats/external-loads.js';
import { folderOf, type ModelFiles } from '../formats/model-files.js';
import { parseStorage } from '../formats/storage.js';
import { ImportError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { builtinMechanism } from '../models/index.js';
import { edgeFrames, withinLoads } from '../motion/frames-within.js';
import { AppliedLoads, givenSupport, inverseOfMotion } from '../motion/index.js';
import { StateHash } from '../scenes/state-hash.js';
import { norm } from '../spatial/matrix3.js';
import { readFile } from './root-files.js';
import type { InverseInput } from './run-input.js';
import type { Json } from './sweep.js';

export function prepareInverse(input: InverseInput, files: ModelFiles): () => Json {
  const motion = motionOf(input, files);
  const loads = loadsOf(input, motion.trajectory.mechanism, files);
  if (input.support !== undefined && loads !== undefined)
    throw ImportError.of('option', 'support', 'Measured forces say which foot carries the figure; leave it out.');
  return () => runInverse(input, motion, loads);
}

/** Hertz, or null for none. */
const cutoffOf = ({ cutoff = DEFAULT_CUTOFF }: InverseInput): number | null => (cutoff === 'none' ? null : cutoff);

function motionOf(input: InverseInput, files: ModelFiles): Motion {
  const { motion: name, model, mass, height, scale, up } = input;
  if (!(MOTION_FILES as readonly string[]).includes(extensionOf(name)))
    throw ImportError.of('motion', '', `"${name}" is not a motion of a known kind (${MOTION_FILES.join(', ')}).`);
  const { bytes, path } = readFile(name, files);
  const cutoff = cutoffOf(input);
  if (extensionOf(name) === '.bvh') {
    if (model !== undefined)
      throw ImportError.of('option', 'model', 'A .bvh file brings its own skeleton; leave the model out.');
    return readMotion(bytes, path, {
      cutoff,
      ...(mass !== undefined && { mass }),
      ...(height !== undefined && { height }),
      ...(scale !== undefined && { scale }),
      ...(up !== undefined && { up }),
    });
  }
  for (const option of ['mass', 'height', 'scale', 'up'] as const)
    if (input[option] !== undefined)
      throw ImportError.of('option', option, 'It goes with .bvh files; a model has its own size.');
  if (model === undefined) throw ImportError.of('option', 'model', `The motion "${name}" needs a model.`);
  if (!(MODEL_FILES as readonly string[]).includes(extensionOf(model)))
    return readMotion(bytes, path, { model: builtinMechanism(model), cutoff });
  const whose = readFile(model, files);
  return readMotion(bytes, path, { model: readMotionModel(whose.bytes, whose.path), cutoff });
}

function loadsOf({ loads: name }: InverseInput, mechanism: Mechanism, files: ModelFiles): AppliedLoads | undefined {
  if (name === undefined) return undefined;
  const { bytes, path } = readFile(name, files);
  const loads = parseExternalLoads(decodeText(bytes), { file: path });
  const table = readFile(loads.dataFile, { folder: folderOf(path), read: (file) => files.read(file) });
  return new AppliedLoads(loads, parseStorage(decodeText(table.bytes), { file: table.path }), mechanism, table.path);
}

function runInverse(input: InverseInput, motion: Motion, loads: AppliedLoads | undefined): Json {
  const whole = motion.trajectory;
  const { trajectory } = loads === undefined ? { trajectory: whole } : withinLoads(whole, loads);
  const { start, interval, count, mechanism } = trajectory;
  const first = Math.round((start - whole.start) / interval);
  const times = Array.from({ length: count }, (_, k) => start + k * interval);
  const chosen = input.support === undefined ? undefined : givenSupport(input.support, motion.feet, mechanism, times);
  const result = inverseOfMotion(trajectory, {
    feet: chosen?.feet ?? motion.feet,
    ...(input.double !== undefined && { doubleSupport: input.double }),
    ...(chosen !== undefined && { supports: chosen.supports }),
    ...(loads !== undefined && { loads }),
    ...(motion.height !== undefined && { height: motion.height }),
    edge: edgeFrames(cutoffOf(input), interval),
  });
  const torques = result.frames.map(({ tau }, k) => motion.forces(first + k, tau));
  const hash = new StateHash();
  for (const frame of torques) hash.add(frame);
  const { every } = input;
  const rows: number[][] = [];
  if (every !== undefined)
    result.frames.forEach(({ time }, k) => {
      if (time - times[0] + 1e-6 * interval >= rows.length * every) rows.push([time, ...torques[k]]);
    });
  return {
    frames: count,
    from: times[0],
    to: times[count - 1],
    mass: result.mass,
    support: result.frames.reduce((most, { total }) => Math.max(most, norm(total.force)), 0),
    warnings: motion.warnings.length + result.warnings.length,
    hash: hash.text,
    coordinates: motion.coordinates.map((name, c) => {
      const forces = torques.map((frame) => frame[c]);
      return {
        name,
        unit: motion.units[c],
        least: forces.reduce((a, b) => Math.min(a, b)),
        largest: forces.reduce((a, b) => Math.max(a, b)),
        rms: Math.sqrt(forces.reduce((sum, force) => sum + force * force, 0) / count),
      };
    }),
    ...(every !== undefined && { series: { columns: ['time', ...motion.coordinates], rows } }),
  };
}
