import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { formatDescription, parseDescription } from '../../src/formats/index.js';
import { MechanismBuilder } from '../../src/mechanism/builder.js';
import { createMechanism } from '../../src/mechanism/create.js';
import { GROUND, type Mechanism } from '../../src/mechanism/mechanism.js';
import { Random } from '../../src/mechanism/random.js';
import type { MechanismSpec } from '../../src/mechanism/spec.js';
import { State } from '../../src/mechanism/state.js';
import { type Mat3, rotationAbout, rotationFromQuaternion, transpose } from '../../src/spatial/matrix3.js';
import { BALL, body, hinge, refusal, row } from './support.js';

/** A mechanism with a bit of everything, from arrays that may still be written to. */
function everything() {
  const R = [...rotationFromQuaternion(new Random(4).quaternion())];
  const shape = { geometry: { kind: 'box', size: [1, 2, 3] }, E: [...R], t: [1, 2, 3], color: [1, 0, 0, 1] };
  return {
    name: 'everything',
    gravity: [1, 2, -9],
    bodies: [
      { ...body('a'), com: [0.1, 0.2, 0.3], inertia: [...BALL], visuals: [shape], collisions: [shape] },
      body('b'),
      body('c'),
    ],
    joints: [
      hinge('a', null, { type: 'universal', axis: [1, 0, 0], axis2: [0, 1, 0], t: [0, 0, 1] }),
      { ...hinge('b', 'a'), E: [...R], t: [1, 0, 0], limits: { lower: -1, upper: 1 } },
      hinge('c', 'b', { stiffness: 2, rest: 0.5, damping: 0.1, friction: 0.2, armature: 0.3 }),
    ],
    loops: [
      {
        name: 'closing',
        type: 'revolute',
        axis: [0, 3, 4],
        a: { body: 'c', E: [...R], t: [0.1, 0, 0] },
        b: { body: null, t: [0, 0.2, 0] },
      },
    ],
    frames: [{ name: 'tool', body: 'c', E: [...R], t: [0, 0, 0.3] }],
    couplings: [{ joint: 'jc', source: 'jb', multiplier: 2, offset: 0.1 }],
  };
}

const create = (spec: unknown): Mechanism => createMechanism(spec as MechanismSpec);

describe('loop joints', () => {
  it('are kept with both frames', () => {
    const { loops } = create(everything());
    expect(loops).toHaveLength(1);
    const [{ name, type, axis, a, b }] = loops;
    expect([name, type, axis]).toEqual(['closing', 'revolute', [0, 3 * (1 / 5), 4 * (1 / 5)]]);
    expect([a.body, a.t]).toEqual([2, [0.1, 0, 0]]);
    expect([b.body, b.E, b.t]).toEqual([GROUND, [1, 0, 0, 0, 1, 0, 0, 0, 1], [0, 0.2, 0]]);
  });

  it('are described, and read back', () => {
    const mechanism = create(everything());
    const text = JSON.stringify(formatDescription(mechanism));
    expect(JSON.parse(text).loops).toMatchObject([
      { name: 'closing', joint: { type: 'revolute' }, a: { body: 'c', t: [0.1, 0, 0] }, b: { body: null } },
    ]);
    const again = parseDescription(text).mechanism;
    expect(again.loops).toEqual(mechanism.loops);
  });

  it('do not count as degrees of freedom, and go together with coupled joints', () => {
    const mechanism = create(everything());
    expect(mechanism.nv).toBe(4);
    const dynamics = new PlainDynamics(mechanism);
    const state = new State(mechanism);
    expect(dynamics.forward(state).every(Number.isFinite)).toBe(true);
    expect(dynamics.massMatrix(state).n).toBe(3);
  });
});

