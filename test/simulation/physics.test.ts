// Motions that are known from a textbook.

import { describe, expect, it } from 'vitest';
import { createMechanism } from '../../src/mechanism/create.js';
import { SimulationError } from '../../src/mechanism/errors.js';
import { State } from '../../src/mechanism/state.js';
import { withoutCouplings } from '../../src/mechanism/variants.js';
import { Simulation } from '../../src/simulation/simulation.js';
import { randomMechanism, relativeError } from '../support/random-mechanism.js';
import { GRAVITY, LENGTH, MOMENT, pendulum, top } from './support.js';

const BOTH = ['rk4', 'euler'] as const;
const NO_GRAVITY = [0, 0, 0] as const;

/** Total energy after each step. */
function energies(simulation: Simulation, end: number): number[] {
  const total = (): number => {
    const { kinetic, potential } = simulation.energy();
    return kinetic + potential;
  };
  const all = [total()];
  simulation.runUntil(end, () => {
    all.push(total());
    return true;
  });
  return all;
}

describe('a body without forces', () => {
  it.each(['spherical', 'floating'] as const)('keeps its momentum and energy (%s joint)', (type) => {
    const mechanism = top(type);
    const linear = type === 'floating' ? [0.3, -0.2, 0.1] : [];
    // About the middle axis, slightly off: it tumbles.
    const q = [0.5, 0.5, -0.5, 0.5, ...(type === 'floating' ? [1, 2, 3] : [])];
    const state = new State(mechanism).set('joint', q, [0.05, 6, -0.02, ...linear]);
    const simulation = new Simulation(mechanism, { state, step: 2e-3 });
    const before = simulation.energy();
    let flips = 0;
    let sign = 1;
    simulation.runUntil(8, ({ state: now }) => {
      if (Math.sign(now.v[1]) !== sign && Math.abs(now.v[1]) > 3) {
        sign = -sign;
        flips++;
      }
      return true;
    });
    // The tennis racket theorem.
    expect(flips).toBeGreaterThanOrEqual(2);
    const after = simulation.energy();
    expect(relativeError(after.momentum.angular, before.momentum.angular)).toBeLessThan(1e-7);
    expect(relativeError(after.momentum.linear, before.momentum.linear)).toBeLessThan(1e-7);
    expect(Math.abs(after.kinetic - before.kinetic)).toBeLessThan(1e-8 * before.kinetic);
    if (type === 'floating') {
      const way = before.momentum.linear.map((p, k) => before.com[k] + (8 * p) / 3);
      expect(relativeError(after.com, way)).toBeLessThan(1e-7);
    }
  });

  it('of many links keeps all momenta, and falls as a stone does', () => {
    const mechanism = randomMechanism(5, { bodies: 6, base: 'floating' });
    const simulation = new Simulation(mechanism, { state: State.random(mechanism, 2), step: 5e-4 });
    const before = simulation.energy();
    const t = 0.5;
    simulation.runUntil(t);
    const after = simulation.energy();
    const { gravity } = mechanism;
    const fall = gravity.map((g, k) => before.momentum.linear[k] + before.mass * g * t);
    expect(relativeError(after.momentum.linear, fall)).toBeLessThan(1e-7);
    const com = gravity.map((g, k) => before.com[k] + (before.momentum.linear[k] * t) / before.mass + (g * t * t) / 2);
    expect(relativeError(after.com, com)).toBeLessThan(1e-7);
    const drift = after.kinetic + after.potential - before.kinetic - before.potential;
    expect(Math.abs(drift)).toBeLessThan(1e-6 * before.kinetic);
  });
});

describe('a pendulum', () => {
  const small = 2 * Math.PI * Math.sqrt(MOMENT / (2 * GRAVITY * LENGTH));

  it.each(BOTH)('swings with its small period (%s)', (integrator) => {
    const mechanism = pendulum();
    const state = new State(mechanism).set('hinge', 1e-3);
    const simulation = new Simulation(mechanism, { integrator, step: 1e-4, state });
    for (const [part, expected] of [
      [0.25, 0],
      [0.5, -1],
      [1, 1],
    ]) {
      simulation.runUntil(part * small);
      expect(simulation.state.q[0] / 1e-3).toBeCloseTo(expected, integrator === 'rk4' ? 6 : 3);
    }
  });

  it('swings with its long period from far out: 2 pi sqrt(l/g) / agm(1, cos(q/2))', () => {
    const start = 2.5;
    let [a, b] = [1, Math.cos(start / 2)];
    for (let k = 0; k < 8; k++) [a, b] = [(a + b) / 2, Math.sqrt(a * b)];
    const mechanism = pendulum();
    const simulation = new Simulation(mechanism, { state: new State(mechanism).set('hinge', start) });
    simulation.runUntil(small / a);
    expect(simulation.state.q[0]).toBeCloseTo(start, 8);
    expect(simulation.state.v[0]).toBeCloseTo(0, 7);
  });

  it('with Euler the energy swings by some per cent, but does not grow', () => {
    const mechanism = pendulum();
    const state = new State(mechanism).set('hinge', 1);
    const all = energies(
      new Simulation(mechanism, { integrator: 'euler', step: 0.01, state, energyTolerance: 0.05 }),
      500,
    );
    const lowest = -2 * GRAVITY * LENGTH;
    const height = all[0] - lowest;
    expect(Math.max(...all.map((e) => Math.abs(e - all[0])))).toBeLessThan(0.05 * height);
    expect(Math.abs(all.at(-1)! - all[0])).toBeLessThan(0.05 * height);
  });
});

