// Forward dynamics by the articulated-body algorithm (ABA, Featherstone 1983), O(n), for any joint.
//
//   1 outwards  the motion with qdd = 0; the force that each link needs for it is its bias force p_A (rnea.ts),  I_A = I
//   2 inwards   U = I_A S,  D = S^T U + armature,  u = tau - S^T p_A
//               I_A of the parent += X^T (I_A - U D^-1 U^T) X,   p_A of the parent += X^T (p_A + U D^-1 u)
//   3 outwards  delta = X delta_p,  qdd = D^-1 (u - U^T delta),  delta += S qdd
//
// All velocity terms sit in pass 1, which is cheaper than the customary c and I_A c: delta is what qdd adds to the
// acceleration of a link. The force through joint i on link i is I_A delta + p_A. With D = L L^T, pass 2 keeps L, U L^-T and
// L^-1 u, so that U D^-1 U^T is a product of one matrix with itself.
//
// The engines have the same steps as formulas (formulas/aba.ts), in which what is zero or one for a kind of joint is left out.

import type { Tree } from '../mechanism/tree.js';
import {
  addBlockTimes,
  addColumnProduct,
  addSymmetric,
  BLOCK,
  copyBlock,
  multiplyByTransform,
  setRigidInertia,
  transposeBlock,
} from '../spatial/blocks.js';
import { dot6, forceToA, INERTIA, motionToB, TRANSFORM } from '../spatial/spatial.js';
import { createRnea, moveLinks, type RneaScratch } from './rnea.js';

/**
 * The inertia that a joint feels is singular where the pivots of its elimination are, together, below this part of what was there
 * before: each pivot's rounding error grows by what the ones before it have lost.
 */
export const SINGULAR = 1e-13;

/** Records stand in the order of the ground, all links, a spare one: that of link i, also of parent -1, is i + 1. */
export interface AbaScratch extends RneaScratch {
  /** (n + 2) x 36: articulated inertias I_A, row major; passes 1 and 2. */
  readonly IA: Float64Array;
  /** (n + 2) x 6: bias forces p_A; passes 1 and 2. */
  readonly pA: Float64Array;
  /** 6 for each degree of freedom, in link order: U L^-T; pass 2. */
  readonly U: Float64Array;
  /** n x 36, rows of six: L; pass 2. */
  readonly L: Float64Array;
  /** One for each degree of freedom, in link order: L^-1 u; pass 2. */
  readonly u: Float64Array;
  /** (n + 2) x 6: accelerations due to qdd; pass 3. */
  readonly delta: Float64Array;
  /** 3 x 36. */
  readonly blocks: Float64Array;
}

export function createAba(tree: Tree): AbaScratch {
  const nv = tree.dof[tree.n];
  return {
    ...createRnea(tree),
    IA: new Float64Array(BLOCK * (tree.n + 2)),
    pA: new Float64Array(6 * (tree.n + 2)),
    U: new Float64Array(6 * nv),
    L: new Float64Array(BLOCK * tree.n),
    u: new Float64Array(nv),
    delta: new Float64Array(6 * (tree.n + 2)),
    blocks: new Float64Array(3 * BLOCK),
  };
}

/**
 * qdd <- forward dynamics. `external`: n x 6 forces on the links in link coordinates, or null. `armature`: inertia added
 * to each degree of freedom, in the order of v.
 * Returns -1, or the first link at which the inertia felt by the joint is not positive: the mass matrix is singular.
 */
export function aba(
  tree: Tree,
  scratch: AbaScratch,
  qdd: Float64Array,
  q: Float64Array,
  qd: Float64Array,
  tau: Float64Array,
  external: Float64Array | null,
  armature: Float64Array = tree.armature,
): number {
  beginLinks(tree, scratch, q, qd, external);
  for (let i = tree.n - 1; i >= 0; i--)
    if (!assembleLink(tree, scratch, i, tree.parent[i] + 1, tau, armature)) return i;
  for (let i = 0; i < tree.n; i++) accelerateLink(tree, scratch, i, qdd);
  return -1;
}

/** Pass 1: own inertia and bias force of every link. */
export function beginLinks(
  tree: Tree,
  scratch: AbaScratch,
  q: Float64Array,
  qd: Float64Array,
  external: Float64Array | null,
): void {
  const { IA, pA, f } = scratch;
  moveLinks(tree, scratch, q, qd, null, external);
  IA.fill(0, 0, BLOCK);
  pA.fill(0, 0, 6);
  pA.set(f, 6);
  for (let i = 0; i < tree.n; i++) setRigidInertia(IA, BLOCK * (i + 1), tree.inertia, INERTIA * i);
}

/** Pass 2 for one link: what it is through its joint is added to record `to`. False where the joint feels no inertia. */
export function assembleLink(
  tree: Tree,
  scratch: AbaScratch,
  i: number,
  to: number,
  tau: Float64Array,
  armature: Float64Array,
): boolean {
  if (!eliminateJoint(tree, scratch, i, tau, armature)) return false;
  // Nothing moves the ground.
  if (to > 0) addToRecord(scratch, i, to, tree.dof[i], tree.dof[i + 1]);
  return true;
}

