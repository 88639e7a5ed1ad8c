// What the kernels for one large mechanism have in common: their buffers, the arrays of their graphs, and how the operations
// in their lists are read.

import { emitStatements, FUNCTIONS_OF_ANY_ANGLE } from '../../emit/wgsl.js';
import type { Graph } from '../../formulas/graph.js';
import type { NodeVec3, VectorGraph } from '../../formulas/vectors.js';
import {
  type BodyHere,
  handleAcceleration,
  originAcceleration,
  readPart,
  rigidBody,
  worldRotation,
} from './part-formulas.js';
import { type JointHere, jointHere, type PartJoint, STATE } from './part-joints.js';
import { CONSTANTS, FORCES, MOTION, NONE, TAKEN } from './part-layout.js';

/** Arrays in the graphs, by number. */
const MOTION_OF_JOINT = 20;
const STATE_OF_JOINT = 21;
const BODY = 22;
export const UPPER = 23;
export const LOWER = 24;
export const RESULT = 25;
export const KEPT = 26;
export const FORCE_IN = 27;
export const FORCE_UPPER = 28;
export const FORCE_LOWER = 29;
export const QDD = 30;
const HANDLE = 31;
export const MOTION_OF_PARENT = 32;
export const TAKEN_IN = 33;
const FORCE_PARENT = 34;
const GRAVITY = 35;
const CONSTANT_OF_JOINT = 36;

export const HEAD = `struct P { n: u32, parts: u32, count: u32, ops: u32, gx: f32, gy: f32, gz: f32, kept: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> constants: array<f32>;
@group(0) @binding(2) var<storage, read> given: array<f32>;
@group(0) @binding(3) var<storage, read_write> motion: array<u32>;
@group(0) @binding(4) var<storage, read_write> other: array<u32>;
@group(0) @binding(5) var<storage, read_write> part: array<f32>;
@group(0) @binding(6) var<storage, read_write> force: array<f32>;
@group(0) @binding(7) var<storage, read_write> qdd: array<f32>;
@group(0) @binding(8) var<storage, read> ops: array<u32>;
fn times(a: vec4f, b: vec4f) -> vec4f { return vec4f(a.x * b.x - dot(a.yzw, b.yzw), a.x * b.yzw + b.x * a.yzw + cross(a.yzw, b.yzw)); }
fn turn(a: vec4f, x: vec3f) -> vec3f { let t = 2.0 * cross(a.yzw, x); return x + a.x * t + cross(a.yzw, t); }
fn f(x: u32) -> f32 { return bitcast<f32>(x); }
fn u(x: f32) -> u32 { return bitcast<u32>(x); }
${FUNCTIONS_OF_ANY_ANGLE}
`;

function read(array: number, k: number): string {
  switch (array) {
    case MOTION_OF_JOINT:
      return `f(motion[${k}u * n + joint])`;
    case MOTION_OF_PARENT:
      return `f(motion[${k}u * n + parent])`;
    case STATE_OF_JOINT:
      return `given[${k}u * n + joint]`;
    case BODY:
      return `constants[${k}u * n + body]`;
    case CONSTANT_OF_JOINT:
      return `constants[${k}u * n + joint]`;
    case HANDLE:
      return `handle.${'xyz'[k]}`;
    case UPPER:
      return `part[${k}u * parts + upper]`;
    case LOWER:
      return `part[${k}u * parts + lower]`;
    case KEPT:
      return `force[keptAt + ${k}u * parts]`;
    case FORCE_IN:
      return `force[(p.kept + ${k}u) * parts + result]`;
    case FORCE_PARENT:
      return `force[(p.kept + ${k}u) * parts + upper]`;
    case TAKEN_IN:
      return `sum[${k}]`;
    case GRAVITY:
      return `p.g${'xyz'[k]}`;
    default:
      throw new Error(`array ${array} is not read`);
  }
}

function write(array: number, k: number, value: string): string {
  switch (array) {
    case RESULT:
      return `part[${k}u * parts + result] = ${value};`;
    case KEPT:
      return `force[keptAt + ${k}u * parts] = ${value};`;
    case FORCE_UPPER:
      return `force[(p.kept + ${k}u) * parts + upper] = ${value};`;
    case FORCE_LOWER:
      return `force[(p.kept + ${k}u) * parts + lower] = ${value};`;
    case TAKEN_IN:
      return `force[(p.kept + ${FORCES}u) * parts + ${k}u * n + joint] = ${value};`;
    case QDD:
      return `qdd[${k}u * n + joint] = ${value};`;
    default:
      throw new Error(`array ${array} is not written`);
  }
}