describe('springs and rotors', () => {
  it.each(BOTH)('a spring oscillates at sqrt(k / (I + armature)) about its rest (%s)', (integrator) => {
    const mechanism = pendulum({ stiffness: 30, rest: 0.4, armature: 0.5 }, NO_GRAVITY);
    const omega = Math.sqrt(30 / (MOMENT + 0.5));
    const state = new State(mechanism).set('hinge', 1.4);
    const simulation = new Simulation(mechanism, { integrator, step: 1e-4, state });
    for (const t of [0.1, 0.37, 1.9]) {
      simulation.runUntil(t);
      const digits = integrator === 'rk4' ? 9 : 3;
      expect(simulation.state.q[0]).toBeCloseTo(0.4 + Math.cos(omega * t), digits);
      expect(simulation.state.v[0]).toBeCloseTo(-omega * Math.sin(omega * t), digits - 1);
    }
  });

  it('the energy of a spring counts: it is conserved', () => {
    const mechanism = pendulum({ stiffness: 30, rest: 0.4, armature: 0.5 });
    const all = energies(new Simulation(mechanism, { state: new State(mechanism).set('hinge', 1.4, 2) }), 2);
    expect(Math.max(...all) - Math.min(...all)).toBeLessThan(1e-8 * Math.abs(all[0]));
  });

  it.each(BOTH)('armature makes a joint slower: v = tau t / (I + armature) (%s)', (integrator) => {
    const mechanism = pendulum({ armature: 2 }, NO_GRAVITY);
    const control = (tau: Float64Array): void => {
      tau[0] = 3;
    };
    const simulation = new Simulation(mechanism, { integrator, control });
    simulation.runUntil(0.5);
    expect(simulation.state.v[0]).toBeCloseTo((3 * 0.5) / (MOMENT + 2), 10);
  });
});

describe('damping and friction', () => {
  it.each(BOTH)('damping slows a wheel by exp(-d t / I) (%s)', (integrator) => {
    const mechanism = pendulum({ damping: 2 }, NO_GRAVITY);
    const simulation = new Simulation(mechanism, { integrator, state: new State(mechanism).set('hinge', 0, 3) });
    simulation.runUntil(1);
    const expected = 3 * Math.exp(-2 / MOMENT);
    expect(simulation.state.v[0] / expected).toBeCloseTo(1, integrator === 'rk4' ? 9 : 2);
  });

  it.each(BOTH)('damping takes energy away at every step (%s)', (integrator) => {
    const chain = randomMechanism(8, { bodies: 5, types: ['revolute', 'spherical', 'universal', 'prismatic'] });
    const mechanism = createMechanism({
      gravity: NO_GRAVITY,
      bodies: chain.bodies,
      joints: chain.joints.map((joint) => ({
        ...joint,
        parent: joint.parent < 0 ? null : chain.bodies[joint.parent].name,
        child: `b${joint.name.slice(1)}`,
        damping: 0.5,
      })),
    });
    const simulation = new Simulation(mechanism, { integrator, step: 2e-4, state: State.random(mechanism, 3) });
    const all = energies(simulation, 0.5);
    for (let k = 1; k < all.length; k++) expect(all[k]).toBeLessThanOrEqual(all[k - 1]);
    expect(all.at(-1)).toBeLessThan(0.9 * all[0]);
  });

  /** A light link at the end of a heavy one, damped far beyond what an explicit step can follow: h d / I = 1000. */
  const stiff = createMechanism({
    bodies: [
      { name: 'heavy', mass: 5, com: [0, 0, -0.3], inertia: [0.2, 0, 0, 0, 0.2, 0, 0, 0, 0.2] },
      { name: 'light', mass: 1e-3, com: [0, 0, -0.02], inertia: [1e-6, 0, 0, 0, 1e-6, 0, 0, 0, 1e-6] },
    ],
    joints: [
      { name: 'shoulder', parent: null, child: 'heavy', type: 'revolute', axis: [0, 1, 0] },
      {
        name: 'finger',
        parent: 'heavy',
        child: 'light',
        type: 'revolute',
        axis: [0, 1, 0],
        t: [0, 0, -0.6],
        damping: 1,
      },
    ],
  });

  it('strong damping on a light link does not make it explode with euler', () => {
    const state = new State(stiff).set('shoulder', 1).set('finger', 0, 20);
    const simulation = new Simulation(stiff, { integrator: 'euler', step: 1e-3, state, energyTolerance: 0.05 });
    const all = energies(simulation, 5);
    expect(all.every(Number.isFinite)).toBe(true);
    // Once the finger's own motion is eaten up, the two swing as one; the method keeps their energy to a few per cent.
    expect(Math.max(...all)).toBeLessThan(all[0] + 0.05 * 5 * GRAVITY * 0.3);
    expect(Math.abs(simulation.state.v[1])).toBeLessThan(0.05);
  });

  it('nor with steps of its own; with rk4 the explosion is reported, not passed on', () => {
    const state = new State(stiff).set('shoulder', 1).set('finger', 0, 20);
    const careful = new Simulation(stiff, { state });
    careful.runUntil(0.5);
    expect(Math.abs(careful.state.v[1])).toBeLessThan(0.05);
    const simulation = new Simulation(stiff, { integrator: 'rk4', step: 1e-3, state });
    expect(() => simulation.runUntil(5)).toThrow(SimulationError);
    expect([...simulation.state.q, ...simulation.state.v].every(Number.isFinite)).toBe(true);
  });

  it('friction holds a link near rest, and lets it go when the load is larger', () => {
    const load = 2 * GRAVITY * LENGTH;
    for (const [friction, held] of [
      [1.2 * load, true],
      [0.8 * load, false],
    ] as const) {
      const mechanism = pendulum({ friction });
      const state = new State(mechanism).set('hinge', Math.PI / 2);
      const simulation = new Simulation(mechanism, { integrator: 'euler', state });
      simulation.runUntil(1);
      const moved = Math.abs(simulation.state.q[0] - Math.PI / 2);
      if (held) {
        // It creeps, but less than a few times FRICTION_SPEED, 1 mm/s.
        expect(moved).toBeLessThan(2e-3);
        expect(Math.abs(simulation.state.v[0])).toBeLessThan(2e-3);
      } else expect(moved).toBeGreaterThan(0.3);
    }
  });

  it.each(BOTH)('friction stops a wheel after I v / friction seconds (%s)', (integrator) => {
    const mechanism = pendulum({ friction: 1 }, NO_GRAVITY);
    const state = new State(mechanism).set('hinge', 0, 2);
    const simulation = new Simulation(mechanism, { integrator, step: 1e-4, state });
    simulation.runUntil(MOMENT);
    expect(simulation.state.v[0]).toBeCloseTo(1, 3);
    simulation.runUntil(2 * MOMENT + 0.1);
    expect(Math.abs(simulation.state.v[0])).toBeLessThan(1e-3);
    // v^2 I / (2 friction) = 2 I
    expect(simulation.state.q[0]).toBeCloseTo(2 * MOMENT, 2);
  });
});

