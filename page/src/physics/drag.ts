// A body drawn by the mouse: a damped spring between a point of the body and a point in space.
//
// Its gains are those of a unit mass, times the mass that the point feels: F = W^-1 (omega^2 d - 2 omega u), where d is the way
// to go, u the velocity of the point, and W = J H^-1 J^T its mobility. The point then follows like a damped oscillator of
// frequency omega, whatever body it belongs to, so that the spring is stable at any step well below 1 / omega.

import type { State, Vec3 } from 'manikin';
import type { Member } from 'manikin/world';
import { dynamicsOf } from './dynamics-of.js';

/** 1/s. */
const OMEGA = 30;
/** Metres: what lies beyond pulls no harder. */
const REACH = 0.6;
/** Part of the largest mobility that is added to all of them: a point that cannot move somewhere feels no endless mass. */
const SOFT = 0.01;

export class Drag {
  readonly member: Member;
  readonly body: string;
  /** In the coordinates of the body. */
  readonly point: Vec3;
  target: Vec3;

  constructor(member: Member, body: string, point: Vec3, target: Vec3) {
    this.member = member;
    this.body = body;
    this.point = point;
    this.target = target;
  }

  /** What it pulls with in the next step, newtons in ground axes. */
  force(): Vec3 {
    const { member, body, point, target } = this;
    const { state } = member;
    const { nv } = state.mechanism;
    const own = dynamicsOf(state.mechanism);
    const grip = { frame: body, at: point };
    const at = own.pose(state, grip).t;
    const twist = own.jacobian(state, grip, { in: 'aligned' });
    const J = [3, 4, 5].map((k) => twist.subarray(k * nv, (k + 1) * nv));
    const u = J.map((row) => row.reduce((sum, x, k) => sum + x * state.v[k], 0));
    const d = target.map((x, k) => x - at[k]);
    const far = Math.hypot(...d);
    const shorter = far > REACH ? REACH / far : 1;
    const wanted = d.map((x, k) => OMEGA * OMEGA * shorter * x - 2 * OMEGA * u[k]);
    return solve3(mobility(state, J), wanted);
  }
}

/** Loops make a point less mobile than this: then the spring is softer than it could be. */
function mobility(state: State, J: readonly Float64Array[]): number[] {
  const columns = J.map((row) => dynamicsOf(state.mechanism).solve(state, row));
  const W = Array.from({ length: 9 }, (_, i) => {
    const [row, column] = [J[Math.trunc(i / 3)], columns[i % 3]];
    return row.reduce((sum, x, k) => sum + x * column[k], 0);
  });
  const soft = SOFT * Math.max(W[0], W[4], W[8], 1e-9);
  for (const k of [0, 4, 8]) W[k] += soft;
  return W;
}

/** x with A x = b for a symmetric positive A, by Cramer's rule. */
function solve3([a, b, c, , e, f, , , i]: readonly number[], y: readonly number[]): Vec3 {
  const [A, B, C, D, E, F] = [e * i - f * f, c * f - b * i, b * f - c * e, a * i - c * c, b * c - a * f, a * e - b * b];
  const s = 1 / (a * A + b * B + c * C);
  return [
    s * (A * y[0] + B * y[1] + C * y[2]),
    s * (B * y[0] + D * y[1] + E * y[2]),
    s * (C * y[0] + E * y[1] + F * y[2]),
  ];
}
