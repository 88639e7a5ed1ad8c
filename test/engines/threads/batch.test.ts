import { afterAll, describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import { Batch, endThreads } from '../../../src/engines/threads/index.js';
import { MechanismError } from '../../../src/mechanism/errors.js';
import { State } from '../../../src/mechanism/state.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { relativeError } from '../../support/random-mechanism.js';

afterAll(() => endThreads());

const mechanism = builtinMechanism('human-34');
const { nq, nv } = mechanism;
const readable = new PlainDynamics(mechanism);

function states(count: number): { q: Float64Array; v: Float64Array; tau: Float64Array } {
  const [q, v] = [new Float64Array(count * nq), new Float64Array(count * nv)];
  for (let s = 0; s < count; s++) {
    const state = State.random(mechanism, s);
    q.set(state.q, s * nq);
    v.set(state.v, s * nv);
  }
  return { q, v, tau: Float64Array.from({ length: count * nv }, (_, k) => Math.sin(k)) };
}

function stateOf({ q, v }: { q: Float64Array; v: Float64Array }, s: number): State {
  const state = new State(mechanism);
  state.q.set(q.subarray(s * nq, (s + 1) * nq));
  state.v.set(v.subarray(s * nv, (s + 1) * nv));
  return state;
}

describe('a batch', () => {
  it.each([1, 2, 3])('of 1000 states on %i threads is what one state after the other gives', async (workers) => {
    const batch = new Batch(mechanism, { workers });
    const given = states(1000);
    const told: number[] = [];
    const qdd = await batch.forward(given, { onProgress: (done) => told.push(done) });
    expect(batch.workers).toBe(workers);
    for (const s of [0, 1, 63, 64, 500, 999]) {
      const expected = readable.forward(stateOf(given, s), given.tau.subarray(s * nv, (s + 1) * nv));
      expect(relativeError(qdd.subarray(s * nv, (s + 1) * nv), expected)).toBeLessThan(1e-11);
    }
    expect(qdd.every(Number.isFinite)).toBe(true);
    expect(told.at(-1)).toBe(1000);
    batch.dispose();
  });

  it('works in place on arrays of its own', async () => {
    const batch = new Batch(mechanism, { workers: 2 });
    const given = states(100);
    const own = batch.allocate(100);
    own.q.set(given.q);
    own.v.set(given.v);
    own.tau.set(given.tau);
    const qdd = await batch.forward(own);
    expect(qdd).toBe(own.qdd);
    expect(qdd.slice()).toEqual((await batch.forward(given)).slice());
    const plain = new Float64Array(100 * nv);
    expect(await batch.forward({ ...given, qdd: plain })).toBe(plain);
    expect(plain).toEqual(qdd.slice());
    batch.dispose();
  });

  it('gives the same bits for any number of threads', async () => {
    const given = states(333);
    const results: Float64Array[] = [];
    for (const workers of [1, 2, 4]) {
      const batch = new Batch(mechanism, { workers });
      results.push(await batch.forward(given));
      batch.dispose();
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
  });

  it('simulates as one simulation after the other', async () => {
    const batch = new Batch(mechanism, { workers: 2 });
    const given = states(70);
    given.tau.fill(0);
    const h = 1e-3;
    const { q, v } = await batch.simulate(given, { duration: 0.02, timeStep: h });
    for (const s of [0, 69]) {
      const state = stateOf(given, s);
      for (let k = 0; k < 20; k++) {
        const a = readable.forward(state, undefined, { passive: true });
        for (let i = 0; i < nv; i++) state.v[i] += h * a[i];
        for (const { model, iq, iv } of mechanism.joints) model.integrate(state.q, iq, state.v, iv, h);
      }
      expect(relativeError(q.subarray(s * nq, (s + 1) * nq), state.q)).toBeLessThan(1e-10);
      expect(relativeError(v.subarray(s * nv, (s + 1) * nv), state.v)).toBeLessThan(1e-9);
    }
    batch.dispose();
  });

  it('stops when it is told to, and works again afterwards', async () => {
    const batch = new Batch(mechanism, { workers: 2 });
    const given = states(200);
    const controller = new AbortController();
    const running = batch.simulate(given, { duration: 1000, timeStep: 1e-3, signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 50);
    await expect(running).rejects.toThrow('enough');
    await expect(batch.forward(given, { signal: controller.signal })).rejects.toThrow('enough');
    expect((await batch.forward(given)).length).toBe(200 * nv);
    batch.dispose();
  });

  it('works again after its threads have ended, and after it has been disposed of', async () => {
    const batch = new Batch(mechanism, { workers: 2 });
    const { q, v } = State.random(mechanism, 1);
    const before = await batch.forward({ q, v });
    endThreads();
    expect(await batch.forward({ q, v })).toEqual(before);
    batch.dispose();
    expect(await batch.forward({ q, v })).toEqual(before);
    batch.dispose();
  });

  it('takes states from a stream only as fast as results are taken', async () => {
    const batch = new Batch(mechanism, { workers: 1 });
    let taken = 0;
    function* source(): Generator<State> {
      for (; taken < 100_000; ) yield State.random(mechanism, taken++);
    }
    let seen = 0;
    for await (const { state, qdd } of batch.stream(source())) {
      if (seen % 500 === 0) expect(relativeError(qdd, readable.forward(state))).toBeLessThan(1e-11);
      if (++seen === 1500) break;
    }
    expect(seen).toBe(1500);
    expect(taken).toBeLessThan(6000);
    let rest = 0;
    for await (const _ of batch.stream([1, 2, 3].map((seed) => State.random(mechanism, seed)))) rest++;
    expect(rest).toBe(3);
    batch.dispose();
  });

  it('says what is wrong with its input', async () => {
    expect(() => new Batch(mechanism, { workers: -1 })).toThrow(MechanismError);
    const batch = new Batch(mechanism, { workers: 1 });
    await expect(batch.forward({ q: new Float64Array(3), v: new Float64Array(3) })).rejects.toThrow(/positions/);
    await expect(batch.simulate(states(1), { duration: 1, timeStep: 0 })).rejects.toThrow(/time step/);
    batch.dispose();
  });
});
