// Small dense matrices as lists of rows: the plain formulas that the tests of several folders compare with.

export type Matrix = number[][];

export const zeros = (rows: number, columns = rows): Matrix =>
  Array.from({ length: rows }, () => new Array<number>(columns).fill(0));

export const product = (A: Matrix, B: Matrix): Matrix =>
  A.map((row) => B[0].map((_, j) => row.reduce((sum, a, k) => sum + a * B[k][j], 0)));

export const times = (A: Matrix, x: ArrayLike<number>): number[] =>
  A.map((row) => row.reduce((sum, a, k) => sum + a * x[k], 0));

export const transposed = (A: Matrix): Matrix => A[0].map((_, j) => A.map((row) => row[j]));

export const rows3 = (A: ArrayLike<number>): Matrix => [0, 3, 6].map((o) => [A[o], A[o + 1], A[o + 2]]);

export const skew = ([x, y, z]: ArrayLike<number> & Iterable<number>): Matrix => [
  [0, -z, y],
  [z, 0, -x],
  [-y, x, 0],
];

/** [[A, B], [C, D]] of 3x3 blocks. */
export const blocks = (A: Matrix, B: Matrix, C: Matrix, D: Matrix): Matrix => [
  ...A.map((row, i) => [...row, ...B[i]]),
  ...C.map((row, i) => [...row, ...D[i]]),
];

export const scaled = (s: number, A: Matrix): Matrix => A.map((row) => row.map((a) => s * a));

export const sum = (A: Matrix, B: Matrix): Matrix => A.map((row, i) => row.map((a, j) => a + B[i][j]));

/** x with A x = b, by Gaussian elimination with pivots. */
export function solve(A: Matrix, b: readonly number[]): number[] {
  const n = b.length;
  const M = A.map((row, i) => [...row, b[i]]);
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(M[i][k]) > Math.abs(M[pivot][k])) pivot = i;
    [M[k], M[pivot]] = [M[pivot], M[k]];
    for (let i = k + 1; i < n; i++) {
      const factor = M[i][k] / M[k][k];
      for (let j = k; j <= n; j++) M[i][j] -= factor * M[k][j];
    }
  }
  const x = new Array<number>(n).fill(0);
  for (let k = n - 1; k >= 0; k--) {
    let rest = M[k][n];
    for (let j = k + 1; j < n; j++) rest -= M[k][j] * x[j];
    x[k] = rest / M[k][k];
  }
  return x;
}
