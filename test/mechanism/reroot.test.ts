// Re-rooting: the reference case, the same physics on random trees of all joint types, the way back, and what is refused.

import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { parseDescription } from '../../src/formats/index.js';
import type { JointTypeName } from '../../src/joints/index.js';
import { createMechanism } from '../../src/mechanism/create.js';
import { GROUND, type Joint, type Mechanism } from '../../src/mechanism/mechanism.js';
import { Random } from '../../src/mechanism/random.js';
import { reroot } from '../../src/mechanism/reroot.js';
import { RerootableMechanism } from '../../src/mechanism/rerootable.js';
import type { JointKindSpec } from '../../src/mechanism/spec.js';
import { State } from '../../src/mechanism/state.js';
import { mechanismSpec } from '../../src/mechanism/variants.js';
import { compass } from '../../src/models/compass.js';
import { createKinematics, accelerations as linkAccelerations } from '../../src/reference/kinematics.js';
import { apply, type Mat3, multiply, transpose, type Vec3 } from '../../src/spatial/matrix3.js';
import { motionToA, TRANSFORM } from '../../src/spatial/spatial.js';
import { ALL_JOINT_TYPES, randomMechanism, randomSpec, randomVector } from '../support/random-mechanism.js';
import { hasShared, readShared } from '../support/shared.js';
import { refusal, row } from './support.js';

const TREES = Number(process.env.MANIKIN_REROOT_RUNS ?? 500);

/** What a bystander sees of every body: centre of mass, inertia, velocity at the ground's origin, in ground coordinates. */
function seen(mechanism: Mechanism, state: State): Record<'com' | 'inertia' | 'velocity' | 'energy', number[]> {
  const dynamics = new PlainDynamics(mechanism);
  const poses = dynamics.poses(state);
  const velocities = dynamics.velocities(state);
  const inGround = new Float64Array(6);
  const out = { com: [] as number[], inertia: [] as number[], velocity: [] as number[], energy: [] as number[] };
  mechanism.bodies.forEach(({ com, inertia }, b) => {
    const E = Array.from(poses.subarray(TRANSFORM * b, TRANSFORM * b + 9)) as unknown as Mat3;
    const at = apply(transpose(E), com).map((x, k) => x + poses[TRANSFORM * b + 9 + k]);
    out.com.push(...at);
    out.inertia.push(...multiply(multiply(transpose(E), inertia), E));
    motionToA(inGround, 0, poses, TRANSFORM * b, velocities, 6 * b);
    out.velocity.push(...inGround);
  });
  const { kinetic, potential, momentum } = dynamics.energy(state);
  out.energy.push(kinetic, potential, ...momentum.angular, ...momentum.linear);
  return out;
}

/** Spatial accelerations of all bodies in ground coordinates, for the joint accelerations qdd. */
function bodyAccelerations(mechanism: Mechanism, state: State, qdd: Float64Array): number[] {
  const { tree } = new PlainDynamics(mechanism);
  const scratch = createKinematics(tree);
  linkAccelerations(tree, scratch, state.q, state.v, qdd);
  const inGround = new Float64Array(6);
  return mechanism.bodies.flatMap((_, b) => {
    const link = tree.link[b];
    motionToA(inGround, 0, scratch.pose, TRANSFORM * link, scratch.a, 6 * link);
    return [...inGround];
  });
}

function worst(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  let size = 1;
  let largest = 0;
  for (let k = 0; k < a.length; k++) {
    size = Math.max(size, Math.abs(b[k]));
    const difference = Math.abs(a[k] - b[k]);
    if (!(difference <= largest)) largest = difference;
  }
  return largest / size;
}

function expectSame(a: { mechanism: Mechanism; state: State }, b: { mechanism: Mechanism; state: State }): void {
  const [left, right] = [seen(a.mechanism, a.state), seen(b.mechanism, b.state)];
  for (const key of ['com', 'inertia', 'velocity', 'energy'] as const)
    expect(worst(left[key], right[key]), key).toBeLessThan(1e-10);
}

/** Where the origin of a body is. */
function originOf(mechanism: Mechanism, state: State, body: number): Vec3 {
  const poses = new PlainDynamics(mechanism).poses(state);
  const [x, y, z] = poses.subarray(TRANSFORM * body + 9, TRANSFORM * body + 12);
  return [x, y, z];
}

