// Times of forward dynamics over ranks of MPI, in turn with threads and with one thread. All ranks call this; rank 0 has the
// clock, tells the others what to do next, and they sleep while it measures something else.

import type { MpiRanks } from '#src/engines/mpi/index.js';
import { SpreadDynamics } from '#src/engines/mpi/spread-dynamics.js';
import { PlainDynamics } from '#src/engines/plain/plain-dynamics.js';
import type { ParallelDynamics } from '#src/engines/threads/parallel-dynamics.js';
import { Planner } from '#src/engines/threads/planner.js';
import { ThreadProgram } from '#src/engines/threads/program.js';
import type { Mechanism } from '#src/mechanism/mechanism.js';
import { State } from '#src/mechanism/state.js';
import type { EngineConstants } from '#src/schedule/index.js';
import { isFaster } from '#src/schedule/measured-choice.js';
import type { TimedCall } from './measure.js';
import { hashOfSteps, inPlace, neverChoosing, onOneThread, type ParallelLine, timePrinted, wake } from './parallel.js';

/** As of threads; `workers` are ranks. */
export interface SpreadLine extends ParallelLine {
  /** With the accelerations of all joints on every rank. */
  readonly gatheredNs: number;
  /** The same number of threads, in turn; null where that was not asked for. */
  readonly threadsNs: number | null;
}

export interface SpreadTiming {
  /** Numbers of ranks, of those that there are. */
  readonly counts: readonly number[];
  readonly milliseconds: number;
  /** Whether as many threads are measured beside them. */
  readonly threads: boolean;
  readonly hashed: boolean;
  readonly constants?: EngineConstants | undefined;
}

/** A call that all ranks make together, or rank 0 alone. */
interface SharedCall extends TimedCall {
  readonly together: boolean;
}

/** Milliseconds of a batch, and calls before it: ranks that have slept are awake then. */
const BATCH = 0.5;
const AWAKE = 3;
/** Links up to which the papers' algorithm is measured beside it. */
const PRINTED = 5000;

export async function timeSpread(
  model: string,
  mechanism: Mechanism,
  ranks: MpiRanks,
  { counts, milliseconds, threads, hashed, constants = ranks.constants }: SpreadTiming,
): Promise<SpreadLine[]> {
  const state = State.random(mechanism, 1);
  const tau = Float64Array.from({ length: mechanism.nv }, (_, k) => Math.sin(k + 1));
  const first = ranks.rank === 0;
  const singles = first ? await onOneThread(mechanism, (engine) => inPlace(engine, state, tau)) : [];
  const planner = new Planner(mechanism, constants);
  const parts = counts.map((count) => ranks.part(new ThreadProgram(planner.plan(count))));
  for (const { arrays } of parts) {
    arrays.q.set(state.q);
    arrays.v.set(state.v);
    arrays.tau.set(tau);
  }
  const shared: SharedCall[] = parts.flatMap((part) => [
    { together: true, call: () => part.step() },
    {
      together: true,
      call: () => {
        part.step();
        part.gather();
      },
    },
  ]);
  const teams: ParallelDynamics[] = [];
  if (first && threads)
    for (const count of counts) teams.push(await neverChoosing(mechanism, { threads: count, scheduleFor: count }));
  const own = [
    ...singles,
    ...teams.map((team): TimedCall => {
      const call = inPlace(team, state, tau);
      return { call, before: () => wake(team, call) };
    }),
  ].map((task): SharedCall => ({ ...task, together: false }));
  const tasks = [...shared, ...own];
  let times: { readonly ns: number; readonly nsMedian: number }[] = [];
  if (first) {
    times = lead(ranks, tasks, milliseconds);
    ranks.tell(Float64Array.of(-1, 0));
  } else follow(ranks, tasks);
  const hash = hashed ? spreadHash(mechanism, ranks, Math.max(...counts)) : '';
  const lines: SpreadLine[] = [];
  if (first) {
    const of = (from: number): readonly { readonly ns: number; readonly nsMedian: number }[] => times.slice(from);
    const serialNs = Math.min(
      ...of(shared.length)
        .slice(0, singles.length)
        .map(({ ns }) => ns),
    );
    // Its records of a large mechanism take gigabytes.
    const printedSerialNs = mechanism.joints.length > PRINTED ? null : timePrinted(mechanism, state, tau);
    for (const [k, workers] of counts.entries()) {
      const { ns, nsMedian } = times[2 * k];
      lines.push({
        model,
        workers,
        ns,
        nsMedian,
        gatheredNs: times[2 * k + 1].ns,
        serialNs,
        threadsNs: threads ? times[shared.length + singles.length + k].ns : null,
        printedSerialNs,
        predictedNs: Math.round(planner.find(workers).ns),
        chosen: workers > 1 && isFaster(ns, serialNs) ? 'parallel' : 'serial',
        hash,
      });
    }
  }
  for (const part of parts) part.close();
  for (const team of teams) team.dispose();
  return lines;
}

/** Over all ranks, cut for so many of them. */
function spreadHash(mechanism: Mechanism, ranks: MpiRanks, scheduleFor: number): string {
  const { transport, implementation } = ranks;
  const plain = new PlainDynamics(mechanism);
  const spread = new SpreadDynamics(mechanism, transport, { scheduleFor }, plain, implementation);
  const hash = hashOfSteps(mechanism, spread);
  spread.dispose();
  return hash;
}

function lead(ranks: MpiRanks, tasks: readonly SharedCall[], milliseconds: number) {
  const timeOf = (k: number, count: number): number => {
    const { call, before, together } = tasks[k];
    if (together) {
      ranks.tell(Float64Array.of(k, count));
      for (let turn = 0; turn < AWAKE; turn++) call();
    } else before?.();
    const start = performance.now();
    for (let turn = 0; turn < count; turn++) call();
    return performance.now() - start;
  };
  // Until code is compiled as well as it will be, and a batch is long enough.
  const counts = tasks.map((_, k) => {
    for (const end = performance.now() + milliseconds / 4; performance.now() < end; ) timeOf(k, 32);
    let count = 1;
    while (timeOf(k, count) < BATCH) count *= 2;
    return count;
  });
  const samples = tasks.map((): number[] => []);
  for (let round = 0, start = performance.now(); round < 5 || performance.now() - start < milliseconds; round++)
    for (let turn = 0; turn < tasks.length; turn++) {
      const k = (turn + round) % tasks.length;
      samples[k].push((1e6 * timeOf(k, counts[k])) / counts[k]);
    }
  return samples.map((list) => {
    list.sort((a, b) => a - b);
    return { ns: Math.round(list[0]), nsMedian: Math.round(list[list.length >> 1]) };
  });
}

function follow(ranks: MpiRanks, tasks: readonly SharedCall[]): void {
  for (;;) {
    const [k, count] = ranks.tell(new Float64Array(2));
    if (k < 0) return;
    for (let turn = 0; turn < AWAKE + count; turn++) tasks[k].call();
  }
}
