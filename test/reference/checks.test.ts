// Accelerations that Pinocchio gives for the benchmark mechanisms (../shared/reference/bench).

import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { CHECKED, checksOf } from '../support/checks.js';
import { relativeError } from '../support/random-mechanism.js';

describe.skipIf(CHECKED.length === 0)('Pinocchio', () => {
  it.each(CHECKED)('%s', (name) => {
    const { mechanism, checks } = checksOf(name);
    const dynamics = new PlainDynamics(mechanism);
    expect(checks.length).toBeGreaterThan(0);
    for (const { state, tau, qdd } of checks) {
      expect(relativeError(dynamics.forward(state, tau), qdd)).toBeLessThan(1e-9);
      expect(relativeError(dynamics.forward(state, tau, { algorithm: 'dense' }), qdd)).toBeLessThan(1e-9);
      expect(relativeError(dynamics.inverse(state, qdd), tau)).toBeLessThan(1e-9);
    }
  });
});
