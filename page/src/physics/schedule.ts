// How processors would share a mechanism, and what threads really do.

import { type Mechanism, topologyOf } from 'manikin';
import { measureTimeline } from 'manikin/parallel';
import { drawSvg, schedule, treeDepth } from 'manikin/schedule';
import type { ScheduleView } from './protocol.js';

/** The best order of assembly; with `measure` also what the threads of this machine make of it. */
export async function scheduleView(mechanism: Mechanism, processors: number, measure: boolean): Promise<ScheduleView> {
  const topology = topologyOf(mechanism);
  const found = schedule(topology, { processors, timeBudgetMs: 1000 });
  const { makespan, serial, optimal, assignment, tree, timeline } = found;
  const names = [...mechanism.joints, ...mechanism.loops].map(({ name }) => name);
  const view: ScheduleView = {
    processors,
    makespan,
    serial,
    optimal,
    depth: treeDepth(tree),
    svg: drawSvg(topology, found, { title: `${mechanism.name} on ${processors} processors` }),
    predicted: timeline.flatMap((entries, processor) =>
      entries.map(({ joint, start, end, phase }) => ({ processor, label: `${names[joint]}, ${phase}`, start, end })),
    ),
    measured: [],
    owners: assignment.map(([from], j) => [names[j], from] as const),
  };
  if (!measure) return view;
  try {
    const ran = await measureTimeline(mechanism, { threads: processors, milliseconds: 200 });
    const named = (spans: typeof ran.measured) =>
      spans.map(({ processor, segment, phase, start, end }) => ({
        processor,
        label: `${ran.segments[segment].join(', ')}: ${phase}`,
        start,
        end,
      }));
    return {
      ...view,
      predicted: named(ran.predicted),
      measured: named(ran.measured),
      predictedNs: ran.predictedNs,
      measuredNs: ran.measuredNs,
    };
  } catch (error) {
    return { ...view, reason: (error as Error).message };
  }
}
