// One step of inverse kinematics: the displacement d of the free degrees of freedom that makes the rows of all tasks least.
//
//   one priority   (J J^T + lambda) y = -r,  d = J^T y       or, with fewer degrees of freedom than rows, (J^T J + lambda) d = -J^T r
//   several        each in what those before it leave free: with their rows J_u made orthonormal (U), P = 1 - U^T U and M = J P,
//                  d += M^T (M M^T + lambda)^-1 (-r - J d)

import { solvePositive } from '../reference/solve-positive.js';

/** Rows that keep less of their length than this beside those of higher priorities are theirs already. */
const DEPENDENT = 1e-7;

export interface StepLevel {
  /** Rows of this priority in J and r. */
  readonly from: number;
  readonly end: number;
  lambda: number;
}

export class StepSolver {
  readonly #n: number;
  readonly #matrix: Float64Array;
  readonly #right: Float64Array;
  readonly #M: Float64Array;
  readonly #U: Float64Array;

  /** For up to n degrees of freedom and so many rows. */
  constructor(n: number, rows: number) {
    const size = Math.max(n, rows);
    this.#n = n;
    this.#matrix = new Float64Array(size * size);
    this.#right = new Float64Array(size);
    this.#M = new Float64Array(rows * n);
    this.#U = new Float64Array(rows * n);
  }

  /**
   * d <- the step, `count` numbers; J: rows of n numbers, of which the first `count` are free. False where rounding leaves no
   * solution: take a larger lambda.
   */
  solve(d: Float64Array, J: Float64Array, r: Float64Array, count: number, levels: readonly StepLevel[]): boolean {
    if (levels.length > 1) return this.#byPriority(d, J, r, count, levels);
    const [{ end: rows, lambda }] = levels;
    return rows < count ? this.#dual(d, J, 0, rows, r, count, lambda) : this.#primal(d, J, rows, r, count, lambda);
  }

  #primal(d: Float64Array, J: Float64Array, rows: number, r: Float64Array, count: number, lambda: number): boolean {
    const A = this.#matrix;
    const n = this.#n;
    for (let i = 0; i < count; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = i === j ? lambda : 0;
        for (let k = 0, o = 0; k < rows; k++, o += n) sum += J[o + i] * J[o + j];
        A[i * count + j] = sum;
      }
      let right = 0;
      for (let k = 0, o = 0; k < rows; k++, o += n) right -= J[o + i] * r[k];
      d[i] = right;
    }
    return solvePositive(A, d, count);
  }

  /** d <- J^T (J J^T + lambda)^-1 (-r) for the rows from `from` on. */
  #dual(
    d: Float64Array,
    J: Float64Array,
    from: number,
    end: number,
    r: Float64Array,
    count: number,
    lambda: number,
  ): boolean {
    const A = this.#matrix;
    const y = this.#right;
    const n = this.#n;
    const rows = end - from;
    for (let i = 0; i < rows; i++) {
      const a = (from + i) * n;
      for (let j = 0; j <= i; j++) {
        const b = (from + j) * n;
        let sum = i === j ? lambda : 0;
        for (let k = 0; k < count; k++) sum += J[a + k] * J[b + k];
        A[i * rows + j] = sum;
      }
      y[i] = -r[from + i];
    }
    if (!solvePositive(A, y, rows)) return false;
    for (let k = 0; k < count; k++) {
      let sum = 0;
      for (let i = 0, o = from * n + k; i < rows; i++, o += n) sum += J[o] * y[i];
      d[k] = sum;
    }
    return true;
  }

  #byPriority(d: Float64Array, J: Float64Array, r: Float64Array, count: number, levels: readonly StepLevel[]): boolean {
    const [M, U] = [this.#M, this.#U];
    const n = this.#n;
    const left = new Float64Array(r.length);
    const part = new Float64Array(n);
    let used = 0;
    d.fill(0, 0, count);
    for (const { from, end, lambda } of levels) {
      for (let row = from; row < end; row++) {
        let sum = r[row];
        for (let k = 0; k < count; k++) sum += J[row * n + k] * d[k];
        left[row] = sum;
        for (let k = 0; k < count; k++) M[row * n + k] = J[row * n + k];
        subtractProjection(M, row * n, U, used, n, count);
      }
      if (!this.#dual(part, M, from, end, left, count, lambda)) return false;
      for (let k = 0; k < count; k++) d[k] += part[k];
      for (let row = from; row < end; row++) {
        const before = length(J, row * n, count);
        for (let k = 0; k < count; k++) U[used * n + k] = M[row * n + k];
        // Twice is enough.
        subtractProjection(U, used * n, U, used, n, count);
        subtractProjection(U, used * n, U, used, n, count);
        const size = length(U, used * n, count);
        if (!(size > DEPENDENT * before) || used === count) continue;
        for (let k = 0; k < count; k++) U[used * n + k] /= size;
        used++;
      }
    }
    return true;
  }
}

function length(x: Float64Array, o: number, count: number): number {
  let sum = 0;
  for (let k = o; k < o + count; k++) sum += x[k] * x[k];
  return Math.sqrt(sum);
}

/** x <- x - U^T U x for the first `used` rows of U. */
function subtractProjection(x: Float64Array, o: number, U: Float64Array, used: number, n: number, count: number): void {
  for (let i = 0; i < used; i++) {
    let along = 0;
    for (let k = 0; k < count; k++) along += U[i * n + k] * x[o + k];
    for (let k = 0; k < count; k++) x[o + k] -= along * U[i * n + k];
  }
}
