// npm run bench -- [suite...] [--save]: runs the suites (all where none is named) and prints JSON; --save keeps it under
// bench/results, in a file named after the machine. npm run bench -- compare OLD_BUILD: see compare.ts.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { machine } from '../machine.js';

const SUITES = new Map<string, () => Promise<{ run: () => object | Promise<object> }>>([
  ['dynamics', () => import('./dynamics.js')],
  ['assembly', () => import('./assembly.js')],
  ['schedule', () => import('./schedule.js')],
  ['functions', () => import('./functions.js')],
  ['inverse-kinematics', () => import('./inverse-kinematics.js')],
  ['compile', () => import('./compile.js')],
  ['startup', () => import('./startup.js')],
  ['simulation', () => import('./simulation.js')],
  ['loading', () => import('./loading.js')],
  ['contacts', () => import('./contacts.js')],
  ['environments', () => import('./environments.js')],
  ['loops', () => import('./loops.js')],
  ['collide', () => import('./contact-pairs.js')],
  ['mass-matrix', () => import('./mass-matrix.js')],
  ['parallel', () => import('./parallel.js')],
  ['cluster', () => import('./cluster.js')],
  ['reroot', () => import('./reroot.js')],
  ['page', () => import('./page.js')],
  ['gpu-errors', () => import('./gpu-errors.js')],
  ['gpu-parts', () => import('./gpu-parts.js')],
]);

const words = process.argv.slice(2);
if (words[0] === 'compare') {
  const { compare } = await import('./compare.js');
  try {
    console.log(JSON.stringify({ machine: machine(), ...(await compare(words.slice(1))) }, null, 2));
    process.exit(0);
  } catch (error) {
    console.error(`Error: ${(error as Error).message}`);
    process.exit(2);
  }
}
const save = words.includes('--save');
const named = words.filter((word) => word !== '--save');
const unknown = named.filter((name) => !SUITES.has(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark "${unknown[0]}". Known are: ${[...SUITES.keys()].join(', ')}.`);
  process.exit(2);
}
const results: Record<string, object> = {};
for (const name of named.length > 0 ? named : SUITES.keys()) {
  console.error(`running ${name} ...`);
  results[name] = await (await SUITES.get(name)!()).run();
}
const report = { machine: machine(), date: new Date().toISOString().slice(0, 10), results };
console.log(JSON.stringify(report, null, 2));
if (save) {
  const { processor, cores } = machine();
  const file = `bench/results/${`${processor}-${cores}`.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.json`;
  mkdirSync('bench/results', { recursive: true });
  // Suites that did not run keep their last results.
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { results: object }).results : {};
  writeFileSync(file, `${JSON.stringify({ ...report, results: { ...before, ...results } }, null, 2)}\n`);
  console.error(`saved to ${file}`);
}
