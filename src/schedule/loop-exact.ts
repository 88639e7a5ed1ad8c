import type { CostTable } from './cost.js';
import { type FlatTree, place, type Slot } from './flat-tree.js';
import type { JointsByVertex } from './link-tree.js';
import type { LinkGraph } from './topology.js';
import { rootSideShare } from './work-bound.js';

/** Closed mechanisms, and parts of them, up to this many joints are scheduled exactly. */
export const MOST_EXACT_LOOP_JOINTS = 14;

/**
 * Which joints may close loops: the loop joints of the topology and no others, or the last joint of each loop to be
 * added, whichever that is.
 */
export type ClosingJoints = 'loop-joints' | 'any';

/**
 * The exact optimum of a small closed mechanism, which [002] leaves open, or of a small part of one: the dynamic
 * programme of dynamic-programme.ts over all connected sets of joints, as bit masks. Cutting a joint of a loop leaves one part,
 * not two: the joint then closes the loop when the chain is assembled, and its node passes the whole range of processes
 * on. At most 2^joints sets for each of the 2 log2 P range sizes.
 */
export class ExactLoopScheduler {
  expansions = 0;
  private readonly costs: CostTable;
  /** Joint numbers of the bits. */
  private readonly joints: readonly number[];
  /** By joint of the part: its two links, numbered within the part. */
  private readonly rootLink: number[] = [];
  private readonly endLink: number[] = [];
  /** By link of the part: the set of its joints in the part, and the number of its other joints. */
  private readonly jointsAt: number[] = [];
  private readonly outside: number[] = [];
  /** Open joints with both links in the part, as sets of links: they count once where the model counts joints. */
  private readonly across: number[] = [];
  private readonly ground: number;
  /** By joint of the part: whether it has to close a loop (1), must not (0), or may (-1). */
  private readonly closing: number[] = [];
  private readonly known = new Map<number, number>();

  /** `joints`: those of the part, ascending. They must be connected. `byVertex`: all joints of the graph. */
  constructor(
    graph: LinkGraph,
    byVertex: JointsByVertex,
    costs: CostTable,
    joints: readonly number[],
    closing: ClosingJoints,
  ) {
    this.costs = costs;
    this.joints = joints;
    const numbers = new Map<number, number>();
    const numberOf = (vertex: number): number => {
      const known = numbers.get(vertex);
      if (known !== undefined) return known;
      numbers.set(vertex, numbers.size);
      this.jointsAt.push(0);
      this.outside.push(graph.degree[vertex]);
      return numbers.size - 1;
    };
    joints.forEach((joint, bit) => {
      this.closing.push(closing === 'any' ? -1 : joint >= graph.treeJoints ? 1 : 0);
      for (const [ends, vertex] of [
        [this.rootLink, graph.rootEnd[joint]] as const,
        [this.endLink, graph.endEnd[joint]] as const,
      ]) {
        const link = numberOf(vertex);
        ends.push(link);
        this.jointsAt[link] |= 1 << bit;
        this.outside[link]--;
      }
    });
    this.ground = numbers.get(0) ?? -1;
    const inPart = new Set(joints);
    for (const [vertex, a] of numbers) {
      for (let i = byVertex.start[vertex]; i < byVertex.start[vertex + 1]; i++) {
        const joint = byVertex.joints[i];
        if (inPart.has(joint) || graph.rootEnd[joint] !== vertex) continue;
        const b = numbers.get(graph.endEnd[joint]);
        if (b !== undefined) this.across.push((1 << a) | (1 << b));
      }
    }
  }

  /** Least time on so many processes. */
  makespan(processors: number): number {
    return this.least(2 ** this.joints.length - 1, processors);
  }

  /** Writes the lexicographically smallest optimum into a tree (as lexicographic.ts does for open mechanisms). */
  place(flat: FlatTree, slot: Slot, processors: number): void {
    const all = 2 ** this.joints.length - 1;
    const stack = [{ set: all, range: processors, limit: this.least(all, processors), slot }];
    for (let item = stack.pop(); item; item = stack.pop()) {
      const { set, range, slot: open } = item;
      const limit = range === 1 ? this.least(set, 1) : item.limit;
      const bit = this.smallestTop(set, range, limit);
      const joint = this.joints[bit];
      place(flat, open, joint);
      const { root, end, cost } = this.cut(set, bit);
      const divided = root !== 0 && end !== 0 && range > 1;
      const rest = limit - cost - (divided ? this.costs.handOver : 0);
      const rootRange = divided ? rootSideShare(range) : range;
      const endRange = divided ? range - rootRange : range;
      const together = divided && Math.max(this.least(root, rootRange), this.least(end, endRange)) > rest;
      if (end)
        stack.push({ set: end, range: together ? 1 : endRange, limit: rest, slot: { parent: joint, side: 'end' } });
      if (root)
        stack.push({ set: root, range: together ? 1 : rootRange, limit: rest, slot: { parent: joint, side: 'root' } });
    }
  }

