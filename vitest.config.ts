import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { softwareGpuEnvironment } from './test/support/software-gpu-files.js';

// Tests of GPU kernels run on a device in software, whatever the machine has: same results everywhere.
Object.assign(process.env, softwareGpuEnvironment());

// The names by which the command line and the benchmarks know each other's files, as in package.json.
const folder = (name: string): string => fileURLToPath(new URL(`./${name}/`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^#src\//, replacement: folder('src') },
      { find: /^#bench\//, replacement: folder('bench') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    // All cores: vitest would leave one of them free, and that is half of two.
    maxWorkers: availableParallelism(),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
