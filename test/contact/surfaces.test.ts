import { describe, expect, it } from 'vitest';
import { collide, collider, Manifold } from '../../src/contact/index.js';
import { type Geometry, GROUND } from '../../src/mechanism/mechanism.js';
import { Random } from '../../src/mechanism/random.js';
import { IDENTITY3, rotationFromQuaternion, type Vec3 } from '../../src/spatial/matrix3.js';
import { separation, solid } from '../support/collision-reference.js';
import { colliderOf, KINDS, pose, shape } from './placements.js';

const ground = (geometry: Geometry) => collider(GROUND, { geometry, E: IDENTITY3, t: [0, 0, 0] });
const ORIGIN = pose({ R: IDENTITY3, t: [0, 0, 0] });

/** A height field, and the same triangles as a mesh with vertices of its own for each triangle. */
function twice(height: (x: number, y: number) => number, cells = 8, size = 4): Geometry[] {
  const at = (k: number): number => (k / cells - 0.5) * size;
  const heights = Float64Array.from({ length: (cells + 1) ** 2 }, (_, k) =>
    height(at(k % (cells + 1)), at(Math.floor(k / (cells + 1)))),
  );
  const vertex = (r: number, c: number): number[] => [at(c), at(r), heights[r * (cells + 1) + c]];
  const points: number[] = [];
  for (let r = 0; r < cells; r++)
    for (let c = 0; c < cells; c++) {
      points.push(...vertex(r, c), ...vertex(r, c + 1), ...vertex(r + 1, c + 1));
      points.push(...vertex(r, c), ...vertex(r + 1, c + 1), ...vertex(r + 1, c));
    }
  const data = {
    points: Float64Array.from(points),
    triangles: Uint32Array.from({ length: points.length / 3 }, (_, k) => k),
  };
  return [
    { kind: 'heights', rows: cells + 1, columns: cells + 1, size: [size, size], heights },
    { kind: 'mesh', path: 'ground.stl', scale: [1, 1, 1], data },
  ];
}

describe.each(twice(() => 0.25).map((geometry) => [geometry.kind, geometry] as const))(
  'a flat %s',
  (_kind, geometry) => {
    const surface = ground(geometry);
    const plane = ground({ kind: 'plane' });
    const raised = pose({ R: IDENTITY3, t: [0, 0, 0.25] });
    const out = new Manifold();
    const other = new Manifold();

    it('is a plane to every shape, wherever it lies: same gap, same normal, edges between triangles are not felt', () => {
      for (const kind of KINDS)
        for (let seed = 1; seed <= 200; seed++) {
          const random = new Random(seed);
          const body = colliderOf(shape(kind, random));
          const R = rotationFromQuaternion(random.quaternion());
          const t: Vec3 = [random.between(-0.8, 0.8), random.between(-0.8, 0.8), random.between(0.3, 0.9)];
          const grid = seed % 3 === 0;
          const X = pose({ R, t: grid ? [0.5, seed % 2 === 0 ? 0.25 : 0.5, t[2]] : t });
          const expected = collide(other, body, X, 0, plane, raised, 0, 0.02);
          const found = collide(out, body, X, 0, surface, ORIGIN, 0, 0.02);
          expect(found > 0, `${kind}, seed ${seed}`).toBe(expected > 0);
          if (expected === 0) continue;
          const least = (m: Manifold): number => Math.min(...m.gap.subarray(0, m.count));
          // A mesh has no inside: what is deep below it no longer touches all the triangles above.
          if (geometry.kind === 'mesh' && least(other) < -0.02) continue;
          expect(Math.abs(least(out) - least(other)), `${kind}, seed ${seed}`).toBeLessThan(1e-9);
          for (let k = 0; k < found; k++) {
            expect(out.normal[3 * k + 2]).toBeCloseTo(1, 12);
            expect(out.position[3 * k + 2]).toBeCloseTo(0.25, 9);
          }
        }
    });

    it('a ball that rolls over it feels one point at a time, or two on an edge, always straight up', () => {
      const ball = colliderOf({ kind: 'sphere', radius: 0.3 });
      for (let k = 0; k <= 1000; k++) {
        const x = -1.5 + 0.003 * k;
        const count = collide(out, ball, pose({ R: IDENTITY3, t: [x, 0.37 * x, 0.549] }), 0, surface, ORIGIN, 0, 0.01);
        expect(count).toBe(1);
        expect(out.gap[0]).toBeCloseTo(-0.001, 12);
        expect(Math.abs(out.normal[2] - 1)).toBeLessThan(1e-14);
      }
    });

    it('a box stands on four points as far apart as its corners', () => {
      const box = colliderOf({ kind: 'box', size: [1.3, 1.1, 0.4] });
      expect(collide(out, box, pose({ R: IDENTITY3, t: [0.07, -0.11, 0.4499] }), 0, surface, ORIGIN, 0, 0.01)).toBe(4);
      const xs = [0, 1, 2, 3].map((k) => out.position[3 * k]);
      const ys = [0, 1, 2, 3].map((k) => out.position[3 * k + 1]);
      expect(Math.max(...xs) - Math.min(...xs)).toBeCloseTo(1.3, 12);
      expect(Math.max(...ys) - Math.min(...ys)).toBeCloseTo(1.1, 12);
      expect(new Set(out.feature.subarray(0, 4)).size).toBe(4);
    });
  },
);

