// Plain kernels, which are generated from formulas, against the readable articulated-body algorithm, which is not; and
// against the WebAssembly of the same formulas, which leaves more zeros out.

import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import { CompiledDynamics } from '../../../src/engines/wasm/compiled.js';
import type { Mechanism } from '../../../src/mechanism/mechanism.js';
import { State } from '../../../src/mechanism/state.js';
import { BUILTIN_MODELS, builtinMechanism } from '../../../src/models/index.js';
import { ALL_JOINT_TYPES, randomMechanism, randomVector, relativeError } from '../../support/random-mechanism.js';

/** Both comparisons, with and without forces from outside. */
function check(mechanism: Mechanism, label: string): void {
  const plain = new PlainDynamics(mechanism);
  const wasm = new CompiledDynamics(mechanism, { specialise: 'never' });
  const force = randomVector(9, 6 * mechanism.bodies.length, 3);
  for (let seed = 1; seed <= 2; seed++) {
    const state = State.random(mechanism, seed);
    const tau = randomVector(seed, mechanism.nv, 5);
    for (const external of [undefined, force]) {
      const options = external === undefined ? {} : { external };
      const made = plain.forward(state, tau, options);
      expect(relativeError(made, plain.forward(state, tau, { ...options, algorithm: 'aba' })), label).toBeLessThan(
        1e-11,
      );
      expect(relativeError(made, wasm.forward(state, tau, options)), label).toBeLessThan(1e-12);
    }
  }
  wasm.dispose();
}

describe('plain kernels', () => {
  it.each(ALL_JOINT_TYPES)('%s joints', (type) => {
    for (let seed = 1; seed <= 6; seed++) check(randomMechanism(seed, { types: [type], bodies: 5 }), `seed ${seed}`);
  });

  it('random mechanisms', () => {
    for (let seed = 1; seed <= 150; seed++)
      check(randomMechanism(3000 + seed, { forest: seed % 3 === 0, shuffled: seed % 5 === 0 }), `seed ${3000 + seed}`);
  });

  it('armature: kernels where there is one, the readable algorithm for balls', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const mechanism = randomMechanism(4000 + seed, { armature: true });
      const plain = new PlainDynamics(mechanism);
      const state = State.random(mechanism, seed);
      const tau = randomVector(seed, mechanism.nv, 5);
      const armature = randomVector(seed + 1, mechanism.nv, 1).map(Math.abs);
      for (const options of [{}, { armature }]) {
        const reference = plain.forward(state, tau, { ...options, algorithm: 'aba' });
        expect(relativeError(plain.forward(state, tau, options), reference), `seed ${4000 + seed}`).toBeLessThan(1e-11);
      }
    }
  });

  it.each(BUILTIN_MODELS.map(({ name, example = name }) => example))('%s', (name) => {
    const mechanism = builtinMechanism(name);
    if (mechanism.loops.length === 0 && mechanism.couplings.length === 0 && mechanism.nv > 0) check(mechanism, name);
  });
});
