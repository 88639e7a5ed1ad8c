// The narrow phase, pair by pair: microseconds of a call, over placements that touch shallowly, are near, and are deep.

import { type Collider, collide, collider, Manifold } from '#src/contact/index.js';
import type { Geometry } from '#src/mechanism/mechanism.js';
import { GROUND } from '#src/mechanism/mechanism.js';
import { Random } from '#src/mechanism/random.js';
import { IDENTITY3, rotationFromQuaternion, transpose } from '#src/spatial/matrix3.js';
import { measure, type NamedCall } from '../measure.js';

const points = new Random(1);
const SHAPES: readonly Geometry[] = [
  { kind: 'sphere', radius: 0.5 },
  { kind: 'capsule', radius: 0.25, length: 0.6 },
  { kind: 'box', size: [0.8, 1, 0.6] },
  { kind: 'cylinder', radius: 0.4, length: 0.9 },
  { kind: 'cone', radius: 0.5, length: 1 },
  { kind: 'ellipsoid', radii: [0.3, 0.5, 0.4] },
  { kind: 'hull', points: Float64Array.from({ length: 60 }, () => points.between(-0.5, 0.5)) },
];
const GROUNDS: readonly Geometry[] = [
  { kind: 'plane' },
  { kind: 'heights', rows: 33, columns: 33, size: [8, 8], heights: new Float64Array(33 * 33) },
];

/** Placements of a pair, gone through in turn. */
const PLACES = 64;

/** Poses of b so that the pair is `depth` deep along the line to it, to a tenth of a millimetre. */
function places(a: Collider, b: Collider, depth: number): Float64Array {
  const random = new Random(7);
  const out = new Manifold();
  const XA = Float64Array.from([...IDENTITY3, 0, 0, 0]);
  const X = new Float64Array(12 * PLACES);
  for (let k = 0; k < PLACES; k++) {
    const E = transpose(rotationFromQuaternion(random.quaternion()));
    const d = b.body === GROUND ? [0, 0, -1] : random.direction();
    let [low, high] = [0, 3];
    for (let step = 0; step < 20; step++) {
      const far = (low + high) / 2;
      const at = Float64Array.from([...(b.body === GROUND ? IDENTITY3 : E), ...d.map((x) => far * x)]);
      const count = collide(out, a, XA, 0, b, at, 0, 0.01);
      const gap = Math.min(...out.gap.subarray(0, count));
      if (count > 0 && gap < -depth) low = far;
      else high = far;
      X.set(at, 12 * k);
    }
  }
  return X;
}

export function run(): object {
  const out = new Manifold();
  const XA = Float64Array.from([...IDENTITY3, 0, 0, 0]);
  const made = (geometry: Geometry, body: number): Collider => collider(body, { geometry, E: IDENTITY3, t: [0, 0, 0] });
  const results: Record<string, Record<string, number>> = {};
  const pairs = SHAPES.flatMap((a, i) => [...GROUNDS, ...SHAPES.slice(i)].map((b) => [a, b] as const));
  for (const [p, q] of pairs) {
    const [a, b] = [made(p, 0), made(q, GROUNDS.includes(q) ? GROUND : 1)];
    const tasks = (
      [
        ['1 mm deep', 0.001],
        ['1 mm apart', -0.001],
        ['100 mm deep', 0.1],
      ] as const
    ).map(([name, depth]): NamedCall => {
      const X = places(a, b, depth);
      let k = 0;
      return {
        name,
        call: () => {
          k = (k + 1) % PLACES;
          collide(out, a, XA, 0, b, X, 12 * k, 0.002);
        },
      };
    });
    results[`${p.kind} ${q.kind}`] = Object.fromEntries(
      measure(tasks, 20).map(({ name, ns }) => [name, Number((ns / 1000).toFixed(2))]),
    );
  }
  return results;
}
