// manikin sweep: many runs of one simulation or inverse dynamics, with other values each.

import { availableParallelism } from 'node:os';
import { basename, extname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Command } from 'commander';
import { formatJson } from '../../formats/json-writer.js';
import { SimulationError } from '../../mechanism/errors.js';
import { InputError } from '../errors.js';
import { integer } from '../model-argument.js';
import { checkTableName, collect } from '../sweep/collect.js';
import { runHere } from '../sweep/local.js';
import { SweepPlan } from '../sweep/plan.js';
import { parseQueueAddress, type QueueAddress } from '../sweep/queue-address.js';
import { runQueued } from '../sweep/queue-sweep.js';
import { ResultStore } from '../sweep/result-store.js';
import { RunPool } from '../sweep/run-pool.js';
import { duration, Tally } from '../sweep/tally.js';
import { formatNumber, Progress, type Terminal } from '../terminal.js';
import { queueOption } from './worker.js';

interface Options {
  readonly out?: string;
  readonly root?: string;
  readonly threads?: number;
  readonly shard?: string;
  readonly queue?: string;
  readonly collect?: string;
  readonly json?: boolean;
}

export function configureSweep(command: Command, terminal: Terminal): void {
  command
    .argument('<sweep>', 'a JSON file: which run, which values (docs/cluster.md)')
    .option('--out <folder>', 'where results go (default: out/ and the name of the file)')
    .option('--threads <n>', 'runs at the same time (default: as many as this machine has processors)', integer)
    .option('--shard <k/n>', 'the k-th of n parts, from 1 on: one for each task of a job array')
    .addOption(queueOption('let workers make the runs (manikin worker): redis://host:6379, rediss:// encrypted'))
    .option('--collect <file>', 'run nothing, write the results that are there as one table: .csv or .parquet')
    .option('--root <folder>', 'files are read from here and below (default: the folder of the sweep)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Each result is a file of its own, whose name depends on what went into the run. Running it again makes the runs that are missing,
and nothing else. Exit code 1: some runs failed, the others are done.

Examples:
  manikin sweep friction.json
  manikin sweep friction.json --collect out/friction.parquet
  manikin sweep friction.json --shard $SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT
  manikin sweep friction.json --queue redis://localhost:6379`,
    )
    .action((file: string, options: Options) => sweep(file, options, terminal));
}

interface Shard {
  readonly k: number;
  readonly n: number;
}

function shardOf(text: string | undefined): Shard | undefined {
  if (text === undefined) return undefined;
  const match = /^(\d{1,7})\/(\d{1,7})$/.exec(text);
  const [k, n] = [Number(match?.[1]), Number(match?.[2])];
  if (match === null || k < 1 || k > n)
    throw new InputError(`--shard expects k/n with k from 1 to n, as in 3/8; got "${text}".`);
  return { k, n };
}

async function sweep(file: string, options: Options, terminal: Terminal): Promise<void> {
  const { collect: table, threads = availableParallelism() } = options;
  const shard = shardOf(options.shard);
  if (table !== undefined) {
    checkTableName(table);
    if (shard !== undefined) throw new InputError('Collect when all shards are done: leave --shard out.');
  }
  const address = options.queue === undefined ? undefined : parseQueueAddress(options.queue);
  if (threads < 1) throw new InputError(`--threads expects a number from 1 on, got ${threads}.`);
  const { signal } = terminal;
  const plan = new SweepPlan(file, options.root);
  const store = new ResultStore(options.out ?? join('out', basename(file, extname(file))));
  if (table !== undefined) {
    await planRuns(plan, terminal);
    return collectTable(plan, store, table, options, terminal, signal);
  }
  const there = store.keys();
  const most = Math.ceil(plan.count / (shard?.n ?? 1));
  const pool = address === undefined ? new RunPool(plan.root, Math.min(threads, most)) : undefined;
  try {
    if (there.size < plan.count) pool?.warm(plan.kind);
    await planRuns(plan, terminal);
    store.open();
    store.writeManifest(plan);
    await makeRuns(plan, store, there, pool ?? address!, shard, options, terminal);
  } finally {
    await pool?.end();
  }
}

