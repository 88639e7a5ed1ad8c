// Joints between the parts of a large mechanism, as formulas in world axes at the origin of the child: what they let move
// and what they hold, the part of the relative acceleration that no joint acceleration makes, and the force of the drive.

import type { Node } from '../../formulas/graph.js';
import type { NodeMat3, NodeVec3, Vec6, VectorGraph } from '../../formulas/vectors.js';
import type { MovingType } from './moving-links.js';

/** A joint type; `geared`: with an armature. */
export type PartJoint = MovingType | `geared ${MovingType}`;

/** Degrees of freedom. */
export const DOF: { readonly [type in MovingType]: number } = {
  revolute: 1,
  prismatic: 1,
  helical: 1,
  cylindrical: 2,
  universal: 2,
  planar: 3,
  spherical: 3,
  floating: 6,
};

export const movingType = (type: PartJoint): MovingType =>
  (type.startsWith('geared ') ? type.slice(7) : type) as MovingType;

/**
 * The numbers of a joint's state, in the order of the array:
 *
 *   q        angle about z, or orientation (4)
 *   v, tau   velocity and force about or along z; of universal, spherical and floating joints the angular velocity and the
 *            moments, child coordinates, of universal ones the forces about their axes (3 each)
 *   origin   of the child, in parent coordinates (3)
 *
 * and, where a mechanism has such joints,
 *
 *   more     what moves the origin: cylindrical along z; planar and floating in child coordinates. Of a universal joint
 *            its first axis in child coordinates (3)
 *   moreTau  the forces to it; of a universal joint the velocities about its axes (3)
 */
export const STATE = { q: 0, v: 4, tau: 7, origin: 10, size: 13, more: 13, moreTau: 16, largeSize: 19 } as const;

/** Whether a joint type has numbers beyond the first of STATE. */
export const needsMore = (type: MovingType): boolean =>
  type === 'cylindrical' || type === 'universal' || type === 'planar' || type === 'floating';

/** Reads numbers of a joint: of its state, and constant ones (pitch or second axis, root of the armature). */
export interface JointReader {
  readonly state: (k: number) => Node;
  readonly parameter: (k: number) => Node;
  readonly gear: () => Node;
}

/** A joint at its place. */
export interface JointHere {
  /** Its motion: relative acceleration = S qdd + c. */
  readonly S: readonly Vec6[];
  /** S^T F = 1: joint accelerations are F^T (relative acceleration - c), the drive's force F tau. */
  readonly F: readonly Vec6[];
  /** What it holds: S^T T = 0. Of unit length. */
  readonly T: readonly Vec6[];
  readonly c: Vec6;
  readonly tau: readonly Node[];
  /** F tau */
  readonly drive: Vec6;
  /** Root of the armature. */
  readonly gear: Node | undefined;
}

const SIX = [0, 1, 2, 3, 4, 5] as const;

