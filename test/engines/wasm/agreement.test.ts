// Compiled code against the readable algorithms: every joint type, built-in, shared and random mechanisms, both tiers.
// MANIKIN_RANDOM=5000 tries that many random mechanisms.

import { describe, expect, it } from 'vitest';
import { CompiledDynamics } from '../../../src/engines/wasm/compiled.js';
import { parseUrdf } from '../../../src/formats/index.js';
import type { Mechanism } from '../../../src/mechanism/mechanism.js';
import { State } from '../../../src/mechanism/state.js';
import { withoutCouplings } from '../../../src/mechanism/variants.js';
import { BUILTIN_MODELS, builtinMechanism } from '../../../src/models/index.js';
import { CHECKED, checksOf } from '../../support/checks.js';
import { ALL_JOINT_TYPES, randomMechanism, randomVector, relativeError } from '../../support/random-mechanism.js';
import { LONG } from '../../support/runs.js';
import { listShared, readShared } from '../../support/shared.js';

const TOLERANCE = 1e-11;

/**
 * Largest relative difference of all tasks from the readable algorithms, over some states, with intermediate memory full
 * of NaN before each call.
 */
function disagreement(mechanism: Mechanism, tier: 'generic' | 'specialised', states = 2): number {
  const compiled = new CompiledDynamics(mechanism, { specialise: tier === 'specialised' ? 'first-use' : 'never' });
  const { readable } = compiled;
  expect(compiled.tierOf('forward')).toBe(tier);
  let worst = 0;
  const compare = (got: Float64Array, expected: Float64Array): void => {
    const error = relativeError(got, expected);
    if (!(error <= worst)) worst = error;
    compiled.fillScratch(Number.NaN);
  };
  // On every body, also those welded to others.
  const external = randomVector(9, 6 * mechanism.bodies.length, 3);
  for (let seed = 1; seed <= states; seed++) {
    const state = State.random(mechanism, seed);
    const given = randomVector(seed, mechanism.nv, 5);
    // The readable algorithm by name: without it the kernels run, which are made from the same formulas.
    const algorithm = 'aba';
    compare(compiled.forward(state, given), readable.forward(state, given, { algorithm }));
    compare(compiled.forward(state, given, { external }), readable.forward(state, given, { external, algorithm }));
    compare(compiled.inverse(state, given), readable.inverse(state, given));
    compare(compiled.massMatrix(state).H, readable.massMatrix(state).H);
  }
  for (const task of ['forwardLoaded', 'inverse', 'massMatrix'] as const) expect(compiled.tierOf(task)).toBe(tier);
  compiled.dispose();
  return worst;
}

describe.each(['generic', 'specialised'] as const)('%s code', (tier) => {
  it.each(ALL_JOINT_TYPES)('%s joints', (type) => {
    for (let seed = 1; seed <= (LONG ? 6 : 2); seed++) {
      const mechanism = randomMechanism(seed, { types: [type], bodies: 4, armature: seed % 2 === 0 });
      expect(disagreement(mechanism, tier), `seed ${seed}`).toBeLessThan(TOLERANCE);
    }
  });

  it('random mechanisms', () => {
    const count = Number(process.env.MANIKIN_RANDOM ?? (LONG ? 150 : 50));
    for (let seed = 1; seed <= count; seed++) {
      const options = { forest: seed % 3 === 0, armature: seed % 2 === 0, shuffled: seed % 5 === 0 };
      expect(disagreement(randomMechanism(1000 + seed, options), tier), `seed ${1000 + seed}`).toBeLessThan(TOLERANCE);
    }
  });

  it.each(BUILTIN_MODELS.map(({ example }) => example))('%s', (name) => {
    expect(disagreement(builtinMechanism(name), tier)).toBeLessThan(TOLERANCE);
  });

  it.each(listShared('data/urdf', '.urdf'))('%s', (file) => {
    for (const base of ['fixed', 'floating'] as const) {
      const mechanism = withoutCouplings(parseUrdf(readShared(`data/urdf/${file}`), { base }));
      expect(disagreement(mechanism, tier), base).toBeLessThan(TOLERANCE);
    }
  });
});

describe.skipIf(CHECKED.length === 0)('benchmark mechanisms', () => {
  it.each(CHECKED)('%s agrees with Pinocchio and with the readable algorithms', (name) => {
    const { mechanism, checks } = checksOf(name);
    expect(checks.length).toBeGreaterThan(0);
    for (const tier of ['never', 'first-use'] as const) {
      const compiled = new CompiledDynamics(mechanism, { specialise: tier });
      for (const { state, tau, qdd } of checks) {
        expect(relativeError(compiled.forward(state, tau), qdd)).toBeLessThan(1e-9);
        expect(relativeError(compiled.inverse(state, qdd), tau)).toBeLessThan(1e-9);
        expect(relativeError(compiled.forward(state, tau), compiled.readable.forward(state, tau))).toBeLessThan(
          TOLERANCE,
        );
      }
      compiled.dispose();
    }
  });
});
