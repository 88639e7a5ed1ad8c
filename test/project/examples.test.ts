// Examples run as a user would run them, and print what their lines "prints:" say.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = `${ROOT}examples/`;
/** Within the package, where the name of the package leads to dist. */
const COMPILED = `${ROOT}out/examples/tested/`;

/** With threads and devices. */
const OWN_PROCESS = /threads|gpu/;

/** What each of them prints, run one after the other in one process: starting one takes longer than most examples. */
function runExamples(names: readonly string[]): ReadonlyMap<string, string> {
  const program = `
    const { askLessOften } = await import('${new URL('../support/ask-less-often.mjs', import.meta.url).href}');
    if (${names.some((name) => name.includes('gpu'))}) askLessOften();
    for (const name of ${JSON.stringify(names)}) {
      console.log('example ' + name);
      await import(${JSON.stringify(pathToFileURL(COMPILED).href)} + name.replace(/ts$/, 'js')).catch((error) => {
        console.log(error);
        process.exitCode = 1;
      });
    }`;
  const args = ['--input-type=module', '-e', program];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: ROOT });
  // A driver of the GPU may write lines of its own to stderr, in C++; there is no option against it.
  expect(status, stdout + stderr).toBe(0);
  const parts = stdout.split(/^example (.*)\n/m).slice(1);
  return new Map(names.map((name) => [name, parts[parts.indexOf(name) + 1]]));
}

describe('examples', () => {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.ts'));

  let together: ReadonlyMap<string, string>;

  beforeAll(() => {
    buildSync({ entryPoints: names.map((name) => FOLDER + name), outdir: COMPILED, format: 'esm', target: 'node20' });
    together = runExamples(names.filter((name) => !OWN_PROCESS.test(name)));
  });

  it('are numbered without gaps', () => {
    expect(names.map((name) => Number(name.slice(0, 2)))).toEqual(names.map((_, i) => i + 1));
  });

  it('the README shows the first of them', () => {
    const readme = readFileSync(`${ROOT}README.md`, 'utf8');
    const [, snippet] = /<!-- from examples\/(?:[^ ]+) -->\n```ts\n([\s\S]*?)```/.exec(readme) ?? [];
    expect(readFileSync(FOLDER + names[0], 'utf8')).toContain(snippet);
  });

  it.each(names)('%s', (name) => {
    const expected = [...readFileSync(FOLDER + name, 'utf8').matchAll(/^\/\/ prints: (.+)$/gm)].map(
      (match) => match[1],
    );
    expect(expected.length).toBeGreaterThan(0);
    const printed = OWN_PROCESS.test(name) ? runExamples([name]).get(name) : together.get(name);
    for (const line of expected) expect(printed).toContain(line);
  });

  it('one of them runs by its number, and what there is is told where there is none', () => {
    const run = (name: string) =>
      spawnSync(process.execPath, [`${ROOT}scripts/example.mjs`, name], { encoding: 'utf8' });
    expect(run('6').stdout).toContain('relative difference below 1e-10: true');
    const none = run('simulate-it');
    expect(none.status).toBe(2);
    expect(none.stderr).toContain('04-simulate');
  });
});
