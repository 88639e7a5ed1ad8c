// One mechanism on several threads, timed in turn with one thread.

import { type Command, Option } from 'commander';
import { InputError } from '#src/cli/errors.js';
import { type ModelOptions, namedModels, positive, withModel } from '#src/cli/model-argument.js';
import { boundTo, isBoundBelow, type RanksOptions, startRanks, withRanks } from '#src/cli/ranks-option.js';
import { formatNumber, Progress, type Terminal, table } from '#src/cli/terminal.js';
import { endThreads } from '#src/engines/threads/index.js';
import { formatJson } from '#src/formats/json-writer.js';
import { type ChoiceLine, modelsOfChoice, timeChoice } from '../choice.js';
import { machine } from '../machine.js';
import { type ParallelLine, timeParallel } from '../parallel.js';
import { timeSpread } from '../spread.js';

interface Options extends ModelOptions, Omit<RanksOptions, 'threads'> {
  readonly threads?: string;
  /** The name of --threads in 0.1. */
  readonly workers?: string;
  readonly seconds: number;
  readonly auto?: boolean;
  readonly json?: boolean;
}

function threadCounts(text: string): number[] {
  const counts = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (!counts.every((count) => Number.isInteger(count) && count >= 1 && count <= 64))
    throw new InputError(`--threads expects whole numbers from 1 to 64 with commas between, got "${text}".`);
  return [...new Set(counts)];
}

export function configure(command: Command, terminal: Terminal): void {
  withRanks(withModel(command, '[model...]'), { threads: false })
    .option(
      '--threads <list>',
      'numbers of threads, the own one included (default: 1,2); with --mpi: threads inside each rank',
    )
    .addOption(new Option('--workers <list>', 'the same').hideHelp())
    .option('--seconds <s>', 'time for each model', positive, 2)
    .option('--auto', 'how good the automatic choice is; without models, on all built-in ones')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  manikin bench parallel crowd-20 chain-200-free --threads 1,2,4
  manikin bench parallel --auto human-161 crowd-5 --seconds 1
  mpirun -n 2 manikin bench parallel chain-2048 --mpi             (in turn with two threads)`,
    )
    .action(async (names: readonly string[], options: Options) => {
      if (options.auto === true) {
        await benchChoice(names.length > 0 ? names : modelsOfChoice(), options, terminal);
        return;
      }
      if (names.length === 0) throw new InputError('Name at least one model, or ask for --auto.');
      const counts = threadCounts(options.threads ?? options.workers ?? '1,2');
      const models = await namedModels(names, options, terminal);
      if (options.mpi === true) {
        await benchRanks(models, options, terminal);
        return;
      }
      const progress = new Progress(terminal, 'Measuring');
      const results: ParallelLine[] = [];
      for (const [k, { name, mechanism }] of models.entries()) {
        progress.update(k / models.length, name);
        results.push(...(await timeParallel(name, mechanism, counts, 1000 * options.seconds, terminal.signal)));
      }
      progress.finish();
      endThreads();
      if (options.json === true) {
        terminal.out(`${formatJson({ machine: machine(), results })}\n`);
        return;
      }
      const lines = results.map((line) => [
        line.model,
        line.workers,
        formatNumber(line.ns / 1000),
        formatNumber(line.nsMedian / 1000),
        formatNumber(line.serialNs / 1000),
        `${Math.round(100 * (1 - line.ns / line.serialNs))} %`,
        line.printedSerialNs === null ? '-' : formatNumber(line.printedSerialNs / 1000),
        line.predictedNs === null ? '-' : formatNumber(line.predictedNs / 1000),
        line.chosen,
        line.hash,
      ]);
      const head = [
        'model',
        'threads',
        'time (us)',
        'median',
        'one thread',
        'less',
        'printed algorithm',
        'predicted',
        'chosen',
        'hash of 1000 steps',
      ];
      terminal.out(`${table(head, lines)}\n`);
    });
}

/** Ranks against as many threads and against one. */
async function benchRanks(
  models: Awaited<ReturnType<typeof namedModels>>,
  options: Options,
  everyone: Terminal,
): Promise<void> {
  const [threads, ...more] = threadCounts(options.threads ?? '1');
  if (more.length > 0) throw new InputError('--threads with --mpi expects one number: threads inside each rank.');
  const { ranks, terminal, about, constants } = await startRanks({ ...options, threads }, everyone);
  const results = [];
  const timing = {
    counts: [options.scheduleFor ?? threads * ranks.ranks],
    milliseconds: 1000 * options.seconds,
    hashed: true,
    constants,
  };
  const bound = isBoundBelow(timing.counts[0]);
  if (bound) terminal.err(`${boundTo()}: threads are not measured beside ranks (mpirun --bind-to none).\n`);
  for (const { name, mechanism } of models)
    results.push(...(await timeSpread(name, mechanism, ranks, { ...timing, threads: !bound })));
  endThreads();
  if (options.json === true) {
    terminal.out(`${formatJson({ machine: machine(), ...about, results })}\n`);
    return;
  }
  const us = (ns: number | null): string => (ns === null ? '-' : formatNumber(ns / 1000));
  const lines = results.map((line) => [
    line.model,
    line.workers,
    us(line.ns),
    us(line.gatheredNs),
    us(line.threadsNs),
    us(line.serialNs),
    `${Math.round(100 * (1 - line.ns / line.serialNs))} %`,
    us(line.predictedNs),
    line.hash,
  ]);
  const head = [
    'model',
    'ranks',
    'time (us)',
    'gathered',
    'threads',
    'one thread',
    'less',
    'predicted',
    'hash of 1000 steps',
  ];
  terminal.out(`${about.implementation}\n\n${table(head, lines)}\n`);
}

/** Of each model, as `forward` is called. */
async function benchChoice(names: readonly string[], options: Options, terminal: Terminal): Promise<void> {
  const models = await namedModels(names, options, terminal);
  const progress = new Progress(terminal, 'Measuring');
  const choices: ChoiceLine[] = [];
  for (const [k, { name, mechanism }] of models.entries()) {
    progress.update(k / models.length, name);
    choices.push(await timeChoice(name, mechanism, 1000 * options.seconds, terminal.signal));
  }
  progress.finish();
  endThreads();
  if (options.json === true) {
    terminal.out(`${formatJson({ machine: machine(), results: [], choices })}\n`);
    return;
  }
  const us = (ns: number | null): string => (ns === null ? '-' : formatNumber(ns / 1000));
  const lines = choices.map((line) => [
    line.model,
    line.chosen,
    line.workers,
    us(line.chosenNs),
    us(line.serialNs),
    us(line.parallelNs),
    line.ratio.toFixed(3),
    us(line.predictedSerialNs),
    us(line.predictedNs),
    line.readyMs,
    line.late.toFixed(2),
  ]);
  const head = [
    'model',
    'chosen',
    'threads',
    'time (us)',
    'one thread',
    'several',
    'chosen/faster',
    'predicted: one',
    'several',
    'ready (ms)',
    'late',
  ];
  const worst = Math.max(...choices.map(({ ratio }) => ratio));
  const busy = choices.some(({ late }) => late > 0.1);
  if (busy) terminal.err('The machine was busy: where more than 0.1 pieces of a step came late, times say little.\n');
  terminal.out(`${table(head, lines)}\nWorst choice: ${(100 * (worst - 1)).toFixed(1)} % more than the faster.\n`);
}
