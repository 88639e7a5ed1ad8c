// Spheres and capsules against each other and spheres against boxes and cylinders: closest points of centres, segments and
// solids. Two straight parts that cross, and a centre inside a solid, have more than one closest pair; then a fixed rule
// chooses.

import { buildManifold } from './clip.js';
import type { Collider } from './collider.js';
import type { Manifold } from './manifold.js';
import { GAP, MARGIN, N, PAIR, REL } from './work.js';

/** x, kept between -limit and limit. */
function clamp(x: number, limit: number): number {
  return Math.min(Math.max(x, -limit), limit);
}

/** The single point of a contact: half way between the surfaces, from the point of b's core at (x, y, z). */
function onePoint(out: Manifold, x: number, y: number, z: number, radius: number): void {
  const at = radius + PAIR[GAP] / 2;
  out.position[0] = x + at * N[0];
  out.position[1] = y + at * N[1];
  out.position[2] = z + at * N[2];
  for (let i = 0; i < 3; i++) out.normal[i] = N[i];
  out.gap[0] = PAIR[GAP];
  out.feature[0] = 0;
  out.count = 1;
}

/** N and the gap from the difference of two points of the cores, a minus b; false where they are too far apart. */
function apart(x: number, y: number, z: number, radii: number): boolean {
  const d = Math.sqrt(x * x + y * y + z * z);
  PAIR[GAP] = d - radii;
  if (!(PAIR[GAP] <= PAIR[MARGIN])) return false;
  if (d > 0) {
    N[0] = x / d;
    N[1] = y / d;
    N[2] = z / d;
  } else {
    // The same place: any direction will do.
    N[0] = N[1] = 0;
    N[2] = 1;
  }
  return true;
}

export function sphereSphere(out: Manifold, a: Collider, b: Collider): void {
  const x = REL[9];
  const y = REL[10];
  const z = REL[11];
  if (apart(-x, -y, -z, a.size[0] + b.size[0])) onePoint(out, x, y, z, b.size[0]);
}

/** The capsule is b. */
export function sphereCapsule(out: Manifold, a: Collider, b: Collider): void {
  const h = b.size[1];
  // The axis of b in the frame of a, and where on it the centre of a is nearest.
  const ux = REL[2];
  const uy = REL[5];
  const uz = REL[8];
  const s = -(ux * REL[9] + uy * REL[10] + uz * REL[11]);
  const t = clamp(s, h);
  const x = REL[9] + t * ux;
  const y = REL[10] + t * uy;
  const z = REL[11] + t * uz;
  if (!apart(-x, -y, -z, a.size[0] + b.size[0])) return;
  if (x === 0 && y === 0 && z === 0) across(ux, uy, uz);
  onePoint(out, x, y, z, b.size[0]);
}

/** N = some direction across u. */
function across(ux: number, uy: number, uz: number): void {
  const k = Math.abs(ux) <= Math.abs(uy) && Math.abs(ux) <= Math.abs(uz) ? 0 : Math.abs(uy) <= Math.abs(uz) ? 1 : 2;
  const x = k === 1 ? uz : k === 2 ? -uy : 0;
  const y = k === 0 ? -uz : k === 2 ? ux : 0;
  const z = k === 0 ? uy : k === 1 ? -ux : 0;
  const s = 1 / Math.sqrt(x * x + y * y + z * z);
  N[0] = s * x;
  N[1] = s * y;
  N[2] = s * z;
}

/** Closest points of two segments, then one point, or two where they are almost parallel. */
export function capsuleCapsule(out: Manifold, a: Collider, b: Collider): void {
  const h = a.size[1];
  const k = b.size[1];
  // a: (0, 0, s), |s| <= h. b: p + t u, |t| <= k. Minimum of |p + t u - s z|^2: s = p_z + t u_z, t = s u_z - p u.
  const ux = REL[2];
  const uy = REL[5];
  const uz = REL[8];
  const px = REL[9];
  const py = REL[10];
  const pz = REL[11];
  const pu = px * ux + py * uy + pz * uz;
  // 1 - u_z^2, without cancellation.
  const sine2 = ux * ux + uy * uy;
  let t = sine2 > 1e-20 ? (pz * uz - pu) / sine2 : 0;
  t = clamp(t, k);
  let s = pz + t * uz;
  if (s > h || s < -h) {
    s = s > h ? h : -h;
    t = s * uz - pu;
    t = clamp(t, k);
    s = pz + t * uz;
    s = clamp(s, h);
  }
  const x = px + t * ux;
  const y = py + t * uy;
  const z = pz + t * uz - s;
  if (!apart(-x, -y, -z, a.size[0] + b.size[0])) return;
  // Axes that cross: the direction across both.
  if (x * x + y * y + z * z < 1e-24 * (h * h + k * k)) {
    if (sine2 > 1e-20) {
      const w = 1 / Math.sqrt(sine2);
      N[0] = -uy * w;
      N[1] = ux * w;
      N[2] = 0;
    } else {
      N[0] = 1;
      N[1] = N[2] = 0;
    }
  }
  buildManifold(out, a, b);
}

