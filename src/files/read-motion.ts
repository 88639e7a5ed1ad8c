import { parseBvh } from '../formats/bvh.js';
import { decodeText } from '../formats/decode-text.js';
import { type OsimModel, parseOsim } from '../formats/osim.js';
import { checkInputSize } from '../formats/size-limit.js';
import { parseStorage } from '../formats/storage.js';
import { ImportError, type Problem } from '../mechanism/errors.js';
import { Mechanism } from '../mechanism/mechanism.js';
import { type BvhFigureOptions, figureFromBvh } from '../motion/bvh-figure.js';
import { CoordinateModel, coordinateMotion, type MotionFilter } from '../motion/coordinate-motion.js';
import { jumpWarnings, positionTracks } from '../motion/jumps.js';
import { type Foot, feetByName } from '../motion/support.js';
import { differentiated, smoothed, type Trajectory } from '../motion/trajectory.js';
import { baseName, extensionOf, MOTION_FILES, stemOf } from './kinds.js';
import { readModel } from './read-model.js';

/** A motion ready to be computed: the same from any kind of file. */
export interface Motion {
  /** Name of the figure or model. */
  readonly model: string;
  readonly trajectory: Trajectory;
  readonly feet: readonly Foot[];
  readonly coordinates: readonly string[];
  readonly units: readonly string[];
  /** Which of them move at all. */
  readonly moving: readonly boolean[];
  readonly height?: number;
  /** Metres a unit, for files that have their own. */
  readonly scale?: number;
  readonly warnings: readonly Problem[];
  /** Forces of the coordinates in a frame. */
  readonly forces: (frame: number, tau: Float64Array) => Float64Array;
}

/** How a motion is read: whose it is, how it is filtered. */
export interface ReadMotionOptions extends Pick<BvhFigureOptions, 'mass' | 'height' | 'scale' | 'up'> {
  /** For .mot and .sto: whose coordinates they are. */
  readonly model?: Mechanism | OsimModel;
  /** Hertz of the low-pass filter for positions; null for none (default: 6). */
  readonly cutoff?: number | null;
  /** For .mot and .sto: 'opensim' smooths and differentiates as OpenSim's tools do (default: 'butterworth'). */
  readonly filter?: MotionFilter;
}

/** Hertz; what gait laboratories use for walking. */
export const DEFAULT_CUTOFF = 6;

/**
 * A captured motion from the bytes of a file: .bvh, which brings its own figure, or a table of coordinates (.mot, .sto) for
 * `model`. The end of the name says which.
 */
export function readMotion(source: Uint8Array | string, name: string, options: ReadMotionOptions = {}): Motion {
  checkInputSize(source.length, baseName(name));
  const extension = extensionOf(name);
  if (extension === '.bvh') return bvhMotion(decodeText(source), name, options);
  if (extension === '.mot' || extension === '.sto') return tableMotion(decodeText(source), name, options);
  throw ImportError.of('kind', baseName(name), `It is not a motion of a known kind (${MOTION_FILES.join(', ')}).`);
}

/** The model of a table of coordinates: an OpenSim one with the curves that its joints follow, or any other. */
export function readMotionModel(source: Uint8Array | string, name: string): Mechanism | OsimModel {
  if (extensionOf(name) !== '.osim') return readModel(source, name).mechanism;
  checkInputSize(source.length, baseName(name));
  return parseOsim(decodeText(source), { file: baseName(name) });
}

function bvhMotion(text: string, name: string, options: ReadMotionOptions): Motion {
  const { cutoff = DEFAULT_CUTOFF, model, ...figureOptions } = options;
  if (model !== undefined)
    throw ImportError.of('model', baseName(name), 'A .bvh file brings its own skeleton; leave the model out.');
  const figure = figureFromBvh(parseBvh(text, { file: baseName(name) }), { ...figureOptions, name: stemOf(name) });
  const { mechanism, count, start, interval } = figure.positions;
  const jumps = jumpWarnings(positionTracks(figure.positions), count, start, interval);
  const trajectory = differentiated(smoothed(figure.positions, cutoff));
  return {
    model: stemOf(name),
    trajectory,
    moving: figure.coordinates.map((_, c) => trajectory.v.some((v, k) => k % mechanism.nv === c && Math.abs(v) > 1e-9)),
    feet: figure.feet,
    coordinates: figure.coordinates,
    units: mechanism.joints.flatMap(({ model: { nv } }) => Array.from({ length: nv }, (_, k) => (k < 3 ? 'N m' : 'N'))),
    height: figure.size.height,
    scale: figure.scale,
    warnings: [...figure.warnings, ...jumps],
    forces: (_, tau) => tau,
  };
}

function tableMotion(text: string, name: string, options: ReadMotionOptions): Motion {
  const file = baseName(name);
  const { cutoff = DEFAULT_CUTOFF } = options;
  if (options.model === undefined)
    throw ImportError.of('model', file, 'A table of coordinates needs the model they belong to.');
  const model =
    options.model instanceof Mechanism
      ? CoordinateModel.ofMechanism(options.model)
      : CoordinateModel.ofOsim(options.model);
  const { mechanism, coordinates } = model;
  const { motion, warnings } = coordinateMotion(
    parseStorage(text, { file }),
    coordinates,
    cutoff,
    file,
    options.filter,
  );
  const forces = new Float64Array(coordinates.length);
  return {
    model: mechanism.name,
    trajectory: model.trajectory(motion),
    feet: feetByName(mechanism),
    coordinates: coordinates.map(({ name: coordinate }) => coordinate),
    moving: coordinates.map(() => true),
    units: coordinates.map(({ rotational }) => (rotational ? 'N m' : 'N')),
    warnings: [...mechanism.warnings, ...warnings],
    forces: (frame, tau) => {
      model.generalised(forces, motion.s, frame * coordinates.length, tau);
      return forces.slice();
    },
  };
}
