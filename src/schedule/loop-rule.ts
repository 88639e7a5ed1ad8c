import { leastMakespan, paperRanges } from './assign.js';
import type { CostTable } from './cost.js';
import { type DynamicLimits, DynamicScheduler } from './dynamic-programme.js';
import { evaluate } from './evaluate.js';
import { copyFlatTree, emptyFlatTree, type FlatTree, orderedByPosition, preorder } from './flat-tree.js';
import { lexicographicTree } from './lexicographic.js';
import { allJointsByVertex, type JointsByVertex, type LinkTree, linkTree } from './link-tree.js';
import { type ClosingJoints, ExactLoopScheduler, MOST_EXACT_LOOP_JOINTS } from './loop-exact.js';
import { PartMeter } from './parts.js';
import type { LinkGraph } from './topology.js';
import { WorkBound } from './work-bound.js';

/**
 * Schedules for closed mechanisms too large for an exact answer.
 *
 * [002] Section V suggests to cut the loops, to schedule the open chain that remains, and to put the cut joints on top.
 * There they are charged to all processes, and each of them is a handle of every part on both of its sides. The rule:
 *
 * 1. A loop is closed as soon as both of its ends are in one partial chain.
 * 2. Processes part at joints away from loops, where possible: a split inside a loop pays for closing it.
 * 3. Which joint of a loop is the one that closes it is chosen by trying its joints in turn, where that is allowed.
 * 4. Every partial chain of few enough joints is scheduled exactly.
 *
 * Every variant is judged by its true makespan, the paper's suggestion among them, and the best is kept.
 */
export interface LoopSchedule {
  readonly tree: FlatTree;
  readonly low: number;
  readonly high: number;
  /** Time of the best schedule found for one process. */
  readonly serial: number;
  /** Makespan of the paper's suggestion, for comparison; undefined where there was no time for it. */
  readonly paperSuggestion: number | undefined;
  readonly expansions: number;
}

export function scheduleByLoopRule(
  graph: LinkGraph,
  costs: CostTable,
  processors: number,
  closing: ClosingJoints,
  limits: DynamicLimits,
): LoopSchedule {
  const search = new LoopRule(graph, costs, closing, limits);
  let best = search.solve(processors);
  let serial = search.makespanOf(best.tree, 1);
  // What is best for one process can be best for several: loops make parts with many handles expensive.
  if (processors > 1 && !limits.time.isUp()) {
    const alone = search.solve(1);
    serial = Math.min(serial, alone.time);
    const aloneTime = search.makespanOf(alone.tree, processors);
    if (aloneTime < best.time) best = { tree: alone.tree, time: aloneTime };
  }
  const work = costs.own.reduce((sum, each) => sum + each, 0);
  return {
    tree: best.tree,
    low: new WorkBound(costs).makespan(work, processors, 0),
    high: best.time,
    serial,
    paperSuggestion: search.paperTime,
    expansions: search.expansions,
  };
}

class LoopRule {
  expansions = 0;
  /** Makespan of the paper's suggestion for the number of processes solved first. */
  paperTime: number | undefined;
  private readonly graph: LinkGraph;
  private readonly byVertex: JointsByVertex;
  private readonly costs: CostTable;
  private readonly closing: ClosingJoints;
  private readonly limits: DynamicLimits;

  constructor(graph: LinkGraph, costs: CostTable, closing: ClosingJoints, limits: DynamicLimits) {
    this.graph = graph;
    this.byVertex = allJointsByVertex(graph);
    this.costs = costs;
    this.closing = closing;
    this.limits = limits;
  }

  solve(processors: number): { tree: FlatTree; time: number } {
    const { graph } = this;
    let inTree = new Uint8Array(graph.joints).fill(1, 0, graph.treeJoints);
    let best = this.bestOf(inTree, processors);
    if (this.limits.time.isUp()) return best;
    const paper = this.paperTree(processors);
    const paperTime = this.makespanOf(paper, processors);
    this.paperTime ??= paperTime;
    if (paperTime < best.time) best = { tree: paper, time: paperTime };
    // Exchange one closing joint at a time for another joint of its loop, as long as that helps.
    for (let improved = this.closing === 'any'; improved; ) {
      improved = false;
      for (let closing = 0; closing < graph.joints; closing++) {
        if (inTree[closing]) continue;
        for (const joint of jointsAround(graph, linkTree(graph, inTree), closing)) {
          if (this.limits.time.isUp()) return best;
          const exchanged = inTree.slice();
          exchanged[closing] = 1;
          exchanged[joint] = 0;
          const candidate = this.bestOf(exchanged, processors);
          if (candidate.time >= best.time) continue;
          best = candidate;
          inTree = exchanged;
          improved = true;
          break;
        }
      }
    }
    return best;
  }

  /** [002] Section V: the cut joints at the root of the schedule tree. */
  private paperTree(processors: number): FlatTree {
    const { graph } = this;
    const flat = this.openSchedule(linkTree(graph), processors);
    for (let loop = graph.joints - 1; loop >= graph.treeJoints; loop--) {
      flat.rootSide[loop] = flat.top;
      flat.top = loop;
    }
    return flat;
  }

  makespanOf(flat: FlatTree, processors: number): number {
    const { ticks } = evaluate(flat, this.graph, this.costs);
    return leastMakespan(flat, processors, ticks, this.costs.handOver);
  }

