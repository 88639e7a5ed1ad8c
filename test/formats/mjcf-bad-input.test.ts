// What an MJCF file must not do: leave its root, include itself, ask for the impossible.

import { describe, expect, it } from 'vitest';
import { parseMjcf } from '../../src/formats/mjcf.js';
import { parseSdf } from '../../src/formats/sdf.js';
import { parseUrdf } from '../../src/formats/urdf.js';
import { ImportError } from '../../src/mechanism/errors.js';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function refusal(text: string, files: Readonly<Record<string, string>> = {}, folder = ''): ImportError {
  const map = new Map(Object.entries(files));
  const read = (path: string): Uint8Array | undefined => {
    expect(path).not.toMatch(/(^|\/)\.\.(\/|$)|^\//);
    const content = map.get(path);
    return content === undefined ? undefined : encode(content);
  };
  try {
    parseMjcf(text, { file: 'm.xml', files: { folder, read } });
  } catch (error) {
    expect(error).toBeInstanceOf(ImportError);
    return error as ImportError;
  }
  throw new Error('it was read');
}

const model = (inside: string, sections = ''): string =>
  `<mujoco>${sections}<worldbody><body name="b"><joint name="j"/><geom size="0.1"/>${inside}</body></worldbody></mujoco>`;

describe('files of a model', () => {
  it.each(['../secret.xml', '/etc/passwd', 'a/../../x.xml', 'file:///etc/passwd', 'C:\\x.xml', 'http://x/y.xml'])(
    'no path outside the root: %s',
    (path) => {
      expect(refusal(model(`<include file="${path}"/>`)).message).toMatch(/m\.xml:1:\d+: Attribute file of <include>/);
      const mesh = `<asset><mesh name="m" file="${path.replace('.xml', '.stl')}"/></asset>`;
      expect(refusal(model('', mesh)).problems[0].code).toBe('mesh-path');
    },
  );

  it('".." within the root is fine', () => {
    const files = { 'common/hand.xml': '<mujocoinclude><site name="s"/></mujocoinclude>' };
    const text = model('<include file="../common/hand.xml"/>');
    const read = (path: string): Uint8Array | undefined => {
      const content = new Map(Object.entries(files)).get(path);
      return content === undefined ? undefined : encode(content);
    };
    const { mechanism } = parseMjcf(text, { files: { folder: 'robot', read } });
    expect(mechanism.frames.map(({ name }) => name)).toEqual(['s']);
  });

  it('a circle of included files is one clear error', () => {
    const files = {
      'a.xml': '<mujoco><include file="b.xml"/></mujoco>',
      'b.xml': '<mujoco><include file="a.xml"/></mujoco>',
    };
    const error = refusal('<mujoco><include file="a.xml"/></mujoco>', files);
    expect(error.problems).toHaveLength(1);
    expect(error.message).toMatch(/b\.xml:1:\d+: .*"a\.xml" is already included/);
    expect(refusal('<mujoco><include file="m.xml"/></mujoco>', { 'm.xml': '<mujoco/>' }).problems[0].code).toBe(
      'include-cycle',
    );
  });

  it('a model that attaches itself ends', () => {
    const self =
      '<mujoco><asset><model name="me" file="me.xml"/></asset><worldbody><attach model="me" prefix="x"/></worldbody></mujoco>';
    expect(refusal(self, { 'me.xml': self }).problems.length).toBeGreaterThan(0);
  });

  it('a missing file is named, and a mesh that an inertia needs', () => {
    expect(refusal(model('<include file="gone.xml"/>')).message).toMatch(/there is no file "gone\.xml"/);
    const asset = '<asset><mesh name="m" file="gone.stl"/></asset>';
    const text = `<mujoco>${asset}<worldbody><body><joint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>`;
    expect(refusal(text).message).toMatch(/"gone\.stl" is needed for an inertia/);
  });
});

describe('names that are not there', () => {
  it('near ones are told, in every format', () => {
    const mjcf = `<mujoco><worldbody><body name="arm"><joint name="elbow"/><geom size=".1"/></body></worldbody>
      <actuator><motor joint="elbw"/></actuator></mujoco>`;
    expect(() => parseMjcf(mjcf)).toThrow('the joint "elbw", which is not there. Did you mean "elbow"?');
    const urdf =
      '<robot name="r"><link name="base"/><link name="arm"/><joint name="j" type="fixed"><parent link="bse"/><child link="arm"/></joint></robot>';
    expect(() => parseUrdf(urdf)).toThrow('"bse", is not a link of this file. Did you mean "base"?');
    const sdf =
      '<sdf version="1.9"><model name="m"><link name="base"/><link name="arm"><pose relative_to="bas"/></link></model></sdf>';
    expect(() => parseSdf(sdf)).toThrow('Did you mean "base"?');
  });

  it('a thousand of them take bounded time, and no name can give orders to a terminal', () => {
    const joints = Array.from({ length: 900 }, (_, k) => `<joint name="joint_${k}" axis="${k % 2} 0 1"/>`).join('');
    const motors = Array.from({ length: 2000 }, (_, k) => `<motor joint="joints_${k}"/>`).join('');
    const text = `<mujoco><worldbody><body>${joints}<geom size=".1"/></body></worldbody><actuator>${motors}</actuator></mujoco>`;
    expect(() => parseMjcf(text)).toThrow(/1001 problems/);
    const strange =
      '<robot name="r"><link name="a\u009b31m"/><joint name="j" type="fixed"><parent link="a31m"/><child link="a31m"/></joint></robot>';
    try {
      parseUrdf(strange);
      expect.unreachable();
    } catch (error) {
      expect((error as Error).message).not.toContain('\u009b');
    }
  });
});

describe('what is too much', () => {
  it('entities, numbers beyond bounds, copies of copies', () => {
    for (const type of ['[<!ENTITY a "x">]', 'SYSTEM "file:///etc/passwd"'])
      expect(refusal(`<!DOCTYPE m ${type}><mujoco/>`).problems[0].code).toBe('xml-doctype');
    expect(refusal(model('<geom size="1e999"/>')).message).toMatch(/expected 1 to 3 finite numbers/);
    const bomb = '<replicate count="1000">'.repeat(4) + '<site/>' + '</replicate>'.repeat(4);
    expect(refusal(model(bomb)).problems.at(-1)?.code).toBe('too-large');
  });

  it('20 000 lines take bounded time', () => {
    const bodies = Array.from(
      { length: 10_000 },
      (_, k) => `<body name="b${k}" pos="0 0 ${k}">\n<joint name="j${k}"/><geom size="0.1" class="c"/></body>\n`,
    );
    const defaults = '<default><default class="c"><geom rgba="1 0 0 1" friction="0.5"/></default></default>';
    const start = process.cpuUsage();
    const { mechanism } = parseMjcf(`<mujoco>${defaults}<worldbody>${bodies.join('')}</worldbody></mujoco>`);
    expect(mechanism.nv).toBe(10_000);
    // Of the processor: a busy machine takes longer. Two seconds are usual, quadratic would be minutes.
    expect(process.cpuUsage(start).user).toBeLessThan(20e6);
  });

  it('an open mesh is refused where its exact inertia is needed, with the reason', () => {
    const mesh = (faces: string): string =>
      `<mujoco><asset><mesh name="m" inertia="exact" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="${faces}"/></asset><worldbody><body><joint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>`;
    expect(refusal(mesh('0 2 1 0 1 3 0 3 2')).message).toMatch(/its surface is open, 3 edges/);
    expect(refusal(mesh('0 1 2 0 3 1 0 2 3 1 3 2')).message).toMatch(/its faces look inwards/);
    expect(parseMjcf(mesh('0 2 1 0 1 3 0 3 2 1 2 3')).mechanism.bodies[0].mass).toBeCloseTo(1000 / 6, 9);
  });
});
