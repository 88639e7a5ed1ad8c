import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { softwareGpuEnvironment } from './test/support/software-gpu-files.js';

// Tests of GPU kernels run on a device in software, whatever the machine has: same results everywhere.
Object.assign(process.env, softwareGpuEnvironment());

// The names by which the command line and the benchmarks know each other's files, as in package.json.
const folder = (name: string): string => fileURLToPath(new URL(`./${name}/`, import.meta.url));

/** The package's own names lead to its sources: the page imports them as everybody does. */
const { exports: entries } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
};
const ownNames = Object.entries(entries).flatMap(([name, entry]) => {
  if (typeof entry === 'string') return [];
  const source = entry.default.replace('./dist/', './src/').replace(/\.js$/, '.ts');
  return [
    { find: new RegExp(`^manikin${name.slice(1)}$`), replacement: fileURLToPath(new URL(source, import.meta.url)) },
  ];
});

/** Files with processes, threads, devices, browsers, or other globals: each has a process of its own. */
const ALONE = [
  'test/{batch,browser,cli,page,project,threads}/**/*.test.ts',
  'test/engines/{gpu,threads}/**/*.test.ts',
  'test/**/{compile,dynamics,engine,engines,memory,prebuilt,threads,worker}.test.ts',
];

export default defineConfig({
  resolve: {
    alias: [
      { find: /^#src\//, replacement: folder('src') },
      { find: /^#bench\//, replacement: folder('bench') },
      ...ownNames,
    ],
  },
  test: {
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
