// The search that paper 002 makes, A*: exact, slower than the dynamic programme of schedule(), and a check on it.

import { ScheduleError } from '../../schedule/errors.js';
import { linkTree } from '../../schedule/link-tree.js';
import { PartMeter } from '../../schedule/parts.js';
import { type Schedule, type ScheduleOptions, scheduleWith } from '../../schedule/schedule.js';
import type { Topology } from '../../schedule/topology.js';
import { AStarScheduler } from './astar.js';

/** About 1.3 KB each. */
const MOST_STATES = 100_000;

/** The schedule of an open mechanism by the search of paper 002: the tree that schedule() finds, where there is time to prove it. */
export function scheduleByAStar(
  topology: Topology,
  options: Pick<ScheduleOptions, 'processors' | 'cost' | 'timeBudgetMs'>,
): Schedule {
  if ((topology.loops?.length ?? 0) > 0)
    throw new ScheduleError('bad-topology', 'The search of paper 002 is for open mechanisms; this one has loops.', {
      field: 'loops',
      expected: 'none',
      found: String(topology.loops?.length),
    });
  return scheduleWith(topology, options, ({ graph, costs, processors }, limits) => {
    const meter = new PartMeter(linkTree(graph), costs);
    meter.measurePart(meter.whole());
    const { serial } = meter;
    const search = new AStarScheduler(meter, { time: limits().time, states: MOST_STATES });
    const result = search.solve(processors, graph.joints);
    return { ...result, serial, canonical: result.low === result.high, method: 'astar' };
  });
}
