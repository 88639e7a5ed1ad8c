// Every URDF file of ../shared/data, its counts taken from the text by other means.

import { describe, expect, it } from 'vitest';
import { parseUrdf } from '../../src/formats/urdf.js';
import { State } from '../../src/mechanism/state.js';
import { expectClose, massProperties, type SharedFile, sharedUrdfs } from './support.js';

const files = sharedUrdfs();
const MIMICS = new Map([
  ['jvrc1.urdf', 10],
  ['panda.urdf', 1],
  ['talos_full_v2.urdf', 12],
]);

/** The text without comments, and without the elements of Gazebo and others, which have links and joints in them. */
function bare({ text }: SharedFile): string {
  return text
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<(gazebo|transmission|sensor)\b[^>]*?(\/>|>[\s\S]*?<\/\1>)/g, '');
}

const count = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length;

describe.skipIf(files.length === 0).each(files)('$name', (file) => {
  const text = bare(file);
  const links = count(text, /<link\s/g);
  const fixed = count(text, /<joint\s[^>]*type="fixed"/g);
  const moving = count(text, /<joint\s[^>]*type="(revolute|continuous|prismatic)"/g);
  const mass = [...text.matchAll(/<mass\s+value="([^"]*)"/g)].reduce((sum, found) => sum + Number(found[1]), 0);

  it('has the bodies, joints and degrees of freedom of the file', () => {
    const mechanism = parseUrdf(file.text);
    expect(links).toBe(fixed + moving + 1);
    expect(mechanism.bodies).toHaveLength(links);
    expect(mechanism.joints.filter(({ type }) => type === 'fixed')).toHaveLength(fixed + 1);
    expect([mechanism.nq, mechanism.nv]).toEqual([moving, moving]);
  });

  it('has the mass of the file', () => {
    expectClose([massProperties(parseUrdf(file.text)).mass], [mass]);
  });

  it('floats when asked to', () => {
    const mechanism = parseUrdf(file.text, { base: 'floating' });
    expect(mechanism.joints[0]).toMatchObject({ name: 'root_joint', type: 'floating', parent: -1 });
    expect([mechanism.nq, mechanism.nv]).toEqual([moving + 7, moving + 6]);
  });

  it('keeps its mimic joints as couplings, or lets them go', () => {
    const mimics = MIMICS.get(file.name) ?? 0;
    const mechanism = parseUrdf(file.text);
    expect(mechanism.couplings).toHaveLength(mimics);
    const state = State.random(mechanism, 1);
    for (const { joint, source, multiplier, offset } of mechanism.couplings) {
      const [follower, leader] = [mechanism.joints[joint], mechanism.joints[source]];
      expect(state.q[follower.iq]).toBe(multiplier * state.q[leader.iq] + offset);
    }
    const free = parseUrdf(file.text, { mimic: 'ignore' });
    expect(free.couplings).toHaveLength(0);
    expect(free.nv).toBe(moving);
  });

  it('stays the same body of mass when fixed joints are merged', () => {
    const kept = parseUrdf(file.text);
    const merged = parseUrdf(file.text, { fixedJoints: 'merge' });
    expect(merged.bodies).toHaveLength(moving + 1);
    expect(merged.frames).toHaveLength(fixed);
    expect(merged.nv).toBe(moving);
    const [before, after] = [massProperties(kept), massProperties(merged)];
    expectClose([after.mass], [before.mass]);
    expectClose(after.com, before.com);
    expectClose(after.inertia, before.inertia);
    const shapes = (mechanism: typeof kept): number =>
      mechanism.bodies.reduce((sum, body) => sum + body.visuals.length + body.collisions.length, 0);
    expect(shapes(merged)).toBe(shapes(kept));
    expect(shapes(kept)).toBe(count(text, /<(visual|collision)\b/g));
  });

  it('lists what is not used, with line and column', () => {
    const { warnings } = parseUrdf(file.text, { file: file.name });
    const lines = file.text.split(/\r\n|\r|\n/);
    for (const { code, where, message } of warnings) {
      const [, line, column] = /^[\w.-]+:(\d+):(\d+)/.exec(where) ?? [];
      const rest = lines[Number(line) - 1].slice(Number(column) - 1);
      if (code === 'not-used') {
        const [, what] = /^(?:Attribute )?(<\w+|\w+)/.exec(message) ?? [];
        expect(rest.startsWith(what)).toBe(true);
      } else expect(rest).toMatch(/^</);
    }
    const listed = (name: string): boolean => warnings.some(({ message }) => message.startsWith(`<${name}> `));
    for (const name of ['gazebo', 'transmission'])
      expect(listed(name)).toBe(new RegExp(`<${name}\\b`).test(file.text.replace(/<!--[\s\S]*?-->/g, '')));
  });
});

it.skipIf(files.length === 0)('warns of each kind of leftover in panda.urdf', () => {
  const panda = files.find(({ name }) => name === 'panda.urdf')!;
  const kinds = parseUrdf(panda.text, { file: 'panda.urdf' }).warnings.map(({ message }) => message);
  expect(kinds.filter((message) => message === 'Attribute mu_viscous of <dynamics> is not used.')).toHaveLength(7);
  expect(kinds).toContain('<safety_controller> in <joint> is not used (and 6 more of the kind).');
  expect(kinds).toContain(
    'No folder was given for the package "example-robot-data" (--package example-robot-data=FOLDER); the paths of 20 meshes are kept as written.',
  );
});
