// Block-sparse matrices in the memory of the kernels: the same factors as in block-matrix.ts.

import {
  type f64,
  type i32,
  S_COLUMN,
  S_DIAGONAL,
  S_FIRST,
  S_LOWER,
  S_NODE,
  S_NODES,
  S_PAIRS,
  S_SIZE,
  S_START,
  S_TARGET,
  S_UPPER,
} from './layout.js';

/**
 * Replaces the matrix at K by its factors; 0 where a block cannot be inverted. `symmetric`: 1 where the matrix is, which saves half
 * of the products. `work`: 72 numbers.
 */
export function factoriseBlocks(F: Float64Array, N: Int32Array, s: i32, K: i32, symmetric: i32, work: i32): i32 {
  const nodes = N[s + S_NODES];
  const size = N[s + S_SIZE];
  const node = N[s + S_NODE];
  const first = N[s + S_FIRST];
  const column = N[s + S_COLUMN];
  const diagonal = N[s + S_DIAGONAL];
  const lower = N[s + S_LOWER];
  const upper = N[s + S_UPPER];
  const pairs = N[s + S_PAIRS];
  const target = N[s + S_TARGET];
  for (let p = nodes - 1; p >= 0; p--) {
    const n = N[size + N[node + p]];
    const D = K + N[diagonal + p];
    if (invertBlock(F, D, n, work) === 0) return 0;
    const begin = N[first + p];
    const end = N[first + p + 1];
    const t = target + N[pairs + p];
    for (let a = begin; a < end; a++) {
      const rows = N[size + N[node + N[column + a]]];
      const M = K + N[upper + a];
      if (n === 6) timesSix(F, M, rows, D);
      else timesBlock(F, M, rows, D, n, work);
      for (let b = symmetric === 1 ? a : begin; b < end; b++) {
        const columns = N[size + N[node + N[column + b]]];
        const L = K + N[lower + b];
        const out = K + N[t + (a - begin) * (end - begin) + b - begin];
        if (n === 6) subtractSix(F, out, M, L, rows, columns);
        else subtractProduct(F, out, M, L, rows, n, columns);
        if (symmetric === 1 && b > a)
          transpose(F, K + N[t + (b - begin) * (end - begin) + a - begin], out, rows, columns);
      }
    }
  }
  return 1;
}

/** out <- M^T, M rows x columns. */
function transpose(F: Float64Array, out: i32, M: i32, rows: i32, columns: i32): void {
  let m = M;
  for (let r = 0; r < rows; r++) {
    let o = out + r;
    for (let c = 0; c < columns; c++) {
      F[o] = F[m];
      o += rows;
      m++;
    }
  }
}

/** M <- M D, rows x n. */
function timesBlock(F: Float64Array, M: i32, rows: i32, D: i32, n: i32, work: i32): void {
  let r = 0;
  for (; r + 1 < rows; r += 2) {
    const o = M + r * n;
    // lanes
    for (let c = 0; c < n; c++) {
      let a: f64 = 0;
      let b: f64 = 0;
      let d = D + c;
      for (let k = 0; k < n; k++) {
        const x = F[d];
        a += F[o + k] * x;
        b += F[o + n + k] * x;
        d += n;
      }
      F[work + c] = a;
      F[work + n + c] = b;
    }
    for (let c = 0; c < 2 * n; c++) F[o + c] = F[work + c];
  }
  if (r === rows) return;
  const o = M + r * n;
  // lanes
  for (let c = 0; c < n; c++) {
    let sum: f64 = 0;
    let d = D + c;
    for (let k = 0; k < n; k++) {
      sum += F[o + k] * F[d];
      d += n;
    }
    F[work + c] = sum;
  }
  for (let c = 0; c < n; c++) F[o + c] = F[work + c];
}

/** The same for n = 6. */
function timesSix(F: Float64Array, M: i32, rows: i32, D: i32): void {
  for (let r = 0; r < rows; r++) {
    const o = M + 6 * r;
    const a = F[o];
    const b = F[o + 1];
    const c = F[o + 2];
    const d = F[o + 3];
    const e = F[o + 4];
    const f = F[o + 5];
    // lanes
    for (let k = 0; k < 6; k++) {
      const q = D + k;
      F[o + k] = a * F[q] + b * F[q + 6] + c * F[q + 12] + d * F[q + 18] + e * F[q + 24] + f * F[q + 30];
    }
  }
}

