// Inverse dynamics of closed loops: the inverse of forward, least norms, chosen motors.

import { describe, expect, it } from 'vitest';
import { dynamics as door } from '../../../src/dynamics/dynamics.js';
import { LoopClosing } from '../../../src/engines/plain/assembly/closing.js';
import { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import { createMechanism } from '../../../src/mechanism/create.js';
import { State } from '../../../src/mechanism/state.js';
import { createTree } from '../../../src/mechanism/tree.js';
import { closedSpec, sharedLoop } from '../../support/closed-mechanisms.js';
import { randomVector, relativeError } from '../../support/random-mechanism.js';
import { hasShared } from '../../support/shared.js';
import { constraintJacobian } from './assembly/constrained.js';

function closedCases(check: (seed: number, dynamics: PlainDynamics, state: State, tau: Float64Array) => void): void {
  let checked = 0;
  for (let seed = 1; seed <= 30; seed++) {
    const mechanism = createMechanism(closedSpec(seed, 8, 1 + (seed % 2)));
    const state = State.random(mechanism, seed);
    if (constraintJacobian(mechanism, state).rows.length + 3 > mechanism.nv) continue;
    new LoopClosing(createTree(mechanism)).hold(state);
    check(seed, new PlainDynamics(mechanism), state, randomVector(seed + 1, mechanism.nv, 2));
    checked++;
  }
  expect(checked).toBeGreaterThan(10);
}

describe('inverse dynamics with closed loops', () => {
  it('of forward dynamics gives forces that produce the same motion, with the same or a smaller norm', () => {
    closedCases((seed, dynamics, state, tau) => {
      const qdd = dynamics.forward(state, tau);
      const least = dynamics.inverse(state, qdd);
      expect(relativeError(dynamics.forward(state, least), qdd), `seed ${seed}`).toBeLessThan(1e-9);
      expect(Math.hypot(...least)).toBeLessThanOrEqual(Math.hypot(...tau) * (1 + 1e-9));
      // Least: nothing of it lies along the rows of the constraints.
      const { rows } = constraintJacobian(dynamics.mechanism, state);
      for (const row of rows) expect(row.reduce((sum, e, k) => sum + e * least[k], 0)).toBeCloseTo(0, 7);
    });
  });

  it('joint and loop forces are those of forward dynamics under the same forces', () => {
    closedCases((seed, dynamics, state, tau) => {
      const { bodies, loops } = dynamics.mechanism;
      const [forces, again] = [0, 1].map(() => new Float64Array(6 * bodies.length));
      const [held, heldAgain] = [0, 1].map(() => new Float64Array(6 * loops.length));
      const external = randomVector(seed + 2, 6 * bodies.length);
      const qdd = dynamics.forward(state, tau, { external });
      const least = dynamics.inverse(state, qdd, { external, jointForces: forces, loopForces: held });
      dynamics.forward(state, least, { external, jointForces: again, loopForces: heldAgain });
      expect(relativeError(forces, again), `seed ${seed}`).toBeLessThan(1e-7);
      expect(relativeError(held, heldAgain), `seed ${seed}`).toBeLessThan(1e-7);
    });
  });

  it('by chosen motors: the others get no force', () => {
    closedCases((seed, dynamics, state) => {
      const { mechanism } = dynamics;
      const actuated = mechanism.joints.filter((_, k) => k % 2 === 0).map(({ name }) => name);
      const tau = randomVector(seed + 5, mechanism.nv);
      for (const [k, { iv, model }] of mechanism.joints.entries()) if (k % 2 === 1) tau.fill(0, iv, iv + model.nv);
      const qdd = dynamics.forward(state, tau);
      const found = dynamics.inverse(state, qdd, { actuated });
      for (const [k, { iv, model }] of mechanism.joints.entries())
        if (k % 2 === 1) for (let j = 0; j < model.nv; j++) expect(found[iv + j]).toBe(0);
      expect(relativeError(dynamics.forward(state, found), qdd), `seed ${seed}`).toBeLessThan(1e-8);
    });
  });

  it.runIf(hasShared('data/loops'))('the motors of the five-bar produce its motion, one of them does not', () => {
    const mechanism = sharedLoop('5bar_linkage');
    const state = new State(mechanism);
    const closing = new LoopClosing(createTree(mechanism));
    closing.close(state);
    state.v.set(randomVector(3, mechanism.nv));
    closing.hold(state);
    const dynamics = door(mechanism);
    const motors = ['mot1', 'mot2'];
    const given = new Float64Array(mechanism.nv);
    for (const [k, name] of motors.entries()) given[mechanism.joints[mechanism.jointIndex(name)].iv] = 0.1 + 0.2 * k;
    const qdd = dynamics.forward(state, given);
    const tau = dynamics.inverse(state, qdd, { actuated: motors });
    expect(relativeError(tau, given)).toBeLessThan(1e-8);
    expect(() => dynamics.inverse(state, qdd, { actuated: ['mot1'] })).toThrow(/mot1.*cannot produce this motion/);
  });

  it('refuses accelerations that break the loops, and says by how much', () => {
    closedCases((_seed, dynamics, state, tau) => {
      const qdd = dynamics.forward(state, tau);
      const { rows } = constraintJacobian(dynamics.mechanism, state);
      const [along] = [...rows].sort((x, y) => Math.hypot(...y) - Math.hypot(...x));
      const wrong = qdd.map((x, k) => x + along[k]);
      expect(() => dynamics.inverse(state, wrong)).toThrow(/break the loop joints by/);
    });
  });

  it('of an open tree by chosen motors', () => {
    const spec = { ...closedSpec(3, 5, 1), loops: [] };
    const dynamics = new PlainDynamics(createMechanism(spec));
    const state = State.random(dynamics.mechanism, 1);
    const all = dynamics.mechanism.joints.map(({ name }) => name);
    const qdd = randomVector(2, dynamics.mechanism.nv);
    expect(dynamics.inverse(state, qdd, { actuated: all })).toEqual(dynamics.inverse(state, qdd));
    expect(() => dynamics.inverse(state, qdd, { actuated: [] })).toThrow(/cannot produce/);
  });
});
