// Every way in which a mechanism can make no sense, each tried, and all of them at once.

import { describe, expect, it } from 'vitest';
import { createMechanism } from '../../src/mechanism/create.js';
import type { BodySpec, CouplingSpec, JointSpec, MechanismSpec } from '../../src/mechanism/spec.js';
import {
  BALL,
  body,
  codesOf,
  expectProportional,
  hinge,
  problemsOf,
  refusal,
  row,
  rowWithBody,
  rowWithJoint,
} from './support.js';

const NAN = Number.NaN;

it('the row that all cases start from is fine', () => {
  const { bodies, joints, warnings, nq, nv } = createMechanism(row());
  expect([bodies.length, joints.length, nq, nv]).toEqual([3, 3, 3, 3]);
  expect(warnings).toEqual([]);
});

describe('names', () => {
  it.each<[string, Partial<MechanismSpec>, string[]]>([
    ['two bodies of one name', { bodies: [body('a'), body('b'), body('c'), body('b')] }, ['duplicate-name body "b"']],
    [
      'two joints of one name',
      { joints: [hinge('a', null), hinge('b', 'a'), hinge('c', 'b', { name: 'jb' })] },
      ['duplicate-name joint "jb"'],
    ],
    [
      'a loop joint with the name of a joint',
      { loops: [{ name: 'jb', type: 'spherical', a: { body: 'c' }, b: { body: null } }] },
      ['duplicate-name joint "jb"'],
    ],
    [
      'two frames of one name',
      {
        frames: [
          { name: 'tool', body: 'c' },
          { name: 'tool', body: 'b' },
        ],
      },
      ['duplicate-name frame "tool"'],
    ],
    ['no body at all', { bodies: [], joints: [] }, ['empty']],
  ])('%s', (_what, change, expected) => {
    expect(codesOf(row(change))).toEqual(expected);
  });

  it('a body without a name', () => {
    const spec = row({ bodies: [body('a'), body('b'), body('c'), body('')] });
    expect(codesOf(spec)).toContain('empty-name body 3');
  });

  it('names that objects are born with are names like any other', () => {
    const names = ['__proto__', 'constructor', 'toString'];
    const mechanism = createMechanism({
      bodies: names.map((name) => body(name)),
      joints: names.map((name, i) => hinge(name, i === 0 ? null : names[i - 1])),
    });
    expect(names.map((name) => mechanism.bodyIndex(name))).toEqual([0, 1, 2]);
    expect(mechanism.hasBody('valueOf')).toBe(false);
  });
});

describe('the tree', () => {
  it.each<[string, JointSpec[], string[]]>([
    ['an unknown parent', [hinge('a', null), hinge('b', 'x'), hinge('c', 'b')], ['unknown-parent joint "jb"']],
    [
      'an unknown child',
      [hinge('a', null), hinge('b', 'a'), hinge('c', 'b'), hinge('x', 'c')],
      ['unknown-child joint "jx"'],
    ],
    [
      'two parents and no loop',
      [hinge('a', null), hinge('b', 'a'), hinge('c', 'b'), hinge('c', 'a', { name: 'again' })],
      ['two-parents body "c"'],
    ],
    ['a body without joint', [hinge('a', null), hinge('b', 'a')], ['no-joint body "c"']],
    ['its own parent', [hinge('a', null), hinge('b', 'b'), hinge('c', 'a')], ['cycle joint "jb"']],
    ['a cycle', [hinge('a', null), hinge('b', 'c'), hinge('c', 'b')], ['cycle body "b"']],
    ['a cycle of everything', [hinge('a', 'c'), hinge('b', 'a'), hinge('c', 'b')], ['cycle body "a"']],
    [
      'an unknown type',
      [hinge('a', null), hinge('b', 'a', { type: 'rubber' as 'revolute' }), hinge('c', 'b')],
      ['unknown-joint-type joint "jb"'],
    ],
  ])('%s', (_what, joints, expected) => {
    expect(codesOf(row({ joints }))).toEqual(expected);
  });

  it('the message about a cycle shows the way round', () => {
    const [{ message }] = problemsOf(row({ joints: [hinge('a', 'c'), hinge('b', 'a'), hinge('c', 'b')] }));
    expect(message).toContain('a -> c -> b -> a');
  });

  it('two cycles are two problems', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const parents = ['b', 'a', 'd', 'c', 'a'];
    const spec = { bodies: names.map((name) => body(name)), joints: names.map((name, i) => hinge(name, parents[i])) };
    expect(codesOf(spec)).toEqual(['cycle body "a"', 'cycle body "c"']);
  });

  it('the message about two parents tells what to do', () => {
    const joints = [hinge('a', null), hinge('b', 'a'), hinge('c', 'b'), hinge('c', 'a', { name: 'again' })];
    const [{ message }] = problemsOf(row({ joints }));
    expect(message).toMatch(/"jc".*"again".*loop joint/);
  });

  it('many bodies that hang from nothing are refused in a time that grows with their number, not its square', () => {
    const refuse = (n: number): void => {
      const bodies = Array.from({ length: n }, (_, i) => body(`b${i}`));
      expect(problemsOf({ bodies, joints: [] })).toHaveLength(n);
    };
    expectProportional(refuse, 40_000);
  });
});

