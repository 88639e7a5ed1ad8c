// For states where Newton's method goes in circles: a sequence of easier problems, G + eps D and g - eps D lambda_k, each
// solved by dense Newton; lambda_k follows. The fixed point is a solution of the problem itself.

import { contactVelocities, type DenseProblem } from './contact-matrix.js';
import { DenseNewton } from './dense-newton.js';
import { grown } from './problem.js';
import { type Outcome, residual } from './residual.js';

const MOST_ROUNDS = 30;
const INNER_ITERATIONS = 15;
const FIRST_EPS = 1e-2;

export class ProximalNewton {
  readonly #newton = new DenseNewton();
  #G = new Float64Array(0);
  #g = new Float64Array(0);
  #d = new Float64Array(0);
  #u = new Float64Array(0);
  #next = new Float64Array(0);
  #best = new Float64Array(0);

  /** Improves lambda; the best of all rounds stays. */
  solve(problem: DenseProblem, lambda: Float64Array, tolerance: number): Outcome {
    const { n, blocks, firstRow, d } = problem;
    this.#G = grown(this.#G, n * n);
    this.#g = grown(this.#g, n);
    this.#u = grown(this.#u, n);
    this.#next = grown(this.#next, n);
    this.#best = grown(this.#best, n);
    this.#d = grown(this.#d, blocks);
    const [G, g, u, next, best] = [this.#G, this.#g, this.#u, this.#next, this.#best];
    contactVelocities(problem, lambda, u);
    let r = residual(problem, d, lambda, u);
    let least = r;
    best.set(lambda.subarray(0, n));
    let eps = FIRST_EPS;
    let iterations = 0;
    for (let round = 0; round < MOST_ROUNDS && r > tolerance; round++) {
      G.set(problem.G.subarray(0, n * n));
      for (let c = 0; c < blocks; c++) {
        this.#d[c] = d[c] * (1 + eps);
        for (let i = firstRow[c]; i < firstRow[c + 1]; i++) {
          G[i * n + i] += eps * d[c];
          g[i] = problem.g[i] - eps * d[c] * lambda[i];
        }
      }
      next.set(lambda.subarray(0, n));
      const eased = { ...problem, G, g, d: this.#d };
      const inner = this.#newton.solve(eased, next, {
        tolerance: Math.max(0.3 * tolerance, Math.min(1e-3 * r, 1e-7)),
        iterations: INNER_ITERATIONS,
        eps: 1e-9,
      });
      iterations += inner.iterations;
      contactVelocities(problem, next, u);
      const outer = residual(problem, d, next, u);
      const converged = inner.residual <= 1e-2 * r || inner.residual <= tolerance;
      if (converged || outer < r) {
        lambda.set(next.subarray(0, n));
        r = outer;
        if (r < least) {
          least = r;
          best.set(lambda.subarray(0, n));
        }
      }
      eps = converged ? Math.max(1e-6, eps / 5) : Math.min(1, eps * 5);
    }
    lambda.set(best.subarray(0, n));
    return { residual: least, iterations };
  }
}
