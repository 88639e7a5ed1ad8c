// Several threads against the readable algorithm, and against themselves. Threads run the compiled program in dist.

import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import { endThreads } from '../../../src/engines/threads/index.js';
import { ParallelDynamics } from '../../../src/engines/threads/parallel-dynamics.js';
import { Planner } from '../../../src/engines/threads/planner.js';
import { sharedPool } from '../../../src/engines/threads/pool.js';
import { ThreadProgram } from '../../../src/engines/threads/program.js';
import { createMechanism } from '../../../src/mechanism/create.js';
import { MechanismError, SimulationError } from '../../../src/mechanism/errors.js';
import { Random } from '../../../src/mechanism/random.js';
import { State } from '../../../src/mechanism/state.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { PATIENCE } from '../../support/patience.js';
import { randomMechanism, randomSpec, randomVector, relativeError } from '../../support/random-mechanism.js';
import { LONG, runs } from '../../support/runs.js';
import { Walker } from './support.js';

beforeAll(() => {
  if (!existsSync(new URL('../../../dist/engines/threads/threads-worker.js', import.meta.url)))
    throw new Error('dist is missing: run "npm run build" first');
});
afterAll(() => endThreads());

const turn = (ms = 0): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until something is so, with turns of the event loop in between. */
async function until(so: () => boolean, ms = 5): Promise<void> {
  for (const end = performance.now() + PATIENCE; !so(); await turn(ms))
    if (performance.now() > end) throw new Error('it did not happen');
}

describe('results', () => {
  it.each([
    ['human-48', 2],
    ['human-161', 3],
    ['chain-64', 3],
    ['chain-64-free', 2],
    ['chain-24-spherical', 3],
    ['crowd-4', 2],
  ])('%s on %i threads', async (name, count) => {
    const mechanism = builtinMechanism(name);
    const readable = new PlainDynamics(mechanism);
    for (const workers of LONG ? [2, 3] : [count]) {
      const parallel = new ParallelDynamics(mechanism, { threads: workers, prefer: 'parallel' });
      await parallel.ready();
      expect(parallel.mode, parallel.explain()).toBe('parallel');
      for (let seed = 1; seed <= (LONG ? 20 : 5); seed++) {
        const state = State.random(mechanism, seed);
        const tau = randomVector(seed, mechanism.nv, 5);
        const got = parallel.forward(state, tau);
        expect(got.every(Number.isFinite)).toBe(true);
        expect(relativeError(got, readable.forward(state, tau))).toBeLessThan(1e-10);
      }
      parallel.dispose();
    }
  });

  it('random mechanisms', async () => {
    for (let seed = 1; seed <= 4; seed++) {
      const mechanism = randomMechanism(seed, { bodies: 24, armature: seed % 2 === 0, forest: seed % 3 === 0 });
      const parallel = new ParallelDynamics(mechanism, { threads: 2, scheduleFor: 4, prefer: 'parallel' });
      await parallel.ready();
      const readable = new PlainDynamics(mechanism);
      for (let again = 0; again < 10; again++) {
        const state = State.random(mechanism, again);
        const tau = randomVector(again, mechanism.nv);
        const error = relativeError(parallel.forward(state, tau), readable.forward(state, tau));
        expect(error, `seed ${seed}`).toBeLessThan(1e-10);
      }
      parallel.dispose();
    }
  });

  it('whoever has which segment, the caller the last ones too', async () => {
    const mechanism = builtinMechanism('chain-64');
    const plan = new Planner(mechanism).plan(4);
    expect(plan.schedule.segments).toBe(4);
    const readable = new PlainDynamics(mechanism);
    const pool = sharedPool();
    for (const threadOf of [
      [1, 0, 0, 1],
      [1, 1, 0, 0],
      [2, 1, 1, 0],
    ]) {
      const workers = 1 + Math.max(...threadOf);
      const { arrays, job, runner } = new ThreadProgram({
        ...plan,
        schedule: { ...plan.schedule, processorOf: threadOf },
      }).shared(pool.newJob(), workers, pool.control);
      expect(job.threadOf).toEqual(threadOf);
      await pool.install(job, workers - 1, () => {});
      let together = 0;
      const end = performance.now() + PATIENCE;
      for (let seed = 1; seed <= 300 || (together === 0 && performance.now() < end); seed++) {
        const state = State.random(mechanism, 1 + (seed % 7));
        arrays.q.set(state.q);
        arrays.v.set(state.v);
        expect(pool.step(job, runner, PATIENCE)).toBe(true);
        if (runner.stolen === 0) together++;
        if (seed % 20 !== 0) continue;
        expect(relativeError(arrays.qdd, readable.forward(state))).toBeLessThan(1e-10);
        await turn();
      }
      expect(together).toBeGreaterThan(0);
      pool.remove(job.id);
    }
  });

  it('options of PlainDynamics hold, by whatever code', async () => {
    const mechanism = builtinMechanism('chain-64');
    const parallel = new ParallelDynamics(mechanism, { threads: 2, prefer: 'parallel' });
    await parallel.ready();
    const readable = new PlainDynamics(mechanism);
    const state = State.random(mechanism, 1);
    const external = randomVector(2, 6 * mechanism.bodies.length);
    for (const options of [{}, { passive: true }, { external }, { algorithm: 'dense' as const }])
      expect(
        relativeError(parallel.forward(state, undefined, options), readable.forward(state, undefined, options)),
      ).toBeLessThan(1e-9);
    const out = new Float64Array(mechanism.nv);
    expect(parallel.forward(state, undefined, { out })).toBe(out);
    state.q[3] = Number.NaN;
    expect(() => parallel.forward(state)).toThrow(SimulationError);
    parallel.dispose();
  });

  it('says what was wrong with its options', () => {
    const mechanism = builtinMechanism('human-34');
    expect(() => new ParallelDynamics(mechanism, { threads: 0 })).toThrow(/whole number from 1 to 64, got 0/);
    expect(() => new ParallelDynamics(mechanism, { threads: 1.5 })).toThrow(MechanismError);
  });

  it('stays on one thread where that is faster, and says so', async () => {
    const parallel = new ParallelDynamics(builtinMechanism('compass'), { threads: 'auto' });
    await parallel.ready();
    expect(parallel.mode).toBe('serial');
    expect(parallel.explain()).toContain('one thread');
    // With prediction and measurement for one thread; for several only where there is a core for them.
    expect(parallel.explain()).toMatch(
      /predicted ([0-9.]+ us|nothing), measured nothing; one thread: predicted [0-9.]+ us, measured [0-9.]+ us/,
    );
    parallel.dispose();
    const looped = new ParallelDynamics(randomMechanism(3, { bodies: 5 }), {});
    await looped.ready();
    expect(looped.explain()).toMatch(/one thread|threads/i);
    looped.dispose();
  });
});

