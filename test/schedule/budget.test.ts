// The time budget, by counted work: how much is still done once a clock of the test's own says that time is up.

import { describe, expect, it } from 'vitest';
import { randomNumbers, serialChain } from '../../bench/suites/schedule.js';
import { costTable, paperCost } from '../../src/schedule/cost.js';
import { DynamicScheduler } from '../../src/schedule/dynamic-programme.js';
import { emptyFlatTree } from '../../src/schedule/flat-tree.js';
import { schedule, type Topology } from '../../src/schedule/index.js';
import { lexicographicTree } from '../../src/schedule/lexicographic.js';
import { linkTree } from '../../src/schedule/link-tree.js';
import { PartMeter } from '../../src/schedule/parts.js';
import { TimeLimit } from '../../src/schedule/time-limit.js';
import { linkGraph } from '../../src/schedule/topology.js';
import { checkFlatTree, flattenTree } from '../../src/schedule/tree.js';

const random = randomNumbers(7);
const withParents = (n: number, parent: (joint: number) => number): Topology => ({
  joints: n,
  parent: Array.from({ length: n }, (_, joint) => (joint === 0 ? -1 : parent(joint))),
  dof: new Array(n).fill(1),
});

const SHAPES: [string, (n: number) => Topology][] = [
  ['a chain', (n) => serialChain(n)],
  ['a comb', (n) => withParents(n, (joint) => (joint % 3 === 0 ? joint - 3 : joint - 1))],
  ['a bush', (n) => withParents(n, (joint) => (joint - 1) >> 1)],
  ['a random tree', (n) => withParents(n, (joint) => Math.floor(random() * joint))],
];

const isLegal = (topology: Topology, found: ReturnType<typeof schedule>): void =>
  checkFlatTree(flattenTree(found.tree, found.assignment.length), linkGraph(topology));

describe('when time is up', () => {
  it.each(SHAPES)('%s: little is done between two looks at the clock, and after the last', (_, shape) => {
    const joints = 1000;
    const graph = linkGraph(shape(joints));
    const costs = costTable(paperCost(), graph, 8);
    /**
     * Schedules with a clock that says that time is up at its look number `last`. Counts the looks, and the parts measured
     * or divided between any two of them, or after the last.
     */
    const work = (last: number): { looks: number; most: number } => {
      const meter = new PartMeter(linkTree(graph), costs);
      let [looks, since, most] = [0, 0, 0];
      const time = new TimeLimit(last, () => {
        since = 0;
        return ++looks;
      });
      const count = (): void => {
        most = Math.max(most, ++since);
      };
      const scheduler = new DynamicScheduler(meter, { time, entries: 300_000 });
      const measure = meter.measure.bind(meter);
      meter.measure = (...part) => {
        count();
        measure(...part);
      };
      const sides = scheduler.sides.bind(scheduler);
      scheduler.sides = (...split) => {
        count();
        return sides(...split);
      };
      const whole = scheduler.entry(meter.whole(), 8);
      scheduler.solve(whole);
      const tree = emptyFlatTree(joints);
      lexicographicTree(scheduler, whole, tree);
      checkFlatTree(tree, graph);
      return { looks, most };
    };
    const { looks, most } = work(Number.POSITIVE_INFINITY);
    // The two sides of 512 joints, and some more of other work.
    expect(most).toBeLessThan(1300);
    for (const last of [0, 1, looks >> 1, looks - 2]) {
      expect(work(last).most, `time up at look ${last} of ${looks}`).toBeLessThan(1300);
    }
  });

  it.each(SHAPES)('%s without any time for a search is divided evenly', (_, shape) => {
    const topology = shape(20_000);
    const found = schedule(topology, { processors: 2, timeBudgetMs: 0 });
    isLegal(topology, found);
    expect(found.expansions).toBe(0);
    expect(found.makespan).toBeLessThan(0.9 * found.serial);
    expect(found.timeline).toHaveLength(2);
  });

  it('a chain of 100 000 joints without any time', () => {
    const found = schedule(serialChain(100_000), { processors: 4, timeBudgetMs: 0 });
    expect(found.makespan).toBeLessThan(0.3 * found.serial);
  });

  it('many loops without any time', () => {
    const loops = Array.from({ length: 300 }, (_, k) => ({ a: 10 * k, b: 10 * k + 3, dof: 1 }));
    const topology = { ...serialChain(3000), loops };
    const found = schedule(topology, { processors: 4, timeBudgetMs: 0 });
    isLegal(topology, found);
    expect(found.expansions).toBe(0);
    expect(found.makespan).toBeLessThan(found.serial);
  });
});
