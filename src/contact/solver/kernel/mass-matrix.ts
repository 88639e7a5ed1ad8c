// The mass matrices of all trees and their factors: H_kj = S_k^T I_k S_j, I_k the inertia that joint k carries, j an ancestor of k.

import { factoriseBlocks } from './blocks.js';
import {
  ADDED,
  COMPOSITE,
  FACTORS,
  FREE,
  INERTIAS,
  type i32,
  LINK_OF,
  LINKS,
  MOTION,
  NODES,
  PARENT,
  S_COLUMN,
  S_DIAGONAL,
  S_FIRST,
  S_LOWER,
  S_SIZE,
  S_START,
  S_UPPER,
  TREE_STRUCTURE,
  WORK,
} from './layout.js';

/** FACTORS; 0 where some joint feels no inertia. */
export function factoriseInertia(F: Float64Array, N: Int32Array): i32 {
  const tree = N[TREE_STRUCTURE];
  carryInertias(F, N);
  for (let n = 0; n < N[NODES]; n++) fillNode(F, N, tree, n);
  return factoriseBlocks(F, N, tree, N[FACTORS], 1, N[WORK]);
}

/** The first ten numbers of each link in COMPOSITE <- inertia of the link and all that hangs from it. */
function carryInertias(F: Float64Array, N: Int32Array): void {
  const links = N[LINKS];
  const parent = N[PARENT];
  const A = N[COMPOSITE];
  const I = N[INERTIAS];
  for (let k = 0; k < 10 * links; k++) F[A + k] = F[I + k];
  for (let i = links - 1; i >= 0; i--) {
    const p = N[parent + i];
    if (p < 0) continue;
    const from = A + 10 * i;
    const to = A + 10 * p;
    F[to] += F[from];
    F[to + 1] += F[from + 1];
    F[to + 2] += F[from + 2];
    F[to + 3] += F[from + 3];
    F[to + 4] += F[from + 4];
    F[to + 5] += F[from + 5];
    F[to + 6] += F[from + 6];
    F[to + 7] += F[from + 7];
    F[to + 8] += F[from + 8];
    F[to + 9] += F[from + 9];
  }
}

/** The blocks of a node with itself and with its ancestors, both halves. */
function fillNode(F: Float64Array, N: Int32Array, tree: i32, n: i32): void {
  const start = N[tree + S_START];
  const size = N[tree + S_SIZE];
  const first = N[tree + S_FIRST];
  const free = N[FREE];
  const linkOf = N[LINK_OF];
  const S = N[MOTION];
  const added = N[ADDED];
  const from = N[start + n];
  const s = N[size + n];
  const own = N[FACTORS] + N[N[tree + S_DIAGONAL] + n];
  for (let k = 0; k < s; k++) {
    const A = N[COMPOSITE] + 10 * N[linkOf + from + k];
    const v = S + 6 * (from + k);
    const m = F[A];
    const hx = F[A + 1];
    const hy = F[A + 2];
    const hz = F[A + 3];
    const wx = F[v];
    const wy = F[v + 1];
    const wz = F[v + 2];
    const vx = F[v + 3];
    const vy = F[v + 4];
    const vz = F[v + 5];
    const f0 = F[A + 4] * wx + F[A + 5] * wy + F[A + 6] * wz + hy * vz - hz * vy;
    const f1 = F[A + 5] * wx + F[A + 7] * wy + F[A + 8] * wz + hz * vx - hx * vz;
    const f2 = F[A + 6] * wx + F[A + 8] * wy + F[A + 9] * wz + hx * vy - hy * vx;
    const f3 = m * vx - hy * wz + hz * wy;
    const f4 = m * vy - hz * wx + hx * wz;
    const f5 = m * vz - hx * wy + hy * wx;
    for (let j = 0; j <= k; j++) {
      const w = S + 6 * (from + j);
      const value = F[w] * f0 + F[w + 1] * f1 + F[w + 2] * f2 + F[w + 3] * f3 + F[w + 4] * f4 + F[w + 5] * f5;
      F[own + j * s + k] = value;
      F[own + k * s + j] = value;
    }
    F[own + k * s + k] += F[added + from + k];
    for (let e = N[first + n]; e < N[first + n + 1]; e++) {
      const above = N[N[tree + S_COLUMN] + e];
      const columns = N[size + above];
      const base = N[start + above];
      const low = N[FACTORS] + N[N[tree + S_LOWER] + e] + k * columns;
      let up = N[FACTORS] + N[N[tree + S_UPPER] + e] + k;
      if (N[free + N[linkOf + base]] === 1) {
        // Its motion spaces are the axes.
        F[low] = f0;
        F[low + 1] = f1;
        F[low + 2] = f2;
        F[low + 3] = f3;
        F[low + 4] = f4;
        F[low + 5] = f5;
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
        const value = F[w] * f0 + F[w + 1] * f1 + F[w + 2] * f2 + F[w + 3] * f3 + F[w + 4] * f4 + F[w + 5] * f5;
        F[low + j] = value;
        F[up] = value;
        up += s;
      }
    }
  }
}
