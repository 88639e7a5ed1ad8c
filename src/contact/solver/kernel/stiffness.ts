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
  PARENT,
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
  const P = N[WRENCH_A] + 18 * b;
  const Q = N[WRENCH_B] + 18 * b;
  if (x >= 0) addOwn(F, N, N[COMPOSITE] + 72 * x, b, P, 1);
  if (y >= 0) addOwn(F, N, N[COMPOSITE] + 72 * y, b, Q, 1);
  if (x < 0 || y < 0) return;
  // What carries both links moves neither against the other: nothing of the contact is left there.
  const both = carrierOfBoth(N, x, y);
  if (both < 0) return;
  addOwn(F, N, N[COMPOSITE] + 72 * both, b, P, -1);
  addOwn(F, N, N[COMPOSITE] + 72 * both, b, Q, -1);
}

/** A += sign F W F^T of a block, F the wrenches of one of its sides. */
function addOwn(F: Float64Array, N: Int32Array, A: i32, b: i32, wrench: i32, sign: f64): void {
  addProduct(F, A, wrench, N[W] + 9 * b, wrench, sign);
  if (N[N[KIND] + b] < KIND_SPIN) return;
  const normal = wrench - 18 * behind(N, b);
  addColumn(F, N, A, b, wrench, wrench, normal, normal, sign);
}

/** The last node that carries both links; -1: none does. Nodes of parents have smaller numbers. */
function lastCommonNode(N: Int32Array, a: i32, b: i32): i32 {
  const above = N[NODE_PARENT];
  let x = N[N[NODE_OF] + a];
  let y = N[N[NODE_OF] + b];
  while (x !== y) {
    if (x > y) x = N[above + x];
    else y = N[above + y];
  }
  return x;
}

/** The link from which on all nodes above the last common one of two links carry both of them as wholes; -1: there are none. */
function carrierOfBoth(N: Int32Array, a: i32, b: i32): i32 {
  const common = lastCommonNode(N, a, b);
  if (common < 0) return -1;
  return N[N[PARENT] + N[N[LINK_OF] + N[N[N[TREE_STRUCTURE] + S_START] + common]]];
}

/** A (6 x 6 pairs) += sign P W Q^T and, beside each of its numbers, that of sign P W^T Q^T; P and Q 6 x 3. */
function addProduct(F: Float64Array, A: i32, P: i32, w: i32, Q: i32, sign: f64): void {
  // lanes
  for (let h = 0; h < 2; h++) {
    const w0 = sign * F[w];
    const w1 = sign * F[h === 0 ? w + 1 : w + 3];
    const w2 = sign * F[h === 0 ? w + 2 : w + 6];
    const w3 = sign * F[h === 0 ? w + 3 : w + 1];
    const w4 = sign * F[w + 4];
    const w5 = sign * F[h === 0 ? w + 5 : w + 7];
    const w6 = sign * F[h === 0 ? w + 6 : w + 2];
    const w7 = sign * F[h === 0 ? w + 7 : w + 5];
    const w8 = sign * F[w + 8];
    for (let r = 0; r < 6; r++) {
      const p0 = F[P + 3 * r];
      const p1 = F[P + 3 * r + 1];
      const p2 = F[P + 3 * r + 2];
      const a = p0 * w0 + p1 * w3 + p2 * w6;
      const b = p0 * w1 + p1 * w4 + p2 * w7;
      const c = p0 * w2 + p1 * w5 + p2 * w8;
      const o = A + 12 * r + h;
      for (let k = 0; k < 6; k++) F[o + 2 * k] += a * F[Q + 3 * k] + b * F[Q + 3 * k + 1] + c * F[Q + 3 * k + 2];
    }
  }
}

/**
 * The same for moments of block b, P and Q their wrenches, that follow the normal of their contact, whose wrenches are X and Y: A += sign
 * P NORMAL_W y^T and beside it sign x (Q NORMAL_W)^T, x and y the first columns of X and Y.
 */
function addColumn(F: Float64Array, N: Int32Array, A: i32, b: i32, P: i32, Q: i32, X: i32, Y: i32, sign: f64): void {
  const w = N[NORMAL_W] + 3 * b;
  for (let r = 0; r < 6; r++) {
    const p = sign * (F[P + 3 * r] * F[w] + F[P + 3 * r + 1] * F[w + 1] + F[P + 3 * r + 2] * F[w + 2]);
    const x = sign * F[X + 3 * r];
    for (let k = 0; k < 6; k++) {
      const q = Q + 3 * k;
      F[A + 12 * r + 2 * k] += p * F[Y + 3 * k];
      F[A + 12 * r + 2 * k + 1] += x * (F[q] * F[w] + F[q + 1] * F[w + 1] + F[q + 2] * F[w + 2]);
    }
  }
}

