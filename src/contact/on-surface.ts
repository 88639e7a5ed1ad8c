// A convex shape on a surface of triangles: every triangle near it is a pair of its own, whose points are then put together.
//
// Inner edges must not be felt: a ball that rolls over a flat mesh would otherwise be struck at each of them. The nearest
// point of a triangle may lie on its edge or corner, with a normal that leans over it. Such a normal is right only where the
// surface bends away: where all triangles at that edge or corner lie below the plane across the normal. Otherwise the normal of the
// triangle takes its place, and only what stands over the triangle itself touches it: the neighbours have the rest.

import { boundsOf } from './bounds.js';
import { buildManifold, clipOnFace } from './clip.js';
import { type Collider, TRIANGLE } from './collider.js';
import { closest } from './convex.js';
import { separation } from './difference.js';
import { CONVEX_POINTS, MANIFOLD_POINTS, Manifold } from './manifold.js';
import { radiusOf } from './support.js';
import type { Surface } from './surface.js';
import { GAP, MARGIN, N, PAIR, REL } from './work.js';

/** Relative to the triangle: how far a neighbour may reach above the plane of a contact. */
const LEAN = 1e-9;
/** Points of all triangles together, before the best are chosen. */
const POINTS = 256;
/** Cosine of the angle within which normals count as one when points are chosen: 3 degrees. */
const ALIKE = 0.9986;

/** One triangle as a shape: a flat hull with two faces, whose points are changed for each triangle. */
const hull = {
  dimension: 2,
  points: new Float64Array(9),
  starts: Int32Array.of(0, 3, 6),
  corners: Int32Array.of(0, 1, 2, 0, 2, 1),
  edges: Int32Array.of(0, 1, 2, 2, 1, 0),
  neighbours: Int32Array.of(1, 1, 1, 0, 0, 0),
  normals: new Float64Array(6),
  aroundStarts: Int32Array.of(0, 2, 4, 6),
  around: Int32Array.of(1, 2, 0, 2, 0, 1),
  fanStarts: Int32Array.of(0, 2, 4, 6),
  fan: Int32Array.of(0, 1, 0, 1, 0, 1),
};

const X = new Float64Array(12);
const box = new Float64Array(6);
const others = new Float64Array(9);
const onTop = new Uint8Array(3);
const outward = new Float64Array(3);
const facing = new Float64Array(3);
const part = new Manifold();

// Points of all triangles, frame of a.
let count = 0;
const position = new Float64Array(3 * POINTS);
const normal = new Float64Array(3 * POINTS);
const gap = new Float64Array(POINTS);
const feature = new Int32Array(POINTS);
const state = new Uint8Array(POINTS);

/** The triangle as a collider: what does not change, made once. */
let triangle: { -readonly [K in keyof Collider]: Collider[K] } | undefined;

export function onSurface(out: Manifold, a: Collider, b: Collider): void {
  const surface = b.surface!;
  const margin = PAIR[MARGIN];
  triangle ??= { ...b, kind: TRIANGLE, surface: undefined, hull };
  // The shape in the frame of the surface: rotation R, origin -R^T p.
  for (let i = 0; i < 9; i++) X[i] = REL[i];
  for (let i = 0; i < 3; i++) X[9 + i] = -(REL[i] * REL[9] + REL[3 + i] * REL[10] + REL[6 + i] * REL[11]);
  boundsOf(box, 0, a, X, 0, margin);
  if (surface.solid) box[5] = Number.POSITIVE_INFINITY;
  const near = surface.query(box);
  count = 0;
  for (let k = 0; k < near; k++) {
    part.count = 0;
    const t = surface.found[k];
    PAIR[MARGIN] = margin;
    if (setTriangle(surface, t)) onTriangle(a, surface, near, t, margin);
    for (let l = 0; l < part.count; l++) take(l, t);
  }
  PAIR[MARGIN] = margin;
  chooseAll(out, 1e-7 * a.reach);
}

