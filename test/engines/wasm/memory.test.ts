// Calls by the ten thousand leave the heap and the WebAssembly memory as they were.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const DIST = new URL('../../../dist/engines/wasm/compiled.js', import.meta.url);
const PROGRAM = `
import { State } from '${new URL('../../index.js', DIST).href}';
import { CompiledDynamics } from '${DIST.href}';
import { builtinMechanism } from '${new URL('../../models/index.js', DIST).href}';
const mechanism = builtinMechanism('human-34');
const state = State.random(mechanism, 1);
const tau = new Float64Array(mechanism.nv);
const options = { out: new Float64Array(mechanism.nv) };
const external = { ...options, external: new Float64Array(6 * mechanism.bodies.length) };
const matrix = { out: new Float64Array(mechanism.nv ** 2) };
const report = {};
for (const specialise of ['never', 'first-use']) {
  const compiled = new CompiledDynamics(mechanism, { specialise });
  const calls = {
    forward: [5e4, () => compiled.forward(state, tau, options)],
    loaded: [2e4, () => compiled.forward(state, tau, external)],
    inverse: [2e4, () => compiled.inverse(state, tau, options)],
    massMatrix: [2e4, () => compiled.massMatrix(state, matrix)],
  };
  for (const [name, [count, call]] of Object.entries(calls)) {
    for (let k = 0; k < 2e4; k++) call();
    gc();
    const size = () => compiled.direct('forward').q.buffer.byteLength;
    const [heap, wasm] = [process.memoryUsage().heapUsed, size()];
    for (let k = 0; k < count; k++) call();
    // After a collection: a result object for each mass matrix is allowed, to keep it is not.
    gc();
    report[specialise + ' ' + name] = [process.memoryUsage().heapUsed - heap, size() - wasm];
  }
}
console.log(JSON.stringify(report));
`;

it('tens of thousands of calls leave memory as it was', () => {
  if (!existsSync(fileURLToPath(DIST))) throw new Error('dist is missing: run "npm run build" first');
  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', PROGRAM], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  const report = Object.entries(JSON.parse(stdout) as Record<string, [number, number]>);
  expect(report).toHaveLength(8);
  for (const [name, [heap, wasm]] of report) {
    expect(heap, name).toBeLessThan(200_000);
    expect(wasm, name).toBe(0);
  }
});
