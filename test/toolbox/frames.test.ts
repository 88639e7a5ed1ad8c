// Frames by name: against Pinocchio's values, against differences, and against each other.

import { describe, expect, it } from 'vitest';
import { dynamics } from '../../src/dynamics/dynamics.js';
import type { FrameName, InOption } from '../../src/dynamics/frames.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { difference, integrate } from '../../src/toolbox/index.js';
import { randomSpec, relativeError } from '../support/random-mechanism.js';
import { hasShared } from '../support/shared.js';
import { byDof, robots, six } from './reference.js';

const IN = [
  ['frame', 'LOCAL'],
  ['world', 'WORLD'],
  ['aligned', 'LOCAL_WORLD_ALIGNED'],
] as const;

describe.skipIf(!hasShared('reference/toolbox.json')).each(['keep', 'merge'] as const)(
  "frames against Pinocchio's values, fixed joints: %s",
  (fixedJoints) => {
    it.each(robots(fixedJoints).map((robot) => [robot.name, robot] as const))('%s', (_, robot) => {
      const { mechanism, state, qdd, values } = robot;
      const door = dynamics(mechanism, { engine: fixedJoints === 'keep' ? 'plain' : 'auto' });
      for (const [name, frame] of Object.entries<never>(values.frames)) {
        const { R, p, velocity, acceleration, jacobian, jacobianDot } = frame as never as Record<string, never>;
        const pose = door.pose(state, name);
        expect(relativeError(pose.t, p)).toBeLessThan(1e-12);
        expect(
          relativeError(
            [0, 3, 6, 1, 4, 7, 2, 5, 8].map((k) => pose.E[k]),
            R,
          ),
        ).toBeLessThan(1e-12);
        for (const [how, theirs] of IN) {
          const near = (ours: ArrayLike<number>, expected: ArrayLike<number>): void =>
            expect(relativeError(ours, expected), `${name} ${how}`).toBeLessThan(1e-12);
          near(six(door.velocity(state, name, { in: how })), six(velocity[theirs]));
          for (const kind of ['spatial', 'classical'] as const)
            near(
              six(door.acceleration(state, name, { qdd, in: how, classical: kind === 'classical' })),
              six((acceleration[kind] as Record<string, never>)[theirs]),
            );
          near(door.jacobian(state, name, { in: how }), byDof(robot, jacobian[theirs], 6));
          near(door.jacobianRate(state, name, { in: how }), byDof(robot, jacobianDot[theirs], 6));
        }
      }
    });
  },
);

const SEEDS = Array.from({ length: 12 }, (_, k) => 7100 + k);

function withTool(seed: number): Mechanism {
  const spec = randomSpec(seed, { bodies: 7, forest: true });
  const frames = [
    { name: 'tool', body: 'b5', E: [0, 1, 0, 0, 0, 1, 1, 0, 0], t: [0.1, -0.2, 0.3] },
    { name: 'eye', body: 'b2', E: [0, 0, 1, 1, 0, 0, 0, 1, 0], t: [0, 0.2, 0.1] },
  ] as const;
  return createMechanism({ ...spec, frames });
}

