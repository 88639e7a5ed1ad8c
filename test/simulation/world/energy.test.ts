import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import { createMechanism } from '../../../src/mechanism/create.js';
import type { Mechanism, Shape } from '../../../src/mechanism/mechanism.js';
import { Random } from '../../../src/mechanism/random.js';
import { State } from '../../../src/mechanism/state.js';
import { chain } from '../../../src/models/chain.js';
import { ball } from '../../../src/simulation/world/bodies.js';
import { World } from '../../../src/simulation/world/world.js';
import { randomSpec } from '../../support/random-mechanism.js';

const LONG = process.env.MANIKIN_LONG === '1';

/** A random mechanism of all joint types with a ball or a capsule on every body. */
function randomFigure(seed: number): Mechanism {
  const random = new Random(seed);
  const spec = randomSpec(seed, { base: 'floating', bodies: 1 + (seed % 9) });
  const shape = (): Shape => ({
    E: [1, 0, 0, 0, 1, 0, 0, 0, 1],
    t: [0, 0, 0],
    friction: random.pick([0, 0.5, 0.9]),
    geometry:
      random.below(2) === 0
        ? { kind: 'sphere', radius: random.between(0.05, 0.15) }
        : { kind: 'capsule', radius: 0.06, length: random.between(0.1, 0.3) },
  });
  return createMechanism({ ...spec, bodies: spec.bodies.map((body) => ({ ...body, collisions: [shape()] })) });
}

/** A random state with the lowest body at a height. */
function lifted(mechanism: Mechanism, seed: number, height: number): State {
  const state = State.random(mechanism, seed);
  const poses = new PlainDynamics(mechanism).poses(state);
  const lowest = Math.min(...mechanism.bodies.map((_, i) => poses[12 * i + 11]));
  const { iq, E } = mechanism.joints[0];
  for (let k = 0; k < 3; k++) state.q[iq + 4 + k] += E[3 * k + 2] * (height - lowest);
  return state;
}

describe('energy', () => {
  it('random mechanisms fall without gaining any, and every step is solved', () => {
    let solved = 0;
    let all = 0;
    for (let seed = 1; seed <= (LONG ? 1000 : 12); seed++) {
      const mechanism = randomFigure(seed);
      const world = new World({ step: 0.002 });
      world.ground();
      world.add(mechanism, { state: lifted(mechanism, seed, 0.7), selfCollision: seed % 2 === 0 });
      const before = world.energy();
      let most = before.total;
      world.runUntil(1, ({ islands }) => {
        for (const { residual } of islands) {
          all++;
          if (residual <= 1e-8) solved++;
        }
        most = Math.max(most, world.energy().total);
        return true;
      });
      expect(most - before.total, `seed ${seed}`).toBeLessThan(1e-4 * (Math.abs(before.total) + before.kinetic));
    }
    expect(solved / all).toBeGreaterThan(0.999);
  });

  it('elastic balls bounce for ever', () => {
    const world = new World({ step: 0.001 });
    world.ground();
    for (let k = 0; k < (LONG ? 49 : 7); k++)
      world.add(ball(0.1, { mass: 10, restitution: 1, friction: 0 }), { at: [k % 7, Math.floor(k / 7), 5] });
    const before = world.energy().total;
    let sum = 0;
    let steps = 0;
    world.runUntil(LONG ? 20 : 2.5, (running) => {
      sum += (running.energy().total - before) ** 2;
      steps++;
      return true;
    });
    expect(sum / steps).toBeLessThan(1e-8);
  });

  it.each([2, 8])('an undriven pendulum of %i links keeps its energy at 5 ms', (links) => {
    const mechanism = chain(links);
    for (let seed = 1; seed <= 3; seed++) {
      const world = new World({ step: 0.005 });
      const figure = world.add(mechanism, { state: State.random(mechanism, seed), selfCollision: false });
      const before = world.energy();
      const hanging = new State(mechanism);
      const size = before.total - new PlainDynamics(mechanism).energy(hanging).potential;
      world.runUntil(LONG ? 10 : 3);
      expect(Math.abs(world.energy().total - before.total), `seed ${seed}`).toBeLessThan(1e-3 * Math.abs(size));
      expect(Math.abs(figure.ledger.scale - 1)).toBeLessThan(0.05);
    }
  });
});

describe('momentum', () => {
  it('of free bodies that collide stays', () => {
    const random = new Random(5);
    const world = new World({ step: 0.002, gravity: [0, 0, 0] });
    const masses: number[] = [];
    const balls = Array.from({ length: 12 }, (_, k) => {
      masses.push(random.between(0.5, 5));
      const options = { mass: masses[k], friction: 0.5, restitution: k % 2 === 0 ? 0 : 0.5 };
      const at = [random.between(-0.5, 0.5), random.between(-0.5, 0.5), 0.5 * k] as const;
      const towards = [-at[0], -at[1], 3 - at[2]] as const;
      return world.add(ball(0.15, options), { at, velocity: towards, spin: random.direction() });
    });
    const linear = (k: number): number => balls.reduce((sum, { v }, i) => sum + masses[i] * v[3 + k], 0);
    const angular = (): number[] =>
      [0, 1, 2].map((k) =>
        balls.reduce((sum, { v, state: { q } }, i) => {
          const [a, b] = [(k + 1) % 3, (k + 2) % 3];
          return sum + masses[i] * (q[4 + a] * v[3 + b] - q[4 + b] * v[3 + a] + 0.4 * 0.15 ** 2 * v[k]);
        }, 0),
      );
    const before = [linear(0), linear(1), linear(2), ...angular()];
    let touched = 0;
    world.runUntil(1.5, ({ report }) => {
      touched += report.contacts;
      return true;
    });
    expect(touched).toBeGreaterThan(100);
    const after = [linear(0), linear(1), linear(2), ...angular()];
    for (let k = 0; k < 3; k++) expect(Math.abs(after[k] - before[k])).toBeLessThan(1e-12 * masses.length * 5);
  });

  it('of a flying figure whose legs are driven stays', () => {
    const mechanism = randomFigure(8);
    const world = new World({ step: 0.001, gravity: [0, 0, 0] });
    const state = State.random(mechanism, 3);
    const figure = world.add(mechanism, {
      state,
      selfCollision: false,
      control: (tau, { time }) => {
        for (let k = 6; k < tau.length; k++) tau[k] = 0.2 * Math.sin(7 * time + k);
      },
    });
    const plain = new PlainDynamics(mechanism);
    const before = plain.energy(figure.state);
    world.runUntil(LONG ? 5 : 1);
    const after = plain.energy(figure.state);
    // Angular momentum is about the ground's origin; linear momentum moves with the figure.
    for (const part of ['angular', 'linear'] as const)
      for (let k = 0; k < 3; k++) {
        const size = Math.max(...before.momentum[part].map(Math.abs));
        expect(Math.abs(after.momentum[part][k] - before.momentum[part][k]) / size).toBeLessThan(1e-11);
      }
  });
});
