// A cut mechanism as a program: its code, memory shared by the threads, and a private copy of that memory in which the
// caller runs the same program alone. Both give the same bits.

import { PAGE } from '../../emit/module.js';
import { type WasmInstance, type WasmMemory, type WasmModule, webAssembly } from '../wasm/webassembly.js';
import type { Arrays } from './arrays.js';
import { type BlockModule, blockModule } from './block-module.js';
import type { BlockSegment } from './blocks.js';
import type { PlannedProgram } from './planner.js';
import type { Hooks, Job, JobSegment } from './protocol.js';
import { Runner } from './runner.js';

const NO_HOOKS: Hooks = { jitter: 0, fault: undefined };

export class ThreadProgram {
  readonly plan: PlannedProgram;
  readonly made: BlockModule;
  readonly segments: readonly JobSegment[];
  readonly #modules = new Map<boolean, WasmModule>();
  #alone: { readonly arrays: Arrays; readonly runner: Runner } | undefined;

  constructor(plan: PlannedProgram) {
    this.plan = plan;
    this.made = blockModule(plan.assembly);
    this.segments = jobSegments(plan.assembly.segments);
  }

  /** Instructions of all segments together. */
  get instructions(): number {
    return this.made.instructions.reduce((sum, count) => sum + count, 0);
  }

  /** The same code for both memories but for one flag. */
  #module(shared: boolean): WasmModule {
    let module = this.#modules.get(shared);
    if (module === undefined) {
      module = new (webAssembly().Module)(this.made.bytes(shared));
      this.#modules.set(shared, module);
    }
    return module;
  }

  /** Code and memory of its own, which other threads may share. */
  instance(shared = false): {
    readonly memory: WasmMemory;
    readonly module: WasmModule;
    readonly arrays: Arrays;
    readonly exports: WasmInstance['exports'];
  } {
    const { memory, arrays } = this.#memory(shared);
    const module = this.#module(shared);
    const { exports } = new (webAssembly().Instance)(module, { manikin: { memory } });
    return { memory, module, arrays, exports };
  }

  #memory(shared: boolean): { memory: WasmMemory; arrays: Arrays } {
    const { made } = this;
    const pages = Math.ceil(made.memoryBytes / PAGE);
    const memory = new (webAssembly().Memory)(shared ? { initial: pages, maximum: pages, shared } : { initial: pages });
    const ints = new Int32Array(memory.buffer);
    for (const { at, values } of made.tables) ints.set(values, at / 4);
    const { nq, nv } = this.plan.assembly.rooted.plan;
    const view = (at: number, count: number): Float64Array => new Float64Array(memory.buffer, at, count);
    return {
      memory,
      arrays: { q: view(made.q, nq), v: view(made.v, nv), tau: view(made.tau, nv), qdd: view(made.qdd, nv) },
    };
  }

  /** On the caller's thread alone. */
  get alone(): { readonly arrays: Arrays; readonly runner: Runner } {
    if (this.#alone === undefined) {
      const { arrays, exports } = this.instance();
      const job: Job = this.#job(0, undefined, undefined, 1, NO_HOOKS);
      this.#alone = { arrays, runner: new Runner(new Int32Array(1), exports, job, 0) };
    }
    return this.#alone;
  }

  /** For several threads: the job to be installed in a pool, and the caller's part. */
  shared(
    id: number,
    workers: number,
    flags: Int32Array,
    hooks = NO_HOOKS,
  ): { readonly arrays: Arrays; readonly job: Job; readonly runner: Runner } {
    const { memory, module, arrays, exports } = this.instance(true);
    const job = this.#job(id, memory, module, workers, hooks);
    return { arrays, job, runner: new Runner(flags, exports, job, 0) };
  }

  /** Who computes each segment of the job, of `most` threads. */
  threadOf(most: number): number[] {
    const { schedule, assembly } = this.plan;
    const planned = schedule.processorOf.filter((_, s) => !assembly.segments[s].inSecondLane);
    const count = 1 + Math.max(...planned);
    // Neighbours stay together where there are fewer threads than planned.
    return planned.map((t) => Math.floor((t * Math.min(most, count)) / count));
  }

  #job(id: number, memory: unknown, module: unknown, workers: number, hooks: Hooks): Job {
    const threadOf = this.threadOf(workers);
    // A spin takes about a nanosecond.
    const prompt = Math.min(50_000, Math.max(1000, Math.round(this.plan.schedule.ns)));
    return {
      id,
      memory,
      module,
      segments: this.segments,
      threadOf,
      threads: 1 + Math.max(...threadOf),
      prompt,
      hooks,
    };
  }
}

/** What threads see of the segments: partners are one. */
function jobSegments(segments: readonly BlockSegment[]): JobSegment[] {
  const own = segments.flatMap(({ inSecondLane }, s) => (inSecondLane ? [] : [s]));
  const number = new Map<number, number>();
  own.forEach((s, job) => {
    number.set(s, job);
    if (segments[s].partner >= 0) number.set(segments[s].partner, job);
  });
  const jobOf = (s: number): number => number.get(s)!;
  return own.map((s, job) => {
    const { velocityPath, waitsFor, joins, row, path, grounded, spinOrder, partner } = segments[s];
    const below = partner < 0 ? undefined : segments[partner];
    const needs = [...(velocityPath?.needs ?? []), ...(below?.velocityPath?.needs ?? [])].map(jobOf);
    return {
      code: s,
      needs: [...new Set(needs)].filter((other) => other !== job),
      waitsFor: [...waitsFor, ...(below?.waitsFor ?? [])].map(jobOf),
      joins: joins.flatMap(({ part }, k) => (part === partner ? [] : [{ part: jobOf(part), k }])),
      row: jobOf(row),
      // What was made first comes first. Who waits for the last meeting of a row on the ground need not wait for it twice.
      path: path
        .map(({ upper, k }, turn) => ({ upper, part: jobOf(segments[upper].joins[k].part), turn }))
        .filter(({ upper, turn }) => upper !== s && !(turn === 0 && segments[row].grounded))
        .map(({ part, turn }) => ({ part, turn }))
        .reverse(),
      answers: path.length > 0,
      grounded,
      spins: spinOrder.length > 0,
    };
  });
}
