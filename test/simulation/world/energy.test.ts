import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import { parseUrdf } from '../../../src/formats/urdf.js';
import { createMechanism } from '../../../src/mechanism/create.js';
import type { Mechanism, Shape } from '../../../src/mechanism/mechanism.js';
import { Random } from '../../../src/mechanism/random.js';
import { State } from '../../../src/mechanism/state.js';
import { chain } from '../../../src/models/chain.js';
import { ball, box } from '../../../src/simulation/world/bodies.js';
import { World } from '../../../src/simulation/world/world.js';
import { cross } from '../../../src/spatial/matrix3.js';
import { sharedUrdfs } from '../../formats/support.js';
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
      const size = Math.abs(before.total) + before.kinetic;
      let last = before.total;
      let most = before.total;
      let rise = 0;
      world.runUntil(1, ({ islands }) => {
        for (const { residual } of islands) {
          all++;
          if (residual <= 1e-8) solved++;
        }
        const { total } = world.energy();
        rise = Math.max(rise, total - last);
        last = total;
        most = Math.max(most, total);
        return true;
      });
      expect(rise, `seed ${seed}`).toBeLessThan(1e-6 * size);
      expect(most - before.total, `seed ${seed}`).toBeLessThan(1e-8 * size);
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
      expect(Math.abs(figure.scale - 1)).toBeLessThan(0.05);
    }
  });
});

describe('momentum', () => {
  it.each(['balls', 'boxes'])('of free %s that collide stays', (kind) => {
    const random = new Random(5);
    const world = new World({ step: 0.002, gravity: [0, 0, 0] });
    for (let k = 0; k < 12; k++) {
      const options = { mass: random.between(0.5, 5), friction: 0.5, restitution: k % 2 === 0 ? 0 : 0.5 };
      const at = [random.between(-0.5, 0.5), random.between(-0.5, 0.5), 0.5 * k] as const;
      world.add(kind === 'balls' ? ball(0.15, options) : box([0.2, 0.25, 0.3], options), {
        at,
        turned: random.quaternion(),
        velocity: [-at[0], -at[1], 3 - at[2]],
        spin: random.direction(),
      });
    }
    const before = momentumOf(world);
    let [touched, last, rise] = [0, world.energy().total, 0];
    world.runUntil(1.5, ({ report }) => {
      touched += report.contacts;
      const { total } = world.energy();
      rise = Math.max(rise, (total - last) / last);
      last = total;
      return true;
    });
    expect(touched).toBeGreaterThan(100);
    expect(rise).toBeLessThan(1e-8);
    const size = Math.max(...before.map(Math.abs));
    momentumOf(world).forEach((x, k) => {
      expect(Math.abs(x - before[k])).toBeLessThan(1e-12 * size);
    });
  });

  it('of a flying figure whose legs are driven stays', () => {
    const mechanism = randomFigure(8);
    const world = new World({ step: 0.001, gravity: [0, 0, 0] });
    world.add(mechanism, {
      state: State.random(mechanism, 3),
      selfCollision: false,
      control: (tau, { time }) => {
        for (let k = 6; k < tau.length; k++) tau[k] = 0.2 * Math.sin(7 * time + k);
      },
    });
    expectMomentumKept(world, LONG ? 5 : 1);
  });

  const [solo] = sharedUrdfs().filter(({ name }) => name === 'solo12.urdf');
  it.runIf(solo !== undefined)('of a quadruped thrown with its legs driven stays, also where they touch', () => {
    // Its meshes are not there: balls instead.
    const ballsInstead = solo.text.replace(/<collision>[\s\S]*?<\/collision>/g, (collision) =>
      collision.replace(/<mesh[^>]*>(\s*<\/mesh>)?/, '<sphere radius="0.03"/>'),
    );
    const mechanism = parseUrdf(ballsInstead, { base: 'floating' });
    const world = new World({ step: 0.001 });
    const robot = world.add(mechanism, { at: [0, 0, 1], velocity: [0.3, 0.2, 4], spin: [1, 2, -0.5] });
    for (const { name, type, iq } of mechanism.joints)
      if (type === 'revolute' || type === 'continuous')
        robot.drive(name, {
          kind: 'position',
          position: (time) => 2 * Math.sin(9 * time + iq),
          stiffness: 10,
          damping: 0.1,
        });
    expect(expectMomentumKept(world, LONG ? 2 : 0.4)).toBeGreaterThan(10);
  });

  it('bodies of one figure do not touch where that is left out', () => {
    const mechanism = randomFigure(34);
    const world = new World({ step: 0.002 });
    world.add(mechanism, { state: State.random(mechanism, 34), selfCollision: false });
    world.runUntil(0.1, ({ report }) => {
      expect(report.contacts).toBe(0);
      return true;
    });
  });
});

/** Angular momentum about the ground's origin, and linear momentum, of all members. */
function momentumOf(world: World): number[] {
  const sum = new Array<number>(6).fill(0);
  for (const { state } of world.members) {
    const { angular, linear } = new PlainDynamics(state.mechanism).energy(state).momentum;
    [...angular, ...linear].forEach((x, k) => {
      sum[k] += x;
    });
  }
  return sum;
}

/** Momentum about the centre of mass after some time: gravity alone has changed it. How many contacts there were. */
function expectMomentumKept(world: World, duration: number): number {
  const [{ state }] = world.members;
  const plain = new PlainDynamics(state.mechanism);
  const read = (): { L: number[]; p: number[]; mass: number } => {
    const { mass, com, momentum } = plain.energy(state);
    const orbital = cross(com, momentum.linear);
    return { mass, L: momentum.angular.map((l, k) => l - orbital[k]), p: [...momentum.linear] };
  };
  const before = read();
  let contacts = 0;
  world.runUntil(duration, ({ report }) => {
    contacts += report.contacts;
    return true;
  });
  const after = read();
  const size = (x: readonly number[]): number => Math.hypot(...x);
  for (let k = 0; k < 3; k++) {
    expect(Math.abs(after.L[k] - before.L[k])).toBeLessThan(1e-12 * size(before.L));
    const fallen = before.p[k] + before.mass * world.gravity[k] * duration;
    expect(Math.abs(after.p[k] - fallen)).toBeLessThan(1e-12 * size(before.p));
  }
  return contacts;
}
