// Markers of motion capture: the coordinates of a model whose markers come nearest to those that were seen, frame by frame, each
// from the result of the one before. With x_m(s) the place of marker m and w_m its weight, the sum of w_m |x_m(s) - seen_m|^2 is
// made least by the method of Levenberg and Marquardt.

import { dynamics } from '../dynamics/dynamics.js';
import type { MarkerMotion } from '../formats/markers.js';
import { MechanismError } from '../mechanism/errors.js';
import { nearNames } from '../mechanism/near-names.js';
import { State } from '../mechanism/state.js';
import type { CoordinateModel } from '../motion/coordinate-motion.js';
import { type StepLevel, StepSolver } from './ik-step.js';
import { type Kinematics, rowsOf, type TaskRows } from './ik-tasks.js';

/** How markers are followed. */
export interface MarkerOptions {
  /** By the name of the marker, of its squared distance; all that model and motion share have weight 1 where left out. */
  readonly weights?: ReadonlyMap<string, number>;
  /** Seconds, both included; all where left out. */
  readonly timeRange?: readonly [number, number];
}

/** Coordinates over time, and how far the markers of the model are from those seen. */
export interface MarkerTracking {
  readonly times: Float64Array;
  /** Names of the coordinates. */
  readonly coordinates: readonly string[];
  /** For each frame one number for each coordinate; radians, metres. */
  readonly values: Float64Array;
  /** Names of the markers that were followed. */
  readonly markers: readonly string[];
  /** For each frame the distance of each marker, metres; NaN where it was not seen. */
  readonly errors: Float64Array;
  /** Whether every frame came to rest. */
  readonly converged: boolean;
  readonly iterations: number;
}

const MOST_STEPS = 200;
/** A step that changes no coordinate by more is the last. */
const SMALL = 1e-10;

/** Follows the markers of a motion with those of a model: frames of its mechanism with the same names. */
export function trackMarkers(
  model: CoordinateModel,
  motion: MarkerMotion,
  { weights, timeRange = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] }: MarkerOptions = {},
): MarkerTracking {
  const { mechanism } = model;
  const known = new Set(mechanism.frames.map(({ name }) => name));
  const chosen = weights ?? new Map(motion.labels.filter((label) => known.has(label)).map((label) => [label, 1]));
  for (const name of weights?.keys() ?? [])
    if (!known.has(name))
      throw MechanismError.of('marker', '', `The model has no marker "${name}". ${nearNames(name, [...known])}`);
  const followed = motion.labels.filter((label) => (chosen.get(label) ?? 0) > 0);
  if (followed.length === 0)
    throw MechanismError.of('marker', '', 'Model and motion have no marker of the same name, with a weight.');
  const frames = Array.from(motion.times.keys()).filter(
    (k) => motion.times[k] >= timeRange[0] && motion.times[k] <= timeRange[1],
  );
  if (frames.length === 0) throw MechanismError.of('marker', '', 'The motion has no frame within the times asked for.');
  const follower = new MarkerFollower(model, followed, chosen);
  const n = model.coordinates.length;
  const values = new Float64Array(frames.length * n);
  const errors = new Float64Array(frames.length * followed.length);
  const columns = followed.map((name) => motion.labels.indexOf(name));
  let converged = true;
  let iterations = 0;
  frames.forEach((frame, k) => {
    const steps = follower.follow(
      (m, axis) => motion.positions[3 * (frame * motion.labels.length + columns[m]) + axis],
    );
    converged &&= steps < MOST_STEPS;
    iterations += steps;
    values.set(follower.s, k * n);
    errors.set(follower.distances, k * followed.length);
  });
  return {
    times: Float64Array.from(frames, (k) => motion.times[k]),
    coordinates: model.coordinates.map(({ name }) => name),
    values,
    markers: followed,
    errors,
    converged,
    iterations,
  };
}

class MarkerFollower {
  readonly s: Float64Array;
  /** Of each marker; NaN where it was not seen. */
  readonly distances: Float64Array;
  readonly #model: CoordinateModel;
  readonly #door;
  readonly #kinematics: Kinematics;
  readonly #targets: { kind: 'position'; frame: string; position: [number, number, number]; weight: number }[];
  readonly #rows: readonly TaskRows[];
  readonly #roots: Float64Array;
  readonly #seen: Uint8Array;
  readonly #slopes: Float64Array;
  readonly #r: Float64Array;
  readonly #J: Float64Array;
  readonly #packed: Float64Array;
  readonly #d: Float64Array;
  readonly #from: Float64Array;
  readonly #solver: StepSolver;
  readonly #level: StepLevel;

