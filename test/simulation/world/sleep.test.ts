import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/mechanism/random.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { formatCheckpoint, parseCheckpoint } from '../../../src/recording/checkpoint-file.js';
import { sceneWorld } from '../../../src/scenes/make-scene.js';
import { parseScene } from '../../../src/scenes/parse-scene.js';
import { ball, box } from '../../../src/simulation/world/bodies.js';
import { World } from '../../../src/simulation/world/world.js';

const LONG = process.env.MANIKIN_LONG === '1';

/** Three boxes on each other, one alone, and a ball far away that comes rolling. */
function quiet({ speed = 0 } = {}) {
  const world = new World({ step: 0.004, ground: { friction: 0.6 }, sleep: { after: 0.2 } });
  const crate = box([0.4, 0.4, 0.4], { mass: 2, friction: 0.6 });
  const stack = [0, 1, 2].map((k) => world.add(crate, { name: `box ${k}`, at: [0, 0, 0.2 + 0.4 * k] }));
  const alone = world.add(crate, { name: 'alone', at: [0, 3, 0.2] });
  const roller = world.add(ball(0.2, { mass: 2, friction: 0.6 }), {
    name: 'ball',
    at: [-3, 0, 0.2],
    velocity: [speed, 0, 0],
    spin: [0, speed / 0.2, 0],
  });
  return { world, stack, alone, roller };
}

describe('sleeping', () => {
  it('leaves out what has been at rest, and nothing of it moves by a bit', () => {
    const { world, stack } = quiet();
    world.runUntil(0.19);
    expect(world.report).toMatchObject({ asleep: 0, islands: 3 });
    world.runUntil(0.3);
    expect(world.report).toMatchObject({ asleep: 5, islands: 0, residual: 0 });
    const from = stack.map(({ state }) => [...state.q]);
    world.runUntil(2);
    expect(stack.map(({ state }) => [...state.q])).toEqual(from);
    expect(world.energy().kinetic).toBe(0);
    expect(stack[0].state.time).toBe(world.time);
  });

  it('contacts, forces and sensors read on', () => {
    const { world, stack } = quiet();
    world.runUntil(1);
    expect(world.contacts().length).toBe(4 * 4 + 1);
    expect(new Set(world.contacts().map(({ mode }) => mode))).toEqual(new Set(['stick']));
    expect(world.contactForce(stack[0], 'box').force[2]).toBeCloseTo(2 * 9.81, 6);
    expect(world.contactForce(stack[2], 'box').force[2]).toBeCloseTo(2 * 9.81, 6);
    expect(world.imu(stack[1], 'box').acceleration[2]).toBeCloseTo(9.81, 9);
  });

  it('what strikes it wakes the whole island, and others sleep on', () => {
    const { world, stack, alone, roller } = quiet({ speed: 4 });
    world.runUntil(0.5);
    expect(stack.map(({ asleep }) => asleep)).toEqual([true, true, true]);
    expect(roller.asleep).toBe(false);
    world.runUntil(0.75);
    expect(stack.map(({ asleep }) => asleep)).toEqual([false, false, false]);
    expect(Math.abs(stack[0].v[3])).toBeGreaterThan(0.1);
    expect(alone.asleep).toBe(true);
  });

  it('a push, a motor, a written state and a control wake it', () => {
    const ways: [string, (given: ReturnType<typeof quiet>) => void][] = [
      ['push', ({ alone }) => alone.push('box', [100, 0, 0])],
      [
        'state',
        ({ alone }) => {
          alone.state.v[3] = 1;
          alone.changed();
        },
      ],
      [
        'control',
        ({ alone }) => {
          alone.control = (tau) => {
            tau[3] = 100;
          };
        },
      ],
    ];
    for (const [name, wake] of ways) {
      const given = quiet();
      given.world.runUntil(1);
      wake(given);
      given.world.step();
      expect(given.alone.asleep, name).toBe(false);
      expect(given.alone.v[3], name).toBeGreaterThan(0.01);
      expect(given.stack[0].asleep, name).toBe(true);
    }
  });

  it('a change of the world wakes all: what stood on something that is gone falls', () => {
    const { world, stack } = quiet();
    world.runUntil(1);
    world.remove(stack[0]);
    world.runUntil(1.1);
    expect(stack[2].state.q[6]).toBeLessThan(0.98);
    world.runUntil(2.5);
    expect(world.report.asleep).toBe(4);
    expect(stack[1].state.q[6]).toBeCloseTo(0.2, 4);
  });

  it('a figure lies down and sleeps; one that is driven by a function does not', () => {
    const world = new World({ step: 0.005, ground: { friction: 0.8 }, sleep: true });
    const lamp = builtinMechanism('chain-3');
    const still = world.add(lamp, { name: 'still' });
    const driven = world.add(lamp, { name: 'driven' });
    const held = lamp.joints[0].name;
    for (const member of [still, driven])
      for (const { name } of lamp.joints)
        member.drive(name, { kind: 'position', position: 0, stiffness: 5000, damping: 2000 });
    driven.drive(held, { kind: 'position', position: () => 0, stiffness: 5000, damping: 2000 });
    world.runUntil(6);
    expect([still.asleep, driven.asleep]).toEqual([true, false]);
    still.drive(held, { kind: 'position', position: 0.5, stiffness: 5000, damping: 2000 });
    world.runUntil(6.1);
    expect(still.asleep).toBe(false);
    expect(Math.abs(still.state.q[0])).toBeGreaterThan(0.01);
  });

  it('a checkpoint has the same bits after it, before, in and after sleep', () => {
    const random = new Random(7);
    const file = (world: World): string => formatCheckpoint(world);
    const whole = quiet({ speed: 4 });
    const saved: string[] = [file(whole.world)];
    whole.world.runUntil(2, (world) => {
      saved.push(file(world));
      return true;
    });
    const end = file(whole.world);
    for (let run = 0; run < (LONG ? 200 : 12); run++) {
      const other = quiet({ speed: 4 });
      const at = random.below(saved.length - 1);
      other.world.restore(parseCheckpoint(saved[at], other.world).checkpoint);
      expect(file(other.world), `at step ${at}`).toBe(saved[at]);
      other.world.runUntil(2);
      expect(file(other.world), `from step ${at}`).toBe(end);
    }
    const awake = new World({ step: 0.004, ground: { friction: 0.6 } });
    expect(() => parseCheckpoint(end, awake)).toThrow('It is of another scene');
  });

  it('a step that fails wakes nobody', () => {
    const { world, alone, stack } = quiet();
    world.runUntil(1);
    const before = world.save();
    alone.control = () => {
      throw new Error('out of ideas');
    };
    expect(() => world.step()).toThrow('out of ideas');
    expect(world.save()).toEqual(before);
    expect(stack[0].asleep).toBe(true);
  });

  it('without the option nobody sleeps; scenes have it, too; nonsense is refused', () => {
    const scene = {
      mechanisms: [{ model: { kind: 'box', size: [0.2, 0.2, 0.2] }, at: [0, 0, 0.1] }],
      ground: true,
    };
    for (const [sleep, asleep] of [
      [undefined, 0],
      [false, 0],
      [true, 1],
      [{ after: 0.1 }, 1],
    ] as const) {
      const run = sceneWorld(parseScene({ ...scene, ...(sleep !== undefined && { sleep }) }));
      run.runUntil(1);
      expect(run.world.report.asleep).toBe(asleep);
    }
    expect(() => new World({ sleep: { after: 0 } })).toThrow('positive number');
    expect(() => parseScene({ ...scene, sleep: { after: -1 } })).toThrow('sleep');
  });
});
