// Angles far beyond those that the fast reduction covers, on every engine: a pendulum, for which the answer is known, and random
// mechanisms, which look the same after whole turns.

import { expect, it } from 'vitest';
import { dynamics } from '../../src/dynamics/dynamics.js';
import { createMechanism } from '../../src/mechanism/create.js';
import { State } from '../../src/mechanism/state.js';
import { randomMechanism, randomVector, relativeError } from '../support/random-mechanism.js';

const ENGINES = ['plain', 'wasm', 'compiled', 'threads'] as const;
const ANGLES = [1e3, 1e5, 999_999, 1e6, 1e7, 1e8, -1e9, 1e10, 1e12, 1e16, 1e18, 1e20, 1e100, 1e300];

it.each(ENGINES)('a pendulum, engine %s', (engine) => {
  const pendulum = createMechanism({
    bodies: [{ name: 'a', mass: 1, com: [1, 0, 0], inertia: [0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1] }],
    joints: [{ name: 'j', type: 'continuous', parent: null, child: 'a', axis: [0, 1, 0] }],
  });
  const arm = dynamics(pendulum, { engine });
  for (const q of ANGLES) {
    const expected = (9.81 * Math.cos(q)) / 1.1;
    const got = arm.forward(new State(pendulum).set('j', q))[0];
    expect(Math.abs(got - expected), `${engine} at ${q}`).toBeLessThan(4e-15 * Math.abs(expected) + 1e-300);
  }
  arm.dispose();
});

it.each(ENGINES)('random mechanisms, engine %s', (engine) => {
  for (let seed = 1; seed <= (engine === 'threads' ? 3 : 12); seed++) {
    const mechanism = randomMechanism(seed, { bodies: 5 });
    const state = State.random(mechanism, seed);
    const [far, near] = [state.clone(), state.clone()];
    for (const { type, iq } of mechanism.joints) {
      const angles =
        { revolute: [0], continuous: [0], helical: [], cylindrical: [0], universal: [0, 1], planar: [2] }[
          type as string
        ] ?? [];
      for (const k of angles) {
        far.q[iq + k] = 1e9 * state.q[iq + k];
        near.q[iq + k] = Math.atan2(Math.sin(far.q[iq + k]), Math.cos(far.q[iq + k]));
      }
    }
    const tau = randomVector(seed, mechanism.nv, 2);
    const arm = dynamics(mechanism, { engine });
    const where = `${engine}, seed ${seed}`;
    expect(relativeError(arm.forward(far, tau), arm.forward(near, tau).slice()), where).toBeLessThan(1e-11);
    expect(relativeError(arm.inverse(far, tau), arm.inverse(near, tau).slice()), where).toBeLessThan(1e-11);
    expect(relativeError(arm.massMatrix(far).H, arm.massMatrix(near).H.slice()), where).toBeLessThan(1e-11);
    expect(relativeError(arm.poses(far), arm.poses(near).slice()), where).toBeLessThan(1e-11);
    arm.dispose();
  }
});

it('a screw that has turned very far is where its pitch has brought it', () => {
  const screw = createMechanism({
    bodies: [{ name: 'a', mass: 1, com: [1, 0, 0], inertia: [0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1] }],
    joints: [{ name: 'j', type: 'helical', parent: null, child: 'a', axis: [0, 1, 0], pitch: 1e-6 }],
  });
  const state = new State(screw).set('j', 1e9, 0.3);
  const expected = dynamics(screw, { engine: 'plain' });
  for (const engine of ENGINES) {
    const arm = dynamics(screw, { engine });
    expect(relativeError(arm.forward(state), expected.forward(state)), engine).toBeLessThan(1e-14);
    expect(relativeError(arm.poses(state), expected.poses(state)), engine).toBeLessThan(1e-14);
    expect(arm.poses(state)[10], engine).toBeCloseTo(1000, 9);
    arm.dispose();
  }
});
