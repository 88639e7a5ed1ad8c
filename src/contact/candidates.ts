// Contact points that a pair may get: where, how far apart the surfaces are there, and which features they are of. The best are chosen.

import type { Collider } from './collider.js';
import { FACE_POINTS } from './feature.js';
import { CONVEX_POINTS, type Manifold } from './manifold.js';
import { GAP, MARGIN, N, PAIR } from './work.js';

/** Relative to the smaller shape: a corner whose gap is larger than that of the pair by more is not the closest point. */
const REACHED = 1e-8;
/** Metres: of gaps that differ by less the first one counts as the least. */
const ALIKE = 1e-10;
/** Most candidates. */
export const MOST = 2 * FACE_POINTS;

/** Feature of the closest point where it is no corner of a polygon. */
export const WITNESS = 0x7ffffffe;

/** How many there are. */
export const COUNT = new Int32Array(1);
/** Position on one of the surfaces, frame of a. */
export const cx = new Float64Array(MOST);
export const cy = new Float64Array(MOST);
export const cz = new Float64Array(MOST);
/** Distance of the surfaces along the normal, and how far their points miss each other across it. */
export const cgap = new Float64Array(MOST);
export const cmiss = new Float64Array(MOST);
export const cid = new Int32Array(MOST);

/** One number of two labels, whatever their order. */
export function idOf(first: number, second: number): number {
  return first < second ? (second << 16) | first : (first << 16) | second;
}

/** Whether some candidate is as close as the gap says, up to rounding of the normal; the closest one then has that gap. */
export function reaches(a: Collider, b: Collider): boolean {
  const slack = REACHED * Math.min(a.reach, b.reach);
  let k = -1;
  for (let l = 0; l < COUNT[0]; l++) if (cmiss[l] <= slack && (k < 0 || cgap[l] < cgap[k])) k = l;
  if (k < 0 || !(cgap[k] <= PAIR[GAP] + slack)) return false;
  cgap[k] = PAIR[GAP];
  return true;
}

const kept = new Int32Array(CONVEX_POINTS);

/** Candidates within the margin, four at most: the closest one, and those that spread farthest. All at the height n x. */
export function choose(out: Manifold, height: number): void {
  const margin = PAIR[MARGIN];
  let n = 0;
  let closest = 0;
  for (let k = 0; k < COUNT[0]; k++) {
    if (!(cgap[k] <= margin)) continue;
    cx[n] = cx[k];
    cy[n] = cy[k];
    cz[n] = cz[k];
    cgap[n] = cgap[k];
    cid[n] = cid[k];
    // Of those equally close the first one, so that noise does not choose.
    if (cgap[n] < cgap[closest] - ALIKE) closest = n;
    n++;
  }
  if (n <= CONVEX_POINTS) {
    for (let k = 0; k < n; k++) put(out, k, height);
    return;
  }
  kept[0] = closest;
  kept[1] = spread(n, 1);
  kept[2] = spread(n, 2);
  kept[3] = spread(n, 3);
  for (let k = 0; k < CONVEX_POINTS; k++) if (kept[k] >= 0) put(out, kept[k], height);
}

/** The next point to keep: farthest from the first; largest area with both; farthest outside the triangle of three. */
function spread(n: number, have: number): number {
  let best = -1;
  let most = 0;
  const a = kept[0];
  const b = have > 1 ? kept[1] : a;
  const c = have > 2 ? kept[2] : a;
  if (b < 0 || c < 0) return -1;
  const areaAbc = have > 2 ? area(a, b, c) : 0;
  for (let k = 0; k < n; k++) {
    let value: number;
    if (have === 1) {
      const x = cx[k] - cx[a];
      const y = cy[k] - cy[a];
      const z = cz[k] - cz[a];
      const along = x * N[0] + y * N[1] + z * N[2];
      value = x * x + y * y + z * z - along * along;
    } else if (have === 2) value = Math.abs(area(a, b, k));
    else {
      // Area that the quadrilateral gains over the triangle: across the edge that the point lies outside of.
      const sign = areaAbc < 0 ? -1 : 1;
      value = -Math.min(sign * area(a, b, k), sign * area(b, c, k), sign * area(c, a, k));
    }
    // A point must be better by more than rounding to be preferred to one before it.
    if (value > most * (1 + 1e-9) + 1e-24) {
      most = value;
      best = k;
    }
  }
  return best;
}

/** Twice the area of three candidates seen along n. */
function area(i: number, j: number, k: number): number {
  const ax = cx[j] - cx[i];
  const ay = cy[j] - cy[i];
  const az = cz[j] - cz[i];
  const bx = cx[k] - cx[i];
  const by = cy[k] - cy[i];
  const bz = cz[k] - cz[i];
  return (ay * bz - az * by) * N[0] + (az * bx - ax * bz) * N[1] + (ax * by - ay * bx) * N[2];
}

/** Candidate k becomes a point of the manifold, moved along n to its height. */
function put(out: Manifold, k: number, height: number): void {
  const { position, normal, gap, feature, count: at } = out;
  const rise = height - (cx[k] * N[0] + cy[k] * N[1] + cz[k] * N[2]);
  position[3 * at] = cx[k] + rise * N[0];
  position[3 * at + 1] = cy[k] + rise * N[1];
  position[3 * at + 2] = cz[k] + rise * N[2];
  for (let i = 0; i < 3; i++) normal[3 * at + i] = N[i];
  gap[at] = cgap[k];
  feature[at] = cid[k];
  out.count++;
}
