// The Minkowski difference K = A - B of the cores of a pair, in the frame of a. The shapes overlap where K holds the origin;
// their distance, or depth, is that of the origin from the boundary of K.

import { BOX, CAPSULE, type Collider, HULL, SPHERE, TRIANGLE } from './collider.js';
import { support } from './support.js';
import { N, REL } from './work.js';

const direction = new Float64Array(3);
const far = new Float64Array(3);

/** w[o...] = the point of K farthest along d, frame of a. */
export function supportDifference(w: Float64Array, o: number, a: Collider, b: Collider, d: Float64Array): void {
  support(w, o, a, d);
  const x = d[0];
  const y = d[1];
  const z = d[2];
  for (let i = 0; i < 3; i++) direction[i] = -(REL[i] * x + REL[3 + i] * y + REL[6 + i] * z);
  support(far, 0, b, direction);
  const fx = far[0];
  const fy = far[1];
  const fz = far[2];
  for (let i = 0; i < 3; i++) w[o + i] -= REL[9 + i] + REL[3 * i] * fx + REL[3 * i + 1] * fy + REL[3 * i + 2] * fz;
}

const opposite = new Float64Array(3);
/** The point of K that `separation` found. */
export const FARTHEST = new Float64Array(3);

/** Distance of the cores along the unit normal n from b to a, negative where they overlap: min over K of n x. */
export function separation(a: Collider, b: Collider, n: Float64Array): number {
  opposite[0] = -n[0];
  opposite[1] = -n[1];
  opposite[2] = -n[2];
  supportDifference(FARTHEST, 0, a, b, opposite);
  return n[0] * FARTHEST[0] + n[1] * FARTHEST[1] + n[2] * FARTHEST[2];
}

/** Whether the core has corners and flat faces only. */
export function isPolytope({ kind }: Collider): boolean {
  return kind === BOX || kind === HULL || kind === TRIANGLE || kind === SPHERE || kind === CAPSULE;
}

/** How large a pair is, for tolerances. */
export function pairSize(a: Collider, b: Collider): number {
  return a.reach + b.reach;
}

/** N = v / |v|. */
export function setNormal(x: number, y: number, z: number): void {
  const s = 1 / Math.sqrt(x * x + y * y + z * z);
  N[0] = s * x;
  N[1] = s * y;
  N[2] = s * z;
}
