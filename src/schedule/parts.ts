import type { CostTable } from './cost.js';
import type { LinkTree } from './link-tree.js';
import { MOST_SKELETON_NODES, type Skeleton, skeletonCost } from './skeleton.js';

/**
 * A partial chain of an open mechanism, in the numbering of a `LinkTree`: the links beyond `top`, without those beyond
 * any of the joints in `cuts` (ascending, none beyond another). Cutting a joint of a part gives two parts again.
 */
export interface TreePart {
  readonly top: number;
  readonly cuts: Int32Array;
}

/** Sides of joint v in a part: what stays with the root side, and what lies beyond v. */
export function rootSideOf(part: TreePart, tree: LinkTree, v: number): TreePart {
  const [first, last] = cutsBeyond(part.cuts, v, tree.end[v]);
  const cuts = new Int32Array(part.cuts.length - (last - first) + 1);
  cuts.set(part.cuts.subarray(0, first));
  cuts[first] = v;
  cuts.set(part.cuts.subarray(last), first + 1);
  return { top: part.top, cuts };
}

export function endSideOf(part: TreePart, tree: LinkTree, v: number): TreePart {
  const [first, last] = cutsBeyond(part.cuts, v, tree.end[v]);
  return { top: v, cuts: part.cuts.slice(first, last) };
}

/** Range of the cuts within the interval [from, to) of links. */
function cutsBeyond(cuts: Int32Array, from: number, to: number): [number, number] {
  let first = 0;
  while (first < cuts.length && cuts[first] < from) first++;
  let last = first;
  while (last < cuts.length && cuts[last] < to) last++;
  return [first, last];
}

export function partSize(part: TreePart, tree: LinkTree): number {
  let size = tree.end[part.top] - part.top - 1;
  for (const cut of part.cuts) size -= tree.end[cut] - cut;
  return size;
}

/** Joints of a part at one of its links, by link number: the joint above the link first. */
export function jointsAt(part: TreePart, tree: LinkTree, link: number): number[] {
  const joints: number[] = link === part.top ? [] : [link];
  for (let i = tree.childStart[link]; i < tree.childStart[link + 1]; i++) {
    if (!part.cuts.includes(tree.children[i])) joints.push(tree.children[i]);
  }
  return joints;
}

/** Joints of a part in the order of the link tree. */
export function jointsOfPart(part: TreePart, tree: LinkTree): number[] {
  const joints: number[] = [];
  let next = 0;
  for (let v = part.top + 1; v < tree.end[part.top]; v++) {
    if (next < part.cuts.length && v === part.cuts[next]) {
      v = tree.end[v] - 1;
      next++;
    } else {
      joints.push(v);
    }
  }
  return joints;
}

/** Skeleton costs kept at a time; far more than occur in practice. */
const MOST_SKELETONS = 100_000;

/**
 * Answers, for any part, what the search needs to know of it: joints, handles, and the exact least cost on a single
 * process (ERRATA 002-12) without building the schedule. One call costs O(handles) table look-ups.
 *
 * With deg(u) the joints of the mechanism at link u, o(u) those that T or the handles of the part take at u, and
 * F(k) = shared(0) + .. + shared(k - 1),
 *
 *   S = sum over joints of own + sum over links of F(deg(u)) - sum over links of F(o(u))
 *     + sum over joints of T of (inner + shared(2)) + extra cost of the skeleton of T.
 *
 * Off T, joints are cut outwards: the r-th joint cut at a link pays shared(r), which gives the F terms.
 */
export class PartMeter {
  readonly tree: LinkTree;
  readonly costs: CostTable;
  /** Top link of the whole mechanism; no joint hangs above it. */
  readonly wholeTop: number;

  /** Results of the latest call of `measure`. */
  size = 0;
  /** k of the cost model. */
  handles = 0;
  /** Different links with handles. */
  handleLinks = 0;
  /** Least cost on a single process; a lower bound of it where `exact` is false. */
  serial = 0;
  exact = true;
  /** Links with handles (the first `handleLinks` entries) and how many each carries; scratch of `measure`. */
  readonly handleLink: number[] = [];
  readonly handleCount: number[] = [];

