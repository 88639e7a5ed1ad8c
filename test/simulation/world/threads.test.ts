// A world on threads: the same bits as on one, whatever happens in it and whatever becomes of the threads.

import { afterEach, describe, expect, it } from 'vitest';
import { builtinMechanism } from '../../../src/models/index.js';
import { StateHash } from '../../../src/scenes/state-hash.js';
import { ball, box, capsule } from '../../../src/simulation/world/bodies.js';
import type { Member } from '../../../src/simulation/world/member.js';
import type { WorldThreadFaults } from '../../../src/simulation/world/threads/world-threads.js';
import { World } from '../../../src/simulation/world/world.js';
import { PATIENCE } from '../../support/patience.js';

const open: World[] = [];
afterEach(async () => {
  for (const world of open.splice(0)) await world.end();
});

interface Made {
  readonly world: World;
  readonly figures: readonly Member[];
  readonly arm: Member;
}

/** Figures that fall over each other, a driven arm, bodies that bounce, roll and give way, a field of heights. */
function made(threads: number, faults: WorldThreadFaults = {}): Made {
  const world = new World({ step: 0.005, threads, ground: { friction: 0.8 }, faults });
  open.push(world);
  world.obstacle({
    name: 'hill',
    geometry: {
      kind: 'heights',
      rows: 3,
      columns: 3,
      size: [2, 2],
      heights: Float64Array.of(0, 0, 0, 0, 0.3, 0, 0, 0, 0),
    },
    t: [6, 0, 0],
  });
  const human = builtinMechanism('human-34');
  const figures = [0, 1, 2].map((k) => world.add(human, { at: [0.6 * k, 0, 1 + 0.1 * k], velocity: [k - 1, 0.3, -1] }));
  const arm = world.add(builtinMechanism('chain-3'));
  const [first, second, third] = arm.articulation.mechanism.joints.map(({ name }) => name);
  arm.drive(first, { kind: 'position', position: (time) => Math.sin(3 * time), stiffness: 60, damping: 4, limit: 20 });
  arm.drive(second, { kind: 'velocity', velocity: 1.5, limit: 5 });
  arm.drive(third, { kind: 'torque', torque: (time) => 0.3 * time, speed: 2 });
  figures[1].control = (tau, { time }) => tau.fill(2 * Math.cos(9 * time), 6);
  for (let k = 0; k < 4; k++) {
    world.add(ball(0.1, { restitution: 0.7, rollingFriction: 0.002 }), { at: [3 + 0.5 * k, 2, 0.3 + 0.1 * k] });
    world.add(box([0.2, 0.1, 0.1], { compliance: 1e-6, relaxation: 0.01 }), {
      at: [3 + 0.5 * k, 3, 0.08],
      spin: [0, 2, 9],
    });
    world.add(capsule(0.1, 0.4), { at: [5.5 + 0.3 * k, 0.2 * k - 0.3, 0.7], spin: [3, k, 0] });
  }
  return { world, figures, arm };
}

/** Steps in which things happen, and everything that can be read along the way. */
function played({ world, figures, arm }: Made, steps = 75): unknown[] {
  const hash = new StateHash();
  const seen: unknown[] = [];
  for (let k = 0; k < steps; k++) {
    if (k === 20)
      world.connect(figures[0], { name: 'held', a: 'torso', b: null, joint: { type: 'spherical' }, at: [0, 0, 1.5] });
    if (k === 45) world.disconnect(figures[0], 'held');
    if (k === 50) arm.drive(arm.motors[1].joint.name, undefined);
    if (k % 30 === 3) figures[2].push('torso', [200, 0, 100], undefined, [0, 5, 0]);
    world.step();
    for (const { state, scale } of world.members) {
      hash.add(state.q);
      hash.add(state.v);
      hash.add([scale]);
    }
    if (k % 15 !== 14) continue;
    const { qdd, jointForces } = world.solved(figures[1]);
    seen.push(hash.text, world.report, world.islands, world.events, world.contacts(), world.energy(), world.halved);
    seen.push(world.members.map(({ driven }) => driven));
    seen.push([...qdd], [...jointForces], world.imu(figures[2], 'torso'), world.contactForce(figures[1], 'pelvis'));
  }
  return seen;
}

