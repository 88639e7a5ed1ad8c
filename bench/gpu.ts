// How fast a GPU is, and how far off: the figures of `manikin bench gpu`.

import { GpuAssembly } from '#src/engines/gpu/assembly.js';
import type { OpenGpu } from '#src/engines/gpu/device.js';
import { GpuBatch } from '#src/engines/gpu/gpu-batch.js';
import { PlainDynamics } from '#src/engines/plain/plain-dynamics.js';
import type { Mechanism } from '#src/mechanism/mechanism.js';
import { State } from '#src/mechanism/state.js';
import { timeOf } from './device-time.js';

export interface GpuTiming {
  readonly model: string;
  /** 'forward', 'inverse' or 'rollout' (of a batch), or 'assembly' (of one mechanism). */
  readonly task: 'forward' | 'inverse' | 'rollout' | 'assembly';
  readonly variant: string;
  /** Number of states. */
  readonly batch: number;
  /** States (of rollouts: steps) per second: the kernel alone, ... */
  readonly statesPerSecond: number;
  /** ... with the dispatch, ... */
  readonly wallStatesPerSecond: number;
  /** ... and with upload and read-back; null where that is not measured. */
  readonly ioStatesPerSecond: number | null;
  /** Largest difference from double precision over the check states, relative to the largest number of the result. */
  readonly error: number | null;
  readonly medianError: number | null;
}

export interface GpuBenchOptions {
  readonly batches: readonly number[];
  readonly rollout?: boolean;
  readonly variant?: string;
  readonly progress?: (line: string) => void;
}

/** States in which results are compared with double precision. */
const CHECKS = 64;
/** Milliseconds of work before a measurement, and of one: idle GPUs lower their clocks. */
const WARM_MS = 400;
const RUN_MS = 30;
const RUNS = 10;
/** Larger batches are not uploaded several at a time. */
const MOST_IN_FLIGHT = 262144;
/** Batches in flight when upload and read-back are measured. */
const IN_FLIGHT = 4;

/** Check state number s: random, in numbers of 32 bits. `part`: of the range of angles, which is pi/2 either way. */
export function checkState(mechanism: Mechanism, s: number, part = 1): State {
  const state = State.random(mechanism, s + 1);
  for (const { model, iq } of mechanism.joints)
    if (model.nq === model.nv) for (let k = 0; k < model.nq; k++) state.q[iq + k] *= part;
  for (const array of [state.q, state.v]) array.set(Float32Array.from(array));
  return state;
}

export function checkForces(mechanism: Mechanism, s: number): Float64Array {
  return Float64Array.from({ length: mechanism.nv }, (_, k) => Math.fround(Math.sin(k + s + 1)));
}

function errorOf(got: (k: number) => number, expected: Float64Array): number {
  let [size, worst] = [1e-300, 0];
  expected.forEach((x, k) => {
    const difference = Math.abs(got(k) - x);
    worst = Number.isFinite(difference) ? Math.max(worst, difference) : Infinity;
    size = Math.max(size, Math.abs(x));
  });
  return worst / size;
}

const RESULT = { forward: 'qdd', inverse: 'tau' } as const;
const GIVEN = { forward: 'tau', inverse: 'qdd' } as const;

/** The check states, and as joint forces or accelerations whatever is given for a task. */
function fill(batch: GpuBatch, task: 'forward' | 'inverse'): void {
  const { mechanism, states } = batch;
  const [q, v, given] = [mechanism.nq, mechanism.nv, mechanism.nv].map((numbers) => new Float32Array(CHECKS * numbers));
  for (let s = 0; s < Math.min(CHECKS, states); s++) {
    const state = checkState(mechanism, s);
    for (let k = 0; k < state.q.length; k++) q[batch.at('q', k, s)] = state.q[k];
    for (let k = 0; k < state.v.length; k++) v[batch.at('v', k, s)] = state.v[k];
    checkForces(mechanism, s).forEach((x, k) => {
      given[batch.at('tau', k, s)] = x;
    });
  }
  // The check states over and over: whole tiles of them. Mapped memory is slow to read, so it is only written.
  for (const [array, some] of [
    [batch.q, q],
    [batch.v, v],
    [batch[GIVEN[task]], given],
  ] as const)
    for (let at = 0; at < array.length; at += some.length)
      array.set(some.length <= array.length - at ? some : some.subarray(0, array.length - at), at);
}

/** Errors of forward or inverse dynamics over the check states. */
export async function checkErrors(
  batch: GpuBatch,
  task: 'forward' | 'inverse' = 'forward',
): Promise<{ worst: number; median: number }> {
  const { mechanism } = batch;
  const result = RESULT[task];
  fill(batch, task);
  await batch[task]();
  const numbers = batch[result];
  const dynamics = new PlainDynamics(mechanism);
  const all = Array.from({ length: Math.min(CHECKS, batch.states) }, (_, s) =>
    errorOf(
      (k) => numbers[batch.at(result, k, s)],
      dynamics[task](checkState(mechanism, s), checkForces(mechanism, s)),
    ),
  ).sort((a, b) => a - b);
  return { worst: all[all.length - 1], median: all[all.length >> 1] };
}

/** Least seconds of one run over many. */
async function least(
  run: (times: number) => Promise<{ device: number; wall: number }>,
): Promise<{ device: number; wall: number }> {
  let best = await run(1);
  let last = best;
  const often = (): number => Math.max(1, Math.min(500, Math.ceil(RUN_MS / 1e3 / Math.max(last.wall, 1e-6))));
  for (const start = performance.now(); performance.now() - start < WARM_MS; ) last = await run(often());
  best = last;
  // Devices in software take their time: then a few runs must do.
  for (let k = 0; k < (last.wall > 0.05 ? 1 : RUNS); k++) {
    last = await run(often());
    best = { device: Math.min(best.device, last.device), wall: Math.min(best.wall, last.wall) };
  }
  return best;
}

