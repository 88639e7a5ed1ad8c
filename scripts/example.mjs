// Runs one of the examples, by its name or number, on the built package: npm run example 04. Node 20 does not read
// TypeScript by itself: esbuild takes the types away.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const names = readdirSync(`${root}examples`).flatMap((file) => (/^\d\d-.*\.ts$/.test(file) ? [file.slice(0, -3)] : []));
const [asked = ''] = process.argv.slice(2);
const wanted = asked.replace(/^.*\/|\.ts$/g, '');
const found = names.find(
  (name) => name === wanted || name.slice(3) === wanted || name.slice(0, 2) === wanted.padStart(2, '0'),
);
if (found === undefined) {
  console.error(`Name one of the examples, or its number:\n${names.map((name) => `  ${name}`).join('\n')}`);
  process.exit(2);
}
buildSync({
  entryPoints: [`${root}examples/${found}.ts`],
  // Within the package, where the name of the package leads to dist.
  outdir: `${root}out/examples`,
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
});
await import(`../out/examples/${found}.js`);
