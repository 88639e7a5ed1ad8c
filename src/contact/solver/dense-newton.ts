// Newton's method on the impulses: a few sweeps find which blocks stick, slide and open, then the laws of those modes are solved
// together as one linear system of the active rows; a sweep after each step keeps modes consistent. A small proximal term holds
// where G is singular: stacks and feet with more contacts than freedoms.

import { contactVelocities, type DenseProblem } from './contact-matrix.js';
import { solveDense } from './linear-solve.js';
import { CONTACT, grown } from './problem.js';
import { clampImpulses, type Outcome, residual } from './residual.js';
import { OPEN, STICK, Sweeps } from './sweeps.js';

const FIRST_SWEEPS = 3;
/** Steps shorter than this are not tried. */
const SHORTEST_STEP = 0.05;
const STEP_FACTOR = 0.4;

export interface DenseNewtonOptions {
  readonly tolerance: number;
  readonly iterations: number;
  /** First proximal term, as a part of d. */
  readonly eps?: number;
}

export class DenseNewton {
  readonly #sweeps = new Sweeps();
  #u = new Float64Array(0);
  #tried = new Float64Array(0);
  #triedU = new Float64Array(0);
  #modes = new Uint8Array(0);
  #triedModes = new Uint8Array(0);
  /** Active rows. */
  #active = new Int32Array(0);
  #A = new Float64Array(0);
  #x = new Float64Array(0);

