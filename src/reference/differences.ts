// Derivatives of any function of a state by central differences of eighth order, on the manifold of positions: where there are no
// exact ones, and to check those.

import type { Mechanism } from '../mechanism/mechanism.js';
import { refuseForeign, type State } from '../mechanism/state.js';

/** Weights of f(h), f(2h), ... over h. */
const WEIGHTS = [4 / 5, -1 / 5, 4 / 105, -1 / 280];
const STEP = 0.006;

/**
 * How the numbers that f gives change with positions ('q') or velocities ('v'), along each degree of freedom: a matrix of as
 * many rows as there are numbers and nv columns, row major. Followers of coupled joints move with their sources; their own columns
 * are zero. Exact to some 1e-10 where f is smooth over four steps of 0.006 (`step`) to either side.
 */
export function numericalDerivative(
  mechanism: Mechanism,
  state: State,
  by: 'q' | 'v',
  f: (state: State) => ArrayLike<number>,
  step: number = STEP,
): Float64Array {
  refuseForeign(mechanism, state);
  const { nv, couplings, joints } = mechanism;
  const rows = f(state).length;
  const out = new Float64Array(rows * nv);
  const followers = new Set(couplings.map(({ joint }) => joints[joint].iv));
  const moved = state.clone();
  const direction = new Float64Array(nv);
  for (let j = 0; j < nv; j++) {
    if (followers.has(j)) continue;
    direction.fill(0);
    direction[j] = 1;
    for (const { joint, source, multiplier } of couplings)
      direction[joints[joint].iv] = multiplier * direction[joints[source].iv];
    WEIGHTS.forEach((weight, k) => {
      for (const sign of [1, -1]) {
        const h = sign * step * (k + 1);
        moved.copy(state);
        if (by === 'q') for (const { model, iq, iv } of joints) model.integrate(moved.q, iq, direction, iv, h);
        else for (let i = 0; i < nv; i++) moved.v[i] += h * direction[i];
        const values = f(moved);
        for (let i = 0; i < rows; i++) out[nv * i + j] += (sign * weight * values[i]) / step;
      }
    });
  }
  return out;
}
