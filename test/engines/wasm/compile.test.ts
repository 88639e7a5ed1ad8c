// What the compiled engine shows: tiers, fallback, errors, memory.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { CompiledDynamics } from '../../../src/engines/wasm/compiled.js';
import { webAssembly } from '../../../src/engines/wasm/webassembly.js';
import { createMechanism } from '../../../src/mechanism/create.js';
import { SimulationError } from '../../../src/mechanism/errors.js';
import { State } from '../../../src/mechanism/state.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { randomMechanism, randomSpec, randomVector, relativeError } from '../../support/random-mechanism.js';

const human = builtinMechanism('human-34');

function agrees(compiled: CompiledDynamics): void {
  const state = State.random(compiled.mechanism, 3);
  const tau = randomVector(4, compiled.mechanism.nv);
  const expected = compiled.readable.forward(state, tau);
  expect(relativeError(compiled.forward(state, tau), expected)).toBeLessThan(1e-11);
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('the compiled engine', () => {
  it('makes the code of each function at its first call, or beforehand', async () => {
    const compiled = new CompiledDynamics(human);
    expect(compiled.direct('forward')).toBeUndefined();
    agrees(compiled);
    expect(compiled.explain()).toContain('multiplications');
    const state = State.random(human, 1);
    await Promise.all([compiled.ready('inverse'), compiled.ready('massMatrix')]);
    expect(compiled.direct('inverse')).toBeDefined();
    expect(relativeError(compiled.inverse(state), compiled.readable.inverse(state))).toBeLessThan(1e-11);
    const expected = compiled.readable.massMatrix(state);
    const { n, H, joints } = compiled.massMatrix(state);
    expect(relativeError(H, expected.H)).toBeLessThan(1e-11);
    expect({ n, joints }).toEqual({ n: human.nv, joints: expected.joints });
    compiled.dispose();
    expect(compiled.tier).toBe('plain');
    agrees(compiled);
  });

  it('arrays without copies', () => {
    const compiled = new CompiledDynamics(human, { specialise: 'first-use' });
    agrees(compiled);
    const { q, v, tau, qdd, run } = compiled.direct('forward')!;
    const state = State.random(human, 5);
    q.set(state.q);
    v.set(state.v);
    tau.fill(0.5);
    run();
    expect(relativeError(qdd, compiled.readable.forward(state, tau))).toBeLessThan(1e-11);
  });

  it.each([
    ['no WebAssembly', undefined],
    [
      'a page that forbids it',
      {
        Memory: webAssembly().Memory,
        Module: class {
          constructor() {
            throw new Error('WebAssembly.Module(): blocked by Content Security Policy');
          }
        },
      },
    ],
  ])('%s: readable algorithms, said once', (_what, api) => {
    vi.stubGlobal('WebAssembly', api);
    const compiled = new CompiledDynamics(human);
    expect(compiled.tier).toBe('plain');
    agrees(compiled);
    agrees(compiled);
    expect(compiled.notes.length).toBe(1);
    expect(compiled.notes[0]).toMatch(/WebAssembly/);
  });

  it('mechanisms with coupled joints have code of their own, and no generic kernels', () => {
    const spec = randomSpec(2, { types: ['revolute'], bodies: 3 });
    const [joint, source] = spec.joints.map(({ name }) => name);
    const coupled = createMechanism({ ...spec, couplings: [{ joint, source, multiplier: 2, offset: 0 }] });
    const state = State.random(coupled, 1);
    const never = new CompiledDynamics(coupled, { specialise: 'never' });
    expect(never.tier).toBe('plain');
    expect(never.explain()).toContain('coupled');
    expect(never.forward(state)).toEqual(never.readable.forward(state));
    const compiled = new CompiledDynamics(coupled);
    expect(relativeError(compiled.forward(state), compiled.readable.forward(state))).toBeLessThan(1e-12);
    expect(compiled.tier).toBe('specialised');
  });

  it('options that only the readable algorithms know give their results', () => {
    const compiled = new CompiledDynamics(human, { specialise: 'first-use' });
    const state = State.random(human, 1);
    const tau = randomVector(1, human.nv);
    const forces = [0, 1].map(() => new Float64Array(6 * human.bodies.length));
    const expected = compiled.readable.forward(state, tau, { jointForces: forces[0] });
    expect(relativeError(compiled.forward(state, tau, { jointForces: forces[1] }), expected)).toBeLessThan(1e-11);
    expect(relativeError(forces[1], forces[0])).toBeLessThan(1e-11);
    const passive = compiled.readable.forward(state, tau, { passive: true });
    expect(relativeError(compiled.forward(state, tau, { passive: true }), passive)).toBeLessThan(1e-11);
  });

  it('forces from outside, on bodies welded to others too', () => {
    for (const seed of [21, 22, 23, 24]) {
      const mechanism = randomMechanism(seed, { bodies: 12, armature: true, forest: true });
      const compiled = new CompiledDynamics(mechanism);
      const state = State.random(mechanism, 1);
      const tau = randomVector(1, mechanism.nv);
      const external = randomVector(2, 6 * mechanism.bodies.length, 3);
      const expected = compiled.readable.forward(state, tau, { external });
      expect(relativeError(compiled.forward(state, tau, { external }), expected)).toBeLessThan(1e-11);
      expect(compiled.tierOf('forwardLoaded')).toBe('specialised');
      compiled.fillScratch(Number.NaN);
      expect(relativeError(compiled.forward(state, tau, { external }), expected)).toBeLessThan(1e-11);
      expect(relativeError(compiled.forward(state, tau), compiled.readable.forward(state, tau))).toBeLessThan(1e-11);
    }
    expect(randomSpec(22, { bodies: 12, forest: true }).joints.some(({ type }) => type === 'fixed')).toBe(true);
  });

  it('armature that an implicit integrator adds to damped joints is part of the code', () => {
    const spec = randomSpec(12, { bodies: 14, armature: true });
    const damped = createMechanism({
      ...spec,
      joints: spec.joints.map((joint, i) => (i % 2 === 0 ? { ...joint, damping: 0.3 } : joint)),
    });
    const compiled = new CompiledDynamics(damped);
    const { tree, readable } = compiled;
    const state = State.random(damped, 1);
    const tau = randomVector(1, damped.nv);
    const armature = tree.armature.slice();
    for (const { damping, iv, model } of damped.joints)
      for (let k = iv; k < iv + model.nv; k++) armature[k] += 0.01 * damping * (k + 1);
    const expected = readable.forward(state, tau, { armature });
    expect(relativeError(expected, readable.forward(state, tau))).toBeGreaterThan(1e-6);
    expect(relativeError(compiled.forward(state, tau, { armature }), expected)).toBeLessThan(1e-11);
    expect(compiled.tierOf('forwardLoaded')).toBe('specialised');
    compiled.fillScratch(Number.NaN);
    expect(relativeError(compiled.forward(state, tau, { armature }), expected)).toBeLessThan(1e-11);
    // The mechanism's own armature is not touched by it.
    agrees(compiled);
    // What the code does not read is left to the readable algorithm.
    const free = damped.joints.find(({ damping, model }) => damping === 0 && model.nv > 0)!;
    armature[free.iv] += 1;
    expect(compiled.forward(state, tau, { armature })).toEqual(readable.forward(state, tau, { armature }));
  });

  it('who asks for an algorithm gets it', () => {
    const compiled = new CompiledDynamics(human, { specialise: 'first-use' });
    const state = State.random(human, 1);
    for (const options of [{ algorithm: 'dense' }, { algorithm: 'ada' }] as const)
      expect(compiled.forward(state, undefined, options)).toEqual(compiled.readable.forward(state, undefined, options));
  });

  it('leaves the mass matrix of a very long chain to the readable algorithm', async () => {
    const chain = builtinMechanism('chain-500');
    const compiled = new CompiledDynamics(chain, { specialise: 'never' });
    const state = State.random(chain, 1);
    expect(compiled.massMatrix(state).H).toEqual(compiled.readable.massMatrix(state).H);
    expect(compiled.tierOf('massMatrix')).toBe('plain');
    await compiled.ready('massMatrix');
    expect([compiled.tierOf('massMatrix'), compiled.tier]).toEqual(['plain', 'generic']);
  });

  it.each(['never', 'first-use'] as const)(
    'a singular mass matrix is an error that names the joint (specialise: %s)',
    (when) => {
      const spec = randomSpec(3, { types: ['revolute'], bodies: 3, base: 'revolute' });
      const [, , tip] = spec.bodies;
      const bodies = [
        ...spec.bodies.slice(0, 2),
        { ...tip, mass: 1, com: [0, 0, 0] as const, inertia: new Array(9).fill(0) },
      ];
      const mechanism = createMechanism({ ...spec, bodies: bodies as typeof spec.bodies }, { inertia: 'warn' });
      const compiled = new CompiledDynamics(mechanism, { specialise: when });
      expect(() => compiled.forward(State.random(mechanism, 1))).toThrow(SimulationError);
      expect(() => compiled.forward(State.random(mechanism, 1))).toThrow(/j2/);
    },
  );

  it('numbers that are not finite are an error', () => {
    const compiled = new CompiledDynamics(human, { specialise: 'first-use' });
    const state = State.random(human, 1);
    state.v[7] = Number.NaN;
    expect(() => compiled.forward(state)).toThrow(SimulationError);
    state.v[7] = 0;
    agrees(compiled);
  });

  it('a mechanism that cannot move', () => {
    const rigid = randomMechanism(1, { types: ['fixed'], bodies: 3 });
    const compiled = new CompiledDynamics(rigid, { specialise: 'first-use' });
    expect(compiled.forward(new State(rigid)).length).toBe(0);
    expect(compiled.massMatrix(new State(rigid)).n).toBe(0);
  });
});
