import { describe, expect, it } from 'vitest';
import { collide, collider, Manifold } from '../../src/contact/index.js';
import { type Geometry, GROUND } from '../../src/mechanism/mechanism.js';
import { IDENTITY3, rotationAbout, transpose, type Vec3 } from '../../src/spatial/matrix3.js';

const make = (geometry: Geometry) => collider(GROUND, { geometry, E: IDENTITY3, t: [0, 0, 0] });
const at = (t: Vec3, R = IDENTITY3) => Float64Array.from([...transpose(R), ...t]);

describe('shapes on a plane', () => {
  const plane = make({ kind: 'plane' });
  const out = new Manifold();
  it.each<[string, Geometry, number, number]>([
    ['sphere', { kind: 'sphere', radius: 0.5 }, 0.5, 1],
    ['capsule standing', { kind: 'capsule', radius: 0.25, length: 0.5 }, 0.5, 1],
    ['box', { kind: 'box', size: [1, 2, 1] }, 0.5, 4],
    ['cylinder', { kind: 'cylinder', radius: 0.3, length: 1 }, 0.5, 4],
    ['cone', { kind: 'cone', radius: 0.3, length: 1 }, 0.5, 4],
    ['ellipsoid', { kind: 'ellipsoid', radii: [1, 2, 0.5] }, 0.5, 1],
    ['hull', { kind: 'hull', points: Float64Array.of(0, 0, -0.5, 1, 0, -0.5, 0, 1, -0.5, 0, 0, 1) }, 0.5, 3],
  ])('%s', (_name, geometry, height, points) => {
    for (const depth of [0.01, 0, -0.004]) {
      expect(collide(out, make(geometry), at([3, 4, height - depth]), 0, plane, at([0, 0, 0]), 0, 0.005)).toBe(points);
      for (let k = 0; k < points; k++) {
        expect(out.gap[k]).toBeCloseTo(-depth, 14);
        expect(Array.from(out.normal.subarray(3 * k, 3 * k + 3))).toEqual([0, 0, 1]);
        expect(out.position[3 * k + 2]).toBe(0);
      }
      expect(new Set(out.feature.subarray(0, points)).size).toBe(points);
    }
    expect(collide(out, make(geometry), at([3, 4, height + 0.01]), 0, plane, at([0, 0, 0]), 0, 0.005)).toBe(0);
  });

  it('a lying capsule and a lying cylinder touch in two points', () => {
    for (const kind of ['capsule', 'cylinder'] as const) {
      const X = at([0, 0, 0.2], rotationAbout([0, 1, 0], Math.PI / 2));
      expect(collide(out, make({ kind, radius: 0.2, length: 1 }), X, 0, plane, at([0, 0, 0]), 0, 1e-9)).toBe(2);
      expect(Math.abs(out.position[0] - out.position[3])).toBeCloseTo(1, 14);
    }
  });
});

describe('two spheres', () => {
  const out = new Manifold();
  it('give the gap along the line of their centres, the same from both sides', () => {
    const a = make({ kind: 'sphere', radius: 1 });
    const b = make({ kind: 'capsule', radius: 1, length: 0 });
    expect(collide(out, a, at([0, 0, 0]), 0, b, at([0, 1.5, 0]), 0, 0)).toBe(1);
    expect([out.normal[1], out.gap[0]]).toEqual([-1, -0.5]);
    collide(out, b, at([0, 1.5, 0]), 0, a, at([0, 0, 0]), 0, 0);
    expect([out.normal[1], out.gap[0]]).toEqual([1, -0.5]);
  });
});
