// What computes the accelerations of a simulation: chosen by its input alone, the same bits in every run.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { EngineChoice } from '../../src/dynamics/dynamics.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { builtinMechanism } from '../../src/models/index.js';
import type { IntegratorName } from '../../src/simulation/integrators.js';
import { Simulation } from '../../src/simulation/simulation.js';
import { randomSpec, relativeError } from '../support/random-mechanism.js';

const human = builtinMechanism('human-34');
const spec = randomSpec(12, { bodies: 9, armature: true });
const damped = createMechanism({ ...spec, joints: spec.joints.map((joint) => ({ ...joint, damping: 0.2 })) });

function run(mechanism: Mechanism, engine: EngineChoice, integrator: IntegratorName = 'rk4'): Simulation {
  const simulation = new Simulation(mechanism, { engine, integrator, state: State.random(mechanism, 1), step: 1e-4 });
  simulation.runUntil(0.01);
  return simulation;
}

const DIST = new URL('../../dist/index.js', import.meta.url);

/** In dist there is a worker: code made in the background would be swapped in while the second run waits. */
const PROGRAM = `
import { setTimeout } from 'node:timers/promises';
import { Simulation, State } from '${DIST.href}';
import { builtinMechanism } from '${new URL('models/index.js', DIST).href}';
const mechanism = builtinMechanism('human-34');
const report = {};
const runs = ['auto', 'wasm'].map((engine) => {
  const start = () => new Simulation(mechanism, { engine, state: State.random(mechanism, 1), step: 1e-4 });
  const [first, second] = [start(), start()];
  for (let k = 0; k < 100; k++) first.step();
  for (let k = 0; k < 40; k++) second.step();
  return { engine, first, second };
});
await setTimeout(1000);
for (const { engine, first, second } of runs) {
  for (let k = 0; k < 60; k++) second.step();
  const bits = ({ state: { q, v } }) => JSON.stringify([[...q], [...v]]);
  report[engine] = [second.engine.engine, bits(first) === bits(second)];
}
console.log(JSON.stringify(report));
`;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('engines of a simulation', () => {
  it.each([
    ['human-34', 'rk4', human],
    ['human-34', 'euler', human],
    ['damped', 'rk4', damped],
    ['damped', 'euler', damped],
  ] as const)('agree: %s, %s', (_name, integrator, mechanism) => {
    const [plain, wasm, auto, compiled] = (['plain', 'wasm', 'auto', 'compiled'] as const).map((engine) =>
      run(mechanism, engine, integrator),
    );
    expect(plain.engine).toEqual({ engine: 'plain' });
    expect(wasm.engine).toEqual({ engine: 'wasm' });
    expect(auto.engine).toEqual({ engine: 'compiled' });
    expect(compiled.engine).toEqual({ engine: 'compiled' });
    expect(auto.state.q).toEqual(compiled.state.q);
    for (const simulation of [wasm, compiled]) {
      expect(relativeError(simulation.state.q, plain.state.q)).toBeLessThan(1e-9);
      expect(relativeError(simulation.state.v, plain.state.v)).toBeLessThan(1e-9);
    }
  });

  it('the same run gives the same bits, also where it waits in the middle', () => {
    if (!existsSync(fileURLToPath(DIST))) throw new Error('dist is missing: run "npm run build" first');
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({ auto: ['compiled', true], wasm: ['wasm', true] });
  });

  it('loops are compiled while they are closed', () => {
    const simulation = new Simulation(human);
    expect(simulation.engine.engine).toBe('compiled');
    simulation.connect({ name: 'grip', a: 'left_hand', b: null, at: [0, 0, 1.5], joint: { type: 'spherical' } });
    expect(simulation.engine).toEqual({ engine: 'compiled' });
    simulation.step();
    simulation.disconnect('grip');
    expect(simulation.engine).toEqual({ engine: 'compiled' });
    simulation.step();
  });

  it('says once that WebAssembly cannot be used, and goes on', () => {
    vi.stubGlobal('WebAssembly', undefined);
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const [first, second] = [run(human, 'auto'), run(human, 'auto')];
    expect(warn.mock.calls.map(([text]) => text)).toEqual([expect.stringContaining('plain TypeScript: WebAssembly')]);
    expect(first.engine.reason).toContain('WebAssembly');
    expect(second.state.q).toEqual(run(human, 'plain').state.q);
    const told: string[] = [];
    new Simulation(human, { onFallback: (reason) => told.push(reason) });
    expect(told.length).toBe(1);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('refuses others', () => {
    expect(() => new Simulation(human, { engine: 'fast' as EngineChoice })).toThrow(
      'take auto, plain, wasm, compiled, threads',
    );
  });
});
