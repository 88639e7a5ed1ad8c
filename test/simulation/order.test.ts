// How fast the error falls with the step: the order of the integrators, measured.

import { describe, expect, it } from 'vitest';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import type { IntegratorName } from '../../src/simulation/integrators.js';
import { Simulation } from '../../src/simulation/simulation.js';
import { ALL_JOINT_TYPES, randomSpec } from '../support/random-mechanism.js';
import { distance } from './support.js';

/** Every type of joint, some damping, a spring, and a control that depends on time. */
function mixed(seed: number, damping = 0.2): Mechanism {
  const spec = randomSpec(seed, { bodies: ALL_JOINT_TYPES.length, base: 'floating', armature: true });
  const joints = spec.joints.map((joint, i) => ({
    ...joint,
    ...(i > 0 && { type: ALL_JOINT_TYPES[i] }),
    damping,
    ...(ALL_JOINT_TYPES[i] === 'revolute' && { stiffness: 3, rest: 0.2 }),
  }));
  return createMechanism({ ...spec, joints });
}

function run(mechanism: Mechanism, integrator: IntegratorName, steps: number, end: number): State {
  const simulation = new Simulation(mechanism, {
    integrator,
    step: end / steps,
    state: State.random(mechanism, 11),
    control: (tau, { time }) => {
      for (let k = 0; k < tau.length; k++) tau[k] = Math.sin(5 * time + k);
    },
  });
  simulation.runUntil(end);
  return simulation.state;
}

/** log2 of the ratio of errors when the step is halved. */
function slopes(mechanism: Mechanism, integrator: IntegratorName, steps: number, end: number): number[] {
  const reference = run(mechanism, 'rk4', 40 * steps, end);
  const errors = [1, 2, 4].map((k) => distance(run(mechanism, integrator, k * steps, end), reference));
  expect(Math.min(...errors)).toBeGreaterThan(1e-13);
  return [Math.log2(errors[0] / errors[1]), Math.log2(errors[1] / errors[2])];
}

describe('order of convergence on a mechanism of all joint types', () => {
  it.each([1, 2, 3, 4])('Runge-Kutta: four (mechanism %i)', (seed) => {
    const mechanism = mixed(seed);
    expect(new Set(mechanism.joints.map(({ type }) => type)).size).toBeGreaterThanOrEqual(9);
    for (const slope of slopes(mechanism, 'rk4', 12, 0.12)) {
      expect(slope).toBeGreaterThan(3.6);
      expect(slope).toBeLessThan(4.8);
    }
  });

  it.each([1, 2, 3, 4])('midpoint: two (mechanism %i)', (seed) => {
    for (const slope of slopes(mixed(seed, 0), 'midpoint', 60, 0.12)) {
      expect(slope).toBeGreaterThan(1.8);
      expect(slope).toBeLessThan(2.3);
    }
    // Damping is taken where the step ends.
    const [, slope] = slopes(mixed(seed), 'midpoint', 60, 0.12);
    expect(slope).toBeGreaterThan(0.85);
  });

  it.each([1, 2, 3, 4])('semi-implicit Euler: one (mechanism %i)', (seed) => {
    const [, slope] = slopes(mixed(seed), 'euler', 40, 0.12);
    expect(slope).toBeGreaterThan(0.85);
    expect(slope).toBeLessThan(1.2);
  });
});

it.each([1, 2, 3, 4, 5, 6])('quaternions stay unit ones (mechanism %i)', (seed) => {
  const mechanism = createMechanism(randomSpec(seed, { bodies: 3, types: ['spherical', 'floating'] }));
  for (const integrator of ['rk4', 'midpoint', 'euler'] as const) {
    const state = State.random(mechanism, seed);
    // Random light bodies at this step gain energy, which is no matter here.
    const options = { integrator, step: 2e-3, state, energyTolerance: Number.POSITIVE_INFINITY };
    const simulation = new Simulation(mechanism, options);
    simulation.runUntil(1);
    for (const { iq } of mechanism.joints)
      expect(Math.abs(Math.hypot(...simulation.state.q.subarray(iq, iq + 4)) - 1)).toBeLessThan(1e-15);
  }
});
