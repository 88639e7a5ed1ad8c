// J^T W J, the stiffness of the contacts, put on the inertia of the links before the mass matrix is made of them:
//
//   K = S^T (I + sum of F W F^T) S        one link against the ground
//   K -= S_a^T F_a W F_b^T S_b            and the same with a and b exchanged, between two links

import {
  BLOCKS,
  COMPOSITE,
  CROSS,
  FREE,
  type f64,
  IN_DIAGONAL,
  type i32,
  K,
  KIND,
  KIND_BOX,
  KIND_LIMIT,
  KIND_SPIN,
  LAST,
  LINK_OF,
  MOTION,
  NODE_OF,
  NODE_PARENT,
  NORMAL_W,
  S_SIZE,
  S_START,
  SIDE_A,
  SIDE_B,
  TREE_STRUCTURE,
  W,
  WORK,
  WRENCH_A,
  WRENCH_B,
} from './layout.js';
import { behind } from './spin.js';

/** COMPOSITE of the links of a block += F W F^T. */
export function addStiffness(F: Float64Array, N: Int32Array, b: i32): void {
  const w = N[W] + 9 * b;
  const kind = N[N[KIND] + b];
  if (kind === KIND_LIMIT || kind === KIND_BOX || (F[w] === 0 && kind < KIND_SPIN)) return;
  const x = N[N[SIDE_A] + b];
  const y = N[N[SIDE_B] + b];
  if (kind >= KIND_SPIN) {
    const n = b - behind(N, b);
    if (x >= 0) addColumn(F, N, N[COMPOSITE] + 36 * x, b, N[WRENCH_A] + 18 * b, N[WRENCH_A] + 18 * n);
    if (y >= 0) addColumn(F, N, N[COMPOSITE] + 36 * y, b, N[WRENCH_B] + 18 * b, N[WRENCH_B] + 18 * n);
  }
  if (x >= 0) addProduct(F, N[COMPOSITE] + 36 * x, N[WRENCH_A] + 18 * b, w, N[WRENCH_A] + 18 * b);
  if (y >= 0) addProduct(F, N[COMPOSITE] + 36 * y, N[WRENCH_B] + 18 * b, w, N[WRENCH_B] + 18 * b);
}

/** A (6 x 6) += P W Q^T; P and Q 6 x 3. */
function addProduct(F: Float64Array, A: i32, P: i32, w: i32, Q: i32): void {
  const w0 = F[w];
  const w1 = F[w + 1];
  const w2 = F[w + 2];
  const w3 = F[w + 3];
  const w4 = F[w + 4];
  const w5 = F[w + 5];
  const w6 = F[w + 6];
  const w7 = F[w + 7];
  const w8 = F[w + 8];
  for (let r = 0; r < 6; r++) {
    const p0 = F[P + 3 * r];
    const p1 = F[P + 3 * r + 1];
    const p2 = F[P + 3 * r + 2];
    const a = p0 * w0 + p1 * w3 + p2 * w6;
    const b = p0 * w1 + p1 * w4 + p2 * w7;
    const c = p0 * w2 + p1 * w5 + p2 * w8;
    const o = A + 6 * r;
    F[o] += a * F[Q] + b * F[Q + 1] + c * F[Q + 2];
    F[o + 1] += a * F[Q + 3] + b * F[Q + 4] + c * F[Q + 5];
    F[o + 2] += a * F[Q + 6] + b * F[Q + 7] + c * F[Q + 8];
    F[o + 3] += a * F[Q + 9] + b * F[Q + 10] + c * F[Q + 11];
    F[o + 4] += a * F[Q + 12] + b * F[Q + 13] + c * F[Q + 14];
    F[o + 5] += a * F[Q + 15] + b * F[Q + 16] + c * F[Q + 17];
  }
}

/** A (6 x 6) += P NORMAL_W q^T; P 6 x 3, q the first column of Q: moments of block b that follow the normal of their contact. */
function addColumn(F: Float64Array, N: Int32Array, A: i32, b: i32, P: i32, Q: i32): void {
  const w = N[NORMAL_W] + 3 * b;
  for (let r = 0; r < 6; r++) {
    const p = F[P + 3 * r] * F[w] + F[P + 3 * r + 1] * F[w + 1] + F[P + 3 * r + 2] * F[w + 2];
    for (let k = 0; k < 6; k++) F[A + 6 * r + k] += p * F[Q + 3 * k];
  }
}

