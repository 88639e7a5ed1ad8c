// Boxes along the axes of the ground that hold a shape.

import { BOX, CAPSULE, CONE, type Collider, CYLINDER, ELLIPSOID, SPHERE } from './collider.js';

/** out[o...] = least x, y, z, then most, of a shape at pose X[ox...] (ground to shape), each side `margin` farther out. */
export function boundsOf(
  out: Float64Array,
  o: number,
  { kind, size, box }: Collider,
  X: Float64Array,
  ox: number,
  margin: number,
): void {
  for (let i = 0; i < 3; i++) {
    // Row i of the rotation shape to ground.
    const x = X[ox + i];
    const y = X[ox + 3 + i];
    const z = X[ox + 6 + i];
    let middle = X[ox + 9 + i];
    let half: number;
    switch (kind) {
      case SPHERE:
        half = size[0];
        break;
      case CAPSULE:
        half = Math.abs(z) * size[1] + size[0];
        break;
      case BOX:
        half = Math.abs(x) * size[0] + Math.abs(y) * size[1] + Math.abs(z) * size[2];
        break;
      case CYLINDER:
      case CONE:
        half = Math.abs(z) * size[1] + size[0] * Math.sqrt(x * x + y * y);
        break;
      case ELLIPSOID: {
        const a = x * size[0];
        const b = y * size[1];
        const c = z * size[2];
        half = Math.sqrt(a * a + b * b + c * c);
        break;
      }
      default:
        // Hulls, meshes, height fields: the box along their own axes. Planes: everything.
        middle += x * box[0] + y * box[1] + z * box[2];
        half = Math.abs(x) * box[3] + Math.abs(y) * box[4] + Math.abs(z) * box[5];
        if (!(half < Number.POSITIVE_INFINITY)) half = Number.POSITIVE_INFINITY;
    }
    out[o + i] = middle - half - margin;
    out[o + 3 + i] = middle + half + margin;
  }
}
