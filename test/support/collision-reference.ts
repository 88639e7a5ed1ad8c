// Collision of convex shapes, slow and simple, to check the fast one with: shares no code with it. Shapes are given by their
// support function and by how far a point is outside of them; a pair by the separation s(n) along a direction, whose largest
// value over the sphere is the gap. For polyhedra the directions that matter can be listed; for all shapes branch and bound
// over the sphere finds the largest one with a proof.

import type { Geometry } from '../../src/mechanism/mechanism.js';
import {
  add,
  apply,
  cross,
  dot,
  type Mat3,
  norm,
  scale,
  subtract,
  transpose,
  type Vec3,
} from '../../src/spatial/matrix3.js';

export interface Placed {
  /** Of vectors, shape to ground. */
  readonly R: Mat3;
  readonly t: Vec3;
}

/** A convex shape in ground coordinates. */
export interface Solid {
  /** The point farthest along d. */
  support(d: Vec3): Vec3;
  /** How far a point is outside; below zero inside. Not more than the distance. */
  outside(x: Vec3): number;
  /** Corners, normals of faces and directions of edges of its core, where it has nothing else. */
  readonly polytope: Polytope | undefined;
  readonly centre: Vec3;
  readonly reach: number;
}

export interface Polytope {
  readonly corners: readonly Vec3[];
  readonly normals: readonly Vec3[];
  readonly edges: readonly Vec3[];
  /** Around the core. */
  readonly radius: number;
}