  /** Improves lambda. */
  solve(problem: DenseProblem, lambda: Float64Array, options: DenseNewtonOptions): Outcome {
    const { n, blocks, d } = problem;
    const { tolerance } = options;
    this.#u = grown(this.#u, n);
    this.#tried = grown(this.#tried, n);
    this.#triedU = grown(this.#triedU, n);
    this.#x = grown(this.#x, n);
    this.#active = grown(this.#active, n);
    this.#modes = grown(this.#modes, blocks);
    this.#triedModes = grown(this.#triedModes, blocks);
    const u = this.#u;
    contactVelocities(problem, lambda, u);
    let r = residual(problem, d, lambda, u);
    if (!(r > tolerance)) return { residual: r, iterations: 0 };
    this.#sweeps.prepare(problem);
    const sweep = (): void => {
      this.#sweeps.sweep(problem, lambda, u, this.#modes);
      r = residual(problem, d, lambda, u);
    };
    for (let k = 0; k < FIRST_SWEEPS && r > tolerance; k++) sweep();
    let eps = options.eps ?? 1e-8;
    let iterations = 0;
    for (let failures = 0; r > tolerance && iterations < options.iterations; iterations++) {
      const rows = this.#assemble(problem, lambda, eps);
      const better =
        rows > 0 && solveDense(this.#A, this.#x, rows) ? this.#search(problem, lambda, rows, r, tolerance) : r;
      if (better < r) {
        r = better;
        failures = 0;
        eps = Math.max(1e-10, eps / 10);
        continue;
      }
      failures++;
      eps = Math.min(1e-1, eps * 100);
      for (let k = 0; k < 2 << Math.min(failures, 4) && r > tolerance; k++) sweep();
    }
    return { residual: r, iterations };
  }

  /** The linear system of the active rows: A x = change of impulses wanted. Returns its size. */
  #assemble(problem: DenseProblem, lambda: Float64Array, eps: number): number {
    const { blocks, kind, firstRow, mu, n, G, d } = problem;
    const modes = this.#modes;
    const active = this.#active;
    const u = this.#u;
    let q = 0;
    for (let c = 0; c < blocks; c++)
      if (modes[c] !== OPEN) for (let i = firstRow[c]; i < firstRow[c + 1]; i++) active[q++] = i;
    this.#A = grown(this.#A, q * q);
    const A = this.#A;
    const x = this.#x;
    /** Row w: u_i + eps d x = 0. */
    const still = (w: number, i: number, e: number): void => {
      for (let j = 0; j < q; j++) A[w * q + j] = G[i * n + active[j]];
      A[w * q + w] += e;
      x[w] = -u[i];
    };
    for (let c = 0, w = 0; c < blocks; c++) {
      if (modes[c] === OPEN) continue;
      const o = firstRow[c];
      const dc = d[c];
      if (kind[c] !== CONTACT) {
        if (modes[c] === STICK) still(w, o, eps * dc);
        else {
          // At its bound: no change.
          A.fill(0, w * q, w * q + q);
          A[w * q + w] = 1;
          x[w] = 0;
        }
        w++;
        continue;
      }
      still(w, o, eps * dc);
      if (modes[c] === STICK) {
        still(w + 1, o + 1, eps * dc);
        still(w + 2, o + 2, eps * dc);
      } else {
        // d lambda_t = mu d lambda_n e, e the direction of y = d lambda_t - u_t; P projects across it:
        // d dl_t - mu d e dl_n - f P (d dl_t - G_t dl) = -(d lambda_t - mu d lambda_n e),   f = mu d lambda_n / |y|
        const y1 = lambda[o + 1] * dc - u[o + 1];
        const y2 = lambda[o + 2] * dc - u[o + 2];
        const length = Math.sqrt(y1 * y1 + y2 * y2) || 1;
        const e1 = y1 / length;
        const e2 = y2 / length;
        const f = (mu[c] * lambda[o] * dc) / length;
        const P11 = f * e2 * e2;
        const P12 = -f * e1 * e2;
        const P22 = f * e1 * e1;
        const a = (w + 1) * q;
        const b = a + q;
        for (let j = 0; j < q; j++) {
          const g1 = G[(o + 1) * n + active[j]];
          const g2 = G[(o + 2) * n + active[j]];
          A[a + j] = P11 * g1 + P12 * g2;
          A[b + j] = P12 * g1 + P22 * g2;
        }
        A[a + w] -= mu[c] * dc * e1;
        A[b + w] -= mu[c] * dc * e2;
        A[a + w + 1] += dc * (1 - P11);
        A[a + w + 2] -= dc * P12;
        A[b + w + 1] -= dc * P12;
        A[b + w + 2] += dc * (1 - P22);
        x[w + 1] = -dc * (lambda[o + 1] - mu[c] * lambda[o] * e1);
        x[w + 2] = -dc * (lambda[o + 2] - mu[c] * lambda[o] * e2);
      }
      w += 3;
    }
    return q;
  }

  /** Takes the longest step that lowers the residual, swept once; returns the residual, no lower than r where none does. */
  #search(problem: DenseProblem, lambda: Float64Array, rows: number, r: number, tolerance: number): number {
    const { blocks, firstRow, n, d } = problem;
    const tried = this.#tried;
    const triedU = this.#triedU;
    for (let length = 1; length > SHORTEST_STEP; length *= STEP_FACTOR) {
      for (let i = 0; i < n; i++) tried[i] = lambda[i];
      for (let c = 0; c < blocks; c++)
        if (this.#modes[c] === OPEN) for (let i = firstRow[c]; i < firstRow[c + 1]; i++) tried[i] *= 1 - length;
      for (let j = 0; j < rows; j++) tried[this.#active[j]] += length * this.#x[j];
      clampImpulses(problem, tried);
      contactVelocities(problem, tried, triedU);
      let next = residual(problem, d, tried, triedU);
      this.#triedModes.set(this.#modes);
      if (next > tolerance) {
        this.#sweeps.sweep(problem, tried, triedU, this.#triedModes);
        next = residual(problem, d, tried, triedU);
      }
      if (!(next < r * (length === 1 ? 1 : 0.98))) continue;
      lambda.set(tried.subarray(0, n));
      this.#u.set(triedU.subarray(0, n));
      this.#modes.set(this.#triedModes);
      return next;
    }
    return r;
  }
}