describe('bodies', () => {
  it.each<[string, Partial<BodySpec>, string[]]>([
    ['negative mass', { mass: -1 }, ['negative-mass body "b"']],
    ['mass NaN', { mass: NAN }, ['not-finite body "b"']],
    ['mass infinite', { mass: Number.POSITIVE_INFINITY }, ['not-finite body "b"']],
    ['com NaN', { com: [0, NAN, 0] }, ['not-finite body "b"']],
    ['inertia NaN', { inertia: [0.1, 0, 0, 0, 0.1, 0, 0, 0, NAN] }, ['not-finite body "b"']],
    ['a negative moment', { inertia: [0.1, 0, 0, 0, 0.1, 0, 0, 0, -0.1] }, ['not-positive-definite body "b"']],
    [
      'a negative moment off the axes',
      { inertia: [0.1, 0.2, 0, 0.2, 0.1, 0, 0, 0, 0.1] },
      ['not-positive-definite body "b"'],
    ],
    ['triangle inequality', { inertia: [1, 0, 0, 0, 1, 0, 0, 0, 2.1] }, ['triangle-inequality body "b"']],
    ['not symmetric', { inertia: [1, 0.1, 0, 0, 1, 0, 0, 0, 1] }, ['asymmetric body "b"']],
  ])('%s', (_what, change, expected) => {
    expect(codesOf(rowWithBody(change))).toEqual(expected);
  });

  it.each<[string, Partial<BodySpec>]>([
    ['a flat plate, on the border of the triangle inequality', { inertia: [1, 0, 0, 0, 1, 0, 0, 0, 2] }],
    ['a plate of a file with six digits', { inertia: [1.23457, 0, 0, 0, 1.23457, 0, 0, 0, 2.46914] }],
    ['a rod', { inertia: [0, 0, 0, 0, 1, 0, 0, 0, 1] }],
    ['a point', { inertia: [0, 0, 0, 0, 0, 0, 0, 0, 0] }],
    ['a mote of dust', { mass: 1e-12, inertia: [1e-30, 0, 0, 0, 1e-30, 0, 0, 0, 1e-30] }],
  ])('%s is possible', (_what, change) => {
    expect(createMechanism(rowWithBody(change)).warnings).toEqual([]);
  });
});

describe('a body that moves and has no mass', () => {
  const massless = { mass: 0, com: [0, 0, 0], inertia: [0, 0, 0, 0, 0, 0, 0, 0, 0] } as const;
  const leaf = (joint: Partial<JointSpec>): MechanismSpec => ({
    bodies: [body('a'), body('b'), body('c', massless)],
    joints: [hinge('a', null), hinge('b', 'a'), hinge('c', 'b', joint)],
  });

  it('is refused at the end of a branch', () => {
    expect(codesOf(leaf({}))).toEqual(['massless-leaf body "c"']);
    expect(codesOf(leaf({ type: 'floating' }))).toEqual(['massless-leaf body "c"']);
  });

  it('is fine if it does not move, or has an armature', () => {
    expect(createMechanism(leaf({ type: 'fixed' })).warnings).toEqual([]);
    expect(createMechanism(leaf({ armature: 0.1 })).warnings).toEqual([]);
  });

  it('is fine if what it carries has mass', () => {
    for (const type of ['fixed', 'prismatic'] as const) {
      const spec = leaf({});
      const joints = [...spec.joints, hinge('d', 'c', { type })];
      expect(createMechanism({ bodies: [...spec.bodies, body('d')], joints }).warnings).toEqual([]);
    }
  });

  it('is refused if what it carries has none either, all of them named', () => {
    const spec = leaf({});
    const more = [body('d', massless), body('e', massless)];
    const joints = [...spec.joints, hinge('d', 'c', { type: 'fixed' }), hinge('e', 'd')];
    const codes = codesOf({ bodies: [...spec.bodies, ...more], joints });
    expect(codes.sort()).toEqual(['massless-leaf body "c"', 'massless-leaf body "e"']);
  });

  it('with a rotational inertia passes with a warning', () => {
    const { warnings } = createMechanism(rowWithBody({ mass: 0 }));
    expect(warnings.map(({ code, where }) => [code, where])).toEqual([['inertia-without-mass', 'body "b"']]);
  });
});

