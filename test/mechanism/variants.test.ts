import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { mechanismSpec, withBase, withoutCouplings } from '../../src/mechanism/variants.js';
import { BUILTIN_MODELS, builtinMechanism } from '../../src/models/index.js';
import { randomMechanism, randomSpec } from '../support/random-mechanism.js';
import { body, hinge, row } from './support.js';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

/** All that a mechanism says. */
const plain = ({ name, gravity, bodies, joints, loops, frames, couplings, warnings, nq, nv }: Mechanism) => ({
  ...{ name, gravity, bodies, joints, loops, frames, couplings, warnings, nq, nv },
});

describe('mechanismSpec', () => {
  it('makes the same mechanism again, to the last bit', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        // Numbers that files round: they are made exact once, and stay so.
        const spec = randomSpec(seed, { armature: true, forest: true, shuffled: true });
        const joints = spec.joints.map((joint) => ({
          ...joint,
          axis: joint.axis!.map((x) => 3 * x) as unknown as typeof joint.axis & object,
          E: joint.E!.map((e) => Number(e.toFixed(6))) as unknown as typeof joint.E & object,
        }));
        const mechanism = createMechanism({ ...spec, joints });
        expect(plain(createMechanism(mechanismSpec(mechanism)))).toEqual(plain(mechanism));
      }),
      { numRuns: 300 },
    );
  });

  it('keeps loops, frames, couplings and everything about joints', () => {
    const mechanism = createMechanism(
      row({
        gravity: [1, 2, 3],
        joints: [
          hinge('a', null, { damping: 1, friction: 2, armature: 3, stiffness: 4, rest: 5, limits: { lower: -1 } }),
          hinge('b', 'a', { E: [0, 1, 0, -1, 0, 0, 0, 0, 1], t: [1, 2, 3] }),
          hinge('c', 'b', { type: 'helical', pitch: 0.1 }),
        ],
        loops: [{ name: 'l', type: 'universal', a: { body: null, t: [1, 0, 0] }, b: { body: 'c' } }],
        frames: [{ name: 'f', body: 'b', t: [0, 1, 0] }],
        couplings: [
          { joint: 'jc', source: 'jb', multiplier: 3, offset: 4 },
          { joint: 'jb', source: 'ja', multiplier: 2, offset: 1 },
        ],
      }),
    );
    expect(plain(createMechanism(mechanismSpec(mechanism)))).toEqual(plain(mechanism));
  });

  it.each(BUILTIN_MODELS)('works for $example', ({ example }) => {
    const mechanism = builtinMechanism(example);
    expect(plain(createMechanism(mechanismSpec(mechanism)))).toEqual(plain(mechanism));
  });
});

describe('withBase', () => {
  it('welds a free root: same accelerations as with a base that cannot move', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const mechanism = randomMechanism(seed, { base: 'floating', bodies: 6 });
        const welded = withBase(mechanism, 'fixed');
        expect(welded.joints.map(({ type, parent }) => (parent < 0 ? 'fixed' : type))).toEqual(
          welded.joints.map(({ type }) => type),
        );
        expect(welded.nv).toBe(mechanism.nv - 6);
        // At rest in the neutral pose the welded mechanism stands where the joint's frame is.
        const free = new PlainDynamics(mechanism).poses(new State(mechanism));
        const tied = new PlainDynamics(welded).poses(new State(welded));
        expect([...tied]).toEqual([...free]);
      }),
      { numRuns: 50 },
    );
  });

  it('frees a fixed root: it falls freely, all of it', () => {
    const free = withBase(createMechanism(row({ gravity: [0, 0, -10] })), 'floating');
    expect(free.joints.map(({ type }) => type)).toEqual(['floating', 'revolute', 'revolute']);
    const qdd = new PlainDynamics(free).forward(new State(free));
    [0, 0, 0, 0, 0, -10, 0, 0].forEach((a, k) => {
      expect(qdd[k]).toBeCloseTo(a, 12);
    });
  });

  it('changes every root of a forest, and no other joint', () => {
    const mechanism = createMechanism({
      bodies: ['a', 'b', 'c', 'd'].map((name) => body(name)),
      joints: [
        hinge('a', null, { t: [1, 2, 3], damping: 1 }),
        hinge('b', 'a', { damping: 2 }),
        hinge('c', null, { type: 'floating', damping: 3 }),
        hinge('d', 'c', { type: 'fixed' }),
      ],
    });
    const free = withBase(mechanism, 'floating');
    expect(free.joints.map(({ name, type, damping, t }) => [name, type, damping, t])).toEqual([
      ['ja', 'floating', 0, [1, 2, 3]],
      ['jb', 'revolute', 2, [0, 0, 0]],
      ['jc', 'floating', 3, [0, 0, 0]],
      ['jd', 'fixed', 0, [0, 0, 0]],
    ]);
    expect(withBase(mechanism, 'fixed').nv).toBe(1);
  });

  it('drops couplings to joints that are gone, keeps the others', () => {
    const couplings = [
      { joint: 'jb', source: 'ja' },
      { joint: 'jd', source: 'jc', multiplier: 2 },
    ];
    const names = ['a', 'b', 'c', 'd'];
    const mechanism = createMechanism({
      bodies: names.map((name) => body(name)),
      joints: names.map((name, i) => hinge(name, i === 0 ? null : names[i - 1])),
      couplings,
    });
    expect(withBase(mechanism, 'floating').couplings).toEqual([{ joint: 3, source: 2, multiplier: 2, offset: 0 }]);
  });

  it('keeps warnings, and impossible inertias that were let pass', () => {
    const bodies = [body('a'), body('b', { inertia: [1, 0, 0, 0, 1, 0, 0, 0, 3] }), body('c')];
    const mechanism = createMechanism(row({ bodies }), { inertia: 'warn' });
    const free = withBase(mechanism, 'floating');
    expect(free.warnings).toEqual(mechanism.warnings);
    expect(free.warnings).toHaveLength(1);
    expect(free.bodies).toEqual(mechanism.bodies);
  });
});

describe('withoutCouplings', () => {
  it('makes coupled joints independent, and changes nothing else', () => {
    const mechanism = createMechanism(row({ couplings: [{ joint: 'jc', source: 'ja' }] }));
    const free = withoutCouplings(mechanism);
    expect(free.couplings).toEqual([]);
    expect(plain(free)).toEqual({ ...plain(mechanism), couplings: [] });
    expect(withoutCouplings(free)).toBe(free);
  });
});
