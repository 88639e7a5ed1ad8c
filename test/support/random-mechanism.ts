// Random mechanisms for property tests: any tree shape, all joint types, offsets, rotations, full inertias.

import type { JointTypeName } from '../../src/joints/index.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { Random } from '../../src/mechanism/random.js';
import type { BodySpec, JointSpec, MechanismSpec } from '../../src/mechanism/spec.js';
import { type Mat3, multiply, rotationFromQuaternion, transpose, type Vec3 } from '../../src/spatial/matrix3.js';

export const ALL_JOINT_TYPES: readonly JointTypeName[] = [
  'fixed',
  'revolute',
  'continuous',
  'prismatic',
  'helical',
  'cylindrical',
  'universal',
  'planar',
  'spherical',
  'floating',
];

export interface RandomOptions {
  readonly bodies?: number;
  readonly types?: readonly JointTypeName[];
  /** Type of the joints to the ground; any where left out. */
  readonly base?: JointTypeName;
  /** More than one body may hang from the ground. */
  readonly forest?: boolean;
  readonly armature?: boolean;
  /** Bodies listed in any order, children before parents too. */
  readonly shuffled?: boolean;
}

function vector(random: Random, size: number): Vec3 {
  return [random.between(-size, size), random.between(-size, size), random.between(-size, size)];
}

function rotation(random: Random): Mat3 {
  // Every third time something simple: identity or axes renamed, which take paths of their own.
  if (random.below(3) === 0)
    return random.pick([
      [1, 0, 0, 0, 1, 0, 0, 0, 1],
      [0, 1, 0, 0, 0, 1, 1, 0, 0],
    ] as const);
  return rotationFromQuaternion(random.quaternion());
}

function axis(random: Random): Vec3 {
  if (random.below(2) === 0)
    return random.pick([
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
      [-1, 0, 0],
      [0, -1, 0],
      [0, 0, -1],
    ] as const);
  return random.direction();
}

/** Inertia of a solid ellipsoid, turned at random: always that of a real body. */
export function randomInertia(random: Random, mass: number): Mat3 {
  const [a, b, c] = [random.between(0.05, 0.4), random.between(0.05, 0.4), random.between(0.05, 0.4)];
  const k = mass / 5;
  const D: Mat3 = [k * (b * b + c * c), 0, 0, 0, k * (a * a + c * c), 0, 0, 0, k * (a * a + b * b)];
  const R = rotationFromQuaternion(random.quaternion());
  return multiply(multiply(R, D), transpose(R));
}

export function randomSpec(seed: number, options: RandomOptions = {}): MechanismSpec {
  const random = new Random(seed);
  const types = options.types ?? ALL_JOINT_TYPES;
  const count = options.bodies ?? 1 + random.below(12);
  const bodies: BodySpec[] = [];
  const joints: JointSpec[] = [];
  for (let i = 0; i < count; i++) {
    const grounded = i === 0 || (options.forest === true && random.below(6) === 0);
    // Mostly near the end of the list: long chains with some branches.
    const parent = grounded ? null : `b${Math.max(0, i - 1 - random.below(random.below(2) === 0 ? 1 : 5))}`;
    const type = grounded && options.base !== undefined ? options.base : random.pick(types);
    const mass = random.between(0.3, 4);
    bodies.push({ name: `b${i}`, mass, com: vector(random, 0.3), inertia: randomInertia(random, mass) });
    const first = axis(random);
    let second = axis(random);
    while (Math.abs(first[0] * second[0] + first[1] * second[1] + first[2] * second[2]) > 0.95) second = axis(random);
    joints.push({
      name: `j${i}`,
      parent,
      child: `b${i}`,
      type,
      axis: first,
      axis2: second,
      pitch: random.between(-0.3, 0.3),
      E: rotation(random),
      t: vector(random, 0.5),
      ...(options.armature === true && random.below(2) === 0 && { armature: random.between(0, 0.5) }),
    });
  }
  if (options.shuffled === true) {
    for (let i = count - 1; i > 0; i--) {
      const j = random.below(i + 1);
      [bodies[i], bodies[j]] = [bodies[j], bodies[i]];
    }
  }
  return { name: `random-${seed}`, gravity: vector(random, 10), bodies, joints };
}

export function randomMechanism(seed: number, options?: RandomOptions): Mechanism {
  return createMechanism(randomSpec(seed, options));
}

/** A random mechanism several times, each time hanging from the last body of the one before. */
export function repeatedMechanism(seed: number, times: number, options: RandomOptions = {}): Mechanism {
  const { gravity, bodies, joints } = randomSpec(seed, { ...options, forest: false });
  const last = `b${bodies.length - 1}`;
  const cells = Array.from({ length: times }, (_, k) => k);
  return createMechanism({
    name: `repeated-${seed}`,
    ...(gravity && { gravity }),
    bodies: cells.flatMap((k) => bodies.map((body) => ({ ...body, name: `${k}-${body.name}` }))),
    joints: cells.flatMap((k) =>
      joints.map((joint) => ({
        ...joint,
        name: `${k}-${joint.name}`,
        parent: joint.parent !== null ? `${k}-${joint.parent}` : k > 0 ? `${k - 1}-${last}` : null,
        child: `${k}-${joint.child}`,
      })),
    ),
  });
}

export function randomVector(seed: number, n: number, size = 1): Float64Array {
  const random = new Random(seed);
  return Float64Array.from({ length: n }, () => random.between(-size, size));
}

/** Largest difference, relative to the largest entry of the reference (or 1). */
export function relativeError(got: ArrayLike<number>, reference: ArrayLike<number>): number {
  let size = 1e-300;
  let worst = 0;
  if (got.length !== reference.length) return Number.POSITIVE_INFINITY;
  for (let k = 0; k < reference.length; k++) {
    size = Math.max(size, Math.abs(reference[k]));
    const error = Math.abs(got[k] - reference[k]);
    if (Number.isNaN(error)) return Number.POSITIVE_INFINITY;
    worst = Math.max(worst, error);
  }
  return worst / Math.max(size, 1);
}

/** A tree of 24 links, with mass and inertia of every third one changed by these factors. */
export function lighterTree(mass: number, inertia: number): MechanismSpec {
  const spec = randomSpec(11, { bodies: 24, types: ['revolute', 'spherical'] });
  const bodies = spec.bodies.map(
    (body, i): BodySpec =>
      i % 3 !== 1
        ? body
        : { ...body, mass: mass * body.mass!, inertia: body.inertia!.map((x) => inertia * x) as unknown as Mat3 },
  );
  return { ...spec, bodies };
}
