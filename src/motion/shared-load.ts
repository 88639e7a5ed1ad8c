// How any number of bodies share a load: hands and feet, a seat and feet. The motion does not say. Taken are the wrenches of
// least sum of (|f|^2 + |n|^2 / L^2) / w, with weights w that grow and fade where a body touches and leaves, so that nothing
// jumps there.

import { add, cross, dot, scale, subtract, type Vec3, ZERO3 } from '../spatial/matrix3.js';
import { HANDOVER, smooth } from './double-support.js';
import type { Support } from './support.js';
import { movedTo, SPLIT_LENGTH, type Wrench } from './wrench.js';

/** Less than this is nobody's: weights must not vanish all at once. */
const LEAST_WEIGHT = 1e-6;

/** Of each carrier in each frame: 0 while it is up, rising to 1 after it touches and falling before it leaves. */
export function carrierWeights(supports: readonly Support[], carriers: number, interval: number): Float64Array[] {
  const count = supports.length;
  return Array.from({ length: carriers }, (_, c) => {
    const weights = new Float64Array(count);
    for (let from = 0; from < count; from++) {
      if (!supports[from].feet.includes(c)) continue;
      let to = from;
      while (to + 1 < count && supports[to + 1].feet.includes(c)) to++;
      const reach = 1 + Math.max(1, Math.min((to - from + 1) / 2, HANDOVER / interval));
      for (let k = from; k <= to; k++) {
        const since = from === 0 ? 1 : smooth((k - from + 1) / reach);
        const until = to === count - 1 ? 1 : smooth((to - k + 1) / reach);
        weights[k] = Math.max(LEAST_WEIGHT, since * until);
      }
      from = to;
    }
    return weights;
  });
}

/**
 * The wrenches at points that together make a given one (about the ground's origin), each about its point.
 *
 * With multipliers a and m: f = w (a + m x p), n = w L^2 m. About the weighted middle, p = r - c, the forces give W a = F, and
 * the moments  sum w ((L^2 + p.p) 1 - p p^T) m = N - c x F.
 */
export function weightedSplit(
  total: Wrench,
  points: readonly Vec3[],
  weights: readonly number[],
  length = SPLIT_LENGTH,
): Wrench[] {
  const all = weights.reduce((sum, w) => sum + w, 0);
  const middle = points.reduce((sum, point, k) => add(sum, scale(weights[k] / all, point)), ZERO3);
  const { moment, force } = movedTo(total, ZERO3, middle);
  const A: [number[], number[], number[]] = [
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
  ];
  const arms = points.map((point) => subtract(point, middle));
  arms.forEach((p, k) => {
    for (let i = 0; i < 3; i++)
      for (let j = 0; j < 3; j++) A[i][j] += weights[k] * ((i === j ? length ** 2 + dot(p, p) : 0) - p[i] * p[j]);
  });
  const m = solve3(A as unknown as readonly [Vec3, Vec3, Vec3], moment);
  const a = scale(1 / all, force);
  return arms.map((p, k) => ({
    moment: scale(weights[k] * length ** 2, m),
    force: scale(weights[k], add(a, cross(m, p))),
  }));
}

/** Cramer's rule for a symmetric matrix, by its columns. */
function solve3([x, y, z]: readonly [Vec3, Vec3, Vec3], b: Vec3): Vec3 {
  const determinant = dot(x, cross(y, z));
  return scale(1 / determinant, [dot(b, cross(y, z)), dot(x, cross(b, z)), dot(x, cross(y, b))]);
}
