// The built program as a process, for what only a process shows: exit codes, signals, files of the system.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PATIENCE } from '../support/patience.js';

export const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
export const built = existsSync(MAIN);
if (!built) console.warn('skipped: dist is not built (npm run build), the program is not tried as a process');

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');

/** The program and its words, for a shell. */
export const program = (...words: string[]): string => quoted([process.execPath, MAIN, ...words]);

/** Runs a line of bash in a folder. */
export function bash(line: string, cwd?: string): { status: number | null; stdout: string; stderr: string } {
  return spawnSync('bash', ['-c', line], { encoding: 'utf8', cwd, timeout: PATIENCE });
}

export interface Running {
  readonly child: ChildProcess;
  /** Exit code and signal, and what it wrote to standard error. */
  readonly ended: Promise<{ code: number | null; signal: string | null; err: string }>;
}

export function start(words: readonly string[], cwd: string): Running {
  const child = spawn(process.execPath, [MAIN, ...words], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  let err = '';
  child.stderr!.on('data', (text) => {
    err += text;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, err }));
  return { child, ended };
}

/** Waits until something is so; a busy machine may take its time. */
export async function until(so: () => boolean, patience = PATIENCE): Promise<void> {
  for (const end = performance.now() + patience; !so(); await wait(20))
    if (performance.now() > end) throw new Error('it did not happen');
}

/** Its state (R: runs, S: sleeps in the system) and its user time in ticks, or undefined where it has ended. */
function statusOf({ pid, exitCode }: ChildProcess): { state: string; ticks: number } | undefined {
  if (exitCode !== null || !existsSync(`/proc/${pid}/stat`)) return undefined;
  // Behind the name, which is in parentheses.
  const words = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return { state: words[0], ticks: Number(words[11]) };
}

/** Waits until a process is at work, or has ended: the program starts with less than this processor time. */
export const atWork = (child: ChildProcess): Promise<void> => until(() => (statusOf(child)?.ticks ?? 99) > 25);

/** Waits until a process waits for others: it sleeps each time that one looks. */
export function asleep(child: ChildProcess): Promise<void> {
  let [times, last] = [0, 0];
  return until(() => {
    const { state, ticks } = statusOf(child) ?? { state: 'S', ticks: last };
    times = state === 'S' && ticks === last ? times + 1 : 0;
    last = ticks;
    return times === 10;
  });
}

/** Files that are being written in a folder. */
export const temporaries = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('.manikin-')) : [];
