// Assembly and disassembly of one joint that hangs a part by its root from a link of another part. The symbols are those
// of plan.ts; the joint's own step is that of the articulated-body algorithm (dynamics/aba.ts), which leaves
// L L^T = D = S^T I S + armature, U~ = I S L^-T and u~ = L^-1 (tau - S^T p) behind. With kappa_t = Psi_t S L^-T:
//
//   through the joint   Psi_t -= kappa_t U~^T,   Phi_ts += kappa_t kappa_s^T,   b_t += kappa_t u~,   then Psi_t <- Psi_t X
//   at a root           I and p add up; tips of the two sides do not feel each other
//   at a tip a          with I', p' what hangs on it, N = (1 + Phi_aa I')^-1, Y = N Phi_aa, K = I' N:
//                       I += Psi_a^T K Psi_a,   p += Psi_a^T (N^T p' + K b_a), and the other blocks below.
//
// 1 + Phi I' is never singular: both matrices are positive semidefinite.

import { accelerateLink, linkForce } from '../dynamics/aba.js';
import {
  type AbaScratch,
  DELTA,
  IA_H,
  IA_J,
  IA_M,
  PA,
  RECORD,
  WIDE_D,
  WIDE_S,
  WIDE_U,
  WIDE_u,
  WIDE_X,
} from '../dynamics/aba-layout.js';
import type { Tree } from '../mechanism/tree.js';
import { forceToA } from '../spatial/spatial.js';
import {
  addBlockTimes,
  addColumnProduct,
  addTransposedTimes,
  BLOCK,
  copyBlock,
  invertBlock,
  multiplyBlocks,
  multiplyByTransform,
  setBlockIdentity,
  transposeBlock,
} from './blocks.js';
import { biasAt, type JoinOperation, type Part, phiAt, psiAt } from './plan.js';

/** Work space of a join: blocks named by their letter, then vectors. */
const W_I = 0;
const W_N = BLOCK;
const W_Y = 2 * BLOCK;
const W_K = 3 * BLOCK;
const W_A = 4 * BLOCK;
const W_B = 5 * BLOCK;
const W_V = 6 * BLOCK;
export const JOIN_WORK = 6 * BLOCK + 12;

export interface PartMemory {
  /** Blocks and vectors of all parts, where the plan put them. */
  readonly m: Float64Array;
  /** n x 6: forces on tips, link coordinates; disassembly. */
  readonly f: Float64Array;
  readonly work: Float64Array;
}

/** Index of a link among the tips of a part. */
function tipIndex(part: Part, link: number): number {
  return part.tips.indexOf(link);
}

/** out <- Phi_ts of a part for any order of t and s. */
function readPhi(out: Float64Array, o: number, m: Float64Array, part: Part, t: number, s: number): void {
  if (s <= t) copyBlock(out, o, m, phiAt(part, t, s));
  else transposeBlock(out, o, m, phiAt(part, s, t));
}

/** Phi_ts of a part <- the block at o, for any order of t and s. */
function writePhi(m: Float64Array, part: Part, t: number, s: number, A: Float64Array, o: number): void {
  if (s <= t) copyBlock(m, phiAt(part, t, s), A, o);
  else transposeBlock(m, phiAt(part, s, t), A, o);
}

/** Copies Psi, Phi and b of the tips that two parts have in common. */
export function copyTips(m: Float64Array, to: Part, from: Part): void {
  to.tips.forEach((link, t) => {
    const k = tipIndex(from, link);
    if (k < 0) return;
    copyBlock(m, psiAt(to, t), m, psiAt(from, k));
    for (let j = 0; j < 6; j++) m[biasAt(to, t) + j] = m[biasAt(from, k) + j];
    for (let s = 0; s <= t; s++) {
      const l = tipIndex(from, to.tips[s]);
      if (l < 0) m.fill(0, phiAt(to, t, s), phiAt(to, t, s) + BLOCK);
      else readPhi(m, phiAt(to, t, s), m, from, k, l);
    }
  });
}

