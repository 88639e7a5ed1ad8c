// A batch on the GPU.

import type { Mechanism } from '../../mechanism/mechanism.js';
import { State } from '../../mechanism/state.js';
import type { Steps, Torque } from '../torque.js';
import type { Tier } from '../wasm/code-choice.js';
import { BatchArrays, type Window } from './batch-arrays.js';
import type { GpuColumn } from './columns.js';
import { checked, lossOf, type OpenGpu } from './device.js';
import { rolloutOnDevice } from './device-rollout.js';
import { type EngineOptions, GpuEngine } from './engine.js';
import { GpuError } from './errors.js';
import { type GpuTask, TILE } from './kernel.js';
import { type Bound, encode, type GpuProgram, USAGE, WHOLE, wholeStates } from './pipeline.js';
import type { ArrayName, BatchFunctionName, DerivativeFunctionName, MatrixName } from './types.js';
import { WholeTurns } from './whole-turns.js';

type Dynamics = Exclude<BatchFunctionName, DerivativeFunctionName>;

const TASK: { readonly [task in Dynamics]: GpuTask } = {
  forward: 'forward',
  inverse: 'inverse',
  rollout: 'step',
};
const isDerivative = (task: BatchFunctionName): task is DerivativeFunctionName =>
  task === 'inverseDerivatives' || task === 'forwardDerivatives';
/** Against a lack of memory. */
const ADVICE = 'ask for fewer, or use several batches one after the other';

const sizeOf = ({ name, nq, nv }: Mechanism, states: number): string =>
  `${states} states of ${name}, some ${Math.ceil((4 * wholeStates(states) * 2 * (nq + 3 * nv + 1)) / 1e6)} MB`;

export interface GpuBatchSettings extends EngineOptions {
  /** Keeps a copy of every array on the host, which outlives the device: one copy of them more in each call. */
  readonly copies?: boolean;
}

/** A program over all states, window by window. */
interface Work {
  readonly program: GpuProgram;
  readonly windows: readonly Window[];
}

/** How many batches share an engine, and what is done after the last of them. */
interface Users {
  count: number;
  readonly close: () => void;
  /** Whether arrays have copies on the host. */
  readonly copies: boolean;
}

/** Number k of state s of an array stands at at(name, k, s); rows go in and out by write and read. */
export class GpuBatch {
  readonly mechanism: Mechanism;
  readonly states: number;
  readonly #engine: GpuEngine;
  readonly #users: Users;
  readonly #arrays: BatchArrays;
  #next: { readonly q: GPUBuffer; readonly v: GPUBuffer } | undefined;
  readonly #bound = new Map<GpuProgram, readonly Bound[]>();
  /** Done when all buffers are known to be there. */
  #made: Promise<unknown> = Promise.resolve();
  readonly #turns: WholeTurns;
  #busy = false;
  #disposed = false;
  #freed = false;
  #flagged: number[] = [];

  private constructor(engine: GpuEngine, users: Users, states: number) {
    this.#engine = engine;
    this.#users = users;
    this.mechanism = engine.mechanism;
    this.states = states;
    this.#arrays = new BatchArrays(engine.gpu, engine.mechanism, states, users.copies);
    this.#turns = new WholeTurns(engine.mechanism, states);
    users.count++;
  }

