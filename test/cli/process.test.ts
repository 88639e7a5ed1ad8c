// The built program as a shell runs it.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { built, MAIN, program } from './process-support.js';

const folder = mkdtempSync(join(tmpdir(), 'manikin-process-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A description whose warnings are longer than what a pipe holds (64 kB). */
function talkative(): string {
  const bodies = Array.from({ length: 800 }, (_, i) => ({
    name: `a body with an impossible inertia, number ${i}`,
    parent: null,
    joint: { name: `j${i}`, type: 'fixed' },
    E: [1, 0, 0, 0, 1, 0, 0, 0, 1],
    t: [0, 0, 0],
    mass: 1,
    com: [0, 0, 0],
    inertia: [1, 0, 0, 0, 1, 0, 0, 0, 9],
  }));
  const file = join(folder, 'talkative.json');
  writeFileSync(file, JSON.stringify({ gravity: [0, 0, 0], bodies }));
  return file;
}

describe.skipIf(!built)('the program', () => {
  it('prints results to standard output, the rest to standard error, and ends with the code', () => {
    const run = (...words: string[]) => spawnSync(process.execPath, [MAIN, ...words], { encoding: 'utf8' });
    const good = run('fd', 'chain-2', '--seed', '1', '--json');
    expect([good.status, good.stderr]).toEqual([0, '']);
    expect(JSON.parse(good.stdout).joints).toHaveLength(2);
    const bad = run('fd', 'nobody', '--json');
    expect([bad.status, bad.stdout]).toEqual([2, '']);
    expect(bad.stderr).toMatch(/^Error: There is no built-in mechanism "nobody"/);
    expect(bad.stderr).not.toMatch(/\n\s+at /);
  });

  it('does not complain when the reader has seen enough', () => {
    const command = `${program('describe', 'human-161')} | head -1; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', command], { encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['{\n0\n', '']);
  });

  it('gives its result also where nobody reads the warnings', () => {
    const file = talkative();
    const command = `${program('info', file, '--warnings', 'all')} 2> >(head -1 >/dev/null); echo "$?"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', command], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/bodies +800\n[\s\S]*\n0\n$/);
  });

  it('waits for a slow reader of many warnings', async () => {
    const command = `${program('info', talkative(), '--warnings', 'all')} 2>&1 | (sleep 1; cat)`;
    const { stdout, stderr } = spawnSync('bash', ['-c', command], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout.match(/^Warning: /gm)).toHaveLength(800);
    expect(stdout.length).toBeGreaterThan(1 << 16);
    expect(stdout).toMatch(/bodies +800\n/);
    expect(stdout).not.toMatch(/\n\s+at /);
  });
});
