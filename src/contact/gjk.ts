// Distance of two convex cores: the algorithm of Gilbert, Johnson and Keerthi. A simplex of points of K = A - B approaches the
// origin; v is its point nearest to the origin, and the support along -v shows how much nearer K can come.

import type { Collider } from './collider.js';
import { isPolytope, pairSize, setNormal, supportDifference } from './difference.js';
import { CORES, PAIR, REL } from './work.js';

/** Results of `gjk`. */
export const FAR = 0;
export const APART = 1;
export const TOUCHING = 2;
/** As APART, but rounding ended the descent early. */
export const ROUGH = 3;

const ITERATIONS = 80;
/** Relative to the size of the pair: below this the direction of v is rounding. */
const TOUCH = 1e-8;
/** Of v: how much nearer K may come. Curved shapes approach for ever and are polished afterwards. */
const EXACT = 1e-14;
/** Squared height over squared edges below which a tetrahedron is flat. */
const FLAT = 1e-22;
/** Relative to the size: a distance that may be off by more is rough. */
const ROUGHLY = 1e-13;
const CURVED = 1e-7;

// The simplex, and the point v.
const S = new Float64Array(12);
const v = new Float64Array(3);
const w = new Float64Array(3);
const d = new Float64Array(3);
let size = 0;

/**
 * FAR: the cores are farther apart than `reach`. APART: N and PAIR[CORES] are their normal and distance. TOUCHING: they
 * overlap, or are closer than rounding can tell.
 */
export function gjk(a: Collider, b: Collider, reach: number): number {
  const scale = pairSize(a, b);
  const touch = TOUCH * scale * (TOUCH * scale);
  const enough = isPolytope(a) && isPolytope(b) ? EXACT : CURVED;
  let rough = true;
  size = 0;
  v[0] = -REL[9];
  v[1] = -REL[10];
  v[2] = -REL[11];
  let square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  if (!(square > touch)) {
    v[0] = scale;
    square = scale * scale;
  }
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    d[0] = -v[0];
    d[1] = -v[1];
    d[2] = -v[2];
    supportDifference(w, 0, a, b, d);
    const vw = v[0] * w[0] + v[1] * w[1] + v[2] * w[2];
    // v w / |v| is a lower bound of the distance.
    if (vw > 0 && vw * vw > reach * reach * square && reach >= 0) return FAR;
    rough = square - vw > ROUGHLY * scale * Math.sqrt(square);
    if (size > 0 && (square - vw <= enough * square || known())) break;
    S[3 * size] = w[0];
    S[3 * size + 1] = w[1];
    S[3 * size + 2] = w[2];
    size++;
    const before = size > 1 ? square : Number.POSITIVE_INFINITY;
    if (!nearest()) return TOUCHING;
    square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if (!(square > touch)) return TOUCHING;
    // Rounding ends the descent.
    if (!(square < before)) {
      rough = true;
      break;
    }
  }
  PAIR[CORES] = Math.sqrt(square);
  setNormal(v[0], v[1], v[2]);
  // A distance beyond what was asked for may have been found without a proof on the way.
  if (PAIR[CORES] > reach && isPolytope(a) && isPolytope(b)) return FAR;
  return rough ? ROUGH : APART;
}

/** Whether w is a corner of the simplex already. */
function known(): boolean {
  for (let k = 0; k < size; k++) if (S[3 * k] === w[0] && S[3 * k + 1] === w[1] && S[3 * k + 2] === w[2]) return true;
  return false;
}

/** v = the point of the simplex nearest to the origin; the simplex shrinks to the part it lies in. False: the origin is inside. */
function nearest(): boolean {
  if (size === 1) {
    v[0] = S[0];
    v[1] = S[1];
    v[2] = S[2];
    return true;
  }
  if (size === 2) {
    nearestOnSegment();
    return true;
  }
  if (size === 3) {
    nearestOnTriangle();
    return true;
  }
  return nearestOnTetrahedron();
}

/** Corner i takes the place k. */
function move(k: number, i: number): void {
  S[3 * k] = S[3 * i];
  S[3 * k + 1] = S[3 * i + 1];
  S[3 * k + 2] = S[3 * i + 2];
}

function nearestOnSegment(): void {
  const ux = S[3] - S[0];
  const uy = S[4] - S[1];
  const uz = S[5] - S[2];
  const uu = ux * ux + uy * uy + uz * uz;
  const t = -(S[0] * ux + S[1] * uy + S[2] * uz);
  if (t <= 0 || uu === 0) size = 1;
  else if (t >= uu) {
    move(0, 1);
    size = 1;
  } else {
    const f = t / uu;
    v[0] = S[0] + f * ux;
    v[1] = S[1] + f * uy;
    v[2] = S[2] + f * uz;
    return;
  }
  v[0] = S[0];
  v[1] = S[1];
  v[2] = S[2];
}

const T = new Float64Array(12);