/** The box is b. */
export function sphereBox(out: Manifold, a: Collider, b: Collider): void {
  const { size } = b;
  // The centre of a in the frame of b: -R^T p.
  let inside = true;
  let nearest = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3; i++) {
    const x = -(REL[i] * REL[9] + REL[3 + i] * REL[10] + REL[6 + i] * REL[11]);
    const h = size[i];
    centre[i] = x;
    const c = clamp(x, h);
    closest[i] = c;
    if (c !== x) inside = false;
    const depth = h - Math.abs(x);
    if (depth < least) {
      least = depth;
      nearest = i;
    }
  }
  solid(out, a, inside, nearest, least);
}

const centre = new Float64Array(3);
const closest = new Float64Array(3);

/** A sphere about `centre` and a solid whose point `closest` is; where the centre is inside, out along the axis `nearest`. */
function solid(out: Manifold, a: Collider, inside: boolean, nearest: number, least: number): void {
  let x = centre[0] - closest[0];
  let y = centre[1] - closest[1];
  let z = centre[2] - closest[2];
  if (inside) {
    PAIR[GAP] = -least - a.size[0];
    x = y = z = 0;
    const sign = centre[nearest] >= 0 ? 1 : -1;
    if (nearest === 0) x = sign;
    else if (nearest === 1) y = sign;
    else z = sign;
    for (let i = 0; i < 3; i++) closest[i] = centre[i];
    closest[nearest] += sign * least;
  } else if (!apart(x, y, z, a.size[0])) return;
  else {
    x = N[0];
    y = N[1];
    z = N[2];
  }
  for (let i = 0; i < 3; i++) N[i] = REL[3 * i] * x + REL[3 * i + 1] * y + REL[3 * i + 2] * z;
  // On the solid, which is the reference.
  for (let i = 0; i < 3; i++)
    out.position[i] = REL[9 + i] + REL[3 * i] * closest[0] + REL[3 * i + 1] * closest[1] + REL[3 * i + 2] * closest[2];
  for (let i = 0; i < 3; i++) out.normal[i] = N[i];
  out.gap[0] = PAIR[GAP];
  out.feature[0] = 0;
  out.count = 1;
}

/** The cylinder is b. */
export function sphereCylinder(out: Manifold, a: Collider, b: Collider): void {
  const r = b.size[0];
  const h = b.size[1];
  for (let i = 0; i < 3; i++) centre[i] = -(REL[i] * REL[9] + REL[3 + i] * REL[10] + REL[6 + i] * REL[11]);
  const radial = Math.sqrt(centre[0] * centre[0] + centre[1] * centre[1]);
  const z = centre[2];
  const c = clamp(z, h);
  const inside = radial <= r && c === z;
  const s = radial > r ? r / radial : 1;
  closest[0] = s * centre[0];
  closest[1] = s * centre[1];
  closest[2] = c;
  const cap = h - Math.abs(z);
  if (!inside || cap <= r - radial) solid(out, a, inside, 2, cap);
  else {
    // Out through the side: as from a solid that the centre has just left.
    const x = radial > 0 ? centre[0] / radial : 1;
    const y = radial > 0 ? centre[1] / radial : 0;
    closest[0] = r * x;
    closest[1] = r * y;
    centre[0] = x;
    centre[1] = y;
    centre[2] = 0;
    side(out, a, radial - r);
  }
}

/** A sphere whose centre lies below the side of a cylinder: `closest` on the side, `centre` is the direction outward. */
function side(out: Manifold, a: Collider, height: number): void {
  PAIR[GAP] = height - a.size[0];
  for (let i = 0; i < 3; i++) {
    N[i] = REL[3 * i] * centre[0] + REL[3 * i + 1] * centre[1];
    out.position[i] = REL[9 + i] + REL[3 * i] * closest[0] + REL[3 * i + 1] * closest[1] + REL[3 * i + 2] * closest[2];
    out.normal[i] = N[i];
  }
  out.gap[0] = PAIR[GAP];
  out.feature[0] = 0;
  out.count = 1;
}