/** A joint to the ground as the options of reroot want it: axes in ground coordinates. */
function kindInGround({ type, axis, axis2, pitch, E }: Joint): JointKindSpec {
  return { type, axis: apply(transpose(E), axis), axis2: apply(transpose(E), axis2), pitch };
}

function topOf({ joints }: Mechanism, body: number): number {
  let top = body;
  while (joints[top].parent !== GROUND) top = joints[top].parent;
  return top;
}

/** Everything that two mechanisms say, joints by name. */
function difference(a: { mechanism: Mechanism; state: State }, b: { mechanism: Mechanism; state: State }): number {
  let largest = 0;
  const compare = (x: ArrayLike<number>, y: ArrayLike<number>): void => {
    expect(x.length).toBe(y.length);
    for (let k = 0; k < x.length; k++) largest = Math.max(largest, Math.abs(x[k] - y[k]));
  };
  expect(a.mechanism.bodies.map(({ name }) => name)).toEqual(b.mechanism.bodies.map(({ name }) => name));
  expect(a.mechanism.joints.map(({ name, type, parent }) => [name, type, parent])).toEqual(
    b.mechanism.joints.map(({ name, type, parent }) => [name, type, parent]),
  );
  a.mechanism.joints.forEach((joint, i) => {
    const other = b.mechanism.joints[i];
    compare([...joint.E, ...joint.t], [...other.E, ...other.t]);
    if (joint.model.axes >= 1) compare(joint.axis, other.axis);
    if (joint.model.axes === 2) compare(joint.axis2, other.axis2);
    const q = a.state.q.slice(joint.iq, joint.iq + joint.model.nq);
    const p = b.state.q.slice(other.iq, other.iq + joint.model.nq);
    // A quaternion and its opposite are the same rotation.
    if (joint.model.nq === joint.model.nv + 1 && q[0] * p[0] + q[1] * p[1] + q[2] * p[2] + q[3] * p[3] < 0)
      for (let k = 0; k < 4; k++) p[k] = -p[k];
    compare(q, p);
    compare(
      a.state.v.subarray(joint.iv, joint.iv + joint.model.nv),
      b.state.v.subarray(other.iv, other.iv + joint.model.nv),
    );
  });
  a.mechanism.bodies.forEach(({ com, inertia, mass }, i) => {
    const other = b.mechanism.bodies[i];
    compare([...com, ...inertia, mass], [...other.com, ...other.inertia, other.mass]);
  });
  return largest;
}

const available = hasShared('reference/reroot-case.json');

describe.skipIf(!available)('../shared/reference/reroot-case.json', () => {
  const cases = available ? JSON.parse(readShared('reference/reroot-case.json')).cases : [];

  it.each(Array.from(cases, (_, index) => index))('case %i', (index) => {
    const { new_top, g, old, new: expected } = cases[index];
    const before = parseDescription(JSON.stringify(old));
    const after = parseDescription(JSON.stringify(expected));
    // Joints have no names in the file: the one that carries a body is named after it, and ours keep their names.
    const { joints, bodies } = before.mechanism;
    const result = reroot(before.mechanism, before.state, { top: new_top, at: g, joint: 'floating' });
    expectSame(result, before);
    expectSame(result, after);
    result.mechanism.joints.forEach((joint, i) => {
      const other = after.mechanism.joints[i];
      expect([joint.parent, joint.type]).toEqual([other.parent, other.type]);
      expect(worst([...joint.E, ...joint.t], [...other.E, ...other.t])).toBeLessThan(1e-13);
      if (joint.model.axes > 0) expect(worst(joint.axis, other.axis)).toBeLessThan(1e-13);
      expect(
        worst(
          result.state.q.subarray(joint.iq, joint.iq + joint.model.nq),
          after.state.q.subarray(other.iq, other.iq + joint.model.nq),
        ),
      ).toBeLessThan(1e-12);
      expect(
        worst(
          result.state.v.subarray(joint.iv, joint.iv + joint.model.nv),
          after.state.v.subarray(other.iv, other.iv + joint.model.nv),
        ),
      ).toBeLessThan(1e-12);
    });
    expect(joints.length).toBe(bodies.length);
  });
});

