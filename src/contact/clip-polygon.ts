// Clipping along the normal: of a feature what stands over a polygon (Sutherland and Hodgman).

import { COUNT, cgap, cid, cmiss, cx, cy, cz, idOf, MOST } from './candidates.js';
import { moveOnDisc } from './disc.js';
import type { Feature } from './feature.js';
import { N } from './work.js';

// Polygon being clipped: corners, and for each the labels of the edges before and behind it; two buffers in turn.
const px = [new Float64Array(MOST), new Float64Array(MOST)];
const py = [new Float64Array(MOST), new Float64Array(MOST)];
const pz = [new Float64Array(MOST), new Float64Array(MOST)];
/** Label of the edge from corner k to the next one. */
const pe = [new Int32Array(MOST), new Int32Array(MOST)];
const heights = new Float64Array(MOST);

/**
 * Cuts the incident feature by the reference polygon and stores what remains as candidates. `side` is 1 where the reference
 * belongs to a, -1 where it belongs to b: gap = side n (x_reference - x_incident).
 */
export function clipAgainst(reference: Feature, incident: Feature, side: number): void {
  const { points: q, labels: names, normal, count: sides } = reference;
  let from = 0;
  let n = incident.count;
  {
    const x = px[0];
    const y = py[0];
    const z = pz[0];
    const e = pe[0];
    if (n === 1) moveOnDisc(incident.points, reference);
    for (let k = 0; k < n; k++) {
      x[k] = incident.points[3 * k];
      y[k] = incident.points[3 * k + 1];
      z[k] = incident.points[3 * k + 2];
      e[k] = incident.labels[k];
    }
  }
  const single = n === 1;
  const segment = n === 2;
  // Outward of the edge from p to q is (q - p) x (outward normal of the polygon), here along n: -N for a, N for b.
  for (let s = 0; s < sides && n > 0 && !single; s++) {
    const t = s + 1 === sides ? 0 : s + 1;
    const ex = q[3 * t] - q[3 * s];
    const ey = q[3 * t + 1] - q[3 * s + 1];
    const ez = q[3 * t + 2] - q[3 * s + 2];
    const ox = -side * (ey * N[2] - ez * N[1]);
    const oy = -side * (ez * N[0] - ex * N[2]);
    const oz = -side * (ex * N[1] - ey * N[0]);
    const x = px[from];
    const y = py[from];
    const z = pz[from];
    const e = pe[from];
    const x2 = px[1 - from];
    const y2 = py[1 - from];
    const z2 = pz[1 - from];
    const e2 = pe[1 - from];
    let outside = false;
    const base = ox * q[3 * s] + oy * q[3 * s + 1] + oz * q[3 * s + 2];
    // Within rounding of the edge counts as inside: flush sides must not flicker.
    const slack = 1e-13 * (Math.abs(base) + Math.abs(ox) + Math.abs(oy) + Math.abs(oz));
    for (let k = 0; k < n; k++) {
      let height = ox * x[k] + oy * y[k] + oz * z[k] - base;
      if (height > 0 && height <= slack) height = 0;
      heights[k] = height;
      if (height > 0) outside = true;
    }
    if (!outside) continue;
    let m = 0;
    for (let k = 0; k < n; k++) {
      const l = k + 1 === n ? 0 : k + 1;
      const h = heights[k];
      const g = heights[l];
      if (h <= 0) {
        x2[m] = x[k];
        y2[m] = y[k];
        z2[m] = z[k];
        e2[m] = e[k];
        m++;
      }
      // A segment has one edge, a polygon one for each corner.
      if (segment && l === 0) continue;
      if ((h < 0 && g > 0) || (h > 0 && g < 0)) {
        const f = h / (h - g);
        x2[m] = x[k] + f * (x[l] - x[k]);
        y2[m] = y[k] + f * (y[l] - y[k]);
        z2[m] = z[k] + f * (z[l] - z[k]);
        // Leaving: the boundary goes on along the reference edge. Entering: along the edge that was cut. The end of a
        // segment is named by the edge that cut it.
        e2[m] = segment || h < 0 ? names[s] : e[k];
        m++;
      }
    }
    n = m;
    from = 1 - from;
  }
  const x = px[from];
  const y = py[from];
  const z = pz[from];
  const e = pe[from];
  const facing = 1 / (normal[0] * N[0] + normal[1] * N[1] + normal[2] * N[2]);
  for (let k = 0; k < n; k++) {
    const above = (normal[0] * (x[k] - q[0]) + normal[1] * (y[k] - q[1]) + normal[2] * (z[k] - q[2])) * facing;
    cx[COUNT[0]] = x[k];
    cy[COUNT[0]] = y[k];
    cz[COUNT[0]] = z[k];
    cgap[COUNT[0]] = -side * above;
    cmiss[COUNT[0]] = 0;
    cid[COUNT[0]] = idOf(e[k], n < 3 || segment ? e[k] : e[k === 0 ? n - 1 : k - 1]);
    COUNT[0]++;
  }
}

/** Whether a point stands over a polygon, seen along n; on its sides it does. */
export function isOver({ points: q, count: sides }: Feature, p: Float64Array): boolean {
  for (let s = 0; s < sides; s++) {
    const t = s + 1 === sides ? 0 : s + 1;
    const ex = q[3 * t] - q[3 * s];
    const ey = q[3 * t + 1] - q[3 * s + 1];
    const ez = q[3 * t + 2] - q[3 * s + 2];
    const x = p[0] - q[3 * s];
    const y = p[1] - q[3 * s + 1];
    const z = p[2] - q[3 * s + 2];
    const inside = (ey * z - ez * y) * N[0] + (ez * x - ex * z) * N[1] + (ex * y - ey * x) * N[2];
    if (inside < -1e-12 * (ex * ex + ey * ey + ez * ez)) return false;
  }
  return true;
}
