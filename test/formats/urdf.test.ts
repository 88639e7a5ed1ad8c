import { describe, expect, it } from 'vitest';
import { parseUrdf, type UrdfOptions } from '../../src/formats/urdf.js';
import { GROUND, type Joint, type Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { apply, transpose } from '../../src/spatial/matrix3.js';
import { expectProportional } from '../mechanism/support.js';
import { expectClose, massProperties } from './support.js';

const MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>';

function robot(content: string, options: UrdfOptions = {}): Mechanism {
  return parseUrdf(`<robot name="r">${content}</robot>`, { file: 'r.urdf', ...options });
}

const link = (name: string, content = MASS): string => `<link name="${name}">${content}</link>`;

function joint(name: string, parent: string, child: string, content = '', type = 'continuous'): string {
  return `<joint name="${name}" type="${type}"><parent link="${parent}"/><child link="${child}"/>${content}</joint>`;
}

/** Two links with a joint of that content between them. */
function oneJoint(content: string, type = 'continuous'): Joint {
  return robot(link('a') + link('b') + joint('j', 'a', 'b', content, type)).joints[1];
}

const names = (mechanism: Mechanism): string[] => mechanism.bodies.map(({ name }) => name);

describe('links', () => {
  it('have no mass without an <inertial>', () => {
    const [a] = robot('<link name="a"/>').bodies;
    expect(a).toEqual({
      name: 'a',
      mass: 0,
      com: [0, 0, 0],
      inertia: new Array(9).fill(0),
      visuals: [],
      collisions: [],
    });
  });

  it('turn their inertia by the rotation of its origin', () => {
    const quarterAboutZ = `<origin xyz="1 2 3" rpy="0 0 ${Math.PI / 2}"/>`;
    const inertia = '<inertia ixx="2" iyy="3" izz="4" ixy="0.1" ixz="0.2" iyz="0.3"/>';
    const { bodies } = robot(link('a', `<inertial>${quarterAboutZ}<mass value="5"/>${inertia}</inertial>`));
    expect(bodies[0].mass).toBe(5);
    expect(bodies[0].com).toEqual([1, 2, 3]);
    // The x axis of the inertial is y of the link, its y axis is -x of the link.
    expectClose(bodies[0].inertia, [3, -0.1, -0.3, -0.1, 2, 0.2, -0.3, 0.2, 4]);
  });

  it('are point masses without an <inertia>, with a warning', () => {
    const { bodies, warnings } = robot(link('a', '<inertial><mass value="2"/></inertial>'));
    expect(bodies[0]).toMatchObject({ mass: 2, inertia: new Array(9).fill(0) });
    expect(warnings[0]).toMatchObject({ code: 'no-inertia', where: 'r.urdf:1:32' });
  });

  it('come parents first, branch by branch, children in the order of their joints', () => {
    const content = ['e', 'd', 'c', 'b', 'a'].map((name) => link(name)).join('');
    const joints = joint('1', 'c', 'd') + joint('2', 'a', 'b') + joint('3', 'a', 'c') + joint('4', 'b', 'e');
    const mechanism = robot(content + joints);
    expect(names(mechanism)).toEqual(['a', 'b', 'e', 'c', 'd']);
    expect(mechanism.joints.map(({ parent }) => parent)).toEqual([GROUND, 0, 1, 0, 3]);
  });
});

describe('inertias that no body has', () => {
  const impossible = link('a', '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="5"/></inertial>');

  it('are let pass with a warning that names the line', () => {
    const { warnings, bodies } = robot(impossible);
    expect(warnings).toEqual([
      expect.objectContaining({ code: 'triangle-inequality', where: 'r.urdf:1:17, body "a"' }),
    ]);
    expect(bodies[0].inertia[8]).toBe(5);
  });

  it('are refused or repaired by option', () => {
    expect(() => robot(impossible, { inertia: 'reject' })).toThrow(/^r\.urdf:1:17, body "a": No real body/);
    const { bodies } = robot(impossible, { inertia: 'repair' });
    expect(bodies[0].inertia[0] + bodies[0].inertia[4]).toBeGreaterThanOrEqual(bodies[0].inertia[8]);
  });

  it('do not hide in the sum when fixed joints are merged', () => {
    const heavy = link('b', '<inertial><mass value="1"/><inertia ixx="9" iyy="9" izz="9"/></inertial>');
    const content = heavy + impossible + joint('j', 'b', 'a', '', 'fixed');
    expect(robot(content, { fixedJoints: 'merge' }).warnings).toHaveLength(1);
    expect(() => robot(content, { fixedJoints: 'merge', inertia: 'reject' })).toThrow(/No real body/);
  });
});

describe('joints', () => {
  it('have the x axis by default', () => {
    expect(oneJoint('').axis).toEqual([1, 0, 0]);
    expect(oneJoint('', 'planar').axis).toEqual([1, 0, 0]);
    expect(oneJoint('<axis xyz="0 0 -2"/>').axis).toEqual([0, 0, -1]);
  });

  it.each([
    ['revolute', 1, 1],
    ['continuous', 1, 1],
    ['prismatic', 1, 1],
    ['fixed', 0, 0],
    ['floating', 7, 6],
    ['planar', 3, 3],
    ['spherical', 4, 3],
  ])('can be %s', (type, nq, nv) => {
    const { model } = oneJoint('', type);
    expect([model.name, model.nq, model.nv]).toEqual([type, nq, nv]);
  });

  it('turn by roll, then pitch, then yaw about fixed axes', () => {
    const { E, t } = oneJoint(`<origin xyz="1 2 3" rpy="${Math.PI / 2} 0 ${Math.PI / 2}"/>`);
    expect(t).toEqual([1, 2, 3]);
    // Roll takes the child's y to z, yaw leaves it there; its z goes to -y and on to x; its x to y.
    const inParent = transpose(E);
    expectClose(apply(inParent, [0, 1, 0]), [0, 0, 1]);
    expectClose(apply(inParent, [0, 0, 1]), [1, 0, 0]);
    expectClose(apply(inParent, [1, 0, 0]), [0, 1, 0]);
    // Pitch comes between them: x goes to -z by a positive quarter about y.
    expectClose(apply(transpose(oneJoint(`<origin rpy="0 ${Math.PI / 2} 0.3"/>`).E), [1, 0, 0]), [0, 0, -1]);
  });

  it('turn by the quaternion of URDF 1.2', () => {
    const half = Math.SQRT1_2;
    const { E } = oneJoint(`<origin quat_xyzw="0 0 ${half} ${half}"/>`);
    expectClose(E, oneJoint(`<origin rpy="0 0 ${Math.PI / 2}"/>`).E);
    expect(() => oneJoint('<origin quat_xyzw="0 0 1 1"/>')).toThrow(
      /expected a unit quaternion, got one of length 1\.41/,
    );
    expect(() => oneJoint('<origin quat_xyzw="0 0 0 1" rpy="0 0 0"/>')).toThrow(/this one has both/);
  });

  it('keep damping, friction and limits', () => {
    const content = '<dynamics damping="2" friction="3"/><limit lower="-1" upper="1.5" effort="10" velocity="4"/>';
    const { damping, friction, limits } = oneJoint(content, 'prismatic');
    expect([damping, friction]).toEqual([2, 3]);
    expect(limits).toEqual({ lower: -1, upper: 1.5, effort: 10, velocity: 4 });
  });

  it('have no limits but with a warning where the specification wants some', () => {
    const content = (limit: string) => link('a') + link('b') + joint('j', 'a', 'b', limit, 'revolute');
    const none = robot(content(''));
    expect(none.joints[1].limits).toEqual({});
    expect(none.warnings).toEqual([
      expect.objectContaining({ code: 'no-limit', where: expect.stringMatching(/:1:\d+$/) }),
    ]);
    const open = robot(content('<limit effort="1" velocity="2"/>'));
    expect(open.joints[1].limits).toEqual({ effort: 1, velocity: 2 });
    expect(open.warnings.map(({ code }) => code)).toEqual(['no-limit']);
    const half = robot(content('<limit upper="1" effort="1" velocity="2"/>'));
    expect(half.joints[1].limits).toEqual({ lower: 0, upper: 1, effort: 1, velocity: 2 });
    expect(half.warnings).toEqual([]);
  });

  it('report the limits of a continuous joint as not used', () => {
    const content = link('a') + link('b') + joint('j', 'a', 'b', '<limit lower="0" upper="1"/>');
    expect(robot(content).warnings.map(({ message }) => message)).toEqual([
      'Attribute lower of <limit> is not used.',
      'Attribute upper of <limit> is not used.',
    ]);
  });

  it('report calibration and safety controllers as not used', () => {
    const content = '<calibration rising="0"/><safety_controller k_velocity="1"/>';
    const { warnings } = robot(link('a') + link('b') + joint('j', 'a', 'b', content));
    expect(warnings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'not-used: <calibration> in <joint> is not used.',
      'not-used: <safety_controller> in <joint> is not used.',
    ]);
  });
});

