// Derivatives of inverse and forward dynamics: against Pinocchio's values, against complex steps, and against differences of eighth
// order of the dynamics themselves, on random mechanisms of all joint types, on both engines. MANIKIN_LONG=1: 500 of them.

import { describe, expect, it } from 'vitest';
import { type Dynamics, dynamics } from '../../src/dynamics/dynamics.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { mechanismSpec } from '../../src/mechanism/variants.js';
import { builtinMechanism } from '../../src/models/index.js';
import { integrate, numericalDerivative } from '../../src/toolbox/index.js';
import { closedSpec } from '../support/closed-mechanisms.js';
import { ComplexStep } from '../support/complex-step.js';
import { randomCoupled } from '../support/random-couplings.js';
import { randomMechanism, relativeError } from '../support/random-mechanism.js';
import { hasShared } from '../support/shared.js';
import { entries, robots } from './reference.js';

const ENGINES = ['plain', 'auto'] as const;

describe.skipIf(!hasShared('reference/toolbox.json')).each(ENGINES)(
  "against Pinocchio's values, engine %s",
  (engine) => {
    it.each(robots('merge').map((robot) => [robot.name, robot] as const))('%s', (_, robot) => {
      const { mechanism, state, qdd, tau, values } = robot;
      const door = dynamics(mechanism, { engine });
      const near = (ours: Float64Array, theirs: number[][], tolerance: number): void => {
        expect(relativeError(...entries(robot, ours, theirs))).toBeLessThan(tolerance);
      };
      const { inverseDynamics, forwardDynamics } = values.derivatives;
      const inverse = door.inverseDerivatives(state, qdd);
      near(inverse.dq, inverseDynamics.dq, 1e-12);
      near(inverse.dv, inverseDynamics.dv, 1e-12);
      const withInverse = 1e-11 + 1e-15 * values.condM;
      const forward = door.forwardDerivatives(state, tau);
      near(forward.dq, forwardDynamics.dq, withInverse);
      near(forward.dv, forwardDynamics.dv, withInverse);
      near(forward.dtau, values.massInverse, withInverse);
      if (engine === 'auto')
        for (const name of ['inverseDerivatives', 'forwardDerivatives'])
          expect(door.report().functions.find((line) => line.name === name)?.engine).toBe('compiled');
    });
  },
);

function check(mechanism: Mechanism, seed: number, engine: (typeof ENGINES)[number]): void {
  const door: Dynamics = dynamics(mechanism, { engine });
  const plain = dynamics(mechanism, { engine: 'plain' });
  const state = State.random(mechanism, seed);
  const given = Float64Array.from({ length: mechanism.nv }, (_, k) => Math.cos(seed + 3 * k));
  /** Long steps of the differences err where the function bends, short ones round. */
  const near = (ours: Float64Array, by: 'q' | 'v', f: (moved: State) => Float64Array, what: string): void => {
    const at = (h: number): number => relativeError(ours, numericalDerivative(mechanism, state, by, f, h));
    const error = at(0.006);
    expect(error < 1e-9 ? error : Math.min(error, at(0.0015)), `${mechanism.name}, ${what}`).toBeLessThan(1e-9);
  };
  const forward = door.forwardDerivatives(state, given);
  expect(relativeError(forward.qdd, plain.forward(state, given)), mechanism.name).toBeLessThan(1e-9);
  const accelerate = (moved: State): Float64Array => plain.forward(moved, given);
  near(forward.dq, 'q', accelerate, 'FD, q');
  near(forward.dv, 'v', accelerate, 'FD, v');
  const inverse = door.inverseDerivatives(state, given);
  const push = (moved: State): Float64Array => plain.inverse(moved, given);
  near(inverse.dq, 'q', push, 'ID, q');
  near(inverse.dv, 'v', push, 'ID, v');
}

/** The same with steps that cost no digits, for open trees. */
function checkComplex(mechanism: Mechanism, seed: number): void {
  const door = dynamics(mechanism);
  const state = State.random(mechanism, seed);
  const given = Float64Array.from({ length: mechanism.nv }, (_, k) => Math.cos(seed + 3 * k));
  const matrices = { forward: door.forwardDerivatives(state, given), inverse: door.inverseDerivatives(state, given) };
  for (const task of ['forward', 'inverse'] as const) {
    const steps = new ComplexStep(mechanism, task);
    for (const [by, key] of [
      ['q', 'dq'],
      ['v', 'dv'],
    ] as const)
      expect(
        relativeError(matrices[task][key], steps.derivative(state, given, by)),
        `${mechanism.name}, ${task}, ${by}`,
      ).toBeLessThan(1e-9);
  }
}

