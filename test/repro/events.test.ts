// Events at the very end of a step, events faster than a step, bounces that never end.

import { describe, expect, it } from 'vitest';
import { createMechanism } from '../../src/mechanism/create.js';
import { SimulationError } from '../../src/mechanism/errors.js';
import { State } from '../../src/mechanism/state.js';
import { Simulation } from '../../src/simulation/simulation.js';

const slider = createMechanism({
  gravity: [0, 0, 0],
  bodies: [{ name: 'a', mass: 1 }],
  joints: [{ name: 'x', type: 'prismatic', parent: null, child: 'a', axis: [1, 0, 0] }],
});

describe('a value that is exactly zero at the end of a step', () => {
  const values: [string, 'rising' | 'falling', (s: State) => number][] = [
    ['time - 0.5', 'rising', (s) => s.time - 0.5],
    ['0.5 - time', 'falling', (s) => 0.5 - s.time],
    ['x - 0.5', 'rising', (s) => s.q[0] - 0.5],
    ['0.5 - x', 'falling', (s) => 0.5 - s.q[0]],
  ];
  it.each(values)('%s counts once, the way it goes', (_name, way, value) => {
    for (const direction of ['both', 'rising', 'falling'] as const)
      for (const step of [0.1, 0.125, 0.01, 0.25, 0.3, 0.5]) {
        const seen: number[] = [];
        const simulation = new Simulation(slider, {
          step,
          state: new State(slider).set('x', 0, 1),
          events: [{ name: 'e', value, direction }],
          onEvent: (_, [{ time }]) => seen.push(time),
        });
        simulation.runUntil(1);
        expect(seen, `step ${step}, ${direction}`).toHaveLength(direction === 'both' || direction === way ? 1 : 0);
        if (seen.length > 0) expect(seen[0]).toBeCloseTo(0.5, 11);
      }
  });
});

describe('a value faster than a step', () => {
  // Below zero for 2 ms only, twice in each of five tenths of a second: the integrator takes steps of 0.1 s.
  const value = ({ time }: State): number => 1.0001 - Math.cos(2 * Math.PI * 20 * (time - 0.013)) - 0.02;
  const run = (rate?: number): { seen: number; warnings: readonly string[] } => {
    let seen = 0;
    const simulation = new Simulation(slider, {
      step: 0.1,
      state: new State(slider).set('x', 0, 1),
      events: [{ name: 'fast', value, direction: 'falling', ...(rate !== undefined && { rate }) }],
      onEvent: () => {
        seen++;
      },
    });
    simulation.runUntil(0.5);
    return { seen, warnings: simulation.warnings };
  };

  it('is found where its rate is stated', () => {
    expect(run(40 * Math.PI)).toEqual({ seen: 10, warnings: [] });
  });

  it('and warned of where it is not', () => {
    expect(run().warnings).toEqual([expect.stringContaining('event "fast"')]);
  });
});

describe('a ball that bounces', () => {
  const ball = createMechanism({
    bodies: [{ name: 'ball', mass: 1, inertia: [0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1] }],
    joints: [{ name: 'z', type: 'prismatic', parent: null, child: 'ball', axis: [0, 0, 1] }],
  });
  it.each([0.9, 0.5, 0.1, 0, 1])('never falls through the floor (restitution %d)', (restitution) => {
    for (const step of [0.01, 0.1, 1]) {
      let events = 0;
      const simulation = new Simulation(ball, {
        step,
        state: new State(ball).set('z', 1),
        events: [{ name: 'floor', value: (s) => s.q[0], direction: 'falling' }],
        onEvent: (s) => {
          events++;
          s.impact({ body: 'ball', at: [0, 0, s.state.q[0]], normal: [0, 0, 1], restitution });
        },
      });
      let error: unknown;
      try {
        simulation.runUntil(12);
      } catch (thrown) {
        error = thrown;
      }
      expect(simulation.state.q[0], `step ${step}`).toBeGreaterThan(-1e-9);
      if (restitution === 1) expect([error, events]).toEqual([undefined, 13]);
      else {
        expect(error).toBeInstanceOf(SimulationError);
        expect((error as SimulationError).code).toBe('zeno');
        expect((error as SimulationError).message).toContain('"floor"');
        // Rest comes after sqrt(2 h / g) (1 + e) / (1 - e).
        const rest = (Math.sqrt(2 / 9.81) * (1 + restitution)) / (1 - restitution);
        expect(simulation.time).toBeCloseTo(rest, 5);
      }
    }
  });
});
