// A free-flying mechanism with armature on an inner joint, computed from another root: results do not depend on the root.

import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { ParallelDynamics } from '../../src/engines/threads/parallel-dynamics.js';
import type { JointTypeName } from '../../src/joints/index.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import type { Mat3 } from '../../src/spatial/matrix3.js';
import { ALL_JOINT_TYPES, randomMechanism, randomVector, relativeError } from '../support/random-mechanism.js';

const BOX: Mat3 = [0.02, 0, 0, 0, 0.03, 0, 0, 0, 0.04];

function threeBodies(type: JointTypeName, armature: number): Mechanism {
  return createMechanism({
    gravity: [0, 0, -9.81],
    bodies: ['a', 'b', 'c'].map((name) => ({ name, mass: 1, com: [0.1, 0.05, 0.02], inertia: BOX })),
    joints: [
      { name: 'ja', type: 'floating', parent: null, child: 'a' },
      {
        name: 'jb',
        type,
        parent: 'a',
        child: 'b',
        axis: [0, 0, 1],
        axis2: [0, 1, 0],
        pitch: 0.1,
        t: [0.3, 0, 0],
        ...(type !== 'fixed' && { armature }),
      },
      { name: 'jc', type: 'revolute', parent: 'b', child: 'c', axis: [1, 0, 0], t: [0, 0.3, 0] },
    ],
  });
}

describe.each(ALL_JOINT_TYPES)('another root, armature on a %s joint', (type) => {
  it('as its property', async () => {
    const mechanism = threeBodies(type, 0.5);
    const state = State.random(mechanism, 1);
    const expected = new PlainDynamics(mechanism).forward(state, undefined, { algorithm: 'dense' });
    expect(relativeError(new PlainDynamics(mechanism, { root: 'c' }).forward(state), expected)).toBeLessThan(1e-11);
    const parallel = new ParallelDynamics(mechanism, { threads: 2, deterministic: true, root: 'c' });
    await parallel.ready();
    expect(relativeError(parallel.forward(state), expected)).toBeLessThan(1e-11);
    parallel.dispose();
  });

  it('as an option, different for every degree of freedom', () => {
    const mechanism = threeBodies(type, 0);
    const state = State.random(mechanism, 1);
    const forces = new Float64Array(18);
    const given = new Float64Array(18);
    for (const base of [0, 0.2]) {
      const armature = Float64Array.from({ length: mechanism.nv }, (_, k) => (k < 6 ? base : 0.1 * (k - 5)));
      const expected = new PlainDynamics(mechanism).forward(state, undefined, { algorithm: 'dense', armature });
      const other = new PlainDynamics(mechanism, { root: 'c' });
      expect(relativeError(other.forward(state, undefined, { armature, jointForces: forces }), expected)).toBeLessThan(
        1e-11,
      );
      new PlainDynamics(mechanism).forward(state, undefined, { armature, jointForces: given });
      expect(relativeError(forces, given)).toBeLessThan(1e-9);
      // And afterwards without it.
      expect(relativeError(other.forward(state), new PlainDynamics(mechanism).forward(state))).toBeLessThan(1e-11);
    }
  });
});

it('random mechanisms from every root', () => {
  for (let seed = 1; seed <= 30; seed++) {
    const mechanism = randomMechanism(seed, { base: 'floating', armature: true });
    const state = State.random(mechanism, seed);
    const tau = randomVector(seed, mechanism.nv, 3);
    const armature = randomVector(seed + 7, mechanism.nv, 0.5).map(Math.abs);
    const own = new PlainDynamics(mechanism);
    for (const { name } of mechanism.bodies) {
      const other = new PlainDynamics(mechanism, { root: name });
      for (const options of [{}, { armature }]) {
        const expected = own.forward(state, tau, { ...options, algorithm: 'dense' });
        expect(relativeError(other.forward(state, tau, options), expected), `seed ${seed}, ${name}`).toBeLessThan(1e-8);
      }
    }
  }
});
