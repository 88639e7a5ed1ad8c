// Linear equations of a symmetric positive definite matrix, by Cholesky's method.

/** A <- its factor L, A = L L^T, lower triangle given and taken, n x n. False where A is not positive definite. */
export function factorPositive(A: Float64Array, n: number): boolean {
  for (let i = 0; i < n; i++) {
    const row = i * n;
    for (let j = 0; j < i; j++) {
      let sum = A[row + j];
      for (let k = 0; k < j; k++) sum -= A[row + k] * A[j * n + k];
      A[row + j] = sum / A[j * n + j];
    }
    let pivot = A[row + i];
    for (let k = 0; k < i; k++) pivot -= A[row + k] * A[row + k];
    if (!(pivot > 0)) return false;
    A[row + i] = Math.sqrt(pivot);
  }
  return true;
}

/** x <- A^-1 x, given the factor L of A. */
export function solveFactored(L: Float64Array, x: Float64Array, n: number): void {
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

/** x <- A^-1 x for the symmetric positive definite A, lower triangle given, n x n; destroys A. False where A is not positive definite. */
export function solvePositive(A: Float64Array, x: Float64Array, n: number): boolean {
  if (!factorPositive(A, n)) return false;
  solveFactored(A, x, n);
  return true;
}
