import { describe, expect, it } from 'vitest';
import { State } from '../../src/mechanism/state.js';
import { builtinMechanism } from '../../src/models/index.js';
import {
  difference,
  differenceDerivatives,
  integrate,
  integrateDerivatives,
  interpolate,
  interpolateDerivatives,
} from '../../src/toolbox/index.js';
import { randomMechanism, relativeError } from '../support/random-mechanism.js';
import { robots } from './reference.js';

it.each(robots().map((robot) => [robot.name, robot] as const))("%s: q (+) 0.3 v as Pinocchio's", (_, robot) => {
  const { mechanism, state, values } = robot;
  const moved = integrate(mechanism, state.q, state.v, 0.3);
  for (const { name, iq, model } of mechanism.joints) {
    if (model.nv === 1) expect(moved[iq]).toBeCloseTo(values.integrate.q[name], 12);
    else if (model.nv === 6) {
      const expected = values.integrate.base.q as number[];
      const sign = Math.sign(expected[0] * moved[iq]);
      for (let k = 0; k < 7; k++) expect((k < 4 ? sign : 1) * moved[iq + k]).toBeCloseTo(expected[k], 12);
    }
  }
  const back = difference(mechanism, state.q, moved);
  expect(
    relativeError(
      back,
      state.v.map((x) => 0.3 * x),
    ),
  ).toBeLessThan(1e-12);
});

describe.each([1, 2, 3, 4, 5, 6])('seed %i', (seed) => {
  const mechanism = randomMechanism(seed + 40, { bodies: 8 });
  const { nv } = mechanism;
  const a = State.random(mechanism, seed);
  const b = State.random(mechanism, seed + 100);

  it('interpolation starts here, ends there and is halfway at the half', () => {
    expect(relativeError(interpolate(mechanism, a.q, b.q, 0), a.q)).toBeLessThan(1e-14);
    const end = interpolate(mechanism, a.q, b.q, 1);
    expect(Math.max(...difference(mechanism, end, b.q).map(Math.abs))).toBeLessThan(1e-12);
    const half = interpolate(mechanism, a.q, b.q, 0.5);
    const [first, second] = [difference(mechanism, a.q, half), difference(mechanism, half, b.q)];
    expect(relativeError(first, second)).toBeLessThan(1e-12);
  });

  it('derivatives against differences of fourth order', () => {
    const h = 1e-3;
    const unit = (k: number, size: number): Float64Array => new Float64Array(nv).fill(size, k, k + 1);
    const column = (f: (size: number) => Float64Array): number[] => {
      const [p, q, r, s] = [f(-2 * h), f(-h), f(h), f(2 * h)];
      return Array.from(p, (_, k) => (p[k] - 8 * q[k] + 8 * r[k] - s[k]) / (12 * h));
    };
    const moved = integrate(mechanism, a.q, a.v);
    const to = integrateDerivatives(mechanism, a.v);
    const back = differenceDerivatives(mechanism, a.q, b.q);
    for (let k = 0; k < nv; k++) {
      const of = (matrix: Float64Array): number[] => Array.from({ length: nv }, (_, row) => matrix[row * nv + k]);
      const shifted = (q: Float64Array, size: number): Float64Array => integrate(mechanism, q, unit(k, size));
      const near = (matrix: Float64Array, f: (size: number) => Float64Array): void => {
        const expected = column(f);
        of(matrix).forEach((x, row) => {
          expect(Math.abs(x - expected[row])).toBeLessThan(1e-9);
        });
      };
      near(to.from, (size) => difference(mechanism, moved, integrate(mechanism, shifted(a.q, size), a.v)));
      near(to.to, (size) => {
        const v = a.v.map((x, j) => x + (j === k ? size : 0));
        return difference(mechanism, moved, integrate(mechanism, a.q, v));
      });
      near(back.from, (size) => difference(mechanism, shifted(a.q, size), b.q));
      near(back.to, (size) => difference(mechanism, a.q, shifted(b.q, size)));
      for (const part of [0.3, 0.9]) {
        const middle = interpolate(mechanism, a.q, b.q, part);
        const between = interpolateDerivatives(mechanism, a.q, b.q, part);
        const off = (q: Float64Array): Float64Array => difference(mechanism, middle, q);
        near(between.from, (size) => off(interpolate(mechanism, shifted(a.q, size), b.q, part)));
        near(between.to, (size) => off(interpolate(mechanism, a.q, shifted(b.q, size), part)));
      }
    }
  });
});

it('wrong sizes are refused', () => {
  const mechanism = randomMechanism(3);
  expect(() => integrate(mechanism, new Float64Array(1), new Float64Array(mechanism.nv))).toThrow(/Expected/);
});

it('derivatives at what is not a number, or no end, are not numbers', () => {
  const mechanism = builtinMechanism('human-34');
  for (const x of [Number.NaN, Number.POSITIVE_INFINITY]) {
    const { to } = integrateDerivatives(mechanism, new Float64Array(mechanism.nv).fill(x));
    expect(to[0]).toBeNaN();
  }
});