describe('bits', () => {
  // MANIKIN_LONG=1 takes a thousand steps.
  const steps = LONG ? 1000 : 100;

  const counts = LONG ? [1, 2, 3, 4, 8] : [1, 2, 4];

  it.each(['human-161', LONG ? 'crowd-20' : 'crowd-5'])(
    `%s: steps are the same for ${counts.join(', ')} threads, with random delays`,
    async (name) => {
      const mechanism = builtinMechanism(name);
      const hashes: number[] = [];
      let together = 0;
      for (const workers of counts) {
        const dynamics = new ParallelDynamics(mechanism, {
          threads: workers,
          deterministic: true,
          jitter: 1,
          retreat: false,
          patience: 100,
        });
        await dynamics.ready();
        const walker = new Walker(dynamics, 1);
        for (let k = 0; k < steps; k++) walker.step();
        if (workers > 1) together += dynamics.counts.parallel;
        hashes.push(walker.hash);
        dynamics.dispose();
      }
      expect(new Set(hashes).size, hashes.join(', ')).toBe(1);
      expect(together).toBeGreaterThan(steps / 2);
    },
  );
});

describe('bits, before threads are there', () => {
  it('are those of afterwards', async () => {
    const mechanism = builtinMechanism('chain-64-free');
    const dynamics = new ParallelDynamics(mechanism, { threads: 2, deterministic: true });
    const state = State.random(mechanism, 1);
    const first = dynamics.forward(state);
    expect(dynamics.mode).toBe('serial');
    await dynamics.ready();
    expect(dynamics.mode).toBe('parallel');
    for (let k = 0; k < 100; k++) expect(dynamics.forward(state)).toEqual(first);
    dynamics.dispose();
  });
});

