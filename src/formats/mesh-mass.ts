// Mass properties of triangle meshes, for a density of one.
//
// With the origin as apex every triangle (D, E, F) is the base of a pyramid of signed volume V = D . (E x F) / 6. Its second
// moments are V / 20 (2 (D D^T + E E^T + F F^T) + D E^T + E D^T + ...), those of a triangle of area A as a shell A / 12 of the
// same. Over a closed surface that looks outwards the signed sums are those of the body.

import type { MeshData } from '../mechanism/mechanism.js';
import type { Mat3, Vec3 } from '../spatial/matrix3.js';

/**
 * exact: what the surface encloses. legacy: pyramids over the mean of the surface, all counted as positive, as MuJoCo does
 * unless told otherwise; too heavy where the mesh is not star-shaped. shell: the surface alone. convex: what the convex
 * hull encloses; give that as the mesh.
 */
export type MeshInertiaMode = 'exact' | 'legacy' | 'shell' | 'convex';

/** Volume, centre of mass and inertia of a mesh of density one. */
export interface MeshMass {
  /** Volume; the surface's area for shells. */
  readonly volume: number;
  readonly com: Vec3;
  /** About the centre of mass, for a density of one. */
  readonly inertia: Mat3;
}

/** Edges with one face only, and edges whose faces look to different sides. */
export interface SurfaceFaults {
  readonly open: number;
  readonly turned: number;
}

/** Volume, centre of mass and inertia of a mesh, by one of MJCF's ways to fill it. */
export function meshMass({ points, triangles }: MeshData, mode: MeshInertiaMode): MeshMass {
  const middle = surfaceMiddle(points, triangles);
  const first = sums(points, triangles, middle.point, mode);
  const com = first.volume !== 0 ? first.com : middle.point;
  const { volume, P } = sums(points, triangles, com, mode);
  const [xx, yy, zz, xy, xz, yz] = P;
  return { volume, com, inertia: [yy + zz, -xy, -xz, -xy, xx + zz, -yz, -xz, -yz, xx + yy] };
}

/** The mean of the triangles' centres, weighted with their areas. */
function surfaceMiddle(points: Float64Array, triangles: Uint32Array): { point: Vec3; area: number } {
  const sum = [0, 0, 0];
  let total = 0;
  const cross = new Float64Array(3);
  for (let f = 0; f < triangles.length; f += 3) {
    const area = doubleArea(cross, points, triangles, f) / 2;
    for (let k = 0; k < 3; k++)
      sum[k] +=
        (area * (points[3 * triangles[f] + k] + points[3 * triangles[f + 1] + k] + points[3 * triangles[f + 2] + k])) /
        3;
    total += area;
  }
  const scale = total > 0 ? 1 / total : 0;
  return { point: [sum[0] * scale, sum[1] * scale, sum[2] * scale], area: total };
}

/** Twice the area of a triangle, and its normal of that length. */
function doubleArea(out: Float64Array, points: Float64Array, triangles: Uint32Array, f: number): number {
  const a = 3 * triangles[f];
  const b = 3 * triangles[f + 1];
  const c = 3 * triangles[f + 2];
  const ux = points[b] - points[a];
  const uy = points[b + 1] - points[a + 1];
  const uz = points[b + 2] - points[a + 2];
  const vx = points[c] - points[a];
  const vy = points[c + 1] - points[a + 1];
  const vz = points[c + 2] - points[a + 2];
  out[0] = uy * vz - uz * vy;
  out[1] = uz * vx - ux * vz;
  out[2] = ux * vy - uy * vx;
  return Math.sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
}

/** Volume, centre of mass and second moments (xx, yy, zz, xy, xz, yz) of all pyramids with the given apex. */
function sums(
  points: Float64Array,
  triangles: Uint32Array,
  [ox, oy, oz]: Vec3,
  mode: MeshInertiaMode,
): { volume: number; com: Vec3; P: readonly number[] } {
  let [xx, yy, zz, xy, xz, yz] = [0, 0, 0, 0, 0, 0];
  let [mx, my, mz, total] = [0, 0, 0, 0];
  const normal = new Float64Array(3);
  const shell = mode === 'shell';
  for (let f = 0; f < triangles.length; f += 3) {
    const area = doubleArea(normal, points, triangles, f) / 2;
    const a = 3 * triangles[f];
    const b = 3 * triangles[f + 1];
    const c = 3 * triangles[f + 2];
    const ax = points[a] - ox;
    const ay = points[a + 1] - oy;
    const az = points[a + 2] - oz;
    const bx = points[b] - ox;
    const by = points[b + 1] - oy;
    const bz = points[b + 2] - oz;
    const cx = points[c] - ox;
    const cy = points[c + 1] - oy;
    const cz = points[c + 2] - oz;
    const sx = ax + bx + cx;
    const sy = ay + by + cy;
    const sz = az + bz + cz;
    // The height of the pyramid is that of its centre, as of any point of the triangle, along the normal.
    const signed = (sx * normal[0] + sy * normal[1] + sz * normal[2]) / 18;
    const volume = shell ? area : mode === 'legacy' ? Math.abs(signed) : signed;
    total += volume;
    // A pyramid's centre is a quarter of the way from its base to the apex. A shell's apex is its own centre already.
    mx += (volume * sx) / 4;
    my += (volume * sy) / 4;
    mz += (volume * sz) / 4;
    const weight = volume / (shell ? 12 : 20);
    xx += weight * (ax * ax + bx * bx + cx * cx + sx * sx);
    yy += weight * (ay * ay + by * by + cy * cy + sy * sy);
    zz += weight * (az * az + bz * bz + cz * cz + sz * sz);
    xy += weight * (ax * ay + bx * by + cx * cy + sx * sy);
    xz += weight * (ax * az + bx * bz + cx * cz + sx * sz);
    yz += weight * (ay * az + by * bz + cy * cz + sy * sz);
  }
  const scale = total !== 0 ? 1 / total : 0;
  return { volume: total, com: [ox + mx * scale, oy + my * scale, oz + mz * scale], P: [xx, yy, zz, xy, xz, yz] };
}

/**
 * Edges that one triangle only has, and edges that two triangles run through in the same direction. A hash table over
 * directed edges, since these lists are long: an edge is open where its opposite is not there.
 */
export function surfaceFaults({ triangles }: MeshData): SurfaceFaults {
  let size = 16;
  while (size < 2 * triangles.length) size *= 2;
  const starts = new Int32Array(size).fill(-1);
  const ends = new Int32Array(size);
  const slotOf = (from: number, to: number): number => {
    let slot = Math.imul(from, 73856093) ^ Math.imul(to, 19349663);
    slot = (slot ^ (slot >>> 15)) & (size - 1);
    while (starts[slot] !== -1 && (starts[slot] !== from || ends[slot] !== to)) slot = (slot + 1) & (size - 1);
    return slot;
  };
  let turned = 0;
  for (let f = 0; f < triangles.length; f += 3) {
    const [a, b, c] = [triangles[f], triangles[f + 1], triangles[f + 2]];
    // A triangle without area, which has no sides.
    if (a === b || b === c || c === a) continue;
    for (let k = 0; k < 3; k++) {
      const from = triangles[f + k];
      const to = triangles[f + ((k + 1) % 3)];
      const slot = slotOf(from, to);
      if (starts[slot] !== -1) turned++;
      starts[slot] = from;
      ends[slot] = to;
    }
  }
  let open = 0;
  for (let slot = 0; slot < size; slot++)
    if (starts[slot] !== -1 && starts[slotOf(ends[slot], starts[slot])] === -1) open++;
  return { open, turned };
}
