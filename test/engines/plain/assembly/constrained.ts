// A dense reference for mechanisms with loops (and couplings), written from the velocity constraint alone: its Jacobian by columns, the
// velocity products by differentiating it in time along the motion, and the saddle-point system by elimination.

import { PlainDynamics } from '../../../../src/engines/plain/plain-dynamics.js';
import { createMechanism } from '../../../../src/mechanism/create.js';
import type { LoopFrame, LoopJoint, Mechanism } from '../../../../src/mechanism/mechanism.js';
import { State } from '../../../../src/mechanism/state.js';
import { mechanismSpec } from '../../../../src/mechanism/variants.js';
import {
  add,
  apply,
  axisFrame,
  cross,
  type Mat3,
  multiply,
  subtract,
  transpose,
  type Vec3,
} from '../../../../src/spatial/matrix3.js';

export function withoutLoops(mechanism: Mechanism): Mechanism {
  return createMechanism({ ...mechanismSpec(mechanism), loops: [], couplings: [] }, { inertia: 'warn' });
}

interface FrameMotion {
  /** Columns are the frame's axes in ground coordinates. */
  readonly R: Mat3;
  readonly origin: Vec3;
  /** Ground coordinates. */
  readonly w: Vec3;
  readonly v: Vec3;
}

function frameMotion(frame: LoopFrame, turn: Mat3, poses: Float64Array, velocities: Float64Array): FrameMotion {
  const local = multiply(turn, frame.E);
  if (frame.body < 0) return { R: transpose(local), origin: frame.t, w: [0, 0, 0], v: [0, 0, 0] };
  const p = 12 * frame.body;
  const E = Array.from(poses.subarray(p, p + 9)) as unknown as Mat3;
  const bodyOrigin = Array.from(poses.subarray(p + 9, p + 12)) as unknown as Vec3;
  const [wx, wy, wz, vx, vy, vz] = velocities.subarray(6 * frame.body, 6 * frame.body + 6);
  const toGround = transpose(E);
  const w = apply(toGround, [wx, wy, wz]);
  const arm = apply(toGround, frame.t);
  return {
    R: transpose(multiply(local, E)),
    origin: add(bodyOrigin, arm),
    w,
    v: add(apply(toGround, [vx, vy, vz]), cross(w, arm)),
  };
}

/** What a loop joint forbids: velocities of b against a, in the axes of frame b, at its origin. */
function forbidden(joint: LoopJoint, a: FrameMotion, b: FrameMotion): number[] {
  const toB = transpose(b.R);
  const w = apply(toB, subtract(b.w, a.w));
  const atB = add(a.v, cross(a.w, subtract(b.origin, a.origin)));
  const v = apply(toB, subtract(b.v, atB));
  switch (joint.type) {
    case 'fixed':
      return [...w, ...v];
    case 'revolute':
    case 'continuous':
      return [w[0], w[1], ...v];
    case 'prismatic':
      return [...w, v[0], v[1]];
    case 'helical':
      return [w[0], w[1], v[0], v[1], v[2] - joint.pitch * w[2]];
    case 'cylindrical':
      return [w[0], w[1], v[0], v[1]];
    case 'planar':
      return [w[0], w[1], v[2]];
    case 'spherical':
      return [...v];
    case 'universal': {
      const z = apply(toB, [a.R[2], a.R[5], a.R[8]]);
      const u = apply(axisFrame(joint.axis), joint.axis2);
      const n = cross(z, u);
      return [w[0] * n[0] + w[1] * n[1] + w[2] * n[2], ...v];
    }
    case 'floating':
      return [];
  }
}

/** All forbidden velocities at a state. */
export function violations(mechanism: Mechanism, dynamics: PlainDynamics, state: State): number[] {
  const [poses, velocities] = [dynamics.poses(state), dynamics.velocities(state)];
  const { joints } = mechanism;
  const uncoupled = mechanism.couplings.map(
    ({ joint, source, multiplier }) => state.v[joints[joint].iv] - multiplier * state.v[joints[source].iv],
  );
  const broken = mechanism.loops.flatMap((joint) => {
    const hasAxis = joint.type !== 'fixed' && joint.type !== 'spherical' && joint.type !== 'floating';
    const turn: Mat3 = hasAxis ? axisFrame(joint.axis) : [1, 0, 0, 0, 1, 0, 0, 0, 1];
    const [a, b] = [joint.a, joint.b].map((frame) => frameMotion(frame, turn, poses, velocities));
    return forbidden(joint, a, b);
  });
  return [...broken, ...uncoupled];
}

/** Rows of the constraint Jacobian, by unit velocities. */
export function constraintJacobian(mechanism: Mechanism, state: State): { rows: number[][]; dynamics: PlainDynamics } {
  const dynamics = new PlainDynamics(withoutLoops(mechanism));
  const probe = state.clone();
  const columns = Array.from({ length: mechanism.nv }, (_, k) => {
    probe.v.fill(0);
    probe.v[k] = 1;
    return violations(mechanism, dynamics, probe);
  });
  const rows = (columns[0] ?? []).map((_, i) => columns.map((column) => column[i]));
  return { rows, dynamics };
}

