// The mass matrix on threads. Workers run the built program: those tests need dist.

import { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';
import threads, { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import { createMechanism } from '../../../src/mechanism/create.js';
import { State } from '../../../src/mechanism/state.js';
import { createTree } from '../../../src/mechanism/tree.js';
import { builtinMechanism } from '../../../src/models/index.js';
import {
  type Assignment,
  CHUNKS,
  CONTROL_WORDS,
  chunkBounds,
  computeTogether,
} from '../../../src/papers/mass-matrix/threads/crew.js';
import { createColumns } from '../../../src/papers/mass-matrix/threads/fixed-frame.js';
import { ParallelMassMatrix } from '../../../src/papers/mass-matrix/threads/parallel.js';
import { randomMechanism, randomSpec, relativeError } from '../../support/random-mechanism.js';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const BUILT = new URL('../../../dist/papers/mass-matrix/threads/parallel.js', import.meta.url);
const built = existsSync(fileURLToPath(BUILT));
if (!built) console.warn('skipped: dist is not built (npm run build), worker threads are not tried');

describe('columns in a fixed frame', () => {
  it('give the mass matrix, on random trees of all joint types, twice in the same memory', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const mechanism = randomMechanism(seed, { armature: true, forest: true, shuffled: true });
        const parallel = new ParallelMassMatrix(mechanism, { threads: 1 });
        for (const s of [seed + 1, seed + 2]) {
          const state = State.random(mechanism, s);
          const expected = new PlainDynamics(mechanism).massMatrix(state);
          const got = parallel.massMatrix(state);
          expect(relativeError(got.H, expected.H)).toBeLessThan(1e-11);
          expect(got.joints).toEqual(expected.joints);
        }
      }),
      { numRuns: 60 },
    );
  });

  it.each(['human-34', 'human-161', 'chain-200', 'chain-32-spherical-free'])('of %s', (name) => {
    const mechanism = builtinMechanism(name);
    const state = State.random(mechanism, 1);
    const { H } = new ParallelMassMatrix(mechanism, { threads: 1 }).massMatrix(state);
    expect(relativeError(H, new PlainDynamics(mechanism).massMatrix(state).H)).toBeLessThan(1e-11);
  });

  it('chunks cover every column once', () => {
    for (const nv of [1, 7, 64, 1000]) {
      const bounds = chunkBounds(Int32Array.from({ length: nv }, (_, k) => k - 1));
      expect(bounds.length).toBe(CHUNKS + 1);
      expect(bounds[0]).toBe(0);
      expect(bounds[CHUNKS]).toBe(nv);
      for (let k = 0; k < CHUNKS; k++) expect(bounds[k + 1]).toBeGreaterThanOrEqual(bounds[k]);
    }
  });
});

