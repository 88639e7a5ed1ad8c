// Assembly and disassembly of one joint that hangs a part by its root from a link of another part. The symbols are those
// of plan.ts; the joint's own step is that of the articulated-body algorithm (reference/aba.ts), which leaves
// L L^T = D = S^T I S + armature, U~ = I S L^-T and u~ = L^-1 (tau - S^T p) behind.
//
//   through the joint   kappa_t = Psi_t S L^-T,   Psi_t -= kappa_t U~^T,   Phi_ts += kappa_t kappa_s^T,   b_t += kappa_t u~,
//                       then Psi_t <- Psi_t X
//   at a root           I and p add up; tips of the two sides do not feel each other
//   at a tip a          with I', p' what hangs on it, N = (1 + Phi_aa I')^-1, K = I' N:
//     a itself          Psi_A = N Psi_a,   Phi_AA = N Phi_aa,   b_A = N (b_a - Phi_aa p')
//     other tips        Phi_Ao = N Phi_ao,   Psi_o -= Phi_oa K Psi_a,   Phi_or -= Phi_oa K Phi_ar,   b_o -= Phi_oa V
//     tips beyond a     Phi_Ah = Phi_AA Psi_h^T,   Phi_ho = Psi_h Phi_Ao,   Phi_hg += Psi_h Phi_Ag,   b_h += Psi_h b_A,
//                       then Psi_h <- Psi_h Psi_A
//     the root          I += Psi_a^T K Psi_a,   p += Psi_a^T V,   V = K b_a + N^T p'
//     the force on a    -f' = -K (Psi_a a_r + sum_s Phi_as f_s + b_a) - N^T (p' - sum_h Psi_h^T f_h); disassembly
//
// 1 + Phi I' is never singular: both matrices are positive semidefinite. In the papers' form every inertia is inverted, and
// the sums of inverses lose what one link of a large mass ratio has to say; here none is. K is at most 1 / Phi_aa, however
// heavy I' is: it must not be made of I' times a small acceleration, nor f' of the force that a heavy link seems to need.

import type { Tree } from '../../../mechanism/tree.js';
import { type AbaScratch, accelerateLink, linkForce } from '../../../reference/aba.js';
import {
  addBlockTimes,
  addColumnProduct,
  addProduct,
  addSymmetric,
  addTransposedProduct,
  addTransposedTimes,
  BLOCK,
  copyBlock,
  invertBlock,
  multiplyBlocks,
  multiplyByTransform,
  setBlockIdentity,
  symmetrise,
  transposeBlock,
} from '../../../spatial/blocks.js';
import { dot6, TRANSFORM } from '../../../spatial/spatial.js';
import { biasAt, type JoinOperation, type PartialChain, phiAt, psiAt, sizeAt } from './plan.js';

/** Work space of a join: three blocks, then V. */
const W_A = 0;
const W_B = BLOCK;
const W_C = 2 * BLOCK;
const W_V = 3 * BLOCK;
export const JOIN_WORK = 3 * BLOCK + 6;

/** What a join at a tip keeps at operation.hanging. */
const H_K = 0;
const H_N = BLOCK;
const H_P = 2 * BLOCK;
const H_PSI = 2 * BLOCK + 6;

export interface PartMemory {
  /** Blocks and vectors of all parts, where the plan put them. */
  readonly m: Float64Array;
  /** n x 6: forces on tips, link coordinates; disassembly. */
  readonly f: Float64Array;
  readonly work: Float64Array;
}

/** out <- Phi_ts of a part for any order of t and s. */
function readPhi(out: Float64Array, o: number, m: Float64Array, part: PartialChain, t: number, s: number): void {
  if (s <= t) copyBlock(out, o, m, phiAt(part, t, s));
  else transposeBlock(out, o, m, phiAt(part, s, t));
}

