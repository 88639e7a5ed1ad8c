import { describe, expect, test } from 'vitest';
import { chain } from '../../src/models/chain.js';
import { symmetricEigen } from '../../src/spatial/matrix3.js';

test.each([
  [32, 'revolute', 'fixed', 'chain-32', 32, 32],
  [32, 'spherical', 'fixed', 'chain-32-spherical', 96, 128],
  [32, 'revolute', 'floating', 'chain-32-free', 6 + 31, 7 + 31],
  [32, 'spherical', 'floating', 'chain-32-spherical-free', 6 + 93, 7 + 124],
  [1, 'revolute', 'fixed', 'chain-1', 1, 1],
  [1, 'revolute', 'floating', 'chain-1-free', 6, 7],
] as const)('%i links, %s, %s: %s', (n, joint, base, name, nv, nq) => {
  const found = chain(n, { joint, base });
  expect(found.name).toBe(name);
  expect(found.bodies.length).toBe(n);
  expect([found.nv, found.nq]).toEqual([nv, nq]);
  const types = found.joints.map((each) => each.type);
  expect(types[0]).toBe(base === 'floating' ? 'floating' : joint);
  expect(types.slice(1).every((type) => type === joint)).toBe(true);
});

describe('chain of 6', () => {
  const found = chain(6);

  test('is revolute with a fixed root where nothing is said', () => {
    expect(found.name).toBe('chain-6');
  });

  test('has axes that alternate', () => {
    const [x, y] = [
      [1, 0, 0],
      [0, 1, 0],
    ];
    expect(found.joints.map((joint) => joint.axis)).toEqual([x, y, x, y, x, y]);
    expect(
      chain(3, { base: 'floating' })
        .joints.map((joint) => joint.axis)
        .slice(1),
    ).toEqual([y, x]);
  });

  test('hangs link by link', () => {
    expect(found.joints.map((joint) => joint.parent)).toEqual([-1, 0, 1, 2, 3, 4]);
    expect(found.joints[0].t).toEqual([0, 0, 0]);
    for (const { t } of found.joints.slice(1)) expect(t).toEqual([0, 0, -0.2]);
    expect(found.bodies.map((body) => body.name)).toEqual(['link_1', 'link_2', 'link_3', 'link_4', 'link_5', 'link_6']);
    expect(found.joints[2].name).toBe('joint_3');
  });

  test('has links of one kilogram, with an inertia without symmetry and a shape', () => {
    for (const { mass, inertia, visuals } of found.bodies) {
      expect(mass).toBe(1);
      expect(inertia.every((value) => Math.abs(value) > 1e-5)).toBe(true);
      const [a, b, c] = symmetricEigen(inertia).values;
      expect(a).toBeGreaterThan(0);
      expect(a + b).toBeGreaterThan(c);
      expect(visuals.length).toBe(1);
    }
  });
});

test.each([0, -1, 2.5, Number.NaN, Number.POSITIVE_INFINITY, 1_000_001])('refuses %d links', (n) => {
  expect(() => chain(n)).toThrow(`1 to 1000000 links, got ${n}`);
});
