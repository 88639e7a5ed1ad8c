// Loop joints as constraints: what they forbid, and by how much the present motion without qdd would break it.
//
// Frame a sits on link a, frame b on link b, both turned so that the joint's axis is z. With T a basis of the forces that
// the joint can transmit (columns, frame b), K = T^T:
//
//   velocity       K (v_b - X_ab v_a) = 0
//   acceleration   K (a_b - X_ab a_a - c) = 0,   c = v_b x v_rel + (dS/dt) qd
//
// and its force on b is T lambda, on a its opposite.

import { PARAMETERS } from '../../../joints/index.js';
import { GROUND, type LoopFrame, type LoopJoint } from '../../../mechanism/mechanism.js';
import type { Tree } from '../../../mechanism/tree.js';
import { canonicalTurn, constraintCount, transmitted } from '../../../plan/loops.js';
import { createKinematics, type KinematicsScratch, velocities } from '../../../reference/kinematics.js';
import { apply, type Mat3 } from '../../../spatial/matrix3.js';
import { addCrossMotion, compose, invert, motionToB, setIdentity, TRANSFORM } from '../../../spatial/spatial.js';
import { setGap } from './loop-gap.js';

interface Loop {
  readonly joint: Pick<LoopJoint, 'name' | 'type' | 'pitch'>;
  /** Links, -1 for the ground. */
  readonly a: number;
  readonly b: number;
  /** Link frame to loop frame. */
  readonly Xa: Float64Array;
  readonly Xb: Float64Array;
  /** Second axis of a universal joint, frame b. */
  readonly axis2: readonly [number, number, number];
  /** Constraints: six less the freedoms of the joint. */
  readonly k: number;
  /** A joint of the tree: the motion without qdd satisfies it. */
  readonly closer: boolean;
}

export interface LoopScratch {
  readonly loops: readonly Loop[];
  /** A length (m) below which no arm of a force counts as one: a small part of the size of the mechanism. */
  readonly length: number;
  readonly kinematics: KinematicsScratch;
  /** Per loop, for the present state: k rows of six each for link a and link b, and k numbers beta. */
  readonly Ga: readonly Float64Array[];
  readonly Gb: readonly Float64Array[];
  readonly beta: readonly Float64Array[];
  /** Per loop: size of the terms of beta. */
  readonly size: Float64Array;
  /** Columns of T of one loop: 36. */
  readonly T: Float64Array;
  readonly work: Float64Array;
  /** 12: forces of one closer on its two links. */
  readonly push: Float64Array;
  /** n x 6: constraint forces of closers on the links they carry; disassembly. */
  readonly closerForces: Float64Array;
}

function frameTransform(tree: Tree, { body, E, t }: LoopFrame, turn: Mat3): Float64Array {
  const placement = new Float64Array([...E, ...t]);
  const turned = new Float64Array(TRANSFORM);
  const rotation = new Float64Array([...turn, 0, 0, 0]);
  compose(turned, 0, rotation, 0, placement, 0);
  if (body === GROUND) return turned;
  const toBody = new Float64Array(TRANSFORM);
  const out = new Float64Array(TRANSFORM);
  invert(toBody, 0, tree.offset, TRANSFORM * tree.link[body]);
  compose(out, 0, turned, 0, toBody, 0);
  return out;
}

/** `closers`: links whose tree joints close loops, numbered after the loop joints. */
export function createLoops(tree: Tree, closers: readonly number[] = []): LoopScratch {
  const linkOf = (body: number): number => (body === GROUND ? -1 : tree.link[body]);
  const loops = tree.mechanism.loops.map((joint): Loop => {
    const turn = canonicalTurn(joint);
    const [x, y, z] = apply(turn, joint.axis2);
    return {
      joint,
      a: linkOf(joint.a.body),
      b: linkOf(joint.b.body),
      Xa: frameTransform(tree, joint.a, turn),
      Xb: frameTransform(tree, joint.b, turn),
      axis2: [x, y, z],
      k: constraintCount(joint),
      closer: false,
    };
  });
  for (const b of closers) {
    const joint = tree.mechanism.joints[tree.joint[b]];
    const own = new Float64Array(TRANSFORM);
    setIdentity(own, 0);
    const [x, y, z] = tree.parameters.subarray(PARAMETERS * b);
    loops.push({
      joint,
      a: tree.parent[b],
      b,
      Xa: tree.X.slice(TRANSFORM * b, TRANSFORM * (b + 1)),
      Xb: own,
      axis2: [x, y, z],
      k: constraintCount(joint),
      closer: true,
    });
  }
  return {
    loops,
    length: 1e-3 * sizeOf(tree, loops),
    kinematics: createKinematics(tree),
    Ga: loops.map(({ k }) => new Float64Array(6 * k)),
    Gb: loops.map(({ k }) => new Float64Array(6 * k)),
    beta: loops.map(({ k }) => new Float64Array(k)),
    size: new Float64Array(loops.length),
    T: new Float64Array(36),
    work: new Float64Array(9 * TRANSFORM),
    push: new Float64Array(12),
    closerForces: new Float64Array(6 * tree.n),
  };
}

