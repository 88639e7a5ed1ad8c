// Accelerations that Pinocchio gives for the benchmark mechanisms (../shared/reference/bench).

import { describe, expect, it } from 'vitest';
import { Dynamics } from '../../src/dynamics/dynamics.js';
import { parseDescription } from '../../src/formats/index.js';
import { State } from '../../src/mechanism/state.js';
import { relativeError } from '../support/random-mechanism.js';
import { hasShared, readShared } from '../support/shared.js';

type Coordinates = number | number[];
interface Check {
  state: Record<string, { q: Coordinates; qd: Coordinates }>;
  tau: Record<string, Coordinates>;
  qdd: Record<string, Coordinates>;
}

const available = hasShared('reference/bench/checks.json');
const checks = available ? (JSON.parse(readShared('reference/bench/checks.json')) as Record<string, Check[]>) : {};

describe.skipIf(!available)('Pinocchio', () => {
  it.each(Object.keys(checks))('%s', (name) => {
    const { mechanism } = parseDescription(readShared(`reference/bench/${name}.json`));
    const dynamics = new Dynamics(mechanism);
    expect(checks[name].length).toBeGreaterThan(0);
    for (const check of checks[name]) {
      const state = new State(mechanism);
      const tau = new Float64Array(mechanism.nv);
      const expected = new Float64Array(mechanism.nv);
      mechanism.joints.forEach(({ name: joint, iv }, i) => {
        const body = mechanism.bodies[i].name;
        state.set(joint, check.state[body].q, check.state[body].qd);
        tau.set([check.tau[body]].flat(), iv);
        expected.set([check.qdd[body]].flat(), iv);
      });
      expect(relativeError(dynamics.forward(state, tau), expected)).toBeLessThan(1e-9);
      expect(relativeError(dynamics.forward(state, tau, { algorithm: 'dense' }), expected)).toBeLessThan(1e-9);
      expect(relativeError(dynamics.inverse(state, expected), tau)).toBeLessThan(1e-9);
    }
  });
});
