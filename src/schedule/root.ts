import type { CostTable } from './cost.js';
import { type DynamicLimits, DynamicScheduler } from './dynamic-programme.js';
import { emptyFlatTree, type FlatTree, place, TOP_SLOT } from './flat-tree.js';
import { lexicographicTree } from './lexicographic.js';
import { linkTree } from './link-tree.js';
import { PartMeter } from './parts.js';
import type { LinkGraph } from './topology.js';

export interface RootedSchedule {
  readonly tree: FlatTree;
  /** Root link of the computation: the child link of this joint. */
  readonly root: number;
  readonly low: number;
  readonly high: number;
  readonly canonical: boolean;
  readonly expansions: number;
}

/**
 * A schedule of a free-flying mechanism together with the root of its computation, for cost models that count links.
 *
 * The 6-DOF joint between the ground and the mechanism carries no constraint. It may sit on any link, the root of the
 * computation, and its node, the solution for the acceleration of that link, belongs on top of the schedule. That makes
 * the root link a handle of the part that holds it. Without that handle, schedule the mechanism as if it floated
 * alone: this is a lower bound for every root. Then let the root be a link of the top joint. That link is a handle of
 * its part already, so the bound is reached: every part keeps as few handles as if there were no root at all.
 */
export function scheduleWithChosenRoot(
  graph: LinkGraph,
  free: number,
  costs: CostTable,
  processors: number,
  limits: DynamicLimits,
): RootedSchedule {
  const links = linkTree(graph);
  const meter = new PartMeter(links, costs, links.linkOf[free]);
  const scheduler = new DynamicScheduler(meter, limits);
  const solve = costs.cost(free, 1);
  const tree = emptyFlatTree(graph.joints);
  place(tree, TOP_SLOT, free);
  if (graph.joints === 1) return { tree, root: free, low: solve, high: solve, canonical: true, expansions: 0 };
  const floating = scheduler.entry(meter.whole(), processors);
  scheduler.solve(floating);
  const { canonical } = lexicographicTree(scheduler, floating, tree, { parent: free, side: 'end' });
  const top = tree.endSide[free];
  return {
    tree,
    root: graph.rootEnd[top] - 1,
    low: solve + floating.low,
    high: solve + floating.high,
    canonical,
    expansions: scheduler.expansions,
  };
}

/** The graph of a mechanism whose free joint sits on another link. */
export function graphWithRoot(graph: LinkGraph, free: number, root: number): LinkGraph {
  const endEnd = graph.endEnd.slice();
  const degree = graph.degree.slice();
  degree[endEnd[free]]--;
  endEnd[free] = root + 1;
  degree[endEnd[free]]++;
  return { ...graph, endEnd, degree };
}
