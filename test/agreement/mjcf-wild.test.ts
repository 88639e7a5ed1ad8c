// Habits of MJCF files as people publish them: each loads, and is the same model as MuJoCo's.

import { describe, expect, it } from 'vitest';
import { parseMjcf } from '../../src/formats/mjcf.js';
import { Random } from '../../src/mechanism/random.js';
import { differences, MujocoMjcf, modelFiles } from '../support/mujoco-mjcf.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const OBJ = `mtllib x.mtl
o thing
v 0 0 0 1.0
v 1 0 0
v 0 1 0 0.5 0.5 0.5
v 0 0 1
vt 0 0
vn 0 0 1
usemtl a
s off
f 1/1/1 3/1/1 2/1/1
f 1//1 2//1 4//1
l 1 2
f -4 -1 -2
f 2 3 4
`;

const HAND = `<mujoco model="hand"><default><default class="d"><geom size=".2"/></default></default><worldbody>
<body name="base" childclass="d"><joint name="turn" range="-1 1"/><geom/><site name="mark"/>
<body name="tip" pos="0 0 .3"><joint name="bend" axis="1 0 0"/><geom/></body></body></worldbody>
<tendon><fixed name="cord"><joint joint="turn" coef="2"/></fixed></tendon>
<actuator><motor joint="turn" name="motor" gear="3"/><position joint="bend" gear="4"/></actuator>
<sensor><jointpos joint="turn"/></sensor><contact><exclude body1="base" body2="tip"/></contact></mujoco>`;

/** A prism of a star and of bent sides, shifted and sheared: polygons that can be cut in many ways. */
function bentPrism(seed: number): string {
  const random = new Random(seed);
  const n = 4 + Math.floor(random.between(0, 6.99));
  const shear = Array.from({ length: 9 }, (_, k) => random.between(-0.5, 0.5) + (k % 4 === 0 ? 1 : 0));
  const shift = [random.between(-0.5, 0.5), random.between(-0.5, 0.5), random.between(-0.5, 0.5)];
  const radii = Array.from({ length: n }, () => random.between(0.3, 1));
  const vertices = [0, 1].flatMap((z) =>
    radii.map((radius, k) => {
      const angle = (2 * Math.PI * k) / n;
      const v = [radius * Math.cos(angle), radius * Math.sin(angle), z + random.between(0, 0.2)];
      const p = shift.map((at, r) => at + shear[3 * r] * v[0] + shear[3 * r + 1] * v[1] + shear[3 * r + 2] * v[2]);
      return `  v ${p.join(' ')}`;
    }),
  );
  const ring = Array.from({ length: n }, (_, k) => k + 1);
  const faces = [
    [...ring].reverse(),
    ring.map((k) => k + n),
    ...ring.map((k) => [k, (k % n) + 1, (k % n) + 1 + n, k + n]),
  ];
  return [...vertices, 'g side', ...faces.map((face) => `f ${face.join(' ')}`), ''].join('\n');
}

const FILES = new Map([
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((seed) => [`bent${seed}.obj`, bytes(bentPrism(seed))] as const),
  [
    'two.obj',
    bytes(`o one\n${OBJ.replace(/^[mol].*$/gm, '').trim()}\no two\nv 3 0 0\nv 4 0 0\nv 3 1 0\nv 3 0 1
