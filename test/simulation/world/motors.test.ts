// Motors with a largest force and a largest speed.

import { describe, expect, it } from 'vitest';
import { MechanismBuilder } from '../../../src/mechanism/builder.js';
import type { Mechanism } from '../../../src/mechanism/mechanism.js';
import type { Motor } from '../../../src/simulation/world/motors.js';
import { World } from '../../../src/simulation/world/world.js';

const INERTIA = 0.5;

/** A wheel on an upright axle: gravity does not turn it. */
function wheel(): Mechanism {
  return new MechanismBuilder('wheel')
    .link('wheel', {
      parent: null,
      joint: { type: 'revolute', axis: [0, 0, 1] },
      mass: 1,
      com: [0, 0, 0],
      inertia: [1, 0, 0, 0, 1, 0, 0, 0, INERTIA],
    })
    .build();
}

function driven(motor: Motor) {
  const world = new World({ step: 0.004 });
  const member = world.add(wheel());
  member.drive('wheel', motor);
  return { world, member };
}

describe('a motor with a largest speed', () => {
  it.each([1, -1])('turns a wheel as its torque does, and no faster than that: direction %i', (sign) => {
    const { world, member } = driven({ kind: 'torque', torque: 2 * sign, speed: 3 });
    const reached = (3 * INERTIA) / 2;
    world.runUntil(2, ({ time }) => {
      const expected = time < reached ? (2 / INERTIA) * time : 3;
      // The step in which it gets there stops at it.
      expect(sign * member.state.v[0]).toBeCloseTo(expected, 9);
      return true;
    });
  });

  it('carries a load at its speed, and is overhauled by a larger one without braking it', () => {
    const { world, member } = driven({ kind: 'torque', torque: 2, speed: 3 });
    member.control = (tau, { time }) => {
      tau[0] = time < 1 ? -1.5 : time < 2 ? 4 : 0;
    };
    world.runUntil(1);
    // 2 - 1.5 N m.
    expect(member.state.v[0]).toBeCloseTo(0.5 / INERTIA, 9);
    world.runUntil(2);
    // 6 N m up to its speed, then the 4 of the load alone.
    const reached = ((3 - 0.5 / INERTIA) * INERTIA) / 6;
    expect(member.state.v[0]).toBeCloseTo(3 + (4 / INERTIA) * (1 - reached), 1);
    const speed = member.state.v[0];
    world.runUntil(3);
    expect(member.state.v[0]).toBeCloseTo(speed, 9);
  });

  it('goes to a position at that speed, with no more than its force, and stays there', () => {
    const motor = { kind: 'position', position: 2, stiffness: 400, damping: 40, limit: 10 } as const;
    const { world, member } = driven({ ...motor, speed: 1.5 });
    let most = 0;
    let before = 0;
    const times: number[] = [];
    world.runUntil(3, ({ time }) => {
      const v = member.state.v[0];
      most = Math.max(most, v);
      expect(Math.abs(v - before)).toBeLessThan((10 / INERTIA) * 0.004 + 1e-9);
      before = v;
      if (v > 1.5 - 1e-9) times.push(time);
      return true;
    });
    expect(most).toBeLessThan(1.5 + 1e-9);
    // 2 rad at 1.5 rad/s, less what starting and stopping take.
    expect(times.length * 0.004).toBeGreaterThan(1);
    expect(member.state.q[0]).toBeCloseTo(2, 6);
    // Without a largest speed it is there sooner.
    const free = driven(motor);
    free.world.runUntil(1);
    expect(free.member.state.q[0]).toBeGreaterThan(1.9);
  });

  it('is refused where it makes no sense', () => {
    const { member } = driven({ kind: 'torque', torque: 1 });
    expect(() => member.drive('wheel', { kind: 'torque', torque: 1, speed: -1 })).toThrow('speed must not be negative');
  });
});

describe('a motor that is told nonsense', () => {
  it.each<[Motor | object, string]>([
    [{ kind: 'positon', position: 1 }, 'There is no motor of kind "positon"; there are torque, velocity, position.'],
    [{ kind: 'torque' }, 'Expected a number as its torque, got nothing.'],
    [{ kind: 'velocity', velocity: '1' }, 'Expected a number as its velocity, got "1".'],
    [
      { kind: 'position', position: [1, 2], stiffness: 1, damping: 1 },
      'Expected a number as its position, got 2 numbers.',
    ],
    [{ kind: 'position', position: 1, stiffness: Number.POSITIVE_INFINITY, damping: 1 }, 'got Infinity and 1.'],
    [{ kind: 'position', position: 1 }, 'got undefined and undefined.'],
  ])('is refused: %j', (motor, message) => {
    expect(() => driven(motor as Motor)).toThrow(message);
  });

  it.each<[string, Motor, string]>([
    [
      'nothing',
      { kind: 'torque', torque: () => undefined as never },
      'it gives nothing; expected a number as its torque',
    ],
    [
      'a list that is too short',
      { kind: 'position', position: () => [], stiffness: 1, damping: 1 },
      'it gives 0 numbers; expected a number as its position',
    ],
    [
      'an error',
      {
        kind: 'velocity',
        velocity: () => {
          throw new Error('out of ideas');
        },
      },
      'out of ideas',
    ],
  ])('stops the step where its function gives %s', (_, motor, message) => {
    const { world } = driven(motor);
    expect(() => world.step()).toThrow(
      expect.objectContaining({
        name: 'SimulationError',
        message: `The motor of joint "wheel" of "wheel" failed at time 0: ${message}`,
      }),
    );
    expect(world.time).toBe(0);
  });
});
