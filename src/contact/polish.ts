// The normal to the last digits. The gap of a pair is the largest separation s(n) = min over K of n x over unit vectors n, near
// the n that GJK or EPA found. Where K is smooth there, Newton's method on the sphere finds it; where a face, an edge or a rim
// of a shape is behind it, it lies where s has a kink: at the normal of a face, or on a circle n u = c around the direction u
// of an edge (c = 0) or around the axis of a cone. So every kind of optimum near n is tried, and the largest s is taken:
//
//   free:          P (H_A + H_B) P delta + s delta = P w,   w the point of K that gives s, P the projection across n
//   on a circle:   one angle about u;  s' = w (u x n),  s'' = w (u x (u x n)) - (u x n) H (u x n)
//   on two:        where a circle of A crosses one of B
//   at a face:     its normal
//
// H: second derivatives of the support functions. Each candidate is judged by its true s, so none can do harm.

import { BOX, CAPSULE, CONE, type Collider, CYLINDER, ELLIPSOID, HULL, TRIANGLE } from './collider.js';
import { FARTHEST, pairSize, separation } from './difference.js';
import { farthestVertex } from './hull-support.js';
import { CORES, N, PAIR, REL } from './work.js';

/** Sine of the angle to n within which a kink is tried. */
const NEAR = 0.05;
/** Of a kink that is closer, both sides are tried. */
const CLOSE = 1e-3;
const MOST = 12;
const STEPS = 12;

// Circles (u, c) of A, then of B, and normals of faces of both: all as conditions on n, frame of a.
const circleU = new Float64Array(6 * MOST);
const circleC = new Float64Array(2 * MOST);
const facing = new Float64Array(6 * MOST);
let circlesA = 0;
let circles = 0;
let facings = 0;

const n = new Float64Array(3);
const best = new Float64Array(3);
let bestS = 0;
let slack = 0;

/** Improves N and PAIR[CORES]. */
export function polish(a: Collider, b: Collider): void {
  slack = 1e-15 * pairSize(a, b);
  for (let i = 0; i < 3; i++) best[i] = n[i] = N[i];
  bestS = separation(a, b, n);
  // Kinks found from the first n; a second round from the better one.
  for (let round = 0; round < 2; round++) {
    const before = bestS;
    circles = facings = 0;
    kinks(a, 1);
    circlesA = circles;
    kinks(b, -1);
    candidates(a, b);
    if (!(bestS > before + slack)) break;
  }
  PAIR[CORES] = bestS;
  for (let i = 0; i < 3; i++) N[i] = best[i];
}

function candidates(a: Collider, b: Collider): void {
  const x = best[0];
  const y = best[1];
  const z = best[2];
  // Corners and edges that are apart have a smooth s between kinks too: it is the distance from a corner, or from an edge.
  if (curved(a) || curved(b) || bestS > 0) {
    free(a, b);
    for (let k = 0; k < circles; k++) {
      n[0] = x;
      n[1] = y;
      n[2] = z;
      onCircle(a, b, k);
      besides(a, b, k, x, y, z);
    }
  }
  for (let k = 0; k < circlesA; k++)
    for (let l = circlesA; l < circles; l++) {
      n[0] = x;
      n[1] = y;
      n[2] = z;
      crossing(a, b, k, l);
    }
  for (let k = 0; k < facings; k++) {
    for (let i = 0; i < 3; i++) n[i] = facing[3 * k + i];
    judge(a, b);
  }
}

/**
 * An optimum may lie beside a kink, closer than n was: Newton's method must start on its side of it. So it starts again on
 * either side of circle k, and of those that cross it.
 */
function besides(a: Collider, b: Collider, k: number, x: number, y: number, z: number): void {
  const ux = circleU[3 * k];
  const uy = circleU[3 * k + 1];
  const uz = circleU[3 * k + 2];
  if (Math.abs(x * ux + y * uy + z * uz - circleC[k]) > CLOSE) return;
  for (let sign = -1; sign <= 1; sign += 2) {
    n[0] = x + sign * CLOSE * ux;
    n[1] = y + sign * CLOSE * uy;
    n[2] = z + sign * CLOSE * uz;
    normalise();
    free(a, b);
    // Along the other circles, away from this one.
    for (let l = 0; l < circles; l++) {
      if (l === k) continue;
      n[0] = x + sign * CLOSE * ux;
      n[1] = y + sign * CLOSE * uy;
      n[2] = z + sign * CLOSE * uz;
      onCircle(a, b, l);
    }
  }
}

