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

/** COMPOSITE <- inertias of the links as matrices, each number twice: pairs of a matrix and its transposed. */
export function expandInertias(F: Float64Array, N: Int32Array): void {
  const links = N[LINKS];
  for (let i = 0; i < links; i++) {
    const a = N[INERTIAS] + 10 * i;
    const o = N[COMPOSITE] + 72 * i;
    // lanes
    for (let h = 0; h < 2; h++) {
      const m = F[a];
      const x = F[a + 1];
      const y = F[a + 2];
      const z = F[a + 3];
      F[o + h] = F[a + 4];
      F[o + 2 + h] = F[a + 5];
      F[o + 4 + h] = F[a + 6];
      F[o + 6 + h] = 0;
      F[o + 8 + h] = -z;
      F[o + 10 + h] = y;
      F[o + 12 + h] = F[a + 5];
      F[o + 14 + h] = F[a + 7];
      F[o + 16 + h] = F[a + 8];
      F[o + 18 + h] = z;
      F[o + 20 + h] = 0;
      F[o + 22 + h] = -x;
      F[o + 24 + h] = F[a + 6];
      F[o + 26 + h] = F[a + 8];
      F[o + 28 + h] = F[a + 9];
      F[o + 30 + h] = -y;
      F[o + 32 + h] = x;
      F[o + 34 + h] = 0;
      F[o + 36 + h] = 0;
      F[o + 38 + h] = z;
      F[o + 40 + h] = -y;
      F[o + 42 + h] = m;
      F[o + 44 + h] = 0;
      F[o + 46 + h] = 0;
      F[o + 48 + h] = -z;
      F[o + 50 + h] = 0;
      F[o + 52 + h] = x;
      F[o + 54 + h] = 0;
      F[o + 56 + h] = m;
      F[o + 58 + h] = 0;
      F[o + 60 + h] = y;
      F[o + 62 + h] = -x;
      F[o + 64 + h] = 0;
      F[o + 66 + h] = 0;
      F[o + 68 + h] = 0;
      F[o + 70 + h] = m;
    }
  }
}

/** Every link's matrix of COMPOSITE is added to its parent's: what each joint carries. */
export function accumulate(F: Float64Array, N: Int32Array): void {
  const parent = N[PARENT];
  const A = N[COMPOSITE];
  for (let i = N[LINKS] - 1; i >= 0; i--) {
    const p = N[parent + i];
    if (p < 0) continue;
    const from = A + 72 * i;
    const to = A + 72 * p;
    // lanes
    for (let k = 0; k < 72; k++) F[to + k] += F[from + k];
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
      const A = composite + 72 * N[linkOf + from];
      for (let k = 0; k < 36; k++) F[own + k] = F[A + 2 * k];
      for (let k = 0; k < 6; k++) F[own + 7 * k] += F[added + from + k];
      continue;
    }
    for (let k = 0; k < s; k++) {
      const A = composite + 72 * N[linkOf + from + k];
      const v = S + 6 * (from + k);
      // lanes: A v, which is what stands above the diagonal, and A^T v.
      for (let h = 0; h < 2; h++) {
        const v0 = F[v];
        const v1 = F[v + 1];
        const v2 = F[v + 2];
        const v3 = F[v + 3];
        const v4 = F[v + 4];
        const v5 = F[v + 5];
        const a = A + h;
        const f0 = F[a] * v0 + F[a + 2] * v1 + F[a + 4] * v2 + F[a + 6] * v3 + F[a + 8] * v4 + F[a + 10] * v5;
        const f1 = F[a + 12] * v0 + F[a + 14] * v1 + F[a + 16] * v2 + F[a + 18] * v3 + F[a + 20] * v4 + F[a + 22] * v5;
        const f2 = F[a + 24] * v0 + F[a + 26] * v1 + F[a + 28] * v2 + F[a + 30] * v3 + F[a + 32] * v4 + F[a + 34] * v5;
        const f3 = F[a + 36] * v0 + F[a + 38] * v1 + F[a + 40] * v2 + F[a + 42] * v3 + F[a + 44] * v4 + F[a + 46] * v5;
        const f4 = F[a + 48] * v0 + F[a + 50] * v1 + F[a + 52] * v2 + F[a + 54] * v3 + F[a + 56] * v4 + F[a + 58] * v5;
        const f5 = F[a + 60] * v0 + F[a + 62] * v1 + F[a + 64] * v2 + F[a + 66] * v3 + F[a + 68] * v4 + F[a + 70] * v5;
        for (let j = 0; j <= k; j++) {
          const w = S + 6 * (from + j);
          F[h === 0 ? own + j * s + k : own + k * s + j] =
            F[w] * f0 + F[w + 1] * f1 + F[w + 2] * f2 + F[w + 3] * f3 + F[w + 4] * f4 + F[w + 5] * f5;
        }
        for (let e = N[first + n]; e < N[first + n + 1]; e++) {
          const above = N[column + e];
          const columns = N[size + above];
          const base = N[start + above];
          let low = K + N[lower + e] + k * columns;
          let up = K + N[upper + e] + k;
          if (N[free + N[linkOf + base]] === 1) {
            // Its motion spaces are the axes.
            F[h === 0 ? up : low] = f0;
            F[h === 0 ? up + s : low + 1] = f1;
            F[h === 0 ? up + 2 * s : low + 2] = f2;
            F[h === 0 ? up + 3 * s : low + 3] = f3;
            F[h === 0 ? up + 4 * s : low + 4] = f4;
            F[h === 0 ? up + 5 * s : low + 5] = f5;
          } else
            for (let j = 0; j < columns; j++) {
              const w = S + 6 * (base + j);
              F[h === 0 ? up : low] =
                F[w] * f0 + F[w + 1] * f1 + F[w + 2] * f2 + F[w + 3] * f3 + F[w + 4] * f4 + F[w + 5] * f5;
              low++;
              up += s;
            }
        }
      }
      F[own + k * s + k] += F[added + from + k];
    }
  }
}
