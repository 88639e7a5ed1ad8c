import { describe, expect, it } from 'vitest';
import { blockOffset } from '../../../src/contact/solver/block-matrix.js';
import { IslandProblem } from '../../../src/contact/solver/island-problem.js';
import { IslandSolver } from '../../../src/contact/solver/island-solver.js';
import { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import { State } from '../../../src/mechanism/state.js';
import { Articulation } from '../../../src/simulation/world/articulation.js';
import { randomMechanism } from '../../support/random-mechanism.js';

// Independent of the plain engine but for joint transforms: other axes, another point, other velocities of the base.
describe('dynamics of a mechanism in ground axes', () => {
  for (const base of [undefined, 'floating', 'revolute'] as const)
    it(`are those of the plain engine (base: ${base ?? 'any'})`, () => {
      for (let seed = 1; seed <= 40; seed++) {
        const mechanism = randomMechanism(seed, { armature: seed % 3 === 0, forest: true, ...(base && { base }) });
        const state = State.random(mechanism, seed);
        const articulation = new Articulation(mechanism);
        const { nv, tree } = articulation;
        const v = new Float64Array(nv);
        articulation.place(state.q);
        articulation.fromAuthor(v, state.v);
        articulation.move(v);
        const back = new Float64Array(nv);
        articulation.toAuthor(back, v);
        for (let k = 0; k < nv; k++) expect(back[k], `seed ${seed}`).toBeCloseTo(state.v[k], 11);
        const armature = new Float64Array(nv);
        for (let i = 0; i < tree.n; i++)
          for (let k = tree.dof[i]; k < tree.dof[i + 1]; k++) armature[k] = tree.armature[tree.iv[i] + k - tree.dof[i]];
        articulation.added.set(armature);
        expect(articulation.factorise(), `seed ${seed}`).toBe(true);
        const plain = new PlainDynamics(mechanism);
        // v^T H v is the kinetic energy in any coordinates.
        const { structure, H } = articulation;
        let kinetic = 0;
        for (let i = 0; i < structure.nodes; i++)
          for (let j = 0; j < structure.nodes; j++) {
            const at = blockOffset(structure, i, j);
            if (at < 0) continue;
            for (let r = 0; r < structure.size[i]; r++)
              for (let c = 0; c < structure.size[j]; c++)
                kinetic +=
                  0.5 * v[structure.start[i] + r] * v[structure.start[j] + c] * H[at + r * structure.size[j] + c];
          }
        expect(kinetic / plain.energy(state).kinetic, `seed ${seed}`).toBeCloseTo(1, 11);
        // A short step in both coordinates gives the same velocities to first order: compare accelerations by differences.
        const qdd = plain.forward(state);
        // A step of one second that starts at rest, with the bias forces of v.
        const [problem, solver, rest] = [new IslandProblem(), new IslandSolver(), new Float64Array(nv)];
        problem.begin([articulation]);
        expect(solver.begin(problem), `seed ${seed}`).toBe(true);
        const own = articulation.turningAxes(state.q, v);
        const external = new Float64Array(6 * tree.n);
        solver.predict(problem, [{ v0: rest, middle: v, tau: rest, external, own }], 1, mechanism.gravity);
        const a = problem.free.slice(0, nv);
        const velocitiesAfter = (h: number): Float64Array => {
          const q = state.q.slice();
          articulation.place(q);
          articulation.integrate(q, v, h);
          articulation.place(q);
          const out = new Float64Array(nv);
          articulation.toAuthor(
            out,
            v.map((x, k) => x + h * a[k]),
          );
          return out;
        };
        const h = 1e-5;
        const [before, after] = [velocitiesAfter(-h), velocitiesAfter(h)];
        const size = 1 + Math.max(...qdd.map(Math.abs));
        for (let k = 0; k < nv; k++)
          expect(Math.abs((after[k] - before[k]) / (2 * h) - qdd[k]) / size, `seed ${seed}, ${k}`).toBeLessThan(1e-7);
      }
    });
});
