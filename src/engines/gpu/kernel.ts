// Kernels for many states: WGSL around the statements of wgsl.ts. Arrays hold the states in tiles of 32: number k of state
// s of an array of n numbers stands at (s / 32) 32 n + 32 k + s % 32, so that neighbouring threads read neighbouring
// numbers. Every thread has one state at a time.

import { emitStatements, FUNCTIONS, literal } from '../../emit/wgsl.js';
import type { Graph } from '../../formulas/graph.js';
import { Q, QDD, TAU, V } from '../../formulas/links.js';
import { FRICTION_SPEED } from '../../formulas/passive.js';
import { NEXT_Q, NEXT_V, STEP } from '../../formulas/rollout-step.js';
import type { Plan } from '../../plan/plan.js';
import { AGAIN, LOCAL, ZERO } from './formulas.js';

export const TILE = 32;
/** Threads of a workgroup, each with one state at a time. */
export const WORKGROUP = 64;

/** Buffers of a kernel, by name; their binding numbers are the same in all kernels. */
export const BINDINGS = {
  parameters: 0,
  q: 1,
  v: 2,
  tau: 3,
  qdd: 4,
  flags: 5,
  kept: 6,
  table: 7,
  rows: 8,
  nextQ: 9,
  nextV: 10,
  dq: 11,
  dv: 12,
  dtau: 13,
} as const;
export type BufferName = keyof typeof BINDINGS;

export interface WgslKernel {
  readonly code: string;
  readonly uses: readonly { readonly name: BufferName; readonly type: GPUBufferBindingType }[];
  /** Numbers in storage that each thread needs for itself; 0 where all states have threads of their own. */
  readonly keptPerThread: number;
  /** For each state, where a buffer of them lies between two kernels. */
  readonly keptPerState: number;
  /** Threads for each state, in the second dimension of a dispatch; 1 where left out. */
  readonly limbs?: number;
}

/** tanh(v / FRICTION_SPEED) of a velocity, by the number of that. */
export const STEEP = 13;

/** What a kernel computes for every state. */
export type GpuTask = 'forward' | 'inverse' | 'step';

export const PARAMETERS = `struct Parameters { groups: u32, stride: u32, zero: u32, nothing: u32, step: f32, time: f32, none: f32, first: u32 }
`;

export function header(uses: WgslKernel['uses']): string {
  return uses
    .map(({ name, type }) => {
      const at = `@group(0) @binding(${BINDINGS[name]})`;
      if (name === 'parameters') return `${PARAMETERS}${at} var<uniform> P: Parameters;`;
      const access = type === 'storage' ? 'read_write' : 'read';
      const element = name === 'flags' || name === 'rows' ? 'u32' : 'f32';
      return `${at} var<storage, ${access}> ${name}: array<${element}>;`;
    })
    .join('\n');
}

/**
 * The buffers that code names, and whether it writes to them. Steps write to others than they read: then compilers may load
 * numbers long before they are needed.
 */
export function usesOf(code: string): WgslKernel['uses'] {
  const names = (Object.keys(BINDINGS) as BufferName[]).filter((name) => new RegExp(`\\b${name}\\[`).test(code));
  const written = (name: string): boolean => new RegExp(`\\b${name}\\[[^\\]]*\\] = `).test(code);
  return [
    { name: 'parameters', type: 'uniform' },
    ...names.map((name) => ({ name, type: written(name) ? 'storage' : 'read-only-storage' }) as const),
  ];
}

/** A kernel in which threads of a state, `group.y` of them, stand side by side. */
export function stateKernel(body: string, keptPerState: number, limbs: number, functions = ''): WgslKernel {
  const uses = usesOf(body);
  const code = `${header(uses)}
${functions}
@compute @workgroup_size(${WORKGROUP}) fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
let inChunk = group.x * ${WORKGROUP}u + local.x;
let state = P.first + inChunk;
let atKept = (inChunk >> 5u) * ${TILE * keptPerState}u + (inChunk & 31u);
${body}
}
`;
  return { code, uses, keptPerThread: 0, keptPerState, limbs };
}

