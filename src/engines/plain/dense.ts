// Forward dynamics through the whole mass matrix: H qdd = tau - C ([004] eq. 1), solved by Cholesky's method without regard to
// sparsity. O(n^3): the method that paper 003 compares with, a check on the others, and the way for mechanisms with
// coupled (mimic) joints, whose independent coordinates y, v = G y', obey (G^T H G) y'' = G^T (tau - C).

import { MechanismError } from '../../mechanism/errors.js';
import type { Tree } from '../../mechanism/tree.js';
import { type CrbaScratch, crba, createCrba } from '../../reference/crba.js';
import { createRnea, type RneaScratch, rnea } from '../../reference/rnea.js';

export interface DenseScratch {
  readonly crba: CrbaScratch;
  readonly rnea: RneaScratch;
  /** nv numbers, in the order of v: all zero. */
  readonly zero: Float64Array;
  /** nv: bias forces C, in the order of v. */
  readonly bias: Float64Array;
  /** Position in v of each degree of freedom in link order. */
  readonly at: Int32Array;
  /** For each degree of freedom in link order: the independent one it follows (itself, mostly), and by which factor. */
  readonly follows: Int32Array;
  readonly factor: Float64Array;
  /** Number of independent degrees of freedom, m. */
  readonly m: number;
  /** m x m: the mass matrix of the independent coordinates, then its Cholesky factor. */
  readonly A: Float64Array;
  /** m: right-hand side, then solution. */
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
  const { couplings } = tree.mechanism;
  const sourceOf = new Map(couplings.map((coupling) => [coupling.joint, coupling]));
  const independent = new Int32Array(nv);
  let m = 0;
  for (let i = 0; i < tree.n; i++)
    for (let k = tree.dof[i]; k < tree.dof[i + 1]; k++) independent[k] = sourceOf.has(tree.joint[i]) ? -1 : m++;
  const follows = new Int32Array(nv);
  const factor = new Float64Array(nv).fill(1);
  for (let i = 0; i < tree.n; i++) {
    const coupling = sourceOf.get(tree.joint[i]);
    for (let k = tree.dof[i]; k < tree.dof[i + 1]; k++) {
      const source = coupling === undefined ? k : tree.dof[tree.link[coupling.source]];
      follows[k] = independent[source];
      factor[k] = coupling?.multiplier ?? 1;
    }
  }
  return {
    crba: createCrba(tree),
    rnea: createRnea(tree),
    zero: new Float64Array(nv),
    bias: new Float64Array(nv),
    at,
    follows,
    factor,
    m,
    A: new Float64Array(m * m),
    x: new Float64Array(m),
  };
}

/** scratch.A <- G^T H G at q, both triangles; the independent degrees of freedom keep their (link) order. */
export function reducedMassMatrix(
  tree: Tree,
  scratch: DenseScratch,
  q: Float64Array,
  armature: Float64Array = tree.armature,
): void {
  crba(tree, scratch.crba, q, armature);
  reduceMassMatrix(scratch, scratch.crba.H);
}

/** scratch.A <- G^T H G for any mass matrix in link order. */
export function reduceMassMatrix({ follows, factor, m, A }: DenseScratch, H: Float64Array): void {
  const nv = follows.length;
  A.fill(0);
  for (let k = 0; k < nv; k++)
    for (let l = 0; l < nv; l++) A[follows[k] * m + follows[l]] += factor[k] * factor[l] * H[k * nv + l];
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
  const { at, follows, factor, m, A, x, bias, zero } = scratch;
  rnea(tree, scratch.rnea, bias, q, qd, zero, external);
  reducedMassMatrix(tree, scratch, q, armature);
  x.fill(0);
  for (let k = 0; k < at.length; k++) x[follows[k]] += factor[k] * (tau[at[k]] - bias[at[k]]);
  const failed = cholesky(A, m);
  if (failed >= 0) return linkOf(tree, follows.indexOf(failed));
  solveCholesky(A, m, x);
  for (let k = 0; k < at.length; k++) qdd[at[k]] = factor[k] * x[follows[k]];
  return -1;
}

export function linkOf(tree: Tree, dof: number): number {
  let i = 0;
  while (tree.dof[i + 1] <= dof) i++;
  return i;
}

/** scratch.A <- its inverse, column by column, O(n^3). Returns -1, or the row where it is not positive definite. */
export function invertDense({ A, m, x }: DenseScratch): number {
  const failed = cholesky(A, m);
  if (failed >= 0) return failed;
  const L = A.slice();
  for (let column = 0; column < m; column++) {
    x.fill(0);
    x[column] = 1;
    solveCholesky(L, m, x);
    for (let row = column; row < m; row++) A[row * m + column] = A[column * m + row] = x[row];
  }
  return -1;
}

/** A pivot below this part of what was there is rounding; more of it than in one joint, since all joints meet here. */
const SINGULAR = 1e-13;

/** A = L L^T in place, lower triangle. Returns -1, or the row where A is not positive definite. */
export function cholesky(A: Float64Array, n: number): number {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      let sum = A[i * n + j];
      for (let k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k];
      A[i * n + j] = sum / A[j * n + j];
    }
    const before = A[i * n + i];
    let pivot = before;
    for (let k = 0; k < i; k++) pivot -= A[i * n + k] * A[i * n + k];
    if (!(pivot > SINGULAR * before)) return i;
    A[i * n + i] = Math.sqrt(pivot);
  }
  return -1;
}

/** x <- A^-1 x, given the factor of cholesky. */
export function solveCholesky(L: Float64Array, n: number, x: Float64Array): void {
  for (let i = 0; i < n; i++) {
    let sum = x[i];
    for (let k = 0; k < i; k++) sum -= L[i * n + k] * x[k];
    x[i] = sum / L[i * n + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    let sum = x[i];
    for (let k = i + 1; k < n; k++) sum -= L[k * n + i] * x[k];
    x[i] = sum / L[i * n + i];
  }
}
