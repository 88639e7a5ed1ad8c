// The pseudo-inverse of a symmetric positive semidefinite matrix A = J H^-1 J^T of constraints, with its rank and its null space.
//
// Whether a constraint is redundant cannot be seen from the eigenvalues of A alone: where a loop adds nothing at all, A is zero,
// and what is there is the rounding of the terms that cancelled; where one loop is between light links and another between
// heavy ones, the second is small beside the first and no less a constraint. So each row is measured by what it could feel,
// scale_i: as if its two ends had nothing to do with each other, and moved along the constraint and not across it.
//
//   C_ij = A_ij / sqrt(scale_i scale_j),   |C_ij| <= 1,   with a rounding error of some 1e-16 in every entry
//
// Eigenvalues of C below RANK_TOLERANCE belong to redundant constraints. Those that are not far from the border are reported:
// two hinges that are askew by 1e-6 rad bind a door in theory (an eigenvalue of 1e-12), and in double precision nobody can say.

import { diagonalise } from '../../../spatial/diagonalise.js';

/** Eigenvalues of the scaled matrix below this count as zero: the constraints they belong to are redundant. */
export const RANK_TOLERANCE = 1e-12;
/** Those between these two are near the border: rounding, or a loop that is closed not quite exactly, can decide them. */
export const UNCERTAIN_FROM = 1e-14;
const UNCERTAIN_TO = 1e-9;

export interface PseudoInverse {
  /** n x n: the pseudo-inverse (Moore and Penrose: multipliers of least norm). */
  readonly inverse: Float64Array;
  /** n x n: the first n - rank columns are an orthonormal basis of the null space. */
  readonly vectors: Float64Array;
  /** n: eigenvalues of the scaled matrix, ascending; columns of `scaled` are its eigenvectors. */
  readonly values: Float64Array;
  readonly scaled: Float64Array;
  rank: number;
}

export function createPseudoInverse(n: number): PseudoInverse {
  return {
    inverse: new Float64Array(n * n),
    vectors: new Float64Array(n * n),
    values: new Float64Array(n),
    scaled: new Float64Array(n * n),
    rank: n,
  };
}

/** Whether an eigenvalue of the scaled matrix lies near the border of what can be decided in double precision. */
export function isUncertain(value: number): boolean {
  return Math.abs(value) > UNCERTAIN_FROM && value < UNCERTAIN_TO;
}

/**
 * out <- pseudo-inverse of A (n x n, destroyed), given the size of the terms of each diagonal element; by Jacobi rotations.
 * Eigenvalues of the scaled matrix up to `tolerance` count as zero.
 */
export function pseudoInvert(
  out: PseudoInverse,
  A: Float64Array,
  n: number,
  scale: ArrayLike<number>,
  tolerance = RANK_TOLERANCE,
): void {
  const { inverse, vectors, values, scaled: V } = out;
  // Powers of two, so that scaling does not round. A row of which nothing was summed is zero, whatever its unit.
  const unit = Float64Array.from({ length: n }, (_, i) =>
    scale[i] > 0 ? 2 ** Math.round(-Math.log2(scale[i]) / 2) : 1,
  );
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) A[i * n + j] *= unit[i] * unit[j];
  diagonalise(A, V, values, n);
  inverse.fill(0);
  vectors.fill(0);
  out.rank = 0;
  let nulls = 0;
  for (let k = 0; k < n; k++) {
    if (values[k] > tolerance) {
      out.rank++;
      for (let i = 0; i < n; i++)
        for (let j = 0; j < n; j++) inverse[i * n + j] += (unit[i] * V[i * n + k] * unit[j] * V[j * n + k]) / values[k];
    } else {
      // A x = 0 for x = unit (scaled vector): orthonormal by Gram and Schmidt, twice for the digits.
      for (let i = 0; i < n; i++) vectors[i * n + nulls] = unit[i] * V[i * n + k];
      orthonormalise(vectors, n, nulls);
      orthonormalise(vectors, n, nulls);
      nulls++;
    }
  }
  // Gamma^+ = P Gamma^- P, with the projector P = 1 - N N^T and any inverse Gamma^- on the complement.
  for (let column = 0; column < nulls; column++) projectOut(inverse, vectors, n, column);
}

/** Column `last` of N: orthogonal to those before it, and of length 1. */
function orthonormalise(N: Float64Array, n: number, last: number): void {
  for (let column = 0; column < last; column++) {
    let along = 0;
    for (let i = 0; i < n; i++) along += N[i * n + column] * N[i * n + last];
    for (let i = 0; i < n; i++) N[i * n + last] -= along * N[i * n + column];
  }
  let size = 0;
  for (let i = 0; i < n; i++) size = Math.hypot(size, N[i * n + last]);
  for (let i = 0; i < n; i++) N[i * n + last] /= size;
}

/** A <- (1 - x x^T) A (1 - x x^T) for the unit vector x in a column of N. */
function projectOut(A: Float64Array, N: Float64Array, n: number, column: number): void {
  for (const transposed of [false, true])
    for (let j = 0; j < n; j++) {
      let along = 0;
      for (let i = 0; i < n; i++) along += N[i * n + column] * (transposed ? A[j * n + i] : A[i * n + j]);
      for (let i = 0; i < n; i++) A[transposed ? j * n + i : i * n + j] -= along * N[i * n + column];
    }
}
