// The solvers on impulses, for what Newton's method in velocity space (kernel/newton.ts) leaves. They share G = J H^-1 J^T; each is
// judged by the same residual, and the best impulses are kept.
//
//   dense    three sweeps and Newton on the impulses
//   proximal Newton on easier problems
//   admm     the alternating direction method

import { Admm } from './admm.js';
import { ContactMatrix } from './contact-matrix.js';
import { DenseNewton } from './dense-newton.js';
import { Handles } from './handles.js';
import { type ContactProblem, grown } from './problem.js';
import { ProximalNewton } from './proximal-newton.js';
import { type Outcome, residual } from './residual.js';

/** What found the impulses of a step; warm: those of the last step, as they are; newton, interior: in velocity space. */
export type SolverName = 'warm' | 'newton' | 'interior' | 'dense' | 'proximal' | 'admm';

export interface Solution extends Outcome {
  /** The last solver that was asked. */
  solver: SolverName;
}

/** A residual that is good enough to stop at; see residual.ts. */
export const TOLERANCE = 1e-9;
/** Rows beyond which no G is formed. */
export const MOST_DENSE_ROWS = 120;

export class ImpulseSolvers {
  readonly handles = new Handles();
  readonly #matrix = new ContactMatrix();
  readonly #dense = new DenseNewton();
  readonly #proximal = new ProximalNewton();
  readonly #admm = new Admm();
  #u = new Float64Array(64);
  #warm = new Float64Array(64);
  #tried = new Float64Array(64);

  /** problem.lambda: the warm start, then the best impulses. */
  solve(problem: ContactProblem): Solution {
    const { handles } = this;
    const { lambda, rows } = problem;
    this.#u = grown(this.#u, rows);
    this.#warm = grown(this.#warm, rows);
    this.#tried = grown(this.#tried, rows);
    const warm = this.#warm;
    const tried = this.#tried;
    warm.set(lambda.subarray(0, rows));
    handles.prepare(problem);
    handles.evaluate(problem, lambda, this.#u);
    const best: Solution = { residual: residual(problem, handles.d, lambda, this.#u), iterations: 0, solver: 'warm' };
    if (best.residual <= TOLERANCE) return best;
    const attempt = (solver: SolverName, from: Float64Array, run: () => Outcome): void => {
      if (best.residual <= TOLERANCE) return;
      tried.set(from.subarray(0, rows));
      best.solver = solver;
      const { residual: r, iterations } = run();
      best.iterations += iterations;
      if (!(r < best.residual) && !Number.isNaN(best.residual)) return;
      best.residual = r;
      lambda.set(tried.subarray(0, rows));
    };
    const dense = this.#matrix.build(problem, handles);
    const options = { tolerance: 0.1 * TOLERANCE, iterations: 15 };
    attempt('dense', warm, () => this.#dense.solve(dense, tried, options));
    for (const from of [lambda, warm]) attempt('proximal', from, () => this.#proximal.solve(dense, tried, TOLERANCE));
    attempt('admm', warm, () => this.#admm.solve(dense, tried, TOLERANCE));
    return best;
  }
}
