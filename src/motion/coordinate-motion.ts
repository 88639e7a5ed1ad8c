// Motions given as coordinates by name (.mot, .sto) of a model whose joints are functions of them.
//
// With s the coordinates and q(s) the positions of the mechanism's joints:
//   q' = J s',   q'' = J s'' + (dJ/dt) s',   forces of the coordinates = J^T tau
// where J = dq/ds has one entry in a row, since every joint follows one coordinate.

import type { CoordinateFunction, OsimModel } from '../formats/osim.js';
import { linearFunction } from '../formats/osim-function.js';
import type { StorageTable } from '../formats/storage.js';
import { ImportError, MechanismError, type Problem } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { applyLowPass, checkLength, lowPass } from './filter.js';
import { jumpWarnings } from './jumps.js';
import { opensimRates } from './opensim-filter.js';
import { derivatives, type Trajectory } from './trajectory.js';

/** A coordinate that tables know by name. */
export interface NamedCoordinate {
  readonly name: string;
  readonly rotational: boolean;
  readonly defaultValue: number;
}

interface Move {
  /** Place in q and in v. */
  readonly iq: number;
  readonly iv: number;
  readonly coordinate: number;
  readonly move: CoordinateFunction;
}

/** A mechanism and the coordinates that move its joints. */
export class CoordinateModel {
  readonly mechanism: Mechanism;
  readonly coordinates: readonly NamedCoordinate[];
  readonly #moves: readonly Move[];
  readonly #coordinateOf: Int32Array;
  readonly #values = new Float64Array(3);

  constructor(
    mechanism: Mechanism,
    coordinates: readonly NamedCoordinate[],
    moves: readonly { readonly joint: number; readonly coordinate: number; readonly move: CoordinateFunction }[],
  ) {
    this.mechanism = mechanism;
    this.coordinates = coordinates;
    this.#moves = moves.map(({ joint, coordinate, move }) => {
      const { iq, iv } = mechanism.joints[joint];
      return { iq, iv, coordinate, move };
    });
    this.#coordinateOf = new Int32Array(mechanism.nv).fill(-1);
    for (const { iv, coordinate } of this.#moves) this.#coordinateOf[iv] = coordinate;
  }

  /** The coordinates of an OpenSim model. */
  static ofOsim({ mechanism, coordinates, moves }: OsimModel): CoordinateModel {
    return new CoordinateModel(mechanism, coordinates, moves);
  }

  /** A mechanism whose joints have one degree of freedom each: they are the coordinates, by name. */
  static ofMechanism(mechanism: Mechanism): CoordinateModel {
    const wide = mechanism.joints.find(({ model }) => model.nv > 1);
    if (wide !== undefined)
      throw MechanismError.of(
        'coordinates',
        `joint "${wide.name}"`,
        `A ${wide.type} joint has ${wide.model.nv} coordinates, and a table of named coordinates cannot say which; use joints of one degree of freedom.`,
      );
    const follows = new Map(mechanism.couplings.map((coupling) => [coupling.joint, coupling]));
    const free = mechanism.joints.flatMap(({ model }, i) => (model.nv === 1 && !follows.has(i) ? [i] : []));
    const coordinates = free.map((i) => {
      const { name, type } = mechanism.joints[i];
      return { name, rotational: type !== 'prismatic', defaultValue: 0 };
    });
    const moves = mechanism.joints.flatMap(({ model }, joint) => {
      if (model.nv === 0) return [];
      const { source = joint, multiplier = 1, offset = 0 } = follows.get(joint) ?? {};
      return [{ joint, coordinate: free.indexOf(source), move: linearFunction(multiplier, offset) }];
    });
    return new CoordinateModel(mechanism, coordinates, moves);
  }

  /** q, v, qdd of every frame from s, s', s'' (count x coordinates each). */
  trajectory(motion: CoordinateMotion): Trajectory {
    const { mechanism } = this;
    const { nq, nv } = mechanism;
    const { start, interval, count, s, sd, sdd } = motion;
    const n = this.coordinates.length;
    const q = new Float64Array(count * nq);
    const v = new Float64Array(count * nv);
    const qdd = new Float64Array(count * nv);
    const f = new Float64Array(3);
    for (let frame = 0; frame < count; frame++)
      for (const { iq, iv, coordinate, move } of this.#moves) {
        const at = frame * n + coordinate;
        move.evaluate(f, s[at]);
        q[frame * nq + iq] = f[0];
        v[frame * nv + iv] = f[1] * sd[at];
        qdd[frame * nv + iv] = f[1] * sdd[at] + f[2] * sd[at] * sd[at];
      }
    return { mechanism, start, interval, count, q, v, qdd };
  }

  /** q <- positions of the joints at the coordinates s; slopes, in the order of v: how they change with their coordinate. */
  place(q: Float64Array, slopes: Float64Array, s: Float64Array): void {
    const f = this.#values;
    for (const { iq, iv, coordinate, move } of this.#moves) {
      move.evaluate(f, s[coordinate]);
      q[iq] = f[0];
      slopes[iv] = f[1];
    }
  }

  /** The coordinate that moves a degree of freedom. */
  coordinateOf(k: number): number {
    return this.#coordinateOf[k];
  }

  /** out[0 ... n - 1] <- J^T tau at the coordinates s[from ...]. */
  generalised(out: Float64Array, s: Float64Array, from: number, tau: Float64Array): void {
    const f = new Float64Array(3);
    out.fill(0, 0, this.coordinates.length);
    for (const { iv, coordinate, move } of this.#moves) {
      move.evaluate(f, s[from + coordinate]);
      out[coordinate] += f[1] * tau[iv];
    }
  }
}

