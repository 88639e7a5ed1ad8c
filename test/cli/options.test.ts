// Options that choose the mechanism and its state.

import { describe, expect, it } from 'vitest';
import { BUILTIN_MODELS } from '../../src/models/index.js';
import { listShared, sharedPath } from '../support/shared.js';
import { ARM, type JointJson, joints, json, manikin, numbers, output, temporaryFolder } from './support.js';

const files = temporaryFolder();
const arm = files.write('arm.urdf', ARM);

/** Built-ins, files, and both with another base or without couplings. */
const MODELS: string[][] = [
  ...BUILTIN_MODELS.map(({ example }) => [example]),
  ['human-34', '--base', 'fixed'],
  [arm],
  [arm, '--base', 'floating', '--mimic', 'ignore'],
  ...listShared('data/urdf', '.urdf').flatMap((name) => {
    const path = sharedPath(`data/urdf/${name}`);
    return [[path], [path, '--base', 'floating']];
  }),
].map((words) => [...words, '--quiet']);

const withoutTau = (list: readonly JointJson[]) => ({ joints: list.map(({ name, q, v }) => ({ name, q, v })) });

const close = (got: readonly number[], expected: readonly number[], tolerance = 1e-9): void => {
  const size = Math.max(1, ...expected.map(Math.abs));
  expect(got).toHaveLength(expected.length);
  got.forEach((x, k) => {
    expect(Math.abs(x - expected[k])).toBeLessThanOrEqual(tolerance * size);
  });
};