function curved({ kind }: Collider): boolean {
  return kind === CYLINDER || kind === CONE || kind === ELLIPSOID;
}

/** Keeps n where it is at least as good. */
function judge(a: Collider, b: Collider): void {
  const s = separation(a, b, n);
  if (!(s >= bestS - slack)) return;
  bestS = s;
  for (let i = 0; i < 3; i++) best[i] = n[i];
}

const toward = new Float64Array(3);

/** A circle n u = c, or the normal of a face, from the frame of the shape; outward is -n for A, n for B. */
function addCircle(side: number, x: number, y: number, z: number, c: number): void {
  if (circles === (side > 0 ? MOST : 2 * MOST)) return;
  const at = 3 * circles;
  if (side > 0) {
    circleU[at] = x;
    circleU[at + 1] = y;
    circleU[at + 2] = z;
    circleC[circles] = -c;
  } else {
    for (let i = 0; i < 3; i++) circleU[at + i] = REL[3 * i] * x + REL[3 * i + 1] * y + REL[3 * i + 2] * z;
    circleC[circles] = c;
  }
  circles++;
}

function addFace(side: number, x: number, y: number, z: number): void {
  if (facings === 2 * MOST) return;
  const at = 3 * facings;
  if (side > 0) {
    facing[at] = -x;
    facing[at + 1] = -y;
    facing[at + 2] = -z;
  } else for (let i = 0; i < 3; i++) facing[at + i] = REL[3 * i] * x + REL[3 * i + 1] * y + REL[3 * i + 2] * z;
  facings++;
}

/** Kinks of a shape near the best n. */
function kinks({ kind, size, hull }: Collider, side: number): void {
  if (side > 0) for (let i = 0; i < 3; i++) toward[i] = -best[i];
  else for (let i = 0; i < 3; i++) toward[i] = REL[i] * best[0] + REL[3 + i] * best[1] + REL[6 + i] * best[2];
  const x = toward[0];
  const y = toward[1];
  const z = toward[2];
  switch (kind) {
    case CAPSULE:
      if (Math.abs(z) < NEAR) addCircle(side, 0, 0, 1, 0);
      return;
    case BOX:
      for (let k = 0; k < 3; k++) {
        if (Math.abs(toward[k]) < NEAR) addCircle(side, k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0, 0);
        else if (1 - Math.abs(toward[k]) < NEAR * NEAR) {
          const s = toward[k] > 0 ? 1 : -1;
          addFace(side, k === 0 ? s : 0, k === 1 ? s : 0, k === 2 ? s : 0);
        }
      }
      return;
    case CYLINDER:
      if (Math.abs(z) < NEAR) addCircle(side, 0, 0, 1, 0);
      else if (1 - Math.abs(z) < NEAR * NEAR) addFace(side, 0, 0, z > 0 ? 1 : -1);
      return;
    case CONE: {
      // Outward normals of the side lean to the tip by c = r / sqrt(r^2 + (2 h)^2).
      const c = size[0] / Math.sqrt(size[0] * size[0] + 4 * size[1] * size[1]);
      if (Math.abs(z - c) < NEAR) addCircle(side, 0, 0, 1, c);
      if (1 + z < NEAR * NEAR) addFace(side, 0, 0, -1);
      return;
    }
    case HULL:
    case TRIANGLE: {
      const { points, aroundStarts, around, fanStarts, fan, normals } = hull!;
      const v = farthestVertex(hull!, toward);
      for (let k = aroundStarts[v]; k < aroundStarts[v + 1]; k++) {
        const w = around[k];
        const ux = points[3 * w] - points[3 * v];
        const uy = points[3 * w + 1] - points[3 * v + 1];
        const uz = points[3 * w + 2] - points[3 * v + 2];
        const s = 1 / Math.sqrt(ux * ux + uy * uy + uz * uz);
        if (Math.abs(ux * x + uy * y + uz * z) * s < NEAR) addCircle(side, ux * s, uy * s, uz * s, 0);
      }
      for (let k = fanStarts[v]; k < fanStarts[v + 1]; k++) {
        const f = 3 * fan[k];
        if (1 - (normals[f] * x + normals[f + 1] * y + normals[f + 2] * z) < NEAR * NEAR)
          addFace(side, normals[f], normals[f + 1], normals[f + 2]);
      }
    }
  }
}