  /** The best schedule by the rule for one spanning tree: with and without regard for loops when splitting. */
  private bestOf(inTree: Uint8Array, processors: number): { tree: FlatTree; time: number } {
    const links = linkTree(this.graph, inTree);
    let best: { tree: FlatTree; time: number } | undefined;
    for (const penalty of [this.loopPenalty(links), undefined]) {
      if (best && this.limits.time.isUp()) break;
      const closed = closeEarly(this.openSchedule(links, processors, penalty), this.graph, links);
      const tree = this.withExactParts(closed, processors);
      const time = this.makespanOf(tree, processors);
      if (!best || time < best.time) best = { tree, time };
    }
    return best as { tree: FlatTree; time: number };
  }

  private openSchedule(links: LinkTree, processors: number, penalty?: Float64Array): FlatTree {
    const meter = new PartMeter(links, this.costs);
    const scheduler = new DynamicScheduler(meter, this.limits, penalty);
    const whole = scheduler.entry(meter.whole(), processors);
    scheduler.solve(whole);
    const flat = emptyFlatTree(this.graph.joints);
    lexicographicTree(scheduler, whole, flat);
    this.expansions += scheduler.expansions;
    for (let joint = 0; joint < this.graph.joints; joint++) {
      if (!links.reversed[joint]) continue;
      [flat.rootSide[joint], flat.endSide[joint]] = [flat.endSide[joint], flat.rootSide[joint]];
    }
    return flat;
  }

  /** What a split at a joint costs more: the loops around it have to be closed right above it. */
  private loopPenalty(links: LinkTree): Float64Array {
    const penalty = new Float64Array(this.graph.links);
    for (let joint = 0; joint < this.graph.joints; joint++) {
      if (links.linkOf[joint] >= 0) continue;
      const closing = this.costs.closingCost(joint, 1);
      for (const around of jointsAround(this.graph, links, joint)) penalty[links.linkOf[around]] += closing;
    }
    return penalty;
  }

  /** Replaces the largest partial chains that are small enough by their exact optima. */
  private withExactParts(closed: FlatTree, processors: number): FlatTree {
    const flat = copyFlatTree(closed);
    const ranges = paperRanges(closed, processors);
    const order = preorder(closed);
    const size = new Int32Array(this.graph.joints).fill(1);
    for (let i = order.length - 1; i >= 0; i--) {
      for (const side of [closed.rootSide[order[i]], closed.endSide[order[i]]])
        if (side >= 0) size[order[i]] += size[side];
    }
    const { parentOf, sideOf } = orderedByPosition(closed);
    for (let i = 0; i < order.length && !this.limits.time.isUp(); ) {
      const joint = order[i];
      if (size[joint] > MOST_EXACT_LOOP_JOINTS) {
        i++;
        continue;
      }
      // A chain is a run of the preorder.
      const joints = Array.from(order.subarray(i, i + size[joint]));
      for (const each of joints) {
        flat.rootSide[each] = -1;
        flat.endSide[each] = -1;
      }
      joints.sort((a, b) => a - b);
      const exact = new ExactLoopScheduler(this.graph, this.byVertex, this.costs, joints, this.closing);
      exact.place(flat, { parent: parentOf[joint], side: sideOf[joint] }, ranges.to[joint] - ranges.from[joint]);
      this.expansions += exact.expansions;
      i += size[joint];
    }
    return flat;
  }
}

/** Tree joints on the path between the two links of a joint that is not in the tree. */
function jointsAround(graph: LinkGraph, links: LinkTree, closing: number): number[] {
  const joints: number[] = [];
  let [u, v] = [links.linkOfVertex[graph.rootEnd[closing]], links.linkOfVertex[graph.endEnd[closing]]];
  while (u !== v) {
    const deeper = links.depth[u] >= links.depth[v] ? u : v;
    joints.push(links.jointOf[deeper]);
    if (deeper === u) u = links.parent[u];
    else v = links.parent[v];
  }
  return joints.sort((a, b) => a - b);
}

/** Puts every joint outside the tree right above the node at which its two links come into one chain. */
export function closeEarly(open: FlatTree, graph: LinkGraph, links: LinkTree): FlatTree {
  const flat = copyFlatTree(open);
  const { order, position, parentOf, sideOf } = orderedByPosition(open);
  // Where every joint is as loops are put in.
  const above = { parentOf: parentOf.slice(), sideOf };
  // All joints at one link lie on one path of the tree; the deepest, the last in preorder, brings the link into a chain.
  const first = new Int32Array(graph.links);
  for (const joint of order) {
    first[graph.rootEnd[joint]] = joint;
    first[graph.endEnd[joint]] = joint;
  }
  for (let closing = 0; closing < graph.joints; closing++) {
    if (links.linkOf[closing] >= 0) continue;
    let [a, b] = [first[graph.rootEnd[closing]], first[graph.endEnd[closing]]];
    while (a !== b) {
      if (position[a] > position[b]) a = parentOf[a];
      else b = parentOf[b];
    }
    // Several loops can close above one node: the smallest joint on top.
    const parent = above.parentOf[a];
    flat.rootSide[closing] = a;
    if (parent < 0) flat.top = closing;
    else if (above.sideOf[a] === 'root') flat.rootSide[parent] = closing;
    else flat.endSide[parent] = closing;
    above.parentOf[closing] = parent;
    above.sideOf[closing] = above.sideOf[a];
    above.parentOf[a] = closing;
    above.sideOf[a] = 'root';
  }
  return flat;
}