  static async create(
    gpu: OpenGpu,
    mechanism: Mechanism,
    states: number,
    settings: GpuBatchSettings,
    closeDevice: boolean,
  ): Promise<GpuBatch> {
    const { nq, nv } = mechanism;
    const bytes = 4 * Math.max(nq, nv) * wholeStates(states);
    if (bytes > gpu.maxBufferBytes || 4 * WHOLE * Math.max(nq, nv) > gpu.maxBindingBytes) {
      const most = WHOLE * Math.floor(gpu.maxBufferBytes / 4 / Math.max(nq, nv) / WHOLE);
      throw new GpuError(
        'limit',
        `This device holds at most ${most} states of ${mechanism.name} in a batch, not ${states}. Use several batches, one after the other.`,
      );
    }
    const engine = new GpuEngine(gpu, mechanism, settings);
    const close = (): void => {
      engine.close();
      if (closeDevice) gpu.close();
    };
    const users = { count: 0, close, copies: settings.copies === true };
    const batch = GpuBatch.#allocate(engine, users, states);
    await batch.#made;
    // Only now: where buffers of the device failed, mapped ones would take memory of the host in vain.
    try {
      await checked(gpu, sizeOf(mechanism, states), () => batch.#arrays.prepare(), ADVICE);
    } catch (error) {
      batch.#free();
      throw error;
    }
    batch.#begin();
    return batch;
  }

  /** Quaternions that nobody has set are no rotations: all states begin at the neutral position. */
  #begin(): void {
    const state = new State(this.mechanism);
    for (let s = 0; s < this.states; s++) this.setState(s, state);
  }

