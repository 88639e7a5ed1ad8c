import { chainTimes, paperRanges } from './assign.js';
import { type CostModel, costTable, paperCost } from './cost.js';
import { ScheduleError } from './errors.js';
import { evaluate } from './evaluate.js';
import type { FlatTree } from './flat-tree.js';
import { graphWithRoot } from './root.js';
import { freeJoint, type LinkGraph, linkGraph, type Topology } from './topology.js';
import { checkFlatTree, flattenTree, type ScheduleTree } from './tree.js';

/** One node of a schedule tree. */
export interface TreeNode {
  readonly joint: number;
  /** 0 for the top. */
  readonly level: number;
  /** N_O: joints outside the partial chain that touch it. */
  readonly externalJoints: number;
  /** Handles as the cost model counts them. */
  readonly handles: number;
  readonly cost: number;
  /** Whether the joint joins two links of one chain. */
  readonly closesLoop: boolean;
}

/** By which costs, and from which root, a tree is looked at. */
export interface InspectOptions {
  readonly cost?: CostModel;
  /** Root link of a free-flying mechanism, where it was chosen (`Schedule.root`). */
  readonly root?: number;
}

function checked(topology: Topology, tree: unknown, root: number | undefined): { flat: FlatTree; graph: LinkGraph } {
  const given = linkGraph(topology);
  if (root !== undefined && (!topology.freeRoot || !Number.isInteger(root) || root < 0 || root >= topology.joints)) {
    throw new ScheduleError('bad-option', `The root link ${root} is not a link of a free-flying mechanism.`, {
      field: 'root',
      found: String(root),
    });
  }
  const graph = root === undefined ? given : graphWithRoot(given, freeJoint(topology), root);
  const flat = flattenTree(tree, graph.joints);
  checkFlatTree(flat, graph);
  return { flat, graph };
}

/** Throws a `ScheduleError` with the reason unless the tree is a legal schedule of the mechanism. */
export function validateTree(topology: Topology, tree: unknown, options: { readonly root?: number } = {}): void {
  checked(topology, tree, options.root);
}

/** All nodes of a legal schedule tree, in preorder. */
export function describeTree(topology: Topology, tree: ScheduleTree, options: InspectOptions = {}): TreeNode[] {
  const { flat, graph } = checked(topology, tree, options.root);
  const costs = costTable(options.cost ?? paperCost(), graph, 1);
  const { order, level, external, handles, ticks, closes } = evaluate(flat, graph, costs);
  return Array.from(order, (joint) => ({
    joint,
    level: level[joint],
    externalJoints: external[joint],
    handles: handles[joint],
    cost: costs.toTime(ticks[joint]),
    closesLoop: closes[joint] === 1,
  }));
}

/** Number of levels of a schedule tree. */
export function treeDepth(tree: ScheduleTree): number {
  let depth = 0;
  for (let level: ScheduleTree[] = [tree]; level.length > 0; depth++) {
    const next: ScheduleTree[] = [];
    for (const [, root, end] of level) {
      if (root) next.push(root);
      if (end) next.push(end);
    }
    level = next;
  }
  return depth;
}

/** Time of a schedule on one processor: the sum of its nodes. */
export function treeSerialCost(topology: Topology, tree: ScheduleTree, options: InspectOptions = {}): number {
  return treeMakespan(topology, tree, 1, options);
}

/** Time of a schedule with the processor ranges of the paper (ERRATA 002-8, 002-11). */
export function treeMakespan(
  topology: Topology,
  tree: ScheduleTree,
  processors: number,
  options: InspectOptions = {},
): number {
  const { flat, graph } = checked(topology, tree, options.root);
  const costs = costTable(options.cost ?? paperCost(), graph, processors);
  const { ticks } = evaluate(flat, graph, costs);
  return costs.toTime(chainTimes(flat, paperRanges(flat, processors), ticks, costs.handOver)[flat.top]);
}
