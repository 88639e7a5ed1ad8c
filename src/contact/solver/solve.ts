// One problem, several solvers, the cheapest first; each is judged by the same residual, and the best impulses are kept.
//
//   warm     the impulses of the last step as they are
//   newton   Newton in velocity space; no G
//   dense    G, three sweeps and Newton on the impulses, from the warm start again
//   proximal Newton on easier problems
//   admm     the alternating direction method

import { Admm } from './admm.js';
import { ContactMatrix } from './contact-matrix.js';
import { DenseNewton } from './dense-newton.js';
import { Handles } from './handles.js';
import { type ContactProblem, grown } from './problem.js';
import { ProximalNewton } from './proximal-newton.js';
import { residual } from './residual.js';
import { VelocityNewton } from './velocity-newton.js';

export type SolverName = 'warm' | 'newton' | 'dense' | 'proximal' | 'admm';

export interface Solution {
  /** Relative; see residual.ts. */
  residual: number;
  iterations: number;
  /** The last solver that was asked. */
  solver: SolverName;
}

/** A residual that is good enough to stop at. */
export const TOLERANCE = 1e-9;
/** Solvers aim lower than the tolerance: the next warm start is better for it. */
export const AIM = 3e-10;
/** Rows beyond which no G is formed. */
export const MOST_DENSE_ROWS = 600;

/** Newton once more where no G is formed: softer contacts, more iterations. */
const CAREFUL = { iterations: 40, eps: 0.1 };

export interface SolveOptions {
  readonly tolerance?: number;
  readonly fallbacks?: boolean;
  /** False: Newton in velocity space has been tried already. */
  readonly newton?: boolean;
}

export class ContactSolver {
  readonly handles = new Handles();
  readonly #newton = new VelocityNewton();
  #matrix: ContactMatrix | undefined;
  #dense: DenseNewton | undefined;
  #proximal: ProximalNewton | undefined;
  #admm: Admm | undefined;
  #u = new Float64Array(64);
  #warm = new Float64Array(64);
  #tried = new Float64Array(64);

  /** problem.lambda: the warm start, then the solution. Without fallbacks Newton in velocity space is the last that is asked. */
  solve(
    problem: ContactProblem,
    { tolerance = TOLERANCE, fallbacks = true, newton = true }: SolveOptions = {},
  ): Solution {
    const { handles } = this;
    const { lambda, rows } = problem;
    this.#u = grown(this.#u, rows);
    this.#warm = grown(this.#warm, rows);
    this.#tried = grown(this.#tried, rows);
    const warm = this.#warm;
    warm.set(lambda.subarray(0, rows));
    handles.prepare(problem);
    handles.evaluate(problem, lambda, this.#u);
    const best: Solution = { residual: residual(problem, handles.d, lambda, this.#u), iterations: 0, solver: 'warm' };
    const attempt = (solver: SolverName, from: Float64Array, run: (at: Float64Array) => void): void => {
      if (best.residual <= tolerance) return;
      const tried = this.#tried;
      tried.set(from.subarray(0, rows));
      best.solver = solver;
      run(tried);
    };
    const keep = ({ residual: r, iterations }: { residual: number; iterations: number }): void => {
      best.iterations += iterations;
      if (r < best.residual || Number.isNaN(best.residual)) {
        best.residual = r;
        lambda.set(this.#tried.subarray(0, rows));
      }
    };
    const aim = (AIM / TOLERANCE) * tolerance;
    if (newton) attempt('newton', warm, (at) => keep(this.#newton.solve(problem, handles, at, aim)));
    if (best.residual <= tolerance || !fallbacks) return best;
    if (rows > MOST_DENSE_ROWS) {
      // From the best so far, then from nothing.
      attempt('newton', lambda, (at) => keep(this.#newton.solve(problem, handles, at, aim, CAREFUL)));
      attempt('newton', warm.fill(0, 0, rows), (at) => keep(this.#newton.solve(problem, handles, at, aim, CAREFUL)));
      return best;
    }
    this.#matrix ??= new ContactMatrix();
    const dense = this.#matrix.build(problem, handles);
    attempt('dense', warm, (at) => {
      this.#dense ??= new DenseNewton();
      keep(this.#dense.solve(dense, at, { tolerance: 0.1 * tolerance, iterations: 15 }));
    });
    for (const from of [lambda, warm])
      attempt('proximal', from, (at) => {
        this.#proximal ??= new ProximalNewton();
        keep(this.#proximal.solve(dense, at, tolerance));
      });
    attempt('admm', warm, (at) => {
      this.#admm ??= new Admm();
      keep(this.#admm.solve(dense, at, tolerance));
    });
    return best;
  }
}