/** The longest distance within a link, from its frame to a joint it carries or to a loop joint; 1 where there is none. */
function sizeOf({ X, n }: Tree, loops: readonly Loop[]): number {
  let size = 0;
  const use = (T: Float64Array, o: number): void => {
    size = Math.max(size, Math.hypot(T[o + 9], T[o + 10], T[o + 11]));
  };
  for (let i = 0; i < n; i++) use(X, TRANSFORM * i);
  for (const { Xa, Xb } of loops) for (const T of [Xa, Xb]) use(T, 0);
  return size > 0 ? size : 1;
}

const [X_A, X_B, INVERSE, X_AB, V_A, V_B, V_REL, BIAS, GAP] = [0, 12, 24, 36, 48, 60, 72, 84, 96];

/** What beta holds: how the loops are broken in their positions, their velocities, or by the accelerations without qdd. */
export type LoopLevel = 'position' | 'velocity' | 'acceleration';

/**
 * Ga, Gb and beta of every loop at (q, qd). `accelerations`: n x 6, spatial, those of the links without qdd (reference/rnea.ts);
 * the other levels do not need them.
 */
export function updateLoops(
  tree: Tree,
  scratch: LoopScratch,
  level: LoopLevel,
  accelerations: Float64Array,
  q: Float64Array,
  qd: Float64Array,
): void {
  const { loops, kinematics, work, T, beta } = scratch;
  if (loops.length === 0) return;
  velocities(tree, kinematics, q, qd);
  for (let l = 0; l < loops.length; l++) {
    const loop = loops[l];
    setFrame(tree, scratch, accelerations, loop.a, loop.Xa, X_A, V_A);
    setFrame(tree, scratch, accelerations, loop.b, loop.Xb, X_B, V_B);
    invert(work, INVERSE, work, X_A);
    compose(work, X_AB, work, X_B, work, INVERSE);
    // Relative velocity in frame b, and relative acceleration less its velocity product. V_x: velocity, then acceleration.
    motionToB(work, V_REL, work, X_AB, work, V_A);
    motionToB(work, BIAS, work, X_AB, work, V_A + 6);
    for (let j = 0; j < 6; j++) {
      work[V_REL + j] = work[V_B + j] - work[V_REL + j];
      work[BIAS + j] = work[V_B + 6 + j] - work[BIAS + j];
      work[V_REL + j + 6] = 0;
    }
    addCrossMotion(work, V_REL + 6, work, V_B, work, V_REL);
    for (let j = 0; j < 6; j++) work[BIAS + j] -= work[V_REL + 6 + j];
    let size = 0;
    if (level === 'acceleration' && !loop.closer)
      for (let j = 0; j < 6; j++)
        size = Math.max(size, Math.abs(work[V_A + 6 + j]), Math.abs(work[V_B + 6 + j]), Math.abs(work[V_REL + 6 + j]));
    scratch.size[l] = size;
    setForceBasis(scratch, loop);
    setRows(scratch, l, loop);
    if (level === 'position' && !loop.closer) setGap(work, GAP, work, X_AB, loop.joint, loop.axis2);
    const from = level === 'acceleration' ? BIAS : level === 'velocity' ? V_REL : GAP;
    for (let row = 0; row < loop.k; row++) {
      let sum = 0;
      for (let j = 0; j < 6; j++) sum += T[6 * row + j] * work[from + j];
      beta[l][row] = loop.closer ? 0 : sum;
    }
  }
}

