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
  const stack: { part: TreePart; slot: Slot; path?: PathNode | undefined }[] = [{ part, slot }];
  while (stack.length > 0) {
    const item = stack.pop() as { part: TreePart; slot: Slot; path?: PathNode | undefined };
    let path = item.path;
    if (path === undefined) {
      meter.measurePart(item.part);
      if (meter.size === 0) continue;
      if (meter.handleLinks <= 1) {
        placeOutwards(meter, item.part, meter.handleLinks === 1 ? meter.handleLink[0] : -1, flat, item.slot);
        continue;
      }
      if (meter.handleLinks === 2 && meter.handleCount[0] + meter.handleCount[1] === 2)
        path = pathBetweenHandles(meter);
    }
    const v = path?.v ?? topBetweenHandles(meter, item.part);
    const joint = tree.jointOf[v];
    place(flat, item.slot, joint);
    stack.push({ part: endSideOf(item.part, tree, v), slot: { parent: joint, side: 'end' }, path: path?.end });
    stack.push({ part: rootSideOf(item.part, tree, v), slot: { parent: joint, side: 'root' }, path: path?.root });
  }
}

/**
 * Two handles on two links: T is a path, and on a path every order costs the same. The smallest joint number comes first,
 * then the smallest on either side of it, and so on: a heap over the path, made in one go, since to look for the smallest
 * of each part anew takes quadratic time.
 */
interface PathNode {
  readonly v: number;
  /** What of the path is on the end side and on the root side of v. */
  end: PathNode | undefined;
  root: PathNode | undefined;
}

function pathBetweenHandles({ tree, handleLink }: PartMeter): PathNode | undefined {
  const [from, to] = handleLink;
  const highest = tree.meet(from, to);
  const up: number[] = [];
  for (let v = from; v !== highest; v = tree.parent[v]) up.push(v);
  const down: number[] = [];
  for (let v = to; v !== highest; v = tree.parent[v]) down.push(v);
  // The nodes whose later side is still open, smallest joint first.
  const open: PathNode[] = [];
  const add = (v: number, earlier: 'end' | 'root', sideOf: (node: PathNode) => 'end' | 'root'): void => {
    const node: PathNode = { v, end: undefined, root: undefined };
    let last: PathNode | undefined;
    while (open.length > 0 && tree.jointOf[open[open.length - 1].v] > tree.jointOf[v]) last = open.pop();
    node[earlier] = last;
    const above = open[open.length - 1];
    if (above !== undefined) above[sideOf(above)] = node;
    open.push(node);
  };
  // On the way up the later joints are on the root side of the earlier ones, on the way down on their end side.
  const rising = new Set(up);
  const later = ({ v }: PathNode): 'end' | 'root' => (rising.has(v) ? 'root' : 'end');
  for (const v of up) add(v, 'end', later);
  for (const v of down.reverse()) add(v, 'root', later);
  return open[0];
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

/**
 * Places the joints of a part whose handles all sit on link `start` (-1: no handles), outwards from it. Beyond the
 * joints at `start` nothing is cut, so each branch is again a whole side of the mechanism seen from `start`.
 */
function placeOutwards(meter: PartMeter, part: TreePart, start: number, flat: FlatTree, slot: Slot): void {
  const { tree } = meter;
  const cut = new Set<number>(part.cuts);
  const stack: { link: number; from: number; slot: Slot }[] = [];
  if (start >= 0) {
    stack.push({ link: start, from: -1, slot });
  } else {
    const first = smallestJoint(meter, part);
    const joint = tree.jointOf[first];
    place(flat, slot, joint);
    stack.push({ link: first, from: first, slot: { parent: joint, side: 'end' } });
    stack.push({ link: tree.parent[first], from: first, slot: { parent: joint, side: 'root' } });
  }
  // `from` is the joint through which the link was reached.
  while (stack.length > 0) {
    const { link, from, slot: open } = stack.pop() as { link: number; from: number; slot: Slot };
    let next = open;
    for (const v of jointsAtLink(meter, part, link)) {
      if (v === from || cut.has(v)) continue;
      const joint = tree.jointOf[v];
      place(flat, next, joint);
      const outwardsIsEnd = v !== link; // the joint above a link leads to the root side
      stack.push({
        link: outwardsIsEnd ? v : tree.parent[v],
        from: v,
        slot: { parent: joint, side: outwardsIsEnd ? 'end' : 'root' },
      });
      next = { parent: joint, side: outwardsIsEnd ? 'root' : 'end' };
    }
  }
}

/** Joints of the part at a link, ascending in joint number; cut joints among them included. */
function jointsAtLink(meter: PartMeter, part: TreePart, link: number): number[] {
  const { tree } = meter;
  const joints = Array.from(tree.children.subarray(tree.childStart[link], tree.childStart[link + 1]));
  if (link !== part.top) {
    const at = joints.findIndex((v) => tree.jointOf[v] > tree.jointOf[link]);
    joints.splice(at < 0 ? joints.length : at, 0, link);
  }
  return joints;
}

/** The joint with the smallest number in a part without handles, which is the whole mechanism. */
function smallestJoint(meter: PartMeter, part: TreePart): number {
  const { tree } = meter;
  let smallest = part.top + 1;
  for (let v = part.top + 1; v < tree.end[part.top]; v++) if (tree.jointOf[v] < tree.jointOf[smallest]) smallest = v;
  return smallest;
}