/** K += rows of joints, and what couples the two links of a contact; after assemble. */
export function addCoupling(F: Float64Array, N: Int32Array): void {
  const blocks = N[BLOCKS];
  const matrix = N[K];
  const C1 = N[WORK] + 72;
  const C2 = C1 + 36;
  let open = 0;
  for (let b = 0; b < blocks; b++) {
    const kind = N[N[KIND] + b];
    const w = N[W] + 9 * b;
    const x = N[N[SIDE_A] + b];
    const y = N[N[SIDE_B] + b];
    const at = N[N[CROSS] + b];
    if (kind === KIND_LIMIT || kind === KIND_BOX) {
      if (F[w] === 0) continue;
      const f = N[WRENCH_A] + 18 * b;
      addDiagonal(F, N, x, F[f] * F[f] * F[w]);
      if (y < 0) continue;
      addDiagonal(F, N, y, F[f + 1] * F[f + 1] * F[w]);
      F[matrix + N[at]] += F[f] * F[f + 1] * F[w];
      F[matrix + N[at + 1]] += F[f] * F[f + 1] * F[w];
      continue;
    }
    if (x < 0 || y < 0) continue;
    if (open === 0) for (let k = 0; k < 72; k++) F[C1 + k] = 0;
    open = 1;
    if (F[w] !== 0 || kind >= KIND_SPIN) {
      addProduct(F, C1, N[WRENCH_A] + 18 * b, w, N[WRENCH_B] + 18 * b);
      addProduct(F, C2, N[WRENCH_B] + 18 * b, w, N[WRENCH_A] + 18 * b);
    }
    if (kind >= KIND_SPIN) {
      const n = b - behind(N, b);
      addColumn(F, N, C1, b, N[WRENCH_A] + 18 * b, N[WRENCH_B] + 18 * n);
      addColumn(F, N, C2, b, N[WRENCH_B] + 18 * b, N[WRENCH_A] + 18 * n);
    }
    if (at < 0) continue;
    open = 0;
    couple(F, N, x, y, C1, C2, at);
  }
}

function addDiagonal(F: Float64Array, N: Int32Array, k: i32, value: f64): void {
  const tree = N[TREE_STRUCTURE];
  const n = N[N[NODE_OF] + N[N[LINK_OF] + k]];
  const s = N[N[tree + S_SIZE] + n];
  const own = k - N[N[tree + S_START] + n];
  F[N[K] + N[N[IN_DIAGONAL] + n] + own * (s + 1)] += value;
}

/** K -= S_a^T C1 S_b and S_b^T C2 S_a, on all nodes that move link a and link b; `list`: where their blocks stand. */
function couple(F: Float64Array, N: Int32Array, a: i32, b: i32, C1: i32, C2: i32, list: i32): void {
  const tree = N[TREE_STRUCTURE];
  const size = N[tree + S_SIZE];
  const start = N[tree + S_START];
  const above = N[NODE_PARENT];
  const free = N[FREE];
  const linkOf = N[LINK_OF];
  const S = N[MOTION];
  const matrix = N[K];
  const last = N[LAST];
  let at = list;
  let endX = N[last + a];
  for (let x = N[N[NODE_OF] + a]; x >= 0; x = N[above + x]) {
    const fromX = N[start + x];
    const sizeX = N[size + x];
    let endY = N[last + b];
    for (let y = N[N[NODE_OF] + b]; y >= 0; y = N[above + y]) {
      const fromY = N[start + y];
      const sizeY = N[size + y];
      const xy = matrix + N[at];
      const yx = matrix + N[at + 1];
      at += 2;
      if (N[free + N[linkOf + fromX]] === 1 && N[free + N[linkOf + fromY]] === 1) {
        for (let k = 0; k < 36; k++) {
          F[xy + k] -= F[C1 + k];
          F[yx + k] -= F[C2 + k];
        }
      } else
        for (let i = fromX; i < endX; i++) {
          const s = S + 6 * i;
          const s0 = F[s];
          const s1 = F[s + 1];
          const s2 = F[s + 2];
          const s3 = F[s + 3];
          const s4 = F[s + 4];
          const s5 = F[s + 5];
          // C1^T S_i after C1's rows, and C2 S_i.
          const work = N[WORK];
          for (let c = 0; c < 6; c++) {
            const p = C1 + c;
            const q = C2 + 6 * c;
            F[work + c] = s0 * F[p] + s1 * F[p + 6] + s2 * F[p + 12] + s3 * F[p + 18] + s4 * F[p + 24] + s5 * F[p + 30];
            F[work + 6 + c] = s0 * F[q] + s1 * F[q + 1] + s2 * F[q + 2] + s3 * F[q + 3] + s4 * F[q + 4] + s5 * F[q + 5];
          }
          for (let j = fromY; j < endY; j++) {
            const t = S + 6 * j;
            let f: f64 = 0;
            let g: f64 = 0;
            for (let c = 0; c < 6; c++) {
              f += F[work + c] * F[t + c];
              g += F[work + 6 + c] * F[t + c];
            }
            F[xy + (i - fromX) * sizeY + j - fromY] -= f;
            F[yx + (j - fromY) * sizeX + i - fromX] -= g;
          }
        }
      const nextY = N[above + y];
      if (nextY >= 0) endY = N[start + nextY] + N[size + nextY];
    }
    const nextX = N[above + x];
    if (nextX >= 0) endX = N[start + nextX] + N[size + nextX];
  }
}
