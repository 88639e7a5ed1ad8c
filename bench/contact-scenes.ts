// Scenes in contact, each for a World of ours and as MJCF for MuJoCo, made by the same program. Models that are not part of
// the package come from ../shared/data; their scenes are left out where it is missing.

import { existsSync, readFileSync } from 'node:fs';
import { formatMjcf, parseMjcf, parseUrdf } from '#src/formats/index.js';
import type { Mechanism } from '#src/mechanism/mechanism.js';
import { Random } from '#src/mechanism/random.js';
import { State } from '#src/mechanism/state.js';
import { ball, box, World } from '#src/simulation/world/index.js';
import type { Vec3 } from '#src/spatial/matrix3.js';

/** Seconds a step, for both engines. */
export const CONTACT_STEP = 0.005;

/** What is measured: a world, and the same for MuJoCo. */
export interface ContactScene {
  readonly seconds: number;
  make(): World;
  readonly xml: string;
  /** Positions of joints that MuJoCo starts from, by name, and the height of its first body. */
  readonly start?: { readonly joints: ReadonlyMap<string, number>; readonly height: number };
}

/** By name; undefined where the model's file is missing. */
export const CONTACT_SCENES: ReadonlyMap<string, () => ContactScene | undefined> = new Map([
  ['humanoid', () => humanoid(1, 0)],
  ['humanoid-air', () => humanoid(1, 100)],
  ['humanoid-50', () => humanoid(50, 0)],
  ['ragdoll', () => ragdoll(1)],
  ['ragdoll-50', () => ragdoll(50)],
  ['solo12', solo12],
  ['talos', talos],
  ['stack', stack],
  ['pile-100', () => pile(100)],
  ['pile-500', () => pile(500)],
]);

export function dataFile(path: string): string | undefined {
  // From bench/ in the sources, from dist/bench/ or from dist/cli/ when built.
  for (const up of ['../../shared/data/', '../../../shared/data/', '../../../../shared/data/']) {
    const file = new URL(`${up}${path}`, import.meta.url);
    if (existsSync(file)) return readFileSync(file, 'utf8');
  }
  return undefined;
}

const free = (name: string, geometry: string, at: readonly number[]): string =>
  `<body name="${name}" pos="${at.join(' ')}"><freejoint/><geom ${geometry}/></body>`;

const PLANE = '<geom type="plane" size="50 50 1"/>';

const document = (bodies: string, rest = ''): string =>
  `<mujoco><compiler angle="radian"/><option timestep="${CONTACT_STEP}"/><worldbody>${PLANE}${bodies}</worldbody>${rest}</mujoco>`;

function emptyWorld(): World {
  return new World({ step: CONTACT_STEP, ground: true });
}

function stack(): ContactScene {
  const places = Array.from({ length: 10 }, (_, k) => [0, 0, 0.2 + 0.4 * k + 0.0005 * (k + 1)] as const);
  return {
    seconds: 3,
    make: () => {
      const world = emptyWorld();
      for (const at of places) world.add(box([0.4, 0.4, 0.4], { mass: 1, friction: 0.5 }), { at });
      return world;
    },
    xml: document(places.map((at, k) => free(`b${k}`, 'type="box" size="0.2 0.2 0.2" mass="1"', at)).join('')),
  };
}

function pile(count: number): ContactScene {
  const random = new Random(1);
  const side = count <= 100 ? 5 : 8;
  const places = Array.from({ length: count }, (_, k) => {
    const shift = (): number => random.between(-0.02, 0.02);
    const [i, j] = [k % side, Math.floor(k / side) % side];
    return [0.25 * i + shift(), 0.25 * j + shift(), 0.15 + 0.25 * Math.floor(k / (side * side))] as const;
  });
  const geometry = (k: number): string => (k % 2 === 0 ? 'type="box" size="0.1 0.1 0.1"' : 'type="sphere" size="0.1"');
  return {
    seconds: 2,
    make: () => {
      const world = emptyWorld();
      places.forEach((at, k) => {
        const options = { mass: 1, friction: 0.5 };
        world.add(k % 2 === 0 ? box([0.2, 0.2, 0.2], options) : ball(0.1, options), { at });
      });
      return world;
    },
    xml: document(places.map((at, k) => free(`b${k}`, `${geometry(k)} mass="1"`, at)).join('')),
  };
}

