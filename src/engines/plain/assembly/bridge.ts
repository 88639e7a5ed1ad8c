// Two parts side by side as one, and joints of the tree that close loops: what schedules need in which a loop joint comes
// before a joint of the tree that would do.
//
// The end part's root becomes a tip, with I and p its articulated inertia and bias force:
//   a_r = I^-1 (f_r - p + sum_t Psi_t^T f_t),   so   Phi_rr = I^-1,   Phi_tr = Psi_t I^-1,   Phi_ts += Psi_t I^-1 Psi_s^T,
//   b_r = -I^-1 p,   b_t -= Psi_t I^-1 p;   and Psi = 0: these tips do not feel the root of the other part.

import type { Tree } from '../../../mechanism/tree.js';
import type { AbaScratch } from '../../../reference/aba.js';
import {
  addBlockTimes,
  addTransposedProduct,
  BLOCK,
  copyBlock,
  invertBlock,
  multiplyBlocks,
} from '../../../spatial/blocks.js';
import { forceToA, motionToB, TRANSFORM } from '../../../spatial/spatial.js';
import { accelerateTip, addSizes, copyTips, type PartMemory } from './join.js';
import type { LoopScratch } from './loop-joint.js';
import { type BridgeOperation, biasAt, phiAt, psiAt, sizeAt } from './plan.js';

/** Work space: I^-1, and room to invert it. */
const W_I = 0;
const W_A = BLOCK;

/** False where the root's inertia is singular: a link without mass cannot be a handle in this form. */
export function bridgeParts({ IA, pA }: AbaScratch, { m, work }: PartMemory, operation: BridgeOperation): boolean {
  const { rootPart, endPart, union, fromRoot, fromEnd } = operation;
  const record = endPart.root + 1;
  copyBlock(work, W_I, IA, BLOCK * record);
  if (!invertBlock(work, W_I, work, W_A)) return false;
  copyTips(m, union, rootPart, fromRoot);
  copyTips(m, union, endPart, fromEnd);
  const r = union.tips.indexOf(endPart.root);
  const k = union.tips.length;
  // No tip of one side feels the other side.
  for (let t = r; t < k; t++) if (r > 0) m.fill(0, phiAt(union, t, 0), phiAt(union, t, r - 1) + BLOCK);
  copyBlock(m, phiAt(union, r, r), work, W_I);
  m.fill(0, psiAt(union, r), psiAt(union, r) + BLOCK);
  m.fill(0, biasAt(union, r), biasAt(union, r) + 6);
  addBlockTimes(m, biasAt(union, r), -1, work, W_I, pA, 6 * record);
  for (let half = 0; half < 2; half++) {
    let trace = 0;
    for (let j = 3 * half; j < 3 * half + 3; j++) trace += Math.abs(work[W_I + 7 * j]);
    m[sizeAt(union, r) + half] = Math.sqrt(trace);
  }
  for (let t = r + 1; t < k; t++) {
    const psi = psiAt(endPart, fromEnd[t]);
    multiplyBlocks(m, phiAt(union, t, r), m, psi, work, W_I);
    addBlockTimes(m, biasAt(union, t), 1, m, psi, m, biasAt(union, r));
    addSizes(m, sizeAt(union, t), psi, sizeAt(union, r));
    for (let u = r + 1; u <= t; u++)
      addTransposedProduct(m, phiAt(union, t, u), 1, m, phiAt(union, t, r), m, psiAt(endPart, fromEnd[u]));
  }
  m.fill(0, psiAt(union, r), psiAt(union, k - 1) + BLOCK);
  return true;
}

/** Disassembly: the acceleration of the end part's root. */
export function partBridge({ delta }: AbaScratch, memory: PartMemory, { union, endPart }: BridgeOperation): void {
  accelerateTip(delta, memory, union, union.tips.indexOf(endPart.root));
}

/** Before assembly: the joint forces of closers act on their two links as outer forces, S (S^T S)^-1 tau on the child. */
export function pushClosers(
  tree: Tree,
  { pA }: AbaScratch,
  { kinematics, loops, push }: LoopScratch,
  tau: Float64Array,
): void {
  for (const { a, b, closer } of loops) {
    if (!closer) continue;
    pushOf(tree, kinematics.S, b, tau, push);
    for (let j = 0; j < 6; j++) pA[6 * (b + 1) + j] -= push[j];
    if (a < 0) continue;
    forceToA(push, 6, kinematics.X, TRANSFORM * b, push, 0);
    for (let j = 0; j < 6; j++) pA[6 * (a + 1) + j] += push[6 + j];
  }
}

/** push <- S x with S^T S x = tau. */
function pushOf(tree: Tree, S: Float64Array, b: number, tau: Float64Array, push: Float64Array): void {
  const first = tree.dof[b];
  const nv = tree.dof[b + 1] - first;
  push.fill(0, 0, 6);
  const x = leastSquares(S, first, nv, (k) => tau[tree.iv[b] + k]);
  for (let k = 0; k < nv; k++) for (let j = 0; j < 6; j++) push[j] += S[6 * (first + k) + j] * x[k];
}

/** x with S^T S x = right, for up to six columns, by elimination without pivoting: S^T S is positive definite. */
function leastSquares(S: Float64Array, first: number, nv: number, right: (k: number) => number): number[] {
  const A = Array.from({ length: nv }, (_, i) =>
    Array.from({ length: nv + 1 }, (_, j) => {
      if (j === nv) return right(i);
      let sum = 0;
      for (let l = 0; l < 6; l++) sum += S[6 * (first + i) + l] * S[6 * (first + j) + l];
      return sum;
    }),
  );
  for (let c = 0; c < nv; c++)
    for (let i = 0; i < nv; i++) {
      if (i === c) continue;
      const factor = A[i][c] / A[c][c];
      for (let j = c; j <= nv; j++) A[i][j] -= factor * A[c][j];
    }
  return A.map((row, i) => row[nv] / row[i]);
}

/** After disassembly: qdd of the closers, S^T S qdd = S^T (a_child - X a_parent), and the forces in them. */
export function finishClosers(
  tree: Tree,
  { delta }: AbaScratch,
  { kinematics, loops, push, closerForces }: LoopScratch,
  tau: Float64Array,
  qdd: Float64Array,
  forces: Float64Array,
): void {
  for (const { b, closer } of loops) {
    if (!closer) continue;
    const first = tree.dof[b];
    const nv = tree.dof[b + 1] - first;
    motionToB(push, 0, kinematics.X, TRANSFORM * b, delta, 6 * (tree.parent[b] + 1));
    for (let j = 0; j < 6; j++) push[j] = delta[6 * (b + 1) + j] - push[j];
    const x = leastSquares(kinematics.S, first, nv, (k) => {
      let sum = 0;
      for (let j = 0; j < 6; j++) sum += kinematics.S[6 * (first + k) + j] * push[j];
      return sum;
    });
    for (let k = 0; k < nv; k++) qdd[tree.iv[b] + k] = x[k];
    pushOf(tree, kinematics.S, b, tau, push);
    for (let j = 0; j < 6; j++) forces[6 * b + j] = push[j] + closerForces[6 * b + j];
  }
}
