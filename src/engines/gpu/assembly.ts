// Forward dynamics of one large mechanism, a chain or a tree of up to a million joints: its parts are assembled and
// disassembled round by round (contraction.ts), everything in a round in parallel. O(log N) rounds for N joints.

import type { Mechanism } from '../../mechanism/mechanism.js';
import { State } from '../../mechanism/state.js';
import { createTree } from '../../mechanism/tree.js';
import { PlainDynamics } from '../plain/plain-dynamics.js';
import { refuseForeign } from '../plain/refuse.js';
import { type Dispatch, planDispatches } from './assembly-plan.js';
import { packState, RESULTS, unpackAccelerations } from './assembly-state.js';
import { checked, lossOf, type OpenGpu } from './device.js';
import { GpuError } from './errors.js';
import { BLOCK } from './motion-kernels.js';
import { type MovingLinks, movingLinks } from './moving-links.js';
import { packConstants } from './part-constants.js';
import { PART, transmittedNumbers } from './part-formulas.js';
import { DOF, needsMore, type PartJoint, STATE } from './part-joints.js';
import { fusedCode, GROUP, partKernelCode } from './part-kernels.js';
import { FORCES, MOTION, TAKEN } from './part-layout.js';
import { USAGE } from './pipeline.js';
import { planParts } from './plan-parts.js';
import type { Assembly } from './types.js';

const MAP_READ = 1;
const MAP_WRITE = 2;
const COMPUTE_STAGE = 4;
const STRIDE = 256;

/** The links of a mechanism; throws where they cannot be assembled on a GPU, or by any algorithm. */
function linksOf(mechanism: Mechanism): MovingLinks {
  if (mechanism.loops.length > 0) throw new GpuError('mechanism', 'Closed loops are not assembled on the GPU.');
  if (mechanism.couplings.length > 0) throw new GpuError('mechanism', 'Coupled joints are not assembled on the GPU.');
  const links = movingLinks(createTree(mechanism));
  if (links.n === 0) throw new GpuError('mechanism', 'Nothing in this mechanism can move.');
  return links;
}

interface Kernels {
  readonly layout: GPUBindGroupLayout;
  pipeline(code: string): Promise<GPUComputePipeline>;
}
const kernels = new WeakMap<GPUDevice, Kernels>();

/** The kernels of a device: all assemblies there share them, so that each is compiled once. There are few: one for a phase and a joint type. */
function kernelsOf(device: GPUDevice): Kernels {
  const known = kernels.get(device);
  if (known !== undefined) return known;
  const layout = device.createBindGroupLayout({
    entries: [0, 1, 2, 3, 4, 5, 6, 7, 8].map((binding) => ({
      binding,
      visibility: COMPUTE_STAGE,
      buffer:
        binding === 0
          ? { type: 'uniform', hasDynamicOffset: true }
          : { type: [1, 2, 8].includes(binding) ? 'read-only-storage' : 'storage' },
    })),
  });
  const pipelineLayout = device.createPipelineLayout({ bindGroupLayouts: [layout] });
  const compiled = new Map<string, Promise<GPUComputePipeline>>();
  const made: Kernels = {
    layout,
    pipeline(code) {
      let pipeline = compiled.get(code);
      if (pipeline === undefined) {
        const module = device.createShaderModule({ code });
        pipeline = device.createComputePipelineAsync({
          layout: pipelineLayout,
          compute: { module, entryPoint: 'main' },
        });
        compiled.set(code, pipeline);
        pipeline.catch(() => compiled.delete(code));
      }
      return pipeline;
    },
  };
  kernels.set(device, made);
  return made;
}

