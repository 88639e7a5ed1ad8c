// One step of a simulation by engine and integrator (the lines of `manikin bench simulation`).

import { builtinMechanism } from '#src/models/index.js';
import { benchSimulation } from '../simulation.js';

export async function run(): Promise<object> {
  const models = ['human-34', 'human-161', 'chain-32'].map((name) => ({ name, mechanism: builtinMechanism(name) }));
  const results = await benchSimulation(models, {
    engines: ['plain', 'wasm', 'compiled'],
    integrators: ['rk4', 'dopri5', 'euler'],
  });
  return { results };
}
