// The model in the pose that the file draws (MuJoCo's qpos0): where its bodies are, and what inertia each joint moves there.

import {
  add,
  apply,
  cross,
  dot,
  type Mat3,
  multiply,
  scale,
  subtract,
  transpose,
  type Vec3,
  ZERO3,
} from '../spatial/matrix3.js';
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

/** A direction of motion in world coordinates: it turns with `a` and moves the world's origin with `b`. */
interface Motion {
  readonly a: Vec3;
  readonly b: Vec3;
}

/** More degrees of freedom than this: their mass matrix is not inverted only to choose springs. */
const MOST_TO_INVERT = 600;

/** The mass matrix H in that pose: its diagonal, and that of its inverse. */
export class ReferenceInertia {
  readonly #composites: Composite[];
  readonly #poses: readonly RigidPose[];
  readonly #bodies: readonly MjcfBody[];
  #inverse: { diagonal: Float64Array; first: Map<string, number> } | undefined;

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

  /** Diagonal of H for a joint of a body: as many numbers as it has degrees of freedom. */
  diagonal(body: number, joint: number): number[] {
    const { armature } = this.#bodies[body].joints[joint];
    return this.#motions(body, joint).map((motion) => this.#product(body, motion, motion) + armature);
  }

  /**
   * Inertia that a joint feels with all others free: one over the mean of the diagonal of the inverse of H; undefined where
   * H is too large to invert, or singular.
   */
  felt(body: number, joint: number): number | undefined {
    this.#inverse ??= this.#inverted();
    const { diagonal, first } = this.#inverse;
    const from = first.get(`${body} ${joint}`);
    if (from === undefined) return undefined;
    const count = this.#motions(body, joint).length;
    const felt = count / diagonal.subarray(from, from + count).reduce((sum, value) => sum + value, 0);
    return Number.isFinite(felt) ? felt : undefined;
  }

  #motions(body: number, joint: number): Motion[] {
    const { type, anchor, axis } = this.#bodies[body].joints[joint];
    const { R, p } = this.#poses[body];
    const at = add(p, apply(R, anchor));
    const turning = (a: Vec3): Motion => ({ a, b: cross(at, a) });
    const sliding = (b: Vec3): Motion => ({ a: ZERO3, b });
    const turns = [0, 1, 2].map((k): Motion => turning([R[k], R[3 + k], R[6 + k]]));
    switch (type) {
      case 'hinge':
        return [turning(apply(R, axis))];
      case 'slide':
        return [sliding(apply(R, axis))];
      case 'ball':
        return turns;
      case 'free':
        return [...WORLD_AXES.map(sliding), ...turns];
    }
  }

  /** The inertia of a body with all it carries between two motions: a . (I a' + h x b') + b . (m b' - h x a'). */
  #product(body: number, { a, b }: Motion, other: Motion): number {
    const { mass, moment, inertia } = this.#composites[body];
    const turned = add(apply(inertia as unknown as Mat3, other.a), cross(moment, other.b));
    const moved = subtract(scale(mass, other.b), cross(moment, other.a));
    return dot(a, turned) + dot(b, moved);
  }

  /** Composite inertias give H; Cholesky's factor L of H gives the diagonal of the inverse as the squares in L^-1. */
  #inverted(): { diagonal: Float64Array; first: Map<string, number> } {
    const first = new Map<string, number>();
    const motions: { body: number; motion: Motion; armature: number }[] = [];
    this.#bodies.forEach(({ joints }, body) => {
      joints.forEach(({ armature }, joint) => {
        first.set(`${body} ${joint}`, motions.length);
        for (const motion of this.#motions(body, joint)) motions.push({ body, motion, armature });
      });
    });
    const n = motions.length;
    if (n > MOST_TO_INVERT) return { diagonal: new Float64Array(0), first: new Map() };
    const H = new Float64Array(n * n);
    const carries = (above: number, below: number): boolean => {
      for (let at = below; at >= above; at = this.#bodies[at].parent) if (at === above) return true;
      return false;
    };
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) {
        // Bodies are numbered from the root, so the joint of the later body is the one that may be carried.
        if (!carries(motions[j].body, motions[i].body)) continue;
        H[i * n + j] = this.#product(motions[i].body, motions[i].motion, motions[j].motion);
      }
      H[i * n + i] += motions[i].armature;
    }
    return { diagonal: inverseDiagonal(H, n), first };
  }
}

/** Diagonal of the inverse of a positive definite matrix, of which the lower half is given. */
function inverseDiagonal(H: Float64Array, n: number): Float64Array {
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let sum = H[i * n + j];
      for (let k = 0; k < j; k++) sum -= H[i * n + k] * H[j * n + k];
      H[i * n + j] = i === j ? Math.sqrt(Math.max(sum, 1e-300)) : sum / H[j * n + j];
    }
  const diagonal = new Float64Array(n);
  const column = new Float64Array(n);
  for (let c = 0; c < n; c++) {
    for (let i = c; i < n; i++) {
      let sum = i === c ? 1 : 0;
      for (let k = c; k < i; k++) sum -= H[i * n + k] * column[k];
      column[i] = sum / H[i * n + i];
      diagonal[c] += column[i] * column[i];
    }
  }
  return diagonal;
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
