// Loop joints in the printed form: constraints between handles of one part ([000] section 5, errata 000-5 and 000-6).
// With G the constraint rows at the ends e of the loops and beta what the motion with qdd = 0 breaks (loop-joint.ts):
//
//   L_u = sum_e G_e Phi_eu,   Gamma = sum_e L_e G_e^T,   bias = sum_e G_e b_e + beta                     [000] eq. 58
//   Phi_C,uv = Phi_uv - L_u^T Gamma^+ L_v,   b_C,u = b_u - L_u^T Gamma^+ bias
//   lambda = -Gamma^+ (bias + sum_u L_u f_u),   force at end e: G_e^T lambda                            [000] eq. 57
//
// The four blocks of errata 000-5 are the sum over both ends. Gamma is singular for redundant loops: its pseudo-inverse
// gives the forces of least norm. Loop joints have no drive, so that the terms with tau are absent.

import { CONTRADICTION_TOLERANCE, rowSize } from '../../engines/plain/assembly/close.js';
import type { LoopScratch } from '../../engines/plain/assembly/loop-joint.js';
import { createPseudoInverse, type PseudoInverse, pseudoInvert } from '../../engines/plain/assembly/rank.js';
import { copyBlock } from '../../spatial/blocks.js';
import { addPhiTimes, type PrintedMemory } from './join.js';
import { biasAt, type PrintedClose, phiAt } from './plan.js';

export interface PrintedLoops {
  /** Constraints of all its loops together. */
  readonly k: number;
  /** For each handle u, k x 6: L_u; and Gamma^+ L_u. */
  readonly L: readonly Float64Array[];
  readonly solved: readonly Float64Array[];
  /** k: bias, Gamma^+ bias. */
  readonly bias: Float64Array;
  readonly solvedBias: Float64Array;
  readonly gamma: Float64Array;
  readonly inverse: PseudoInverse;
  readonly lambda: Float64Array;
}

export function createPrintedLoops({ loops: numbers, A }: PrintedClose, { loops }: LoopScratch): PrintedLoops {
  const k = numbers.reduce((sum, l) => sum + loops[l].k, 0);
  const perHandle = (): Float64Array[] => A.handles.map(() => new Float64Array(6 * k));
  return {
    k,
    L: perHandle(),
    solved: perHandle(),
    bias: new Float64Array(k),
    solvedBias: new Float64Array(k),
    gamma: new Float64Array(k * k),
    inverse: createPseudoInverse(k),
    lambda: new Float64Array(k),
  };
}

/** Calls `use` for every end that is not on the fixed base: its handle, its rows, the number of its first constraint. */
function forEachEnd(
  { loops: numbers, ends }: PrintedClose,
  { loops, Ga, Gb }: LoopScratch,
  use: (handle: number, G: Float64Array, first: number, count: number) => void,
): void {
  let first = 0;
  numbers.forEach((l, n) => {
    const [a, b] = ends[n];
    if (a >= 0) use(a, Ga[l], first, loops[l].k);
    if (b >= 0) use(b, Gb[l], first, loops[l].k);
    first += loops[l].k;
  });
}

/** out <- A B for A of k x k and B of k rows of `columns`. */
function multiply(out: Float64Array, A: Float64Array, B: Float64Array, k: number, columns: number): void {
  for (let i = 0; i < k; i++)
    for (let c = 0; c < columns; c++) {
      let sum = 0;
      for (let j = 0; j < k; j++) sum += A[i * k + j] * B[columns * j + c];
      out[columns * i + c] = sum;
    }
}

