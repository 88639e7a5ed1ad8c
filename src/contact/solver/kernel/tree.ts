// Trees of links in the memory of the kernels: velocities of links, forces on joints, mass matrices with contacts on them.

import {
  ADDED,
  COMPOSITE,
  DOF,
  FACTORS,
  FREE,
  type f64,
  INERTIAS,
  type i32,
  LINK_OF,
  LINKS,
  MOTION,
  NODE_OF,
  NODE_PARENT,
  NODES,
  PARENT,
  PATHS,
  RIGID,
  S_COLUMN,
  S_DIAGONAL,
  S_FIRST,
  S_SIZE,
  S_START,
  S_UPPER,
  TREE_STRUCTURE,
} from './layout.js';

/** V (6 for each link) <- velocities of all links with joint velocities x. */
export function linkVelocities(F: Float64Array, N: Int32Array, x: i32, V: i32): void {
  const links = N[LINKS];
  const parent = N[PARENT];
  const dof = N[DOF];
  const free = N[FREE];
  const S = N[MOTION];
  for (let i = 0; i < links; i++) {
    const o = V + 6 * i;
    const p = N[parent + i];
    let k = N[dof + i];
    if (N[free + i] === 1) {
      for (let j = 0; j < 6; j++) F[o + j] = F[x + k + j];
      continue;
    }
    let a: f64 = 0;
    let b: f64 = 0;
    let c: f64 = 0;
    let d: f64 = 0;
    let e: f64 = 0;
    let f: f64 = 0;
    if (p >= 0) {
      const q = V + 6 * p;
      a = F[q];
      b = F[q + 1];
      c = F[q + 2];
      d = F[q + 3];
      e = F[q + 4];
      f = F[q + 5];
    }
    for (; k < N[dof + i + 1]; k++) {
      const s = S + 6 * k;
      const v = F[x + k];
      a += F[s] * v;
      b += F[s + 1] * v;
      c += F[s + 2] * v;
      d += F[s + 3] * v;
      e += F[s + 4] * v;
      f += F[s + 5] * v;
    }
    F[o] = a;
    F[o + 1] = b;
    F[o + 2] = c;
    F[o + 3] = d;
    F[o + 4] = e;
    F[o + 5] = f;
  }
}

/** tau <- forces on joints of the forces w (6 for each link, used up). */
export function jointForces(F: Float64Array, N: Int32Array, w: i32, tau: i32): void {
  const parent = N[PARENT];
  const dof = N[DOF];
  const free = N[FREE];
  const S = N[MOTION];
  for (let i = N[LINKS] - 1; i >= 0; i--) {
    const o = w + 6 * i;
    const p = N[parent + i];
    let k = N[dof + i];
    if (N[free + i] === 1) {
      for (let j = 0; j < 6; j++) F[tau + k + j] = F[o + j];
      continue;
    }
    const a = F[o];
    const b = F[o + 1];
    const c = F[o + 2];
    const d = F[o + 3];
    const e = F[o + 4];
    const f = F[o + 5];
    for (; k < N[dof + i + 1]; k++) {
      const s = S + 6 * k;
      F[tau + k] = F[s] * a + F[s + 1] * b + F[s + 2] * c + F[s + 3] * d + F[s + 4] * e + F[s + 5] * f;
    }
    if (p >= 0) {
      const q = w + 6 * p;
      F[q] += a;
      F[q + 1] += b;
      F[q + 2] += c;
      F[q + 3] += d;
      F[q + 4] += e;
      F[q + 5] += f;
    }
  }
}

