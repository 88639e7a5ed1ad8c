// The narrow phase: which function computes which pair of shapes.

import { boxBox } from './boxes.js';
import { planeManifold } from './clip.js';
import { BOX, CAPSULE, type Collider, CYLINDER, MESH, PLANE, SPHERE } from './collider.js';
import { convexConvex } from './convex.js';
import type { Manifold } from './manifold.js';
import { onSurface } from './on-surface.js';
import { capsuleCapsule, sphereBox, sphereCapsule, sphereCylinder, sphereSphere } from './round.js';
import { MARGIN, PAIR, setRelative } from './work.js';

/**
 * Contact points of shape a at pose XA[oa...] and shape b at XB[ob...] (ground to shape frame, as `placeColliders` writes
 * them) into `out`; gives how many. Points with a gap of at most `margin` are reported: a positive margin finds contacts
 * before they touch. At most CONVEX_POINTS points for a pair of convex shapes, MANIFOLD_POINTS for meshes and height fields.
 */
export function collide(
  out: Manifold,
  a: Collider,
  XA: Float64Array,
  oa: number,
  b: Collider,
  XB: Float64Array,
  ob: number,
  margin: number,
): number {
  out.count = 0;
  PAIR[MARGIN] = margin;
  if (a.kind > b.kind) {
    setRelative(XB, ob, XA, oa);
    ordered(out, b, a);
    out.toGround(XB, ob, -1);
  } else {
    setRelative(XA, oa, XB, ob);
    ordered(out, a, b);
    out.toGround(XA, oa, 1);
  }
  return out.count;
}

/** The kind of a is not a later one than that of b. */
function ordered(out: Manifold, a: Collider, b: Collider): void {
  // Planes and surfaces are ground: they do not touch each other.
  if (b.kind >= MESH) {
    if (a.kind !== PLANE && a.kind < MESH) onSurface(out, a, b);
  } else if (a.kind === PLANE) {
    if (b.kind !== PLANE) planeManifold(out, a, b);
  } else if (a.kind === SPHERE && b.kind === SPHERE) sphereSphere(out, a, b);
  else if (a.kind === SPHERE && b.kind === CAPSULE) sphereCapsule(out, a, b);
  else if (a.kind === SPHERE && b.kind === BOX) sphereBox(out, a, b);
  else if (a.kind === SPHERE && b.kind === CYLINDER) sphereCylinder(out, a, b);
  else if (a.kind === CAPSULE && b.kind === CAPSULE) capsuleCapsule(out, a, b);
  else if (a.kind === BOX && b.kind === BOX) boxBox(out, a, b);
  else convexConvex(out, a, b);
}
