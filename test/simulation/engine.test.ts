// What computes the accelerations of a simulation: chosen by its input alone, the same bits in every run.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { builtinMechanism } from '../../src/models/index.js';
import type { IntegratorName } from '../../src/simulation/integrators.js';
import { type Engine, Simulation } from '../../src/simulation/simulation.js';
import { randomSpec, relativeError } from '../support/random-mechanism.js';

const human = builtinMechanism('human-34');
const spec = randomSpec(12, { bodies: 9, armature: true });
const damped = createMechanism({ ...spec, joints: spec.joints.map((joint) => ({ ...joint, damping: 0.2 })) });

function run(mechanism: Mechanism, engine: Engine, integrator: IntegratorName = 'rk4'): Simulation {
  const simulation = new Simulation(mechanism, { engine, integrator, state: State.random(mechanism, 1), step: 1e-4 });
  simulation.runUntil(0.01);
  return simulation;
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('engines of a simulation', () => {
  it.each([
    ['human-34', human, 'rk4'],
    ['human-34', human, 'euler'],
    ['damped', damped, 'rk4'],
    ['damped', damped, 'euler'],
  ] as const)('agree: %s, %s', (_name, mechanism, integrator) => {
    const [plain, auto, compiled] = (['plain', 'auto', 'compiled'] as const).map((engine) =>
      run(mechanism, engine, integrator),
    );
    expect(plain.engine).toEqual({ tier: 'plain', plainBecause: 'asked for.' });
    expect(auto.engine).toEqual({ tier: 'generic' });
    expect(compiled.engine).toEqual({ tier: 'specialised' });
    for (const simulation of [auto, compiled]) {
      expect(relativeError(simulation.state.q, plain.state.q)).toBeLessThan(1e-9);
      expect(relativeError(simulation.state.v, plain.state.v)).toBeLessThan(1e-9);
    }
  });

  it('the same run gives the same bits, also where it waits in the middle', async () => {
    for (const engine of ['auto', 'compiled'] as const) {
      const first = run(human, engine);
      const second = new Simulation(human, { engine, state: State.random(human, 1), step: 1e-4 });
      for (let k = 0; k < 40; k++) second.step();
      // Code made in the background would be swapped in here.
      await new Promise((resolve) => setTimeout(resolve, 200));
      second.runUntil(0.01);
      expect(second.state.q).toEqual(first.state.q);
      expect(second.state.v).toEqual(first.state.v);
    }
  });

  it('loops take plain TypeScript while they are closed', () => {
    const simulation = new Simulation(human);
    expect(simulation.engine.tier).toBe('generic');
    simulation.connect({ name: 'grip', a: 'left_hand', b: null, at: [0, 0, 1.5], joint: { type: 'spherical' } });
    expect(simulation.engine).toEqual({ tier: 'plain', plainBecause: 'closed loops are not compiled.' });
    simulation.step();
    simulation.disconnect('grip');
    expect(simulation.engine).toEqual({ tier: 'generic' });
    simulation.step();
  });

  it('says once that WebAssembly cannot be used, and goes on', () => {
    vi.stubGlobal('WebAssembly', undefined);
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const [first, second] = [run(human, 'auto'), run(human, 'auto')];
    expect(warn.mock.calls.map(([text]) => text)).toEqual([expect.stringContaining('plain TypeScript: WebAssembly')]);
    expect(first.engine.plainBecause).toContain('WebAssembly');
    expect(second.state.q).toEqual(run(human, 'plain').state.q);
    const told: string[] = [];
    new Simulation(human, { onFallback: (reason) => told.push(reason) });
    expect(told.length).toBe(1);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('refuses others', () => {
    expect(() => new Simulation(human, { engine: 'fast' as Engine })).toThrow('take auto, compiled, plain');
  });
});