/** Inertias of the links as matrices. */
export function expandInertias(F: Float64Array, N: Int32Array): void {
  const links = N[LINKS];
  const I = N[INERTIAS];
  const R = N[RIGID];
  for (let i = 0; i < links; i++) {
    const a = I + 10 * i;
    const o = R + 36 * i;
    const m = F[a];
    const x = F[a + 1];
    const y = F[a + 2];
    const z = F[a + 3];
    F[o] = F[a + 4];
    F[o + 1] = F[a + 5];
    F[o + 2] = F[a + 6];
    F[o + 3] = 0;
    F[o + 4] = -z;
    F[o + 5] = y;
    F[o + 6] = F[a + 5];
    F[o + 7] = F[a + 7];
    F[o + 8] = F[a + 8];
    F[o + 9] = z;
    F[o + 10] = 0;
    F[o + 11] = -x;
    F[o + 12] = F[a + 6];
    F[o + 13] = F[a + 8];
    F[o + 14] = F[a + 9];
    F[o + 15] = -y;
    F[o + 16] = x;
    F[o + 17] = 0;
    F[o + 18] = 0;
    F[o + 19] = z;
    F[o + 20] = -y;
    F[o + 21] = m;
    F[o + 22] = 0;
    F[o + 23] = 0;
    F[o + 24] = -z;
    F[o + 25] = 0;
    F[o + 26] = x;
    F[o + 27] = 0;
    F[o + 28] = m;
    F[o + 29] = 0;
    F[o + 30] = y;
    F[o + 31] = -x;
    F[o + 32] = 0;
    F[o + 33] = 0;
    F[o + 34] = 0;
    F[o + 35] = m;
  }
}

/** Every link's matrix of COMPOSITE is added to its parent's: what each joint carries. */
export function accumulate(F: Float64Array, N: Int32Array): void {
  const parent = N[PARENT];
  const A = N[COMPOSITE];
  for (let i = N[LINKS] - 1; i >= 0; i--) {
    const p = N[parent + i];
    if (p < 0) continue;
    const from = A + 36 * i;
    const to = A + 36 * p;
    for (let k = 0; k < 36; k++) F[to + k] += F[from + k];
  }
}

/**
 * Joint by joint the matrix S^T A S, A in COMPOSITE with subtrees, added inertia on the diagonal: K_kj = S_k^T A_k S_j, j an
 * ancestor of k. `diagonal`, `lower`, `upper`: N, where the blocks of the trees' structure stand in K. K is zero before.
 */