/** K += rows of joints, and what couples the two links of a contact; after assemble. */
export function addCoupling(F: Float64Array, N: Int32Array): void {
  const blocks = N[BLOCKS];
  const matrix = N[K];
  const C = N[WORK] + 72;
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
    if (open === 0) for (let k = 0; k < 72; k++) F[C + k] = 0;
    open = 1;
    if (F[w] !== 0 || kind >= KIND_SPIN) addProduct(F, C, N[WRENCH_A] + 18 * b, w, N[WRENCH_B] + 18 * b, 1);
    if (kind >= KIND_SPIN) {
      const n = 18 * (b - behind(N, b));
      const P = N[WRENCH_A];
      const Q = N[WRENCH_B];
      addColumn(F, N, C, b, P + 18 * b, Q + 18 * b, P + n, Q + n, 1);
    }
    if (at < 0) continue;
    open = 0;
    couple(F, N, x, y, C, at);
  }
}

function addDiagonal(F: Float64Array, N: Int32Array, k: i32, value: f64): void {
  const tree = N[TREE_STRUCTURE];
  const n = N[N[NODE_OF] + N[N[LINK_OF] + k]];
  const s = N[N[tree + S_SIZE] + n];
  const own = k - N[N[tree + S_START] + n];
  F[N[K] + N[N[IN_DIAGONAL] + n] + own * (s + 1)] += value;
}

/**
 * K -= S_a^T C S_b, and its other half the transposed of that with the second of each pair of C, on all nodes that move link a and
 * link b; `list`: where their blocks stand.
 */
function couple(F: Float64Array, N: Int32Array, a: i32, b: i32, C: i32, list: i32): void {
  const tree = N[TREE_STRUCTURE];
  const size = N[tree + S_SIZE];
  const start = N[tree + S_START];
  const above = N[NODE_PARENT];
  const free = N[FREE];
  const linkOf = N[LINK_OF];
  const S = N[MOTION];
  const matrix = N[K];
  const last = N[LAST];
  const common = lastCommonNode(N, a, b);
  const row = N[WORK];
  let wide = 0;
  for (let y = N[N[NODE_OF] + b]; y >= 0; y = N[above + y]) wide += 2;
  let next = list;
  let endX = N[last + a];
  for (let x = N[N[NODE_OF] + a]; x >= 0; x = N[above + x]) {
    const fromX = N[start + x];
    const sizeX = N[size + x];
    for (let i = fromX; i < endX; i++) {
      const s = S + 6 * i;
      // S_i^T C, pairs.
      // lanes
      for (let c = 0; c < 12; c++) {
        const p = C + c;
        F[row + c] =
          F[s] * F[p] +
          F[s + 1] * F[p + 12] +
          F[s + 2] * F[p + 24] +
          F[s + 3] * F[p + 36] +
          F[s + 4] * F[p + 48] +
          F[s + 5] * F[p + 60];
      }
      let at = next;
      let endY = N[last + b];
      for (let y = N[N[NODE_OF] + b]; y >= 0; y = N[above + y]) {
        // What carries both links: see addStiffness.
        if (x < common && y < common) break;
        const fromY = N[start + y];
        let xy = matrix + N[at] + (i - fromX) * N[size + y];
        let yx = matrix + N[at + 1] + i - fromX;
        at += 2;
        if (N[free + N[linkOf + fromY]] === 1)
          for (let k = 0; k < 6; k++) {
            F[xy + k] -= F[row + 2 * k];
            F[yx + k * sizeX] -= F[row + 2 * k + 1];
          }
        else
          for (let j = fromY; j < endY; j++) {
            const t = S + 6 * j;
            // lanes
            for (let h = 0; h < 2; h++) {
              const r = row + h;
              F[h === 0 ? xy : yx] -=
                F[r] * F[t] +
                F[r + 2] * F[t + 1] +
                F[r + 4] * F[t + 2] +
                F[r + 6] * F[t + 3] +
                F[r + 8] * F[t + 4] +
                F[r + 10] * F[t + 5];
            }
            xy++;
            yx += sizeX;
          }
        const nextY = N[above + y];
        if (nextY >= 0) endY = N[start + nextY] + N[size + nextY];
      }
    }
    next += wide;
    const nextX = N[above + x];
    if (nextX >= 0) endX = N[start + nextX] + N[size + nextX];
  }
}