describe('the base', () => {
  it('is fixed to the ground, or floats', () => {
    expect(robot(link('a')).joints[0]).toMatchObject({
      name: 'root_joint',
      type: 'fixed',
      parent: GROUND,
      t: [0, 0, 0],
    });
    expect(robot(link('a'), { base: 'floating' }).joints[0].type).toBe('floating');
  });

  it('has a joint of a name of its own', () => {
    const content = link('a') + link('b') + link('c') + joint('root_joint', 'a', 'b') + joint('root_joint_2', 'a', 'c');
    expect(robot(content).joints[0].name).toBe('root_joint_3');
  });

  it('takes gravity from the options', () => {
    expect(robot(link('a')).gravity).toEqual([0, 0, -9.81]);
    expect(robot(link('a'), { gravity: [0, -1, 0] }).gravity).toEqual([0, -1, 0]);
  });
});

describe('mimic', () => {
  const content = (mimic: string) =>
    link('a') + link('b') + link('c') + joint('j', 'a', 'b') + joint('k', 'b', 'c', mimic);

  it('couples joints by multiplier and offset, 1 and 0 by default', () => {
    const mechanism = robot(content('<mimic joint="j" multiplier="-2" offset="0.5"/>'));
    expect(mechanism.couplings).toEqual([{ joint: 2, source: 1, multiplier: -2, offset: 0.5 }]);
    expect(robot(content('<mimic joint="j"/>')).couplings[0]).toMatchObject({ multiplier: 1, offset: 0 });
    expect([...new State(mechanism).q]).toEqual([0, 0.5]);
  });

  it('is ignored by option, whatever it says, and without a warning', () => {
    const mechanism = robot(content('<mimic joint="nobody" multiplier="x"/>'), { mimic: 'ignore' });
    expect(mechanism.couplings).toEqual([]);
    expect(mechanism.warnings).toEqual([]);
  });

  it('on a fixed joint is left out with a warning', () => {
    const fixed = link('a') + link('b') + joint('j', 'a', 'b', '<mimic joint="j"/>', 'fixed');
    expect(robot(fixed).warnings.map(({ code }) => code)).toEqual(['mimic']);
  });

  it('follows a chain of other mimics to its source', () => {
    const chain =
      content('<mimic joint="l" multiplier="3"/>') +
      link('d') +
      joint('l', 'c', 'd', '<mimic joint="j" multiplier="2"/>');
    expect(robot(chain).couplings).toEqual([
      { joint: 2, source: 1, multiplier: 6, offset: 0 },
      { joint: 3, source: 1, multiplier: 2, offset: 0 },
    ]);
  });
});