/** L, U L^-T and L^-1 u of joint i. */
function eliminateJoint(
  tree: Tree,
  { S, IA, pA, U, L, u }: AbaScratch,
  i: number,
  tau: Float64Array,
  armature: Float64Array,
): boolean {
  const first = tree.dof[i];
  const nv = tree.dof[i + 1] - first;
  const iv = tree.iv[i];
  const own = i + 1;
  let left = 1;
  for (let k = 0; k < nv; k++) {
    const row = BLOCK * i + 6 * k;
    const [s, column] = [6 * (first + k), 6 * (first + k)];
    for (let j = 0; j < 6; j++) U[column + j] = dot6(IA, BLOCK * own + 6 * j, S, s);
    const before = dot6(S, s, U, column) + armature[iv + k];
    let pivot = before;
    let force = tau[iv + k] - dot6(S, s, pA, 6 * own);
    // S^T U L^-T of the columns before is their part of row k of L.
    for (let l = 0; l < k; l++) {
      const factor = dot6(S, s, U, 6 * (first + l));
      L[row + l] = factor;
      pivot -= factor * factor;
      force -= factor * u[first + l];
      for (let j = 0; j < 6; j++) U[column + j] -= factor * U[6 * (first + l) + j];
    }
    left *= pivot / before;
    if (!(pivot > 0 && left > SINGULAR)) return false;
    const root = Math.sqrt(pivot);
    L[row + k] = root;
    u[first + k] = force / root;
    for (let j = 0; j < 6; j++) U[column + j] /= root;
  }
  return true;
}

/** X^T (I_A - U D^-1 U^T) X and X^T (p_A + U D^-1 u) of link i are added to record `to`; U, u: degrees of freedom from `first`. */
export function addToRecord(
  { X, IA, pA, U, u, blocks, work }: AbaScratch,
  i: number,
  to: number,
  first: number,
  end: number,
): void {
  copyBlock(blocks, 0, IA, BLOCK * (i + 1));
  addColumnProduct(blocks, 0, -1, U, 6 * first, U, 6 * first, end - first);
  addInertiaThrough(IA, BLOCK * to, X, TRANSFORM * i, blocks);
  for (let j = 0; j < 6; j++) {
    work[j] = pA[6 * (i + 1) + j];
    for (let k = first; k < end; k++) work[j] += U[6 * k + j] * u[k];
  }
  forceToA(work, 0, X, TRANSFORM * i, work, 0);
  for (let j = 0; j < 6; j++) pA[6 * to + j] += work[j];
}

/** out += X^T A X for the symmetric A in the first of three blocks; the others are work space. */
export function addInertiaThrough(
  out: Float64Array,
  o: number,
  X: Float64Array,
  ox: number,
  blocks: Float64Array,
): void {
  multiplyByTransform(blocks, BLOCK, blocks, 0, X, ox);
  transposeBlock(blocks, 2 * BLOCK, blocks, BLOCK);
  multiplyByTransform(blocks, BLOCK, blocks, 2 * BLOCK, X, ox);
  // One triangle, mirrored: a difference between the two would double from link to link.
  addSymmetric(out, o, 1, blocks, BLOCK);
}

/** Pass 3 for one link: qdd of its joint and its delta, given that of its parent. */
export function accelerateLink(tree: Tree, { X, S, U, L, u, delta }: AbaScratch, i: number, qdd: Float64Array): void {
  const o = 6 * (i + 1);
  const first = tree.dof[i];
  const nv = tree.dof[i + 1] - first;
  const iv = tree.iv[i];
  motionToB(delta, o, X, TRANSFORM * i, delta, 6 * (tree.parent[i] + 1));
  // qdd = L^-T (L^-1 u - (U L^-T)^T delta)
  for (let k = nv - 1; k >= 0; k--) {
    let sum = u[first + k] - dot6(U, 6 * (first + k), delta, o);
    for (let l = k + 1; l < nv; l++) sum -= L[BLOCK * i + 6 * l + k] * qdd[iv + l];
    qdd[iv + k] = sum / L[BLOCK * i + 7 * k];
  }
  for (let k = 0; k < nv; k++) for (let j = 0; j < 6; j++) delta[o + j] += S[6 * (first + k) + j] * qdd[iv + k];
}

/** forces <- n x 6: force through each joint on its link, link coordinates; after aba. */
export function abaForces(tree: Tree, scratch: AbaScratch, forces: Float64Array): void {
  for (let i = 0; i < tree.n; i++) linkForce(scratch, i, forces);
}

/** I_A delta + p_A of link i. */
export function linkForce({ IA, pA, delta }: AbaScratch, i: number, forces: Float64Array): void {
  for (let j = 0; j < 6; j++) forces[6 * i + j] = pA[6 * (i + 1) + j];
  addBlockTimes(forces, 6 * i, 1, IA, BLOCK * (i + 1), delta, 6 * (i + 1));
}