export class GpuAssembly implements Assembly {
  readonly where = 'gpu';
  readonly mechanism: Mechanism;
  readonly adapter: string;
  /** Rounds of assembly. */
  readonly rounds: number;
  readonly #gpu: OpenGpu;
  readonly #links: MovingLinks;
  /** Links that are kept as inertias. */
  readonly #kept: number;
  readonly #pipelines: ReadonlyMap<Dispatch['kernel'], GPUComputePipeline>;
  readonly #dispatches: readonly Dispatch[];
  /** With the motions in the first buffer, and in the second: jumps go from one to the other. */
  readonly #groups: readonly [GPUBindGroup, GPUBindGroup];
  readonly #buffers: readonly GPUBuffer[];
  readonly #up: GPUBuffer;
  readonly #given: GPUBuffer;
  readonly #out: GPUBuffer;
  readonly #down: GPUBuffer;
  readonly #queries: { readonly set: GPUQuerySet; readonly resolve: GPUBuffer; readonly read: GPUBuffer } | undefined;
  readonly #close: boolean;
  #view: Float32Array | undefined;
  /** Seconds that the device took for the last call, by its own clock; NaN where it has none. */
  deviceSeconds = Number.NaN;

  private constructor(parts: {
    gpu: OpenGpu;
    links: MovingLinks;
    kept: number;
    rounds: number;
    pipelines: ReadonlyMap<Dispatch['kernel'], GPUComputePipeline>;
    dispatches: readonly Dispatch[];
    groups: readonly [GPUBindGroup, GPUBindGroup];
    buffers: readonly GPUBuffer[];
    up: GPUBuffer;
    given: GPUBuffer;
    out: GPUBuffer;
    down: GPUBuffer;
    close: boolean;
  }) {
    this.mechanism = parts.links.mechanism;
    this.adapter = parts.gpu.adapter;
    this.rounds = parts.rounds;
    this.#gpu = parts.gpu;
    this.#links = parts.links;
    this.#kept = parts.kept;
    this.#pipelines = parts.pipelines;
    this.#dispatches = parts.dispatches;
    this.#groups = parts.groups;
    this.#buffers = parts.buffers;
    this.#up = parts.up;
    this.#given = parts.given;
    this.#out = parts.out;
    this.#down = parts.down;
    this.#close = parts.close;
    this.#view = new Float32Array(parts.up.getMappedRange());
    const { device, timestamps } = parts.gpu;
    this.#queries = timestamps
      ? {
          set: device.createQuerySet({ type: 'timestamp', count: 2 }),
          resolve: device.createBuffer({ size: 16, usage: USAGE.queryResolve | USAGE.copySource }),
          read: device.createBuffer({ size: 16, usage: USAGE.mapRead | USAGE.copyTarget }),
        }
      : undefined;
  }