describe('joints', () => {
  it.each<[string, Partial<JointSpec>, string[]]>([
    ['zero axis', { axis: [0, 0, 0] }, ['zero-axis joint "jb"']],
    ['axis NaN', { axis: [0, NAN, 0] }, ['not-finite joint "jb"']],
    ['parallel axes', { type: 'universal', axis: [1, 1, 0], axis2: [-2, -2, 0] }, ['parallel-axes joint "jb"']],
    ['pitch NaN', { type: 'helical', pitch: NAN }, ['not-finite joint "jb"']],
    ['E stretched', { E: [2, 0, 0, 0, 1, 0, 0, 0, 1] }, ['not-a-rotation joint "jb"']],
    ['E mirrored', { E: [1, 0, 0, 0, 1, 0, 0, 0, -1] }, ['not-a-rotation joint "jb"']],
    ['E zero', { E: [0, 0, 0, 0, 0, 0, 0, 0, 0] }, ['not-a-rotation joint "jb"']],
    ['E NaN', { E: [1, 0, 0, 0, NAN, 0, 0, 0, 1] }, ['not-finite joint "jb"']],
    ['t infinite', { t: [0, 0, Number.NEGATIVE_INFINITY] }, ['not-finite joint "jb"']],
    ['damping negative', { damping: -1 }, ['negative joint "jb"']],
    ['friction negative', { friction: -1 }, ['negative joint "jb"']],
    ['armature NaN', { armature: NAN }, ['not-finite joint "jb"']],
    ['stiffness negative', { stiffness: -1 }, ['negative joint "jb"']],
    ['rest NaN', { rest: NAN }, ['not-finite joint "jb"']],
    ['limits reversed', { limits: { lower: 1, upper: -1 } }, ['limits joint "jb"']],
    ['a limit NaN', { limits: { effort: NAN } }, ['not-finite joint "jb"']],
    ['a spring on a ball joint', { type: 'spherical', stiffness: 1 }, ['spring joint "jb"']],
  ])('%s', (_what, change, expected) => {
    expect(codesOf(rowWithJoint(change))).toEqual(expected);
  });

  it('second axis zero', () => {
    const spec = rowWithJoint({ type: 'universal', axis: [1, 1, 0], axis2: [0, 0, 0] });
    expect(codesOf(spec)).toContain('zero-axis joint "jb"');
  });

  it('axes of any length are made unit ones, rough rotations exact', () => {
    const { joints } = createMechanism(rowWithJoint({ axis: [3, 0, 4], E: [1, 1e-5, 0, -1e-5, 1, 0, 0, 0, 1] }));
    const { axis, E } = joints[1];
    expect(axis).toEqual([0.6000000000000001, 0, 0.8]);
    expect(E[0] ** 2 + E[1] ** 2).toBeCloseTo(1, 15);
  });

  it('infinite and equal limits are fine', () => {
    const { POSITIVE_INFINITY: far } = Number;
    expect(createMechanism(rowWithJoint({ limits: { lower: -far, upper: far } })).warnings).toEqual([]);
    expect(createMechanism(rowWithJoint({ limits: { lower: 1, upper: 1 } })).warnings).toEqual([]);
  });

  it('gravity NaN', () => {
    expect(codesOf(row({ gravity: [0, 0, NAN] }))).toEqual(['not-finite']);
  });
});

