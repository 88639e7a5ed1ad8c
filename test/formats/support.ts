// Shared by the tests of this folder: the files of other people, random mechanisms, and dynamics-free checks of them.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Description } from '../../src/formats/description.js';
import { JOINT_TYPES } from '../../src/joints/index.js';
import { ImportError, MechanismError, type Problem } from '../../src/mechanism/errors.js';
import { GROUND, type Mechanism } from '../../src/mechanism/mechanism.js';
import { Random } from '../../src/mechanism/random.js';
import type { BodySpec, JointSpec, LoopFrameSpec, MechanismSpec } from '../../src/mechanism/spec.js';
import {
  add,
  apply,
  dot,
  IDENTITY3,
  type Mat3,
  multiply,
  rotationFromQuaternion,
  scale,
  transpose,
  type Vec3,
  ZERO3,
} from '../../src/spatial/matrix3.js';

const DATA = fileURLToPath(new URL('../../../shared/data', import.meta.url));

export interface SharedFile {
  readonly name: string;
  readonly text: string;
}

/** The URDF files of ../shared/data; none, with a line that says so, where the folder is missing. */
export function sharedUrdfs(): SharedFile[] {
  if (!existsSync(DATA)) {
    console.log(`skipped: ${DATA} is missing, its URDF files are not tried`);
    return [];
  }
  const robots = readdirSync(`${DATA}/urdf`).filter((name) => name.endsWith('.urdf'));
  const loops = readdirSync(`${DATA}/loops`);
  return [
    ...robots.map((name) => ({ name, text: readFileSync(`${DATA}/urdf/${name}`, 'utf8') })),
    ...loops.map((name) => ({ name, text: readFileSync(`${DATA}/loops/${name}/robot.urdf`, 'utf8') })),
  ];
}

/** The problems of the ImportError that a call must throw. */
export function importProblems(call: () => unknown): readonly Problem[] {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(ImportError);
    return (error as ImportError).problems;
  }
  throw new Error('expected an ImportError, but the call returned');
}

/** Holds what every refusal must look like: one of our errors, each problem one sentence on one line. */
export function expectProperRefusal(error: unknown): void {
  if (!(error instanceof ImportError || error instanceof MechanismError)) throw error;
  expect(error.problems.length).toBeGreaterThan(0);
  for (const { code, where, message } of error.problems) {
    // C3D has a digit.
    expect(code).toMatch(/^[a-z][a-z0-9-]*$/);
    expect(where).not.toMatch(/[\n\r]/);
    expect(message).toMatch(/^[A-Z<0-9][^\n\r]{0,600}(?:\.| Did you mean [^?]{1,200}\?)$/);
  }
}

/** Mass, centre of mass and inertia about the world's origin, every joint at zero. */
export function massProperties(mechanism: Mechanism): { mass: number; com: Vec3; inertia: Mat3 } {
  const poses: { R: Mat3; p: Vec3 }[] = [];
  let mass = 0;
  let moment = ZERO3;
  const inertia = new Array<number>(9).fill(0);
  mechanism.joints.forEach(({ parent, E, t }, i) => {
    expect(parent).toBeLessThan(i);
    const { R, p } = parent === GROUND ? { R: IDENTITY3, p: ZERO3 } : poses[parent];
    const pose = { R: multiply(R, transpose(E)), p: add(p, apply(R, t)) };
    poses.push(pose);
    const body = mechanism.bodies[i];
    const c = add(pose.p, apply(pose.R, body.com));
    const I = multiply(multiply(pose.R, body.inertia), transpose(pose.R));
    for (let k = 0; k < 9; k++)
      inertia[k] += I[k] + body.mass * (dot(c, c) * IDENTITY3[k] - c[Math.floor(k / 3)] * c[k % 3]);
    mass += body.mass;
    moment = add(moment, scale(body.mass, c));
  });
  return { mass, com: scale(1 / mass, moment), inertia: inertia as unknown as Mat3 };
}

export function expectClose(actual: readonly number[], expected: readonly number[], tolerance = 1e-12): void {
  const size = Math.max(1, ...expected.map(Math.abs));
  expect(actual.length).toBe(expected.length);
  actual.forEach((value, k) => {
    expect(Math.abs(value - expected[k])).toBeLessThanOrEqual(tolerance * size);
  });
}

