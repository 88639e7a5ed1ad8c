// The clock, the control, and what happens when something goes wrong.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MechanismError, SimulationError } from '../../src/mechanism/errors.js';
import { State } from '../../src/mechanism/state.js';
import { builtinMechanism } from '../../src/models/index.js';
import type { IntegratorName } from '../../src/simulation/integrators.js';
import { Simulation } from '../../src/simulation/simulation.js';
import { MOMENT, pendulum } from './support.js';

const NO_GRAVITY = [0, 0, 0] as const;

function caught(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error('expected an error, but the call returned');
}

describe('time', () => {
  it('runUntil lands on the end exactly', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-4, max: 0.3, noNaN: true }),
        fc.array(fc.double({ min: 0, max: 0.5, noNaN: true }), { minLength: 1, maxLength: 4 }),
        (step, parts) => {
          const simulation = new Simulation(pendulum(), { step: Math.max(step, Math.max(...parts) / 50) });
          let end = 0;
          for (const part of parts) {
            end += part;
            const before = simulation.time;
            simulation.runUntil(end);
            // A remainder of a billionth of a step is no step.
            if (end - before > 1e-8 * simulation.stepSize) expect(simulation.time).toBe(end);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('runUntil lands on the end exactly where t + (end - t) is not end', () => {
    const mechanism = pendulum();
    const state = new State(mechanism);
    let found = 0;
    for (let k = 1; k <= 200; k++) {
      const [start, end] = [k / 1000, 0.25 + k / 300];
      if (start + (end - start) === end) continue;
      found++;
      state.time = start;
      const simulation = new Simulation(mechanism, { state, step: 10 });
      simulation.runUntil(end);
      expect(simulation.time).toBe(end);
    }
    expect(found).toBeGreaterThan(0);
  });

  it('runUntil takes the number of steps that one expects', () => {
    for (const [step, end, steps] of [
      [0.1, 1, 10],
      [0.01, 2, 200],
      [0.3, 1, 4],
      [0.001, 0.7, 700],
      [5, 1, 1],
      [1 / 3, 1, 3],
    ]) {
      let count = 0;
      const simulation = new Simulation(pendulum(), { step });
      simulation.runUntil(end, () => {
        count++;
        return true;
      });
      expect([count, simulation.time]).toEqual([steps, end]);
    }
  });

  it('runUntil does nothing where the end has passed, and stops when told', () => {
    const simulation = new Simulation(pendulum(), { step: 0.1 });
    simulation.runUntil(0.5);
    const q = simulation.state.q[0];
    simulation.runUntil(0.2);
    expect([simulation.time, simulation.state.q[0]]).toEqual([0.5, q]);
    simulation.runUntil(5, () => false);
    expect(simulation.time).toBeCloseTo(0.6, 12);
  });

  it('starts at the time of its state', () => {
    const mechanism = pendulum();
    const state = new State(mechanism);
    state.time = 3;
    const simulation = new Simulation(mechanism, { state, step: 0.1 });
    expect(simulation.time).toBe(3);
    simulation.runUntil(3.25);
    expect(simulation.time).toBe(3.25);
  });

  it.each(['rk4', 'euler'] as const)('a step too small for the clock is an error, not a hang (%s)', (integrator) => {
    const mechanism = pendulum();
    const state = new State(mechanism);
    state.time = 1e10;
    const simulation = new Simulation(mechanism, { integrator, state, step: 1e-7 });
    let steps = 0;
    const error = caught(() =>
      simulation.runUntil(1e10 + 1, () => {
        if (++steps > 100) throw new Error('the clock stands still');
        return true;
      }),
    );
    expect(error).toBeInstanceOf(SimulationError);
    expect((error as Error).message).toMatch(/step/i);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('a step of %d is refused', (step) => {
    const error = caught(() => new Simulation(pendulum(), { step }));
    expect(error).toBeInstanceOf(MechanismError);
    expect((error as MechanismError).problems[0].code).toBe('step');
  });

  it('an unknown integrator is refused', () => {
    const error = caught(() => new Simulation(pendulum(), { integrator: 'leapfrog' as IntegratorName }));
    expect((error as Error).message).toContain('There is no integrator "leapfrog"');
  });

  it('works on a copy of the state it is given', () => {
    const mechanism = pendulum();
    const state = new State(mechanism).set('hinge', 1);
    const simulation = new Simulation(mechanism, { state });
    simulation.runUntil(0.1);
    expect([state.q[0], state.v[0], state.time]).toEqual([1, 0, 0]);
    state.q[0] = 5;
    expect(simulation.state.q[0]).toBeLessThan(1);
  });

  it('gives the same numbers every time', () => {
    const mechanism = builtinMechanism('human-34');
    const ends = ['rk4', 'euler'].flatMap((integrator) =>
      [0, 1].map(() => {
        const simulation = new Simulation(mechanism, {
          integrator: integrator as IntegratorName,
          state: State.random(mechanism, 1),
        });
        simulation.runUntil(0.02);
        return [...simulation.state.q, ...simulation.state.v];
      }),
    );
    expect(ends[1]).toEqual(ends[0]);
    expect(ends[3]).toEqual(ends[2]);
    expect(ends[2]).not.toEqual(ends[0]);
  });
});

describe('control', () => {
  it.each([
    ['rk4', 10],
    ['euler', 2],
  ] as const)('is a function of time and state (%s)', (integrator, digits) => {
    const simulation = new Simulation(pendulum({}, NO_GRAVITY), {
      integrator,
      control: (tau, { time }) => {
        tau[0] = MOMENT * Math.cos(3 * time);
      },
    });
    simulation.runUntil(1);
    expect(simulation.state.v[0]).toBeCloseTo(Math.sin(3) / 3, digits);
    expect(simulation.state.q[0]).toBeCloseTo((1 - Math.cos(3)) / 9, digits);
  });

  it('begins with zero forces at every call', () => {
    const seen: number[] = [];
    const simulation = new Simulation(pendulum({}, NO_GRAVITY), {
      integrator: 'rk4',
      control: (tau) => {
        seen.push(tau[0]);
        tau[0] += 1;
      },
    });
    simulation.runUntil(0.002);
    expect(seen).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });

  it('sees the times of the stages', () => {
    const times: number[] = [];
    const simulation = new Simulation(pendulum(), {
      integrator: 'rk4',
      step: 0.5,
      control: (_tau, { time }) => times.push(time),
    });
    simulation.step();
    expect(times).toEqual([0, 0.25, 0.25, 0.5]);
  });

  it('holds a pendulum against gravity', () => {
    const mechanism = pendulum();
    const simulation = new Simulation(mechanism, {
      state: new State(mechanism).set('hinge', 1),
      control: (tau, state) => {
        tau.set(simulation.dynamics.inverse(state));
      },
    });
    simulation.runUntil(1);
    expect(simulation.state.q[0]).toBeCloseTo(1, 10);
  });
});

describe('when a number is not finite', () => {
  const mechanism = builtinMechanism('chain-3');

  it.each(['rk4', 'euler'] as const)(
    'a NaN torque stops with an error; the state is the last good one (%s)',
    (integrator) => {
      let broken = true;
      const simulation = new Simulation(mechanism, {
        integrator,
        step: 0.01,
        state: State.random(mechanism, 1),
        control: (tau, { time }) => {
          if (broken && time > 0.0451) tau[1] = Number.NaN;
        },
      });
      const states: number[][] = [];
      const error = caught(() =>
        simulation.runUntil(1, ({ state: { q, v } }) => {
          states.push([...q, ...v]);
          return true;
        }),
      );
      expect(error).toBeInstanceOf(SimulationError);
      const { code, body, joint, time, message } = error as SimulationError;
      expect([code, body, joint]).toEqual(['not-finite', 'link_2', 'joint_2']);
      expect(time).toBeGreaterThan(0.0451);
      expect(time).toBeLessThan(0.061);
      for (const word of ['link_2', 'joint_2', `${time}`]) expect(message).toContain(word);
      const last = integrator === 'rk4' ? 0.04 : 0.05;
      expect(simulation.time).toBeCloseTo(last, 12);
      expect([...simulation.state.q, ...simulation.state.v]).toEqual(states.at(-1));
      // One can go on from there.
      broken = false;
      simulation.runUntil(0.1);
      expect(simulation.time).toBe(0.1);
      expect(simulation.state.q.every(Number.isFinite)).toBe(true);
    },
  );

  it('an error of the control itself comes through, with the state as it was', () => {
    const simulation = new Simulation(mechanism, {
      integrator: 'rk4',
      control: (_tau, { time }) => {
        if (time > 0.0052) throw new RangeError('out of reach');
      },
    });
    expect(caught(() => simulation.runUntil(1))).toBeInstanceOf(RangeError);
    expect(simulation.time).toBeCloseTo(0.005, 12);
  });

  it('a motion that runs away is named', () => {
    const simulation = new Simulation(mechanism, {
      integrator: 'rk4',
      step: 0.1,
      energyTolerance: Number.POSITIVE_INFINITY,
      control: (tau, { v }) => {
        tau[2] = 1e3 * v[2] + 1;
      },
    });
    const error = caught(() => simulation.runUntil(1000)) as SimulationError;
    expect(error).toBeInstanceOf(SimulationError);
    expect(error.joint).toMatch(/^joint_\d$/);
    expect(error.body).toBe(error.joint!.replace('joint', 'link'));
    expect([...simulation.state.q, ...simulation.state.v].every(Number.isFinite)).toBe(true);
  });
});
