// Compiled code for coupled joints, against the plain engine.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CompiledDynamics } from '../../../src/engines/wasm/compiled.js';
import { parseUrdf } from '../../../src/formats/index.js';
import { pairedUnitsOf } from '../../../src/formulas/columns.js';
import { createMechanism } from '../../../src/mechanism/create.js';
import type { Mechanism } from '../../../src/mechanism/mechanism.js';
import { State } from '../../../src/mechanism/state.js';
import { createTree } from '../../../src/mechanism/tree.js';
import { createPlan } from '../../../src/plan/plan.js';
import { randomCoupled } from '../../support/random-couplings.js';
import { ALL_JOINT_TYPES, randomSpec, randomVector, relativeError } from '../../support/random-mechanism.js';
import { listShared, readShared } from '../../support/shared.js';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

/** All that depends on couplings, compiled and plain. */
function compare(mechanism: Mechanism, seed: number, tolerance = 1e-10): void {
  const compiled = new CompiledDynamics(mechanism);
  expect(compiled.tier).toBe('specialised');
  const plain = compiled.readable;
  const state = State.random(mechanism, seed + 1);
  const tau = randomVector(seed + 2, mechanism.nv, 3);
  const external = randomVector(seed + 3, 6 * mechanism.bodies.length, 2);
  const check = (got: Float64Array, expected: Float64Array, what: string): void =>
    expect(relativeError(got, expected), `${what}, seed ${seed}`).toBeLessThan(tolerance);
  const dense = { algorithm: 'dense' } as const;
  check(compiled.forward(state, tau), plain.forward(state, tau, dense), 'forward');
  check(compiled.forward(state, tau, { external }), plain.forward(state, tau, { ...dense, external }), 'loaded');
  const qdd = randomVector(seed + 4, mechanism.nv);
  check(compiled.inverse(state, qdd), plain.inverse(state, qdd), 'inverse');
  check(compiled.inverse(state, qdd, { external }), plain.inverse(state, qdd, { external }), 'inverse, loaded');
  const [matrix, expected] = [compiled.massMatrix(state), plain.massMatrix(state)];
  check(matrix.H, expected.H, 'mass matrix');
  expect(matrix.joints).toEqual(expected.joints);
  const b = randomVector(seed + 5, matrix.n);
  const product = compiled
    .solve(state, b)
    .map((_, i, x) => x.reduce((sum, e, j) => sum + matrix.H[i * matrix.n + j] * e, 0));
  check(product, b, 'solve');
}

describe('coupled joints, compiled', () => {
  it.each([
    ['all joint types', ALL_JOINT_TYPES],
    ['joints of one degree of freedom', ['revolute', 'continuous', 'prismatic', 'helical', 'fixed']],
  ] as const)('%s: random mechanisms', (_what, types) => {
    fc.assert(
      fc.property(seeds, (seed) => compare(randomCoupled(seed, { types }), seed)),
      { numRuns: 30 },
    );
  });

  it.each([
    ['within each limb', 'ab', 'ab'],
    ['from one limb to the other', 'ab', 'ba'],
    ['all in one', 'aa', 'aa'],
    ['in one limb only', 'ab', '..'],
    ['otherwise in the other limb', 'ab', 'aa'],
    ['the tip of one alone', '.b', 'b.'],
  ])('like limbs in lanes, coupled %s', (_what, left, right) => {
    // A free trunk with two limbs of four joints; letters: which group joints 1 and 3 of each limb belong to.
    const spec = randomSpec(5, { types: ['revolute'], bodies: 9, base: 'floating' });
    const joints = spec.joints.map((joint, i) => ({
      ...joint,
      E: [1, 0, 0, 0, 1, 0, 0, 0, 1] as const,
      axis: [0, 0, 1] as const,
      armature: 0.1,
      parent: i === 0 ? null : i < 3 ? 'b0' : `b${i - 2}`,
    }));
    // Joints j1, j3, j5, j7 are the left limb, j2, j4, j6, j8 the right one.
    const groups = new Map<string, string[]>();
    for (const [k, letters] of [left, right].entries())
      for (const [i, letter] of [...letters].entries())
        if (letter !== '.') groups.set(letter, [...(groups.get(letter) ?? []), `j${1 + k + 4 * i}`]);
    // Each group has a member near the tip of each limb as well.
    const couplings = [...groups.values()].flatMap(([source, ...others], g) =>
      [...others, `j${g === 0 ? 3 : 8}`].map((joint, k) => ({ joint, source, multiplier: 0.5 + 0.3 * k })),
    );
    compare(createMechanism({ ...spec, joints, couplings }), 17);
  });

  it('a gripper whose two jaws move as one keeps its lanes', () => {
    const spec = randomSpec(6, { types: ['prismatic'], bodies: 3, base: 'floating' });
    const joints = spec.joints.map((joint, i) => ({
      ...joint,
      E: [1, 0, 0, 0, 1, 0, 0, 0, 1] as const,
      axis: [0, 0, 1] as const,
      armature: 0.1,
      parent: i === 0 ? null : 'b0',
    }));
    const mechanism = createMechanism({
      ...spec,
      joints,
      couplings: [{ joint: 'j2', source: 'j1', multiplier: -1 }],
    });
    expect(pairedUnitsOf(createPlan(createTree(mechanism))).map(({ links }) => links.length)).toEqual([1, 2]);
    compare(mechanism, 3);
  });

  it.each(listShared('data/urdf', '.urdf'))('%s', (file) => {
    for (const base of ['fixed', 'floating'] as const) {
      const mechanism = parseUrdf(readShared(`data/urdf/${file}`), { base });
      if (mechanism.couplings.length > 0) compare(mechanism, 7, 1e-8);
    }
  });
});
