// How two feet share the load. The motion does not say; what is known is where the whole force acts, and that feet take over
// and let go gradually. The share of the second foot is that of a lever, by where the centre of pressure lies between the two
// feet, drawn to what one foot alone carries before and after.

import type { Support } from './support.js';

/** Seconds in which a foot takes over, or lets go, at most. */
export const HANDOVER = 0.1;

/** The share of the second foot of `support.feet` in each frame; 0 where one foot is down. `lever` is the share by leverage. */
export function loadShares(
  supports: readonly Support[],
  lever: (frame: number) => number,
  interval: number,
): Float64Array {
  const shares = new Float64Array(supports.length);
  for (let from = 0; from < supports.length; ) {
    const [first, second] = supports[from].feet;
    let to = from;
    if (second === undefined) {
      from++;
      continue;
    }
    while (to + 1 < supports.length && supports[to + 1].feet[0] === first && supports[to + 1].feet[1] === second) to++;
    /** What one foot alone carries just outside. */
    const outside = (frame: number): number | undefined => {
      const feet = supports[frame]?.feet;
      if (feet?.length !== 1) return undefined;
      return feet[0] === first ? 0 : feet[0] === second ? 1 : undefined;
    };
    const [before, after] = [outside(from - 1), outside(to + 1)];
    const reach = 1 + Math.max(1, Math.min((to - from + 1) / 2, HANDOVER / interval));
    const [start, end] = [lever(from), lever(to)];
    for (let k = from; k <= to; k++) {
      let share = lever(k);
      if (before !== undefined) share += (before - start) * (1 - smooth((k - from + 1) / reach));
      if (after !== undefined) share += (after - end) * (1 - smooth((to - k + 1) / reach));
      shares[k] = Math.min(1, Math.max(0, share));
    }
    from = to + 1;
  }
  return shares;
}

/** From 0 to 1 without a jump of the slope. */
export const smooth = (x: number): number => {
  const t = Math.min(1, Math.max(0, x));
  return t * t * (3 - 2 * t);
};
