// The part of a shape that faces a direction: a polygon, a segment or a point, with labels that name it from step to step.

import { BOX, CAPSULE, CONE, type Collider, CYLINDER, ELLIPSOID, HULL, SPHERE, TRIANGLE } from './collider.js';
import type { Feature } from './feature.js';
import { faceToward } from './hull-support.js';

/** Labels of ends of segments and of points, beyond those of edges. */
const END = 0x3ff0;

/** Corners of a cap, in units of its radius: an octagon with one corner on x, whatever the angle about the axis is. */
const OCTAGON = Float64Array.of(1, 0, Math.SQRT1_2, Math.SQRT1_2, 0, 1, -Math.SQRT1_2, Math.SQRT1_2);

/** Cosine of the angle to the axis of a cylinder or cone within which its cap is what faces a direction. */
const CAP = 0.8;

/** Feature of the shape (core without the radius of spheres and capsules) that faces `d`, shape frame; d of any length. */
export function featureToward(out: Feature, shape: Collider, d: Float64Array): void {
  const { kind, size } = shape;
  const { points, labels } = out;
  out.disc = 0;
  switch (kind) {
    case SPHERE:
      points[0] = points[1] = points[2] = 0;
      labels[0] = END;
      out.count = 1;
      return;
    case CAPSULE:
      segment(out, 0, 0, size[1], 0, 0, -size[1]);
      return;
    case BOX:
      boxFace(out, size, d);
      return;
    case CYLINDER:
    case CONE:
      roundFeature(out, kind === CONE, size, d);
      return;
    case ELLIPSOID: {
      const x = size[0] * d[0];
      const y = size[1] * d[1];
      const z = size[2] * d[2];
      const s = 1 / Math.sqrt(x * x + y * y + z * z);
      points[0] = s * x * size[0];
      points[1] = s * y * size[1];
      points[2] = s * z * size[2];
      labels[0] = END;
      out.count = 1;
      return;
    }
    case HULL:
    case TRIANGLE:
      faceToward(out, shape.hull!, d);
  }
}

function segment(out: Feature, ax: number, ay: number, az: number, bx: number, by: number, bz: number): void {
  const { points, labels } = out;
  points[0] = ax;
  points[1] = ay;
  points[2] = az;
  points[3] = bx;
  points[4] = by;
  points[5] = bz;
  labels[0] = END;
  labels[1] = END + 1;
  out.count = 2;
}

/** Edge of a box along axis d, on the sides p and q (0 or 1) of the next two axes. */
function boxEdge(d: number, p: number, q: number): number {
  return 4 * d + p + 2 * q;
}

function boxFace(out: Feature, size: Float64Array, d: Float64Array): void {
  const { points, labels, normal } = out;
  const x = Math.abs(d[0]);
  const y = Math.abs(d[1]);
  const z = Math.abs(d[2]);
  const k = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
  const u = k === 2 ? 0 : k + 1;
  const v = u === 2 ? 0 : u + 1;
  const up = d[k] >= 0 ? 1 : 0;
  const height = up === 1 ? size[k] : -size[k];
  normal[0] = normal[1] = normal[2] = 0;
  normal[k] = up === 1 ? 1 : -1;
  // Corners (+u +v), (-u +v), (-u -v), (+u -v): counter-clockwise about +k; for -k the other way round.
  for (let c = 0; c < 4; c++) {
    const at = 3 * (up === 1 ? c : 3 - c);
    points[at + k] = height;
    points[at + u] = c === 0 || c === 3 ? size[u] : -size[u];
    points[at + v] = c < 2 ? size[v] : -size[v];
  }
  // Sides v+, u-, v-, u+ of the face, from corner 0 on; backwards from corner 0 (+u -v) to (-u -v): v-, u-, v+, u+.
  labels[0] = boxEdge(u, up === 1 ? 1 : 0, up);
  labels[1] = boxEdge(v, up, 0);
  labels[2] = boxEdge(u, up === 1 ? 0 : 1, up);
  labels[3] = boxEdge(v, up, 1);
  out.count = 4;
}

/** Caps are octagons, sides are segments: a generatrix. */
function roundFeature(out: Feature, cone: boolean, size: Float64Array, d: Float64Array): void {
  const r = size[0];
  const h = size[1];
  const xy = Math.sqrt(d[0] * d[0] + d[1] * d[1]);
  const { points, labels, normal } = out;
  const limit = CAP * Math.sqrt(xy * xy + d[2] * d[2]);
  // A cone has a cap below only, and above its side faces a direction that leans towards the tip.
  if (d[2] < -limit || (d[2] > limit && !cone)) {
    const up = d[2] > 0;
    normal[0] = normal[1] = 0;
    normal[2] = up ? 1 : -1;
    for (let c = 0; c < 8; c++) {
      const at = 3 * (up ? c : 7 - c);
      const s = c < 4 ? r : -r;
      points[at] = s * OCTAGON[2 * (c & 3)];
      points[at + 1] = s * OCTAGON[2 * (c & 3) + 1];
      points[at + 2] = up ? h : -h;
      labels[c] = (up ? 8 : 0) + c;
    }
    out.count = 8;
    out.disc = r;
    out.centre[0] = out.centre[1] = 0;
    out.centre[2] = up ? h : -h;
    return;
  }
  const ux = xy > 0 ? d[0] / xy : 1;
  const uy = xy > 0 ? d[1] / xy : 0;
  if (cone) segment(out, 0, 0, h, r * ux, r * uy, -h);
  else segment(out, r * ux, r * uy, h, r * ux, r * uy, -h);
}
