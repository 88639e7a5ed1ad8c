// Dormand-Prince: error against tolerance on all joint types, steps of its own; events to their time tolerance, also where they
// only graze, come together, or come twice in one step.

import { describe, expect, it } from 'vitest';
import { createMechanism } from '../../src/mechanism/create.js';
import { MechanismError } from '../../src/mechanism/errors.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { builtinMechanism } from '../../src/models/index.js';
import type { Occurrence, SimulationEvent } from '../../src/simulation/events.js';
import { Simulation, type SimulationOptions } from '../../src/simulation/simulation.js';
import { ALL_JOINT_TYPES, randomSpec } from '../support/random-mechanism.js';
import { distance } from './support.js';

/** Every type of joint, with damping and a spring. */
function mixed(seed: number): Mechanism {
  const spec = randomSpec(seed, { bodies: ALL_JOINT_TYPES.length, base: 'floating', armature: true });
  const joints = spec.joints.map((joint, i) => ({
    ...joint,
    ...(i > 0 && { type: ALL_JOINT_TYPES[i] }),
    damping: 0.2,
    ...(ALL_JOINT_TYPES[i] === 'revolute' && { stiffness: 3, rest: 0.2 }),
  }));
  return createMechanism({ ...spec, joints });
}

const control = (tau: Float64Array, { time }: State): void => {
  for (let k = 0; k < tau.length; k++) tau[k] = Math.sin(5 * time + k);
};

function run(mechanism: Mechanism, options: SimulationOptions, end: number): State {
  const simulation = new Simulation(mechanism, { state: State.random(mechanism, 11), control, ...options });
  simulation.runUntil(end);
  return simulation.state;
}

describe('the error', () => {
  it.each([1, 2, 3])('falls with the tolerance, on a mechanism of all joint types (%i)', (seed) => {
    const mechanism = mixed(seed);
    const end = 0.2;
    const reference = run(mechanism, { integrator: 'rk4', step: 1e-4 }, end);
    const errors = [1e-5, 1e-7, 1e-9, 1e-11].map((tolerance) => {
      const tolerances = { relative: tolerance, absolute: tolerance };
      return distance(run(mechanism, { integrator: 'dopri5', step: end, tolerances }, end), reference);
    });
    errors.forEach((error, k) => {
      expect(error).toBeLessThan(100 * 10 ** (-5 - 2 * k));
    });
    expect(errors[0]).toBeGreaterThan(100 * errors[2]);
  });

  it.each([1, 2])('is of fifth order in fixed steps (%i)', (seed) => {
    const mechanism = mixed(seed);
    const end = 0.2;
    const reference = run(mechanism, { integrator: 'rk4', step: 5e-5 }, end);
    // With a tolerance that any step meets, the steps of the simulation are the steps taken.
    const loose = { relative: 1e3, absolute: 1e3 };
    const errors = [10, 20, 40].map((n) =>
      distance(run(mechanism, { integrator: 'dopri5', step: end / n, tolerances: loose }, end), reference),
    );
    for (const slope of [Math.log2(errors[0] / errors[1]), Math.log2(errors[1] / errors[2])]) {
      expect(slope).toBeGreaterThan(4.5);
      expect(slope).toBeLessThan(7);
    }
  });

  it('does not depend on how the time is cut into steps', () => {
    const mechanism = builtinMechanism('human-40');
    const tolerances = { relative: 1e-10, absolute: 1e-10 };
    const once = run(mechanism, { integrator: 'dopri5', step: 0.3, tolerances }, 0.3);
    const often = run(mechanism, { integrator: 'dopri5', step: 0.001, tolerances }, 0.3);
    expect(distance(once, often)).toBeLessThan(1e-7);
  });

  it('a long step stays within tolerance where Runge-Kutta in one step does not', () => {
    const mechanism = builtinMechanism('chain-3');
    const state = State.random(mechanism, 1);
    const simulation = new Simulation(mechanism, { state, integrator: 'dopri5', step: 5 });
    const before = simulation.energy();
    simulation.step();
    const after = simulation.energy();
    expect(simulation.time).toBe(5);
    expect(Math.abs(after.kinetic + after.potential - before.kinetic - before.potential)).toBeLessThan(1e-5);
  });

  it('quaternions stay unit ones', () => {
    const mechanism = createMechanism(randomSpec(3, { bodies: 3, types: ['spherical', 'floating'] }));
    const { q } = run(mechanism, { integrator: 'dopri5', step: 0.5 }, 1);
    for (const { iq } of mechanism.joints)
      expect(Math.abs(Math.hypot(...q.subarray(iq, iq + 4)) - 1)).toBeLessThan(1e-15);
  });

  it('a tolerance that cannot be met is an error that names the time, and the state stays', () => {
    const mechanism = builtinMechanism('chain-2');
    const simulation = new Simulation(mechanism, {
      integrator: 'dopri5',
      control: (tau, { time }) => tau.fill(time > 0.105 ? Number.NaN : 0),
    });
    simulation.runUntil(0.1);
    const { q } = simulation.state.clone();
    expect(() => simulation.step(0.1)).toThrow(/step became too small|not a finite number/);
    expect([...simulation.state.q]).toEqual([...q]);
  });
});

