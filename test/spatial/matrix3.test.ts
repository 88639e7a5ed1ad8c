import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../src/mechanism/random.js';
import {
  add,
  apply,
  axisFrame,
  cross,
  determinant,
  dot,
  IDENTITY3,
  type Mat3,
  multiply,
  norm,
  orthonormalised,
  type Quat,
  quaternionFromRotation,
  rotationAbout,
  rotationDefect,
  rotationFromQuaternion,
  rotationFromRollPitchYaw,
  scale,
  subtract,
  symmetricEigen,
  transpose,
  type Vec3,
} from '../../src/spatial/matrix3.js';
import { relativeError } from '../support/random-mechanism.js';
import { product, rows3, skew, times, transposed } from './dense.js';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const AXES: readonly Vec3[] = [1, -1].flatMap((s): Vec3[] => [
  [s, 0, 0],
  [0, s, 0],
  [0, 0, s],
]);

const vector = (random: Random, size = 2): Vec3 => [
  random.between(-size, size),
  random.between(-size, size),
  random.between(-size, size),
];
const matrix = (random: Random): Mat3 => Array.from({ length: 9 }, () => random.between(-2, 2)) as unknown as Mat3;
const symmetric = (random: Random): Mat3 => {
  const A = matrix(random);
  return A.map((a, k) => (a + transpose(A)[k]) / 2) as unknown as Mat3;
};

function close(got: ArrayLike<number>, expected: ArrayLike<number>, tolerance = 1e-13): void {
  expect(relativeError(got, expected)).toBeLessThan(tolerance);
}

function isRotation(R: Mat3, tolerance = 1e-15): void {
  close(product(rows3(R), transposed(rows3(R))).flat(), IDENTITY3, tolerance);
  close([dot(cross([R[0], R[1], R[2]], [R[3], R[4], R[5]]), [R[6], R[7], R[8]])], [1], tolerance);
}

/** 1 + sin [a x] + (1 - cos) [a x]^2 */
function rodrigues(a: Vec3, angle: number): number[] {
  const K = skew(a);
  const K2 = product(K, K).flat();
  return K.flat().map((k, i) => IDENTITY3[i] + Math.sin(angle) * k + (1 - Math.cos(angle)) * K2[i]);
}

describe('vectors and matrices', () => {
  it('are what the textbook says', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const random = new Random(seed);
        const [a, b, A, B] = [vector(random), vector(random), matrix(random), matrix(random)];
        close(add(a, b), [a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
        close(subtract(add(a, b), b), a);
        close(scale(3, a), [3 * a[0], 3 * a[1], 3 * a[2]]);
        close(cross(a, b), times(skew(a), b));
        close([dot(a, a)], [norm(a) ** 2]);
        close(apply(A, a), times(rows3(A), a));
        close(multiply(A, B), product(rows3(A), rows3(B)).flat());
        expect(transpose(A)).toEqual(transposed(rows3(A)).flat());
        // Volume of the box that the columns span.
        const [c0, c1, c2] = transposed(rows3(A)) as unknown as [Vec3, Vec3, Vec3];
        close([determinant(A)], [dot(c0, cross(c1, c2))]);
      }),
    );
  });

  it('do not change what they are given', () => {
    const A: Mat3 = Object.freeze([2, 1, 0, 1, 3, 1, 0, 1, 4] as const);
    symmetricEigen(A);
    orthonormalised(A);
    expect(A).toEqual([2, 1, 0, 1, 3, 1, 0, 1, 4]);
  });
});

