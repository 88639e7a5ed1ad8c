// The impulses of an island: Newton's method in the kernels first, then the other solvers.

import {
  ImpulseSolvers,
  MOST_DENSE_ROWS,
  type Solution,
  type SolverName,
  TOLERANCE,
} from '../../contact/solver/impulse-solvers.js';
import type { IslandProblem } from '../../contact/solver/island-problem.js';
import { IslandSolver, type Prediction } from '../../contact/solver/island-solver.js';
import { KIND_CONTACT, KIND_SPIN } from '../../contact/solver/kernel/layout.js';
import { ContactProblem, grown } from '../../contact/solver/problem.js';
import type { Articulation } from './articulation.js';
import { expand } from './rows.js';

/** Newton aims lower than the tolerance: the next warm start is better for it. */
const AIM = 2e-10;
/** Stiff contacts at first, so that easy problems take two or three iterations. */
const NEWTON = { iterations: 40, eps: 1e-5 };
/** From nothing they are soft: that finds the way where a warm start leads astray. */
const AFRESH = { again: true, iterations: 40, eps: 0.1 };
/** Islands that are too large for the solvers on impulses, and up to so many rows, begin anew with these in turn instead. */
const AFRESH_LARGE = [3e-3, 1e-4, 0.1];
const MOST_AFRESH_ROWS = 600;
/** A residual that islands too large for the solvers on impulses are left with. */
const POOR = 1e-2;

/** What the solver did for mechanisms that touch each other. */
export interface IslandReport {
  readonly members: number;
  readonly contacts: number;
  readonly residual: number;
  readonly iterations: number;
  readonly solver: SolverName;
}

export class IslandSolve {
  readonly #solver = new IslandSolver();
  #expanded: ContactProblem | undefined;
  #impulseSolvers: ImpulseSolvers | undefined;
  #warm = new Float64Array(48);
  #best = new Float64Array(48);
  /** Of the last step. */
  report: IslandReport | undefined;
  /** Whether the warm start was the solution. */
  accepted = false;

  /** Mass matrices of the members and their factors; false where some joint feels no inertia. */
  begin(problem: IslandProblem): boolean {
    return this.#solver.begin(problem);
  }

  /** problem.free <- velocities at the end of the step without contacts; after begin. */
  predict(problem: IslandProblem, members: readonly Prediction[], h: number, gravity: readonly number[]): void {
    this.#solver.predict(problem, members, h, gravity);
  }

  /** The same once more with other velocities of the bias forces. */
  predictAgain(problem: IslandProblem, members: readonly Prediction[], h: number, gravity: readonly number[]): void {
    this.#solver.predictAgain(problem, members, h, gravity);
  }

  /** problem.lambda: the warm start, then the best impulses; change, force and u are theirs. */
  solve(problem: IslandProblem, articulations: readonly Articulation[]): Solution {
    const rows = 3 * problem.blocks;
    this.#warm = grown(this.#warm, rows);
    this.#best = grown(this.#best, rows);
    const warm = this.#warm;
    const best = this.#best;
    warm.set(problem.lambda.subarray(0, rows));
    const { residual, iterations } = this.#solver.solve(problem, TOLERANCE, AIM, NEWTON);
    const solution: Solution = { residual, iterations, solver: iterations > 0 ? 'newton' : 'warm' };
    this.accepted = residual <= TOLERANCE && iterations === 0;
    for (let k = 0; k < rows; k++) this.accepted &&= problem.lambda[k] === warm[k];
    if (residual <= TOLERANCE) return solution;
    best.set(problem.lambda.subarray(0, rows));
    const count = contactRows(problem);
    const small = count <= MOST_DENSE_ROWS;
    if (small || (count > MOST_AFRESH_ROWS && !(residual <= POOR))) this.#afresh(problem, solution, AFRESH.eps);
    else if (count <= MOST_AFRESH_ROWS)
      for (const eps of AFRESH_LARGE) if (!(solution.residual <= TOLERANCE)) this.#afresh(problem, solution, eps);
    // The solvers on impulses know no moments of contacts.
    const known = problem.kind.subarray(0, problem.blocks).every((kind) => kind < KIND_SPIN);
    if (small && known && !(solution.residual <= TOLERANCE)) this.#otherwise(problem, articulations, solution);
    // The velocities of the best.
    problem.lambda.set(best.subarray(0, rows));
    this.#solver.solve(problem, Number.POSITIVE_INFINITY, 0, { again: true });
    return solution;
  }

  /** Newton from no impulses at all. */
  #afresh(problem: IslandProblem, solution: Solution, eps: number): void {
    const rows = 3 * problem.blocks;
    problem.lambda.fill(0, 0, rows);
    const { residual, iterations } = this.#solver.solve(problem, TOLERANCE, AIM, { ...AFRESH, eps });
    solution.iterations += iterations;
    if (!(residual < solution.residual) && !Number.isNaN(solution.residual)) return;
    solution.residual = residual;
    this.#best.set(problem.lambda.subarray(0, rows));
  }

  /** The solvers on impulses. */
  #otherwise(problem: IslandProblem, articulations: readonly Articulation[], solution: Solution): void {
    const rows = 3 * problem.blocks;
    this.#expanded ??= new ContactProblem();
    this.#impulseSolvers ??= new ImpulseSolvers();
    const expanded = this.#expanded;
    problem.lambda.set(this.#warm.subarray(0, rows));
    for (const articulation of articulations) articulation.factorise();
    expand(problem, articulations, expanded);
    const other = this.#impulseSolvers.solve(expanded);
    solution.iterations += other.iterations;
    solution.solver = other.solver;
    if (!(other.residual < solution.residual) && !Number.isNaN(solution.residual)) return;
    solution.residual = other.residual;
    for (let c = 0; c < problem.blocks; c++) {
      const dim = problem.kind[c] === KIND_CONTACT ? 3 : 1;
      for (let k = 0; k < dim; k++) this.#best[3 * c + k] = expanded.lambda[expanded.firstRow[c] + k];
      for (let k = dim; k < 3; k++) this.#best[3 * c + k] = 0;
    }
  }

  /** u <- the velocities of the rows with velocities v, of the island of the last call. */
  motion(problem: IslandProblem, v: Float64Array, u: Float64Array): void {
    this.#solver.motion(problem, v, u);
  }

  /** Roughly, with the trees and factors of the last call, which was that of this island. */
  again(problem: IslandProblem, tolerance: number): void {
    this.#solver.solve(problem, tolerance, 0.3 * tolerance, { again: true });
  }
}

function contactRows({ blocks, kind }: IslandProblem): number {
  let rows = 0;
  for (let c = 0; c < blocks; c++) rows += kind[c] === KIND_CONTACT || kind[c] >= KIND_SPIN ? 3 : 1;
  return rows;
}
