// The joint by which a re-rooted mechanism hangs from the ground: its position from the pose of the body it carries (what
// the paper calls the inverse of jcalc, [001] eq. 21, [001] eq. 22, errata 001-7 and 001-8), and its velocity and
// acceleration from those of the body.

import { findJointType, JOINT_TYPES, type JointType, PARAMETERS } from '../joints/index.js';
import {
  apply,
  cross,
  dot,
  type Mat3,
  multiply,
  norm,
  orthonormalised,
  quaternionFromRotation,
  rotationAbout,
  scale,
  subtract,
  transpose,
  type Vec3,
} from '../spatial/matrix3.js';
import { angleOf } from '../spatial/trigonometry.js';
import { MechanismError } from './errors.js';
import { turnedAxis } from './joint-inversion.js';
import type { JointKind } from './mechanism.js';
import type { JointKindSpec } from './spec.js';
import { canonicalFrame } from './tree.js';

/** The part of a pose (entries of a rotation matrix) or of a velocity (relative) that is taken for rounding. */
const TOLERANCE = 1e-9;

export interface TopKind extends JointKind {
  readonly model: JointType;
}

/** Checks the joint that the user asks for; its axes, in ground coordinates, become unit vectors. */
export function topKind(spec: JointKindSpec, where: string): TopKind {
  const model = findJointType(spec.type);
  const refuse = (message: string): MechanismError => MechanismError.of('reroot', where, message);
  if (model === undefined)
    throw refuse(
      `There is no joint type "${spec.type}"; take one of ${JOINT_TYPES.map(({ name }) => name).join(', ')}.`,
    );
  const unit = (what: string, axis: Vec3, used: boolean): Vec3 => {
    if (!used) return axis;
    const length = norm(axis);
    if (!(length > 1e-9) || !Number.isFinite(length))
      throw refuse(`The ${what} must be three finite numbers, not all zero, got ${axis.join(', ')}.`);
    return scale(1 / length, axis);
  };
  const axis = unit('axis', spec.axis ?? [0, 0, 1], model.axes >= 1);
  const axis2 = unit('axis2', spec.axis2 ?? [0, 1, 0], model.axes === 2);
  const { pitch = 0 } = spec;
  if (!Number.isFinite(pitch)) throw refuse(`The pitch must be a finite number, got ${pitch}.`);
  if (model.axes === 2 && norm(cross(axis, axis2)) < 1e-6)
    throw refuse('The two axes of a universal joint must not be parallel.');
  return { type: model.name, model, axis, axis2, pitch };
}

export interface TopPlacement {
  /** With the axes in tree-frame coordinates. */
  readonly kind: TopKind;
  readonly q: readonly number[];
  readonly E: Mat3;
  readonly t: Vec3;
  /** How far the neutral orientation had to move because the joint cannot hold all of the pose. */
  readonly rest: number;
}

/**
 * Position q and tree transform of the top joint, for a body of orientation E_abs (ground to body) with its new origin at
 * `at`. E_bind is its orientation in the bind pose, which the tree transform keeps as far as the joint can hold the turn
 * D = E_abs^T E_bind from there to the pose. What it cannot hold goes into the tree transform.
 */
export function placeTop(kind: TopKind, E_abs: Mat3, E_bind: Mat3, at: Vec3): TopPlacement {
  const { axis, axis2, pitch, model } = kind;
  const D = multiply(transpose(E_abs), E_bind);
  const q: number[] = new Array(model.nq).fill(0);
  /** The turn of the joint at q, ground coordinates. */
  let turn: Mat3 | undefined;
  let advance = 0;
  switch (model.name) {
    case 'fixed':
    case 'prismatic':
      break;
    case 'planar':
      q[2] = angleAbout(axis, D);
      turn = rotationAbout(axis, q[2]);
      break;
    case 'universal': {
      // D u = R_a(q0) u since R_u(q1) leaves u where it is; then R_u(q1) = R_a(-q0) D.
      const flat = (x: Vec3): Vec3 => subtract(x, scale(dot(x, axis), axis));
      const [from, to] = [flat(axis2), flat(apply(D, axis2))];
      q[0] = angleOf(dot(axis, cross(from, to)), dot(from, to));
      const first = rotationAbout(axis, q[0]);
      q[1] = angleAbout(axis2, multiply(transpose(first), D));
      turn = multiply(first, rotationAbout(axis2, q[1]));
      break;
    }
    case 'spherical':
    case 'floating':
      // E_J = E_abs E_bind^T
      quaternionFromRotation(transpose(multiply(E_abs, transpose(E_bind)))).forEach((value, k) => {
        q[k] = value;
      });
      turn = D;
      break;
    default:
      q[0] = angleAbout(axis, D);
      turn = rotationAbout(axis, q[0]);
      if (model.name === 'helical') advance = pitch * q[0];
  }
  const E = orthonormalised(turn === undefined ? E_abs : multiply(E_abs, turn));
  return {
    kind: {
      ...kind,
      axis: model.axes >= 1 ? turnedAxis(E, axis) : axis,
      axis2: model.axes === 2 ? turnedAxis(E, axis2) : axis2,
    },
    q,
    E,
    t: advance === 0 ? at : subtract(at, scale(advance, axis)),
    rest: E.reduce((worst, value, k) => Math.max(worst, Math.abs(value - E_bind[k])), 0),
  };
}