/** Statements of one graph, with the arrays where a thread has its state. `again`: names and places of a second reading. */
export function statements(graph: Graph, again: boolean): string {
  const extra = again ? 'Again' : '';
  const read = (array: number, i: number): string => {
    switch (array) {
      case Q + AGAIN:
        return `q[atQSecond + ${TILE * i}u]`;
      case V + AGAIN:
        return `v[atVSecond + ${TILE * i}u]`;
      case ZERO:
        return 'P.none';
      case LOCAL:
        return `k${i}`;
      case Q:
        return `q[atQ${extra} + ${TILE * i}u]`;
      case V:
        return `v[atV${extra} + ${TILE * i}u]`;
      case TAU:
        return `tau[atV${extra} + ${TILE * i}u]`;
      case QDD:
        return `qdd[atV${extra} + ${TILE * i}u]`;
      case STEP:
        return 'P.step';
      case STEEP:
        return `tangent(${literal(1 / FRICTION_SPEED)} * v[atV${extra} + ${TILE * i}u])`;
      default:
        return `kept[atKept + ${TILE * i}u]`;
    }
  };
  const write = (array: number, i: number, value: string): string => {
    const checked = `size = fma(abs(${value}), 1e-30f, size);`;
    switch (array) {
      case QDD:
        return `qdd[atV + ${TILE * i}u] = ${value}; ${checked}`;
      case TAU:
        return `tau[atV + ${TILE * i}u] = ${value}; ${checked}`;
      case LOCAL:
        return `let k${i} = ${value};`;
      case NEXT_Q:
        return `nextQ[atQ + ${TILE * i}u] = ${value};`;
      case NEXT_V:
        return `nextV[atV + ${TILE * i}u] = ${value}; ${checked}`;
      default:
        return `kept[atKept + ${TILE * i}u] = ${value};`;
    }
  };
  return emitStatements(graph, { read, write, prefix: again ? 'm' : 'n' });
}

/** `size` sums up all results, far below overflow: it is finite where they all are. Its bits tell, whatever maths flags. */
export const NOT_FINITE = '(bitcast<u32>(size) & 0x7f800000u) == 0x7f800000u';
const FLAG = `flags[state] = select(0u, 1u, ${NOT_FINITE});`;

/**
 * Reading again at a distance that is zero, but not for the compiler, keeps it from holding on to what was read, and made
 * of it, before.
 */
export const placesOf = (nq: number, nv: number): string =>
  `let atQ = (state >> 5u) * ${TILE * nq}u + (state & 31u); let atV = (state >> 5u) * ${TILE * nv}u + (state & 31u);
let atQSecond = atQ + P.nothing; let atVSecond = atV + P.nothing;
let atQAgain = atQ + P.zero; let atVAgain = atV + P.zero;`;

/** What one kernel of several computes: graphs one after the other, or side by side in threads of their own. */
export type KernelPass = { readonly graphs: readonly Graph[] } | { readonly limbs: readonly Graph[] };

/** A task as passes, one after the other over the same states, and the numbers that a buffer keeps between them for each state. */
export interface Split {
  readonly passes: readonly KernelPass[];
  readonly kept: number;
}

/** What crosses from one graph of a kernel to the next stays in registers (the array LOCAL); from kernel to kernel, in the buffer. */
export function passKernels({ passes, kept }: Split, { nq, nv }: Plan): readonly WgslKernel[] {
  let flagged = false;
  return passes.map((pass) => {
    const limbs = 'limbs' in pass ? pass.limbs.length : 1;
    const body =
      'limbs' in pass
        ? `switch (group.y) {
${pass.limbs.map((graph, k) => `case ${k}u: {\n${statements(graph, false)}\n}`).join('\n')}
default: {}
}`
        : pass.graphs.map((graph, k) => statements(graph, k > 0)).join('\n');
    // The first kernel with results sets the flag, the others may add to it.
    const results = body.includes('size = ');
    const flag = !results ? '' : flagged ? `if (${NOT_FINITE}) { flags[state] = 1u; }` : FLAG;
    flagged ||= results;
    return stateKernel(`${placesOf(nq, nv)}\nvar size = 0.0f;\n${body}\n${flag}`, kept, limbs, FUNCTIONS);
  });
}