/** States per second with upload and read-back, several batches in flight. */
async function throughput(batch: GpuBatch, task: 'forward' | 'inverse'): Promise<number> {
  const forks = [batch, ...Array.from({ length: IN_FLIGHT - 1 }, () => batch.fork())];
  for (const fork of forks) fill(fork, task);
  const rounds = async (times: number): Promise<number> => {
    const start = performance.now();
    await Promise.all(
      forks.map(async (fork) => {
        for (let k = 0; k < times; k++) await fork[task]();
      }),
    );
    return (performance.now() - start) / 1e3 / times / forks.length;
  };
  let best = await rounds(1);
  const often = Math.max(1, Math.min(50, Math.ceil(0.1 / best)));
  for (let k = 0; k < (best > 0.05 ? 1 : 4); k++) best = Math.min(best, await rounds(often));
  for (const fork of forks.slice(1)) fork.dispose();
  return batch.states / best;
}

/** A task on what is in the device's memory, and what runs it. */
async function measure(gpu: OpenGpu, batch: GpuBatch, task: 'forward' | 'inverse' | 'rollout') {
  const { variant, bound } = await batch.dispatches(task);
  try {
    return { variant, time: await least((times) => timeOf(gpu, bound, times)) };
  } finally {
    for (const one of bound) one.destroy();
  }
}

/** Forward and inverse dynamics (and rollouts) of a batch, by its size. */
export async function benchBatch(gpu: OpenGpu, mechanism: Mechanism, options: GpuBenchOptions): Promise<GpuTiming[]> {
  const { batches, rollout = true, variant, progress } = options;
  const results: GpuTiming[] = [];
  // Choices are made once, with the largest batch.
  const memory = new Map<string, string>();
  for (const states of [...batches].sort((a, b) => b - a)) {
    const batch = await GpuBatch.create(
      gpu,
      mechanism,
      states,
      { memory, ...(variant !== undefined && { variant }) },
      false,
    );
    const add = (
      task: GpuTiming['task'],
      name: string,
      time: { device: number; wall: number },
      rest: Partial<GpuTiming>,
    ): void => {
      const line: GpuTiming = {
        model: mechanism.name,
        task,
        variant: name,
        batch: states,
        statesPerSecond: states / time.device,
        wallStatesPerSecond: states / time.wall,
        ioStatesPerSecond: null,
        error: null,
        medianError: null,
        ...rest,
      };
      results.push(line);
      progress?.(`${line.model} ${task} ${states}: ${line.statesPerSecond.toExponential(2)} states/s`);
    };
    for (const task of ['forward', 'inverse'] as const) {
      await batch.ready(task);
      const { worst, median } = await checkErrors(batch, task);
      const { variant: name, time } = await measure(gpu, batch, task);
      add(task, name, time, {
        ioStatesPerSecond: states > MOST_IN_FLIGHT ? null : await throughput(batch, task),
        error: worst,
        medianError: median,
      });
    }
    if (rollout) {
      await batch.ready('rollout');
      const { variant: name, time } = await measure(gpu, batch, 'rollout');
      add('rollout', name, time, {});
    }
    for (const note of batch.notes) progress?.(note);
    batch.dispose();
  }
  return results.sort((a, b) => a.batch - b.batch);
}

/** One large mechanism: its forward dynamics, assembled level by level. */
export async function benchAssembly(
  gpu: OpenGpu,
  mechanism: Mechanism,
  progress?: (line: string) => void,
): Promise<GpuTiming> {
  const assembly = await GpuAssembly.create(gpu, mechanism);
  // Long chains need their angles within a radian.
  const state = checkState(mechanism, 0, 2 / Math.PI);
  const tau = checkForces(mechanism, 0);
  const got = await assembly.forward(state, tau);
  const expected = new PlainDynamics(mechanism).forward(state, tau);
  const size = expected.reduce((most, x) => Math.max(most, Math.abs(x)), 1e-300);
  const all = Array.from(expected, (x, k) => Math.abs(got[k] - x) / size).sort((a, b) => a - b);
  const run = async (times: number): Promise<{ device: number; wall: number }> => {
    const start = performance.now();
    await assembly.run(times);
    const wall = (performance.now() - start) / 1e3 / times;
    return { device: Number.isNaN(assembly.deviceSeconds) ? wall : assembly.deviceSeconds, wall };
  };
  const { device } = await least(run);
  let wall = Infinity;
  for (let k = 0; k < RUNS; k++) wall = Math.min(wall, (await run(1)).wall);
  let io = Infinity;
  for (let k = 0; k < 3; k++) {
    const start = performance.now();
    await assembly.forward(state, tau);
    io = Math.min(io, (performance.now() - start) / 1e3);
  }
  progress?.(`${assembly.explain()} ${(1e6 * device).toFixed(1)} us`);
  assembly.dispose();
  return {
    model: mechanism.name,
    task: 'assembly',
    variant: `${assembly.rounds} rounds`,
    batch: 1,
    statesPerSecond: 1 / device,
    wallStatesPerSecond: 1 / wall,
    ioStatesPerSecond: 1 / io,
    error: all[all.length - 1],
    medianError: all[all.length >> 1],
  };
}
