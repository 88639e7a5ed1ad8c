// Every command, as a table and as JSON. The keys are a contract with programs outside.

import { describe, expect, it } from 'vitest';
import { BUILTIN_MODELS } from '../../src/models/index.js';
import { hasShared, sharedPath } from '../support/shared.js';
import { ARM, joints, json, manikin, numbers, output, temporaryFolder } from './support.js';

const files = temporaryFolder();
const arm = files.write('arm.urdf', ARM);

describe('models', () => {
  it('lists every built-in', async () => {
    const { models } = await json('models');
    expect(models.map((model: { name: string }) => model.name)).toEqual(BUILTIN_MODELS.map(({ name }) => name));
    for (const { example, joints: count, dof, description } of models)
      expect([typeof example, typeof count, typeof dof, typeof description]).toEqual([
        ...['string', 'number', 'number', 'string'],
      ]);
    const table = await output('models');
    for (const { name } of BUILTIN_MODELS) expect(table).toContain(name);
  });
});

describe('info', () => {
  it('counts', async () => {
    expect(await json('info', 'human-34')).toMatchObject({
      model: 'human-34',
      joints: 29,
      dof: 34,
      loopCount: 0,
      warnings: [],
    });
    const info = await json('info', arm);
    expect(info.bodies).toHaveLength(5);
    expect(info.bodies[0]).toMatchObject({ name: 'base', mass: 1, inertia: { length: 9 } });
    expect(info).toMatchObject({ model: arm, name: 'arm', joints: 5, dof: 2, nv: 3, couplingCount: 1, bodyCount: 5 });
    expect(info.couplings).toEqual([
      {
        joint: expect.any(String),
        source: expect.any(String),
        multiplier: expect.any(Number),
        offset: expect.any(Number),
      },
    ]);
    expect(info).toMatchObject({ mass: 5, depth: 5, loopCount: 0, loops: [] });
    expect(info.roots).toEqual([{ body: 'base', type: 'fixed' }]);
    expect(info.warnings.length).toBeGreaterThan(0);
    for (const { code, where, message } of info.warnings)
      expect([code, where, message].every((text) => typeof text === 'string')).toBe(true);
  });

  it('in words', async () => {
    const { code, out, err } = await manikin('info', arm);
    expect(code).toBe(0);
    expect(out).toMatch(/^arm\n/);
    expect(out).toMatch(/degrees of freedom +2\n/);
    expect(out).toMatch(/mass +5 kg\n/);
    expect(err).toMatch(/^Warning: arm\.urdf:\d+:\d+: .*gazebo/);
  });

  it('tells the bodies of a file from links between joints', async () => {
    const joints = '<joint axis="1 0 0"/><joint axis="0 1 0"/><joint pos="0 0 .1"/><geom size=".1"/>';
    const model = files.write(
      'two.xml',
      `<mujoco><worldbody><body>${joints}<body>${joints}</body></body></worldbody></mujoco>`,
    );
    expect((await manikin('info', model)).out).toMatch(
      /^bodies +8 \(2 of the file, 6 links without mass between joints\)$/m,
    );
    expect(await json('info', model)).toMatchObject({ bodyCount: 8, linksBetweenJoints: 6 });
  });
});

describe('describe', () => {
  it('writes the description format, state included', async () => {
    const description = await json('describe', arm, '--seed', '1');
    expect(description.gravity).toEqual([0, 0, -9.81]);
    expect(description.bodies).toHaveLength(5);
    for (const body of description.bodies) {
      expect(Object.keys(body)).toEqual(
        expect.arrayContaining(['name', 'parent', 'joint', 'E', 't', 'mass', 'com', 'inertia']),
      );
      expect([body.E.length, body.t.length, body.com.length, body.inertia.length]).toEqual([9, 3, 3, 9]);
      expect([body.joint.name, body.joint.type].every((text) => typeof text === 'string')).toBe(true);
    }
    const [base, upper] = description.bodies;
    expect([base.parent, base.joint.type]).toEqual([null, 'fixed']);
    expect([upper.parent, upper.joint]).toMatchObject([
      'base',
      { name: 'shoulder', type: 'revolute', axis: [0, 1, 0] },
    ]);
    expect(Object.keys(description.state)).toEqual(['upper', 'lower', 'hand']);
    for (const { q, qd } of Object.values<{ q: number; qd: number }>(description.state))
      expect([typeof q, typeof qd]).toEqual(['number', 'number']);
  });

  it('prints JSON without --json too', async () => {
    expect(JSON.parse(await output('describe', 'compass'))).toEqual(await json('describe', 'compass'));
  });

  it('gives quaternions of free roots', async () => {
    const { state, bodies } = await json('describe', 'human-34');
    expect(state[bodies[0].name].q).toHaveLength(7);
    expect(state[bodies[0].name].qd).toHaveLength(6);
  });
});

