import { describe, expect, it } from 'vitest';
import { Handles } from '../../../src/contact/solver/handles.js';
import { IslandProblem } from '../../../src/contact/solver/island-problem.js';
import { IslandSolver } from '../../../src/contact/solver/island-solver.js';
import { KIND_BOX, KIND_CONTACT, KIND_LIMIT } from '../../../src/contact/solver/kernel/layout.js';
import { plainMachine, wasmMachine } from '../../../src/contact/solver/kernels.js';
import { ContactProblem } from '../../../src/contact/solver/problem.js';
import { type Outcome, residual } from '../../../src/contact/solver/residual.js';
import { Random } from '../../../src/mechanism/random.js';
import { State } from '../../../src/mechanism/state.js';
import { Articulation } from '../../../src/simulation/world/articulation.js';
import { expand } from '../../../src/simulation/world/rows.js';
import { setTangents } from '../../../src/simulation/world/world-shape.js';
import { randomMechanism } from '../../support/random-mechanism.js';

/** Random mechanisms, touching the ground, each other and themselves at random places, with rows of every kind. */
function randomIsland(seed: number): { problem: IslandProblem; articulations: Articulation[] } {
  const random = new Random(seed);
  const articulations = Array.from({ length: 1 + (seed % 3) }, (_, m) => {
    const mechanism = randomMechanism(10 * seed + m, { forest: seed % 4 === 0, armature: true });
    const articulation = new Articulation(mechanism);
    articulation.place(State.random(mechanism, seed + m).q);
    for (let k = 0; k < articulation.nv; k++) articulation.added[k] = 0.01 + random.between(0, 1);
    articulation.factorise();
    return articulation;
  });
  const problem = new IslandProblem();
  problem.begin(articulations);
  problem.scale = 0.01;
  for (let k = 0; k < problem.velocities; k++) problem.free[k] = random.between(-1, 1);
  const side = (): { member: number; link: number } => {
    const member = random.below(articulations.length + 1) - 1;
    return { member, link: member < 0 ? -1 : random.below(articulations[member].tree.n) };
  };
  const numbers = (n: number): Float64Array => new Float64Array(n).map(() => random.between(-1, 1));
  for (let pair = 0; pair < 6; pair++) {
    const [a, b] = [side(), side()];
    if ((a.member < 0 && b.member < 0) || (a.member === b.member && a.link === b.link)) continue;
    if (pair === 5) problem.addWrench(a, b, numbers(3), 0, numbers(6));
    else
      for (let k = 0; k < 1 + (pair % 3); k++) {
        const frame = new Float64Array(9);
        frame.set(random.direction());
        setTangents(frame, 0);
        const c = problem.addContact(a, b, random.between(0, 1), numbers(3), 0, frame, 0);
        problem.offset[3 * c] = random.between(-0.1, 0.1);
        if (seed % 5 === 0) problem.compliance[c] = random.between(0, 0.5);
      }
  }
  articulations.forEach(({ nv }, m) => {
    if (nv === 0) return;
    problem.addRow(KIND_LIMIT, m, random.below(nv), random.pick([1, -1]), 0);
    problem.addRow(KIND_BOX, m, random.below(nv), 1, random.between(0, 0.1));
    if (nv > 1) problem.addCoupling(KIND_BOX, m, 0, nv - 1, random.between(-2, 2));
  });
  for (let c = 0; c < problem.blocks; c++)
    for (let k = 0; k < (problem.kind[c] === KIND_CONTACT ? 3 : 1); k++)
      problem.lambda[3 * c + k] = random.between(-1, 1);
  return { problem, articulations };
}

/** The interior-point method alone. */
function fromInside(solver: IslandSolver, problem: IslandProblem): Outcome {
  solver.solve(problem, Number.POSITIVE_INFINITY, 0);
  return solver.solveFromInside(problem, 1e-9, 3e-10, 60);
}

describe('an island in the memory of the kernels', () => {
  it('is the problem by joints: velocities, forces and residual of any impulses', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const { problem, articulations } = randomIsland(seed);
      if (problem.velocities === 0) continue;
      const expanded = new ContactProblem();
      expand(problem, articulations, expanded);
      const handles = new Handles();
      const u = new Float64Array(expanded.rows);
      handles.prepare(expanded);
      handles.evaluate(expanded, expanded.lambda, u);
      const r = residual(expanded, handles.d, expanded.lambda, u);
      const solver = new IslandSolver();
      expect(solver.begin(problem)).toBe(true);
      const outcome = solver.solve(problem, Number.POSITIVE_INFINITY, 0);
      const label = `seed ${seed}`;
      const size = Math.max(1, ...u.map(Math.abs), ...handles.change.map(Math.abs));
      expect(Math.abs(outcome.residual - r) / r, label).toBeLessThan(1e-9);
      expect(Math.abs(problem.scale - expanded.scale), label).toBeLessThan(1e-9 * expanded.scale);
      for (let k = 0; k < problem.velocities; k++)
        expect(Math.abs(problem.change[k] - handles.change[k]), label).toBeLessThan(1e-9 * size);
      for (let c = 0; c < problem.blocks; c++)
        for (let k = 0; k < expanded.firstRow[c + 1] - expanded.firstRow[c]; k++)
          expect(Math.abs(problem.u[3 * c + k] - u[expanded.firstRow[c] + k]), label).toBeLessThan(1e-9 * size);
    }
  });

  it.each(['newton', 'interior'])(
    '%s gives the same bits as WebAssembly and as the TypeScript that it is made of',
    (method) => {
      const wasm = wasmMachine()!;
      expect(wasm.engine).toBe('wasm');
      for (let seed = 1; seed <= 40; seed++) {
        const solved = [plainMachine(), wasm].map((machine) => {
          const { problem } = randomIsland(seed);
          const solver = new IslandSolver(machine);
          solver.begin(problem);
          const outcome = method === 'newton' ? solver.solve(problem, 1e-9, 3e-10) : fromInside(solver, problem);
          const { blocks, velocities, lambda, u, change, force } = problem;
          const numbers = [lambda, u].map((x) => x.slice(0, 3 * blocks));
          return { ...outcome, numbers: [...numbers, change.slice(0, velocities), force.slice(0, velocities)] };
        });
        expect(solved[1], `seed ${seed}`).toEqual(solved[0]);
      }
    },
  );

  it.each([
    ['newton', 30],
    ['interior', 35],
  ] as const)('is solved by %s, judged by joints', (method, least) => {
    let solved = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const { problem, articulations } = randomIsland(seed);
      if (problem.velocities === 0) continue;
      problem.lambda.fill(0);
      const solver = new IslandSolver();
      solver.begin(problem);
      const { residual: claimed } =
        method === 'newton'
          ? solver.solve(problem, 1e-9, 1e-9, { iterations: 30, eps: 1e-3 })
          : fromInside(solver, problem);
      if (!(claimed <= 1e-9)) continue;
      solved++;
      const expanded = new ContactProblem();
      expand(problem, articulations, expanded);
      const handles = new Handles();
      handles.prepare(expanded);
      const u = new Float64Array(expanded.rows);
      handles.evaluate(expanded, expanded.lambda, u);
      expect(residual(expanded, handles.d, expanded.lambda, u), `seed ${seed}`).toBeLessThan(2e-9);
    }
    // Random problems are harder than those of bodies that touch.
    expect(solved).toBeGreaterThan(least);
  });
});
