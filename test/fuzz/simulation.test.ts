// Integrators and events on random mechanisms: energy does not grow, or the error says so; a bouncing ball never falls through the
// floor; passages of a value are found as often as they are. MANIKIN_LONG=1: more of each.

import { expect, it } from 'vitest';
import { createMechanism } from '../../src/mechanism/create.js';
import { SimulationError } from '../../src/mechanism/errors.js';
import { Random } from '../../src/mechanism/random.js';
import { State } from '../../src/mechanism/state.js';
import { INTEGRATORS } from '../../src/simulation/integrators.js';
import { Simulation } from '../../src/simulation/simulation.js';
import { randomMechanism } from '../support/random-mechanism.js';

const LONG = process.env.MANIKIN_LONG === '1';

it.each(INTEGRATORS)(
  '%s: random mechanisms gain no energy, or the step is refused',
  { timeout: 600_000 },
  (integrator) => {
    const cases = LONG ? 400 : 12;
    let refused = 0;
    for (let seed = 1; seed <= cases; seed++) {
      const mechanism = randomMechanism(seed, { bodies: 2 + (seed % 6), armature: seed % 2 === 0 });
      const state = State.random(mechanism, seed);
      const simulation = new Simulation(mechanism, { integrator, state });
      const energyOf = (): number => {
        const { kinetic, potential } = simulation.energy();
        return kinetic + potential;
      };
      const start = energyOf();
      let largest = simulation.energy().kinetic;
      try {
        simulation.runUntil(0.5, () => {
          largest = Math.max(largest, simulation.energy().kinetic);
          return true;
        });
      } catch (error) {
        expect(error, `seed ${seed}`).toBeInstanceOf(SimulationError);
        expect(['energy', 'not-finite'], `seed ${seed}`).toContain((error as SimulationError).code);
        refused++;
        continue;
      }
      expect(energyOf() - start, `seed ${seed}`).toBeLessThan(2e-3 * largest + 1e-6);
    }
    console.log(`${integrator}, seeds 1 to ${cases}: ${refused} refused`);
    if (integrator === 'dopri5' || integrator === 'midpoint') expect(refused).toBeLessThan(0.1 * cases);
  },
);

it('a ball never falls through the floor, whatever its height, speed, restitution and step', {
  timeout: 600_000,
}, () => {
  const ball = createMechanism({
    bodies: [{ name: 'ball', mass: 1, inertia: [0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1] }],
    joints: [{ name: 'z', type: 'prismatic', parent: null, child: 'ball', axis: [0, 0, 1] }],
  });
  const cases = LONG ? 3000 : 60;
  let rests = 0;
  for (let seed = 1; seed <= cases; seed++) {
    const random = new Random(seed);
    const restitution = random.below(4) === 0 ? 0 : random.between(0, 1);
    const simulation = new Simulation(ball, {
      step: 10 ** random.between(-3, 0),
      state: new State(ball).set('z', 10 ** random.between(-6, 1), random.between(-3, 3)),
      events: [{ name: 'floor', value: (s) => s.q[0], direction: 'falling' }],
      onEvent: (s) => s.impact({ body: 'ball', at: [0, 0, s.state.q[0]], normal: [0, 0, 1], restitution }),
    });
    const fine = (): void => {
      expect(simulation.state.q[0], `seed ${seed}`).toBeGreaterThan(-1e-9);
    };
    try {
      simulation.runUntil(2, () => {
        fine();
        return true;
      });
    } catch (error) {
      expect(error, `seed ${seed}`).toBeInstanceOf(SimulationError);
      expect((error as SimulationError).code, `seed ${seed}`).toBe('zeno');
      rests++;
    }
    fine();
  }
  console.log(`balls, seeds 1 to ${cases}: ${rests} came to rest`);
});

it('passages of a wave are found as often as they are, with its rate', { timeout: 600_000 }, () => {
  const slider = createMechanism({
    gravity: [0, 0, 0],
    bodies: [{ name: 'a', mass: 1 }],
    joints: [{ name: 'x', type: 'prismatic', parent: null, child: 'a', axis: [1, 0, 0] }],
  });
  const cases = LONG ? 1000 : 30;
  for (let seed = 1; seed <= cases; seed++) {
    const random = new Random(seed);
    const [rate, phase, level] = [random.between(2, 300), random.between(0, 6), random.between(-0.9, 0.9)];
    const value = ({ time }: State): number => Math.sin(rate * time + phase) - level;
    let seen = 0;
    const simulation = new Simulation(slider, {
      step: random.between(0.01, 0.3),
      events: [{ name: 'wave', value, direction: 'both', rate }],
      onEvent: () => {
        seen++;
      },
    });
    simulation.runUntil(1);
    // Level crossings of the sine: at asin(level) + 2 pi k and pi - asin(level) + 2 pi k.
    const below = (x: number): number =>
      Math.floor((x - Math.asin(level)) / (2 * Math.PI)) + Math.floor((x - Math.PI + Math.asin(level)) / (2 * Math.PI));
    expect(seen, `seed ${seed}`).toBe(below(rate + phase) - below(phase));
  }
});
