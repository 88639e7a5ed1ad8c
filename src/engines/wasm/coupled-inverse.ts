// The inverse of the mass matrix of coupled joints from that of the tree in which all move by themselves. Couplings are
// constraints C v = 0, a row for each follower, so that with K = G (G^T H G)^-1 G^T
//
//   K = H^-1 - W W2^T,   W = H^-1 C^T,   W2 = W (C W)^-1,   and  K B = X - W2 (C X)  for X = H^-1 B.
//
// Rows of followers are their sources' times the multiplier: nothing is left of large numbers that cancel.

import type { Mechanism } from '../../mechanism/mechanism.js';
import { factorPositive, solveFactored } from '../../reference/solve-positive.js';
import type { ForwardDerivatives } from '../engine.js';

export class CoupledInverse {
  readonly #nv: number;
  readonly #follower: Int32Array;
  readonly #source: Int32Array;
  readonly #multiplier: Float64Array;
  /** m x nv each: W and W2, transposed. */
  readonly #W: Float64Array;
  readonly #W2: Float64Array;
  readonly #CW: Float64Array;
  readonly #column: Float64Array;
  readonly #row: Float64Array;

  constructor({ couplings, joints, nv }: Mechanism) {
    const m = couplings.length;
    this.#nv = nv;
    this.#follower = Int32Array.from(couplings, ({ joint }) => joints[joint].iv);
    this.#source = Int32Array.from(couplings, ({ source }) => joints[source].iv);
    this.#multiplier = Float64Array.from(couplings, ({ multiplier }) => multiplier);
    this.#W = new Float64Array(m * nv);
    this.#W2 = new Float64Array(m * nv);
    this.#CW = new Float64Array(m * m);
    this.#column = new Float64Array(m);
    this.#row = new Float64Array(nv);
  }

  /** K in the place of H^-1; false where that is not positive definite. */
  project(inverse: Float64Array): boolean {
    const n = this.#nv;
    const m = this.#follower.length;
    const [W, W2, CW, column] = [this.#W, this.#W2, this.#CW, this.#column];
    for (let r = 0; r < m; r++) this.#constraintRow(W, n * r, inverse, r);
    for (let r = 0; r < m; r++)
      for (let s = 0; s < m; s++)
        CW[m * r + s] = W[n * s + this.#follower[r]] - this.#multiplier[r] * W[n * s + this.#source[r]];
    if (!factorPositive(CW, m)) return false;
    for (let k = 0; k < n; k++) {
      for (let r = 0; r < m; r++) column[r] = W[n * r + k];
      solveFactored(CW, column, m);
      for (let r = 0; r < m; r++) W2[n * r + k] = column[r];
    }
    this.#subtract(inverse, W);
    for (let r = 0; r < m; r++) {
      const [f, source, factor] = [this.#follower[r], this.#source[r], this.#multiplier[r]];
      for (let k = 0; k < n * n; k += n) inverse[k + f] = factor * inverse[k + source];
    }
    return true;
  }

  /** K B in the place of H^-1 B, after `project`, for displacements in which followers go with their sources. */
  projectColumns(X: Float64Array): void {
    const n = this.#nv;
    const m = this.#follower.length;
    for (let r = 0; r < m; r++) {
      const [f, s, factor] = [this.#follower[r], this.#source[r], this.#multiplier[r]];
      for (let k = 0; k < n * n; k += n) {
        X[k + s] += factor * X[k + f];
        X[k + f] = 0;
      }
    }
    const CX = this.#W;
    for (let r = 0; r < m; r++) this.#constraintRow(CX, n * r, X, r);
    this.#subtract(X, CX);
  }

  /** All of forward dynamics' derivatives: in `out` those of the tree become those of the coupled joints. */
  apply({ dq, dv, dtau }: ForwardDerivatives): boolean {
    if (!this.project(dtau)) return false;
    this.projectColumns(dq);
    this.projectColumns(dv);
    return true;
  }

  /** Row r of C X. */
  #constraintRow(out: Float64Array, at: number, X: Float64Array, r: number): void {
    const n = this.#nv;
    const [f, s, factor] = [n * this.#follower[r], n * this.#source[r], this.#multiplier[r]];
    for (let k = 0; k < n; k++) out[at + k] = X[f + k] - factor * X[s + k];
  }

  /** X -= W2 (C X), followers' rows as those of their sources. */
  #subtract(X: Float64Array, CX: Float64Array): void {
    const n = this.#nv;
    const m = this.#follower.length;
    const [W2, row] = [this.#W2, this.#row];
    for (let i = 0; i < n; i++) {
      row.fill(0);
      for (let r = 0; r < m; r++) {
        const factor = W2[n * r + i];
        if (factor === 0) continue;
        for (let k = 0, at = n * r; k < n; k++, at++) row[k] += factor * CX[at];
      }
      for (let k = 0, at = n * i; k < n; k++, at++) X[at] -= row[k];
    }
    for (let r = 0; r < m; r++) {
      const [f, s, factor] = [n * this.#follower[r], n * this.#source[r], this.#multiplier[r]];
      for (let k = 0; k < n; k++) X[f + k] = factor * X[s + k];
    }
  }
}
