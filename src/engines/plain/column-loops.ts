// Loop joints beside coupled joints: each constraint is a column of coupled-aba.ts, from its two links to the ground, where all
// multipliers are solved for together. With G the rows of a loop joint on its two links and beta what the motion without qdd
// breaks them with (assembly/loop-joint.ts),
//
//   at its links     F = -G^T,  n = -beta
//   at the ground    A lambda + w = 0,   A = -M = J H^-1 J^T,  w = -n,   by the pseudo-inverse (assembly/rank.ts)

import type { Tree } from '../../mechanism/tree.js';
import { invertConstraints } from './assembly/close.js';
import type { LoopScratch } from './assembly/loop-joint.js';
import { loopScales } from './assembly/loop-scales.js';
import { createPseudoInverse, type PseudoInverse } from './assembly/rank.js';

/** The unknowns open at one link, by their index in `columns`: groups of coupled joints, then multipliers of loops. */
export interface OpenColumns {
  readonly columns: Int32Array;
  /** Index of an unknown, or -1. */
  readonly index: Int32Array;
  /** 6 for each column. */
  readonly F: Float64Array;
  readonly n: Float64Array;
  /** Full, row by row. */
  readonly M: Float64Array;
  /** 6 for each column: L^-1 phi, with D = L L^T. */
  readonly phi: Float64Array;
  /** 1 where the column has been solved for at this link. */
  readonly done: Uint8Array;
}

export interface ColumnLoops {
  readonly loops: LoopScratch;
  /** First column of each loop. */
  readonly firstOf: readonly number[];
  /** Constraints of all loops. */
  readonly k: number;
  /** k x k: A, and what its factorisation destroys. */
  readonly A: Float64Array;
  readonly destroyed: Float64Array;
  /** k: w, and the size of its terms. */
  readonly w: Float64Array;
  readonly sizes: Float64Array;
  /** k: what each row could feel (assembly/loop-scales.ts). */
  readonly scale: readonly number[];
  readonly inverse: PseudoInverse;
  /** k: multipliers. A result. */
  readonly lambda: Float64Array;
  readonly rest: Float64Array;
  /** n x 6: forces of the loop joints on the links, link coordinates (pushLinks). */
  readonly push: Float64Array;
}

export function createColumnLoops(tree: Tree, loops: LoopScratch, firstOf: readonly number[]): ColumnLoops {
  const scale = loopScales(tree).flat();
  const k = scale.length;
  return {
    loops,
    firstOf,
    k,
    A: new Float64Array(k * k),
    destroyed: new Float64Array(k * k),
    w: new Float64Array(k),
    sizes: new Float64Array(k),
    scale,
    inverse: createPseudoInverse(k),
    lambda: new Float64Array(k),
    rest: new Float64Array(k),
    push: new Float64Array(6 * tree.n),
  };
}

/** The columns of all loops begin. `open`: the ground, then each link. */
export function startLoops({ loops, firstOf }: ColumnLoops, open: readonly (OpenColumns | undefined)[]): void {
  const { Ga, Gb, beta } = loops;
  for (let l = 0; l < loops.loops.length; l++) {
    const { a, b, k } = loops.loops[l];
    const [atA, atB] = [open[a + 1]!, open[b + 1]!];
    for (let row = 0; row < k; row++) {
      const [own, other] = [atA.index[firstOf[l] + row], atB.index[firstOf[l] + row]];
      for (let j = 0; j < 6; j++) {
        atA.F[6 * own + j] -= Ga[l][6 * row + j];
        atB.F[6 * other + j] -= Gb[l][6 * row + j];
      }
      atB.n[other] -= beta[l][row];
    }
  }
}

/** x of the multipliers, and lambda. With `strict`, false where no forces satisfy the constraints. */
export function solveLoops(closed: ColumnLoops, ground: OpenColumns, x: Float64Array, strict: boolean): boolean {
  const { k, A, w, sizes, inverse, lambda, rest, loops } = closed;
  const { index, n, M, columns } = ground;
  const size = columns.length;
  const first = closed.firstOf[0];
  const at = index[first];
  for (let i = 0; i < k; i++) {
    w[i] = -n[at + i];
    for (let j = 0; j < k; j++) A[i * k + j] = -M[(at + i) * size + at + j];
  }
  let row = 0;
  loops.loops.forEach(({ k: own }, l) => {
    for (let j = 0; j < own; j++, row++) sizes[row] = loops.size[l] + Math.abs(w[row] - loops.beta[l][j]);
  });
  if (!invertConstraints(closed, A, w, sizes, k, strict)) return false;
  // Refined once, as in assembly/close.ts.
  lambda.fill(0);
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < k; i++) {
      rest[i] = w[i];
      for (let j = 0; j < k; j++) rest[i] += A[i * k + j] * lambda[j];
    }
    for (let i = 0; i < k; i++) for (let j = 0; j < k; j++) lambda[i] -= inverse.inverse[i * k + j] * rest[j];
  }
  for (let i = 0; i < k; i++) x[first + i] = lambda[i];
  return true;
}
