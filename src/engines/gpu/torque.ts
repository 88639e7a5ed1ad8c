// Where the joint forces of a rollout come from.

import type { Mechanism } from '../../mechanism/mechanism.js';
import { GpuError } from './errors.js';

/** The array tau, held for the whole rollout. */
export interface HeldTorque {
  readonly kind: 'held';
}

/** Other forces in every step: steps x nv numbers for each state, state after state. */
export interface SequenceTorque {
  readonly kind: 'sequence';
  readonly values: Float32Array;
}

/**
 * A cubic spline in time through knots at times 0, interval, 2 interval, ... (Catmull-Rom; before the first knot and
 * after the last one it is constant): knots x nv numbers for each state, state after state.
 */
export interface SplineTorque {
  readonly kind: 'spline';
  readonly interval: number;
  readonly knots: number;
  readonly values: Float32Array;
}

/**
 * tau + stiffness (target - q) - damping v; for joints with a quaternion the difference is the rotation vector, from 2
 * sin(angle / 2), and for floating joints the position in the frame of the body. nv gains each, nq target positions.
 */
export interface PdTorque {
  readonly kind: 'pd';
  readonly stiffness: ArrayLike<number>;
  readonly damping: ArrayLike<number>;
  readonly target: ArrayLike<number>;
}

export type Torque = HeldTorque | SequenceTorque | SplineTorque | PdTorque;

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

export function checkTorque(torque: Torque, { nq, nv }: Mechanism, states: number, steps: number): void {
  const need = (what: string, got: number, wanted: number): void => {
    if (got !== wanted) throw new GpuError('mechanism', `Expected ${wanted} numbers in ${what}, got ${got}.`);
  };
  switch (torque.kind) {
    case 'held':
      return;
    case 'sequence':
      need('torque.values (states x steps x nv)', torque.values.length, states * steps * nv);
      return;
    case 'spline':
      if (!(torque.interval > 0)) throw new GpuError('mechanism', 'torque.interval must be positive.');
      if (!Number.isInteger(torque.knots) || torque.knots < 1)
        throw new GpuError('mechanism', `Expected at least one knot, got ${torque.knots}.`);
      need('torque.values (states x knots x nv)', torque.values.length, states * torque.knots * nv);
      return;
    case 'pd':
      need('torque.stiffness', torque.stiffness.length, nv);
      need('torque.damping', torque.damping.length, nv);
      need('torque.target', torque.target.length, nq);
  }
}
