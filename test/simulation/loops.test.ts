import { describe, expect, it } from 'vitest';
import { MechanismBuilder } from '../../src/mechanism/builder.js';
import { MechanismError } from '../../src/mechanism/errors.js';
import { State } from '../../src/mechanism/state.js';
import { Simulation } from '../../src/simulation/simulation.js';

/** A swinging parallelogram-like four-bar, closed at its start. */
function fourBar() {
  const rod = (parent: string | null, length: number, at: number) => ({
    parent,
    joint: { type: 'revolute', axis: [0, 1, 0] } as const,
    at: [at, 0, 0] as const,
    mass: length,
    com: [length / 2, 0, 0] as const,
    inertia: [0.001, 0, 0, 0, length ** 3 / 12, 0, 0, 0, length ** 3 / 12] as const,
  });
  const mechanism = new MechanismBuilder('four-bar')
    .link('crank', rod(null, 0.6, 0))
    .link('coupler', rod('crank', 1, 0.6))
    .link('rocker', rod('coupler', 0.6, 1))
    .loop({
      name: 'pin',
      type: 'revolute',
      axis: [0, 1, 0],
      a: { body: null, t: [1, 0, 0] },
      b: { body: 'rocker', t: [0.6, 0, 0] },
    })
    .build();
  // Hanging down as a parallelogram, pushed.
  const hang = 1.2;
  return {
    mechanism,
    state: new State(mechanism)
      .set('crank', hang, 2)
      .set('coupler', -hang)
      .set('rocker', hang - Math.PI),
  };
}

describe('simulation of closed loops', () => {
  it('a four-bar swings for 10 s without drift of energy or of its loop', () => {
    const { mechanism, state } = fourBar();
    const simulation = new Simulation(mechanism, { state, step: 1e-3 });
    const total = (): number => {
      const { kinetic, potential } = simulation.energy();
      return kinetic + potential;
    };
    const start = total();
    let worst = 0;
    let swing = 0;
    simulation.runUntil(10, () => {
      worst = Math.max(worst, Math.abs(total() - start));
      swing = Math.max(swing, Math.abs(simulation.state.q[0] - 1.2));
      return undefined;
    });
    expect(swing).toBeGreaterThan(0.3);
    expect(worst / Math.abs(start)).toBeLessThan(1e-6);
    expect(simulation.loopDrift).toBeLessThan(1e-9);
    expect(simulation.loopDrift).toBeGreaterThan(0);
  }, 60_000);

  it('refuses a start with open loops, and closes what a file has rounded', () => {
    const { mechanism, state } = fourBar();
    const open = state.clone();
    open.set('rocker', 0);
    expect(() => new Simulation(mechanism, { state: open })).toThrow(MechanismError);
    expect(() => new Simulation(mechanism, { state: open })).toThrow(/open by/);
    const rounded = state.clone();
    rounded.q[0] += 1e-5;
    const simulation = new Simulation(mechanism, { state: rounded });
    expect(simulation.dynamics.loopReport().constraints).toBe(0);
    simulation.step();
    expect(simulation.loopDrift).toBeLessThan(1e-9);
  });

  it('holds and releases while it runs', () => {
    const mechanism = new MechanismBuilder('ball')
      .link('ball', {
        parent: null,
        joint: { type: 'floating' },
        mass: 1,
        com: [0, 0, -0.5],
        inertia: [0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1],
      })
      .build();
    const simulation = new Simulation(mechanism, {
      state: new State(mechanism).set('ball', [1, 0, 0, 0, 0, 0, 0], [0, 1, 0, 0.4, 0, 0]),
    });
    simulation.runUntil(0.1);
    const at = simulation.state.q.slice(4, 7);
    const { energyLost, impulse } = simulation.connect({
      name: 'hook',
      a: 'ball',
      b: null,
      joint: { type: 'spherical' },
      at: [at[0], at[1], at[2]],
    });
    expect(simulation.time).toBeCloseTo(0.1, 12);
    expect(energyLost).toBeGreaterThan(0);
    expect(Math.hypot(...impulse)).toBeGreaterThan(0);
    simulation.runUntil(0.5);
    for (let k = 0; k < 3; k++) expect(Math.abs(simulation.state.q[4 + k] - at[k])).toBeLessThan(1e-9);
    const v = [...simulation.state.v];
    simulation.disconnect('hook');
    expect([...simulation.state.v]).toEqual(v);
    simulation.runUntil(1);
    expect(simulation.state.q[6]).toBeLessThan(at[2] - 0.5);
    expect(simulation.time).toBe(1);
  });
});
