// Newton's method in velocity space: the first solver. No G is formed; an iteration is one factorisation of the mass matrices
// with the stiffness of the contacts on them, and one pass through the mass matrices alone.
//
// With y = d lambda - u (Alart and Curnier) each block says what it wants of the change of impulses,
//
//   dlambda = e - W J dv,      H dv = J^T dlambda      =>      (H + J^T W J) dv = J^T e
//
//   open      y_n <= 0                    dlambda = -lambda
//   stick     |y_t| <= mu y_n             dlambda = -rho (u + J dv),  rho = 1 / (eps d): a proximal step towards u = 0
//   slide                                 the normal as stick; friction is mu lambda_n along y_t, and across it turns with the
//                                         slip: W couples friction with the normal and is not symmetric
//
// Then impulses are put back into their cones. eps falls with success and rises with failure, not below 1e-5: the equations
// cancel there.

import { addGroupForce, groupMotion, type Handles } from './handles.js';
import { IslandMatrix } from './island-matrix.js';
import { CONTACT, type ContactProblem, grown, LIMIT } from './problem.js';
import { clampImpulses, residual } from './residual.js';

const USUAL = { iterations: 12, eps: 1e-3 };
const LEAST_EPS = 1e-5;
const PART = 0.4;

export interface Outcome {
  residual: number;
  iterations: number;
}

export class VelocityNewton {
  readonly #matrix = new IslandMatrix();
  /** Contact velocities of the present and of the tried impulses. */
  #u = new Float64Array(64);
  #triedU = new Float64Array(64);
  #tried = new Float64Array(64);
  /** e, then the change of impulses. */
  #e = new Float64Array(64);
  /** W of every block, 3 x 3. */
  #W = new Float64Array(256);
  /** A of every group, rows x rows in 36. */
  #A = new Float64Array(256);
  #dv = new Float64Array(64);
  readonly #w = new Float64Array(6);

