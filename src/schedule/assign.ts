import { type FlatTree, preorder } from './flat-tree.js';
import { rootSideShare } from './work-bound.js';

/** The processes [from[j], to[j]) of every joint j; the work is done on the first of them ([002] Section III-C). */
export interface Ranges {
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/**
 * The assignment of [002] Section III-C with ERRATA 002-8: a node with two sides divides its range into [a, mid) for
 * the root side and [mid, b) for the end side, mid = a + floor((b - a) / 2); a node with one side passes it on. One of
 * the two sides stays on the process of the node, so a division costs one hand-over.
 */
export function paperRanges(flat: FlatTree, processors: number, order = preorder(flat)): Ranges {
  const { rootSide, endSide } = flat;
  const from = new Int32Array(rootSide.length);
  const to = new Int32Array(rootSide.length);
  if (flat.top >= 0) to[flat.top] = processors;
  for (let i = 0; i < order.length; i++) {
    const joint = order[i];
    const first = from[joint];
    const last = to[joint];
    const root = rootSide[joint];
    const end = endSide[joint];
    const middle = root >= 0 && end >= 0 && last - first > 1 ? first + rootSideShare(last - first) : -1;
    if (root >= 0) {
      from[root] = first;
      to[root] = middle < 0 ? last : middle;
    }
    if (end >= 0) {
      from[end] = middle < 0 ? first : middle;
      to[end] = last;
    }
  }
  return { from, to };
}

/**
 * The assignment with the fewest hand-overs among those that keep a makespan: as `paperRanges`, but a chain whose
 * nodes, one after the other on one process, are done in the time it has anyway is not divided at all. Deciding this
 * from the top down is optimal, since a chain on one process needs no hand-over.
 */
export function leastCommunication(
  flat: FlatTree,
  processors: number,
  ticks: Float64Array,
  handOver: number,
  makespan: number,
  order = preorder(flat),
): Ranges {
  const ranges = paperRanges(flat, processors, order);
  const { rootSide, endSide } = flat;
  const serial = ticks.slice();
  const divisions = new Int32Array(ticks.length);
  for (let i = order.length - 1; i >= 0; i--) {
    const joint = order[i];
    const root = rootSide[joint];
    const end = endSide[joint];
    if (divides(flat, ranges, joint)) divisions[joint] = 1;
    if (root >= 0) {
      serial[joint] += serial[root];
      divisions[joint] += divisions[root];
    }
    if (end >= 0) {
      serial[joint] += serial[end];
      divisions[joint] += divisions[end];
    }
  }
  const { from, to } = ranges;
  const limit = new Float64Array(ticks.length);
  limit[flat.top] = makespan;
  for (let i = 0; i < order.length; i++) {
    const joint = order[i];
    if (divisions[joint] > 0 && serial[joint] <= limit[joint]) to[joint] = from[joint] + 1;
    const alone = to[joint] - from[joint] <= 1;
    const rest = limit[joint] - ticks[joint] - (divides(flat, ranges, joint) ? handOver : 0);
    for (let side = rootSide[joint], k = 0; k < 2; side = endSide[joint], k++) {
      if (side < 0) continue;
      limit[side] = rest;
      if (!alone) continue;
      divisions[side] = 0;
      from[side] = from[joint];
      to[side] = to[joint];
    }
  }
  return ranges;
}

/**
 * Least makespan of a tree: at every node the range is divided as the paper says, or everything below stays on one
 * process, whichever is faster. The two differ only if hand-overs cost something.
 */
export function leastMakespan(flat: FlatTree, processors: number, ticks: Float64Array, handOver: number): number {
  const ranges = paperRanges(flat, processors);
  const order = preorder(flat);
  const serial = ticks.slice();
  const least = ticks.slice();
  for (let i = order.length - 1; i >= 0; i--) {
    const joint = order[i];
    const root = flat.rootSide[joint];
    const end = flat.endSide[joint];
    serial[joint] += (root < 0 ? 0 : serial[root]) + (end < 0 ? 0 : serial[end]);
    if (divides(flat, ranges, joint)) least[joint] += handOver + Math.max(least[root], least[end]);
    else least[joint] += (root < 0 ? 0 : least[root]) + (end < 0 ? 0 : least[end]);
    least[joint] = Math.min(least[joint], serial[joint]);
  }
  return least[flat.top];
}

/** Whether the two sides of a joint run on different processes. */
export function divides(flat: FlatTree, ranges: Ranges, joint: number): boolean {
  const root = flat.rootSide[joint];
  const end = flat.endSide[joint];
  return root >= 0 && end >= 0 && ranges.to[joint] - ranges.from[joint] > 1 && ranges.from[root] !== ranges.from[end];
}

/**
 * Time of every partial chain from its first node to its completion, assembly and disassembly together. A node is
 * charged to all processes of its range, so the entry of the top joint is the makespan (ERRATA 002-11).
 */
export function chainTimes(
  flat: FlatTree,
  ranges: Ranges,
  ticks: Float64Array,
  handOver: number,
  order = preorder(flat),
): Float64Array {
  const times = ticks.slice();
  for (let i = order.length - 1; i >= 0; i--) {
    const joint = order[i];
    const root = flat.rootSide[joint];
    const end = flat.endSide[joint];
    const rootTime = root < 0 ? 0 : times[root];
    const endTime = end < 0 ? 0 : times[end];
    times[joint] += divides(flat, ranges, joint) ? handOver + Math.max(rootTime, endTime) : rootTime + endTime;
  }
  return times;
}