  /** With `close` the device is closed with the assembly. `plan` says which links are kept as inertias. */
  static async create(gpu: OpenGpu, mechanism: Mechanism, close = false, plan = planParts): Promise<GpuAssembly> {
    const links = linksOf(mechanism);
    const { n, type, armature } = links;
    const { device } = gpu;
    const types = type.map((name, i): PartJoint => (armature[i] === 0 ? name : `geared ${name}`));
    const largeState = type.some(needsMore);
    const largeConstants = types.some((t) => t.startsWith('geared') || t === 'helical' || t === 'universal');
    const { constants: packed, unlikeness } = packConstants(links, largeConstants);
    // Without inertia there may be no finite answer: the readable algorithm names the joint.
    if (unlikeness.includes(Infinity)) new PlainDynamics(mechanism).forward(State.random(mechanism, 1));
    const { kept, contraction } = plan(links.parent, unlikeness);
    const { parts } = contraction;
    const dof = type.reduce((most, name) => Math.max(most, DOF[name]), 0);
    const stateBytes = 4 * n * (largeState ? STATE.largeSize : STATE.size);
    const sizes = {
      part: 4 * PART.size * parts,
      force: 4 * ((FORCES + transmittedNumbers(dof)) * parts + TAKEN * n),
    };
    const largest = Math.max(...Object.values(sizes));
    if (largest > gpu.maxBindingBytes || largest > gpu.maxBufferBytes)
      throw new GpuError(
        'limit',
        `${n} joints need a buffer of ${Math.ceil(largest / 1e6)} MB; this device has at most ${Math.floor(Math.min(gpu.maxBindingBytes, gpu.maxBufferBytes) / 1e6)} MB.`,
      );
    const buffers: GPUBuffer[] = [];
    const made = (size: number, usage: number, mappedAtCreation = false): GPUBuffer => {
      const buffer = device.createBuffer({ size: Math.max(16, size), usage, mappedAtCreation });
      buffers.push(buffer);
      return buffer;
    };
    const assemble = async (): Promise<GpuAssembly> => {
      const { dispatches, kinds, ops } = planDispatches(links.parent, types, kept, contraction);
      const { storage, uniform, copySource, copyTarget, mapRead, mapWrite } = USAGE;
      const buffer = (size: number, usage: number): GPUBuffer => made(size, usage | copyTarget | copySource);
      const filled = (data: Float32Array | Uint32Array, usage: number): GPUBuffer => {
        const one = buffer(data.byteLength, usage);
        device.queue.writeBuffer(one, 0, data as Float32Array<ArrayBuffer>);
        return one;
      };
      const parameters = filled(parametersOf(links, parts, transmittedNumbers(dof), dispatches), uniform);
      const constants = filled(packed, storage);
      const given = buffer(stateBytes, storage);
      const motions = [0, 1].map(() => buffer(4 * MOTION.size * n, storage));
      const part = buffer(sizes.part, storage);
      const force = buffer(sizes.force, storage);
      const out = buffer(4 * RESULTS * n, storage);
      const list = filled(ops, storage);
      const up = made(stateBytes, mapWrite | copySource, true);
      const down = made(4 * RESULTS * n, mapRead | copyTarget);
      const { layout, pipeline } = kernelsOf(device);
      const group = (a: GPUBuffer, b: GPUBuffer): GPUBindGroup =>
        device.createBindGroup({
          layout,
          entries: [parameters, constants, given, a, b, part, force, out, list].map((one, binding) => ({
            binding,
            resource: binding === 0 ? { buffer: one, size: 32 } : { buffer: one },
          })),
        });
      const names = [...new Set(dispatches.map(({ kernel }) => kernel))];
      const pipelines = new Map(
        await Promise.all(
          names.map(async (name) => {
            const code = name === 'fused' ? fusedCode(kinds) : partKernelCode(name);
            return [name, await pipeline(code)] as const;
          }),
        ),
      );
      return new GpuAssembly({
        gpu,
        links,
        kept: kept.reduce((sum, one) => sum + one, 0),
        rounds: contraction.rounds.length,
        pipelines,
        dispatches,
        groups: [group(motions[0], motions[1]), group(motions[1], motions[0])],
        buffers,
        up,
        given,
        out,
        down,
        close,
      });
    };
    try {
      return await checked(gpu, `the assembly of ${n} joints`, assemble);
    } catch (error) {
      for (const buffer of buffers) buffer.destroy();
      throw error;
    }
  }

