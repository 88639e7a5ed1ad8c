// Mechanisms that repeat themselves are cut so that threads compute two like segments at once; others are not.

import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import { blockModule } from '../../../src/engines/threads/block-module.js';
import type { BlockSegment } from '../../../src/engines/threads/blocks.js';
import { checkPartners } from '../../../src/engines/threads/lane-partners.js';
import { Planner } from '../../../src/engines/threads/planner.js';
import { ThreadProgram } from '../../../src/engines/threads/program.js';
import type { SegmentJoin } from '../../../src/engines/threads/segments.js';
import { createMechanism } from '../../../src/mechanism/create.js';
import type { Mechanism } from '../../../src/mechanism/mechanism.js';
import { State } from '../../../src/mechanism/state.js';
import { builtinMechanism } from '../../../src/models/index.js';
import {
  ALL_JOINT_TYPES,
  randomMechanism,
  randomSpec,
  randomVector,
  relativeError,
  repeatedMechanism,
} from '../../support/random-mechanism.js';
import { LONG } from '../../support/runs.js';

const plans = new Map<string, ReturnType<Planner['plan']>>();
/** Of a built-in mechanism, made once for all tests. */
function planOf(name: string, threads: number): ReturnType<Planner['plan']> {
  const key = `${name} ${threads}`;
  const plan = plans.get(key) ?? new Planner(builtinMechanism(name)).plan(threads);
  plans.set(key, plan);
  return plan;
}

/** Checks what a program for so many threads computes; returns the parts of partners' blocks that share vectors. */
function pairedParts(
  mechanism: Mechanism,
  threads: number,
  root?: number,
  { schedule, assembly } = new Planner(mechanism, undefined, root).plan(threads),
): number[] {
  const { processorOf } = schedule;
  const { arrays, runner } = new ThreadProgram({ schedule, assembly }).alone;
  const state = State.random(mechanism, threads);
  const tau = randomVector(threads, mechanism.nv, 3);
  arrays.q.set(state.q);
  arrays.v.set(state.v);
  arrays.tau.set(tau);
  runner.alone();
  const error = relativeError(arrays.qdd, new PlainDynamics(mechanism).forward(state, tau));
  expect(error, `${mechanism.name}, ${threads} threads`).toBeLessThan(1e-10);
  expect(Math.max(...processorOf)).toBeLessThan(threads);
  const { segments } = assembly;
  segments.forEach(({ partner }, s) => {
    if (partner >= 0) expect(processorOf[partner]).toBe(processorOf[s]);
  });
  return segments
    .filter(({ partner }) => partner >= 0)
    .map(({ lanes }) => lanes.filter((lane) => lane.length === 2).length / lanes.length);
}

/** The same segment, computed by itself. */
const unpaired = (segment: BlockSegment): BlockSegment => ({
  ...segment,
  partner: -1,
  inSecondLane: false,
  lanes: segment.blocks.map((b) => [b]),
});

describe('segments in the lanes of vectors', () => {
  it.each([
    ...(LONG ? ([['chain-2048', 16, 14]] as [string, number, number][]) : []),
    ['chain-512', 4, 2],
    ['chain-64-spherical', 8, 6],
    ['crowd-20', 16, 8],
  ])('%s on %i threads', (name, threads, count) => {
    const parts = pairedParts(builtinMechanism(name), threads, undefined, planOf(name, threads));
    expect(parts).toEqual(new Array(count).fill(1));
  });

  it.each([
    [LONG ? 'chain-2048' : 'chain-512', LONG ? 16 : 4],
    ['crowd-20', 16],
  ] as const)('%s on %i threads: two thirds of the instructions', (name, threads) => {
    const { assembly } = planOf(name, threads);
    const alone = { ...assembly, segments: assembly.segments.map(unpaired) };
    const [together, apart] = [assembly, alone].map((one) => blockModule(one).instructions);
    assembly.segments.forEach(({ partner }, s) => {
      if (partner < 0) return;
      const ratio = together[s] / (apart[s] + apart[partner]);
      expect(ratio).toBeGreaterThan(0.6);
      expect(ratio).toBeLessThan(0.67);
    });
  });

  it('of random mechanisms that repeat themselves', () => {
    const count = LONG ? 24 : 8;
    let found = 0;
    for (let seed = 1; seed <= count; seed++) {
      const types = ALL_JOINT_TYPES.filter((type) => type !== 'fixed');
      const bodies = 1 + (seed % 4);
      const mechanism = repeatedMechanism(seed, 200 / bodies, { bodies, types, armature: seed % 2 === 0 });
      const parts = pairedParts(mechanism, 3 + (seed % 6));
      if (parts.length > 0) found++;
      expect(Math.min(1, ...parts), `seed ${seed}`).toBe(1);
    }
    expect(found).toBeGreaterThan(count / 2);
  });

  it('not of segments that know their angular velocity by themselves, or that take in others first', () => {
    const join = { part: 2, sizes: { handle: 6, at: 6, port: 0 } } as const;
    const path = { from: { segment: 1, record: 'rel' }, steps: [], needs: [0] } as const;
    const check = (first: typeof path | undefined, joins: readonly SegmentJoin[], source: number): void =>
      checkPartners([-1, 2, -1], [[], joins, []], [undefined, first, path], source);
    check(path, [join], -1);
    expect(() => check(undefined, [join], -1)).toThrow('cannot be computed together');
    expect(() => check(path, [], -1)).toThrow('cannot be computed together');
    for (const source of [1, 2]) expect(() => check(path, [join], source)).toThrow('segments 1 and 2');
  });

  it('from a body far from the one that the author made the free root', () => {
    // A free chain whose root is its hundredth link: it can be computed from any other.
    const { bodies, joints } = randomSpec(9, { bodies: 1, types: ['revolute'] });
    const links = Array.from({ length: 400 }, (_, k) => k);
    const mechanism = createMechanism({
      bodies: links.map((k) => ({ ...bodies[0], name: `b${k}` })),
      joints: links.map((k) => ({
        ...joints[0],
        name: `j${k}`,
        type: k === 100 ? ('floating' as const) : ('revolute' as const),
        parent: k === 100 ? null : `b${k < 100 ? k + 1 : k - 1}`,
        child: `b${k}`,
      })),
    });
    const last = links.length - 1;
    for (const threads of LONG ? [3, 4, 6, 8] : [4])
      expect(Math.min(1, ...pairedParts(mechanism, threads, last))).toBe(1);
  });

  it('not of mechanisms that do not', () => {
    expect(pairedParts(builtinMechanism('human-161'), 8)).toEqual([]);
    expect(pairedParts(randomMechanism(3, { bodies: 60 }), 6)).toEqual([]);
    // Alike but for their masses.
    const { bodies, joints } = randomSpec(5, { bodies: 1, types: ['revolute'] });
    const links = Array.from({ length: 300 }, (_, k) => k);
    const mechanism = createMechanism({
      bodies: links.map((k) => ({ ...bodies[0], name: `b${k}`, mass: 1 + 0.01 * k })),
      joints: links.map((k) => ({
        ...joints[0],
        name: `j${k}`,
        parent: k === 0 ? null : `b${k - 1}`,
        child: `b${k}`,
      })),
    });
    expect(pairedParts(mechanism, 6)).toEqual([]);
  });
});