describe('couplings', () => {
  const coupled = (...couplings: CouplingSpec[]): MechanismSpec => row({ couplings });

  it.each<[string, MechanismSpec, string[]]>([
    ['unknown joint', coupled({ joint: 'x', source: 'ja' }), ['unknown-joint coupling of joint "x"']],
    ['unknown source', coupled({ joint: 'jb', source: 'x' }), ['unknown-joint coupling of joint "jb"']],
    [
      'not one degree of freedom',
      {
        ...rowWithJoint({ type: 'spherical' }),
        couplings: [
          { joint: 'jb', source: 'ja' },
          { joint: 'jc', source: 'jb' },
        ],
      },
      ['coupling coupling of joint "jb"', 'coupling coupling of joint "jc"'],
    ],
    [
      'two sources',
      coupled({ joint: 'jb', source: 'ja' }, { joint: 'jb', source: 'jc' }),
      ['coupling coupling of joint "jb"'],
    ],
    ['itself', coupled({ joint: 'jb', source: 'jb' }), ['coupling-cycle joint "jb"']],
    [
      'a cycle',
      coupled({ joint: 'ja', source: 'jb' }, { joint: 'jb', source: 'jc' }, { joint: 'jc', source: 'ja' }),
      ['coupling-cycle joint "ja"'],
    ],
    ['multiplier NaN', coupled({ joint: 'jb', source: 'ja', multiplier: NAN }), ['not-finite coupling of joint "jb"']],
  ])('%s', (_what, spec, expected) => {
    expect(codesOf(spec)).toEqual(expected);
  });

  it('chains of couplings are followed to the joint that is independent', () => {
    // c = 3 b + 4, b = 2 a + 1: c = 6 a + 7; in any order.
    const couplings = [
      { joint: 'jc', source: 'jb', multiplier: 3, offset: 4 },
      { joint: 'jb', source: 'ja', multiplier: 2, offset: 1 },
    ];
    for (const order of [couplings, [...couplings].reverse()]) {
      const found = [...createMechanism(row({ couplings: order })).couplings].sort((x, y) => x.joint - y.joint);
      expect(found).toEqual([
        { joint: 1, source: 0, multiplier: 2, offset: 1 },
        { joint: 2, source: 0, multiplier: 6, offset: 7 },
      ]);
    }
  });

  it('many couplings in a row, and in a circle, take a time that grows with their number, not its square', () => {
    const couple = (n: number): void => {
      const bodies = Array.from({ length: n }, (_, i) => body(`${i}`));
      const joints = bodies.map(({ name }) => hinge(name, null));
      const couplings = Array.from({ length: n - 1 }, (_, i) => ({ joint: `j${i + 1}`, source: `j${i}` }));
      const mechanism = createMechanism({ bodies, joints, couplings });
      expect(mechanism.couplings.every(({ source }) => source === 0)).toBe(true);
      const ring = [{ joint: 'j0', source: `j${n - 1}` }, ...couplings];
      expect(codesOf({ bodies, joints, couplings: ring }).length).toBeGreaterThan(0);
    };
    expectProportional(couple, 8000);
  });
});

describe('loops and frames', () => {
  const loop = { name: 'l', type: 'revolute', a: { body: 'a' }, b: { body: 'c' } } as const;

  it.each<[string, Partial<MechanismSpec>, string[]]>([
    ['a loop on an unknown body', { loops: [{ ...loop, b: { body: 'x' } }] }, ['unknown-body loop "l"']],
    [
      'a loop from the ground to an unknown body',
      { loops: [{ ...loop, a: { body: null }, b: { body: 'x' } }] },
      ['unknown-body loop "l"'],
    ],
    ['a loop on one body', { loops: [{ ...loop, b: { body: 'a' } }] }, ['loop-on-one-body loop "l"']],
    [
      'a loop on the ground alone',
      { loops: [{ ...loop, a: { body: null }, b: { body: null } }] },
      ['loop-on-one-body loop "l"'],
    ],
    ['a loop with a zero axis', { loops: [{ ...loop, axis: [0, 0, 0] }] }, ['zero-axis loop "l"']],
    ['a loop with a NaN', { loops: [{ ...loop, a: { body: 'a', t: [0, NAN, 0] } }] }, ['not-finite loop "l"']],
    [
      'a loop of an unknown type',
      { loops: [{ ...loop, type: 'rubber' as 'revolute' }] },
      ['unknown-joint-type loop "l"'],
    ],
    ['a frame on an unknown body', { frames: [{ name: 'f', body: 'x' }] }, ['unknown-body frame "f"']],
    [
      'a frame that is no rotation',
      { frames: [{ name: 'f', body: 'a', E: [1, 1, 0, 0, 1, 0, 0, 0, 1] }] },
      ['not-a-rotation frame "f"'],
    ],
  ])('%s', (_what, change, expected) => {
    expect(codesOf(row(change))).toEqual(expected);
  });
});

