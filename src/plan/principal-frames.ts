// Link frames of ball joints along the principal axes of what turns there. A thin limb that lies across the axes of its
// frame has three large moments of inertia and a small one about its length, which is then a difference of large numbers:
// where it is a ninth of them (a thumb), nine times the rounding of 32 bits. In the turned frame it is a number of its own,
// and other products vanish.
//
// With R from the link's own coordinates to the turned ones, and the frame of the joint's zero position turned as well,
//
//   E <- R E,  q = [w, x] <- [w, R x],  v <- R v,  tau <- R tau,  qdd = R^T (what comes out),
//
// and for children E_c <- E_c R^T, t_c <- R t_c.

import { apply, determinant, type Mat3, multiply, symmetricEigen, transpose, type Vec3 } from '../spatial/matrix3.js';
import type { Plan, PlanLink } from './plan.js';

export interface AlignedPlan {
  readonly plan: Plan;
  /** R of each link whose frame was turned. */
  readonly turns: ReadonlyMap<number, Mat3>;
}

/** Frames are turned where elimination would lose more than this factor of an entry. */
const WORTH = 1.5;

export function alignFrames(given: Plan): AlignedPlan {
  const turns = new Map<number, Mat3>();
  given.links.forEach((link, i) => {
    const R = turnOf(link);
    if (R !== undefined) turns.set(i, R);
  });
  if (turns.size === 0) return { plan: given, turns };
  const links = given.links.map((link, i): PlanLink => {
    const own = turns.get(i);
    const parent = turns.get(link.parent);
    let E = link.E as Mat3;
    if (parent !== undefined) E = multiply(E, transpose(parent));
    if (own !== undefined) E = multiply(own, E);
    return {
      ...link,
      E: E.map(clean),
      t: parent === undefined ? link.t : cleaned(apply(parent, vector(link.t)), link.t),
      h: own === undefined ? link.h : cleaned(apply(own, vector(link.h)), link.h),
      sigma: own === undefined ? link.sigma : turned(own, link.sigma),
    };
  });
  return { plan: { ...given, links }, turns };
}

/** R for a link, undefined where its frame is good as it is. */
function turnOf({ type, sigma, armature }: PlanLink): Mat3 | undefined {
  if (type !== 'spherical' || !(armature[0] === armature[1] && armature[1] === armature[2])) return undefined;
  const [xx, xy, xz, yy, yz, zz] = sigma;
  if (lost([yy + zz, -xy, -xz, -xy, xx + zz, -yz, -xz, -yz, xx + yy]) < WORTH) return undefined;
  const { vectors } = symmetricEigen([xx, xy, xz, xy, yy, yz, xz, yz, zz]);
  return nearest(vectors);
}

/** How many times smaller the smallest entry of the diagonal becomes when the others, from the last on, are eliminated. */
function lost(J: Mat3): number {
  const A = [...J];
  let most = 1;
  for (let k = 2; k >= 0; k--) {
    // A link without inertia of its own, or with none about an axis, says nothing.
    if (!(A[4 * k] > 0)) return 1;
    most = Math.max(most, J[4 * k] / A[4 * k]);
    for (let i = 0; i < k; i++) for (let j = 0; j < k; j++) A[3 * i + j] -= (A[3 * i + k] * A[3 * k + j]) / A[4 * k];
  }
  return most;
}

/** The rotation whose rows are the columns of `vectors` in the order and with the signs that turn the frame least. */
function nearest(vectors: Mat3): Mat3 {
  const column = (k: number): Vec3 => [vectors[k], vectors[3 + k], vectors[6 + k]];
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];
  const trace = (order: readonly number[]): number =>
    order.reduce((sum, k, axis) => sum + Math.abs(column(k)[axis]), 0);
  const best = orders.reduce((a, b) => (trace(b) > trace(a) ? b : a));
  const rows = best.map((k, axis) => {
    const row = column(k);
    return row[axis] < 0 ? row.map((x) => -x) : row;
  });
  const R = rows.flat() as unknown as Mat3;
  if (determinant(R) > 0) return R;
  const least = [0, 1, 2].reduce((a, b) => (R[4 * b] < R[4 * a] ? b : a));
  return R.map((x, k) => (Math.floor(k / 3) === least ? -x : x)) as unknown as Mat3;
}

const vector = ([x, y, z]: readonly number[]): Vec3 => [x, y, z];

/** What rounding leaves in a rotation where 0, 1 or -1 should be. */
const clean = (x: number): number => (Math.abs(x - Math.round(x)) < 1e-13 ? Math.round(x) + 0 : x);

/** The same for vectors and matrices, by the size of what they were made of. */
function cleaned(numbers: readonly number[], of: readonly number[]): number[] {
  const size = Math.max(...of.map(Math.abs));
  return numbers.map((x) => (Math.abs(x) < 1e-13 * size ? 0 : x));
}

/** R Sigma R^T */
function turned(R: Mat3, sigma: readonly number[]): number[] {
  const [xx, xy, xz, yy, yz, zz] = sigma;
  const S = multiply(multiply(R, [xx, xy, xz, xy, yy, yz, xz, yz, zz]), transpose(R));
  return cleaned([S[0], S[1], S[2], S[4], S[5], S[8]], sigma);
}
