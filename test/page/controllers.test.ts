// Ready controllers do what they say: a figure stands, keeps its balance when it is pushed, swings up, follows a motion.

import { describe, expect, it } from 'vitest';
import { gaitBvh } from '../../page/src/gallery/gait-bvh.js';
import { Session } from '../../page/src/physics/session.js';

const LONG = process.env.MANIKIN_LONG === '1';

async function started(scene: string): Promise<Session> {
  const session = new Session();
  await session.load(scene);
  return session;
}
const heightOf = (session: Session, body: string): number => session.world.pose(session.world.members[0], body).t[2];
function run(session: Session, seconds: number): void {
  const until = session.world.time + seconds;
  while (session.world.time < until) session.step();
}

describe('controllers of the page', () => {
  /** N s at the torso that a person would call a shove. */
  const SHOVE = 20;
  it('balance: a figure takes shoves from all sides, and falls without it', async () => {
    const session = await started('balance');
    const torso = session.world.members[0].state.mechanism.bodyIndex('torso');
    const sides = [
      [-1, 0],
      [0, -1],
      [1, 0],
      [0, 1],
    ];
    for (const [x, y] of LONG ? sides : sides.slice(0, 2)) {
      run(session, 0.5);
      session.act({ do: 'push', member: 0, body: torso, impulse: [SHOVE * x, SHOVE * y, 0] });
      run(session, 2);
      expect(heightOf(session, 'pelvis')).toBeGreaterThan(0.85);
    }
    session.act({ do: 'controller', name: 'none' });
    run(session, 1.5);
    expect(heightOf(session, 'pelvis')).toBeLessThan(0.5);
  });

  it('stand: a figure stands for ten seconds', async () => {
    const session = await started('balance');
    session.act({ do: 'controller', name: 'stand' });
    run(session, 10);
    expect(heightOf(session, 'pelvis')).toBeGreaterThan(0.85);
  });

  it('swing up: two links come to stand upside down, the figure on the bar swings higher and higher', async () => {
    const links = await started('swing-up');
    let highest = -2;
    while (links.world.time < 30 && highest < 1.6) {
      links.step();
      const { state } = links.world.members[0];
      const [upper, bend] = [state.q[0], state.q[0] + state.q[1]];
      highest = Math.max(highest, -Math.cos(upper) - Math.cos(bend));
    }
    expect(highest).toBeGreaterThan(1.6);
    const bar = await started('bar');
    const swings = (seconds: number): number => {
      let most = 0;
      const until = bar.world.time + seconds;
      const { t } = bar.world.pose(bar.world.members[0], 'left_hand');
      while (bar.world.time < until) {
        bar.step();
        const { com } = bar.frame();
        most = Math.max(most, Math.abs(Math.atan2(com[0] - t[0], t[2] - com[2])));
      }
      return most;
    };
    bar.act({ do: 'controller', name: 'swing' });
    const first = swings(2);
    run(bar, LONG ? 8 : 2);
    expect(swings(2)).toBeGreaterThan(first + (LONG ? 0.5 : 0.1));
  });

  it('follow: motors keep a figure on a captured motion', async () => {
    const session = new Session();
    const bytes = new TextEncoder().encode(gaitBvh({ seconds: 4, stride: 1.2, speed: 100 }));
    const { error } = await session.answer({ do: 'follow', files: [['walk.bvh', bytes]] });
    expect(error).toBeUndefined();
    const [member] = session.world.members;
    const [first] = member.state.mechanism.bodies;
    const from = session.world.pose(member, first.name).t;
    run(session, 2);
    const to = session.world.pose(member, first.name).t;
    // A metre a second along z, and upright: y is upwards.
    expect(Math.hypot(to[0] - from[0], to[2] - from[2])).toBeGreaterThan(1.5);
    expect(Math.abs(to[1] - from[1])).toBeLessThan(0.15);
  });

  it('says so where there is nothing to control', async () => {
    const session = await started('chain-32-spherical');
    expect(() => session.act({ do: 'controller', name: 'stand' })).toThrow(/no ankles/);
    expect(() => session.act({ do: 'controller', name: 'swing' })).toThrow(/Nothing hangs here/);
  });
});
