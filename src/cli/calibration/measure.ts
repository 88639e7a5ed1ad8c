// The constants of the engine's cost model (schedule/cost.ts) that depend on the machine: what an instruction of compiled
// code takes. How many instructions joints and joins take is counted, not measured.

import { timings } from '../../engines/threads/measure.js';
import { Planner } from '../../engines/threads/planner.js';
import { ThreadProgram } from '../../engines/threads/program.js';
import { State } from '../../mechanism/state.js';
import { builtinMechanism } from '../../models/index.js';
import { ENGINE_CONSTANTS, type EngineConstants } from '../../schedule/index.js';

/** Chains and figures whose code fits into the caches. */
const MODELS = ['chain-32', 'chain-64', 'chain-32-spherical', 'human-34', 'human-161'];
const MILLISECONDS = 60;

/** All constants; `handOver`, microseconds to another thread and back, comes from elsewhere, since it needs threads. */
export function measureConstants(handOver: number, progress: (fraction: number) => void): EngineConstants {
  const times = MODELS.map((name, k) => {
    progress(k / MODELS.length);
    const mechanism = builtinMechanism(name);
    const program = new ThreadProgram(new Planner(mechanism).plan(1));
    const { arrays, runner } = program.alone;
    const { q, v } = State.random(mechanism, 1);
    arrays.q.set(q);
    arrays.v.set(v);
    const [{ ns }] = timings([{ call: () => runner.alone() }], MILLISECONDS);
    return ns / program.instructions;
  });
  times.sort((a, b) => a - b);
  return { ...ENGINE_CONSTANTS, instruction: times[times.length >> 1], latency: 500 * handOver };
}