/** out -= M L, rows x columns: two rows at a time, so that numbers of L are read half as often. */
function subtractProduct(F: Float64Array, out: i32, M: i32, L: i32, rows: i32, n: i32, columns: i32): void {
  let r = 0;
  for (; r + 1 < rows; r += 2) {
    const o = out + r * columns;
    const m = M + r * n;
    // lanes
    for (let c = 0; c < columns; c++) {
      let a = F[o + c];
      let b = F[o + columns + c];
      let l = L + c;
      for (let k = 0; k < n; k++) {
        const x = F[l];
        a -= F[m + k] * x;
        b -= F[m + n + k] * x;
        l += columns;
      }
      F[o + c] = a;
      F[o + columns + c] = b;
    }
  }
  if (r === rows) return;
  const o = out + r * columns;
  const m = M + r * n;
  // lanes
  for (let c = 0; c < columns; c++) {
    let a = F[o + c];
    let l = L + c;
    for (let k = 0; k < n; k++) {
      a -= F[m + k] * F[l];
      l += columns;
    }
    F[o + c] = a;
  }
}

/** The same for n = 6. */
function subtractSix(F: Float64Array, out: i32, M: i32, L: i32, rows: i32, columns: i32): void {
  const l1 = columns;
  const l2 = 2 * columns;
  const l3 = 3 * columns;
  const l4 = 4 * columns;
  const l5 = 5 * columns;
  for (let r = 0; r < rows; r++) {
    const m = M + 6 * r;
    const a = F[m];
    const b = F[m + 1];
    const c = F[m + 2];
    const d = F[m + 3];
    const e = F[m + 4];
    const f = F[m + 5];
    const o = out + r * columns;
    // lanes
    for (let k = 0; k < columns; k++) {
      const l = L + k;
      F[o + k] -= a * F[l] + b * F[l + l1] + c * F[l + l2] + d * F[l + l3] + e * F[l + l4] + f * F[l + l5];
    }
  }
}

/** x <- K^-1 x, with the factors. `work`: 8 numbers. */
export function solveBlocks(F: Float64Array, N: Int32Array, s: i32, K: i32, x: i32, work: i32): void {
  const nodes = N[s + S_NODES];
  const size = N[s + S_SIZE];
  const start = N[s + S_START];
  const node = N[s + S_NODE];
  const first = N[s + S_FIRST];
  const column = N[s + S_COLUMN];
  const diagonal = N[s + S_DIAGONAL];
  const lower = N[s + S_LOWER];
  const upper = N[s + S_UPPER];
  for (let p = nodes - 1; p >= 0; p--) {
    const n = N[size + N[node + p]];
    const from = x + N[start + N[node + p]];
    for (let e = N[first + p]; e < N[first + p + 1]; e++) {
      const i = N[node + N[column + e]];
      subtractTimes(F, x + N[start + i], K + N[upper + e], from, N[size + i], n);
    }
  }
  for (let p = 0; p < nodes; p++) {
    const n = N[size + N[node + p]];
    const at = x + N[start + N[node + p]];
    for (let e = N[first + p]; e < N[first + p + 1]; e++) {
      const j = N[node + N[column + e]];
      subtractTimes(F, at, K + N[lower + e], x + N[start + j], n, N[size + j]);
    }
    const D = K + N[diagonal + p];
    for (let r = 0; r < n; r++) {
      let sum: f64 = 0;
      for (let c = 0; c < n; c++) sum += F[D + r * n + c] * F[at + c];
      F[work + r] = sum;
    }
    for (let r = 0; r < n; r++) F[at + r] = F[work + r];
  }
}

/** y -= M x, rows x n. */
function subtractTimes(F: Float64Array, y: i32, M: i32, x: i32, rows: i32, n: i32): void {
  let m = M;
  if (n === 6) {
    const a = F[x];
    const b = F[x + 1];
    const c = F[x + 2];
    const d = F[x + 3];
    const e = F[x + 4];
    const f = F[x + 5];
    for (let r = 0; r < rows; r++) {
      F[y + r] -= F[m] * a + F[m + 1] * b + F[m + 2] * c + F[m + 3] * d + F[m + 4] * e + F[m + 5] * f;
      m += 6;
    }
    return;
  }
  for (let r = 0; r < rows; r++) {
    let sum = F[y + r];
    for (let k = 0; k < n; k++) sum -= F[m + k] * F[x + k];
    F[y + r] = sum;
    m += n;
  }
}

/** Gauss-Jordan in place, n x n, without row exchanges: the symmetric part of these blocks is positive definite. 0: it is not. */
export function invertBlock(F: Float64Array, A: i32, n: i32, work: i32): i32 {
  for (let k = 0; k < n; k++) {
    const row = A + k * n;
    const pivot = F[row + k];
    if (!(Math.abs(pivot) > 0)) return 0;
    const scale = 1 / pivot;
    // What belongs in column k is written last: vectors are not read while a part of them is being written.
    // lanes
    for (let c = 0; c < n; c++) {
      const x = F[row + c] * scale;
      F[row + c] = x;
      F[work + c] = x;
    }
    F[row + k] = scale;
    for (let r = 0; r < n; r++) {
      if (r === k) continue;
      const o = A + r * n;
      const f = F[o + k];
      // lanes
      for (let c = 0; c < n; c++) F[o + c] -= f * F[work + c];
      F[o + k] = -f * scale;
    }
  }
  return 1;
}
