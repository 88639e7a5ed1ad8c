// What of both shapes faces the other along the normal N: polygons, segments or points, and the farthest points. Frame of a.

import type { Collider } from './collider.js';
import { Feature } from './feature.js';
import { featureToward } from './features.js';
import { radiusOf, support } from './support.js';
import { N, REL } from './work.js';

export const faceA = new Feature();
export const faceB = new Feature();
/** Farthest points along the normal. */
export const pointA = new Float64Array(3);
export const pointB = new Float64Array(3);
const toward = new Float64Array(3);

/** What of a faces b, its radius included; of a polygon or segment the labels get the side of the pair as their last bit. */
export function featureOfA(a: Collider): void {
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

export function featureOfB(b: Collider): void {
  for (let i = 0; i < 3; i++) toward[i] = REL[i] * N[0] + REL[3 + i] * N[1] + REL[6 + i] * N[2];
  featureToward(faceB, b, toward);
  const r = radiusOf(b);
  const { points, labels, normal, centre } = faceB;
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
  const cx = centre[0];
  const cy = centre[1];
  const cz = centre[2];
  for (let i = 0; i < 3; i++) centre[i] = REL[9 + i] + REL[3 * i] * cx + REL[3 * i + 1] * cy + REL[3 * i + 2] * cz;
}

/** Farthest points of both shapes along the normal: pointA, pointB. */
export function closestPoints(a: Collider, b: Collider): void {
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