describe('rotations', () => {
  it('about an axis', () => {
    fc.assert(
      fc.property(seeds, fc.double({ min: -7, max: 7, noNaN: true }), (seed, angle) => {
        const axis = new Random(seed).direction();
        const R = rotationAbout(axis, angle);
        close(R, rodrigues(axis, angle));
        isRotation(R, 4e-15);
      }),
    );
  });

  it('by roll, pitch, yaw: about the fixed x, then y, then z', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const [roll, pitch, yaw] = vector(new Random(seed), 4);
        const [Rx, Ry, Rz] = [rodrigues([1, 0, 0], roll), rodrigues([0, 1, 0], pitch), rodrigues([0, 0, 1], yaw)];
        close(rotationFromRollPitchYaw(roll, pitch, yaw), product(rows3(Rz), product(rows3(Ry), rows3(Rx))).flat());
      }),
    );
  });

  it('by a quaternion: about its vector, by twice the angle of its scalar', () => {
    fc.assert(
      fc.property(seeds, fc.double({ min: -3, max: 3, noNaN: true }), (seed, angle) => {
        const axis = new Random(seed).direction();
        const [s, c] = [Math.sin(angle / 2), Math.cos(angle / 2)];
        close(rotationFromQuaternion([c, s * axis[0], s * axis[1], s * axis[2]]), rodrigues(axis, angle));
      }),
    );
  });
});

describe('quaternionFromRotation', () => {
  function roundTrip(q: Quat): void {
    const got = quaternionFromRotation(rotationFromQuaternion(q));
    expect(got[0]).toBeGreaterThanOrEqual(0);
    expect(Math.abs(Math.hypot(...got) - 1)).toBeLessThan(1e-15);
    // q and -q are the same rotation.
    const sign = Math.sign(got.reduce((product, x, k) => product + x * q[k], 0));
    close(
      got.map((x) => sign * x),
      q,
      1e-14,
    );
  }

  it('undoes rotationFromQuaternion', () => {
    fc.assert(fc.property(seeds, (seed) => roundTrip(new Random(seed).quaternion())));
  });

  it('knows half turns, exact and nearly so, and no turn at all', () => {
    fc.assert(
      fc.property(seeds, fc.constantFrom(0, 1e-17, 1e-12, 1e-8, 1e-4), (seed, off) => {
        const random = new Random(seed);
        for (const axis of [...AXES, random.direction()]) {
          const c = Math.sqrt(1 - off * off);
          roundTrip([off, c * axis[0], c * axis[1], c * axis[2]]);
          roundTrip([c, off * axis[0], off * axis[1], off * axis[2]]);
        }
      }),
    );
    expect(quaternionFromRotation(IDENTITY3)).toEqual([1, 0, 0, 0]);
    expect(quaternionFromRotation([-1, 0, 0, 0, 1, 0, 0, 0, -1]).map(Math.abs)).toEqual([0, 0, 1, 0]);
  });
});

