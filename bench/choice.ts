// Whether ParallelDynamics chooses well: what it chose by itself, timed in turn with everything that one thread can run and
// with several threads.

import type { ForwardOptions } from '#src/engines/plain/plain-dynamics.js';
import { ParallelDynamics } from '#src/engines/threads/parallel-dynamics.js';
import { CompiledDynamics } from '#src/engines/wasm/compiled.js';
import type { Mechanism } from '#src/mechanism/mechanism.js';
import { State } from '#src/mechanism/state.js';
import { BUILTIN_MODELS } from '#src/models/index.js';
import { pause, type TimedCall, timings, warmUp } from './measure.js';
import { neverChoosing, WHOLE, wake } from './parallel.js';

export interface ChoiceLine {
  readonly model: string;
  readonly chosen: 'serial' | 'parallel';
  /** Threads that were chosen. */
  readonly workers: number;
  /** Least nanoseconds of a step: the fastest code for one thread, several threads, what was chosen. */
  readonly serialNs: number;
  readonly parallelNs: number;
  readonly chosenNs: number;
  /** chosenNs over the smaller of the other two. */
  readonly ratio: number;
  /** Predicted for one thread and for several; null where nothing was. */
  readonly predictedSerialNs: number | null;
  readonly predictedNs: number | null;
  /** Milliseconds that `ready()` took. */
  readonly readyMs: number;
  /** Pieces of work that came late, for each step by several threads: much more than a hundredth says that the machine was busy. */
  readonly late: number;
}

/** Milliseconds between windows of measuring. */
const PAUSE = 50;
const WINDOWS = 4;

const CHAINS = [8, 32, 64, 128, 200, 512, 2048];
const CROWDS = [2, 5, 20];

/** All built-in mechanisms; of those that come in any size, some. */
export function modelsOfChoice(): string[] {
  return BUILTIN_MODELS.flatMap(({ name }) =>
    name.includes('N')
      ? (name.startsWith('crowd') ? CROWDS : CHAINS).map((size) => name.replace('N', String(size)))
      : [name],
  );
}

export async function timeChoice(
  model: string,
  mechanism: Mechanism,
  milliseconds: number,
  signal: AbortSignal,
): Promise<ChoiceLine> {
  const chosen = new ParallelDynamics(mechanism);
  const start = performance.now();
  await chosen.ready();
  const readyMs = Math.round(performance.now() - start);
  const parallel = await neverChoosing(mechanism, { threads: 'auto' });
  const blocks = await neverChoosing(mechanism, { threads: 1, scheduleFor: 1 });
  const singles: (CompiledDynamics | ParallelDynamics)[] = [
    new CompiledDynamics(mechanism, { specialise: 'never' }),
    blocks,
  ];
  if (mechanism.joints.length <= WHOLE) {
    const whole = new CompiledDynamics(mechanism);
    await whole.ready();
    singles.push(whole);
  }
  const state = State.random(mechanism, 1);
  const tasks: TimedCall[] = [chosen, parallel, ...singles].map((engine) => {
    const run = copied(engine, state);
    const threads = engine instanceof ParallelDynamics && engine.threads > 1;
    return threads ? { call: run, before: () => wake(engine, run) } : { call: run };
  });
  await warmUp(tasks.map(({ call }) => call));
  signal.throwIfAborted();
  // Some windows with pauses between them: other work on the machine comes in bursts.
  const least = tasks.map(() => Number.POSITIVE_INFINITY);
  const before = parallel.counts;
  for (let window = 0; window < WINDOWS; window++) {
    await pause(PAUSE);
    for (const [k, { ns }] of timings(tasks, { milliseconds: milliseconds / WINDOWS }).entries())
      least[k] = Math.min(least[k], ns);
    signal.throwIfAborted();
  }
  const after = parallel.counts;
  const [chosenNs, parallelNs, ...others] = least;
  const serialNs = Math.min(...others);
  const { mode, threads: workers, times } = chosen;
  for (const engine of [chosen, parallel, blocks]) engine.dispose();
  signal.throwIfAborted();
  const rounded = (ns: number | undefined): number | null => (ns === undefined ? null : Math.round(ns));
  return {
    model,
    chosen: mode,
    workers,
    serialNs,
    parallelNs,
    chosenNs,
    ratio: chosenNs / Math.min(serialNs, parallelNs),
    predictedSerialNs: rounded(times.predictedSerialNs),
    predictedNs: rounded(times.predictedNs),
    readyMs,
    late: (after.stolen - before.stolen) / Math.max(1, after.parallel - before.parallel),
  };
}

type Engine = CompiledDynamics | ParallelDynamics;

function copied(engine: Engine, state: State): () => void {
  const options: ForwardOptions = { out: new Float64Array(state.mechanism.nv) };
  return () => void engine.forward(state, undefined, options);
}
