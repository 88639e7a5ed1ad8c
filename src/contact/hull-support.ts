// Farthest vertex and facing polygon of a hull.

import { FACE_POINTS, type Feature } from './feature.js';
import type { Hull } from './hull.js';

/** Hulls of more vertices are climbed along their edges, smaller ones are searched. */
const SEARCHED = 40;

/** The vertex farthest along d, the first one where several are. */
export function farthestVertex({ points, aroundStarts, around, dimension }: Hull, d: Float64Array): number {
  const x = d[0];
  const y = d[1];
  const z = d[2];
  const count = points.length / 3;
  let best = 0;
  let most = points[0] * x + points[1] * y + points[2] * z;
  // Climbing ends at the farthest vertex, since a polyhedron has no other peak.
  if (count > SEARCHED && dimension === 3) {
    for (let moved = true; moved; ) {
      moved = false;
      const end = aroundStarts[best + 1];
      for (let k = aroundStarts[best]; k < end; k++) {
        const v = around[k];
        const height = points[3 * v] * x + points[3 * v + 1] * y + points[3 * v + 2] * z;
        if (height > most) {
          best = v;
          most = height;
          moved = true;
        }
      }
    }
    return best;
  }
  for (let v = 1; v < count; v++) {
    const height = points[3 * v] * x + points[3 * v + 1] * y + points[3 * v + 2] * z;
    if (height > most) {
      best = v;
      most = height;
    }
  }
  return best;
}

/** Among the faces at the vertex farthest along d, the one that faces d most; where there are no faces, the segment or point. */
export function faceToward(out: Feature, hull: Hull, d: Float64Array): void {
  const { points, starts, corners, edges, normals, fanStarts, fan, dimension } = hull;
  const { points: to, labels, normal } = out;
  if (dimension < 2) {
    out.count = dimension + 1;
    for (let k = 0; k < 3 * out.count; k++) to[k] = points[k];
    labels[0] = 0;
    labels[1] = 1;
    return;
  }
  const vertex = farthestVertex(hull, d);
  let best = fan[fanStarts[vertex]];
  let most = Number.NEGATIVE_INFINITY;
  for (let k = fanStarts[vertex]; k < fanStarts[vertex + 1]; k++) {
    const f = fan[k];
    const facing = normals[3 * f] * d[0] + normals[3 * f + 1] * d[1] + normals[3 * f + 2] * d[2];
    if (facing > most) {
      best = f;
      most = facing;
    }
  }
  const start = starts[best];
  const count = starts[best + 1] - start;
  const step = Math.ceil(count / FACE_POINTS);
  out.count = 0;
  for (let k = 0; k < count; k += step) {
    const v = corners[start + k];
    const at = 3 * out.count;
    to[at] = points[3 * v];
    to[at + 1] = points[3 * v + 1];
    to[at + 2] = points[3 * v + 2];
    labels[out.count] = edges[start + k] & 0x3fff;
    out.count++;
  }
  for (let i = 0; i < 3; i++) normal[i] = normals[3 * best + i];
}