/** A mechanism of all joint types with everything that a spec can hold, the same for the same seed. */
export function randomSpec(seed: number): MechanismSpec {
  const random = new Random(seed);
  const n = 2 + random.below(12);
  const vector = (): Vec3 => [random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)];
  const rotation = (): Mat3 => rotationFromQuaternion(random.quaternion());
  const bodies: BodySpec[] = [];
  const joints: JointSpec[] = [];
  for (let i = 0; i < n; i++) {
    const type = random.pick(JOINT_TYPES);
    // Names that trip up whoever uses them as keys of plain objects, or puts them into paths.
    const name = random.pick([`body ${i}`, `b${i}`, `"b".${i}`]);
    bodies.push({
      name: i === 1 ? '__proto__' : i === 2 ? 'constructor' : name,
      ...randomMass(random, vector, rotation),
    });
    joints.push({
      name: `j${i}`,
      type: type.name,
      parent: i === 0 ? null : bodies[random.below(i)].name,
      child: bodies[i].name,
      E: rotation(),
      t: vector(),
      ...(type.axes >= 1 && { axis: random.direction() }),
      ...(type.axes === 2 && { axis2: random.direction() }),
      ...(type.name === 'helical' && { pitch: random.between(-1, 1) }),
      ...(random.next() < 0.3 && { damping: random.next(), friction: random.next(), armature: random.next() }),
      ...(type.nv === 1 && random.next() < 0.3 && { stiffness: random.next(), rest: random.between(-1, 1) }),
      ...(random.next() < 0.3 && { limits: { lower: -random.next(), upper: random.next(), effort: 5 } }),
    });
  }
  const end = (k: number): LoopFrameSpec => ({ body: bodies[k].name, E: rotation(), t: vector() });
  const single = joints.filter(({ type }) => ['revolute', 'continuous', 'prismatic', 'helical'].includes(type));
  return {
    name: `random ${seed}`,
    gravity: vector(),
    bodies,
    joints,
    loops: [
      { name: 'loop', type: 'universal', axis: [1, 0, 0], axis2: [0, 1, 0], a: end(0), b: end(1) },
      { name: 'to ground', type: 'spherical', a: end(n - 1), b: { body: null, E: rotation(), t: vector() } },
    ],
    frames: [{ name: 'tool', body: bodies[n - 1].name, E: rotation(), t: vector() }],
    couplings:
      single.length < 2
        ? []
        : [{ joint: single[1].name, source: single[0].name, multiplier: random.between(-2, 2), offset: random.next() }],
  };
}

function randomMass(random: Random, vector: () => Vec3, rotation: () => Mat3): Omit<BodySpec, 'name'> {
  const [x, y, z] = [random.between(0.1, 1), random.between(0.1, 1), random.between(0.1, 1)];
  const R = rotation();
  const placed = () => ({ E: rotation(), t: vector() });
  return {
    mass: random.between(0.1, 5),
    com: vector(),
    inertia: multiply(multiply(R, [y + z, 0, 0, 0, x + z, 0, 0, 0, x + y]), transpose(R)),
    visuals: [
      { ...placed(), geometry: { kind: 'box', size: [x, y, z] }, color: [x, y, z, 1], name: 'shell' },
      { ...placed(), geometry: { kind: 'mesh', path: 'meshes/a.stl', scale: [1, -1, 1] } },
    ],
    collisions: [
      { ...placed(), geometry: { kind: 'capsule', radius: x, length: y } },
      { ...placed(), geometry: { kind: 'cylinder', radius: x, length: y } },
      { ...placed(), geometry: { kind: 'sphere', radius: z } },
    ],
  };
}

export const IDENTITY = [1, 0, 0, 0, 1, 0, 0, 0, 1];

/** A description of one hinge, as on the page that defines the format. */
export function hinge(): Description {
  return {
    name: 'hinge',
    gravity: [0, -9.81, 0],
    bodies: [
      {
        name: 'b0',
        parent: null,
        joint: { name: 'j0', type: 'revolute', axis: [0, 0, 1] },
        E: [...IDENTITY],
        t: [0, 0, 0],
        mass: 1,
        com: [0, 1, 0],
        inertia: [...IDENTITY],
      },
    ],
    state: { b0: { q: 0.1, qd: 0 } },
  };
}

/** The description with a change made to it, whatever its type. */
// biome-ignore lint/suspicious/noExplicitAny: the tests break the types on purpose
export function changed(change: (description: any) => void): object {
  const description = structuredClone(hinge());
  change(description);
  return description;
}