describe.each(
  twice((x, y) => 0.3 * x * x + 0.1 * Math.round(2 * y)).map((geometry) => [geometry.kind, geometry] as const),
)('a bent %s', (_kind, geometry) => {
  const surface = ground(geometry);
  const out = new Manifold();

  it('every point separates the shape from a triangle by its gap, and lies within the margin', () => {
    let points = 0;
    for (const kind of KINDS)
      for (let seed = 1; seed <= 60; seed++) {
        const random = new Random(seed);
        const made = shape(kind, random);
        const R = rotationFromQuaternion(random.quaternion());
        const t: Vec3 = [random.between(-1, 1), random.between(-1, 1), random.between(0.2, 0.9)];
        const found = collide(out, colliderOf(made), pose({ R, t }), 0, surface, ORIGIN, 0, 0.02);
        const body = solid(made, { R, t });
        for (let k = 0; k < found; k++) {
          points++;
          const n = [0, 1, 2].map((i) => out.normal[3 * k + i]) as unknown as Vec3;
          const p = [0, 1, 2].map((i) => out.position[3 * k + i]) as unknown as Vec3;
          expect(out.gap[k]).toBeLessThanOrEqual(0.02);
          expect(Math.hypot(...n)).toBeCloseTo(1, 12);
          expect(n[2]).toBeGreaterThan(0);
          // The surface point against the shape: never deeper than the gap says, to the tilt of nearby triangles.
          const point = solid({ kind: 'sphere', radius: 1e-9 }, { R: IDENTITY3, t: p });
          expect(separation(body, point, n)).toBeLessThan(out.gap[k] + 0.02);
        }
      }
    expect(points).toBeGreaterThan(100);
  });

  it('a ball in a groove touches both sides, a ball on a ridge one edge', () => {
    const [groove, ridge] = [1, -1].map((sign) => twice((x) => sign * Math.abs(x))[geometry.kind === 'mesh' ? 1 : 0]);
    const ball = colliderOf({ kind: 'sphere', radius: 0.2 });
    const low = pose({ R: IDENTITY3, t: [0, 0.03, 0.2 * Math.SQRT2] });
    expect(collide(out, ball, low, 0, ground(groove), ORIGIN, 0, 1e-6)).toBe(2);
    expect(out.normal[0] + out.normal[3]).toBeCloseTo(0, 12);
    expect(out.gap[0]).toBeCloseTo(0, 12);
    const high = pose({ R: IDENTITY3, t: [0.01, 0.03, 0.19] });
    expect(collide(out, ball, high, 0, ground(ridge), ORIGIN, 0, 1e-6)).toBe(1);
    expect(out.gap[0]).toBeCloseTo(Math.hypot(0.01, 0.19) - 0.2, 12);
    expect(out.normal[0]).toBeCloseTo(0.01 / Math.hypot(0.01, 0.19), 12);
  });
});

describe('what has sunk', () => {
  it('a ball under a height field is pushed up, one under a mesh has passed through', () => {
    const [heights, mesh] = twice(() => 0);
    const ball = colliderOf({ kind: 'sphere', radius: 0.1 });
    const X = pose({ R: IDENTITY3, t: [0.1, 0.3, -0.5] });
    const out = new Manifold();
    expect(collide(out, ball, X, 0, ground(heights), ORIGIN, 0, 0)).toBe(1);
    expect([out.gap[0], out.normal[2]]).toEqual([-0.6, 1]);
    expect(collide(out, ball, X, 0, ground(mesh), ORIGIN, 0, 0)).toBe(0);
  });
});
