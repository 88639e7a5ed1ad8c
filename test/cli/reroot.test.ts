import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { parseDescription, parseUrdf } from '../../src/formats/index.js';
import { State } from '../../src/mechanism/state.js';
import { builtinMechanism } from '../../src/models/index.js';
import { relativeError } from '../support/random-mechanism.js';
import { hasShared, readShared } from '../support/shared.js';
import { expectRefusal, json, manikin, output, read, temporaryFolder } from './support.js';

const folder = temporaryFolder();
const FOOT = ['--top', 'left_foot', '--at', '0,0.1,0', '--joint', 'floating'];

describe('reroot', () => {
  it('prints the new description with its state', async () => {
    const text = await output('reroot', 'human-34', '--seed', '1', ...FOOT, '--json');
    const { mechanism, state } = parseDescription(text);
    const figure = builtinMechanism('human-34');
    const before = new PlainDynamics(figure).energy(State.random(figure, 1));
    const after = new PlainDynamics(mechanism).energy(state);
    expect(
      relativeError([after.kinetic, after.potential, ...after.com], [before.kinetic, before.potential, ...before.com]),
    ).toBeLessThan(1e-12);
    const described = JSON.parse(text);
    expect(described.bodies.find((body: { name: string }) => body.name === 'left_foot').parent).toBeNull();
    expect(described.bodies.find((body: { name: string }) => body.name === 'pelvis').parent).toBe('left_thigh_z');
  });

  it('its own output goes in again, and back', async () => {
    const there = folder.write('there.json', await output('reroot', 'human-34', '--seed', '1', ...FOOT, '--json'));
    const back = await json('reroot', there, '--top', 'pelvis', '--at', '0.3,0,1', '--joint', 'floating');
    const original = await json('describe', 'human-34', '--seed', '1');
    for (const body of original.bodies) {
      if (body.parent === null) continue;
      const again = back.bodies.find(({ name }: { name: string }) => name === body.name);
      expect([again.parent, again.joint.name]).toEqual([body.parent, body.joint.name]);
      expect(back.state[body.name].q).toBeCloseTo(original.state[body.name].q, 12);
    }
  });

  it('prints which joints changed', async () => {
    const out = await output(
      'reroot',
      'compass',
      '--top',
      'swing_leg',
      '--at',
      '0,0,0',
      '--joint',
      'revolute',
      '--axis',
      '0,-1,0',
    );
    expect(out).toMatch(/stance_leg +swing_leg +hip +revolute/);
    expect(out).toMatch(/swing_leg +ground +support +revolute/);
  });

  it('writes URDF', async () => {
    const file = folder.path('foot.urdf');
    const { code, err } = await manikin('reroot', 'human-34', ...FOOT, '--urdf', file);
    expect([code, err]).toEqual([0, `written: ${file}\n`]);
    const mechanism = parseUrdf(read(file));
    expect(mechanism.joints[mechanism.bodyIndex('left_foot')].type).toBe('floating');
    const refused = folder.path('ball.urdf');
    expectRefusal(await manikin('reroot', 'human-40', ...FOOT, '--urdf', refused), 2);
    expect(existsSync(refused)).toBe(false);
  });

  it.skipIf(!hasShared('reference/reroot-case.json'))('the reference case', async () => {
    const [{ old, new_top, g, new: expected }] = JSON.parse(readShared('reference/reroot-case.json')).cases;
    writeFileSync(folder.path('case.json'), JSON.stringify(old));
    const got = await json(
      'reroot',
      folder.path('case.json'),
      '--top',
      new_top,
      '--at',
      g.join(','),
      '--joint',
      'floating',
    );
    for (const body of expected.bodies) {
      const ours = got.bodies.find(({ name }: { name: string }) => name === body.name);
      expect(ours.parent).toBe(body.parent);
      for (const key of ['E', 't', 'com', 'inertia']) expect(relativeError(ours[key], body[key])).toBeLessThan(1e-12);
      for (const key of ['q', 'qd'])
        expect(relativeError([got.state[body.name][key]].flat(), [expected.state[body.name][key]].flat())).toBeLessThan(
          1e-12,
        );
    }
  });

  it.each([
    [['--top', 'nobody', '--at', '0,0,0', '--joint', 'floating'], 'There is no body "nobody"'],
    [['--top', 'left_foot', '--at', '0,NaN,0', '--joint', 'floating'], 'Expected three finite numbers x,y,z'],
    [['--top', 'left_foot', '--at', '0,0', '--joint', 'floating'], 'Expected three finite numbers x,y,z'],
    [['--top', 'left_foot', '--at', '0,0,0', '--joint', 'rubber'], 'Allowed choices are fixed, revolute'],
    [['--top', 'left_foot', '--joint', 'floating'], "required option '--at <x,y,z>' not specified"],
    [['--top', 'left_foot', '--at', '0,0,0', '--joint', 'revolute', '--seed', '1'], 'cannot hold its orientation'],
    [['--top', 'left_foot', '--at', '0,0,0', '--joint', 'spherical', '--seed', '1'], 'cannot hold its velocity'],
    [['--top', 'left_foot', '--at', '0,0,0', '--joint', 'helical', '--pitch', 'x'], 'Expected a finite number'],
  ])('refuses %j', async (words, message) => {
    const outcome = await manikin('reroot', 'human-34', ...words);
    expectRefusal(outcome, 2);
    expect(outcome.err).toContain(message);
  });

  it('takes a negative point and puts the rest of the pose where it is told to', async () => {
    const words = [
      '--top',
      'left_foot',
      '--at',
      '-1,0,0',
      '--joint',
      'revolute',
      '--pose',
      'tree',
      '--velocity',
      'drop',
    ];
    const { bodies } = await json('reroot', 'human-34', '--seed', '1', ...words);
    expect(bodies.find(({ name }: { name: string }) => name === 'left_foot').t).toEqual([-1, 0, 0]);
  });
});
