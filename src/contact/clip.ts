// From the normal to the points: the facing features of both shapes, clipped against each other along the normal.
//
// The reference is a polygon that faces the normal squarely; the feature of the other shape is cut by the planes through its
// edges along the normal, and each corner that remains is a contact. Its gap is measured along the normal between the two
// surfaces, its position lies on the supporting plane of the reference. Where no polygon faces the normal, two segments
// that are almost parallel touch along what they share, and everything else touches in a point.

import type { Collider } from './collider.js';
import { FACE_POINTS, Feature } from './feature.js';
import { featureToward } from './features.js';
import { CONVEX_POINTS, type Manifold } from './manifold.js';
import { edgeToward, radiusOf, support } from './support.js';
import { GAP, MARGIN, N, PAIR, REL } from './work.js';

/** Squared sine of the angle within which a polygon faces the normal squarely: 1.8 degrees. */
const SQUARE = 1e-3;
/** Squared sine: polygons that lean by less than 1e-8 do so alike. */
const ALIKE_LEAN = 1e-16;
/** Sine of the angle within which segments are parallel to each other, or across the normal. */
const PARALLEL = 0.03;
/** Relative to the smaller shape: a corner whose gap is larger than that of the pair by more is not the closest point. */
const REACHED = 1e-8;
/** Metres: of gaps that differ by less the first one counts as the least. */
const ALIKE = 1e-10;

/** Feature of the closest point where it is no corner of a polygon. */
export const WITNESS = 0x7ffffffe;

/** Sets the meeting of two edges off from the crossing of sides of polygons. */
const MEETING = 0x20000000;

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

/**
 * Writes the manifold of shapes with the normal N and the gap PAIR[GAP], frame of a. Gives whether features of both shapes
 * meet along the normal at that gap: where N is only known to separate, that proves it to be the normal.
 */
export function buildManifold(out: Manifold, a: Collider, b: Collider): boolean {
  featureOfA(a);
  featureOfB(b);
  count = 0;
  // The shape whose polygon faces the normal more squarely is the reference, the first one where both do alike.
  const leanA = lean(faceA);
  const leanB = lean(faceB);
  const reference = leanA > SQUARE && leanB > SQUARE ? 0 : leanA <= leanB + ALIKE_LEAN ? 1 : 2;
  if (reference === 0) {
    return meetingEdges(out, a, b);
  }
  clip(reference);
  if (faceA.disc + faceB.disc > 0 && !reaches(a, b)) {
    // Shapes that overlap a disc only beyond the sides of its octagon.
    towardOther(faceA, faceB);
    towardOther(faceB, faceA);
    count = 0;
    clip(reference);
  }
  closestPoints(a, b);
  setEdges(a, b);
  const meet = addMeeting(a, b, reference);
  // Everything on the supporting plane of the reference: n x = n x_A, or n x_B.
  const height = reference === 1 ? dot(N, pointA) : dot(N, pointB);
  choose(out, height);
  return meet;
}

/** Squared sine of the angle between the normal of a polygon and n; more than one where it is no polygon. */
function lean({ normal: m, count: corners }: Feature): number {
  if (corners < 3) return 2;
  const x = m[1] * N[2] - m[2] * N[1];
  const y = m[2] * N[0] - m[0] * N[2];
  const z = m[0] * N[1] - m[1] * N[0];
  return x * x + y * y + z * z;
}

/** The same of a shape a and a triangle b whose normal is N: only what of a stands over the triangle. */
export function clipOnFace(out: Manifold, a: Collider, b: Collider): void {
  featureOfA(a);
  featureOfB(b);
  closestPoints(a, b);
  count = 0;
  if (faceA.count > 1) clipAgainst(faceB, faceA, -1);
  // The farthest point itself: of a round shape, or between the corners that stand for a rim.
  if ((count === 0 || !reaches(a, b)) && isOver(faceB, pointA)) {
    cx[count] = pointA[0];
    cy[count] = pointA[1];
    cz[count] = pointA[2];
    cgap[count] = PAIR[GAP];
    cid[count] = WITNESS;
    count++;
  }
  choose(out, dot(N, pointB));
}