describe('all problems at once', () => {
  const everything: MechanismSpec = {
    name: 'wreck',
    gravity: [0, 0, NAN],
    bodies: [
      body('a', { mass: -1 }),
      body('a'),
      body('c', { inertia: [1, 0, 0, 0, 1, 0, 0, 0, 3] }),
      body('d', { inertia: [-1, 0, 0, 0, 1, 0, 0, 0, 1] }),
      body('e', { inertia: [1, 1, 0, 0, 1, 0, 0, 0, 1] }),
      body('f', { com: [NAN, 0, 0] }),
    ],
    joints: [
      hinge('a', 'nobody'),
      hinge('c', null, { axis: [0, 0, 0], limits: { lower: 1, upper: 0 } }),
      hinge('d', 'c', { E: [3, 0, 0, 0, 1, 0, 0, 0, 1], damping: -1 }),
      hinge('e', 'd', { type: 'universal', axis2: [0, 0, 1], name: 'jd' }),
      hinge('e', 'c', { name: 'second' }),
    ],
    loops: [{ name: 'l', type: 'revolute', a: { body: 'c' }, b: { body: 'nobody' } }],
    frames: [{ name: 'tool', body: 'nobody' }],
    couplings: [{ joint: 'jc', source: 'missing' }],
  };

  it('are in one error', () => {
    expect(codesOf(everything).sort()).toEqual(
      [
        'asymmetric body "e"',
        'duplicate-name body "a"',
        'duplicate-name joint "jd"',
        'limits joint "jc"',
        'negative joint "jd"',
        'negative-mass body "a"',
        'no-joint body "f"',
        'not-a-rotation joint "jd"',
        'not-finite body "f"',
        'not-finite',
        'not-positive-definite body "d"',
        'parallel-axes joint "jd"',
        'triangle-inequality body "c"',
        'two-parents body "e"',
        'unknown-body frame "tool"',
        'unknown-body loop "l"',
        'unknown-joint coupling of joint "jc"',
        'unknown-parent joint "ja"',
        'zero-axis joint "jc"',
      ].sort(),
    );
  });

  it('are in its message, with the name of the mechanism and a limit to its length', () => {
    const { message } = refusal(() => createMechanism(everything));
    expect(message).toMatch(/^The mechanism "wreck" is not valid: 19 problems\n/);
    expect(message.split('\n')).toHaveLength(20);
    const bodies = Array.from({ length: 1000 }, (_, i) => body(`${i}`, { mass: -1 }));
    const many = refusal(() => createMechanism({ bodies, joints: bodies.map(({ name }) => hinge(name, null)) }));
    expect(many.problems).toHaveLength(1000);
    expect(many.message).toContain('and 980 more');
    expect(many.message.split('\n').length).toBeLessThan(25);
  });

  it('include cycles and massless leaves', () => {
    const massless = { mass: 0, inertia: [0, 0, 0, 0, 0, 0, 0, 0, 0] } as const;
    const spec: MechanismSpec = {
      bodies: [body('a', { mass: -1 }), body('b'), body('c'), body('d', massless)],
      joints: [hinge('a', null, { damping: -1 }), hinge('b', 'c'), hinge('c', 'b'), hinge('d', 'a')],
    };
    expect(codesOf(spec).sort()).toEqual([
      'cycle body "b"',
      'massless-leaf body "d"',
      'negative joint "ja"',
      'negative-mass body "a"',
    ]);
  });

  it('say what to do, in one line each', () => {
    for (const { message } of problemsOf(everything)) expect(message).toMatch(/^[A-Z][^\n]*\.$/);
  });

  it('do not depend on the mode for inertias, but for inertias', () => {
    const spec = rowWithBody({ mass: -1, inertia: [1, 0, 0, 0, 1, 0, 0, 0, 3] });
    expect(codesOf(spec, { inertia: 'reject' })).toEqual(['negative-mass body "b"', 'triangle-inequality body "b"']);
    expect(codesOf(spec, { inertia: 'warn' })).toEqual(['negative-mass body "b"']);
    expect(codesOf(spec, { inertia: 'repair' })).toEqual(['negative-mass body "b"']);
    expect(createMechanism(rowWithBody({ inertia: BALL }), { inertia: 'repair' }).bodies[1].inertia).toEqual(BALL);
  });
});
