// Timelines of threads: every part of the work once, in an order that its flags allow, one thing at a time on each thread.
// How long anything takes decides nothing.

import { availableParallelism } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import { connect } from '../../../src/dynamics/connect.js';
import { endThreads } from '../../../src/engines/threads/index.js';
import { measureTimeline } from '../../../src/engines/threads/measured-timeline.js';
import { Planner } from '../../../src/engines/threads/planner.js';
import { State } from '../../../src/mechanism/state.js';
import { builtinMechanism } from '../../../src/models/index.js';
import type { SegmentSpan } from '../../../src/schedule/segment-timeline.js';
import { LONG } from '../../support/runs.js';

afterAll(() => endThreads());

const PHASES = ['velocities', 'assembly', 'disassembly'];
/** Nanoseconds by which the clocks of two threads may differ; one thread has one clock. */
const CLOCKS = 20_000;

/**
 * Every phase of every segment once, each after the one before it, and nothing at the same time on one thread; but where the
 * caller does the work of others while it waits for them, that is within the span of its own.
 */
function checkSpans(spans: readonly SegmentSpan[], heads: readonly number[], disturbed: boolean): void {
  expect(spans.map(({ segment, phase }) => `${segment} ${phase}`).sort()).toEqual(
    heads.flatMap((s) => PHASES.map((phase) => `${s} ${phase}`)).sort(),
  );
  for (const { start, end } of spans) expect(end).toBeGreaterThanOrEqual(start);
  for (const s of heads) {
    const [velocities, assembly, disassembly] = PHASES.map(
      (phase) => spans.find((span) => span.segment === s && span.phase === phase)!,
    );
    // What is taken back is begun by the caller where its own thread has ended: then by the clocks of two.
    const slack = velocities.processor === disassembly.processor ? 0 : CLOCKS;
    expect(velocities.end).toBeLessThanOrEqual(assembly.start + slack);
    expect(assembly.end).toBeLessThanOrEqual(disassembly.start + slack);
  }
  for (const thread of new Set(spans.map(({ processor }) => processor))) {
    const own = spans
      .filter(({ processor }) => processor === thread)
      .sort((a, b) => a.start - b.start || a.end - b.end);
    let until: number[] = [];
    for (const { start, end } of own) {
      until = until.filter((time) => time > start);
      if (!disturbed) expect(until).toEqual([]);
      for (const time of until) expect(end).toBeLessThanOrEqual(time);
      until.push(end);
    }
  }
}

describe('a timeline', () => {
  it.each([
    [LONG ? 'human-161' : 'human-48', 3],
    [LONG ? 'chain-64-free' : 'chain-16-free', 2],
    ['crowd-4', 4],
    ['chain-8', 1],
  ])('%s on %i threads: predicted and measured of the same program', async (name, threads) => {
    const mechanism = builtinMechanism(name);
    const found = await measureTimeline(mechanism, { threads, milliseconds: 20 });
    const { schedule, assembly } = new Planner(mechanism).plan(threads);
    const heads = assembly.segments.flatMap(({ inSecondLane }, s) => (inSecondLane ? [] : [s]));
    checkSpans(found.predicted, heads, false);
    checkSpans(found.measured, heads, found.disturbed);
    for (const { processor, segment } of found.predicted) expect(processor).toBe(schedule.processorOf[segment]);
    if (!found.disturbed)
      for (const { processor, segment } of found.measured) expect(processor).toBe(schedule.processorOf[segment]);
    // What hangs from a segment and is waited for, or joined to it, has come before the segment itself is whole.
    const phaseOf = (s: number, phase: string): SegmentSpan =>
      found.measured.find((span) => span.segment === s && span.phase === phase)!;
    for (const s of heads) {
      const { waitsFor, joins, partner } = assembly.segments[s];
      for (const other of [...waitsFor, ...joins.map(({ part }) => part)]) {
        if (other === partner || !heads.includes(other)) continue;
        expect(phaseOf(other, 'assembly').end).toBeLessThanOrEqual(phaseOf(s, 'assembly').end + CLOCKS);
      }
      for (const other of waitsFor)
        if (heads.includes(other))
          expect(phaseOf(s, 'disassembly').start).toBeLessThanOrEqual(phaseOf(other, 'disassembly').start + CLOCKS);
    }
    // All within the step; every joint in one segment.
    for (const { start, end } of found.measured) {
      expect(start).toBeGreaterThan(-CLOCKS);
      expect(end).toBeLessThan(found.measuredNs + CLOCKS);
    }
    for (const ns of [found.predictedNs, found.unrecordedNs]) expect(ns).toBeGreaterThan(0);
    const moving = mechanism.joints.filter(({ model }) => model.nv > 0).map((joint) => joint.name);
    expect(found.segments.flat().sort()).toEqual(moving.sort());
  });

  it('threads that come late: the caller does their work, and all of it is there', async () => {
    // More threads than there are cores, for a mechanism that is cut for all of them.
    const threads = availableParallelism() + 6;
    const { measured, disturbed } = await measureTimeline(builtinMechanism(`chain-${16 * threads}`), {
      threads,
      milliseconds: 20,
    });
    expect(measured.length).toBeGreaterThan(2 * threads - 4);
    for (const { processor } of measured) {
      expect(processor).toBeGreaterThanOrEqual(0);
      expect(processor).toBeLessThan(threads);
    }
    expect(typeof disturbed).toBe('boolean');
  });

  it('is refused for what threads do not run, and ends when it is told to', async () => {
    const human = builtinMechanism('human-34');
    const { mechanism } = connect(human, new State(human), {
      name: 'grip',
      a: 'left_hand',
      b: null,
      at: [0, 0, 0],
      joint: { type: 'spherical' },
    });
    await expect(measureTimeline(mechanism, { threads: 2 })).rejects.toThrow(/Threads cannot run.*closed loops/);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(measureTimeline(human, { threads: 2, signal })).rejects.toThrow('enough');
  });
});
