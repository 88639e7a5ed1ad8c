// Makes the kernels of the plain engine, compiles src/ to dist/ (JavaScript, types, source maps) and the commands that
// measure (bench/) to dist/bench/, writes the schemas of files, makes the commonest WebAssembly kernels beforehand, puts
// the programs of workers, the command and the player of replays together and marks the command as executable.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

await import('./plain-kernels.mjs');
const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
for (const project of ['tsconfig.build.json', 'tsconfig.commands.json']) {
  const { status } = spawnSync(process.execPath, [tsc, '-p', project], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
// For editors of scene and sweep files.
const { SCENE_SCHEMA } = await import('../dist/scenes/schema.js');
writeFileSync(`${root}dist/scenes/scene.schema.json`, `${JSON.stringify(SCENE_SCHEMA, null, 2)}\n`);
const { SWEEP_SCHEMA } = await import('../dist/sweep/schema.js');
writeFileSync(`${root}dist/sweep/sweep.schema.json`, `${JSON.stringify(SWEEP_SCHEMA, null, 2)}\n`);
await import('./prebuild-kernels.mjs');
await import('./bundle-workers.mjs');
await import('./bundle-command.mjs');
await import('./bundle-player.mjs');
const command = new URL('../dist/cli/main.js', import.meta.url);
if (existsSync(command)) chmodSync(command, 0o755);