  /** Accelerations under the joint forces tau, without joint forces where left out. */
  async forward(state: State, tau?: Float64Array): Promise<Float64Array> {
    const { nv } = this.mechanism;
    if (tau !== undefined && tau.length !== nv)
      throw new GpuError('mechanism', `Expected ${nv} numbers in tau, got ${tau.length}.`);
    this.#refuseLost();
    if (this.#view === undefined) throw new GpuError('mechanism', 'This assembly is at work: await its last call.');
    refuseForeign(this.mechanism, state);
    packState(this.#view, this.#links, state, tau);
    try {
      await this.#submit(1, true);
      return await this.#result(state);
    } catch (error) {
      const lost = await lossOf(this.#gpu);
      if (lost === undefined) throw error;
      throw new GpuError('lost', `The GPU device was lost: ${lost}`, { cause: error });
    }
  }

  /** Computes once more with the numbers of the last call, `times` times: for measuring. */
  run(times = 1): Promise<void> {
    return this.#submit(times, false);
  }

  #refuseLost(): void {
    const lost = this.#gpu.lost();
    if (lost !== undefined) throw new GpuError('lost', `The GPU device was lost: ${lost}`);
  }

  async #submit(times: number, upload: boolean): Promise<void> {
    this.#refuseLost();
    const { device } = this.#gpu;
    const encoder = device.createCommandEncoder();
    if (upload) {
      this.#view = undefined;
      this.#up.unmap();
      encoder.copyBufferToBuffer(this.#up, 0, this.#given, 0, this.#up.size);
    }
    const pass = encoder.beginComputePass(
      this.#queries === undefined
        ? {}
        : { timestampWrites: { querySet: this.#queries.set, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 } },
    );
    for (let k = 0; k < times; k++) this.#encode(pass);
    pass.end();
    if (upload) encoder.copyBufferToBuffer(this.#out, 0, this.#down, 0, this.#down.size);
    if (this.#queries !== undefined) {
      encoder.resolveQuerySet(this.#queries.set, 0, 2, this.#queries.resolve, 0);
      encoder.copyBufferToBuffer(this.#queries.resolve, 0, this.#queries.read, 0, 16);
    }
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    if (this.#queries !== undefined) {
      await this.#queries.read.mapAsync(MAP_READ);
      const [start, end] = new BigUint64Array(this.#queries.read.getMappedRange());
      this.deviceSeconds = Number(end - start) / 1e9 / times;
      this.#queries.read.unmap();
    }
  }

  explain(): string {
    const { n } = this.#links;
    const kept = this.#kept === 0 ? '' : `, ${this.#kept} of the links kept as inertias`;
    return `${this.mechanism.name}: ${n} joints in ${this.rounds} rounds, ${this.#dispatches.length} dispatches${kept}, on ${this.adapter}.`;
  }

  dispose(): void {
    this.#view = undefined;
    for (const buffer of this.#buffers) buffer.destroy();
    if (this.#queries !== undefined)
      for (const made of [this.#queries.set, this.#queries.resolve, this.#queries.read]) made.destroy();
    if (this.#close) this.#gpu.close();
  }

  #encode(pass: GPUComputePassEncoder): void {
    let swapped = 0;
    this.#dispatches.forEach(({ kernel, count }, k) => {
      pass.setPipeline(this.#pipelines.get(kernel)!);
      pass.setBindGroup(0, this.#groups[swapped], [STRIDE * k]);
      pass.dispatchWorkgroups(kernel === 'fused' ? 1 : Math.ceil(count / (kernel === 'start' ? BLOCK : GROUP)));
      if (kernel === 'jump') swapped = 1 - swapped;
    });
  }

  async #result(state: State): Promise<Float64Array> {
    await Promise.all([this.#down.mapAsync(MAP_READ), this.#up.mapAsync(MAP_WRITE)]);
    this.#view = new Float32Array(this.#up.getMappedRange());
    const qdd = unpackAccelerations(new Float32Array(this.#down.getMappedRange()), this.#links, state);
    this.#down.unmap();
    refuseNotFinite(qdd, this.mechanism);
    return qdd;
  }
}

/** As the algorithms on the CPU do. */
function refuseNotFinite(qdd: Float64Array, { joints, bodies }: Mechanism): void {
  const k = qdd.findIndex((x) => !Number.isFinite(x));
  if (k < 0) return;
  const i = joints.findIndex(({ iv, model }) => k >= iv && k < iv + model.nv);
  throw new GpuError(
    'mechanism',
    `Joint "${joints[i].name}" (body "${bodies[i].name}") gets no finite acceleration: the state is not finite, or too large for 32 bits, or the mass matrix is singular there.`,
  );
}

function parametersOf(
  { n, gravity }: MovingLinks,
  parts: number,
  kept: number,
  dispatches: readonly Dispatch[],
): Float32Array {
  const floats = new Float32Array((STRIDE / 4) * dispatches.length);
  const integers = new Uint32Array(floats.buffer);
  dispatches.forEach(({ count, ops }, k) => {
    const at = (STRIDE / 4) * k;
    integers.set([n, parts, count, ops], at);
    floats.set(gravity, at + 4);
    integers[at + 7] = kept;
  });
  return floats;
}