/** The end part as it is carried on; its root as a tip is Psi = 1, Phi = 0, b = 0. */
function carry(m: Float64Array, { carried, endPart, b }: JoinOperation): void {
  if (carried === endPart) return;
  copyTips(m, carried, endPart);
  const last = carried.tips.length - 1;
  if (last < 0 || carried.tips[last] !== b) return;
  setBlockIdentity(m, psiAt(carried, last));
  for (let s = 0; s <= last; s++) m.fill(0, phiAt(carried, last, s), phiAt(carried, last, s) + BLOCK);
  m.fill(0, biasAt(carried, last), biasAt(carried, last) + 6);
}

/** After the joint's own step (into the record of a, or the spare one at a tip): the blocks of the resulting part. */
export function joinTips(tree: Tree, aba: AbaScratch, memory: PartMemory, operation: JoinOperation): void {
  if (!operation.general) return;
  const { m } = memory;
  const { a, b, carried, rootPart, result, kappa } = operation;
  const { wide, wideAt } = aba;
  const at = wideAt[b];
  const nv = tree.dof[b + 1] - tree.dof[b];
  carry(m, operation);
  copyTips(m, result, rootPart);
  carried.tips.forEach((link, k) => {
    setKappa(m, kappa + BLOCK * k, m, psiAt(carried, k), wide, at, nv);
    const t = tipIndex(result, link);
    const psi = memory.work;
    copyBlock(psi, W_A, m, psiAt(carried, k));
    addColumnProduct(psi, W_A, -1, m, kappa + BLOCK * k, wide, at + WIDE_U, nv);
    multiplyByTransform(m, psiAt(result, t), psi, W_A, wide, at + WIDE_X);
    for (let j = 0; j < 6; j++) {
      let sum = m[biasAt(carried, k) + j];
      for (let c = 0; c < nv; c++) sum += m[kappa + BLOCK * k + 6 * c + j] * wide[at + WIDE_u + c];
      m[biasAt(result, t) + j] = sum;
    }
    for (let l = 0; l <= k; l++) {
      copyBlock(psi, W_A, m, phiAt(carried, k, l));
      addColumnProduct(psi, W_A, 1, m, kappa + BLOCK * k, m, kappa + BLOCK * l, nv);
      writePhi(m, result, t, tipIndex(result, carried.tips[l]), psi, W_A);
    }
    // Tips of the other side: nothing yet.
    for (const other of rootPart.tips) {
      const s = tipIndex(result, other);
      if (s >= 0)
        m.fill(0, phiAt(result, Math.max(s, t), Math.min(s, t)), phiAt(result, Math.max(s, t), Math.min(s, t)) + BLOCK);
    }
  });
  if (a !== rootPart.root) attachAtTip(tree, aba, memory, operation);
}

/** kappa = Psi S L^-T, nv columns of six. */
function setKappa(
  out: Float64Array,
  o: number,
  m: Float64Array,
  psi: number,
  wide: Float64Array,
  at: number,
  nv: number,
): void {
  for (let k = 0; k < nv; k++) {
    for (let i = 0; i < 6; i++) {
      let sum = 0;
      for (let j = 0; j < 6; j++) sum += m[psi + 6 * i + j] * wide[at + WIDE_S + 6 * k + j];
      for (let l = 0; l < k; l++) sum -= wide[at + WIDE_D + 6 * k + l] * out[o + 6 * l + i];
      out[o + 6 * k + i] = sum / wide[at + WIDE_D + 6 * k + k];
    }
  }
}