  private smallestTop(set: number, range: number, limit: number): number {
    for (let bit = 0; bit < this.joints.length; bit++) {
      if ((set >> bit) & 1 && this.withTop(set, bit, range) <= limit) return bit;
    }
    throw new Error('exact loop schedule: no joint reaches the computed optimum');
  }

  /** T(set, range). */
  private least(set: number, range: number): number {
    if (set === 0) return 0;
    const key = range * 2 ** MOST_EXACT_LOOP_JOINTS + set;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    this.expansions++;
    let best = range === 1 ? Number.POSITIVE_INFINITY : this.least(set, 1);
    for (let bit = 0; bit < this.joints.length; bit++) {
      if ((set >> bit) & 1) best = Math.min(best, this.withTop(set, bit, range));
    }
    this.known.set(key, best);
    return best;
  }

  /** Least time of a set with a given top joint. */
  private withTop(set: number, bit: number, range: number): number {
    const { root, end, cost } = this.cut(set, bit);
    if (root === 0 || end === 0) return cost + this.least(root | end, range);
    const together = cost + this.least(root, 1) + this.least(end, 1);
    if (range === 1) return together;
    const share = rootSideShare(range);
    const divided = cost + this.costs.handOver + Math.max(this.least(root, share), this.least(end, range - share));
    return Math.min(together, divided);
  }

  /** The sides of a joint, as sets of joints, and the cost of its node. A joint that closes a loop has one side. */
  private cut(set: number, bit: number): { root: number; end: number; cost: number } {
    const { costs } = this;
    const joint = this.joints[bit];
    const rest = set & ~(1 << bit);
    const rootSide = this.reach(rest, this.rootLink[bit]);
    const closes = (rootSide.links >> this.endLink[bit]) & 1;
    if (this.closing[bit] === 1 - closes) return { root: 0, end: 0, cost: Number.POSITIVE_INFINITY };
    if (closes) {
      const handles = this.handles(costs.counts === 'joints' ? set : rest);
      return { root: rest, end: 0, cost: costs.closingCost(joint, handles) };
    }
    const endSide = this.reach(rest, this.endLink[bit]);
    return { root: rootSide.joints, end: endSide.joints, cost: costs.cost(joint, this.handles(set)) };
  }

  /** Joints of a set, and links, that are connected with a link. */
  private reach(set: number, link: number): { joints: number; links: number } {
    let joints = 0;
    let links = 1 << link;
    for (let added = this.jointsAt[link] & set; added !== 0; ) {
      joints |= added;
      let next = 0;
      for (let rest = added; rest !== 0; rest &= rest - 1) {
        const bit = 31 - Math.clz32(rest & -rest);
        links |= (1 << this.rootLink[bit]) | (1 << this.endLink[bit]);
        next |= this.jointsAt[this.rootLink[bit]] | this.jointsAt[this.endLink[bit]];
      }
      added = next & set & ~joints;
    }
    return { joints, links };
  }

  private handles(set: number): number {
    let links = 0; // links of the set
    let handleLinks = 0;
    let inPart = 0; // joints of the part outside the set that touch it
    let others = 0; // joints outside the part that touch it
    for (let link = 0; link < this.jointsAt.length; link++) {
      if (!(this.jointsAt[link] & set)) continue;
      links |= 1 << link;
      const cut = this.jointsAt[link] & ~set;
      inPart |= cut;
      others += this.outside[link];
      if (cut || this.outside[link] > 0 || link === this.ground) handleLinks++;
    }
    if (this.costs.counts === 'links') return handleLinks;
    for (const both of this.across) if ((both & links) === both) others--;
    return others + countBits(inPart);
  }
}

function countBits(set: number): number {
  let count = 0;
  for (let rest = set; rest !== 0; rest &= rest - 1) count++;
  return count;
}
