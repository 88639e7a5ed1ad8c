// K = H + J^T W J of an island: the mass matrices with the stiffness of the contacts put on, block-sparse. Its structure is kept
// as long as the same bodies touch.

import { type BlockStructure, blockOffset, createStructure, factorise, solveFactorised } from './block-matrix.js';
import { type ContactProblem, grown } from './problem.js';

export class IslandMatrix {
  #structure: BlockStructure | undefined;
  /** What the structure was made for: members, groups and their nodes. */
  #pattern: readonly number[] = [];
  #inertias: readonly BlockStructure[] = [];
  /** From where in H, how many numbers, to where in K: for every block of every member. */
  #copies = new Int32Array(0);
  #firstCopy: number[] = [];
  /** For every two entries of a group: where their block stands in K. */
  #targets = new Int32Array(0);
  #K = new Float64Array(0);
  readonly #product = new Float64Array(36);

  /** The structure for this problem; made anew where the pattern has changed. */
  prepare(problem: ContactProblem): void {
    if (this.#fits(problem)) return;
    const { members, firstNode, nodes, groups, firstEntry, entryNode, nodeSize } = problem;
    const neighbours: number[][] = Array.from({ length: nodes }, () => []);
    members.forEach(({ structure: { nodes: own, first, column } }, m) => {
      for (let p = 0; p < own; p++)
        for (let e = first[p]; e < first[p + 1]; e++) neighbours[firstNode[m] + p].push(firstNode[m] + column[e]);
    });
    for (let g = 0; g < groups; g++)
      for (let a = firstEntry[g]; a < firstEntry[g + 1]; a++)
        for (let b = firstEntry[g]; b < a; b++) neighbours[entryNode[a]].push(entryNode[b]);
    const structure = createStructure(nodeSize.subarray(0, nodes), neighbours, 'minimum-degree');
    this.#structure = structure;
    this.#K = grown(this.#K, structure.length);
    this.#pattern = patternOf(problem);
    this.#inertias = members.map((member) => member.structure);
    this.#layOutCopies(problem, structure);
    const targets: number[] = [];
    for (let g = 0; g < groups; g++)
      for (let a = firstEntry[g]; a < firstEntry[g + 1]; a++)
        for (let b = firstEntry[g]; b < firstEntry[g + 1]; b++)
          targets.push(blockOffset(structure, entryNode[a], entryNode[b]));
    this.#targets = Int32Array.from(targets);
  }

  #layOutCopies({ members, firstNode }: ContactProblem, structure: BlockStructure): void {
    const copies: number[] = [];
    this.#firstCopy = [0];
    members.forEach(({ structure: own }, m) => {
      const { nodes, size, first, column, diagonal, lower, upper } = own;
      const to = (i: number, j: number): number => blockOffset(structure, firstNode[m] + i, firstNode[m] + j);
      for (let p = 0; p < nodes; p++) {
        copies.push(diagonal[p], size[p] * size[p], to(p, p));
        for (let e = first[p]; e < first[p + 1]; e++) {
          const numbers = size[p] * size[column[e]];
          copies.push(lower[e], numbers, to(p, column[e]), upper[e], numbers, to(column[e], p));
        }
      }
      this.#firstCopy.push(copies.length);
    });
    this.#copies = Int32Array.from(copies);
  }

  #fits(problem: ContactProblem): boolean {
    const { members } = problem;
    if (this.#structure === undefined || members.length !== this.#inertias.length) return false;
    if (members.some(({ structure }, m) => structure !== this.#inertias[m])) return false;
    return samePattern(problem, this.#pattern);
  }

  /** K <- H + sum of T^T A T, A rows x rows for each group from stiffness[36 g] on; then its factors. False: it has none. */
  factorise(problem: ContactProblem, stiffness: Float64Array): boolean {
    const { members, groups } = problem;
    const structure = this.#structure!;
    const K = this.#K;
    const copies = this.#copies;
    K.fill(0, 0, structure.length);
    for (let m = 0; m < members.length; m++) {
      const { H } = members[m];
      for (let k = this.#firstCopy[m]; k < this.#firstCopy[m + 1]; k += 3) {
        const from = copies[k];
        const to = copies[k + 2];
        for (let j = 0; j < copies[k + 1]; j++) K[to + j] = H[from + j];
      }
    }
    for (let g = 0, t = 0; g < groups; g++) t = this.#addGroup(problem, g, stiffness, t);
    return factorise(structure, K);
  }

  /** Adds T^T A T of a group; returns the place behind its targets. */
  #addGroup(problem: ContactProblem, g: number, A: Float64Array, first: number): number {
    const { firstEntry, entryNode, entryAt, T, groupRows, nodeSize } = problem;
    const K = this.#K;
    const product = this.#product;
    const rows = groupRows[g];
    const o = 36 * g;
    let t = first;
    for (let a = firstEntry[g]; a < firstEntry[g + 1]; a++) {
      const size = nodeSize[entryNode[a]];
      const Ta = entryAt[a];
      // T_a^T A
      for (let k = 0; k < size; k++)
        for (let c = 0; c < rows; c++) {
          let sum = 0;
          for (let r = 0; r < rows; r++) sum += T[Ta + r * size + k] * A[o + r * rows + c];
          product[k * rows + c] = sum;
        }
      for (let b = firstEntry[g]; b < firstEntry[g + 1]; b++, t++) {
        const columns = nodeSize[entryNode[b]];
        const Tb = entryAt[b];
        const to = this.#targets[t];
        for (let k = 0; k < size; k++)
          for (let c = 0; c < rows; c++) {
            const f = product[k * rows + c];
            for (let j = 0; j < columns; j++) K[to + k * columns + j] += f * T[Tb + c * columns + j];
          }
      }
    }
    return t;
  }

  /** x <- K^-1 x. */
  solve(x: Float64Array): void {
    solveFactorised(this.#structure!, this.#K, x);
  }
}

function patternOf({ groups, firstEntry, entryNode }: ContactProblem): number[] {
  const pattern = [groups];
  for (let g = 0; g < groups; g++) {
    pattern.push(firstEntry[g + 1]);
    for (let e = firstEntry[g]; e < firstEntry[g + 1]; e++) pattern.push(entryNode[e]);
  }
  return pattern;
}

function samePattern({ groups, firstEntry, entryNode }: ContactProblem, pattern: readonly number[]): boolean {
  if (pattern[0] !== groups) return false;
  let at = 1;
  for (let g = 0; g < groups; g++) {
    if (pattern[at++] !== firstEntry[g + 1]) return false;
    for (let e = firstEntry[g]; e < firstEntry[g + 1]; e++) if (pattern[at++] !== entryNode[e]) return false;
  }
  return true;
}
