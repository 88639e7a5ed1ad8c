// Compiles the benchmarks and runs them: npm run bench -- [suite...] [--save]. Prints JSON.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
const node = (args) =>
  spawnSync(process.execPath, args, { cwd: root, stdio: ['inherit', 'inherit', 'inherit'] }).status ?? 1;
const compiled = node([tsc, '-p', 'tsconfig.bench.json']);
process.exit(compiled !== 0 ? compiled : node(['out/bench/bench/run.js', ...process.argv.slice(2)]));
