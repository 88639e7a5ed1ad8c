// Inverse dynamics by the recursive Newton-Euler algorithm (RNEA), O(n).
//
//   outwards  v_i = X_i v_p + S_i qd_i,   a_i = X_i a_p + S_i qdd_i + cJ_i + v_i x vJ_i,   a_0 = -gravity
//             f_i = I_i a_i + v_i x* I_i v_i - external_i
//   inwards   tau_i = S_i^T f_i + armature_i qdd_i,   f_p += X_i^T f_i
//
// f_i ends up as the whole six-component force through joint i on link i.

import type { Tree } from '../mechanism/tree.js';
import {
  addCrossForce,
  addCrossMotion,
  dot6,
  forceToA,
  INERTIA,
  inertiaTimes,
  motionToB,
  setZero,
  TRANSFORM,
} from '../spatial/spatial.js';
import {
  createLinkScratch,
  type LinkScratch,
  multiplyMotionSpace,
  updatePositions,
  updateVelocities,
} from './links.js';

export interface RneaScratch extends LinkScratch {
  /** n x 6: spatial velocity of each link, link coordinates. */
  readonly v: Float64Array;
  /** n x 6: spatial acceleration, less gravity. */
  readonly a: Float64Array;
  /** n x 6: force through the joint on the link, link coordinates. A result. */
  readonly f: Float64Array;
  /** 6: one force or motion. */
  readonly work: Float64Array;
}

export function createRnea(tree: Tree): RneaScratch {
  return {
    ...createLinkScratch(tree),
    v: new Float64Array(tree.n * 6),
    a: new Float64Array(tree.n * 6),
    f: new Float64Array(tree.n * 6),
    work: new Float64Array(6),
  };
}

/** tau <- inverse dynamics. `external`: n x 6 forces on the links in link coordinates, or null. */
export function rnea(
  tree: Tree,
  scratch: RneaScratch,
  tau: Float64Array,
  q: Float64Array,
  qd: Float64Array,
  qdd: Float64Array,
  external: Float64Array | null,
): void {
  moveLinks(tree, scratch, q, qd, qdd, external);
  const { n, parent, dof, iv, armature } = tree;
  const { X, S, f, work } = scratch;
  for (let i = n - 1; i >= 0; i--) {
    const o = 6 * i;
    const first = dof[i];
    for (let k = first; k < dof[i + 1]; k++) {
      const at = iv[i] + k - first;
      tau[at] = dot6(S, 6 * k, f, o) + armature[at] * qdd[at];
    }
    const p = parent[i];
    if (p < 0) continue;
    forceToA(work, 0, X, TRANSFORM * i, f, o);
    for (let k = 0; k < 6; k++) f[6 * p + k] += work[k];
  }
}

/** The outward pass: v and a of every link, and f, the force that it needs for itself. `qdd`: null where there is none. */
export function moveLinks(
  tree: Tree,
  scratch: RneaScratch,
  q: Float64Array,
  qd: Float64Array,
  qdd: Float64Array | null,
  external: Float64Array | null,
): void {
  updatePositions(tree, scratch, q);
  updateVelocities(tree, scratch, q, qd);
  const { n, parent, dof, iv, inertia, gravity } = tree;
  const { X, S, vJ, cJ, v, a, f, work } = scratch;
  for (let i = 0; i < n; i++) {
    const o = 6 * i;
    const p = parent[i];
    if (p < 0) {
      setZero(v, o, 6);
      work[0] = work[1] = work[2] = 0;
      work[3] = -gravity[0];
      work[4] = -gravity[1];
      work[5] = -gravity[2];
      motionToB(a, o, X, TRANSFORM * i, work, 0);
    } else {
      motionToB(v, o, X, TRANSFORM * i, v, 6 * p);
      motionToB(a, o, X, TRANSFORM * i, a, 6 * p);
    }
    for (let k = 0; k < 6; k++) {
      v[o + k] += vJ[o + k];
      a[o + k] += cJ[o + k];
    }
    if (qdd !== null) {
      multiplyMotionSpace(work, 0, S, dof[i], dof[i + 1], qdd, iv[i]);
      for (let k = 0; k < 6; k++) a[o + k] += work[k];
    }
    addCrossMotion(a, o, v, o, vJ, o);
    inertiaTimes(f, o, inertia, INERTIA * i, a, o);
    inertiaTimes(work, 0, inertia, INERTIA * i, v, o);
    addCrossForce(f, o, v, o, work, 0);
    if (external !== null) for (let k = 0; k < 6; k++) f[o + k] -= external[o + k];
  }
}