/** Copies Psi, Phi and b of tips: tip t of `to` is tip from[t] of `old`; a negative number leaves it out. */
export function copyTips(m: Float64Array, to: PartialChain, old: PartialChain, from: ArrayLike<number>): void {
  for (let t = 0; t < to.tips.length; t++) {
    if (from[t] < 0) continue;
    copyBlock(m, psiAt(to, t), m, psiAt(old, from[t]));
    for (let j = 0; j < 6; j++) m[biasAt(to, t) + j] = m[biasAt(old, from[t]) + j];
    for (let j = 0; j < 2; j++) m[sizeAt(to, t) + j] = m[sizeAt(old, from[t]) + j];
    for (let s = 0; s <= t; s++) if (from[s] >= 0) readPhi(m, phiAt(to, t, s), m, old, from[t], from[s]);
  }
}

/** The end part as it is carried on; its root as a tip is Psi = 1, Phi = 0, b = 0. */
function carry(m: Float64Array, { carried, endPart, fromEnd, b }: JoinOperation): void {
  if (carried === endPart) return;
  copyTips(m, carried, endPart, fromEnd);
  const last = carried.tips.length - 1;
  if (last < 0 || carried.tips[last] !== b) return;
  setBlockIdentity(m, psiAt(carried, last));
  m.fill(0, phiAt(carried, last, 0), phiAt(carried, last, last) + BLOCK);
  m.fill(0, biasAt(carried, last), biasAt(carried, last) + 6);
  m.fill(0, sizeAt(carried, last), sizeAt(carried, last) + 2);
}

/** After the joint's own step (into the record of a, or the spare one at a tip): the blocks of the resulting part. */
export function joinTips(tree: Tree, aba: AbaScratch, memory: PartMemory, operation: JoinOperation): void {
  const { m, work } = memory;
  const { b, carried, rootPart, result, kappa, firstCarried, fromRoot } = operation;
  const { U, u } = aba;
  const first = tree.dof[b];
  const nv = tree.dof[b + 1] - first;
  carry(m, operation);
  copyTips(m, result, rootPart, fromRoot);
  for (let k = 0; k < carried.tips.length; k++) {
    const t = firstCarried + k;
    const columns = kappa + BLOCK * k;
    setKappa(m, columns, psiAt(carried, k), aba, first, nv, BLOCK * b);
    copyBlock(work, W_A, m, psiAt(carried, k));
    addColumnProduct(work, W_A, -1, m, columns, U, 6 * first, nv);
    multiplyByTransform(m, psiAt(result, t), work, W_A, aba.X, TRANSFORM * b);
    for (let j = 0; j < 6; j++) {
      let sum = m[biasAt(carried, k) + j];
      for (let c = 0; c < nv; c++) sum += m[columns + 6 * c + j] * u[first + c];
      m[biasAt(result, t) + j] = sum;
    }
    for (let half = 0; half < 2; half++) {
      let square = m[sizeAt(carried, k) + half] ** 2;
      for (let c = 0; c < nv; c++) for (let j = 0; j < 3; j++) square += m[columns + 6 * c + 3 * half + j] ** 2;
      m[sizeAt(result, t) + half] = Math.sqrt(square);
    }
    if (firstCarried > 0) m.fill(0, phiAt(result, t, 0), phiAt(result, t, firstCarried - 1) + BLOCK);
    for (let l = 0; l <= k; l++) {
      const phi = phiAt(result, t, firstCarried + l);
      copyBlock(m, phi, m, phiAt(carried, k, l));
      addColumnProduct(m, phi, 1, m, columns, m, kappa + BLOCK * l, nv);
    }
  }
  if (operation.atTip) attachAtTip(tree, aba, memory, operation);
}

/** kappa = Psi S L^-T, nv columns of six; `row`: where L is. */
function setKappa(
  m: Float64Array,
  o: number,
  psi: number,
  { S, L }: AbaScratch,
  first: number,
  nv: number,
  row: number,
): void {
  for (let k = 0; k < nv; k++)
    for (let i = 0; i < 6; i++) {
      let sum = 0;
      for (let j = 0; j < 6; j++) sum += m[psi + 6 * i + j] * S[6 * (first + k) + j];
      for (let l = 0; l < k; l++) sum -= L[row + 6 * k + l] * m[o + 6 * l + i];
      m[o + 6 * k + i] = sum / L[row + 7 * k];
    }
}

