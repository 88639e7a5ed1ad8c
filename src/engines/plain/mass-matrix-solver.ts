// H^-1, and H x = b, for one mechanism in the author's order: rows and columns as PlainDynamics.massMatrix has them. Apart from
// PlainDynamics, so that who needs neither need not load them. Memory is taken on first use and kept.

import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import { createTree, type Tree } from '../../mechanism/tree.js';
import { createPlan } from '../../plan/plan.js';
import { type CrbaScratch, crba, factorise, solveFactorised } from '../../reference/crba.js';
import type { MassMatrix } from './author-order.js';
import { reduceMatrix } from './couplings.js';
import { createDense, type DenseScratch, invertDense, linkOf } from './dense.js';
import { KernelForward } from './kernel-forward.js';
import { refuseSingular } from './refuse.js';
import { weakJoint } from './weak-joints.js';

/**
 * Mean depth, in degrees of freedom, from which a solve by articulated bodies, O(n), is faster than one by the factors along the
 * tree, O(n depth) after O(n depth^2) to make them.
 */
const DEEP = 100;

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
  /** Forward dynamics at rest without gravity, for deep trees: H^-1 tau. */
  readonly #still: KernelForward | undefined;
  readonly #zero: Float64Array;

  constructor(mechanism: Mechanism, tree: Tree = createTree(mechanism)) {
    this.mechanism = mechanism;
    this.#tree = tree;
    this.#dense = createDense(this.#tree);
    const { above } = this.#dense.crba;
    this.#zero = new Float64Array(mechanism.nv);
    if (mechanism.couplings.length === 0 && isDeep(above) && weakJoint(tree) === undefined)
      this.#still = new KernelForward(createPlan({ ...tree, gravity: [0, 0, 0] }));
  }

  /** out <- H^-1 B, nv x nv, for deep trees, column by column; false where the inverse is the better way. */
  solveColumns(state: State, B: Float64Array, out: Float64Array): boolean {
    const n = this.mechanism.nv;
    const [b, x] = [new Float64Array(n), new Float64Array(n)];
    for (let column = 0; column < n; column++) {
      for (let k = 0; k < n; k++) b[k] = B[k * n + column];
      if (!this.#solveStill(state, b, x)) return false;
      for (let k = 0; k < n; k++) out[k * n + column] = x[k];
    }
    return true;
  }

  #solveStill({ q }: State, b: Float64Array, out: Float64Array): boolean {
    return this.#still?.run(out, q, this.#zero, b, null, this.#tree.armature) === true && out.every(Number.isFinite);
  }

  /**
   * The inverse of the mass matrix, column by column by articulated bodies in deep trees, else from its factors along the tree;
   * with couplings, which neither knows, from those of the whole matrix.
   */
  inverse(state: State, out?: Float64Array): InverseMassMatrix {
    const tree = this.#tree;
    const dense = this.#dense;
    const { rows: m, x, A, follows, joints } = dense;
    const Hinv = out ?? new Float64Array(m * m);
    if (this.mechanism.couplings.length > 0) {
      crba(tree, dense.crba, state.q);
      reduceMatrix(A, dense.crba.H, dense);
      const failed = invertDense(dense);
      if (failed >= 0) refuseSingular(linkOf(tree, follows.indexOf(failed)), tree);
      Hinv.set(A);
    } else if (!this.#inverseStill(state, Hinv)) {
      const { H, above } = this.#factors(state);
      for (let column = 0; column < m; column++) {
        x.fill(0);
        x[column] = 1;
        solveFactorised(H, above, x);
        const at = follows[column];
        for (let k = column; k < m; k++) Hinv[follows[k] * m + at] = Hinv[at * m + follows[k]] = x[k];
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
    if (this.#solveStill(state, b, out)) return out;
    const { H, above } = this.#factors(state);
    const { at } = this.#dense;
    const x = Float64Array.from(at, (row) => b[row]);
    solveFactorised(H, above, x);
    at.forEach((row, k) => {
      out[row] = x[k];
    });
    return out;
  }

  #inverseStill(state: State, Hinv: Float64Array): boolean {
    if (this.#still === undefined) return false;
    const { x, rows: m } = this.#dense;
    const unit = new Float64Array(m);
    for (let column = 0; column < m; column++) {
      unit.fill(0);
      unit[column] = 1;
      if (!this.#solveStill(state, unit, x)) return false;
      for (let k = column; k < m; k++) Hinv[k * m + column] = Hinv[column * m + k] = x[k];
    }
    return true;
  }

  #factors({ q }: State): CrbaScratch {
    const scratch = this.#dense.crba;
    crba(this.#tree, scratch, q);
    const failed = factorise(scratch.H, scratch.above, this.#tree.dof);
    if (failed >= 0) refuseSingular(linkOf(this.#tree, failed), this.#tree);
    return scratch;
  }
}

/** `above`: for each degree of freedom the one above it, -1 for none. */
function isDeep(above: Int32Array): boolean {
  const depth = new Int32Array(above.length);
  let sum = 0;
  for (let k = 0; k < above.length; k++) {
    depth[k] = above[k] < 0 ? 1 : depth[above[k]] + 1;
    sum += depth[k];
  }
  return sum > DEEP * above.length;
}
