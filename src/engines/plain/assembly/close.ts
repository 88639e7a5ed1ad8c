// Assembly and disassembly of loop joints: constraints between links of one part, several at once.
//
// With G the constraint rows on the handles (root: Psi = 1, Phi = 0, b = 0) and beta what the motion without qdd breaks:
//
//   Gamma = G Phi G^T,   lambda = -Gamma^+ (G Psi a_r + sum_s G Phi_s f_s + G b + beta)        [000] eq. 57
//   I += (G Psi)^T Gamma^+ (G Psi),   p += (G Psi)^T Gamma^+ (G b + beta)
//   Psi_s -= (G Phi_s)^T Gamma^+ (G Psi),   Phi_ss' -= (G Phi_s)^T Gamma^+ (G Phi_s'),   b_s -= (G Phi_s)^T Gamma^+ (G b + beta)
//
// A redundant loop makes Gamma singular: its pseudo-inverse gives the forces of least norm. Where beta has a part in its
// null space no motion satisfies the constraints.

import type { AbaScratch } from '../../../reference/aba.js';
import { addSymmetric, BLOCK } from '../../../spatial/blocks.js';
import { copyTips, type PartMemory } from './join.js';
import type { LoopScratch } from './loop-joint.js';
import { biasAt, type CloseOperation, type PartialChain, phiAt, psiAt, sizeAt } from './plan.js';
import { createPseudoInverse, type PseudoInverse, pseudoInvert, UNCERTAIN_FROM } from './rank.js';

export interface CloseScratch {
  /** Constraints of all its loops together. */
  readonly k: number;
  /** k x 6: G Psi. */
  readonly psi: Float64Array;
  /** For each tip of the part, k x 6: G Phi_s. */
  readonly phi: readonly Float64Array[];
  /** k: G b + beta. */
  readonly bias: Float64Array;
  readonly gamma: Float64Array;
  /** k: size of the terms of each diagonal element of Gamma, and of each element of bias. */
  readonly scale: Float64Array;
  readonly biasScale: Float64Array;
  /** k x k: what the factorisation destroys. */
  readonly destroyed: Float64Array;
  readonly inverse: PseudoInverse;
  /** k: multipliers; disassembly. */
  readonly lambda: Float64Array;
  readonly work: Float64Array;
  /** 36: what the root gains. */
  readonly root: Float64Array;
}

/** A part of the bias in the null space larger than this (m/s^2, rad/s^2, relative to 1 and to its terms) is a contradiction. */
export const CONTRADICTION_TOLERANCE = 1e-5;

export function createClose(operation: CloseOperation, loops: LoopScratch): CloseScratch {
  const k = operation.loops.reduce((sum, l) => sum + loops.loops[l].k, 0);
  return {
    k,
    psi: new Float64Array(6 * k),
    phi: operation.part.tips.map(() => new Float64Array(6 * k)),
    bias: new Float64Array(k),
    gamma: new Float64Array(k * k),
    scale: new Float64Array(k),
    biasScale: new Float64Array(k),
    destroyed: new Float64Array(k * k),
    inverse: createPseudoInverse(k),
    lambda: new Float64Array(k),
    work: new Float64Array(6 * k),
    root: new Float64Array(BLOCK),
  };
}

/** Calls `use` for the two ends of every loop: first constraint, count, link, rows. */
function forEachEnd(
  { loops: numbers }: CloseOperation,
  { loops, Ga, Gb }: LoopScratch,
  use: (first: number, count: number, link: number, G: Float64Array, loop: number) => void,
): void {
  let first = 0;
  for (const l of numbers) {
    const { a, b, k } = loops[l];
    use(first, k, a, Ga[l], l);
    use(first, k, b, Gb[l], l);
    first += k;
  }
}

/**
 * True where the constraints can be satisfied. With `strict` false what no force can meet is left as it is: a step of
 * Newton's method need not satisfy to first order what its limit satisfies.
 */
