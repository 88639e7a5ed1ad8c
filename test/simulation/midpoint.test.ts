// The integrator with books: momentum and energy are kept exactly, forces on the base enter both, and drives of any gain are stable.

import { describe, expect, it } from 'vitest';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { builtinMechanism } from '../../src/models/index.js';
import { Simulation } from '../../src/simulation/simulation.js';
import { cross } from '../../src/spatial/matrix3.js';
import { randomSpec } from '../support/random-mechanism.js';
import { distance } from './support.js';

/** Velocity of the centre of mass and angular momentum about it. */
function momentum(simulation: Simulation): { u: number[]; L: number[] } {
  const { mass, com, momentum } = simulation.energy();
  const orbital = cross(com, momentum.linear);
  return { u: momentum.linear.map((p) => p / mass), L: momentum.angular.map((l, k) => l - orbital[k]) };
}

function expectNear(found: readonly number[], expected: readonly number[], tolerance: number): void {
  const size = Math.max(1, ...expected.map(Math.abs));
  found.forEach((x, k) => {
    expect(Math.abs(x - expected[k])).toBeLessThan(tolerance * size);
  });
}

describe('a figure that flies freely', () => {
  it.each(['plain', 'compiled'] as const)('keeps its momenta and falls on the parabola: %s', (engine) => {
    for (const [seed, turned] of [
      [1, false],
      [2, true],
    ] as const) {
      let mechanism: Mechanism = builtinMechanism('human-34');
      // A base whose joint stands askew on the ground.
      if (turned)
        mechanism = createMechanism(
          randomSpec(seed, { bodies: 6, base: 'floating', types: ['spherical', 'revolute'] }),
        );
      const simulation = new Simulation(mechanism, {
        integrator: 'midpoint',
        engine,
        state: State.random(mechanism, seed),
      });
      const start = momentum(simulation);
      const { com, kinetic } = simulation.energy();
      simulation.runUntil(1);
      const end = momentum(simulation);
      const fall = mechanism.gravity;
      expectNear(end.L, start.L, 1e-11);
      expectNear(
        end.u,
        start.u.map((u, k) => u + fall[k]),
        1e-11,
      );
      expectNear(
        simulation.energy().com,
        com.map((x, k) => x + start.u[k] + fall[k] / 2),
        1e-11,
      );
      expect(kinetic).toBeGreaterThan(0);
    }
  });

  it('pushed at its base by a control, its momentum follows the force and its energy the work', () => {
    const mechanism = builtinMechanism('human-34');
    const state = State.random(mechanism, 3);
    const control = (tau: Float64Array, { time }: State): void => {
      if (time < 0.2) for (let k = 0; k < 6; k++) tau[k] = 20 * Math.sin(7 * time + k);
      tau[8] = 3 * Math.cos(5 * time);
    };
    const books = new Simulation(mechanism, { integrator: 'midpoint', state, control, step: 5e-4 });
    const exact = new Simulation(mechanism, { state, control, tolerances: { relative: 1e-10, absolute: 1e-12 } });
    for (const simulation of [books, exact]) simulation.runUntil(0.4);
    expectNear(momentum(books).u, momentum(exact).u, 1e-4);
    expectNear(momentum(books).L, momentum(exact).L, 2e-3);
    const energies = [books, exact].map((simulation) => {
      const { kinetic, potential } = simulation.energy();
      return kinetic + potential;
    });
    expect(energies[0] / energies[1]).toBeCloseTo(1, 4);
    expect(distance(books.state, exact.state)).toBeLessThan(0.1);
  });
});

it('edits between steps are taken as they are', () => {
  const mechanism = builtinMechanism('chain-8');
  const simulation = new Simulation(mechanism, { integrator: 'midpoint', state: State.random(mechanism, 1) });
  simulation.runUntil(0.1);
  for (let k = 0; k < mechanism.nv; k++) simulation.state.v[k] *= 3;
  const { kinetic, potential } = simulation.energy();
  simulation.runUntil(0.3);
  const after = simulation.energy();
  expect((after.kinetic + after.potential) / (kinetic + potential)).toBeCloseTo(1, 10);
});

