import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dofPositions } from '../../src/engines/plain/dense.js';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { State } from '../../src/mechanism/state.js';
import { crba, createCrba, factorise, solveFactorised } from '../../src/reference/crba.js';
import { randomMechanism, randomVector, relativeError } from '../support/random-mechanism.js';
import { runs } from '../support/runs.js';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const everything = { armature: true, forest: true, shuffled: true } as const;

describe('mass matrix', () => {
  it('is symmetric, and its columns are differences of inverse dynamics', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const mechanism = randomMechanism(seed, everything);
        const { nv } = mechanism;
        const dynamics = new PlainDynamics(mechanism);
        const state = State.random(mechanism, seed + 1);
        const { H, n, joints } = dynamics.massMatrix(state);
        expect(n).toBe(nv);
        expect(joints.reduce((sum, joint) => sum + joint.dof, 0)).toBe(nv);
        const bias = dynamics.inverse(state);
        const unit = new Float64Array(nv);
        for (let k = 0; k < nv; k++) {
          unit.fill(0);
          unit[k] = 1;
          const column = dynamics.inverse(state, unit).map((value, i) => value - bias[i]);
          expect(
            relativeError(
              column,
              Float64Array.from({ length: nv }, (_, i) => H[i * nv + k]),
            ),
          ).toBeLessThan(1e-9);
          for (let i = 0; i < k; i++) expect(H[i * nv + k]).toBe(H[k * nv + i]);
        }
      }),
      { numRuns: runs(100) },
    );
  });

  it('gives the kinetic energy', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const mechanism = randomMechanism(seed, everything);
        const dynamics = new PlainDynamics(mechanism);
        const state = State.random(mechanism, seed + 1);
        const { H, n } = dynamics.massMatrix(state);
        let twice = 0;
        for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) twice += state.v[i] * H[i * n + j] * state.v[j];
        const { kinetic } = dynamics.energy(state);
        expect(Math.abs(kinetic - twice / 2)).toBeLessThan(1e-10 * (1 + kinetic));
      }),
      { numRuns: runs(100) },
    );
  });

  it('factorises along the tree without fill-in, and solves', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const mechanism = randomMechanism(seed, everything);
        const dynamics = new PlainDynamics(mechanism);
        const { tree } = dynamics;
        const state = State.random(mechanism, seed + 1);
        const tau = randomVector(seed + 2, mechanism.nv, 5);
        const scratch = createCrba(tree);
        crba(tree, scratch, state.q);
        const { H, above } = scratch;
        const nv = above.length;
        const before = H.slice();
        expect(factorise(H, above, tree.dof)).toBe(-1);
        for (let k = 0; k < nv; k++) {
          const ancestors = new Set<number>([k]);
          for (let i = above[k]; i >= 0; i = above[i]) ancestors.add(i);
          for (let i = 0; i < k; i++) if (!ancestors.has(i)) expect(before[k * nv + i]).toBe(0);
        }
        const at = dofPositions(tree);
        const bias = dynamics.inverse(state);
        const x = Float64Array.from(at, (k) => tau[k] - bias[k]);
        solveFactorised(H, above, x);
        const qdd = new Float64Array(nv);
        at.forEach((k, i) => {
          qdd[k] = x[i];
        });
        expect(relativeError(qdd, dynamics.forward(state, tau))).toBeLessThan(1e-9);
      }),
      { numRuns: runs(100) },
    );
  });
});
