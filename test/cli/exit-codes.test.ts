// 0 good, 2 bad input or usage, 1 anything else; one clear message, never a stack.

import { chmodSync, closeSync, ftruncateSync, mkdirSync, openSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { expectRefusal, manikin, output, temporaryFolder } from './support.js';

const files = temporaryFolder();

const bodyJson = (name: string, more: object = {}) => ({
  name,
  parent: null,
  joint: { name: `j_${name}`, type: 'revolute', axis: [0, 0, 1] },
  E: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  t: [0, 0, 0],
  mass: 1,
  com: [0.1, 0, 0],
  inertia: [0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1],
  ...more,
});
const description = (...bodies: object[]) => ({ gravity: [0, 0, -9.81], bodies });

describe('2: usage', () => {
  it.each<[string, string[]]>([
    ['no command', []],
    ['an unknown command', ['dance', 'human-34']],
    ['an unknown option', ['fd', 'human-34', '--fast']],
    ['no model', ['fd']],
    ['two models', ['fd', 'human-34', 'human-48']],
    ['an option without its value', ['fd', 'human-34', '--seed']],
    ['a base that there is not', ['info', 'human-34', '--base', 'wobbly']],
    ['a mimic mode that there is not', ['info', 'human-34', '--mimic', 'maybe']],
    ['an inertia mode that there is not', ['info', 'human-34', '--inertia', 'hope']],
    ['an algorithm that there is not', ['fd', 'human-34', '--algorithm', 'magic']],
    ['a seed that is no number', ['fd', 'human-34', '--seed', 'seven']],
    ['a seed that is not whole', ['fd', 'human-34', '--seed', '1.5']],
    ['an empty seed', ['fd', 'human-34', '--seed', '']],
    ['a package without a folder', ['info', 'human-34', '--package', 'parts']],
    ['a step of zero', ['simulate', 'compass', '--step', '0']],
    ['a negative duration', ['simulate', 'compass', '--duration', '-1']],
    ['an infinite duration', ['simulate', 'compass', '--duration', 'Infinity']],
    ['a duration that is no number', ['simulate', 'compass', '--duration', 'long']],
    ['lines of no distance', ['simulate', 'compass', '--every', '0']],
    ['an integrator that there is not', ['simulate', 'compass', '--integrator', 'leapfrog']],
    ['more steps than anyone can wait for', ['simulate', 'compass', '--duration', '1e9', '--step', '1e-9']],
  ])('%s', async (_what, words) => {
    expectRefusal(await manikin(...words), 2);
  });

  it('--seed and --state together', async () => {
    const state = files.write('state.json', { joints: [] });
    const outcome = await manikin('fd', 'compass', '--seed', '1', '--state', state);
    expectRefusal(outcome, 2);
    expect(outcome.err).toContain('one of --seed, --state and --keyframe');
  });
});

describe('2: models', () => {
  it.each<[string, string, RegExp]>([
    ['an unknown name', 'human-35', /There is no built-in mechanism "human-35".*Did you mean/s],
    ['an empty name', '', /There is no built-in/],
    ['a chain without links', 'chain-0', /links/],
    ['an endless chain', 'chain-99999999', /links/],
    ['a missing URDF file', 'no/such/robot.urdf', /There is no file "no\/such\/robot.urdf"/],
    ['a missing JSON file', 'nothing.json', /There is no file/],
    ['a file of another kind', 'robot.stl', /neither a built-in name nor a file/],
    ['a path without ending', './robot', /neither/],
  ])('%s', async (_what, name, message) => {
    const outcome = await manikin('info', name);
    expectRefusal(outcome, 2);
    expect(outcome.err).toMatch(message);
  });

  it('a page on nothing', async () => {
    const outcome = await manikin('view', 'domino');
    expectRefusal(outcome, 2);
    expect(outcome.err).toMatch(/There is no built-in mechanism or scene "domino"\. Did you mean "dominoes"\?/);
    expect(outcome.err).toMatch(/chain-N.*scenes: bar, .*fall/);
    expectRefusal(await manikin('view', 'nothing'), 2);
    expectRefusal(await manikin('view', 'human-34', '--base', 'floating'), 2);
    expectRefusal(await manikin('view', 'chain-0'), 2);
  });

  it('a folder', async () => {
    mkdirSync(files.path('folder.urdf'));
    const outcome = await manikin('info', files.path('folder.urdf'));
    expectRefusal(outcome, 2);
    expect(outcome.err).toContain('is a folder');
  });

  it('a file inside a file', async () => {
    const file = files.write('plain.json', '{}');
    expectRefusal(await manikin('info', `${file}/robot.urdf`), 2);
  });

  it('links that go round in a circle, a name that is too long', async () => {
    symlinkSync(files.path('b.urdf'), files.path('a.urdf'));
    symlinkSync(files.path('a.urdf'), files.path('b.urdf'));
    expectRefusal(await manikin('info', files.path('a.urdf')), 2);
    expectRefusal(await manikin('info', files.path(`${'x'.repeat(5000)}.urdf`)), 2);
  });

  it.skipIf(process.getuid?.() === 0)('a file that may not be read', async () => {
    const file = files.write('secret.json', '{}');
    chmodSync(file, 0);
    expectRefusal(await manikin('info', file), 2);
  });

  it('a file of 200 MB, unread', async () => {
    const file = files.path('huge.urdf');
    const descriptor = openSync(file, 'w');
    ftruncateSync(descriptor, 200 * 1024 * 1024);
    closeSync(descriptor);
    const outcome = await manikin('info', file);
    expectRefusal(outcome, 2);
    expect(outcome.err).toMatch(/200(\.0)? MiB/);
  });

  it.each<[string, string, unknown]>([
    ['an empty URDF', 'empty.urdf', ''],
    ['XML that is cut off', 'cut.urdf', '<robot name="r"><link name="a"'],
    [
      'a URDF with a cycle',
      'cycle.urdf',
      '<robot name="r"><link name="a"/><joint name="j" type="fixed"><parent link="a"/><child link="a"/></joint></robot>',
    ],
    ['an empty JSON', 'empty.json', ''],
    ['JSON that is cut off', 'cut.json', '{"gravity": [0, 0'],
    ['JSON of something else', 'other.json', '[1, 2, 3]'],
    ['a description without bodies', 'bare.json', { gravity: [0, 0, 0], bodies: [] }],
    ['a description with a bad mass', 'mass.json', description(bodyJson('a', { mass: -1 }))],
    ['a description with an unknown parent', 'parent.json', description(bodyJson('a', { parent: 'x' }))],
    ['a description with a bad state', 'state-in.json', { ...description(bodyJson('a')), state: { b: { q: 1 } } }],
  ])('%s', async (_what, name, content) => {
    const outcome = await manikin('info', files.write(name, content));
    expectRefusal(outcome, 2);
    expect(outcome.err).toContain(name);
  });

  it('every problem of a description is told', async () => {
    const bad = description(bodyJson('a', { mass: -1 }), bodyJson('a'), bodyJson('c', { parent: 'x', E: [1, 2] }));
    const { err } = await manikin('fd', files.write('many.json', bad));
    for (const text of ['bodies[0].mass', 'bodies[2].E']) expect(err).toContain(text);
  });

  it('loops: told by the commands that do not have them', async () => {
    const loop = {
      name: 'l',
      joint: { type: 'spherical' },
      a: { body: 'a', E: [1, 0, 0, 0, 1, 0, 0, 0, 1], t: [0, 0, 0] },
      b: { body: null, E: [1, 0, 0, 0, 1, 0, 0, 0, 1], t: [0, 0, 0] },
    };
    const file = files.write('loop.json', { ...description(bodyJson('a')), loops: [loop] });
    expect(JSON.parse(await output('info', file, '--json')).loopCount).toBe(1);
    expect(JSON.parse(await output('describe', file)).loops).toHaveLength(1);
    expect(JSON.parse(await output('id', file, '--json')).joints).toHaveLength(1);
    const outcome = await manikin('fd', file, '--algorithm', 'dense');
    expectRefusal(outcome, 2);
    expect(outcome.err).toContain('loop "l"');
  });
});

describe('2: states', () => {
  it.each<[string, unknown]>([
    ['no JSON', 'hello'],
    ['no joints', {}],
    ['joints that are no list', { joints: 7 }],
    ['a joint that there is not', { joints: [{ name: 'knee', q: 1 }] }],
    ['too many positions', { joints: [{ name: 'joint_1', q: [1, 2] }] }],
    ['no position', { joints: [{ name: 'joint_1' }] }],
    ['text for a number', { joints: [{ name: 'joint_1', q: ['1'] }] }],
    ['nothing for a number', { joints: [{ name: 'joint_1', q: [null] }] }],
    ['the body of another joint', { joints: [{ name: 'joint_1', body: 'link_2', q: 1 }] }],
    ['another type', { joints: [{ name: 'joint_1', type: 'prismatic', q: 1 }] }],
    [
      'a joint twice',
      {
        joints: [
          { name: 'joint_1', q: 1 },
          { name: 'joint_1', q: 2 },
        ],
      },
    ],
    ['too few forces', { joints: [{ name: 'joint_1', q: 1, tau: [] }] }],
    ['a number beyond all bounds', '{"joints": [{"name": "joint_1", "q": [1e999]}]}'],
  ])('%s', async (_what, content) => {
    const outcome = await manikin('fd', 'chain-2', '--state', files.write('bad-state.json', content));
    expectRefusal(outcome, 2);
    expect(outcome.err).toContain('bad-state.json');
  });

  it('a missing file, a folder', async () => {
    expectRefusal(await manikin('fd', 'chain-2', '--state', files.path('none.json')), 2);
    mkdirSync(files.path('folder'));
    expectRefusal(await manikin('fd', 'chain-2', '--state', files.path('folder')), 2);
  });

  it('a quaternion that is none', async () => {
    const state = files.write('quaternion.json', { joints: [{ name: 'joint_1', q: [0, 0, 0, 0, 1, 2, 3] }] });
    expectRefusal(await manikin('fd', 'chain-1-free', '--state', state), 2);
  });
});

describe('1: what cannot be computed', () => {
  // A point on its own axis: turning it takes no force.
  const point = { com: [0, 0, 0], inertia: [0, 0, 0, 0, 0, 0, 0, 0, 0] };

  it.each(['fd', 'simulate'])('%s of a singular mechanism, with body and joint named', async (command) => {
    const model = files.write('singular.json', description(bodyJson('arm', point)));
    const outcome = await manikin(command, model, '--quiet');
    expectRefusal(outcome, 1);
    expect(outcome.err).toMatch(/"j_arm".*"arm".*singular/);
  });

  it('a motion that leaves the range of numbers', async () => {
    const joint = { name: 'j', type: 'revolute', axis: [0, 0, 1], damping: 1e6 };
    const model = files.write('stiff.json', {
      ...description(bodyJson('arm', { joint })),
      state: { arm: { q: 0, qd: 1 } },
    });
    const outcome = await manikin('simulate', model, '--integrator', 'rk4');
    expectRefusal(outcome, 1);
    expect(outcome.err).toMatch(/energy grew .* time .* step/);
    expect((await manikin('simulate', model, '--integrator', 'euler')).code).toBe(0);
  });

  it('a matrix larger than any memory', async () => {
    const outcome = await manikin('mass-matrix', 'chain-31000-spherical');
    expectRefusal(outcome, outcome.code === 1 ? 1 : 2);
    expect(outcome.err).toMatch(/93000 rows.*up to 3000 rows/);
  });
});
