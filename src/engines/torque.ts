// Where the joint forces of a rollout come from, on every device.

import { MechanismError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';

type Numbers = Float32Array | Float64Array;

/** The array tau, held for the whole rollout. */
export interface HeldTorque {
  readonly kind: 'held';
}

/** Other forces in every step: steps x nv numbers for each state, state after state. */
export interface SequenceTorque {
  readonly kind: 'sequence';
  readonly values: Numbers;
}

/**
 * A cubic spline in time through knots at times 0, interval, 2 interval, ... (Catmull-Rom; before the first knot and
 * after the last one it is constant): knots x nv numbers for each state, state after state.
 */
export interface SplineTorque {
  readonly kind: 'spline';
  readonly interval: number;
  readonly knots: number;
  readonly values: Numbers;
}

/**
 * tau + stiffness (target - q) - damping v; for joints with a quaternion the difference is the rotation vector, from 2
 * sin(angle / 2), and for floating joints the position in the frame of the body.
 */
export interface PdTorque {
  readonly kind: 'pd';
  /** One number for all, or nv. */
  readonly stiffness: number | ArrayLike<number>;
  readonly damping: number | ArrayLike<number>;
  /** nq positions for all states, or nq for each, state after state. */
  readonly target: ArrayLike<number>;
}

/** A law of joint forces for rollouts. */
export type Torque = HeldTorque | SequenceTorque | SplineTorque | PdTorque;

/** The array tau, held for the whole rollout: what a rollout does where no law is named. */
export const held = (): HeldTorque => ({ kind: 'held' });

/** Springs and dampers towards target positions: nq numbers for all states, or nq for each of them. */
export const pd = (gains: Pick<PdTorque, 'stiffness' | 'damping'>, target: ArrayLike<number>): PdTorque => ({
  kind: 'pd',
  stiffness: gains.stiffness,
  damping: gains.damping,
  target,
});

/** Forces of their own in every step: states x steps x nv numbers. */
export const sequence = (values: Numbers): SequenceTorque => ({ kind: 'sequence', values });

/** Forces along cubic splines in time, with a knot every `interval` seconds: states x knots x nv numbers. */
export const spline = (interval: number, knots: number, values: Numbers): SplineTorque => ({
  kind: 'spline',
  interval,
  knots,
  values,
});

/** Knot before time t and the weights of it, of its neighbour before and of the two after it. */
export function splineWeights(t: number, interval: number, knots: number): { knot: number; weights: number[] } {
  const x = Math.min(Math.max(t / interval, 0), knots - 1);
  const knot = Math.min(Math.floor(x), Math.max(0, knots - 2));
  const u = x - knot;
  return {
    knot,
    weights: [
      ((2 - u) * u - 1) * (u / 2),
      (u * u * (3 * u - 5) + 2) / 2,
      (((4 - 3 * u) * u + 1) * u) / 2,
      ((u - 1) * u * u) / 2,
    ],
  };
}

/** Steps of a rollout. */
export interface Steps {
  readonly steps: number;
  /** Seconds of a step. */
  readonly step: number;
}

export function checkSteps({ steps, step }: Steps): void {
  if (!Number.isInteger(steps) || steps < 1)
    throw MechanismError.of('steps', 'rollout', `Expected a positive number of steps, got ${steps}.`);
  if (!(step > 0 && Number.isFinite(step)))
    throw MechanismError.of('step', 'rollout', `Expected a positive step in seconds, got ${step}.`);
}

/** The law with a gain for each degree of freedom; an error where its arrays do not fit. */
export function checkedTorque(torque: Torque, { nq, nv }: Mechanism, states: number, steps: number): Torque {
  const need = (what: string, got: number, wanted: number): void => {
    if (got !== wanted)
      throw MechanismError.of('length', 'torque', `Expected ${wanted} numbers in ${what}, got ${got}.`);
  };
  const gain = (what: string, given: number | ArrayLike<number>): Float64Array => {
    if (typeof given === 'number') return new Float64Array(nv).fill(given);
    need(what, given.length, nv);
    return Float64Array.from(given);
  };
  switch (torque.kind) {
    case 'held':
      return torque;
    case 'sequence':
      need('torque.values (states x steps x nv)', torque.values.length, states * steps * nv);
      return torque;
    case 'spline':
      if (!(torque.interval > 0))
        throw MechanismError.of('interval', 'torque', `Expected a positive interval, got ${torque.interval}.`);
      if (!Number.isInteger(torque.knots) || torque.knots < 1)
        throw MechanismError.of('knots', 'torque', `Expected at least one knot, got ${torque.knots}.`);
      need('torque.values (states x knots x nv)', torque.values.length, states * torque.knots * nv);
      return torque;
    case 'pd':
      if (torque.target.length !== nq) need('torque.target (nq, or states x nq)', torque.target.length, states * nq);
      return {
        ...torque,
        stiffness: gain('torque.stiffness', torque.stiffness),
        damping: gain('torque.damping', torque.damping),
      };
  }
}

/** Rows of numbers: those of state s begin at s times the numbers of a state. */
export interface TorqueRows {
  readonly q: Float64Array;
  readonly v: Float64Array;
  /** The held forces. */
  readonly held: Float64Array;
}

/**
 * Writes the joint forces of a law in step n for the states first to first + count - 1 into rows of tau, the first of which
 * begins at `at`. The counterpart of torque-kernel.ts.
 */
export function applyTorque(
  tau: Float64Array,
  at: number,
  torque: Torque,
  { q, v, held: given }: TorqueRows,
  mechanism: Mechanism,
  first: number,
  count: number,
  n: number,
  { steps, step }: Steps,
): void {
  const { nq, nv } = mechanism;
  switch (torque.kind) {
    case 'held':
      tau.set(given.subarray(first * nv, (first + count) * nv), at);
      return;
    case 'sequence':
      for (let s = 0; s < count; s++) {
        const from = ((first + s) * steps + n) * nv;
        for (let k = 0; k < nv; k++) tau[at + s * nv + k] = torque.values[from + k];
      }
      return;
    case 'spline': {
      const { values, knots, interval } = torque;
      const { knot, weights } = splineWeights(n * step, interval, knots);
      for (let s = 0; s < count; s++)
        for (let k = 0; k < nv; k++) {
          let sum = 0;
          for (let j = 0; j < 4; j++) {
            const near = Math.min(Math.max(knot + j - 1, 0), knots - 1);
            sum += weights[j] * values[((first + s) * knots + near) * nv + k];
          }
          tau[at + s * nv + k] = sum;
        }
      return;
    }
    case 'pd': {
      const { target } = torque;
      const [stiffness, damping] = [torque.stiffness as ArrayLike<number>, torque.damping as ArrayLike<number>];
      for (let s = 0; s < count; s++) {
        const iState = first + s;
        const of = target.length === nq ? 0 : iState * nq;
        for (const { model, iq, iv } of mechanism.joints) {
          positionError(ERROR, model.name, model.nv, q, iState * nq + iq, target, of + iq);
          for (let k = 0; k < model.nv; k++) {
            const i = iState * nv + iv + k;
            tau[at + s * nv + iv + k] = given[i] + stiffness[iv + k] * ERROR[k] - damping[iv + k] * v[i];
          }
        }
      }
    }
  }
}

const ERROR = new Float64Array(6);

function positionError(
  error: Float64Array,
  type: string,
  nv: number,
  q: Float64Array,
  iq: number,
  target: ArrayLike<number>,
  it: number,
): void {
  if (type !== 'spherical' && type !== 'floating') {
    for (let k = 0; k < nv; k++) error[k] = target[it + k] - q[iq + k];
    return;
  }
  const [wa, ax, ay, az] = [q[iq], q[iq + 1], q[iq + 2], q[iq + 3]];
  const [wb, bx, by, bz] = [target[it], target[it + 1], target[it + 2], target[it + 3]];
  const sign = wa * wb + ax * bx + ay * by + az * bz >= 0 ? 2 : -2;
  error[0] = sign * (wa * bx - wb * ax - (ay * bz - az * by));
  error[1] = sign * (wa * by - wb * ay - (az * bx - ax * bz));
  error[2] = sign * (wa * bz - wb * az - (ax * by - ay * bx));
  if (type !== 'floating') return;
  const [x, y, z] = [target[it + 4] - q[iq + 4], target[it + 5] - q[iq + 5], target[it + 6] - q[iq + 6]];
  const [tx, ty, tz] = [-2 * (ay * z - az * y), -2 * (az * x - ax * z), -2 * (ax * y - ay * x)];
  error[3] = x + wa * tx - (ay * tz - az * ty);
  error[4] = y + wa * ty - (az * tx - ax * tz);
  error[5] = z + wa * tz - (ax * ty - ay * tx);
}