/** Least-norm solution of A x = b for any A (rows), by Gram-Schmidt on the rows; dependent rows are left out. */
function leastNorm(rows: readonly (readonly number[])[], b: readonly number[], n: number): Float64Array {
  const basis: { q: Float64Array; value: number }[] = [];
  const x = new Float64Array(n);
  const size = Math.max(...rows.map((row) => Math.hypot(...row)), 1e-300);
  rows.forEach((row, i) => {
    const q = Float64Array.from(row);
    let value = b[i];
    for (let pass = 0; pass < 2; pass++)
      for (const { q: other, value: otherValue } of basis) {
        const s = q.reduce((sum, y, k) => sum + y * other[k], 0);
        for (let k = 0; k < n; k++) q[k] -= s * other[k];
        value -= s * otherValue;
      }
    const length = Math.hypot(...q);
    if (length < 1e-9 * size) return;
    basis.push({ q: q.map((y) => y / length), value: value / length });
  });
  for (const { q, value } of basis) for (let k = 0; k < n; k++) x[k] += value * q[k];
  return x;
}

/** Gaussian elimination with complete pivoting; free unknowns are zero. */
export function solveDense(A: number[][], b: number[]): number[] {
  const n = b.length;
  const column = Array.from({ length: n }, (_, k) => k);
  const M = A.map((row, i) => [...row, b[i]]);
  const largest = Math.max(...A.flat().map(Math.abs), 1e-300);
  let rank = 0;
  for (; rank < n; rank++) {
    let best = 0;
    let [pi, pj] = [rank, rank];
    for (let i = rank; i < n; i++)
      for (let j = rank; j < n; j++)
        if (Math.abs(M[i][column[j]]) > best) {
          best = Math.abs(M[i][column[j]]);
          [pi, pj] = [i, j];
        }
    if (best < 1e-12 * largest) break;
    [M[rank], M[pi]] = [M[pi], M[rank]];
    [column[rank], column[pj]] = [column[pj], column[rank]];
    for (let i = rank + 1; i < n; i++) {
      const factor = M[i][column[rank]] / M[rank][column[rank]];
      if (factor === 0) continue;
      for (let j = rank; j < n; j++) M[i][column[j]] -= factor * M[rank][column[j]];
      M[i][n] -= factor * M[rank][n];
    }
  }
  const x = new Array<number>(n).fill(0);
  for (let i = rank - 1; i >= 0; i--) {
    let sum = M[i][n];
    for (let j = i + 1; j < rank; j++) sum -= M[i][column[j]] * x[column[j]];
    x[column[i]] = sum / M[i][column[i]];
  }
  return x;
}

/** Velocities that satisfy the constraints, the accelerations under tau, and the power of the constraint forces. */
export function solveConstrained(
  mechanism: Mechanism,
  given: State,
  tau: Float64Array,
): { v: Float64Array; qdd: Float64Array; power: number } {
  const { nv } = mechanism;
  const { rows, dynamics } = constraintJacobian(mechanism, given);
  const state = given.clone();
  // v minus the least-norm correction.
  const broken = rows.map((row) => row.reduce((sum, x, k) => sum + x * state.v[k], 0));
  const correction = leastNorm(rows, broken, nv);
  for (let k = 0; k < nv; k++) state.v[k] -= correction[k];
  // d/dt (J v) along the motion without acceleration.
  const h = 1e-3;
  const at = (t: number): number[] => {
    const moved = state.clone();
    for (const { model, iq, iv } of mechanism.joints) model.integrate(moved.q, iq, state.v, iv, t);
    return violations(mechanism, dynamics, moved);
  };
  // Sixth-order central differences.
  const odd = [1, 2, 3].map((k) => {
    const [ahead, behind] = [at(k * h), at(-k * h)];
    return ahead.map((x, i) => x - behind[i]);
  });
  const gamma = odd[0].map((_, i) => (45 * odd[0][i] - 9 * odd[1][i] + odd[2][i]) / (60 * h));
  const open = new State(dynamics.mechanism);
  open.q.set(state.q);
  open.v.set(state.v);
  const { H } = dynamics.massMatrix(open);
  const bias = dynamics.inverse(open);
  const k = rows.length;
  const A = Array.from({ length: nv + k }, (_, i) =>
    Array.from({ length: nv + k }, (_, j) => {
      if (i < nv && j < nv) return H[i * nv + j];
      if (i < nv && j >= nv) return rows[j - nv][i];
      if (i >= nv && j < nv) return rows[i - nv][j];
      return 0;
    }),
  );
  const b = Array.from({ length: nv + k }, (_, i) => (i < nv ? tau[i] - bias[i] : -gamma[i - nv]));
  const x = solveDense(A, b);
  let power = 0;
  for (let i = 0; i < k; i++) power += x[nv + i] * rows[i].reduce((sum, y, j) => sum + y * state.v[j], 0);
  return { v: state.v, qdd: Float64Array.from(x.slice(0, nv)), power: Math.abs(power) };
}
