import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { RerootMap } from '../../src/engines/plain/reroot-map.js';
import { MechanismError } from '../../src/mechanism/errors.js';
import { GROUND } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { createEnergy, energy } from '../../src/reference/energy.js';
import { randomMechanism, randomVector, relativeError } from '../support/random-mechanism.js';
import { runs } from '../support/runs.js';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

describe('the root of the computation', () => {
  it('does not change accelerations or joint forces, whichever body it is', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const mechanism = randomMechanism(seed, { base: 'floating', forest: true, shuffled: true });
        const author = new PlainDynamics(mechanism);
        const state = State.random(mechanism, seed + 1);
        const tau = randomVector(seed + 2, mechanism.nv, 5);
        const external = randomVector(seed + 3, mechanism.bodies.length * 6, 3);
        const forces = new Float64Array(external.length);
        const qdd = author.forward(state, tau, { external, jointForces: forces });
        for (const { name } of mechanism.bodies) {
          const again = new Float64Array(external.length);
          const other = new PlainDynamics(mechanism, { root: name });
          expect(relativeError(other.forward(state, tau, { external, jointForces: again }), qdd)).toBeLessThan(1e-10);
          expect(relativeError(again, forces)).toBeLessThan(1e-9);
        }
      }),
      { numRuns: runs(200) },
    );
  });

  it('does not change energy and momentum', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const mechanism = randomMechanism(seed, { base: 'floating' });
        const author = new PlainDynamics(mechanism);
        const state = State.random(mechanism, seed + 1);
        const reference = author.energy(state);
        mechanism.bodies.forEach((_, root) => {
          if (mechanism.joints[root].parent === GROUND) return;
          const map = new RerootMap(author.tree, root);
          map.toTree(state.q, state.v, new Float64Array(mechanism.nv), null);
          const got = energy(map.tree, createEnergy(map.tree), map.q, map.v);
          const flat = (e: typeof got) => [
            e.kinetic,
            e.potential,
            ...e.com,
            ...e.momentum.angular,
            ...e.momentum.linear,
          ];
          expect(relativeError(flat(got), flat(reference))).toBeLessThan(1e-10);
        });
      }),
      { numRuns: runs(60) },
    );
  });

  it('is refused where the mechanism is tied to the ground, with the reason', () => {
    const mechanism = randomMechanism(5, { bodies: 4, base: 'revolute' });
    expect(() => new PlainDynamics(mechanism, { root: 'b3' })).toThrow(MechanismError);
    expect(() => new PlainDynamics(mechanism, { root: 'b3' })).toThrow(/tied to the ground by a revolute joint/);
    expect(() => new PlainDynamics(mechanism, { root: 'nobody' })).toThrow(/no body "nobody"/);
  });
});
