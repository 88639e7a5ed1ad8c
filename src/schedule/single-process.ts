import type { FlatTree, Slot } from './flat-tree.js';
import { place } from './flat-tree.js';
import { endSideOf, type PartMeter, rootSideOf, type TreePart } from './parts.js';

/** No joint: joints are named by their links, and link 0 has none. No place, either, where places are counted from one. */
const NONE = 0;

/**
 * The exact optimum on a single process (ERRATA 002-12; the rule printed in [002] Section III-D is not optimal), for parts
 * of one mechanism and into one schedule tree.
 *
 * Let T be the smallest subtree of the part that joins the links with handles. If T has joints, an optimal top joint
 * lies in T. If all handles sit on one link, cut the joints at that link and go outwards. If there are none, cut any
 * joint and go outwards from it. Among equal choices the smallest joint number is taken, which makes the result the
 * lexicographically smallest tree that follows the rule. The cost of the result is `PartMeter.serial`.
 */
export class SingleProcess {
  private readonly meter: PartMeter;
  private readonly into: FlatTree;
  /** By link number: 1 for joints that are no longer to place, in the part at hand. */
  private readonly cut: Uint8Array;
  /** Links still to go outwards from, and the joints they were reached through. */
  private readonly links: number[] = [];
  private readonly vias: number[] = [];

  constructor(meter: PartMeter, into: FlatTree) {
    this.meter = meter;
    this.into = into;
    this.cut = new Uint8Array(meter.tree.links);
  }

  /** Places the joints of a part. */
  place(whole: TreePart, at: Slot): void {
    const { meter, into } = this;
    const { tree } = meter;
    const stack: { part: TreePart; slot: Slot }[] = [{ part: whole, slot: at }];
    for (let item = stack.pop(); item; item = stack.pop()) {
      const { part, slot } = item;
      meter.measurePart(part);
      if (meter.size === 0) continue;
      if (meter.handleLinks <= 1) {
        this.placeOutwards(part, meter.handleLinks === 1 ? meter.handleLink[0] : -1, slot);
      } else if (meter.handleLinks === 2 && meter.handleCount[0] + meter.handleCount[1] === 2) {
        this.placePath(part, slot);
      } else {
        const v = topBetweenHandles(meter, part);
        const joint = tree.jointOf[v];
        place(into, slot, joint);
        stack.push({ part: endSideOf(part, tree, v), slot: { parent: joint, side: 'end' } });
        stack.push({ part: rootSideOf(part, tree, v), slot: { parent: joint, side: 'root' } });
      }
    }
  }

  /**
   * Two handles on two links: T is a path, and on a path every order costs the same. The smallest joint number comes first,
   * then the smallest on either side of it, and so on: a heap over the path, made in one go, since to look for the smallest
   * of each part anew takes quadratic time. What hangs on the links of the path goes outwards from there.
   * Expects the part just measured.
   */
  private placePath(part: TreePart, slot: Slot): void {
    const { into } = this;
    const { tree, handleLink } = this.meter;
    const { jointOf, parent, degree } = tree;
    const from = handleLink[0];
    const to = handleLink[1];
    const highest = tree.meet(from, to);
    // The joints from one handle up to where the ways meet, and down to the other handle.
    const rising = tree.depth[from] - tree.depth[highest];
    const path = new Int32Array(rising + tree.depth[to] - tree.depth[highest]);
    for (let v = from, at = 0; v !== highest; v = parent[v]) path[at++] = v;
    for (let v = to, at = path.length; v !== highest; v = parent[v]) path[--at] = v;
    // By place on the path: the places of the joints at the top of what comes before and after it, plus one.
    const before = new Int32Array(path.length);
    const after = new Int32Array(path.length);
    const open = new Int32Array(path.length); // places whose later side is still open, smallest joint first
    let count = 0;
    for (let at = 0; at < path.length; at++) {
      const joint = jointOf[path[at]];
      while (count > 0 && jointOf[path[open[count - 1]]] > joint) before[at] = open[--count] + 1;
      if (count > 0) after[open[count - 1]] = at + 1;
      open[count++] = at;
    }
    this.mark(part.cuts, 1);
    this.mark(path, 1);
    // On the way up the later joints are on the root side of the earlier ones, on the way down on their end side.
    // Links within the path have two joints on it. Where they have no others nothing hangs on them, and in a fresh process calls for a
    // hundred thousand of them take tens of milliseconds.
    const hangs = (link: number): boolean => degree[link] > 2 || link === from || link === to;
    place(into, slot, jointOf[path[open[0]]]);
    for (let at = 0; at < path.length; at++) {
      const v = path[at];
      const joint = jointOf[v];
      const rootNext = at < rising ? after[at] : before[at];
      const endNext = at < rising ? before[at] : after[at];
      if (rootNext !== NONE) into.rootSide[joint] = jointOf[path[rootNext - 1]];
      else if (hangs(parent[v])) this.placeBranches(part.top, parent[v], joint, into.rootSide);
      if (endNext !== NONE) into.endSide[joint] = jointOf[path[endNext - 1]];
      else if (hangs(v)) this.placeBranches(part.top, v, joint, into.endSide);
    }
    this.mark(part.cuts, 0);
    this.mark(path, 0);
  }

