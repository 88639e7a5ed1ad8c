// The contact problem without the bodies: u = G lambda + g, with G = J H^-1 J^T + R from the handles of the island. For the solvers
// that work on impulses alone.

import type { Handles } from './handles.js';
import { type ContactProblem, grown } from './problem.js';
import type { ContactLaws } from './residual.js';

export interface DenseProblem extends ContactLaws {
  /** Rows. */
  readonly n: number;
  /** n x n, row major, symmetric. */
  readonly G: Float64Array;
  readonly g: Float64Array;
  /** Mean of the diagonal of each block. */
  readonly d: Float64Array;
}

export class ContactMatrix {
  #G = new Float64Array(0);
  /** Offset of each block in FZ and FY; one more. */
  #at = new Int32Array(17);
  /** F^T Z and F^T Y of each block on its group's path: dim x size of the node. */
  #FZ = new Float64Array(0);
  #FY = new Float64Array(0);

  /** The problem in this form; its memory is that of this object. */
  build(problem: ContactProblem, handles: Handles): DenseProblem {
    const { blocks, kind, firstRow, mu, compliance, scale, rows: n, group } = problem;
    this.#G = grown(this.#G, n * n);
    const G = this.#G;
    G.fill(0, 0, n * n);
    const at = this.#project(problem, handles);
    // Blocks in the order of their groups; two of them meet on the nodes that both paths have.
    for (let a = 0; a < blocks; a++)
      for (let b = 0; b <= a; b++) this.#couple(problem, handles, at, a, b, group[a], group[b]);
    for (let c = 0; c < blocks; c++) G[firstRow[c] * (n + 1)] += compliance[c];
    return { blocks, kind, firstRow, mu, scale, n, G, g: handles.c, d: handles.d };
  }

  /** F^T Z and F^T Y; returns the offset of each block, one more at the end. */
  #project(problem: ContactProblem, { firstPath, pathNode, zAt, Z, Y }: Handles): Int32Array {
    const { blocks, group, groupRows, firstRow, wrenchAt, F, nodeSize } = problem;
    this.#at = grown(this.#at, blocks + 1);
    const at = this.#at;
    at[0] = 0;
    for (let c = 0; c < blocks; c++) {
      const g = group[c];
      const numbers = (zAt[firstPath[g + 1]] - zAt[firstPath[g]]) / groupRows[g];
      at[c + 1] = at[c] + numbers * (firstRow[c + 1] - firstRow[c]);
    }
    this.#FZ = grown(this.#FZ, at[blocks]);
    this.#FY = grown(this.#FY, at[blocks]);
    for (let c = 0; c < blocks; c++) {
      const g = group[c];
      const rows = groupRows[g];
      const dim = firstRow[c + 1] - firstRow[c];
      let o = at[c];
      for (let p = firstPath[g]; p < firstPath[g + 1]; p++)
        for (let j = 0; j < nodeSize[pathNode[p]]; j++, o += dim)
          for (let k = 0; k < dim; k++) {
            let z = 0;
            let y = 0;
            for (let r = 0; r < rows; r++) {
              const f = F[wrenchAt[c] + r * dim + k];
              z += f * Z[zAt[p] + j * rows + r];
              y += f * Y[zAt[p] + j * rows + r];
            }
            this.#FZ[o + k] = z;
            this.#FY[o + k] = y;
          }
    }
    return at;
  }

  #couple(
    { firstRow, nodeSize, rows: n }: ContactProblem,
    { firstPath, pathNode }: Handles,
    at: Int32Array,
    a: number,
    b: number,
    ga: number,
    gb: number,
  ): void {
    const G = this.#G;
    const [da, db] = [firstRow[a + 1] - firstRow[a], firstRow[b + 1] - firstRow[b]];
    const [ra, rb] = [firstRow[a], firstRow[b]];
    let oa = at[a];
    let ob = at[b];
    let pa = firstPath[ga];
    let pb = firstPath[gb];
    while (pa < firstPath[ga + 1] && pb < firstPath[gb + 1]) {
      const [na, nb] = [pathNode[pa], pathNode[pb]];
      if (na === nb)
        for (let j = 0; j < nodeSize[na]; j++)
          for (let k = 0; k < da; k++)
            for (let l = 0; l < db; l++)
              G[(ra + k) * n + rb + l] += this.#FZ[oa + j * da + k] * this.#FY[ob + j * db + l];
      if (na <= nb) {
        oa += da * nodeSize[na];
        pa++;
      }
      if (nb <= na) {
        ob += db * nodeSize[nb];
        pb++;
      }
    }
    if (a !== b)
      for (let k = 0; k < da; k++) for (let l = 0; l < db; l++) G[(rb + l) * n + ra + k] = G[(ra + k) * n + rb + l];
  }
}

/** u <- G lambda + g. */
export function contactVelocities({ n, G, g }: DenseProblem, lambda: Float64Array, u: Float64Array): void {
  for (let i = 0; i < n; i++) {
    let sum = g[i];
    for (let j = 0, o = i * n; j < n; j++) sum += G[o + j] * lambda[j];
    u[i] = sum;
  }
}