describe('a mechanism', () => {
  it('does not change when the data change that it was made from', () => {
    const spec = everything();
    const mechanism = create(spec);
    const before = JSON.stringify(mechanism);
    const scramble = (value: object): void => {
      for (const [key, inner] of Object.entries(value)) {
        if (typeof inner === 'number') (value as Record<string, number>)[key] = 77;
        else if (typeof inner === 'object' && inner !== null) scramble(inner);
      }
    };
    for (const part of [spec.gravity, spec.joints, spec.loops, spec.frames, spec.couplings]) scramble(part);
    // The other bodies are made of constants of these tests.
    scramble(spec.bodies[0]);
    spec.bodies.pop();
    spec.joints.pop();
    expect(JSON.stringify(mechanism)).toBe(before);
  });

  it('does not change when the state of a simulation does', () => {
    const mechanism = create(everything());
    const before = JSON.stringify(mechanism);
    const state = State.random(mechanism, 1);
    state.q.fill(9);
    new PlainDynamics(mechanism).massMatrix(state).H.fill(5);
    expect(JSON.stringify(mechanism)).toBe(before);
  });

  it('is shared by many PlainDynamics without one disturbing another', () => {
    const mechanism = createMechanism(row());
    const [state, other] = [State.random(mechanism, 1), State.random(mechanism, 2)];
    const alone = new PlainDynamics(mechanism).forward(state);
    const [first, second] = [new PlainDynamics(mechanism), new PlainDynamics(mechanism)];
    first.forward(other);
    second.forward(other);
    expect(first.forward(state)).toEqual(alone);
    expect(second.forward(state)).toEqual(alone);
  });

  it('finds bodies and joints by name, and lists what there is', () => {
    const mechanism = create(everything());
    expect(['a', 'b', 'c'].map((name) => mechanism.bodyIndex(name))).toEqual([0, 1, 2]);
    expect(mechanism.jointIndex('jc')).toBe(2);
    expect([mechanism.hasBody('a'), mechanism.hasBody('ja')]).toEqual([true, false]);
    expect([mechanism.hasJoint('ja'), mechanism.hasJoint('a')]).toEqual([true, false]);
    expect(refusal(() => mechanism.bodyIndex('x')).message).toBe('There is no body "x". There are: a, b, c.');
    expect(refusal(() => mechanism.jointIndex('a')).problems[0].code).toBe('unknown-joint');
  });

  it('orders joints as the bodies they carry, whatever order they come in', () => {
    const { joints, bodies } = createMechanism(row({ joints: [...row().joints].reverse() }));
    expect(joints.map(({ name }) => name)).toEqual(bodies.map(({ name }) => `j${name}`));
    expect(joints.map(({ iq, iv }) => [iq, iv])).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
    ]);
  });

  it('fills in what is left out', () => {
    const mechanism = createMechanism({
      bodies: [{ name: 'a', mass: 1 }],
      joints: [hinge('a', null, { armature: 1 })],
    });
    expect(mechanism.name).toBe('mechanism');
    expect(mechanism.gravity).toEqual([0, 0, -9.81]);
    expect(mechanism.bodies[0]).toEqual({
      name: 'a',
      mass: 1,
      com: [0, 0, 0],
      inertia: [0, 0, 0, 0, 0, 0, 0, 0, 0],
      visuals: [],
      collisions: [],
    });
    expect(mechanism.joints[0]).toMatchObject({ axis: [0, 0, 1], E: [1, 0, 0, 0, 1, 0, 0, 0, 1], t: [0, 0, 0] });
  });
});

describe('MechanismBuilder', () => {
  it('builds what createMechanism makes of the same data', () => {
    const built = new MechanismBuilder('row')
      .link('a', { parent: null, joint: { type: 'revolute', name: 'ja' }, mass: 1, com: [0.1, 0, 0], inertia: BALL })
      .link('b', {
        parent: 'a',
        joint: { type: 'revolute', name: 'jb' },
        at: [0.5, 0, 0],
        mass: 1,
        com: [0.1, 0, 0],
        inertia: BALL,
      })
      .link('c', {
        parent: 'b',
        joint: { type: 'revolute', name: 'jc' },
        at: [0.5, 0, 0],
        mass: 1,
        com: [0.1, 0, 0],
        inertia: BALL,
      })
      .build();
    expect(built).toEqual(createMechanism(row()));
  });

  it('takes over gravity, loops, frames, couplings, and names joints after bodies', () => {
    const builder = new MechanismBuilder()
      .gravity([0, -1, 0])
      .link('a', { parent: null, joint: { type: 'revolute' }, mass: 1, com: [1, 0, 0] })
      .link('b', { parent: 'a', joint: { type: 'revolute', damping: 2 }, mass: 1, com: [1, 0, 0] })
      .loop({ name: 'l', type: 'spherical', a: { body: 'b' }, b: { body: null } })
      .frame({ name: 'f', body: 'b' })
      .couple({ joint: 'b', source: 'a', multiplier: -1 });
    const { name, gravity, joints, loops, frames, couplings } = builder.build();
    expect([name, gravity]).toEqual(['mechanism', [0, -1, 0]]);
    expect(joints.map((joint) => [joint.name, joint.damping])).toEqual([
      ['a', 0],
      ['b', 2],
    ]);
    expect([loops.length, frames.length]).toEqual([1, 1]);
    expect(couplings).toEqual([{ joint: 1, source: 0, multiplier: -1, offset: 0 }]);
  });

  it('turns joints by roll, pitch and yaw as URDF does', () => {
    const { joints } = new MechanismBuilder()
      .link('a', { parent: null, joint: { type: 'revolute' }, rpy: [0, 0, Math.PI / 2], mass: 1, com: [1, 0, 0] })
      .build();
    const expected: Mat3 = transpose(rotationAbout([0, 0, 1], Math.PI / 2));
    joints[0].E.forEach((e, k) => {
      expect(e).toBeCloseTo(expected[k], 15);
    });
  });

  it('can go on after a build, which does not touch what was built', () => {
    const builder = new MechanismBuilder().link('a', {
      parent: null,
      joint: { type: 'revolute' },
      mass: 1,
      com: [1, 0, 0],
    });
    const [one, spec] = [builder.build(), builder.spec()];
    const two = builder.link('b', { parent: 'a', joint: { type: 'fixed' } }).build();
    expect([one.bodies.length, spec.bodies.length, two.bodies.length]).toEqual([1, 1, 2]);
  });

  it('complains when it builds, about everything', () => {
    const builder = new MechanismBuilder('bad')
      .link('a', { parent: 'x', joint: { type: 'revolute' }, mass: -1 })
      .link('a', { parent: null, joint: { type: 'revolute', axis: [0, 0, 0] }, mass: 1 });
    const codes = refusal(() => builder.build()).problems.map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining(['negative-mass', 'unknown-parent', 'duplicate-name']));
  });
});