  /** Places the joints of a part whose handles all sit on link `start` (-1: no handles), outwards from it. */
  private placeOutwards(part: TreePart, start: number, slot: Slot): void {
    const { meter, into, cut } = this;
    const { tree } = meter;
    this.mark(part.cuts, 1);
    if (start >= 0) {
      this.placeBranches(part.top, start, slot.parent, slot.side === 'end' ? into.endSide : into.rootSide);
    } else {
      const first = smallestJoint(meter, part);
      const joint = tree.jointOf[first];
      place(into, slot, joint);
      cut[first] = 1;
      this.placeBranches(part.top, tree.parent[first], joint, into.rootSide);
      this.placeBranches(part.top, first, joint, into.endSide);
      cut[first] = 0;
    }
    this.mark(part.cuts, 0);
  }

  private mark(joints: Int32Array, value: 0 | 1): void {
    for (let i = 0; i < joints.length; i++) this.cut[joints[i]] = value;
  }

  /**
   * Places the joints at link `start` that are not cut, and all beyond them, below joint `above` on the given side of it (-1: at
   * the top). There nothing else is cut, so each branch is a whole side of the mechanism seen from `start`. No joint above link
   * `top` belongs to it.
   */
  private placeBranches(top: number, start: number, above: number, side: Int32Array): void {
    const { cut, links, vias, into } = this;
    const { jointOf, parent, children, childStart } = this.meter.tree;
    const { rootSide, endSide } = into;
    let link = start;
    let via = NONE;
    for (;;) {
      // The joints at a link, ascending in joint number: its children are, and the joint inwards comes in between.
      let inwards = link === top ? NONE : link;
      for (let i = childStart[link]; i < childStart[link + 1] || inwards !== NONE; ) {
        let v = i < childStart[link + 1] ? children[i] : NONE;
        if (inwards !== NONE && (v === NONE || jointOf[inwards] < jointOf[v])) {
          v = inwards;
          inwards = NONE;
        } else {
          i++;
        }
        if (v === via || cut[v] === 1) continue;
        const joint = jointOf[v];
        if (above < 0) into.top = joint;
        else side[above] = joint;
        // The joint inwards leads to the root side: the rest of this link is on its end side.
        links.push(v === link ? parent[v] : v);
        vias.push(v);
        above = joint;
        side = v === link ? endSide : rootSide;
      }
      if (links.length === 0) return;
      link = links.pop() as number;
      via = vias.pop() as number;
      above = jointOf[via];
      side = via === link ? endSide : rootSide;
    }
  }
}

/** The smallest joint number in T whose cut keeps the optimum. Expects the part just measured. */
function topBetweenHandles(meter: PartMeter, part: TreePart): number {
  const { tree } = meter;
  const joints = jointsBetweenHandles(meter);
  const handles = meter.handles;
  joints.sort((u, v) => tree.jointOf[u] - tree.jointOf[v]);
  const optimum = meter.serial;
  for (const v of joints) {
    meter.measurePart(rootSideOf(part, tree, v));
    const rootSide = meter.serial;
    meter.measurePart(endSideOf(part, tree, v));
    if (meter.nodeCost(v, handles) + rootSide + meter.serial === optimum) return v;
  }
  throw new Error('single-process optimum: no joint between the handles reaches the computed cost');
}

/** The joints of T, for the part just measured. */
function jointsBetweenHandles(meter: PartMeter): number[] {
  const { tree, handleLink, handleLinks } = meter;
  let highest = handleLink[0];
  for (let i = 1; i < handleLinks; i++) highest = tree.meet(highest, handleLink[i]);
  const seen = new Set<number>();
  for (let i = 0; i < handleLinks; i++) {
    for (let v = handleLink[i]; v !== highest && !seen.has(v); v = tree.parent[v]) seen.add(v);
  }
  return [...seen];
}

/** The joint with the smallest number in a part without handles, which is the whole mechanism. */
function smallestJoint(meter: PartMeter, part: TreePart): number {
  const { tree } = meter;
  let smallest = part.top + 1;
  for (let v = part.top + 1; v < tree.end[part.top]; v++) if (tree.jointOf[v] < tree.jointOf[smallest]) smallest = v;
  return smallest;
}
