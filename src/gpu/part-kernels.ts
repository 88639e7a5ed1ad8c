// Kernels for one large mechanism: one thread for each body, joint or pair of parts. Numbers stand side by side: number k
// of part i at k * parts + i.

import type { Graph } from '../compile/graph.js';
import type { Vec3, VectorGraph } from '../compile/vectors.js';
import { graphForGpu } from './formulas.js';
import {
  type BodyHere,
  handleAcceleration,
  hang,
  invertedBody,
  type JointHere,
  joinParts,
  jointHere,
  originAcceleration,
  type Part,
  type PartJoint,
  rakePart,
  readPart,
  readTransmitted,
  rigidBody,
  rigidPart,
  separate,
  TRANSMITTED,
  transmit,
  worldRotation,
  writePart,
  writeTransmitted,
} from './part-formulas.js';
import { emitStatements, FUNCTIONS } from './wgsl.js';

/** Numbers of a body that do not change, each `n` long: where each begins. */
export const CONSTANTS = {
  rotation: 0,
  mass: 4,
  inverseMass: 5,
  com: 6,
  inertia: 9,
  inverseInertia: 15,
  size: 21,
} as const;
/** Numbers of a body's state: half angle or quaternion, velocity, force, and its origin in the parent. */
export const STATE = { q: 0, v: 4, tau: 7, origin: 10, size: 13 } as const;
/** Numbers of a body's motion: orientation, angular velocity, the ancestor that they are relative to. */
export const MOTION = { orientation: 0, w: 4, ancestor: 7, size: 8 } as const;
/** Forces at the handles of a part; what a part gives to the body that takes it in. */
export const FORCES = 12;
export const TAKEN = 27;
export const NONE = 0xffffffff;

export const GROUP = 64;

/** Arrays in the graphs, by number. */
const MOTION_OF_JOINT = 20;
const STATE_OF_JOINT = 21;
const BODY = 22;
const UPPER = 23;
const LOWER = 24;
const RESULT = 25;
const KEPT = 26;
const FORCE_IN = 27;
const FORCE_UPPER = 28;
const FORCE_LOWER = 29;
const QDD = 30;
const HANDLE = 31;
const MOTION_OF_PARENT = 32;
const TAKEN_IN = 33;
const FORCE_PARENT = 34;

const HEAD = `struct P { n: u32, parts: u32, count: u32, ops: u32, gx: f32, gy: f32, gz: f32, z: f32 }
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
${FUNCTIONS}
`;

/** A kernel for one kind of operation: a thread for each of them. */
const single = (work: string): string => `fn work(i: u32, count: u32, at: u32) { let n = p.n; let parts = p.parts;
${work}
@compute @workgroup_size(${GROUP}) fn main(@builtin(global_invocation_id) id: vec3u) {
if (id.x < p.count) { work(id.x, p.count, p.ops); }
}
`;

/** Threads of the one workgroup that does all rounds with few operations, without a dispatch for each of them. */
export const FUSED = 128;

/**
 * Rounds with at most FUSED operations each, one after the other in one workgroup. Their list: for each which kind of
 * operation, how many, and where they stand.
 */
export function fusedCode(kinds: readonly PartKernel[]): string {
  const functions = kinds.map(
    (kind, k) => `fn work${k}(i: u32, count: u32, at: u32) { let n = p.n; let parts = p.parts;\n${workOf(kind)}`,
  );
  const cases = kinds.map((_, k) => `case ${k}u: { work${k}(id.x, count, at); }`);
  return `${HEAD}${functions.join('\n')}
@compute @workgroup_size(${FUSED}) fn main(@builtin(local_invocation_id) id: vec3u) {
for (var r = 0u; r < p.count; r++) {
let kind = ops[p.ops + 3u * r]; let count = ops[p.ops + 3u * r + 1u]; let at = ops[p.ops + 3u * r + 2u];
if (id.x < count) { switch (kind) { ${cases.join(' ')} default: {} } }
storageBarrier();
}
}
`;
}

/** Bodies whose motions are put together in the memory of one workgroup at the start. */
export const BLOCK = 256;

/**
 * Orientation and angular velocity of every link in its parent's axes, and then, within blocks of links, in the axes of
 * its first ancestor outside the block: log2 of the block's size times twice as far.
 */
