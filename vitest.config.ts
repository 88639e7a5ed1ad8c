import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { softwareGpuEnvironment } from './test/support/software-gpu-files.js';

// Tests of GPU kernels run on a device in software, whatever the machine has: same results everywhere.
Object.assign(process.env, softwareGpuEnvironment());

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // All cores: vitest would leave one of them free, and that is half of two.
    maxWorkers: availableParallelism(),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