describe('axisFrame', () => {
  it('is a rotation that makes the axis z', () => {
    fc.assert(
      fc.property(seeds, fc.constantFrom(1, 1e-3, 1e-8, 1e-16), (seed, near) => {
        const random = new Random(seed);
        // Any direction, and directions close to the coordinate axes.
        const off = random.direction();
        const around = random.pick(AXES);
        const tilted = add(around, scale(near, off));
        for (const axis of [off, scale(1 / norm(tilted), tilted)]) {
          const E = axisFrame(axis);
          isRotation(E, 4e-15);
          close(apply(E, axis), [0, 0, 1], 4e-15);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('only renames and turns round components for the coordinate axes', () => {
    for (const axis of AXES) {
      const E = axisFrame(axis);
      expect(E.every((e) => Math.abs(e) === 1 || e === 0)).toBe(true);
      expect(apply(E, axis).map((x) => x + 0)).toEqual([0, 0, 1]);
      expect(determinant(E)).toBe(1);
    }
    expect(axisFrame([0, 0, 1]).map((e) => e + 0)).toEqual(IDENTITY3);
  });
});

describe('rotationDefect and orthonormalised', () => {
  it('measure and remove what rounding in a file does to a rotation', () => {
    fc.assert(
      fc.property(seeds, fc.constantFrom(2e-5, 1e-6, 1e-9, 0), (seed, noise) => {
        const random = new Random(seed);
        const R = rotationFromQuaternion(random.quaternion());
        const rough = R.map((r) => r + random.between(-noise, noise)) as unknown as Mat3;
        expect(rotationDefect(rough)).toBeLessThan(6 * noise + 4e-15);
        const E = orthonormalised(rough);
        // Once made exact it counts as exact, and stays as it is when it is read again.
        expect(rotationDefect(E)).toBeLessThan(1e-15);
        close(E, R, 4 * noise + 4e-15);
        // The nearest rotation is the polar factor: E^T rough is symmetric.
        const P = multiply(transpose(E), rough);
        close([P[1], P[2], P[5]], [P[3], P[6], P[7]], 1e-14);
      }),
    );
  });

  it('a reflection, a stretch, zero and NaN are no rotations', () => {
    expect(rotationDefect([1, 0, 0, 0, 1, 0, 0, 0, -1])).toBeGreaterThanOrEqual(1);
    expect(rotationDefect([2, 0, 0, 0, 1, 0, 0, 0, 1])).toBeGreaterThanOrEqual(1);
    expect(rotationDefect([0, 0, 0, 0, 0, 0, 0, 0, 0])).toBeGreaterThanOrEqual(1);
    expect(rotationDefect([Number.NaN, 0, 0, 0, 1, 0, 0, 0, 1])).toBeNaN();
    expect(rotationDefect(IDENTITY3)).toBe(0);
  });
});

describe('symmetricEigen', () => {
  function check(A: Mat3): void {
    const { values, vectors } = symmetricEigen(A);
    const size = Math.max(...A.map(Math.abs), Number.MIN_VALUE);
    expect([...values].sort((a, b) => a - b)).toEqual([...values]);
    expect(relativeError(multiply(vectors, transpose(vectors)), IDENTITY3)).toBeLessThan(4e-15);
    const V = rows3(vectors);
    const back = product(
      product(V, [
        [values[0], 0, 0],
        [0, values[1], 0],
        [0, 0, values[2]],
      ]),
      transposed(V),
    ).flat();
    for (let k = 0; k < 9; k++) expect(Math.abs(back[k] - A[k])).toBeLessThanOrEqual(1e-14 * size);
  }

  it('takes matrices apart: any, nearly diagonal ones, huge and tiny ones', () => {
    fc.assert(
      fc.property(seeds, fc.constantFrom(1, 1e-200, 1e150), fc.constantFrom(1, 1e-9, 0), (seed, size, off) => {
        const S = symmetric(new Random(seed));
        check(S.map((s, k) => size * (k % 4 === 0 ? s : off * s)) as unknown as Mat3);
      }),
      { numRuns: 300 },
    );
  });

  it('takes those with equal eigenvalues apart', () => {
    const R = rotationFromQuaternion(new Random(3).quaternion());
    for (const [a, b, c] of [
      [1, 1, 1],
      [1, 1, 2],
      [1, 2, 2],
      [0, 0, 1],
      [-1, 0, 1],
      [0, 0, 0],
      [1e-12, 1, 1e12],
    ]) {
      const A = multiply(multiply(R, [a, 0, 0, 0, b, 0, 0, 0, c]), transpose(R));
      const S = A.map((x, k) => (x + transpose(A)[k]) / 2) as unknown as Mat3;
      check(S);
      close(
        symmetricEigen(S).values,
        [a, b, c].sort((x, y) => x - y),
        1e-14 * Math.max(c, 1),
      );
    }
  });

  it('gives the roots of the characteristic polynomial', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const A = symmetric(new Random(seed));
        for (const value of symmetricEigen(A).values) {
          const shifted = A.map((a, k) => a - (k % 4 === 0 ? value : 0)) as unknown as Mat3;
          expect(Math.abs(determinant(shifted))).toBeLessThan(1e-13);
        }
      }),
    );
  });
});