f 5 7 6\nf 5 6 8\nf 5 8 7\nf 6 7 8\n`),
  ],
  ['assets/a.obj', bytes(OBJ)],
  [
    'part.xml',
    bytes('<mujocoinclude><body name="inc" pos="0 0 1"><joint name="ij"/><geom size=".1"/></body></mujocoinclude>'),
  ],
  ['hand.xml', bytes(HAND)],
]);

const ARM = `<body name="a" pos="0 0 1"><joint name="j1" axis="0 1 0"/><geom name="a" size=".1"/>
<site name="a" size=".1 .1 .1" type="box" rgba="1 0 0 1" group="4"/><body name="b" pos="0 0 .3">
<joint name="j2" axis="1 0 0"/><geom size=".1 .1" type="cylinder"/><site name="s2" pos="0 .1 0"/></body></body>`;

/** A scene as they all have it, with the given bodies and sections. */
const scene = (bodies: string, sections = '', head = ''): string => `<mujoco model="t">${head}
<asset><texture type="skybox" builtin="gradient" rgb1="1 1 1" rgb2="0 0 0" width="8" height="8"/>
<texture name="grid" type="2d" builtin="checker" mark="edge" rgb1=".1 .2 .3" rgb2=".2 .3 .4" width="30" height="30"/>
<material name="grid" texture="grid" texrepeat="5 5" texuniform="true" reflectance=".2"/></asset>
<worldbody><light pos="0 0 3" dir="0 0 -1" directional="true"/><camera name="c" pos="0 0 1" xyaxes="1 0 0 0 1 0"/>
<geom name="floor" type="plane" size="0 0 .05" material="grid"/>${bodies}</worldbody>${sections}</mujoco>`;

const MESH_BODY = '<body name="m"><freejoint align="false"/><geom type="mesh" mesh="m"/></body>';
const meshModel = (asset: string, geom = 'type="mesh"', compiler = ''): string =>
  scene(MESH_BODY.replace('type="mesh"', geom), '', `<compiler ${compiler}/><asset><mesh name="m" ${asset}/></asset>`);

const STATIC = `<body name="table" pos="1 0 0"><geom size=".5"/><site name="t"/><body name="lid"><geom size=".1"/></body></body>
<body name="a" pos="0 0 1"><joint name="j1"/><geom size=".1"/><body name="s" pos="1 0 0" euler="0 0 30">
<geom type="box" size=".1 .2 .3"/><body name="r" euler="20 0 0"><inertial pos="1 0 0" mass="2" diaginertia="1 2 2.5"/>
<body name="c" pos="0 1 0"><joint name="j2" axis="1 0 0"/><geom size=".1"/></body></body></body></body>`;

/** Meshes whose axes MuJoCo has to 1e-8 are compared to 1e-7. */
const MESH_MODELS = new Map([
  ...[1, 2, 3, 4, 5, 6, 7, 8].map(
    (seed) => [`a mesh of bent and concave polygons, seed ${seed}`, meshModel(`file="bent${seed}.obj"`)] as const,
  ),
  ['a mesh of two objects, of which the first counts', meshModel('file="two.obj"')],
  [
    'a mesh to be weighed exactly in which some faces have no area',
    meshModel('inertia="exact" vertex="0 0 0 1 0 0 0 1 0 0 0 2" face="0 2 1 0 1 3 1 2 3 0 3 2 1 1 2 3 2 3"'),
  ],
  ...['sphere', 'capsule', 'cylinder', 'ellipsoid', 'box'].map(
    (type) =>
      [
        `a ${type} around the bounds of a mesh`,
        meshModel(
          'file="a.obj" scale="1 2 4"',
          `type="${type}" fitscale="1.2" pos="1 0 0"`,
          'meshdir="assets" fitaabb="true"',
        ),
      ] as const,
  ),
]);

/** Cables of all kinds: from points or a curve, in the world or on a body, of three shapes. */
const CABLES: readonly (readonly [string, string])[] = [
  [
    'a free cable of boxes through points',
    `<composite type="cable" prefix="p" vertex="0 0 0 1 0 0 1 1 .2 1 1.5 1" initial="free" offset=".1 .2 .3">
     <joint kind="main" damping=".15" armature=".01"/><geom type="box" size=".005 .01 .02"/></composite>${ARM}`,
  ],
  [
    'a cable of capsules on a body, along a curve',
    `<body name="w" pos=".1 .2 .3" euler="10 20 30"><joint/><geom size=".1"/><composite type="cable" prefix="p" initial="ball"
     curve="cos(s) sin(s) s" count="7 1 1" size="1 .5 1.5" quat=".8 .36 .48 0"><joint kind="main" damping=".15" range="0 60"/>
     <geom type="capsule" size=".02" density="200"/><site size=".01"/></composite></body>`,
  ],
  [
    'a cable of cylinders that is held at its end, straight and upwards',
    `<frame euler="30 0 0"><composite type="cable" initial="none" vertex="0 0 0 0 0 1 0 0 2 0 1 2.5 1 1 3">
     <geom type="cylinder" size=".02" mass=".3"/></composite></frame>${ARM}`,
  ],
];

const grid = (attributes: string, inside = ''): string =>
  `<flexcomp name="k" radius=".01" spacing=".1 .2 .3" ${attributes}>${inside}</flexcomp>`;
const FLEXES: readonly (readonly [string, string])[] = [
  [
    'a net of points on a body of a class',
    `<body name="w" childclass="c"><joint/><geom size=".1"/><frame pos="0 0 5" euler="0 90 0">
     ${grid('count="2 3 1" pos="1 2 3" euler="0 0 30" mass="2" inertiabox=".02" scale="2 1 1"')}</frame></body>`,
  ],
  [
    'a solid of points, some of them held',
    grid(
      'count="3 2 3" dim="3"',
      '<pin id="1"/><pin grid="2 1 2"/><pin gridrange="1 0 0 2 1 1"/><elasticity young="1"/>',
    ),
  ],
  ['a string of points in a plane', grid('count="4 1 1" dim="1" dof="2d"', '<pin range="1 2"/>')],
  [
    'points that are written, one of which nothing uses',
    grid('type="direct" point="0 0 0 1 0 0 5 5 5 0 1 0" element="0 1 3" scale="1 2 3" pos="0 0 1"'),
  ],
  [
    'a flex that moves with its body',
    `<body name="w"><joint/><geom size=".1"/>${grid('count="3 3 1" rigid="true"')}</body>`,
  ],
];

const MODELS = new Map([
  ...FLEXES.map(
    ([name, bodies]) =>
      [
        name,
        scene(bodies, '', '<default><joint damping="3"/><default class="c"><joint armature=".7"/></default></default>'),
      ] as const,
  ),
  ...CABLES.map(([name, bodies]) => [name, scene(bodies, '', '<default><joint damping="3"/></default>')] as const),
  [
    'motors and servos of a class that inherits ranges',
    scene(
      ARM.replace('name="j1"', 'name="j1" range="-1 2"'),
      '<actuator><motor class="k" joint="j1"/><position class="k" joint="j1"/></actuator>',
      '<default><default class="k"><position inheritrange="1" kp="30"/></default></default>',
    ),
  ],
  [
    'ranges that are open at one end',
    scene(
      '<body><joint range="-inf 90"/><geom size=".1"/><body><joint range="-inf inf"/><geom size=".1"/></body></body>',
    ),
  ],
  [
    'bodies of which nothing is said, but that none weighs less than some',
    scene(
      `<body name="a"><joint axis="1 1 0"/><geom size=".1" pos="0 .2 0"/><frame pos="0 1 1" euler="0 30 0">
       <body name="b" pos="0 .3 1" euler="30 0 0"><joint/></body></frame><replicate count="2" offset="0 1 0" euler="0 0 30">
       <body name="c" pos=".4 0 1"><joint axis="1 0 0"/><geom size=".1" mass="0"/></body></replicate></body>
       <body name="d" pos="1 2 3"><freejoint/></body>`,
      '',
      '<compiler boundmass=".1" boundinertia=".01"/>',
    ),
  ],
  ['static bodies fused with their parents', scene(STATIC, '', '<compiler fusestatic="true"/>')],
  ...['<framepos objtype="body" objname="table"/>', '<force site="t"/>', '<subtreecom body="table"/>'].map(
    (sensor) =>
      [
        `a static body that stays, since something refers to it: ${sensor}`,
        scene(STATIC, `<sensor>${sensor}</sensor>`, '<compiler fusestatic="true" settotalmass="7"/>'),
      ] as const,
  ),
  [
    'a site drawn as a mesh',
    scene(
      ARM.replace('<site name="s2"', '<site name="s2" type="mesh" mesh="m"'),
      '',
      '<asset><mesh name="m" file="assets/a.obj"/></asset>',
    ),
  ],
  [
    'a motor whose law is not known here',
    scene(ARM, '<actuator><motor joint="j2"/><dcmotor joint="j1" motorconst="0.1" resistance="2"/></actuator>'),
  ],
  [
    'names with blanks, shared between kinds of parts, or none',
    scene(
      `<body name="left/hip link é"><freejoint name="floating base"/><geom name="x y" size=".1"/><body name="x">
       <joint name="x"/><geom name="x" size=".1"/><site name="x"/></body></body>
       <body><joint/><geom size=".1"/><body pos="1 0 0"><joint axis="1 0 0"/><geom size=".1"/></body></body>`,
      '<actuator><motor name="x" joint="x" gear="10"/></actuator><sensor><gyro site="x"/><user dim="3" name="u"/></sensor>',
    ),
  ],
  [
    'tendons around geoms',
    scene(
      ARM,
      `<tendon><spatial name="t" range="0 2" limited="true" width=".1" springlength="0.1 0.2" stiffness="3">
       <site site="a"/><geom geom="a" sidesite="s2"/><site site="s2"/><pulley divisor="2"/><site site="a"/><site site="s2"/>
       </spatial></tendon><actuator><position tendon="t" kp="3" ctrlrange="0 1"/></actuator>`,
    ),
  ],
  [
    'a mesh with a scale and a reference, and materials in its file',
    scene(
      '<body name="a"><freejoint align="false"/><geom type="mesh" mesh="a"/><geom class="visual" mesh="b"/></body>',
      '',
      `<compiler meshdir="assets"/><default><default class="visual">
       <geom type="mesh" contype="0" conaffinity="0" group="2" density="0"/><mesh scale="0.1 0.1 0.1" maxhullvert="32"/>
       <material specular="0.5"/></default></default><asset><mesh file="a.obj" refpos="1 2 3" inertia="exact"/>
       <mesh class="visual" name="b" file="a.obj" inertia="shell" smoothnormal="true"/></asset>`,
    ),
  ],
  ['an included piece', scene(`${ARM}<include file="part.xml"/>`, '<keyframe><key qpos="0 0 0"/></keyframe>')],
  [
    'models attached twice, and referred to from outside',
    scene(
      `${ARM}<frame pos="0 0 2"><attach model="hand" body="base" prefix="l_"/></frame>
       <body name="w"><attach model="hand" body="base" prefix="r_"/></body>`,
      `<actuator><motor joint="j1" gear="5"/><motor joint="l_turn" gear="6"/><motor tendon="r_cord" gear="7"/></actuator>
       <sensor><actuatorfrc actuator="r_motor"/></sensor><equality><joint joint1="l_turn" joint2="r_turn"/></equality>`,
      '<asset><model name="hand" file="hand.xml"/></asset>',
    ),
  ],
  [
    'a class for motors and servos: each keeps what the other says of its bias',
    scene(
      ARM,
      '<actuator><motor class="k" joint="j1"/><position class="k" joint="j1"/><general class="k" joint="j2"/></actuator>',
      '<default><default class="k"><position kp="30" kv="2" forcerange="-3 3"/><motor gear="4"/></default></default>',
    ),
  ],
  [
    'muscles whose class says more than they do',
    scene(
      ARM,
      `<actuator><muscle joint="j1" force="-1" range="-1 .9" lengthrange=".1 1"/><muscle class="weak" joint="j2"
       lengthrange=".2 1" timeconst=".02 -1"/></actuator>`,
      `<default><muscle force="50" range=".7 1.1" timeconst=".01 .05"/><default class="weak"><muscle scale="20" lmin="-1"/>
       </default></default>`,
    ),
  ],
  [
    'copies that are referred to by their full names, also within copies',
    scene(
      `<replicate count="11" offset=".5 0 0" sep="_"><body name="q"><joint name="c"/><geom size=".1" name="g"/><site name="s"/>
       <replicate count="2" euler="0 0 60"><body name="r" pos=".2 0 0"><joint name="d" axis="1 0 0"/>
       <geom size=".1" pos="0 .1 0"/></body></replicate></body></replicate>`,
      `<actuator><motor joint="c_03" gear="3"/><motor joint="d1_10" gear="4"/><motor joint="c" gear="5"/></actuator>
       <contact><exclude body1="q_00" body2="r0_00"/><pair geom1="g_01" geom2="floor"/></contact>
       <equality><joint joint1="c_04" joint2="d0_04"/></equality><sensor><framepos objtype="site" objname="s_02"/></sensor>`,
    ),
  ],
  [
    'replicas with several actuators each',
    scene(
      `${ARM}<replicate count="2" offset="1 0 0"><body name="q"><joint name="c"/><joint name="d" axis="1 0 0"/>
       <geom size=".1"/></body></replicate>`,
      '<actuator><motor joint="c" gear="1"/><motor joint="j1" gear="5"/><motor joint="d" gear="2"/></actuator>',
    ),
  ],
]);

describe('MJCF files in the wild', () => {
  it.each([...MODELS])('%s', async (_, text) => {
    const theirs = await MujocoMjcf.load(text, FILES);
    const ours = parseMjcf(text, { files: modelFiles(FILES) });
    for (const [what, error] of differences(theirs, ours)) expect(error, what).toBeLessThan(1e-9);
    theirs.delete();
  });

  it.each([...MESH_MODELS])('%s', async (_, text) => {
    const theirs = await MujocoMjcf.load(text, FILES);
    const ours = parseMjcf(text, { files: modelFiles(FILES) });
    for (const [what, error] of differences(theirs, ours)) expect(error, what).toBeLessThan(1e-7);
    theirs.delete();
  });

  it('a mesh that was read before is known again, unless its bytes or its asset changed', () => {
    const obj = bytes(OBJ);
    const mass = (scale: string): number => {
      const text = meshModel(`file="m.obj" scale="${scale}"`);
      return parseMjcf(text, { files: { read: () => obj } }).mechanism.body('m').mass;
    };
    const [first, again, larger] = [mass('1 1 1'), mass('1 1 1'), mass('2 1 1')];
    expect(again).toBe(first);
    expect(larger / first).toBeCloseTo(2, 12);
    // The vertex 1 0 0 becomes 3 0 0.
    obj[OBJ.indexOf('v 1 0 0') + 2] = '3'.charCodeAt(0);
    expect(mass('1 1 1') / first).toBeCloseTo(3, 12);
  });

  it('inertia of rotors is felt by the joint, also through a tendon of one joint', async () => {
    const text = scene(
      ARM,
      `<tendon><fixed name="t" armature=".3"><joint joint="j2" coef="2"/></fixed></tendon>
       <actuator><motor joint="j1" armature=".2" gear="3" damping="1"/><motor tendon="t" armature=".1" gear="2"/></actuator>`,
    );
    const theirs = await MujocoMjcf.load(text);
    const ours = parseMjcf(text);
    const found = differences(theirs, ours);
    for (const what of ['qdd', 'bias', 'H']) expect(found.get(what), what).toBeLessThan(1e-9);
    expect(ours.mechanism.joint('j1').damping).toBe(9);
    theirs.delete();
    const both = text.replace('coef="2"/>', 'coef="2"/><joint joint="j1" coef="1"/>');
    expect(parseMjcf(both).mechanism.warnings.filter(({ code }) => code === 'armature').length).toBe(2);
  });

  it('a body that is attached leaves the rest of its model behind; only that is listed', () => {
    const text = scene(
      '<frame pos="0 0 2"><attach model="hand" body="base" prefix="l_"/></frame>',
      '',
      '<asset><model name="hand" file="hand.xml"/></asset>',
    );
    const HAND_WITH_LIGHT = HAND.replace('<worldbody>', '<worldbody><light/>');
    const files = new Map([['hand.xml', bytes(HAND_WITH_LIGHT)]]);
    const { warnings } = parseMjcf(text, { files: modelFiles(files) }).mechanism;
    const listed = warnings.map(({ message }) => message).filter((message) => !/texture|material|camera/.test(message));
    expect(listed.filter((message) => message.includes('light'))).toHaveLength(2);
    expect(listed.filter((message) => !message.includes('light'))).toEqual([]);
  });

  it('what is not understood takes along what refers to it, and no more', () => {
    const text = scene(
      `${ARM}<flexcomp name="k" type="box" count="3 3 3" spacing=".1 .1 .1" radius=".01"/>`,
      '<contact><exclude body1="k_0" body2="a"/></contact><keyframe><key qpos="1 2 3 4 5 6 7 8"/></keyframe>',
    );
    const model = parseMjcf(text);
    expect(model.joints).toEqual(['j1', 'j2']);
    expect(model.mechanism.warnings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['not-understood', 'unknown-body', 'keyframe']),
    );
    expect(() => parseMjcf(text.replace(/<flexcomp[^>]*>/, ''))).toThrow('k_0');
  });

  it('pieces of a cable do not touch their neighbours, can be referred to, and lose the stiffness that a plugin gives', () => {
    const text = scene(
      `<body name="w"><joint/><geom size=".1"/><composite type="cable" prefix="k" curve="s" count="4 1 1" size="1">
       <plugin plugin="mujoco.elasticity.cable"><config key="bend" value="1"/></plugin><geom type="capsule" size=".01"/>
       </composite></body>`,
      '<equality><connect body1="kB_last" body2="w" anchor="0 0 0"/></equality><actuator><motor site="kS_last"/></actuator>',
    );
    const { mechanism, contacts, bodies } = parseMjcf(text);
    expect(bodies).toEqual([null, 'w', 'kB_first', 'kB_1', 'kB_last']);
    expect(contacts.exclusions).toEqual([
      { body1: 'kB_first', body2: 'kB_1' },
      { body1: 'kB_1', body2: 'kB_last' },
    ]);
    expect(mechanism.loops.length).toBe(1);
    expect(mechanism.warnings.map(({ message }) => message).join()).toMatch(/stiffness of this cable/);
    const broken = (attributes: string, geom = 'type="box" size=".1 .1 .1"'): (() => unknown) => {
      const body = `<composite type="cable" initial="free" ${attributes}><geom ${geom}/></composite>`;
      return () => parseMjcf(scene(body));
    };
    expect(broken('curve="s" count="1 1 1"')).toThrow(/number of points/);
    expect(broken('curve="t" count="3 1 1"')).toThrow(/cos\(s\)/);
    expect(broken('vertex="0 0 0 0 0 0"')).toThrow(/coincide/);
    expect(broken('curve="s" count="3 1 1"', 'size=".1"')).toThrow(/capsules, cylinders or boxes/);
  });

  it('a keyframe for the model without its copies is left out, and said', () => {
    const text = scene(
      `<replicate count="2" offset="1 0 0">${ARM.replace(/name="a"/g, '')}</replicate>`,
      '<keyframe><key name="without" qpos="1 2"/><key name="all" qpos="1 2 3 4"/></keyframe>',
    );
    const { keyframes, mechanism } = parseMjcf(text);
    expect(keyframes.map(({ name }) => name)).toEqual(['all']);
    expect(mechanism.warnings.map(({ code }) => code)).toContain('keyframe');
    expect(() => parseMjcf(text.replace(/<.?replicate[^>]*>/g, ''))).toThrow(
      'qpos of <key>: expected 2 numbers, got 4',
    );
  });

  it.each([
    ['', 0],
    ['align="true"', 1],
    ['align="auto"', 1],
    ['align="false"', 0],
  ])('keyframes of a free body that MuJoCo turns: freejoint %s', (align, count) => {
    const text = scene(
      `<body pos="0 0 1"><freejoint ${align}/><geom type="box" size=".1 .2 .3" euler="0 0 30"/></body>`,
      '<keyframe><key qpos="1 2 3 1 0 0 0"/></keyframe>',
      `<compiler alignfree="${align === 'align="auto"'}"/>`,
    );
    expect(parseMjcf(text).mechanism.warnings.filter(({ code }) => code === 'align')).toHaveLength(count);
  });

  it('zeros for the quaternion of a keyframe stand for no rotation', () => {
    const text = scene(
      MESH_BODY.replace('type="mesh" mesh="m"', 'size=".1"'),
      '<keyframe><key qpos="1 2 3 0 0 0 0"/></keyframe>',
    );
    expect([...parseMjcf(text).keyframes[0].state.q]).toEqual([1, 0, 0, 0, 1, 2, 3]);
  });
});