describe('couplings', () => {
  const couplings = [
    { joint: 'second', source: 'first', multiplier: -2, offset: 0.3 },
    { joint: 'third', source: 'second', multiplier: 0.5, offset: -0.1 },
  ];
  const link = (name: string, parent: string | null, type: 'revolute' | 'prismatic') => ({
    body: { name, mass: 1, com: [0, 0.1, -0.2], inertia: [0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.01] } as const,
    joint: { name, parent, child: name, type, axis: [1, 0.2, 0], t: [0, 0, -0.4], damping: 0.3 } as const,
  });
  const links = [
    link('first', null, 'revolute'),
    link('second', 'first', 'revolute'),
    link('third', 'second', 'prismatic'),
    link('free', 'third', 'revolute'),
  ];
  const coupled = createMechanism({
    bodies: links.map(({ body }) => body),
    joints: links.map(({ joint }) => joint),
    couplings,
  });

  it.each(BOTH)('stay satisfied (%s)', (integrator) => {
    const simulation = new Simulation(coupled, { integrator, state: State.random(coupled, 4) });
    simulation.runUntil(0.5, ({ state: { q, v } }) => {
      expect(q[1]).toBeCloseTo(-2 * q[0] + 0.3, 12);
      expect(q[2]).toBeCloseTo(-q[0] + 0.05, 12);
      expect(v[1]).toBeCloseTo(-2 * v[0], 12);
      expect(v[2]).toBeCloseTo(-v[0], 12);
      return true;
    });
    const free = withoutCouplings(coupled);
    const other = new Simulation(free, { integrator, state: new State(free).copy(State.random(coupled, 4)) });
    other.runUntil(0.5);
    expect(Math.abs(other.state.q[1] - (-2 * other.state.q[0] + 0.3))).toBeGreaterThan(1e-3);
  });

  it('do no work: the energy stays', () => {
    const undamped = createMechanism({
      bodies: links.map(({ body }) => body),
      joints: links.map(({ joint }) => ({ ...joint, damping: 0 })),
      couplings,
    });
    const all = energies(new Simulation(undamped, { state: State.random(undamped, 4) }), 1);
    expect(Math.max(...all) - Math.min(...all)).toBeLessThan(1e-7 * Math.max(...all.map(Math.abs)));
  });

  it('both methods go to the same motion', () => {
    const ends = BOTH.map((integrator) => {
      const simulation = new Simulation(coupled, { integrator, step: 2e-4, state: State.random(coupled, 4) });
      simulation.runUntil(0.3);
      return simulation.state.q;
    });
    expect(relativeError(ends[0], ends[1])).toBeLessThan(2e-3);
  });
});