/** Where copies of a figure stand: in rows, apart from each other. */
function crowdPlace(k: number, height: number): Vec3 {
  return [2.5 * (k % 10), 2.5 * Math.floor(k / 10), height];
}

/** Copies of the figure of an MJCF text, without what refers to its parts from outside of it. */
function copiesOf(xml: string, figure: RegExp, copies: number, height: number): string {
  const body = figure.exec(xml)![0];
  const bodies = Array.from({ length: copies }, (_, k) =>
    body
      .replace(/ name="/g, ` name="${k}_`)
      .replace(/<body ([^>]*)pos="[^"]*"/, `<body $1pos="${crowdPlace(k, height).join(' ')}"`),
  );
  return xml
    .replace(figure, bodies.join('\n'))
    .replace(/<(contact|tendon|actuator|keyframe|sensor)>[\s\S]*?<\/\1>/g, '')
    .replace(/<light name="[^"]*" mode="targetbody[^>]*>/g, '');
}

const HEIGHT = 1.282;

function humanoid(copies: number, above: number): ContactScene | undefined {
  const file = dataFile('mjcf/humanoid.xml');
  if (file === undefined) return undefined;
  const { mechanism, state, contacts } = parseMjcf(file);
  const without = contacts.exclusions.flatMap(({ body1, body2 }) =>
    body1 === null || body2 === null ? [] : [[body1, body2] as const],
  );
  return {
    seconds: copies > 1 ? 3 : 4,
    make: () => {
      const world = emptyWorld();
      for (let k = 0; k < copies; k++) world.add(mechanism, { state, without, at: crowdPlace(k, HEIGHT + above) });
      return world;
    },
    xml: copies > 1 ? copiesOf(file, /<body name="torso"[\s\S]*(?=<\/worldbody>)/, copies, HEIGHT) : file,
    ...(copies === 1 && { start: { joints: new Map(), height: HEIGHT + above } }),
  };
}

/** Sixteen bodies, eleven ball and four hinge joints. */
function ragdollXml(): string {
  const capsule = (from: string, to: string, size: number): string =>
    `<geom type="capsule" fromto="${from} ${to}" size="${size}" density="1000" friction="0.8"/>`;
  const ball3 = '<joint type="ball" damping="0.5"/>';
  const hinge = (axis: string, range: string): string =>
    `<joint type="hinge" axis="${axis}" limited="true" range="${range}" damping="0.5"/>`;
  const side = (s: 1 | -1): string => {
    const n = s > 0 ? 'left' : 'right';
    return `<body name="${n} upper arm" pos="0 ${0.2 * s} 0.12">${ball3}${capsule('0 0 0', `0 ${0.25 * s} 0`, 0.04)}
      <body name="${n} lower arm" pos="0 ${0.28 * s} 0">${hinge('0 0 1', s > 0 ? '-0.1 2.3' : '-2.3 0.1')}${capsule('0 0 0', `0 ${0.22 * s} 0`, 0.035)}
      <body name="${n} hand" pos="0 ${0.27 * s} 0">${ball3}<geom type="box" pos="0 ${0.05 * s} 0" size="0.04 0.05 0.02" density="1000" friction="0.8"/></body></body></body>`;
  };
  const leg = (s: 1 | -1): string => {
    const n = s > 0 ? 'left' : 'right';
    return `<body name="${n} thigh" pos="0 ${0.1 * s} -0.1">${ball3}${capsule('0 0 -0.05', '0 0 -0.38', 0.06)}
      <body name="${n} shin" pos="0 0 -0.43">${hinge('0 1 0', '-0.1 2.5')}${capsule('0 0 -0.05', '0 0 -0.36', 0.05)}
      <body name="${n} foot" pos="0 0 -0.42">${ball3}<geom type="box" pos="0.05 0 -0.03" size="0.11 0.045 0.025" density="1000" friction="0.8"/></body></body></body>`;
  };
  return `<body name="pelvis" pos="0 0 1.2"><freejoint/>${capsule('0 -0.09 0', '0 0.09 0', 0.09)}
    <body name="belly" pos="0 0 0.1">${ball3}${capsule('0 -0.06 0.03', '0 0.06 0.03', 0.085)}
    <body name="chest" pos="0 0 0.13">${ball3}${capsule('0 -0.08 0.07', '0 0.08 0.07', 0.1)}
    <body name="head" pos="0 0 0.24">${ball3}<geom type="sphere" pos="0 0 0.1" size="0.1" density="1000" friction="0.8"/></body>
    ${side(1)}${side(-1)}</body></body>${leg(1)}${leg(-1)}</body>`;
}

function ragdoll(copies: number): ContactScene {
  const figure = document(ragdollXml());
  const { mechanism, state } = parseMjcf(figure);
  const tilted = (k: number): Vec3 => [0.3 + 0.01 * k, 0.2, 0];
  return {
    seconds: 3,
    make: () => {
      const world = emptyWorld();
      for (let k = 0; k < copies; k++) world.add(mechanism, { state, at: crowdPlace(k, 1.2), velocity: tilted(k) });
      return world;
    },
    xml: copies > 1 ? copiesOf(figure, /<body name="pelvis"[\s\S]*(?=<\/worldbody>)/, copies, 1.2) : figure,
  };
}

/** A robot from URDF that stands on shapes under its feet, joints held by position motors. */
function standing(
  file: string,
  feet: ReadonlyMap<string, string>,
  height: number,
  pose: (joint: string) => number,
  gains: { readonly stiffness: number; readonly damping: number },
): ContactScene | undefined {
  const text = dataFile(file);
  if (text === undefined) return undefined;
  const urdf: Mechanism = parseUrdf(text, { base: 'floating', mimic: 'ignore' });
  let bodies = formatMjcf(urdf);
  for (const [foot, geometry] of feet)
    bodies = bodies.replace(new RegExp(`(<body name="${foot}"[^>]*>)`), `$1<geom ${geometry} friction="0.8"/>`);
  const driven = urdf.joints.filter(({ model, type }) => model.nv === 1 && type !== 'floating').map(({ name }) => name);
  const { stiffness, damping } = gains;
  const motors = driven.map(
    (name) => `<position joint="${name}" kp="${stiffness}" kv="${damping}" name="${name} motor"/>`,
  );
  const joints = new Map(driven.map((name) => [name, pose(name)]));
  const xml = bodies
    .replace('<worldbody>', `<option timestep="${CONTACT_STEP}" integrator="implicitfast"/><worldbody>${PLANE}`)
    .replace('</worldbody>', `</worldbody><actuator>${motors.join('')}</actuator>`);
  const { mechanism } = parseMjcf(xml);
  return {
    seconds: 3,
    start: { joints, height },
    make: () => {
      const world = emptyWorld();
      const state = new State(mechanism);
      for (const [name, q] of joints) state.q[mechanism.joint(name).iq] = q;
      const member = world.add(mechanism, { state, at: [0, 0, height] });
      for (const [name, position] of joints) member.drive(name, { kind: 'position', position, stiffness, damping });
      return world;
    },
    xml,
  };
}

function solo12(): ContactScene | undefined {
  const feet = new Map(['FL', 'FR', 'HL', 'HR'].map((leg) => [`${leg}_FOOT`, 'type="sphere" size="0.016"']));
  const pose = (joint: string): number => (joint.endsWith('HFE') ? 0.8 : joint.endsWith('KFE') ? -1.6 : 0);
  return standing('urdf/solo12.urdf', feet, 0.25, pose, { stiffness: 10, damping: 0.3 });
}

function talos(): ContactScene | undefined {
  const sole = 'type="box" size="0.1 0.06 0.01" pos="0 0 0.01"';
  const feet = new Map([
    ['left_sole_link', sole],
    ['right_sole_link', sole],
  ]);
  const bent = new Map([
    ['3', -0.4],
    ['4', 0.8],
    ['5', -0.4],
  ]);
  const pose = (joint: string): number => bent.get(/^leg_.*_(\d)_joint$/.exec(joint)?.[1] ?? '') ?? 0;
  return standing('urdf/talos_full_v2.urdf', feet, 1.03, pose, { stiffness: 2000, damping: 40 });
}
