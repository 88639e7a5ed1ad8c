// Where code for a mechanism is made: in a worker for those who wait for it, on the caller's thread at a first call.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CompiledDynamics } from '../../../src/engines/wasm/compiled.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { PATIENCE } from '../../support/patience.js';

const DIST = new URL('../../../dist/engines/wasm/compiled.js', import.meta.url);

/** Counts calls of `specialise` on the main thread, by the engine's own count of calls. */
const PROGRAM = `
import { Session } from 'node:inspector';
import { CompiledDynamics } from '${DIST.href}';
import { builtinMechanism } from '${new URL('../../models/index.js', DIST).href}';
import { State } from '${new URL('../../mechanism/state.js', DIST).href}';
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const calls = () => {
  let count = 0;
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    for (const { url, functions } of result)
      if (url.endsWith('/wasm/specialise.js'))
        for (const { functionName, ranges } of functions) if (functionName === 'specialise') count += ranges[0].count;
  });
  return count;
};
const mechanism = builtinMechanism('human-34');
const waited = new CompiledDynamics(mechanism);
await waited.ready();
const made = waited.direct('forward') !== undefined;
const inWorker = calls();
new CompiledDynamics(mechanism).forward(State.random(mechanism, 1));
console.log(JSON.stringify({ made, inWorker, here: calls() }));
`;

describe('the worker that makes code', () => {
  it('leaves the main thread alone, and does not keep the process from ending', () => {
    if (!existsSync(fileURLToPath(DIST))) throw new Error('dist is missing: run "npm run build" first');
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
      encoding: 'utf8',
      timeout: PATIENCE,
    });
    expect(stderr).toBe('');
    // Counts are since the last look.
    expect(JSON.parse(stdout)).toEqual({ made: true, inWorker: 0, here: 1 });
  });

  it('where there is none, those who wait have it made on their own thread', async () => {
    // Here, in the sources, the worker's file is not JavaScript and cannot be started.
    const compiled = new CompiledDynamics(builtinMechanism('chain-8'));
    await compiled.ready();
    expect(compiled.direct('forward')).toBeDefined();
  });
});