/** What hangs on tip a (in the spare record, and as tips of the result that do not feel the root part yet) joins in. */
function attachAtTip(tree: Tree, { IA, pA }: AbaScratch, { m, work }: PartMemory, operation: JoinOperation): void {
  const { rootPart, result, tipA, fromRoot, firstCarried, hanging } = operation;
  const spare = tree.n + 1;
  const A = result.tips.length - 1;
  const phi = phiAt(rootPart, tipA, tipA);
  const psi = psiAt(rootPart, tipA);
  const bias = biasAt(rootPart, tipA);
  const K = hanging + H_K;
  const N = hanging + H_N;
  const inertia = BLOCK * spare;
  multiplyBlocks(m, N, m, phi, IA, inertia);
  for (let k = 0; k < 6; k++) m[N + 7 * k] += 1;
  invertBlock(m, N, work, W_A);
  multiplyBlocks(m, K, IA, inertia, m, N);
  symmetrise(m, K);
  for (let j = 0; j < 6; j++) m[hanging + H_P + j] = pA[6 * spare + j];
  for (let h = firstCarried; h < A; h++)
    copyBlock(m, hanging + H_PSI + BLOCK * (h - firstCarried), m, psiAt(result, h));
  work.fill(0, W_V, W_V + 6);
  addBlockTimes(work, W_V, 1, m, K, m, bias);
  addTransposedTimes(work, W_V, 1, m, N, m, hanging + H_P);
  // a itself
  multiplyBlocks(m, psiAt(result, A), m, N, m, psi);
  multiplyBlocks(m, phiAt(result, A, A), m, N, m, phi);
  for (let j = 0; j < 6; j++) work[W_A + j] = m[bias + j];
  addBlockTimes(work, W_A, -1, m, phi, m, hanging + H_P);
  m.fill(0, biasAt(result, A), biasAt(result, A) + 6);
  addBlockTimes(m, biasAt(result, A), 1, m, N, work, W_A);
  for (let j = 0; j < 2; j++) m[sizeAt(result, A) + j] = m[sizeAt(rootPart, tipA) + j];
  // other tips of the root part
  for (let o = 0; o < firstCarried; o++) {
    readPhi(work, W_B, m, rootPart, tipA, fromRoot[o]);
    multiplyBlocks(m, phiAt(result, A, o), m, N, work, W_B);
  }
  for (let o = 0; o < firstCarried; o++) {
    readPhi(work, W_B, m, rootPart, fromRoot[o], tipA);
    addBlockTimes(m, biasAt(result, o), -1, work, W_B, work, W_V);
    multiplyBlocks(work, W_A, work, W_B, m, K);
    addProduct(m, psiAt(result, o), -1, work, W_A, m, psi);
    for (let r = 0; r <= o; r++) {
      readPhi(work, W_C, m, rootPart, tipA, fromRoot[r]);
      addProduct(m, phiAt(result, o, r), -1, work, W_A, work, W_C);
    }
  }
  // tips beyond a
  for (let h = firstCarried; h < A; h++) {
    m.fill(0, phiAt(result, A, h), phiAt(result, A, h) + BLOCK);
    addTransposedProduct(m, phiAt(result, A, h), 1, m, phiAt(result, A, A), m, psiAt(result, h));
    addBlockTimes(m, biasAt(result, h), 1, m, psiAt(result, h), m, biasAt(result, A));
    addSizes(m, sizeAt(result, h), psiAt(result, h), sizeAt(result, A));
    for (let o = 0; o < firstCarried; o++)
      addProduct(m, phiAt(result, h, o), 1, m, psiAt(result, h), m, phiAt(result, A, o));
    for (let g = firstCarried; g <= h; g++)
      addProduct(m, phiAt(result, h, g), 1, m, psiAt(result, h), m, phiAt(result, A, g));
  }
  for (let h = firstCarried; h < A; h++) {
    copyBlock(work, W_B, m, psiAt(result, h));
    multiplyBlocks(m, psiAt(result, h), work, W_B, m, psiAt(result, A));
  }
  if (rootPart.root < 0) return;
  // the root
  const root = rootPart.root + 1;
  multiplyBlocks(work, W_A, m, K, m, psi);
  transposeBlock(work, W_B, m, psi);
  multiplyBlocks(work, W_C, work, W_B, work, W_A);
  addSymmetric(IA, BLOCK * root, 1, work, W_C);
  addTransposedTimes(pA, 6 * root, 1, m, psi, work, W_V);
}

