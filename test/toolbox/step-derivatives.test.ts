// Derivatives of steps in time against differences of eighth order of the steps that Simulation takes, and with respect to inertial
// parameters against differences of mechanisms with other bodies: random mechanisms of all joint types, couplings, loops, springs.
// MANIKIN_LONG=1: 500 of them.

import { describe, expect, it } from 'vitest';
import { dynamics } from '../../src/dynamics/dynamics.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { mechanismSpec } from '../../src/mechanism/variants.js';
import { ImplicitEuler, RungeKutta4 } from '../../src/simulation/integrators.js';
import {
  difference,
  inertialDerivatives,
  inertialParameters,
  numericalDerivative,
  stepDerivatives,
} from '../../src/toolbox/index.js';
import { closedSpec } from '../support/closed-mechanisms.js';
import { randomCoupled } from '../support/random-couplings.js';
import { randomMechanism, relativeError } from '../support/random-mechanism.js';

const COUNT = process.env.MANIKIN_LONG === '1' ? 500 : 16;
const H = 0.05;

/** The same mechanism with springs, dampers and friction in its joints. */
function withPassive(mechanism: Mechanism, rough: boolean): Mechanism {
  const spec = mechanismSpec(mechanism);
  const joints = spec.joints.map((joint, k) => ({
    ...joint,
    damping: 0.3 + 0.1 * (k % 3),
    ...(['revolute', 'prismatic', 'continuous', 'helical'].includes(joint.type) && { stiffness: 2, rest: 0.1 }),
    ...(rough && k % 4 === 0 && { friction: 1e-4 }),
  }));
  return createMechanism({ ...spec, joints });
}

function check(mechanism: Mechanism, seed: number, integrator: 'euler' | 'rk4', start?: State): void {
  const { nv } = mechanism;
  const plain = dynamics(mechanism, { engine: 'plain' });
  const state = start ?? State.random(mechanism, seed);
  const tau = Float64Array.from({ length: nv }, (_, k) => Math.cos(seed + 3 * k));
  const { end, A, B } = stepDerivatives(dynamics(mechanism), state, tau, { step: H, integrator });
  /** Where a step from another state, under other forces, ends: from where ours does. */
  const ended = (from: State, forces: Float64Array): Float64Array => {
    const moved = from.clone();
    const method = integrator === 'euler' ? new ImplicitEuler(plain, undefined) : new RungeKutta4(plain, moved);
    method.step(moved, H, (out) => out.set(forces));
    return Float64Array.of(...difference(mechanism, end.q, moved.q), ...moved.v);
  };
  const name = `${mechanism.name}, ${integrator}, seed ${seed}`;
  const there = ended(state, tau);
  expect(relativeError(there.subarray(nv), end.v), name).toBeLessThan(1e-11);
  expect(Math.max(...there.subarray(0, nv).map(Math.abs)), name).toBeLessThan(1e-11);
  // Long steps of the differences err where the motion bends, short ones round.
  const errorOf = (ours: Float64Array, by: 'q' | 'v'): number => {
    const at = (h: number): number =>
      relativeError(
        ours,
        numericalDerivative(mechanism, state, by, (from) => ended(from, tau), h),
      );
    const error = at(0.006);
    return error < 1e-9 ? error : Math.min(error, at(0.0015));
  };
  const part = (o: number): Float64Array =>
    Float64Array.from({ length: 2 * nv * nv }, (_, k) => A[2 * nv * Math.floor(k / nv) + o + (k % nv)]);
  expect(errorOf(part(0), 'q'), `${name}, q`).toBeLessThan(1e-9);
  expect(errorOf(part(nv), 'v'), `${name}, v`).toBeLessThan(1e-9);
  // Forces: along one direction, by the same differences.
  const along = Float64Array.from({ length: nv }, (_, k) => Math.sin(1 + 2 * k));
  const expected = new Float64Array(2 * nv);
  [4 / 5, -1 / 5, 4 / 105, -1 / 280].forEach((weight, k) => {
    for (const sign of [1, -1]) {
      const h = 0.01 * sign * (k + 1);
      const values = ended(
        state,
        tau.map((value, j) => value + h * along[j]),
      );
      for (let i = 0; i < 2 * nv; i++) expected[i] += (sign * weight * values[i]) / 0.01;
    }
  });
  const given = expected.map((_, i) => along.reduce((sum, value, j) => sum + B[nv * i + j] * value, 0));
  expect(relativeError(given, expected), `${name}, tau`).toBeLessThan(1e-9);
}

describe.each(['euler', 'rk4'] as const)('%s', (integrator) => {
  it(`${COUNT} random mechanisms of all joint types`, () => {
    for (let k = 0; k < COUNT; k++) {
      const bare = randomMechanism(4000 + k, { bodies: 2 + (k % 4), forest: k % 4 === 0, armature: k % 2 === 0 });
      if (bare.nv === 0) continue;
      check(k % 3 === 0 ? withPassive(bare, false) : bare, 70 + k, integrator);
    }
  });

  it('coupled joints', () => {
    for (const seed of [1, 2]) check(randomCoupled(seed, { bodies: 6 }), seed, integrator);
  });

  it('closed loops', () => {
    const mechanism = createMechanism(closedSpec(3, 5, 1));
    const state = new State(mechanism);
    for (let k = 0; k < mechanism.nv; k++) state.v[k] = 0.3 * Math.sin(k);
    check(mechanism, 1, integrator, state);
  });
});

