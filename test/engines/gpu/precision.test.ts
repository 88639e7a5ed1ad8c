// What 32 bits do to the formulas for the GPU, without a device (test/support/gpu-precision.ts).

import { describe, expect, it } from 'vitest';
import { checkForces, checkState } from '../../../bench/gpu.js';
import { writeAccelerations } from '../../../src/engines/gpu/formulas.js';
import { inverseForGpu } from '../../../src/engines/gpu/inverse-formulas.js';
import { limbForward, splitForward } from '../../../src/engines/gpu/split.js';
import { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import { parseDescription } from '../../../src/formats/index.js';
import { QDD, TAU, V } from '../../../src/formulas/links.js';
import { createMechanism } from '../../../src/mechanism/create.js';
import type { Mechanism } from '../../../src/mechanism/mechanism.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { lowInertiaAxes } from '../../../src/plan/low-inertia-axes.js';
import { alignFrames } from '../../../src/plan/principal-frames.js';
import { type Mat3, multiply, rotationAbout, transpose } from '../../../src/spatial/matrix3.js';
import { type Errors, errorsOf, forwardIn, inPasses, planOf, whole } from '../../support/gpu-precision.js';
import { graphValues } from '../../support/graph-values.js';
import { randomMechanism, relativeError } from '../../support/random-mechanism.js';
import { hasShared, readShared } from '../../support/shared.js';

/** Of the formulas in one kernel. */
const errors = (mechanism: Mechanism, precision: 32 | 64): Errors =>
  errorsOf(mechanism, forwardIn(precision, whole(mechanism)));

/** A thin rod, lying across the axes of its frame, on a ball joint; another one on its end. */
function thumb(turn: Mat3): Mechanism {
  const thin: Mat3 = [1e-5, 0, 0, 0, 1e-5, 0, 0, 0, 2e-7];
  const inertia = multiply(multiply(turn, thin), transpose(turn));
  const along = (length: number): readonly [number, number, number] => [
    turn[2] * length,
    turn[5] * length,
    turn[8] * length,
  ];
  const body = (name: string) => ({ name, mass: 0.01, com: along(0.02), inertia });
  return createMechanism({
    name: 'thumb',
    gravity: [0, 0, -9.81],
    bodies: [body('base'), body('tip')],
    joints: [
      { name: 'first', type: 'spherical', parent: null, child: 'base' },
      { name: 'second', type: 'spherical', parent: 'base', child: 'tip', t: along(0.04) },
    ],
  });
}

const oblique = multiply(rotationAbout([0, 1, 0], 0.6), rotationAbout([1, 0, 0], -0.4));

describe('formulas in 32 bits', () => {
  it('in double precision are forward dynamics, whatever the joints', () => {
    expect([V, TAU]).toEqual([1, 2]);
    for (let seed = 1; seed <= 12; seed++) {
      const mechanism = randomMechanism(seed, { bodies: 9, armature: seed % 2 === 0 });
      expect(errors(mechanism, 64).worst, `seed ${seed}`).toBeLessThan(1e-9);
    }
    for (const turn of [oblique, rotationAbout([0, 0, 1], 1)])
      expect(errors(thumb(turn), 64).worst).toBeLessThan(1e-10);
  });

  it.each([
    ['human-34', 2e-6, 2e-7],
    ['human-161', 1e-6, 1e-7],
  ])('%s: worst and middle error', (name, most, middle) => {
    const { worst, median } = errors(builtinMechanism(name), 32);
    expect(worst).toBeLessThan(most);
    expect(median).toBeLessThan(middle);
  });

  it.skipIf(!hasShared('reference/bench'))('human-161 of the shared benchmark, one limb per thread', () => {
    const { mechanism } = parseDescription(readShared('reference/bench/human-161.json'));
    const plan = planOf(mechanism);
    const compute = forwardIn(32, inPasses(limbForward(plan, writeAccelerations(plan))!));
    const { worst, median } = errorsOf(mechanism, compute);
    expect(worst).toBeLessThan(5e-7);
    expect(median).toBeLessThan(1.02e-7);
  });

  it('in several kernels: the same, and as precise', () => {
    const human = builtinMechanism('human-161');
    const plan = planOf(human);
    const finish = writeAccelerations(plan);
    for (const way of [limbForward(plan, finish)!, splitForward(plan, finish, 4000)]) {
      expect(errorsOf(human, forwardIn(64, inPasses(way))).worst).toBeLessThan(1e-11);
      const { worst, median } = errorsOf(human, forwardIn(32, inPasses(way)));
      expect(worst).toBeLessThan(1e-6);
      expect(median).toBeLessThan(1e-7);
    }
    // Rotor inertias: columns that cannot be solved for each other.
    for (let seed = 1; seed <= 6; seed++) {
      const mechanism = randomMechanism(seed, { bodies: 9, armature: seed % 2 === 0 });
      const small = planOf(mechanism);
      const way = splitForward(small, writeAccelerations(small), 500);
      expect(errorsOf(mechanism, forwardIn(64, inPasses(way))).worst, `seed ${seed}`).toBeLessThan(1e-9);
    }
  });

  it('inverse dynamics, depth first', () => {
    for (let seed = 1; seed <= 6; seed++) {
      const mechanism = randomMechanism(seed, { bodies: 9, armature: seed % 2 === 0 });
      const readable = new PlainDynamics(mechanism);
      const compute = graphValues(inverseForGpu(planOf(mechanism)), 64);
      const [state, qdd] = [checkState(mechanism, seed), checkForces(mechanism, seed)];
      const made = compute((array, i) => (array === QDD ? qdd[i] : [state.q, state.v][array][i]));
      expect(relativeError(Float64Array.from(made.get(TAU)!), readable.inverse(state, qdd))).toBeLessThan(1e-11);
    }
  });

  it('frames of ball joints are turned where a thin link lies across them, and only there', () => {
    expect(alignFrames(planOf(thumb([1, 0, 0, 0, 1, 0, 0, 0, 1]))).turns.size).toBe(0);
    const plan = planOf(thumb(rotationAbout([0, 1, 0], 0.6)));
    const { plan: aligned, turns } = alignFrames(plan);
    expect([...turns.keys()]).toEqual([0, 1]);
    // Along the limb, and the same frame for both: what is between them is only the quaternion.
    expect(aligned.links[1].E).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1]);
    expect(aligned.links[1].t.filter((x) => Math.abs(x) > 1e-12)).toHaveLength(1);
    for (const turn of [oblique, rotationAbout([0, 1, 0], 0.6)])
      expect(errors(thumb(turn), 32).worst).toBeLessThan(1e-6);
    // A joint whose rotor inertia is not the same about all axes keeps its frame.
    const uneven = { ...plan, links: plan.links.map((link) => ({ ...link, armature: [0, 0, 1e-6] })) };
    expect(alignFrames(uneven).turns.size).toBe(0);
  });

  it('hinges in a row: small moments of inertia stay precise near gimbal lock', () => {
    const names = ['a', 'b', 'c'];
    const mechanism = createMechanism({
      name: 'hip',
      gravity: [0, 0, -9.81],
      bodies: names.map((name, k) => ({
        name,
        mass: k === 2 ? 5 : 0.01,
        com: k === 2 ? [0, 0, -0.4] : [0, 0, 0],
        inertia: k === 2 ? [0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.005] : [1e-5, 0, 0, 0, 1e-5, 0, 0, 0, 1e-5],
      })),
      joints: names.map((name, k) => ({
        name: `${name}-joint`,
        type: 'revolute' as const,
        parent: k === 0 ? null : names[k - 1],
        child: name,
        axis: ([0, 1, 2] as const).map((i) => (i === 2 - k ? 1 : 0)) as unknown as readonly [number, number, number],
      })),
    });
    expect(lowInertiaAxes(planOf(mechanism))[1]).toBeDefined();
    const compute = forwardIn(32, whole(mechanism));
    const readable = new PlainDynamics(mechanism);
    const tau = checkForces(mechanism, 1);
    for (const near of [1e-3, 1e-2]) {
      const state = checkState(mechanism, 2);
      state.q[1] = Math.fround(Math.PI / 2 - near);
      expect(relativeError(compute(state, tau), readable.forward(state, tau)), `${near}`).toBeLessThan(1e-6);
    }
  });

  it('quaternions need not be of unit length', () => {
    const mechanism = thumb(oblique);
    const compute = forwardIn(32, whole(mechanism));
    const [state, tau] = [checkState(mechanism, 3), checkForces(mechanism, 3)];
    const expected = new PlainDynamics(mechanism).forward(state, tau);
    for (const factor of [0.25, 1 + 1e-3, 3]) {
      const longer = checkState(mechanism, 3);
      longer.q.forEach((x, k) => {
        longer.q[k] = factor * x;
      });
      expect(relativeError(compute(longer, tau), expected), `${factor}`).toBeLessThan(2e-6);
    }
  });
});
