// One step of a simulation (rk4, four calls of forward dynamics), by what computes the accelerations.

import { State } from '../src/mechanism/state.js';
import { builtinMechanism } from '../src/models/index.js';
import { Simulation } from '../src/simulation/simulation.js';
import { measure } from './measure.js';

export function run(): object {
  const models = ['human-34', 'human-161', 'chain-32'].map((model) => {
    const mechanism = builtinMechanism(model);
    const tasks = (['plain', 'wasm', 'compiled'] as const).map((engine) => {
      // Steps so small that the motion stays where it is, however many are taken.
      const simulation = new Simulation(mechanism, { engine, step: 1e-9, state: State.random(mechanism, 1) });
      return { name: engine, call: () => simulation.step() };
    });
    return [model, measure(tasks)] as const;
  });
  return Object.fromEntries(models);
}
