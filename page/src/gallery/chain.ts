// Chains for the gallery: operations of the mass-matrix algorithms as they grow, and assembly trees that are cut by hand.

import { State, topologyOf } from 'manikin';
import { builtinMechanism } from 'manikin/models';
import { countOperationsOf, denavitHartenbergChain, MASS_MATRIX_ALGORITHMS } from 'manikin/papers';
import { type ScheduleTree, schedule, treeDepth, treeMakespan, treeSerialCost } from 'manikin/schedule';
import type { Assembled, Counted, TreePoint } from './protocol.js';

/** Joints of the chains that are counted. */
const SIZES = [2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32];

/** One chain after the other, all algorithms of [004]. */
export function* counts(): Generator<Counted> {
  for (const n of SIZES) {
    const mechanism = denavitHartenbergChain(n);
    const state = new State(mechanism);
    yield {
      n,
      counts: MASS_MATRIX_ALGORITHMS.map((algorithm) => {
        const { multiplications, additions } = countOperationsOf(mechanism, state, { algorithm });
        return { algorithm, multiplications, additions };
      }),
    };
  }
}

/** What is not cut by hand is put together joint by joint, from the root. */
export function cutTree(joints: number, cuts: readonly number[]): ScheduleTree {
  const tree = (low: number, high: number): ScheduleTree | null => {
    if (low > high) return null;
    const cut = cuts.find((joint) => joint >= low && joint <= high) ?? high;
    return [cut, tree(low, cut - 1), tree(cut + 1, high)];
  };
  return tree(0, joints - 1)!;
}

/** A tree that was cut by hand beside the best one ([002]). */
export function assembled(joints: number, processors: number, cuts: readonly number[]): Assembled {
  const topology = topologyOf(builtinMechanism(`chain-${joints}`));
  const tree = cutTree(joints, cuts);
  const best = schedule(topology, { processors, timeBudgetMs: 1000 });
  return {
    makespan: treeMakespan(topology, tree, processors),
    serial: treeSerialCost(topology, tree),
    depth: treeDepth(tree),
    tree: points(tree),
    best: { makespan: best.makespan, optimal: best.optimal, depth: treeDepth(best.tree), tree: points(best.tree) },
  };
}

function points(tree: ScheduleTree): TreePoint[] {
  const found: TreePoint[] = [];
  const visit = (node: ScheduleTree | null, level: number, parent: number | undefined): void => {
    if (node === null) return;
    const [joint, root, end] = node;
    found.push({ joint, level, parent });
    visit(root, level + 1, joint);
    visit(end, level + 1, joint);
  };
  visit(tree, 0, undefined);
  return found;
}