export function assemble(F: Float64Array, N: Int32Array, K: i32, diagonal: i32, lower: i32, upper: i32): void {
  const tree = N[TREE_STRUCTURE];
  const nodes = N[NODES];
  const size = N[tree + S_SIZE];
  const start = N[tree + S_START];
  const first = N[tree + S_FIRST];
  const column = N[tree + S_COLUMN];
  const linkOf = N[LINK_OF];
  const free = N[FREE];
  const S = N[MOTION];
  const composite = N[COMPOSITE];
  const added = N[ADDED];
  for (let n = 0; n < nodes; n++) {
    const from = N[start + n];
    const s = N[size + n];
    const own = K + N[diagonal + n];
    if (N[free + N[linkOf + from]] === 1) {
      const A = composite + 36 * N[linkOf + from];
      for (let k = 0; k < 36; k++) F[own + k] = F[A + k];
      for (let k = 0; k < 6; k++) F[own + 7 * k] += F[added + from + k];
      continue;
    }
    for (let k = 0; k < s; k++) {
      const A = composite + 36 * N[linkOf + from + k];
      const v = S + 6 * (from + k);
      const v0 = F[v];
      const v1 = F[v + 1];
      const v2 = F[v + 2];
      const v3 = F[v + 3];
      const v4 = F[v + 4];
      const v5 = F[v + 5];
      // f = A v, g = A^T v
      const f0 = F[A] * v0 + F[A + 1] * v1 + F[A + 2] * v2 + F[A + 3] * v3 + F[A + 4] * v4 + F[A + 5] * v5;
      const f1 = F[A + 6] * v0 + F[A + 7] * v1 + F[A + 8] * v2 + F[A + 9] * v3 + F[A + 10] * v4 + F[A + 11] * v5;
      const f2 = F[A + 12] * v0 + F[A + 13] * v1 + F[A + 14] * v2 + F[A + 15] * v3 + F[A + 16] * v4 + F[A + 17] * v5;
      const f3 = F[A + 18] * v0 + F[A + 19] * v1 + F[A + 20] * v2 + F[A + 21] * v3 + F[A + 22] * v4 + F[A + 23] * v5;
      const f4 = F[A + 24] * v0 + F[A + 25] * v1 + F[A + 26] * v2 + F[A + 27] * v3 + F[A + 28] * v4 + F[A + 29] * v5;
      const f5 = F[A + 30] * v0 + F[A + 31] * v1 + F[A + 32] * v2 + F[A + 33] * v3 + F[A + 34] * v4 + F[A + 35] * v5;
      const g0 = F[A] * v0 + F[A + 6] * v1 + F[A + 12] * v2 + F[A + 18] * v3 + F[A + 24] * v4 + F[A + 30] * v5;
      const g1 = F[A + 1] * v0 + F[A + 7] * v1 + F[A + 13] * v2 + F[A + 19] * v3 + F[A + 25] * v4 + F[A + 31] * v5;
      const g2 = F[A + 2] * v0 + F[A + 8] * v1 + F[A + 14] * v2 + F[A + 20] * v3 + F[A + 26] * v4 + F[A + 32] * v5;
      const g3 = F[A + 3] * v0 + F[A + 9] * v1 + F[A + 15] * v2 + F[A + 21] * v3 + F[A + 27] * v4 + F[A + 33] * v5;
      const g4 = F[A + 4] * v0 + F[A + 10] * v1 + F[A + 16] * v2 + F[A + 22] * v3 + F[A + 28] * v4 + F[A + 34] * v5;
      const g5 = F[A + 5] * v0 + F[A + 11] * v1 + F[A + 17] * v2 + F[A + 23] * v3 + F[A + 29] * v4 + F[A + 35] * v5;
      for (let j = 0; j <= k; j++) {
        const w = S + 6 * (from + j);
        const w0 = F[w];
        const w1 = F[w + 1];
        const w2 = F[w + 2];
        const w3 = F[w + 3];
        const w4 = F[w + 4];
        const w5 = F[w + 5];
        F[own + j * s + k] = w0 * f0 + w1 * f1 + w2 * f2 + w3 * f3 + w4 * f4 + w5 * f5;
        F[own + k * s + j] = w0 * g0 + w1 * g1 + w2 * g2 + w3 * g3 + w4 * g4 + w5 * g5;
      }
      F[own + k * s + k] += F[added + from + k];
      for (let e = N[first + n]; e < N[first + n + 1]; e++) {
        const above = N[column + e];
        const columns = N[size + above];
        const base = N[start + above];
        let low = K + N[lower + e] + k * columns;
        let up = K + N[upper + e] + k;
        if (N[free + N[linkOf + base]] === 1) {
          F[low] = g0;
          F[low + 1] = g1;
          F[low + 2] = g2;
          F[low + 3] = g3;
          F[low + 4] = g4;
          F[low + 5] = g5;
          F[up] = f0;
          F[up + s] = f1;
          F[up + 2 * s] = f2;
          F[up + 3 * s] = f3;
          F[up + 4 * s] = f4;
          F[up + 5 * s] = f5;
          continue;
        }
        for (let j = 0; j < columns; j++) {
          const w = S + 6 * (base + j);
          const w0 = F[w];
          const w1 = F[w + 1];
          const w2 = F[w + 2];
          const w3 = F[w + 3];
          const w4 = F[w + 4];
          const w5 = F[w + 5];
          F[low] = w0 * g0 + w1 * g1 + w2 * g2 + w3 * g3 + w4 * g4 + w5 * g5;
          F[up] = w0 * f0 + w1 * f1 + w2 * f2 + w3 * f3 + w4 * f4 + w5 * f5;
          low++;
          up += s;
        }
      }
    }
  }
}

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
