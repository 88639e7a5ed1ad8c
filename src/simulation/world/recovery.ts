// How fast bodies that are in each other, and joints beyond their limits, are moved out again.

/** Gaps (m) up to twice this count as touching; penetration up to this is left alone. */
export const SLOP = 1e-5;
/** A penetration is removed from here on, down to the slop. */
export const DEEP = 1.1 * SLOP;
/** Of what is beyond the slop, removed in a step; the least that is, so that it comes to an end; and the fastest (m/s). */
const PART = 0.2;
const LEAST = 1e-6;
export const RECOVERY_SPEED = 0.2;

/** The offset of a row whose gap is to be made larger where it is beyond the slop, and is not to be closed elsewhere. */
export function recoveryOffset(gap: number, h: number): number {
  const beyond = -SLOP - gap;
  if (!(beyond > 0)) return Math.max(0, gap) / h;
  return -Math.min(Math.min(beyond, Math.max(PART * beyond, LEAST)) / h, RECOVERY_SPEED);
}
