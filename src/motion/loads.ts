// Measured forces of the ground, or of anything else, on the bodies of a mechanism: the columns that an ExternalLoads file
// names, at the times of a motion.

import type { ExternalForce, ExternalLoads } from '../formats/external-loads.js';
import type { StorageTable } from '../formats/storage.js';
import { ImportError, MechanismError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { add, cross, type Vec3, ZERO3 } from '../spatial/matrix3.js';
import { TRANSFORM } from '../spatial/spatial.js';
import { NO_WRENCH, type Wrench } from './wrench.js';

interface Applied {
  readonly force: ExternalForce;
  readonly body: number;
  /** First of three columns, or -1. */
  readonly columns: { readonly force: number; readonly point: number; readonly torque: number };
  /** Bodies whose coordinates are used; -1 for the ground. */
  readonly frames: { readonly force: number; readonly point: number };
}

/** Measured forces on the bodies of a model, at any time. */
export class AppliedLoads {
  readonly #table: StorageTable;
  readonly #applied: readonly Applied[];
  readonly #row: Float64Array;

  constructor(loads: ExternalLoads, table: StorageTable, mechanism: Mechanism, file?: string) {
    this.#table = table;
    this.#row = new Float64Array(table.labels.length);
    this.#applied = loads.forces.map((force) => ({
      force,
      body: mechanism.bodyIndex(force.body),
      columns: {
        force: columns(table, force.force, file),
        point: columns(table, force.point, file),
        torque: columns(table, force.torque, file),
      },
      frames: {
        force: frameOf(mechanism, force.forceFrame),
        point: frameOf(mechanism, force.pointFrame),
      },
    }));
  }

  /** First and last time of the table. */
  get range(): readonly [number, number] {
    const { values, labels, rowCount } = this.#table;
    return [values[0], values[(rowCount - 1) * labels.length]];
  }

  /** Bodies that forces act on. */
  get bodies(): number[] {
    return this.#applied.map(({ body }) => body);
  }

  /** The forces at a time, each about the ground's origin in ground coordinates; linear between the rows. */
  at(time: number, pose: Float64Array): Wrench[] {
    this.#interpolate(time);
    return this.#applied.map((applied) => this.#wrench(applied, pose, time));
  }

  #wrench({ force, body, columns: at, frames }: Applied, pose: Float64Array, time: number): Wrench {
    const f = at.force < 0 ? ZERO3 : toGround(pose, frames.force, this.#vector(at.force));
    const n = at.torque < 0 ? ZERO3 : toGround(pose, frames.force, this.#vector(at.torque));
    if (f.every((value) => value === 0) && n.every((value) => value === 0)) return NO_WRENCH;
    const P = pose.subarray(TRANSFORM * body + 9, TRANSFORM * body + 12);
    const point: Vec3 = at.point < 0 ? [P[0], P[1], P[2]] : placed(pose, frames.point, this.#vector(at.point));
    if (![...f, ...n, ...point].every(Number.isFinite))
      throw MechanismError.of('not-finite', `force "${force.name}"`, `It is not defined at ${time} s.`);
    return { moment: add(n, cross(point, f)), force: f };
  }

  #vector(column: number): Vec3 {
    const row = this.#row;
    return [row[column], row[column + 1], row[column + 2]];
  }

  #interpolate(time: number): void {
    const { values, labels, rowCount } = this.#table;
    const width = labels.length;
    let low = 0;
    let high = rowCount - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (values[middle * width] <= time) low = middle;
      else high = middle;
    }
    const [t0, t1] = [values[low * width], values[high * width]];
    const share = high === low ? 0 : Math.min(1, Math.max(0, (time - t0) / (t1 - t0)));
    for (let k = 0; k < width; k++) {
      const [a, b] = [values[low * width + k], values[high * width + k]];
      // What is not defined beyond one of two rows is not needed on the other.
      this.#row[k] = share === 0 ? a : share === 1 ? b : a + share * (b - a);
    }
  }
}

function columns(table: StorageTable, identifier: string | undefined, file: string | undefined): number {
  if (identifier === undefined) return -1;
  const found = ['x', 'y', 'z'].map((axis) => table.labels.indexOf(identifier + axis));
  const missing = found.findIndex((column) => column < 0);
  if (missing >= 0)
    throw ImportError.of(
      'missing-column',
      file ?? '',
      `There is no column "${identifier}${'xyz'[missing]}", which the loads name.`,
    );
  if (found[1] !== found[0] + 1 || found[2] !== found[0] + 2)
    throw ImportError.of('columns', file ?? '', `The columns of "${identifier}" must stand side by side: x, y, z.`);
  return found[0];
}

function frameOf(mechanism: Mechanism, name: string): number {
  return name === 'ground' ? -1 : mechanism.bodyIndex(name);
}

function toGround(pose: Float64Array, body: number, [x, y, z]: Vec3): Vec3 {
  if (body < 0) return [x, y, z];
  const P = pose.subarray(TRANSFORM * body, TRANSFORM * (body + 1));
  return [P[0] * x + P[3] * y + P[6] * z, P[1] * x + P[4] * y + P[7] * z, P[2] * x + P[5] * y + P[8] * z];
}

function placed(pose: Float64Array, body: number, point: Vec3): Vec3 {
  if (body < 0) return point;
  const at = TRANSFORM * body + 9;
  return add([pose[at], pose[at + 1], pose[at + 2]], toGround(pose, body, point));
}
