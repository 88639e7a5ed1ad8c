// The books of a step: a mechanism, or several that touch each other, taken apart into the motion of the whole and the motion within.
//
// What hangs from nothing moves as a whole like a rigid body with its inertia I about the centre of mass: momentum p = m u, angular
// momentum L = I w. What is left is the motion within:
//
//   T = m u^2 / 2 + L . I^-1 L / 2 + T within
//
// Where something is held, all motion is within. Energy is kept by scaling the motion within; the scale shows how accurate the step was.

import { GROUND, type Joint, type Mechanism } from '../mechanism/mechanism.js';

/** A scale further from 1 than this takes the step in halves ... */
export const REFINE = 0.02;
/** ... so often at most. */
export const DEPTH = 6;

/** The joint by which all of a mechanism floats; undefined where something else leads to the ground. */
export function floatingBase({ joints, loops }: Mechanism): Joint | undefined {
  const roots = joints.filter(({ parent }) => parent === GROUND);
  const held = loops.some(({ a, b }) => a.body === GROUND || b.body === GROUND);
  return roots.length === 1 && roots[0].type === 'floating' && roots[0].armature === 0 && !held ? roots[0] : undefined;
}

export class Ledger {
  mass = 0;
  /** Centre of mass, its velocity, angular momentum about it: ground axes. */
  readonly com = new Float64Array(3);
  readonly velocity = new Float64Array(3);
  readonly angular = new Float64Array(3);
  /** Energy of turning as a whole. */
  turning = 0;
  /** Inverse of the inertia about the centre of mass; all zero where it has none. */
  readonly #inverse = new Float64Array(9);
  readonly #spin = new Float64Array(3);

  /** The whole, from its inertia (10 numbers), angular and linear momentum about a point (6), and that point P[oP]. */
  read(total: Float64Array, momentum: Float64Array, P: ArrayLike<number>, oP: number): void {
    const { com, velocity, angular } = this;
    const mass = total[0];
    this.mass = mass;
    const f = mass > 0 ? 1 / mass : 0;
    const x = f * total[1];
    const y = f * total[2];
    const z = f * total[3];
    com[0] = P[oP] + x;
    com[1] = P[oP + 1] + y;
    com[2] = P[oP + 2] + z;
    for (let k = 0; k < 3; k++) velocity[k] = f * momentum[3 + k];
    angular[0] = momentum[0] - (y * momentum[5] - z * momentum[4]);
    angular[1] = momentum[1] - (z * momentum[3] - x * momentum[5]);
    angular[2] = momentum[2] - (x * momentum[4] - y * momentum[3]);
    this.#invertInertia(total, x, y, z);
    this.turning = this.turningEnergy(angular);
  }

  /** Kinetic energy of the whole moving with velocity u. */
  travellingEnergy(u: ArrayLike<number>): number {
    return 0.5 * this.mass * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  }

  /** Energy of turning as a whole with angular momentum L. */
  turningEnergy(L: ArrayLike<number>): number {
    const w = this.#spinOf(L);
    return 0.5 * (L[0] * w[0] + L[1] * w[1] + L[2] * w[2]);
  }

  /** out[o] <- angular velocity, and velocity at P[oP], of the whole with angular momentum L and velocity u of its centre of mass. */
  lockedMotion(
    out: Float64Array,
    o: number,
    L: ArrayLike<number>,
    u: ArrayLike<number>,
    P: ArrayLike<number>,
    oP: number,
  ): void {
    const { com } = this;
    const spin = this.#spinOf(L);
    const a = spin[0];
    const b = spin[1];
    const c = spin[2];
    const x = P[oP] - com[0];
    const y = P[oP + 1] - com[1];
    const z = P[oP + 2] - com[2];
    out[o] = a;
    out[o + 1] = b;
    out[o + 2] = c;
    out[o + 3] = u[0] + b * z - c * y;
    out[o + 4] = u[1] + c * x - a * z;
    out[o + 5] = u[2] + a * y - b * x;
  }

  #spinOf(L: ArrayLike<number>): Float64Array {
    const m = this.#inverse;
    for (let k = 0; k < 3; k++) this.#spin[k] = m[3 * k] * L[0] + m[3 * k + 1] * L[1] + m[3 * k + 2] * L[2];
    return this.#spin;
  }

  #invertInertia(total: Float64Array, x: number, y: number, z: number): void {
    const m = this.mass;
    const xx = total[4] - m * (y * y + z * z);
    const xy = total[5] + m * x * y;
    const xz = total[6] + m * x * z;
    const yy = total[7] - m * (x * x + z * z);
    const yz = total[8] + m * y * z;
    const zz = total[9] - m * (x * x + y * y);
    const a = yy * zz - yz * yz;
    const b = xz * yz - xy * zz;
    const c = xy * yz - xz * yy;
    const det = xx * a + xy * b + xz * c;
    // Points in one line do not turn as a whole about it; what turns is then left within.
    const d = det > 1e-12 * (xx + yy + zz) ** 3 ? 1 / det : 0;
    const inverse = this.#inverse;
    inverse[0] = a * d;
    inverse[1] = inverse[3] = b * d;
    inverse[2] = inverse[6] = c * d;
    inverse[4] = (xx * zz - xz * xz) * d;
    inverse[5] = inverse[7] = (xy * xz - xx * yz) * d;
    inverse[8] = (xx * yy - xy * xy) * d;
  }
}

/** What scales the motion within from an energy to another; 1 where there is less than `rest` of it. */
export function scaleOf(within: number, target: number, rest: number): number {
  return within > rest ? Math.sqrt(Math.max(0, target / within)) : 1;
}

/** The energy that gravity gives to a mass at rest within a step, and rounding: less motion than this is not scaled. */
export function restEnergy(mass: number, gravity: ArrayLike<number>, h: number, energy: number): number {
  const g = gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2];
  return 0.5 * mass * g * h * h + 1e-9 * Math.abs(energy);
}
