// A batch on the GPU.

import type { Tier } from '../compile/compiled.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import type { State } from '../mechanism/state.js';
import { Column } from './columns.js';
import { checked, type Gpu } from './device.js';
import { Engine, type EngineOptions } from './engine.js';
import { GpuError } from './errors.js';
import { type Task, TILE } from './kernel.js';
import { reasonAgainstRollout } from './passive.js';
import { type Bound, encode, type Program, USAGE, WHOLE, wholeStates } from './pipeline.js';
import type { ArrayName, BatchTask, RolloutOptions, StateBatch } from './state-batch.js';
import { checkTorque, type Torque } from './torque.js';
import { TorqueProgram } from './torque-kernel.js';

const TASK: { readonly [task in BatchTask]: Task } = { forward: 'forward', inverse: 'inverse', rollout: 'step' };
/** Steps in one submission: long ones would look like a hanging device. */
const STEPS_AT_A_TIME = 200;
const MAP_READ = 1;
const HELD: Torque = { kind: 'held' };

/** How many batches share an engine, and what is done after the last of them. */
interface Users {
  count: number;
  readonly close: () => void;
}

export class GpuBatch implements StateBatch {
  readonly where = 'gpu';
  readonly mechanism: Mechanism;
  readonly states: number;
  readonly #engine: Engine;
  readonly #users: Users;
  readonly #whole: number;
  /** Windows of states, each small enough for a binding. */
  readonly #windows: readonly { readonly first: number; readonly states: number }[];
  readonly #columns: { readonly [name in ArrayName]: Column };
  readonly #flags: Column;
  #next: { readonly q: GPUBuffer; readonly v: GPUBuffer } | undefined;
  readonly #bound = new Map<Program, readonly Bound[]>();
  #busy = false;
  #disposed = false;
  #flagged: number[] = [];

