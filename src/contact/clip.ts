// From the normal to the points: the facing features of both shapes, clipped against each other along the normal.
//
// The reference is a polygon that faces the normal squarely; the feature of the other shape is cut by the planes through its
// edges along the normal, and each corner that remains is a contact. Its gap is measured along the normal between the two
// surfaces, its position lies on the supporting plane of the reference. Where no polygon faces the normal, two segments
// that are almost parallel touch along what they share, and everything else touches in a point.

import { COUNT, cgap, choose, cid, cmiss, cx, cy, cz, idOf, reaches, WITNESS } from './candidates.js';
import { clipAgainst, isOver } from './clip-polygon.js';
import { BOX, CAPSULE, type Collider, SPHERE } from './collider.js';
import { towardOther } from './disc.js';
import { closestPoints, faceA, faceB, featureOfA, featureOfB, pointA, pointB } from './facing.js';
import type { Feature } from './feature.js';
import type { Manifold } from './manifold.js';
import { addMeeting, meetingEdges, setEdges } from './meeting.js';
import { GAP, MARGIN, N, PAIR } from './work.js';

/** Squared sine of the angle within which a polygon faces the normal squarely: 1.8 degrees. */
const SQUARE = 1e-3;
/** Squared sine: polygons that lean by less than 1e-8 do so alike. */
const ALIKE_LEAN = 1e-16;

/**
 * Writes the manifold of shapes with the normal N and the gap PAIR[GAP], frame of a. Gives whether features of both shapes
 * meet along the normal at that gap: where N is only known to separate, that proves it to be the normal.
 */
export function buildManifold(out: Manifold, a: Collider, b: Collider): boolean {
  featureOfA(a);
  featureOfB(b);
  COUNT[0] = 0;
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
    COUNT[0] = 0;
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
  COUNT[0] = 0;
  if (faceA.count > 1) clipAgainst(faceB, faceA, -1);
  // The farthest point itself: of a round shape, or between the corners that stand for a rim.
  if ((COUNT[0] === 0 || !reaches(a, b)) && isOver(faceB, pointA)) {
    cx[COUNT[0]] = pointA[0];
    cy[COUNT[0]] = pointA[1];
    cz[COUNT[0]] = pointA[2];
    cgap[COUNT[0]] = PAIR[GAP];
    cmiss[COUNT[0]] = 0;
    cid[COUNT[0]] = WITNESS;
    COUNT[0]++;
  }
  choose(out, dot(N, pointB));
}

/** The same of a plane a and a shape b: everything that faces the plane, on the plane. */
export function planeManifold(out: Manifold, a: Collider, b: Collider): void {
  N[0] = N[1] = 0;
  N[2] = -1;
  if (b.kind === SPHERE || b.kind === CAPSULE || b.kind === BOX) {
    cornersOnPlane(out, b);
    return;
  }
  closestPoints(a, b);
  PAIR[GAP] = pointB[2];
  if (!(pointB[2] <= PAIR[MARGIN])) return;
  featureOfB(b);
  const { points, labels, count: corners } = faceB;
  for (COUNT[0] = 0; COUNT[0] < corners; COUNT[0]++) {
    cx[COUNT[0]] = points[3 * COUNT[0]];
    cy[COUNT[0]] = points[3 * COUNT[0] + 1];
    cz[COUNT[0]] = cgap[COUNT[0]] = points[3 * COUNT[0] + 2];
    cmiss[COUNT[0]] = 0;
    cid[COUNT[0]] = idOf(
      labels[COUNT[0]],
      labels[corners < 3 ? COUNT[0] : COUNT[0] === 0 ? corners - 1 : COUNT[0] - 1],
    );
  }
  if (!reaches(a, b)) {
    cx[COUNT[0]] = pointB[0];
    cy[COUNT[0]] = pointB[1];
    cz[COUNT[0]] = cgap[COUNT[0]] = pointB[2];
    cmiss[COUNT[0]] = 0;
    cid[COUNT[0]] = WITNESS;
    COUNT[0]++;
  }
  choose(out, 0);
}

/** The same where nothing but the corners of what faces the plane can be closest to it, and there are four at most. */
function cornersOnPlane(out: Manifold, b: Collider): void {
  featureOfB(b);
  const margin = PAIR[MARGIN];
  const { position, normal, gap, feature } = out;
  const { points, labels, count } = faceB;
  for (let k = 0; k < count; k++) {
    const height = points[3 * k + 2];
    if (!(height <= margin)) continue;
    const c = out.count++;
    position[3 * c] = points[3 * k];
    position[3 * c + 1] = points[3 * k + 1];
    position[3 * c + 2] = 0;
    normal[3 * c] = normal[3 * c + 1] = 0;
    normal[3 * c + 2] = -1;
    gap[c] = height;
    feature[c] = idOf(labels[k], labels[count < 3 ? k : k === 0 ? count - 1 : k - 1]);
  }
}

function clip(reference: number): void {
  if (reference === 1) clipAgainst(faceA, faceB, 1);
  else clipAgainst(faceB, faceA, -1);
}

function dot(a: Float64Array, b: Float64Array): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
