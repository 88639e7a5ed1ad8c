// Six algorithms and the composite-rigid-body algorithm of src/dynamics give one matrix.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import { parseUrdf } from '../../../src/formats/index.js';
import { createMechanism } from '../../../src/mechanism/create.js';
import type { Mechanism } from '../../../src/mechanism/mechanism.js';
import { State } from '../../../src/mechanism/state.js';
import { BUILTIN_MODELS, builtinMechanism } from '../../../src/models/index.js';
import { MASS_MATRIX_ALGORITHMS, massMatrixInLinkOrder } from '../../../src/papers/mass-matrix/algorithms.js';
import { FRAMES } from '../../../src/papers/mass-matrix/frames.js';
import { massMatrixBy, simulateMassMatrix } from '../../../src/papers/mass-matrix/index.js';
import { randomMechanism, randomSpec, relativeError } from '../../support/random-mechanism.js';
import { listShared, readShared } from '../../support/shared.js';
import { caseOf, randomChain } from './support.js';

const TOLERANCE = 1e-11;
const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

function expectAgreement(mechanism: Mechanism, seed: number): void {
  const { tree, q, H } = caseOf(mechanism, seed);
  for (const algorithm of MASS_MATRIX_ALGORITHMS)
    expect(relativeError(massMatrixInLinkOrder(tree, q, algorithm), H), `${mechanism.name}, ${algorithm}`).toBeLessThan(
      TOLERANCE,
    );
}

describe('the mass matrix six ways', () => {
  it('chains of 2 to 64 revolute joints, random geometry', () => {
    for (const n of [2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 31, 33, 64]) expectAgreement(randomChain(100 + n, n), n);
  });

  it('random trees and forests of all joint types, with armature', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        expectAgreement(randomMechanism(seed, { armature: true, forest: true, shuffled: true }), seed + 1);
      }),
      { numRuns: 60 },
    );
  });

  it('in every frame', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { tree, q, H } = caseOf(randomMechanism(seed, { forest: true }), seed + 1);
        for (const algorithm of MASS_MATRIX_ALGORITHMS)
          for (const frame of FRAMES)
            expect(
              relativeError(massMatrixInLinkOrder(tree, q, algorithm, frame), H),
              `${algorithm}, ${frame}`,
            ).toBeLessThan(TOLERANCE);
      }),
      { numRuns: 30 },
    );
  });

  it.each(BUILTIN_MODELS.map(({ example }) => example).filter((name) => builtinMechanism(name).nv <= 200))(
    'built-in %s',
    (name) => expectAgreement(builtinMechanism(name), 7),
  );

  it.each(listShared('data/urdf', '.urdf'))('shared %s', (file) => {
    for (const base of ['fixed', 'floating'] as const)
      expectAgreement(parseUrdf(readShared(`data/urdf/${file}`), { file, base, mimic: 'ignore' }), 8);
  });

  it('coupled joints are part of the joint they follow', () => {
    const spec = randomSpec(21, { bodies: 7, types: ['revolute', 'prismatic'], armature: true });
    const mechanism = createMechanism({ ...spec, couplings: [{ joint: 'j5', source: 'j2', multiplier: -1.5 }] });
    const state = State.random(mechanism, 22);
    const reference = new PlainDynamics(mechanism).massMatrix(state);
    expect(reference.n).toBe(6);
    for (const algorithm of MASS_MATRIX_ALGORITHMS) {
      const found = massMatrixBy(mechanism, state, { algorithm });
      expect(found.joints).toEqual(reference.joints);
      expect(relativeError(found.H, reference.H)).toBeLessThan(TOLERANCE);
    }
    const { H } = simulateMassMatrix(mechanism, state, { algorithm: 'composite-variant', processors: 3 });
    expect(relativeError(H, reference.H)).toBeLessThan(TOLERANCE);
    expect(() => massMatrixBy(builtinMechanism('compass'), state, { algorithm: 'kane' })).toThrow(/belongs to/);
  });

  it('massless links, and rotations too small for their cosine', () => {
    const chain = randomChain(5, 5);
    const spec = {
      name: 'special',
      gravity: [0, 0, 0] as const,
      bodies: chain.bodies.map(({ name, mass, com, inertia }, i) =>
        i === 1 || i > 2
          ? { name, mass: 0, com: [0, 0, 0] as const, inertia: [0, 0, 0, 0, 0, 0, 0, 0, 0] as const }
          : { name, mass, com, inertia },
      ),
      joints: chain.joints.map(({ name, type }, i) => ({
        name,
        type: i > 2 ? ('fixed' as const) : type,
        axis: [0, 0, 1] as const,
        parent: i === 0 ? null : `b${i - 1}`,
        child: `b${i}`,
        E: [1, 1e-9, 0, -1e-9, 1, 0, 0, 0, 1] as const,
        t: [1000, 0, 0] as const,
      })),
    };
    expectAgreement(createMechanism(spec), 9);
  });
});
