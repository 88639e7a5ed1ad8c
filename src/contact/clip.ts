// From the normal to the points: the facing features of both shapes, clipped against each other along the normal.
//
// The reference is a polygon that faces the normal squarely; the feature of the other shape is cut by the planes through its
// edges along the normal, and each corner that remains is a contact. Its gap is measured along the normal between the two
// surfaces, its position lies on the supporting plane of the reference. Where no polygon faces the normal, two segments
// that are almost parallel touch along what they share, and everything else touches in a point.

import { CAPSULE, type Collider, SPHERE } from './collider.js';
import { FACE_POINTS, Feature } from './feature.js';
import { featureToward } from './features.js';
import { CONVEX_POINTS, type Manifold } from './manifold.js';
import { edgeToward, support } from './support.js';
import { GAP, MARGIN, N, PAIR, REL } from './work.js';

/** Cosine of the angle within which a polygon faces the normal squarely: 1.8 degrees. */
const SQUARE = 0.9995;
/** Sine of the angle within which segments are parallel to each other, or across the normal. */
const PARALLEL = 0.03;
/** Relative to the size of the pair: a corner farther than this from the closest gap is not the closest point. */
const CLOSEST = 1e-10;

/** Feature of the closest point where it is no corner of a polygon. */
export const WITNESS = 0x7ffffffe;

const MOST = 2 * FACE_POINTS;
const faceA = new Feature();
const faceB = new Feature();
const toward = new Float64Array(3);
const pointA = new Float64Array(3);
const pointB = new Float64Array(3);
const edgeA = new Float64Array(6);
const edgeB = new Float64Array(6);

// Candidates: position on the incident feature, gap, feature id.
let count = 0;
const cx = new Float64Array(MOST);
const cy = new Float64Array(MOST);
const cz = new Float64Array(MOST);
const cgap = new Float64Array(MOST);
const cid = new Int32Array(MOST);

/** Radius of what is around the core of a shape. */
export function radiusOf({ kind, size }: Collider): number {
  return kind === SPHERE || kind === CAPSULE ? size[0] : 0;
}

/** Writes the manifold of shapes with the normal N and the gap PAIR[GAP], frame of a. */
export function buildManifold(out: Manifold, a: Collider, b: Collider): void {
  featureOfA(a);
  featureOfB(b);
  count = 0;
  // The shape whose polygon faces the normal more squarely is the reference, the first one where both do alike.
  const squareA = faceA.count > 2 ? -(faceA.normal[0] * N[0] + faceA.normal[1] * N[1] + faceA.normal[2] * N[2]) : 0;
  const squareB = faceB.count > 2 ? faceB.normal[0] * N[0] + faceB.normal[1] * N[1] + faceB.normal[2] * N[2] : 0;
  const reference = squareA < SQUARE && squareB < SQUARE ? 0 : squareA + 1e-9 >= squareB ? 1 : 2;
  if (reference === 0) {
    meetingEdges(out, a, b);
    return;
  }
  if (reference === 1) clipAgainst(faceA, faceB, 1);
  else clipAgainst(faceB, faceA, -1);
  closestPoints(a, b);
  addClosest(reference, a, b);
  // Everything on the supporting plane of the reference: n x = n x_A, or n x_B.
  const height = reference === 1 ? dot(N, pointA) : dot(N, pointB);
  choose(out, height);
}

/** The same of a plane a and a shape b: everything that faces the plane, on the plane. */
export function planeManifold(out: Manifold, a: Collider, b: Collider): void {
  N[0] = N[1] = 0;
  N[2] = -1;
  closestPoints(a, b);
  PAIR[GAP] = pointB[2];
  if (!(pointB[2] <= PAIR[MARGIN])) return;
  featureOfB(b);
  const { points, labels, count: corners } = faceB;
  for (count = 0; count < corners; count++) {
    cx[count] = points[3 * count];
    cy[count] = points[3 * count + 1];
    cz[count] = cgap[count] = points[3 * count + 2];
    cid[count] = idOf(labels[count], labels[corners < 3 ? count : count === 0 ? corners - 1 : count - 1]);
  }
  addClosest(1, a, b);
  choose(out, 0);
}

function dot(a: Float64Array, b: Float64Array): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** What of a faces b, its radius included; of a polygon or segment the labels get the side of the pair as their last bit. */
function featureOfA(a: Collider): void {
  toward[0] = -N[0];
  toward[1] = -N[1];
  toward[2] = -N[2];
  featureToward(faceA, a, toward);
  const r = radiusOf(a);
  const { points, labels } = faceA;
  for (let k = 0; k < faceA.count; k++) {
    points[3 * k] -= r * N[0];
    points[3 * k + 1] -= r * N[1];
    points[3 * k + 2] -= r * N[2];
    labels[k] *= 2;
  }
}

