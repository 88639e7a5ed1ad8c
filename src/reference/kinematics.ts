// Forward kinematics: where every link is, how it moves and, given joint accelerations, how it accelerates.

import type { Tree } from '../mechanism/tree.js';
import { addCrossMotion, compose, motionToB, setZero, TRANSFORM } from '../spatial/spatial.js';
import {
  createLinkScratch,
  type LinkScratch,
  multiplyMotionSpace,
  updatePositions,
  updateVelocities,
} from './links.js';

export interface KinematicsScratch extends LinkScratch {
  /** n x 12: ground to link frame. */
  readonly pose: Float64Array;
  /** n x 6: spatial velocity, link coordinates. */
  readonly v: Float64Array;
  /** n x 6: spatial acceleration, link coordinates, gravity not included. */
  readonly a: Float64Array;
  /** 6: S qdd of one joint. */
  readonly aJ: Float64Array;
}

export function createKinematics(tree: Tree): KinematicsScratch {
  return {
    ...createLinkScratch(tree),
    pose: new Float64Array(tree.n * TRANSFORM),
    v: new Float64Array(tree.n * 6),
    a: new Float64Array(tree.n * 6),
    aJ: new Float64Array(6),
  };
}

/** Poses: X_0i = X_i X_0p. */
export function poses(tree: Tree, scratch: KinematicsScratch, q: Float64Array): void {
  updatePositions(tree, scratch, q);
  const { X, pose } = scratch;
  for (let i = 0; i < tree.n; i++) {
    const p = tree.parent[i];
    if (p < 0) for (let k = TRANSFORM * i; k < TRANSFORM * (i + 1); k++) pose[k] = X[k];
    else compose(pose, TRANSFORM * i, X, TRANSFORM * i, pose, TRANSFORM * p);
  }
}

/** Poses and velocities: v_i = X_i v_p + S_i qd_i ([001] eq. 3, errata 001-10). */
export function velocities(tree: Tree, scratch: KinematicsScratch, q: Float64Array, qd: Float64Array): void {
  poses(tree, scratch, q);
  updateVelocities(tree, scratch, q, qd);
  const { X, v, vJ } = scratch;
  for (let i = 0; i < tree.n; i++) {
    const p = tree.parent[i];
    if (p < 0) setZero(v, 6 * i, 6);
    else motionToB(v, 6 * i, X, TRANSFORM * i, v, 6 * p);
    for (let k = 6 * i; k < 6 * i + 6; k++) v[k] += vJ[k];
  }
}

/** Poses, velocities and accelerations: a_i = X_i a_p + v_i x vJ_i + cJ_i + S_i qdd_i. */
export function accelerations(
  tree: Tree,
  scratch: KinematicsScratch,
  q: Float64Array,
  qd: Float64Array,
  qdd: Float64Array,
): void {
  velocities(tree, scratch, q, qd);
  const { X, S, v, a, vJ, cJ, aJ } = scratch;
  for (let i = 0; i < tree.n; i++) {
    const p = tree.parent[i];
    const o = 6 * i;
    if (p < 0) setZero(a, o, 6);
    else motionToB(a, o, X, TRANSFORM * i, a, 6 * p);
    multiplyMotionSpace(aJ, 0, S, tree.dof[i], tree.dof[i + 1], qdd, tree.iv[i]);
    for (let k = 0; k < 6; k++) a[o + k] += cJ[o + k] + aJ[k];
    addCrossMotion(a, o, v, o, vJ, o);
  }
}
