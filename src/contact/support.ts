// The farthest point of a shape along a direction, and the edge there that lies most across it. Of spheres and capsules that
// is about the core: centre and straight part, without the radius.

import { BOX, CAPSULE, CONE, type Collider, CYLINDER, ELLIPSOID, HULL, SPHERE, TRIANGLE } from './collider.js';
import { farthestVertex } from './hull-support.js';

/** Radius of what is around the core of a shape. */
export function radiusOf({ kind, size }: Collider): number {
  return kind === SPHERE || kind === CAPSULE ? size[0] : 0;
}

/** out[o...] = the point of the core farthest along d, shape frame; gives the number of the vertex, 0 where there are none. */
export function support(out: Float64Array, o: number, { kind, size, hull }: Collider, d: Float64Array): number {
  switch (kind) {
    case CAPSULE: {
      const up = d[2] >= 0;
      out[o] = out[o + 1] = 0;
      out[o + 2] = up ? size[1] : -size[1];
      return up ? 1 : 0;
    }
    case BOX: {
      const x = d[0] >= 0;
      const y = d[1] >= 0;
      const z = d[2] >= 0;
      out[o] = x ? size[0] : -size[0];
      out[o + 1] = y ? size[1] : -size[1];
      out[o + 2] = z ? size[2] : -size[2];
      return (x ? 1 : 0) + (y ? 2 : 0) + (z ? 4 : 0);
    }
    case CYLINDER: {
      const xy = Math.sqrt(d[0] * d[0] + d[1] * d[1]);
      const s = xy > 0 ? size[0] / xy : 0;
      out[o] = s * d[0];
      out[o + 1] = s * d[1];
      out[o + 2] = d[2] >= 0 ? size[1] : -size[1];
      return 0;
    }
    case CONE: {
      const xy = Math.sqrt(d[0] * d[0] + d[1] * d[1]);
      // Tip h d_z, or rim r |d_xy| - h d_z.
      if (2 * size[1] * d[2] >= size[0] * xy) {
        out[o] = out[o + 1] = 0;
        out[o + 2] = size[1];
      } else {
        const s = xy > 0 ? size[0] / xy : 0;
        out[o] = s * d[0];
        out[o + 1] = s * d[1];
        out[o + 2] = -size[1];
      }
      return 0;
    }
    case ELLIPSOID: {
      const x = size[0] * d[0];
      const y = size[1] * d[1];
      const z = size[2] * d[2];
      const s = 1 / Math.sqrt(x * x + y * y + z * z);
      out[o] = s * x * size[0];
      out[o + 1] = s * y * size[1];
      out[o + 2] = s * z * size[2];
      return 0;
    }
    case HULL:
    case TRIANGLE: {
      const v = farthestVertex(hull!, d);
      const { points } = hull!;
      out[o] = points[3 * v];
      out[o + 1] = points[3 * v + 1];
      out[o + 2] = points[3 * v + 2];
      return v;
    }
    // Sphere; a plane has no farthest point, and none is asked for.
    default:
      out[o] = out[o + 1] = out[o + 2] = 0;
      return 0;
  }
}

const vertex = new Float64Array(3);

/** out = both ends of the edge at the farthest point that lies most across d; gives its label, -1 where there is no edge. */
export function edgeToward(out: Float64Array, shape: Collider, d: Float64Array): number {
  const { kind, size } = shape;
  switch (kind) {
    case CAPSULE:
      out[0] = out[1] = out[3] = out[4] = 0;
      out[2] = size[1];
      out[5] = -size[1];
      return 0;
    case CYLINDER:
    case CONE: {
      const xy = Math.sqrt(d[0] * d[0] + d[1] * d[1]);
      if (xy === 0) return -1;
      const s = size[0] / xy;
      out[3] = s * d[0];
      out[4] = s * d[1];
      out[5] = -size[1];
      out[0] = kind === CONE ? 0 : out[3];
      out[1] = kind === CONE ? 0 : out[4];
      out[2] = size[1];
      return 0;
    }
    case BOX: {
      const x = Math.abs(d[0]);
      const y = Math.abs(d[1]);
      const z = Math.abs(d[2]);
      const k = x <= y && x <= z ? 0 : y <= z ? 1 : 2;
      for (let i = 0; i < 3; i++) out[i] = out[3 + i] = d[i] >= 0 ? size[i] : -size[i];
      out[k] = size[k];
      out[3 + k] = -size[k];
      const p = k === 2 ? 0 : k + 1;
      const q = p === 2 ? 0 : p + 1;
      return 4 * k + (d[p] >= 0 ? 1 : 0) + (d[q] >= 0 ? 2 : 0);
    }
    case HULL:
    case TRIANGLE: {
      const { points, aroundStarts, around, dimension } = shape.hull!;
      if (dimension === 0) return -1;
      const v = support(vertex, 0, shape, d);
      let best = -1;
      let least = Number.POSITIVE_INFINITY;
      for (let k = aroundStarts[v]; k < aroundStarts[v + 1]; k++) {
        const w = around[k];
        const x = points[3 * w] - vertex[0];
        const y = points[3 * w + 1] - vertex[1];
        const z = points[3 * w + 2] - vertex[2];
        const rise = x * d[0] + y * d[1] + z * d[2];
        const across = (rise * rise) / (x * x + y * y + z * z);
        if (across < least) {
          best = w;
          least = across;
        }
      }
      // The lower vertex first, so that the edge is the same from both of its ends.
      const a = Math.min(v, best);
      const b = Math.max(v, best);
      for (let i = 0; i < 3; i++) {
        out[i] = points[3 * a + i];
        out[3 + i] = points[3 * b + i];
      }
      return (131 * a + b) & 0x3fff;
    }
    default:
      return -1;
  }
}