describe(`${TREES} random trees of all joint types`, () => {
  it('same bodies, same motion; there and back is the original; forward dynamics agrees', () => {
    const tops = new Set<JointTypeName>();
    const inverted = new Set<JointTypeName>();
    // 25681: rounding of the way there and back once was more than what counts as none.
    for (const seed of [25681, ...Array.from({ length: TREES }, (_, k) => k + 1)]) {
      const random = new Random(seed);
      const base = seed % 2 === 0 ? ('floating' as const) : random.pick(ALL_JOINT_TYPES);
      const mechanism = randomMechanism(seed, { base, forest: seed % 3 === 0, shuffled: seed % 5 === 0 });
      const state = State.random(mechanism, seed + 1);
      state.time = 3;
      const qdd = randomVector(seed + 2, mechanism.nv);
      const body = random.below(mechanism.bodies.length);
      const top = mechanism.bodies[body].name;
      const oldTop = topOf(mechanism, body);
      const at: Vec3 = [random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)];
      for (let b = body; b !== oldTop; b = mechanism.joints[b].parent) inverted.add(mechanism.joints[b].type);
      const before = { mechanism, state };
      const label = `seed ${seed}, top ${top}, base ${base}`;

      // A floating joint holds everything: velocities and accelerations as well.
      const there = reroot(mechanism, state, { top, at, joint: 'floating', accelerations: qdd });
      expect(there.state.time, label).toBe(3);
      expectSame(there, before);
      expect(
        worst(
          bodyAccelerations(there.mechanism, there.state, there.accelerations!),
          bodyAccelerations(mechanism, state, qdd),
        ),
        label,
      ).toBeLessThan(1e-10);

      // Back by the old joint, at the place where it is now. Its translation stays in the tree transform (errata 001-9).
      const old = mechanism.joints[oldTop];
      const back = reroot(there.mechanism, there.state, {
        top: mechanism.bodies[oldTop].name,
        at: originOf(mechanism, state, oldTop),
        joint: kindInGround(old),
        accelerations: there.accelerations!,
      });
      expectSame(back, before);
      expect(difference(back, atItsPlace(before, oldTop)), label).toBeLessThan(1e-12);
      expect(worst(byJoint(back.mechanism, back.accelerations!), byJoint(mechanism, qdd)), label).toBeLessThan(1e-12);

      // Forward dynamics is the same only if nothing is lost with the old joint: it must have been a floating one.
      if (base === 'floating') {
        const forward = (m: Mechanism, s: State): number[] => bodyAccelerations(m, s, new PlainDynamics(m).forward(s));
        expect(worst(forward(there.mechanism, there.state), forward(mechanism, state)), label).toBeLessThan(1e-9);
      }

      // Any type of top joint, with what it cannot hold in the tree transform, at rest.
      const still = state.clone();
      still.v.fill(0);
      const type = ALL_JOINT_TYPES[seed % ALL_JOINT_TYPES.length];
      const kind = { type, axis: random.direction(), axis2: random.direction(), pitch: 0.2 };
      const other = reroot(mechanism, still, { top, at, joint: kind, pose: 'tree' });
      expectSame(other, { mechanism, state: still });
      expect(worst(originOf(other.mechanism, other.state, body), at), label).toBeLessThan(1e-12);
      tops.add(type);
    }
    expect([...tops].sort()).toEqual([...ALL_JOINT_TYPES].sort());
    if (TREES >= 500) expect([...inverted].sort()).toEqual([...ALL_JOINT_TYPES].sort());
  });
});

/** Numbers of all joints in the order of the bodies. */
function byJoint({ joints }: Mechanism, x: Float64Array): number[] {
  return joints.flatMap(({ iv, model }) => [...x.subarray(iv, iv + model.nv)]);
}

/** The original with the translation of its top joint moved into the tree transform, which is what comes back. */
function atItsPlace({ mechanism, state }: { mechanism: Mechanism; state: State }, top: number) {
  const joint = mechanism.joints[top];
  const moved = state.clone();
  const at = joint.model.name;
  if (at === 'floating') moved.q.fill(0, joint.iq + 4, joint.iq + 7);
  if (at === 'planar') moved.q.fill(0, joint.iq, joint.iq + 2);
  if (at === 'cylindrical') moved.q[joint.iq + 1] = 0;
  if (at === 'prismatic') moved.q[joint.iq] = 0;
  if (at === 'helical') return { mechanism, state: moved };
  const t = originOf(mechanism, state, top);
  const joints = mechanism.joints.map((other, i) => (i === top ? { ...other, t } : other));
  return { mechanism: { ...mechanism, joints } as unknown as Mechanism, state: moved };
}

