// Compiles the benchmarks and runs them: npm run bench -- [suite...] [--save]. Prints JSON.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
const node = (args) =>
  spawnSync(process.execPath, args, { cwd: root, stdio: ['inherit', 'inherit', 'inherit'] }).status ?? 1;
const compiled = node([tsc, '-p', 'tsconfig.bench.json']);
// There the names of folders lead to what was just compiled, not to dist.
writeFileSync(`${root}out/bench/package.json`, JSON.stringify({ type: 'module', imports: { '#src/*': './src/*' } }));
process.exit(compiled !== 0 ? compiled : node(['out/bench/bench/suites/run.js', ...process.argv.slice(2)]));