// Tangents at n, frame of a, and what the second derivatives give on them.
const e1 = new Float64Array(3);
const e2 = new Float64Array(3);
const f1 = new Float64Array(3);
const f2 = new Float64Array(3);
const direction = new Float64Array(3);
const H = new Float64Array(3);

/** H += second derivatives of the support function of a shape on (t1, t1), (t1, t2), (t2, t2), at the direction d; its frame. */
function addCurvature({ kind, size }: Collider, d: Float64Array, t1: Float64Array, t2: Float64Array): void {
  if (kind === ELLIPSOID) {
    // h = sqrt(d Q d): Q / h - Q d d Q / h^3.
    const qx = size[0] * size[0];
    const qy = size[1] * size[1];
    const qz = size[2] * size[2];
    const h = 1 / Math.sqrt(qx * d[0] * d[0] + qy * d[1] * d[1] + qz * d[2] * d[2]);
    const g1 = (qx * d[0] * t1[0] + qy * d[1] * t1[1] + qz * d[2] * t1[2]) * h;
    const g2 = (qx * d[0] * t2[0] + qy * d[1] * t2[1] + qz * d[2] * t2[2]) * h;
    H[0] += (qx * t1[0] * t1[0] + qy * t1[1] * t1[1] + qz * t1[2] * t1[2] - g1 * g1) * h;
    H[1] += (qx * t1[0] * t2[0] + qy * t1[1] * t2[1] + qz * t1[2] * t2[2] - g1 * g2) * h;
    H[2] += (qx * t2[0] * t2[0] + qy * t2[1] * t2[1] + qz * t2[2] * t2[2] - g2 * g2) * h;
    return;
  }
  if (kind !== CYLINDER && kind !== CONE) return;
  const square = d[0] * d[0] + d[1] * d[1];
  const xy = Math.sqrt(square);
  // Around the axis a rim bends by its radius; the tip does not. The same test as in `support`, so that both mean one point.
  if (square === 0 || (kind === CONE && 2 * size[1] * d[2] >= size[0] * xy)) return;
  const r = size[0] / (square * xy);
  const g1 = d[0] * t1[1] - d[1] * t1[0];
  const g2 = d[0] * t2[1] - d[1] * t2[0];
  H[0] += r * g1 * g1;
  H[1] += r * g1 * g2;
  H[2] += r * g2 * g2;
}

/** H of both shapes at n on the tangents e1, e2. */
function setCurvature(a: Collider, b: Collider): void {
  H[0] = H[1] = H[2] = 0;
  for (let i = 0; i < 3; i++) direction[i] = -n[i];
  addCurvature(a, direction, e1, e2);
  for (let i = 0; i < 3; i++) {
    direction[i] = REL[i] * n[0] + REL[3 + i] * n[1] + REL[6 + i] * n[2];
    f1[i] = REL[i] * e1[0] + REL[3 + i] * e1[1] + REL[6 + i] * e1[2];
    f2[i] = REL[i] * e2[0] + REL[3 + i] * e2[1] + REL[6 + i] * e2[2];
  }
  addCurvature(b, direction, f1, f2);
}

function normalise(): void {
  const s = 1 / Math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  n[0] *= s;
  n[1] *= s;
  n[2] *= s;
}

/** Newton's method in the two directions across n. */
function free(a: Collider, b: Collider): void {
  for (let step = 0; step < STEPS; step++) {
    const s = separation(a, b, n);
    const wx = FARTHEST[0];
    const wy = FARTHEST[1];
    const wz = FARTHEST[2];
    // Any two directions across n: e1 across the axis that n is least along.
    const k =
      Math.abs(n[0]) <= Math.abs(n[1]) && Math.abs(n[0]) <= Math.abs(n[2])
        ? 0
        : Math.abs(n[1]) <= Math.abs(n[2])
          ? 1
          : 2;
    e1[0] = k === 1 ? n[2] : k === 2 ? -n[1] : 0;
    e1[1] = k === 0 ? -n[2] : k === 2 ? n[0] : 0;
    e1[2] = k === 0 ? n[1] : k === 1 ? -n[0] : 0;
    const l = 1 / Math.sqrt(e1[0] * e1[0] + e1[1] * e1[1] + e1[2] * e1[2]);
    e1[0] *= l;
    e1[1] *= l;
    e1[2] *= l;
    e2[0] = n[1] * e1[2] - n[2] * e1[1];
    e2[1] = n[2] * e1[0] - n[0] * e1[2];
    e2[2] = n[0] * e1[1] - n[1] * e1[0];
    setCurvature(a, b);
    const m11 = H[0] + s;
    const m12 = H[1];
    const m22 = H[2] + s;
    const det = m11 * m22 - m12 * m12;
    // Not a maximum: no smooth optimum is near.
    if (!(m11 > 0 && det > 0)) break;
    const g1 = wx * e1[0] + wy * e1[1] + wz * e1[2];
    const g2 = wx * e2[0] + wy * e2[1] + wz * e2[2];
    const d1 = (m22 * g1 - m12 * g2) / det;
    const d2 = (m11 * g2 - m12 * g1) / det;
    const square = d1 * d1 + d2 * d2;
    if (!(square < 0.1)) break;
    for (let i = 0; i < 3; i++) n[i] += d1 * e1[i] + d2 * e2[i];
    normalise();
    if (square < 1e-26) break;
  }
  judge(a, b);
}

