import { describe, expect, it } from 'vitest';
import {
  BroadPhase,
  type Collider,
  collide,
  collider,
  Manifold,
  neighbours,
  placeColliders,
} from '../../src/contact/index.js';
import { MechanismBuilder } from '../../src/mechanism/builder.js';
import { GROUND } from '../../src/mechanism/mechanism.js';
import { Random } from '../../src/mechanism/random.js';
import { IDENTITY3, rotationFromQuaternion, transpose } from '../../src/spatial/matrix3.js';
import { KINDS, shape } from './placements.js';

const placed = (body: number, random: Random, more = {}): Collider =>
  collider(body, {
    geometry: shape(random.pick(KINDS), random),
    E: transpose(rotationFromQuaternion(random.quaternion())),
    t: [random.between(-0.3, 0.3), random.between(-0.3, 0.3), 0],
    ...more,
  });

function randomPoses(count: number, random: Random, size: number): Float64Array {
  return Float64Array.from(
    Array.from({ length: count }, () => [
      ...transpose(rotationFromQuaternion(random.quaternion())),
      ...[0, 1, 2].map(() => random.between(-size, size)),
    ]).flat(),
  );
}

describe('broad phase', () => {
  it('finds every pair that touches, whatever came before, sorted', () => {
    const random = new Random(1);
    const colliders = Array.from({ length: 40 }, (_, k) => placed(k % 30, random));
    colliders.push(
      collider(GROUND, {
        geometry: { kind: 'plane' },
        E: transpose(rotationFromQuaternion(random.quaternion())),
        t: [0, 0, 0],
      }),
    );
    const broad = new BroadPhase(colliders);
    const out = new Manifold();
    const X = new Float64Array(12 * colliders.length);
    for (let round = 0; round < 20; round++) {
      placeColliders(X, colliders, randomPoses(30, random, random.between(0.5, 3)));
      const margin = random.between(0, 0.1);
      broad.margins.fill(margin / 2);
      broad.update(X);
      const found = Array.from({ length: broad.count }, (_, k) => `${broad.pairs[2 * k]} ${broad.pairs[2 * k + 1]}`);
      const keys = found.map((pair) => pair.split(' ').map(Number)).map(([a, b]) => 1000 * a + b);
      expect(keys).toEqual([...keys].sort((p, q) => p - q));
      expect(new Set(found).size).toBe(found.length);
      let touching = 0;
      for (let a = 0; a < colliders.length; a++)
        for (let b = a + 1; b < colliders.length; b++) {
          if (colliders[a].body === colliders[b].body) continue;
          if (collide(out, colliders[a], X, 12 * a, colliders[b], X, 12 * b, margin) === 0) continue;
          touching++;
          expect(found, `round ${round}`).toContain(`${a} ${b}`);
        }
      expect(touching).toBeGreaterThan(0);
      expect(found.length).toBeLessThan(colliders.length * colliders.length);
      // A broad phase made afresh says the same.
      const fresh = new BroadPhase(colliders);
      fresh.margins.set(broad.margins);
      fresh.update(X);
      expect(fresh.pairs.subarray(0, 2 * fresh.count)).toEqual(broad.pairs.subarray(0, 2 * broad.count));
    }
  });

  it('leaves out shapes of one body, pairs of bodies that are named, and what group and mask say', () => {
    const ball = (body: number, more = {}): Collider =>
      collider(body, { geometry: { kind: 'sphere', radius: 1 }, E: IDENTITY3, t: [0, 0, 0], ...more });
    const pairsOf = (colliders: Collider[], filter = {}): string[] => {
      const broad = new BroadPhase(colliders, filter);
      const X = new Float64Array(12 * colliders.length);
      placeColliders(X, colliders, randomPoses(8, new Random(1), 0));
      broad.update(X);
      return Array.from({ length: broad.count }, (_, k) => `${broad.pairs[2 * k]}-${broad.pairs[2 * k + 1]}`);
    };
    expect(pairsOf([ball(0), ball(0), ball(1)])).toEqual(['0-2', '1-2']);
    expect(pairsOf([ball(0), ball(1), ball(2)], { without: [[2, 0]] })).toEqual(['0-1', '1-2']);
    expect(pairsOf([ball(0), ball(1)], { accept: () => false })).toEqual([]);
    expect(pairsOf([ball(GROUND), ball(GROUND), ball(1)])).toEqual(['0-2', '1-2']);
    // Either way is enough, as in MJCF.
    expect(pairsOf([ball(0, { group: 2, mask: 0 }), ball(1, { group: 0, mask: 2 })])).toEqual(['0-1']);
    expect(pairsOf([ball(0, { group: 2, mask: 0 }), ball(1, { group: 0, mask: 1 })])).toEqual([]);
    expect(pairsOf([ball(0, { group: 0x80000000 }), ball(1, { mask: 0x80000000, group: 0 })])).toEqual(['0-1']);
  });

  it('neighbours are bodies with a joint between them, not the ground', () => {
    const mechanism = new MechanismBuilder('chain')
      .link('a', { parent: null, joint: { type: 'floating' }, mass: 1 })
      .link('b', { parent: 'a', joint: { type: 'revolute' }, mass: 1 })
      .link('c', { parent: 'b', joint: { type: 'revolute' }, mass: 1 })
      .build();
    expect(neighbours(mechanism)).toEqual([
      [0, 1],
      [1, 2],
    ]);
  });
});
