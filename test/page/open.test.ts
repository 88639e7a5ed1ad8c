// Files that the command gives the page, without a browser: what hangs where.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Session } from '../../page/src/physics/session.js';
import { filesToView } from '../../src/cli/commands/view.js';

const inertial =
  '<inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>';
/** A trunk, and a foot 0.8 m below it. */
const ROBOT = `<robot name="one-leg"><link name="trunk">${inertial}</link><link name="foot">${inertial}
  <collision><geometry><box size="0.4 0.4 0.1"/></geometry></collision></link>
  <joint name="leg" type="prismatic"><parent link="trunk"/><child link="foot"/><origin xyz="0 0 -0.8"/><axis xyz="0 0 1"/>
  <limit lower="-0.1" upper="0.1" effort="100" velocity="1"/></joint></robot>`;

const folder = mkdtempSync(join(tmpdir(), 'manikin-view-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'one-leg.urdf');
writeFileSync(path, ROBOT);

async function opened(options: { readonly base?: 'fixed' | 'floating' }): Promise<Session> {
  const files = [...(await filesToView(path, options))];
  const session = new Session();
  const answer = await session.answer({ do: 'open', name: files[0][0], files });
  expect(answer.problems ?? []).toEqual([]);
  return session;
}

const height = ({ world }: Session, body: string): number => world.pose(world.members[0], body).t[2];

describe('a model of the command', () => {
  it('hangs above the ground as its file says', async () => {
    const session = await opened({});
    const { world } = session;
    // The ground is where the foot is.
    expect(world.distance([world.members[0], 'foot'], 'ground')).toBeCloseTo(0, 12);
    for (let k = 0; k < 500; k++) session.step();
    expect(height(session, 'trunk')).toBe(0);
  });

  it('stands on the ground where its base is to be free', async () => {
    const session = await opened({ base: 'floating' });
    expect(session.scene().about).toBe('one-leg.urdf with a floating base, above the ground.');
    expect(height(session, 'foot')).toBeCloseTo(0.05, 9);
    for (let k = 0; k < 500; k++) session.step();
    expect(height(session, 'foot')).toBeCloseTo(0.05, 4);
    // The leg gives way as far as it can.
    expect(height(session, 'trunk')).toBeCloseTo(0.75, 3);
  });
});
