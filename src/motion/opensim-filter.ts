// Smoothing and rates as OpenSim's tools compute them, so that results can be compared column by column: the signal mirrored
// through its ends by half its length, a Butterworth filter of third order run forwards and backwards (the cut-off is that of
// each run: both together pass half the size there), and rates from the spline of fifth degree through what comes out.

import { MechanismError } from '../mechanism/errors.js';

/** A motion of fewer samples is not filtered. */
const LEAST = 6;

/** Values and first and second derivatives of columns, count x n each. */
export interface SplineRates {
  readonly values: Float64Array;
  readonly first: Float64Array;
  readonly second: Float64Array;
}

/** `cutoff` in hertz, null for none; x has count x n numbers. */
export function opensimRates(
  x: Float64Array,
  n: number,
  count: number,
  interval: number,
  cutoff: number | null,
): SplineRates {
  if (count < LEAST)
    throw MechanismError.of('motion-too-short', '', `The motion has ${count} frames; OpenSim's splines need ${LEAST}.`);
  if (cutoff !== null && !(cutoff > 0 && cutoff < 0.5 / interval))
    throw MechanismError.of('cutoff', '', `The cut-off must lie between 0 and ${0.5 / interval} Hz, got ${cutoff}.`);
  const padding = cutoff === null ? 0 : Math.floor(count / 2);
  const out = {
    values: new Float64Array(count * n),
    first: new Float64Array(count * n),
    second: new Float64Array(count * n),
  };
  const track = new Float64Array(count + 2 * padding);
  for (let c = 0; c < n; c++) {
    for (let k = 0; k < count; k++) track[padding + k] = x[k * n + c];
    if (cutoff !== null) {
      mirror(track, padding, count);
      filterThirdOrder(track, cutoff, interval);
    }
    const spline = quinticCoefficients(track);
    for (let k = 0; k < count; k++) {
      // Coefficient i of the spline stands at place i + 2.
      const at = padding + k + 2;
      const [a, b, m, d, e] = [spline[at - 2], spline[at - 1], spline[at], spline[at + 1], spline[at + 2]];
      out.values[k * n + c] = track[padding + k];
      out.first[k * n + c] = (e - a + 10 * (d - b)) / (24 * interval);
      out.second[k * n + c] = (a + e + 2 * (b + d) - 6 * m) / (6 * interval * interval);
    }
  }
  return out;
}

function mirror(track: Float64Array, padding: number, count: number): void {
  const last = padding + count - 1;
  for (let k = 1; k <= padding; k++) {
    track[padding - k] = 2 * track[padding] - track[padding + k];
    track[last + k] = 2 * track[last] - track[last - k];
  }
}

/** 1 / ((s + 1) (s^2 + s + 1)) by the bilinear transform, both ways; the first three samples of each run stay. */
export function filterThirdOrder(track: Float64Array, cutoff: number, interval: number): void {
  const w = Math.tan(Math.PI * cutoff * interval);
  const [w2, w3] = [w * w, w * w * w];
  const D = (w + 1) * (w2 + w + 1);
  const b0 = w3 / D;
  const a1 = (3 * w3 + 2 * w2 - 2 * w - 3) / D;
  const a2 = (3 * w3 - 2 * w2 - 2 * w + 3) / D;
  const a3 = ((w - 1) * (w2 - w + 1)) / D;
  const input = new Float64Array(track.length);
  for (let run = 0; run < 2; run++) {
    input.set(track);
    for (let k = 3; k < track.length; k++)
      track[k] =
        b0 * (input[k] + 3 * input[k - 1] + 3 * input[k - 2] + input[k - 3]) -
        a1 * track[k - 1] -
        a2 * track[k - 2] -
        a3 * track[k - 3];
    track.reverse();
  }
}

/**
 * Coefficients c_-2 ... c_n+1 of the natural spline of fifth degree through n equally spaced points, in B-splines:
 *
 *   (c_i-2 + 26 c_i-1 + 66 c_i + 26 c_i+1 + c_i+2) / 120 = y_i
 *
 * Third and fourth derivatives vanish at the ends, c_-1 = 3 c_0 - 3 c_1 + c_2 and c_-2 = 6 c_0 - 8 c_1 + 3 c_2, which leaves
 * five diagonals.
 */
export function quinticCoefficients(y: Float64Array): Float64Array {
  const n = y.length;
  // Row i: entries for c_i-2 ... c_i+2.
  const A = new Float64Array(5 * n);
  for (let i = 0; i < n; i++) A.set([1, 26, 66, 26, 1], 5 * i);
  A.set([0, 0, 150, -60, 30], 0);
  A.set([0, 29, 63, 27, 1], 5);
  A.set([1, 27, 63, 29, 0], 5 * (n - 2));
  A.set([30, -60, 150, 0, 0], 5 * (n - 1));
  const c = new Float64Array(n + 4);
  for (let i = 0; i < n; i++) c[i + 2] = 120 * y[i];
  for (let i = 0; i < n; i++)
    for (let below = 1; below <= 2 && i + below < n; below++) {
      const factor = A[5 * (i + below) + 2 - below] / A[5 * i + 2];
      for (let k = 1; k <= 2; k++) A[5 * (i + below) + 2 - below + k] -= factor * A[5 * i + 2 + k];
      c[i + below + 2] -= factor * c[i + 2];
    }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = 1; k <= 2 && i + k < n; k++) c[i + 2] -= A[5 * i + 2 + k] * c[i + k + 2];
    c[i + 2] /= A[5 * i + 2];
  }
  c[1] = 3 * c[2] - 3 * c[3] + c[4];
  c[0] = 6 * c[2] - 8 * c[3] + 3 * c[4];
  c[n + 2] = 3 * c[n + 1] - 3 * c[n] + c[n - 1];
  c[n + 3] = 6 * c[n + 1] - 8 * c[n] + 3 * c[n - 1];
  return c;
}
