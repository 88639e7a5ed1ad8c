// Sine and cosine as formulas: multiplications, additions and rounding only, so they run in both lanes of a vector and
// give the same bits on every machine. Good for |x| up to 1e6 (measured error below 1 ulp there, see the test).

import { type Graph, NEG, type Node } from './graph.js';

// pi/2 in three pieces of 33 bits (Cody and Waite; the pieces of fdlibm): k times a piece is exact for k below 2^20.
const HALF_PI_1 = 1.5707963267341256;
const HALF_PI_2 = 6.077100506303966e-11;
const HALF_PI_3 = 2.0222662487959506e-21;
const TWO_OVER_PI = 0.6366197723675814;

// Minimax polynomials on |r| < pi/4 (fdlibm, Sun Microsystems):
// sin r = r + r^3 (S0 + S1 r^2 + ...),  cos r = 1 - r^2 / 2 + r^4 (C0 + C1 r^2 + ...)
const SINE = [
  -0.16666666666666632, 0.00833333333332249, -0.0001984126982985795, 2.7557313707070068e-6, -2.5050760253406863e-8,
  1.58969099521155e-10,
];
const COSINE = [
  0.0416666666666666, -0.001388888888887411, 2.480158728947673e-5, -2.7557314351390663e-7, 2.087572321298175e-9,
  -1.1359647557788195e-11,
];

/** [sin x, cos x]. */
export function sincos(g: Graph, x: Node): readonly [Node, Node] {
  if (g.op[x] === NEG) {
    const [s, c] = sincos(g, g.a[x]);
    return [g.neg(s), c];
  }
  if (g.opaqueTrig) return [g.sine(x), g.cosine(x)];
  const c = (value: number): Node => g.constant(value);
  // x = k pi/2 + r + tail: the rounding of the second step is kept and added to the small terms below.
  const k = g.nearest(g.mul(x, c(TWO_OVER_PI)));
  const first = g.sub(x, g.mul(k, c(HALF_PI_1)));
  const second = g.mul(k, c(HALF_PI_2));
  const near = g.sub(first, second);
  const third = g.add(g.mul(k, c(HALF_PI_3)), g.sub(second, g.sub(first, near)));
  const r = g.sub(near, third);
  const tail = g.sub(g.sub(near, r), third);
  const z = g.mul(r, r);
  const polynomial = (coefficients: readonly number[]): Node =>
    coefficients.reduceRight((sum, coefficient) => g.add(c(coefficient), g.mul(z, sum)), c(0));
  const s = g.add(r, g.add(g.mul(g.mul(r, z), polynomial(SINE)), tail));
  // cos r = w + ((1 - w) - z / 2 + z^2 C(z) - r tail) with w = 1 - z / 2 rounded.
  const half = g.mul(z, c(0.5));
  const w = g.sub(c(1), half);
  const rest = g.sub(g.sub(c(1), w), half);
  const cosine = g.add(w, g.add(rest, g.sub(g.mul(g.mul(z, z), polynomial(COSINE)), g.mul(r, tail))));
  // sin(k pi/2) and cos(k pi/2), each -1, 0 or 1: with halves rounded to even, k - 2 nearest(k / 2) is just that.
  const quarterSine = (n: Node): Node => {
    const whole = g.nearest(g.mul(n, c(0.5)));
    return g.sub(n, g.add(whole, whole));
  };
  const a = quarterSine(k);
  const b = quarterSine(g.add(k, c(1)));
  return [g.add(g.mul(s, b), g.mul(cosine, a)), g.sub(g.mul(cosine, b), g.mul(s, a))];
}
