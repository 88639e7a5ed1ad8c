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

/** Eigenvalues of the scaled matrix below this count as zero: the constraints they belong to are redundant. */
export const RANK_TOLERANCE = 1e-12;
/** Those between these two are near the border: rounding, or a loop that is closed not quite exactly, can decide them. */
const UNCERTAIN_FROM = 1e-14;
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

/** out <- pseudo-inverse of A (n x n, destroyed), given the size of the terms of each diagonal element; by Jacobi rotations. */
export function pseudoInvert(out: PseudoInverse, A: Float64Array, n: number, scale: ArrayLike<number>): void {
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
    if (values[k] > RANK_TOLERANCE) {
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

/** A <- diagonal, V <- eigenvectors in ascending order of the values, by cyclic Jacobi rotations. */
export function diagonalise(A: Float64Array, V: Float64Array, values: Float64Array, n: number): void {
  V.fill(0);
  for (let k = 0; k < n; k++) V[k * n + k] = 1;
  for (let sweep = 0; sweep < 50; sweep++) {
    let off = 0;
    let size = 0;
    for (let i = 0; i < n; i++)
      for (let j = 0; j <= i; j++) {
        if (i === j) size += A[i * n + i] * A[i * n + i];
        else off += A[i * n + j] * A[i * n + j];
      }
    if (!(off > 1e-32 * size)) break;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) rotate(A, V, n, p, q);
  }
  const order = Array.from({ length: n }, (_, k) => k).sort((i, j) => A[i * n + i] - A[j * n + j]);
  const sorted = new Float64Array(n * n);
  order.forEach((k, column) => {
    values[column] = A[k * n + k];
    for (let i = 0; i < n; i++) sorted[i * n + column] = V[i * n + k];
  });
  V.set(sorted);
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

function rotate(A: Float64Array, V: Float64Array, n: number, p: number, q: number): void {
  const apq = A[p * n + q];
  if (apq === 0) return;
  const theta = (A[q * n + q] - A[p * n + p]) / (2 * apq);
  const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < n; k++) {
    const x = A[k * n + p];
    const y = A[k * n + q];
    A[k * n + p] = c * x - s * y;
    A[k * n + q] = s * x + c * y;
  }
  for (let k = 0; k < n; k++) {
    const x = A[p * n + k];
    const y = A[q * n + k];
    A[p * n + k] = c * x - s * y;
    A[q * n + k] = s * x + c * y;
    const vx = V[k * n + p];
    const vy = V[k * n + q];
    V[k * n + p] = c * vx - s * vy;
    V[k * n + q] = s * vx + c * vy;
  }
}
