// Kernels ready to run: pipelines, the buffers they bind, and how a variant is spread over the states of a buffer.

import { checked, type OpenGpu } from './device.js';
import { BINDINGS, type BufferName, TILE, type WgslKernel, WORKGROUP } from './kernel.js';

// Numbers of WebGPU's flags: in Node they are no globals.
export const USAGE = {
  mapRead: 0x1,
  mapWrite: 0x2,
  copySource: 0x4,
  copyTarget: 0x8,
  uniform: 0x40,
  storage: 0x80,
  queryResolve: 0x200,
} as const;
const COMPUTE_STAGE = 4;

export type Buffers = { readonly [name in BufferName]?: GPUBufferBinding };

interface Ready {
  readonly kernel: WgslKernel;
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
}

/** Threads at work at a time where they need storage of their own, and states between two passes. */
const THREADS = 16384;
const CHUNK = 1048576;

export class GpuProgram {
  readonly name: string;
  readonly #gpu: OpenGpu;
  readonly #ready: readonly Ready[];
  readonly #threads: number;
  readonly #chunk: number;
  /** Numbers kept for a thread or for a state, and the buffers made for them so far, the largest last. */
  readonly #numbers: number;
  readonly #kept: GPUBuffer[] = [];
  readonly #extra: Buffers;

  private constructor(
    gpu: OpenGpu,
    name: string,
    ready: readonly Ready[],
    threads: number,
    chunk: number,
    numbers: number,
    extra: Buffers,
  ) {
    this.#gpu = gpu;
    this.name = name;
    this.#ready = ready;
    this.#threads = threads;
    this.#chunk = chunk;
    this.#numbers = numbers;
    this.#extra = extra;
  }

  static async create(
    gpu: OpenGpu,
    name: string,
    kernels: readonly WgslKernel[],
    extra: Buffers = {},
  ): Promise<GpuProgram> {
    const ready = await Promise.all(kernels.map((kernel) => createPipeline(gpu, name, kernel)));
    const perThread = Math.max(...kernels.map(({ keptPerThread }) => keptPerThread));
    const perState = Math.max(...kernels.map(({ keptPerState }) => keptPerState));
    const within = (count: number, numbers: number): number =>
      Math.max(WHOLE, WHOLE * Math.floor(Math.min(count, gpu.maxBindingBytes / 4 / Math.max(1, numbers)) / WHOLE));
    const [threads, chunk] = [within(THREADS, perThread), within(CHUNK, perState)];
    return new GpuProgram(gpu, name, ready, threads, chunk, Math.max(perThread, perState), extra);
  }

  /** A buffer for what is kept, for so many threads or states at a time. */
  #keptFor(count: number): GPUBuffer | undefined {
    if (this.#numbers === 0) return undefined;
    const size = 4 * this.#numbers * count;
    const last = this.#kept.at(-1);
    if (last !== undefined && last.size >= size) return last;
    const made = this.#gpu.device.createBuffer({ size, usage: USAGE.storage });
    this.#kept.push(made);
    return made;
  }

  /** The dispatches for the first `states` states of buffers (a whole number of workgroups of them). */
  bind(buffers: Buffers, states: number, step = 0): Bound {
    const { device } = this.#gpu;
    const [threads, chunk] = [this.#threads, this.#chunk];
    const passes = this.#ready[0].kernel.keptPerState > 0;
    const kept = this.#keptFor(Math.min(passes ? chunk : threads, wholeStates(states)));
    const calls: Call[] = [];
    const parameterBuffers: GPUBuffer[] = [];
    const add = ({ kernel, pipeline, layout }: Ready, groups: number, stride: number, first: number): void => {
      const bytes = new ArrayBuffer(32);
      new Uint32Array(bytes).set([groups, stride, 0, 0, 0, 0, 0, first]);
      new Float32Array(bytes)[4] = step;
      const parameters = device.createBuffer({ size: 32, usage: USAGE.uniform | USAGE.copyTarget });
      device.queue.writeBuffer(parameters, 0, bytes);
      parameterBuffers.push(parameters);
      const all: Buffers = {
        ...this.#extra,
        ...buffers,
        ...(kept && { kept: { buffer: kept } }),
        parameters: { buffer: parameters },
      };
      const bindGroup = device.createBindGroup({
        layout,
        entries: kernel.uses.map(({ name }) => ({ binding: BINDINGS[name], resource: all[name]! })),
      });
      calls.push({ pipeline, bindGroup, groups: stride, limbs: kernel.limbs ?? 1 });
    };
    if (passes) {
      for (let at = 0; at < states; at += chunk) {
        const here = Math.min(chunk, states - at);
        for (const ready of this.#ready) {
          const groups = Math.ceil(here / WORKGROUP);
          add(ready, groups, groups, at);
        }
      }
    } else
      for (const ready of this.#ready) {
        const groups = Math.ceil(states / WORKGROUP);
        const most = ready.kernel.keptPerThread > 0 ? threads / WORKGROUP : groups;
        add(ready, groups, Math.min(groups, most), 0);
      }
    return {
      calls,
      destroy: () =>
        parameterBuffers.forEach((buffer) => {
          buffer.destroy();
        }),
    };
  }

  destroy(): void {
    for (const buffer of this.#kept) buffer.destroy();
  }
}

export interface Call {
  readonly pipeline: GPUComputePipeline;
  readonly bindGroup: GPUBindGroup;
  readonly groups: number;
  readonly limbs: number;
}

export interface Bound {
  readonly calls: readonly Call[];
  destroy(): void;
}

export function encode(pass: GPUComputePassEncoder, { calls }: Bound): void {
  for (const { pipeline, bindGroup, groups, limbs } of calls) {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bindGroup);
    pass.dispatchWorkgroups(groups, limbs);
  }
}

async function createPipeline(gpu: OpenGpu, name: string, kernel: WgslKernel): Promise<Ready> {
  const { device } = gpu;
  return checked(gpu, `the kernel "${name}"`, async () => {
    const layout = device.createBindGroupLayout({
      entries: kernel.uses.map((use) => ({
        binding: BINDINGS[use.name],
        visibility: COMPUTE_STAGE,
        buffer: { type: use.type },
      })),
    });
    const pipeline = await device.createComputePipelineAsync({
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: { module: device.createShaderModule({ code: kernel.code }), entryPoint: 'main' },
    });
    return { kernel, pipeline, layout };
  });
}

/** States of a buffer: whole tiles, and whole workgroups of any kernel. */
export const WHOLE = 8 * TILE;
export const wholeStates = (states: number): number => WHOLE * Math.ceil(states / WHOLE);