describe('merging fixed joints', () => {
  const box = '<visual><origin xyz="0 0 1"/><geometry><box size="1 1 1"/></geometry></visual>';
  const turned = `<origin xyz="1 0 0" rpy="0 0 ${Math.PI / 2}"/>`;
  const content =
    link('root') +
    link(
      'plate',
      `<inertial><origin xyz="0 2 0"/><mass value="3"/><inertia ixx="1" iyy="2" izz="2"/></inertial>${box}`,
    ) +
    link('tip', '') +
    link('arm') +
    joint('weld', 'root', 'plate', turned, 'fixed') +
    joint('weld2', 'plate', 'tip', '<origin xyz="0 1 0"/>', 'fixed') +
    joint('hinge', 'tip', 'arm', '<origin xyz="0 0 5"/>');
  const kept = robot(content);
  const merged = robot(content, { fixedJoints: 'merge' });

  it('moves mass, shapes, frames and children to the parent', () => {
    expect(names(merged)).toEqual(['root', 'arm']);
    const [root] = merged.bodies;
    expect(root.mass).toBe(4);
    // 1 kg at the origin, 3 kg at [1, 0, 0] + Rz(90 degrees) [0, 2, 0] = [-1, 0, 0].
    expectClose(root.com, [-0.75, 0, 0]);
    // About that point: 0.75 kg m2 from each part's distance of 0.75 and 0.25, the plate's x and y moments swapped.
    const steiner = 1 * 0.75 ** 2 + 3 * 0.25 ** 2;
    expectClose(root.inertia, [1 + 2, 0, 0, 0, 1 + 1 + steiner, 0, 0, 0, 1 + 2 + steiner]);
    expect(root.visuals).toHaveLength(1);
    expectClose(root.visuals[0].t, [1, 0, 1]);
    expect(merged.frames.map(({ name, body }) => [name, body])).toEqual([
      ['plate', 0],
      ['tip', 0],
    ]);
    expectClose(merged.frames[1].t, [0, 0, 0]);
    expect(merged.joints[1]).toMatchObject({ name: 'hinge', parent: 0 });
    expectClose(merged.joints[1].t, [0, 0, 5]);
    expectClose(apply(transpose(merged.joints[1].E), [1, 0, 0]), [0, 1, 0]);
  });

  it('keeps the root fixed to the ground, and the whole as heavy as before', () => {
    expect(merged.joints[0]).toMatchObject({ name: 'root_joint', type: 'fixed' });
    const [before, after] = [massProperties(kept), massProperties(merged)];
    expectClose([after.mass, ...after.com, ...after.inertia], [before.mass, ...before.com, ...before.inertia]);
  });

  it('leaves numbers alone to the last bit where only a frame is merged', () => {
    const light = robot(link('a') + link('b', '') + joint('j', 'a', 'b', turned, 'fixed'), { fixedJoints: 'merge' });
    expect(light.bodies).toEqual(robot(link('a')).bodies);
  });
});

