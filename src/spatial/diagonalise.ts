// Eigenvalues and eigenvectors of symmetric matrices.

/**
 * A (n x n, symmetric) <- diagonal, V <- eigenvectors in ascending order of the values, by cyclic Jacobi rotations, until what is
 * left beside the diagonal is at most a part of it (of the sums of squares).
 */
export function diagonalise(A: Float64Array, V: Float64Array, values: Float64Array, n: number, part = 1e-32): void {
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
    if (!(off > part * size)) break;
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