export function closeLoops(
  aba: AbaScratch,
  { m }: PartMemory,
  loops: LoopScratch,
  operation: CloseOperation,
  scratch: CloseScratch,
  strict: boolean,
): boolean {
  const { part, result, from } = operation;
  const { k, psi, phi, bias, gamma, scale, biasScale } = scratch;
  scale.fill(0);
  biasScale.fill(0);
  psi.fill(0);
  bias.fill(0);
  gamma.fill(0);
  for (const block of phi) block.fill(0);
  forEachEnd(operation, loops, (first, count, link, G, l) => {
    const t = part.tips.indexOf(link);
    for (let row = 0; row < count; row++) {
      const at = 6 * (first + row);
      if (link === loops.loops[l].b) {
        bias[first + row] += loops.beta[l][row];
        biasScale[first + row] += loops.size[l];
      }
      for (let i = 0; i < 6; i++) {
        const g = G[6 * row + i];
        if (t < 0) psi[at + i] += g;
        else {
          bias[first + row] += g * m[biasAt(part, t) + i];
          biasScale[first + row] += Math.abs(g * m[biasAt(part, t) + i]);
          for (let j = 0; j < 6; j++) psi[at + j] += g * m[psiAt(part, t) + 6 * i + j];
          for (let u = 0; u < part.tips.length; u++) addPhiRow(phi[u], at, g, m, part, t, i, u);
        }
      }
      if (t >= 0) scale[first + row] += rowSize(G, 6 * row, m[sizeAt(part, t)], m[sizeAt(part, t) + 1], loops.length);
    }
  });
  forEachEnd(operation, loops, (first, count, link, G) => {
    const t = part.tips.indexOf(link);
    if (t < 0) return;
    for (let row = 0; row < k; row++)
      for (let column = 0; column < count; column++)
        for (let j = 0; j < 6; j++) gamma[row * k + first + column] += phi[t][6 * row + j] * G[6 * column + j];
  });
  for (let i = 0; i < k; i++)
    for (let j = 0; j < i; j++) gamma[i * k + j] = gamma[j * k + i] = (gamma[i * k + j] + gamma[j * k + i]) / 2;
  for (let i = 0; i < k; i++) scale[i] *= scale[i];
  if (!invertConstraints(scratch, gamma, bias, biasScale, k, strict)) return false;
  if (part.root >= 0) addToRoot(aba, part.root + 1, scratch);
  copyTips(m, result, part, from);
  for (let t = 0; t < result.tips.length; t++) {
    const row = phi[from[t]];
    subtractProduct(m, psiAt(result, t), 6, row, scratch, psi);
    subtractProduct(m, biasAt(result, t), 1, row, scratch, bias);
    for (let u = 0; u <= t; u++) subtractProduct(m, phiAt(result, t, u), 6, row, scratch, phi[from[u]]);
  }
  return true;
}

/**
 * What row r of G could feel of a tip that turns and shifts by so much: a force along it feels the shift, or turning with an
 * arm of at least `arm`, so that an arm that is there by rounding alone is seen as none.
 */
export function rowSize(G: Float64Array, r: number, turn: number, shift: number, arm: number): number {
  return (
    Math.hypot(G[r], G[r + 1], G[r + 2]) * turn +
    Math.hypot(G[r + 3], G[r + 4], G[r + 5]) * Math.hypot(shift, arm * turn)
  );
}

/** out row += g (row i of Phi_tu). */
function addPhiRow(
  out: Float64Array,
  at: number,
  g: number,
  m: Float64Array,
  part: PartialChain,
  t: number,
  i: number,
  u: number,
): void {
  if (u <= t) {
    const block = phiAt(part, t, u);
    for (let j = 0; j < 6; j++) out[at + j] += g * m[block + 6 * i + j];
  } else {
    const block = phiAt(part, u, t);
    for (let j = 0; j < 6; j++) out[at + j] += g * m[block + 6 * j + i];
  }
}

/**
 * The pseudo-inverse of `gamma`, and whether forces can take the bias away; if not and unless `strict`, it is left as it is.
 * Where a direction that counts as redundant lies near the border, and the bias has a part along it that is more than rounding,
 * it is a constraint after all: what depends on others would demand nothing of its own. The loop report warns of it.
 */
export function invertConstraints(
  { inverse, destroyed, scale }: { inverse: PseudoInverse; destroyed: Float64Array; scale: ArrayLike<number> },
  gamma: Float64Array,
  bias: Float64Array,
  sizes: Float64Array,
  k: number,
  strict: boolean,
): boolean {
  destroyed.set(gamma);
  pseudoInvert(inverse, destroyed, k, scale);
  if (!strict || !contradicts(inverse, bias, sizes, k)) return true;
  destroyed.set(gamma);
  pseudoInvert(inverse, destroyed, k, scale, UNCERTAIN_FROM);
  return !contradicts(inverse, bias, sizes, k);
}

