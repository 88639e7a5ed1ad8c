// Forces of the ground as [moment, force] in ground coordinates, moved from point to point and shared by two feet.

import { add, cross, dot, norm, scale, subtract, type Vec3, ZERO3 } from '../spatial/matrix3.js';
import { TRANSFORM } from '../spatial/spatial.js';

/** A force with a moment. */
export interface Wrench {
  readonly moment: Vec3;
  readonly force: Vec3;
}

export const NO_WRENCH: Wrench = { moment: ZERO3, force: ZERO3 };

/** The same wrench with its moment about another point: n' = n - r x f, r from the old point to the new one. */
export function movedTo(wrench: Wrench, from: Vec3, to: Vec3): Wrench {
  const { moment, force } = wrench;
  return { moment: subtract(moment, cross(subtract(to, from), force)), force };
}

export function sumOf(a: Wrench, b: Wrench): Wrench {
  return { moment: add(a.moment, b.moment), force: add(a.force, b.force) };
}

/** A wrench at a body's origin in body coordinates -> the wrench at the ground's origin. */
export function fromBody(pose: Float64Array, body: number, forces: Float64Array, at: number): Wrench {
  const P = pose.subarray(TRANSFORM * body, TRANSFORM * (body + 1));
  const moment = rotatedBack(P, forces, at);
  const force = rotatedBack(P, forces, at + 3);
  return { moment: add(moment, cross([P[9], P[10], P[11]], force)), force };
}

/** out[at ... at + 5] += a wrench about the ground's origin, on a body, at its origin in its coordinates. */
export function addToBody(out: Float64Array, at: number, pose: Float64Array, body: number, wrench: Wrench): void {
  const P = pose.subarray(TRANSFORM * body, TRANSFORM * (body + 1));
  const { moment, force } = movedTo(wrench, ZERO3, [P[9], P[10], P[11]]);
  for (let k = 0; k < 3; k++) {
    out[at + k] += P[3 * k] * moment[0] + P[3 * k + 1] * moment[1] + P[3 * k + 2] * moment[2];
    out[at + 3 + k] += P[3 * k] * force[0] + P[3 * k + 1] * force[1] + P[3 * k + 2] * force[2];
  }
}

function rotatedBack(P: Float64Array, x: Float64Array, at: number): Vec3 {
  const [a, b, c] = [x[at], x[at + 1], x[at + 2]];
  return [P[0] * a + P[3] * b + P[6] * c, P[1] * a + P[4] * b + P[7] * c, P[2] * a + P[5] * b + P[8] * c];
}

/**
 * Moments count in the norm of a split like forces at this distance, in metres: about half a foot, what a foot can do
 * by shifting its pressure.
 */
export const SPLIT_LENGTH = 0.1;

/**
 * The wrenches at two points that together make a given one and have the least sum of |f|^2 + |n|^2 / length^2.
 *
 * About the middle, with d from there to the second point: f1 = F/2 - g, f2 = F/2 + g, n1 = n2 = m/2 and
 * m + 2 d x g = N. The least norm has g = -d x m / (2 length^2); so m is N along d, and N / (1 + |d|^2 / length^2)
 * across it.
 */
export function leastNormSplit(
  total: Wrench,
  about: Vec3,
  first: Vec3,
  second: Vec3,
  length = SPLIT_LENGTH,
): readonly [Wrench, Wrench] {
  const d = scale(0.5, subtract(second, first));
  const { moment: N, force: F } = movedTo(total, about, scale(0.5, add(first, second)));
  const distance = norm(d);
  const along = distance > 0 ? scale(1 / distance, d) : ZERO3;
  const straight = scale(dot(N, along), along);
  const across = scale(1 / (1 + (distance / length) ** 2), subtract(N, straight));
  const m = add(straight, across);
  const g = scale(-0.5 / length ** 2, cross(d, m));
  const half = scale(0.5, F);
  return [
    { moment: scale(0.5, m), force: subtract(half, g) },
    { moment: scale(0.5, m), force: add(half, g) },
  ];
}

/** Where on the level of a point the force acts: the point with no moment across `up`. Undefined for too small a force. */
export function centreOfPressure(wrench: Wrench, about: Vec3, up: Vec3, least: number): Vec3 | undefined {
  const vertical = dot(wrench.force, up);
  if (!(vertical > least)) return undefined;
  // up x (n - r x f) = 0 with r level, so up x (r x f) = r (up . f): r = (up x n) / (up . f).
  return add(about, scale(1 / vertical, cross(up, wrench.moment)));
}