describe.each(['fd', 'id'])('%s', (command) => {
  it('prints joints with all their numbers', async () => {
    const result = await json(command, 'human-34', '--seed', '1');
    expect(result.model).toBe('human-34');
    expect(result.algorithm).toBe(command === 'fd' ? 'aba' : 'rnea');
    expect(result.joints).toHaveLength(29);
    const [root, hinge] = result.joints;
    expect(Object.keys(root)).toEqual(['name', 'body', 'type', 'q', 'v', 'tau', 'qdd']);
    expect(root.type).toBe('floating');
    expect([root.q, root.v, root.tau, root.qdd].map((list) => list.length)).toEqual([7, 6, 6, 6]);
    expect([hinge.q, hinge.v, hinge.tau, hinge.qdd].map((list) => list.length)).toEqual([1, 1, 1, 1]);
  });

  it('includes fixed joints, with empty lists', async () => {
    const weld = (await joints(command, arm)).find(({ name }) => name === 'weld');
    expect(weld).toEqual({ name: 'weld', body: 'tip', type: 'fixed', q: [], v: [], tau: [], qdd: [] });
  });

  it('adds the whole force of each joint with --forces', async () => {
    const list = await joints(command, arm, '--seed', '1', '--forces');
    for (const { force } of list) expect(force).toHaveLength(6);
    // Along the axis it is the joint's own force: the shoulder turns about y.
    const { force, tau } = list.find(({ name }) => name === 'shoulder')!;
    expect(force![1]).toBeCloseTo(tau[0], 10);
    const table = await output(command, arm, '--seed', '1', '--forces');
    expect(table).toContain('Force through each joint');
    expect(table).toMatch(/joint +on body +nx/);
  });

  it('prints a table: one line for each number, aligned', async () => {
    const lines = (await output(command, 'chain-3', '--seed', '1')).trimEnd().split('\n');
    expect(lines[0]).toBe(`chain-3, ${command === 'fd' ? 'aba' : 'rnea'}`);
    expect(lines[2]).toMatch(/^joint +type +q +v +tau +qdd$/);
    expect(lines).toHaveLength(4 + 3);
    const ends = lines.slice(2).map((line) => line.length);
    expect(new Set(ends).size).toBe(1);
  });
});

describe('fd', () => {
  it('at rest, without forces, of a free body: it falls', async () => {
    const [{ qdd }] = await joints('fd', 'chain-1-free');
    [0, 0, 0, 0, 0, -9.81].forEach((a, k) => {
      expect(qdd[k]).toBeCloseTo(a, 12);
    });
  });

  it('--algorithm dense agrees with aba, and says so', async () => {
    const dense = await json('fd', 'human-34', '--seed', '1', '--algorithm', 'dense');
    expect(dense.algorithm).toBe('dense');
    const [a, b] = [dense.joints, await joints('fd', 'human-34', '--seed', '1')].map((list) => numbers(list, 'qdd'));
    a.forEach((x, k) => {
      expect(Math.abs(x - b[k])).toBeLessThan(1e-9 * (1 + Math.abs(x)));
    });
  });

  it('coupled joints take aba, or dense where asked for', async () => {
    expect((await json('fd', arm)).algorithm).toBe('aba');
    expect((await json('fd', arm, '--algorithm', 'dense')).algorithm).toBe('dense');
  });

  it('--passive lets damping act, where there is some', async () => {
    const args = ['fd', arm, '--seed', '2'];
    const [free, damped] = [await joints(...args), await joints(...args, '--passive')];
    expect(numbers(damped, 'tau')).toEqual(numbers(free, 'tau'));
    expect(numbers(damped, 'qdd')).not.toEqual(numbers(free, 'qdd'));
    const none = ['fd', 'chain-4', '--seed', '2'];
    expect(await output(...none, '--passive', '--json')).toBe(await output(...none, '--json'));
  });

  it('in a state at rest, --passive changes nothing without springs', async () => {
    expect(await output('fd', arm, '--passive', '--json')).toBe(await output('fd', arm, '--json'));
  });
});

