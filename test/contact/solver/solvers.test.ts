import { describe, expect, it } from 'vitest';
import { Admm } from '../../../src/contact/solver/admm.js';
import { blockOffset, createStructure, factorise, solveFactorised } from '../../../src/contact/solver/block-matrix.js';
import { ContactMatrix, contactVelocities } from '../../../src/contact/solver/contact-matrix.js';
import { DenseNewton } from '../../../src/contact/solver/dense-newton.js';
import { Handles } from '../../../src/contact/solver/handles.js';
import { ImpulseSolvers } from '../../../src/contact/solver/impulse-solvers.js';
import { solveDense } from '../../../src/contact/solver/linear-solve.js';
import { ProximalNewton } from '../../../src/contact/solver/proximal-newton.js';
import { residual } from '../../../src/contact/solver/residual.js';
import { Random } from '../../../src/mechanism/random.js';
import { denseForm, denseJacobian, denseSolve } from './dense-form.js';
import { randomProblem } from './random-problem.js';
import { allSolutions } from './reference-solver.js';

describe('block-sparse matrices', () => {
  it.each(['given', 'minimum-degree'] as const)('solve as dense ones do (%s)', (order) => {
    for (let seed = 1; seed <= 30; seed++) {
      const random = new Random(seed);
      const sizes = Array.from({ length: 2 + random.below(12) }, () => 1 + random.below(6));
      const edges = sizes.map((_, i) => Array.from({ length: random.below(3) }, () => random.below(i + 1)));
      const structure = createStructure(sizes, edges, order);
      const n = structure.start[sizes.length];
      const K = new Float64Array(structure.length);
      const A = new Float64Array(n * n);
      sizes.forEach((rows, i) => {
        for (const j of sizes.keys()) {
          const pair = i === j || edges[i].includes(j) || edges[j].includes(i);
          if (!pair) continue;
          const at = blockOffset(structure, i, j);
          for (let r = 0; r < rows; r++)
            for (let c = 0; c < sizes[j]; c++) {
              // Not symmetric; heavy on the diagonal.
              const value = random.between(-1, 1) + (i === j && r === c ? 2 * n : 0);
              K[at + r * sizes[j] + c] = value;
              A[(structure.start[i] + r) * n + structure.start[j] + c] = value;
            }
        }
      });
      const x = Float64Array.from({ length: n }, () => random.between(-1, 1));
      const expected = x.slice();
      solveDense(A, expected, n);
      expect(factorise(structure, K)).toBe(true);
      solveFactorised(structure, K, x);
      for (let k = 0; k < n; k++) expect(x[k], `seed ${seed}`).toBeCloseTo(expected[k], 12);
    }
  });

  it('a tree with parents first has no fill-in', () => {
    const parents = [-1, 0, 1, 1, 3, 0, 5];
    const ancestors = parents.map((_, i) => {
      const list: number[] = [];
      for (let p = parents[i]; p >= 0; p = parents[p]) list.push(p);
      return list;
    });
    const { column } = createStructure([6, 1, 3, 1, 1, 2, 1], ancestors, 'given');
    expect(column.length).toBe(ancestors.flat().length);
  });

  it('says that a matrix is singular', () => {
    const structure = createStructure([2], [[]], 'given');
    expect(factorise(structure, Float64Array.of(1, 2, 2, 4))).toBe(false);
  });
});

describe('handles', () => {
  it('G, its diagonal and contact velocities are those of full matrices', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const problem = randomProblem(seed, { members: 1 + (seed % 3), contacts: 5, limits: 2, boxes: 1 });
      const handles = new Handles();
      handles.prepare(problem);
      const { G, g } = denseForm(problem);
      const n = problem.rows;
      const dense = new ContactMatrix().build(problem, handles);
      for (let k = 0; k < n * n; k++) expect(dense.G[k], `seed ${seed}`).toBeCloseTo(G[k], 10);
      for (let k = 0; k < n; k++) expect(dense.g[k], `seed ${seed}`).toBeCloseTo(g[k], 12);
      for (let c = 0; c < problem.blocks; c++) {
        const [from, to] = [problem.firstRow[c], problem.firstRow[c + 1]];
        let trace = 0;
        for (let k = from; k < to; k++) trace += G[k * n + k];
        expect(handles.d[c]).toBeCloseTo(trace / (to - from), 10);
      }
      const random = new Random(seed);
      const lambda = Float64Array.from({ length: n }, () => random.between(-1, 1));
      const u = new Float64Array(n);
      const expected = new Float64Array(n);
      handles.evaluate(problem, lambda, u);
      contactVelocities(dense, lambda, expected);
      for (let k = 0; k < n; k++) expect(u[k], `seed ${seed}`).toBeCloseTo(expected[k], 10);
    }
  });
});

