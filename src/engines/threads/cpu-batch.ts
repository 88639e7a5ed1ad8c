// Many states of one mechanism on the CPU, one state per row: memory, code and threads of a batch. All threads work on one
// memory, chunk by chunk (batch-task.ts), with the same code; each state is computed by the same instructions whoever takes
// it, so its bits do not depend on the number of threads, nor on the size of chunks, nor on the states beside it.

import { PAGE } from '../../emit/module.js';
import type { PassiveJoints } from '../../formulas/rollout-step.js';
import { MechanismError } from '../../mechanism/errors.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import { State } from '../../mechanism/state.js';
import { createTree } from '../../mechanism/tree.js';
import { createPlan, type Plan } from '../../plan/plan.js';
import { processors, reasonForOneThread } from '../../threads/surroundings.js';
import type { DerivativeFunctionName, MatrixName } from '../gpu/types.js';
import { passiveJoints } from '../plain/passive.js';
import { held, type Torque } from '../torque.js';
import { type BatchCode, type BatchFunction, type RowsLayout, rowsLayout } from '../wasm/batch-code.js';
import { fusedIsExact } from '../wasm/relaxed-simd.js';
import { type WasmMemory, type WasmModule, webAssembly } from '../wasm/webassembly.js';
import {
  type BatchMessage,
  CHUNK,
  DONE,
  isDerivative,
  type MatrixBuffers,
  oneByOne,
  PROGRESS_WORDS,
  type RunTask,
  runTask,
  STOP,
  sendable,
} from './batch-task.js';
import { type Pool, sharedPool } from './pool.js';
import { MAX_THREADS } from './protocol.js';

export interface CpuBatchOptions {
  /** 'auto' (the default) takes one for each processor. */
  readonly threads?: 'auto' | number;
  /** Fused multiplications and additions where the processor has them: faster, with bits that differ between machines. */
  readonly fused?: boolean;
  /** States that a thread takes at a time; even. */
  readonly chunk?: number;
  /** Told, once, why readable algorithms are used. */
  readonly onFallback?: (reason: string) => void;
}

/** What is used of an AbortSignal, which needs the types of Node or of a page. */
export interface StopSignal {
  throwIfAborted(): void;
  addEventListener(event: 'abort', listener: () => void): void;
  removeEventListener(event: 'abort', listener: () => void): void;
}

/** What every function of a batch takes: a signal to stop it, a progress to tell. */
export interface BatchRun {
  /** Stops the work; the promise is then rejected with the signal's reason. */
  readonly signal?: StopSignal;
  /** Told how many states are done, some twenty times a second. */
  readonly onProgress?: (done: number, count: number) => void;
}

export interface RowArrays {
  readonly q: Float64Array;
  readonly v: Float64Array;
  readonly tau: Float64Array;
  readonly qdd: Float64Array;
}

const PROGRESS_MS = 50;
/** Without threads the caller's own makes room for others after so many milliseconds of work. */
const SLICE_MS = 8;
/** Operations, some 200 microseconds, below which the caller's thread is done before others have been called. */
const FEW_OPERATIONS = 1e6;
/** The most that WebAssembly can address, and what stays free in it for code. */
const MOST_BYTES = 2 ** 32 - 2 ** 28;
const MOST_PAGES = 65536;
/** Larger mechanisms take seconds to make code for. */
const MOST_LINKS = 4000;

const NO_CODE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

let batches = 0;

/** A rough count of a function's operations for one state. */
const operationsOf = ({ links }: Plan): number => links.reduce((sum, { nv }) => sum + 90 + 80 * nv, 0);

/** Why there is no code for batches of a mechanism. */
function reasonForNoCode({ loops, couplings, nv }: Mechanism, { links }: Plan): string | undefined {
  if (loops.length > 0) return 'closed loops have no code for batches.';
  if (couplings.length > 0) return 'coupled joints have no code for batches.';
  if (nv === 0) return 'nothing in this mechanism can move.';
  if (links.length > MOST_LINKS) return `code for ${links.length} links would take too long to make.`;
  try {
    // A page may allow memory and forbid code: better to know now than at the first call.
    new (webAssembly().Module)(NO_CODE);
  } catch (error) {
    return `WebAssembly cannot be used here: ${String(error)}`;
  }
  return undefined;
}

interface Installed {
  readonly module: WasmModule;
  readonly code: Omit<BatchCode, 'bytes'>;
  /** Scratch memory of each thread: that of the code, then rows of tau for a chunk. */
  readonly area: number;
}

