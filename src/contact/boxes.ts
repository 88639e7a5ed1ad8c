// Two boxes: the fifteen axes that can separate them. Where they overlap, the axis of least overlap gives the depth. Where
// an axis separates them, its gap is their distance if the clipped features really meet along it, else GJK is asked: the
// nearest parts may be a corner and an edge.

import { buildManifold } from './clip.js';
import type { Collider } from './collider.js';
import { convexConvex } from './convex.js';
import { pairSize } from './difference.js';
import type { Manifold } from './manifold.js';
import { GAP, MARGIN, N, PAIR, REL } from './work.js';

/** Relative to the size of the pair: an axis must be better than one before it by this much. Faces come before edges. */
const BETTER = 1e-9;
/** Squared sine below which edges are parallel: their axis is rounding, and a face is as good. */
const PARALLEL = 1e-10;

const absolute = new Float64Array(9);

export function boxBox(out: Manifold, a: Collider, b: Collider): void {
  const { size: h } = a;
  const { size: k } = b;
  const margin = PAIR[MARGIN];
  const better = BETTER * pairSize(a, b);
  for (let i = 0; i < 9; i++) absolute[i] = Math.abs(REL[i]);
  let best = Number.NEGATIVE_INFINITY;
  let axis = 0;
  // Faces of a: |p_i| - (h_i + sum_j |R_ij| k_j).
  for (let i = 0; i < 3; i++) {
    const s =
      Math.abs(REL[9 + i]) - (h[i] + absolute[3 * i] * k[0] + absolute[3 * i + 1] * k[1] + absolute[3 * i + 2] * k[2]);
    if (s > margin) return;
    if (s > best + better) {
      best = s;
      axis = i;
    }
  }
  // Faces of b.
  for (let j = 0; j < 3; j++) {
    const p = REL[j] * REL[9] + REL[3 + j] * REL[10] + REL[6 + j] * REL[11];
    const s = Math.abs(p) - (k[j] + absolute[j] * h[0] + absolute[3 + j] * h[1] + absolute[6 + j] * h[2]);
    if (s > margin) return;
    if (s > best + better) {
      best = s;
      axis = 3 + j;
    }
  }
  // Edges: e_i x R e_j, of length sqrt(1 - R_ij^2).
  for (let i = 0; i < 3; i++) {
    const i1 = i === 2 ? 0 : i + 1;
    const i2 = i1 === 2 ? 0 : i1 + 1;
    for (let j = 0; j < 3; j++) {
      const j1 = j === 2 ? 0 : j + 1;
      const j2 = j1 === 2 ? 0 : j1 + 1;
      const y = -REL[3 * i2 + j];
      const z = REL[3 * i1 + j];
      const square = y * y + z * z;
      if (square < PARALLEL) continue;
      const s =
        (Math.abs(y * REL[9 + i1] + z * REL[9 + i2]) -
          (h[i1] * absolute[3 * i2 + j] +
            h[i2] * absolute[3 * i1 + j] +
            k[j1] * absolute[3 * i + j2] +
            k[j2] * absolute[3 * i + j1])) /
        Math.sqrt(square);
      if (s > margin) return;
      if (s > best + better) {
        best = s;
        axis = 6 + 3 * i + j;
      }
    }
  }
  setAxis(axis);
  PAIR[GAP] = best;
  // A gap is exact only where the features meet.
  if (!buildManifold(out, a, b) && best > 0) {
    out.count = 0;
    convexConvex(out, a, b);
  }
}

/** N along the axis, from b to a: against p. */
function setAxis(axis: number): void {
  if (axis < 3) {
    N[0] = N[1] = N[2] = 0;
    N[axis] = 1;
  } else if (axis < 6) {
    const j = axis - 3;
    N[0] = REL[j];
    N[1] = REL[3 + j];
    N[2] = REL[6 + j];
  } else {
    const i = axis < 9 ? 0 : axis < 12 ? 1 : 2;
    const j = axis - 6 - 3 * i;
    const i1 = i === 2 ? 0 : i + 1;
    const i2 = i1 === 2 ? 0 : i1 + 1;
    const y = -REL[3 * i2 + j];
    const z = REL[3 * i1 + j];
    const s = 1 / Math.sqrt(y * y + z * z);
    N[i] = 0;
    N[i1] = s * y;
    N[i2] = s * z;
  }
  if (N[0] * REL[9] + N[1] * REL[10] + N[2] * REL[11] > 0) {
    N[0] = -N[0];
    N[1] = -N[1];
    N[2] = -N[2];
  }
}
