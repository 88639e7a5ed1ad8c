// What the compiled engine costs to begin with, in fresh processes: until generic kernels are ready, until code for the mechanism is
// in use (made by the worker: the processor time is that of the whole process), and the same again in a warm process. Uses
// dist, as users do: run "npm run build" first.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const DIST = new URL('../../../../dist/', import.meta.url);
const PROCESSES = 20;

const program = (model: string): string => `
import { State } from '${new URL('index.js', DIST).href}';
import { CompiledDynamics } from '${new URL('engines/wasm/compiled.js', DIST).href}';
import { builtinMechanism } from '${new URL('models/index.js', DIST).href}';
const mechanism = builtinMechanism('${model}');
const state = State.random(mechanism, 1);
const processor = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
const round = async () => {
  const times = {};
  const cpu = processor();
  const start = performance.now();
  const generic = new CompiledDynamics(mechanism, { specialise: 'never' });
  times.generic = performance.now() - start;
  generic.forward(state);
  times.firstCall = performance.now() - start - times.generic;
  const compiled = new CompiledDynamics(mechanism);
  await compiled.ready();
  times.specialised = performance.now() - start;
  times.specialisedProcessor = processor() - cpu;
  if (compiled.tier !== 'specialised') throw new Error(compiled.explain());
  generic.dispose();
  compiled.dispose();
  return times;
};
const cold = await round();
for (let k = 0; k < 6; k++) await round();
console.log(JSON.stringify({ cold, warm: await round() }));
`;

type Times = Record<'generic' | 'firstCall' | 'specialised' | 'specialisedProcessor', number>;

export interface StartLine {
  readonly model: string;
  readonly process: 'fresh' | 'warm';
  readonly what: keyof Times;
  /** Milliseconds: the least and the middle of all processes. */
  readonly ms: number;
  readonly msMedian: number;
}

export function run(): { readonly processes: number; readonly lines: readonly StartLine[] } {
  if (!existsSync(fileURLToPath(DIST))) throw new Error('dist is missing: run "npm run build" first');
  const lines: StartLine[] = [];
  for (const model of ['human-34', 'human-161']) {
    const samples = Array.from({ length: PROCESSES }, () => {
      const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program(model)], {
        encoding: 'utf8',
      });
      if (stderr !== '') throw new Error(stderr);
      return JSON.parse(stdout) as { cold: Times; warm: Times };
    });
    for (const [key, name] of [
      ['cold', 'fresh'],
      ['warm', 'warm'],
    ] as const)
      for (const what of ['generic', 'firstCall', 'specialised', 'specialisedProcessor'] as const) {
        const sorted = samples.map((sample) => sample[key][what]).sort((a, b) => a - b);
        const [ms, msMedian] = [sorted[0], sorted[sorted.length >> 1]].map((time) => Number(time.toFixed(1)));
        lines.push({ model, process: name, what, ms, msMedian });
      }
  }
  return { processes: PROCESSES, lines };
}
