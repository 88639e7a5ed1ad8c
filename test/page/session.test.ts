// What a person can do to a scene, without a browser: drag, connect, release, lock, re-root, go back in time, do it again.

import { describe, expect, it } from 'vitest';
import type { Request } from '../../page/src/physics/protocol.js';
import { Session } from '../../page/src/physics/session.js';
import { linkOf, readLink } from '../../page/src/views/link.js';
import { Random } from '../../src/mechanism/random.js';

const LONG = process.env.MANIKIN_LONG === '1';

async function started(scene: string): Promise<Session> {
  const session = new Session();
  await session.load(scene);
  return session;
}

/** Where a point of a body is. */
function place(session: Session, body: string): readonly number[] {
  return session.world.pose(session.world.members[0], body).t;
}

const bodyIndex = (session: Session, name: string): number => session.world.members[0].state.mechanism.bodyIndex(name);

describe('a session', () => {
  it('lists its scenes, each of which can be loaded and moves', async () => {
    const { scenes = [] } = await new Session().answer({ do: 'list' });
    expect(scenes.length).toBeGreaterThan(10);
    for (const { name } of scenes) {
      const session = await started(name);
      for (let k = 0; k < 3; k++) session.step();
      const { poses, time, q, v } = session.frame();
      // Views find the numbers of a joint by adding up those before it.
      const joints = session.scene().members.flatMap((member) => member.joints);
      expect(joints.reduce((sum, { nq }) => sum + nq, 0)).toBe(q.length);
      expect(joints.reduce((sum, { nv }) => sum + nv, 0)).toBe(v.length);
      expect(time).toBeGreaterThan(0);
      expect(poses.every(Number.isFinite)).toBe(true);
    }
  });

  it('holds the figure by its hands, and lets one go', async () => {
    const session = await started('bar');
    const before = place(session, 'left_hand');
    session.advance(0.02);
    for (let k = 0; k < 100; k++) session.step();
    expect(Math.hypot(...place(session, 'left_hand').map((x, k) => x - before[k]))).toBeLessThan(1e-6);
    session.act({ do: 'release', member: 0, joint: 'left_grip' });
    for (let k = 0; k < 100; k++) session.step();
    expect(Math.hypot(...place(session, 'left_hand').map((x, k) => x - before[k]))).toBeGreaterThan(0.01);
  });

  it('a dragged body follows the mouse', async () => {
    const session = await started('human-34');
    const body = bodyIndex(session, 'right_hand');
    const to = [0.5, 0.5, 2] as const;
    session.act({ do: 'drag', grip: { member: 0, body, point: [0, 0, 0] }, to });
    for (let k = 0; k < 1000; k++) session.step();
    expect(Math.hypot(...place(session, 'right_hand').map((x, k) => x - to[k]))).toBeLessThan(0.1);
    expect(session.frame().work).not.toBe(0);
  });

  it('connects a hand to the ground and says what it cost', async () => {
    const session = await started('human-34');
    for (let k = 0; k < 20; k++) session.step();
    const body = bodyIndex(session, 'left_hand');
    const at = place(session, 'left_hand');
    const said = session.act({
      do: 'connect',
      grip: { member: 0, body, point: [0, 0, 0] },
      to: null,
      joint: { type: 'spherical' },
    });
    expect(said).toMatch(/left_hand and the ground are joined \(spherical\): impulse .* J lost/);
    for (let k = 0; k < 50; k++) session.step();
    expect(Math.hypot(...place(session, 'left_hand').map((x, k) => x - at[k]))).toBeLessThan(1e-6);
  });

  it('nothing moves when another body becomes the root, now and later', async () => {
    const [a, b] = [await started('human-34'), await started('human-34')];
    for (const session of [a, b]) for (let k = 0; k < 20; k++) session.step();
    const body = bodyIndex(b, 'right_foot');
    expect(b.act({ do: 'reroot', member: 0, body })).toMatch(/right_foot is the root now/);
    expect(b.scene().inverted).toContain('pelvis');
    const compare = (tolerance: number): void => {
      for (const name of ['head', 'left_hand', 'right_foot']) {
        const [x, y] = [a, b].map((session) => {
          const { E, t } = session.world.pose(session.world.members[0], name);
          const { com } = session.world.members[0].state.mechanism.body(name);
          return t.map((value, k) => value + E[k] * com[0] + E[3 + k] * com[1] + E[6 + k] * com[2]);
        });
        expect(Math.hypot(...x.map((value, k) => value - y[k]))).toBeLessThan(tolerance);
      }
    };
    compare(1e-12);
    for (const session of [a, b]) for (let k = 0; k < 50; k++) session.step();
    compare(1e-3);
  });

  it('locks a joint where it is', async () => {
    const session = await started('chain-32');
    const { state } = session.world.members[0];
    const { name, iq } = state.mechanism.joints[3];
    session.act({ do: 'lock', member: 0, joint: name, locked: true });
    const before = state.q[iq];
    for (let k = 0; k < 100; k++) session.step();
    expect(Math.abs(state.q[iq] - before)).toBeLessThan(1e-6);
    session.act({ do: 'lock', member: 0, joint: name, locked: false });
    for (let k = 0; k < 100; k++) session.step();
    expect(Math.abs(state.q[iq] - before)).toBeGreaterThan(1e-4);
  });

  it('goes back in time and on from there, with the same bits as the first time', async () => {
    const session = await started('bar');
    for (let k = 0; k < 100; k++) session.step();
    const first = session.frame();
    for (let k = 0; k < 100; k++) session.step();
    const second = session.frame();
    const back = await session.answer({ do: 'show', time: first.time });
    expect(back.frame!.time).toBeLessThanOrEqual(first.time);
    while (session.frame().time < second.time - 1e-9) await session.answer({ do: 'step' });
    expect(session.frame().q).toEqual(second.q);
    expect(session.frame().v).toEqual(second.v);
  });

  it('does everything again from a link, bit for bit', async () => {
    const session = await started('bar');
    const body = bodyIndex(session, 'left_foot');
    for (let k = 0; k < 30; k++) session.step();
    session.act({ do: 'drag', grip: { member: 0, body, point: [0, 0, 0] }, to: [0.4, 0.1, 0.5] });
    for (let k = 0; k < 30; k++) session.step();
    session.act({ do: 'drag', grip: null });
    session.act({ do: 'release', member: 0, joint: 'right_grip' });
    for (let k = 0; k < 30; k++) session.step();
    const link = readLink(linkOf(session.keep(), { position: [1, 2, 3], target: [0, 0, 1] })!)!;
    expect(link.view).toEqual({ position: [1, 2, 3], target: [0, 0, 1] });
    const again = new Session();
    await again.restore(link.kept!);
    expect(again.frame().q).toEqual(session.frame().q);
    expect(again.frame().v).toEqual(session.frame().v);
  });

  it('a link that means nothing leads nowhere', () => {
    expect(readLink('')).toBeUndefined();
    expect(readLink('#moment=abc')).toBeUndefined();
    expect(readLink(linkOf({ scene: 'bar', steps: 1e9, actions: [] }, { position: [], target: [] })!)).toBeUndefined();
    expect(readLink('#human-161')).toEqual({ scene: 'human-161' });
  });

  it('writes a recording that can be opened again', async () => {
    const session = await started('bar');
    for (let k = 0; k < 100; k++) session.step();
    const { q } = session.frame();
    const { bytes } = await session.answer({ do: 'record' });
    expect(session.frame().q).toEqual(q);
    const other = new Session();
    const { scene } = await other.answer({ do: 'open', name: 'bar.mcap', files: [['bar.mcap', bytes!]] });
    expect(scene!.members[0].name).toBe('human-34');
    await other.answer({ do: 'advance', seconds: 0.1 });
    expect(other.frame().time).toBeGreaterThan(0.05);
    await other.answer({ do: 'step' });
    expect(other.frame().q.every(Number.isFinite)).toBe(true);
  });

  it('opens a model with its meshes, and says what is wrong with a file that is none', async () => {
    const session = new Session();
    const urdf = `<robot name="arm"><link name="base"/><link name="tip"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="hinge" type="continuous"><parent link="base"/><child link="tip"/><axis xyz="0 1 0"/></joint></robot>`;
    const { scene } = await session.answer({
      do: 'open',
      name: 'arm.urdf',
      files: [['arm.urdf', new TextEncoder().encode(urdf)]],
    });
    expect(scene!.members[0].joints.some(({ name }) => name === 'hinge')).toBe(true);
    const broken = new TextEncoder().encode('<robot name="arm"><link></robot>');
    await expect(session.answer({ do: 'open', name: 'b.urdf', files: [['b.urdf', broken]] })).rejects.toThrow(
      /line|:\d/,
    );
    await expect(session.answer({ do: 'open', name: 'a.txt', files: [['a.txt', broken]] })).rejects.toThrow(
      /None of these files/,
    );
  });

  it('finds a schedule and who owns each joint', async () => {
    const session = await started('human-34');
    const { schedule } = await session.answer({ do: 'schedule', member: 0, processors: 2, measure: false });
    expect(schedule!.makespan).toBeLessThan(schedule!.serial);
    expect(new Set(schedule!.owners.map(([, owner]) => owner)).size).toBe(2);
    expect(schedule!.svg).toContain('<svg');
  });

  // Dragging, connecting and releasing at random: energy never exceeds what the mouse put in.
  const seeds = Array.from({ length: LONG ? 1000 : 3 }, (_, k) => k + 1);
  it.each(seeds)('gains no energy that nobody put in, seed %i', async (seed) => {
    const random = new Random(seed);
    const session = await started('bar');
    const { world } = session;
    const whole = (n: number): number => Math.min(n - 1, Math.trunc(random.between(0, n)));
    const start = world.energy().total;
    let highest = 0;
    const steps = (count: number): void => {
      for (let k = 0; k < count; k++) {
        session.step();
        highest = Math.max(highest, world.energy().total - start - session.frame().work);
      }
    };
    for (let action = 0; action < 6; action++) {
      const body = whole(world.members[0].state.mechanism.bodies.length);
      const grip = { member: 0, body, point: [0, 0, 0] as const };
      const { loops } = world.members[0].state.mechanism;
      const requests: Request[] = [
        { do: 'drag', grip, to: [random.between(-1, 1), random.between(-1, 1), random.between(0.3, 2)] },
        { do: 'drag', grip: null },
        { do: 'connect', grip, to: null, joint: { type: 'spherical' } },
      ];
      if (loops.length > 0) requests.push({ do: 'release', member: 0, joint: loops[whole(loops.length)].name });
      const request = requests[whole(requests.length)];
      if (request.do === 'connect' && loops.length >= 3) continue;
      session.act(request);
      steps(15 + whole(30));
    }
    const scale = Math.abs(start) + Math.abs(session.frame().work);
    expect(highest).toBeLessThan(2e-2 * scale);
  });
});
