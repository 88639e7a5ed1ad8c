// What a page loads: the core (mechanisms, states, the readable algorithms) with compiled dynamics, put together and made
// small by the bundler that comes with the test runner.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';

const DIST = new URL('../../dist/', import.meta.url);
const at = (path: string): string => fileURLToPath(new URL(path, DIST));
/**
 * The front door brings every engine of the CPU along: formulas and emitters, plain kernels for pages that forbid
 * WebAssembly, loops, threads and their schedules.
 */
const LIMIT = 150_000;

it('the core with kernels stays below 150 kB, compressed', async () => {
  if (!existsSync(at('index.js'))) throw new Error('dist is missing: run "npm run build" first');
  const entry = 'core-with-kernels';
  const bundle = await rolldown({
    input: entry,
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) =>
          id === entry
            ? `export { dynamics, MechanismBuilder, State } from '${at('index.js')}'; export { CompiledDynamics } from '${at('engines/wasm/compiled.js')}';`
            : null,
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'es', minify: true });
  await bundle.close();
  const code = output.map((chunk) => ('code' in chunk ? chunk.code : '')).join('');
  const size = gzipSync(code, { level: 9 }).length;
  console.log(`core with kernels: ${code.length} bytes, ${size} compressed (gzip)`);
  // No package, nothing of Node.
  expect(output.flatMap((chunk) => ('imports' in chunk ? chunk.imports : []))).toEqual([]);
  expect(code).toContain('manikin');
  expect(size).toBeGreaterThan(20_000);
  expect(size).toBeLessThan(LIMIT);
});
