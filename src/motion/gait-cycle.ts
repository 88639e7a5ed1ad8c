// The gait cycle: what happens from strike to strike of one foot, laid over each other in per cent of the stride.

import type { Support } from './support.js';
import { landings } from './support.js';

/** Mean and band over the strides of one foot, at 0, 1 ... 100 % of the stride. */
export interface GaitCycle {
  readonly foot: string;
  /** How many strides, and how long they are, seconds. */
  readonly strides: number;
  readonly duration: number;
  readonly curves: readonly GaitCurve[];
}

/** One quantity over the stride: its mean, and the lowest and highest of all strides. */
export interface GaitCurve {
  readonly name: string;
  readonly mean: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
}

const POINTS = 101;
/** Strides whose length differs more than this from the median are left out: a turn, a stop, a touch in between. */
const UNLIKE = 0.3;

/** Cycles of all feet that strike twice or more; `series` are values by frame, with their names. */
export function gaitCycles(
  supports: readonly Support[],
  feet: readonly string[],
  interval: number,
  series: readonly { readonly name: string; readonly values: ArrayLike<number> }[],
  usable: (frame: number) => boolean,
): GaitCycle[] {
  return feet.flatMap((foot, f): GaitCycle[] => {
    const strikes = landings(supports, f);
    const all = strikes.slice(1).map((to, k) => [strikes[k], to] as const);
    const lengths = all.map(([from, to]) => to - from).sort((a, b) => a - b);
    const median = lengths[lengths.length >> 1];
    const strides = all.filter(
      ([from, to]) => Math.abs(to - from - median) <= UNLIKE * median && usable(from) && usable(to),
    );
    if (strides.length === 0) return [];
    const curves = series.map(({ name, values }): GaitCurve => {
      const [mean, low, high] = [0, Infinity, -Infinity].map((start) => new Float64Array(POINTS).fill(start));
      for (const [from, to] of strides)
        for (let p = 0; p < POINTS; p++) {
          const at = from + ((to - from) * p) / (POINTS - 1);
          const k = Math.min(to - 1, Math.floor(at));
          const value = values[k] + (at - k) * (values[k + 1] - values[k]);
          mean[p] += value / strides.length;
          low[p] = Math.min(low[p], value);
          high[p] = Math.max(high[p], value);
        }
      return { name, mean, low, high };
    });
    const duration = (interval * strides.reduce((sum, [from, to]) => sum + to - from, 0)) / strides.length;
    return [{ foot, strides: strides.length, duration, curves }];
  });
}