describe('the rewritten mechanism', () => {
  const branched = (): Mechanism =>
    randomMechanism(7, { bodies: 12, base: 'floating', types: ['revolute', 'spherical'] });

  it('shares every body and joint that did not change, and leaves the old one as it was', () => {
    const mechanism = createMechanism(randomSpec(11, { bodies: 40, base: 'floating' }));
    const state = State.random(mechanism, 1);
    const before = JSON.stringify([mechanism.joints, mechanism.bodies, [...state.q], [...state.v]]);
    const next = reroot(mechanism, state, { top: 'b20', at: [0, 0, 1], joint: 'floating' }).mechanism;
    const chain = new Set<number>();
    for (let b = 20; b !== GROUND; b = mechanism.joints[b].parent) chain.add(b);
    mechanism.joints.forEach((joint, i) => {
      const touched = chain.has(i) || chain.has(joint.parent);
      if (!touched) expect(next.joints[i]).toBe(joint);
      if (!chain.has(i)) expect(next.bodies[i]).toBe(mechanism.bodies[i]);
      else expect(next.bodies[i].inertia).toBe(mechanism.bodies[i].inertia);
    });
    expect(chain.size).toBeLessThan(30);
    expect(JSON.stringify([mechanism.joints, mechanism.bodies, [...state.q], [...state.v]])).toBe(before);
  });

  it('passes all checks of a mechanism, and is the same when made again from its plain data', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const mechanism = randomMechanism(seed, { bodies: 8, forest: true });
      const state = State.random(mechanism, seed);
      const top = `b${seed % 8}`;
      const { mechanism: next } = reroot(mechanism, state, { top, at: [1, 2, 3], joint: 'floating' });
      const again = createMechanism(mechanismSpec(next));
      expect(again.joints.map(({ name, parent, t }) => [name, parent, t])).toEqual(
        next.joints.map(({ name, parent, t }) => [name, parent, t]),
      );
      expect([next.nq, next.nv]).toEqual([again.nq, again.nv]);
      // Every number of q and v belongs to one joint.
      const owned = next.joints.flatMap(({ iq, model }) => Array.from({ length: model.nq }, (_, k) => iq + k));
      expect(owned.sort((a, b) => a - b)).toEqual(Array.from({ length: next.nq }, (_, k) => k));
      for (const { name } of next.joints) expect(next.joints[next.jointIndex(name)].name).toBe(name);
    }
  });

  it('many times in a row: a thousand re-rootings leave the physics as it was', () => {
    const mechanism = branched();
    const state = State.random(mechanism, 5);
    let now = { mechanism, state };
    const random = new Random(3);
    for (let k = 0; k < 1000; k++) {
      const at: Vec3 = [random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)];
      now = reroot(now.mechanism, now.state, { top: `b${random.below(12)}`, at, joint: 'floating' });
    }
    expectSame(now, { mechanism, state });
  });

  it('limits and springs change their sign with the coordinate', () => {
    const [a, b, c] = row().joints;
    const hinge = { ...b, limits: { lower: -0.2, upper: 1, effort: 5 }, stiffness: 3, rest: 0.4, damping: 0.1 };
    const mechanism = createMechanism(row({ joints: [a, hinge, c] }));
    const state = new State(mechanism).set('jb', 0.3, 0.5);
    const next = reroot(mechanism, state, { top: 'c', at: [1, 0, 0], joint: 'floating' });
    const joint = next.mechanism.joints[next.mechanism.jointIndex('jb')];
    expect(next.mechanism.bodies[next.mechanism.jointIndex('jb')].name).toBe('a');
    expect(joint).toMatchObject({
      limits: { lower: -1, upper: 0.2, effort: 5 },
      stiffness: 3,
      rest: -0.4,
      damping: 0.1,
    });
    expect(next.state.q[joint.iq]).toBe(-0.3);
    const spring = (m: Mechanism, s: State): number => new PlainDynamics(m).energy(s).potential;
    expect(spring(next.mechanism, next.state)).toBeCloseTo(spring(mechanism, state), 12);
  });

  it('couplings go on to hold', () => {
    const spec = row({ couplings: [{ joint: 'jc', source: 'jb', multiplier: -0.5, offset: 0.1 }] });
    const [a, ...others] = spec.joints;
    const mechanism = createMechanism({ ...spec, joints: [{ ...a, type: 'floating' }, ...others] });
    const state = State.random(mechanism, 3);
    for (const top of ['a', 'b', 'c']) {
      const next = reroot(mechanism, state, { top, at: [0.1, 0.2, 0.3], joint: 'floating' });
      const followed = next.state.clone().applyCouplings();
      expect(worst(followed.q, next.state.q)).toBeLessThan(1e-15);
      expect(worst(followed.v, next.state.v)).toBeLessThan(1e-15);
      const forward = (m: Mechanism, s: State): number[] => bodyAccelerations(m, s, new PlainDynamics(m).forward(s));
      expect(worst(forward(next.mechanism, next.state), forward(mechanism, state))).toBeLessThan(1e-11);
    }
  });

  it('frames, shapes and loop joints stay where they are', () => {
    const t: Vec3 = [0.1, 0.2, 0.3];
    const sphere = { geometry: { kind: 'sphere' as const, radius: 0.1 }, E: [1, 0, 0, 0, 1, 0, 0, 0, 1] as Mat3, t };
    const plain = row();
    const mechanism = createMechanism({
      ...plain,
      bodies: plain.bodies.map((body) => ({ ...body, visuals: [sphere], collisions: [sphere] })),
      frames: ['a', 'b', 'c'].map((body) => ({ name: `on ${body}`, body, t })),
      loops: [{ name: 'rope', type: 'spherical', a: { body: 'a', t }, b: { body: null, t } }],
    });
    const state = State.random(mechanism, 8);
    const places = (m: Mechanism, s: State): number[] => {
      const poses = new PlainDynamics(m).poses(s);
      const inGround = (body: number, point: Vec3): number[] => {
        const P = poses.subarray(TRANSFORM * body, TRANSFORM * (body + 1));
        const turned = apply(transpose(Array.from(P.subarray(0, 9)) as unknown as Mat3), point);
        return turned.map((x, k) => x + P[9 + k]);
      };
      return [
        ...m.frames.flatMap((frame) => inGround(frame.body, frame.t)),
        ...m.bodies.flatMap((body, b) =>
          [...body.visuals, ...body.collisions].flatMap((shape) => inGround(b, shape.t)),
        ),
        ...m.loops.flatMap(({ a, b }) => [...inGround(a.body, a.t), ...b.t]),
      ];
    };
    const next = reroot(mechanism, state, { top: 'c', at: [1, 1, 1], joint: 'floating' });
    expect(worst(places(next.mechanism, next.state), places(mechanism, state))).toBeLessThan(1e-14);
  });

  it('the old top body again, by another joint at another point', () => {
    const mechanism = branched();
    const state = State.random(mechanism, 2);
    expectSame(reroot(mechanism, state, { top: 'b0', at: [3, 2, 1], joint: 'floating' }), { mechanism, state });
  });

  it('a joint that is held exactly needs nothing in the tree transform: the compass biped on its other foot', () => {
    const mechanism = compass();
    const state = new State(mechanism).set('support', -0.3, 0).set('hip', 0.5, 0);
    const foot = originOf(mechanism, state, 1).map((x, k) => x + [Math.sin(0.2), 0, -Math.cos(0.2)][k]);
    const joint = { type: 'revolute' as const, axis: [0, -1, 0] as Vec3 };
    const next = reroot(mechanism, state, { top: 'swing_leg', at: foot as unknown as Vec3, joint });
    expectSame(next, { mechanism, state });
    const coordinate = (name: string): number =>
      next.state.q[next.mechanism.joints[next.mechanism.jointIndex(name)].iq];
    // Role swap: q_st+ = q_st + q_sw, q_sw+ = -q_sw.
    expect(coordinate('support')).toBeCloseTo(0.2, 15);
    expect(coordinate('hip')).toBe(-0.5);
    expect(next.mechanism.joints[1].E).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1]);
  });
});

