// A batch on the GPU.

import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import type { Tier } from '../wasm/compiled.js';
import { BatchArrays } from './batch-arrays.js';
import type { Column } from './columns.js';
import { CpuBatch } from './cpu-batch.js';
import { checked, type Gpu, lossOf } from './device.js';
import { rolloutOnDevice } from './device-rollout.js';
import { type DeviceTime, timeOf } from './device-time.js';
import { Engine, type EngineOptions } from './engine.js';
import { GpuError } from './errors.js';
import type { Task } from './kernel.js';
import { type Bound, encode, type Program, USAGE, WHOLE, wholeStates } from './pipeline.js';
import type { ArrayName, BatchTask, RolloutOptions, StateBatch } from './state-batch.js';
import { checkTorque } from './torque.js';

const TASK: { readonly [task in BatchTask]: Task } = { forward: 'forward', inverse: 'inverse', rollout: 'step' };
/** Against a lack of memory. */
const ADVICE = 'ask for fewer, or use several batches one after the other';

const sizeOf = ({ name, nq, nv }: Mechanism, states: number): string =>
  `${states} states of ${name}, some ${Math.ceil((4 * wholeStates(states) * 2 * (nq + 3 * nv + 1)) / 1e6)} MB`;

/** How a batch is made, and what becomes of it when the device is lost. */
export interface GpuBatchSettings extends EngineOptions {
  readonly onLoss?: 'error' | 'cpu';
  readonly onFallback?: (reason: string) => void;
}

/** How many batches share an engine, and what is done after the last of them. */
interface Users {
  count: number;
  readonly close: () => void;
  /** Where the CPU goes on when the device is lost: whom to tell, once for all of them. */
  readonly onCpu: ((reason: string) => void) | undefined;
}

export class GpuBatch implements StateBatch {
  readonly mechanism: Mechanism;
  readonly states: number;
  readonly #engine: Engine;
  readonly #users: Users;
  readonly #arrays: BatchArrays;
  #next: { readonly q: GPUBuffer; readonly v: GPUBuffer } | undefined;
  readonly #bound = new Map<Program, readonly Bound[]>();
  /** Done when all buffers are known to be there. */
  #made: Promise<unknown> = Promise.resolve();
  /** The CPU, once the device is lost; and positions and velocities at the end of the last rollout before. */
  #cpu: CpuBatch | undefined;
  #last: { readonly [name in 'q' | 'v']: Float32Array } | undefined;
  #busy = false;
  #disposed = false;
  #freed = false;
  #flagged: number[] = [];

  private constructor(engine: Engine, users: Users, states: number) {
    this.#engine = engine;
    this.#users = users;
    this.mechanism = engine.mechanism;
    this.states = states;
    this.#arrays = new BatchArrays(engine.gpu, engine.mechanism, states, users.onCpu !== undefined);
    users.count++;
  }