const START = `var<workgroup> orientations: array<vec4f, ${BLOCK}>;
var<workgroup> velocities: array<vec3f, ${BLOCK}>;
var<workgroup> ancestors: array<u32, ${BLOCK}>;
@compute @workgroup_size(${BLOCK}) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) local: vec3u) {
let n = p.n; let i = min(id.x, n - 1u); let t = local.x; let first = id.x - t;
let c = vec4f(constants[i], constants[n + i], constants[2u * n + i], constants[3u * n + i]);
let q0 = given[i]; let kind = ops[p.ops + n + i]; var turned = vec4f(1.0, 0.0, 0.0, 0.0);
let v = vec3f(given[4u * n + i], given[5u * n + i], given[6u * n + i]); var w = vec3f(0.0);
if (kind == 0u) { let s = sincos(0.5 * q0); turned = vec4f(s.y, 0.0, 0.0, s.x); w = vec3f(0.0, 0.0, v.x); }
if (kind == 2u) { turned = vec4f(q0, given[n + i], given[2u * n + i], given[3u * n + i]); turned = turned * inverseSqrt(dot(turned, turned)); w = v; }
var r = times(c, turned); w = turn(r, w); var a = ops[p.ops + i];
for (var k = 0u; k < ${Math.log2(BLOCK)}u; k++) {
orientations[t] = r; velocities[t] = w; ancestors[t] = a;
workgroupBarrier();
if (a != ${NONE}u && a >= first) { let b = orientations[a - first]; w = velocities[a - first] + turn(b, w); r = times(b, r); a = ancestors[a - first]; }
workgroupBarrier();
}
r = r * inverseSqrt(dot(r, r));
if (id.x >= n) { return; }
motion[i] = u(r.x); motion[n + i] = u(r.y); motion[2u * n + i] = u(r.z); motion[3u * n + i] = u(r.w);
motion[4u * n + i] = u(w.x); motion[5u * n + i] = u(w.y); motion[6u * n + i] = u(w.z); motion[7u * n + i] = a;
}
`;

/** From relative to an ancestor to relative to that one's ancestors: three at a time, so four times as far each time. */
const JUMP = `var r = vec4f(f(motion[i]), f(motion[n + i]), f(motion[2u * n + i]), f(motion[3u * n + i]));
var w = vec3f(f(motion[4u * n + i]), f(motion[5u * n + i]), f(motion[6u * n + i])); var a = motion[7u * n + i];
for (var k = 0u; k < 3u; k++) { if (a == ${NONE}u) { break; }
let b = vec4f(f(motion[a]), f(motion[n + a]), f(motion[2u * n + a]), f(motion[3u * n + a]));
w = vec3f(f(motion[4u * n + a]), f(motion[5u * n + a]), f(motion[6u * n + a])) + turn(b, w); r = times(b, r); a = motion[7u * n + a]; }
r = r * inverseSqrt(dot(r, r));
other[i] = u(r.x); other[n + i] = u(r.y); other[2u * n + i] = u(r.z); other[3u * n + i] = u(r.w);
other[4u * n + i] = u(w.x); other[5u * n + i] = u(w.y); other[6u * n + i] = u(w.z); other[7u * n + i] = a;
}
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
    case HANDLE:
      return `handle.${'xyz'[k]}`;
    case UPPER:
      return `part[${k}u * parts + upper]`;
    case LOWER:
      return `part[${k}u * parts + lower]`;
    case KEPT:
      return `force[${k}u * parts + kept]`;
    case FORCE_IN:
      return `force[(${TRANSMITTED + k}u) * parts + result]`;
    case FORCE_PARENT:
      return `force[(${TRANSMITTED + k}u) * parts + upper]`;
    case TAKEN_IN:
      return `sum[${k}]`;
    case GRAVITY:
      return `p.g${'xyz'[k]}`;
    default:
      throw new Error(`array ${array} is not read`);
  }
}
const GRAVITY = 35;

function write(array: number, k: number, value: string): string {
  switch (array) {
    case RESULT:
      return `part[${k}u * parts + result] = ${value};`;
    case KEPT:
      return `force[${k}u * parts + kept] = ${value};`;
    case FORCE_UPPER:
      return `force[(${TRANSMITTED + k}u) * parts + upper] = ${value};`;
    case FORCE_LOWER:
      return `force[(${TRANSMITTED + k}u) * parts + lower] = ${value};`;
    case TAKEN_IN:
      return `force[${TRANSMITTED + FORCES}u * parts + ${k}u * n + joint] = ${value};`;
    case QDD:
      return `qdd[${k}u * n + joint] = ${value};`;
    default:
      throw new Error(`array ${array} is not written`);
  }
}

const body = (graph: Graph): string => `${emitStatements(graph, { read, write, readFirst: true })}\n}\n`;

const vector = (g: VectorGraph, array: number, at: number): Vec3 => g.vec((k) => g.input(array, at + k));

function motionOf(g: VectorGraph, array: number): { R: ReturnType<typeof worldRotation>; w: Vec3 } {
  return {
    R: worldRotation(g, g.inputs(array, MOTION.orientation, 4)),
    w: vector(g, array, MOTION.w),
  };
}

function jointIn(g: VectorGraph, type: PartJoint): JointHere {
  const { R, w } = motionOf(g, MOTION_OF_JOINT);
  return jointHere(g, type, R, w, vector(g, STATE_OF_JOINT, STATE.v), vector(g, STATE_OF_JOINT, STATE.tau));
}

const put = (g: VectorGraph, array: number, nodes: readonly number[], at = 0): void =>
  nodes.forEach((node, k) => {
    g.output(array, at + k, node);
  });

function bodyHere(g: VectorGraph): BodyHere {
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

const HANDLE_OF = `var handle = vec3f(0.0); if (below != ${NONE}u) { handle = vec3f(given[${STATE.origin}u * n + below], given[${STATE.origin + 1}u * n + below], given[${STATE.origin + 2}u * n + below]); }
`;

/** Bodies with at most one child, as parts. */
function rigidCode(): string {
  const g = graphForGpu();
  writePart(g, RESULT, rigidPart(g, bodyHere(g)));
  return `let joint = i; let body = i; let result = i; let below = ops[at + 2u * n + i]; if (below == ${NONE - 1}u) { return; }