/** True where the constraints can be satisfied. */
export function assembleLoops(
  { m }: PrintedMemory,
  operation: PrintedClose,
  loops: LoopScratch,
  work: PrintedLoops,
): boolean {
  const { A, C, from } = operation;
  const { k, L, solved, bias, solvedBias, gamma, inverse } = work;
  for (const rows of L) rows.fill(0);
  gamma.fill(0);
  let at = 0;
  for (const l of operation.loops) {
    bias.set(loops.beta[l], at);
    at += loops.loops[l].k;
  }
  const scale = new Float64Array(k);
  forEachEnd(operation, loops, (e, G, first, count) => {
    for (let row = 0; row < count; row++) {
      const trace = (half: number): number =>
        [0, 1, 2].reduce((sum, j) => sum + Math.abs(m[phiAt(A, e, e) + 7 * (3 * half + j)]), 0);
      scale[first + row] += rowSize(G, 6 * row, Math.sqrt(trace(0)), Math.sqrt(trace(1)), loops.length);
      for (let u = 0; u < L.length; u++) addPhiTimes(L[u], 6 * (first + row), 1, m, A, u, e, G, 6 * row);
      for (let j = 0; j < 6; j++) bias[first + row] += G[6 * row + j] * m[biasAt(A, e) + j];
    }
  });
  forEachEnd(operation, loops, (e, G, first, count) => {
    for (let row = 0; row < k; row++)
      for (let column = 0; column < count; column++)
        for (let j = 0; j < 6; j++) gamma[row * k + first + column] += L[e][6 * row + j] * G[6 * column + j];
  });
  // pseudoInvert destroys its argument, and the check below needs Gamma.
  pseudoInvert(
    inverse,
    gamma.slice(),
    k,
    scale.map((x) => x * x),
  );
  multiply(solvedBias, inverse.inverse, bias, k, 1);
  if (!satisfiable(work)) return false;
  for (let u = 0; u < L.length; u++) multiply(solved[u], inverse.inverse, L[u], k, 6);
  for (let t = 0; t < C.handles.length; t++) {
    for (let s = 0; s <= t; s++) {
      copyBlock(m, phiAt(C, t, s), m, phiAt(A, from[t], from[s]));
      subtractProduct(m, phiAt(C, t, s), L[from[t]], solved[from[s]], k, 6);
    }
    for (let j = 0; j < 6; j++) m[biasAt(C, t) + j] = m[biasAt(A, from[t]) + j];
    subtractProduct(m, biasAt(C, t), L[from[t]], solvedBias, k, 1);
  }
  return true;
}

/** Whether Gamma Gamma^+ bias = bias: otherwise some constraint asks for what no force can bring about. */
function satisfiable({ k, gamma, bias, solvedBias }: PrintedLoops): boolean {
  const reached = new Float64Array(k);
  multiply(reached, gamma, solvedBias, k, 1);
  const size = bias.reduce((largest, x) => Math.max(largest, Math.abs(x)), 1);
  return reached.every((x, i) => Math.abs(x - bias[i]) <= CONTRADICTION_TOLERANCE * size);
}

/** out (6 x columns) -= A^T B for A of k rows of six and B of k rows of `columns`. */
function subtractProduct(
  out: Float64Array,
  o: number,
  A: Float64Array,
  B: Float64Array,
  k: number,
  columns: number,
): void {
  for (let i = 0; i < 6; i++)
    for (let c = 0; c < columns; c++)
      for (let row = 0; row < k; row++) out[o + columns * i + c] -= A[6 * row + i] * B[columns * row + c];
}

/** Disassembly: the forces of the loop joints on their ends. */
export function disassembleLoops(
  operation: PrintedClose,
  loops: LoopScratch,
  work: PrintedLoops,
  forces: Float64Array,
): void {
  const { A, C, from } = operation;
  const { k, solved, solvedBias, lambda } = work;
  for (let row = 0; row < k; row++) {
    let sum = -solvedBias[row];
    for (let t = 0; t < C.handles.length; t++) {
      const { force, sign } = C.handles[t];
      for (let j = 0; j < 6; j++) sum -= sign * solved[from[t]][6 * row + j] * forces[force + j];
    }
    lambda[row] = sum;
  }
  forEachEnd(operation, loops, (e, G, first, count) => {
    const { force } = A.handles[e];
    for (let j = 0; j < 6; j++) {
      forces[force + j] = 0;
      for (let row = 0; row < count; row++) forces[force + j] += G[6 * row + j] * lambda[first + row];
    }
  });
}
