// Files to drop on the page: one of each kind, small, and broken ones.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { zipSync } from 'fflate';
import { Session } from '../../../page/src/physics/session.js';
import { Recorder } from '../../../src/recording/index.js';
import { box, World } from '../../../src/simulation/world/index.js';
import { gaitBvh } from '../../motion/gait.js';

const INERTIAL =
  '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>';
/** A link on a base, with a mesh or a box. */
const urdf = (geometry: string, more = ''): string => `<robot name="two-links">
  <link name="base"/>
  <link name="arm"><visual><geometry>${geometry}</geometry></visual>${INERTIAL}</link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>${more}
</robot>`;
const OBJ = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n';
const MJCF = `<mujoco model="tetrahedra">
  <asset><mesh name="tetra" file="meshes/tetra.obj" scale="0.3 0.3 0.3"/></asset>
  <worldbody><geom type="plane" size="5 5 0.1"/>
    <body name="lower" pos="0 0 1"><freejoint/><geom type="mesh" mesh="tetra"/>
      <body name="upper" pos="0 0 0.4"><joint name="lid" axis="0 1 0"/><geom type="box" size="0.1 0.1 0.1"/></body></body></worldbody>
</mujoco>`;
const SDF = `<sdf version="1.9"><model name="arm">
  <link name="base"><inertial><mass>1</mass></inertial></link>
  <link name="tip"><pose>0 0 -0.5 0 0 0</pose><inertial><mass>2</mass></inertial></link>
  <joint name="hold" type="fixed"><parent>world</parent><child>base</child></joint>
  <joint name="swing" type="revolute"><parent>base</parent><child>tip</child><axis><xyz>0 1 0</xyz></axis></joint>
</model></sdf>`;

const frame = (name: string, parent: string, at: string): string =>
  `<PhysicalOffsetFrame name="${name}"><socket_parent>/bodyset/${parent}</socket_parent><translation>${at}</translation><orientation>0 0 0</orientation></PhysicalOffsetFrame>`;
const pin = (name: string, parent: string, child: string, at: string): string =>
  `<PinJoint name="${name}"><socket_parent_frame>from</socket_parent_frame><socket_child_frame>${child}</socket_child_frame>
   <coordinates><Coordinate name="${name}_angle"><default_value>0.2</default_value></Coordinate></coordinates>
   <frames>${frame('from', parent, at)}</frames></PinJoint>`;
const segment = (name: string): string =>
  `<Body name="${name}"><mass>3</mass><mass_center>0 -0.2 0</mass_center><inertia>0.03 0.01 0.03 0 0 0</inertia></Body>`;
const OSIM = `<?xml version="1.0"?><OpenSimDocument Version="40000"><Model name="leg"><gravity>0 -9.8 0</gravity>
<BodySet><objects>${segment('thigh')}${segment('foot_r')}</objects></BodySet>
<JointSet><objects>${pin('hip', '../ground', 'thigh', '0 1 0').replace('/bodyset/../ground', '/ground')}${pin('knee', 'thigh', 'foot_r', '0 -0.4 0')}</objects></JointSet></Model></OpenSimDocument>`;
const rows = Array.from({ length: 101 }, (_, k) => `${k / 50}\t${20 * Math.sin(k / 8)}\t${-30 + 20 * Math.cos(k / 8)}`);
const MOT = `swing\nversion=1\nnRows=${rows.length}\nnColumns=3\ninDegrees=yes\nendheader\ntime\thip_angle\tknee_angle\n${rows.join('\n')}\n`;

async function recording(): Promise<Uint8Array> {
  const world = new World({ step: 0.01, ground: true });
  world.add(box([0.4, 0.4, 0.4], { name: 'crate' }), { at: [0, 0, 1] });
  const parts: Uint8Array[] = [];
  const recorder = await Recorder.begin(world, { write: async (bytes) => void parts.push(bytes.slice()) });
  for (let k = 0; k < 60; k++) {
    world.step();
    await recorder.record();
  }
  await recorder.end();
  return Buffer.concat(parts);
}

