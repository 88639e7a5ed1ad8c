// Chooses the fastest variant of a task by a short measurement, and remembers it by adapter and mechanism.

import type { Plan } from '../../plan/plan.js';
import type { OpenGpu } from './device.js';
import { GpuError } from './errors.js';
import { passKernels } from './kernel.js';
import { type Buffers, encode, GpuProgram, wholeStates } from './pipeline.js';
import type { Memory } from './types.js';
import type { Candidate } from './variants.js';

const SHARED: Memory = new Map<string, string>();

/**
 * GPUs that were idle, while a driver compiled, take a moment to raise their clock; a measurement before that says
 * nothing. So long at least, and until times fall no more.
 */
const WARM_MS = 300;
const LONGEST_WARM_MS = 1500;
const MEASURE_MS = 60;
/** A device so slow is a software one: each variant gets just one run. */
const SLOW_MS = 100;

/** Runs in one submission. */
const MOST_RUNS = 1000;

/** Seconds of one run over the states of the buffers. */
export async function timeOf(
  gpu: OpenGpu,
  program: GpuProgram,
  buffers: Buffers,
  states: number,
  step: number,
): Promise<number> {
  const bound = program.bind(buffers, wholeStates(states), step);
  const run = async (wanted: number): Promise<number> => {
    // A device that is gone takes no time: never measure it, nor ask for ever more runs.
    const lost = gpu.lost();
    if (lost !== undefined) throw new GpuError('lost', `The GPU device was lost: ${lost}`);
    const times = Math.min(MOST_RUNS, wanted);
    const encoder = gpu.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    for (let k = 0; k < times; k++) encode(pass, bound);
    pass.end();
    const start = performance.now();
    gpu.device.queue.submit([encoder.finish()]);
    await gpu.device.queue.onSubmittedWorkDone();
    return (performance.now() - start) / times;
  };
  try {
    let best = await run(1);
    if (best > SLOW_MS) return best / 1e3;
    const start = performance.now();
    let last = best;
    let fell = start;
    for (let now = start; now - fell < WARM_MS && now - start < LONGEST_WARM_MS; now = performance.now()) {
      last = await run(Math.max(1, Math.ceil(10 / last)));
      if (last < 0.95 * best) fell = performance.now();
      best = Math.min(best, last);
    }
    const from = performance.now();
    while (performance.now() - from < MEASURE_MS) {
      last = await run(Math.max(1, Math.ceil(10 / last)));
      best = Math.min(best, last);
    }
    return best / 1e3;
  } finally {
    bound.destroy();
  }
}

export interface Choice {
  readonly program: GpuProgram;
  readonly name: string;
  /** What was tried, with its time in seconds; empty where the choice was remembered. */
  readonly tried: readonly { readonly name: string; readonly seconds: number }[];
}

export interface ChooseOptions {
  /** Names adapter, mechanism and task. */
  readonly key: string;
  readonly memory?: Memory | undefined;
  /** Take this variant and measure nothing. */
  readonly only?: string | undefined;
  /** Called with every program that is better than those before. */
  readonly better?: (program: GpuProgram, name: string) => void;
  /** Stops the search; what has been found by then is kept. */
  readonly stopped: () => boolean;
}

export async function choose(
  gpu: OpenGpu,
  plan: Plan,
  list: readonly Candidate[],
  buffers: Buffers,
  states: number,
  { key, memory = SHARED, only, better, stopped }: ChooseOptions,
): Promise<Choice | undefined> {
  const remembered = only ?? memory.get(key);
  const known = list.find(({ name }) => name === remembered);
  if (only !== undefined && known === undefined)
    throw new GpuError(
      'mechanism',
      `There is no variant "${only}". Known are: ${list.map(({ name }) => name).join(', ')}.`,
    );
  const tried: { name: string; seconds: number }[] = [];
  let best: { program: GpuProgram; name: string; seconds: number } | undefined;
  for (const candidate of known === undefined ? list : [known]) {
    if (stopped()) break;
    const split = candidate.make();
    if (split === undefined) continue;
    let program: GpuProgram;
    try {
      program = await GpuProgram.create(gpu, candidate.name, passKernels(split, plan));
    } catch (error) {
      // A driver may refuse one variant and take another.
      if (known !== undefined || gpu.lost() !== undefined) throw error;
      continue;
    }
    const seconds = known === undefined ? await timeOf(gpu, program, buffers, states, 0) : 0;
    tried.push({ name: candidate.name, seconds });
    if (best === undefined || seconds < best.seconds) {
      best?.program.destroy();
      best = { program, name: candidate.name, seconds };
      better?.(program, candidate.name);
    } else program.destroy();
  }
  if (best === undefined) return undefined;
  if (only === undefined && !stopped()) memory.set(key, best.name);
  return { program: best.program, name: best.name, tried: known === undefined ? tried : [] };
}

/** A short name for a mechanism: equal for equal plans. FNV-1a over its text. */
export function fingerprint(text: string): string {
  let h = 0x811c9dc5;
  let g = 0x9dc5811c;
  for (let k = 0; k < text.length; k++) {
    h = Math.imul(h ^ text.charCodeAt(k), 0x01000193);
    g = Math.imul(g ^ (text.charCodeAt(k) + 31), 0x01000193);
  }
  return (h >>> 0).toString(16).padStart(8, '0') + (g >>> 0).toString(16).padStart(8, '0');
}
