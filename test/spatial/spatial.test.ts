// Every function of spatial.ts against its 6x6 matrix, written out.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../src/mechanism/random.js';
import { rotationFromQuaternion, transpose } from '../../src/spatial/matrix3.js';
import {
  addCrossForce,
  addCrossMotion,
  addInertiaToA,
  compose,
  dot6,
  forceToA,
  forceToB,
  INERTIA,
  inertiaTimes,
  invert,
  motionToA,
  motionToB,
  ORIGIN,
  rotate,
  rotateBack,
  setIdentity,
  TRANSFORM,
} from '../../src/spatial/spatial.js';
import { randomInertia, relativeError } from '../support/random-mechanism.js';
import { blocks, type Matrix, product, rows3, scaled, skew, sum, times, transposed, zeros } from './dense.js';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

/** Where the data stand in their arrays: not at the beginning, so that offsets matter. */
const AT = 5;

type Function6 = (out: Float64Array, o: number, X: Float64Array, ox: number, m: Float64Array, om: number) => void;

function padded(values: ArrayLike<number>): Float64Array {
  const array = new Float64Array(values.length + 2 * AT).fill(Number.NaN);
  array.set(values, AT);
  return array;
}

function randomTransform(random: Random): Float64Array {
  const X = new Float64Array(TRANSFORM);
  X.set(transpose(rotationFromQuaternion(random.quaternion())));
  for (let k = 0; k < 3; k++) X[ORIGIN + k] = random.between(-2, 2);
  return X;
}

const vector = (random: Random, n = 6): Float64Array => Float64Array.from({ length: n }, () => random.between(-2, 2));

/** X = [E 0; -E r x, E], which maps motion vectors. */
function matrixOf(X: Float64Array): Matrix {
  const E = rows3(X);
  return blocks(E, zeros(3), scaled(-1, product(E, skew(X.subarray(9, 12)))), E);
}

/** X* = [E, -E r x; 0 E], which maps force vectors. */
function forceMatrixOf(X: Float64Array): Matrix {
  const E = rows3(X);
  return blocks(E, scaled(-1, product(E, skew(X.subarray(9, 12)))), zeros(3), E);
}

function inertiaMatrix(I: Float64Array): Matrix {
  const [m, , , , xx, xy, xz, yy, yz, zz] = I;
  const hx = skew(I.subarray(1, 4));
  const rotational = [
    [xx, xy, xz],
    [xy, yy, yz],
    [xz, yz, zz],
  ];
  return blocks(rotational, hx, scaled(-1, hx), [
    [m, 0, 0],
    [0, m, 0],
    [0, 0, m],
  ]);
}

function randomRigidInertia(random: Random): Float64Array {
  const mass = random.between(0.1, 5);
  const c = [random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)];
  const I = rows3(randomInertia(random, mass));
  // Parallel axes: I about the origin = I about the centre - m c x c x.
  const J = sum(I, scaled(-mass, product(skew(c), skew(c))));
  return Float64Array.from([mass, ...c.map((x) => mass * x), J[0][0], J[0][1], J[0][2], J[1][1], J[1][2], J[2][2]]);
}

/** Calls f with everything at an offset, and sees that nothing around the result is touched. */
function called(f: Function6, X: Float64Array, m: Float64Array, before: ArrayLike<number>): Float64Array {
  const out = padded(before);
  f(out, AT, padded(X), AT, padded(m), AT);
  const end = AT + before.length;
  expect([...out.subarray(0, AT), ...out.subarray(end)].every(Number.isNaN)).toBe(true);
  return out.slice(AT, end);
}

const nothing = new Float64Array(6).fill(Number.NaN);

function holds(check: (random: Random) => [got: ArrayLike<number>, expected: ArrayLike<number>]): void {
  fc.assert(
    fc.property(seeds, (seed) => {
      const [got, expected] = check(new Random(seed));
      expect(relativeError(got, expected)).toBeLessThan(1e-13);
    }),
  );
}

