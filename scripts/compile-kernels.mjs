// Writes src/contact/solver/generated.ts: the kernels of the contact solver as WebAssembly. Called before everything else is
// compiled; does nothing where the file is newer than what it is made from.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = `${root}src/contact/solver/kernel/`;
const target = `${root}src/contact/solver/generated.ts`;
const sources = readdirSync(folder).sort();
const time = (file) => statSync(file).mtimeMs;
const made = [
  fileURLToPath(import.meta.url),
  `${root}scripts/kernel-compiler.mjs`,
  ...sources.map((file) => folder + file),
];
if (!existsSync(target) || made.some((file) => time(file) > time(target))) {
  // Here only: it loads the TypeScript compiler.
  const { compileKernels } = await import('./kernel-compiler.mjs');
  const bytes = compileKernels(new Map(sources.map((file) => [file, readFileSync(folder + file, 'utf8')])));
  const line = `export const KERNEL_BYTES =\n  '${Buffer.from(bytes).toString('base64')}';\n`;
  writeFileSync(target, `// Made by scripts/compile-kernels.mjs; change the kernels instead.\n\n${line}`);
}
