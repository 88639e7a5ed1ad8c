// The last resort: the alternating direction method of multipliers with a proximal term (as in Simple and Kamino). x obeys the
// mechanics, y the cones, z drives them together; De Saxce's shift mu |z_t| makes the fixed point Coulomb's law.
//
//   x = (A + rho + eta)^-1 (-g - s + eta x + rho y + z)          A, g scaled by the roots of d; factorised once for each rho
//   y = P(x - z / rho),   z = z - rho (x - y)                    P: projection on cones and boxes
//
// It needs many iterations and no luck. rho follows the imbalance of the two residuals.

import { factorPositive, solveFactored } from '../../reference/solve-positive.js';
import { contactVelocities, type DenseProblem } from './contact-matrix.js';
import { CONTACT, grown, LIMIT } from './problem.js';
import { type Outcome, projectOnCone, residual } from './residual.js';

const ETA = 1e-6;
const FIRST_RHO = 0.3;
const MOST_ITERATIONS = 500;
/** An imbalance beyond this changes rho, by this at most. */
const IMBALANCE = 10;

export class Admm {
  #A = new Float64Array(0);
  #factor = new Float64Array(0);
  /** Of each row: root of 1 / d. */
  #s = new Float64Array(0);
  #x = new Float64Array(0);
  #y = new Float64Array(0);
  #z = new Float64Array(0);
  #b = new Float64Array(0);
  #old = new Float64Array(0);
  #u = new Float64Array(0);
  #lambda = new Float64Array(0);

  /** Improves lambda; the best of all iterates stays. */
  solve(problem: DenseProblem, lambda: Float64Array, tolerance: number): Outcome {
    const { n, blocks, kind, firstRow, mu, scale, d, G, g } = problem;
    this.#begin(problem, lambda);
    const [A, s, x, y, z, b, old, u, mine] = [
      this.#A,
      this.#s,
      this.#x,
      this.#y,
      this.#z,
      this.#b,
      this.#old,
      this.#u,
      this.#lambda,
    ];
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) A[i * n + j] = G[i * n + j] * s[i] * s[j];
    let rho = FIRST_RHO;
    let factors = 0;
    const refactor = (): void => {
      this.#factor.set(A.subarray(0, n * n));
      for (let i = 0; i < n; i++) this.#factor[i * n + i] += rho + ETA;
      factorPositive(this.#factor, n);
      factors++;
    };
    refactor();
    let least = residual(problem, d, lambda, u);
    let r = least;
    let iterations = 0;
    for (let next = 3; r > tolerance && iterations < MOST_ITERATIONS; ) {
      for (let i = 0; i < n; i++) b[i] = -g[i] * s[i] + ETA * x[i] + rho * y[i] + z[i];
      for (let c = 0; c < blocks; c++)
        if (kind[c] === CONTACT) {
          const o = firstRow[c];
          b[o] -= mu[c] * Math.sqrt(z[o + 1] * z[o + 1] + z[o + 2] * z[o + 2]);
        }
      solveFactored(this.#factor, b, n);
      let dual = 0;
      let primal = 0;
      for (let i = 0; i < n; i++) {
        old[i] = y[i];
        dual = Math.max(dual, ETA * Math.abs(b[i] - x[i]));
        x[i] = b[i];
        b[i] -= z[i] / rho;
        y[i] = b[i];
      }
      for (let c = 0; c < blocks; c++) {
        const o = firstRow[c];
        if (kind[c] === CONTACT) projectOnCone(y, o, mu[c]);
        else if (kind[c] === LIMIT) y[o] = Math.max(0, y[o]);
        else y[o] = Math.min(mu[c] / s[o], Math.max(-mu[c] / s[o], y[o]));
      }
      for (let i = 0; i < n; i++) {
        z[i] = rho * (y[i] - b[i]);
        primal = Math.max(primal, Math.abs(x[i] - y[i]));
        dual = Math.max(dual, rho * Math.abs(y[i] - old[i]));
      }
      iterations++;
      if (Math.max(primal, dual) < 30 * tolerance * scale || iterations % 5 === 0 || iterations === MOST_ITERATIONS) {
        for (let i = 0; i < n; i++) mine[i] = y[i] * s[i];
        contactVelocities(problem, mine, u);
        r = residual(problem, d, mine, u);
        if (r < least) {
          least = r;
          lambda.set(mine.subarray(0, n));
        }
      }
      const imbalance = primal / Math.max(dual, 1e-300);
      if (iterations >= next && (imbalance > IMBALANCE || imbalance < 1 / IMBALANCE)) {
        rho *= Math.min(IMBALANCE, Math.max(1 / IMBALANCE, Math.sqrt(imbalance)));
        refactor();
        next = iterations + 10 + factors * factors;
      }
    }
    return { residual: least, iterations };
  }

  /** x = y = lambda, z = u with its shift, all scaled. */
  #begin(problem: DenseProblem, lambda: Float64Array): void {
    const { n, blocks, kind, firstRow, mu, d } = problem;
    this.#A = grown(this.#A, n * n);
    this.#factor = grown(this.#factor, n * n);
    this.#s = grown(this.#s, n);
    this.#x = grown(this.#x, n);
    this.#y = grown(this.#y, n);
    this.#z = grown(this.#z, n);
    this.#b = grown(this.#b, n);
    this.#old = grown(this.#old, n);
    this.#u = grown(this.#u, n);
    this.#lambda = grown(this.#lambda, n);
    const [s, z, u] = [this.#s, this.#z, this.#u];
    contactVelocities(problem, lambda, u);
    for (let c = 0; c < blocks; c++) {
      const o = firstRow[c];
      const root = 1 / Math.sqrt(d[c]);
      for (let i = o; i < firstRow[c + 1]; i++) {
        s[i] = root;
        this.#x[i] = this.#y[i] = lambda[i] / root;
        z[i] = u[i] * root;
      }
      if (kind[c] === CONTACT)
        z[o] = root * (Math.max(0, u[o]) + mu[c] * Math.sqrt(u[o + 1] * u[o + 1] + u[o + 2] * u[o + 2]));
      else if (kind[c] === LIMIT) z[o] = Math.max(0, z[o]);
    }
  }
}
