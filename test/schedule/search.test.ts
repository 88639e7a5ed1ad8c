import { describe, expect, it } from 'vitest';
import { human161, randomNumbers, randomTree, serialChain } from '../../bench/suites/schedule.js';
import { scheduleByAStar } from '../../src/papers/astar/index.js';
import {
  type CostModel,
  engineCost,
  paperCost,
  schedule,
  stringifyTree,
  treeDepth,
  treeMakespan,
  validateTree,
} from '../../src/schedule/index.js';

const random = randomNumbers(31);

describe('A* and the dynamic programme', () => {
  it('agree in makespan and tree on random mechanisms', () => {
    const models: CostModel[] = [
      paperCost(),
      engineCost(),
      paperCost({ alpha: 1.6, beta: 1, gamma: -1, delta: 14.4, handOver: 7 }),
    ];
    for (let i = 0; i < 150; i++) {
      const topology = randomTree(1 + Math.floor(random() * 13), i, 1 + Math.floor(random() * 13));
      const processors = [1, 2, 3, 4, 5, 8][Math.floor(random() * 6)];
      const cost = models[i % models.length];
      const [a, d] = [scheduleByAStar, schedule].map((search) =>
        search(topology, { processors, cost, timeBudgetMs: 30_000 }),
      );
      expect([a.method, d.method]).toEqual(['astar', 'dp']);
      const where = `parents [${topology.parent}], DOF [${topology.dof}], ${processors} processors, ${cost.name}`;
      expect([a.optimal, d.optimal, a.canonical, d.canonical], where).toEqual([true, true, true, true]);
      expect(a.makespan, where).toBe(d.makespan);
      expect(stringifyTree(a.tree), where).toBe(stringifyTree(d.tree));
    }
  });

  it('agree on a chain of 40 joints and four processors', () => {
    const [a, d] = [scheduleByAStar, schedule].map((search) =>
      search(serialChain(40), { processors: 4, timeBudgetMs: 30_000 }),
    );
    expect(a.optimal).toBe(true);
    expect(stringifyTree(a.tree)).toBe(stringifyTree(d.tree));
    expect(a.expansions).toBeGreaterThan(10);
  });

  it('loops are for the dynamic programme', () => {
    const loops = [{ a: 2, b: -1, dof: 1 }];
    expect(() => scheduleByAStar({ ...serialChain(3), loops }, { processors: 2 })).toThrow('open mechanisms');
  });
});

describe('any schedule', () => {
  it('is legal, keeps its promises, and gets no slower with more processors', () => {
    for (let seed = 0; seed < 30; seed++) {
      const topology = randomTree(20 + Math.floor(random() * 40), seed, 1 + Math.floor(random() * 40));
      let before = Number.POSITIVE_INFINITY;
      for (const processors of [1, 2, 3, 4, 6, 8, 16]) {
        const found = schedule(topology, { processors, timeBudgetMs: 30_000 });
        const where = `seed ${seed}, ${processors} processors`;
        validateTree(topology, found.tree);
        expect(treeMakespan(topology, found.tree, processors), where).toBe(found.makespan);
        expect(found.makespan, where).toBeLessThanOrEqual(before);
        expect(found.makespan * processors, where).toBeGreaterThanOrEqual(found.serial - 1e-9);
        expect(found.optimal, where).toBe(true);
        expect(found.gap, where).toBe(0);
        expect(found.bound, where).toBe(found.makespan);
        if (processors === 1) expect(found.makespan, where).toBe(found.serial);
        before = found.makespan;
      }
    }
  });

  it('is the same at every call', () => {
    for (const cost of [paperCost(), engineCost()]) {
      const options = { processors: 6, cost, timeBudgetMs: 30_000 };
      const [first, second] = [schedule(human161(), options), schedule(human161(), options)];
      const { milliseconds: _first, ...a } = first;
      const { milliseconds: _second, ...b } = second;
      expect(a).toEqual(b);
    }
  });

  it('does not depend on names', () => {
    const topology = human161();
    const names = topology.names?.map((_, i) => ['__proto__', 'constructor', ''][i % 3]) ?? [];
    const plain = schedule(topology, { processors: 4 });
    expect(schedule({ ...topology, names }, { processors: 4 }).tree).toEqual(plain.tree);
  });
});

describe('the human figure of 161 degrees of freedom', () => {
  it('is proved optimal for 2, 4 and 8 processors', () => {
    const topology = human161();
    expect(topology.joints).toBe(53);
    expect(Array.from(topology.dof).reduce((sum, n) => sum + n, 0)).toBe(161);
    for (const processors of [2, 4, 8])
      expect(schedule(topology, { processors, timeBudgetMs: 30_000 }).optimal).toBe(true);
  });
});

describe('large mechanisms', () => {
  it('without time the answer is a legal schedule with an honest gap', () => {
    const topology = randomTree(400, 3, 12);
    const best = schedule(topology, { processors: 8, timeBudgetMs: 30_000 });
    expect(best.optimal).toBe(true);
    for (const search of [schedule, scheduleByAStar]) {
      const hasty = search(topology, { processors: 8, timeBudgetMs: 0 });
      validateTree(topology, hasty.tree);
      expect(hasty.optimal).toBe(false);
      expect(hasty.bound).toBeLessThanOrEqual(best.makespan);
      expect(hasty.makespan).toBeGreaterThanOrEqual(best.makespan);
      expect(hasty.gap).toBeCloseTo(hasty.makespan / hasty.bound - 1, 12);
      expect(hasty.makespan).toBeLessThanOrEqual(hasty.serial);
    }
  });

  it('a random tree of 1000 joints on 16 processors: a gap of at most 10 %', () => {
    const topology = randomTree(1000, 5);
    const found = schedule(topology, { processors: 16, timeBudgetMs: 10_000 });
    validateTree(topology, found.tree);
    expect(found.gap).toBeLessThanOrEqual(0.1);
  });

  it('a chain of 10 000 joints does not overflow the stack', () => {
    const topology = serialChain(10_000);
    const found = schedule(topology, { processors: 2, timeBudgetMs: 30_000 });
    validateTree(topology, found.tree);
    expect(found.optimal).toBe(true);
    expect(treeDepth(found.tree)).toBe(5001);
    expect(stringifyTree(found.tree).startsWith('[4999,[4998,')).toBe(true);
    expect(found.timeline.length).toBe(2);
  });

  it('a star of 2000 joints, where nothing can be done in parallel', () => {
    const topology = { joints: 2000, parent: new Array(2000).fill(-1), dof: new Array(2000).fill(1) };
    const found = schedule(topology, { processors: 4 });
    expect(found.makespan).toBe(found.serial);
    expect(found.optimal).toBe(true);
  });

  it('more processors than joints', () => {
    const found = schedule(serialChain(5), { processors: 1000 });
    expect(found.optimal).toBe(true);
    expect(found.makespan).toBe(schedule(serialChain(5), { processors: 8 }).makespan);
    expect(found.timeline.length).toBe(1000);
  });
});
