import { describe, expect, it } from 'vitest';
import { RANK_CONSTANTS, SpreadDynamics } from '../../src/engines/mpi/spread-dynamics.js';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { Planner } from '../../src/engines/threads/planner.js';
import { builtinMechanism } from '../../src/models/index.js';
import { instructionNs, messageNs } from '../../src/schedule/rank-constants.js';
import { sameThread } from '../support/same-thread.js';

const TABLES = {
  messages: [
    { bytes: 10, ns: 100 },
    { bytes: 20, ns: 200 },
    { bytes: 40, ns: 600 },
  ],
  instructions: [
    { links: 100, ns: 1 },
    { links: 10_000, ns: 3 },
  ],
};

/** Messages of any size take so long, an instruction a quarter of a nanosecond. */
const network = (ns: number) => ({
  ...RANK_CONSTANTS,
  ranks: { messages: [{ bytes: 8, ns }], instructions: [{ links: 1, ns: 0.25 }] },
});

describe('costs of ranks', () => {
  it('lie on lines between measurements', () => {
    expect([1, 10, 15, 20, 30, 40, 50].map((bytes) => messageNs(TABLES, bytes))).toEqual([
      100, 100, 150, 200, 400, 600, 800,
    ]);
    expect([1, 100, 1000, 10_000, 1e6].map((links) => instructionNs(TABLES, links))).toEqual([
      1,
      1,
      expect.closeTo(2, 12),
      3,
      3,
    ]);
  });

  it('two halves of a chain wait for two messages in every step', () => {
    // The lower half is told velocities and tells its part; what the join has found travels while the upper half goes on.
    const mechanism = builtinMechanism('chain-512');
    const [near, far] = [0, 1e6].map((ns) => new Planner(mechanism, network(ns)).find(2));
    const slow = far.ns - near.ns;
    expect(slow / 1e6).toBeGreaterThan(1.9);
    expect(slow / 1e6).toBeLessThan(2.1);
  });

  it('half of the links take half of the time where messages cost nothing, but for the mixed form', () => {
    const planner = new Planner(builtinMechanism('chain-512'), network(0));
    const share = planner.find(2).ns / planner.find(1).ns;
    expect(share).toBeGreaterThan(0.5);
    expect(share).toBeLessThan(0.75);
  });

  it('decide over how many ranks a mechanism is spread, and it says so', () => {
    const mechanism = builtinMechanism('crowd-5');
    const spread = (ns: number, prefer: 'faster' | 'parallel' = 'faster') => {
      const [transport] = sameThread(8);
      const options = { constants: network(ns), prefer };
      return new SpreadDynamics(mechanism, transport, options, new PlainDynamics(mechanism), 'none', true);
    };
    const near = spread(100);
    expect(near.runs('forward')).toEqual({ engine: 'mpi' });
    expect(near.predicted!.ranks).toBe(8);
    expect(near.notes).toHaveLength(1);
    const farther = spread(1000);
    expect(farther.predicted!.ranks).toBeLessThan(8);
    expect(farther.predicted!.ranks).toBeGreaterThan(1);
    expect(farther.notes[1]).toMatch(/^Cut for [24] of 8 ranks: [\d.]+ us predicted, [\d.]+ us with all\.$/);
    const far = spread(1e6);
    expect(far.runs('forward').reason).toMatch(
      /^not spread over 8 ranks: [\d.]+ us against [\d.]+ us of one, predicted\.$/,
    );
    expect(far.part).toBeUndefined();
    expect(spread(1e6, 'parallel').part).toBeDefined();
  });
});
