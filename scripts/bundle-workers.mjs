// Puts the program of each kind of thread into one file, dist/workers: for pages whose bundler makes none (esbuild, Rollup).
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const PROGRAMS = ['engines/threads/threads-worker.js', 'simulation/world/threads/world-worker.js'];

for (const program of PROGRAMS) {
  const bundle = await rolldown({ input: dist + program, platform: 'browser' });
  await bundle.write({ file: `${dist}workers/${basename(program)}`, format: 'es', minify: true });
  await bundle.close();
}
