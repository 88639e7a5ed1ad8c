// The kernels of one mechanism on one device: generic ones at once, better ones as they become ready. Batches share it.

import { type Passive, passiveOf } from '../../formulas/rollout-step.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import { createTree } from '../../mechanism/tree.js';
import { inShortestUnits } from '../../plan/length-units.js';
import { createPlan, type Plan } from '../../plan/plan.js';
import { passiveJoints } from '../plain/passive.js';
import type { Tier } from '../wasm/code-choice.js';
import { derivativeKernels } from './derivative-kernels.js';
import { checked, type OpenGpu } from './device.js';
import { GpuError } from './errors.js';
import { eulerKernel } from './euler.js';
import { choose, fingerprint } from './fastest-variant.js';
import { genericKernel } from './generic.js';
import { type GpuTask, STEEP } from './kernel.js';
import { type Buffers, GpuProgram, USAGE, wholeStates } from './pipeline.js';
import type { DerivativeFunctionName, Memory } from './types.js';
import { candidates } from './variants.js';

export interface EngineOptions {
  /** Take this variant (see explain) instead of measuring which is fastest. */
  readonly variant?: string;
  /** Where choices are remembered; within this process where left out. */
  readonly memory?: Memory;
  /** 'never': only the generic kernels. */
  readonly specialise?: 'background' | 'never';
}

/** States with which variants are compared. */
const TRIAL_STATES = 262144;

interface Running {
  readonly tier: Tier;
  readonly name: string;
  /** One after the other: for steps the generic way is forward dynamics, then the integration. */
  readonly programs: readonly GpuProgram[];
}

export class GpuEngine {
  readonly gpu: OpenGpu;
  readonly mechanism: Mechanism;
  readonly plan: Plan;
  readonly #options: EngineOptions;
  readonly #generic = new Map<GpuTask, Promise<Running>>();
  readonly #better = new Map<GpuTask, Running>();
  readonly #derivatives = new Map<DerivativeFunctionName, Promise<GpuProgram>>();
  readonly #searches = new Map<GpuTask, Promise<void>>();
  readonly #notes: string[] = [];
  readonly #buffers: GPUBuffer[] = [];
  #closed = false;

  constructor(gpu: OpenGpu, mechanism: Mechanism, options: EngineOptions) {
    this.gpu = gpu;
    this.mechanism = mechanism;
    this.plan = createPlan(createTree(mechanism));
    this.#options = options;
  }

  tierOf(task: GpuTask): Tier {
    return this.#better.get(task)?.tier ?? 'generic';
  }

  get notes(): readonly string[] {
    return this.#notes;
  }