/** Sizes at o += those at `size`, as far as Psi passes them on: by the norms of its four quarters. */
export function addSizes(m: Float64Array, o: number, psi: number, size: number): void {
  for (let half = 0; half < 2; half++) {
    let square = m[o + half] ** 2;
    for (let from = 0; from < 2; from++)
      for (let i = 0; i < 3; i++)
        for (let j = 0; j < 3; j++) square += (m[psi + 6 * (3 * half + i) + 3 * from + j] * m[size + from]) ** 2;
    m[o + half] = Math.sqrt(square);
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
  const { b, carried, result, atTip, kappa } = operation;
  const { u, delta } = aba;
  const { m, f } = memory;
  if (atTip) accelerateTip(delta, memory, result, result.tips.length - 1);
  // What acts on the tips beyond the joint pushes it too: u~ += sum_t kappa_t^T f_t.
  const first = tree.dof[b];
  const nv = tree.dof[b + 1] - first;
  for (let k = 0; k < carried.tips.length; k++)
    for (let c = 0; c < nv; c++) u[first + c] += dot6(m, kappa + BLOCK * k + 6 * c, f, 6 * carried.tips[k]);
  accelerateLink(tree, aba, b, qdd);
  linkForce(aba, b, forces);
  for (let k = 0; k < carried.tips.length; k++)
    addTransposedTimes(forces, 6 * b, -1, m, psiAt(carried, k), f, 6 * carried.tips[k]);
  if (atTip) addForceOnTip(delta, memory, operation);
}

/** f of tip a -= what the hanging part takes, from the forces and accelerations that the root part sees. */
function addForceOnTip(delta: Float64Array, { m, f, work }: PartMemory, operation: JoinOperation): void {
  const { a, rootPart, tipA, fromRoot, firstCarried, carried, hanging } = operation;
  // Acceleration of a if nothing hung on it, and the force that the hanging part needs if a stood still.
  for (let j = 0; j < 6; j++) {
    work[W_V + j] = m[biasAt(rootPart, tipA) + j];
    work[W_B + j] = m[hanging + H_P + j];
    work[W_C + j] = 0;
  }
  addBlockTimes(work, W_V, 1, m, psiAt(rootPart, tipA), delta, 6 * (rootPart.root + 1));
  // f of a is zero unless joints added later hang on it too.
  addBlockTimes(work, W_V, 1, m, phiAt(rootPart, tipA, tipA), f, 6 * a);
  for (let o = 0; o < firstCarried; o++) {
    readPhi(work, W_A, m, rootPart, tipA, fromRoot[o]);
    addBlockTimes(work, W_V, 1, work, W_A, f, 6 * rootPart.tips[fromRoot[o]]);
  }
  for (let k = 0; k < carried.tips.length; k++)
    addTransposedTimes(work, W_B, -1, m, hanging + H_PSI + BLOCK * k, f, 6 * carried.tips[k]);
  addBlockTimes(work, W_C, 1, m, hanging + H_K, work, W_V);
  addTransposedTimes(work, W_C, 1, m, hanging + H_N, work, W_B);
  for (let j = 0; j < 6; j++) f[6 * a + j] -= work[W_C + j];
}

/** delta of tip t: Psi_t a_r + sum_s Phi_ts f_s + b_t. */
export function accelerateTip(delta: Float64Array, { m, f, work }: PartMemory, part: PartialChain, t: number): void {
  const o = 6 * (part.tips[t] + 1);
  for (let j = 0; j < 6; j++) delta[o + j] = m[biasAt(part, t) + j];
  addBlockTimes(delta, o, 1, m, psiAt(part, t), delta, 6 * (part.root + 1));
  for (let k = 0; k < part.tips.length; k++) {
    if (part.hidden[k]) continue;
    readPhi(work, W_A, m, part, t, k);
    addBlockTimes(delta, o, 1, work, W_A, f, 6 * part.tips[k]);
  }
}