it('dry friction in steps of rk4, which turns round within millimetres a second: by small differences', () => {
  const mechanism = createMechanism({
    bodies: [{ name: 'b', mass: 1, com: [0.1, 0, 0], inertia: [1, 0, 0, 0, 1, 0, 0, 0, 1] }],
    joints: [{ name: 'j', type: 'revolute', parent: null, child: 'b', axis: [0, 1, 0], friction: 1e-3 }],
  });
  const door = dynamics(mechanism);
  const at = (v: number) => {
    const state = new State(mechanism);
    state.v[0] = v;
    return stepDerivatives(door, state, Float64Array.of(-0.97), { step: 1e-3, integrator: 'rk4' });
  };
  const [before, here, after] = [at(-1e-6), at(0), at(1e-6)];
  const slope = (after.end.v[0] - before.end.v[0]) / 2e-6;
  expect(Math.abs(slope - 1)).toBeGreaterThan(1e-5);
  expect(Math.abs(here.A[3] - slope)).toBeLessThan(1e-7);
});

it('what cannot be done is refused in one sentence', () => {
  const mechanism = withPassive(randomMechanism(5, { bodies: 3 }), true);
  const door = dynamics(mechanism);
  const state = new State(mechanism);
  expect(() => stepDerivatives(door, state, undefined, { step: 0.1 })).toThrow(/take "rk4", or remove the friction/);
  expect(() => stepDerivatives(door, state, undefined, { step: 0 })).toThrow(/positive number of seconds/);
  expect(() => stepDerivatives(door, state, new Float64Array(1), { step: 0.1 })).toThrow(/Expected/);
  const other = { step: 0.1, integrator: 'dopri5' } as never;
  expect(() => stepDerivatives(door, state, undefined, other)).toThrow(/"euler" and "rk4"/);
});

/** The mechanism with these inertial parameters in its bodies. */
function withParameters(mechanism: Mechanism, parameters: Float64Array): Mechanism {
  const spec = mechanismSpec(mechanism);
  const bodies = spec.bodies.map((body, b) => {
    const [m, mx, my, mz, xx, xy, yy, xz, yz, zz] = parameters.subarray(10 * b, 10 * b + 10);
    const [x, y, z] = [mx / m, my / m, mz / m];
    return {
      ...body,
      mass: m,
      com: [x, y, z] as const,
      inertia: [
        xx - m * (y * y + z * z),
        xy + m * x * y,
        xz + m * x * z,
        xy + m * x * y,
        yy - m * (x * x + z * z),
        yz + m * y * z,
        xz + m * x * z,
        yz + m * y * z,
        zz - m * (x * x + y * y),
      ] as const,
    };
  });
  return createMechanism({ ...spec, bodies }, { inertia: 'warn' });
}

describe('inertial parameters', () => {
  const closed = createMechanism(closedSpec(3, 5, 1));
  const mechanisms = [
    ...Array.from({ length: COUNT / 4 }, (_, k) => randomMechanism(700 + k, { bodies: 3, armature: k % 2 === 0 })),
    randomCoupled(3, { bodies: 5 }),
  ];
  it.each([...mechanisms, closed].map((mechanism, k) => [`${mechanism.name}, ${k}`, mechanism] as const))(
    '%s',
    (_, mechanism) => {
      if (mechanism.nv === 0) return;
      const { nv } = mechanism;
      const looped = mechanism.loops.length > 0;
      const state = looped ? new State(mechanism) : State.random(mechanism, 5);
      const tau = Float64Array.from({ length: nv }, (_, k) => Math.cos(3 * k));
      const given = inertialDerivatives(dynamics(mechanism), state, tau);
      const parameters = inertialParameters({ mechanism });
      const width = parameters.length;
      const [forward, inverse] = [new Float64Array(nv * width), new Float64Array(nv * width)];
      for (let p = 0; p < width; p++)
        [4 / 5, -1 / 5, 4 / 105, -1 / 280].forEach((weight, k) => {
          for (const sign of [1, -1]) {
            const h = 1e-4;
            const changed = parameters.slice();
            changed[p] += sign * (k + 1) * h;
            const other = withParameters(mechanism, changed);
            const there = new State(other, state);
            const door = dynamics(other, { engine: 'plain' });
            const qdd = door.forward(there, tau);
            const forces = looped ? tau : door.inverse(there, given.qdd);
            for (let i = 0; i < nv; i++) {
              forward[i * width + p] += (sign * weight * qdd[i]) / h;
              inverse[i * width + p] += (sign * weight * forces[i]) / h;
            }
          }
        });
      expect(relativeError(given.forward, forward), mechanism.name).toBeLessThan(1e-8);
      if (!looped) expect(relativeError(given.inverse, inverse), mechanism.name).toBeLessThan(1e-10);
    },
  );
});
