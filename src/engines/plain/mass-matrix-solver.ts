// H^-1, and H x = b, for one mechanism in the author's order: rows and columns as PlainDynamics.massMatrix has them. Apart from
// PlainDynamics, so that who needs neither need not load them. Memory is taken on first use and kept.

import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import { createTree, type Tree } from '../../mechanism/tree.js';
import { type CrbaScratch, crba, factorise, solveFactorised } from '../../reference/crba.js';
import type { MassMatrix } from './author-order.js';
import { createDense, type DenseScratch, invertDense, linkOf, reduceMassMatrix } from './dense.js';
import { refuseSingular } from './refuse.js';

/** The inverse of the joint-space mass matrix. */
export interface InverseMassMatrix {
  readonly n: number;
  /** n x n, row major. */
  readonly Hinv: Float64Array;
  readonly joints: MassMatrix['joints'];
}

export class MassMatrixSolver {
  readonly mechanism: Mechanism;
  readonly #tree: Tree;
  readonly #dense: DenseScratch;

  constructor(mechanism: Mechanism, tree: Tree = createTree(mechanism)) {
    this.mechanism = mechanism;
    this.#tree = tree;
    this.#dense = createDense(this.#tree);
  }

  /**
   * The inverse of the mass matrix, column by column from its factors along the tree; with couplings, which these factors do
   * not know, from those of the whole matrix.
   */
  inverse(state: State, out?: Float64Array): InverseMassMatrix {
    const tree = this.#tree;
    const dense = this.#dense;
    const { m, x, A, rowOf, joints } = dense;
    const Hinv = out ?? new Float64Array(m * m);
    if (this.mechanism.couplings.length > 0) {
      crba(tree, dense.crba, state.q);
      reduceMassMatrix(dense, dense.crba.H, A);
      const failed = invertDense(dense);
      if (failed >= 0) refuseSingular(linkOf(tree, rowOf.indexOf(failed)), tree);
      Hinv.set(A);
    } else {
      const { H, above } = this.#factors(state);
      for (let column = 0; column < m; column++) {
        x.fill(0);
        x[column] = 1;
        solveFactorised(H, above, x);
        const at = rowOf[column];
        for (let k = column; k < m; k++) Hinv[rowOf[k] * m + at] = Hinv[at * m + rowOf[k]] = x[k];
      }
    }
    return { n: m, Hinv, joints };
  }

  /**
   * x with H x = b: the mass matrix is factorised along the tree, without fill-in, so that a bushy mechanism costs little
   * more than O(n). (With couplings it is inverted.)
   */
  solve(state: State, b: Float64Array, out: Float64Array = new Float64Array(b.length)): Float64Array {
    const { mechanism } = this;
    if (mechanism.couplings.length > 0) {
      const { Hinv, n } = this.inverse(state);
      out.set(b.map((_, i) => b.reduce((sum, value, j) => sum + Hinv[i * n + j] * value, 0)));
      return out;
    }
    const { H, above } = this.#factors(state);
    const { at } = this.#dense;
    const x = Float64Array.from(at, (row) => b[row]);
    solveFactorised(H, above, x);
    at.forEach((row, k) => {
      out[row] = x[k];
    });
    return out;
  }

  #factors({ q }: State): CrbaScratch {
    const scratch = this.#dense.crba;
    crba(this.#tree, scratch, q);
    const failed = factorise(scratch.H, scratch.above, this.#tree.dof);
    if (failed >= 0) refuseSingular(linkOf(this.#tree, failed), this.#tree);
    return scratch;
  }
}