describe('refuses', () => {
  const mechanism = randomMechanism(7, { bodies: 6, base: 'floating', types: ['spherical'] });
  const state = State.random(mechanism, 1);
  const still = state.clone();
  still.v.fill(0);
  const good = { top: 'b3', at: [0, 0, 0] as Vec3, joint: 'floating' as const };

  it.each([
    ['an unknown body', { top: 'nobody' }, 'There is no body "nobody". There are: b0'],
    [
      'a point that is none',
      { at: [0, Number.NaN, 0] },
      'The point of the new joint must be three finite numbers, got 0, NaN, 0.',
    ],
    ['a point of two numbers', { at: [0, 1] }, 'three finite numbers, got 0, 1'],
    ['an unknown joint type', { joint: 'rubber' }, 'There is no joint type "rubber"; take one of fixed, revolute'],
    [
      'an axis of no direction',
      { joint: { type: 'revolute', axis: [0, 0, 0] } },
      'The axis must be three finite numbers, not all zero',
    ],
    ['parallel axes', { joint: { type: 'universal', axis: [0, 0, 1], axis2: [0, 0, 2] } }, 'must not be parallel'],
    ['a pitch that is none', { joint: { type: 'helical', pitch: Number.NaN } }, 'The pitch must be a finite number'],
    ['a pose that the joint cannot hold', { joint: 'revolute' }, 'A revolute joint cannot hold its orientation'],
    ['a velocity that it cannot hold', { joint: 'spherical' }, 'A spherical joint at 0, 0, 0 cannot hold its velocity'],
    ['accelerations of another mechanism', { accelerations: new Float64Array(3) }, 'Expected 21 numbers, got 3.'],
  ])('%s', (_what, change, message) => {
    // biome-ignore lint/suspicious/noExplicitAny: wrong on purpose
    expect(refusal(() => reroot(mechanism, state, { ...good, ...(change as any) })).message).toContain(message);
  });

  it('a state of another mechanism', () => {
    const other = State.random(randomMechanism(3, { bodies: 2 }), 1);
    expect(refusal(() => reroot(mechanism, other, good)).message).toContain('does not belong to "random-7"');
  });

  it('by each type, exactly what that type cannot hold', () => {
    for (const joint of [
      'fixed',
      'prismatic',
      'revolute',
      'continuous',
      'helical',
      'cylindrical',
      'universal',
      'planar',
    ] as const) {
      expect(refusal(() => reroot(mechanism, still, { ...good, joint })).problems[0].code).toBe('pose');
      expectSame(reroot(mechanism, still, { ...good, joint, pose: 'tree' }), { mechanism, state: still });
    }
    for (const joint of ['spherical', 'floating'] as const)
      expectSame(reroot(mechanism, still, { ...good, joint }), { mechanism, state: still });
  });

  it('a velocity only as long as it is not to be dropped', () => {
    const next = reroot(mechanism, state, { ...good, joint: 'spherical', velocity: 'drop' });
    const at = new PlainDynamics(next.mechanism).velocities(next.state).subarray(6 * 3 + 3, 6 * 3 + 6);
    expect([...at]).toEqual([0, 0, 0]);
  });

  it('friction and damping that the inverted joint could not have', () => {
    const [a, b, c] = row().joints;
    const withJoint = (change: object): Mechanism => createMechanism(row({ joints: [a, { ...b, ...change }, c] }));
    const refused = (change: object): string => {
      const m = withJoint(change);
      return refusal(() => reroot(m, new State(m), { top: 'c', at: [0, 0, 0], joint: 'floating' })).message;
    };
    expect(refused({ type: 'planar', damping: 1 })).toContain(
      'joint "jb": A planar joint with damping has no counterpart',
    );
    expect(refused({ type: 'floating', armature: 1 })).toContain('with armature');
    expect(refused({ type: 'spherical', friction: 1 })).toContain('with friction');
    const fine = withJoint({ type: 'spherical', damping: 1, armature: 0.1 });
    expect(() => reroot(fine, new State(fine), { top: 'c', at: [0, 0, 0], joint: 'floating' })).not.toThrow();
  });

  it('a massless body at the end of the tree', () => {
    const [, b, c] = row().bodies;
    const m = createMechanism(row({ bodies: [{ name: 'a' }, b, c] }));
    expect(refusal(() => reroot(m, new State(m), { top: 'c', at: [0, 0, 0], joint: 'floating' })).message).toContain(
      'body "a": It would hang by joint "jb" at the end of the tree',
    );
  });

  it('a coupling with the joint that disappears', () => {
    const m = createMechanism(row({ couplings: [{ joint: 'jb', source: 'ja' }] }));
    expect(refusal(() => reroot(m, new State(m), { top: 'c', at: [0, 0, 0], joint: 'floating' })).message).toContain(
      'joint "ja": It would disappear, but is coupled',
    );
  });
});