/** Angle of the turn about the axis that comes nearest to R. */
function angleAbout(axis: Vec3, R: Mat3): number {
  const sine = dot(axis, [R[7] - R[5], R[2] - R[6], R[3] - R[1]]);
  const cosine = R[0] + R[4] + R[8] - dot(axis, apply(R, axis));
  return angleOf(sine, cosine);
}

export function holds(rest: number): boolean {
  return rest <= TOLERANCE;
}

const space = new Float64Array(36);
const position = new Float64Array(7);
const parameters = new Float64Array(PARAMETERS);
const given = new Float64Array(6);
const bias = new Float64Array(6);
const R = new Float64Array(36);

/**
 * Velocity v, and acceleration a if given, of the joint at q from those of its body (V and A, six numbers each, body
 * coordinates, at the joint): S v = V, S a = A - (dS/dt) v, in the sense of least squares. Returns what is left of each,
 * relative to its size.
 */
export function setTopVelocity(
  { kind, q }: TopPlacement,
  v: Float64Array,
  a: Float64Array | undefined,
  iv: number,
  V: Float64Array,
  A: Float64Array,
): { velocity: number; acceleration: number } {
  const { model } = kind;
  const { E: F, parameters: p } = canonicalFrame(kind, false);
  position.set(q);
  parameters.set(p);
  model.motionSpace(space, 0, position, 0, parameters, 0);
  const S = orthonormalColumns(model.nv);
  turnInto(F, V);
  const velocity = leastSquares(S, model.nv, v, iv);
  if (a === undefined) return { velocity, acceleration: 0 };
  turnInto(F, A);
  model.bias(bias, 0, position, 0, v, iv, parameters, 0);
  for (let k = 0; k < 6; k++) given[k] -= bias[k];
  return { velocity, acceleration: leastSquares(S, model.nv, a, iv) };
}

/** given <- F m. */
function turnInto(F: Mat3, m: Float64Array): void {
  for (let k = 0; k < 6; k += 3)
    for (let row = 0; row < 3; row++)
      given[k + row] = F[3 * row] * m[k] + F[3 * row + 1] * m[k + 1] + F[3 * row + 2] * m[k + 2];
}

/** S = Q R by Gram-Schmidt, Q in place of S: the columns are few and far from parallel. */
function orthonormalColumns(n: number): Float64Array {
  for (let k = 0; k < n; k++) {
    for (let l = 0; l < k; l++) {
      let r = 0;
      for (let j = 0; j < 6; j++) r += space[6 * l + j] * space[6 * k + j];
      for (let j = 0; j < 6; j++) space[6 * k + j] -= r * space[6 * l + j];
      R[6 * l + k] = r;
    }
    let square = 0;
    for (let j = 0; j < 6; j++) square += space[6 * k + j] * space[6 * k + j];
    const length = Math.sqrt(square);
    for (let j = 0; j < 6; j++) space[6 * k + j] /= length;
    R[6 * k + k] = length;
  }
  return space;
}

/** out <- x with Q R x as near to `given` as can be; returns what is left, relative. */
function leastSquares(Q: Float64Array, n: number, out: Float64Array, o: number): number {
  let size = 0;
  for (let j = 0; j < 6; j++) size += given[j] * given[j];
  for (let k = 0; k < n; k++) {
    let y = 0;
    for (let j = 0; j < 6; j++) y += Q[6 * k + j] * given[j];
    for (let j = 0; j < 6; j++) given[j] -= y * Q[6 * k + j];
    out[o + k] = y;
  }
  for (let k = n - 1; k >= 0; k--) {
    for (let l = k + 1; l < n; l++) out[o + k] -= R[6 * k + l] * out[o + l];
    out[o + k] /= R[6 * k + k];
  }
  let left = 0;
  for (let j = 0; j < 6; j++) left += given[j] * given[j];
  return Math.sqrt(left) / (1 + Math.sqrt(size));
}
