// How links and joints of a tree answer to forces, from the factors of its mass matrix.

import {
  DOF,
  FACTORS,
  FREE,
  type f64,
  type i32,
  LINK_OF,
  MOTION,
  NODE_OF,
  NODE_PARENT,
  PARENT,
  PATHS,
  S_COLUMN,
  S_DIAGONAL,
  S_FIRST,
  S_SIZE,
  S_START,
  S_UPPER,
  TREE_STRUCTURE,
} from './layout.js';

/**
 * out (6 x 6) <- how the motion of link a (less that of link b of the same tree; -1: none) answers to wrenches on it: T H^-1 T^T.
 * Z = (1 + M)^-1 T^T lives on the nodes between the links and the root, and T H^-1 T^T = sum of Z^T D^-1 Z.
 */
export function linkResponse(F: Float64Array, N: Int32Array, a: i32, b: i32, out: i32): void {
  const tree = N[TREE_STRUCTURE];
  const start = N[tree + S_START];
  const size = N[tree + S_SIZE];
  const diagonal = N[tree + S_DIAGONAL];
  const above = N[NODE_PARENT];
  const nodeOf = N[NODE_OF];
  const factors = N[FACTORS];
  const Z = N[PATHS];
  for (let k = 0; k < 36; k++) F[out + k] = 0;
  let n1 = N[nodeOf + a];
  let n2 = -1;
  if (b >= 0) n2 = N[nodeOf + b];
  else if (N[N[FREE] + a] === 1) {
    const D = factors + N[diagonal + n1];
    for (let k = 0; k < 36; k++) F[out + k] = F[D + k];
    return;
  }
  for (let n = n1; n >= 0; n = N[above + n]) clearPath(F, Z + 6 * N[start + n], 6 * N[size + n]);
  for (let n = n2; n >= 0; n = N[above + n]) clearPath(F, Z + 6 * N[start + n], 6 * N[size + n]);
  addPath(F, N, a, 1);
  if (b >= 0) addPath(F, N, b, -1);
  while (n1 >= 0 || n2 >= 0) {
    let n = n1;
    if (n2 > n1) n = n2;
    eliminateSix(F, N, n, Z);
    addSquare(F, Z + 6 * N[start + n], factors + N[diagonal + n], N[size + n], out);
    if (n1 === n) n1 = N[above + n];
    if (n2 === n) n2 = N[above + n];
  }
  for (let r = 1; r < 6; r++) for (let c = 0; c < r; c++) F[out + 6 * r + c] = F[out + 6 * c + r];
}

/** out (6 x 6, its upper half) += Z^T D Z, Z n x 6 and D symmetric. */
function addSquare(F: Float64Array, Z: i32, D: i32, n: i32, out: i32): void {
  for (let k = 0; k < n; k++) {
    let y0: f64 = 0;
    let y1: f64 = 0;
    let y2: f64 = 0;
    let y3: f64 = 0;
    let y4: f64 = 0;
    let y5: f64 = 0;
    for (let j = 0; j < n; j++) {
      const d = F[D + k * n + j];
      const z = Z + 6 * j;
      y0 += d * F[z];
      y1 += d * F[z + 1];
      y2 += d * F[z + 2];
      y3 += d * F[z + 3];
      y4 += d * F[z + 4];
      y5 += d * F[z + 5];
    }
    const z = Z + 6 * k;
    const z0 = F[z];
    const z1 = F[z + 1];
    const z2 = F[z + 2];
    const z3 = F[z + 3];
    const z4 = F[z + 4];
    F[out] += z0 * y0;
    F[out + 1] += z0 * y1;
    F[out + 2] += z0 * y2;
    F[out + 3] += z0 * y3;
    F[out + 4] += z0 * y4;
    F[out + 5] += z0 * y5;
    F[out + 7] += z1 * y1;
    F[out + 8] += z1 * y2;
    F[out + 9] += z1 * y3;
    F[out + 10] += z1 * y4;
    F[out + 11] += z1 * y5;
    F[out + 14] += z2 * y2;
    F[out + 15] += z2 * y3;
    F[out + 16] += z2 * y4;
    F[out + 17] += z2 * y5;
    F[out + 21] += z3 * y3;
    F[out + 22] += z3 * y4;
    F[out + 23] += z3 * y5;
    F[out + 28] += z4 * y4;
    F[out + 29] += z4 * y5;
    F[out + 35] += F[z + 5] * y5;
  }
}

