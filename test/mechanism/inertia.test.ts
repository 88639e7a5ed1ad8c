// Inertias that no real body has, in the three modes.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMechanism } from '../../src/mechanism/create.js';
import { inertiaFault, repairedInertia } from '../../src/mechanism/inertia-check.js';
import { Random } from '../../src/mechanism/random.js';
import {
  apply,
  type Mat3,
  multiply,
  rotationFromQuaternion,
  symmetricEigen,
  transpose,
  type Vec3,
} from '../../src/spatial/matrix3.js';
import { randomInertia, relativeError } from '../support/random-mechanism.js';
import { codesOf, rowWithBody } from './support.js';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

/** The inertia with these principal moments along the columns of a random rotation. */
function turned(random: Random, [a, b, c]: Vec3): { I: Mat3; axes: Mat3 } {
  const axes = rotationFromQuaternion(random.quaternion());
  const I = multiply(multiply(axes, [a, 0, 0, 0, b, 0, 0, 0, c]), transpose(axes));
  return { I: I.map((x, k) => (x + transpose(I)[k]) / 2) as unknown as Mat3, axes };
}

const IMPOSSIBLE: readonly Vec3[] = [
  [0.1, 0.2, 0.5],
  [0.001, 0.001, 1],
  [0, 0, 1],
  [-0.1, 0.5, 0.6],
  [-1, -1, 1],
  [1e-9, 2e-9, 1e-8],
];

describe('inertias that no real body has', () => {
  const I: Mat3 = [0.1, 0, 0, 0, 0.2, 0, 0, 0, 0.5];

  it('are refused where nothing is said', () => {
    expect(codesOf(rowWithBody({ inertia: I }))).toEqual(['triangle-inequality body "b"']);
    expect(codesOf(rowWithBody({ inertia: I }), { inertia: 'reject' })).toEqual(['triangle-inequality body "b"']);
  });

  it('pass as they are with a warning that gives the moments', () => {
    const { bodies, warnings } = createMechanism(rowWithBody({ inertia: I }), { inertia: 'warn' });
    expect(bodies[1].inertia).toEqual(I);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatchObject({ code: 'triangle-inequality', where: 'body "b"' });
    expect(warnings[0].message).toContain('0.1, 0.2, 0.5');
  });

  it('are repaired with a warning that says so', () => {
    const { bodies, warnings } = createMechanism(rowWithBody({ inertia: I }), { inertia: 'repair' });
    expect(inertiaFault(bodies[1].inertia)).toBeUndefined();
    expect(bodies[1].inertia).not.toEqual(I);
    expect(warnings).toHaveLength(1);
    expect(warnings[0].message).toMatch(/changed/);
  });

  it('an asymmetric one becomes symmetric', () => {
    const skewed: Mat3 = [1, 0.2, 0, 0, 1, 0, 0, 0, 1];
    for (const inertia of ['warn', 'repair'] as const) {
      const { bodies, warnings } = createMechanism(rowWithBody({ inertia: skewed }), { inertia });
      expect(relativeError(bodies[1].inertia, [1, 0.1, 0, 0.1, 1, 0, 0, 0, 1])).toBeLessThan(1e-14);
      expect(warnings.map(({ code }) => code)).toEqual(['asymmetric']);
    }
  });

  it('warnings of whoever read the file come first', () => {
    const earlier = { code: 'read', where: 'file:1', message: 'Something.' };
    const { warnings } = createMechanism(rowWithBody({ inertia: I }), { inertia: 'warn', warnings: [earlier] });
    expect(warnings.map(({ code }) => code)).toEqual(['read', 'triangle-inequality']);
  });
});

describe('repair', () => {
  it('gives a possible inertia with the same principal axes, not far off', () => {
    fc.assert(
      fc.property(seeds, fc.constantFrom(...IMPOSSIBLE), (seed, moments) => {
        const { I, axes } = turned(new Random(seed), moments);
        expect(inertiaFault(I)).toBeDefined();
        const repaired = repairedInertia(I);
        expect(repaired).toEqual(transpose(repaired));
        expect(inertiaFault(repaired)).toBeUndefined();
        const { values } = symmetricEigen(repaired);
        const size = Math.max(...moments.map(Math.abs));
        expect(values[0]).toBeGreaterThan(0);
        expect(values[0] + values[1]).toBeGreaterThanOrEqual(values[2] * (1 - 1e-9));
        // Same axes: what was an eigenvector still is.
        for (let k = 0; k < 3; k++) {
          const axis: Vec3 = [axes[k], axes[3 + k], axes[6 + k]];
          const image = apply(repaired, axis);
          const along = image[0] * axis[0] + image[1] * axis[1] + image[2] * axis[2];
          for (let j = 0; j < 3; j++) expect(Math.abs(image[j] - along * axis[j])).toBeLessThan(1e-13 * size);
        }
        // No further away than the faults are large.
        for (let k = 0; k < 9; k++) expect(Math.abs(repaired[k] - I[k])).toBeLessThan(2.1 * size);
      }),
    );
  });

  it('cuts off what is negative of the second moments of mass', () => {
    // Moments 0.1, 0.2, 0.5 mean second moments 0.3, 0.2, -0.1: without the last they are 0.2, 0.3, 0.5.
    const { values } = symmetricEigen(repairedInertia([0.1, 0, 0, 0, 0.2, 0, 0, 0, 0.5]));
    expect(relativeError(values, [0.2, 0.3, 0.5])).toBeLessThan(1e-5);
  });
});

it('the quick test and the eigenvalues agree on what is possible', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const random = new Random(seed);
      expect(inertiaFault(randomInertia(random, random.between(1e-3, 1e3)))).toBeUndefined();
      const moments: Vec3 = [random.between(-0.2, 1), random.between(-0.2, 1), random.between(-0.2, 1)];
      const [a, b, c] = [...moments].sort((x, y) => x - y);
      const { I } = turned(random, moments);
      const expected = a < 0 ? 'not-positive-definite' : a + b < c ? 'triangle-inequality' : undefined;
      if (Math.min(Math.abs(a), Math.abs(a + b - c)) > 1e-5) expect(inertiaFault(I)?.fault).toBe(expected);
    }),
    { numRuns: 500 },
  );
});