it('a step that is far off is taken in halves', () => {
  const mechanism = builtinMechanism('chain-8-spherical');
  const simulation = new Simulation(mechanism, {
    integrator: 'midpoint',
    step: 5e-3,
    state: State.random(mechanism, 2),
  });
  simulation.runUntil(2);
  expect(simulation.correction.halved).toBeGreaterThan(0);
  expect(simulation.correction.scale).toBeLessThanOrEqual(0.02);
});

describe('drives', () => {
  const mechanisms: [string, Mechanism][] = [
    ['chain-8', builtinMechanism('chain-8')],
    ['chain-8-spherical', builtinMechanism('chain-8-spherical')],
    [
      'random',
      createMechanism(randomSpec(5, { bodies: 7, types: ['revolute', 'prismatic', 'universal', 'spherical'] })),
    ],
  ];
  const gap = ({ mechanism, state }: Simulation, target: Float64Array): number => {
    const between = new Float64Array(mechanism.nv);
    for (const { model, iq, iv } of mechanism.joints) model.difference(between, iv, state.q, iq, target, iq);
    return Math.max(...between.map(Math.abs));
  };

  it.each(mechanisms)('of any gain are stable, damped or not: %s', (_, mechanism) => {
    for (const stiffness of [1e4, 1e5, 1e6, 1e7, 1e8])
      for (const damping of [0, stiffness / 100]) {
        const target = new State(mechanism).q;
        const state = State.random(mechanism, 7);
        // From afar where there is damping; else what the springs hold would be a hundred times what a step of 1 ms can follow.
        if (damping === 0) {
          state.q.set(target);
          for (const { model, iq, iv } of mechanism.joints) model.integrate(state.q, iq, state.v, iv, 0.05);
        }
        const drive = { stiffness, damping, target };
        const simulation = new Simulation(mechanism, { integrator: 'midpoint', step: 1e-3, state, drive });
        simulation.runUntil(1.5);
        const held = damping > 0 || stiffness > 1e5 ? 1000 / stiffness : 0.1;
        expect(gap(simulation, target), `${stiffness}, ${damping}`).toBeLessThan(held);
      }
  });

  it('with damping are stable with euler, too', () => {
    const mechanism = builtinMechanism('chain-8');
    for (const stiffness of [1e6, 1e7, 1e8]) {
      const target = new State(mechanism).q;
      const drive = { stiffness, damping: stiffness / 100, target };
      const state = State.random(mechanism, 7);
      const simulation = new Simulation(mechanism, { integrator: 'euler', step: 1e-3, state, drive });
      simulation.runUntil(1);
      expect(gap(simulation, target)).toBeLessThan(1000 / stiffness);
    }
  });

  it('of soft gains move as any other force does', () => {
    const mechanism = builtinMechanism('chain-8');
    const state = State.random(mechanism, 7);
    const drive = { stiffness: 5, damping: 0.5, target: new State(mechanism).q };
    const tight = { relative: 1e-10, absolute: 1e-12 };
    const exact = new Simulation(mechanism, { state, drive, tolerances: tight });
    exact.runUntil(0.5);
    for (const [integrator, error] of [
      ['rk4', 1e-6],
      ['midpoint', 0.1],
      ['euler', 0.3],
    ] as const) {
      const simulation = new Simulation(mechanism, { integrator, step: 5e-4, state, drive, energyTolerance: 0.1 });
      simulation.runUntil(0.5);
      expect(distance(simulation.state, exact.state), integrator).toBeLessThan(error);
    }
  });

  it('follow a target that is changed between steps, and are refused where they do not fit', () => {
    const mechanism = builtinMechanism('chain-3');
    const target = new State(mechanism).q;
    const drive = { stiffness: 1e6, damping: 1e4, target };
    const simulation = new Simulation(mechanism, { integrator: 'midpoint', drive });
    simulation.runUntil(0.2);
    target.fill(0.3);
    simulation.runUntil(1);
    for (const q of simulation.state.q) expect(q).toBeCloseTo(0.3, 3);
    const wrong = (changed: object) => () => new Simulation(mechanism, { drive: { ...drive, ...changed } });
    expect(wrong({ target: [0] })).toThrow('Expected 3 target positions, got 1.');
    expect(wrong({ stiffness: [1, 2] })).toThrow('Expected 3 numbers of stiffness, got 2.');
    expect(wrong({ damping: -1 })).toThrow('must not be negative');
  });
});