${HANDLE_OF}${body(g)}`;
}

/** Bodies with several children, which have taken in all but at most one. */
function branchCode(): string {
  const g = graphForGpu();
  const here = bodyHere(g);
  const whole = g.addAll(rigidBody(g, here), g.inputs(TAKEN_IN, 0, TAKEN));
  writePart(g, RESULT, invertedBody(g, whole, here.w, g.apply(here.R, here.handle)));
  return `let body = ops[at + i]; let joint = body; let result = body; let below = ops[at + count + i];
let first = ops[at + 2u * count + i]; let last = first + ops[at + 3u * count + i];
var sum: array<f32, ${TAKEN}>;
for (var k = 0u; k < ${TAKEN}u; k++) { var s = 0.0; for (var c = first; c < last; c++) { s += force[${TRANSMITTED + FORCES}u * parts + k * n + ops[c]]; } sum[k] = s; }
${HANDLE_OF}${body(g)}`;
}

const JOIN_OPS = `let upper = ops[at + i]; let lower = ops[at + count + i]; let joint = ops[at + 2u * count + i]; let result = ops[at + 3u * count + i]; let kept = result;
`;

function joinCode(type: PartJoint): string {
  const g = graphForGpu();
  const { part, transmitted } = joinParts(g, readPart(g, UPPER), readPart(g, LOWER), jointIn(g, type));
  writeTransmitted(g, KEPT, transmitted);
  writePart(g, RESULT, part);
  return `${JOIN_OPS}${body(g)}`;
}

function separateCode(type: PartJoint): string {
  const g = graphForGpu();
  const f1 = g.inputs(FORCE_IN, 0, 6);
  const f2 = g.inputs(FORCE_IN, 6, 6);
  const joint = jointIn(g, type);
  const transmitted = readTransmitted(g, KEPT, joint);
  const { phi12: above } = readPart(g, UPPER);
  const { phi12: below } = readPart(g, LOWER);
  const { force, qdd } = separate(g, above, below, joint, transmitted, f1, f2);
  put(g, FORCE_UPPER, [...f1, ...force.map((x) => g.neg(x))]);
  put(g, FORCE_LOWER, [...force, ...f2]);
  put(g, QDD, qdd);
  return `${JOIN_OPS}${body(g)}`;
}

const RAKE_OPS = `let lower = ops[at + i]; let joint = ops[at + count + i]; let parent = ops[at + 2u * count + i]; let upper = parent; let kept = joint;
let handle = vec3f(given[${STATE.origin}u * n + joint], given[${STATE.origin + 1}u * n + joint], given[${STATE.origin + 2}u * n + joint]);
`;

/** A complete part only has its upper handle. */
function completePart(g: VectorGraph): Pick<Part, 'phi11' | 'b1'> {
  const { phi11, b1 } = readPart(g, LOWER);
  return { phi11, b1 };
}

function rakeCode(type: PartJoint): string {
  const g = graphForGpu();
  const { phi11, b1 } = completePart(g);
  const parent = motionOf(g, MOTION_OF_PARENT);
  const transmitted = transmit(
    g,
    jointIn(g, type),
    phi11,
    b1.map((x) => g.neg(x)),
  );
  writeTransmitted(g, KEPT, transmitted);
  put(g, TAKEN_IN, rakePart(g, transmitted, parent.w, g.apply(parent.R, vector(g, HANDLE, 0))));
  return `${RAKE_OPS}${body(g)}`;
}

function unrakeCode(type: PartJoint): string {
  const g = graphForGpu();
  const parent = motionOf(g, MOTION_OF_PARENT);
  const origin = originAcceleration(g, readPart(g, UPPER), g.inputs(FORCE_PARENT, 0, 6), g.inputs(FORCE_PARENT, 6, 6));
  const a = handleAcceleration(g, origin, parent.w, g.apply(parent.R, vector(g, HANDLE, 0)));
  const joint = jointIn(g, type);
  const { force, qdd } = hang(g, joint, readTransmitted(g, KEPT, joint), a);
  put(g, FORCE_LOWER, [...force, ...new Array<number>(6).fill(g.zero)]);
  put(g, QDD, qdd);
  return `${RAKE_OPS}${body(g)}`;
}

const ROOT_OPS = 'let lower = ops[at + i]; let joint = ops[at + count + i];\n';

/** A complete part on the ground. Of a floating one the results are the accelerations of its origin, world axes. */
function rootCode(type: PartJoint): string {
  const g = graphForGpu();
  const { phi11, b1 } = completePart(g);
  const zero6 = new Array<number>(6).fill(g.zero);
  if (type === 'floating') {
    // Forces of the free joint: moment in tau, force in the place of the origin's last numbers is packed by the host.
    const { R } = motionOf(g, MOTION_OF_JOINT);
    const f = [
      ...g.apply(R, vector(g, STATE_OF_JOINT, STATE.tau)),
      ...g.apply(R, vector(g, STATE_OF_JOINT, STATE.origin)),
    ];
    const a = originAcceleration(g, { phi11, phi12: zero6.flatMap(() => zero6), phi22: [], b1, b2: [] }, f, zero6);
    put(g, FORCE_LOWER, [...f, ...zero6]);
    put(g, QDD, [...g.applyT(R, [a[0], a[1], a[2]]), ...g.applyT(R, [a[3], a[4], a[5]])]);
    return `${ROOT_OPS}${body(g)}`;
  }
  const joint = jointIn(g, type);
  const transmitted = transmit(
    g,
    joint,
    phi11,
    b1.map((x) => g.neg(x)),
  );
  const { force, qdd } = hang(g, joint, transmitted, zero6);
  put(g, FORCE_LOWER, [...force, ...zero6]);
  put(g, QDD, qdd);
  return `${ROOT_OPS}${body(g)}`;
}

export type PartKernel =
  | 'start'
  | 'jump'
  | 'rigid'
  | 'branch'
  | `${'join' | 'separate' | 'rake' | 'unrake' | 'root'} ${PartJoint}`;

const OF_TYPE = { join: joinCode, separate: separateCode, rake: rakeCode, unrake: unrakeCode, root: rootCode };

export function partKernelCode(name: PartKernel): string {
  return HEAD + (name === 'start' ? START : single(workOf(name)));
}

/** The body of a function that does operation i of a list. */
function workOf(name: PartKernel): string {
  switch (name) {
    case 'start':
      return START;
    case 'jump':
      return JUMP;
    case 'rigid':
      return rigidCode();
    case 'branch':
      return branchCode();
    default: {
      const [kind, type] = name.split(' ') as [keyof typeof OF_TYPE, PartJoint];
      return OF_TYPE[kind](type);
    }
  }
}
