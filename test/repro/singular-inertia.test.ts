// A joint that can move without moving any mass: every engine says so, in the same sentence.

import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { weakJoint } from '../../src/engines/plain/weak-joints.js';
import { CompiledDynamics } from '../../src/engines/wasm/compiled.js';
import type { JointTypeName } from '../../src/joints/index.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { Random } from '../../src/mechanism/random.js';
import { State } from '../../src/mechanism/state.js';
import { createTree } from '../../src/mechanism/tree.js';
import { builtinMechanism } from '../../src/models/index.js';
import { rotationFromQuaternion, scale, type Vec3 } from '../../src/spatial/matrix3.js';
import { randomMechanism } from '../support/random-mechanism.js';

function pointMass(type: JointTypeName, com: Vec3, axis: Vec3, base: boolean): Mechanism {
  const random = new Random(7);
  return createMechanism({
    bodies: [
      ...(base
        ? [{ name: 'base', mass: 2, com: [0.1, 0, 0.1] as const, inertia: [0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1] as const }]
        : []),
      { name: 'a', mass: 1, com },
    ],
    joints: [
      ...(base ? [{ name: 'jb', type: 'spherical' as const, parent: null, child: 'base' }] : []),
      {
        name: 'j',
        type,
        parent: base ? 'base' : null,
        child: 'a',
        axis,
        t: [0.2, 0.1, 0.3],
        E: rotationFromQuaternion(random.quaternion()),
      },
    ],
  });
}

const SENTENCE = /^The inertia felt by joint "j" \(body "a"\) is not positive: the mass matrix is singular\./;

describe.each([
  ['plain', (m: Mechanism) => new PlainDynamics(m)],
  ['wasm', (m: Mechanism) => new CompiledDynamics(m, { specialise: 'never' })],
  ['compiled', (m: Mechanism) => new CompiledDynamics(m, { specialise: 'first-use' })],
] as const)('%s', (_, engine) => {
  it('a point mass on a ball joint, anywhere', () => {
    const random = new Random(3);
    for (let k = 0; k < 400; k++) {
      const com = k === 0 ? ([0, 0, -1] as const) : scale(random.between(0.1, 3), random.direction());
      const mechanism = pointMass('spherical', com, [0, 0, 1], k % 2 === 1);
      for (const algorithm of ['aba', 'ada', 'dense'] as const)
        expect(
          () => engine(mechanism).forward(State.random(mechanism, k), undefined, { algorithm }),
          `${k} ${algorithm}`,
        ).toThrow(SENTENCE);
      expect(() => engine(mechanism).forward(State.random(mechanism, k)), `${k}`).toThrow(SENTENCE);
      const b = new Float64Array(mechanism.nv).fill(1);
      expect(() => engine(mechanism).solve(State.random(mechanism, k), b), `${k} solve`).toThrow(SENTENCE);
    }
  });

  it('a point mass on the axis of a hinge', () => {
    const random = new Random(4);
    for (let k = 0; k < 400; k++) {
      const axis = random.direction();
      const mechanism = pointMass('revolute', scale(random.between(0.1, 3), axis), axis, k % 2 === 1);
      expect(() => engine(mechanism).forward(State.random(mechanism, k)), `${k}`).toThrow(SENTENCE);
    }
  });

  it('a point mass that floats', () => {
    const mechanism = pointMass('floating', [0.1, 0.2, 0.3], [0, 0, 1], false);
    expect(() => engine(mechanism).forward(State.random(mechanism, 1))).toThrow(SENTENCE);
  });
});

it('generated code runs whatever has inertia', () => {
  for (let seed = 1; seed <= 100; seed++)
    expect(weakJoint(createTree(randomMechanism(seed, { forest: true }))), `seed ${seed}`).toBeUndefined();
  for (const name of ['human-34', 'human-48', 'chain-8', 'chain-8-spherical', 'compass', 'kneed'])
    expect(weakJoint(createTree(builtinMechanism(name))), name).toBeUndefined();
  // A point mass off the axis of a hinge, and a massless link between two hinges.
  expect(weakJoint(createTree(pointMass('revolute', [0.3, 0.2, 0.1], [0, 0, 1], true)))).toBeUndefined();
  const cross = createMechanism({
    bodies: [
      { name: 'cross', mass: 0 },
      { name: 'arm', mass: 1, com: [0, 0, 1], inertia: [0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1] },
    ],
    joints: [
      { name: 'x', type: 'revolute', parent: null, child: 'cross', axis: [1, 0, 0] },
      { name: 'y', type: 'revolute', parent: 'cross', child: 'arm', axis: [0, 1, 0] },
    ],
  });
  expect(weakJoint(createTree(cross))).toBeUndefined();
});