/** The code of a mechanism for so many rows; a batch and its forks share it, each in a memory of its own. */
class Codes {
  readonly plan: Plan;
  readonly layout: RowsLayout;
  /** Of a function for one state, roughly. */
  readonly operations: number;
  readonly passive: PassiveJoints;
  readonly shared: boolean;
  readonly fused: boolean;
  readonly chunk: number;
  readonly threads: number;
  readonly made = new Map<BatchFunction, Installed>();
  readonly notes: string[] = [];
  /** First free address. */
  top: number;
  #last: Promise<unknown> = Promise.resolve();
  readonly #asked = new Map<BatchFunction, Promise<void>>();

  constructor(mechanism: Mechanism, states: number, threads: number, options: CpuBatchOptions) {
    this.plan = createPlan(createTree(mechanism));
    this.operations = operationsOf(this.plan);
    this.layout = rowsLayout(mechanism.nq, mechanism.nv, states);
    this.passive = new Map(
      [...passiveJoints(mechanism)].map(([iv, { damping, friction, stiffness, rest }]) => [
        iv,
        { damping, friction, stiffness, rest },
      ]),
    );
    this.shared = reasonForOneThread() === undefined;
    this.chunk = options.chunk ?? CHUNK;
    this.threads = threads;
    this.top = this.layout.end;
    this.fused = options.fused === true && fusedIsExact();
  }

  /** Makes the code of a function, one after the other: each is given the memory behind the last one's. */
  ready(of: BatchFunction, emit: (task: BatchMessage) => Promise<unknown>): Promise<void> {
    let asked = this.#asked.get(of);
    if (asked === undefined) {
      const make = async (): Promise<void> => {
        const { plan, layout, passive, shared, fused, top: at } = this;
        const request = { plan, of, layout, passive, at, shared, fused };
        const { bytes, ...code } = (await emit({ what: 'emit', request })) as BatchCode;
        const area = code.scratchBytes + 64 * Math.ceil((layout.nv * this.chunk) / 8);
        this.top = code.end + this.threads * area;
        this.made.set(of, { module: await webAssembly().compile(bytes), code, area });
        this.notes.push(`Code for ${of}: ${bytes.length} bytes.`);
      };
      asked = this.#last.then(make);
      this.#last = asked.catch(() => {});
      this.#asked.set(of, asked);
    }
    return asked;
  }
}

export class CpuBatch {
  readonly mechanism: Mechanism;
  readonly states: number;
  /** Threads that work on large batches; 1 where the caller's does it all. */
  readonly threads: number;
  /** Why that is so, where more were asked for. */
  readonly reasonForCaller: string | undefined;
  /** Why there is no code for batches: states are computed one after the other. */
  #plainReason: string | undefined;
  readonly #options: CpuBatchOptions;
  readonly #codes: Codes;
  readonly #id = ++batches;
  readonly #memory: WasmMemory | undefined;
  readonly #buffer: ArrayBufferLike;
  /** Code that each thread has; -1 is the caller. */
  readonly #known = new Map<number, Set<BatchFunction>>();
  #pool: Pool | undefined;
  #arrays: RowArrays;
  #matrices: MatrixBuffers | undefined;
  #disposed = false;

  static async create(mechanism: Mechanism, states: number, options: CpuBatchOptions): Promise<CpuBatch> {
    const { threads = 'auto' } = options;
    const most = MAX_THREADS - 1;
    if (threads !== 'auto' && !(Number.isInteger(threads) && threads >= 1 && threads <= most))
      throw MechanismError.of(
        'threads',
        'threads',
        `Expected 'auto' or a whole number from 1 to ${most}, got ${threads}.`,
      );
    const wanted = threads === 'auto' ? Math.min(most, await processors()) : threads;
    const reason = wanted > 1 ? reasonForOneThread() : undefined;
    const used = reason === undefined ? wanted : 1;
    return new CpuBatch(new Codes(mechanism, states, used, options), mechanism, states, options, used, reason);
  }

