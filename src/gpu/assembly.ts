// Forward dynamics of one large mechanism, a chain or a tree of up to a million joints: its parts are assembled and
// disassembled round by round (contraction.ts), everything in a round in parallel. O(log N) rounds for N joints.

import { JOINT_TYPES, SENSE } from '../joints/index.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import type { State } from '../mechanism/state.js';
import { createTree, type Tree } from '../mechanism/tree.js';
import { ORIGIN, TRANSFORM } from '../spatial/spatial.js';
import { type Dispatch, planDispatches } from './assembly-plan.js';
import { contract } from './contraction.js';
import { checked, type Gpu, type OpenOptions, openGpu } from './device.js';
import { GpuError } from './errors.js';
import { packConstants } from './part-constants.js';
import { PART, type PartJoint, TRANSMITTED } from './part-formulas.js';
import { BLOCK, FORCES, fusedCode, GROUP, MOTION, partKernelCode, STATE, TAKEN } from './part-kernels.js';
import { USAGE } from './pipeline.js';

const MAP_READ = 1;
const COMPUTE_STAGE = 4;
const STRIDE = 256;

export interface GpuAssemblyOptions extends OpenOptions {
  readonly gpu?: Gpu;
}

/** Opens a GPU for one large mechanism. */
export async function gpuAssembly(mechanism: Mechanism, options: GpuAssemblyOptions = {}): Promise<GpuAssembly> {
  const tree = createTree(mechanism);
  const types = jointTypes(tree);
  const gpu = options.gpu ?? (await openGpu(options));
  try {
    return await GpuAssembly.create(gpu, tree, types, options.gpu === undefined);
  } catch (error) {
    if (options.gpu === undefined) gpu.close();
    throw error;
  }
}

function jointTypes(tree: Tree): PartJoint[] {
  const { mechanism } = tree;
  if (mechanism.loops.length > 0 || mechanism.couplings.length > 0)
    throw new GpuError('mechanism', 'Closed loops and coupled joints are not assembled on the GPU.');
  if (tree.armature.some((x) => x !== 0))
    throw new GpuError('mechanism', 'Joints with an armature are not assembled on the GPU.');
  return Array.from(tree.type, (code, i): PartJoint => {
    const { name } = JOINT_TYPES[code];
    if (name === 'continuous') return 'revolute';
    if (name === 'revolute' || name === 'prismatic' || name === 'spherical' || name === 'fixed') return name;
    if (name === 'floating' && tree.parent[i] < 0) return name;
    throw new GpuError(
      'mechanism',
      `Joint "${mechanism.joints[tree.joint[i]].name}" is ${name}; revolute, prismatic, spherical and fixed joints are assembled on the GPU, and floating ones to the ground.`,
    );
  });
}

export class GpuAssembly {
  readonly mechanism: Mechanism;
  readonly adapter: string;
  /** Rounds of assembly. */
  readonly rounds: number;
  readonly #gpu: Gpu;
  readonly #tree: Tree;
  readonly #types: readonly PartJoint[];
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
    gpu: Gpu;
    tree: Tree;
    types: readonly PartJoint[];
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
    this.mechanism = parts.tree.mechanism;
    this.adapter = parts.gpu.adapter;
    this.rounds = parts.rounds;
    this.#gpu = parts.gpu;
    this.#tree = parts.tree;
    this.#types = parts.types;
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

  static create(gpu: Gpu, tree: Tree, types: readonly PartJoint[], close: boolean): Promise<GpuAssembly> {
    const { n } = tree;
    const { device } = gpu;
    if (n === 0) throw new GpuError('mechanism', 'This mechanism has no bodies.');
    const contraction = contract(tree.parent);
    const { parts } = contraction;
    const sizes = {
      part: 4 * PART.size * parts,
      force: 4 * ((TRANSMITTED + FORCES) * parts + TAKEN * n),
    };
    const largest = Math.max(...Object.values(sizes));
    if (largest > gpu.maxBindingBytes || largest > gpu.maxBufferBytes)
      throw new GpuError(
        'limit',
        `${n} joints need a buffer of ${Math.ceil(largest / 1e6)} MB; this device has at most ${Math.floor(Math.min(gpu.maxBindingBytes, gpu.maxBufferBytes) / 1e6)} MB.`,
      );
    return checked(gpu, `the assembly of ${n} joints`, async () => {
      const { dispatches, kinds, ops } = planDispatches(tree, types, contraction);
      const buffer = (size: number, usage: number): GPUBuffer =>
        device.createBuffer({ size: Math.max(16, size), usage: usage | USAGE.copyTarget | USAGE.copySource });
      const filled = (data: Float32Array | Uint32Array, usage: number): GPUBuffer => {
        const made = buffer(data.byteLength, usage);
        device.queue.writeBuffer(made, 0, data as Float32Array<ArrayBuffer>);
        return made;
      };
      const { storage, uniform } = USAGE;
      const parameters = filled(parametersOf(tree, parts, dispatches), uniform);
      const constants = filled(packConstants(tree), storage);
      const given = buffer(4 * STATE.size * n, storage);
      const motions = [0, 1].map(() => buffer(4 * MOTION.size * n, storage));
      const part = buffer(sizes.part, storage);
      const force = buffer(sizes.force, storage);
      const out = buffer(4 * 6 * n, storage);
      const list = filled(ops, storage);
      const up = device.createBuffer({
        size: 4 * STATE.size * n,
        usage: USAGE.mapWrite | USAGE.copySource,
        mappedAtCreation: true,
      });
      const down = device.createBuffer({ size: 4 * 6 * n, usage: USAGE.mapRead | USAGE.copyTarget });
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
      const group = (a: GPUBuffer, b: GPUBuffer): GPUBindGroup =>
        device.createBindGroup({
          layout,
          entries: [parameters, constants, given, a, b, part, force, out, list].map((made, binding) => ({
            binding,
            resource: binding === 0 ? { buffer: made, size: 32 } : { buffer: made },
          })),
        });
      const pipelineLayout = device.createPipelineLayout({ bindGroupLayouts: [layout] });
      const names = [...new Set(dispatches.map(({ kernel }) => kernel))];
      const pipelines = new Map(
        await Promise.all(
          names.map(async (name) => {
            const module = device.createShaderModule({
              code: name === 'fused' ? fusedCode(kinds) : partKernelCode(name),
            });
            const pipeline = await device.createComputePipelineAsync({
              layout: pipelineLayout,
              compute: { module, entryPoint: 'main' },
            });
            return [name, pipeline] as const;
          }),
        ),
      );
      return new GpuAssembly({
        gpu,
        tree,
        types,
        rounds: contraction.rounds.length,
        pipelines,
        dispatches,
        groups: [group(motions[0], motions[1]), group(motions[1], motions[0])],
        buffers: [parameters, constants, given, ...motions, part, force, out, list, up, down],
        up,
        given,
        out,
        down,
        close,
      });
    });
  }

