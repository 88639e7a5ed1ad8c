// Examples run as a user would run them, and print what their lines "prints:" say.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = `${ROOT}examples/`;
/** Within the package, where the name of the package leads to dist. */
const COMPILED = `${ROOT}out/examples/tested/`;

describe('examples', () => {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.ts'));

  beforeAll(() => {
    buildSync({ entryPoints: names.map((name) => FOLDER + name), outdir: COMPILED, format: 'esm', target: 'node20' });
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
    const compiled = COMPILED + name.replace(/ts$/, 'js');
    const { status, stdout, stderr } = spawnSync(process.execPath, [compiled], { encoding: 'utf8' });
    // A driver of the GPU may write lines of its own to stderr, in C++; there is no option against it.
    expect(status, stderr).toBe(0);
    expect(expected.length).toBeGreaterThan(0);
    for (const line of expected) expect(stdout).toContain(line);
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