  /** What runs a task now; the search for something better begins with the first call. */
  async running(task: GpuTask, states: number): Promise<Running> {
    void this.ready(task, states).catch(() => {});
    // The generic step has no springs, no damping and no friction.
    if (task === 'step' && this.#passive() !== undefined) await this.ready(task, states);
    const better = this.#better.get(task);
    if (better !== undefined) return better;
    let generic = this.#generic.get(task);
    if (generic === undefined) {
      generic = this.#createGeneric(task);
      this.#generic.set(task, generic);
    }
    return generic;
  }

  /** Done when the best variant for so many states is in use. */
  ready(task: GpuTask, states: number): Promise<void> {
    let search = this.#searches.get(task);
    if (search === undefined) {
      search = this.#options.specialise === 'never' ? Promise.resolve() : this.#search(task, states);
      this.#searches.set(task, search);
    }
    return search;
  }

  /** The kernels of derivatives, once they are made. */
  derivatives(of: DerivativeFunctionName): Promise<GpuProgram> {
    let program = this.#derivatives.get(of);
    if (program === undefined) {
      program = this.#createDerivatives(of);
      this.#derivatives.set(of, program);
    }
    return program;
  }

  async #createDerivatives(of: DerivativeFunctionName): Promise<GpuProgram> {
    const made = derivativeKernels(this.plan, of);
    if (made === undefined)
      throw new GpuError('mechanism', `${this.mechanism.name} is too large for derivatives on the GPU.`);
    const start = performance.now();
    const program = await GpuProgram.create(this.gpu, of, made.kernels, { rows: this.#table(made.rows) });
    this.#notes.push(`${of}: kernels ready in ${(performance.now() - start).toFixed(0)} ms.`);
    return program;
  }

  #passive(): Passive | undefined {
    return passiveOf(passiveJoints(this.mechanism), inShortestUnits(this.plan).length, (g, iv) => g.input(STEEP, iv));
  }

  close(): void {
    this.#closed = true;
    for (const buffer of this.#buffers) buffer.destroy();
    for (const { programs } of this.#better.values()) for (const program of programs) program.destroy();
    for (const made of this.#derivatives.values())
      void made.then(
        (program) => program.destroy(),
        () => {},
      );
  }

  async #search(task: GpuTask, states: number): Promise<void> {
    const { gpu, plan } = this;
    const { variant, memory } = this.#options;
    const passive = task === 'step' ? this.#passive() : undefined;
    const list = candidates(plan, task, passive);
    if (list.length === 0) {
      this.#notes.push(`${task}: too large for code of its own.`);
      return;
    }
    const key = `${gpu.adapter} ${task} ${fingerprint(JSON.stringify([plan, passive === undefined ? 0 : this.mechanism.joints.map(({ damping, friction, stiffness, rest }) => [damping, friction, stiffness, rest])]))}`;
    const trial = await this.#trialBuffers(Math.min(states, TRIAL_STATES));
    try {
      const use = (program: GpuProgram, name: string): void => {
        this.#better.set(task, { tier: 'specialised', name, programs: [program] });
      };
      const choice = await choose(gpu, plan, list, trial.buffers, trial.states, {
        key,
        memory,
        // The names are those of forward dynamics; other tasks have fewer variants.
        only: task !== 'forward' && !list.some(({ name }) => name === variant) ? undefined : variant,
        better: use,
        stopped: () => this.#closed || gpu.lost() !== undefined,
      });
      if (choice === undefined) return;
      use(choice.program, choice.name);
      const times = choice.tried.map(({ name, seconds }) => `${name} ${(1e6 * seconds).toFixed(0)} us`).join(', ');
      this.#notes.push(`${task}: ${choice.name}${times === '' ? '' : ` (for ${trial.states} states: ${times})`}.`);
    } finally {
      trial.destroy();
    }
  }

  async #trialBuffers(states: number): Promise<{ buffers: Buffers; states: number; destroy: () => void }> {
    const { nq, nv } = this.plan;
    const { gpu } = this;
    const most = Math.floor(Math.min(gpu.maxBindingBytes, gpu.maxBufferBytes) / 4 / Math.max(nq, nv, 1));
    const count = wholeStates(Math.max(1, Math.min(states, most - 256)));
    const sizes = { q: nq, v: nv, tau: nv, qdd: nv, flags: 1, nextQ: nq, nextV: nv };
    const made: GPUBuffer[] = [];
    const destroy = (): void => {
      for (const buffer of made) buffer.destroy();
    };
    const buffers = await checked(gpu, 'a trial', () =>
      Object.fromEntries(
        Object.entries(sizes).map(([name, numbers]) => {
          const buffer = gpu.device.createBuffer({ size: Math.max(16, 4 * numbers * count), usage: USAGE.storage });
          made.push(buffer);
          return [name, { buffer }];
        }),
      ),
    ).catch((error: unknown) => {
      destroy();
      throw error;
    });
    return { buffers, states: count, destroy };
  }

  /** Numbers that do not change, on the device. */
  #table(data: Float32Array | Uint32Array): GPUBufferBinding {
    const { device } = this.gpu;
    const buffer = device.createBuffer({
      size: Math.max(16, data.byteLength),
      usage: USAGE.storage | USAGE.copyTarget,
    });
    device.queue.writeBuffer(buffer, 0, data as Float32Array<ArrayBuffer>);
    this.#buffers.push(buffer);
    return { buffer };
  }

  async #createGeneric(task: GpuTask): Promise<Running> {
    const { gpu, plan } = this;
    if (task === 'step' && this.#passive() !== undefined)
      throw new GpuError(
        'mechanism',
        'Springs, damping and friction in a rollout need code of their own, which could not be made.',
      );
    const { kernel, table, rows } = genericKernel(plan, task === 'inverse' ? 'inverse' : 'forward');
    const extra: Buffers = { table: this.#table(table), rows: this.#table(rows) };
    const start = performance.now();
    const programs = [await GpuProgram.create(gpu, 'generic', [kernel], extra)];
    if (task === 'step') programs.push(await GpuProgram.create(gpu, 'integration', eulerKernel(plan)));
    this.#notes.push(`${task}: generic kernel ready in ${(performance.now() - start).toFixed(0)} ms.`);
    return { tier: 'generic', name: 'generic', programs };
  }
}
