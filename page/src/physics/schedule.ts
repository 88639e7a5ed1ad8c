// How processors would share a mechanism, and what threads really do.

import { type Mechanism, topologyOf } from 'manikin';
import { parseDescription } from 'manikin/formats';
import { measureTimeline } from 'manikin/parallel';
import { drawSvg, schedule, treeDepth } from 'manikin/schedule';
import type { ScheduleRequest, ScheduleView } from './protocol.js';

/** Milliseconds that threads run for one measured timeline. */
const MEASURING = 100;

/** The schedule that was found last: the same is asked for again and again while threads are watched. */
let found: { readonly key: string; readonly mechanism: Mechanism; readonly view: ScheduleView } | undefined;

/** The best order of assembly, and with `measure` what threads make of it. */
export async function findSchedule({
  mechanism: text,
  processors,
  measure,
}: Omit<ScheduleRequest, 'id'>): Promise<ScheduleView> {
  const key = `${processors} ${text}`;
  if (found?.key !== key) {
    const { mechanism } = parseDescription(text);
    found = { key, mechanism, view: scheduleView(mechanism, processors) };
  }
  const { mechanism, view } = found;
  return measure ? measured(mechanism, view) : view;
}

/** The best order of assembly. */
function scheduleView(mechanism: Mechanism, processors: number): ScheduleView {
  const topology = topologyOf(mechanism);
  const best = schedule(topology, { processors, timeBudgetMs: 1000 });
  const { makespan, serial, optimal, assignment, tree, timeline } = best;
  const names = [...mechanism.joints, ...mechanism.loops].map(({ name }) => name);
  return {
    processors,
    makespan,
    serial,
    optimal,
    depth: treeDepth(tree),
    svg: drawSvg(topology, best, { title: `${mechanism.name} on ${processors} processors` }),
    predicted: timeline.flatMap((entries, processor) =>
      entries.map(({ joint, start, end, phase }) => ({ processor, label: `${names[joint]}, ${phase}`, start, end })),
    ),
    measured: [],
    owners: assignment.map(([from], j) => [names[j], from] as const),
  };
}

/** Nanoseconds of the smallest step that the clock makes: browsers make it coarse. */
function tick(): number {
  let least = Number.POSITIVE_INFINITY;
  let before = performance.now();
  for (let k = 0; k < 20; k++) {
    let now = before;
    while (now === before) now = performance.now();
    least = Math.min(least, now - before);
    before = now;
  }
  return 1e6 * least;
}

/** What the threads of this machine make of it. */
async function measured(mechanism: Mechanism, view: ScheduleView): Promise<ScheduleView> {
  try {
    const ran = await measureTimeline(mechanism, { threads: view.processors, milliseconds: MEASURING });
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
      tickNs: tick(),
      disturbed: ran.disturbed,
    };
  } catch (error) {
    const { message } = error as Error;
    const forbidden = /content security policy/i.test(message);
    if (forbidden) return { ...view, reason: 'WebAssembly is not allowed here, and threads need it.' };
    // What holds a body besides its joint closes a loop.
    const loops = mechanism.loops.map(({ name }) => `"${name}"`).join(', ');
    const reason = `they cannot cut a mechanism whose loops are closed. Release ${loops} (Structure), and try again.`;
    return { ...view, reason: loops === '' ? message : reason };
  }
}
