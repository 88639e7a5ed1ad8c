// What couplings (mimic joints) do to numbers in the order of v: v = G y for the independent coordinates y.

import type { Mechanism } from '../../mechanism/mechanism.js';

/** Velocities or accelerations: followers move as their sources do. */
export function followSources({ couplings, joints }: Mechanism, values: Float64Array): void {
  for (let k = 0; k < couplings.length; k++) {
    const { joint, source, multiplier } = couplings[k];
    values[joints[joint].iv] = multiplier * values[joints[source].iv];
  }
}

/** Forces, G^T tau: a follower has no motor of its own, its share is done by the joint it follows. */
export function foldForces({ couplings, joints }: Mechanism, tau: Float64Array): void {
  for (let k = 0; k < couplings.length; k++) {
    const { joint, source, multiplier } = couplings[k];
    const at = joints[joint].iv;
    tau[joints[source].iv] += multiplier * tau[at];
    tau[at] = 0;
  }
}

/** For each degree of freedom the row of the reduced mass matrix that it belongs to, and its factor there. */
export interface Reduction {
  readonly rows: number;
  readonly follows: Int32Array;
  readonly factor: Float64Array;
}

export function reductionOf({ couplings, joints, nv }: Mechanism): Reduction {
  const factor = new Float64Array(nv).fill(1);
  const follows = new Int32Array(nv);
  const coupled = new Set(couplings.map(({ joint }) => joints[joint].iv));
  let rows = 0;
  for (let k = 0; k < nv; k++) follows[k] = coupled.has(k) ? -1 : rows++;
  for (const { joint, source, multiplier } of couplings) {
    follows[joints[joint].iv] = follows[joints[source].iv];
    factor[joints[joint].iv] = multiplier;
  }
  return { rows, follows, factor };
}

/** out <- G^T H G. */
export function reduceMatrix(out: Float64Array, H: Float64Array, { rows, follows, factor }: Reduction): void {
  const nv = follows.length;
  out.fill(0);
  for (let i = 0; i < nv; i++) {
    const row = rows * follows[i];
    for (let j = 0; j < nv; j++) out[row + follows[j]] += factor[i] * factor[j] * H[nv * i + j];
  }
}
