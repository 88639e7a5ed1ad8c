// How a sweep goes: what is done, what failed, how fast; on the terminal while it runs, and at its end.

import { formatNumber, Progress, type Terminal } from '../terminal.js';
import type { SweepPlan } from './plan.js';
import type { FailedRun } from './result-store.js';

/** Lines for one reason of failure; the others are counted. */
const LINES = 3;

export class Tally {
  readonly failed: FailedRun[] = [];
  /** Runs of this call that have their result now. */
  done = 0;
  /** What the bar shows besides. */
  note = '';
  readonly #plan: SweepPlan;
  readonly #terminal: Terminal;
  readonly #progress: Progress;
  readonly #total: number;
  readonly #begin = performance.now();
  readonly #reasons = new Map<string, number>();

  constructor(plan: SweepPlan, total: number, terminal: Terminal) {
    this.#plan = plan;
    this.#total = total;
    this.#terminal = terminal;
    this.#progress = new Progress(terminal, plan.name);
  }

  get seconds(): number {
    return (performance.now() - this.#begin) / 1000;
  }

  get finished(): number {
    return this.done + this.failed.length;
  }

  succeed(): void {
    this.done++;
    this.draw();
  }

  fail(run: FailedRun): void {
    this.failed.push(run);
    const times = (this.#reasons.get(reasonOf(run)) ?? 0) + 1;
    this.#reasons.set(reasonOf(run), times);
    if (times <= LINES) this.say(`Failed: ${this.#plan.label(run.index)}: ${run.message}`);
    this.draw();
  }

  /** A line on standard error, above the bar. */
  say(line: string): void {
    this.#progress.finish();
    this.#terminal.err(`${line}\n`);
  }

  draw(): void {
    const { finished, seconds } = this;
    const rate = finished / seconds;
    const left = finished === 0 ? '' : `, ${duration((this.#total - finished) / rate)} left`;
    const speed = finished === 0 ? '' : `, ${formatNumber(Number(rate.toPrecision(3)))} a second${left}`;
    this.#progress.update(finished / this.#total, `${finished}/${this.#total}${speed}${this.note}`);
  }

  /** Takes the bar away and says what was only counted. */
  finish(): void {
    this.#progress.finish();
    const more = [...this.#reasons.values()].reduce((sum, times) => sum + Math.max(0, times - LINES), 0);
    if (more > 0) this.#terminal.err(`Failed in the same way: ${more} more.\n`);
  }
}

/** The same sentence with other numbers is the same reason. */
const reasonOf = ({ message }: FailedRun): string => message.replace(/-?\d[\d.e+-]*/g, '#');

/** Seconds for people. */
export function duration(seconds: number): string {
  if (seconds < 100) return `${formatNumber(Number(seconds.toPrecision(seconds < 10 ? 2 : 3)))} s`;
  if (seconds < 6000) return `${Math.round(seconds / 60)} min`;
  return `${formatNumber(Number((seconds / 3600).toPrecision(3)))} h`;
}

/** Why a result could not be written, without the name of the file: it is the same for many. */
export function unwrittenReason(error: unknown): string {
  const message = (error as Error).message;
  const [, code] = /\b(E[A-Z]{3,})\b/.exec(message) ?? [];
  const words = new Map([
    ['ENOSPC', 'the disk is full'],
    ['EDQUOT', 'the quota is used up'],
    ['EROFS', 'the file system is read-only'],
    ['EACCES', 'the folder is not writable'],
    ['EPERM', 'the folder is not writable'],
  ]);
  return `Its result could not be written: ${code === undefined ? message : `${words.get(code) ?? 'the system refused'} (${code})`}.`;
}