  private constructor(
    codes: Codes,
    mechanism: Mechanism,
    states: number,
    options: CpuBatchOptions,
    threads: number,
    reasonForCaller: string | undefined,
  ) {
    const { layout, plan, shared } = codes;
    this.mechanism = mechanism;
    this.states = states;
    this.threads = threads;
    this.reasonForCaller = reasonForCaller;
    this.#options = options;
    this.#codes = codes;
    this.#plainReason = reasonForNoCode(mechanism, plan);
    if (layout.end > MOST_BYTES) {
      const most = Math.floor((MOST_BYTES / layout.end) * states);
      throw MechanismError.of(
        'states',
        'states',
        `A batch on the CPU holds at most ${most} states of ${mechanism.name}, not ${states}. Use several batches, one after the other.`,
      );
    }
    if (this.#plainReason === undefined)
      try {
        const initial = Math.ceil(layout.end / PAGE);
        // A shared memory must name a limit, and its address space is taken at once.
        const maximum = Math.min(MOST_PAGES, initial + MOST_PAGES / 16);
        this.#memory = new (webAssembly().Memory)(shared ? { initial, maximum, shared } : { initial });
      } catch (error) {
        this.#plainReason = `WebAssembly cannot be used here: ${String(error)}`;
      }
    this.#buffer = this.#memory?.buffer ?? (shared ? new SharedArrayBuffer(layout.end) : new ArrayBuffer(layout.end));
    this.#arrays = this.#views();
    // Quaternions that nobody has set are no rotations: all states begin at the neutral position.
    const { q } = new State(mechanism);
    const { nq } = layout;
    const all = new Float64Array(this.#buffer, layout.q, (states + (states % 2)) * nq);
    for (let at = 0; at < all.length; at += nq) all.set(q, at);
    if (this.#plainReason !== undefined) options.onFallback?.(this.#plainReason);
  }

  /** The rows themselves; ask again after `ready` and after a first call: without threads the memory may have moved. */
  get arrays(): RowArrays {
    return this.#arrays;
  }

  get plainReason(): string | undefined {
    return this.#plainReason;
  }

  /** What then computes a function, one state after the other, as derivatives always are. */
  oneByOne(name: 'forward' | 'inverse' | DerivativeFunctionName): 'plain' | 'compiled' {
    return oneByOne(this.mechanism, name).runs(name).engine === 'compiled' ? 'compiled' : 'plain';
  }

  /** Derivatives, where they have been computed. */
  matrix(name: MatrixName): Float64Array | undefined {
    return this.#matrices && new Float64Array(this.#matrices[name]);
  }

  get notes(): readonly string[] {
    const { fused, notes } = this.#codes;
    return fused ? ['Multiplications and additions are fused.', ...notes] : notes;
  }

  #views(): RowArrays {
    const { q, v, tau, qdd, nq, nv } = this.#codes.layout;
    const buffer = this.#memory?.buffer ?? this.#buffer;
    const rows = (at: number, n: number): Float64Array => new Float64Array(buffer, at, this.states * n);
    return { q: rows(q, nq), v: rows(v, nv), tau: rows(tau, nv), qdd: rows(qdd, nv) };
  }

  /** Done when the code of that function is there. */
  async ready(of: BatchFunction): Promise<void> {
    if (this.#plainReason !== undefined) return;
    try {
      await this.#codes.ready(of, async (task) => (await this.#poolOrCaller()).run(0, task));
      this.#reserve();
    } catch (error) {
      if (this.#plainReason !== undefined) return;
      // A page may allow memory and forbid code.
      this.#plainReason = `Code could not be made: ${String(error)}`;
      this.#options.onFallback?.(this.#plainReason);
    }
  }

  #reserve(): void {
    const memory = this.#memory!;
    const missing = Math.ceil((this.#codes.top - memory.buffer.byteLength) / PAGE);
    if (missing <= 0) return;
    memory.grow(missing);
    this.#arrays = this.#views();
  }

  async forward(count: number, run: BatchRun = {}): Promise<void> {
    await this.#run('forward', count, run, 1, 0, held());
  }

  async inverse(count: number, run: BatchRun = {}): Promise<void> {
    await this.#run('inverse', count, run, 1, 0, held());
  }

  async derivatives(of: DerivativeFunctionName, count: number, run: BatchRun = {}): Promise<void> {
    this.#matrices ??= this.#newMatrices();
    await this.#run(of, count, run, 1, 0, held());
  }

  #newMatrices(): MatrixBuffers {
    const { name, nv } = this.mechanism;
    const bytes = 8 * nv * nv * this.states;
    const make = (): ArrayBufferLike => (this.#codes.shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
    try {
      return { dq: make(), dv: make(), dtau: make() };
    } catch (error) {
      throw MechanismError.of(
        'states',
        'states',
        `There is no memory for the derivatives of ${this.states} states of ${name}, ${Math.ceil((3 * bytes) / 1e6)} MB (${String(error)}). Use several batches, one after the other.`,
      );
    }
  }

  /** The law has been checked. */
  async rollout(steps: number, step: number, torque: Torque, run: BatchRun = {}): Promise<void> {
    await this.#run('step', this.states, run, steps, step, this.#sharedLaw(torque));
  }

  /** Another batch with the same code and rows of its own. */
  fork(): CpuBatch {
    return new CpuBatch(
      this.#codes,
      this.mechanism,
      this.states,
      { ...this.#options, onFallback: () => {} },
      this.threads,
      this.reasonForCaller,
    );
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    const release: BatchMessage = { what: 'release', id: this.#id };
    const pool = this.#pool;
    for (const thread of this.#known.keys())
      if (thread < 0) void runTask(release);
      else if (pool?.ended === false) pool.run(thread, release).catch(() => {});
  }

  /** Large arrays of laws are copied once, not for each thread. */
  #sharedLaw(torque: Torque): Torque {
    if (!this.#codes.shared || (torque.kind !== 'sequence' && torque.kind !== 'spline')) return torque;
    const { values } = torque;
    if (values.buffer instanceof SharedArrayBuffer) return torque;
    const copy = new Float64Array(new SharedArrayBuffer(8 * values.length));
    copy.set(values);
    return { ...torque, values: copy };
  }

  async #poolOrCaller(): Promise<Pick<Pool, 'run'>> {
    if (this.threads === 1) return { run: (_, task) => runTask(task) };
    if (this.#pool === undefined || this.#pool.ended) {
      this.#pool = sharedPool();
      for (const thread of this.#known.keys()) if (thread >= 0) this.#known.delete(thread);
    }
    await this.#pool.grow(this.threads);
    return this.#pool;
  }

  /** Whoever runs a function knows the batch and has its code; `thread` -1 is the caller. */
  async #prepare(thread: number, of: RunTask['of'], run: (task: BatchMessage) => Promise<unknown>): Promise<void> {
    let known = this.#known.get(thread);
    const id = this.#id;
    if (known === undefined) {
      known = new Set();
      this.#known.set(thread, known);
      const memory = this.#memory;
      // A memory that is not shared cannot be sent, and need not be.
      const buffer = memory === undefined ? this.#buffer : new ArrayBuffer(0);
      const { layout } = this.#codes;
      await run({ what: 'setup', id, mechanism: sendable(this.mechanism), layout, memory, buffer });
    }
    if (isDerivative(of)) return;
    const made = this.#codes.made.get(of);
    if (made === undefined || known.has(of) || this.#plainReason !== undefined) return;
    known.add(of);
    const scratch = made.code.end + Math.max(0, thread) * made.area;
    const tauAt = scratch + made.code.scratchBytes;
    await run({ what: 'code', id, of, module: made.module, scratch, tauAt });
  }

  async #run(
    of: RunTask['of'],
    count: number,
    { signal, onProgress }: BatchRun,
    steps: number,
    step: number,
    torque: Torque,
  ): Promise<void> {
    signal?.throwIfAborted();
    if (!isDerivative(of)) await this.ready(of);
    signal?.throwIfAborted();
    const { operations: ofDynamics, chunk: ofRows, layout } = this.#codes;
    // Each state of derivatives fills whole matrices.
    const operations = isDerivative(of) ? (ofDynamics * layout.nv) / 2 : ofDynamics;
    const chunk = isDerivative(of) ? Math.max(1, Math.round(ofRows / layout.nv)) : ofRows;
    const few = operations * count * steps < FEW_OPERATIONS && this.#plainReason === undefined;
    const onCaller = this.threads === 1 || few;
    const bytes = 4 * PROGRESS_WORDS;
    // Memory that is shared takes longer to get.
    const progress = new Int32Array(onCaller ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes));
    const task: RunTask = {
      what: 'run',
      id: this.#id,
      of,
      count,
      chunk,
      progress: progress.buffer,
      steps,
      step,
      torque,
      ...(isDerivative(of) && { matrices: this.#matrices! }),
    };
    const stop = (): void => {
      Atomics.store(progress, STOP, 1);
    };
    signal?.addEventListener('abort', stop);
    const tell = (): void => onProgress?.(Math.min(count, Atomics.load(progress, DONE)), count);
    const timer = onProgress === undefined ? undefined : setInterval(tell, PROGRESS_MS);
    try {
      if (onCaller) {
        await this.#prepare(-1, of, runTask);
        await runTask(task, pauses());
      } else {
        const pool = await this.#poolOrCaller();
        const threads = Math.min(this.threads, Math.ceil(count / chunk));
        await Promise.all(
          Array.from({ length: threads }, async (_, k) => {
            await this.#prepare(k, of, (given) => pool.run(k, given));
            await pool.run(k, task);
          }),
        );
      }
      signal?.throwIfAborted();
      tell();
    } finally {
      clearInterval(timer);
      signal?.removeEventListener('abort', stop);
    }
  }
}

/** Lets others have a turn every now and then. */
function pauses(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined;
    return new Promise((resolve) => {
      setTimeout(() => {
        since = performance.now();
        resolve();
      }, 0);
    });
  };
}
