// Threads that hang or throw in the middle of a piece of work that they have claimed, at random moments. Seeds stand in the
// messages; MANIKIN_FAULTS=100 tries that many of each.

import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { endThreads } from '../../../src/engines/threads/index.js';
import type { ParallelOptions } from '../../../src/engines/threads/options.js';
import { ParallelDynamics } from '../../../src/engines/threads/parallel-dynamics.js';
import { Random } from '../../../src/mechanism/random.js';
import { State } from '../../../src/mechanism/state.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { PATIENCE } from '../../support/patience.js';
import { Walker } from './support.js';

afterAll(() => endThreads());

const ROUNDS = Number(process.env.MANIKIN_FAULTS ?? 1);
vi.setConfig({ testTimeout: 5 * PATIENCE });
/** Milliseconds after which a thread counts as lost here. */
const LOST_AFTER = 250;
const mechanism = builtinMechanism('chain-64-free');
const reference = new ParallelDynamics(mechanism, { threads: 1, deterministic: true });
const turn = (ms = 0): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let made: ParallelDynamics[] = [];
afterEach(() => {
  for (const dynamics of made) dynamics.dispose();
  made = [];
});

type Kind = 'hang' | 'throw';

/** Where a thread fails, for a seed: a piece of work in one of the first steps, or in a later one. */
function moment(seed: number, kind: Kind): NonNullable<ParallelOptions['fault']> {
  const random = new Random(seed);
  const after = Math.floor(random.next() * (random.next() < 0.5 ? 12 : 120));
  return { kind, thread: 1 + Math.floor(2 * random.next()), after };
}

async function threeThreads(options: ParallelOptions): Promise<ParallelDynamics> {
  const dynamics = new ParallelDynamics(mechanism, {
    threads: 3,
    deterministic: true,
    retreat: false,
    lostAfter: LOST_AFTER,
    ...options,
  });
  made.push(dynamics);
  await dynamics.ready();
  expect(dynamics.threads).toBe(3);
  return dynamics;
}

/** Calls until something is so, with turns of the event loop in between. */
async function until(so: () => boolean, call: () => void, what: string): Promise<void> {
  const start = performance.now();
  for (let k = 1; !so(); k++) {
    if (performance.now() > start + PATIENCE) throw new Error(`not within ${PATIENCE / 1000} seconds: ${what}`);
    call();
    if (k % 20 === 0) await turn();
  }
}

/** New threads come, and take part. */
async function recovers(dynamics: ParallelDynamics, call: () => void, about: string): Promise<void> {
  await until(() => dynamics.lost === undefined, call, `new threads, ${about}`);
  const before = dynamics.counts.parallel;
  await until(() => dynamics.counts.parallel > before + 10, call, `steps by new threads, ${about}`);
}

const seeds = (): number[] => Array.from({ length: ROUNDS }, () => Math.floor(Math.random() * 2 ** 31));

describe.each(['hang', 'throw'] as const)('threads that %s', (kind) => {
  it('leave the step to the caller, and are replaced', async () => {
    for (const seed of seeds()) {
      const fault = moment(seed, kind);
      const about = `seed ${seed}: ${JSON.stringify(fault)}`;
      const dynamics = await threeThreads({ fault, patience: 20 });
      const [walker, quiet] = [new Walker(dynamics, 3), new Walker(reference, 3)];
      let [given, steps] = [0, 0];
      const both = (): void => {
        // Before the step: what follows in it, alone for the first time, may take long.
        const begun = performance.now();
        walker.step();
        if (given === 0 && dynamics.counts.abandoned > 0) given = begun;
        quiet.step();
        steps++;
        if (walker.hash !== quiet.hash) throw new Error(`other bits after ${steps} steps, ${about}`);
      };
      await until(() => dynamics.lost !== undefined, both, `lost threads, ${about}`);
      // On a busy machine the silence may be noticed before the words arrive.
      expect(dynamics.lost, about).toMatch(kind === 'hang' ? /does not answer/ : /a fault, for a test|does not answer/);
      // Steps went on meanwhile.
      expect(dynamics.counts.abandoned, about).toBeGreaterThan(0);
      if (kind === 'hang') {
        expect(performance.now() - given, about).toBeGreaterThan(LOST_AFTER);
        expect(dynamics.counts.alone, about).toBeGreaterThan(0);
      }
      await recovers(dynamics, both, about);
      expect(dynamics.explain()).toContain('New threads are started.');
    }
  });
});

it('arrays in place go on working while a thread hangs and afterwards', async () => {
  const [seed] = seeds();
  const fault = moment(seed, 'hang');
  const about = `seed ${seed}: ${JSON.stringify(fault)}`;
  const dynamics = await threeThreads({ fault, patience: 20 });
  const state = State.random(mechanism, 7);
  const expected = reference.forward(state);
  const load = (): (() => Float64Array) => {
    const { q, v, tau, run } = dynamics.direct();
    q.set(state.q);
    v.set(state.v);
    tau.fill(0);
    return run;
  };
  const old = load();
  const again = (run: () => Float64Array) => () => {
    if (!run().every((value, k) => Object.is(value, expected[k]))) throw new Error(`other bits, ${about}`);
  };
  await until(() => dynamics.lost !== undefined, again(old), `lost threads, ${about}`);
  await until(() => dynamics.lost === undefined, again(old), `new threads, ${about}`);
  await recovers(dynamics, again(load()), about);
});