function featureOfB(b: Collider): void {
  for (let i = 0; i < 3; i++) toward[i] = REL[i] * N[0] + REL[3 + i] * N[1] + REL[6 + i] * N[2];
  featureToward(faceB, b, toward);
  const r = radiusOf(b);
  const { points, labels, normal } = faceB;
  for (let k = 0; k < faceB.count; k++) {
    const x = points[3 * k];
    const y = points[3 * k + 1];
    const z = points[3 * k + 2];
    for (let i = 0; i < 3; i++)
      points[3 * k + i] = REL[9 + i] + REL[3 * i] * x + REL[3 * i + 1] * y + REL[3 * i + 2] * z + r * N[i];
    labels[k] = 2 * labels[k] + 1;
  }
  if (faceB.count < 3) return;
  const x = normal[0];
  const y = normal[1];
  const z = normal[2];
  for (let i = 0; i < 3; i++) normal[i] = REL[3 * i] * x + REL[3 * i + 1] * y + REL[3 * i + 2] * z;
}

/** Farthest points of both shapes along the normal: pointA, pointB. */
function closestPoints(a: Collider, b: Collider): void {
  toward[0] = -N[0];
  toward[1] = -N[1];
  toward[2] = -N[2];
  support(pointA, 0, a, toward);
  const ra = radiusOf(a);
  for (let i = 0; i < 3; i++) pointA[i] -= ra * N[i];
  for (let i = 0; i < 3; i++) toward[i] = REL[i] * N[0] + REL[3 + i] * N[1] + REL[6 + i] * N[2];
  support(pointB, 0, b, toward);
  const rb = radiusOf(b);
  const x = pointB[0];
  const y = pointB[1];
  const z = pointB[2];
  for (let i = 0; i < 3; i++)
    pointB[i] = REL[9 + i] + REL[3 * i] * x + REL[3 * i + 1] * y + REL[3 * i + 2] * z + rb * N[i];
}

function idOf(first: number, second: number): number {
  return first < second ? (second << 16) | first : (first << 16) | second;
}

// Polygon being clipped: corners, and for each the labels of the edges before and behind it; two buffers in turn.
const px = [new Float64Array(MOST), new Float64Array(MOST)];
const py = [new Float64Array(MOST), new Float64Array(MOST)];
const pz = [new Float64Array(MOST), new Float64Array(MOST)];
/** Label of the edge from corner k to the next one. */
const pe = [new Int32Array(MOST), new Int32Array(MOST)];
const heights = new Float64Array(MOST);

/**
 * Cuts the incident feature by the reference polygon and stores what remains as candidates. `side` is 1 where the reference
 * belongs to a, -1 where it belongs to b: gap = side n (x_reference - x_incident).
 */
