// Any two convex shapes: distance by GJK, depth by EPA, the normal polished, then the points.

import { buildManifold } from './clip.js';
import type { Collider } from './collider.js';
import { isPolytope, pairSize } from './difference.js';
import { epa } from './epa.js';
import { FAR, gjk, ROUGH, TOUCHING } from './gjk.js';
import type { Manifold } from './manifold.js';
import { polish } from './polish.js';
import { radiusOf } from './support.js';
import { CORES, GAP, MARGIN, PAIR } from './work.js';

/** Relative to the size of the pair: cores of polytopes farther apart than this have their normal from GJK to all digits. */
const CLEAR = 1e-3;

/** Sets N and PAIR[GAP]; false where the shapes are farther apart than the margin. */
export function closest(a: Collider, b: Collider): boolean {
  const radii = radiusOf(a) + radiusOf(b);
  const found = gjk(a, b, PAIR[MARGIN] + radii);
  if (found === FAR) return false;
  if (found === TOUCHING) {
    epa(a, b);
    polish(a, b);
  } else if (found === ROUGH || !(isPolytope(a) && isPolytope(b)) || PAIR[CORES] < CLEAR * pairSize(a, b)) polish(a, b);
  PAIR[GAP] = PAIR[CORES] - radii;
  return PAIR[GAP] <= PAIR[MARGIN];
}

export function convexConvex(out: Manifold, a: Collider, b: Collider): void {
  if (closest(a, b)) buildManifold(out, a, b);
}
