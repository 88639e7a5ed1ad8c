// Threads where they are not alone: a busy machine, batches of states, and what all cores of the machine can do together when
// nothing passes between them. (One mechanism on several threads is measured by `manikin bench parallel`.)

import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { batch as batchOf } from '#src/batch/index.js';
import { endThreads } from '#src/engines/threads/index.js';
import { ParallelDynamics } from '#src/engines/threads/parallel-dynamics.js';
import { CompiledDynamics } from '#src/engines/wasm/compiled.js';
import { State } from '#src/mechanism/state.js';
import { builtinMechanism } from '#src/models/index.js';
import type { Task } from './independent.js';

/** Mean microseconds of a step beside four processes that spin, in turn with the compiled code for one thread. */
async function busy(model: string, seconds: number): Promise<object> {
  const mechanism = builtinMechanism(model);
  const parallel = new ParallelDynamics(mechanism, { threads: 2, prefer: 'parallel' });
  await parallel.ready();
  const compiled = new CompiledDynamics(mechanism);
  await compiled.ready();
  const state = State.random(mechanism, 1);
  const out = { out: new Float64Array(mechanism.nv) };
  const engines = [compiled, parallel];
  for (let k = 0; k < 5000; k++) for (const engine of engines) engine.forward(state, undefined, out);
  const spinners = Array.from({ length: 4 }, () => spawn(process.execPath, ['-e', 'for (;;);']));
  try {
    await new Promise((done) => setTimeout(done, 300));
    const time = [0, 0];
    const calls = [0, 0];
    for (const end = performance.now() + 1000 * seconds; performance.now() < end; )
      engines.forEach((engine, i) => {
        const start = performance.now();
        while (performance.now() - start < 100) {
          for (let k = 0; k < 20; k++) engine.forward(state, undefined, out);
          calls[i] += 20;
        }
        time[i] += performance.now() - start;
      });
    const [serial, threads] = time.map((ms, i) => (1000 * ms) / calls[i]);
    return { model, serialMicroseconds: serial, parallelMicroseconds: threads, ratio: threads / serial };
  } finally {
    for (const spinner of spinners) spinner.kill();
    parallel.dispose();
  }
}

/** Milliseconds for many states, rows in place, the least of 300 runs in turn. */
async function batches(model: string, states: number): Promise<object> {
  const mechanism = builtinMechanism(model);
  const both = await Promise.all([1, 2].map((threads) => batchOf(mechanism, { states, threads })));
  for (const many of both) for (let s = 0; s < states; s++) many.setState(s, State.random(mechanism, s % 100));
  const least = [Infinity, Infinity];
  for (let run = 0; run < 300; run++)
    for (const [i, many] of both.entries()) {
      const start = performance.now();
      await many.forward();
      least[i] = Math.min(least[i], performance.now() - start);
    }
  for (const many of both) many.dispose();
  return { model, states, oneMilliseconds: least[0], twoMilliseconds: least[1], gain: least[0] / least[1] };
}

/** 1, 2, 4, ... and all of them. */
function numbersOfThreads(): number[] {
  const all = availableParallelism();
  const numbers: number[] = [];
  for (let n = 1; n < all; n *= 2) numbers.push(n);
  return [...numbers, all];
}

/** Microseconds of threads that compute by themselves, each one its own copy: least and middle of all, middle of each. */
async function independent(what: string, task: Task, threads: number): Promise<object> {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const times = await Promise.all(
    Array.from({ length: threads }, () => {
      const worker = new Worker(new URL('./independent.js', import.meta.url), {
        workerData: { task, gate, count: threads },
      });
      return new Promise<{ least: number; median: number }>((resolve, reject) => {
        worker.on('message', resolve);
        worker.on('error', reject);
      });
    }),
  );
  const medians = times.map(({ median }) => median).sort((a, b) => a - b);
  return {
    what,
    threads,
    least: Math.min(...times.map(({ least }) => least)),
    median: medians[medians.length >> 1],
    slowest: medians.at(-1),
  };
}

/**
 * Multiplications that wait for each other show how fast the cores tick; many chains side by side, how much of a core a
 * thread has for itself. Where the one does not change and the other does, threads share their cores with somebody.
 */
async function scaling(): Promise<object[]> {
  const all = availableParallelism();
  const tasks: [string, Task][] = [
    ['multiplications, one after the other', { chains: 1 }],
    ['multiplications, twelve side by side', { chains: 12 }],
  ];
  for (const model of ['chain-2048', 'crowd-20']) {
    tasks.push([`${model}, all of it`, { model, segments: 1 }]);
    for (const segments of [...new Set([4, all])])
      tasks.push([`${model}, the slowest of the segments for ${segments} threads`, { model, segments }]);
  }
  const rows: object[] = [];
  for (const [what, task] of tasks)
    for (const threads of numbersOfThreads()) rows.push(await independent(what, task, threads));
  return rows;
}

export async function run(): Promise<object> {
  const batch = await batches('human-34', 10_000);
  const alone = await scaling();
  const underLoad = [await busy('chain-200', 10), await busy('crowd-20', 10)];
  endThreads();
  return { batch, busy: underLoad, independent: alone };
}
