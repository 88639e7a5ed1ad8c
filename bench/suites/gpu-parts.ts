// What keeping links as inertias does to the errors of one mechanism assembled on the GPU (src/engines/gpu/plan-parts.ts): all links
// joined to parts, all of them kept, and as the rule has it. On whatever device there is.

import { GpuAssembly } from '#src/engines/gpu/assembly.js';
import { contract } from '#src/engines/gpu/contraction.js';
import { openGpu } from '#src/engines/gpu/device.js';
import { GpuError } from '#src/engines/gpu/errors.js';
import { planParts } from '#src/engines/gpu/plan-parts.js';
import { PlainDynamics } from '#src/engines/plain/plain-dynamics.js';
import { createMechanism } from '#src/mechanism/create.js';
import type { Mechanism } from '#src/mechanism/mechanism.js';
import { builtinMechanism } from '#src/models/index.js';
import { lighterTree, relativeError } from '../../test/support/random-mechanism.js';
import { checkForces, checkState } from '../gpu.js';

const STATES = 40;

const always =
  (kept: 0 | 1): typeof planParts =>
  (parent) => {
    const all = new Uint8Array(parent.length).fill(kept);
    return { kept: all, contraction: contract(parent, all) };
  };

const RULES = new Map<string, typeof planParts>([
  ['all in parts', always(0)],
  ['all kept', always(1)],
  ['by the rule', planParts],
]);

export async function run(): Promise<object> {
  const gpu = await openGpu().catch((error: unknown) => {
    if (error instanceof GpuError) return error;
    throw error;
  });
  if (gpu instanceof GpuError) return { skipped: gpu.message };
  const models = new Map<string, Mechanism>([
    ['human-34', builtinMechanism('human-34')],
    ['human-161', builtinMechanism('human-161')],
    ['random tree of 24 joints', createMechanism(lighterTree(1, 1))],
    ['the same, every third link 100 times lighter', createMechanism(lighterTree(1e-2, 1e-2))],
    ['the same, inertia of every third link 1e-6 of what it was', createMechanism(lighterTree(1, 1e-6))],
  ]);
  const results: object[] = [];
  for (const [model, mechanism] of models) {
    const readable = new PlainDynamics(mechanism);
    const errors: Record<string, number> = {};
    for (const [name, rule] of RULES) {
      const assembly = await GpuAssembly.create(gpu, mechanism, false, rule);
      let worst = 0;
      for (let s = 0; s < STATES; s++) {
        const [state, tau] = [checkState(mechanism, s), checkForces(mechanism, s)];
        // Where there is no finite answer in 32 bits the assembly says so.
        const got = await assembly.forward(state, tau).catch(() => new Float64Array());
        worst = Math.max(worst, relativeError(got, readable.forward(state, tau)));
      }
      assembly.dispose();
      errors[name] = Number(worst.toPrecision(2));
    }
    results.push({ model, largestError: errors });
  }
  const { adapter } = gpu;
  gpu.close();
  return { adapter, states: STATES, results };
}
