// What threads really do when: the program of a schedule runs many times with its times recorded, and the fastest step is
// shown beside what the scheduler predicts for it.

import { MechanismError, SimulationError } from '../../mechanism/errors.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import { State } from '../../mechanism/state.js';
import type { EngineConstants } from '../../schedule/cost.js';
import { playSegments, type SegmentSpan } from '../../schedule/segment-timeline.js';
import { reasonForOneThread } from '../../threads/surroundings.js';
import { reasonForPlain } from '../wasm/compiled.js';
import { clockOffset } from './clock.js';
import { pause } from './measure.js';
import { Planner } from './planner.js';
import { sharedPool } from './pool.js';
import { ThreadProgram } from './program.js';
import { recordAt, SEGMENT_PHASES } from './protocol.js';

/** Milliseconds that a step may take before it is given up, and until one must have come to an end. */
const PATIENCE = 2000;
const MOST = 60_000;
/** Milliseconds of steps, within which code is compiled by the best compiler, and steps between turns of the event loop. */
const ENOUGH = 700;
const BATCH = 200;

/** The fastest step, of those in which every thread did its own work if there are any. */
interface FastestStep {
  readonly ns: number;
  /** On the clock of all threads. */
  readonly begun: number;
  readonly disturbed: boolean;
  /** What was recorded (protocol.ts). */
  readonly times: Float64Array;
}

/** How many threads, and how long they may be watched. */
export interface TimelineRequest {
  readonly threads: number;
  readonly constants?: EngineConstants;
  /** For the steps with times recorded, and for those without. */
  readonly milliseconds?: number;
  /** An AbortSignal: ends it early, with its reason. */
  readonly signal?: {
    /** Throws where it was aborted. */
    throwIfAborted(): void;
  };
}

/** Predicted and measured timelines of one program. Spans are in nanoseconds from the beginning of the step, on processors that are threads. */
export interface ThreadTimelines {
  readonly predictedNs: number;
  readonly predicted: readonly SegmentSpan[];
  readonly measuredNs: number;
  readonly measured: readonly SegmentSpan[];
  /** Nanoseconds of the fastest step in which nobody read a clock. */
  readonly unrecordedNs: number;
  /** Whether the caller did work of others, who came late: the machine is busy. */
  readonly disturbed: boolean;
  /** The names of the joints of each segment. */
  readonly segments: readonly (readonly string[])[];
}

/** Runs a mechanism on threads many times and shows the fastest step beside what was predicted for it. */
export async function measureTimeline(mechanism: Mechanism, request: TimelineRequest): Promise<ThreadTimelines> {
  const { threads, constants } = request;
  const reason = reasonForPlain(mechanism) ?? reasonForOneThread();
  if (reason !== undefined) throw MechanismError.of('threads', '', `Threads cannot run this mechanism: ${reason}`);
  const planner = new Planner(mechanism, constants);
  const program = new ThreadProgram(planner.plan(threads));
  const { costs, cutting, processorOf } = program.plan.schedule;
  const predicted = playSegments(costs, cutting, planner.constants, processorOf);
  const { ns: unrecordedNs } = await fastestStep(program, mechanism, request, false);
  const { ns, begun, disturbed, times } = await fastestStep(program, mechanism, request, true);
  return {
    predictedNs: predicted.ns,
    predicted: predicted.spans,
    measuredNs: ns,
    measured: program.segments.flatMap(({ code }, s) =>
      SEGMENT_PHASES.map((phase, k) => {
        const at = recordAt(s, k);
        const since = (time: number): number => 1e6 * (time - begun);
        return { processor: times[at + 2], segment: code, phase, start: since(times[at]), end: since(times[at + 1]) };
      }),
    ),
    unrecordedNs,
    disturbed,
    segments: jointsOf(program, mechanism),
  };
}

async function fastestStep(
  program: ThreadProgram,
  mechanism: Mechanism,
  { threads, milliseconds = ENOUGH, signal }: TimelineRequest,
  recorded: boolean,
): Promise<FastestStep> {
  const pool = sharedPool();
  const record = new Float64Array(new SharedArrayBuffer(8 * recordAt(program.segments.length, 0)));
  const hooks = { jitter: 0, fault: undefined, ...(recorded && { record: record.buffer }) };
  const { arrays, job, runner } = program.shared(pool.newJob(), threads, pool.control, hooks);
  let lost: string | undefined;
  await pool.install(job, job.threads - 1, (text) => {
    lost = text;
  });
  const { q, v } = State.random(mechanism, 1);
  arrays.q.set(q);
  arrays.v.set(v);
  const offset = clockOffset();
  const start = performance.now();
  let best: FastestStep | undefined;
  for (let k = 1; performance.now() < start + (best === undefined ? MOST : milliseconds); k++) {
    if (k % BATCH === 0) await pause(0);
    signal?.throwIfAborted();
    if (lost !== undefined) throw new SimulationError('threads', lost);
    const begun = performance.now();
    if (!pool.step(job, runner, PATIENCE)) continue;
    const ns = 1e6 * (performance.now() - begun);
    const disturbed = runner.stolen > 0;
    if (best === undefined || (disturbed === best.disturbed ? ns < best.ns : best.disturbed))
      best = { ns, begun: begun + offset, disturbed, times: record.slice() };
  }
  pool.remove(job.id);
  if (best === undefined)
    throw new SimulationError('threads', 'The threads finished no step: the machine is too busy, try again.');
  return best;
}

/** The names of the joints of each segment. */
function jointsOf({ plan: { schedule, assembly } }: ThreadProgram, { joints }: Mechanism): string[][] {
  const nameOf = new Map(joints.filter(({ model }) => model.nv > 0).map(({ iv, name }) => [iv, name]));
  const segments = Array.from({ length: schedule.segments }, (): string[] => []);
  assembly.rooted.plan.links.forEach(({ iv }, i) => {
    segments[schedule.cutting.segmentOf[i]].push(nameOf.get(iv)!);
  });
  return segments;
}