function clearPath(F: Float64Array, at: i32, count: i32): void {
  for (let k = 0; k < count; k++) F[at + k] = 0;
}

function addPath(F: Float64Array, N: Int32Array, link: i32, sign: f64): void {
  const Z = N[PATHS];
  const S = N[MOTION];
  const dof = N[DOF];
  const parent = N[PARENT];
  for (let i = link; i >= 0; i = N[parent + i])
    for (let k = 6 * N[dof + i]; k < 6 * N[dof + i + 1]; k++) F[Z + k] += sign * F[S + k];
}

/** Takes 6 numbers for each velocity of node n, at Z, up to its ancestors. */
function eliminateSix(F: Float64Array, N: Int32Array, n: i32, Z: i32): void {
  const tree = N[TREE_STRUCTURE];
  const start = N[tree + S_START];
  const size = N[tree + S_SIZE];
  const first = N[tree + S_FIRST];
  const column = N[tree + S_COLUMN];
  const upper = N[tree + S_UPPER];
  const factors = N[FACTORS];
  const s = N[size + n];
  const own = Z + 6 * N[start + n];
  for (let e = N[first + n]; e < N[first + n + 1]; e++) {
    const ancestor = N[column + e];
    const rows = N[size + ancestor];
    let M = factors + N[upper + e];
    let to = Z + 6 * N[start + ancestor];
    for (let r = 0; r < rows; r++) {
      let t0 = F[to];
      let t1 = F[to + 1];
      let t2 = F[to + 2];
      let t3 = F[to + 3];
      let t4 = F[to + 4];
      let t5 = F[to + 5];
      for (let k = 0; k < s; k++) {
        const f = F[M + k];
        const from = own + 6 * k;
        t0 -= f * F[from];
        t1 -= f * F[from + 1];
        t2 -= f * F[from + 2];
        t3 -= f * F[from + 3];
        t4 -= f * F[from + 4];
        t5 -= f * F[from + 5];
      }
      F[to] = t0;
      F[to + 1] = t1;
      F[to + 2] = t2;
      F[to + 3] = t3;
      F[to + 4] = t4;
      F[to + 5] = t5;
      M += s;
      to += 6;
    }
  }
}

/** The same with one number for each velocity. */
function eliminateOne(F: Float64Array, N: Int32Array, n: i32, Z: i32): void {
  const tree = N[TREE_STRUCTURE];
  const start = N[tree + S_START];
  const size = N[tree + S_SIZE];
  const first = N[tree + S_FIRST];
  const column = N[tree + S_COLUMN];
  const upper = N[tree + S_UPPER];
  const s = N[size + n];
  const own = Z + N[start + n];
  for (let e = N[first + n]; e < N[first + n + 1]; e++) {
    const to = Z + N[start + N[column + e]];
    let M = N[FACTORS] + N[upper + e];
    for (let r = 0; r < N[size + N[column + e]]; r++) {
      let sum = F[to + r];
      for (let k = 0; k < s; k++) sum -= F[M + k] * F[own + k];
      F[to + r] = sum;
      M += s;
    }
  }
}

/** How a velocity answers to a force on itself: an element of the diagonal of H^-1. */
export function jointResponse(F: Float64Array, N: Int32Array, k: i32): f64 {
  const tree = N[TREE_STRUCTURE];
  const start = N[tree + S_START];
  const size = N[tree + S_SIZE];
  const diagonal = N[tree + S_DIAGONAL];
  const above = N[NODE_PARENT];
  const factors = N[FACTORS];
  const Z = N[PATHS];
  const node = N[N[NODE_OF] + N[N[LINK_OF] + k]];
  for (let n = node; n >= 0; n = N[above + n]) clearPath(F, Z + N[start + n], N[size + n]);
  F[Z + k] = 1;
  let sum: f64 = 0;
  for (let n = node; n >= 0; n = N[above + n]) {
    eliminateOne(F, N, n, Z);
    const s = N[size + n];
    const D = factors + N[diagonal + n];
    const z = Z + N[start + n];
    for (let r = 0; r < s; r++) {
      let y: f64 = 0;
      for (let c = 0; c < s; c++) y += F[D + r * s + c] * F[z + c];
      sum += F[z + r] * y;
    }
  }
  return sum;
}