  static async create(
    gpu: Gpu,
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
    const engine = new Engine(gpu, mechanism, settings);
    const close = (): void => {
      engine.close();
      if (closeDevice) gpu.close();
    };
    let told = false;
    const onCpu = (reason: string): void => {
      if (!told) settings.onFallback?.(reason);
      told = true;
    };
    const users = { count: 0, close, onCpu: settings.onLoss === 'cpu' ? onCpu : undefined };
    const batch = GpuBatch.#allocate(engine, users, states);
    await batch.#made;
    // Only now: where buffers of the device failed, mapped ones would take memory of the host in vain.
    try {
      await checked(gpu, sizeOf(mechanism, states), () => batch.#arrays.prepare(), ADVICE);
    } catch (error) {
      batch.#free();
      throw error;
    }
    return batch;
  }

  /** A batch, maybe without the memory that it needs: then `#made` says so, and it has let go of what it had. */
  static #allocate(engine: Engine, users: Users, states: number): GpuBatch {
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

  get where(): 'gpu' | 'cpu' {
    return this.#cpu === undefined ? 'gpu' : 'cpu';
  }
  get adapter(): string {
    return this.#cpu === undefined ? this.#engine.gpu.adapter : '';
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

  at(name: ArrayName, k: number, s: number): number {
    return this.#arrays.at(name, k, s);
  }

  setState(s: number, state: State): void {
    const { q, v } = this;
    for (let k = 0; k < state.q.length; k++) q[this.at('q', k, s)] = state.q[k];
    for (let k = 0; k < state.v.length; k++) v[this.at('v', k, s)] = state.v[k];
  }

  getState(s: number, state: State): State {
    const { q, v } = this;
    for (let k = 0; k < state.q.length; k++) state.q[k] = q[this.at('q', k, s)];
    for (let k = 0; k < state.v.length; k++) state.v[k] = v[this.at('v', k, s)];
    return state;
  }

  forward(count = this.states): Promise<void> {
    return this.#compute('forward', ['q', 'v', 'tau'], ['qdd'], count);
  }

  inverse(count = this.states): Promise<void> {
    return this.#compute('inverse', ['q', 'v', 'qdd'], ['tau'], count);
  }

  async rollout(options: RolloutOptions): Promise<void> {
    const { steps, step, torque, resume = false } = options;
    if (!Number.isInteger(steps) || steps < 1)
      throw new GpuError('mechanism', `Expected a positive number of steps, got ${steps}.`);
    if (!(step > 0 && Number.isFinite(step))) throw new GpuError('mechanism', `Expected a positive step, got ${step}.`);
    if (torque !== undefined) checkTorque(torque, this.mechanism, this.states, steps);
    const onGpu = async (): Promise<void> => {
      const { programs } = await this.#engine.running('step', this.#arrays.whole);
      const next = await this.#nextBuffers();
      const work = { programs, arrays: this.#arrays, next };
      await rolloutOnDevice(this.#engine, work, options, (make) => this.#checked('a rollout', make));
      this.#flagged = this.#arrays.flagged(this.states);
      const { q, v } = this;
      if (this.#users.onCpu !== undefined) this.#last = { q: q.slice(), v: v.slice() };
    };
    await this.#alone(onGpu, async (cpu, isNew) => {
      if (!resume) this.#arrays.toCpu(cpu, ['q', 'v', 'tau']);
      else {
        if (isNew) this.#arrays.toCpu(cpu, ['q', 'v'], this.#last);
        this.#arrays.toCpu(cpu, ['tau']);
      }
      await cpu.rollout(options);
      this.#arrays.fromCpu(cpu, ['q', 'v']);
    });
  }

  /**
   * For measuring: runs a task `times` times on what is in the device's memory.
   */
  async measure(task: BatchTask, times: number): Promise<DeviceTime> {
    this.#check();
    const { programs } = await this.#engine.running(TASK[task], this.#arrays.whole);
    const next = task === 'rollout' ? await this.#nextBuffers() : undefined;
    const others = next === undefined ? {} : { nextQ: next.q, nextV: next.v };
    // Steps of no length: states stay as they are.
    const bound = this.#arrays.windows.flatMap((window) =>
      programs.map((program) => program.bind(this.#arrays.bindings(window, others), window.states, 0)),
    );
    try {
      return await timeOf(this.#engine.gpu, bound, times);
    } finally {
      for (const one of bound) one.destroy();
    }
  }

  /** What runs a task now, by name. */
  async variantOf(task: BatchTask): Promise<string> {
    return (await this.#engine.running(TASK[task], this.#arrays.whole)).name;
  }

  notFinite(): number[] {
    return [...this.#flagged];
  }

  tierOf(task: BatchTask): Tier {
    return this.#cpu?.tierOf(task) ?? this.#engine.tierOf(TASK[task]);
  }

  async ready(task: BatchTask = 'forward'): Promise<void> {
    if (this.#cpu !== undefined) return this.#cpu.ready(task);
    if (this.#users.onCpu === undefined) this.#check();
    if (this.#engine.gpu.lost() === undefined) await this.#engine.ready(TASK[task], this.#arrays.whole);
  }

  fork(): GpuBatch {
    if (this.#users.onCpu === undefined) this.#check();
    return GpuBatch.#allocate(this.#engine, this.#users, this.states);
  }

  explain(): string {
    if (this.#cpu !== undefined) return this.#cpu.explain();
    const { adapter, notes } = { adapter: this.adapter, notes: this.#engine.notes };
    const windows = this.#arrays.windows.length === 1 ? '' : `, in ${this.#arrays.windows.length} parts`;
    return [`${this.mechanism.name}, ${this.states} states on ${adapter}${windows}.`, ...notes].join('\n');
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

  async #compute(task: 'forward' | 'inverse', from: ArrayName[], to: ArrayName[], count: number): Promise<void> {
    if (!(Number.isInteger(count) && count >= 0 && count <= this.states))
      throw new GpuError('mechanism', `Expected at most ${this.states} states, got ${count}.`);
    if (count === 0) return;
    const onGpu = async (): Promise<void> => {
      const { device } = this.#engine.gpu;
      const { programs } = await this.#engine.running(task, this.#arrays.whole);
      const bindings = await this.#boundFor(programs);
      const encoder = device.createCommandEncoder();
      for (const name of from) this.#arrays.columns[name].upload(encoder);
      const pass = encoder.beginComputePass();
      for (const bound of bindings) {
        this.#arrays.windows.forEach(({ first }, k) => {
          if (first < count) encode(pass, bound[k]);
        });
      }
      pass.end();
      for (const name of to) this.#arrays.columns[name].download(encoder);
      this.#arrays.flags.download(encoder);
      device.queue.submit([encoder.finish()]);
      await Promise.all(
        [...from, ...to].map((name) => this.#arrays.columns[name].settle()).concat(this.#arrays.flags.settle()),
      );
      this.#flagged = this.#arrays.flagged(count);
    };
    await this.#alone(onGpu, async (cpu) => {
      this.#arrays.toCpu(cpu, from);
      await cpu[task](count);
      this.#arrays.fromCpu(cpu, to);
    });
  }

  /** One call at a time on a batch; errors of the device become ours, or the CPU does what was asked for. */
  async #alone(onGpu: () => Promise<void>, onCpu: (cpu: CpuBatch, isNew: boolean) => Promise<void>): Promise<void> {
    if (this.#disposed) this.#check();
    if (this.#busy) throw new GpuError('mechanism', 'This batch is at work: await its last call, or use fork().');
    this.#busy = true;
    try {
      await this.#made;
      const before = this.#cpu;
      if (before === undefined && (await this.#succeeds(onGpu))) return;
      await onCpu(this.#cpu!, before === undefined);
      this.#flagged = this.#cpu!.notFinite();
    } finally {
      this.#busy = false;
    }
  }

  /** Whether the GPU has done it; where it has not, there is an error or, by option, the CPU. */
  async #succeeds(work: () => Promise<void>): Promise<boolean> {
    const { gpu } = this.#engine;
    let cause: unknown;
    if (gpu.lost() === undefined)
      try {
        await work();
        return true;
      } catch (error) {
        cause = error;
      }
    const lost = await lossOf(gpu);
    const noMemory = cause instanceof GpuError && cause.code === 'memory';
    if (lost === undefined && !(noMemory && this.#users.onCpu !== undefined)) {
      // What was sent to the device and never used comes back.
      await this.#arrays.settle().catch(() => {});
      throw cause;
    }
    const reason = lost === undefined ? (cause as GpuError).message : `The GPU device was lost: ${lost}`;
    if (this.#users.onCpu === undefined) throw new GpuError('lost', reason, { cause });
    this.#arrays.release();
    this.#cpu = new CpuBatch(this.mechanism, this.states, reason);
    this.#users.onCpu(reason);
    return false;
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
    const make = (column: Column): GPUBuffer => {
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
  async #boundFor(programs: readonly Program[]): Promise<readonly (readonly Bound[])[]> {
    const missing = programs.filter((program) => !this.#bound.has(program));
    if (missing.length > 0) {
      // Programs that are no longer used go with their bindings.
      if (this.#bound.size > 3) this.#unbind();
      await this.#checked('forward or inverse dynamics', () => {
        for (const program of programs)
          if (!this.#bound.has(program))
            this.#bound.set(
              program,
              this.#arrays.windows.map((window) => program.bind(this.#arrays.bindings(window, {}), window.states)),
            );
      });
    }
    return programs.map((program) => this.#bound.get(program)!);
  }

  #unbind(): void {
    for (const list of this.#bound.values()) for (const one of list) one.destroy();
    this.#bound.clear();
  }
}
