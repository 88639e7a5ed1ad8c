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
