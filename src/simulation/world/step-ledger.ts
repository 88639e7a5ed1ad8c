// Keeps the books of a mechanism over a step: energy, and momentum while it flies.
//
//   energy after = energy before + work of joint forces, contacts and pushes        work: force times mean velocity
//
// A step of finite length gets the velocities a little wrong. While nothing touches the mechanism, its momentum is set to what
// gravity leaves of it and the motion within (what remains when the mechanism moves as one rigid body with the same momentum) is
// scaled to the booked energy. In contact all velocities are scaled together, which keeps contacts still, and only ever down: what
// is missing was lost in the contacts. Energy is thus kept by construction; `scale` says how much had to be set right.

import { dot6, INERTIA, inertiaTimes } from '../../spatial/spatial.js';
import type { Articulation } from './articulation.js';

export class StepLedger {
  readonly #articulation: Articulation;
  /** Link of the free base, if the whole mechanism hangs from one; else -1. */
  readonly #base: number;
  /** Joules at the start of the step, springs not counted. */
  #energy = 0;
  /** Momentum about the centre of mass (angular, linear), and that centre; at the start of the step. */
  readonly #momentum = new Float64Array(6);
  readonly #centre = new Float64Array(3);
  readonly #now = new Float64Array(6);
  readonly #nowCentre = new Float64Array(3);
  readonly #total = new Float64Array(INERTIA);
  readonly #vector = new Float64Array(6);
  readonly #rigid = new Float64Array(6);
  readonly #wanted = new Float64Array(6);
  /** Inverse of the rotational inertia about the centre of mass. */
  readonly #inverse = new Float64Array(9);
  /** By what the motion was multiplied in the last step. */
  scale = 1;

  constructor(articulation: Articulation) {
    this.#articulation = articulation;
    const { tree, free, root } = articulation;
    this.#base = tree.n > 0 && free[0] === 1 && root.every((link) => link === 0) ? 0 : -1;
  }