/** Whether a point stands over a polygon, seen along n; on its sides it does. */
function isOver({ points: q, count: sides }: Feature, p: Float64Array): boolean {
  for (let s = 0; s < sides; s++) {
    const t = s + 1 === sides ? 0 : s + 1;
    const ex = q[3 * t] - q[3 * s];
    const ey = q[3 * t + 1] - q[3 * s + 1];
    const ez = q[3 * t + 2] - q[3 * s + 2];
    const x = p[0] - q[3 * s];
    const y = p[1] - q[3 * s + 1];
    const z = p[2] - q[3 * s + 2];
    const inside = (ey * z - ez * y) * N[0] + (ez * x - ex * z) * N[1] + (ex * y - ey * x) * N[2];
    if (inside < -1e-12 * (ex * ex + ey * ey + ez * ez)) return false;
  }
  return true;
}

function clip(reference: number): void {
  if (reference === 1) clipAgainst(faceA, faceB, 1);
  else clipAgainst(faceB, faceA, -1);
}

/** Whether some candidate is as close as the gap says, up to rounding of the normal; the closest one then has that gap. */
function reaches(a: Collider, b: Collider): boolean {
  let k = 0;
  for (let l = 1; l < count; l++) if (cgap[l] < cgap[k]) k = l;
  if (count === 0 || !(cgap[k] <= PAIR[GAP] + REACHED * Math.min(a.reach, b.reach))) return false;
  cgap[k] = PAIR[GAP];
  return true;
}

const middle = new Float64Array(3);
const other = new Float64Array(3);

/** The polygon of a disc gets a corner on the rim towards the nearest point of the other feature, seen along n. */
function towardOther(face: Feature, feature: Feature): void {
  if (face.disc === 0 || face.count !== 8) return;
  meanOf(middle, face);
  if (feature.disc > 0) meanOf(other, feature);
  else nearestOf(feature);
  const { points, labels, normal, disc } = face;
  let x = other[0] - middle[0];
  let y = other[1] - middle[1];
  let z = other[2] - middle[2];
  const up = x * normal[0] + y * normal[1] + z * normal[2];
  x -= up * normal[0];
  y -= up * normal[1];
  z -= up * normal[2];
  const length = Math.sqrt(x * x + y * y + z * z);
  if (!(length > 1e-12 * disc)) return;
  const f = disc / length;
  // The corner before it: the last one from which it lies ahead, counter-clockwise.
  let at = 0;
  let most = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < 8; k++) {
    const l = k === 7 ? 0 : k + 1;
    // Middle of each side: the side that faces the direction is split.
    const mx = points[3 * k] + points[3 * l] - 2 * middle[0];
    const my = points[3 * k + 1] + points[3 * l + 1] - 2 * middle[1];
    const mz = points[3 * k + 2] + points[3 * l + 2] - 2 * middle[2];
    const facing = mx * x + my * y + mz * z;
    if (facing > most) {
      most = facing;
      at = k;
    }
  }
  for (let k = 8; k > at + 1; k--) {
    for (let i = 0; i < 3; i++) points[3 * k + i] = points[3 * (k - 1) + i];
    labels[k] = labels[k - 1];
  }
  points[3 * at + 3] = middle[0] + f * x;
  points[3 * at + 4] = middle[1] + f * y;
  points[3 * at + 5] = middle[2] + f * z;
  labels[at + 1] = labels[at] + 32;
  face.count = 9;
}

function meanOf(out: Float64Array, { points, count: n }: Feature): void {
  out[0] = out[1] = out[2] = 0;
  for (let k = 0; k < n; k++) for (let i = 0; i < 3; i++) out[i] += points[3 * k + i] / n;
}

