// A batch on the GPU.

import type { Tier } from '../compile/compiled.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import type { State } from '../mechanism/state.js';
import { BatchArrays, type Window } from './batch-arrays.js';
import type { Column } from './columns.js';
import { CpuBatch } from './cpu-batch.js';
import { checked, type Gpu, lossOf } from './device.js';
import { Engine, type EngineOptions } from './engine.js';
import { GpuError } from './errors.js';
import type { Task } from './kernel.js';
import { type Bound, encode, type Program, USAGE, WHOLE, wholeStates } from './pipeline.js';
import type { ArrayName, BatchTask, RolloutOptions, StateBatch } from './state-batch.js';
import { checkTorque, type Torque } from './torque.js';
import { TorqueProgram } from './torque-kernel.js';

const TASK: { readonly [task in BatchTask]: Task } = { forward: 'forward', inverse: 'inverse', rollout: 'step' };
/** Steps in one submission: long ones would look like a hanging device. */
const STEPS_AT_A_TIME = 200;
const MAP_READ = 1;
const HELD: Torque = { kind: 'held' };
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
    const { steps, step, torque = HELD, resume = false } = options;
    if (!Number.isInteger(steps) || steps < 1)
      throw new GpuError('mechanism', `Expected a positive number of steps, got ${steps}.`);
    if (!(step > 0 && Number.isFinite(step))) throw new GpuError('mechanism', `Expected a positive step, got ${step}.`);
    checkTorque(torque, this.mechanism, this.states, steps);
    const onGpu = async (): Promise<void> => {
      const { gpu } = this.#engine;
      const { device } = gpu;
      const { programs } = await this.#engine.running('step', this.#arrays.whole);
      const next = await this.#nextBuffers();
      const { q, v, tau } = this.#arrays.columns;
      const forces =
        torque.kind === 'held'
          ? undefined
          : await TorqueProgram.create(gpu, this.mechanism, torque, this.#arrays.whole, steps, step);
      const bound: Bound[] = [];
      try {
        // Two sets of bindings: from the arrays to the others, and back.
        const bindWindow = (window: Window) => {
          const pairs = [
            { q: q.device, v: v.device, nextQ: next.q, nextV: next.v },
            { q: next.q, v: next.v, nextQ: q.device, nextV: v.device },
          ];
          return pairs.map((pair) => {
            const buffers = this.#arrays.bindings(window, pair);
            const calls = programs.map((program) => program.bind(buffers, window.states, step));
            bound.push(...calls);
            const law = forces?.bind(window.first, window.states, {
              q: buffers.q,
              v: buffers.v,
              held: buffers.qdd,
              tau: buffers.tau,
            });
            return { calls, law };
          });
        };
        const there = await this.#checked('a rollout', () => this.#arrays.windows.map(bindWindow));
        for (let done = 0; done < steps; ) {
          const encoder = device.createCommandEncoder();
          if (done === 0) {
            if (!resume) for (const column of [q, v]) column.upload(encoder);
            tau.upload(encoder);
            // Laws write tau and find the held forces in the place of qdd.
            if (forces !== undefined)
              encoder.copyBufferToBuffer(tau.device, 0, this.#arrays.columns.qdd.device, 0, 4 * tau.numbers);
          }
          const until = Math.min(steps, done + STEPS_AT_A_TIME);
          const pass = encoder.beginComputePass();
          for (; done < until; done++)
            for (const window of there) {
              const { calls, law } = window[done % 2];
              law?.(pass, done);
              for (const call of calls) encode(pass, call);
            }
          pass.end();
          if (done === steps) {
            if (steps % 2 === 1) {
              encoder.copyBufferToBuffer(next.q, 0, q.device, 0, 4 * q.numbers);
              encoder.copyBufferToBuffer(next.v, 0, v.device, 0, 4 * v.numbers);
            }
            for (const column of [q, v, this.#arrays.flags]) column.download(encoder);
          }
          device.queue.submit([encoder.finish()]);
        }
        await Promise.all([q, v, tau, this.#arrays.flags].map((column) => column.settle()));
        this.#flagged = this.#arrays.flagged(this.states);
        if (this.#users.onCpu !== undefined) this.#last = { q: q.view.slice(), v: v.view.slice() };
      } finally {
        for (const one of bound) one.destroy();
        forces?.destroy();
      }
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
   * For measuring: runs a task `times` times on what is in the device's memory, and returns the seconds of one run, by
   * the device's clock (by the host's where it has none) and by the host's clock.
   */
  async measure(task: BatchTask, times: number): Promise<{ readonly device: number; readonly wall: number }> {
    this.#check();
    const { gpu } = this.#engine;
    const { device, timestamps } = gpu;
    const { programs } = await this.#engine.running(TASK[task], this.#arrays.whole);
    const next = task === 'rollout' ? await this.#nextBuffers() : undefined;
    const others = next === undefined ? {} : { nextQ: next.q, nextV: next.v };
    // Steps of no length: states stay as they are.
    const bound = this.#arrays.windows.flatMap((window) =>
      programs.map((program) => program.bind(this.#arrays.bindings(window, others), window.states, 0)),
    );
    const set = timestamps ? device.createQuerySet({ type: 'timestamp', count: 2 }) : undefined;
    const resolved = device.createBuffer({ size: 16, usage: USAGE.queryResolve | USAGE.copySource });
    const read = device.createBuffer({ size: 16, usage: USAGE.mapRead | USAGE.copyTarget });
    try {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass(
        set && { timestampWrites: { querySet: set, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 } },
      );
      for (let k = 0; k < times; k++) for (const one of bound) encode(pass, one);
      pass.end();
      if (set !== undefined) {
        encoder.resolveQuerySet(set, 0, 2, resolved, 0);
        encoder.copyBufferToBuffer(resolved, 0, read, 0, 16);
      }
      const commands = encoder.finish();
      const start = performance.now();
      device.queue.submit([commands]);
      await device.queue.onSubmittedWorkDone();
      const wall = (performance.now() - start) / 1e3 / times;
      if (set === undefined) return { device: wall, wall };
      await read.mapAsync(MAP_READ);
      const [from, to] = new BigUint64Array(read.getMappedRange());
      return { device: Number(to - from) / 1e9 / times, wall };
    } finally {
      for (const one of bound) one.destroy();
      set?.destroy();
      resolved.destroy();
      read.destroy();
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
