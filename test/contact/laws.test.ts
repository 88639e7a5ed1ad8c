// Laws that the narrow phase keeps whatever the shapes are: a pair is the same pair the other way round, and wherever the two are put.

import { describe, expect, it } from 'vitest';
import { Random } from '../../src/mechanism/random.js';
import { add, apply, multiply, rotationFromQuaternion, type Vec3 } from '../../src/spatial/matrix3.js';
import { awkwardCase, type Case, closestOf, faultOf, PAIRS, randomCase } from './placements.js';

const RUNS = Number(process.env.MANIKIN_COLLIDE ?? 40);

const distance = (a: readonly number[], b: readonly number[]): number => Math.hypot(...a.map((x, k) => x - b[k]));

describe('every pair of convex shapes', () => {
  it.each(PAIRS)('%s and %s: the same the other way round', (kindA, kindB) => {
    for (let seed = 1; seed <= RUNS; seed++) {
      const placed = randomCase(kindA, kindB, new Random(seed));
      const [one, other] = [closestOf(placed)!, closestOf({ a: placed.b, b: placed.a, XA: placed.XB, XB: placed.XA })!];
      expect(Math.abs(one.gap - other.gap), `seed ${seed}`).toBeLessThan(1e-10);
      // Where the depth is the same in two directions either is right.
      const turned = other.n.map((x) => -x);
      if (one.gap > 0) expect(distance(one.n, turned), `seed ${seed}`).toBeLessThan(1e-6);
    }
  });

  it.each(PAIRS)('%s and %s: the same wherever the two are put', (kindA, kindB) => {
    for (let seed = 1; seed <= RUNS; seed++) {
      const random = new Random(seed);
      const placed = randomCase(kindA, kindB, random);
      const R = rotationFromQuaternion(random.quaternion());
      const t: Vec3 = [random.between(-3, 3), random.between(-3, 3), random.between(-3, 3)];
      const put = ({ R: own, t: at }: Case['XA']): Case['XA'] => ({ R: multiply(R, own), t: add(t, apply(R, at)) });
      const [here, there] = [closestOf(placed)!, closestOf({ ...placed, XA: put(placed.XA), XB: put(placed.XB) })!];
      expect(Math.abs(here.gap - there.gap), `seed ${seed}`).toBeLessThan(1e-10);
      if (here.gap > 0) expect(distance(apply(R, here.n), there.n), `seed ${seed}`).toBeLessThan(1e-6);
    }
  });

  // Placements of long runs that once went wrong: edges that cross at a small angle, points at the rim of a cap, corners near an edge.
  it.each([
    ['cylinder', 'ellipsoid', 87429],
    ['cone', 'ellipsoid', 87429],
    ['capsule', 'hull', 69852],
    ['cone', 'hull', 37096],
    ['cone', 'cone', 50047],
    ['cone', 'cone', 13357],
    ['capsule', 'capsule', 84528],
    ['capsule', 'cylinder', 58000],
    ['capsule', 'cone', 58000],
    ['box', 'cylinder', 91729],
  ] as const)('%s and %s of seed %i', (a, b, seed) => {
    expect(faultOf(randomCase(a, b, new Random(seed)), 1e-7, true)).toBeUndefined();
  });

  it('a hull of millimetres over an edge of a hundred metres', () => {
    const placed = awkwardCase('tiny against huge', 'hull', 'hull', new Random(100));
    expect(faultOf(placed, 1e-7, true)).toBeUndefined();
  });
});
