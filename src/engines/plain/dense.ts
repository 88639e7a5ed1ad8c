// Forward dynamics through the whole mass matrix: H qdd = tau - C ([004] eq. 1), solved by Cholesky's method without regard to
// sparsity. O(n^3): the method that paper 003 compares with, a check on the others, and the way for mechanisms with
// coupled (mimic) joints, whose independent coordinates y, v = G y', obey (G^T H G) y'' = G^T (tau - C).

import { MechanismError } from '../../mechanism/errors.js';
import type { Tree } from '../../mechanism/tree.js';
import { SINGULAR } from '../../reference/aba.js';
import { type CrbaScratch, crba, createCrba } from '../../reference/crba.js';
import { createRnea, type RneaScratch, rnea } from '../../reference/rnea.js';
import { solveFactored } from '../../reference/solve-positive.js';
import { type MassMatrix, rowsOf } from './author-order.js';
import { type Reduction, reduceMatrix, reductionOf } from './couplings.js';

/** The reduction is that of the degrees of freedom in link order. */
export interface DenseScratch extends Reduction {
  readonly crba: CrbaScratch;
  readonly rnea: RneaScratch;
  /** nv numbers, in the order of v: all zero. */
  readonly zero: Float64Array;
  /** nv: bias forces C, in the order of v. */
  readonly bias: Float64Array;
  /** Of each degree of freedom in link order: its position in v. */
  readonly at: Int32Array;
  /** The rows: independent degrees of freedom in the order of v. */
  readonly joints: MassMatrix['joints'];
  /** rows x rows: the mass matrix of the independent coordinates, then its Cholesky factor. */
  readonly A: Float64Array;
  /** rows: right-hand side, then solution. */
  readonly x: Float64Array;
}

/** Where each degree of freedom in link order stands in v. */
export function dofPositions(tree: Tree): Int32Array {
  const at = new Int32Array(tree.dof[tree.n]);
  for (let i = 0; i < tree.n; i++)
    for (let k = tree.dof[i]; k < tree.dof[i + 1]; k++) at[k] = tree.iv[i] + k - tree.dof[i];
  return at;
}

/** A matrix of this size takes 3.2 GB; anything larger is a mistake. */
const MAX_DENSE = 20_000;

export function createDense(tree: Tree): DenseScratch {
  const nv = tree.dof[tree.n];
  if (nv > MAX_DENSE)
    throw MechanismError.of(
      'too-large',
      '',
      `A mass matrix of ${nv} rows is too large for memory; up to ${MAX_DENSE} are made. Use an O(n) algorithm.`,
    );
  const at = dofPositions(tree);
  const { rows, follows, factor } = reductionOf(tree.mechanism);
  return {
    crba: createCrba(tree),
    rnea: createRnea(tree),
    zero: new Float64Array(nv),
    bias: new Float64Array(nv),
    at,
    rows,
    follows: at.map((k) => follows[k]),
    factor: Float64Array.from(at, (k) => factor[k]),
    joints: rowsOf(tree.mechanism),
    A: new Float64Array(rows * rows),
    x: new Float64Array(rows),
  };
}

/** qdd <- forward dynamics; arguments and result as for aba. Returns -1, or a link whose inertia is not positive. */
export function denseForwardDynamics(
  tree: Tree,
  scratch: DenseScratch,
  qdd: Float64Array,
  q: Float64Array,
  qd: Float64Array,
  tau: Float64Array,
  external: Float64Array | null,
  armature: Float64Array = tree.armature,
): number {
  const { at, follows, factor, joints, rows, A, x, bias, zero } = scratch;
  rnea(tree, scratch.rnea, bias, q, qd, zero, external);
  crba(tree, scratch.crba, q, armature);
  reduceMatrix(A, scratch.crba.H, scratch);
  x.fill(0);
  for (let k = 0; k < at.length; k++) x[follows[k]] += factor[k] * (tau[at[k]] - bias[at[k]]);
  const failed = cholesky(A, joints);
  if (failed >= 0) return linkOf(tree, follows.indexOf(failed));
  solveFactored(A, x, rows);
  for (let k = 0; k < at.length; k++) qdd[at[k]] = factor[k] * x[follows[k]];
  return -1;
}

export function linkOf(tree: Tree, dof: number): number {
  let i = 0;
  while (tree.dof[i + 1] <= dof) i++;
  return i;
}

/** scratch.A <- its inverse, column by column, O(n^3). Returns -1, or the row where it is not positive definite. */
export function invertDense({ A, rows, joints, x }: DenseScratch): number {
  const failed = cholesky(A, joints);
  if (failed >= 0) return failed;
  const L = A.slice();
  for (let column = 0; column < rows; column++) {
    x.fill(0);
    x[column] = 1;
    solveFactored(L, x, rows);
    for (let row = column; row < rows; row++) A[row * rows + column] = A[column * rows + row] = x[row];
  }
  return -1;
}

/**
 * A = L L^T in place, lower triangle. Returns -1, or the row where A is not positive definite: a pivot is next to nothing beside what
 * was there, or those of a joint, together, beside what its own elimination began with (as in aba.ts).
 */
function cholesky(A: Float64Array, joints: DenseScratch['joints']): number {
  const n = Math.sqrt(A.length);
  for (const { offset, dof } of joints) {
    let left = 1;
    for (let i = offset; i < offset + dof; i++) {
      for (let j = 0; j < i; j++) {
        let sum = A[i * n + j];
        for (let k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k];
        A[i * n + j] = sum / A[j * n + j];
      }
      const before = A[i * n + i];
      let pivot = before;
      for (let k = 0; k < offset; k++) pivot -= A[i * n + k] * A[i * n + k];
      const entered = pivot;
      for (let k = offset; k < i; k++) pivot -= A[i * n + k] * A[i * n + k];
      left *= pivot / entered;
      if (!(pivot > SINGULAR * before && left > SINGULAR)) return i;
      A[i * n + i] = Math.sqrt(pivot);
    }
  }
  return -1;
}