describe('threads', () => {
  it('are used where they pay, and it says why not', () => {
    expect(new ParallelMassMatrix(builtinMechanism('human-34')).note).toMatch(/entries/);
    expect(new ParallelMassMatrix(builtinMechanism('chain-200'), { threads: 1 }).note).toMatch(/One thread/);
    expect(new ParallelMassMatrix(builtinMechanism('chain-200')).note).toBeUndefined();
    expect(() => new ParallelMassMatrix(builtinMechanism('compass'), { threads: 0 })).toThrow(/1 to 64/);
    const couplings = [{ joint: 'j2', source: 'j1', multiplier: 2 }];
    const coupled = createMechanism({ ...randomSpec(3, { bodies: 4, types: ['revolute'] }), couplings });
    expect(() => new ParallelMassMatrix(coupled)).toThrow(/Coupled/);
  });

  it('without memory that can be shared one thread computes', () => {
    const shared = globalThis.SharedArrayBuffer;
    try {
      Reflect.deleteProperty(globalThis, 'SharedArrayBuffer');
      const mechanism = builtinMechanism('chain-200');
      const parallel = new ParallelMassMatrix(mechanism);
      expect(parallel.note).toMatch(/cannot be shared/);
      const state = State.random(mechanism, 1);
      expect(
        relativeError(parallel.massMatrix(state).H, new PlainDynamics(mechanism).massMatrix(state).H),
      ).toBeLessThan(1e-11);
    } finally {
      globalThis.SharedArrayBuffer = shared;
    }
  });

  it.skipIf(!built)(
    'give the same bits for any number of them, before and after they run and when they are gone',
    async () => {
      // All from dist: a mechanism of src has joint types that are not those of dist.
      const from = async <M>(path: string): Promise<M> => (await import(new URL(path, BUILT).href)) as M;
      const { ParallelMassMatrix: Parallel } =
        await from<typeof import('../../../src/papers/mass-matrix/index.js')>('../index.js');
      const { builtinMechanism: make } =
        await from<typeof import('../../../src/models/index.js')>('../../../models/index.js');
      const { State: BuiltState } = await from<typeof import('../../../src/index.js')>('../../../index.js');
      for (const name of ['chain-200', 'chain-64-spherical', 'human-161']) {
        const mechanism = make(name);
        const one = new Parallel(mechanism, { threads: 1 });
        for (const threads of [2, 3]) {
          const several = new Parallel(mechanism, { threads, worthwhile: 0 });
          expect(several.note).toBeUndefined();
          const states = Array.from({ length: 40 }, (_, k) => BuiltState.random(mechanism, k));
          const check = ({ q }: State): void => {
            const expected = one.compute(q);
            expect(several.compute(q).every((x, k) => x === expected[k])).toBe(true);
          };
          check(states[0]);
          await several.ready();
          for (const [k, state] of states.entries()) {
            // Long enough for the workers to park, now and then.
            if (k % 10 === 9) await new Promise((done) => setTimeout(done, 5));
            check(state);
          }
          await several.dispose();
          check(states[1]);
          await several.dispose();
        }
      }
    },
  );

  it('a worker that ends with a chunk in its hands does not keep the caller waiting', async () => {
    const columns = createColumns(createTree(builtinMechanism('chain-1024')), true);
    const control = new Int32Array(new SharedArrayBuffer(4 * CONTROL_WORDS));
    const assignment: Assignment = { columns, control, bounds: chunkBounds(columns.above) };
    expect(computeTogether(assignment, 50)).toBe(true);
    // Claims one chunk of a call and ends, as soon as it sees the call. The words are those of crew.ts: EPOCH 0, NEXT 32.
    // On a busy machine it may come too late, after the last chunk (64 of them): then it waits for the next call.
    const thief = new Worker(
      new URL(
        `data:text/javascript,${encodeURIComponent(`
          import { parentPort, workerData as control } from 'node:worker_threads';
          parentPort.postMessage('ready');
          for (;;) {
            const next = Atomics.load(control, 32);
            const epoch = Atomics.load(control, 0);
            if (epoch < 2 || next < 64 * epoch || next >= 64 * epoch + 64) continue;
            if (Atomics.compareExchange(control, 32, next, next + 1) === next) break;
          }
        `)}`,
      ),
      { workerData: control },
    );
    const ended = new Promise((done) => thief.once('exit', done));
    await new Promise((done) => thief.once('message', done));
    let tries = 0;
    while (computeTogether(assignment, 50) && tries < 2000) tries++;
    expect(tries).toBeLessThan(2000);
    await ended;
  });

  it.skipIf(!built)(
    'workers killed at any moment are replaced, and the bits stay',
    async () => {
      const from = async <M>(path: string): Promise<M> => (await import(new URL(path, BUILT).href)) as M;
      const started: Worker[] = [];
      class Recorded extends Worker {
        constructor(...args: ConstructorParameters<typeof Worker>) {
          super(...args);
          started.push(this);
        }
      }
      threads.Worker = Recorded;
      syncBuiltinESMExports();
      try {
        const { ParallelMassMatrix: Parallel } =
          await from<typeof import('../../../src/papers/mass-matrix/index.js')>('../index.js');
        const { builtinMechanism: make } =
          await from<typeof import('../../../src/models/index.js')>('../../../models/index.js');
        const { State: BuiltState } = await from<typeof import('../../../src/index.js')>('../../../index.js');
        const mechanism = make('chain-512');
        const expected = new Parallel(mechanism, { threads: 1 });
        const several = new Parallel(mechanism, { threads: 3 });
        await several.ready();
        for (let k = 0; k < 20; k++) {
          const { q } = BuiltState.random(mechanism, k);
          if (k % 5 === 4) void started[started.length - 1].terminate();
          const want = expected.compute(q);
          expect(several.compute(q).every((x, i) => x === want[i])).toBe(true);
          await new Promise((done) => setTimeout(done, 1));
        }
        expect(started.length).toBeGreaterThanOrEqual(2);
        await several.dispose();
      } finally {
        threads.Worker = Worker;
        syncBuiltinESMExports();
      }
    },
    20_000,
  );
});