  /** Accelerations under the joint forces tau, without joint forces where left out. */
  async forward(state: State, tau?: Float64Array): Promise<Float64Array> {
    const { nv } = this.mechanism;
    if (tau !== undefined && tau.length !== nv)
      throw new GpuError('mechanism', `Expected ${nv} numbers in tau, got ${tau.length}.`);
    this.#pack(state, tau);
    await this.#submit(1, true);
    return this.#unpack(state);
  }

  /** Computes once more with the numbers of the last call, `times` times: for measuring. */
  run(times = 1): Promise<void> {
    return this.#submit(times, false);
  }

  async #submit(times: number, upload: boolean): Promise<void> {
    const { device } = this.#gpu;
    const lost = this.#gpu.lost();
    if (lost !== undefined) throw new GpuError('lost', `The GPU device was lost: ${lost}`);
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
    return `${this.mechanism.name}: ${this.#tree.n} joints in ${this.rounds} rounds, ${this.#dispatches.length} dispatches, on ${this.adapter}.`;
  }

  dispose(): void {
    for (const buffer of this.#buffers) buffer.destroy();
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

  #pack({ q, v }: State, tau: Float64Array | undefined): void {
    const { n, iq, iv, parameters, X } = this.#tree;
    if (this.#view === undefined) throw new GpuError('lost', 'The last call has not ended yet.');
    const out = this.#view;
    for (let i = 0; i < n; i++) {
      const type = this.#types[i];
      const at = TRANSFORM * i;
      for (let k = 0; k < 3; k++) out[(STATE.origin + k) * n + i] = X[at + ORIGIN + k];
      if (type === 'fixed') continue;
      const sense = type === 'spherical' || type === 'floating' ? 1 : parameters[3 * i + SENSE];
      const [dof, positions] = type === 'spherical' || type === 'floating' ? [3, 4] : [1, 1];
      for (let k = 0; k < positions; k++) out[(STATE.q + k) * n + i] = sense * q[iq[i] + k];
      for (let k = 0; k < dof; k++) {
        out[(STATE.v + k) * n + i] = sense * v[iv[i] + k];
        out[(STATE.tau + k) * n + i] = tau === undefined ? 0 : sense * tau[iv[i] + k];
      }
      // The origin slides along z; of a floating joint its place does not matter, and the force has its numbers.
      if (type === 'prismatic')
        for (let k = 0; k < 3; k++) out[(STATE.origin + k) * n + i] += X[at + 6 + k] * sense * q[iq[i]];
      if (type === 'floating')
        for (let k = 0; k < 3; k++) out[(STATE.origin + k) * n + i] = tau === undefined ? 0 : tau[iv[i] + 3 + k];
    }
  }

  async #unpack({ v }: State): Promise<Float64Array> {
    await Promise.all([this.#down.mapAsync(MAP_READ), this.#up.mapAsync(2)]);
    this.#view = new Float32Array(this.#up.getMappedRange());
    const result = new Float32Array(this.#down.getMappedRange());
    const { n, iv, parameters } = this.#tree;
    const qdd = new Float64Array(this.mechanism.nv);
    for (let i = 0; i < n; i++) {
      const type = this.#types[i];
      if (type === 'fixed') continue;
      if (type === 'spherical' || type === 'floating') for (let k = 0; k < 3; k++) qdd[iv[i] + k] = result[k * n + i];
      else qdd[iv[i]] = parameters[3 * i + SENSE] * result[i];
      if (type !== 'floating') continue;
      // The rate of the velocity in body coordinates: a - w x v.
      const o = iv[i];
      for (let k = 0; k < 3; k++) {
        const [x, y] = [(k + 1) % 3, (k + 2) % 3];
        qdd[o + 3 + k] = result[(3 + k) * n + i] - (v[o + x] * v[o + 3 + y] - v[o + y] * v[o + 3 + x]);
      }
    }
    this.#down.unmap();
    return qdd;
  }
}

function parametersOf({ n, gravity }: Tree, parts: number, dispatches: readonly Dispatch[]): Float32Array {
  const floats = new Float32Array((STRIDE / 4) * dispatches.length);
  const integers = new Uint32Array(floats.buffer);
  dispatches.forEach(({ count, ops }, k) => {
    const at = (STRIDE / 4) * k;
    integers.set([n, parts, count, ops], at);
    floats.set(gravity, at + 4);
  });
  return floats;
}