export const body = (graph: Graph): string => `${emitStatements(graph, { read, write, readFirst: true })}\n}\n`;

export const vector = (g: VectorGraph, array: number, at: number): NodeVec3 => g.vec((k) => g.input(array, at + k));

export function motionOf(g: VectorGraph, array: number): { R: ReturnType<typeof worldRotation>; w: NodeVec3 } {
  return {
    R: worldRotation(g, g.inputs(array, MOTION.orientation, 4)),
    w: vector(g, array, MOTION.w),
  };
}

export function jointIn(g: VectorGraph, type: PartJoint): JointHere {
  const { R, w } = motionOf(g, MOTION_OF_JOINT);
  return jointHere(g, type, R, w, {
    state: (k) => g.input(STATE_OF_JOINT, k),
    parameter: (k) => g.input(CONSTANT_OF_JOINT, CONSTANTS.parameters + k),
    gear: () => g.input(CONSTANT_OF_JOINT, CONSTANTS.gear),
  });
}

export const put = (g: VectorGraph, array: number, nodes: readonly number[], at = 0): void =>
  nodes.forEach((node, k) => {
    g.output(array, at + k, node);
  });

export function bodyHere(g: VectorGraph): BodyHere {
  const numbers = (at: number, count: number): number[] => g.inputs(BODY, at, count);
  return {
    ...motionOf(g, MOTION_OF_JOINT),
    mass: g.input(BODY, CONSTANTS.mass),
    inverseMass: g.input(BODY, CONSTANTS.inverseMass),
    com: vector(g, BODY, CONSTANTS.com),
    handle: vector(g, HANDLE, 0),
    inertia: numbers(CONSTANTS.inertia, 6),
    inverseInertia: numbers(CONSTANTS.inverseInertia, 6),
    gravity: vector(g, GRAVITY, 0),
  };
}

export const HANDLE_OF = `var handle = vec3f(0.0); if (below != ${NONE}u) { handle = vec3f(given[${STATE.origin}u * n + below], given[${STATE.origin + 1}u * n + below], given[${STATE.origin + 2}u * n + below]); }
`;

/** Inertia (21) and bias force (6) of a link with all that it has taken in. */
export const wholeLink = (g: VectorGraph, here: BodyHere): number[] =>
  g.addAll(rigidBody(g, here), g.inputs(TAKEN_IN, 0, TAKEN));

/** Where a joint is in the link that it hangs from, from that link's origin, world axes. */
export const offsetInParent = (g: VectorGraph, R: ReturnType<typeof worldRotation>): NodeVec3 =>
  g.apply(R, vector(g, HANDLE, 0));

export const zeros = (g: VectorGraph): number[] => new Array<number>(6).fill(g.zero);

/** Where disassembly finds what it needs of a joint. */
export const keptOf = (name: string): string => `let keptAt = ${name};
`;

/** Sums up what links first to last of the list have to give. */
export const SUM = `var sum: array<f32, ${TAKEN}>;
for (var k = 0u; k < ${TAKEN}u; k++) { var s = 0.0; for (var c = first; c < last; c++) { s += force[(p.kept + ${FORCES}u) * parts + k * n + ops[c]]; } sum[k] = s; }
`;

/** Where a joint is in the link that it hangs from. */
export const JOINT_PLACE = `let upper = parent;
let handle = vec3f(given[${STATE.origin}u * n + joint], given[${STATE.origin + 1}u * n + joint], given[${STATE.origin + 2}u * n + joint]);
${keptOf('joint')}`;
/** Operation i of a list: a complete part and the link that it hangs from. */
export const RAKE_OPS = `let lower = ops[at + i]; let joint = ops[at + count + i]; let parent = ops[at + 2u * count + i];
${JOINT_PLACE}`;

/** What a joint hangs from: a part whose forces are known, or a link kept as an inertia whose acceleration is. */
export type JointSupport = 'part' | 'link';

/** Acceleration of the point of the parent where the joint is. */
export function supportAcceleration(g: VectorGraph, support: JointSupport): readonly number[] {
  const parent = motionOf(g, MOTION_OF_PARENT);
  const known = g.inputs(FORCE_PARENT, 0, 6);
  const origin =
    support === 'link' ? known : originAcceleration(g, readPart(g, UPPER), known, g.inputs(FORCE_PARENT, 6, 6));
  return handleAcceleration(g, origin, parent.w, offsetInParent(g, parent.R));
}