  /** ownSum[v] = sum over links u < v of own + F(deg(u)). */
  private readonly ownSum: Float64Array;
  /** innerAbove[v] = sum of inner over the joints between v and the base. */
  private readonly innerAbove: Float64Array;
  /** F of the degree of every link. */
  private readonly linkCost: Float64Array;
  private readonly groundIsHandle: boolean;
  /** Values of F. */
  private readonly sums: number[] = [0];
  private readonly skeletons = new Map<number | string, number>();
  /** Nodes of the skeleton under construction; node 0 has no parent. */
  private readonly scratch = {
    links: [] as number[],
    meets: [] as number[],
    parent: [-1] as number[],
    handles: [] as number[],
    long: [false] as boolean[],
    taken: [] as number[],
    path: [] as number[],
  };

  constructor(tree: LinkTree, costs: CostTable, wholeTop = 0) {
    this.tree = tree;
    this.costs = costs;
    this.wholeTop = wholeTop;
    this.groundIsHandle = costs.counts === 'links' && wholeTop === 0;
    this.ownSum = new Float64Array(tree.links + 1);
    this.innerAbove = new Float64Array(tree.links);
    this.linkCost = new Float64Array(tree.links);
    for (let v = 0; v < tree.links; v++) {
      this.linkCost[v] = this.sharedSum(tree.degree[v]);
      const joint = tree.jointOf[v];
      this.ownSum[v + 1] = this.ownSum[v] + this.linkCost[v] + (joint < 0 ? 0 : costs.own[joint]);
      this.innerAbove[v] = joint < 0 ? 0 : this.innerAbove[tree.parent[v]] + costs.inner[joint];
    }
  }

  /** The part that is the whole mechanism. */
  whole(): TreePart {
    return { top: this.wholeTop, cuts: new Int32Array(0) };
  }

  /** Cost of the node that cuts joint v in a part with so many handles. */
  nodeCost(v: number, handles: number): number {
    return this.costs.cost(this.tree.jointOf[v], handles);
  }

  measurePart(part: TreePart): void {
    this.measure(part.top, part.cuts, part.cuts.length);
  }

  /** Measures the part of `top` without the first `count` entries of `cuts`. */
  measure(top: number, cuts: ArrayLike<number>, count: number): void {
    const { end, parent } = this.tree;
    let sum = this.ownSum[end[top]] - this.ownSum[top + 1] + this.linkCost[top];
    let size = end[top] - top - 1;
    this.handleLinks = 0;
    if (top !== this.wholeTop || this.groundIsHandle) this.addHandle(top);
    for (let i = 0; i < count; i++) {
      const cut = cuts[i];
      sum -= this.ownSum[end[cut]] - this.ownSum[cut];
      size -= end[cut] - cut;
      this.addHandle(parent[cut]);
    }
    this.size = size;
    this.handles = this.costs.counts === 'links' ? this.handleLinks : count + (top === this.wholeTop ? 0 : 1);
    this.exact = true;
    if (this.handleLinks === 0) this.serial = sum;
    else if (this.handleLinks === 1) this.serial = sum - this.sharedSum(this.handleCount[0]);
    else if (this.handleLinks === 2 && this.handleCount[0] + this.handleCount[1] === 2)
      this.serial = sum + this.pathCost();
    else this.serial = sum + this.subtreeCost();
  }

  private addHandle(link: number): void {
    for (let i = 0; i < this.handleLinks; i++) {
      if (this.handleLink[i] === link) {
        if (this.costs.counts === 'joints') this.handleCount[i]++;
        return;
      }
    }
    this.handleLink[this.handleLinks] = link;
    this.handleCount[this.handleLinks] = 1;
    this.handleLinks++;
  }

  /** F(k) = shared(0) + .. + shared(k - 1), what k joints cut one after the other at a link pay for each other. */
  sharedSum(k: number): number {
    const { sums } = this;
    for (let r = sums.length - 1; r < k; r++) {
      // Where the model counts links, no joint off T has a second handle.
      sums.push(sums[r] + (this.costs.counts === 'joints' ? this.costs.shared(r) : 0));
    }
    return sums[k];
  }