describe('arrays in place', () => {
  const same = (dynamics: ParallelDynamics, count: number, expected: (state: State) => Float64Array): void => {
    const { q, v, tau, run } = dynamics.direct();
    tau.fill(0);
    for (let seed = 1; seed <= count; seed++) {
      const state = State.random(dynamics.mechanism, seed);
      q.set(state.q);
      v.set(state.v);
      expect(run()).toEqual(expected(state));
    }
  };

  it('give the bits of forward, by one thread and by several, and when threads are killed', async () => {
    const mechanism = builtinMechanism('chain-64-free');
    const dynamics = new ParallelDynamics(mechanism, { threads: 2, deterministic: true, retreat: false });
    const reference = new ParallelDynamics(mechanism, { threads: 1, deterministic: true });
    const expected = (state: State): Float64Array => reference.forward(state);
    same(dynamics, 3, expected);
    await dynamics.ready();
    expect(dynamics.mode).toBe('parallel');
    // Until threads have woken up, the caller may do it alone.
    await until(() => {
      same(dynamics, 20, expected);
      return dynamics.counts.parallel > 0;
    }, 0);
    expect(dynamics.counts.parallel).toBeGreaterThan(0);
    const { q, v, tau, run } = dynamics.direct();
    tau.fill(0);
    const state = State.random(mechanism, 7);
    q.set(state.q);
    v.set(state.v);
    for (let k = 0; k < 300; k++) {
      if (k === 100) sharedPool().kill(1);
      expect(run()).toEqual(expected(state));
      if (k % 50 === 49) await turn();
    }
    dynamics.dispose();
    reference.dispose();
  });

  it('without threads are those of the compiled code, or of the readable algorithm', async () => {
    const figure = builtinMechanism('human-34');
    const serial = new ParallelDynamics(figure, { threads: 1 });
    await serial.ready();
    same(serial, 3, (state) => serial.forward(state));
    serial.dispose();
    const spec = { ...randomSpec(11, { bodies: 5, types: ['revolute'] }) };
    const coupled = createMechanism({ ...spec, couplings: [{ joint: 'j3', source: 'j1', multiplier: 0.5 }] });
    const plain = new ParallelDynamics(coupled, { threads: 2 });
    await plain.ready();
    same(plain, 3, (state) => plain.serial.forward(state));
    plain.dispose();
  });
});

describe('threads that fail', () => {
  it('are replaced, and steps go on meanwhile', async () => {
    const mechanism = builtinMechanism('chain-64-free');
    const dynamics = new ParallelDynamics(mechanism, { threads: 3, deterministic: true, retreat: false });
    const reference = new ParallelDynamics(mechanism, { threads: 1, deterministic: true });
    await dynamics.ready();
    await reference.ready();
    const [walker, quiet] = [new Walker(dynamics, 2), new Walker(reference, 2)];
    const random = new Random(5);
    for (let kill = 0; kill < runs(2); kill++) {
      // Anywhere: between steps of this loop the thread may be in the middle of one.
      const at = 1 + random.below(300);
      for (let k = 0; k < 400; k++) {
        if (k === at) sharedPool().kill(1 + (kill % 2));
        walker.step();
        quiet.step();
        if (k % 100 === 99) await turn();
      }
      expect(walker.hash, `killed at ${at}`).toBe(quiet.hash);
      await until(() => dynamics.lost === undefined);
      expect(dynamics.lost).toBeUndefined();
    }
    const before = dynamics.counts.parallel;
    await until(() => {
      for (let k = 0; k < 100; k++) walker.step();
      return dynamics.counts.parallel > before;
    }, 0);
    expect(dynamics.explain()).toContain('New threads are started.');
    dynamics.dispose();
    reference.dispose();
  });

  it('are replaced also when their successors fail on starting', async () => {
    const mechanism = builtinMechanism('chain-64-free');
    const dynamics = new ParallelDynamics(mechanism, { threads: 2, deterministic: true });
    await dynamics.ready();
    sharedPool().kill(1);
    await until(() => dynamics.lost !== undefined);
    expect(dynamics.lost).toBeDefined();
    // The new threads are starting.
    await until(() => sharedPool().size > 0, 0);
    expect(dynamics.lost).toBeDefined();
    sharedPool().kill(1);
    await until(() => dynamics.lost === undefined);
    expect(dynamics.lost, dynamics.explain()).toBeUndefined();
    dynamics.dispose();
  });
});
