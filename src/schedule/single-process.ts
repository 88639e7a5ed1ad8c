import type { FlatTree, Slot } from './flat-tree.js';
import { place } from './flat-tree.js';
import { endSideOf, type PartMeter, rootSideOf, type TreePart } from './parts.js';

/**
 * The exact optimum on a single process (ERRATA 002-12; the rule printed in [002] Section III-D is not optimal).
 *
 * Let T be the smallest subtree of the part that joins the links with handles. If T has joints, an optimal top joint
 * lies in T. If all handles sit on one link, cut the joints at that link and go outwards. If there are none, cut any
 * joint and go outwards from it. Among equal choices the smallest joint number is taken, which makes the result the
 * lexicographically smallest tree that follows the rule. The cost of the result is `PartMeter.serial`.
 */
export function placeSingleProcess(meter: PartMeter, part: TreePart, flat: FlatTree, slot: Slot): void {
  const { tree } = meter;
  const stack: { part: TreePart; slot: Slot }[] = [{ part, slot }];
  for (let item = stack.pop(); item; item = stack.pop()) {
    meter.measurePart(item.part);
    if (meter.size === 0) continue;
    if (meter.handleLinks <= 1) {
      placeOutwards(meter, item.part, meter.handleLinks === 1 ? meter.handleLink[0] : -1, flat, item.slot);
      continue;
    }
    if (meter.handleLinks === 2 && meter.handleCount[0] + meter.handleCount[1] === 2) {
      placePath(meter, item.part, flat, item.slot);
      continue;
    }
    const v = topBetweenHandles(meter, item.part);
    const joint = tree.jointOf[v];
    place(flat, item.slot, joint);
    stack.push({ part: endSideOf(item.part, tree, v), slot: { parent: joint, side: 'end' } });
    stack.push({ part: rootSideOf(item.part, tree, v), slot: { parent: joint, side: 'root' } });
  }
}

/** No joint: joints are named by their links, and link 0 has none. No place, either, where places are counted from one. */
const NONE = 0;

/**
 * Two handles on two links: T is a path, and on a path every order costs the same. The smallest joint number comes first,
 * then the smallest on either side of it, and so on: a heap over the path, made in one go, since to look for the smallest
 * of each part anew takes quadratic time. What hangs on the links of the path goes outwards from there.
 * Expects the part just measured.
 */
function placePath(meter: PartMeter, part: TreePart, flat: FlatTree, slot: Slot): void {
  const { tree, handleLink } = meter;
  const { jointOf, parent } = tree;
  const [from, to] = handleLink;
  const highest = tree.meet(from, to);
  // The joints from one handle up to where the ways meet, and down to the other handle.
  const path: number[] = [];
  for (let v = from; v !== highest; v = parent[v]) path.push(v);
  const rising = path.length;
  for (let v = to; v !== highest; v = parent[v]) path.push(v);
  reverseFrom(path, rising);
  // By place on the path: the places of the joints at the top of what comes before and after it, plus one.
  const before = new Int32Array(path.length);
  const after = new Int32Array(path.length);
  const open: number[] = []; // places whose later side is still open, smallest joint first
  for (let at = 0; at < path.length; at++) {
    while (open.length > 0 && jointOf[path[open[open.length - 1]]] > jointOf[path[at]]) before[at] = open.pop()! + 1;
    if (open.length > 0) after[open[open.length - 1]] = at + 1;
    open.push(at);
  }
  const cut = new Set<number>(part.cuts);
  for (const v of path) cut.add(v);
  // On the way up the later joints are on the root side of the earlier ones, on the way down on their end side.
  const stack = [open[0]];
  const slots = [slot];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const v = path[at];
    const joint = jointOf[v];
    place(flat, slots.pop() as Slot, joint);
    for (const side of ['end', 'root'] as const) {
      const next = (side === 'root') === at < rising ? after[at] : before[at];
      const below = { parent: joint, side };
      if (next === NONE) {
        placeBranches(meter, part.top, cut, side === 'root' ? parent[v] : v, flat, below);
      } else {
        stack.push(next - 1);
        slots.push(below);
      }
    }
  }
}

function reverseFrom(list: number[], start: number): void {
  for (let i = start, j = list.length - 1; i < j; i++, j--) [list[i], list[j]] = [list[j], list[i]];
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

/** Places the joints of a part whose handles all sit on link `start` (-1: no handles), outwards from it. */
function placeOutwards(meter: PartMeter, part: TreePart, start: number, flat: FlatTree, slot: Slot): void {
  const { tree } = meter;
  const cut = new Set<number>(part.cuts);
  if (start >= 0) {
    placeBranches(meter, part.top, cut, start, flat, slot);
    return;
  }
  const first = smallestJoint(meter, part);
  const joint = tree.jointOf[first];
  place(flat, slot, joint);
  cut.add(first);
  placeBranches(meter, part.top, cut, tree.parent[first], flat, { parent: joint, side: 'root' });
  placeBranches(meter, part.top, cut, first, flat, { parent: joint, side: 'end' });
}

/**
 * Places the joints at link `start` that are not cut, and all beyond them. There nothing else is cut, so each branch is a
 * whole side of the mechanism seen from `start`. No joint above link `top` belongs to it.
 */
function placeBranches(
  { tree }: PartMeter,
  top: number,
  cut: ReadonlySet<number>,
  start: number,
  flat: FlatTree,
  slot: Slot,
): void {
  const { jointOf, parent, children, childStart } = tree;
  const { rootSide, endSide } = flat;
  // Links to go outwards from, the joints they were reached through, and the joint to which theirs belong.
  const links = [start];
  const vias = [NONE];
  let [above, side] = [slot.parent, slot.side === 'end' ? endSide : rootSide];
  for (let link = links.pop(); link !== undefined; link = links.pop()) {
    const via = vias.pop() as number;
    if (via !== NONE) {
      above = jointOf[via];
      side = via === link ? endSide : rootSide;
    }
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
      if (v === via || cut.has(v)) continue;
      const joint = jointOf[v];
      if (above < 0) flat.top = joint;
      else side[above] = joint;
      // The joint inwards leads to the root side: the rest of this link is on its end side.
      links.push(v === link ? parent[v] : v);
      vias.push(v);
      above = joint;
      side = v === link ? endSide : rootSide;
    }
  }
}

/** The joint with the smallest number in a part without handles, which is the whole mechanism. */
function smallestJoint(meter: PartMeter, part: TreePart): number {
  const { tree } = meter;
  let smallest = part.top + 1;
  for (let v = part.top + 1; v < tree.end[part.top]; v++) if (tree.jointOf[v] < tree.jointOf[smallest]) smallest = v;
  return smallest;
}
