import { describe, expect, it } from 'vitest';
import { randomNumbers } from '../../bench/suites/schedule.js';
import {
  describeTree,
  engineCost,
  type LoopEnds,
  schedule,
  type Topology,
  treeMakespan,
  validateTree,
} from '../../src/schedule/index.js';

const random = randomNumbers(77);
const below = (n: number): number => Math.floor(random() * n);

function randomClosed(joints: number, loopCount: number): Topology {
  const parent = Array.from({ length: joints }, (_, i) => i - 1 - below(Math.min(i + 1, 3)));
  const loops: LoopEnds[] = [];
  while (loops.length < loopCount) {
    const [a, b] = [below(joints + 1) - 1, below(joints + 1) - 1];
    if (a !== b) loops.push({ a, b, dof: 1 });
  }
  return { joints, parent, dof: parent.map(() => 1), loops };
}

/**
 * Least makespan by trying every joint at every set, in tenths; every joint has one degree of freedom. `any`: the last
 * joint of a loop closes it, whichever it is.
 */
function leastByTrial(topology: Topology, processors: number, any: boolean): number {
  const ends = [...Array.from(topology.parent, (p, i) => [p, i]), ...(topology.loops ?? []).map(({ a, b }) => [a, b])];
  const cost = (set: readonly number[]): number => {
    const links = new Set(set.flatMap((j) => ends[j]));
    const k = ends.filter((pair, j) => !set.includes(j) && pair.some((link) => links.has(link))).length;
    return 16 * k * k + 10 * k + 134;
  };
  const side = (set: readonly number[], link: number): { joints: number[]; links: Set<number> } => {
    const links = new Set([link]);
    for (let before = 0; before !== links.size; ) {
      before = links.size;
      for (const j of set) if (ends[j].some((each) => links.has(each))) for (const each of ends[j]) links.add(each);
    }
    return { joints: set.filter((j) => ends[j].some((each) => links.has(each))), links };
  };
  const memo = new Map<string, number>();
  const least = (set: readonly number[], range: number): number => {
    if (set.length === 0) return 0;
    const key = `${set}/${range}`;
    const known = memo.get(key);
    if (known !== undefined) return known;
    let best = Number.POSITIVE_INFINITY;
    for (const j of set) {
      const rest = set.filter((other) => other !== j);
      const root = side(rest, ends[j][0]);
      const closes = root.links.has(ends[j][1]);
      if (!any && closes !== j >= topology.joints) continue;
      const [a, b] = closes ? [rest, []] : [root.joints, side(rest, ends[j][1]).joints];
      const half = Math.floor(range / 2);
      const time =
        range === 1
          ? least(a, 1) + least(b, 1)
          : a.length > 0 && b.length > 0
            ? Math.max(least(a, half), least(b, range - half))
            : least(a, range) + least(b, range);
      best = Math.min(best, cost(set) + time);
    }
    memo.set(key, best);
    return best;
  };
  return least(Array.from(ends.keys()), processors);
}

describe('small closed mechanisms', () => {
  it('are exact, whether loop joints or any joints close the loops', () => {
    for (let i = 0; i < 25; i++) {
      const topology = randomClosed(4 + below(4), 1 + below(2));
      for (const processors of [1, 2, 3, 4]) {
        for (const closing of ['loop-joints', 'any'] as const) {
          const found = schedule(topology, { processors, closing });
          const where = `${JSON.stringify(topology)} ${processors} ${closing}`;
          validateTree(topology, found.tree);
          expect(found.makespan, where).toBe(leastByTrial(topology, processors, closing === 'any') / 10);
          expect(treeMakespan(topology, found.tree, processors), where).toBe(found.makespan);
          expect([found.optimal, found.method], where).toEqual([true, 'loops-exact']);
        }
      }
    }
  });

  it('by default only loop joints close loops', () => {
    const topology = randomClosed(9, 3);
    const nodes = describeTree(topology, schedule(topology, { processors: 2 }).tree);
    expect(
      nodes
        .filter(({ closesLoop }) => closesLoop)
        .map(({ joint }) => joint)
        .sort(),
    ).toEqual([10, 11, 9]);
  });

  it('an open schedule does not change when a mechanism has an empty list of loops', () => {
    const open = { joints: 3, parent: [-1, 0, 1], dof: [1, 1, 1] };
    expect(schedule({ ...open, loops: [] }, { processors: 2 }).tree).toEqual(schedule(open, { processors: 2 }).tree);
  });
});

describe('large closed mechanisms', () => {
  /** A row of four-bar linkages: link 4i + 2 of each is closed onto its own base. */
  function fourBars(count: number): Topology {
    const parent: number[] = [];
    const loops: LoopEnds[] = [];
    for (let i = 0; i < count; i++) {
      const base = 3 * i - 1;
      parent.push(base, base + 1, base + 2);
      loops.push({ a: base, b: base + 3, dof: 1 });
    }
    return { joints: parent.length, parent, dof: parent.map(() => 1), loops };
  }

  it('a row of linkages: every loop is closed where it is, not on top', () => {
    const topology = fourBars(12);
    for (const processors of [1, 2, 4]) {
      const found = schedule(topology, { processors, timeBudgetMs: 30_000 });
      validateTree(topology, found.tree);
      expect(found.method).toBe('loops-rule');
      expect(found.bound).toBeLessThanOrEqual(found.makespan);
      expect(found.paperSuggestion).toBeGreaterThan(2 * found.makespan);
      // Costs by form make parts with many handles dear; then one processor does it all.
      const engine = schedule(fourBars(50), { processors, cost: engineCost() });
      expect(engine.makespan).toBeLessThanOrEqual(engine.serial);
    }
  });

  it('the rule is never worse than the suggestion of the paper', () => {
    for (const cost of [undefined, engineCost()]) {
      for (let i = 0; i < 6; i++) {
        const topology = randomClosed(14 + below(12), 1 + below(4));
        const closing = i % 2 === 0 ? 'loop-joints' : 'any';
        const found = schedule(topology, { processors: 4, closing, timeBudgetMs: 30_000, ...(cost ? { cost } : {}) });
        validateTree(topology, found.tree);
        expect(found.makespan).toBeLessThanOrEqual((found.paperSuggestion as number) + 1e-9);
        expect(found.bound).toBeLessThanOrEqual(found.makespan);
      }
    }
  });
});
