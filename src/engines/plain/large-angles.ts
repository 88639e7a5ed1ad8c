// Angles on their way into generated code. The formulas for sine and cosine (formulas/trig.ts) are good to LARGEST_ANGLE; beyond
// it an angle is replaced by the one between -pi and pi that looks the same, from the exact reduction that Math.sin has.
// The positions of helical joints are lengths too and stay as they are: the plain engine adds those up by itself.

import type { Mechanism } from '../../mechanism/mechanism.js';

export const LARGEST_ANGLE = 1e6;

/** The angle itself where it is not too large for the formulas. */
export function reducedAngle(angle: number): number {
  return Math.abs(angle) <= LARGEST_ANGLE ? angle : Math.atan2(Math.sin(angle), Math.cos(angle));
}

/** Which positions of each joint type are angles and nothing else. */
const ANGLES = new Map<string, readonly number[]>([
  ['revolute', [0]],
  ['continuous', [0]],
  ['cylindrical', [0]],
  ['universal', [0, 1]],
  ['planar', [2]],
]);

interface Places {
  readonly angles: Int32Array;
  readonly helical: Int32Array;
}

const known = new WeakMap<Mechanism, Places>();

function placesOf(mechanism: Mechanism): Places {
  let places = known.get(mechanism);
  if (places === undefined) {
    const { joints } = mechanism;
    places = {
      angles: Int32Array.from(joints.flatMap(({ type, iq }) => (ANGLES.get(type) ?? []).map((k) => iq + k))),
      helical: Int32Array.from(joints.flatMap(({ type, iq }) => (type === 'helical' ? [iq] : []))),
    };
    known.set(mechanism, places);
  }
  return places;
}

/** out <- q with its large angles reduced. */
export function copyPositions(mechanism: Mechanism, out: Float64Array, q: Float64Array): void {
  out.set(q);
  const { angles } = placesOf(mechanism);
  for (let k = 0; k < angles.length; k++) {
    const at = angles[k];
    if (Math.abs(q[at]) > LARGEST_ANGLE) out[at] = reducedAngle(q[at]);
  }
}

/** Whether a helical joint has turned so far that only the plain engine can say where it is. */
export function turnsTooFar(mechanism: Mechanism, q: Float64Array): boolean {
  const { helical } = placesOf(mechanism);
  for (let k = 0; k < helical.length; k++) if (Math.abs(q[helical[k]]) > LARGEST_ANGLE) return true;
  return false;
}