describe('shapes', () => {
  const shapesOf = (content: string, options: UrdfOptions = {}) => robot(link('a', content), options);
  const visual = (geometry: string, more = '') => `<visual>${more}<geometry>${geometry}</geometry></visual>`;

  it.each([
    ['<box size="1 2 3"/>', { kind: 'box', size: [1, 2, 3] }],
    ['<sphere radius="2"/>', { kind: 'sphere', radius: 2 }],
    ['<cylinder radius="2" length="3"/>', { kind: 'cylinder', radius: 2, length: 3 }],
    ['<capsule radius="2" length="3"/>', { kind: 'capsule', radius: 2, length: 3 }],
    ['<mesh filename="m/a.stl"/>', { kind: 'mesh', path: 'm/a.stl', scale: [1, 1, 1] }],
    ['<mesh filename="./a.stl" scale="1 -1 2"/>', { kind: 'mesh', path: 'a.stl', scale: [1, -1, 2] }],
  ])('can be %s', (written, geometry) => {
    const { bodies, warnings } = shapesOf(visual(written) + visual(written).replaceAll('visual', 'collision'));
    expect(bodies[0].visuals[0].geometry).toEqual(geometry);
    expect(bodies[0].collisions[0].geometry).toEqual(geometry);
    expect(warnings).toEqual([]);
  });

  it('have names and origins', () => {
    const content =
      '<collision name="shell"><origin xyz="1 2 3"/><geometry><sphere radius="1"/></geometry></collision>';
    expect(shapesOf(content).bodies[0].collisions[0]).toMatchObject({ name: 'shell', t: [1, 2, 3] });
  });

  it('are left out with a warning where their geometry is missing or unknown', () => {
    const { bodies, warnings } = shapesOf(`<visual/>${visual('')}${visual('<cone angle="1"/>')}`);
    expect(bodies[0].visuals).toEqual([]);
    expect(warnings.map(({ where, code }) => `${where} ${code}`)).toEqual([
      'r.urdf:1:32 geometry',
      'r.urdf:1:49 geometry',
      'r.urdf:1:97 geometry',
    ]);
  });

  it('take their colours from materials anywhere in the file', () => {
    const sphere = '<sphere radius="1"/>';
    const content = `
      <material name="red"><color rgba="1 0 0 1"/></material>
      ${link('a', MASS + visual(sphere, '<material name="blue"/>') + visual(sphere, '<material name="red"/>'))}
      ${link('b', MASS + visual(sphere, '<material name="blue"><color rgba="0 0 1 0.5"/></material>') + visual(sphere))}
      ${joint('j', 'a', 'b')}`;
    const { bodies, warnings } = robot(content);
    expect(bodies.flatMap((body) => body.visuals.map(({ color }) => color))).toEqual([
      [0, 0, 1, 0.5],
      [1, 0, 0, 1],
      [0, 0, 1, 0.5],
      undefined,
    ]);
    expect(warnings).toEqual([]);
  });

  it('have no colour where the material is unknown, wrong or a texture', () => {
    const sphere = '<sphere radius="1"/>';
    const { bodies, warnings } = shapesOf(
      visual(sphere, '<material name="nothing"/>') +
        visual(sphere, '<material name="loud"><color rgba="255 0 0 1"/></material>') +
        visual(sphere, '<material name="wood"><texture filename="wood.png"/></material>'),
    );
    expect(bodies[0].visuals.map(({ color }) => color)).toEqual([undefined, undefined, undefined]);
    expect(warnings.map(({ code }) => code).sort()).toEqual(['color', 'material', 'not-used']);
  });

  it('find their meshes through named packages', () => {
    const mesh = (path: string): string => visual(`<mesh filename="${path}"/>`);
    const packages = new Map([
      ['arm', '/opt/arm/'],
      ['', 'here'],
    ]);
    const content =
      mesh('package://arm/m/a.stl') + mesh('package:///b.stl') + mesh('package://leg/c.stl') + mesh('d.stl');
    const { bodies, warnings } = shapesOf(content, { packages });
    expect(bodies[0].visuals.map(({ geometry }) => geometry.kind === 'mesh' && geometry.path)).toEqual([
      '/opt/arm/m/a.stl',
      'here/b.stl',
      'package://leg/c.stl',
      'd.stl',
    ]);
    expect(warnings.map(({ message }) => message)).toEqual([
      'No folder was given for the package "leg" (--package leg=FOLDER); the path of one mesh is kept as written.',
    ]);
  });
});