  /** The start of a step: the articulation stands there. */
  begin(v: Float64Array, gravity: readonly number[]): void {
    const a = this.#articulation;
    this.#energy = a.kineticEnergy(v) + a.gravityEnergy(gravity);
    if (this.#base >= 0) this.#readMomentum(this.#momentum, this.#centre);
  }

  /**
   * The end of a step: the articulation stands there with velocities v, which are set right. `flying`: nothing from outside but
   * gravity acted. The caller moves the articulation again. Positions of a flying base are set right too, in q.
   */
  end(q: Float64Array, v: Float64Array, gravity: readonly number[], h: number, work: number, flying: boolean): void {
    const a = this.#articulation;
    const { tree } = a;
    this.scale = 1;
    if (tree.n === 1 && !flying) return;
    const kinetic = a.kineticEnergy(v);
    const expected = this.#energy + work - a.gravityEnergy(gravity);
    const mass = this.#mass();
    const square = gravity[0] ** 2 + gravity[1] ** 2 + gravity[2] ** 2;
    // Less motion than gravity gives in a step: nothing to scale.
    const rest = 0.5 * mass * square * h * h + 1e-9 * Math.abs(this.#energy);
    if (!flying || this.#base < 0) {
      if (kinetic <= rest) return;
      const c = Math.sqrt(Math.max(0, expected / kinetic));
      this.scale = flying ? c : Math.min(1, c);
      for (let k = 0; k < v.length; k++) v[k] *= this.scale;
      return;
    }
    this.#fly(q, v, gravity, h, kinetic, expected, rest);
  }

  #mass(): number {
    const { I, tree } = this.#articulation;
    let sum = 0;
    for (let i = 0; i < tree.n; i++) sum += I[INERTIA * i];
    return sum;
  }

  #fly(
    q: Float64Array,
    v: Float64Array,
    gravity: readonly number[],
    h: number,
    kinetic: number,
    expected: number,
    rest: number,
  ): void {
    const now = this.#now;
    const momentum = this.#momentum;
    const wanted = this.#wanted;
    this.#readMomentum(now, this.#nowCentre);
    const mass = this.#total[0];
    const inner = kinetic - this.#locked(now, this.#rigid);
    for (let k = 0; k < 3; k++) {
      this.#centre[k] += h * (momentum[3 + k] / mass + 0.5 * h * gravity[k]);
      momentum[3 + k] += h * mass * gravity[k];
    }
    const target = expected - this.#locked(momentum, wanted);
    if (inner > rest) this.scale = Math.sqrt(Math.max(0, target / inner));
    for (let k = 0; k < v.length; k++) v[k] *= this.scale;
    // The base carries the rigid part.
    const { tree } = this.#articulation;
    for (let k = 0; k < 6; k++) v[k] += wanted[k] - this.scale * this.#rigid[k];
    // The base goes where its centre of mass should be, in the axes of its joint.
    const { X } = tree;
    const at = tree.iq[0] + 4;
    for (let k = 0; k < 3; k++)
      for (let j = 0; j < 3; j++) q[at + k] += X[3 * k + j] * (this.#centre[j] - this.#nowCentre[j]);
  }

  /** Momentum about the centre of mass, the centre, and the inverse of the inertia about it. */
  #readMomentum(momentum: Float64Array, centre: Float64Array): void {
    const { I, V, tree, reference } = this.#articulation;
    const total = this.#total;
    const m = this.#vector;
    total.fill(0);
    momentum.fill(0);
    for (let i = 0; i < tree.n; i++) {
      inertiaTimes(m, 0, I, INERTIA * i, V, 6 * i);
      for (let k = 0; k < 6; k++) momentum[k] += m[k];
      for (let k = 0; k < INERTIA; k++) total[k] += I[INERTIA * i + k];
    }
    const mass = total[0];
    const x = total[1] / mass;
    const y = total[2] / mass;
    const z = total[3] / mass;
    centre[0] = reference[0] + x;
    centre[1] = reference[1] + y;
    centre[2] = reference[2] + z;
    momentum[0] -= y * momentum[5] - z * momentum[4];
    momentum[1] -= z * momentum[3] - x * momentum[5];
    momentum[2] -= x * momentum[4] - y * momentum[3];
    const xx = total[4] - mass * (y * y + z * z);
    const xy = total[5] + mass * x * y;
    const xz = total[6] + mass * x * z;
    const yy = total[7] - mass * (x * x + z * z);
    const yz = total[8] + mass * y * z;
    const zz = total[9] - mass * (x * x + y * y);
    const a = yy * zz - yz * yz;
    const b = xz * yz - xy * zz;
    const c = xy * yz - xz * yy;
    const d = 1 / (xx * a + xy * b + xz * c);
    const inverse = this.#inverse;
    inverse[0] = a * d;
    inverse[1] = inverse[3] = b * d;
    inverse[2] = inverse[6] = c * d;
    inverse[4] = (xx * zz - xz * xz) * d;
    inverse[5] = inverse[7] = (xy * xz - xx * yz) * d;
    inverse[8] = (xx * yy - xy * xy) * d;
  }

  /** base <- its velocity when the whole mechanism moves as one body with that momentum; returns the energy of that motion. */
  #locked(momentum: Float64Array, base: Float64Array): number {
    const inverse = this.#inverse;
    const [mass, hx, hy, hz] = this.#total;
    for (let k = 0; k < 3; k++)
      base[k] = inverse[3 * k] * momentum[0] + inverse[3 * k + 1] * momentum[1] + inverse[3 * k + 2] * momentum[2];
    for (let k = 0; k < 3; k++) base[3 + k] = momentum[3 + k] / mass;
    const energy = 0.5 * dot6(base, 0, momentum, 0);
    // From the centre of mass to the reference point.
    base[3] -= (base[1] * hz - base[2] * hy) / mass;
    base[4] -= (base[2] * hx - base[0] * hz) / mass;
    base[5] -= (base[0] * hy - base[1] * hx) / mass;
    return energy;
  }
}
