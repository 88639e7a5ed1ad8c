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
/**
 * Stiff contacts at first, so that easy problems take two or three iterations; not so stiff for figures: lying with loaded joint limits
 * they are led astray (paper-003: 20 of 1000 steps left above 1e-8, 5 so), where free bodies in shingles (dominoes) need it.
 */
const NEWTON = { iterations: 40, eps: 1e-5 };
const NEWTON_OF_FIGURES = { iterations: 40, eps: 1e-4 };
/** Iterations of the interior-point method, from the warm start and then from nothing. */
const INSIDE = 60;
/** How often it is asked again with moments of contacts that Newton's method found meanwhile. */
const MOST_MOMENTS = 2;
/** From nothing they are soft: that finds the way where a warm start leads astray. */
const AFRESH = { again: true, iterations: 40, eps: 0.1, growth: 0 };
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
    const figures = articulations.some(({ free, nv }) => free[0] === 0 || nv > 6);
    const { residual, iterations } = this.#solver.solve(problem, TOLERANCE, AIM, figures ? NEWTON_OF_FIGURES : NEWTON);
    const solution: Solution = { residual, iterations, solver: iterations > 0 ? 'newton' : 'warm' };
    this.accepted = residual <= TOLERANCE && iterations === 0;
    for (let k = 0; k < rows; k++) this.accepted &&= problem.lambda[k] === warm[k];
    if (residual <= TOLERANCE) return solution;
    best.set(problem.lambda.subarray(0, rows));
    const count = contactRows(problem);
    const small = count <= MOST_DENSE_ROWS;
    const spins = problem.kind.subarray(0, problem.blocks).some((kind) => kind >= KIND_SPIN);
    // Where one start leads astray another may not: what Newton's method found, the last impulses, none.
    let tried = this.#insideFromBest(problem, solution);
    if (!(solution.residual <= TOLERANCE)) {
      problem.lambda.set(warm.subarray(0, rows));
      this.#inside(problem, solution);
    }
    // Moments of contacts are what Newton's method last found: once more from there, if they are others.
    for (let k = 0; spins && k < MOST_MOMENTS && !(solution.residual <= TOLERANCE) && solution.residual < tried; k++)
      tried = this.#insideFromBest(problem, solution);
    if (count <= MOST_AFRESH_ROWS && !(solution.residual <= TOLERANCE)) {
      problem.lambda.fill(0, 0, rows);
      this.#inside(problem, solution);
    }
    let starts: readonly number[] = [];
    if (small || (count > MOST_AFRESH_ROWS && !(solution.residual <= POOR))) starts = [AFRESH.eps];
    else if (count <= MOST_AFRESH_ROWS) starts = AFRESH_LARGE;
    for (const eps of starts) if (!(solution.residual <= TOLERANCE)) this.#afresh(problem, solution, eps);
    if (small && !spins && !(solution.residual <= TOLERANCE)) this.#otherwise(problem, articulations, solution);
    return this.#bestOf(problem, solution);
  }

  /** The best impulses, and their velocities. */
  #bestOf(problem: IslandProblem, solution: Solution): Solution {
    problem.lambda.set(this.#best.subarray(0, 3 * problem.blocks));
    this.#solver.solve(problem, Number.POSITIVE_INFINITY, 0, { again: true });
    return solution;
  }

  /** The interior-point method, from impulses at hand. */
  #inside(problem: IslandProblem, solution: Solution): void {
    const rows = 3 * problem.blocks;
    const { residual, iterations } = this.#solver.solveFromInside(problem, TOLERANCE, AIM, INSIDE);
    solution.iterations += iterations;
    solution.solver = 'interior';
    if (!(residual < solution.residual) && !Number.isNaN(solution.residual)) return;
    solution.residual = residual;
    this.#best.set(problem.lambda.subarray(0, rows));
  }

  /** The same from the best impulses; their residual. */
  #insideFromBest(problem: IslandProblem, solution: Solution): number {
    const { residual } = solution;
    problem.lambda.set(this.#best.subarray(0, 3 * problem.blocks));
    this.#inside(problem, solution);
    return residual;
  }

  /** Newton from no impulses at all. */
  #afresh(problem: IslandProblem, solution: Solution, eps: number): void {
    const rows = 3 * problem.blocks;
    problem.lambda.fill(0, 0, rows);
    const { residual, iterations } = this.#solver.solve(problem, TOLERANCE, AIM, { ...AFRESH, eps });
    solution.iterations += iterations;
    solution.solver = 'newton';
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
