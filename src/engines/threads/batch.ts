// Thousands of states or simulations of one mechanism over all cores. The caller's thread only waits, so it stays free;
// where there are no threads it does the work itself, with pauses in between.

import { MechanismError } from '../../mechanism/errors.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import { mechanismSpec } from '../../mechanism/variants.js';
import { processors, reasonForOneThread } from '../../threads/surroundings.js';
import { reasonForPlain } from '../wasm/compiled.js';
import { type BatchTask, CHUNK, DONE, runTask, STOP } from './batch-task.js';
import { type Pool, sharedPool } from './pool.js';

export interface BatchOptions {
  /** Threads; 'auto' (the default) takes one for each processor. */
  readonly workers?: 'auto' | number;
}

/** Many states, one after the other in each array. */
export interface BatchStates {
  readonly q: Float64Array;
  readonly v: Float64Array;
  /** Joint forces; none where left out. */
  readonly tau?: Float64Array;
  /** Filled with the accelerations and returned; made afresh where left out. */
  readonly qdd?: Float64Array;
}

export interface BatchRun {
  /** Stops the work; the promise is then rejected with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Told how many states are done, some twenty times a second. */
  readonly onProgress?: (done: number, count: number) => void;
}

export interface BatchSimulation extends BatchRun {
  /** Seconds. */
  readonly duration: number;
  /** Seconds, 0.001 where left out. */
  readonly timeStep?: number;
}

/** States in one round of a stream, for each thread. */
const ROUND = 16 * CHUNK;
const PROGRESS_MS = 50;

let batches = 0;

export class Batch {
  readonly mechanism: Mechanism;
  readonly #options: BatchOptions;
  readonly #id = ++batches;
  readonly #spec;
  /** Threads that have the mechanism. */
  readonly #known = new Set<number>();
  #workers = 1;
  #pool: Pool | undefined;
  #reason: string | undefined;
  #ready: Promise<void> | undefined;
  /** One run at a time: each has all threads. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(mechanism: Mechanism, options: BatchOptions = {}) {
    const { workers = 'auto' } = options;
    if (workers !== 'auto' && (!Number.isInteger(workers) || workers < 1 || workers > 63))
      throw MechanismError.of('workers', 'workers', `Expected 'auto' or a whole number from 1 to 63, got ${workers}.`);
    const reason = reasonForPlain(mechanism);
    if (reason !== undefined)
      throw MechanismError.of('batch', '', `A batch of this mechanism cannot be made: ${reason}`);
    this.mechanism = mechanism;
    this.#options = options;
    const spec = mechanismSpec(mechanism);
    // Types have functions in them, which cannot be sent; they are found again by name.
    this.#spec = { ...spec, joints: spec.joints.map((joint) => ({ ...joint, model: undefined })) };
  }

  /** Threads at work; 1 where the caller's own does it. */
  get workers(): number {
    return this.#workers;
  }

  /** Done when the threads are there. */
  ready(): Promise<void> {
    this.#ready ??= this.#start();
    return this.#ready;
  }

  explain(): string {
    const who = this.#reason === undefined ? `${this.#workers} threads` : `the caller's thread: ${this.#reason}`;
    return `${this.mechanism.name}, batches by ${who}`;
  }

