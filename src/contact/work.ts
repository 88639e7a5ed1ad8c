// What the functions of a pair share. A call of `collide` never calls itself, and a worker has modules of its own: so one
// set of arrays serves all pairs. Numbers travel in arrays, since a call that is not inlined would put them on the heap.
//
// All of a pair is computed in the frame of its first shape, so that a pair far from the origin of the ground is as exact as
// one near it.

/** Second shape in the frame of the first: x_a = R x_b + p, R row major, then p. */
export const REL = new Float64Array(12);
/** Unit normal from b to a, frame of a. */
export const N = new Float64Array(3);
/** Numbers of the pair, by the offsets below. */
export const PAIR = new Float64Array(3);
/** Distance of the surfaces along N. */
export const GAP = 0;
/** Gaps up to this are reported. */
export const MARGIN = 1;
/** Distance of the cores along N: without the radii of spheres and capsules. */
export const CORES = 2;

/** REL from the poses of both shapes: R = E_A E_B^T, p = E_A (r_B - r_A). */
export function setRelative(XA: Float64Array, oa: number, XB: Float64Array, ob: number): void {
  const x = XB[ob + 9] - XA[oa + 9];
  const y = XB[ob + 10] - XA[oa + 10];
  const z = XB[ob + 11] - XA[oa + 11];
  for (let i = 0; i < 3; i++) {
    const e = XA[oa + 3 * i];
    const f = XA[oa + 3 * i + 1];
    const g = XA[oa + 3 * i + 2];
    REL[3 * i] = e * XB[ob] + f * XB[ob + 1] + g * XB[ob + 2];
    REL[3 * i + 1] = e * XB[ob + 3] + f * XB[ob + 4] + g * XB[ob + 5];
    REL[3 * i + 2] = e * XB[ob + 6] + f * XB[ob + 7] + g * XB[ob + 8];
    REL[9 + i] = e * x + f * y + g * z;
  }
}
