// Writes src/engines/plain/generated.ts: the kernels of forward dynamics as TypeScript, from the formulas that the
// WebAssembly is made of. Called by build.mjs before everything else is compiled; does nothing where the file is newer than
// what it is made from.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

await import('./compile-kernels.mjs');

const root = fileURLToPath(new URL('..', import.meta.url));
const target = `${root}src/engines/plain/generated.ts`;
const sources = [
  fileURLToPath(import.meta.url),
  `${root}src/emit/js.ts`,
  ...['formulas', 'plan', 'joints', 'spatial'].flatMap((folder) =>
    readdirSync(`${root}src/${folder}`).map((file) => `${root}src/${folder}/${file}`),
  ),
];
const time = (file) => statSync(file).mtimeMs;
if (!existsSync(target) || sources.some((file) => time(file) > time(target))) {
  const tsc = `${root}node_modules/typescript/bin/tsc`;
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.formulas.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
  const made = (path) => import(pathToFileURL(`${root}out/formulas/${path}`).href);
  const { jsFunction } = await made('emit/js.js');
  const { kernelFormulas } = await made('formulas/kernels.js');
  const { PLAIN_POINTERS, plainKernels } = await made('formulas/plain-kernels.js');
  const { sincos } = await made('formulas/trig.js');
  const { VectorGraph } = await made('formulas/vectors.js');

  const parts = [
    '// Made by scripts/plain-kernels.mjs; change the formulas instead.\n',
    'export type PlainKernel = (s: Float64Array, ...places: number[]) => void;\n',
  ];
  const g = new VectorGraph();
  const [sine, cosine] = sincos(g, g.input(0, 0));
  g.output(1, 0, sine);
  g.output(1, 1, cosine);
  parts.push(`export ${jsFunction('sineAndCosine', g, [0, 1])}`);
  const names = [];
  for (const [name, { pass, key }] of plainKernels()) {
    parts.push(jsFunction(`k${names.length}`, kernelFormulas(pass, key), PLAIN_POINTERS[pass]));
    names.push(name);
  }
  parts.push('export const KERNELS: ReadonlyMap<string, PlainKernel> = new Map([');
  names.forEach((name, k) => {
    parts.push(`  ['${name}', k${k}],`);
  });
  parts.push(']);\n');
  const text = parts.join('\n');
  if (!existsSync(target) || readFileSync(target, 'utf8') !== text) writeFileSync(target, text);
  // As new as what it is made from: not made again each time that somebody looks.
  else utimesSync(target, new Date(), new Date());
}