  /** Improves lambda; returns how good it is and how many iterations that took. */
  solve(
    problem: ContactProblem,
    handles: Handles,
    lambda: Float64Array,
    tolerance: number,
    { iterations: most, eps: first }: { readonly iterations: number; readonly eps: number } = USUAL,
  ): Outcome {
    const { rows, blocks, groups, velocities } = problem;
    this.#u = grown(this.#u, rows);
    this.#triedU = grown(this.#triedU, rows);
    this.#tried = grown(this.#tried, rows);
    this.#e = grown(this.#e, rows);
    this.#W = grown(this.#W, 9 * blocks);
    this.#A = grown(this.#A, 36 * groups);
    this.#dv = grown(this.#dv, velocities);
    handles.evaluate(problem, lambda, this.#u);
    let r = residual(problem, handles.d, lambda, this.#u);
    let iterations = 0;
    let rises = 0;
    let eps = first;
    if (!(r > tolerance)) return { residual: r, iterations };
    this.#matrix.prepare(problem);
    while (r > tolerance && iterations < most) {
      iterations++;
      if (!this.#newtonStep(problem, handles.d, lambda, eps)) break;
      let next = this.#try(problem, handles, lambda, 1);
      // Where the whole step does not help, a part of it may.
      if (!(next < r)) {
        const part = this.#try(problem, handles, lambda, PART);
        if (!(part < r)) next = this.#try(problem, handles, lambda, 1);
        else next = part;
      }
      const tried = this.#tried;
      if (!(next < r) && rises > 0) {
        eps = Math.min(0.3, 100 * eps);
        rises = 0;
        continue;
      }
      // One rise is allowed: the way to the solution may lead over it.
      if (next < r) eps = Math.max(LEAST_EPS, eps / 10);
      else {
        rises++;
        eps = Math.min(0.1, 10 * eps);
      }
      if (Number.isNaN(next)) break;
      lambda.set(tried.subarray(0, rows));
      [this.#u, this.#triedU] = [this.#triedU, this.#u];
      r = next;
    }
    return { residual: r, iterations };
  }

  /** The residual of lambda with a part of the step #e, in #tried. */
  #try(problem: ContactProblem, handles: Handles, lambda: Float64Array, part: number): number {
    const tried = this.#tried;
    for (let k = 0; k < problem.rows; k++) tried[k] = lambda[k] + part * this.#e[k];
    clampImpulses(problem, tried);
    handles.evaluate(problem, tried, this.#triedU);
    return residual(problem, handles.d, tried, this.#triedU);
  }

  /** #e <- change of impulses; false where the matrix has no factors. */
  #newtonStep(problem: ContactProblem, d: Float64Array, lambda: Float64Array, eps: number): boolean {
    const { blocks, groups, group, groupRows, velocities } = problem;
    const A = this.#A;
    const W = this.#W;
    const dv = this.#dv;
    const w = this.#w;
    A.fill(0, 0, 36 * groups);
    dv.fill(0, 0, velocities);
    for (let c = 0; c < blocks; c++) {
      linearise(problem, c, d[c], eps, lambda, this.#u, this.#e, W);
      this.#addStiffness(problem, c);
      if (c === 0 || group[c - 1] !== group[c]) w.fill(0);
      this.#addWrench(problem, c, w);
      if (c + 1 === blocks || group[c + 1] !== group[c]) addGroupForce(problem, group[c], w, dv);
    }
    if (!this.#matrix.factorise(problem, A)) return false;
    this.#matrix.solve(dv);
    for (let c = 0, last = -1; c < blocks; c++) {
      if (group[c] !== last) groupMotion(problem, group[c], dv, w);
      last = group[c];
      this.#subtractW(problem, c, groupRows[last], w);
    }
    return true;
  }

  /** A of the group += F W F^T. */
  #addStiffness({ group, groupRows, firstRow, wrenchAt, F }: ContactProblem, c: number): void {
    const g = group[c];
    const rows = groupRows[g];
    const dim = firstRow[c + 1] - firstRow[c];
    const at = wrenchAt[c];
    const A = this.#A;
    const W = this.#W;
    for (let r = 0; r < rows; r++)
      for (let k = 0; k < dim; k++) {
        let sum = 0;
        for (let j = 0; j < dim; j++) sum += F[at + r * dim + j] * W[9 * c + 3 * j + k];
        if (sum === 0) continue;
        for (let s = 0; s < rows; s++) A[36 * g + r * rows + s] += sum * F[at + s * dim + k];
      }
  }

  /** w += F e. */
  #addWrench({ group, groupRows, firstRow, wrenchAt, F }: ContactProblem, c: number, w: Float64Array): void {
    const rows = groupRows[group[c]];
    const dim = firstRow[c + 1] - firstRow[c];
    for (let r = 0; r < rows; r++)
      for (let k = 0; k < dim; k++) w[r] += F[wrenchAt[c] + r * dim + k] * this.#e[firstRow[c] + k];
  }

  /** e -= W F^T w. */
  #subtractW({ firstRow, wrenchAt, F }: ContactProblem, c: number, rows: number, w: Float64Array): void {
    const o = firstRow[c];
    const dim = firstRow[c + 1] - o;
    for (let k = 0; k < dim; k++) {
      let u = 0;
      for (let r = 0; r < rows; r++) u += F[wrenchAt[c] + r * dim + k] * w[r];
      if (u !== 0) for (let j = 0; j < dim; j++) this.#e[o + j] -= this.#W[9 * c + 3 * j + k] * u;
    }
  }
}

/** e and W (3 x 3, row major) of one block at (lambda, u). */
function linearise(
  { kind, firstRow, mu }: ContactProblem,
  c: number,
  d: number,
  eps: number,
  lambda: Float64Array,
  u: Float64Array,
  e: Float64Array,
  W: Float64Array,
): void {
  const o = firstRow[c];
  const w = 9 * c;
  const rho = 1 / (eps * d);
  const y = lambda[o] * d - u[o];
  for (let k = 0; k < 9; k++) W[w + k] = 0;
  if (kind[c] === LIMIT) {
    W[w] = y > 0 ? rho : 0;
    e[o] = y > 0 ? -rho * u[o] : -lambda[o];
    return;
  }
  if (kind[c] !== CONTACT) {
    const held = Math.abs(y) <= mu[c] * d;
    W[w] = held ? rho : 0;
    e[o] = held ? -rho * u[o] : (y > 0 ? mu[c] : -mu[c]) - lambda[o];
    return;
  }
  if (!(y > 0)) {
    for (let k = 0; k < 3; k++) e[o + k] = -lambda[o + k];
    return;
  }
  const y1 = lambda[o + 1] * d - u[o + 1];
  const y2 = lambda[o + 2] * d - u[o + 2];
  const length = Math.sqrt(y1 * y1 + y2 * y2);
  const m = mu[c];
  e[o] = -rho * u[o];
  W[w] = rho;
  if (length <= m * y) {
    e[o + 1] = -rho * u[o + 1];
    e[o + 2] = -rho * u[o + 2];
    W[w + 4] = W[w + 8] = rho;
    return;
  }
  const e1 = y1 / length;
  const e2 = y2 / length;
  const f = Math.min((m * Math.max(lambda[o], 0) * d) / length, 1 - 10 * eps);
  const across = f / ((1 - f) * d);
  const turn = (e2 * lambda[o + 1] - e1 * lambda[o + 2]) / (1 - f);
  const along = m * (lambda[o] + e[o]) - (e1 * lambda[o + 1] + e2 * lambda[o + 2]);
  e[o + 1] = e1 * along - e2 * turn;
  e[o + 2] = e2 * along + e1 * turn;
  W[w + 3] = m * e1 * rho;
  W[w + 6] = m * e2 * rho;
  W[w + 4] = across * e2 * e2;
  W[w + 5] = W[w + 7] = -across * e1 * e2;
  W[w + 8] = across * e1 * e1;
}
