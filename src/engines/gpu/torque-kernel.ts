// Kernels that write the joint forces of a step into tau, before the kernel of the step reads them.

import { literal } from '../../emit/wgsl.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import { type PdTorque, splineWeights, type Torque } from '../torque.js';
import { checked, type OpenGpu } from './device.js';
import { TILE } from './kernel.js';
import { USAGE } from './pipeline.js';

const GROUP = 64;
/** Bytes between the parameters of two steps: offsets of uniform buffers are multiples of 256. */
const STEP_BYTES = 256;
const COMPUTE_STAGE = 4;

/** Bindings: parameters of the step, q, v, held forces, values, tau. */
const HEAD = `struct Step { index: u32, before: u32, after: u32, last: u32, w: vec4f }
@group(0) @binding(0) var<uniform> S: Step;
@group(0) @binding(1) var<storage, read> q: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read> held: array<f32>;
@group(0) @binding(4) var<storage, read> values: array<f32>;
@group(0) @binding(5) var<storage, read_write> tau: array<f32>;
`;

export class TorqueProgram {
  readonly #gpu: OpenGpu;
  readonly #pipeline: GPUComputePipeline;
  readonly #layout: GPUBindGroupLayout;
  readonly #parameters: GPUBuffer;
  readonly #values: GPUBuffer;
  /** Numbers of one state in `values`; 0 where all states share them. */
  readonly #perState: number;

  private constructor(
    gpu: OpenGpu,
    pipeline: GPUComputePipeline,
    layout: GPUBindGroupLayout,
    parameters: GPUBuffer,
    values: GPUBuffer,
    perState: number,
  ) {
    this.#gpu = gpu;
    this.#pipeline = pipeline;
    this.#layout = layout;
    this.#parameters = parameters;
    this.#values = values;
    this.#perState = perState;
  }

  static create(
    gpu: OpenGpu,
    mechanism: Mechanism,
    torque: Torque,
    whole: number,
    steps: number,
    step: number,
  ): Promise<TorqueProgram> {
    const { device } = gpu;
    const { nv } = mechanism;
    return checked(gpu, 'the joint forces of the rollout', async () => {
      const layout = device.createBindGroupLayout({
        entries: [0, 1, 2, 3, 4, 5].map((binding) => ({
          binding,
          visibility: COMPUTE_STAGE,
          buffer:
            binding === 0
              ? { type: 'uniform', hasDynamicOffset: true }
              : { type: binding === 5 ? 'storage' : 'read-only-storage' },
        })),
      });
      const code = `${HEAD}
@compute @workgroup_size(${GROUP}) fn main(@builtin(global_invocation_id) at: vec3u) {
let state = at.x;
let atQ = (state >> 5u) * ${TILE * mechanism.nq}u + (state & 31u); let atV = (state >> 5u) * ${TILE * nv}u + (state & 31u);
${bodyOf(torque, mechanism, steps)}
}
`;
      const pipeline = await device.createComputePipelineAsync({
        layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
        compute: { module: device.createShaderModule({ code }), entryPoint: 'main' },
      });
      const parameters = device.createBuffer({
        size: STEP_BYTES * Math.max(1, steps),
        usage: USAGE.uniform | USAGE.copyTarget,
      });
      device.queue.writeBuffer(parameters, 0, parametersOf(torque, steps, step));
      const perState = numbersPerState(torque, mechanism, steps);
      const given = valuesOf(torque, perState > 0);
      const values = device.createBuffer({
        size: Math.max(16, 4 * (perState === 0 ? given.length : perState * whole)),
        usage: USAGE.storage | USAGE.copyTarget,
      });
      device.queue.writeBuffer(values, 0, given as Float32Array<ArrayBuffer>);
      return new TorqueProgram(gpu, pipeline, layout, parameters, values, perState);
    });
  }

