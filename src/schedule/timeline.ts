import { chainTimes, divides, type Ranges } from './assign.js';
import type { CostTable } from './cost.js';
import { type FlatTree, preorder } from './flat-tree.js';

/** What a processor does during an entry of the timeline. */
export type Phase = 'assembly' | 'hand-over' | 'disassembly';

/** One piece of work on a processor, in the unit of the cost model. */
export interface TimelineEntry {
  readonly joint: number;
  readonly start: number;
  readonly end: number;
  readonly phase: Phase;
}

/**
 * When every processor does what. Half of a node's cost is spent in assembly, from the leaves of the tree to its root,
 * and half in disassembly, which is the mirror image. Work starts as early as its sides allow.
 */
export function buildTimeline(
  flat: FlatTree,
  ranges: Ranges,
  ticks: Float64Array,
  costs: CostTable,
  processors: number,
): TimelineEntry[][] {
  const { handOver } = costs;
  const times = chainTimes(flat, ranges, ticks, handOver);
  const makespan = times[flat.top];
  const start = new Float64Array(ticks.length); // when the chain of a joint may start, in half ticks
  const lanes: TimelineEntry[][] = Array.from({ length: processors }, () => []);
  const add = (joint: number, from: number, to: number, phase: Phase): void => {
    if (to <= from) return;
    lanes[ranges.from[joint]].push({ joint, start: costs.toTime(from / 2), end: costs.toTime(to / 2), phase });
  };
  for (const joint of preorder(flat)) {
    const [root, end] = [flat.rootSide[joint], flat.endSide[joint]];
    const parallel = divides(flat, ranges, joint);
    if (root >= 0) start[root] = start[joint];
    if (end >= 0) start[end] = start[joint] + (parallel || root < 0 ? 0 : times[root]);
    const done = start[joint] + times[joint];
    const ready = done - ticks[joint];
    add(joint, ready, done, 'assembly');
    add(joint, 2 * makespan - done, 2 * makespan - ready, 'disassembly');
    if (parallel) {
      add(joint, ready - handOver, ready, 'hand-over');
      add(joint, 2 * makespan - ready, 2 * makespan - ready + handOver, 'hand-over');
    }
  }
  for (const lane of lanes) lane.sort((a, b) => a.start - b.start || a.end - b.end);
  return lanes;
}
