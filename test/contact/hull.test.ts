import { describe, expect, it } from 'vitest';
import { convexHull } from '../../src/contact/index.js';
import { Random } from '../../src/mechanism/random.js';
import { dot, norm, subtract, type Vec3 } from '../../src/spatial/matrix3.js';
import { planesOf } from '../support/collision-reference.js';

const vectors = (points: Float64Array): Vec3[] =>
  Array.from({ length: points.length / 3 }, (_, k) => [points[3 * k], points[3 * k + 1], points[3 * k + 2]]);

/** Every point inside, every vertex on a face, faces convex and turned outward, and the same planes as found by trying all. */
function check(points: Float64Array, seed: number): void {
  const hull = convexHull(points);
  const given = vectors(points);
  const corners = vectors(hull.points);
  const size = Math.max(...given.map((p) => norm(subtract(p, given[0]))));
  for (let f = 0; f + 1 < hull.starts.length; f++) {
    const normal = Array.from(hull.normals.subarray(3 * f, 3 * f + 3)) as unknown as Vec3;
    const offset = dot(normal, corners[hull.corners[hull.starts[f]]]);
    for (const p of given) expect(dot(normal, p), `seed ${seed}`).toBeLessThan(offset + 1e-9 * size);
    for (let k = hull.starts[f]; k < hull.starts[f + 1]; k++)
      expect(Math.abs(dot(normal, corners[hull.corners[k]]) - offset)).toBeLessThan(1e-9 * size);
  }
  const planes = planesOf(given);
  expect(hull.starts.length - 1, `seed ${seed}`).toBe(planes.length);
  // Euler: V - E + F = 2.
  expect(corners.length - new Set(hull.edges).size + hull.starts.length - 1, `seed ${seed}`).toBe(2);
}

describe('convex hull', () => {
  it('of random points', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = new Random(seed);
      check(
        Float64Array.from({ length: 3 * (4 + random.below(20)) }, () => random.between(-1, 1)),
        seed,
      );
    }
  });

  it('of points on a grid, many of them in one plane, on one line, or twice', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = new Random(seed);
      const cube = [0, 2].flatMap((x) => [0, 2].flatMap((y) => [0, 2].flatMap((z) => [x, y, z])));
      check(Float64Array.from([...cube, ...Array.from({ length: 45 }, () => random.below(3))]), seed);
    }
  });

  it('of thousands of points on a sphere has them all', () => {
    const random = new Random(1);
    const points = Float64Array.from(Array.from({ length: 2000 }, () => random.direction()).flat());
    const hull = convexHull(points);
    expect(hull.points.length).toBe(points.length);
    expect(hull.starts.length - 1).toBe(2 * 2000 - 4);
  });

  it('in a plane has two faces, on a line none, at a place one point', () => {
    const square = convexHull(Float64Array.of(0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0.5, 0.5, 1, 0.5, 0, 1));
    expect([square.dimension, square.points.length / 3, square.starts.length - 1]).toEqual([2, 4, 2]);
    const line = convexHull(Float64Array.of(0, 0, 0, 1, 1, 1, 0.5, 0.5, 0.5, -1, -1, -1));
    expect([line.dimension, [...line.points]]).toEqual([1, [1, 1, 1, -1, -1, -1]]);
    const place = convexHull(Float64Array.of(1, 2, 3, 1, 2, 3));
    expect([place.dimension, [...place.points]]).toEqual([0, [1, 2, 3]]);
  });

  it('refuses numbers that are none', () => {
    expect(() => convexHull(Float64Array.of(0, 0))).toThrow('x, y and z of one or more points');
    expect(() => convexHull(Float64Array.of(0, 0, Number.NaN))).toThrow('finite');
  });
});
