import { describe, expect, it } from 'vitest';
import { randomNumbers, randomTree, serialChain } from '../../bench/suites/schedule.js';
import { chainTimes, divides, leastCommunication, leastMakespan, paperRanges } from '../../src/schedule/assign.js';
import { preorder } from '../../src/schedule/flat-tree.js';
import { engineCost, paperCost, type Schedule, schedule } from '../../src/schedule/index.js';
import { flattenTree } from '../../src/schedule/tree.js';

const random = randomNumbers(8);

describe('ranges of the paper', () => {
  it('divide [a, b) at a + floor((b - a) / 2), root side first, for any number of processors', () => {
    const flat = flattenTree([3, [1, [0, null, null], [2, null, null]], [5, [4, null, null], [6, null, null]]], 7);
    const { from, to } = paperRanges(flat, 7);
    expect(Array.from(from, (a, joint) => [a, to[joint]])).toEqual([
      [0, 1],
      [0, 3],
      [1, 3],
      [0, 7],
      [3, 5],
      [3, 7],
      [5, 7],
    ]);
  });

  it('pass the whole range on to an only side', () => {
    const { from, to } = paperRanges(flattenTree([0, null, [1, null, [2, null, null]]], 3), 4);
    expect([...from, ...to]).toEqual([0, 0, 0, 4, 4, 4]);
  });
});

describe('the assignment with the least communication', () => {
  const handOvers = (flat: ReturnType<typeof flattenTree>, ranges: ReturnType<typeof paperRanges>): number =>
    preorder(flat).filter((joint) => divides(flat, ranges, joint)).length;

  it('keeps the makespan with as few hand-overs as any choice of chains left undivided', () => {
    let saved = 0;
    for (let i = 0; i < 60; i++) {
      const n = 7 + Math.floor(random() * 8);
      const topology = randomTree(n, 100 + i, 6);
      const processors = 2 + Math.floor(random() * 7);
      const flat = flattenTree(schedule(topology, { processors }).tree, n);
      const ticks = Float64Array.from({ length: n }, () => 1 + Math.floor(random() * 20));
      const handOver = Math.floor(random() * 5);
      const limit = leastMakespan(flat, processors, ticks, handOver) + Math.floor(random() * 10);
      const found = leastCommunication(flat, processors, ticks, handOver, limit);
      const paper = paperRanges(flat, processors);
      expect(chainTimes(flat, found, ticks, handOver)[flat.top]).toBeLessThanOrEqual(limit);
      // Every set of divisions that is closed upwards, tried in turn.
      const dividing = preorder(flat).filter((joint) => divides(flat, paper, joint));
      let fewest = Number.POSITIVE_INFINITY;
      for (let set = 0; set < 2 ** dividing.length; set++) {
        const kept = new Set(dividing.filter((_, bit) => (set >> bit) & 1));
        const time = (joint: number, narrow: boolean): number => {
          if (joint < 0) return 0;
          const [root, end] = [flat.rootSide[joint], flat.endSide[joint]];
          if (!narrow && kept.has(joint))
            return ticks[joint] + handOver + Math.max(time(root, false), time(end, false));
          const undivided = narrow || dividing.includes(joint);
          return ticks[joint] + time(root, undivided) + time(end, undivided);
        };
        if (time(flat.top, false) <= limit) fewest = Math.min(fewest, kept.size);
      }
      expect(handOvers(flat, found)).toBe(fewest);
      saved += handOvers(flat, paper) - fewest;
    }
    expect(saved).toBeGreaterThan(10);
  });
});

describe('the timeline', () => {
  function check(found: Schedule): void {
    const flat = flattenTree(found.tree, found.assignment.length);
    const at = new Map<string, { start: number; end: number; processor: number }>();
    let last = 0;
    found.timeline.forEach((lane, processor) => {
      let free = 0;
      for (const { joint, start, end, phase } of lane) {
        expect(start).toBeGreaterThanOrEqual(free - 1e-9);
        expect(end).toBeGreaterThan(start);
        expect(processor).toBe(found.assignment[joint][0]);
        free = end;
        last = Math.max(last, end);
        if (phase !== 'hand-over') at.set(`${joint} ${phase}`, { start, end, processor });
      }
    });
    expect(last).toBeCloseTo(found.makespan, 9);
    for (const joint of preorder(flat)) {
      for (const side of [flat.rootSide[joint], flat.endSide[joint]]) {
        if (side < 0) continue;
        const [up, below] = [`${joint} assembly`, `${side} assembly`].map((key) => at.get(key));
        const [down, after] = [`${joint} disassembly`, `${side} disassembly`].map((key) => at.get(key));
        expect(up?.start).toBeGreaterThanOrEqual((below?.end ?? Number.NaN) - 1e-9);
        expect(after?.start).toBeGreaterThanOrEqual((down?.end ?? Number.NaN) - 1e-9);
      }
    }
    expect(at.size).toBe(2 * found.assignment.length);
  }

  it('has every joint twice, in order, without overlaps, and ends at the makespan', () => {
    for (const cost of [paperCost(), engineCost()]) {
      for (const processors of [1, 2, 3, 8]) {
        check(schedule(serialChain(30), { processors, cost }));
        for (let seed = 0; seed < 8; seed++) check(schedule(randomTree(25, seed, 8), { processors, cost }));
      }
    }
  });

  it('shows hand-overs where processors part', () => {
    const { timeline } = schedule(serialChain(60), { processors: 2, cost: engineCost() });
    expect(timeline.flat().filter(({ phase }) => phase === 'hand-over').length).toBe(2);
    const { timeline: free } = schedule(serialChain(60), { processors: 2 });
    expect(free.flat().filter(({ phase }) => phase === 'hand-over').length).toBe(0);
  });
});
