// The articulated-body algorithm with shared coordinates, against the dense method.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import { createMechanism } from '../../../src/mechanism/create.js';
import { State } from '../../../src/mechanism/state.js';
import { groupsOf, planColumns } from '../../../src/plan/columns.js';
import { randomCoupled } from '../../support/random-couplings.js';
import { ALL_JOINT_TYPES, randomSpec, randomVector, relativeError } from '../../support/random-mechanism.js';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

describe('coupled joints in O(n)', () => {
  it.each([
    ['all joint types', ALL_JOINT_TYPES],
    ['joints of one degree of freedom', ['revolute', 'continuous', 'prismatic', 'helical', 'fixed']],
  ] as const)('%s: agrees with the dense method', (_what, types) => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const mechanism = randomCoupled(seed, { types });
        const dynamics = new PlainDynamics(mechanism);
        const state = State.random(mechanism, seed + 1);
        const tau = randomVector(seed + 2, mechanism.nv, 3);
        const external = randomVector(seed + 3, 6 * mechanism.bodies.length, 2);
        const armature = randomVector(seed + 4, mechanism.nv).map(Math.abs);
        const expected = dynamics.forward(state, tau, { algorithm: 'dense', external, armature });
        // The condition number of the mass matrix is some thousands.
        expect(relativeError(dynamics.forward(state, tau, { external, armature }), expected)).toBeLessThan(1e-10);
      }),
      { numRuns: 200 },
    );
  });

  it('a chain of 4000 joints, every second one coupled to the one before it', () => {
    const spec = randomSpec(3, { types: ['revolute'], bodies: 4000, armature: true });
    const joints = spec.joints.map((joint, i) => ({ ...joint, parent: i === 0 ? null : `b${i - 1}` }));
    const couplings = Array.from({ length: 2000 }, (_, k) => ({
      joint: `j${2 * k + 1}`,
      source: `j${2 * k}`,
      multiplier: -0.5,
    }));
    const mechanism = createMechanism({ ...spec, joints, couplings });
    const dynamics = new PlainDynamics(mechanism);
    const state = State.random(mechanism, 1);
    state.v.fill(0);
    const tau = randomVector(5, mechanism.nv);
    const qdd = dynamics.forward(state, tau);
    const again = dynamics.inverse(state, qdd);
    for (const { joint, source, multiplier } of couplings) {
      const [follower, leader] = [joint, source].map((name) => mechanism.jointIndex(name));
      tau[mechanism.joints[leader].iv] += multiplier * tau[mechanism.joints[follower].iv];
      tau[mechanism.joints[follower].iv] = 0;
    }
    expect(relativeError(again, tau)).toBeLessThan(1e-6);
  });

  it('a group is solved for where its last member has been passed', () => {
    // 0 carries 1 and 3; 2 hangs on 1, 4 on 3.
    const parent = [-1, 0, 1, 0, 3];
    const across = planColumns(parent, groupsOf([{ link: 4, source: 2, multiplier: 2 }]));
    expect(across.atBody).toEqual([[], [0], [], [], [], []]);
    expect(across.at).toEqual([[0], [0], [0], [0], [0]]);
    expect(across.up).toEqual([[], [0], [0], [0], [0]]);
    const below = planColumns(parent, groupsOf([{ link: 2, source: 1, multiplier: 2 }]));
    expect(below.atJoint).toEqual([[], [0], [], [], []]);
    expect(below.at).toEqual([[], [0], [0], [], []]);
  });
});