/** Corners and normals of the triangle; false where it has no area. */
function setTriangle(surface: Surface, t: number): boolean {
  const { points: p, normals } = hull;
  surface.corners(p, t);
  const ux = p[3] - p[0];
  const uy = p[4] - p[1];
  const uz = p[5] - p[2];
  const vx = p[6] - p[0];
  const vy = p[7] - p[1];
  const vz = p[8] - p[2];
  const x = uy * vz - uz * vy;
  const y = uz * vx - ux * vz;
  const z = ux * vy - uy * vx;
  const s = 1 / Math.sqrt(x * x + y * y + z * z);
  normals[0] = s * x;
  normals[1] = s * y;
  normals[2] = s * z;
  normals[3] = -s * x;
  normals[4] = -s * y;
  normals[5] = -s * z;
  triangle!.reach = Math.sqrt(Math.max(ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz));
  return s < Number.POSITIVE_INFINITY;
}

/** Points of one triangle into `part`. */
function onTriangle(a: Collider, surface: Surface, near: number, t: number, margin: number): void {
  const b = triangle!;
  for (let i = 0; i < 3; i++)
    facing[i] = REL[3 * i] * hull.normals[0] + REL[3 * i + 1] * hull.normals[1] + REL[3 * i + 2] * hull.normals[2];
  const height = separation(a, b, facing) - radiusOf(a);
  if (!(height <= margin)) return;
  // Wholly behind it.
  outward[0] = -facing[0];
  outward[1] = -facing[1];
  outward[2] = -facing[2];
  const behind = separation(a, b, outward) - radiusOf(a) > 0;
  // A part that hangs below the plane without touching the triangle is under solid ground all the same.
  const touches = !behind && closest(a, b);
  if (!touches && !surface.solid) return;
  if (touches) {
    const up = N[0] * facing[0] + N[1] * facing[1] + N[2] * facing[2];
    if (up > 0 && up < 1 - 1e-12 && allowed(surface, near, t)) {
      buildManifold(part, a, b);
      return;
    }
  }
  for (let i = 0; i < 3; i++) N[i] = facing[i];
  PAIR[GAP] = height;
  clipOnFace(part, a, b);
}

/**
 * Whether the surface lies below the plane across N at the corner or edge of triangle t that is farthest along N: the other
 * triangles there must not reach above it.
 */
function allowed(surface: Surface, near: number, t: number): boolean {
  const { points: p } = hull;
  // N in the frame of the surface.
  const nx = REL[0] * N[0] + REL[3] * N[1] + REL[6] * N[2];
  const ny = REL[1] * N[0] + REL[4] * N[1] + REL[7] * N[2];
  const nz = REL[2] * N[0] + REL[5] * N[1] + REL[8] * N[2];
  const size = triangle!.reach;
  let top = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < 9; k += 3) top = Math.max(top, nx * p[k] + ny * p[k + 1] + nz * p[k + 2]);
  let farthest = 0;
  for (let k = 0; k < 3; k++) {
    const isFarthest = nx * p[3 * k] + ny * p[3 * k + 1] + nz * p[3 * k + 2] >= top - LEAN * size;
    onTop[k] = isFarthest ? 1 : 0;
    farthest += onTop[k];
  }
  for (let k = 0; k < near; k++) {
    const other = surface.found[k];
    if (other === t) continue;
    surface.corners(others, other);
    let shared = 0;
    let high = Number.NEGATIVE_INFINITY;
    for (let c = 0; c < 9; c += 3) {
      high = Math.max(high, nx * others[c] + ny * others[c + 1] + nz * others[c + 2]);
      for (let l = 0; l < 3; l++)
        if (
          onTop[l] === 1 &&
          others[c] === p[3 * l] &&
          others[c + 1] === p[3 * l + 1] &&
          others[c + 2] === p[3 * l + 2]
        )
          shared++;
    }
    if (shared === farthest && high > top + LEAN * size) return false;
  }
  return true;
}

/** Point l of `part` joins the others; where there is no more room, in place of the one with the largest gap. */
function take(l: number, t: number): void {
  let at = count;
  if (count < POINTS) count++;
  else {
    at = 0;
    for (let k = 1; k < POINTS; k++) if (gap[k] > gap[at]) at = k;
    if (part.gap[l] >= gap[at]) return;
  }
  for (let i = 0; i < 3; i++) {
    position[3 * at + i] = part.position[3 * l + i];
    normal[3 * at + i] = part.normal[3 * l + i];
  }
  gap[at] = part.gap[l];
  feature[at] = Math.imul(t + 1, 0x9e3779b1) ^ part.feature[l];
}

