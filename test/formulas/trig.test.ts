// Sine and cosine against values computed with 200 binary digits.

import { describe, expect, it } from 'vitest';
import { Graph } from '../../src/formulas/graph.js';
import { sincos } from '../../src/formulas/trig.js';
import { Random } from '../../src/mechanism/random.js';
import { runner } from './run-graph.js';

const BITS = 260n;
const ONE = 1n << BITS;
// Machin: pi = 16 atan(1/5) - 4 atan(1/239)
const PI = 16n * arctangentOfInverse(5n) - 4n * arctangentOfInverse(239n);

function arctangentOfInverse(n: bigint): bigint {
  let power = ONE / n;
  let sum = 0n;
  for (let k = 1n; power !== 0n; k += 2n) {
    sum += k % 4n === 1n ? power / k : -power / k;
    power /= n * n;
  }
  return sum;
}

/** A double as a fixed-point number; exact. */
function fixed(x: number): bigint {
  const exponent = Math.max(-1074, Math.floor(Math.log2(Math.abs(x) || 1)) - 60);
  return exponent >= 0 ? BigInt(x) << BITS : (BigInt(x * 2 ** -exponent) << BITS) >> BigInt(-exponent);
}

function sineOf(angle: bigint): bigint {
  let r = angle % (2n * PI);
  if (r > PI) r -= 2n * PI;
  if (r < -PI) r += 2n * PI;
  let term = r;
  let sum = 0n;
  for (let k = 1n; term !== 0n; k += 2n) {
    sum += term;
    term = -((((term * r) >> BITS) * r) >> BITS) / ((k + 1n) * (k + 2n));
  }
  return sum;
}

/** Distance of a computed value from the exact one, in units of the last place of the exact one. */
function ulps(value: number, exact: bigint): number {
  const size = Math.abs(Number(exact) / Number(ONE));
  const ulp = 2 ** (Math.floor(Math.log2(size)) - 52);
  return (
    Number(((fixed(value) - exact) << 20n) / BigInt(Math.max(1, Math.round(ulp * 2 ** 200))) / (ONE >> 200n)) / 2 ** 20
  );
}

function twoAngles() {
  const g = new Graph();
  const [s, c] = sincos(g, g.input(0, 0, 1));
  g.output(1, 0, s, 1);
  g.output(1, 2, c, 3);
  const [scalarSine, scalarCosine] = sincos(g, g.input(0, 2));
  g.output(1, 4, scalarSine);
  g.output(1, 5, scalarCosine);
  return runner(g);
}

/** Angles of all sizes, and the nearest doubles to multiples of pi/2, where most digits cancel. */
function angles(count: number): number[] {
  const random = new Random(1);
  const list: number[] = [1e-30, 0.5, Math.PI / 4, 1e6, 1.6e6];
  for (let k = 0; k < count; k++) {
    const size = 10 ** random.between(-8, 6.2);
    list.push(random.between(-size, size), random.below(1_018_000) * (Math.PI / 2));
  }
  return list;
}

describe('sine and cosine', () => {
  it('err by less than one unit of the last place up to 1.6e6, in both lanes and as scalars', () => {
    const run = twoAngles();
    let worst = 0;
    for (const x of angles(3000)) {
      const { out } = run([x, -x, x]);
      const [sine, cosine] = [sineOf(fixed(x)), sineOf(fixed(x) + PI / 2n)];
      worst = Math.max(worst, Math.abs(ulps(out[0], sine)));
      worst = Math.max(worst, Math.abs(ulps(out[2], cosine)));
      expect(out[1]).toBe(-out[0]);
      expect(out[3]).toBe(out[2]);
      expect(out[4]).toBe(out[0]);
      expect(out[5]).toBe(out[2]);
    }
    expect(worst).toBeLessThan(1);
    expect(worst).toBeGreaterThan(0.4);
  });

  it('the reference itself agrees with Math.sin', () => {
    for (const x of [0.1, 1, 3, 100.5]) expect(Number(sineOf(fixed(x))) / Number(ONE)).toBeCloseTo(Math.sin(x), 15);
  });

  it('of a negated angle costs a sign only', () => {
    const g = new Graph();
    const x = g.input(0, 0);
    const [s, c] = sincos(g, x);
    expect(sincos(g, g.neg(x))).toEqual([g.neg(s), c]);
  });
});
