// What is read of the last step stays what it was, whatever happens to the world between it and the next.

import { describe, expect, it } from 'vitest';
import { builtinMechanism } from '../../../src/models/index.js';
import { formatCheckpoint, parseCheckpoint } from '../../../src/recording/checkpoint-file.js';
import { ball, box } from '../../../src/simulation/world/bodies.js';
import type { Member } from '../../../src/simulation/world/member.js';
import { World } from '../../../src/simulation/world/world.js';

/** A driven figure that falls, beside a box that comes to rest and sleeps. */
function falling(): World {
  const world = new World({ step: 0.004, ground: { friction: 0.8, rollingFriction: 0.01 }, sleep: { after: 0.1 } });
  const figure = world.add(builtinMechanism('human-34'), { at: [0, 0, 1] });
  world.add(box([0.2, 0.2, 0.2]), { at: [3, 0, 0.1] });
  figure.drive('left_knee', { kind: 'position', position: 0.4, stiffness: 100, damping: 5 });
  return world;
}

function readings(world: World): unknown {
  return {
    contacts: world.contacts(),
    depth: world.report.depth,
    members: world.members.map((member) => {
      const { name } = member.state.mechanism.bodies[0];
      const { state, ...solved } = world.solved(member);
      return {
        imu: world.imu(member, name),
        force: world.contactForce(member, name),
        solved: { ...solved, q: state.q, v: state.v },
        driven: member.driven,
        scale: member.scale,
      };
    }),
  };
}

/** The same in a world of its own, by a file. */
function resumed(world: World, make: () => World): World {
  const other = make();
  other.runUntil(0.02);
  other.restore(parseCheckpoint(formatCheckpoint(world), other).checkpoint);
  return other;
}

describe('readings of the last step', () => {
  it.each([0.1, 0.5, 0.75])('are the same after a checkpoint at %d s', (time) => {
    const world = falling();
    world.runUntil(time);
    const before = readings(world);
    expect(readings(resumed(world, falling))).toEqual(before);
    world.runUntil(time + 0.1);
    expect(readings(world)).not.toEqual(before);
  });

  it('drive a control with the same bits after a checkpoint', () => {
    const make = (): World => {
      const world = new World({ step: 0.002, ground: { friction: 0.5 } });
      const thrown = world.add(box([0.2, 0.2, 0.2]), { at: [0, 0, 0.3], spin: [1, 2, 0] });
      thrown.control = (tau) => {
        const { force } = world.contactForce(thrown, 'box');
        const { acceleration } = world.imu(thrown, 'box');
        const { jointForces } = world.solved(thrown);
        tau[4] = 0.05 * force[2] + 0.1 * acceleration[0] + 1e-3 * jointForces[1];
      };
      return world;
    };
    const whole = make();
    whole.runUntil(0.4);
    for (const time of [0.1, 0.22, 0.3]) {
      const world = make();
      world.runUntil(time);
      const other = resumed(world, make);
      other.runUntil(0.4);
      expect([...other.members[0].state.q]).toEqual([...whole.members[0].state.q]);
    }
  });

  it('of what sleeps are newtons of the step that it fell asleep in', () => {
    const world = new World({ step: 0.004, ground: true, sleep: { after: 0.1 } });
    const lying = world.add(box([0.2, 0.2, 0.2], { mass: 2 }), { at: [0, 0, 0.1] });
    world.runUntil(0.5);
    expect(lying.asleep).toBe(true);
    const weight = 2 * 9.81;
    expect(world.contactForce(lying, 'box').force[2]).toBeCloseTo(weight, 9);
    world.step(0.001);
    expect(world.contactForce(lying, 'box').force[2]).toBeCloseTo(weight, 9);
  });

  it('do not take a start, a write or a change of structure for an acceleration', () => {
    const still = [0, 0, 9.81];
    const world = new World({ step: 0.002, ground: true });
    const reads = (member: Member, body: string, wanted: readonly number[]): void => {
      world.imu(member, body).acceleration.forEach((x, k) => {
        expect(x).toBeCloseTo(wanted[k], 9);
      });
    };
    const thrown = world.add(ball(0.1), { at: [2, 0, 3], velocity: [5, 0, 0] });
    reads(thrown, 'ball', still);
    world.step();
    reads(thrown, 'ball', [0, 0, 0]);
    thrown.state.v[3] = -5;
    thrown.changed();
    reads(thrown, 'ball', still);
    const figure = world.add(builtinMechanism('human-34'), { at: [0, 0, 3], velocity: [3, 0, 0] });
    world.step();
    world.disconnect(figure, 'neck_y');
    reads(figure, 'head', still);
  });
});
