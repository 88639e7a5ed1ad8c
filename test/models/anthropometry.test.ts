import { expect, test } from 'vitest';
import {
  DE_LEVA_MALE,
  DE_LEVA_MALE_TRUNK,
  REFERENCE_SIZE,
  tableMass,
  UPRIGHT,
} from '../../src/models/anthropometry.js';
import { weld } from '../../src/models/mass-properties.js';

const { headAndNeck, upperTrunk, middleTrunk, lowerTrunk, upperArm, forearm, hand, thigh, shank, foot } = DE_LEVA_MALE;

test('the mass fractions add up to one', () => {
  const once = [headAndNeck, upperTrunk, middleTrunk, lowerTrunk];
  const twice = [upperArm, forearm, hand, thigh, shank, foot];
  const total = [...once, ...twice, ...twice].reduce((sum, { mass }) => sum + mass, 0);
  expect(total).toBeCloseTo(1, 12);
});

test('the parts of the trunk are as long as the whole', () => {
  expect(upperTrunk.length + middleTrunk.length + lowerTrunk.length).toBeCloseTo(DE_LEVA_MALE_TRUNK.length, 12);
});

test('the parts of the trunk make the whole trunk of the table', () => {
  // Row CERV-MIDH of the same table: mass 43.46 %, centre of mass 51.38 % from above, radii 32.8, 30.6 and 16.9 %.
  const L = DE_LEVA_MALE_TRUNK.length;
  const tops = [L, L - upperTrunk.length, lowerTrunk.length];
  const trunk = weld(
    [upperTrunk, middleTrunk, lowerTrunk].map((part, k) =>
      tableMass(part, REFERENCE_SIZE, [0, 0, tops[k] - part.com * part.length], UPRIGHT),
    ),
  );
  expect(trunk.mass / 73).toBeCloseTo(0.4346, 12);
  expect(Math.abs(1 - trunk.com[2] / L - 0.5138)).toBeLessThan(0.01);
  const radii = [0, 4, 8].map((k) => Math.sqrt(trunk.inertia[k] / trunk.mass) / L);
  for (const [k, radius] of [0.328, 0.306, 0.169].entries()) expect(Math.abs(radii[k] / radius - 1)).toBeLessThan(0.05);
});

test('every segment is one that can exist', () => {
  for (const { endpoints, com, sagittal, transverse, longitudinal } of Object.values(DE_LEVA_MALE)) {
    expect(com, endpoints).toBeGreaterThan(0);
    expect(com, endpoints).toBeLessThan(1);
    const [a, b, c] = [sagittal, transverse, longitudinal].map((radius) => radius ** 2).sort((x, y) => x - y);
    expect(a + b, endpoints).toBeGreaterThan(c);
  }
});
