// Dense systems of the solvers on impulses.

/** x <- A^-1 x by elimination with row exchanges; A (n x n) is used up. False where A is singular. */
export function solveDense(A: Float64Array, x: Float64Array, n: number): boolean {
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(A[i * n + k]) > Math.abs(A[pivot * n + k])) pivot = i;
    const largest = Math.abs(A[pivot * n + k]);
    if (!(largest > 0)) return false;
    if (pivot !== k) {
      for (let j = k; j < n; j++) {
        const kept = A[k * n + j];
        A[k * n + j] = A[pivot * n + j];
        A[pivot * n + j] = kept;
      }
      const kept = x[k];
      x[k] = x[pivot];
      x[pivot] = kept;
    }
    const inverse = 1 / A[k * n + k];
    for (let i = k + 1; i < n; i++) {
      const f = A[i * n + k] * inverse;
      if (f === 0) continue;
      for (let j = k + 1; j < n; j++) A[i * n + j] -= f * A[k * n + j];
      x[i] -= f * x[k];
    }
  }
  for (let i = n - 1; i >= 0; i--) {
    let sum = x[i];
    for (let j = i + 1; j < n; j++) sum -= A[i * n + j] * x[j];
    x[i] = sum / A[i * n + i];
  }
  return true;
}

/** A <- its Cholesky factor below the diagonal, with the inverses of the diagonal's roots on it; A positive definite. */
export function cholesky(A: Float64Array, n: number): void {
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let sum = A[i * n + j];
      for (let k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k];
      A[i * n + j] = i === j ? 1 / Math.sqrt(sum) : sum * A[j * n + j];
    }
}

/** x <- A^-1 x, with the factor that cholesky left. */
export function solveCholesky(A: Float64Array, n: number, x: Float64Array): void {
  for (let i = 0; i < n; i++) {
    let sum = x[i];
    for (let k = 0; k < i; k++) sum -= A[i * n + k] * x[k];
    x[i] = sum * A[i * n + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    x[i] *= A[i * n + i];
    for (let k = 0; k < i; k++) x[k] -= A[i * n + k] * x[i];
  }
}
