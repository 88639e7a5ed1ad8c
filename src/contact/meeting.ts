// Where edges, corners and rims meet: the closest point of shapes of which no polygons face each other there.

import { COUNT, cgap, choose, cid, cmiss, cx, cy, cz, idOf, reaches, WITNESS } from './candidates.js';
import type { Collider } from './collider.js';
import { moveOnDisc } from './disc.js';
import { closestPoints, faceA, faceB, pointA, pointB } from './facing.js';
import type { Manifold } from './manifold.js';
import { edgeToward, radiusOf } from './support.js';
import { GAP, N, PAIR, REL } from './work.js';

/** Sine of the angle within which segments are parallel to each other, or across the normal. */
const PARALLEL = 0.03;
/** Relative to the size of the pair: edges that miss each other by more than this do not meet. */
const MEET = 1e-9;
/** Sets the meeting of two edges off from the crossing of sides of polygons. */
const MEETING = 0x20000000;

const toward = new Float64Array(3);
const edgeA = new Float64Array(6);
const edgeB = new Float64Array(6);
const onEdgeA = new Float64Array(3);
const onEdgeB = new Float64Array(3);
/** Where an edge comes nearest to the farthest point of the other shape. */
const alongA = new Float64Array(3);
const alongB = new Float64Array(3);
let labelA = 0;
let labelB = 0;

/** Segments, points: no polygon faces the normal. Points lie half way between the surfaces. Gives whether they meet. */
export function meetingEdges(out: Manifold, a: Collider, b: Collider): boolean {
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
  for (let l = 1; l < COUNT[0]; l++) if (cgap[l] < cgap[k]) k = l;
  const height = N[0] * cx[k] + N[1] * cy[k] + N[2] * cz[k];
  choose(out, height - gap / 2);
  return meet;
}

/**
 * The closest point itself, where no candidate is as close: on edges that meet, or a corner, a rim. Gives whether the features
 * meet there. The reference is a (1), b (2) or none (0); candidates of a reference lie on the other shape.
 */
export function addMeeting(a: Collider, b: Collider, reference: number): boolean {
  const gap = PAIR[GAP];
  if (reaches(a, b)) return true;
  const size = Math.min(a.reach, b.reach) + Math.abs(gap);
  let least = meetOnEdges();
  let [p, q] = [onEdgeA, onEdgeB];
  let onEdges = true;
  // A corner or a rim of one shape and an edge of the other.
  const cornerB = onEdge(alongA, edgeA, pointB, gap);
  if (cornerB < 0.5 * least) {
    least = cornerB;
    p = alongA;
    q = pointB;
    onEdges = false;
  }
  const cornerA = onEdge(alongB, edgeB, pointA, -gap);
  if (cornerA < 0.5 * least) {
    least = cornerA;
    p = pointA;
    q = alongB;
    onEdges = false;
  }
  const meet = least <= MEET * size;
  // The farthest points of both; those of a shape that faces the normal with a polygon are anywhere on it.
  const farthest = reference === 0 ? missOf(pointA, pointB, gap) : 1e-6 * size;
  if (farthest < least) {
    p = pointA;
    q = pointB;
    onEdges = false;
  }
  // It comes first, and no other is closer. Points of a reference lie on the other shape, else on a.
  const n = COUNT[0]++;
  for (let k = 0; k < n; k++) cgap[k] = Math.max(cgap[k], gap);
  cx[n] = cx[0];
  cy[n] = cy[0];
  cz[n] = cz[0];
  cgap[n] = cgap[0];
  cmiss[n] = cmiss[0];
  cid[n] = cid[0];
  const at = reference === 1 ? q : p;
  if (reference > 0) moveOnDisc(at, reference === 1 ? faceA : faceB);
  cx[0] = at[0];
  cy[0] = at[1];
  cz[0] = at[2];
  cgap[0] = gap;
  cmiss[0] = 0;
  cid[0] = onEdges && labelA >= 0 && labelB >= 0 ? idOf(2 * labelA, 2 * labelB + 1) ^ MEETING : WITNESS;
  return meet;
}

/** How far p - q is from gap n. */
function missOf(p: Float64Array, q: Float64Array, gap: number): number {
  const x = p[0] - q[0] - gap * N[0];
  const y = p[1] - q[1] - gap * N[1];
  const z = p[2] - q[2] - gap * N[2];
  return Math.sqrt(x * x + y * y + z * z);
}

/** out <- the point of an edge nearest to p + shift n; gives how far that is. */
function onEdge(out: Float64Array, edge: Float64Array, p: Float64Array, shift: number): number {
  const ux = edge[3] - edge[0];
  const uy = edge[4] - edge[1];
  const uz = edge[5] - edge[2];
  const uu = ux * ux + uy * uy + uz * uz;
  const x = p[0] + shift * N[0] - edge[0];
  const y = p[1] + shift * N[1] - edge[1];
  const z = p[2] + shift * N[2] - edge[2];
  const s = uu > 0 ? Math.min(Math.max((x * ux + y * uy + z * uz) / uu, 0), 1) : 0;
  out[0] = edge[0] + s * ux;
  out[1] = edge[1] + s * uy;
  out[2] = edge[2] + s * uz;
  const a = x - s * ux;
  const b = y - s * uy;
  const c = z - s * uz;
  return Math.sqrt(a * a + b * b + c * c);
}

/** edgeA, edgeB: the edges that lie most across the normal at the farthest points; a point where there is no edge. */
export function setEdges(a: Collider, b: Collider): void {
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
    const mx = pointA[0] - pointB[0] - gap * N[0];
    const my = pointA[1] - pointB[1] - gap * N[1];
    const mz = pointA[2] - pointB[2] - gap * N[2];
    cx[COUNT[0]] = pointA[0];
    cy[COUNT[0]] = pointA[1];
    cz[COUNT[0]] = pointA[2];
    cgap[COUNT[0]] = gap;
    cmiss[COUNT[0]] = Math.sqrt(mx * mx + my * my + mz * mz);
    cid[COUNT[0]] = idOf(2 * labelA, 2 * labelB + 1) ^ (end << 30);
    COUNT[0]++;
  }
}