describe('in place', () => {
  it('is the same as making new mechanisms, again and again, with top joints of all types', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const random = new Random(seed);
      const mechanism = randomMechanism(seed, { bodies: 9, forest: seed % 2 === 0, shuffled: seed % 3 === 0 });
      const state = State.random(mechanism, seed);
      state.v.fill(0);
      state.time = 2;
      let fresh = { mechanism, state };
      const inPlace = new RerootableMechanism(mechanism, state);
      for (let k = 0; k < 12; k++) {
        const options = {
          top: `b${random.below(9)}`,
          at: [random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)] as Vec3,
          joint: { type: random.pick(ALL_JOINT_TYPES), axis: random.direction(), axis2: random.direction() },
          pose: 'tree' as const,
        };
        fresh = reroot(fresh.mechanism, fresh.state, options);
        inPlace.reroot(options);
        expect(inPlace.jointOf(options.top).type).toBe(options.joint.type);
      }
      const now = inPlace.snapshot();
      expect(now.state.time).toBe(2);
      expect([now.mechanism.nq, now.mechanism.nv]).toEqual([fresh.mechanism.nq, fresh.mechanism.nv]);
      expect(difference(now, fresh), `seed ${seed}`).toBe(0);
      expectSame(now, { mechanism, state });
    }
  });

  it('frames, loops and couplings too; the mechanism it was made from stays as it was', () => {
    const spec = row({ couplings: [{ joint: 'jc', source: 'jb', multiplier: -0.5, offset: 0.1 }] });
    const mechanism = createMechanism({
      ...spec,
      frames: [{ name: 'tip', body: 'c', t: [0.1, 0, 0] }],
      loops: [{ name: 'rope', type: 'spherical', a: { body: 'b' }, b: { body: null } }],
    });
    const state = State.random(mechanism, 3);
    state.v.fill(0);
    const before = JSON.stringify([mechanism, [...state.q]]);
    const options = { top: 'c', at: [1, 2, 3] as Vec3, joint: 'floating' as const };
    const inPlace = new RerootableMechanism(mechanism, state);
    inPlace.reroot(options);
    const [now, fresh] = [inPlace.snapshot().mechanism, reroot(mechanism, state, options).mechanism];
    expect([now.frames, now.loops, now.couplings]).toEqual([fresh.frames, fresh.loops, fresh.couplings]);
    expect(JSON.stringify([mechanism, [...state.q]])).toBe(before);
  });

  it('what is refused changes nothing', () => {
    const mechanism = randomMechanism(7, { bodies: 6, base: 'floating', types: ['spherical'] });
    const state = State.random(mechanism, 1);
    const inPlace = new RerootableMechanism(mechanism, state);
    for (const joint of ['revolute', 'spherical'] as const)
      expect(refusal(() => inPlace.reroot({ top: 'b3', at: [0, 0, 0], joint })).problems).toHaveLength(1);
    expect(difference(inPlace.snapshot(), { mechanism, state })).toBe(0);
  });
});