  /** A batch, maybe without the memory that it needs: then `#made` says so, and it has let go of what it had. */
  static #allocate(engine: GpuEngine, users: Users, states: number): GpuBatch {
    let batch: GpuBatch | undefined;
    const make = (): void => {
      batch = new GpuBatch(engine, users, states);
    };
    const made = checked(engine.gpu, sizeOf(engine.mechanism, states), make, ADVICE);
    // Made by now; whether it is any good is known later.
    const created = batch as unknown as GpuBatch;
    created.#made = made.catch((error: unknown) => {
      created.#free();
      throw error;
    });
    created.#made.catch(() => {});
    return created;
  }

  get adapter(): string {
    return this.#engine.gpu.adapter;
  }
  get q(): Float32Array {
    return this.#arrays.columns.q.view;
  }
  get v(): Float32Array {
    return this.#arrays.columns.v.view;
  }
  get tau(): Float32Array {
    return this.#arrays.columns.tau.view;
  }
  get qdd(): Float32Array {
    return this.#arrays.columns.qdd.view;
  }

  at(name: ArrayName | MatrixName, k: number, s: number): number {
    return this.#arrays.at(name, k, s);
  }

  /** Puts a state at its place in q and v, and takes it from there. */
  setState(s: number, { q, v }: State): void {
    this.write('q', q, s);
    this.write('v', v, s);
  }

  getState(s: number, state: State): State {
    this.read('q', state.q, s);
    this.read('v', state.v, s);
    return state;
  }

  /** Rows of numbers, one state after the other, from state `first` on. */
  write(name: ArrayName, rows: ArrayLike<number>, first = 0): void {
    const n = this.#arrays.numbers(name);
    const array = this.#arrays.columns[name].view;
    const turns = name === 'q' ? this.#turns : undefined;
    const count = rows.length / n;
    for (let s = 0; s < count; s++) {
      const at = this.at(name, 0, first + s);
      for (let k = 0; k < n; k++) {
        const x = rows[s * n + k];
        array[at + TILE * k] = turns === undefined ? x : turns.reduced(first + s, k, x);
      }
    }
  }

  read(name: ArrayName | MatrixName, rows: { [k: number]: number; readonly length: number }, first = 0): void {
    const n = this.#arrays.numbers(name);
    const array = this.#arrays.columnOf(name).view;
    const turns = name === 'q' && this.#turns.any ? this.#turns : undefined;
    const count = rows.length / n;
    for (let s = 0; s < count; s++) {
      const at = this.at(name, 0, first + s);
      for (let k = 0; k < n; k++) {
        const x = array[at + TILE * k];
        rows[s * n + k] = turns === undefined ? x : turns.whole(first + s, k, x);
      }
    }
  }

  forward(count = this.states): Promise<void> {
    return this.#compute('forward', ['q', 'v', 'tau'], ['qdd'], count);
  }

  inverse(count = this.states): Promise<void> {
    return this.#compute('inverse', ['q', 'v', 'qdd'], ['tau'], count);
  }

  /** d tau, or qdd and d qdd. */
  async derivatives(of: DerivativeFunctionName, count = this.states): Promise<void> {
    if (of === 'inverseDerivatives') return this.#compute(of, ['q', 'v', 'qdd'], ['dq', 'dv'], count);
    return this.#compute(of, ['q', 'v', 'tau'], ['qdd', 'dq', 'dv', 'dtau'], count);
  }

  /**
   * Steps in time: q and v become those of the end. The law has been checked. `fresh`: q and v of the host are where to
   * start; otherwise the device goes on from where its last rollout ended.
   */
  async rollout({ steps, step }: Steps, torque: Torque, fresh: boolean): Promise<void> {
    await this.#alone(async () => {
      let upload = fresh;
      if (torque.kind === 'pd' && this.#turns.any) {
        // The distance to a target counts whole turns.
        const { q } = this;
        this.#turns.release((s, k, angle) => {
          q[this.at('q', k, s)] += angle;
        });
        upload = true;
      }
      const { programs } = await this.#engine.running('step', this.#arrays.whole);
      const next = await this.#nextBuffers();
      const work = { programs, arrays: this.#arrays, next };
      await rolloutOnDevice(this.#engine, work, { steps, step }, torque, upload, (make) =>
        this.#checked('a rollout', make),
      );
      this.#flagged = this.#arrays.flagged(this.states);
    });
  }

  /** For measuring: what runs a task now, by name, and its dispatches over what is in the device's memory; to be destroyed. */
  async dispatches(task: Dynamics): Promise<{ readonly variant: string; readonly bound: readonly Bound[] }> {
    this.#check();
    const { name, programs } = await this.#engine.running(TASK[task], this.#arrays.whole);
    const next = task === 'rollout' ? await this.#nextBuffers() : undefined;
    const others = next === undefined ? {} : { nextQ: next.q, nextV: next.v };
    // Steps of no length: states stay as they are.
    const bound = this.#arrays.windows.flatMap((window) =>
      programs.map((program) => program.bind(this.#arrays.bindings(window, others), window.states, 0)),
    );
    return { variant: name, bound };
  }

  notFinite(): number[] {
    return [...this.#flagged];
  }

  tierOf(task: BatchFunctionName): Tier {
    return isDerivative(task) ? 'specialised' : this.#engine.tierOf(TASK[task]);
  }

  async ready(task: BatchFunctionName = 'forward'): Promise<void> {
    this.#check();
    if (isDerivative(task)) await this.#engine.derivatives(task);
    else await this.#engine.ready(TASK[task], this.#arrays.whole);
  }

  fork(): GpuBatch {
    this.#check();
    const batch = GpuBatch.#allocate(this.#engine, this.#users, this.states);
    batch.#begin();
    return batch;
  }

  get notes(): readonly string[] {
    const windows = this.#arrays.windows.length;
    return windows === 1 ? this.#engine.notes : [`In ${windows} parts.`, ...this.#engine.notes];
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#free();
  }

  #free(): void {
    if (this.#freed) return;
    this.#freed = true;
    this.#unbind();
    this.#arrays.destroy();
    this.#next?.q.destroy();
    this.#next?.v.destroy();
    if (--this.#users.count === 0) this.#users.close();
  }

  async #compute(
    task: Exclude<BatchFunctionName, 'rollout'>,
    from: readonly ArrayName[],
    to: readonly (ArrayName | MatrixName)[],
    count: number,
  ): Promise<void> {
    if (!(Number.isInteger(count) && count >= 0 && count <= this.states))
      throw new GpuError('mechanism', `Expected at most ${this.states} states, got ${count}.`);
    if (count === 0) return;
    const onGpu = async (): Promise<void> => {
      const { device } = this.#engine.gpu;
      const work = await this.#workOf(task);
      const bindings = await this.#boundFor(work);
      const encoder = device.createCommandEncoder();
      for (const name of from) this.#arrays.columns[name].upload(encoder);
      const pass = encoder.beginComputePass();
      work.forEach(({ windows }, i) => {
        windows.forEach(({ first }, k) => {
          if (first < count) encode(pass, bindings[i][k]);
        });
      });
      pass.end();
      for (const name of to) this.#arrays.columnOf(name).download(encoder);
      this.#arrays.flags.download(encoder);
      device.queue.submit([encoder.finish()]);
      await Promise.all(
        [...from, ...to].map((name) => this.#arrays.columnOf(name).settle()).concat(this.#arrays.flags.settle()),
      );
      this.#flagged = this.#arrays.flagged(count);
    };
    await this.#alone(onGpu);
  }

  /** What runs a function: derivatives of forward dynamics come after it, at the accelerations that it has found. */
  async #workOf(task: Exclude<BatchFunctionName, 'rollout'>): Promise<readonly Work[]> {
    const { whole, windows } = this.#arrays;
    const running = async (of: GpuTask): Promise<Work[]> =>
      (await this.#engine.running(of, whole)).programs.map((program) => ({ program, windows }));
    if (!isDerivative(task)) return running(task);
    const program = await this.#engine.derivatives(task);
    await this.#checked('derivatives', () => this.#arrays.matrices);
    const derivatives = { program, windows: this.#arrays.matrixWindows };
    return task === 'forwardDerivatives' ? [...(await running('forward')), derivatives] : [derivatives];
  }

  /** One call at a time on a batch; errors of the device become ours. After one, copies on the host can be read. */
  async #alone(work: () => Promise<void>): Promise<void> {
    this.#check();
    if (this.#busy) throw new GpuError('mechanism', 'This batch is at work: await its last call, or use fork().');
    this.#busy = true;
    try {
      await this.#made;
      await work();
    } catch (cause) {
      const lost = await lossOf(this.#engine.gpu);
      if (lost === undefined) {
        // What was sent to the device and never used comes back.
        await this.#arrays.settle().catch(() => {});
        throw cause;
      }
      if (this.#users.copies) this.#arrays.release();
      throw new GpuError('lost', `The GPU device was lost: ${lost}`, { cause });
    } finally {
      this.#busy = false;
    }
  }

  /** Something that takes memory of its own. */
  #checked<T>(what: string, make: () => T): Promise<T> {
    const { gpu, mechanism } = this.#engine;
    return checked(gpu, `${what} of ${this.states} states of ${mechanism.name}`, make, ADVICE);
  }

  #check(): void {
    if (this.#disposed) throw new GpuError('lost', 'This batch has been disposed of.');
    const lost = this.#engine.gpu.lost();
    if (lost !== undefined) throw new GpuError('lost', `The GPU device was lost: ${lost}`);
  }

  async #nextBuffers(): Promise<{ readonly q: GPUBuffer; readonly v: GPUBuffer }> {
    if (this.#next !== undefined) return this.#next;
    const { device } = this.#engine.gpu;
    const usage = USAGE.storage | USAGE.copySource;
    const made: GPUBuffer[] = [];
    const make = (column: GpuColumn): GPUBuffer => {
      const buffer = device.createBuffer({ size: 4 * column.numbers, usage });
      made.push(buffer);
      return buffer;
    };
    try {
      this.#next = await this.#checked('a rollout', () => ({
        q: make(this.#arrays.columns.q),
        v: make(this.#arrays.columns.v),
      }));
    } catch (error) {
      for (const buffer of made) buffer.destroy();
      throw error;
    }
    return this.#next;
  }

  /** Bindings of programs: for each of them one for each window. */
  async #boundFor(work: readonly Work[]): Promise<readonly (readonly Bound[])[]> {
    if (work.some(({ program }) => !this.#bound.has(program))) {
      // Programs that are no longer used go with their bindings.
      if (this.#bound.size > 5) this.#unbind();
      await this.#checked('the dynamics', () => {
        for (const { program, windows } of work)
          if (!this.#bound.has(program))
            this.#bound.set(
              program,
              windows.map((window) => program.bind(this.#arrays.bindings(window, {}), window.states)),
            );
      });
    }
    return work.map(({ program }) => this.#bound.get(program)!);
  }

  #unbind(): void {
    for (const list of this.#bound.values()) for (const one of list) one.destroy();
    this.#bound.clear();
  }
}