/** n moved to the nearest point of circle k; false where it has none. */
function toCircle(k: number): boolean {
  const ux = circleU[3 * k];
  const uy = circleU[3 * k + 1];
  const uz = circleU[3 * k + 2];
  const c = circleC[k];
  const at = n[0] * ux + n[1] * uy + n[2] * uz;
  const x = n[0] - at * ux;
  const y = n[1] - at * uy;
  const z = n[2] - at * uz;
  const s = Math.sqrt((1 - c * c) / (x * x + y * y + z * z));
  n[0] = c * ux + s * x;
  n[1] = c * uy + s * y;
  n[2] = c * uz + s * z;
  return s < Number.POSITIVE_INFINITY;
}

/** Newton's method in the angle about u. */
function onCircle(a: Collider, b: Collider, k: number): void {
  if (!toCircle(k)) return;
  const ux = circleU[3 * k];
  const uy = circleU[3 * k + 1];
  const uz = circleU[3 * k + 2];
  for (let step = 0; step < STEPS; step++) {
    separation(a, b, n);
    const tx = uy * n[2] - uz * n[1];
    const ty = uz * n[0] - ux * n[2];
    const tz = ux * n[1] - uy * n[0];
    e1[0] = e2[0] = tx;
    e1[1] = e2[1] = ty;
    e1[2] = e2[2] = tz;
    setCurvature(a, b);
    const first = FARTHEST[0] * tx + FARTHEST[1] * ty + FARTHEST[2] * tz;
    const inward =
      FARTHEST[0] * (uy * tz - uz * ty) + FARTHEST[1] * (uz * tx - ux * tz) + FARTHEST[2] * (ux * ty - uy * tx);
    const second = inward - H[0];
    if (!(second < 0)) break;
    const angle = -first / second;
    if (!(Math.abs(angle) < 0.3)) break;
    for (let i = 0; i < 3; i++) n[i] += angle * e1[i];
    if (!toCircle(k)) return;
    if (Math.abs(angle) < 1e-14) break;
  }
  judge(a, b);
}

/** Where circle k of A and circle l of B cross, on the side of n. */
function crossing(a: Collider, b: Collider, k: number, l: number): void {
  const ux = circleU[3 * k];
  const uy = circleU[3 * k + 1];
  const uz = circleU[3 * k + 2];
  const vx = circleU[3 * l];
  const vy = circleU[3 * l + 1];
  const vz = circleU[3 * l + 2];
  const wx = uy * vz - uz * vy;
  const wy = uz * vx - ux * vz;
  const wz = ux * vy - uy * vx;
  const ww = wx * wx + wy * wy + wz * wz;
  // Almost parallel edges fix no direction.
  if (!(ww > 1e-12)) return;
  // n = alpha u + beta v + gamma w with n u = c, n v = e; w is across both.
  const uv = ux * vx + uy * vy + uz * vz;
  const c = circleC[k];
  const e = circleC[l];
  const alpha = (c - e * uv) / ww;
  const beta = (e - c * uv) / ww;
  const rest = 1 - (alpha * c + beta * e);
  if (!(rest > 0)) return;
  const gamma = (n[0] * wx + n[1] * wy + n[2] * wz < 0 ? -1 : 1) * Math.sqrt(rest / ww);
  n[0] = alpha * ux + beta * vx + gamma * wx;
  n[1] = alpha * uy + beta * vy + gamma * wy;
  n[2] = alpha * uz + beta * vz + gamma * wz;
  normalise();
  judge(a, b);
}