const SCENE = {
  name: 'two boxes',
  step: 0.005,
  ground: true,
  mechanisms: [
    { name: 'lower', model: { kind: 'box', size: [0.4, 0.4, 0.4] }, at: [0, 0, 0.2] },
    { name: 'upper', model: { kind: 'box', size: [0.2, 0.2, 0.2] }, at: [0, 0, 1] },
  ],
};
const scene = JSON.stringify(SCENE, null, 2);
const BROKEN_MJCF = MJCF.replace('axis="0 1 0"', 'axis="0 one 0"');

async function checkpoint(): Promise<Uint8Array> {
  const session = new Session();
  await session.load('boxes');
  for (let k = 0; k < 100; k++) session.step();
  return (await session.answer({ do: 'checkpoint' })).bytes!;
}

/** Writes them into a folder, and returns their paths by what they are. */
export async function filesIn(folder: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const at = (path: string, content: string | Uint8Array): string => {
    const full = join(folder, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, content);
    return full;
  };
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  const [mcap, moment] = [await recording(), await checkpoint()];
  at('tetrahedra/scene.xml', MJCF);
  at('tetrahedra/meshes/tetra.obj', OBJ);
  at('missing/scene.xml', MJCF);
  const bvh = gaitBvh({ seconds: 2.5 });
  const osim = at('leg.osim', OSIM);
  const zip = zipSync({ 'robot/scene.xml': bytes(MJCF), 'robot/meshes/tetra.obj': bytes(OBJ) });
  return {
    urdf: [at('two.urdf', urdf('<box size="0.1 0.1 0.5"/>'))],
    mjcf: [join(folder, 'tetrahedra')],
    zip: [at('robot.zip', zip)],
    sdf: [at('arm.sdf', SDF)],
    bvh: [at('walk.bvh', bvh)],
    osim: [osim],
    motion: [osim, at('swing.mot', MOT)],
    mcap: [at('crate.mcap', mcap)],
    brokenXml: [at('torn.urdf', '<robot name="a">\n  <link name="b">\n</robot>\n')],
    impossible: [
      at(
        'heavy.urdf',
        urdf(
          '<box size="1 1 1"/>',
          '\n  <joint name="lost" type="fixed"><parent link="nobody"/><child link="arm"/></joint>',
        ),
      ),
    ],
    noMesh: [join(folder, 'missing')],
    checkpoint: [at('boxes.checkpoint', moment)],
    brokenCheckpoint: [at('torn.checkpoint', moment.subarray(0, moment.length / 2))],
    scene: [at('boxes.json', scene)],
    brokenScene: [at('torn.json', scene.replace('"at": [', '"at": '))],
    wrongScene: [at('wrong.json', scene.replace('0.005', '"soon"'))],
    brokenMjcf: [at('torn.xml', BROKEN_MJCF)],
    brokenMotion: [osim, at('torn.mot', MOT.replace('\n0.5\t', '\nhalf\t'))],
    brokenSdf: [at('torn.sdf', SDF.replace('<mass>2</mass>', '<mass>two</mass>'))],
    shortBvh: [at('short.bvh', bvh.slice(0, bvh.length * 0.6))],
    brokenOsim: [at('old.osim', OSIM.replace('40000', '30000'))],
    motAlone: [join(folder, 'swing.mot')],
    brokenMcap: [
      at(
        'damaged.mcap',
        mcap.map((byte, k) => (k > 100 && k < 140 ? byte ^ 0x5a : byte)),
      ),
    ],
    shortMcap: [at('cut.mcap', mcap.subarray(0, mcap.length - 700))],
    brokenZip: [at('broken.zip', zip.subarray(0, 100))],
    unknown: [at('letter.txt', 'Dear robot,')],
  };
}
