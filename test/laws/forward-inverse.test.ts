import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { State } from '../../src/mechanism/state.js';
import { randomMechanism, randomVector, relativeError } from '../support/random-mechanism.js';
import { runs } from '../support/runs.js';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

describe('forward and inverse dynamics', () => {
  it('RNEA of ABA gives back tau, with external forces and armature', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const mechanism = randomMechanism(seed, { armature: true, forest: true, shuffled: true });
        const dynamics = new PlainDynamics(mechanism);
        const state = State.random(mechanism, seed + 1);
        const tau = randomVector(seed + 2, mechanism.nv, 5);
        const external = randomVector(seed + 3, mechanism.bodies.length * 6, 3);
        const forces = new Float64Array(external.length);
        const again = new Float64Array(external.length);
        const qdd = dynamics.forward(state, tau, { external, jointForces: forces });
        const back = dynamics.inverse(state, qdd, { external, jointForces: again });
        expect(relativeError(back, tau)).toBeLessThan(1e-9);
        expect(relativeError(forces, again)).toBeLessThan(1e-9);
      }),
      { numRuns: runs(300) },
    );
  });

  it('ABA and the dense method agree', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const mechanism = randomMechanism(seed, { armature: true, forest: true, shuffled: true });
        const dynamics = new PlainDynamics(mechanism);
        const state = State.random(mechanism, seed + 1);
        const tau = randomVector(seed + 2, mechanism.nv, 5);
        const qdd = dynamics.forward(state, tau);
        const dense = dynamics.forward(state, tau, { algorithm: 'dense' });
        expect(relativeError(qdd, dense)).toBeLessThan(1e-9);
      }),
      { numRuns: runs(300) },
    );
  });
});