/** R and w of the child: its rotation to world axes, and its angular velocity. */
export function jointHere(g: VectorGraph, joint: PartJoint, R: NodeMat3, w: NodeVec3, read: JointReader): JointHere {
  const { zero3 } = g;
  const axis = (k: number): NodeVec3 => [R[k], R[3 + k], R[6 + k]];
  const angular = (x: NodeVec3): Vec6 => [...x, ...zero3];
  const linear = (x: NodeVec3): Vec6 => [...zero3, ...x];
  const unit = (k: number): Vec6 => SIX.map((i) => (i === k ? g.one : g.zero));
  const three = (at: number): NodeVec3 => g.vec((k) => read.state(at + k));
  const double = (x: NodeVec3): NodeVec3 => g.plus(x, x);
  const [x, y, s] = [axis(0), axis(1), axis(2)];
  const [v, tau, more, moreTau] = [three(STATE.v), three(STATE.tau), three(STATE.more), three(STATE.moreTau)];
  const gear = joint.startsWith('geared ') ? read.gear() : undefined;
  const made = (S: readonly Vec6[], T: readonly Vec6[], c: Vec6, forces: readonly Node[], F = S): JointHere => ({
    S,
    F,
    T,
    c,
    tau: forces,
    drive: SIX.map((i) =>
      g.dot(
        F.map((column) => column[i]),
        forces,
      ),
    ),
    gear,
  });
  /** Of an axis that turns with the parent: its rate, w x s. */
  const turning = g.cross(w, s);
  switch (movingType(joint)) {
    case 'revolute':
      return made([angular(s)], [angular(x), angular(y), unit(3), unit(4), unit(5)], angular(g.times(v[0], turning)), [
        tau[0],
      ]);
    case 'prismatic':
      // 2 w x (s v): Coriolis.
      return made(
        [linear(s)],
        [unit(0), unit(1), unit(2), linear(x), linear(y)],
        linear(double(g.times(v[0], turning))),
        [tau[0]],
      );
    case 'helical': {
      // S = [s, h s]; what it holds along the axis is [-h s, s].
      const h = read.parameter(0);
      const size = g.add(g.one, g.mul(h, h));
      const root = g.sqrt(size);
      const along = g.div(g.one, root);
      const column: Vec6 = [...s, ...g.times(h, s)];
      const held: Vec6 = [...g.times(g.neg(g.mul(h, along)), s), ...g.times(along, s)];
      const dual = g.div(g.one, size);
      return made(
        [column],
        [angular(x), angular(y), linear(x), linear(y), held],
        [...g.times(v[0], turning), ...double(g.times(g.mul(h, v[0]), turning))],
        [tau[0]],
        [column.map((e) => g.mul(dual, e))],
      );
    }
    case 'cylindrical':
      return made(
        [angular(s), linear(s)],
        [angular(x), angular(y), linear(x), linear(y)],
        [...g.times(v[0], turning), ...double(g.times(more[0], turning))],
        [tau[0], moreTau[0]],
      );
    case 'universal': {
      // The first axis turns with the parent, the second with the child.
      const first = g.apply(R, more);
      const second = g.apply(
        R,
        g.vec((k) => read.parameter(k)),
      );
      const cosine = g.dot(first, second);
      const size = g.sub(g.one, g.mul(cosine, cosine));
      const dual = g.div(g.one, size);
      const less = (a: NodeVec3, b: NodeVec3): Vec6 => angular(g.times(dual, g.minus(a, g.times(cosine, b))));
      const held = g.times(g.div(g.one, g.sqrt(size)), g.cross(first, second));
      const [v0, v1] = moreTau;
      const parent = g.minus(w, g.times(v1, second));
      return made(
        [angular(first), angular(second)],
        [angular(held), unit(3), unit(4), unit(5)],
        angular(g.plus(g.times(v0, g.cross(parent, first)), g.times(v1, g.cross(w, second)))),
        [tau[0], tau[1]],
        [less(first, second), less(second, first)],
      );
    }
    case 'planar': {
      const parent = g.minus(w, g.times(v[0], s));
      const sliding = g.plus(g.times(more[0], x), g.times(more[1], y));
      return made(
        [linear(x), linear(y), angular(s)],
        [angular(x), angular(y), linear(s)],
        [...g.times(v[0], turning), ...double(g.cross(parent, sliding))],
        [moreTau[0], moreTau[1], tau[0]],
      );
    }
    case 'spherical':
      return made(
        [angular(x), angular(y), angular(s)],
        [unit(3), unit(4), unit(5)],
        angular(g.cross(w, g.apply(R, v))),
        [...tau],
      );
    case 'floating': {
      // With u the velocity of the origin in the parent: 2 (w - w_rel) x u + w_rel x u, as v is in child coordinates.
      const relative = g.apply(R, v);
      const u = g.apply(R, more);
      return made(
        [angular(x), angular(y), angular(s), linear(x), linear(y), linear(s)],
        [],
        [...g.cross(w, relative), ...g.minus(double(g.cross(w, u)), g.cross(relative, u))],
        [...tau, ...moreTau],
      );
    }
  }
}
