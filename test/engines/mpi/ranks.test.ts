// The program of ranks without MPI: ranks that take turns in one thread, each with a memory of its own in which everything
// that it has not computed or been sent is NaN, or all with the same. MANIKIN_RANDOM=500 tries that many random mechanisms.

import { describe, expect, it } from 'vitest';
import { HOST_MEMORY, hostTransport } from '../../../src/engines/mpi/host-transport.js';
import { gatherProgram, ownedRanges, rankProgram } from '../../../src/engines/mpi/messages.js';
import { RankRunner } from '../../../src/engines/mpi/rank-runner.js';
import { sharedMemory } from '../../../src/engines/mpi/shared-memory.js';
import { Planner } from '../../../src/engines/threads/planner.js';
import { ThreadProgram } from '../../../src/engines/threads/program.js';
import type { Mechanism } from '../../../src/mechanism/mechanism.js';
import { State } from '../../../src/mechanism/state.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { ENGINE_CONSTANTS } from '../../../src/schedule/cost.js';
import { ALL_JOINT_TYPES, randomMechanism, randomVector } from '../../support/random-mechanism.js';
import { sameThread } from '../../support/same-thread.js';

const COUNT = Number(process.env.MANIKIN_RANDOM ?? 10);
/** Cuts cost nothing: small mechanisms are cut as often as large ones. */
const CHEAP = { ...ENGINE_CONSTANTS, latency: 0, line: 0, call: 0 };

function advance(runners: readonly RankRunner[], what: string): void {
  const left = new Set(runners);
  for (let round = 0; left.size > 0; round++) {
    for (const runner of left) if (runner.advance()) left.delete(runner);
    if (round > 1000) throw new Error(`${what}: everybody waits`);
  }
}

/** Steps of so many ranks: the accelerations that every one of them has in the end. */
function spread(
  program: ThreadProgram,
  ranks: number,
  states: readonly State[],
  tau: Float64Array,
  what: string,
  shared: boolean,
  relayed: boolean,
  machine: boolean,
) {
  const { made } = program;
  const owned = ownedRanges(program, ranks);
  const flags = new Int32Array(new SharedArrayBuffer(1 << 20));
  const onMachine = new SharedArrayBuffer(HOST_MEMORY);
  const one = program.instance(shared);
  const transports = shared
    ? Array.from({ length: ranks }, (_, rank) => sharedMemory(rank, ranks, flags))
    : machine
      ? sameThread(ranks).map((transport) => hostTransport(onMachine, transport))
      : sameThread(ranks);
  const places = transports.map(() => (shared ? one : program.instance()));
  for (const { memory } of places) {
    const [from, to] = made.records;
    new Float64Array(memory.buffer, from, (to - from) / 8).fill(Number.NaN);
  }
  const steps = rankProgram(program, ranks, relayed);
  const gathers = gatherProgram(owned, [{ at: made.qdd, of: 'v' }]);
  const runners = [steps, gathers].map((part) => places.map((place, r) => new RankRunner(part, place, transports[r])));
  return states.map((state) => {
    // Nobody knows more than its own joints.
    for (const { arrays } of places) for (const array of Object.values(arrays)) array.fill(Number.NaN);
    for (const [r, { arrays }] of places.entries()) {
      for (const [at, count] of owned[r].q) arrays.q.set(state.q.subarray(at, at + count), at);
      for (const [at, count] of owned[r].v) {
        arrays.v.set(state.v.subarray(at, at + count), at);
        arrays.tau.set(tau.subarray(at, at + count), at);
      }
    }
    for (const part of runners) advance(part, what);
    return places.map(({ arrays }) => arrays.qdd.slice());
  });
}

function check(mechanism: Mechanism, cuts: number, counts: readonly number[], what: string, constants = CHEAP): number {
  const program = new ThreadProgram(new Planner(mechanism, constants).plan(cuts));
  const states = [1, 2].map((seed) => State.random(mechanism, seed));
  const tau = randomVector(3, mechanism.nv, 5);
  const expected = states.map(({ q, v }) => {
    const { arrays, runner } = program.alone;
    arrays.q.set(q);
    arrays.v.set(v);
    arrays.tau.set(tau);
    runner.alone();
    return arrays.qdd.slice();
  });
  for (const ranks of counts)
    for (const [shared, relayed, machine] of [
      [false, false, false],
      [true, false, false],
      [false, true, false],
      [false, false, true],
    ])
      for (const [k, results] of spread(program, ranks, states, tau, what, shared, relayed, machine).entries())
        for (const qdd of results)
          expect(
            qdd.every((x, i) => Object.is(x, expected[k][i])),
            `${what}, cut for ${cuts}, ${ranks} ranks, ${shared ? 'one memory' : 'memories of their own'}${relayed ? ', passed on' : ''}${machine ? ', on one machine' : ''}`,
          ).toBe(true);
  return program.segments.length;
}

describe('a program of ranks', () => {
  it.each(['chain-32', 'chain-32-spherical', 'human-34', 'human-161'])('has the bits of one thread: %s', (name) => {
    const mechanism = builtinMechanism(name);
    for (const cuts of [3, 8]) check(mechanism, cuts, [1, 2, 3, 8], name, ENGINE_CONSTANTS);
  });

  it.each(ALL_JOINT_TYPES.filter((type) => type !== 'fixed'))('%s joints', (type) => {
    for (let seed = 1; seed <= 2; seed++)
      check(randomMechanism(seed, { types: [type], bodies: 9 }), 4, [2, 4], `seed ${seed}`);
  });

  it('random mechanisms', () => {
    let most = 0;
    for (let seed = 1; seed <= COUNT; seed++) {
      const mechanism = randomMechanism(4000 + seed, {
        bodies: 12,
        forest: seed % 3 === 0,
        shuffled: seed % 5 === 0,
        ...(seed % 2 === 0 && { base: 'floating' }),
      });
      most = Math.max(most, check(mechanism, 2 + (seed % 7), [1 + (seed % 5)], `seed ${4000 + seed}`));
    }
    expect(most).toBeGreaterThan(4);
  });

  it('sends one message for a cut and a direction', () => {
    // Two halves of a chain: relations of velocities down, a part up, what the join has found down.
    const { messages } = rankProgram(new ThreadProgram(new Planner(builtinMechanism('chain-200')).plan(2)), 2);
    expect(messages.map(({ from, to }) => `${from}-${to}`)).toEqual(['0-1', '1-0', '0-1']);
    for (const { pieces } of messages) for (const { count } of pieces) expect(count).toBeLessThanOrEqual(96);
  });

  it('passes on what many need: no rank of 16 sends more than some messages', () => {
    const program = new ThreadProgram(new Planner(builtinMechanism('chain-2048')).plan(16));
    const most = (relayed: boolean): number => {
      const sent = new Int32Array(16);
      for (const { from } of rankProgram(program, 16, relayed).messages) sent[from]++;
      return Math.max(...sent);
    };
    expect(most(true)).toBeLessThan(most(false) / 2);
  });

  it('owns every joint once', () => {
    for (const name of ['human-161', 'chain-200-free']) {
      const mechanism = builtinMechanism(name);
      const owned = ownedRanges(new ThreadProgram(new Planner(mechanism).plan(8)), 3);
      for (const [key, length] of [['q', mechanism.nq] as const, ['v', mechanism.nv] as const]) {
        const times = new Uint8Array(length);
        for (const ranges of owned)
          for (const [at, count] of ranges[key]) for (let k = 0; k < count; k++) times[at + k]++;
        expect(
          times.every((n) => n === 1),
          `${name} ${key}`,
        ).toBe(true);
      }
    }
  });
});
