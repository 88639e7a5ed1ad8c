// Low-pass filter without delay: a Butterworth filter of second order run forwards and backwards, which makes it one of
// fourth order. The stated cut-off is that of both runs together: there a sine keeps 1/sqrt(2) of its size.

import { MechanismError } from '../mechanism/errors.js';

/** Coefficients of a low-pass filter of second order. */
export interface LowPass {
  /** y_k = b0 x_k + b1 x_k-1 + b2 x_k-2 - a1 y_k-1 - a2 y_k-2 */
  readonly b0: number;
  readonly b1: number;
  readonly b2: number;
  readonly a1: number;
  readonly a2: number;
  /** Samples added at either end, mirrored through the end point: one period of the cut-off. */
  readonly padding: number;
}

/** Each of two runs passes sqrt(1/sqrt(2)) at the cut-off if its own cut-off is this much higher: (sqrt(2) - 1)^(-1/4). */
const TWO_RUNS = (Math.SQRT2 - 1) ** -0.25;

/** `cutoff` in hertz, `interval` in seconds from sample to sample. */
export function lowPass(cutoff: number, interval: number): LowPass {
  const nyquist = 0.5 / interval;
  if (!(cutoff > 0 && cutoff < nyquist))
    throw MechanismError.of(
      'cutoff',
      '',
      `The cut-off must lie between 0 and ${round(nyquist)} Hz, half the ${round(1 / interval)} samples a second, got ${cutoff}.`,
    );
  // Bilinear transform of 1 / (s^2 + sqrt(2) s + 1), with the frequency scale bent so that the cut-off stays in place.
  const K = TWO_RUNS * Math.tan(Math.PI * cutoff * interval);
  const D = 1 + Math.SQRT2 * K + K * K;
  const b0 = (K * K) / D;
  return {
    b0,
    b1: 2 * b0,
    b2: b0,
    a1: (2 * (K * K - 1)) / D,
    a2: (1 - Math.SQRT2 * K + K * K) / D,
    padding: Math.ceil(1 / (cutoff * interval)),
  };
}

/** Refuses a motion that is shorter than what the filter needs. */
export function checkLength(filter: LowPass, samples: number, cutoff: number, interval: number): void {
  if (samples > filter.padding) return;
  throw MechanismError.of(
    'motion-too-short',
    '',
    `The motion has ${samples} frames (${round(samples * interval)} s); a cut-off of ${cutoff} Hz at ${round(1 / interval)} frames a second needs at least ${filter.padding + 1}. Give a longer motion or a higher cut-off.`,
  );
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}

/**
 * Filters x[from + k stride], k = 0 ... count - 1, in place. `work` has count + 2 padding numbers at least. The straight
 * line from the first sample to the last is taken out before and put back after, so that lines pass unchanged.
 */
export function applyLowPass(
  filter: LowPass,
  x: Float64Array,
  from: number,
  stride: number,
  count: number,
  work: Float64Array,
): void {
  const { padding } = filter;
  const total = count + 2 * padding;
  const first = x[from];
  const slope = count > 1 ? (x[from + (count - 1) * stride] - first) / (count - 1) : 0;
  for (let k = 0; k < count; k++) work[padding + k] = x[from + k * stride] - first - slope * k;
  // Now both ends are zero, and mirroring through them is a change of sign.
  for (let k = 1; k <= padding; k++) {
    work[padding - k] = -work[padding + k];
    work[padding + count - 1 + k] = -work[padding + count - 1 - k];
  }
  run(filter, work, 0, 1, total);
  run(filter, work, total - 1, -1, total);
  for (let k = 0; k < count; k++) x[from + k * stride] = work[padding + k] + first + slope * k;
}

/** One run, begun as if the first sample had been there for ever. */
function run(filter: LowPass, x: Float64Array, from: number, step: number, count: number): void {
  const { b0, b1, b2, a1, a2 } = filter;
  let z1 = (1 - b0) * x[from];
  let z2 = (b2 - a2) * x[from];
  for (let k = 0, at = from; k < count; k++, at += step) {
    const input = x[at];
    const output = b0 * input + z1;
    z1 = b1 * input - a1 * output + z2;
    z2 = b2 * input - a2 * output;
    x[at] = output;
  }
}
