// Before tests: what was changed in src/ and bench/ since the last build goes to dist/ as JavaScript, without types, in a
// second. Tests load dist, as users do.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const time = (file) => (existsSync(file) ? statSync(file).mtimeMs : 0);

/** The modules of a folder that are newer than what they became. */
function changed(folder, target) {
  return readdirSync(`${root}${folder}`, { recursive: true })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
    .filter((path) => time(`${root}${folder}/${path}`) > time(`${root}${target}/${path.replace(/ts$/, 'js')}`))
    .map((path) => `${root}${folder}/${path}`);
}

await import('./plain-kernels.mjs');
let count = 0;
for (const [folder, target] of [
  ['src', 'dist'],
  ['bench', 'dist/bench'],
]) {
  const entryPoints = changed(folder, target);
  count += entryPoints.length;
  await build({
    entryPoints,
    outbase: `${root}${folder}`,
    outdir: `${root}${target}`,
    format: 'esm',
    target: 'es2022',
    sourcemap: true,
    tsconfig: `${root}tsconfig.json`,
  });
}
if (count > 0)
  for (const script of ['prebuild-kernels', 'bundle-workers', 'bundle-command']) await import(`./${script}.mjs`);
