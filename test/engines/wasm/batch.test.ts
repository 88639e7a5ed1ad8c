import { describe, expect, it, vi } from 'vitest';
import { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import { CompiledBatch, compile } from '../../../src/engines/wasm/index.js';
import { batchStride } from '../../../src/engines/wasm/layout.js';
import { fusedIsExact } from '../../../src/engines/wasm/relaxed-simd.js';
import { webAssembly } from '../../../src/engines/wasm/webassembly.js';
import { MechanismError } from '../../../src/mechanism/errors.js';
import type { Mechanism } from '../../../src/mechanism/mechanism.js';
import { State } from '../../../src/mechanism/state.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { randomMechanism, randomVector, relativeError } from '../../support/random-mechanism.js';

/** Fills a batch with random states and compares every one of them with the readable algorithms. */
function disagreement(batch: CompiledBatch, count = batch.states): number {
  const { mechanism, stride } = batch;
  const readable = new PlainDynamics(mechanism);
  let worst = 0;
  for (const task of ['forward', 'inverse'] as const) {
    const [given, result] = task === 'forward' ? (['tau', 'qdd'] as const) : (['qdd', 'tau'] as const);
    for (let s = 0; s < batch.states; s++) {
      batch.setState(s, State.random(mechanism, s + 1));
      randomVector(s, mechanism.nv).forEach((x, k) => {
        batch[given][k * stride + s] = x;
      });
    }
    batch[task](count);
    for (let s = 0; s < count; s++) {
      const expected = readable[task](State.random(mechanism, s + 1), randomVector(s, mechanism.nv));
      const got = Float64Array.from({ length: mechanism.nv }, (_, k) => batch[result][k * stride + s]);
      worst = Math.max(worst, relativeError(got, expected));
    }
  }
  return worst;
}

const human = builtinMechanism('human-34');

describe('batches', () => {
  it.each([
    ['human-34', human],
    ['all joint types', randomMechanism(11, { bodies: 14, armature: true })],
    ['human-161', builtinMechanism('human-161')],
  ] as [string, Mechanism][])('%s', (_name, mechanism) => {
    for (const states of [1, 2, 7])
      expect(disagreement(compile(mechanism, { batch: states, specialise: 'now' }))).toBeLessThan(1e-11);
  });

  it('computes one state after the other until code is there', async () => {
    const batch = compile(human, { batch: 4 });
    expect(batch.tierOf('forward')).toBe('generic');
    expect(disagreement(batch)).toBeLessThan(1e-11);
    await Promise.all([batch.ready('forward'), batch.ready('inverse')]);
    expect([batch.tierOf('forward'), batch.tierOf('inverse')]).toEqual(['specialised', 'specialised']);
    expect(disagreement(batch)).toBeLessThan(1e-11);
  });

  it('leaves the states after the count alone', () => {
    const batch = compile(human, { batch: 6, specialise: 'now' });
    batch.qdd.fill(7);
    expect(disagreement(batch, 4)).toBeLessThan(1e-11);
    const last = compile(human, { batch: 6, specialise: 'now' });
    for (let s = 0; s < 6; s++) last.setState(s, State.random(human, s));
    last.qdd.fill(7);
    last.forward(4);
    for (const s of [4, 5]) expect(last.qdd[3 * last.stride + s]).toBe(7);
  });

  it('rows are even and keep off the same cache lines', () => {
    expect([1, 2, 3, 63, 64, 65, 1000, 1024].map(batchStride)).toEqual([2, 2, 4, 66, 66, 66, 1000, 1026]);
  });

  it('fused arithmetic is off by default, and close to the other where it is there', () => {
    expect(compile(human, { batch: 2, specialise: 'now' }).fused).toBe(false);
    const batch = compile(human, { batch: 2, specialise: 'now', fused: true });
    expect(batch.fused).toBe(fusedIsExact());
    expect(disagreement(batch)).toBeLessThan(1e-11);
  });

  it('runs on the readable algorithms without WebAssembly', () => {
    vi.stubGlobal('WebAssembly', undefined);
    const told: string[] = [];
    const batch = new CompiledBatch(human, { batch: 3, onFallback: (reason) => told.push(reason) });
    expect(disagreement(batch)).toBeLessThan(1e-11);
    expect(told.length).toBe(1);
    vi.unstubAllGlobals();
  });

  it('knows at once where memory is allowed and code is not', () => {
    const { Memory } = webAssembly();
    const Module = class {
      constructor() {
        throw new Error('blocked by Content Security Policy');
      }
    };
    vi.stubGlobal('WebAssembly', { Memory, Module });
    const told: string[] = [];
    const batch = new CompiledBatch(human, { batch: 3, onFallback: (reason) => told.push(reason) });
    expect(batch.tierOf('forward')).toBe('plain');
    expect(told).toEqual([expect.stringContaining('blocked')]);
    vi.unstubAllGlobals();
  });

  it('states that nobody has set are at the neutral position', () => {
    const batch = compile(human, { batch: 3, specialise: 'now' });
    batch.forward();
    const expected = new PlainDynamics(human).forward(new State(human));
    const got = Float64Array.from(expected, (_, k) => batch.qdd[k * batch.stride + 1]);
    expect(relativeError(got, expected)).toBeLessThan(1e-11);
  });

  it('refuses sizes that are none', () => {
    for (const batch of [0, -1, 1.5, Number.NaN]) expect(() => compile(human, { batch })).toThrow(MechanismError);
    const two = compile(human, { batch: 2, specialise: 'now' });
    expect(() => two.forward(3)).toThrow('Expected at most 2 states');
  });
});