  /** Arrays for so many states in memory that all threads see: what is kept in them need not be copied for each run. */
  allocate(count: number): Required<BatchStates> {
    const { nq, nv } = this.mechanism;
    const make = (numbers: number): Float64Array => new Float64Array(this.#buffer(numbers));
    return { q: make(count * nq), v: make(count * nv), tau: make(count * nv), qdd: make(count * nv) };
  }

  /**
   * Accelerations of many states: q, v and tau hold one state after the other, and so does the result. Without tau there
   * are no joint forces. Results are not checked; what is not finite stays so.
   */
  async forward(states: BatchStates, run: BatchRun = {}): Promise<Float64Array> {
    const count = this.#count(states);
    const memory = this.#memory(states);
    await this.#run('forward', count, memory, run, 0, 0);
    if (states.qdd === undefined) return new Float64Array(memory.qdd);
    if (states.qdd.buffer !== memory.qdd) states.qdd.set(new Float64Array(memory.qdd));
    return states.qdd;
  }

  /** Where many simulations lead: semi-implicit Euler, with constant joint forces tau and the passive ones. */
  async simulate(states: BatchStates, run: BatchSimulation): Promise<{ q: Float64Array; v: Float64Array }> {
    const { duration, timeStep = 0.001 } = run;
    if (!(timeStep > 0) || !(duration >= 0) || !Number.isFinite(duration / timeStep))
      throw MechanismError.of(
        'time',
        'simulate',
        `Expected a duration and a positive time step, got ${duration} and ${timeStep}.`,
      );
    const count = this.#count(states);
    // The states that were given stay as they are.
    const memory = this.#memory({ ...states, q: states.q.slice(), v: states.v.slice() });
    await this.#run('simulate', count, memory, run, timeStep, Math.round(duration / timeStep));
    return { q: new Float64Array(memory.q), v: new Float64Array(memory.v) };
  }

  /**
   * Accelerations of as many states as come, in order. Takes states from the source only as fast as results are taken:
   * at most one round is computed ahead.
   */
  async *stream(
    source: Iterable<State> | AsyncIterable<State>,
    run: BatchRun = {},
  ): AsyncGenerator<{ readonly state: State; readonly qdd: Float64Array }> {
    const { nq, nv } = this.mechanism;
    await this.ready();
    const most = ROUND * this.#workers;
    let total = 0;
    const compute = async (states: readonly State[]) => {
      const q = new Float64Array(states.length * nq);
      const v = new Float64Array(states.length * nv);
      states.forEach((state, s) => {
        q.set(state.q, s * nq);
        v.set(state.v, s * nv);
      });
      const { signal } = run;
      const qdd = await this.forward({ q, v }, signal === undefined ? {} : { signal });
      total += states.length;
      run.onProgress?.(total, total);
      return { states, qdd };
    };
    let ahead: ReturnType<typeof compute> | undefined;
    let states: State[] = [];
    const results = function* ({ states: list, qdd }: Awaited<ReturnType<typeof compute>>) {
      for (const [s, state] of list.entries()) yield { state, qdd: qdd.slice(s * nv, (s + 1) * nv) };
    };
    try {
      for await (const state of source) {
        states.push(state);
        if (states.length < most) continue;
        const before = ahead;
        ahead = compute(states);
        states = [];
        if (before !== undefined) yield* results(await before);
      }
      if (ahead !== undefined) {
        const before = ahead;
        ahead = undefined;
        yield* results(await before);
      }
      if (states.length > 0) yield* results(await compute(states));
    } finally {
      // Whoever leaves early does not want the rest.
      ahead?.catch(() => {});
    }
  }

  dispose(): void {
    const pool = this.#pool;
    this.#pool = undefined;
    this.#ready = undefined;
    const release = this.#task('release', 0, EMPTY, new ArrayBuffer(12), 0, 0);
    void runTask(release);
    if (pool === undefined || pool.ended) return;
    for (let k = 0; k < this.#workers; k++) pool.run(k, release).catch(() => {});
  }

  async #start(): Promise<void> {
    const { workers = 'auto' } = this.#options;
    this.#reason = reasonForOneThread();
    const count = workers === 'auto' ? await processors() : workers;
    if (this.#reason !== undefined) return;
    const pool = sharedPool();
    await pool.grow(count);
    this.#known.clear();
    this.#pool = pool;
    this.#workers = count;
  }

  #count({ q, v, tau, qdd }: BatchStates): number {
    const { nq, nv } = this.mechanism;
    const count = q.length / nq;
    const fits = (array: Float64Array | undefined): boolean => array === undefined || array.length === count * nv;
    if (!(Number.isInteger(count) && fits(v) && fits(tau) && fits(qdd)))
      throw MechanismError.of(
        'length',
        'batch',
        `Expected ${nq} positions, ${nv} velocities and ${nv} forces for each state, got ${q.length}, ${v.length} and ${tau?.length ?? 'none'}.`,
      );
    return count;
  }

  #buffer(numbers: number): ArrayBufferLike {
    return reasonForOneThread() === undefined ? new SharedArrayBuffer(8 * numbers) : new ArrayBuffer(8 * numbers);
  }

  /** What all threads see: the arrays themselves where they can be shared, else copies. */
  #memory({ q, v, tau, qdd }: BatchStates): Buffers {
    const shared = reasonForOneThread() === undefined;
    const share = (array: Float64Array | undefined, length: number): ArrayBufferLike => {
      const whole = array !== undefined && array.byteOffset === 0 && array.buffer.byteLength === 8 * length;
      if (whole && shared && array.buffer instanceof SharedArrayBuffer) return array.buffer;
      const buffer = this.#buffer(length);
      if (array !== undefined) new Float64Array(buffer).set(array);
      return buffer;
    };
    return { q: share(q, q.length), v: share(v, v.length), tau: share(tau, v.length), qdd: share(qdd, v.length) };
  }

  #task(
    what: BatchTask['what'],
    count: number,
    buffers: Buffers,
    progress: ArrayBufferLike,
    timeStep: number,
    steps: number,
  ): BatchTask {
    return { id: this.#id, spec: this.#spec, what, count, ...buffers, progress, timeStep, steps };
  }

  #run(
    what: BatchTask['what'],
    count: number,
    buffers: Buffers,
    { signal, onProgress }: BatchRun,
    timeStep: number,
    steps: number,
  ): Promise<void> {
    const work = async (): Promise<void> => {
      signal?.throwIfAborted();
      if (this.#pool?.ended === true) this.#ready = undefined;
      await this.ready();
      const bytes = 4 * 3;
      const progress = new Int32Array(
        this.#reason === undefined ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes),
      );
      const task = this.#task(what, count, buffers, progress.buffer, timeStep, steps);
      const stop = (): void => {
        Atomics.store(progress, STOP, 1);
      };
      signal?.addEventListener('abort', stop);
      const tell = (): void => onProgress?.(Math.min(count, Atomics.load(progress, DONE)), count);
      const timer = onProgress === undefined ? undefined : setInterval(tell, PROGRESS_MS);
      try {
        const pool = this.#pool;
        if (pool === undefined) await runTask(task, pause);
        else
          await Promise.all(
            Array.from({ length: this.#workers }, async (_, k) => {
              await pool.run(k, this.#known.has(k) ? { ...task, spec: undefined } : task);
              this.#known.add(k);
            }),
          );
        signal?.throwIfAborted();
        tell();
      } finally {
        clearInterval(timer);
        signal?.removeEventListener('abort', stop);
      }
    };
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => {});
    return next;
  }
}

type Buffers = Pick<BatchTask, 'q' | 'v' | 'tau' | 'qdd'>;
const EMPTY: Buffers = {
  q: new ArrayBuffer(0),
  v: new ArrayBuffer(0),
  tau: new ArrayBuffer(0),
  qdd: new ArrayBuffer(0),
};

/** Lets others have a turn. */
function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