  /** For one window of states: their number, the first of them, and their arrays. */
  bind(
    first: number,
    states: number,
    arrays: { readonly [name in 'q' | 'v' | 'held' | 'tau']: GPUBufferBinding },
  ): (pass: GPUComputePassEncoder, step: number) => void {
    const values: GPUBufferBinding =
      this.#perState === 0
        ? { buffer: this.#values }
        : { buffer: this.#values, offset: 4 * first * this.#perState, size: 4 * states * this.#perState };
    const bindGroup = this.#gpu.device.createBindGroup({
      layout: this.#layout,
      entries: [{ buffer: this.#parameters, size: 32 }, arrays.q, arrays.v, arrays.held, values, arrays.tau].map(
        (resource, binding) => ({ binding, resource }),
      ),
    });
    return (pass, step) => {
      pass.setPipeline(this.#pipeline);
      pass.setBindGroup(0, bindGroup, [STEP_BYTES * step]);
      pass.dispatchWorkgroups(states / GROUP);
    };
  }

  destroy(): void {
    this.#parameters.destroy();
    this.#values.destroy();
  }
}

function parametersOf(torque: Torque, steps: number, step: number): ArrayBuffer {
  const bytes = new ArrayBuffer(STEP_BYTES * Math.max(1, steps));
  const integers = new Uint32Array(bytes);
  const floats = new Float32Array(bytes);
  for (let k = 0; k < steps; k++) {
    const at = (STEP_BYTES / 4) * k;
    integers[at] = k;
    if (torque.kind !== 'spline') continue;
    const { knot, weights } = splineWeights(k * step, torque.interval, torque.knots);
    const last = torque.knots - 1;
    integers.set([knot, Math.max(0, knot - 1), Math.min(last, knot + 1), Math.min(last, knot + 2)], at);
    floats.set(weights, at + 4);
  }
  return bytes;
}

/** Numbers of one state in the values; 0 where all states share them. */
function numbersPerState(torque: Torque, { nq, nv }: Mechanism, steps: number): number {
  switch (torque.kind) {
    case 'held':
      return 0;
    case 'sequence':
      return steps * nv;
    case 'spline':
      return torque.knots * nv;
    case 'pd':
      return torque.target.length === nq ? 0 : nq;
  }
}

/** Of springs with targets for each state just those: the gains then stand in the code. */
function valuesOf(torque: Torque, perState: boolean): Float32Array {
  switch (torque.kind) {
    case 'sequence':
    case 'spline':
      return Float32Array.from(torque.values);
    case 'pd': {
      const gains = perState ? [] : [...gainsOf(torque.stiffness), ...gainsOf(torque.damping)];
      return Float32Array.from([...gains, ...Array.from(torque.target)]);
    }
    case 'held':
      return new Float32Array(4);
  }
}

/** Laws have been checked (torque.ts): their gains are arrays. */
const gainsOf = (gains: number | ArrayLike<number>): number[] => Array.from(gains as ArrayLike<number>);

function bodyOf(torque: Torque, mechanism: Mechanism, steps: number): string {
  const { nv } = mechanism;
  const loop = (value: string): string => `for (var k = 0u; k < ${nv}u; k++) { tau[atV + 32u * k] = ${value}; }`;
  switch (torque.kind) {
    case 'held':
      return loop('held[atV + 32u * k]');
    case 'sequence':
      return loop(`values[(state * ${steps}u + S.index) * ${nv}u + k]`);
    case 'spline': {
      const at = (knot: string): string => `values[(state * ${torque.knots}u + S.${knot}) * ${nv}u + k]`;
      return loop(`dot(S.w, vec4f(${at('before')}, ${at('index')}, ${at('after')}, ${at('last')}))`);
    }
    case 'pd':
      return pdBody(mechanism, torque);
  }
}

function pdBody({ joints, nq, nv }: Mechanism, { stiffness, damping, target: given }: PdTorque): string {
  const lines: string[] = [];
  const perState = given.length !== nq;
  const gain = (of: number | ArrayLike<number>, from: number, k: number): string =>
    perState ? literal(gainsOf(of)[k]) : `values[${from + k}u]`;
  for (const { model, iq, iv } of joints) {
    const q = (k: number): string => `q[atQ + ${TILE * (iq + k)}u]`;
    const target = (k: number): string =>
      perState ? `values[state * ${nq}u + ${iq + k}u]` : `values[${2 * nv + iq + k}u]`;
    const put = (k: number, error: string): void => {
      const at = `atV + ${TILE * (iv + k)}u`;
      const [spring, damper] = [gain(stiffness, 0, iv + k), gain(damping, nv, iv + k)];
      lines.push(`tau[${at}] = held[${at}] + fma(${spring}, ${error}, -${damper} * v[${at}]);`);
    };
    if (model.name !== 'spherical' && model.name !== 'floating') {
      for (let k = 0; k < model.nv; k++) put(k, `(${target(k)} - ${q(k)})`);
      continue;
    }
    // conj(q) target = [w, e]; the shorter way round.
    const vec = (of: (k: number) => string, from: number): string =>
      `vec3f(${of(from)}, ${of(from + 1)}, ${of(from + 2)})`;
    lines.push(`{ let a = ${vec(q, 1)}; let b = ${vec(target, 1)}; let wa = ${q(0)}; let wb = ${target(0)};
let w = fma(wa, wb, dot(a, b)); let e = select(-2.0, 2.0, w >= 0.0) * (wa * b - wb * a - cross(a, b));`);
    'xyz'.split('').forEach((axis, k) => {
      put(k, `e.${axis}`);
    });
    if (model.name === 'floating') {
      // The way to go in the frame of the body: rotated by the conjugate.
      lines.push(
        `let d = ${vec(target, 4)} - ${vec(q, 4)}; let t = cross(-a, d) * 2.0; let p = d + wa * t + cross(-a, t);`,
      );
      'xyz'.split('').forEach((axis, k) => {
        put(3 + k, `p.${axis}`);
      });
    }
    lines.push('}');
  }
  return lines.join('\n');
}
