import type { PartMeter, TreePart } from './parts.js';
import type { TimeLimit } from './time-limit.js';
import { rootSideShare, type WorkBound } from './work-bound.js';

/** A joint that leaves joints on both of its sides, with lower bounds of what follows from cutting it. */
export interface JointSplit {
  /** The joint, by link number. */
  readonly v: number;
  /** Cost of the node, hand-over included. */
  readonly cost: number;
  rootLow: number;
  endLow: number;
  /** cost + the larger of the two. */
  low: number;
}

/** Cost of cutting joint v in a part of so many handles when the two sides go to different processes. */
export type SplitCost = (v: number, handles: number) => number;

/** Joints gone through between two looks at the clock. */
const JOINTS_PER_LOOK = 512;

/**
 * Goes through all splits of a part on p >= 2 processes, in the order of the link tree, until time is up; says whether it
 * came to the end. For p = 2 and exact single-process costs the bounds are the costs themselves.
 */
export function eachSplit(
  meter: PartMeter,
  bound: WorkBound,
  part: TreePart,
  processors: number,
  handles: number,
  splitCost: SplitCost,
  time: TimeLimit,
  visit: (v: number, cost: number, rootLow: number, endLow: number) => void,
): boolean {
  const { end } = meter.tree;
  const { top, cuts } = part;
  const rootShare = rootSideShare(processors);
  const endShare = processors - rootShare;
  const sideCuts: number[] = [];
  let next = 0; // first cut at or after v
  let look = JOINTS_PER_LOOK;
  for (let v = top + 1; v < end[top]; v++) {
    if (--look === 0) {
      if (time.isUp()) return false;
      look = JOINTS_PER_LOOK;
    }
    if (next < cuts.length && v === cuts[next]) {
      v = end[v] - 1;
      next++;
      continue;
    }
    let last = next; // first cut not beyond v
    while (last < cuts.length && cuts[last] < end[v]) last++;
    let count = 0;
    for (let i = next; i < last; i++) sideCuts[count++] = cuts[i];
    meter.measure(v, sideCuts, count);
    if (meter.size === 0) continue;
    const endLow = bound.makespan(meter.serial, endShare, meter.handles);
    count = 0;
    for (let i = 0; i < next; i++) sideCuts[count++] = cuts[i];
    sideCuts[count++] = v;
    for (let i = last; i < cuts.length; i++) sideCuts[count++] = cuts[i];
    meter.measure(top, sideCuts, count);
    if (meter.size === 0) continue;
    const rootLow = bound.makespan(meter.serial, rootShare, meter.handles);
    visit(v, splitCost(v, handles), rootLow, endLow);
  }
  return true;
}

/**
 * Carries what was proved of one split over to another. Of two root sides the one cut off farther out contains the
 * other, of two end sides the one cut off farther in, and a part costs no less than a part that it contains: leave the
 * surplus joints out of any of its schedules.
 */
export function learn(split: JointSplit, from: JointSplit, end: Int32Array): void {
  if (from.v < split.v && split.v < end[from.v]) split.rootLow = Math.max(split.rootLow, from.rootLow);
  if (split.v < from.v && from.v < end[split.v]) split.endLow = Math.max(split.endLow, from.endLow);
  split.low = split.cost + Math.max(split.rootLow, split.endLow);
}
