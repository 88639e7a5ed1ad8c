import { describe, expect, it } from 'vitest';
import { human161, randomTree, serialChain } from '../../bench/suites/schedule.js';
import {
  describeTree,
  ENGINE_CONSTANTS,
  engineCost,
  paperCost,
  schedule,
  type Topology,
  treeMakespan,
  validateTree,
} from '../../src/schedule/index.js';
import { type Costs, Mechanism } from './brute-force.js';

/** A free-flying chain: the first joint is the one to the ground. */
function freeChain(joints: number): Topology {
  return { ...serialChain(joints), dof: [6, ...new Array(joints - 1).fill(1)], freeRoot: true };
}

describe('free-flying mechanisms', () => {
  const cost = engineCost({ ...ENGINE_CONSTANTS, latency: 0 });

  it('a chain cut in the middle keeps one handle in every part when its root is there', () => {
    const topology = freeChain(100);
    const given = schedule(topology, { processors: 2, cost });
    const chosen = schedule(topology, { processors: 2, cost, chooseRoot: true });
    expect(chosen.root).toBeGreaterThan(40);
    expect(chosen.root).toBeLessThan(60);
    const nodes = describeTree(topology, chosen.tree, { cost, root: chosen.root as number });
    expect(nodes.every(({ handles }) => handles === 1)).toBe(true);
    const [free, hinge] = [340, 255].map((count) => (count * ENGINE_CONSTANTS.instruction) / 1000);
    expect(nodes[0].cost).toBeCloseTo(free, 9);
    // Half of 99 revolute joints at one handle each, the cut, and the solution for the root.
    expect(chosen.makespan).toBeCloseTo(free + 50 * hinge, 9);
    expect(chosen.optimal).toBe(true);
    expect(given.makespan).toBeGreaterThan(1.1 * chosen.makespan);
  });

  it('the schedule is legal with the root it names, and has the makespan it claims', () => {
    for (const topology of [freeChain(30), human161(), freeChain(1), freeChain(2)]) {
      for (const processors of [1, 2, 3, 4, 8]) {
        const chosen = schedule(topology, { processors, cost, chooseRoot: true });
        const root = chosen.root as number;
        validateTree(topology, chosen.tree, { root });
        expect(treeMakespan(topology, chosen.tree, processors, { cost, root })).toBe(chosen.makespan);
        expect(chosen.makespan).toBeLessThanOrEqual(schedule(topology, { processors, cost }).makespan);
      }
    }
  });

  it('all roots of small mechanisms, tried in turn', () => {
    const [one, two] = [
      new Map([
        [1, 100],
        [3, 120],
        [6, 150],
      ]),
      new Map([
        [1, 140],
        [3, 190],
        [6, 250],
      ]),
    ];
    const costs = (dof: number[]): Costs => ({
      counts: 'links',
      own: dof.map((n) => one.get(n) as number),
      inner: dof.map((n) => (two.get(n) as number) - (one.get(n) as number)),
      shared: (k) => (k < 3 ? 0 : 20 * k * k + 110 * k - 40),
      handOver: 0,
    });
    const model = engineCost({
      ...ENGINE_CONSTANTS,
      instruction: 1000,
      joints: [1, 3, 6].map((n) => ({ dof: n, one: (one.get(n) as number) / 10, two: (two.get(n) as number) / 10 })),
      more: { quadratic: 2, linear: 11, constant: -4 },
      latency: 0,
    });
    let onTop = 0;
    for (let seed = 0; seed < 25; seed++) {
      const { parent, dof } = randomTree(9, seed, 4);
      const parents = [-1, ...Array.from(parent, (p) => p + 1)];
      const dofs = [6, ...Array.from(dof)];
      const topology = { joints: 10, parent: parents, dof: dofs, freeRoot: true };
      for (const processors of [2, 3, 4]) {
        const asGiven = new Mechanism(parents, costs(dofs));
        let best = asGiven.least(asGiven.all(), processors);
        for (let root = 0; root < 10; root++) {
          const moved = new Mechanism(parents, costs(dofs), root);
          best = Math.min(best, moved.cost(moved.all(), 0) + moved.least(moved.all() - 1, processors));
        }
        const chosen = schedule(topology, { processors, cost: model, chooseRoot: true });
        expect(chosen.makespan, `seed ${seed}, ${processors} processors`).toBeCloseTo(best / 10, 9);
        expect(chosen.optimal).toBe(true);
        if (chosen.tree[0] === 0) onTop++;
      }
    }
    expect(onTop).toBeGreaterThan(5);
  });

  it('the paper counts joints, so the root makes no difference there', () => {
    const options = { processors: 4, cost: paperCost() };
    const chosen = schedule(human161(), { ...options, chooseRoot: true });
    expect(chosen.root).toBeUndefined();
    expect(chosen.tree).toEqual(schedule(human161(), options).tree);
  });
});
