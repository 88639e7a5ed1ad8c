// The front door for many states of one mechanism, one state per row, on every device. What a device or an engine cannot do
// falls back, and report() says so: from the GPU to the CPU, from threads to the caller's, from code to readable algorithms.

import { type OpenGpu, opened, openGpu } from '../engines/gpu/device.js';
import { GpuError } from '../engines/gpu/errors.js';
import { GpuBatch } from '../engines/gpu/gpu-batch.js';
import { CpuBatch, type RowArrays } from '../engines/threads/cpu-batch.js';
import { checkedTorque, checkSteps, held } from '../engines/torque.js';
import { MechanismError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import type { State } from '../mechanism/state.js';
import {
  type ArrayName,
  type BatchFunctionName,
  type BatchOptions,
  type BatchReport,
  type BatchRun,
  type CountedRun,
  type DerivativeFunctionName,
  engineOf,
  type MatrixName,
  type RolloutOptions,
} from './options.js';

/** With `precision: 'single'`, 'auto' takes the GPU from so many velocities (states times nv) on. */
export const AUTO_GPU_NUMBERS = 100_000;

const DERIVATIVES = ['inverseDerivatives', 'forwardDerivatives'] as const;
const FUNCTIONS: readonly BatchFunctionName[] = ['forward', 'inverse', 'rollout', ...DERIVATIVES];
const MATRICES: readonly string[] = ['dq', 'dv', 'dtau'];
const isDerivative = (name: string): name is DerivativeFunctionName =>
  name === 'inverseDerivatives' || name === 'forwardDerivatives';
const isMatrix = (name: string): name is MatrixName => MATRICES.includes(name);

/** What a function writes. */
const RESULTS: { readonly [name in Exclude<BatchFunctionName, 'rollout'>]: readonly (ArrayName | MatrixName)[] } = {
  forward: ['qdd'],
  inverse: ['tau'],
  inverseDerivatives: ['dq', 'dv'],
  forwardDerivatives: ['qdd', 'dq', 'dv', 'dtau'],
};

type Device = { readonly kind: 'cpu'; readonly on: CpuBatch } | { readonly kind: 'gpu'; readonly on: GpuBatch };

/** Numbers that can be written to. */
export type Rows = Float32Array | Float64Array | number[];

/**
 * Many states of one mechanism.
 *
 *     const many = await batch(mechanism, { states: 4096 });
 *     many.write('q', rows);
 *     await many.forward();
 *     const qdd = many.read('qdd');
 */
export class Batch {
  readonly mechanism: Mechanism;
  readonly states: number;
  readonly #options: BatchOptions;
  readonly #notes: string[];
  #device: Device;
  /** One call at a time. */
  #last: Promise<unknown> = Promise.resolve();
  /** q or v have been written since the last rollout, as far as is known. */
  #fresh = true;
  #rolled = false;
  #checked: { readonly array: ArrayName | MatrixName; readonly count: number }[] = [];
  /** Derivatives that have been computed. */
  readonly #derived = new Set<MatrixName>();
  #disposed = false;

  /**
   * Made by batch().
   * @internal
   */
  constructor(mechanism: Mechanism, options: BatchOptions, device: Device, notes: readonly string[]) {
    this.mechanism = mechanism;
    this.states = options.states;
    this.#options = options;
    this.#device = device;
    this.#notes = [...notes];
  }

  /** Where the work is done now. */
  get device(): 'cpu' | 'gpu' {
    return this.#device.kind;
  }

  /**
   * The rows in place, on the CPU: what is written here needs no copy. Undefined on the GPU. Ask again after `ready` and
   * after every call.
   */
  get arrays(): RowArrays | undefined {
    return this.#device.kind === 'cpu' ? this.#device.on.arrays : undefined;
  }

  /** Copies rows, one state after the other, into an array, from state `first` on. */
  write(name: ArrayName, rows: ArrayLike<number>, first = 0): void {
    if (isMatrix(name)) throw MechanismError.of('array', name, 'Derivatives are results: they cannot be written.');
    const n = this.#numbers(name);
    this.#fits(name, rows.length, n, first);
    if (name === 'q' || name === 'v') this.#fresh = true;
    if (this.#device.kind === 'gpu') this.#device.on.write(name, rows, first);
    else this.#device.on.arrays[name].set(rows, first * n);
  }

  /**
   * The rows of an array: all of them, or as many as `out` has room for, from state `first` on. Derivatives have nv x nv
   * numbers for each state.
   */
  read<T extends Rows = Float64Array>(name: ArrayName | MatrixName, out?: T, first = 0): T {
    if (isMatrix(name) && !this.#derived.has(name))
      throw MechanismError.of(
        'array',
        name,
        `There are no derivatives ${name} yet: call forwardDerivatives()${name === 'dtau' ? '' : ' or inverseDerivatives()'} first.`,
      );
    const n = this.#numbers(name);
    const rows = out ?? (new Float64Array((this.states - first) * n) as unknown as T);
    this.#fits(name, rows.length, n, first);
    if (this.#device.kind === 'gpu') this.#device.on.read(name, rows, first);
    else {
      const array = isMatrix(name) ? this.#device.on.matrix(name)! : this.#device.on.arrays[name];
      const from = array.subarray(first * n, first * n + rows.length);
      if (Array.isArray(rows)) for (let k = 0; k < from.length; k++) rows[k] = from[k];
      else rows.set(from);
    }
    return rows;
  }

  /** Puts a state at its place in q and v, and takes it from there. */
  setState(s: number, state: State): void {
    this.#ofMechanism(state);
    this.write('q', state.q, s);
    this.write('v', state.v, s);
  }

  /** Copies state number s into `state`, and returns that. */
  getState(s: number, state: State): State {
    this.#ofMechanism(state);
    this.read('q', state.q, s);
    this.read('v', state.v, s);
    return state;
  }

  /** qdd from q, v and tau. Results are not checked: notFinite() tells where they are no numbers. */
  forward(run: CountedRun = {}): Promise<void> {
    return this.#compute('forward', run);
  }

  /** tau from q, v and qdd. */
  inverse(run: CountedRun = {}): Promise<void> {
    return this.#compute('inverse', run);
  }

  /** The derivatives of tau with respect to q and v, at q, v and qdd: read them as 'dq' and 'dv'. */
  inverseDerivatives(run: CountedRun = {}): Promise<void> {
    return this.#compute('inverseDerivatives', run);
  }

  /** The derivatives of qdd with respect to q, v and tau, and qdd: read them as 'dq', 'dv', 'dtau' and 'qdd'. */
  forwardDerivatives(run: CountedRun = {}): Promise<void> {
    return this.#compute('forwardDerivatives', run);
  }

  /**
   * Steps in time: q and v become those of the end. Linearly implicit Euler with springs, damping and friction of the
   * joints: v' = v + h a(q, v), q moved along v'. A rollout that is stopped by its signal leaves states anywhere between.
   */
  async rollout(options: RolloutOptions): Promise<void> {
    const { steps, step, resume = false, signal } = options;
    checkSteps(options);
    const torque = checkedTorque(options.torque ?? held(), this.mechanism, this.states, steps);
    if (resume && (this.#fresh || !this.#rolled))
      throw MechanismError.of(
        'resume',
        'rollout',
        this.#rolled
          ? 'q or v have been written since the last rollout: leave `resume` out to start from what they hold.'
          : 'There is no rollout yet to resume.',
      );
    const { onProgress } = options;
    await this.#alone(async () => {
      signal?.throwIfAborted();
      const fresh = this.#fresh || !this.#rolled;
      this.#checked = ['q', 'v'].map((array) => ({ array: array as ArrayName, count: this.states }));
      await this.#onDevice(
        (gpu) => gpu.rollout({ steps, step }, torque, fresh),
        (cpu) => cpu.rollout(steps, step, torque, { ...(signal && { signal }), ...(onProgress && { onProgress }) }),
      );
      this.#fresh = false;
      this.#rolled = true;
      if (this.device === 'gpu') onProgress?.(this.states, this.states);
    });
  }

  /**
   * Accelerations, without joint forces, of as many states as come, in order, in arrays of their own. States are taken
   * from the source only as fast as results are taken: at most one round of `states` is computed ahead.
   */
  async *stream(
    source: Iterable<State> | AsyncIterable<State>,
    run: BatchRun = {},
  ): AsyncGenerator<{ readonly state: State; readonly qdd: Float64Array }> {
    const { nv } = this.mechanism;
    const many = this.fork();
    let total = 0;
    const compute = async (list: readonly State[]) => {
      list.forEach((state, s) => {
        many.setState(s, state);
      });
      await many.forward({ ...(run.signal && { signal: run.signal }), count: list.length });
      total += list.length;
      run.onProgress?.(total, total);
      return { list, qdd: many.read('qdd', new Float64Array(list.length * nv)) };
    };
    const results = function* ({ list, qdd }: Awaited<ReturnType<typeof compute>>) {
      for (const [s, state] of list.entries()) yield { state, qdd: qdd.slice(s * nv, (s + 1) * nv) };
    };
    let ahead: ReturnType<typeof compute> | undefined;
    let list: State[] = [];
    try {
      for await (const state of source) {
        list.push(state);
        if (list.length < this.states) continue;
        const before = ahead === undefined ? undefined : await ahead;
        ahead = compute(list);
        list = [];
        if (before !== undefined) yield* results(before);
      }
      const before = ahead === undefined ? undefined : await ahead;
      ahead = undefined;
      if (before !== undefined) yield* results(before);
      if (list.length > 0) yield* results(await compute(list));
    } finally {
      // Whoever leaves early does not want the rest.
      await ahead?.catch(() => {});
      many.dispose();
    }
  }

  /** States whose last result has a number that is not finite; the others are right. */
  notFinite(): number[] {
    if (this.#device.kind === 'gpu') return this.#device.on.notFinite();
    const found = new Set<number>();
    for (const { array, count } of this.#checked) {
      const { on } = this.#device;
      const rows = isMatrix(array) ? on.matrix(array)! : on.arrays[array];
      const n = this.#numbers(array);
      for (let s = 0; s < count; s++) {
        // Products with zero: zero again, or not a number for what is not finite.
        let sum = 0;
        for (let k = s * n; k < (s + 1) * n; k++) sum += rows[k] * 0;
        if (sum !== 0) found.add(s);
      }
    }
    return [...found].sort((a, b) => a - b);
  }

  /** Done when the best code of a function is there; a first call waits for what it needs by itself. */
  async ready(name: BatchFunctionName = 'forward'): Promise<void> {
    await this.#alone(() =>
      this.#onDevice(
        (gpu) => gpu.ready(name),
        async (cpu) => {
          if (!isDerivative(name)) await cpu.ready(name === 'rollout' ? 'step' : name);
        },
      ),
    );
  }

  /** What computes this batch, and why. */
  report(): BatchReport {
    const { mechanism, states } = this;
    const device = this.#device;
    const notes = [...this.#notes, ...device.on.notes];
    const adapter = device.kind === 'gpu' ? device.on.adapter : undefined;
    const threads = device.kind === 'cpu' ? device.on.threads : 1;
    if (device.kind === 'cpu' && device.on.reasonForCaller !== undefined)
      notes.push(`On the caller's thread: ${device.on.reasonForCaller}`);
    const functions = FUNCTIONS.map((name) => {
      if (device.kind === 'gpu') return { name, engine: engineOf(device.on.tierOf(name)) };
      if (isDerivative(name)) return { name, engine: device.on.oneByOne(name) };
      const reason = device.on.plainReason;
      if (reason === undefined) return { name, engine: 'compiled' as const };
      return { name, engine: device.on.oneByOne(name === 'inverse' ? 'inverse' : 'forward'), reason };
    });
    const where = adapter ?? (threads === 1 ? 'one thread' : `${threads} threads`);
    const lines = functions.map(
      ({ name, engine, ...why }) => `${name}: ${engine}${'reason' in why ? ` (${why.reason})` : ''}`,
    );
    const text = [
      `${mechanism.name}, ${states} states on the ${device.kind.toUpperCase()} (${where})`,
      ...lines,
      ...notes,
    ].join('\n');
    return { device: device.kind, adapter, threads, functions, notes, text };
  }

  /** Another batch with the same code and arrays of its own: while one computes, the other can be filled or read. */
  fork(): Batch {
    this.#alive();
    const device: Device =
      this.#device.kind === 'gpu'
        ? { kind: 'gpu', on: this.#device.on.fork() }
        : { kind: 'cpu', on: this.#device.on.fork() };
    return new Batch(this.mechanism, this.#options, device, this.#notes);
  }

  /** Frees memory and device; the batch is of no use afterwards. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#device.on.dispose();
  }

  #numbers(name: ArrayName | MatrixName): number {
    const { nq, nv } = this.mechanism;
    return name === 'q' ? nq : isMatrix(name) ? nv * nv : nv;
  }

  #fits(name: ArrayName | MatrixName, length: number, n: number, first: number): void {
    this.#alive();
    const most = this.states - first;
    const whole = n === 0 ? length === 0 : length % n === 0;
    if (Number.isInteger(first) && first >= 0 && most >= 0 && whole && length <= most * n) return;
    throw MechanismError.of(
      'length',
      name,
      `Expected ${n} numbers of ${name} for each of at most ${Math.max(0, most)} states from state ${first} on, got ${length}.`,
    );
  }

  #ofMechanism({ q, v, mechanism }: State): void {
    const { nq, nv, name } = this.mechanism;
    if (q.length !== nq || v.length !== nv)
      throw MechanismError.of('state', '', `The state belongs to "${mechanism.name}", not to "${name}".`);
  }

  #alive(): void {
    if (this.#disposed)
      throw MechanismError.of('disposed', 'batch', 'This batch has been disposed of: make another one.');
  }

  #compute(
    name: Exclude<BatchFunctionName, 'rollout'>,
    { count = this.states, signal, onProgress }: CountedRun,
  ): Promise<void> {
    return this.#alone(async () => {
      if (!(Number.isInteger(count) && count >= 0 && count <= this.states))
        throw MechanismError.of('count', 'count', `Expected at most ${this.states} states, got ${count}.`);
      signal?.throwIfAborted();
      if (count === 0) return;
      const results = RESULTS[name];
      this.#checked = results.map((array) => ({ array, count }));
      const run = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
      await this.#onDevice(
        (gpu) => (isDerivative(name) ? gpu.derivatives(name, count) : gpu[name](count)),
        (cpu) => (isDerivative(name) ? cpu.derivatives(name, count, run) : cpu[name](count, run)),
      );
      for (const array of results) if (isMatrix(array)) this.#derived.add(array);
      if (this.device === 'gpu') onProgress?.(count, count);
    });
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(() => {
      this.#alive();
      return work();
    });
    this.#last = next.catch(() => {});
    return next;
  }

  /** On the GPU, or on the CPU where that fails and may: with all arrays as they were. */
  async #onDevice(onGpu: (gpu: GpuBatch) => Promise<void>, onCpu: (cpu: CpuBatch) => Promise<void>): Promise<void> {
    const device = this.#device;
    if (device.kind === 'cpu') return onCpu(device.on);
    try {
      return await onGpu(device.on);
    } catch (error) {
      if (!(error instanceof GpuError) || this.#options.fallback === 'error') throw error;
      const cpu = await openCpu(this.mechanism, this.#options, this.#notes);
      for (const name of ['q', 'v', 'tau', 'qdd'] as const) device.on.read(name, cpu.arrays[name]);
      device.on.dispose();
      this.#device = { kind: 'cpu', on: cpu };
      this.#derived.clear();
      this.#notes.push(`On the CPU: ${error.message}`);
      this.#options.onFallback?.(error.message);
      return onCpu(cpu);
    }
  }
}

function openCpu(mechanism: Mechanism, options: BatchOptions, notes: string[]): Promise<CpuBatch> {
  const { states, threads, fused, onFallback } = options;
  return CpuBatch.create(mechanism, states, {
    ...(threads !== undefined && { threads }),
    ...(fused !== undefined && { fused }),
    onFallback: (reason) => {
      notes.push(`Readable algorithms: ${reason}`);
      onFallback?.(reason);
    },
  });
}

/** Many states of one mechanism, on the CPU or on the GPU. */
export async function batch(mechanism: Mechanism, options: BatchOptions): Promise<Batch> {
  const { states, device = 'auto', precision = 'double', fallback = 'cpu', onFallback } = options;
  if (!Number.isInteger(states) || states < 1)
    throw MechanismError.of('states', 'states', `Expected a positive number of states, got ${states}.`);
  if (!['auto', 'cpu', 'gpu'].includes(device))
    throw MechanismError.of('device', 'device', `Expected 'auto', 'cpu' or 'gpu', got '${device}'.`);
  const notes: string[] = [];
  const auto = precision === 'single' && states * mechanism.nv >= AUTO_GPU_NUMBERS;
  if (device === 'gpu' || (device === 'auto' && auto))
    try {
      const on = await openOnGpu(mechanism, options);
      return new Batch(mechanism, options, { kind: 'gpu', on }, notes);
    } catch (error) {
      if (!(error instanceof GpuError) || fallback === 'error') throw error;
      notes.push(`On the CPU: ${error.message}`);
      onFallback?.(error.message);
    }
  const on = await openCpu(mechanism, options, notes);
  return new Batch(mechanism, options, { kind: 'cpu', on }, notes);
}

async function openOnGpu(mechanism: Mechanism, options: BatchOptions): Promise<GpuBatch> {
  const { states, fallback = 'cpu', gpu: choice = {} } = options;
  const { loops, couplings, nv } = mechanism;
  if (loops.length > 0) throw new GpuError('mechanism', 'closed loops are not computed on the GPU.');
  if (couplings.length > 0) throw new GpuError('mechanism', 'coupled joints are not computed on the GPU.');
  if (nv === 0) throw new GpuError('mechanism', 'nothing in this mechanism can move.');
  const own = choice.device === undefined;
  const gpu: OpenGpu = choice.device === undefined ? await openGpu(choice) : opened(choice.device);
  try {
    return await GpuBatch.create(gpu, mechanism, states, { ...choice, copies: fallback === 'cpu' }, own);
  } catch (error) {
    if (own) gpu.close();
    throw error;
  }
}