const FREE = 0;
const GROUPED = 1;
const GONE = 2;

/** Four points at most for each direction, the deepest direction first, until the manifold is full. */
function chooseAll(out: Manifold, same: number): void {
  dropDoubles(same);
  while (out.count + CONVEX_POINTS <= MANIFOLD_POINTS) {
    let deepest = -1;
    for (let k = 0; k < count; k++) if (state[k] === FREE && (deepest < 0 || gap[k] < gap[deepest])) deepest = k;
    if (deepest < 0) return;
    const d = 3 * deepest;
    for (let k = 0; k < count; k++) {
      const n = 3 * k;
      if (state[k] !== FREE) continue;
      if (normal[n] * normal[d] + normal[n + 1] * normal[d + 1] + normal[n + 2] * normal[d + 2] >= ALIKE)
        state[k] = GROUPED;
    }
    chooseGroup(out, deepest);
    for (let k = 0; k < count; k++) if (state[k] === GROUPED) state[k] = GONE;
  }
}

/** Neighbours give the points on their common edge twice: the first stays. */
function dropDoubles(same: number): void {
  for (let k = 0; k < count; k++) {
    state[k] = FREE;
    for (let l = 0; l < k && state[k] === FREE; l++) {
      const x = position[3 * k] - position[3 * l];
      const y = position[3 * k + 1] - position[3 * l + 1];
      const z = position[3 * k + 2] - position[3 * l + 2];
      const along =
        normal[3 * k] * normal[3 * l] + normal[3 * k + 1] * normal[3 * l + 1] + normal[3 * k + 2] * normal[3 * l + 2];
      if (state[l] !== GONE && x * x + y * y + z * z <= same * same && along >= ALIKE) state[k] = GONE;
    }
  }
}

const chosen = new Int32Array(CONVEX_POINTS);

/** The deepest of a group, the farthest from it, then twice the one that adds most area, to either side. */
function chooseGroup(out: Manifold, deepest: number): void {
  chosen[0] = deepest;
  let have = 1;
  put(out, deepest);
  for (; have < CONVEX_POINTS; have++) {
    let best = -1;
    let most = 1e-24;
    for (let k = 0; k < count; k++) {
      if (state[k] !== GROUPED) continue;
      const value = gain(k, have, deepest);
      if (value > most * (1 + 1e-9)) {
        most = value;
        best = k;
      }
    }
    if (best < 0) return;
    chosen[have] = best;
    put(out, best);
  }
}

/** What a point adds to those chosen: squared distance to one; area with two; area beyond the sides of three. */
function gain(k: number, have: number, deepest: number): number {
  if (have === 1) {
    const x = position[3 * k] - position[3 * deepest];
    const y = position[3 * k + 1] - position[3 * deepest + 1];
    const z = position[3 * k + 2] - position[3 * deepest + 2];
    return x * x + y * y + z * z;
  }
  const first = area(chosen[0], chosen[1], k, deepest);
  if (have === 2) return Math.abs(first);
  const sign = area(chosen[0], chosen[1], chosen[2], deepest) < 0 ? -1 : 1;
  return -Math.min(
    sign * first,
    sign * area(chosen[1], chosen[2], k, deepest),
    sign * area(chosen[2], chosen[0], k, deepest),
  );
}

/** Twice the area of three points, seen along the normal of the group. */
function area(i: number, j: number, k: number, deepest: number): number {
  const ax = position[3 * j] - position[3 * i];
  const ay = position[3 * j + 1] - position[3 * i + 1];
  const az = position[3 * j + 2] - position[3 * i + 2];
  const bx = position[3 * k] - position[3 * i];
  const by = position[3 * k + 1] - position[3 * i + 1];
  const bz = position[3 * k + 2] - position[3 * i + 2];
  const d = 3 * deepest;
  return (ay * bz - az * by) * normal[d] + (az * bx - ax * bz) * normal[d + 1] + (ax * by - ay * bx) * normal[d + 2];
}

function put(out: Manifold, k: number): void {
  const at = out.count++;
  for (let i = 0; i < 3; i++) {
    out.position[3 * at + i] = position[3 * k + i];
    out.normal[3 * at + i] = normal[3 * k + i];
  }
  out.gap[at] = gap[k];
  out.feature[at] = feature[k];
}