/** What hangs on tip a (in the spare record, and as tips of the result that do not feel the root part yet) joins in. */
function attachAtTip(tree: Tree, { s }: AbaScratch, { m, work }: PartMemory, operation: JoinOperation): void {
  const { a, carried, rootPart, result } = operation;
  const spare = RECORD * (tree.n + 1);
  const old = tipIndex(rootPart, a);
  const ta = tipIndex(result, a);
  setSymmetric(work, W_I, s, spare);
  // N = (1 + Phi_aa I')^-1, Y = N Phi_aa, K = I' N.
  const phiAA = phiAt(rootPart, old, old);
  multiplyBlocks(work, W_N, m, phiAA, work, W_I);
  for (let k = 0; k < 6; k++) work[W_N + 7 * k] += 1;
  invertBlock(work, W_N, work, W_A);
  multiplyBlocks(work, W_Y, work, W_N, m, phiAA);
  multiplyBlocks(work, W_K, work, W_I, work, W_N);
  // V = N^T p' + K b_a: the force that a feels from what hangs on it when nothing else acts; and a_a then.
  const bias = biasAt(rootPart, old);
  work.fill(0, W_V, W_V + 12);
  addTransposedTimes(work, W_V, 1, work, W_N, s, spare + PA);
  addBlockTimes(work, W_V, 1, work, W_K, m, bias);
  addBlockTimes(work, W_V + 6, 1, work, W_N, m, bias);
  addBlockTimes(work, W_V + 6, -1, work, W_Y, s, spare + PA);
  const hung = new Set(carried.tips);
  // Tips that hang on a, first: they need the old Psi_a and Phi_as of the root part.
  result.tips.forEach((link, t) => {
    if (!hung.has(link)) return;
    const psiT = psiAt(result, t);
    result.tips.forEach((other, u) => {
      if (other === a) {
        multiplyBlocks(work, W_A, m, psiT, work, W_Y);
        writePhi(m, result, t, u, work, W_A);
      } else if (hung.has(other)) {
        if (u > t) return;
        // Phi_tu += Psi_t Y Psi_u^T; Psi_u of u < t is already N-ed below, so it is done in a second sweep.
      } else {
        readPhi(work, W_B, m, rootPart, old, tipIndex(rootPart, other));
        multiplyBlocks(work, W_A, work, W_N, work, W_B);
        multiplyBlocks(work, W_B, m, psiT, work, W_A);
        writePhi(m, result, t, u, work, W_B);
      }
    });
    addBlockTimes(m, biasAt(result, t), 1, m, psiT, work, W_V + 6);
  });
  result.tips.forEach((link, t) => {
    if (!hung.has(link)) return;
    multiplyBlocks(work, W_A, m, psiAt(result, t), work, W_Y);
    for (let u = 0; u <= t; u++) {
      if (!hung.has(result.tips[u])) continue;
      transposeBlock(work, W_B, m, psiAt(result, u));
      const phi = phiAt(result, t, u);
      for (let i = 0; i < 6; i++)
        for (let j = 0; j < 6; j++) {
          let sum = 0;
          for (let k = 0; k < 6; k++) sum += work[W_A + 6 * i + k] * work[W_B + 6 * k + j];
          m[phi + 6 * i + j] += sum;
        }
    }
  });
  // Psi_t <- Psi_t N Psi_a.
  multiplyBlocks(work, W_A, work, W_N, m, psiAt(rootPart, old));
  result.tips.forEach((link, t) => {
    if (!hung.has(link)) return;
    copyBlock(work, W_B, m, psiAt(result, t));
    multiplyBlocks(m, psiAt(result, t), work, W_B, work, W_A);
  });
  updateOtherTips(m, work, operation, old);
  // a itself.
  copyBlock(m, psiAt(result, ta), work, W_A);
  copyBlock(m, phiAt(result, ta, ta), work, W_Y);
  for (let j = 0; j < 6; j++) m[biasAt(result, ta) + j] = work[W_V + 6 + j];
  addToRoot(s, m, work, rootPart, old);
}

/** Tips of the root part other than a: Psi_s -= Phi_sa K Psi_a, Phi_sr -= Phi_sa K Phi_ar, b_s -= Phi_sa V, Phi_as <- N Phi_as. */
function updateOtherTips(m: Float64Array, work: Float64Array, operation: JoinOperation, old: number): void {
  const { a, rootPart, result } = operation;
  const ta = tipIndex(result, a);
  rootPart.tips.forEach((link, k) => {
    const t = tipIndex(result, link);
    if (link === a || t < 0) return;
    const product = new Float64Array(3 * BLOCK);
    readPhi(product, 0, m, rootPart, k, old);
    multiplyBlocks(product, BLOCK, product, 0, work, W_K);
    multiplyBlocks(product, 2 * BLOCK, product, BLOCK, m, psiAt(rootPart, old));
    for (let j = 0; j < BLOCK; j++) m[psiAt(result, t) + j] -= product[2 * BLOCK + j];
    addBlockTimes(m, biasAt(result, t), -1, product, 0, work, W_V);
    rootPart.tips.forEach((other, l) => {
      const u = tipIndex(result, other);
      if (other === a || u < 0 || u > t) return;
      readPhi(work, W_B, m, rootPart, old, l);
      multiplyBlocks(product, 2 * BLOCK, product, BLOCK, work, W_B);
      const phi = phiAt(result, t, u);
      for (let j = 0; j < BLOCK; j++) m[phi + j] -= product[2 * BLOCK + j];
    });
    readPhi(work, W_B, m, rootPart, old, k);
    multiplyBlocks(product, 0, work, W_N, work, W_B);
    writePhi(m, result, ta, t, product, 0);
  });
}

