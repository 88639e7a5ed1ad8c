// The constants of the engine's cost model (schedule/cost.ts) that depend on the machine: what an instruction of compiled
// code takes. How many instructions joints and joins take is counted, not measured.

import { Planner } from '#src/engines/threads/planner.js';
import { ThreadProgram } from '#src/engines/threads/program.js';
import { State } from '#src/mechanism/state.js';
import { builtinMechanism } from '#src/models/index.js';
import { ENGINE_CONSTANTS, type EngineConstants } from '#src/schedule/index.js';
import { timings } from './measure.js';

/** Chains and figures whose code fits into the caches. */
const MODELS = ['chain-32', 'chain-64', 'chain-32-spherical', 'human-34', 'human-161'];
const MEASURING = { milliseconds: 60 };

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
    const [{ ns }] = timings([{ call: () => runner.alone() }], MEASURING);
    return ns / program.instructions;
  });
  times.sort((a, b) => a - b);
  return { ...ENGINE_CONSTANTS, instruction: times[times.length >> 1], latency: 500 * handOver };
}
