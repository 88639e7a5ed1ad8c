// Examples run as a user would run them, and print what their last lines say.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const FOLDER = fileURLToPath(new URL('../../examples/', import.meta.url));

describe('examples', () => {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.mjs'));

  it('are numbered without gaps', () => {
    expect(names.map((name) => Number(name.slice(0, 2)))).toEqual(names.map((_, i) => i + 1));
  });

  it('the README shows the first of them', () => {
    const readme = readFileSync(`${FOLDER}../README.md`, 'utf8');
    const [, snippet] = /<!-- from examples\/(?:[^ ]+) -->\n```js\n([\s\S]*?)```/.exec(readme) ?? [];
    expect(readFileSync(FOLDER + names[0], 'utf8')).toContain(snippet);
  });

  it.each(names)('%s', (name) => {
    const expected = [...readFileSync(FOLDER + name, 'utf8').matchAll(/^\/\/ prints: (.+)$/gm)].map(
      (match) => match[1],
    );
    const { status, stdout, stderr } = spawnSync(process.execPath, [FOLDER + name], { encoding: 'utf8' });
    // A driver of the GPU may write lines of its own to stderr, in C++; there is no option against it.
    expect(status, stderr).toBe(0);
    expect(expected.length).toBeGreaterThan(0);
    for (const line of expected) expect(stdout).toContain(line);
  });
});