/** Makes what is not there, on this machine or by workers of a queue, and tells what came of it. */
async function makeRuns(
  plan: SweepPlan,
  store: ResultStore,
  there: ReadonlySet<string>,
  by: RunPool | QueueAddress,
  shard: Shard | undefined,
  options: Options,
  terminal: Terminal,
): Promise<void> {
  const { signal } = terminal;
  const mine = <T>(list: readonly T[]): readonly T[] =>
    shard === undefined ? list : list.filter((_, position) => position % shard.n === shard.k - 1);
  const runs = mine(plan.runs);
  const todo = runs.filter(({ key }) => !there.has(key));
  const faults = mine(plan.faults);
  const tally = new Tally(plan, todo.length + faults.length, terminal);
  for (const fault of faults) tally.fail(fault);
  const skipped = runs.length - todo.length;
  try {
    if (by instanceof RunPool) await runHere(plan, todo, store, tally, by, signal);
    else if (todo.length > 0) await runQueued(plan, todo, store, tally, by, signal);
  } catch (error) {
    tally.finish();
    if (signal.aborted)
      terminal.err(`Stopped: ${skipped + tally.done} of ${runs.length} runs are done. Run it again for the rest.\n`);
    throw error;
  } finally {
    await store.settle();
  }
  tally.finish();
  const part = shard === undefined ? '' : `-${shard.k}-of-${shard.n}`;
  const failures = store.writeFailures(tally.failed, plan, part);
  const { seconds, done } = tally;
  const failed = tally.failed.length;
  const count = runs.length + faults.length;
  if (options.json === true)
    terminal.out(
      `${formatJson({ sweep: plan.name, runs: count, done, failed, skipped, seconds, folder: store.folder, failures })}\n`,
    );
  else {
    const rate = `${formatNumber(Number((done / seconds).toPrecision(3)))} a second`;
    const parts = [
      ...(skipped > 0 ? [`${skipped} there already`] : []),
      done > 0 ? `${done} done in ${duration(seconds)} (${rate})` : 'nothing to do',
      ...(failed > 0 ? [`${failed} failed`] : []),
    ];
    const lines = [
      `${plan.name}${shard === undefined ? '' : `, shard ${shard.k} of ${shard.n}`}: ${count} runs, ${parts.join(', ')}`,
      `results: ${join(store.folder, 'results')}, listed in ${join(store.folder, 'manifest.json')}`,
    ];
    terminal.out(`${lines.join('\n')}\n`);
  }
  if (failed > 0) throw new SimulationError('sweep', `${failed} of ${count} runs failed: ${failures}.`);
}

async function planRuns(plan: SweepPlan, terminal: Terminal): Promise<void> {
  const { signal } = terminal;
  const progress = new Progress(terminal, 'Planning');
  try {
    while (!(await plan.look(50))) {
      progress.update((plan.runs.length + plan.repeated.size) / plan.count);
      await nextTurn();
      signal.throwIfAborted();
    }
  } finally {
    progress.finish();
  }
}

async function collectTable(
  plan: SweepPlan,
  store: ResultStore,
  file: string,
  options: Options,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const progress = new Progress(terminal, 'Collecting');
  const began = performance.now();
  let collected: Awaited<ReturnType<typeof collect>>;
  try {
    collected = await collect(plan, store, file, progress, signal);
  } finally {
    progress.finish();
  }
  const { rows, columns, missing, broken } = collected;
  const seconds = (performance.now() - began) / 1000;
  for (const path of broken.slice(0, 3))
    terminal.err(`Warning: "${path}" cannot be read; remove it and run the sweep again.\n`);
  if (options.json === true)
    terminal.out(
      `${formatJson({ runs: plan.count, done: rows, missing, broken: broken.length, columns, seconds, files: [file] })}\n`,
    );
  else terminal.out(`${plan.name}: ${rows} of ${plan.count} runs, ${columns} columns\nwritten: ${file}\n`);
  if (missing + broken.length > 0)
    throw new SimulationError(
      'sweep',
      `${missing + broken.length} of ${plan.count} runs have no result; run the sweep again.`,
    );
}
