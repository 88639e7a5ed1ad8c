// The built program as a shell runs it.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const built = existsSync(MAIN);
if (!built) console.warn('skipped: dist is not built (npm run build), the program is not tried as a process');

const folder = mkdtempSync(join(tmpdir(), 'manikin-process-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');
const program = (...words: string[]): string => quoted([process.execPath, MAIN, ...words]);

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
    const command = `${program('info', file)} 2> >(head -1 >/dev/null); echo "$?"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', command], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/bodies +800\n[\s\S]*\n0\n$/);
  });

  it('waits for a slow reader of many warnings', async () => {
    const command = `${program('info', talkative())} 2>&1 | (sleep 1; cat)`;
    const { stdout, stderr } = spawnSync('bash', ['-c', command], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout.match(/^Warning: /gm)).toHaveLength(800);
    expect(stdout.length).toBeGreaterThan(1 << 16);
    expect(stdout).toMatch(/bodies +800\n/);
    expect(stdout).not.toMatch(/\n\s+at /);
  });

  it('Ctrl-C in a long simulation: code 130, and no file is left', async () => {
    const files = ['--csv', join(folder, 'run', 'a.csv'), '--svg', join(folder, 'run', 'a.svg')];
    const words = [MAIN, 'simulate', 'chain-32', '--seed', '1', '--duration', '100000', ...files];
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(child, 'exit');
    let err = '';
    child.stderr.on('data', (text) => {
      err += text;
    });
    for (let k = 0; k < 200 && !existsSync(join(folder, 'run', 'a.csv.part')); k++) await wait(25);
    expect(readdirSync(join(folder, 'run'))).not.toEqual([]);
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    expect(err).toBe('Interrupted.\n');
    expect(readdirSync(join(folder, 'run'))).toEqual([]);
  });

  it('Ctrl-C in a long calculation ends it at once', async () => {
    const words = [MAIN, 'fd', 'chain-6000', '--algorithm', 'dense'];
    const child = spawn(process.execPath, words, { stdio: 'ignore' });
    const ended = once(child, 'exit');
    await wait(700);
    const began = performance.now();
    child.kill('SIGINT');
    const late = setTimeout(() => child.kill('SIGKILL'), 4000);
    const [code, signal] = await ended;
    clearTimeout(late);
    expect(code === 130 || signal === 'SIGINT').toBe(true);
    expect(performance.now() - began).toBeLessThan(2000);
  });
});