  constructor(model: CoordinateModel, markers: readonly string[], weights: ReadonlyMap<string, number>) {
    const { mechanism, coordinates } = model;
    const { nv, bodies } = mechanism;
    const [n, rows] = [coordinates.length, 3 * markers.length];
    this.#model = model;
    this.#door = dynamics(mechanism);
    this.#kinematics = {
      mechanism,
      state: new State(mechanism),
      poses: new Float64Array(12 * bodies.length),
      columns: new Float64Array(6 * nv),
    };
    this.#targets = markers.map((frame) => ({ kind: 'position', frame, position: [0, 0, 0], weight: 1 }));
    this.#rows = this.#targets.map((task) => rowsOf(task, this.#kinematics));
    this.#roots = Float64Array.from(markers, (name) => Math.sqrt(weights.get(name) ?? 0));
    this.#seen = new Uint8Array(markers.length);
    this.s = Float64Array.from(coordinates, ({ defaultValue }) => defaultValue);
    this.distances = new Float64Array(markers.length);
    this.#slopes = new Float64Array(nv);
    this.#r = new Float64Array(rows);
    this.#J = new Float64Array(rows * nv);
    this.#packed = new Float64Array(rows * n);
    this.#d = new Float64Array(n);
    this.#from = new Float64Array(n);
    this.#solver = new StepSolver(n, rows);
    this.#level = { from: 0, end: rows, lambda: 0 };
  }

  /** Coordinates for one frame; returns the steps it took. */
  follow(seen: (marker: number, axis: 0 | 1 | 2) => number): number {
    this.#targets.forEach(({ position }, m) => {
      for (const axis of [0, 1, 2] as const) position[axis] = seen(m, axis);
      this.#seen[m] = position.every(Number.isFinite) ? 1 : 0;
    });
    let factor = 1e-3;
    let merit = this.#place();
    let steps = 0;
    while (steps < MOST_STEPS) {
      steps++;
      this.#jacobian();
      this.#from.set(this.s);
      let largest = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < 12; attempt++) {
        this.#level.lambda = factor;
        if (this.#solver.solve(this.#d, this.#packed, this.#r, this.s.length, [this.#level])) {
          largest = 0;
          for (let k = 0; k < this.s.length; k++) {
            this.s[k] = this.#from[k] + this.#d[k];
            largest = Math.max(largest, Math.abs(this.#d[k]));
          }
          const next = this.#place();
          if (next <= merit) {
            merit = next;
            factor = Math.max(factor / 10, 1e-12);
            break;
          }
          this.s.set(this.#from);
          this.#place();
        }
        factor *= 10;
      }
      if (largest < SMALL) break;
    }
    this.#rows.forEach((_, m) => {
      const [x, y, z] = this.#r.subarray(3 * m, 3 * m + 3);
      this.distances[m] = this.#seen[m] === 1 ? Math.hypot(x, y, z) / this.#roots[m] : Number.NaN;
    });
    return steps;
  }

  /** Weighted residuals at the coordinates s, and the sum of their squares. */
  #place(): number {
    const { state, poses } = this.#kinematics;
    this.#model.place(state.q, this.#slopes, this.s);
    this.#door.poses(state, { out: poses });
    let merit = 0;
    this.#rows.forEach((task, m) => {
      if (this.#seen[m] === 1) task.residual(this.#r, 3 * m);
      else this.#r.fill(0, 3 * m, 3 * m + 3);
      for (let k = 3 * m; k < 3 * m + 3; k++) {
        this.#r[k] *= this.#roots[m];
        merit += this.#r[k] * this.#r[k];
      }
    });
    return merit;
  }

  /** Where the coordinates s have been placed. */
  #jacobian(): void {
    const { state, columns, mechanism } = this.#kinematics;
    const { nv } = mechanism;
    const n = this.s.length;
    this.#door.jacobians(state, { out: columns });
    this.#packed.fill(0);
    this.#rows.forEach((task, m) => {
      if (this.#seen[m] === 0) return;
      task.jacobian(this.#J, 3 * m);
      for (const k of task.dofs)
        for (let row = 3 * m; row < 3 * m + 3; row++)
          this.#packed[row * n + this.#model.coordinateOf(k)] +=
            this.#roots[m] * this.#slopes[k] * this.#J[row * nv + k];
    });
  }
}