describe('a world on threads', () => {
  const alone = played(made(1));

  for (const threads of [2, 3, 4])
    it(`has the bits of one thread on ${threads}`, async () => {
      const given = made(threads);
      await given.world.ready();
      expect(given.world.threads.working).toBe(threads);
      expect(played(given)).toEqual(alone);
      expect(given.world.threads.counts.shared).toBeGreaterThan(0);
      expect(given.world.threads.notes).toEqual([]);
    });

  it('has them while the threads are not there yet', () => {
    expect(played(made(3))).toEqual(alone);
  });

  it('goes on from a checkpoint, also one of a world on another number of threads', async () => {
    const [one, two] = [made(1), made(2)];
    await two.world.ready();
    for (const { world } of [one, two]) for (let k = 0; k < 30; k++) world.step();
    const checkpoint = one.world.save();
    expect(two.world.save()).toEqual(checkpoint);
    const after = played(one, 40);
    for (let k = 0; k < 7; k++) two.world.step();
    two.world.restore(checkpoint);
    await two.world.ready();
    const before = two.world.threads.counts.shared;
    expect(played(two, 40)).toEqual(after);
    expect(two.world.threads.counts.shared).toBeGreaterThan(before);
  });

  it('takes steps that are too long in halves, and stops at the same error', async () => {
    const run = async (threads: number): Promise<unknown[]> => {
      const world = new World({ step: 0.01, threads });
      open.push(world);
      // Spins so fast that the step must be cut, at last too often.
      const wild = [3, 30, 300].map((spin, k) => {
        const member = world.add(builtinMechanism('chain-4-spherical-free'), { at: [5 * k, 0, 0] });
        member.state.v.forEach((_, i, v) => {
          v[i] = i < 3 ? 0 : spin * Math.sin(i);
        });
        member.changed();
        return member;
      });
      await world.ready();
      for (let k = 0; k < 5; k++) world.step();
      const halved = world.halved;
      wild[2].state.v[4] = Number.NaN;
      wild[2].changed();
      const states = (): number[][] => world.members.map(({ state }) => [...state.q]);
      const before = states();
      let message = '';
      try {
        world.step();
      } catch (error) {
        message = String(error);
      }
      expect(states()).toEqual(before);
      return [before, halved, message];
    };
    const wanted = await run(1);
    expect(wanted[1]).toBeGreaterThan(0);
    expect(wanted[2]).toMatch(/left the range of numbers/);
    expect(await run(2)).toEqual(wanted);
  });

  for (const kind of ['end', 'throw', 'hang'] as const)
    it(`loses a thread (${kind}) and goes on with the same bits, and says so`, async () => {
      const given = made(3, { fault: { kind, thread: 2, after: 25 }, lostAfter: 3000 });
      const { world } = given;
      await world.ready();
      expect(played(given)).toEqual(alone);
      // The loss of a thread is heard of between steps, or in the next one.
      const until = async (what: () => boolean): Promise<void> => {
        for (const end = Date.now() + PATIENCE; !what() && Date.now() < end; ) {
          world.step();
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        expect(what()).toBe(true);
      };
      await until(() => world.threads.notes.length > 0);
      expect(world.threads.notes.join()).toMatch(/^Thread 3 of the world was lost: .*\. 2 threads go on\.$/);
      await world.ready();
      expect(world.threads.working).toBe(2);
      const { shared } = world.threads.counts;
      await until(() => world.threads.counts.shared > shared);
    });

  it('needs no thread: without shared memory it says why, and goes on after its threads have ended', async () => {
    const given = made(2);
    await given.world.ready();
    await given.world.end();
    expect(given.world.threads.working).toBe(1);
    expect(played(given)).toEqual(alone);
    const { SharedArrayBuffer: memory } = globalThis;
    Reflect.deleteProperty(globalThis, 'SharedArrayBuffer');
    try {
      expect(made(2).world.threads.notes.join()).toMatch(/^One thread is used: there is no shared memory/);
    } finally {
      globalThis.SharedArrayBuffer = memory;
    }
    expect(() => new World({ threads: 1.5 })).toThrow(/Expected a whole number of threads, got 1.5/);
  });
});
