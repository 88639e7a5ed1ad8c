import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { softwareGpuEnvironment } from './test/support/software-gpu-files.js';

const folder = (name: string): string => fileURLToPath(new URL(`./${name}/`, import.meta.url));
const { status } = spawnSync(process.execPath, [`${folder('scripts')}refresh-build.mjs`], { stdio: 'inherit' });
if (status !== 0) process.exit(1);

// Tests of GPU kernels run on a device in software, whatever the machine has: same results everywhere.
Object.assign(process.env, softwareGpuEnvironment());

/** Files with threads, devices, browsers, or other globals, and the longest of the others, which so begin early: each has a process of its own. */
const ALONE = [
  'test/{batch,browser,page,threads}/**/*.test.ts',
  'test/engines/{gpu,mpi,threads}/**/*.test.ts',
  'test/project/{bundlers,documented,examples}.test.ts',
  'test/cli/queue.test.ts',
  'test/**/{compile,dynamics,engine,engines,memory,prebuilt,threads,worker}.test.ts',
];

const [SRC, BENCH, DIST] = [folder('src'), folder('bench'), folder('dist')];

/** The compiled files instead of the sources: Node loads and optimises them as it does for users. */
const compiled: Plugin = {
  name: 'compiled',
  enforce: 'pre',
  resolveId(source, importer) {
    const id = source.startsWith('.') && importer !== undefined ? resolve(dirname(importer), source) : source;
    const file = (name: string): string => name.replace(/\.ts$/, '.js');
    if (id.startsWith(SRC)) return { id: file(DIST + id.slice(SRC.length)), external: true };
    if (id.startsWith(BENCH)) return { id: file(`${DIST}bench/${id.slice(BENCH.length)}`), external: true };
    return undefined;
  },
};

export default defineConfig({
  plugins: [compiled],
  test: {
    server: { deps: { external: [/\/dist\//] } },
    // All cores: vitest would leave one of them free, and that is half of two.
    maxWorkers: availableParallelism(),
    // A loaded machine is slow, not wrong.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: [
      { extends: true, test: { name: 'alone', include: ALONE } },
      // The others share processes: starting one and reading src takes longer than many of them.
      { extends: true, test: { name: 'together', include: ['test/**/*.test.ts'], exclude: ALONE, isolate: false } },
    ],
  },
});
