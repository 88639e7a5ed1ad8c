// manikin worker: makes runs of sweeps that stand in a queue.

import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { formatJson } from '../../formats/json-writer.js';
import { InputError } from '../errors.js';
import { integer, positive } from '../model-argument.js';
import { parseQueueAddress } from '../sweep/queue-address.js';
import { openQueue } from '../sweep/queue-connection.js';
import { workQueue } from '../sweep/queue-worker.js';
import { RunPool } from '../sweep/run-pool.js';
import { duration } from '../sweep/tally.js';
import { ERASE_LINE, type Terminal } from '../terminal.js';

interface Options {
  readonly queue?: string;
  readonly threads?: number;
  readonly root: string;
  readonly lease: number;
  readonly idle?: number;
  readonly json?: boolean;
}

/** The option, with the variable that keeps a password out of lists of processes. */
export const queueOption = (help: string): Option => new Option('--queue <url>', help).env('MANIKIN_QUEUE');

export function configureWorker(command: Command, terminal: Terminal): void {
  command
    .addOption(queueOption('a Redis or Valkey server: redis://user:password@host:6379/0, rediss:// encrypted'))
    .option('--threads <n>', 'runs at the same time (default: as many as this machine has processors)', integer)
    .option('--root <folder>', 'files of sweeps are read from here and below', '.')
    .option('--lease <seconds>', 'after this long without a sign of life its runs are given to others', positive, 30)
    .option('--idle <seconds>', 'end after so long without a run (default: never)', positive)
    .option('--json', 'print JSON at the end')
    .addHelpText(
      'after',
      `
Runs are data, never code, and are checked like files. Files that they name must be below the root, and the same as those that the sweep
was planned with. Ctrl-C gives runs that are under way back to the queue. Needs the packages bullmq and ioredis.

Examples:
  manikin worker --queue redis://localhost:6379
  MANIKIN_QUEUE=rediss://user:password@queue.example.org:6380 manikin worker --idle 60`,
    )
    .action((options: Options) => work(options, terminal));
}

async function work(options: Options, terminal: Terminal): Promise<void> {
  const { queue: url, threads = availableParallelism(), lease, idle } = options;
  if (url === undefined) throw new InputError('Say where the queue is: --queue redis://host:6379, or MANIKIN_QUEUE.');
  if (threads < 1) throw new InputError(`--threads expects a number from 1 on, got ${threads}.`);
  const address = parseQueueAddress(url);
  const { signal } = terminal;
  const status = new Status(terminal);
  const connection = await openQueue(address, (line) => status.say(line));
  const pool = new RunPool(resolve(options.root), threads);
  status.say(`Worker of ${address.shown}, ${threads} ${threads === 1 ? 'thread' : 'threads'}. Ctrl-C ends it.`);
  try {
    await workQueue(connection, pool, { threads, lease, idle, signal }, status);
  } finally {
    status.finish(options.json === true);
  }
  signal.throwIfAborted();
}

/** What a worker has done so far, on one line. */
export class Status {
  readonly #terminal: Terminal;
  readonly #begin = performance.now();
  readonly #said = new Set<string>();
  #done = 0;
  #failed = 0;
  #drawn = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  say(line: string): void {
    this.#clear();
    this.#terminal.err(`${line}\n`);
  }

  /** What repeats itself is said once. */
  sayOnce(line: string): void {
    if (this.#said.has(line)) return;
    this.#said.add(line);
    this.say(line);
  }

  count(good: boolean): void {
    if (good) this.#done++;
    else this.#failed++;
    if (!this.#terminal.interactive) return;
    this.#drawn = true;
    this.#terminal.err(`${ERASE_LINE}${this.#text()}`);
  }

  finish(json: boolean): void {
    this.#clear();
    const [runs, seconds] = [this.#done + this.#failed, (performance.now() - this.#begin) / 1000];
    if (json)
      this.#terminal.out(`${formatJson({ runs, done: this.#done, failed: this.#failed, skipped: 0, seconds })}\n`);
    else this.#terminal.out(`${this.#text()} in ${duration(seconds)}\n`);
  }

  #text(): string {
    return `${this.#done} runs done${this.#failed > 0 ? `, ${this.#failed} failed` : ''}`;
  }

  #clear(): void {
    if (this.#drawn) this.#terminal.err(ERASE_LINE);
    this.#drawn = false;
  }
}
