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
  const [a, b, c] = [3 * triangles[f], 3 * triangles[f + 1], 3 * triangles[f + 2]];
  const ux = points[b] - points[a];
  const uy = points[b + 1] - points[a + 1];
  const uz = points[b + 2] - points[a + 2];
  const vx = points[c] - points[a];
  const vy = points[c + 1] - points[a + 1];
  const vz = points[c + 2] - points[a + 2];
  out[0] = uy * vz - uz * vy;
  out[1] = uz * vx - ux * vz;
  out[2] = ux * vy - uy * vx;
  return Math.hypot(out[0], out[1], out[2]);
}

/** Volume, centre of mass and second moments (xx, yy, zz, xy, xz, yz) of all pyramids with the given apex. */
function sums(
  points: Float64Array,
  triangles: Uint32Array,
  apex: Vec3,
  mode: MeshInertiaMode,
): { volume: number; com: Vec3; P: Float64Array } {
  const P = new Float64Array(6);
  const first = [0, 0, 0];
  const corner = new Float64Array(9);
  const normal = new Float64Array(3);
  let total = 0;
  const shell = mode === 'shell';
  for (let f = 0; f < triangles.length; f += 3) {
    const area = doubleArea(normal, points, triangles, f) / 2;
    for (let c = 0; c < 3; c++)
      for (let k = 0; k < 3; k++) corner[3 * c + k] = points[3 * triangles[f + c] + k] - apex[k];
    // The height of the pyramid is that of its centre, as of any point of the triangle, along the normal.
    const signed =
      ((corner[0] + corner[3] + corner[6]) * normal[0] +
        (corner[1] + corner[4] + corner[7]) * normal[1] +
        (corner[2] + corner[5] + corner[8]) * normal[2]) /
      18;
    const volume = shell ? area : mode === 'legacy' ? Math.abs(signed) : signed;
    total += volume;
    // A pyramid's centre is a quarter of the way from its base to the apex. A shell's apex is its own centre already.
    for (let k = 0; k < 3; k++) first[k] += (volume * (corner[k] + corner[3 + k] + corner[6 + k])) / 4;
    const weight = volume / (shell ? 12 : 20);
    for (let j = 0; j < 6; j++) {
      const [r, s] = PAIRS[j];
      const sumR = corner[r] + corner[3 + r] + corner[6 + r];
      const sumS = corner[s] + corner[3 + s] + corner[6 + s];
      P[j] +=
        weight * (corner[r] * corner[s] + corner[3 + r] * corner[3 + s] + corner[6 + r] * corner[6 + s] + sumR * sumS);
    }
  }
  const scale = total !== 0 ? 1 / total : 0;
  const com: Vec3 = [apex[0] + first[0] * scale, apex[1] + first[1] * scale, apex[2] + first[2] * scale];
  return { volume: total, com, P };
}

const PAIRS = [
  [0, 0],
  [1, 1],
  [2, 2],
  [0, 1],
  [0, 2],
  [1, 2],
] as const;

/** Edges that one triangle only has, and edges that two triangles run through in the same direction. */
export function surfaceFaults({ points, triangles }: MeshData): { open: number; turned: number } {
  const count = points.length / 3;
  const edges = new Map<number, number>();
  let turned = 0;
  for (let f = 0; f < triangles.length; f += 3) {
    for (let k = 0; k < 3; k++) {
      const [from, to] = [triangles[f + k], triangles[f + ((k + 1) % 3)]];
      if (from === to) continue;
      const key = from * count + to;
      const seen = edges.get(key) ?? 0;
      if (seen > 0) turned++;
      edges.set(key, seen + 1);
    }
  }
  let open = 0;
  for (const key of edges.keys()) if (!edges.has((key % count) * count + Math.floor(key / count))) open++;
  return { open, turned };
}