describe.each(MODELS.map((words) => [words.map((word) => word.replace(/^.*\//, '')).join(' '), words] as const))(
  '%s',
  (_title, words) => {
    it('--seed makes the same state every time, another for another seed', async () => {
      const first = await output('fd', ...words, '--seed', '7', '--json');
      expect(await output('fd', ...words, '--seed', '7', '--json')).toBe(first);
      expect(await output('fd', ...words, '--seed', '8', '--json')).not.toBe(first);
    });

    it('fd, printed and read back with --state, gives the same text', async () => {
      const first = await output('fd', ...words, '--seed', '7', '--json');
      const state = files.write('state.json', first);
      expect(await output('fd', ...words, '--state', state, '--json')).toBe(first);
    });

    it('id of what fd prints gives back tau', async () => {
      const forward = await joints('fd', ...words, '--seed', '7');
      const state = files.write('forward.json', { joints: forward });
      const inverse = await joints('id', ...words, '--state', state);
      expect(numbers(inverse, 'qdd')).toEqual(numbers(forward, 'qdd'));
      close(numbers(inverse, 'tau'), numbers(forward, 'tau'), 1e-8);
    });

    it('describe, read back as a model, is the same mechanism in the same state, to the last bit', async () => {
      const described = await output('describe', ...words, '--seed', '7');
      const model = files.write('described.json', described);
      const state = files.write('only-state.json', withoutTau(await joints('fd', ...words, '--seed', '7')));
      const expected = await joints('fd', ...words, '--state', state, '--passive', '--forces');
      expect(await joints('fd', model, '--passive', '--forces')).toEqual(expected);
      expect(await output('describe', model, '--quiet')).toBe(described);
      const [original, again] = [await json('energy', ...words, '--seed', '7'), await json('energy', model)];
      expect({ ...again, model: '' }).toEqual({ ...original, model: '' });
    });
  },
);

describe('--base', () => {
  it.each([
    ['human-34', 'fixed', 28],
    ['human-34', 'floating', 34],
    ['chain-3', 'floating', 8],
    ['chain-3', 'fixed', 2],
    ['chain-3-free', 'fixed', 2],
  ])('%s %s', async (model, base, dof) => {
    const info = await json('info', model, '--base', base);
    expect([info.dof, info.roots[0].type]).toEqual([dof, base]);
    expect(await joints('fd', model, '--base', base, '--seed', '1')).toHaveLength(info.joints);
  });

  it('for files: fixed where nothing is said', async () => {
    expect((await json('info', arm)).roots[0].type).toBe('fixed');
    expect((await json('info', arm, '--base', 'fixed')).dof).toBe(2);
    expect((await json('info', arm, '--base', 'floating')).dof).toBe(8);
  });

  it('for descriptions: as written where nothing is said, and the rest of the state stays', async () => {
    const described = await json('describe', 'chain-3-free', '--seed', '4');
    const model = files.write('free.json', { ...described, time: 1.5 });
    expect((await joints('fd', model))[0].type).toBe('floating');
    const fixed = await joints('fd', model, '--base', 'fixed');
    expect(fixed.map(({ type }) => type)).toEqual(['fixed', 'revolute', 'revolute']);
    expect(fixed[2].q).toEqual([described.state.link_3.q]);
    expect(fixed[2].v).toEqual([described.state.link_3.qd]);
    expect((await json('describe', model, '--base', 'fixed')).time).toBe(1.5);
    expect((await json('describe', model)).time).toBe(1.5);
  });

  it('of a built-in and of its description are the same', async () => {
    const model = files.write('human.json', await output('describe', 'human-34'));
    const [a, b] = await Promise.all(
      ['human-34', model].map((name) => joints('fd', name, '--base', 'fixed', '--seed', '2')),
    );
    expect(a).toEqual(b);
  });

  it('a mechanism without freedom: an empty JSON, or words that say so', async () => {
    expect(numbers(await joints('fd', 'chain-1', '--base', 'fixed'), 'qdd')).toEqual([]);
    const { code, err } = await manikin('fd', 'chain-1', '--base', 'fixed');
    expect(code).toBe(2);
    expect(err).toContain('no degree of freedom');
  });
});

describe('--mimic', () => {
  it('couple: the wrist follows the elbow', async () => {
    for (const words of [[], ['--mimic', 'couple']]) {
      const list = await joints('fd', arm, '--seed', '3', ...words);
      const [elbow, wrist] = ['elbow', 'wrist'].map((name) => list.find((joint) => joint.name === name)!);
      expect(wrist.q[0]).toBe(-0.5 * elbow.q[0] + 0.1);
      expect(wrist.v[0]).toBe(-0.5 * elbow.v[0]);
      expect(wrist.qdd[0]).toBeCloseTo(-0.5 * elbow.qdd[0], 12);
      expect(wrist.tau).toEqual([0]);
    }
  });

  it('ignore: it does not; for descriptions too', async () => {
    const model = files.write('coupled.json', await output('describe', arm, '--quiet'));
    for (const name of [arm, model]) {
      const list = await joints('fd', name, '--seed', '3', '--mimic', 'ignore');
      const [elbow, wrist] = ['elbow', 'wrist'].map((joint) => list.find((other) => other.name === joint)!);
      expect(Math.abs(wrist.q[0] - (-0.5 * elbow.q[0] + 0.1))).toBeGreaterThan(1e-3);
      expect(Math.abs(wrist.qdd[0] + 0.5 * elbow.qdd[0])).toBeGreaterThan(1e-3);
      expect((await json('info', name, '--mimic', 'ignore')).dof).toBe(3);
    }
  });
});

describe('--seed', () => {
  it('takes negative and large numbers', async () => {
    const texts = await Promise.all(['-3', '0', '123456789'].map((seed) => output('fd', 'chain-2', '--seed', seed)));
    expect(new Set(texts).size).toBe(3);
  });

  it('keeps within limits', async () => {
    for (const seed of ['1', '2', '3', '4', '5']) {
      const [, shoulder] = await joints('fd', arm, '--seed', seed);
      expect(Math.abs(shoulder.q[0])).toBeLessThanOrEqual(1);
    }
  });

  it('is the same state for every command', async () => {
    const state = (await json('describe', 'chain-3', '--seed', '5')).state;
    for (const command of ['fd', 'id'])
      expect((await joints(command, 'chain-3', '--seed', '5')).map(({ q }) => q[0])).toEqual(
        Object.values<{ q: number }>(state).map(({ q }) => q),
      );
  });
});

describe('--state', () => {
  it('takes single numbers, and joints that are left out are at rest', async () => {
    const state = files.write('part.json', { joints: [{ name: 'joint_2', q: 0.5, v: 1, tau: 2 }] });
    const list = await joints('fd', 'chain-3', '--state', state);
    expect(list.map(({ q, v, tau }) => [q[0], v[0], tau[0]])).toEqual([
      [0, 0, 0],
      [0.5, 1, 2],
      [0, 0, 0],
    ]);
  });

  it('wins over the state in a description', async () => {
    const model = files.write('chain.json', await output('describe', 'chain-2', '--seed', '1'));
    const state = files.write('zero.json', { joints: [{ name: 'joint_1', q: [0.25] }] });
    expect(numbers(await joints('fd', model, '--state', state), 'q')).toEqual([0.25, 0]);
    expect(numbers(await joints('fd', model), 'q')).not.toEqual([0.25, 0]);
  });

  it('--seed wins over the state in a description too', async () => {
    const model = files.write('chain.json', await output('describe', 'chain-2', '--seed', '1'));
    expect(await joints('fd', model, '--seed', '2')).toEqual(await joints('fd', 'chain-2', '--seed', '2'));
  });
});

describe('other options of files', () => {
  it('--merge makes one body of those on fixed joints, with the same motion', async () => {
    const [all, merged] = [await joints('fd', arm, '--seed', '1'), await joints('fd', arm, '--seed', '1', '--merge')];
    expect(merged.length).toBeLessThan(all.length);
    close(numbers(merged, 'qdd'), numbers(all, 'qdd'));
    expect((await json('info', arm, '--merge')).mass).toBeCloseTo(5, 12);
  });

  it('--inertia: reject, warn, repair', async () => {
    const bad = files.write('bad.urdf', ARM.replace('izz="0.01"', 'izz="0.5"'));
    const rejected = await manikin('info', bad, '--inertia', 'reject');
    expect(rejected.code).toBe(2);
    expect(rejected.err).toMatch(/bad\.urdf:\d+:\d+.*"base".*No real body/s);
    const codes = async (...words: string[]) =>
      (await json('info', bad, ...words)).warnings.map(({ code }: { code: string }) => code);
    expect(await codes()).toContain('triangle-inequality');
    expect(await codes('--inertia', 'warn')).toContain('triangle-inequality');
    const warned = await json('describe', bad, '--inertia', 'warn');
    const repaired = await json('describe', bad, '--inertia', 'repair');
    expect(warned.bodies[0].inertia[8]).toBe(0.5);
    expect(repaired.bodies[0].inertia).not.toEqual(warned.bodies[0].inertia);
    const model = files.write('bad.json', warned);
    expect((await manikin('info', model, '--inertia', 'reject')).code).toBe(2);
    expect((await manikin('info', model)).code).toBe(0);
  });

  it('--package says where meshes are', async () => {
    const visual = '<visual><geometry><mesh filename="package://parts/arm.stl"/></geometry></visual></link>';
    const meshes = files.write('meshes.urdf', ARM.replace('</link>', visual));
    const { bodies } = await json('describe', meshes, '--package', 'parts=/opt/parts');
    expect(bodies[0].visuals[0].geometry.path).toBe('/opt/parts/arm.stl');
    expect((await manikin('info', meshes, '--package', 'parts')).code).toBe(2);
  });

  it('warnings go to standard error only, and --quiet keeps them back', async () => {
    for (const command of ['fd', 'id', 'describe', 'mass-matrix', 'energy']) {
      const loud = await manikin(command, arm, '--json');
      const quiet = await manikin(command, arm, '--json', '--quiet');
      expect(loud.err).toMatch(/^Warning: /);
      expect(quiet.err).toBe('');
      expect(loud.out).toBe(quiet.out);
      expect(loud.out).not.toContain('Warning');
    }
  });
});
