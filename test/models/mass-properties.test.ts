import { expect, test } from 'vitest';
import {
  carve,
  type MassProperties,
  slices,
  solidCylinder,
  solidSphere,
  weld,
} from '../../src/models/mass-properties.js';

function expectSame(one: MassProperties, other: MassProperties): void {
  expect(one.mass).toBeCloseTo(other.mass, 12);
  for (let k = 0; k < 3; k++) expect(one.com[k]).toBeCloseTo(other.com[k], 12);
  for (let k = 0; k < 9; k++) expect(one.inertia[k]).toBeCloseTo(other.inertia[k], 12);
}

const SKEW: MassProperties = { mass: 3, com: [0.1, -0.2, 0.3], inertia: [2, 0.1, -0.2, 0.1, 2.5, 0.3, -0.2, 0.3, 1.5] };

test('a cylinder has the inertia of the textbook', () => {
  const { mass, com, inertia } = solidCylinder(2, [0, 0, 1], [0, 0, 4], 0.5);
  expect(mass).toBe(2);
  expect(com).toEqual([0, 0, 2.5]);
  const across = 2 * (0.25 / 4 + 9 / 12);
  for (const [k, value] of [across, 0, 0, 0, across, 0, 0, 0, 0.25].entries())
    expect(inertia[k]).toBeCloseTo(value, 14);
});

test('a cylinder cut in two welds together again, whatever its direction', () => {
  const whole = solidCylinder(2, [0, 0, 0], [1, 2, -3], 0.4);
  expectSame(
    weld([solidCylinder(1, [0, 0, 0], [0.5, 1, -1.5], 0.4), solidCylinder(1, [0.5, 1, -1.5], [1, 2, -3], 0.4)]),
    whole,
  );
});

test('two points weld to a dumb-bell', () => {
  const dumbBell = weld([solidSphere(1, [0, 0, 0], 0), solidSphere(3, [0, 4, 0], 0)]);
  // Reduced mass 3/4 times the distance squared.
  expectSame(dumbBell, { mass: 4, com: [0, 3, 0], inertia: [12, 0, 0, 0, 0, 0, 0, 0, 12] });
});

test('what is carved out welds back in', () => {
  const pieces = [solidSphere(0.5, [0.2, 0.1, 0], 0.1), solidCylinder(0.25, [0, 0, 0], [0.1, 0.2, 0.3], 0.05)];
  const rest = carve(SKEW, pieces);
  expect(rest.mass).toBeCloseTo(2.25, 12);
  expectSame(weld([rest, ...pieces]), SKEW);
});

test('slices weld together again and are all alike', () => {
  const parts = slices(SKEW, 0.6, 4);
  expect(parts.map((part) => part.mass)).toEqual([0.75, 0.75, 0.75, 0.75]);
  expectSame(weld(parts), SKEW);
  for (let k = 1; k < 4; k++) {
    expect(parts[k].com[2] - parts[k - 1].com[2]).toBeCloseTo(0.15, 12);
    expect(parts[k].inertia).toEqual(parts[0].inertia);
  }
});

test('slices of a cylinder are cylinders', () => {
  const parts = slices(solidCylinder(3, [0, 0, 0], [0, 0, 0.9], 0.2), 0.9, 3);
  expectSame(parts[2], solidCylinder(1, [0, 0, 0.6], [0, 0, 0.9], 0.2));
});