describe.each(SEEDS)('random mechanism %i', (seed) => {
  const mechanism = withTool(seed);
  const door = dynamics(mechanism, { engine: 'plain' });
  const state = State.random(mechanism, seed);
  const qdd = Float64Array.from({ length: mechanism.nv }, (_, k) => Math.sin(k));
  const POINT: FrameName = { frame: 'tool', at: [0.3, 0.1, -0.2] };
  const cases: readonly (readonly [FrameName, InOption])[] = ['tool', 'b6', POINT].flatMap((name) =>
    IN.flatMap(([how]): [FrameName, InOption][] => [
      [name as FrameName, { in: how }],
      [name as FrameName, { in: how, relativeTo: 'eye' }],
    ]),
  );
  const times = (J: Float64Array, x: Float64Array): number[] =>
    Array.from({ length: 6 }, (_, row) => x.reduce((sum, value, k) => sum + J[row * mechanism.nv + k] * value, 0));

  it.each(cases)('%j %j: velocities, Jacobians, their rates and accelerations belong together', (name, options) => {
    const J = door.jacobian(state, name, options);
    const rate = door.jacobianRate(state, name, options);
    expect(relativeError(times(J, state.v), six(door.velocity(state, name, options)))).toBeLessThan(1e-12);
    expect(relativeError(times(rate, state.v), six(door.acceleration(state, name, options)))).toBeLessThan(1e-11);
    const whole = times(J, qdd).map((x, k) => x + times(rate, state.v)[k]);
    expect(relativeError(whole, six(door.acceleration(state, name, { ...options, qdd })))).toBeLessThan(1e-11);
    // The rate of the Jacobian by differences of fourth order along v.
    const h = 1e-3;
    const at = (step: number): Float64Array => {
      const moved = state.clone();
      // Along v means q and, for the rate of the joints' own columns, nothing else.
      integrate(mechanism, state.q, state.v, step, moved.q);
      return door.jacobian(moved, name, options);
    };
    const [a, b, c, d] = [at(-2 * h), at(-h), at(h), at(2 * h)];
    const differences = rate.map((_, k) => (a[k] - 8 * b[k] + 8 * c[k] - d[k]) / (12 * h));
    expect(relativeError(rate, differences)).toBeLessThan(1e-8);
  });

  it('results go into what earlier calls gave', () => {
    const before = state.clone();
    before.q.set(integrate(mechanism, state.q, state.v));
    for (const [name, options] of cases) {
      const given = { ...options, qdd };
      for (const method of ['pose', 'velocity', 'acceleration'] as const) {
        const out = door[method](before, name, given);
        expect(door[method](state, name, { ...given, out: out as never })).toBe(out);
        expect(out).toEqual(door[method](state, name, given));
      }
    }
  });

  it('a pose seen from another frame, and the motion that Jacobians say', () => {
    const [tool, eye] = [door.pose(state, 'tool'), door.pose(state, 'eye')];
    const seen = door.pose(state, 'tool', { relativeTo: 'eye' });
    const d = [0, 1, 2].map((k) => tool.t[k] - eye.t[k]);
    expect(
      relativeError(
        seen.t,
        [0, 3, 6].map((k) => eye.E[k] * d[0] + eye.E[k + 1] * d[1] + eye.E[k + 2] * d[2]),
      ),
    ).toBeLessThan(1e-12);
    const h = 1e-6;
    const moved = state.clone();
    integrate(mechanism, state.q, state.v, h, moved.q);
    const after = door.pose(moved, 'tool', { relativeTo: 'eye' });
    const { linear } = door.velocity(state, 'tool', { in: 'aligned', relativeTo: 'eye' });
    expect(
      relativeError(
        after.t.map((x, k) => (x - seen.t[k]) / h),
        linear,
      ),
    ).toBeLessThan(1e-4);
    expect(
      relativeError(
        difference(mechanism, state.q, moved.q).map((x) => x / h),
        state.v,
      ),
    ).toBeLessThan(1e-6);
  });
});

it('names that are not there are refused with near ones, wrong sizes with one sentence', () => {
  const mechanism = withTool(1);
  const door = dynamics(mechanism);
  const state = new State(mechanism);
  for (const name of ['pose', 'velocity', 'acceleration', 'jacobian', 'jacobianRate'] as const) {
    expect(() => door[name](state, 'tol')).toThrow(/no body or frame "tol".*"tool"/);
    expect(() => door[name](state, 'tool', { relativeTo: 'ey' })).toThrow(/"eye"/);
  }
  for (const at of [
    [0, Number.NaN, 0],
    [1, 2],
  ])
    for (const name of ['pose', 'velocity', 'acceleration', 'jacobian', 'jacobianRate'] as const)
      expect(() => door[name](state, { frame: 'tool', at: at as never })).toThrow(
        /frame "tool": A point is three finite/,
      );
  expect(() => door.jacobianRate(state, 'tool', { out: new Float64Array(3) })).toThrow(/Expected/);
  expect(() => door.acceleration(state, 'tool', { qdd: new Float64Array(1) })).toThrow(/Expected/);
});

it("Pinocchio's names of coordinates are refused with ours", () => {
  const mechanism = createMechanism(randomSpec(1, { bodies: 2 }));
  const [door, state] = [dynamics(mechanism), State.random(mechanism, 1)];
  const options = { in: 'LOCAL' } as never;
  for (const name of ['jacobian', 'jacobianRate', 'velocity', 'acceleration'] as const)
    expect(() => door[name](state, 'b1', options)).toThrow(/'frame' \(Pinocchio's LOCAL\).*not "LOCAL"/);
});

it('many frames of one state at once have the bits of one after the other', () => {
  for (const seed of SEEDS.slice(0, 5)) {
    const mechanism = createMechanism(randomSpec(seed, { bodies: 8 }));
    const door = dynamics(mechanism, { engine: 'plain' });
    const qdd = Float64Array.from({ length: mechanism.nv }, (_, k) => Math.cos(k));
    const all = (state: State): unknown[] =>
      mechanism.bodies.flatMap(({ name }) => [
        door.acceleration(state, name, { qdd }),
        door.pose(state, name),
        ...(['frame', 'world', 'aligned'] as const).map((how) => door.velocity(state, name, { in: how })),
        door.acceleration(state, name, { in: 'aligned' }),
      ]);
    for (const state of [State.random(mechanism, 1), State.random(mechanism, 2)])
      expect(door.still(() => all(state))).toEqual(all(state));
  }
});
