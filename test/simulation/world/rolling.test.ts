// Friction against rolling and spinning: |m_t| <= rollingFriction lambda_n, |m_n| <= torsionalFriction lambda_n, in the same solve.

import { describe, expect, it } from 'vitest';
import { parseMjcf } from '../../../src/formats/mjcf.js';
import { Random } from '../../../src/mechanism/random.js';
import { formatCheckpoint, parseCheckpoint } from '../../../src/recording/checkpoint-file.js';
import { addModel } from '../../../src/scenes/add-model.js';
import { ball, box, capsule } from '../../../src/simulation/world/bodies.js';
import { World } from '../../../src/simulation/world/world.js';
import { cross, dot, scale, subtract } from '../../../src/spatial/matrix3.js';

const g = 9.81;
const R = 0.1;

/** A ball on level ground that rolls along x, and spins about z. */
function rolling({ speed = 1, spin = 0, rollingFriction = 0, torsionalFriction = 0, step = 0.002 }) {
  const world = new World({ step, ground: { friction: 0.8, rollingFriction, torsionalFriction } });
  const body = world.add(ball(R, { mass: 3, friction: 0.8 }), {
    at: [0, 0, R],
    velocity: [speed, 0, 0],
    spin: [0, speed / R, spin],
  });
  return { world, body };
}

describe('rolling friction', () => {
  it('slows a ball as analysis says, and stops it', () => {
    const { world, body } = rolling({ rollingFriction: 0.005 });
    // The moment mu m g about the point of contact, inertia 7/5 m R^2 there.
    const a = (0.005 * g) / (1.4 * R);
    world.runUntil(1, ({ time, report }) => {
      expect(report.residual).toBeLessThan(1e-8);
      expect(body.v[3] - (1 - a * time)).toBeCloseTo(0, 9);
      return true;
    });
    world.runUntil(4);
    const stopped = body.state.q[4];
    // The step in which it stops may be off by its length.
    expect(stopped).toBeCloseTo(1 / (2 * a), 3);
    world.runUntil(6);
    expect(Math.abs(body.state.q[4] - stopped)).toBeLessThan(1e-9);
    expect(Math.abs(body.v[1])).toBeLessThan(1e-9);
  });

  it.each([0, 30, 45, 200])('a ball is held on a slope up to rollingFriction / R, leaning to %i degrees', (degrees) => {
    const tangent = 0.05;
    const direction = (degrees * Math.PI) / 180;
    const run = (rollingFriction: number): number => {
      const s = tangent / Math.sqrt(1 + tangent * tangent);
      const gravity = [g * s * Math.cos(direction), g * s * Math.sin(direction), -g * Math.sqrt(1 - s * s)] as const;
      const world = new World({ step: 0.002, gravity, ground: { friction: 0.8, rollingFriction } });
      const body = world.add(ball(R, { mass: 3, friction: 0.8 }), { at: [0, 0, R] });
      world.runUntil(1);
      return Math.hypot(body.v[3], body.v[4]);
    };
    // At rest to a part of what rolls.
    expect(run(1.0001 * tangent * R)).toBeLessThan(1e-9);
    const slow = (0.0001 * tangent * g) / Math.sqrt(1 + tangent * tangent) / 1.4;
    expect(run(0.9999 * tangent * R) / slow).toBeCloseTo(1, 3);
  });

  it('without it a ball rolls on', () => {
    const { world, body } = rolling({});
    world.runUntil(1);
    expect(body.v[3]).toBeCloseTo(1, 12);
  });
});

describe('torsional friction', () => {
  it('slows a spinning ball as analysis says and stops it, whether it rolls or not', () => {
    for (const speed of [0, 1]) {
      const { world, body } = rolling({ speed, spin: 20, torsionalFriction: 0.01 });
      const rate = (0.01 * g) / (0.4 * R * R);
      world.runUntil(0.5, ({ time }) => {
        expect(body.v[2] - (20 - rate * time)).toBeCloseTo(0, 8);
        return true;
      });
      world.runUntil(1.5);
      expect(Math.abs(body.v[2])).toBeLessThan(1e-8);
      expect(body.v[3]).toBeCloseTo(speed, 9);
    }
  });
});

