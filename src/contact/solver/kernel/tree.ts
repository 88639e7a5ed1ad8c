// Trees of links in the memory of the kernels: velocities of links, forces on joints, mass matrices with contacts on them.

import {
  ADDED,
  COMPOSITE,
  DOF,
  FREE,
  type f64,
  INERTIAS,
  type i32,
  LINK_OF,
  LINKS,
  MOTION,
  NODES,
  PARENT,
  S_COLUMN,
  S_FIRST,
  S_SIZE,
  S_START,
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

/** COMPOSITE <- inertias of the links as matrices. */
export function expandInertias(F: Float64Array, N: Int32Array): void {
  const links = N[LINKS];
  const I = N[INERTIAS];
  const R = N[COMPOSITE];
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
