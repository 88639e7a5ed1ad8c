// Sine, cosine and the angle of a vector by additions, multiplications and divisions alone: the same bits in every JavaScript engine, which
// Math.sin, Math.cos and Math.atan2 do not promise. Sine and cosine have the bits of the formulas in generated code (formulas/trig.ts), too.

import { withoutWholeTurns } from './whole-turns.js';

/** Up to here the reduction below is exact to the last bit; beyond it whole turns are taken off by integers. */
export const LARGEST_ANGLE = 1e6;

const TWO_OVER_PI = 0.6366197723675814;
// pi/2 in three pieces of 33 bits (Cody and Waite; the pieces of fdlibm).
const HALF_PI_1 = 1.5707963267341256;
const HALF_PI_2 = 6.077100506303966e-11;
const HALF_PI_3 = 2.0222662487959506e-21;
/** What pi has beyond Math.PI. */
const PI_REST = 1.2246467991473532e-16;
/** Of vectors steeper than this the angle is pi/2 to the last bit. */
const STEEPEST = 1e17;
/** Added and taken away again it rounds to the nearest integer, halves to even. */
const ROUNDING = 1.5 * 2 ** 52;

/** An angle beyond that less its whole turns. */
export function reducedAngle(x: number): number {
  return Number.isFinite(x) ? withoutWholeTurns(x) : Number.NaN;
}

/**
 * Writes [sin x, cos x] of the angle x = angles[i], both at once: the reduction is the dearer half. The angle comes in an array,
 * since a number as an argument of a call that is not inlined goes onto the heap; for the same reason nothing is called here.
 */
export function sineAndCosine(out: Float64Array, angles: Float64Array, i: number): void {
  const x = angles[i];
  const angle = Math.abs(x) <= LARGEST_ANGLE ? x : reducedAngle(x);
  // x = k pi/2 + r + tail
  const k = angle * TWO_OVER_PI + ROUNDING - ROUNDING;
  const first = angle - k * HALF_PI_1;
  const second = k * HALF_PI_2;
  const near = first - second;
  const third = k * HALF_PI_3 + (second - (first - near));
  const r = near - third;
  const tail = near - r - third;
  // sin(r + tail) and cos(r + tail): minimax polynomials on |r| < pi/4 (fdlibm, Sun Microsystems), in z = r^2.
  const z = r * r;
  const odd =
    -0.16666666666666632 +
    z *
      (0.00833333333332249 +
        z *
          (-0.0001984126982985795 +
            z * (2.7557313707070068e-6 + z * (-2.5050760253406863e-8 + z * 1.58969099521155e-10))));
  const s = r + (r * z * odd + tail);
  const even =
    0.0416666666666666 +
    z *
      (-0.001388888888887411 +
        z *
          (2.480158728947673e-5 +
            z * (-2.7557314351390663e-7 + z * (2.087572321298175e-9 + z * -1.1359647557788195e-11))));
  const low = z * 0.5;
  const w = 1 - low;
  const c = w + (1 - w - low + (z * z * even - r * tail));
  // sin(k pi/2) and cos(k pi/2), each -1, 0 or 1: with halves rounded to even, k - 2 nearest(k / 2) is just that.
  const half = k * 0.5 + ROUNDING - ROUNDING;
  const halfNext = (k + 1) * 0.5 + ROUNDING - ROUNDING;
  const a = k - (half + half);
  const b = k + 1 - (halfNext + halfNext);
  out[0] = s * b + c * a;
  out[1] = c * b - s * a;
}

const pair = new Float64Array(2);

/** sin x. */
export function sine(x: number): number {
  pair[0] = x;
  sineAndCosine(pair, pair, 0);
  return pair[0];
}

/** cos x. */
export function cosine(x: number): number {
  pair[0] = x;
  sineAndCosine(pair, pair, 0);
  return pair[1];
}

/** The angle of the vector (x, y), as Math.atan2(y, x). */
export function angleOf(y: number, x: number): number {
  // Along the axes, or no vector at all: the answer is a multiple of pi/4 as exact as can be.
  if (x === 0 || y === 0 || !Number.isFinite(x) || !Number.isFinite(y)) return Math.atan2(y, x);
  const slope = Math.abs(y / x);
  if (slope > STEEPEST) return y > 0 ? Math.PI / 2 : -Math.PI / 2;
  const acute = arctangent(slope);
  const angle = x > 0 ? acute : Math.PI - (acute - PI_REST);
  return y > 0 ? angle : -angle;
}

/** atan x for x >= 0 (fdlibm): about 0, 1/2, 1, 3/2 or infinity, whichever is near. */
function arctangent(x: number): number {
  if (x < 0.4375) return x - arctangentRest(x);
  if (x < 0.6875) return offset((2 * x - 1) / (2 + x), 0.4636476090008061, 2.2698777452961687e-17);
  if (x < 1.1875) return offset((x - 1) / (x + 1), 0.7853981633974483, 3.061616997868383e-17);
  if (x < 2.4375) return offset((x - 1.5) / (1 + 1.5 * x), 0.982793723247329, 1.3903311031230998e-17);
  return offset(-1 / x, 1.5707963267948966, 6.123233995736766e-17);
}

function offset(x: number, high: number, low: number): number {
  return high - (arctangentRest(x) - low - x);
}

/** x - atan x for |x| < 7/16. */
function arctangentRest(x: number): number {
  const z = x * x;
  const w = z * z;
  const odd =
    0.3333333333333293 +
    w *
      (0.14285714272503466 +
        w * (0.09090887133436507 + w * (0.06661073137387531 + w * (0.049768779946159324 + w * 0.016285820115365782))));
  const even =
    -0.19999999999876483 +
    w * (-0.11111110405462356 + w * (-0.0769187620504483 + w * (-0.058335701337905735 + w * -0.036531572744216916)));
  return x * (z * odd + w * even);
}