describe('mass-matrix', () => {
  it('is square, symmetric, and its rows belong to joints', async () => {
    const { joints: rows, H } = await json('mass-matrix', 'human-34', '--seed', '1');
    expect(H).toHaveLength(34);
    let end = 0;
    for (const { name, offset, dof } of rows) {
      expect([typeof name, offset]).toEqual(['string', end]);
      end += dof;
    }
    expect(end).toBe(34);
    H.forEach((row: number[], i: number) => {
      expect(row).toHaveLength(34);
      expect(row[i]).toBeGreaterThan(0);
      row.forEach((value, j) => {
        expect(value).toBe(H[j][i]);
      });
    });
  });

  it('is that of the independent joints where others follow', async () => {
    const { joints: rows, H } = await json('mass-matrix', arm);
    expect(rows).toEqual([
      { name: 'shoulder', offset: 0, dof: 1 },
      { name: 'elbow', offset: 1, dof: 1 },
    ]);
    expect(H).toHaveLength(2);
    expect((await json('mass-matrix', arm, '--mimic', 'ignore')).H).toHaveLength(3);
  });

  it('as a table', async () => {
    const lines = (await output('mass-matrix', 'chain-2-free')).trimEnd().split('\n');
    expect(lines[0]).toMatch(/joint_1\[0\] .*joint_1\[5\] +joint_2$/);
    expect(lines).toHaveLength(2 + 7);
  });
});

describe('energy', () => {
  it('gives energies, mass, centre of mass and momentum', async () => {
    const energy = await json('energy', 'human-34', '--seed', '1');
    expect(Object.keys(energy)).toEqual(['model', 'kinetic', 'potential', 'mass', 'com', 'momentum']);
    expect([energy.com, energy.momentum.linear, energy.momentum.angular].map((list) => list.length)).toEqual([3, 3, 3]);
    expect(energy.kinetic).toBeGreaterThan(0);
    // Potential energy is that of the centre of mass.
    expect(energy.potential).toBeCloseTo(9.81 * energy.mass * energy.com[2], 8);
  });

  it('at rest has no kinetic energy', async () => {
    const { kinetic, momentum } = await json('energy', 'human-34');
    expect([kinetic, ...momentum.linear, ...momentum.angular].every((x) => x + 0 === 0)).toBe(true);
    const text = await output('energy', 'human-34');
    expect(text).toMatch(/^kinetic energy +0 J\npotential energy +-?[\d.]+ J\nmass +[\d.]+ kg\n/);
  });
});

describe('help', () => {
  const commands = ['info', 'describe', 'fd', 'id', 'mass-matrix', 'energy', 'simulate', 'models'];

  it('lists the commands', async () => {
    const { code, out, err } = await manikin('--help');
    expect([code, err]).toEqual([0, '']);
    for (const command of commands) expect(out).toContain(command);
  });

  it.each(commands.filter((command) => command !== 'models'))('%s --help has an example', async (command) => {
    const { code, out, err } = await manikin(command, '--help');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(new RegExp(`Examples?:\\n {2}manikin ${command} `));
    for (const option of ['--base', '--mimic', '--json']) expect(out).toContain(option);
  });

  it('models --help', async () => {
    expect((await manikin('models', '--help')).code).toBe(0);
  });

  it('--version is that of the package', async () => {
    const { version } = (await import('../../package.json', { with: { type: 'json' } })).default;
    expect(await output('--version')).toBe(`${version}\n`);
  });
});

describe.skipIf(!hasShared('data/urdf'))('a real robot', () => {
  const talos = sharedPath('data/urdf/talos_full_v2.urdf');

  it.each(['info', 'describe', 'fd', 'id', 'mass-matrix', 'energy'])('%s', async (command) => {
    for (const base of ['fixed', 'floating']) {
      const { code, out, err } = await manikin(command, talos, '--base', base, '--json', '--quiet');
      expect([code, err]).toEqual([0, '']);
      JSON.parse(out);
      expect((await manikin(command, talos, '--base', base, '--quiet')).code).toBe(0);
    }
  });
});