describe('solvers', () => {
  const each = [
    [
      'dense',
      (p, h, l) =>
        new DenseNewton().solve(new ContactMatrix().build(p, h), l, { tolerance: 1e-9, iterations: 60 }).residual,
    ],
    ['proximal', (p, h, l) => new ProximalNewton().solve(new ContactMatrix().build(p, h), l, 1e-9).residual],
    ['admm', (p, h, l) => new Admm().solve(new ContactMatrix().build(p, h), l, 1e-9).residual],
  ] as const satisfies readonly (readonly [
    string,
    (problem: ReturnType<typeof randomProblem>, handles: Handles, lambda: Float64Array) => number,
  ])[];

  it.each(each)('%s solves most of random problems, and says truly how well', (name, solve) => {
    let solved = 0;
    const count = 60;
    for (let seed = 1; seed <= count; seed++) {
      const problem = randomProblem(seed, { members: 2, contacts: 6, limits: 2, boxes: 2 });
      const handles = new Handles();
      handles.prepare(problem);
      const lambda = new Float64Array(problem.rows);
      const claimed = solve(problem, handles, lambda);
      const u = new Float64Array(problem.rows);
      const { G, g } = denseForm(problem);
      for (let i = 0; i < u.length; i++) u[i] = lambda.reduce((sum, x, j) => sum + G[i * u.length + j] * x, g[i]);
      expect(residual(problem, handles.d, lambda, u), `${name}, seed ${seed}`).toBeCloseTo(claimed, 9);
      if (claimed <= 1e-8) solved++;
    }
    expect(solved / count, name).toBeGreaterThan(0.8);
  });

  it('one after the other solve random problems, and velocities are those of the impulses', () => {
    let unsolved = 0;
    for (let seed = 1; seed <= 300; seed++) {
      const problem = randomProblem(seed, { members: 1 + (seed % 4), contacts: 1 + (seed % 9), limits: 2, boxes: 2 });
      const solver = new ImpulseSolvers();
      const solution = solver.solve(problem);
      if (!(solution.residual <= 1e-8)) unsolved++;
      const { lambda, velocities, rows } = problem;
      const J = denseJacobian(problem);
      const force = new Float64Array(velocities);
      for (let i = 0; i < rows; i++) for (let k = 0; k < velocities; k++) force[k] += J[i * velocities + k] * lambda[i];
      const change = denseSolve(problem, force);
      solver.handles.evaluate(problem, lambda, new Float64Array(rows));
      for (let k = 0; k < velocities; k++) expect(solver.handles.change[k]).toBeCloseTo(change[k], 8);
      // Once more from the solution: accepted as it is.
      if (solution.residual <= 1e-9) expect(solver.solve(problem).solver).toBe('warm');
    }
    expect(unsolved).toBeLessThanOrEqual(3);
  });

  it('finds a solution that trying all modes finds', () => {
    let compared = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const problem = randomProblem(seed, { members: 2, contacts: 1 + (seed % 2) });
      const solution = new ImpulseSolvers().solve(problem);
      if (!(solution.residual <= 1e-9)) continue;
      const { G, g } = denseForm(problem);
      const all = allSolutions({ contacts: problem.blocks, G, g, mu: problem.mu });
      const { lambda, rows } = problem;
      const distance = Math.min(
        ...all.map((other) => Math.max(...other.map((x, k) => Math.abs(x - lambda[k]) / (1 + Math.abs(x))))),
      );
      expect(distance, `seed ${seed}, ${rows} rows, ${all.length} solutions`).toBeLessThan(1e-6);
      compared++;
    }
    expect(compared).toBeGreaterThan(35);
  });
});
