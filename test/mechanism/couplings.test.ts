// Mimic joints in the dynamics, against a dense solution of the constrained system.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { Random } from '../../src/mechanism/random.js';
import type { CouplingSpec } from '../../src/mechanism/spec.js';
import { State } from '../../src/mechanism/state.js';
import { withoutCouplings } from '../../src/mechanism/variants.js';
import { type Matrix, product, solve, times, transposed, zeros } from '../spatial/dense.js';
import { randomSpec, randomVector, relativeError } from '../support/random-mechanism.js';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

/** A random mechanism in which some joints follow others, directly and by way of a third. */
function coupledMechanism(seed: number): Mechanism {
  const random = new Random(seed);
  const spec = randomSpec(seed, { bodies: 9, armature: true, shuffled: true, forest: true });
  const joints = spec.joints.map((joint) => ({ ...joint, damping: random.between(0, 1) }));
  const single = joints.filter(({ type }) => ['revolute', 'continuous', 'prismatic', 'helical'].includes(type));
  const couplings: CouplingSpec[] = single
    .slice(1)
    .flatMap(({ name }, i) =>
      random.below(3) > 0
        ? [{ joint: name, source: single[random.below(i + 1)].name, multiplier: random.between(-3, 3), offset: 0.2 }]
        : [],
    );
  return createMechanism({ ...spec, joints, couplings });
}

/** The same mechanism and state with the couplings forgotten. */
function uncoupled(mechanism: Mechanism, state: State): { dynamics: PlainDynamics; state: State } {
  const free = withoutCouplings(mechanism);
  return { dynamics: new PlainDynamics(free), state: new State(free).copy(state as State) };
}

/** v = G y, with y the independent velocities in the order of v. */
function couplingMatrix(mechanism: Mechanism): Matrix {
  const { nv, joints, couplings } = mechanism;
  const followers = new Map(couplings.map((c) => [joints[c.joint].iv, c]));
  const independent = Array.from({ length: nv }, (_, k) => k).filter((k) => !followers.has(k));
  const G = zeros(nv, independent.length);
  for (let k = 0; k < nv; k++) {
    const coupling = followers.get(k);
    const source = coupling === undefined ? k : joints[coupling.source].iv;
    G[k][independent.indexOf(source)] = coupling?.multiplier ?? 1;
  }
  return G;
}

function rows(H: Float64Array, n: number): Matrix {
  return Array.from({ length: n }, (_, i) => Array.from(H.subarray(i * n, (i + 1) * n)));
}

function cases(check: (mechanism: Mechanism, state: State, seed: number) => void): void {
  fc.assert(
    fc.property(seeds, (seed) => {
      const mechanism = coupledMechanism(seed);
      fc.pre(mechanism.couplings.length > 0);
      check(mechanism, State.random(mechanism, seed + 1), seed);
    }),
    { numRuns: 100 },
  );
}

describe('couplings', () => {
  it('forward dynamics solves H qdd + A^T lambda = tau - C, A qdd = 0', () =>
    cases((mechanism, state, seed) => {
      const { nv, joints, couplings } = mechanism;
      const tau = randomVector(seed + 2, nv, 3);
      const external = randomVector(seed + 3, 6 * mechanism.bodies.length, 2);
      const free = uncoupled(mechanism, state);
      const H = rows(free.dynamics.massMatrix(free.state).H, nv);
      const bias = free.dynamics.inverse(free.state, undefined, { external });
      // One row of A for each coupling: qdd of the follower - multiplier qdd of its source.
      const A = couplings.map(({ joint, source, multiplier }) => {
        const row = new Array<number>(nv).fill(0);
        row[joints[joint].iv] = 1;
        row[joints[source].iv] = -multiplier;
        return row;
      });
      const KKT = [
        ...H.map((row, i) => [...row, ...A.map((a) => a[i])]),
        ...A.map((row) => [...row, ...A.map(() => 0)]),
      ];
      const expected = solve(KKT, [...tau.map((t, k) => t - bias[k]), ...A.map(() => 0)]).slice(0, nv);
      for (const algorithm of ['aba', 'dense'] as const) {
        const qdd = new PlainDynamics(mechanism).forward(state, tau, { algorithm, external });
        expect(relativeError(qdd, expected)).toBeLessThan(1e-9);
      }
    }));

  it('the mass matrix is G^T H G', () =>
    cases((mechanism, state) => {
      const free = uncoupled(mechanism, state);
      const G = couplingMatrix(mechanism);
      const H = rows(free.dynamics.massMatrix(free.state).H, mechanism.nv);
      const reduced = new PlainDynamics(mechanism).massMatrix(state);
      expect(reduced.n).toBe(mechanism.nv - mechanism.couplings.length);
      expect(relativeError(reduced.H, product(transposed(G), product(H, G)).flat())).toBeLessThan(1e-12);
      const followers = new Set(mechanism.couplings.map(({ joint }) => mechanism.joints[joint].name));
      expect(reduced.joints.some(({ name }) => followers.has(name))).toBe(false);
      expect(reduced.joints.reduce((end, { offset, dof }) => (offset === end ? end + dof : -1), 0)).toBe(reduced.n);
    }));

  it('inverse dynamics gives the forces of the followers to their sources: G^T tau', () =>
    cases((mechanism, state, seed) => {
      const G = couplingMatrix(mechanism);
      const y = randomVector(seed + 2, G[0].length);
      const qdd = Float64Array.from(times(G, y));
      const free = uncoupled(mechanism, state);
      const folded = times(transposed(G), free.dynamics.inverse(free.state, qdd));
      const tau = new PlainDynamics(mechanism).inverse(state, qdd);
      const followers = new Set(mechanism.couplings.map(({ joint }) => mechanism.joints[joint].iv));
      expect([...followers].every((k) => tau[k] === 0)).toBe(true);
      expect(
        relativeError(
          [...tau].filter((_, k) => !followers.has(k)),
          folded,
        ),
      ).toBeLessThan(1e-11);
      // What is given for a follower does not count: it has no say in how it moves.
      const wrong = qdd.slice();
      for (const k of followers) wrong[k] += 7;
      expect(new PlainDynamics(mechanism).inverse(state, wrong)).toEqual(tau);
    }));

  it('inverse of forward gives back tau, followers folded in', () =>
    cases((mechanism, state, seed) => {
      const dynamics = new PlainDynamics(mechanism);
      const tau = randomVector(seed + 2, mechanism.nv);
      const [forces, again] = [new Float64Array(54), new Float64Array(54)];
      const qdd = dynamics.forward(state, tau, { jointForces: forces });
      const folded = tau.slice();
      for (const { joint, source, multiplier } of mechanism.couplings) {
        folded[mechanism.joints[source].iv] += multiplier * tau[mechanism.joints[joint].iv];
        folded[mechanism.joints[joint].iv] = 0;
      }
      expect(relativeError(dynamics.inverse(state, qdd, { jointForces: again }), folded)).toBeLessThan(1e-9);
      expect(relativeError(forces, again)).toBeLessThan(1e-9);
    }));

  it('passive forces of followers count', () =>
    cases((mechanism, state, seed) => {
      const tau = randomVector(seed + 2, mechanism.nv);
      const all = tau.map((t, k) => {
        const joint = mechanism.joints.find(({ iv, model }) => k >= iv && k < iv + model.nv)!;
        return t - joint.damping * state.v[k];
      });
      const dynamics = new PlainDynamics(mechanism);
      const passive = dynamics.forward(state, tau, { passive: true });
      expect(relativeError(passive, dynamics.forward(state, all))).toBeLessThan(1e-10);
    }));
});
