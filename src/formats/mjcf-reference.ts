// The model in the pose that the file draws (MuJoCo's qpos0): where its bodies are, and what inertia each joint moves there.

import { add, apply, cross, dot, type Mat3, multiply, scale, transpose, type Vec3, ZERO3 } from '../spatial/matrix3.js';
import type { MjcfBody } from './mjcf-body.js';
import { composed, type RigidPose } from './mjcf-frame.js';
import type { Inertial } from './mjcf-mass.js';

/** Poses of all bodies in the world. */
export function referencePoses(bodies: readonly MjcfBody[]): RigidPose[] {
  const poses: RigidPose[] = [];
  for (const { parent, pose } of bodies) poses.push(parent < 0 ? pose : composed(poses[parent], pose));
  return poses;
}

/** Mass, first moment and inertia about the world's origin of a body with everything it carries. */
interface Composite {
  mass: number;
  moment: Vec3;
  /** Row by row, about the world's origin. */
  inertia: number[];
}

/**
 * Diagonal of the mass matrix, one number for each degree of freedom of the moving joints of a body: armature, and
 * a . I a + 2 a . (h x b) + m b . b for a motion that turns with a and moves the origin with b.
 */
export class ReferenceInertia {
  readonly #composites: Composite[];
  readonly #poses: readonly RigidPose[];
  readonly #bodies: readonly MjcfBody[];

  constructor(bodies: readonly MjcfBody[], inertials: readonly Inertial[], poses: readonly RigidPose[]) {
    this.#bodies = bodies;
    this.#poses = poses;
    this.#composites = inertials.map((inertial, k) => worldInertia(inertial, poses[k]));
    for (let k = bodies.length - 1; k > 0; k--) {
      const [own, onto] = [this.#composites[k], this.#composites[bodies[k].parent]];
      onto.mass += own.mass;
      onto.moment = add(onto.moment, own.moment);
      for (let e = 0; e < 9; e++) onto.inertia[e] += own.inertia[e];
    }
  }

  /** Of a joint of a body: as many numbers as it has degrees of freedom. */
  diagonal(body: number, joint: number): number[] {
    const { type, anchor, axis, armature } = this.#bodies[body].joints[joint];
    const { R, p } = this.#poses[body];
    const at = add(p, apply(R, anchor));
    const turning = (direction: Vec3): number => this.#moved(body, direction, cross(at, direction)) + armature;
    const sliding = (direction: Vec3): number => this.#moved(body, ZERO3, direction) + armature;
    const column = (k: number): Vec3 => [R[k], R[3 + k], R[6 + k]];
    switch (type) {
      case 'hinge':
        return [turning(apply(R, axis))];
      case 'slide':
        return [sliding(apply(R, axis))];
      case 'ball':
        return [0, 1, 2].map((k) => turning(column(k)));
      case 'free':
        return [...WORLD_AXES.map(sliding), ...[0, 1, 2].map((k) => turning(column(k)))];
    }
  }

  #moved(body: number, a: Vec3, b: Vec3): number {
    const { mass, moment, inertia } = this.#composites[body];
    const Ia = apply(inertia as unknown as Mat3, a);
    return dot(a, Ia) + 2 * dot(a, cross(moment, b)) + mass * dot(b, b);
  }
}

const WORLD_AXES: readonly Vec3[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

function worldInertia({ mass, com, inertia }: Inertial, { R, p }: RigidPose): Composite {
  const c = add(p, apply(R, com));
  const I = [...multiply(multiply(R, inertia), transpose(R))];
  const cc = dot(c, c);
  for (let k = 0; k < 9; k++) I[k] += mass * ((k % 4 === 0 ? cc : 0) - c[Math.floor(k / 3)] * c[k % 3]);
  return { mass, moment: scale(mass, c), inertia: I };
}