  private constructor(engine: Engine, users: Users, states: number) {
    this.#engine = engine;
    this.#users = users;
    this.mechanism = engine.mechanism;
    this.states = states;
    const { gpu, plan } = engine;
    const { nq, nv } = plan;
    this.#whole = wholeStates(states);
    const per = WHOLE * Math.floor(gpu.maxBindingBytes / 4 / Math.max(nq, nv, 1) / WHOLE);
    // One dispatch has room for so many workgroups of 32 threads.
    const most = Math.min(per, WHOLE * Math.floor((gpu.maxGroups * 32) / WHOLE));
    this.#windows = Array.from({ length: Math.ceil(this.#whole / most) }, (_, k) => ({
      first: k * most,
      states: Math.min(most, this.#whole - k * most),
    }));
    const column = (name: string, numbers: number): Column => new Column(gpu, name, Math.max(4, numbers * this.#whole));
    this.#columns = { q: column('q', nq), v: column('v', nv), tau: column('tau', nv), qdd: column('qdd', nv) };
    this.#flags = column('flags', 1);
    users.count++;
  }

  static async create(
    gpu: Gpu,
    mechanism: Mechanism,
    states: number,
    options: EngineOptions,
    closeDevice: boolean,
  ): Promise<GpuBatch> {
    const { nq, nv } = mechanism;
    const bytes = 4 * Math.max(nq, nv) * wholeStates(states);
    if (bytes > gpu.maxBufferBytes || 4 * WHOLE * Math.max(nq, nv) > gpu.maxBindingBytes) {
      const most = WHOLE * Math.floor(gpu.maxBufferBytes / 4 / Math.max(nq, nv) / WHOLE);
      throw new GpuError(
        'limit',
        `This device holds at most ${most} states of ${mechanism.name} in a batch, not ${states}.`,
      );
    }
    const engine = new Engine(gpu, mechanism, options);
    const close = (): void => {
      engine.close();
      if (closeDevice) gpu.close();
    };
    return checked(gpu, `${states} states`, () => new GpuBatch(engine, { count: 0, close }, states));
  }

  get adapter(): string {
    return this.#engine.gpu.adapter;
  }
  get q(): Float32Array {
    return this.#columns.q.view;
  }
  get v(): Float32Array {
    return this.#columns.v.view;
  }
  get tau(): Float32Array {
    return this.#columns.tau.view;
  }
  get qdd(): Float32Array {
    return this.#columns.qdd.view;
  }

  at(name: ArrayName, k: number, s: number): number {
    const numbers = name === 'q' ? this.mechanism.nq : this.mechanism.nv;
    return TILE * (Math.floor(s / TILE) * numbers + k) + (s % TILE);
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
    const against = reasonAgainstRollout(this.mechanism);
    if (against !== undefined) throw new GpuError('mechanism', `No rollout on the GPU: ${against}`);
    await this.#alone(async () => {
      const { gpu } = this.#engine;
      const { device } = gpu;
      const { programs } = await this.#engine.running('step', this.#whole);
      const next = this.#nextBuffers();
      const { q, v, tau } = this.#columns;
      const forces =
        torque.kind === 'held'
          ? undefined
          : await TorqueProgram.create(gpu, this.mechanism, torque, this.#whole, steps, step);
      const bound: Bound[] = [];
      try {
        // Two sets of bindings: from the arrays to the others, and back.
        const there = this.#windows.map((window) => {
          const pairs = [
            { q: q.device, v: v.device, nextQ: next.q, nextV: next.v },
            { q: next.q, v: next.v, nextQ: q.device, nextV: v.device },
          ];
          return pairs.map((pair) => {
            const buffers = this.#bindings(window, pair);
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
        });
        for (let done = 0; done < steps; ) {
          const encoder = device.createCommandEncoder();
          if (done === 0) {
            if (!resume) for (const column of [q, v]) column.upload(encoder);
            tau.upload(encoder);
            // Laws write tau and find the held forces in the place of qdd.
            if (forces !== undefined)
              encoder.copyBufferToBuffer(tau.device, 0, this.#columns.qdd.device, 0, 4 * tau.numbers);
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
            for (const column of [q, v, this.#flags]) column.download(encoder);
          }
          device.queue.submit([encoder.finish()]);
        }
        await Promise.all([q, v, tau, this.#flags].map((column) => column.settle()));
        this.#readFlags(this.states);
      } finally {
        for (const one of bound) one.destroy();
        forces?.destroy();
      }
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
    const { programs } = await this.#engine.running(TASK[task], this.#whole);
    const next = task === 'rollout' ? this.#nextBuffers() : undefined;
    const others = next === undefined ? {} : { nextQ: next.q, nextV: next.v };
    // Steps of no length: states stay as they are.
    const bound = this.#windows.flatMap((window) =>
      programs.map((program) => program.bind(this.#bindings(window, others), window.states, 0)),
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
    return (await this.#engine.running(TASK[task], this.#whole)).name;
  }

  notFinite(): number[] {
    return [...this.#flagged];
  }

  tierOf(task: BatchTask): Tier {
    return this.#engine.tierOf(TASK[task]);
  }

  async ready(task: BatchTask = 'forward'): Promise<void> {
    this.#check();
    await this.#engine.ready(TASK[task], this.#whole);
  }

  fork(): GpuBatch {
    this.#check();
    return new GpuBatch(this.#engine, this.#users, this.states);
  }

  explain(): string {
    const { adapter, notes } = { adapter: this.adapter, notes: this.#engine.notes };
    const windows = this.#windows.length === 1 ? '' : `, in ${this.#windows.length} parts`;
    return [`${this.mechanism.name}, ${this.states} states on ${adapter}${windows}.`, ...notes].join('\n');
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#unbind();
    for (const column of [...Object.values(this.#columns), this.#flags]) column.destroy();
    this.#next?.q.destroy();
    this.#next?.v.destroy();
    if (--this.#users.count === 0) this.#users.close();
  }

  async #compute(task: 'forward' | 'inverse', from: ArrayName[], to: ArrayName[], count: number): Promise<void> {
    if (!(Number.isInteger(count) && count >= 0 && count <= this.states))
      throw new GpuError('mechanism', `Expected at most ${this.states} states, got ${count}.`);
    if (count === 0) return;
    await this.#alone(async () => {
      const { device } = this.#engine.gpu;
      const { programs } = await this.#engine.running(task, this.#whole);
      const encoder = device.createCommandEncoder();
      for (const name of from) this.#columns[name].upload(encoder);
      const pass = encoder.beginComputePass();
      for (const program of programs) {
        const bound = this.#boundFor(program);
        this.#windows.forEach(({ first }, k) => {
          if (first < count) encode(pass, bound[k]);
        });
      }
      pass.end();
      for (const name of to) this.#columns[name].download(encoder);
      this.#flags.download(encoder);
      device.queue.submit([encoder.finish()]);
      await Promise.all([...from, ...to].map((name) => this.#columns[name].settle()).concat(this.#flags.settle()));
      this.#readFlags(count);
    });
  }

  /** One call at a time on a batch; errors of the device become ours. */
  async #alone(work: () => Promise<void>): Promise<void> {
    this.#check();
    if (this.#busy) throw new GpuError('mechanism', 'This batch is at work: await its last call, or use fork().');
    this.#busy = true;
    try {
      await work();
    } catch (error) {
      const lost = this.#engine.gpu.lost();
      if (lost !== undefined) throw new GpuError('lost', `The GPU device was lost: ${lost}`, { cause: error });
      throw error;
    } finally {
      this.#busy = false;
    }
    this.#check();
  }

  #check(): void {
    if (this.#disposed) throw new GpuError('lost', 'This batch has been disposed of.');
    const lost = this.#engine.gpu.lost();
    if (lost !== undefined) throw new GpuError('lost', `The GPU device was lost: ${lost}`);
  }

  #readFlags(count: number): void {
    const bits = this.#flags.view;
    const flags = new Uint32Array(bits.buffer, bits.byteOffset, count);
    this.#flagged = [];
    for (let s = 0; s < count; s++) if (flags[s] !== 0) this.#flagged.push(s);
  }

  #nextBuffers(): { readonly q: GPUBuffer; readonly v: GPUBuffer } {
    const { device } = this.#engine.gpu;
    const usage = USAGE.storage | USAGE.copySource;
    this.#next ??= {
      q: device.createBuffer({ size: 4 * this.#columns.q.numbers, usage }),
      v: device.createBuffer({ size: 4 * this.#columns.v.numbers, usage }),
    };
    return this.#next;
  }

  #boundFor(program: Program): readonly Bound[] {
    let bound = this.#bound.get(program);
    if (bound === undefined) {
      // Programs that are no longer used go with their bindings.
      if (this.#bound.size > 3) this.#unbind();
      bound = this.#windows.map((window) => program.bind(this.#bindings(window, {}), window.states));
      this.#bound.set(program, bound);
    }
    return bound;
  }

  #unbind(): void {
    for (const list of this.#bound.values()) for (const one of list) one.destroy();
    this.#bound.clear();
  }

  #bindings(
    { first, states }: { readonly first: number; readonly states: number },
    others: { readonly [name in 'q' | 'v' | 'nextQ' | 'nextV']?: GPUBuffer },
  ) {
    const { nq, nv } = this.mechanism;
    const window = (buffer: GPUBuffer, numbers: number): GPUBufferBinding => ({
      buffer,
      offset: 4 * first * numbers,
      size: Math.max(16, 4 * states * numbers),
    });
    const { q, v, tau, qdd } = this.#columns;
    return {
      q: window(others.q ?? q.device, nq),
      v: window(others.v ?? v.device, nv),
      tau: window(tau.device, nv),
      qdd: window(qdd.device, nv),
      flags: window(this.#flags.device, 1),
      ...(others.nextQ && { nextQ: window(others.nextQ, nq) }),
      ...(others.nextV && { nextV: window(others.nextV, nv) }),
    };
  }
}
