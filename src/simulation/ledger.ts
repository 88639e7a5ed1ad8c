// The books of a step: energy and momentum of a state, taken apart into the motion of the whole and the motion within.
//
// A mechanism that hangs from nothing moves as a whole like a rigid body with its inertia I about the centre of mass: momentum
// p = m u, angular momentum L = I w. What is left is the motion within:
//
//   T = m u^2 / 2 + L . I^-1 L / 2 + T within
//
// Where the base is held, all motion is within.

import { GROUND, type Joint, type Mechanism } from '../mechanism/mechanism.js';
import type { State } from '../mechanism/state.js';
import type { Tree } from '../mechanism/tree.js';
import { createEnergy, type EnergyScratch, energy } from '../reference/energy.js';
import { cross, dot, type Vec3 } from '../spatial/matrix3.js';
import { motionToB, TRANSFORM } from '../spatial/spatial.js';

/** The joint by which all of a mechanism floats; undefined where something else leads to the ground. */
export function floatingBase({ joints, loops }: Mechanism): Joint | undefined {
  const roots = joints.filter(({ parent }) => parent === GROUND);
  const held = loops.some(({ a, b }) => a.body === GROUND || b.body === GROUND);
  return roots.length === 1 && roots[0].type === 'floating' && roots[0].armature === 0 && !held ? roots[0] : undefined;
}

export class Ledger {
  /** The base, where it floats. */
  readonly base: Joint | undefined;
  /** Kinetic energy of the motion within; energy of springs and, where the base is held, of the weight. */
  within = 0;
  stored = 0;
  /** Of what floats: mass, centre of mass, its velocity, angular momentum about it, the energy of turning as a whole. */
  mass = 0;
  com: Vec3 = [0, 0, 0];
  velocity: Vec3 = [0, 0, 0];
  angular: Vec3 = [0, 0, 0];
  turning = 0;
  /** 6: velocity of the base if the joints were locked. */
  readonly rigid = new Float64Array(6);
  readonly #tree: Tree;
  readonly #scratch: EnergyScratch;
  readonly #link: number;
  readonly #motion = new Float64Array(6);
  /** Inverse of the inertia about the centre of mass, rows; all zero where it has none. */
  readonly #inverse: [Vec3, Vec3, Vec3] = [
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
  ];

  constructor(tree: Tree) {
    this.#tree = tree;
    this.#scratch = createEnergy(tree);
    this.base = floatingBase(tree.mechanism);
    this.#link = this.base === undefined ? -1 : tree.link[tree.mechanism.joints.indexOf(this.base)];
  }

  read({ q, v }: State): void {
    const { kinetic, potential, mass, com, momentum } = energy(this.#tree, this.#scratch, q, v);
    this.mass = mass;
    this.within = kinetic;
    this.stored = potential;
    if (this.base === undefined || !(mass > 0)) return;
    this.com = com;
    this.velocity = [momentum.linear[0] / mass, momentum.linear[1] / mass, momentum.linear[2] / mass];
    const orbital = cross(com, momentum.linear);
    this.angular = [
      momentum.angular[0] - orbital[0],
      momentum.angular[1] - orbital[1],
      momentum.angular[2] - orbital[2],
    ];
    this.#invertInertia();
    this.turning = this.turningEnergy(this.angular);
    this.within = kinetic - (mass * dot(this.velocity, this.velocity)) / 2 - this.turning;
    // Its weight moves the whole only.
    this.stored = potential + mass * dot(this.#tree.gravity, com);
    this.lockedMotion(this.rigid, this.angular, this.velocity);
  }

  /** Energy of turning as a whole with angular momentum L. */
  turningEnergy(L: Vec3): number {
    return dot(L, this.#spin(L)) / 2;
  }

  /** out <- velocity of the base, joints locked, with angular momentum L and velocity u of the centre of mass. */
  lockedMotion(out: Float64Array, L: Vec3, u: Vec3): void {
    const w = this.#spin(L);
    const s = cross(w, this.com);
    this.#motion.set([w[0], w[1], w[2], u[0] - s[0], u[1] - s[1], u[2] - s[2]]);
    motionToB(out, 0, this.#scratch.kinematics.pose, TRANSFORM * this.#link, this.#motion, 0);
  }

  /** Shifts the whole, in directions of the ground. */
  shift({ q }: State, by: Vec3): void {
    const { X } = this.#tree;
    const o = TRANSFORM * this.#link;
    for (let k = 0; k < 3; k++)
      q[this.base!.iq + 4 + k] += X[o + 3 * k] * by[0] + X[o + 3 * k + 1] * by[1] + X[o + 3 * k + 2] * by[2];
  }

  #spin(L: Vec3): Vec3 {
    const [a, b, c] = this.#inverse;
    return [dot(a, L), dot(b, L), dot(c, L)];
  }

  #invertInertia(): void {
    const { total } = this.#scratch;
    const m = this.mass;
    const [a, b, c] = this.com;
    const [xx, xy, xz] = [total[4] - m * (b * b + c * c), total[5] + m * a * b, total[6] + m * a * c];
    const [yy, yz, zz] = [total[7] - m * (a * a + c * c), total[8] + m * b * c, total[9] - m * (a * a + b * b)];
    const [r0, r1, r2]: [Vec3, Vec3, Vec3] = [
      [xx, xy, xz],
      [xy, yy, yz],
      [xz, yz, zz],
    ];
    const [c0, c1, c2] = [cross(r1, r2), cross(r2, r0), cross(r0, r1)];
    const det = dot(r0, c0);
    // Points in one line do not turn as a whole about it; what turns is then left within.
    const scale = det > 1e-12 * (xx + yy + zz) ** 3 ? 1 / det : 0;
    for (let k = 0; k < 3; k++) this.#inverse[k] = [c0[k] * scale, c1[k] * scale, c2[k] * scale];
  }
}
