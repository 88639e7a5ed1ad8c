// One step of a simulation beside one call of its forward dynamics, by engine and integrator, timed in turns.

import { type Dynamics, dynamics, type EngineChoice } from '#src/dynamics/dynamics.js';
import type { Mechanism } from '#src/mechanism/mechanism.js';
import { State } from '#src/mechanism/state.js';
import type { IntegratorName } from '#src/simulation/integrators.js';
import { Simulation } from '#src/simulation/simulation.js';
import { measure } from './measure.js';

export interface SimulationLine {
  readonly model: string;
  readonly engine: EngineChoice;
  readonly integrator: IntegratorName;
  /** Least nanoseconds of a step, and of a call of forward dynamics by the same engine. */
  readonly stepNs: number;
  readonly forwardNs: number;
}

export interface SimulationBench {
  readonly engines: readonly EngineChoice[];
  readonly integrators: readonly IntegratorName[];
  readonly rounds?: number;
  readonly progress?: (fraction: number) => void;
}

/** Seconds: so short that the motion stays where it is, however many steps are taken. */
const STEP = 1e-9;

export async function benchSimulation(
  models: readonly { readonly name: string; readonly mechanism: Mechanism }[],
  { engines, integrators, rounds, progress }: SimulationBench,
): Promise<SimulationLine[]> {
  const lines: SimulationLine[] = [];
  for (const [m, { name: model, mechanism }] of models.entries())
    for (const [e, engine] of engines.entries()) {
      progress?.((m + e / engines.length) / models.length);
      const forward: Dynamics = dynamics(mechanism, { engine });
      await forward.ready();
      const state = State.random(mechanism, 1);
      const options = { out: new Float64Array(mechanism.nv) };
      const tasks = integrators.map((integrator) => {
        const simulation = new Simulation(mechanism, { engine, integrator, step: STEP, state });
        return { name: integrator, call: () => void simulation.step() };
      });
      const call = (): void => void forward.forward(state, undefined, options);
      const [{ ns: forwardNs }, ...steps] = measure([{ name: 'forward', call }, ...tasks], rounds);
      for (const [k, integrator] of integrators.entries())
        lines.push({ model, engine, integrator, stepNs: steps[k].ns, forwardNs });
      forward.dispose();
    }
  return lines;
}
