// Habits of MJCF files as people publish them: each loads, and is the same model as MuJoCo's.

import { describe, expect, it } from 'vitest';
import { parseMjcf } from '../../src/formats/mjcf.js';
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

const FILES = new Map([
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

const MODELS = new Map([
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

  it('what is not understood takes along what refers to it, and no more', () => {
    const text = scene(
      `${ARM}<composite type="cable" prefix="k" curve="s" count="5 1 1" size="1"><geom type="capsule" size=".01"/></composite>`,
      '<contact><exclude body1="kB_first" body2="a"/></contact><keyframe><key qpos="1 2 3 4 5 6 7 8"/></keyframe>',
    );
    const model = parseMjcf(text);
    expect(model.joints).toEqual(['j1', 'j2']);
    expect(model.mechanism.warnings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['not-understood', 'unknown-body', 'keyframe']),
    );
    expect(() => parseMjcf(text.replace(/<composite.*composite>/, ''))).toThrow('kB_first');
  });
});
