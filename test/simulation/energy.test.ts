// Energy: the defaults do not gain any, what gains ends with an error that names a step, and work is booked.
// MANIKIN_LONG=1: 100 s and five seeds instead of 5 s and one.

import { describe, expect, it } from 'vitest';
import { createMechanism } from '../../src/mechanism/create.js';
import { SimulationError } from '../../src/mechanism/errors.js';
import { State } from '../../src/mechanism/state.js';
import { builtinMechanism } from '../../src/models/index.js';
import { EnergyGuard } from '../../src/simulation/energy-guard.js';
import { Simulation } from '../../src/simulation/simulation.js';

const LONG = process.env.MANIKIN_LONG === '1';
const SECONDS = LONG ? 100 : 5;
const SEEDS = LONG ? [1, 2, 3, 4, 5] : [1];
const TOLERANCE = 1e-3;

/** Kinetic energy about the centre of mass of what flies freely, all energy of what hangs. */
function energyOf(simulation: Simulation): number {
  const { kinetic, potential, momentum, mass } = simulation.energy();
  const [x, y, z] = momentum.linear;
  const free = simulation.mechanism.joints[0].type === 'floating';
  return free ? kinetic - (x * x + y * y + z * z) / (2 * mass) : kinetic + potential;
}

function errorOf(run: () => void): SimulationError {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(SimulationError);
    return error as SimulationError;
  }
  throw new Error('no error');
}

describe('defaults do not gain energy', () => {
  const names = ['human-34', 'human-48', 'chain-8', 'chain-32', 'chain-8-spherical'];
  const cases = names.flatMap((name) => (['dopri5', 'midpoint'] as const).map((integrator) => ({ name, integrator })));
  it.each(cases)(`$name, $integrator, ${SECONDS} s`, { timeout: 600_000 }, ({ name, integrator }) => {
    let [rise, fall] = [0, 0];
    for (const seed of SEEDS) {
      const mechanism = builtinMechanism(name);
      const state = State.random(mechanism, seed);
      const simulation = new Simulation(mechanism, { integrator, state, engine: 'compiled' });
      const start = energyOf(simulation);
      const hanging = name.startsWith('chain') ? simulation.dynamics.energy(new State(mechanism)).potential : 0;
      simulation.runUntil(SECONDS, () => {
        const change = (energyOf(simulation) - start) / (start - hanging);
        rise = Math.max(rise, change);
        fall = Math.min(fall, change);
        return true;
      });
      expect(rise, `seed ${seed}`).toBeLessThan(TOLERANCE);
      expect(simulation.correction.scale).toBeLessThanOrEqual(0.02);
    }
    if (LONG)
      console.log(`${name} ${integrator}: ${(100 * rise).toExponential(1)} / ${(100 * fall).toExponential(1)} %`);
  });

  it.each(['dopri5', 'midpoint'] as const)(
    'a figure held by a hand and released: %s',
    { timeout: 600_000 },
    (integrator) => {
      const mechanism = builtinMechanism('human-34');
      const state = State.random(mechanism, 4);
      const simulation = new Simulation(mechanism, { integrator, engine: 'compiled', state });
      const grip = { name: 'grip', a: 'left_hand', b: null, joint: { type: 'spherical' } } as const;
      simulation.connect({ ...grip, at: simulation.dynamics.pose(state, 'left_hand').t });
      simulation.runUntil(LONG ? 2 : 0.3);
      simulation.disconnect('grip');
      const start = energyOf(simulation);
      let most = start;
      simulation.runUntil(simulation.time + SECONDS, () => {
        most = Math.max(most, energyOf(simulation));
        return true;
      });
      expect(most - start).toBeLessThan(TOLERANCE * start);
      if (LONG) console.log(`held and released ${integrator}: ${((100 * (most - start)) / start).toExponential(1)} %`);
    },
  );
});

describe('the guard', () => {
  it.each(['chain-3', 'chain-8', 'human-34'])('euler at 1 ms ends with an error that names a step: %s', (name) => {
    const mechanism = builtinMechanism(name);
    for (const engine of ['plain', 'auto', 'compiled'] as const) {
      const state = State.random(mechanism, 1);
      const simulation = new Simulation(mechanism, { integrator: 'euler', step: 1e-3, state, engine });
      const error = errorOf(() => simulation.runUntil(30));
      expect(error.code).toBe('energy');
      expect(error.time).toBeLessThan(30);
      expect(error.message).toMatch(/grew by .* J without a cause until time .* a step of at most [0-9.e-]+ s/);
    }
  });

  const arm = (more: object = {}) =>
    createMechanism({
      gravity: [0, 0, -9.81],
      bodies: ['upper', 'lower'].map((name) => ({
        name,
        mass: 1,
        com: [0, 0, -0.2] as const,
        inertia: [0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.002] as const,
      })),
      joints: [
        { name: 'a', type: 'revolute', parent: null, child: 'upper', axis: [0, 1, 0], ...more },
        { name: 'b', type: 'revolute', parent: 'upper', child: 'lower', axis: [1, 0, 0], t: [0, 0, -0.4], ...more },
      ],
    });

  it.each(['dopri5', 'rk4', 'midpoint', 'euler'] as const)(
    '%s: what control, springs, damping and friction do is work',
    (integrator) => {
      const mechanism = arm({ damping: 0.05, friction: 0.02, stiffness: 3, rest: 0.4 });
      for (const engine of ['plain', 'compiled'] as const) {
        const simulation = new Simulation(mechanism, {
          integrator,
          engine,
          step: 1e-3,
          // First order: its own error is some parts in a thousand of what is exchanged.
          energyTolerance: integrator === 'euler' ? 3e-2 : 1e-5,
          control: (tau, { time, v }) => {
            tau[0] = 8 * Math.sin(3 * time);
            tau[1] = 0.3 * v[1] * Math.cos(time);
          },
        });
        simulation.runUntil(5);
      }
    },
  );

  it('counts what is booked, and finds what is not; edits between steps open the books anew', () => {
    const mechanism = arm();
    const state = new State(mechanism).set('a', 1, 1);
    const energy = {
      kinetic: 1,
      potential: 0,
      mass: 2,
      com: [0, 0, 0],
      momentum: { angular: [0, 0, 0], linear: [0, 0, 0] },
    };
    const options = { controlled: false, tolerance: 1e-3 };
    let changed = false;
    const guard = new EnergyGuard(mechanism, () => energy as never, options);
    const step = (kinetic: number, work: number): void => {
      guard.before(state, changed);
      changed = false;
      energy.kinetic = kinetic;
      guard.after(state, work, 1e-3, { name: 'dopri5', order: 5 });
    };
    step(1, 0);
    step(3, 2);
    step(2, -1);
    step(1.9, 0);
    expect(errorOf(() => step(2.1, 0)).code).toBe('energy');
    changed = true;
    step(2.1, 0);
    expect(errorOf(() => step(Number.NaN, 0)).code).toBe('energy');
  });

  it('can be told to look away', () => {
    const mechanism = builtinMechanism('chain-3');
    const options = { integrator: 'euler', step: 1e-3, state: State.random(mechanism, 1) } as const;
    new Simulation(mechanism, { ...options, energyTolerance: Number.POSITIVE_INFINITY }).runUntil(3);
    expect(() => new Simulation(mechanism, { energyTolerance: 0 })).toThrow('must be positive');
  });
});
