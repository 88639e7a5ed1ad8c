// Caps of cylinders and cones: octagons that stand for discs, and where the rim matters.

import type { Feature } from './feature.js';
import { N } from './work.js';

const other = new Float64Array(3);

/** The polygon of a disc gets a corner on the rim towards the nearest point of the other feature, seen along n. */
export function towardOther(face: Feature, feature: Feature): void {
  if (face.disc === 0 || face.count !== 8) return;
  const { points, labels, normal, disc, centre: middle } = face;
  if (feature.disc > 0) other.set(feature.centre);
  else nearestOf(feature, middle);
  let x = other[0] - middle[0];
  let y = other[1] - middle[1];
  let z = other[2] - middle[2];
  const up = x * normal[0] + y * normal[1] + z * normal[2];
  x -= up * normal[0];
  y -= up * normal[1];
  z -= up * normal[2];
  const length = Math.sqrt(x * x + y * y + z * z);
  if (!(length > 1e-12 * disc)) return;
  const f = disc / length;
  // The corner before it: the last one from which it lies ahead, counter-clockwise.
  let at = 0;
  let most = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < 8; k++) {
    const l = k === 7 ? 0 : k + 1;
    // Middle of each side: the side that faces the direction is split.
    const mx = points[3 * k] + points[3 * l] - 2 * middle[0];
    const my = points[3 * k + 1] + points[3 * l + 1] - 2 * middle[1];
    const mz = points[3 * k + 2] + points[3 * l + 2] - 2 * middle[2];
    const facing = mx * x + my * y + mz * z;
    if (facing > most) {
      most = facing;
      at = k;
    }
  }
  for (let k = 8; k > at + 1; k--) {
    for (let i = 0; i < 3; i++) points[3 * k + i] = points[3 * (k - 1) + i];
    labels[k] = labels[k - 1];
  }
  points[3 * at + 3] = middle[0] + f * x;
  points[3 * at + 4] = middle[1] + f * y;
  points[3 * at + 5] = middle[2] + f * z;
  labels[at + 1] = labels[at] + 32;
  face.count = 9;
}

/** other = the point of a feature nearest to `middle`, seen along n. */
function nearestOf({ points, count: n }: Feature, middle: Float64Array): void {
  let best = Number.POSITIVE_INFINITY;
  let sides = 0;
  for (let k = 0; k < n; k++) {
    const l = k + 1 === n ? 0 : k + 1;
    let ux = points[3 * l] - points[3 * k];
    let uy = points[3 * l + 1] - points[3 * k + 1];
    let uz = points[3 * l + 2] - points[3 * k + 2];
    let x = middle[0] - points[3 * k];
    let y = middle[1] - points[3 * k + 1];
    let z = middle[2] - points[3 * k + 2];
    const rise = ux * N[0] + uy * N[1] + uz * N[2];
    ux -= rise * N[0];
    uy -= rise * N[1];
    uz -= rise * N[2];
    const up = x * N[0] + y * N[1] + z * N[2];
    x -= up * N[0];
    y -= up * N[1];
    z -= up * N[2];
    const uu = ux * ux + uy * uy + uz * uz;
    const t = uu > 0 ? Math.min(Math.max((x * ux + y * uy + z * uz) / uu, 0), 1) : 0;
    // Left or right of the side: inside of all means that the middle itself is in the polygon.
    const turn = (uy * z - uz * y) * N[0] + (uz * x - ux * z) * N[1] + (ux * y - uy * x) * N[2];
    sides += turn > 0 ? 1 : -1;
    x -= t * ux;
    y -= t * uy;
    z -= t * uz;
    const square = x * x + y * y + z * z;
    if (square < best) {
      best = square;
      other[0] = middle[0] - x;
      other[1] = middle[1] - y;
      other[2] = middle[2] - z;
    }
  }
  if (n > 2 && Math.abs(sides) === n) for (let i = 0; i < 3; i++) other[i] = middle[i];
}

/** A point beyond the rim of a disc, seen along n, comes onto it: n leans too little to say that it is out there. */
export function moveOnDisc(p: Float64Array, { disc: r, normal: m, centre }: Feature): void {
  if (r === 0) return;
  let x = p[0] - centre[0];
  let y = p[1] - centre[1];
  let z = p[2] - centre[2];
  const up = (x * m[0] + y * m[1] + z * m[2]) / (N[0] * m[0] + N[1] * m[1] + N[2] * m[2]);
  x -= up * N[0];
  y -= up * N[1];
  z -= up * N[2];
  const length = Math.sqrt(x * x + y * y + z * z);
  if (length <= r) return;
  const f = 1 - r / length;
  p[0] -= f * x;
  p[1] -= f * y;
  p[2] -= f * z;
}
