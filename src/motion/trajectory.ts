// A motion of a mechanism sampled in time: positions from a file, smoothed, with velocities and accelerations from them.

import { MechanismError } from '../mechanism/errors.js';
import type { Joint, Mechanism } from '../mechanism/mechanism.js';
import { applyLowPass, checkLength, lowPass } from './filter.js';

/** Samples at equal intervals; row k of q belongs to the time start + k interval. */
export interface Positions {
  readonly mechanism: Mechanism;
  readonly start: number;
  readonly interval: number;
  readonly count: number;
  /** count x nq */
  readonly q: Float64Array;
}

export interface Trajectory extends Positions {
  /** count x nv */
  readonly v: Float64Array;
  /** count x nv: rates of v. */
  readonly qdd: Float64Array;
}

/** Points of a difference formula. */
export const STENCIL = 5;

/**
 * First and second derivative at point p of five equally spaced ones, times 12 h and 12 h^2: derivatives of the quartic
 * through them. In the middle both are exact to fourth order; at the ends the first to fourth, the second to third.
 */
const FIRST = [
  [-25, 48, -36, 16, -3],
  [-3, -10, 18, -6, 1],
  [1, -8, 0, 8, -1],
  [-1, 6, -18, 10, 3],
  [3, -16, 36, -48, 25],
] as const;
const SECOND = [
  [35, -104, 114, -56, 11],
  [11, -20, 6, 4, -1],
  [-1, 16, -30, 16, -1],
  [-1, 4, 6, -20, 11],
  [11, -56, 114, -104, 35],
] as const;

/**
 * Low-pass filtered positions; null leaves them as they are. Angles and quaternions are made continuous first.
 * Quaternions are filtered by component and brought back to unit length: the result does not depend on the frames that
 * the rotation is between, since the filter is linear.
 */
export function smoothed(positions: Positions, cutoff: number | null): Positions {
  const { mechanism, interval, count } = positions;
  const { nq } = mechanism;
  const q = positions.q.slice();
  for (const joint of mechanism.joints) makeContinuous(q, joint, nq, count);
  if (cutoff === null) return { ...positions, q };
  const filter = lowPass(cutoff, interval);
  checkLength(filter, count, cutoff, interval);
  const work = new Float64Array(count + 2 * filter.padding);
  for (let k = 0; k < nq; k++) applyLowPass(filter, q, k, nq, count, work);
  for (const joint of mechanism.joints) if (hasQuaternion(joint)) normalise(q, joint.iq, nq, count);
  return { ...positions, q };
}

/** Positions with velocities and accelerations by differences on the joints' own manifolds. */
export function differentiated(positions: Positions): Trajectory {
  const { mechanism, interval, count, q } = positions;
  const { nq, nv, joints } = mechanism;
  refuseShort(count);
  const v = new Float64Array(count * nv);
  const qdd = new Float64Array(count * nv);
  const u = new Float64Array(6);
  for (let frame = 0; frame < count; frame++) {
    const from = Math.min(Math.max(frame - 2, 0), count - STENCIL);
    const first = FIRST[frame - from];
    const second = SECOND[frame - from];
    for (const { model, iq, iv } of joints)
      for (let k = 0; k < STENCIL; k++) {
        if (from + k === frame) continue;
        // u leads from here to the other sample. With u(0) = 0 its rate is v, and the rate of its rate that of v:
        // du/dt = v + u x v / 2 + ..., whose derivative at u = 0 is dv/dt + v x v / 2.
        model.difference(u, 0, q, frame * nq + iq, q, (from + k) * nq + iq);
        for (let d = 0; d < model.nv; d++) {
          v[frame * nv + iv + d] += (first[k] * u[d]) / (12 * interval);
          qdd[frame * nv + iv + d] += (second[k] * u[d]) / (12 * interval * interval);
        }
      }
  }
  refuseWild(qdd, nv);
  return { ...positions, v, qdd };
}

/** First and second derivatives of plain numbers, count x n, by the same formulas. */
export function derivatives(
  x: Float64Array,
  n: number,
  count: number,
  interval: number,
): { first: Float64Array; second: Float64Array } {
  refuseShort(count);
  const first = new Float64Array(count * n);
  const second = new Float64Array(count * n);
  for (let frame = 0; frame < count; frame++) {
    const from = Math.min(Math.max(frame - 2, 0), count - STENCIL);
    for (let c = 0; c < n; c++)
      for (let k = 0; k < STENCIL; k++) {
        const step = x[(from + k) * n + c] - x[frame * n + c];
        first[frame * n + c] += (FIRST[frame - from][k] * step) / (12 * interval);
        second[frame * n + c] += (SECOND[frame - from][k] * step) / (12 * interval * interval);
      }
  }
  refuseWild(second, n);
  return { first, second };
}

function refuseShort(count: number): void {
  if (count < STENCIL)
    throw MechanismError.of(
      'motion-too-short',
      '',
      `The motion has ${count} frames; its accelerations need at least ${STENCIL}.`,
    );
}

/** Accelerations beyond this, in rad/s^2 or m/s^2, come from numbers that are no positions. */
const WILD = 1e12;

function refuseWild(accelerations: Float64Array, n: number): void {
  const wild = accelerations.findIndex((value) => !(Math.abs(value) < WILD));
  if (wild < 0) return;
  throw MechanismError.of(
    'too-fast',
    '',
    `Around frame ${Math.floor(wild / n) + 1} the motion jumps as nothing can move; look for numbers that are far too large there.`,
  );
}

function hasQuaternion({ model }: Joint): boolean {
  return model.nq === model.nv + 1;
}

/** Angles without jumps by whole turns, quaternions without changes of sign. */
function makeContinuous(q: Float64Array, joint: Joint, nq: number, count: number): void {
  const { iq, type } = joint;
  if (hasQuaternion(joint)) {
    for (let k = 1; k < count; k++) {
      const [a, b] = [(k - 1) * nq + iq, k * nq + iq];
      const cosine = q[a] * q[b] + q[a + 1] * q[b + 1] + q[a + 2] * q[b + 2] + q[a + 3] * q[b + 3];
      if (cosine < 0) for (let c = b; c < b + 4; c++) q[c] = -q[c];
    }
    return;
  }
  const turns = { revolute: [0], continuous: [0], universal: [0, 1], cylindrical: [0], planar: [2] } as const;
  const angles: readonly number[] = type in turns ? turns[type as keyof typeof turns] : [];
  for (const angle of angles)
    for (let k = 1; k < count; k++) {
      const at = k * nq + iq + angle;
      q[at] -= 2 * Math.PI * Math.round((q[at] - q[at - nq]) / (2 * Math.PI));
    }
}

function normalise(q: Float64Array, iq: number, nq: number, count: number): void {
  for (let at = iq; at < count * nq; at += nq) {
    const length = Math.hypot(q[at], q[at + 1], q[at + 2], q[at + 3]);
    for (let k = at; k < at + 4; k++) q[k] /= length;
  }
}