it('velocities that were re-rooted are those of positions that were re-rooted, to the order of the differentiation', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const mechanism = randomMechanism(seed, { bodies: 6, base: 'floating' });
    const state = State.random(mechanism, seed);
    const options = { top: 'b5', at: [0.1, 0.2, 0.3] as Vec3, joint: 'floating' as const };
    const at = (time: number): { mechanism: Mechanism; state: State } => {
      const moved = state.clone();
      for (const { model, iq, iv } of mechanism.joints) model.integrate(moved.q, iq, state.v, iv, time);
      return reroot(mechanism, moved, options);
    };
    const now = at(0);
    const error = (h: number): number => {
      const [before, after] = [at(-h), at(h)];
      let largest = 0;
      now.mechanism.joints.forEach(({ model, iq, iv, parent }) => {
        // The top joint has its translation in the tree transform: it is no function of its position.
        if (parent === GROUND) return;
        const rate = new Float64Array(6);
        model.difference(rate, 0, before.state.q, iq, after.state.q, iq);
        for (let k = 0; k < model.nv; k++)
          largest = Math.max(largest, Math.abs(rate[k] / (2 * h) - now.state.v[iv + k]));
      });
      return largest;
    };
    expect(error(1e-3), `seed ${seed}`).toBeLessThan(1e-5);
    // Second order: a tenth of the step, a hundredth of the error, down to rounding.
    expect(error(1e-4), `seed ${seed}`).toBeLessThan(Math.max(1e-10, error(1e-3) / 50));
  }
});