describe('transforms', () => {
  it('identity', () => {
    const X = new Float64Array(TRANSFORM + 2).fill(9);
    setIdentity(X, 1);
    expect([...X]).toEqual([9, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9]);
  });

  it('compose multiplies their matrices', () =>
    holds((random) => {
      const [X2, X1] = [randomTransform(random), randomTransform(random)];
      const both = called(compose, X2, X1, new Float64Array(TRANSFORM));
      return [matrixOf(both).flat(), product(matrixOf(X2), matrixOf(X1)).flat()];
    }));

  it('invert gives the inverse matrix', () =>
    holds((random) => {
      const X = randomTransform(random);
      const inverse = new Float64Array(TRANSFORM);
      invert(inverse, 0, X, 0);
      const identity = Array.from({ length: 36 }, (_, k) => (k % 7 === 0 ? 1 : 0));
      return [product(matrixOf(X), matrixOf(inverse)).flat(), identity];
    }));

  it.each([
    ['rotate', rotate, (E: Matrix) => E],
    ['rotateBack', rotateBack, transposed],
  ] as const)('%s', (_name, f, matrix) =>
    holds((random) => {
      const [X, x] = [randomTransform(random), vector(random, 3)];
      return [called(f, X, x, new Float64Array(3)), times(matrix(rows3(X)), x)];
    }),
  );
});

describe('motion and force vectors', () => {
  const inverse = (X: Float64Array): Float64Array => {
    const Y = new Float64Array(TRANSFORM);
    const [E, r] = [rows3(X), X.subarray(9, 12)];
    Y.set(transposed(E).flat());
    Y.set(times(scaled(-1, E), r), 9);
    return Y;
  };

  const cases: [string, Function6, (X: Float64Array) => Matrix][] = [
    ['motionToB', motionToB, matrixOf],
    ['motionToA', motionToA, (X) => matrixOf(inverse(X))],
    ['forceToB', forceToB, forceMatrixOf],
    ['forceToA', forceToA, (X) => transposed(matrixOf(X))],
  ];

  it.each(cases)('%s is its matrix', (_name, f, matrix) =>
    holds((random) => {
      const [X, m] = [randomTransform(random), vector(random)];
      return [called(f, X, m, nothing), times(matrix(X), m)];
    }),
  );

  it.each(cases)('%s works in place', (_name, f) =>
    holds((random) => {
      const [X, m] = [randomTransform(random), vector(random)];
      const apart = called(f, X, m, nothing);
      f(m, 0, X, 0, m, 0);
      return [m, apart];
    }),
  );

  it('their product does not depend on the frame', () =>
    holds((random) => {
      const [X, m, f] = [randomTransform(random), vector(random), vector(random)];
      const power = dot6(m, 0, f, 0);
      return [[dot6(called(motionToB, X, m, nothing), 0, called(forceToB, X, f, nothing), 0)], [power]];
    }));

  it.each([
    ['addCrossMotion', addCrossMotion, (wx: Matrix, vx: Matrix) => blocks(wx, zeros(3), vx, wx)],
    ['addCrossForce', addCrossForce, (wx: Matrix, vx: Matrix) => blocks(wx, vx, zeros(3), wx)],
  ] as const)('%s adds the product with its matrix', (_name, f, matrix) =>
    holds((random) => {
      const [v, m, before] = [vector(random), vector(random), vector(random)];
      const crossed = times(matrix(skew(v.subarray(0, 3)), skew(v.subarray(3))), m);
      return [called(f, v, m, before), before.map((x, k) => x + crossed[k])];
    }),
  );
});

describe('rigid inertias', () => {
  it('inertiaTimes is the product with the 6x6 inertia', () =>
    holds((random) => {
      const [I, m] = [randomRigidInertia(random), vector(random)];
      return [called(inertiaTimes, I, m, nothing), times(inertiaMatrix(I), m)];
    }));

  it('addInertiaToA adds X^T I X', () =>
    holds((random) => {
      const [X, I, before] = [randomTransform(random), randomRigidInertia(random), vector(random, INERTIA)];
      const X6 = matrixOf(X);
      const moved = product(product(transposed(X6), inertiaMatrix(I)), X6);
      return [inertiaMatrix(called(addInertiaToA, X, I, before)).flat(), sum(inertiaMatrix(before), moved).flat()];
    }));
});