const unit = (v: Vec3): Vec3 => scale(1 / norm(v), v);
const AXES: readonly Vec3[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/** Planes with all points on one side: every triple is tried. */
export function planesOf(points: readonly Vec3[]): { normal: Vec3; offset: number }[] {
  const size = Math.max(...points.map((p) => norm(subtract(p, points[0]))));
  const planes: { normal: Vec3; offset: number }[] = [];
  for (let i = 0; i < points.length; i++)
    for (let j = i + 1; j < points.length; j++)
      for (let k = j + 1; k < points.length; k++) {
        const n = cross(subtract(points[j], points[i]), subtract(points[k], points[i]));
        if (norm(n) < 1e-9 * size * size) continue;
        for (const normal of [unit(n), scale(-1, unit(n))]) {
          const offset = dot(normal, points[i]);
          if (points.some((p) => dot(normal, p) > offset + 1e-9 * size)) continue;
          if (!planes.some((plane) => dot(plane.normal, normal) > 1 - 1e-12)) planes.push({ normal, offset });
        }
      }
  return planes;
}

function polytopeOf(corners: readonly Vec3[], normals: readonly Vec3[], radius: number): Polytope {
  const edges: Vec3[] = [];
  for (let i = 0; i < normals.length; i++)
    for (let j = i + 1; j < normals.length; j++) {
      const e = cross(normals[i], normals[j]);
      if (norm(e) > 1e-9 && !edges.some((other) => Math.abs(dot(other, unit(e))) > 1 - 1e-12)) edges.push(unit(e));
    }
  return { corners, normals, edges, radius };
}

/** The solid of a geometry at a place. Planes, meshes and height fields are none. */
export function solid(geometry: Geometry, { R, t }: Placed): Solid {
  const back = transpose(R);
  const local = (x: Vec3): Vec3 => apply(back, subtract(x, t));
  const placed = (x: Vec3): Vec3 => add(t, apply(R, x));
  const of = (
    reach: number,
    support: (d: Vec3) => Vec3,
    outside: (x: Vec3) => number,
    polytope?: { corners: Vec3[]; normals: Vec3[]; edges?: Vec3[]; radius?: number },
  ): Solid => ({
    reach,
    centre: t,
    support: (d) => placed(support(apply(back, d))),
    outside: (x) => outside(local(x)),
    polytope: polytope && {
      ...polytopeOf(
        polytope.corners.map(placed),
        polytope.normals.map((n) => apply(R, n)),
        polytope.radius ?? 0,
      ),
      ...(polytope.edges && { edges: polytope.edges.map((e) => apply(R, e)) }),
    },
  });
  switch (geometry.kind) {
    case 'sphere': {
      const { radius: r } = geometry;
      const core = { corners: [[0, 0, 0] as Vec3], normals: [], radius: r };
      return of(
        r,
        (d) => scale(r, unit(d)),
        (x) => norm(x) - r,
        core,
      );
    }
    case 'capsule': {
      const { radius: r, length } = geometry;
      const h = length / 2;
      const ends: Vec3[] = [
        [0, 0, h],
        [0, 0, -h],
      ];
      return of(
        r + h,
        (d) => add(scale(r, unit(d)), ends[d[2] > 0 ? 0 : 1]),
        ([x, y, z]) => Math.hypot(x, y, Math.max(0, Math.abs(z) - h)) - r,
        { corners: ends, normals: [], edges: [[0, 0, 1]], radius: r },
      );
    }
    case 'box': {
      const [x, y, z] = geometry.size.map((edge) => edge / 2);
      const corners = [-x, x].flatMap((i) => [-y, y].flatMap((j) => [-z, z].map((k): Vec3 => [i, j, k])));
      return of(
        Math.hypot(x, y, z),
        (d) => [d[0] > 0 ? x : -x, d[1] > 0 ? y : -y, d[2] > 0 ? z : -z],
        (p) => Math.max(Math.abs(p[0]) - x, Math.abs(p[1]) - y, Math.abs(p[2]) - z),
        { corners, normals: AXES.flatMap((n) => [n, scale(-1, n)]) },
      );
    }
    case 'hull': {
      const corners = Array.from(
        { length: geometry.points.length / 3 },
        (_, k) => Array.from(geometry.points.subarray(3 * k, 3 * k + 3)) as unknown as Vec3,
      );
      const planes = planesOf(corners);
      return of(
        Math.max(...corners.map(norm)),
        (d) => corners.reduce((best, corner) => (dot(corner, d) > dot(best, d) ? corner : best)),
        (p) => Math.max(...planes.map(({ normal, offset }) => dot(normal, p) - offset)),
        { corners, normals: planes.map(({ normal }) => normal) },
      );
    }
    case 'ellipsoid': {
      const { radii } = geometry;
      return of(
        Math.max(...radii),
        (d) => {
          const s = 1 / Math.hypot(...d.map((x, i) => x * radii[i]));
          return d.map((x, i) => s * x * radii[i] * radii[i]) as unknown as Vec3;
        },
        (p) => (Math.hypot(...p.map((x, i) => x / radii[i])) - 1) * Math.min(...radii),
      );
    }
    case 'cylinder': {
      const { radius: r, length } = geometry;
      return of(
        Math.hypot(r, length / 2),
        (d) => {
          const xy = Math.hypot(d[0], d[1]);
          return xy === 0
            ? [0, 0, (Math.sign(d[2]) * length) / 2]
            : [(r * d[0]) / xy, (r * d[1]) / xy, d[2] > 0 ? length / 2 : -length / 2];
        },
        (p) => Math.max(Math.hypot(p[0], p[1]) - r, Math.abs(p[2]) - length / 2),
      );
    }
    case 'cone': {
      const { radius: r, length } = geometry;
      const slope = Math.hypot(r, length);
      return of(
        Math.hypot(r, length / 2),
        (d) => {
          const xy = Math.hypot(d[0], d[1]);
          const rim: Vec3 = xy === 0 ? [0, 0, -length / 2] : [(r * d[0]) / xy, (r * d[1]) / xy, -length / 2];
          const tip: Vec3 = [0, 0, length / 2];
          return dot(tip, d) > dot(rim, d) ? tip : rim;
        },
        (p) => Math.max(-length / 2 - p[2], (length * Math.hypot(p[0], p[1]) + r * (p[2] - length / 2)) / slope),
      );
    }
    default:
      throw new Error(`${geometry.kind} is no convex solid`);
  }
}

/** Distance of a and b along the unit vector n from b to a. */
export function separation(a: Solid, b: Solid, n: Vec3): number {
  return dot(n, a.support(scale(-1, n))) - dot(n, b.support(n));
}

/** Depth (above zero) of polyhedra and of balls around polyhedra whose cores overlap: every axis is tried. */
export function polytopeGap(a: Polytope, b: Polytope): number {
  const axes = [...a.normals, ...b.normals];
  for (const e of a.edges)
    for (const f of b.edges) {
      const n = cross(e, f);
      if (norm(n) > 1e-7) axes.push(unit(n));
    }
  let best = Number.NEGATIVE_INFINITY;
  for (const axis of axes)
    for (const n of [axis, scale(-1, axis)]) {
      const low = Math.min(...a.corners.map((x) => dot(n, x)));
      const high = Math.max(...b.corners.map((x) => dot(n, x)));
      best = Math.max(best, low - high);
    }
  return best - a.radius - b.radius;
}

/** What branch and bound found: a better direction, that there is none, or no answer within so many squares. */
export type Verdict = { readonly better: Vec3; readonly s: number } | 'none' | 'too many squares';

/**
 * Whether some direction separates a and b by more than `limit`: squares on the faces of a cube are looked at by the
 * direction of their middle. Within the angle rho of it n x <= |x| cos(angle(x, middle) - rho) for every point x of A - B,
 * so also for the one found there.
 */
export function betterDirection(a: Solid, b: Solid, limit: number, most = 200_000): Verdict {
  const d: [number, number, number] = [0, 0, 0];
  const at = (axis: number, sign: number, x: number, y: number): Vec3 => {
    const l = 1 / Math.sqrt(1 + x * x + y * y);
    d[axis] = sign * l;
    d[(axis + 1) % 3] = x * l;
    d[(axis + 2) % 3] = y * l;
    return [d[0], d[1], d[2]];
  };
  // Depth first: axis, sign, u, v, half of each square.
  const open: number[] = [];
  for (let axis = 0; axis < 3; axis++) for (const sign of [-1, 1]) open.push(axis, sign, 0, 0, 1);
  for (let squares = 0; open.length > 0; squares++) {
    if (squares === most) return 'too many squares';
    const half = open.pop()!;
    const v = open.pop()!;
    const u = open.pop()!;
    const sign = open.pop()!;
    const axis = open.pop()!;
    const n = at(axis, sign, u, v);
    const x = a.support([-n[0], -n[1], -n[2]]);
    const y = b.support(n);
    const w: Vec3 = [x[0] - y[0], x[1] - y[1], x[2] - y[2]];
    const s = dot(n, w);
    if (s > limit) return { better: n, s };
    const length = Math.sqrt(dot(w, w));
    // On the face of the cube the angle is at most the distance; the corner is half sqrt(2) away.
    const rho = half * Math.SQRT2;
    const angle = Math.atan2(Math.sqrt(Math.max(0, length * length - s * s)), s);
    if ((angle <= rho ? length : length * Math.cos(angle - rho)) <= limit) continue;
    const h = half / 2;
    for (const p of [u - h, u + h]) for (const q of [v - h, v + h]) open.push(axis, sign, p, q, h);
  }
  return 'none';
}
