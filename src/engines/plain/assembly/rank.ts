// The pseudo-inverse of a symmetric positive semidefinite matrix, with its rank and its null space.

/** Eigenvalues below this part of the largest count as zero: the constraints they belong to are redundant. */
export const RANK_TOLERANCE = 1e-11;

export interface PseudoInverse {
  /** n x n: the pseudo-inverse. */
  readonly inverse: Float64Array;
  /** n x n: eigenvectors as columns, those of the null space first. */
  readonly vectors: Float64Array;
  rank: number;
}

export function createPseudoInverse(n: number): PseudoInverse {
  return { inverse: new Float64Array(n * n), vectors: new Float64Array(n * n), rank: n };
}

/** out <- pseudo-inverse of A (n x n, destroyed), by cyclic Jacobi rotations. */
export function pseudoInvert(out: PseudoInverse, A: Float64Array, n: number): void {
  const { inverse, vectors: V } = out;
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
  let largest = 0;
  for (let k = 0; k < n; k++) largest = Math.max(largest, A[k * n + k]);
  const order = Array.from({ length: n }, (_, k) => k).sort((i, j) => A[i * n + i] - A[j * n + j]);
  inverse.fill(0);
  out.rank = 0;
  for (const k of order) {
    const value = A[k * n + k];
    if (!(value > RANK_TOLERANCE * largest)) continue;
    out.rank++;
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) inverse[i * n + j] += (V[i * n + k] * V[j * n + k]) / value;
  }
  // Columns in ascending order of their eigenvalues.
  const sorted = new Float64Array(n * n);
  order.forEach((k, column) => {
    for (let i = 0; i < n; i++) sorted[i * n + column] = V[i * n + k];
  });
  V.set(sorted);
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
