// Kernels for one large mechanism: one thread for each link, joint or pair of parts.

import type { VectorGraph } from '../../formulas/vectors.js';
import { graphForGpu } from './formulas.js';
import { lift, numbersOfLifted, readLifted, unlift } from './kept-inertias.js';
import { JUMP, START } from './motion-kernels.js';
import {
  body,
  bodyHere,
  FORCE_IN,
  FORCE_LOWER,
  FORCE_UPPER,
  HANDLE_OF,
  HEAD,
  JOINT_PLACE,
  type JointSupport,
  jointIn,
  KEPT,
  keptOf,
  LOWER,
  MOTION_OF_PARENT,
  motionOf,
  offsetInParent,
  put,
  QDD,
  RAKE_OPS,
  RESULT,
  SUM,
  supportAcceleration,
  TAKEN_IN,
  UPPER,
  wholeLink,
  zeros,
} from './part-access.js';
import {
  hang,
  invertedBody,
  joinParts,
  rakePart,
  readPart,
  readTransmitted,
  rigidPart,
  separate,
  type Transmitted,
  transmit,
  writePart,
  writeTransmitted,
} from './part-formulas.js';
import type { JointHere, PartJoint } from './part-joints.js';
import { NONE } from './part-layout.js';

/** Links with at most one child, as parts. */
function rigidCode(): string {
  const g = graphForGpu();
  writePart(g, RESULT, rigidPart(g, bodyHere(g)));
  return `let joint = i; let body = i; let result = i; let below = ops[at + 2u * n + i]; if (below == ${NONE - 1}u) { return; }
${HANDLE_OF}${body(g)}`;
}

/** Links with several children, which have taken in all but at most one. */
function branchCode(): string {
  const g = graphForGpu();
  const here = bodyHere(g);
  writePart(g, RESULT, invertedBody(g, wholeLink(g, here), here.w, g.apply(here.R, here.handle)));
  return `let body = ops[at + i]; let joint = body; let result = body; let below = ops[at + count + i];
let first = ops[at + 2u * count + i]; let last = first + ops[at + 3u * count + i];
${SUM}${HANDLE_OF}${body(g)}`;
}

const JOIN_OPS = `let upper = ops[at + i]; let lower = ops[at + count + i]; let joint = ops[at + 2u * count + i]; let result = ops[at + 3u * count + i];
${keptOf('result')}`;

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

/** Through the joint of a complete part, which only has its upper handle. */
function transmitComplete(g: VectorGraph, joint: JointHere): Transmitted {
  const { phi11, b1 } = readPart(g, LOWER);
  return transmit(
    g,
    joint,
    phi11,
    b1.map((x) => g.neg(x)),
  );
}

function rakeCode(type: PartJoint): string {
  const g = graphForGpu();
  const parent = motionOf(g, MOTION_OF_PARENT);
  const transmitted = transmitComplete(g, jointIn(g, type));
  writeTransmitted(g, KEPT, transmitted);
  put(g, TAKEN_IN, rakePart(g, transmitted, parent.w, offsetInParent(g, parent.R)));
  return `${RAKE_OPS}${body(g)}`;
}

const unrakeCode =
  (support: JointSupport) =>
  (type: PartJoint): string => {
    const g = graphForGpu();
    const joint = jointIn(g, type);
    const { force, qdd } = hang(g, joint, readTransmitted(g, KEPT, joint), supportAcceleration(g, support));
    put(g, FORCE_LOWER, [...force, ...zeros(g)]);
    put(g, QDD, qdd);
    return `${RAKE_OPS}${body(g)}`;
  };

/** A complete part on the ground, whose acceleration is zero. */
function rootCode(type: PartJoint): string {
  const g = graphForGpu();
  const joint = jointIn(g, type);
  const { force, qdd } = hang(g, joint, transmitComplete(g, joint), zeros(g));
  put(g, FORCE_LOWER, [...force, ...zeros(g)]);
  put(g, QDD, qdd);
  return `let lower = ops[at + i]; let joint = ops[at + count + i];\n${body(g)}`;
}

const LIFT_OPS = `let joint = ops[at + i]; let body = joint; let lower = joint; let parent = ops[at + count + i];
${JOINT_PLACE}`;

/** Like a rake, of a link that is kept as an inertia. */
function liftCode(type: PartJoint): string {
  const g = graphForGpu();
  const parent = motionOf(g, MOTION_OF_PARENT);
  const { lifted, seen } = lift(g, jointIn(g, type), wholeLink(g, bodyHere(g)));
  put(g, KEPT, numbersOfLifted(lifted));
  put(g, TAKEN_IN, rakePart(g, seen, parent.w, offsetInParent(g, parent.R)));
  return `${LIFT_OPS}let first = ops[at + 2u * count + i]; let last = first + ops[at + 3u * count + i];
${SUM}${body(g)}`;
}

const unliftCode =
  (support: JointSupport) =>
  (type: PartJoint): string => {
    const g = graphForGpu();
    const joint = jointIn(g, type);
    const { a, qdd } = unlift(g, joint, readLifted(g, KEPT, joint), supportAcceleration(g, support));
    put(g, FORCE_LOWER, a);
    put(g, QDD, qdd);
    return `${LIFT_OPS}${body(g)}`;
  };

/** Like a root, of a link that is kept as an inertia. */
function baseCode(type: PartJoint): string {
  const g = graphForGpu();
  const joint = jointIn(g, type);
  const { lifted } = lift(g, joint, wholeLink(g, bodyHere(g)));
  const { a, qdd } = unlift(g, joint, lifted, zeros(g));
  put(g, FORCE_LOWER, a);
  put(g, QDD, qdd);
  return `let joint = ops[at + i]; let body = joint; let lower = joint; let handle = vec3f(0.0);
let first = ops[at + count + i]; let last = first + ops[at + 2u * count + i];
${SUM}${body(g)}`;
}

/** What is done with a joint, for each type of joint in a kernel of its own. */
const OF_TYPE = {
  join: joinCode,
  separate: separateCode,
  rake: rakeCode,
  lift: liftCode,
  unrake: unrakeCode('part'),
  unlift: unliftCode('part'),
  'unrake-link': unrakeCode('link'),
  'unlift-link': unliftCode('link'),
  root: rootCode,
  base: baseCode,
};

export type PartKernel = 'start' | 'jump' | 'rigid' | 'branch' | `${keyof typeof OF_TYPE} ${PartJoint}`;

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
      const at = name.indexOf(' ');
      return OF_TYPE[name.slice(0, at) as keyof typeof OF_TYPE](name.slice(at + 1) as PartJoint);
    }
  }
}

/** Threads of a workgroup. */
export const GROUP = 64;

/** A kernel for one kind of operation: a thread for each of them. */
export function partKernelCode(name: PartKernel): string {
  if (name === 'start') return HEAD + START;
  return `${HEAD}fn work(i: u32, count: u32, at: u32) { let n = p.n; let parts = p.parts;
${workOf(name)}
@compute @workgroup_size(${GROUP}) fn main(@builtin(global_invocation_id) id: vec3u) {
if (id.x < p.count) { work(id.x, p.count, p.ops); }
}
`;
}

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
