import { describe, expect, it } from 'vitest';
import { randomNumbers } from '../../bench/suites/schedule.js';
import { ENGINE_CONSTANTS, engineCost, paperCost, schedule } from '../../src/schedule/index.js';
import { allParents, type Costs, compareLists, Mechanism, paperTenths, preorderOf, type Tree } from './brute-force.js';

const PROCESSORS = [1, 2, 3, 4, 8];
/** Random mechanisms of each kind; a long run: MANIKIN_FUZZ_RUNS=1000. The messages hold the whole case. */
const RUNS = Number(process.env.MANIKIN_FUZZ_RUNS ?? 25);
const random = randomNumbers(Number(process.env.MANIKIN_FUZZ_SEED ?? 4));

function mixedDof(n: number): number[] {
  return Array.from({ length: n }, () => [1, 3, 6][Math.floor(random() * 3)]);
}

/** Lists every schedule tree of a mechanism and compares the least makespan and the smallest optimal tree. */
function compareWithAllTrees(parent: number[], dof: number[], numbers = PROCESSORS): void {
  const mechanism = new Mechanism(parent, paperTenths(dof));
  const trees = mechanism.trees(mechanism.all()) as Tree[];
  for (const processors of numbers) {
    let best = Number.POSITIVE_INFINITY;
    let smallest: Tree | undefined;
    for (const tree of trees) {
      const makespan = mechanism.makespan(tree, processors);
      if (makespan === undefined || makespan > best) continue;
      if (makespan < best || compareLists(preorderOf(tree), preorderOf(smallest as Tree)) < 0) smallest = tree;
      best = makespan;
    }
    const found = schedule({ joints: parent.length, parent, dof }, { processors });
    const where = `parents [${parent}], DOF [${dof}], ${processors} processors`;
    expect(found.makespan, where).toBe(best / 10);
    expect(found.optimal, where).toBe(true);
    expect(found.tree, where).toEqual(smallest);
  }
}

describe('all schedule trees, listed one by one', () => {
  for (const n of [1, 2, 3, 4, 5]) {
    it(`all mechanisms of ${n} joints, equal and mixed DOF`, () => {
      for (const parent of allParents(n)) {
        compareWithAllTrees(parent, new Array(n).fill(1));
        compareWithAllTrees(parent, mixedDof(n));
      }
    });
  }

  it('mechanisms of 6 joints, mixed DOF', () => {
    // Every fifth with two numbers of processors; with MANIKIN_LONG all of both.
    allParents(6).forEach((parent, k) => {
      if (process.env.MANIKIN_LONG) compareWithAllTrees(parent, mixedDof(6));
      else if (k % 5 === 0)
        compareWithAllTrees(parent, mixedDof(6), [PROCESSORS[(k / 5) % 5], PROCESSORS[(k / 5 + 2) % 5]]);
    });
  });

  it('a sample of the mechanisms of 7 joints, mixed DOF', () => {
    const all = allParents(7);
    for (let i = 0; i < 8; i++) compareWithAllTrees(all[Math.floor(random() * all.length)], mixedDof(7));
  });

  it.runIf(process.env.MANIKIN_LONG)(
    'all mechanisms of 7 joints, mixed DOF (MANIKIN_LONG)',
    () => {
      for (const parent of allParents(7)) compareWithAllTrees(parent, mixedDof(7));
    },
    1_800_000,
  );
});

describe('a table over all sets of joints', () => {
  /** A random mechanism: long limbs, bushes, and what lies between. */
  function randomParents(n: number): number[] {
    const chainLike = random();
    return Array.from({ length: n }, (_, i) => (random() < chainLike ? i - 1 : Math.floor(random() * (i + 1)) - 1));
  }

  function compareMakespans(
    count: number,
    make: (dof: number[]) => { costs: Costs; model: ReturnType<typeof paperCost> },
  ): void {
    for (let i = 0; i < count; i++) {
      const n = 8 + Math.floor(random() * 5);
      const [parent, dof] = [randomParents(n), mixedDof(n)];
      const { costs, model } = make(dof);
      const mechanism = new Mechanism(parent, costs);
      for (const processors of [1, 2, 3, 4, 5, 8]) {
        const found = schedule({ joints: n, parent, dof }, { processors, cost: model });
        const where = `parents [${parent}], DOF [${dof}], ${processors} processors, ${model.name}`;
        expect(found.makespan, where).toBeCloseTo(mechanism.least(mechanism.all(), processors) / 10, 9);
        expect(found.optimal, where).toBe(true);
      }
    }
  }

  it('the constants of the paper, 8 to 12 joints', () => {
    compareMakespans(RUNS, (dof) => ({ costs: paperTenths(dof), model: paperCost() }));
  });

  it('random constants and hand-over costs', () => {
    compareMakespans(RUNS, (dof) => {
      const [a, b, d] = [30, 30, 100].map((most) => Math.floor(random() * most));
      const handOver = Math.floor(random() * 3) * 35;
      const model = paperCost({ alpha: a / 10, beta: b / 10, gamma: -1, delta: 6 + d / 10, handOver: handOver / 10 });
      return { costs: paperTenths(dof, [a, b, -10, 60 + d], handOver), model };
    });
  });

  it('costs by form of the partial chain', () => {
    compareMakespans(RUNS, (dof) => {
      const one = new Map([1, 3, 6].map((n) => [n, 80 + Math.floor(random() * 60)]));
      const two = new Map([1, 3, 6].map((n) => [n, (one.get(n) as number) + Math.floor(random() * 80)]));
      const [q, l, c] = [30, 60, 80].map((most) => Math.floor(random() * most));
      const handOver = Math.floor(random() * 3) * 60;
      const model = engineCost({
        ...ENGINE_CONSTANTS,
        instruction: 1000,
        joints: [1, 3, 6].map((n) => ({ dof: n, one: (one.get(n) as number) / 10, two: (two.get(n) as number) / 10 })),
        more: { quadratic: q / 10, linear: l / 10, constant: c / 10 },
        latency: 50 * handOver,
      });
      const costs: Costs = {
        counts: 'links',
        own: dof.map((n) => one.get(n) as number),
        inner: dof.map((n) => (two.get(n) as number) - (one.get(n) as number)),
        shared: (k) => (k < 3 ? 0 : q * k * k + l * k + c),
        handOver,
      };
      return { costs, model };
    });
  });

  it('a mechanism whose optimum cuts off a branch of two joints above a split', () => {
    const parent = [-1, -1, 1, 2, 0, 3, 3, 6, 6, 8, 7, 5, 10];
    const dof = [1, 6, 1, 6, 3, 6, 1, 3, 3, 6, 1, 6, 3];
    const found = schedule({ joints: 13, parent, dof }, { processors: 3 });
    expect(found.makespan).toBe(97);
    expect(found.optimal).toBe(true);
    expect(found.tree[0]).toBe(11);
  });
});