describe('moments of contacts', () => {
  it('keep their laws between bodies that fall on each other, and take energy only', () => {
    const seeds = process.env.MANIKIN_LONG === '1' ? 60 : 6;
    let [steps, unsolved, spinning, held] = [0, 0, 0, 0];
    for (let seed = 1; seed <= seeds; seed++) {
      const random = new Random(seed);
      const [rollingFriction, torsionalFriction] = [random.between(0, 0.02), random.between(0, 0.02)];
      const world = new World({ step: 0.004, ground: { friction: 0.6, rollingFriction, torsionalFriction } });
      const contact = { friction: 0.6, rollingFriction, torsionalFriction };
      for (let k = 0; k < 6; k++) {
        const shape = [ball(0.1, contact), box([0.2, 0.15, 0.1], contact), capsule(0.06, 0.15, contact)][
          random.below(3)
        ];
        const [x, y] = [random.between(-0.15, 0.15), random.between(-0.15, 0.15)];
        const spin = [random.between(-9, 9), random.between(-9, 9), random.between(-9, 9)] as const;
        world.add(shape, { at: [x, y, 0.3 + 0.35 * k], spin });
      }
      let energy = world.energy().total;
      world.runUntil(1.2, () => {
        steps++;
        const solved = world.report.residual <= 1e-8;
        if (!solved) unsolved++;
        const now = world.energy().total;
        // What lies in something else is lifted out, which is not what this is about.
        if (world.report.depth < 1e-4)
          expect(now - energy, `seed ${seed} at ${world.time}`).toBeLessThan(1e-6 * Math.abs(energy) + 1e-9);
        energy = now;
        for (const { normal, force, moment } of solved ? world.contacts() : []) {
          const pressing = dot(normal, force);
          const about = dot(normal, moment);
          const across = Math.hypot(...subtract(moment, scale(about, normal)));
          const slack = 1e-7 * pressing + 1e-9;
          expect(Math.abs(about), `seed ${seed}`).toBeLessThanOrEqual(torsionalFriction * pressing + slack);
          expect(across, `seed ${seed}`).toBeLessThanOrEqual(rollingFriction * pressing + slack);
          if (pressing > 0.1) {
            if (across > rollingFriction * pressing * (1 - 1e-6)) spinning++;
            else held++;
          }
        }
        return true;
      });
    }
    expect(spinning).toBeGreaterThan(100);
    expect(held).toBeGreaterThan(100);
    expect(unsolved / steps).toBeLessThan(0.001);
  });

  it('turn two free bodies by as much as each other', () => {
    const world = new World({ step: 0.001, gravity: [0, 0, 0] });
    const contact = { friction: 0.5, rollingFriction: 0.02, torsionalFriction: 0.02, mass: 1 };
    const bodies = [
      world.add(ball(R, contact), { at: [-0.3, 0, 0], velocity: [2, 0, 0], spin: [30, 5, 0] }),
      world.add(ball(R, contact), { at: [0, 0.02, 0] }),
    ];
    const momentum = (): number[] => {
      const sum = [0, 0, 0];
      for (const { v, state } of bodies) {
        const [x, y, z] = [state.q[4], state.q[5], state.q[6]];
        const orbit = cross([x, y, z], [v[3], v[4], v[5]]);
        for (let k = 0; k < 3; k++) sum[k] += 0.4 * R * R * v[k] + orbit[k];
      }
      return sum;
    };
    const before = momentum();
    world.runUntil(0.3);
    // It took over some of the spin about the line of centres: nothing but torsional friction can do that.
    expect(bodies[1].v[0]).toBeGreaterThan(1);
    momentum().forEach((value, k) => {
      expect(Math.abs(value - before[k])).toBeLessThan(1e-12);
    });
  });

  it('come from MJCF by condim, for shapes and for pairs', () => {
    const run = (attributes: string, pair = ''): number[] => {
      const world = new World({ step: 0.002 });
      const { member } = addModel(
        world,
        parseMjcf(`<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
          <body name="b" pos="0 0 0.1"><freejoint/><geom name="ball" size="0.1" ${attributes}/></body></worldbody>${pair}</mujoco>`),
      );
      member.state.v.set([0, 10, 20, 1, 0, 0]);
      member.changed();
      world.runUntil(1);
      return [member.v[3], member.v[2]];
    };
    const friction = 'friction="1 0.02 0.002"';
    expect(run(`condim="3" ${friction}`)).toEqual([expect.closeTo(1, 9), expect.closeTo(20, 9)]);
    expect(run(`condim="4" ${friction}`)).toEqual([expect.closeTo(1, 9), expect.closeTo(0, 9)]);
    const a = (0.002 * g) / (1.4 * R);
    expect(run(`condim="6" ${friction}`)).toEqual([expect.closeTo(1 - a, 6), expect.closeTo(0, 9)]);
    const pair = (condim: number): string =>
      `<contact><pair geom1="floor" geom2="ball" condim="${condim}" friction="1 1 0.02 0.002 0.002"/></contact>`;
    expect(run('', pair(3))).toEqual([expect.closeTo(1, 9), expect.closeTo(20, 9)]);
    expect(run('', pair(6))).toEqual([expect.closeTo(1 - a, 6), expect.closeTo(0, 9)]);
  });

  it('are in the contact force on a body, in what a step solved, and in checkpoints', () => {
    const make = () => rolling({ rollingFriction: 0.005, torsionalFriction: 0.01, spin: 5 });
    const { world, body } = make();
    world.runUntil(0.1);
    const { moment } = world.contactForce(body, 'ball');
    const weight = 3 * g;
    expect(moment[2]).toBeCloseTo(-0.01 * weight, 9);
    const [contact] = world.contacts();
    // On a, which is the ground.
    expect(contact.moment[1]).toBeCloseTo(0.005 * weight, 9);
    const { external, jointForces } = world.solved(body);
    // In axes of the ball: what slows its turning, by a moment and by the force at the ground.
    const expected = Math.hypot((0.4 * 0.005 * weight) / 1.4, 0.01 * weight);
    expect(Math.hypot(external[0], external[1], external[2])).toBeCloseTo(expected, 6);
    for (const force of jointForces) expect(Math.abs(force)).toBeLessThan(1e-9);
    const text = formatCheckpoint(world);
    const other = make();
    other.world.restore(parseCheckpoint(text, other.world).checkpoint);
    world.runUntil(1);
    other.world.runUntil(1);
    expect([...other.body.state.q]).toEqual([...body.state.q]);
    const slippery = rolling({ rollingFriction: 0.004, torsionalFriction: 0.01, spin: 5 });
    expect(() => parseCheckpoint(text, slippery.world)).toThrow('ground or obstacles differ');
  });

  it('refuse negative coefficients', () => {
    expect(() => new World({ ground: { rollingFriction: -1 } })).toThrow('rollingFriction is -1');
    expect(() => new World({ ground: { compliance: Number.NaN } })).toThrow('compliance is NaN');
  });
});