  /** T is the path between two links with one handle each: every joint on it is cut with two handles. */
  private pathCost(): number {
    const { depth } = this.tree;
    const [u, v] = this.handleLink;
    const meet = this.tree.meet(u, v);
    const joints = depth[u] + depth[v] - 2 * depth[meet];
    const inner = this.innerAbove[u] + this.innerAbove[v] - 2 * this.innerAbove[meet];
    return inner + joints * this.costs.shared(2) - (joints + 1) * this.sharedSum(2);
  }

  private subtreeCost(): number {
    const { depth, end } = this.tree;
    const nodes = this.skeletonLinks();
    const { links, parent, handles, long, taken, path } = this.scratch;
    let joints = 0;
    let inner = 0;
    let onPath = 0; // path[0 .. onPath): nodes between the current one and node 0
    for (let node = 0; node < nodes; node++) {
      const link = links[node];
      const at = this.handleLink.indexOf(link);
      handles[node] = at >= 0 && at < this.handleLinks ? this.handleCount[at] : 0;
      taken[node] = handles[node];
      while (onPath > 0 && link >= end[links[path[onPath - 1]]]) onPath--;
      if (onPath > 0) {
        const above = path[onPath - 1];
        const length = depth[link] - depth[links[above]];
        parent[node] = above;
        long[node] = length > 1;
        taken[node]++;
        taken[above]++;
        joints += length;
        inner += this.innerAbove[link] - this.innerAbove[links[above]];
      }
      path[onPath++] = node;
    }
    let cost = inner + joints * this.costs.shared(2) - (joints + 1 - nodes) * this.sharedSum(2);
    for (let node = 0; node < nodes; node++) cost -= this.sharedSum(taken[node]);
    if (nodes > MOST_SKELETON_NODES) this.exact = false;
    else cost += this.skeletonExtra(nodes);
    return cost;
  }

  /** Lists the links with handles and those where the paths between them meet, in preorder; gives their number. */
  private skeletonLinks(): number {
    const { links } = this.scratch;
    let count = 0;
    for (let i = 0; i < this.handleLinks; i++) count = insertSorted(links, count, this.handleLink[i]);
    const apart = count;
    // Paths meet where neighbours in preorder do. Insertion moves the list, so the meets are collected first.
    const { meets } = this.scratch;
    for (let i = 1; i < apart; i++) meets[i] = this.tree.meet(links[i - 1], links[i]);
    for (let i = 1; i < apart; i++) count = insertSorted(links, count, meets[i]);
    return count;
  }

  /** Extra cost of the skeleton in the scratch arrays, from a table. */
  private skeletonExtra(nodes: number): number {
    const { parent, handles, long } = this.scratch;
    // Ten bits a node; a table of strings where five nodes do not hold the skeleton.
    let code = 0;
    let fits = nodes <= 5;
    for (let node = 0; node < nodes && fits; node++) {
      fits = handles[node] < 32;
      code = code * 1024 + handles[node] * 16 + (parent[node] + 1) * 2 + (long[node] ? 1 : 0);
    }
    const key = fits
      ? code
      : `${parent.slice(0, nodes).join()};${handles.slice(0, nodes).join()};${long.slice(0, nodes).join()}`;
    let extra = this.skeletons.get(key);
    if (extra === undefined) {
      const skeleton: Skeleton = {
        parent: parent.slice(0, nodes),
        handles: handles.slice(0, nodes),
        long: long.slice(0, nodes),
      };
      extra = skeletonCost(skeleton, this.costs.counts, this.costs.shared);
      if (this.skeletons.size >= MOST_SKELETONS) this.skeletons.clear();
      this.skeletons.set(key, extra);
    }
    return extra;
  }
}

/** Inserts a value into the ascending values[0 .. count) unless it is there; gives the new count. */
function insertSorted(values: number[], count: number, value: number): number {
  let at = count;
  while (at > 0 && values[at - 1] > value) at--;
  if (at > 0 && values[at - 1] === value) return count;
  for (let i = count; i > at; i--) values[i] = values[i - 1];
  values[at] = value;
  return count + 1;
}