describe('the robot itself', () => {
  it('gives its name to the mechanism', () => {
    expect(robot(link('a')).name).toBe('r');
    const nameless = parseUrdf('<robot><link name="a"/></robot>');
    expect(nameless.name).toBe('robot');
    expect(nameless.warnings.map(({ code }) => code)).toEqual(['missing-attribute']);
  });

  it('warns of a version from the future', () => {
    const warnings = (version: string) =>
      parseUrdf(`<robot name="r" version="${version}"><link name="a"/></robot>`).warnings;
    expect(warnings('1.0')).toEqual([]);
    expect(warnings('2.0').map(({ code }) => code)).toEqual(['version']);
  });

  it('may be 10 000 links long, and takes time in proportion', () => {
    const read = (n: number): void => {
      const links = Array.from({ length: n }, (_, k) => link(`l${k}`)).join('\n');
      const joints = Array.from({ length: n - 1 }, (_, k) =>
        joint(`j${k}`, `l${k}`, `l${k + 1}`, '<axis xyz="0 0 1"/>'),
      );
      const mechanism = robot(`${links}\n${joints.toReversed().join('\n')}`);
      expect(mechanism.nv).toBe(n - 1);
      expect(mechanism.joints[n - 1].parent).toBe(n - 2);
    };
    expectProportional(read, 10_000);
  });

  it('may be one long row of fixed joints, merged in a time that grows in proportion', () => {
    const merge = (n: number): void => {
      const links = Array.from({ length: n }, (_, k) => link(`l${k}`)).join('\n');
      const step = '<origin xyz="0.001 0 0" rpy="0 0 0.001"/>';
      const joints = Array.from({ length: n - 1 }, (_, k) => joint(`j${k}`, `l${k}`, `l${k + 1}`, step, 'fixed'));
      const mechanism = robot(`${links}\n${joints.join('\n')}`, { fixedJoints: 'merge' });
      expect(mechanism.bodies).toHaveLength(1);
      expect(mechanism.bodies[0].mass).toBe(n);
      expect(mechanism.frames).toHaveLength(n - 1);
    };
    expectProportional(merge, 10_000);
  });
});