/** A ball that falls without turning: height and speed are exact parabolas. */
function ball(): Mechanism {
  return createMechanism({
    gravity: [0, 0, -10],
    bodies: [{ name: 'ball', mass: 1 }],
    joints: [{ name: 'height', type: 'prismatic', axis: [0, 0, 1], parent: null, child: 'ball' }],
  });
}

const height = (level: number, more: Partial<SimulationEvent> = {}): SimulationEvent => ({
  name: `height ${level}`,
  value: ({ q }) => q[0] - level,
  ...more,
});

/** All that happens until the end; `act` at each event. */
function happenings(
  mechanism: Mechanism,
  state: State,
  events: readonly SimulationEvent[],
  end: number,
  act: (simulation: Simulation) => void = () => {},
  step = 0.5,
): Occurrence[][] {
  const seen: Occurrence[][] = [];
  const simulation = new Simulation(mechanism, {
    state,
    integrator: 'dopri5',
    step,
    events,
    onEvent: (at, occurrences) => {
      seen.push([...occurrences]);
      act(at);
    },
  });
  simulation.runUntil(end);
  expect(simulation.time).toBe(end);
  return seen;
}

describe('events', () => {
  const thrown = (q: number, v: number): State => new State(ball()).set('height', q, v);

  it('are found to the time tolerance, rising and falling', () => {
    // 5 t - 5 t^2 = 1.2: t = 0.4 and 0.6.
    const seen = happenings(ball(), thrown(0, 5), [height(1.2)], 2);
    expect(seen.map(([{ time }]) => time)).toHaveLength(2);
    seen.forEach(([{ time, kind }], k) => {
      expect(Math.abs(time - [0.4, 0.6][k])).toBeLessThan(2e-12);
      expect(kind).toBe('crossing');
    });
  });

  it('count in the direction that was asked for', () => {
    const times = (direction: 'rising' | 'falling'): number[] =>
      happenings(ball(), thrown(0, 5), [height(1.2, { direction })], 2).map(([{ time }]) => Number(time.toFixed(9)));
    expect(times('rising')).toEqual([0.4]);
    expect(times('falling')).toEqual([0.6]);
  });

  it('a value that passes through zero and back within one step is seen twice, however short the visit', () => {
    for (const visit of [0.1, 1e-2, 1e-4, 1e-6]) {
      // The top, 1.25 at 0.5 s, is above the level for that long.
      const level = 1.25 - 5 * (visit / 2) ** 2;
      const seen = happenings(ball(), thrown(0, 5), [height(level)], 2).flat();
      expect(seen.map(({ kind }) => kind)).toEqual(['crossing', 'crossing']);
      expect(Math.abs(seen[1].time - seen[0].time - visit)).toBeLessThan(1e-8);
    }
  });

  it('grazing is reported where it was asked for, and is no crossing', () => {
    const just = 1.25 + 1e-12;
    expect(happenings(ball(), thrown(0, 5), [height(just)], 2)).toEqual([]);
    const seen = happenings(ball(), thrown(0, 5), [height(just, { grazing: 1e-9 })], 2).flat();
    expect(seen.map(({ kind }) => kind)).toEqual(['grazing']);
    // A valley is flat: its time is as good as the root of the rounding.
    expect(Math.abs(seen[0].time - 0.5)).toBeLessThan(1e-6);
    expect(happenings(ball(), thrown(0, 5), [height(1.25 + 1e-6, { grazing: 1e-9 })], 2)).toEqual([]);
  });

  it('events that happen together are reported together, in their order; others one by one', () => {
    const events = [
      height(0.45, { name: 'b', direction: 'falling' }),
      { name: 'a', value: ({ q }: State) => 3 * (q[0] - 1.2) },
      height(1.2, { name: 'c' }),
      { name: 'clock', value: ({ time }: State) => time - 0.6 },
    ];
    const seen = happenings(ball(), thrown(0, 5), events, 0.95);
    expect(seen.map((at) => at.map(({ name }) => name))).toEqual([['a', 'c'], ['a', 'c', 'clock'], ['b']]);
  });

  it('a ball bounces at the right times: restitution one half, thirty times', () => {
    const seen = happenings(ball(), thrown(0, 10), [height(0, { direction: 'falling' })], 3.999999, (simulation) => {
      simulation.state.v[0] *= -0.5;
    });
    // Flight k takes 2 * 0.5^k seconds.
    let time = 0;
    expect(seen.length).toBeGreaterThan(20);
    seen.forEach(([occurrence], k) => {
      time += 2 * 0.5 ** k;
      expect(Math.abs(occurrence.time - time)).toBeLessThan(1e-9);
    });
  });

  it('an event that was let pass does not come again at once', () => {
    for (const step of [0.5, 0.01])
      expect(happenings(ball(), thrown(1, 0), [height(0)], 2, undefined, step)).toHaveLength(1);
  });

  it('at the end of a step, and at its beginning', () => {
    // Falls from 1.25 to 0 in 0.5 s: the end of the first step.
    expect(happenings(ball(), thrown(1.25, 0), [height(0)], 1)).toHaveLength(1);
    expect(happenings(ball(), thrown(0, 5), [height(0)], 1.5).map(([{ time }]) => time.toFixed(9))).toEqual([
      '1.000000000',
    ]);
  });

  it('on all joint types: the state at the event is the state of a run to that time', () => {
    const mechanism = mixed(2);
    const state = State.random(mechanism, 11);
    const value = ({ q }: State): number => q[mechanism.joints[1].iq] - 0.9 * state.q[mechanism.joints[1].iq];
    let at: State | undefined;
    const tolerances = { relative: 1e-11, absolute: 1e-11 };
    const simulation = new Simulation(mechanism, {
      state,
      control,
      integrator: 'dopri5',
      step: 0.5,
      tolerances,
      events: [{ name: 'x', value }],
      onEvent: (s) => {
        at ??= s.state.clone();
      },
    });
    simulation.runUntil(0.5);
    expect(at).toBeDefined();
    expect(Math.abs(value(at!))).toBeLessThan(1e-11);
    expect(distance(run(mechanism, { integrator: 'rk4', step: 1e-4 }, at!.time), at!)).toBeLessThan(1e-9);
  });

  it('the value is zero there even where the dense output is rough', () => {
    const mechanism = builtinMechanism('chain-3');
    const value = ({ q }: State): number => q[0] + 0.7 * q[2] - 0.2;
    const values: number[] = [];
    const simulation = new Simulation(mechanism, {
      state: State.random(mechanism, 4),
      integrator: 'dopri5',
      step: 3,
      tolerances: { relative: 1e-3, absolute: 1e-3 },
      events: [{ name: 'x', value }],
      onEvent: (at) => {
        values.push(value(at.state));
        return undefined;
      },
    });
    simulation.runUntil(3);
    expect(values.length).toBeGreaterThan(2);
    for (const found of values) expect(Math.abs(found)).toBeLessThan(1e-10);
  });

  it('the structure may change at an event: a figure takes hold, and goes on', () => {
    const mechanism = builtinMechanism('chain-3-free');
    let joined = 0;
    const simulation = new Simulation(mechanism, {
      integrator: 'dopri5',
      events: [{ name: 'late', value: ({ time }) => time - 0.123 }],
      onEvent: (s) => {
        s.connect({ name: 'hook', a: 'link_1', b: null, joint: { type: 'spherical' }, at: [0, 0, -0.07] });
        joined = s.time;
      },
    });
    simulation.runUntil(0.3);
    expect(joined).toBeCloseTo(0.123, 11);
    expect(simulation.mechanism.loops).toHaveLength(1);
    expect(simulation.time).toBe(0.3);
  });
});

describe('refuses', () => {
  const refused = (options: SimulationOptions, message: string): void => {
    expect(() => new Simulation(ball(), options)).toThrow(MechanismError);
    expect(() => new Simulation(ball(), options)).toThrow(message);
  };
  it('events with another integrator, and tolerances that are none', () => {
    refused({ integrator: 'rk4', events: [height(0)] }, 'Only the integrator dopri5 finds events.');
    refused(
      { integrator: 'dopri5', tolerances: { relative: 0 } },
      'The relative tolerance must be a positive number, got 0.',
    );
    refused({ integrator: 'dopri5', tolerances: { absolute: Number.NaN } }, 'absolute tolerance');
    // biome-ignore lint/suspicious/noExplicitAny: wrong on purpose
    refused({ integrator: 'rk9' as any }, 'There is no integrator "rk9"; take one of dopri5, rk4, midpoint, euler.');
  });
});