/** Coordinates over time, smoothed, with their rates; count x coordinates each. */
export interface CoordinateMotion {
  readonly start: number;
  readonly interval: number;
  readonly count: number;
  readonly s: Float64Array;
  readonly sd: Float64Array;
  readonly sdd: Float64Array;
}

/** Columns of a states file: /jointset/knee_r/knee_angle_r/value. */
const STATE_LABEL = /^(?:\/\w[^/]*)*\/([^/]+)\/(value|speed)$/;
/** Times may be off by this share of the interval: files print few digits. */
const UNEVEN = 0.05;

/** Metres or radians. */
const LARGEST = 1e6;

/**
 * How positions are smoothed and differentiated: by a filter without delay that keeps the stated cut-off and by differences,
 * or as OpenSim's tools do it.
 */
export type MotionFilter = 'butterworth' | 'opensim';

/** The motion of a model from a table of its coordinates over time. */
export function coordinateMotion(
  table: StorageTable,
  coordinates: readonly NamedCoordinate[],
  cutoff: number | null,
  file?: string,
  filter: MotionFilter = 'butterworth',
): { motion: CoordinateMotion; warnings: Problem[] } {
  const where = file ?? '';
  const warnings: Problem[] = [];
  const { start, interval } = sampling(table, where);
  const columnOf = new Map<string, number>();
  const unknown: string[] = [];
  table.labels.forEach((label, k) => {
    if (k === 0) return;
    const state = STATE_LABEL.exec(label);
    // Of a states file only the values of coordinates are motion.
    if (label.includes('/') && state?.[2] !== 'value') return;
    const name = state?.[1] ?? label;
    if (coordinates.some((coordinate) => coordinate.name === name)) columnOf.set(name, k);
    else unknown.push(name);
  });
  if (unknown.length > 0) {
    const known = coordinates.map(({ name }) => name).join(', ');
    throw ImportError.of(
      'unknown-coordinate',
      where,
      `The model has no coordinate ${unknown
        .slice(0, 5)
        .map((name) => `"${name}"`)
        .join(', ')}, which the motion moves. It has: ${known}.`,
    );
  }
  const missing = coordinates.filter(({ name }) => !columnOf.has(name)).map(({ name }) => name);
  if (columnOf.size === 0)
    throw ImportError.of('no-coordinates', where, 'The motion moves none of the coordinates of the model.');
  if (missing.length > 0)
    warnings.push({
      code: 'missing-coordinate',
      where,
      message: `The motion says nothing of ${missing.join(', ')}; the model's default is taken.`,
    });
  const n = coordinates.length;
  const count = table.rowCount;
  const width = table.labels.length;
  const s = new Float64Array(count * n);
  coordinates.forEach(({ name, rotational, defaultValue }, c) => {
    const column = columnOf.get(name);
    const factor = rotational && table.inDegrees ? Math.PI / 180 : 1;
    for (let row = 0; row < count; row++) {
      const value = column === undefined ? defaultValue : factor * table.values[row * width + column];
      if (!Number.isFinite(value))
        throw ImportError.of('not-finite', where, `Coordinate "${name}" is not defined in row ${row + 1}.`);
      if (Math.abs(value) > LARGEST)
        throw ImportError.of(
          'too-far',
          where,
          `Coordinate "${name}" is ${value} in row ${row + 1}, which is too large.`,
        );
      s[row * n + c] = value;
    }
  });
  warnings.push(
    ...jumpWarnings(
      coordinates.map(({ name, rotational }, c) => ({
        name,
        rotational,
        step: (frame: number) => s[frame * n + c] - s[(frame - 1) * n + c],
      })),
      count,
      start,
      interval,
    ).map((warning) => ({ ...warning, where: [where, warning.where].filter(Boolean).join(', ') })),
  );
  if (filter === 'opensim') {
    const { values, first, second } = opensimRates(s, n, count, interval, cutoff);
    return { motion: { start, interval, count, s: values, sd: first, sdd: second }, warnings };
  }
  if (cutoff !== null) {
    const coefficients = lowPass(cutoff, interval);
    checkLength(coefficients, count, cutoff, interval);
    const work = new Float64Array(count + 2 * coefficients.padding);
    for (let c = 0; c < n; c++) applyLowPass(coefficients, s, c, n, count, work);
  }
  const { first: sd, second: sdd } = derivatives(s, n, count, interval);
  return { motion: { start, interval, count, s, sd, sdd }, warnings };
}

function sampling(table: StorageTable, where: string): { start: number; interval: number } {
  const { values, rowCount } = table;
  const width = table.labels.length;
  const start = values[0];
  if (rowCount < 2) throw MechanismError.of('motion-too-short', where, 'The motion has only one row.');
  const interval = (values[(rowCount - 1) * width] - start) / (rowCount - 1);
  for (let row = 0; row < rowCount; row++) {
    const off = Math.abs(values[row * width] - (start + row * interval));
    if (off > UNEVEN * interval)
      throw ImportError.of(
        'sampling',
        where,
        `The rows are not at equal intervals: row ${row + 1} is at ${values[row * width]} s, expected ${Number((start + row * interval).toPrecision(8))} s.`,
      );
  }
  return { start, interval };
}
