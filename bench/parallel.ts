// Times of forward dynamics on several threads, in turn with those on one, and a hash of what comes out.

import { endToRootSchedule } from '#src/engines/plain/assembly/orders.js';
import type { ParallelOptions } from '#src/engines/threads/options.js';
import { ParallelDynamics } from '#src/engines/threads/parallel-dynamics.js';
import { CompiledDynamics } from '#src/engines/wasm/compiled.js';
import type { Mechanism } from '#src/mechanism/mechanism.js';
import { State } from '#src/mechanism/state.js';
import { createTree } from '#src/mechanism/tree.js';
import { createPrinted, printedAda } from '#src/papers/printed/ada.js';
import { isFaster } from '#src/schedule/measured-choice.js';
import { type TimedCall, timings, warmUp } from './measure.js';

export interface ParallelLine {
  readonly model: string;
  readonly workers: number;
  /** Nanoseconds of a step by so many threads: the least of many batches, and the middle one. */
  readonly ns: number;
  readonly nsMedian: number;
  /** The least of the fastest code for one thread. */
  readonly serialNs: number;
  /** The papers' algorithm as printed, plain TypeScript on one thread; null where it fails. */
  readonly printedSerialNs: number | null;
  readonly predictedNs: number | null;
  /** What would be chosen for so many threads. */
  readonly chosen: 'serial' | 'parallel';
  /** Of 1000 steps by so many threads on one cutting, that for the largest number. */
  readonly hash: string;
}

/** Links up to which code for a whole mechanism is made: beyond, code is shared (blocks). */
export const WHOLE = 800;

/** Steps of the hash, and their length: short enough that no random state flies apart. */
const STEPS = 1000;
const STEP = 1e-6;

export async function timeParallel(
  model: string,
  mechanism: Mechanism,
  counts: readonly number[],
  milliseconds: number,
  signal: AbortSignal,
  hashed = true,
): Promise<ParallelLine[]> {
  const state = State.random(mechanism, 1);
  const tau = Float64Array.from({ length: mechanism.nv }, (_, k) => Math.sin(k + 1));
  const caller = (engine: CompiledDynamics | ParallelDynamics): (() => void) => inPlace(engine, state, tau);
  const singles = await onOneThread(mechanism, caller);
  const teams: ParallelDynamics[] = [];
  for (const workers of counts) teams.push(await neverChoosing(mechanism, { threads: workers, scheduleFor: workers }));
  const tasks: TimedCall[] = [
    ...singles,
    ...teams.map((team): TimedCall => {
      const call = caller(team);
      return { call, before: () => wake(team, call) };
    }),
  ];
  for (const { call } of tasks) {
    await warmUp([call], 2 * milliseconds);
    signal.throwIfAborted();
  }
  const times = timings(tasks, { milliseconds });
  const serialNs = Math.min(...times.slice(0, singles.length).map(({ ns }) => ns));
  const printedSerialNs = timePrinted(mechanism, state, tau);
  const lines: ParallelLine[] = [];
  for (const [k, workers] of counts.entries()) {
    const { ns, nsMedian } = times[singles.length + k];
    lines.push({
      model,
      workers,
      ns,
      nsMedian,
      serialNs,
      printedSerialNs,
      predictedNs: Math.round(teams[k].times.predictedNs ?? 0) || null,
      chosen: workers > 1 && isFaster(ns, serialNs) ? 'parallel' : 'serial',
      hash: hashed ? await hashOf(mechanism, workers, Math.max(...counts)) : '',
    });
    teams[k].dispose();
    signal.throwIfAborted();
  }
  return lines;
}

/** A call on arrays that are in place, so that what is measured is the computation. */
export function inPlace(engine: CompiledDynamics | ParallelDynamics, state: State, forces: Float64Array): () => void {
  const { q, v, tau, run } = engine instanceof ParallelDynamics ? engine.direct() : engine.direct('forward')!;
  q.set(state.q);
  v.set(state.v);
  tau.set(forces);
  return () => void run();
}

/** Everything that runs on one thread; the fastest is what counts. */
export async function onOneThread(
  mechanism: Mechanism,
  caller: (engine: CompiledDynamics | ParallelDynamics) => () => void,
): Promise<TimedCall[]> {
  const generic = new CompiledDynamics(mechanism, { specialise: 'never' });
  const blocks = await neverChoosing(mechanism, { threads: 1, scheduleFor: 1 });
  const single = (engine: CompiledDynamics | ParallelDynamics): TimedCall => {
    const call = caller(engine);
    return { call, before: () => settle(call) };
  };
  const singles: TimedCall[] = [single(generic), single(blocks)];
  if (mechanism.joints.length <= WHOLE) {
    const whole = new CompiledDynamics(mechanism);
    await whole.ready();
    singles.push(single(whole));
  }
  return singles;
}

/** A program that never chooses: it runs with the threads it is given. */
export async function neverChoosing(mechanism: Mechanism, options: ParallelOptions): Promise<ParallelDynamics> {
  const made = new ParallelDynamics(mechanism, { ...options, prefer: 'parallel', retreat: false, patience: 1000 });
  await made.ready();
  return made;
}

/** Milliseconds after which threads that have had no step sleep: until then they take time from others. */
const ASLEEP_AFTER = 0.5;

function settle(call: () => void): void {
  for (const end = performance.now() + ASLEEP_AFTER; performance.now() < end; ) call();
}

/** Until all threads take part. */
export function wake(team: ParallelDynamics, call: () => void): void {
  for (let k = 0; k < 200; k++) {
    const { parallel, stolen } = team.counts;
    call();
    const now = team.counts;
    if (now.parallel > parallel && now.stolen === stolen) return;
  }
}

/** Nanoseconds of the papers' algorithm; null where it cannot do this mechanism. */
export function timePrinted(mechanism: Mechanism, { q, v }: State, tau: Float64Array): number | null {
  const tree = createTree(mechanism);
  const out = new Float64Array(mechanism.nv);
  try {
    const scratch = createPrinted(tree, endToRootSchedule(tree));
    const call = (): void => void printedAda(tree, scratch, out, q, v, tau, null);
    for (let k = 0; k < 50; k++) call();
    return timings([{ call }], { milliseconds: 150 })[0].ns;
  } catch {
    return null;
  }
}

/** The hash of steps by threads. */
export async function hashOf(mechanism: Mechanism, workers: number, scheduleFor: number): Promise<string> {
  const dynamics = await neverChoosing(mechanism, { threads: workers, scheduleFor });
  const hash = hashOfSteps(mechanism, dynamics);
  dynamics.dispose();
  return hash;
}

/** All bits of all states of 1000 steps, folded into a number (FNV-1a, twice 32 bits). */
export function hashOfSteps(mechanism: Mechanism, dynamics: Pick<ParallelDynamics, 'forward'>): string {
  const state = State.random(mechanism, 1);
  const options = { out: new Float64Array(mechanism.nv) };
  let [a, b] = [0x811c9dc5, 0x1b873593];
  for (let step = 0; step < STEPS; step++) {
    const qdd = dynamics.forward(state, undefined, options);
    for (let k = 0; k < qdd.length; k++) state.v[k] += STEP * qdd[k];
    for (const { model, iq, iv } of mechanism.joints) model.integrate(state.q, iq, state.v, iv, STEP);
    for (const array of [state.q, state.v]) {
      const words = new Uint32Array(array.buffer, array.byteOffset, 2 * array.length);
      for (let k = 0; k < words.length; k += 2) {
        a = Math.imul(a ^ words[k], 0x01000193);
        b = Math.imul(b ^ words[k + 1], 0x01000193);
      }
    }
  }
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}
