// Impacts of random mechanisms: the energy never grows, the cone holds, the ground does not pull, the point does not go on into it,
// and "stick" means that it stands. MANIKIN_LONG=1 tries 10 000.

import { describe, expect, it } from 'vitest';
import { impact } from '../../src/dynamics/impact.js';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { Random } from '../../src/mechanism/random.js';
import { State } from '../../src/mechanism/state.js';
import { dot, norm, scale, subtract, type Vec3 } from '../../src/spatial/matrix3.js';
import { randomMechanism } from '../support/random-mechanism.js';

const LONG = process.env.MANIKIN_LONG === '1';

function assertLaws(
  mechanism: Mechanism,
  state: State,
  options: { body: string; at: Vec3; normal: Vec3; restitution: number; friction: number },
  where: string,
): string {
  const { normal, friction } = options;
  const dynamics = new PlainDynamics(mechanism);
  const result = impact(mechanism, state, options);
  const [before, after] = [dynamics.energy(state).kinetic, dynamics.energy(result.state).kinetic];
  expect(after, `${where}: energy`).toBeLessThanOrEqual(before * (1 + 1e-12) + 1e-15);
  expect(Math.abs(before - after - result.energyLost), where).toBeLessThanOrEqual(1e-9 * (before + 1));
  const pressed = dot(result.impulse, normal);
  expect(pressed, `${where}: pulls`).toBeGreaterThanOrEqual(-1e-14 * norm(result.impulse));
  const across = norm(subtract(result.impulse, scale(pressed, normal)));
  if (Number.isFinite(friction))
    expect(across, `${where}: cone`).toBeLessThanOrEqual(friction * pressed + 1e-9 * norm(result.impulse));
  const speed = norm(result.before);
  expect(dot(result.after, normal), `${where}: goes on`).toBeGreaterThanOrEqual(-1e-7 * speed);
  const slides = norm(subtract(result.after, scale(dot(result.after, normal), normal)));
  if (result.contact === 'stick') expect(slides, `${where}: stick slides`).toBeLessThanOrEqual(2e-7 * speed);
  return result.contact;
}

const bar = {
  name: 'a',
  mass: 1,
  com: [0.5, 0, 0] as const,
  inertia: [1e-3, 0, 0, 0, 1 / 12, 0, 0, 0, 1 / 12] as const,
};

describe('impact', () => {
  it.each(['planar', 'revolute', 'prismatic', 'spherical', 'universal', 'cylindrical'] as const)(
    'the end of a bar on a %s joint',
    (type) => {
      const mechanism = createMechanism({
        bodies: [bar],
        joints: [{ name: 'j', type, parent: null, child: 'a', axis: [0, -1, 0], axis2: [0, 0, 1] }],
      });
      const random = new Random(5);
      for (let seed = 1; seed <= (LONG ? 1500 : 80); seed++) {
        const state = State.random(mechanism, seed);
        const X = new PlainDynamics(mechanism).poses(state);
        const at: Vec3 = [X[9] + X[0], X[10] + X[1], X[11] + X[2]];
        const restitution = random.pick([0, 0.3, 0.8, 1]);
        const friction = random.pick([0, 0.1, 0.6, 1, 5, Number.POSITIVE_INFINITY]);
        const normal = random.pick([[0, 0, 1] as const, random.direction()]);
        assertLaws(mechanism, state, { body: 'a', at, normal, restitution, friction }, `${type}, seed ${seed}`);
      }
    },
  );

  it('anywhere on random mechanisms', () => {
    const count = LONG ? 10_000 : 300;
    const contacts = new Map<string, number>();
    for (let seed = 1; seed <= count; seed++) {
      const mechanism = randomMechanism(seed, { forest: seed % 3 === 0, armature: seed % 4 === 0 });
      const random = new Random(seed + 1);
      const state = State.random(mechanism, seed);
      const index = random.below(mechanism.bodies.length);
      const X = new PlainDynamics(mechanism).poses(state).subarray(12 * index);
      const at: Vec3 = [
        X[9] + random.between(-0.5, 0.5),
        X[10] + random.between(-0.5, 0.5),
        X[11] + random.between(-0.5, 0.5),
      ];
      const contact = assertLaws(
        mechanism,
        state,
        {
          body: mechanism.bodies[index].name,
          at,
          normal: random.direction(),
          restitution: random.pick([0, 0.2, 0.5, 0.9, 1]),
          friction: random.pick([0, 0.05, 0.3, 1, 3, 20, Number.POSITIVE_INFINITY]),
        },
        `seed ${seed}`,
      );
      contacts.set(contact, (contacts.get(contact) ?? 0) + 1);
    }
    console.log(`${count} impacts, seeds 1 to ${count}:`, Object.fromEntries(contacts));
    for (const contact of ['none', 'stick', 'slip']) expect(contacts.get(contact) ?? 0).toBeGreaterThan(count / 50);
  });
});