const COUNT = process.env.MANIKIN_LONG === '1' ? 500 : 24;

const COUPLED = process.env.MANIKIN_LONG === '1' ? 500 : 4;
const COMPLEX = process.env.MANIKIN_LONG === '1' ? 500 : 8;

it(`${COMPLEX} random mechanisms of all joint types: complex steps`, () => {
  for (let k = 0; k < COMPLEX; k++) {
    const options = { bodies: 2 + (k % 6), forest: k % 4 === 0, shuffled: k % 3 === 0, armature: k % 2 === 0 };
    checkComplex(randomMechanism(9000 + k, options), 50 + k);
  }
});

describe.each(ENGINES)('random mechanisms, engine %s', (engine) => {
  it(`${COUNT} of all joint types`, () => {
    for (let k = 0; k < COUNT; k++) {
      const options = { bodies: 2 + (k % 6), forest: k % 4 === 0, shuffled: k % 3 === 0, armature: k % 2 === 0 };
      check(randomMechanism(9000 + k, options), 50 + k, engine);
    }
  });

  it(`${COUPLED} with coupled joints`, () => {
    for (let seed = 1; seed <= COUPLED; seed++) check(randomCoupled(seed), seed, engine);
  });
});

it('many states by one door: nothing is left of the one before', () => {
  for (let k = 0; k < 24; k++) {
    const options = { bodies: 2 + (k % 6), forest: k % 4 === 0, armature: k % 2 === 0 };
    const mechanism = randomMechanism(4000 + k, options);
    const [ours, plain] = (['auto', 'plain'] as const).map((engine) => dynamics(mechanism, { engine }));
    for (let seed = 1; seed <= 3; seed++) {
      const state = State.random(mechanism, seed);
      const tau = Float64Array.from({ length: mechanism.nv }, (_, i) => Math.cos(i + seed));
      const [a, b] = [ours, plain].map((door) => door.forwardDerivatives(state, tau));
      for (const key of ['qdd', 'dq', 'dv', 'dtau'] as const)
        expect(relativeError(a[key], b[key]), `${mechanism.name}, ${key}`).toBeLessThan(1e-9);
    }
  }
});

it('coupled joints: the compiled inverse of the mass matrix is that of the plain engine', () => {
  for (let seed = 1; seed <= 12; seed++) {
    const mechanism = randomCoupled(seed);
    const state = State.random(mechanism, seed);
    const [ours, plain] = (['auto', 'plain'] as const).map((engine) => dynamics(mechanism, { engine }));
    expect(
      relativeError(ours.inverseMassMatrix(state).Hinv, plain.inverseMassMatrix(state).Hinv),
      mechanism.name,
    ).toBeLessThan(1e-9);
    const [a, b] = [ours, plain].map((door) => door.forwardDerivatives(state));
    for (const key of ['dq', 'dv', 'dtau'] as const) expect(relativeError(a[key], b[key])).toBeLessThan(1e-9);
    for (const name of ['inverseMassMatrix', 'forwardDerivatives'])
      expect(ours.report().functions.find((line) => line.name === name)?.engine).toBe('compiled');
  }
});

it('a follower all but without mass: the inverse of its tree has no digits left for that of the coupled joints', () => {
  const body = (name: string, mass: number) => ({ name, mass, com: [0.1, 0, 0] as const });
  const mechanism = createMechanism({
    name: 'light follower',
    bodies: [body('a', 1), body('b', 1e-12)],
    joints: [
      { name: 'j', type: 'revolute', axis: [0, 1, 0], parent: null, child: 'a' },
      { name: 'f', type: 'revolute', axis: [0, 1, 0], parent: 'a', child: 'b', t: [0.2, 0, 0] },
    ],
    couplings: [{ joint: 'f', source: 'j', multiplier: 2 }],
  });
  const state = State.random(mechanism, 1);
  const [ours, plain] = (['auto', 'plain'] as const).map((engine) =>
    dynamics(mechanism, { engine }).forwardDerivatives(state),
  );
  expect(relativeError(ours.dtau, [100, 200, 200, 400])).toBeLessThan(1e-9);
  expect(relativeError(ours.dtau, plain.dtau)).toBeLessThan(1e-12);
  expect(relativeError(ours.dq, plain.dq)).toBeLessThan(1e-12);
});