function clipAgainst(reference: Feature, incident: Feature, side: number): void {
  const { points: q, labels: names, normal, count: sides } = reference;
  let from = 0;
  let n = incident.count;
  {
    const x = px[0];
    const y = py[0];
    const z = pz[0];
    const e = pe[0];
    for (let k = 0; k < n; k++) {
      x[k] = incident.points[3 * k];
      y[k] = incident.points[3 * k + 1];
      z[k] = incident.points[3 * k + 2];
      e[k] = incident.labels[k];
    }
  }
  const single = n === 1;
  const segment = n === 2;
  // Outward of the edge from p to q is (q - p) x (outward normal of the polygon), here along n: -N for a, N for b.
  for (let s = 0; s < sides && n > 0 && !single; s++) {
    const t = s + 1 === sides ? 0 : s + 1;
    const ex = q[3 * t] - q[3 * s];
    const ey = q[3 * t + 1] - q[3 * s + 1];
    const ez = q[3 * t + 2] - q[3 * s + 2];
    const ox = -side * (ey * N[2] - ez * N[1]);
    const oy = -side * (ez * N[0] - ex * N[2]);
    const oz = -side * (ex * N[1] - ey * N[0]);
    const x = px[from];
    const y = py[from];
    const z = pz[from];
    const e = pe[from];
    const x2 = px[1 - from];
    const y2 = py[1 - from];
    const z2 = pz[1 - from];
    const e2 = pe[1 - from];
    let outside = false;
    const base = ox * q[3 * s] + oy * q[3 * s + 1] + oz * q[3 * s + 2];
    // Within rounding of the edge counts as inside: flush sides must not flicker.
    const slack = 1e-13 * (Math.abs(base) + Math.abs(ox) + Math.abs(oy) + Math.abs(oz));
    for (let k = 0; k < n; k++) {
      let height = ox * x[k] + oy * y[k] + oz * z[k] - base;
      if (height > 0 && height <= slack) height = 0;
      heights[k] = height;
      if (height > 0) outside = true;
    }
    if (!outside) continue;
    let m = 0;
    for (let k = 0; k < n; k++) {
      const l = k + 1 === n ? 0 : k + 1;
      const h = heights[k];
      const g = heights[l];
      if (h <= 0) {
        x2[m] = x[k];
        y2[m] = y[k];
        z2[m] = z[k];
        e2[m] = e[k];
        m++;
      }
      // A segment has one edge, a polygon one for each corner.
      if (segment && l === 0) continue;
      if ((h < 0 && g > 0) || (h > 0 && g < 0)) {
        const f = h / (h - g);
        x2[m] = x[k] + f * (x[l] - x[k]);
        y2[m] = y[k] + f * (y[l] - y[k]);
        z2[m] = z[k] + f * (z[l] - z[k]);
        // Leaving: the boundary goes on along the reference edge. Entering: along the edge that was cut. The end of a
        // segment is named by the edge that cut it.
        e2[m] = segment || h < 0 ? names[s] : e[k];
        m++;
      }
    }
    n = m;
    from = 1 - from;
  }
  const x = px[from];
  const y = py[from];
  const z = pz[from];
  const e = pe[from];
  const facing = 1 / (normal[0] * N[0] + normal[1] * N[1] + normal[2] * N[2]);
  for (let k = 0; k < n; k++) {
    const above = (normal[0] * (x[k] - q[0]) + normal[1] * (y[k] - q[1]) + normal[2] * (z[k] - q[2])) * facing;
    cx[count] = x[k];
    cy[count] = y[k];
    cz[count] = z[k];
    cgap[count] = -side * above;
    cid[count] = idOf(e[k], n < 3 || segment ? e[k] : e[k === 0 ? n - 1 : k - 1]);
    count++;
  }
}

/** The closest point itself, where no candidate is as close: a rim, a corner that was thinned out. */
function addClosest(reference: number, a: Collider, b: Collider): void {
  const gap = PAIR[GAP];
  let least = Number.POSITIVE_INFINITY;
  for (let k = 0; k < count; k++) if (cgap[k] < least) least = cgap[k];
  const size = Math.min(a.reach, b.reach);
  if (least <= gap + CLOSEST * size || count >= MOST) return;
  const p = reference === 1 ? pointB : pointA;
  cx[count] = p[0];
  cy[count] = p[1];
  cz[count] = p[2];
  cgap[count] = gap;
  cid[count] = WITNESS;
  count++;
}