/** By regions (Ericson, Real-Time Collision Detection, 5.1.5), with the interior by the normal of the triangle. */
function nearestOnTriangle(): void {
  const ax = S[0];
  const ay = S[1];
  const az = S[2];
  const bx = S[3];
  const by = S[4];
  const bz = S[5];
  const cx = S[6];
  const cy = S[7];
  const cz = S[8];
  const ux = bx - ax;
  const uy = by - ay;
  const uz = bz - az;
  const wx = cx - ax;
  const wy = cy - ay;
  const wz = cz - az;
  const nx = uy * wz - uz * wy;
  const ny = uz * wx - ux * wz;
  const nz = ux * wy - uy * wx;
  const nn = nx * nx + ny * ny + nz * nz;
  // Barycentric coordinates of the origin, times nn: (b x c) n, (c x a) n, (a x b) n.
  const u = (by * cz - bz * cy) * nx + (bz * cx - bx * cz) * ny + (bx * cy - by * cx) * nz;
  const s = (cy * az - cz * ay) * nx + (cz * ax - cx * az) * ny + (cx * ay - cy * ax) * nz;
  const t = (ay * bz - az * by) * nx + (az * bx - ax * bz) * ny + (ax * by - ay * bx) * nz;
  if (u > 0 && s > 0 && t > 0 && nn > 0) {
    const f = (ax * nx + ay * ny + az * nz) / nn;
    v[0] = f * nx;
    v[1] = f * ny;
    v[2] = f * nz;
    return;
  }
  // On an edge: the nearest of those that the origin lies beyond; all three where the triangle has no area.
  for (let k = 0; k < 9; k++) T[k] = S[k];
  let best = Number.POSITIVE_INFINITY;
  let bestSize = 1;
  let p = 0;
  let q = 0;
  for (let e = 0; e < 3; e++) {
    const beyond = e === 0 ? t : e === 1 ? u : s;
    if (beyond > 0 && nn > 0) continue;
    const i = e;
    const j = e === 2 ? 0 : e + 1;
    for (let k = 0; k < 3; k++) {
      S[k] = T[3 * i + k];
      S[3 + k] = T[3 * j + k];
    }
    size = 2;
    nearestOnSegment();
    const square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if (square < best) {
      best = square;
      bestSize = size;
      p = i;
      q = j;
    }
  }
  for (let k = 0; k < 3; k++) {
    S[k] = T[3 * p + k];
    S[3 + k] = T[3 * q + k];
  }
  size = 2;
  nearestOnSegment();
  size = Math.min(size, bestSize);
}

const Q = new Float64Array(12);
const nearestSimplex = new Float64Array(9);
const nearestV = new Float64Array(3);

function nearestOnTetrahedron(): boolean {
  for (let k = 0; k < 12; k++) Q[k] = S[k];
  let best = Number.POSITIVE_INFINITY;
  let bestSize = 0;
  let outside = false;
  for (let f = 0; f < 4; f++) {
    // Face without corner f.
    const i = f === 0 ? 3 : 0;
    const j = f === 1 ? 3 : 1;
    const k = f === 2 ? 3 : 2;
    const ux = Q[3 * j] - Q[3 * i];
    const uy = Q[3 * j + 1] - Q[3 * i + 1];
    const uz = Q[3 * j + 2] - Q[3 * i + 2];
    const wx = Q[3 * k] - Q[3 * i];
    const wy = Q[3 * k + 1] - Q[3 * i + 1];
    const wz = Q[3 * k + 2] - Q[3 * i + 2];
    const nx = uy * wz - uz * wy;
    const ny = uz * wx - ux * wz;
    const nz = ux * wy - uy * wx;
    const origin = -(nx * Q[3 * i] + ny * Q[3 * i + 1] + nz * Q[3 * i + 2]);
    const corner = nx * (Q[3 * f] - Q[3 * i]) + ny * (Q[3 * f + 1] - Q[3 * i + 1]) + nz * (Q[3 * f + 2] - Q[3 * i + 2]);
    // Inside of this face where the origin is on the side of the corner; a flat tetrahedron has no inside.
    const nn = nx * nx + ny * ny + nz * nz;
    const uu = ux * ux + uy * uy + uz * uz + wx * wx + wy * wy + wz * wz;
    if (origin * corner > 0 && corner * corner > FLAT * nn * uu) continue;
    outside = true;
    for (let m = 0; m < 3; m++) {
      S[m] = Q[3 * i + m];
      S[3 + m] = Q[3 * j + m];
      S[6 + m] = Q[3 * k + m];
    }
    size = 3;
    nearestOnTriangle();
    const square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if (square < best) {
      best = square;
      bestSize = size;
      for (let m = 0; m < 9; m++) nearestSimplex[m] = S[m];
      for (let m = 0; m < 3; m++) nearestV[m] = v[m];
    }
  }
  if (!outside) return false;
  size = bestSize;
  for (let m = 0; m < 9; m++) S[m] = nearestSimplex[m];
  for (let m = 0; m < 3; m++) v[m] = nearestV[m];
  return true;
}
