// Angles on their way into generated code. The formulas for sine and cosine (formulas/trig.ts) are good to LARGEST_ANGLE; beyond
// it an angle is replaced by the one between -pi and pi that looks the same, by an exact reduction.
// Steps in WebAssembly reduce angles where they begin; within one the formulas have 6e5 rad to spare (k times a piece of pi/2 stays exact).
// The positions of helical joints are lengths too and stay as they are: the plain engine adds those up by itself.

import type { Mechanism } from '../../mechanism/mechanism.js';
import { withoutWholeTurns } from '../../spatial/whole-turns.js';

export const LARGEST_ANGLE = 1e6;

/** The angle itself where it is not too large for the formulas. */
export function reducedAngle(angle: number): number {
  return Math.abs(angle) <= LARGEST_ANGLE || !Number.isFinite(angle) ? angle : withoutWholeTurns(angle);
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
/** The last answer: most callers ask about one mechanism again and again. */
let last: Mechanism | undefined;
let lastPlaces: Places = { angles: new Int32Array(0), helical: new Int32Array(0) };

function placesOf(mechanism: Mechanism): Places {
  if (mechanism === last) return lastPlaces;
  let places = known.get(mechanism);
  if (places === undefined) {
    const { joints } = mechanism;
    places = {
      angles: Int32Array.from(joints.flatMap(({ type, iq }) => (ANGLES.get(type) ?? []).map((k) => iq + k))),
      helical: Int32Array.from(joints.flatMap(({ type, iq }) => (type === 'helical' ? [iq] : []))),
    };
    known.set(mechanism, places);
  }
  last = mechanism;
  lastPlaces = places;
  return places;
}

/** Whether an angle may be large; by a sum of squares, since a branch for each angle takes several times as long. */
function hasLarge(q: Float64Array, angles: Int32Array): boolean {
  const even = angles.length & -2;
  let sum = even < angles.length ? q[angles[even]] ** 2 : 0;
  let other = 0;
  for (let k = 0; k < even; k += 2) {
    const x = q[angles[k]];
    const y = q[angles[k + 1]];
    sum += x * x;
    other += y * y;
  }
  return !(sum + other <= LARGEST_ANGLE * LARGEST_ANGLE);
}

/** out <- q with its large angles reduced. */
export function copyPositions(mechanism: Mechanism, out: Float64Array, q: Float64Array): void {
  out.set(q);
  if (hasLarge(q, placesOf(mechanism).angles)) reduceAngles(mechanism, out);
}

/** Reduces the large angles in q; whether there were any. */
export function reduceAngles(mechanism: Mechanism, q: Float64Array): boolean {
  const { angles } = placesOf(mechanism);
  let any = false;
  for (let k = 0; k < angles.length; k++) {
    const at = angles[k];
    if (!(Math.abs(q[at]) > LARGEST_ANGLE)) continue;
    q[at] = reducedAngle(q[at]);
    any = true;
  }
  return any;
}

/** Whether a helical joint has turned so far that only the plain engine can say where it is. */
export function turnsTooFar(mechanism: Mechanism, q: Float64Array): boolean {
  const { helical } = placesOf(mechanism);
  for (let k = 0; k < helical.length; k++) if (Math.abs(q[helical[k]]) > LARGEST_ANGLE) return true;
  return false;
}