/** other = the point of a feature nearest to `middle`, seen along n. */
function nearestOf({ points, count: n }: Feature): void {
  let best = Number.POSITIVE_INFINITY;
  let sides = 0;
  for (let k = 0; k < n; k++) {
    const l = k + 1 === n ? 0 : k + 1;
    let ux = points[3 * l] - points[3 * k];
    let uy = points[3 * l + 1] - points[3 * k + 1];
    let uz = points[3 * l + 2] - points[3 * k + 2];
    let x = middle[0] - points[3 * k];
    let y = middle[1] - points[3 * k + 1];
    let z = middle[2] - points[3 * k + 2];
    const rise = ux * N[0] + uy * N[1] + uz * N[2];
    ux -= rise * N[0];
    uy -= rise * N[1];
    uz -= rise * N[2];
    const up = x * N[0] + y * N[1] + z * N[2];
    x -= up * N[0];
    y -= up * N[1];
    z -= up * N[2];
    const uu = ux * ux + uy * uy + uz * uz;
    const t = uu > 0 ? Math.min(Math.max((x * ux + y * uy + z * uz) / uu, 0), 1) : 0;
    // Left or right of the side: inside of all means that the middle itself is in the polygon.
    const turn = (uy * z - uz * y) * N[0] + (uz * x - ux * z) * N[1] + (ux * y - uy * x) * N[2];
    sides += turn > 0 ? 1 : -1;
    x -= t * ux;
    y -= t * uy;
    z -= t * uz;
    const square = x * x + y * y + z * z;
    if (square < best) {
      best = square;
      other[0] = middle[0] - x;
      other[1] = middle[1] - y;
      other[2] = middle[2] - z;
    }
  }
  if (n > 2 && Math.abs(sides) === n) for (let i = 0; i < 3; i++) other[i] = middle[i];
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
  if (!reaches(a, b)) {
    cx[count] = pointB[0];
    cy[count] = pointB[1];
    cz[count] = cgap[count] = pointB[2];
    cid[count] = WITNESS;
    count++;
  }
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

let labelA = 0;
let labelB = 0;

/** edgeA, edgeB: the edges that lie most across the normal at the farthest points; a point where there is no edge. */
function setEdges(a: Collider, b: Collider): void {
  toward[0] = -N[0];
  toward[1] = -N[1];
  toward[2] = -N[2];
  labelA = edgeToward(edgeA, a, toward);
  for (let i = 0; i < 3; i++) toward[i] = REL[i] * N[0] + REL[3 + i] * N[1] + REL[6 + i] * N[2];
  labelB = edgeToward(edgeB, b, toward);
  const ra = radiusOf(a);
  const rb = radiusOf(b);
  for (let end = 0; end < 6; end += 3) {
    const x = edgeB[end];
    const y = edgeB[end + 1];
    const z = edgeB[end + 2];
    for (let i = 0; i < 3; i++) {
      edgeA[end + i] = labelA < 0 ? pointA[i] : edgeA[end + i] - ra * N[i];
      edgeB[end + i] =
        labelB < 0 ? pointB[i] : REL[9 + i] + REL[3 * i] * x + REL[3 * i + 1] * y + REL[3 * i + 2] * z + rb * N[i];
    }
  }
}

/**
 * pointA, pointB on the two edges so that pointA - pointB is as near to gap n as it can be; gives by how much it misses.
 * Closest points of two segments (Ericson, Real-Time Collision Detection, 5.1.9), one of them moved by the gap.
 */
function meetOnEdges(): number {
  const gap = PAIR[GAP];
  const ux = edgeA[3] - edgeA[0];
  const uy = edgeA[4] - edgeA[1];
  const uz = edgeA[5] - edgeA[2];
  const vx = edgeB[3] - edgeB[0];
  const vy = edgeB[4] - edgeB[1];
  const vz = edgeB[5] - edgeB[2];
  const rx = edgeA[0] - edgeB[0] - gap * N[0];
  const ry = edgeA[1] - edgeB[1] - gap * N[1];
  const rz = edgeA[2] - edgeB[2] - gap * N[2];
  const uu = ux * ux + uy * uy + uz * uz;
  const vv = vx * vx + vy * vy + vz * vz;
  const uv = ux * vx + uy * vy + uz * vz;
  const ur = ux * rx + uy * ry + uz * rz;
  const vr = vx * rx + vy * ry + vz * rz;
  let s = 0;
  if (uu > 0) {
    const det = uu * vv - uv * uv;
    s = det > 1e-14 * uu * vv ? Math.min(Math.max((uv * vr - ur * vv) / det, 0), 1) : 0;
  }
  let t = vv > 0 ? Math.min(Math.max((uv * s + vr) / vv, 0), 1) : 0;
  if (uu > 0) s = Math.min(Math.max((uv * t - ur) / uu, 0), 1);
  if (vv > 0) t = Math.min(Math.max((uv * s + vr) / vv, 0), 1);
  let miss = 0;
  for (let i = 0; i < 3; i++) {
    const x = edgeA[i] + s * (edgeA[3 + i] - edgeA[i]);
    const y = edgeB[i] + t * (edgeB[3 + i] - edgeB[i]);
    const m = x - y - gap * N[i];
    miss += m * m;
    onEdgeA[i] = x;
    onEdgeB[i] = y;
  }
  return Math.sqrt(miss);
}

const onEdgeA = new Float64Array(3);
const onEdgeB = new Float64Array(3);
/** Relative to the size of the pair: edges that miss each other by more than this do not meet. */
const MEET = 1e-9;

/** Segments, points: no polygon faces the normal. Points lie half way between the surfaces. Gives whether they meet. */
function meetingEdges(out: Manifold, a: Collider, b: Collider): boolean {
  const gap = PAIR[GAP];
  closestPoints(a, b);
  setEdges(a, b);
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
  if (acrossA && acrossB) {
    const wx = uy * vz - uz * vy;
    const wy = uz * vx - ux * vz;
    const wz = ux * vy - uy * vx;
    if (Math.abs(wx * N[0] + wy * N[1] + wz * N[2]) <= PARALLEL * uu * vv) overlap(ux, uy, uz, uu);
  }
  const meet = addMeeting(a, b, 0);
  // The height of the closest one.
  let k = 0;
  for (let l = 1; l < count; l++) if (cgap[l] < cgap[k]) k = l;
  const height = N[0] * cx[k] + N[1] * cy[k] + N[2] * cz[k];
  choose(out, height - gap / 2);
  return meet;
}

/**
 * The closest point itself, where no candidate is as close: on edges that meet, or a corner, a rim. Gives whether the features
 * meet there. The reference is a (1), b (2) or none (0); candidates of a reference lie on the other shape.
 */
function addMeeting(a: Collider, b: Collider, reference: number): boolean {
  const gap = PAIR[GAP];
  if (reaches(a, b)) return true;
  const miss = meetOnEdges();
  const size = Math.min(a.reach, b.reach) + Math.abs(gap);
  const meet = miss <= MEET * size;
  let apart = 1e-6 * size;
  if (reference === 0) {
    const x = pointA[0] - pointB[0] - gap * N[0];
    const y = pointA[1] - pointB[1] - gap * N[1];
    const z = pointA[2] - pointB[2] - gap * N[2];
    apart = Math.sqrt(x * x + y * y + z * z);
  }
  // The edges where they meet better than the farthest points do. Points of a reference lie on the other shape, else on a.
  const onEdges = miss <= apart;
  const p = reference === 1 ? (onEdges ? onEdgeB : pointB) : onEdges ? onEdgeA : pointA;
  cx[count] = p[0];
  cy[count] = p[1];
  cz[count] = p[2];
  cgap[count] = gap;
  cid[count] = onEdges && labelA >= 0 && labelB >= 0 ? idOf(2 * labelA, 2 * labelB + 1) ^ MEETING : WITNESS;
  count++;
  return meet;
}

/** Both ends of what two almost parallel segments share, seen along u. */
function overlap(ux: number, uy: number, uz: number, uu: number): void {
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