/** Ground-to-frame transform of a loop frame at `pose`, its velocity and acceleration (gravity and all) at `motion`. */
function setFrame(
  tree: Tree,
  { kinematics, work }: LoopScratch,
  accelerations: Float64Array,
  link: number,
  X: Float64Array,
  pose: number,
  motion: number,
): void {
  if (link < 0) {
    work.set(X, pose);
    work.fill(0, motion, motion + 9);
    for (let k = 0; k < 3; k++) work[motion + 9 + k] = -tree.gravity[k];
  } else {
    compose(work, pose, X, 0, kinematics.pose, TRANSFORM * link);
    for (let k = 0; k < 6; k++) {
      work[motion + k] = kinematics.v[6 * link + k];
      work[motion + 6 + k] = accelerations[6 * link + k];
    }
  }
  motionToB(work, motion, X, 0, work, motion);
  motionToB(work, motion + 6, X, 0, work, motion + 6);
}

/** Columns of T: forces on b, frame b, that do no work on the joint's motion. A universal joint also corrects BIAS. */
function setForceBasis({ T, work }: LoopScratch, { joint, axis2 }: Loop): void {
  const components = transmitted(joint.type);
  T.fill(0);
  for (let column = 0; column < components.length; column++) T[6 * column + components[column]] = 1;
  const last = 6 * components.length;
  if (joint.type === 'helical') {
    // A thrust f goes with the moment -pitch f.
    const size = Math.hypot(1, joint.pitch);
    T[last + 2] = -joint.pitch / size;
    T[last + 5] = 1 / size;
  } else if (joint.type === 'universal') {
    // First axis z of frame a, seen from b: z_a; forbidden is turning about n = z_a x u.
    const [zx, zy, zz] = [work[X_AB + 2], work[X_AB + 5], work[X_AB + 8]];
    const [ux, uy, uz] = axis2;
    const [nx, ny, nz] = [zy * uz - zz * uy, zz * ux - zx * uz, zx * uy - zy * ux];
    const size = Math.hypot(nx, ny, nz);
    T[last] = nx / size;
    T[last + 1] = ny / size;
    T[last + 2] = nz / size;
    // z_a turns against b: c also has -(u x z_a) qd0 qd1 = n qd0 qd1, rates by the relative velocity in the plane of axes.
    const [wx, wy, wz] = [work[V_REL], work[V_REL + 1], work[V_REL + 2]];
    const zu = zx * ux + zy * uy + zz * uz;
    const [alongZ, alongU] = [wx * zx + wy * zy + wz * zz, wx * ux + wy * uy + wz * uz];
    const rates = ((alongZ - zu * alongU) * (alongU - zu * alongZ)) / (1 - zu * zu) ** 2;
    work[BIAS] -= nx * rates;
    work[BIAS + 1] -= ny * rates;
    work[BIAS + 2] -= nz * rates;
  }
}

/** Rows K Xb for link b and -K X_ab Xa for link a. */
function setRows({ T, Ga, Gb, work }: LoopScratch, l: number, { k, Xa, Xb }: Loop): void {
  // The inverse has done its duty.
  compose(work, INVERSE, work, X_AB, Xa, 0);
  for (let row = 0; row < k; row++) {
    rowTimesTransform(Gb[l], 6 * row, T, 6 * row, Xb, 0, 1);
    rowTimesTransform(Ga[l], 6 * row, T, 6 * row, work, INVERSE, -1);
  }
}

/** out = s t^T X, which is s X^T t: a force carried from B to A. */
function rowTimesTransform(
  out: Float64Array,
  o: number,
  T: Float64Array,
  t: number,
  X: Float64Array,
  x: number,
  s: number,
): void {
  const nx = T[t];
  const ny = T[t + 1];
  const nz = T[t + 2];
  const fx = T[t + 3];
  const fy = T[t + 4];
  const fz = T[t + 5];
  const gx = X[x] * fx + X[x + 3] * fy + X[x + 6] * fz;
  const gy = X[x + 1] * fx + X[x + 4] * fy + X[x + 7] * fz;
  const gz = X[x + 2] * fx + X[x + 5] * fy + X[x + 8] * fz;
  const rx = X[x + 9];
  const ry = X[x + 10];
  const rz = X[x + 11];
  out[o] = s * (X[x] * nx + X[x + 3] * ny + X[x + 6] * nz + ry * gz - rz * gy);
  out[o + 1] = s * (X[x + 1] * nx + X[x + 4] * ny + X[x + 7] * nz + rz * gx - rx * gz);
  out[o + 2] = s * (X[x + 2] * nx + X[x + 5] * ny + X[x + 8] * nz + rx * gy - ry * gx);
  out[o + 3] = s * gx;
  out[o + 4] = s * gy;
  out[o + 5] = s * gz;
}