/** Two mechanisms on one ground. */
function sideBySide(...names: readonly string[]): Mechanism {
  const specs = names.map((name) => mechanismSpec(builtinMechanism(name)));
  const named = (k: number, name: string): string => `${k} ${name}`;
  return createMechanism({
    name: names.join(' and '),
    bodies: specs.flatMap(({ bodies }, k) => bodies.map((body) => ({ ...body, name: named(k, body.name) }))),
    joints: specs.flatMap(({ joints }, k) =>
      joints.map((joint) => ({
        ...joint,
        name: named(k, joint.name),
        parent: joint.parent === null ? null : named(k, joint.parent),
        child: named(k, joint.child),
      })),
    ),
  });
}

it.each([
  ['human-161', builtinMechanism('human-161')],
  ['a figure and a chain side by side', sideBySide('human-161', 'chain-64')],
])('large mechanisms: %s', (_, mechanism) => {
  const state = State.random(mechanism, 5);
  const tau = Float64Array.from({ length: mechanism.nv }, (__, k) => Math.sin(k));
  const [ours, plain] = (['auto', 'plain'] as const).map((engine) =>
    dynamics(mechanism, { engine }).forwardDerivatives(state, tau),
  );
  for (const key of ['dq', 'dv', 'dtau'] as const) expect(relativeError(ours[key], plain[key])).toBeLessThan(1e-9);
});

it('closed loops: forward dynamics; inverse dynamics are refused in one sentence', () => {
  const mechanism = createMechanism(closedSpec(3, 6, 1));
  const { nv } = mechanism;
  const state = new State(mechanism);
  for (let k = 0; k < nv; k++) state.v[k] = Math.sin(k);
  const door = dynamics(mechanism);
  const { dtau, qdd, dq, dv } = door.forwardDerivatives(state);
  // Against two points along a direction with all degrees of freedom in it.
  const along = Float64Array.from({ length: nv }, (_, k) => Math.cos(2 * k));
  const times = (matrix: Float64Array): Float64Array =>
    along.map((_, i) => along.reduce((sum, x, j) => sum + matrix[nv * i + j] * x, 0));
  for (const by of ['q', 'v'] as const) {
    const at = (h: number): Float64Array => {
      const moved = state.clone();
      if (by === 'q') integrate(mechanism, state.q, along, h, moved.q);
      else for (let k = 0; k < nv; k++) moved.v[k] += h * along[k];
      return door.forward(moved);
    };
    const [before, after] = [at(-1e-5), at(1e-5)];
    expect(
      relativeError(
        times(by === 'q' ? dq : dv),
        after.map((x, k) => (x - before[k]) / 2e-5),
      ),
    ).toBeLessThan(1e-7);
  }
  const push = new Float64Array(mechanism.nv).fill(0.25, 0, 1);
  const pushed = door.forward(state, push);
  // Linear in the forces.
  for (let i = 0; i < mechanism.nv; i++)
    expect(Math.abs(pushed[i] - qdd[i] - 0.25 * dtau[mechanism.nv * i])).toBeLessThan(1e-9);
  expect(() => door.inverseDerivatives(state)).toThrow(/not unique in closed loops/);
});

it('long chains: columns by articulated bodies solve the equations of motion', () => {
  const mechanism = builtinMechanism('chain-220');
  const { nv } = mechanism;
  const door = dynamics(mechanism, { engine: 'plain' });
  const state = State.random(mechanism, 1);
  const { qdd, dq, dv, dtau } = door.forwardDerivatives(state);
  const { H } = door.massMatrix(state);
  const inverse = door.inverseDerivatives(state, qdd);
  const right = Float64Array.from({ length: nv }, (_, k) => Math.sin(k));
  const times = (matrix: Float64Array, x: Float64Array): Float64Array =>
    x.map((_, i) => x.reduce((sum, value, j) => sum + matrix[nv * i + j] * value, 0));
  for (const [ours, forces] of [
    [dq, inverse.dq],
    [dv, inverse.dv],
  ])
    expect(
      relativeError(
        times(H, times(ours, right)),
        times(forces, right).map((x) => -x),
      ),
    ).toBeLessThan(1e-9);
  expect(relativeError(times(H, times(dtau, right)), right)).toBeLessThan(1e-9);
  expect(relativeError(times(H, door.solve(state, right)), right)).toBeLessThan(1e-9);
});