/** Segments, points: no polygon faces the normal. Points lie half way between the surfaces. */
function meetingEdges(out: Manifold, a: Collider, b: Collider): void {
  const gap = PAIR[GAP];
  closestPoints(a, b);
  toward[0] = -N[0];
  toward[1] = -N[1];
  toward[2] = -N[2];
  const labelA = edgeToward(edgeA, a, toward);
  for (let i = 0; i < 3; i++) toward[i] = REL[i] * N[0] + REL[3 + i] * N[1] + REL[6 + i] * N[2];
  const labelB = edgeToward(edgeB, b, toward);
  const ra = radiusOf(a);
  const rb = radiusOf(b);
  for (let i = 0; i < 6; i++) edgeA[i] -= ra * N[i % 3];
  for (let end = 0; end < 6; end += 3) {
    const x = edgeB[end];
    const y = edgeB[end + 1];
    const z = edgeB[end + 2];
    for (let i = 0; i < 3; i++)
      edgeB[end + i] = REL[9 + i] + REL[3 * i] * x + REL[3 * i + 1] * y + REL[3 * i + 2] * z + rb * N[i];
  }
  const ux = edgeA[3] - edgeA[0];
  const uy = edgeA[4] - edgeA[1];
  const uz = edgeA[5] - edgeA[2];
  const vx = edgeB[3] - edgeB[0];
  const vy = edgeB[4] - edgeB[1];
  const vz = edgeB[5] - edgeB[2];
  const uu = Math.sqrt(ux * ux + uy * uy + uz * uz);
  const vv = Math.sqrt(vx * vx + vy * vy + vz * vz);
  const acrossA = labelA >= 0 && Math.abs(ux * N[0] + uy * N[1] + uz * N[2]) <= PARALLEL * uu;
  const acrossB = labelB >= 0 && Math.abs(vx * N[0] + vy * N[1] + vz * N[2]) <= PARALLEL * vv;
  let id = WITNESS;
  if (acrossA && acrossB) {
    const wx = uy * vz - uz * vy;
    const wy = uz * vx - ux * vz;
    const wz = ux * vy - uy * vx;
    const w = wx * N[0] + wy * N[1] + wz * N[2];
    id = idOf(2 * labelA, 2 * labelB + 1);
    if (Math.abs(w) > PARALLEL * uu * vv) {
      // The lines cross, seen along n: a0 + s u = b0 + t v + (gap) n, s = det(b0 - a0, v, n) / det(u, v, n).
      const rx = edgeB[0] - edgeA[0];
      const ry = edgeB[1] - edgeA[1];
      const rz = edgeB[2] - edgeA[2];
      const s = ((ry * vz - rz * vy) * N[0] + (rz * vx - rx * vz) * N[1] + (rx * vy - ry * vx) * N[2]) / w;
      const t = ((ry * uz - rz * uy) * N[0] + (rz * ux - rx * uz) * N[1] + (rx * uy - ry * ux) * N[2]) / w;
      if (s >= 0 && s <= 1 && t >= 0 && t <= 1) {
        for (let i = 0; i < 3; i++) {
          pointA[i] = edgeA[i] + s * (edgeA[3 + i] - edgeA[i]);
          pointB[i] = edgeB[i] + t * (edgeB[3 + i] - edgeB[i]);
        }
      }
    } else overlap(ux, uy, uz, uu, labelA, labelB);
  } else if (acrossA) {
    // A point of b on an edge of a.
    for (let i = 0; i < 3; i++) pointA[i] = pointB[i] + gap * N[i];
  } else if (acrossB) for (let i = 0; i < 3; i++) pointB[i] = pointA[i] - gap * N[i];
  const heightA = dot(N, pointA);
  if (count === 0 || lowest() > gap + CLOSEST * Math.min(a.reach, b.reach)) {
    cx[count] = pointA[0];
    cy[count] = pointA[1];
    cz[count] = pointA[2];
    cgap[count] = gap;
    cid[count] = id;
    count++;
  }
  choose(out, heightA - gap / 2);
}

function lowest(): number {
  let least = cgap[0];
  for (let k = 1; k < count; k++) if (cgap[k] < least) least = cgap[k];
  return least;
}

/** Both ends of what two almost parallel segments share, seen along u. */
function overlap(ux: number, uy: number, uz: number, uu: number, labelA: number, labelB: number): void {
  const x = ux / uu;
  const y = uy / uu;
  const z = uz / uu;
  const a0 = x * edgeA[0] + y * edgeA[1] + z * edgeA[2];
  const b0 = x * edgeB[0] + y * edgeB[1] + z * edgeB[2];
  const b1 = x * edgeB[3] + y * edgeB[4] + z * edgeB[5];
  const low = Math.max(a0, Math.min(b0, b1));
  const high = Math.min(a0 + uu, Math.max(b0, b1));
  if (!(low < high)) return;
  for (let end = 0; end < 2; end++) {
    const at = end === 0 ? low : high;
    const s = (at - a0) / uu;
    const t = b1 === b0 ? 0 : (at - b0) / (b1 - b0);
    let gap = 0;
    for (let i = 0; i < 3; i++) {
      pointA[i] = edgeA[i] + s * (edgeA[3 + i] - edgeA[i]);
      pointB[i] = edgeB[i] + t * (edgeB[3 + i] - edgeB[i]);
      gap += N[i] * (pointA[i] - pointB[i]);
    }
    cx[count] = pointA[0];
    cy[count] = pointA[1];
    cz[count] = pointA[2];
    cgap[count] = gap;
    cid[count] = idOf(2 * labelA, 2 * labelB + 1) ^ (end << 30);
    count++;
  }
}

const kept = new Int32Array(CONVEX_POINTS);

/** Candidates within the margin, four at most: the closest one, and those that spread farthest. All at the height n x. */
function choose(out: Manifold, height: number): void {
  const margin = PAIR[MARGIN];
  let n = 0;
  let closest = 0;
  for (let k = 0; k < count; k++) {
    if (!(cgap[k] <= margin)) continue;
    cx[n] = cx[k];
    cy[n] = cy[k];
    cz[n] = cz[k];
    cgap[n] = cgap[k];
    cid[n] = cid[k];
    // Of those equally close the first one, so that noise does not choose.
    if (cgap[n] < cgap[closest] - CLOSEST) closest = n;
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