/** Whether the bias has a part that no force can meet. */
function contradicts({ vectors, rank }: PseudoInverse, bias: Float64Array, sizes: Float64Array, k: number): boolean {
  for (let column = 0; column < k - rank; column++) {
    let sum = 0;
    let size = 1;
    for (let i = 0; i < k; i++) {
      sum += vectors[i * k + column] * bias[i];
      size = Math.max(size, Math.abs(vectors[i * k + column]) * sizes[i]);
    }
    if (Math.abs(sum) > CONTRADICTION_TOLERANCE * size) return true;
  }
  return false;
}

/** out (6 x columns) -= A^T Gamma^+ B, for A of k rows of six and B of k rows of `columns`. */
function subtractProduct(
  out: Float64Array,
  o: number,
  columns: number,
  A: Float64Array,
  { k, inverse, work }: CloseScratch,
  B: Float64Array,
): void {
  // work = Gamma^+ B
  for (let i = 0; i < k; i++)
    for (let c = 0; c < columns; c++) {
      let sum = 0;
      for (let j = 0; j < k; j++) sum += inverse.inverse[i * k + j] * B[columns * j + c];
      work[columns * i + c] = sum;
    }
  for (let row = 0; row < 6; row++)
    for (let c = 0; c < columns; c++) {
      let sum = 0;
      for (let i = 0; i < k; i++) sum += A[6 * i + row] * work[columns * i + c];
      out[o + columns * row + c] -= sum;
    }
}

function addToRoot({ IA, pA }: AbaScratch, record: number, scratch: CloseScratch): void {
  const { root, psi, bias } = scratch;
  root.fill(0);
  subtractProduct(root, 0, 6, psi, scratch, psi);
  addSymmetric(IA, BLOCK * record, -1, root, 0);
  root.fill(0);
  subtractProduct(root, 0, 1, psi, scratch, bias);
  for (let j = 0; j < 6; j++) pA[6 * record + j] -= root[j];
}

/** Disassembly: multipliers, and the forces of the loop joints on the tips they hold. */
export function openLoops(
  { delta }: AbaScratch,
  { f }: PartMemory,
  loops: LoopScratch,
  operation: CloseOperation,
  scratch: CloseScratch,
): void {
  const { part, result, from } = operation;
  const { k, psi, phi, bias, gamma, inverse, lambda, work } = scratch;
  work.fill(0);
  const root = 6 * (part.root + 1);
  for (let i = 0; i < k; i++) {
    let sum = bias[i];
    for (let j = 0; j < 6; j++) sum += psi[6 * i + j] * delta[root + j];
    for (let t = 0; t < result.tips.length; t++)
      for (let j = 0; j < 6; j++) sum += phi[from[t]][6 * i + j] * f[6 * result.tips[t] + j];
    work[i] = sum;
  }
  // lambda = -Gamma^+ work, refined once: links of very different mass make Gamma ill-conditioned, and what a rounded
  // pseudo-inverse leaves behind, work + Gamma lambda, is known far better than lambda is.
  lambda.fill(0);
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < k; i++) for (let j = 0; j < k; j++) lambda[i] -= inverse.inverse[i * k + j] * work[j];
    if (round > 0) break;
    for (let i = 0; i < k; i++) for (let j = 0; j < k; j++) work[k + i] += gamma[i * k + j] * lambda[j];
    for (let i = 0; i < k; i++) work[i] += work[k + i];
  }
  forEachEnd(operation, loops, (first, count, link, G, l) => {
    const { closer, b } = loops.loops[l];
    if (closer && link === b)
      for (let j = 0; j < 6; j++) {
        loops.closerForces[6 * b + j] = 0;
        for (let row = 0; row < count; row++) loops.closerForces[6 * b + j] += G[6 * row + j] * lambda[first + row];
      }
    if (!part.tips.includes(link)) return;
    for (let row = 0; row < count; row++)
      for (let j = 0; j < 6; j++) f[6 * link + j] += G[6 * row + j] * lambda[first + row];
  });
}