/** I += Psi_a^T K Psi_a, p += Psi_a^T V for the root of the part, in its record. */
function addToRoot(s: Float64Array, m: Float64Array, work: Float64Array, { root, ...part }: Part, old: number): void {
  if (root < 0) return;
  const psi = psiAt({ root, ...part }, old);
  const o = RECORD * (root + 1);
  multiplyBlocks(work, W_A, work, W_K, m, psi);
  transposeBlock(work, W_B, m, psi);
  multiplyBlocks(work, W_I, work, W_B, work, W_A);
  const J = [0, 1, 2, 7, 8, 14];
  const M = [21, 22, 23, 28, 29, 35];
  for (let k = 0; k < 6; k++) {
    s[o + IA_J + k] += work[W_I + J[k]];
    s[o + IA_M + k] += work[W_I + M[k]];
  }
  for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) s[o + IA_H + 3 * i + j] += work[W_I + 6 * i + 3 + j];
  addTransposedTimes(s, o + PA, 1, m, psi, work, W_V);
}

/** out <- the articulated inertia of a record as a full block. */
function setSymmetric(out: Float64Array, o: number, s: Float64Array, record: number): void {
  const J = record + IA_J;
  const M = record + IA_M;
  const index = [0, 1, 2, 1, 3, 4, 2, 4, 5];
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < 3; j++) {
      out[o + 6 * i + j] = s[J + index[3 * i + j]];
      out[o + 6 * (i + 3) + j + 3] = s[M + index[3 * i + j]];
      out[o + 6 * i + j + 3] = s[record + IA_H + 3 * i + j];
      out[o + 6 * (j + 3) + i] = s[record + IA_H + 3 * i + j];
    }
}

/** Disassembly: acceleration of link a, then qdd and the force in the joint, then the force on a. */
export function separate(
  tree: Tree,
  aba: AbaScratch,
  memory: PartMemory,
  operation: JoinOperation,
  qdd: Float64Array,
  forces: Float64Array,
): void {
  const { a, b, carried, rootPart, result, general, kappa } = operation;
  const { s, wide, wideAt } = aba;
  const { m, f, work } = memory;
  const atTip = a !== rootPart.root;
  if (atTip) accelerateTip(s, memory, result, tipIndex(result, a));
  if (general) {
    // What acts on the tips beyond the joint pushes it too: u~ += sum_t kappa_t^T f_t.
    const u = wideAt[b] + WIDE_u;
    const nv = tree.dof[b + 1] - tree.dof[b];
    carried.tips.forEach((link, k) => {
      for (let c = 0; c < nv; c++)
        for (let j = 0; j < 6; j++) wide[u + c] += m[kappa + BLOCK * k + 6 * c + j] * f[6 * link + j];
    });
  }
  accelerateLink(tree, aba, b, qdd);
  linkForce(s, RECORD * (b + 1), forces, 6 * b);
  carried.tips.forEach((link, k) => {
    addTransposedTimes(forces, 6 * b, -1, m, psiAt(carried, k), f, 6 * link);
  });
  if (!atTip) return;
  forceToA(work, W_V, wide, wideAt[b] + WIDE_X, forces, 6 * b);
  for (let j = 0; j < 6; j++) f[6 * a + j] -= work[W_V + j];
}

/** DELTA of tip t: Psi_t a_r + sum_s Phi_ts f_s + b_t. */
function accelerateTip(s: Float64Array, { m, f, work }: PartMemory, part: Part, t: number): void {
  const o = RECORD * (part.tips[t] + 1) + DELTA;
  for (let j = 0; j < 6; j++) s[o + j] = m[biasAt(part, t) + j];
  addBlockTimes(s, o, 1, m, psiAt(part, t), s, RECORD * (part.root + 1) + DELTA);
  part.tips.forEach((link, k) => {
    if (part.hidden[k]) return;
    readPhi(work, W_A, m, part, t, k);
    addBlockTimes(s, o, 1, work, W_A, f, 6 * link);
  });
}
