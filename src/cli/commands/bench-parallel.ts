// One mechanism on several threads, timed in turn with one thread.

import type { Command } from 'commander';
import { formatJson } from '../../formats/index.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import { endThreads } from '../../parallel/index.js';
import { InputError } from '../errors.js';
import { loadModel, type ModelOptions, positive, withModel } from '../model-argument.js';
import { machine, type ParallelLine, timeParallel } from '../parallel-timing.js';
import { formatNumber, Progress, type Terminal, table } from '../terminal.js';
import { benchCommand } from './bench.js';

interface Options extends ModelOptions {
  readonly workers: string;
  readonly seconds: number;
  readonly json?: boolean;
}

function workerCounts(text: string): number[] {
  const counts = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (!counts.every((count) => Number.isInteger(count) && count >= 1 && count <= 64))
    throw new InputError(`--workers expects whole numbers from 1 to 64 with commas between, got "${text}".`);
  return [...new Set(counts)];
}

export function addBenchParallel(program: Command, terminal: Terminal): void {
  withModel(benchCommand(program).command('parallel'), '<model...>')
    .description('forward dynamics of one mechanism on several threads against the fastest code for one')
    .option('--workers <list>', 'numbers of threads, the own one included', '1,2')
    .option('--seconds <s>', 'time for each model', positive, 2)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  manikin bench parallel crowd-20 chain-200-free --workers 1,2,4')
    .action(async (names: readonly string[], options: Options) => {
      const counts = workerCounts(options.workers);
      const models = names.map((name): [string, Mechanism] => [name, loadModel(name, options, terminal).mechanism]);
      const progress = new Progress(terminal, 'Measuring');
      const results: ParallelLine[] = [];
      for (const [k, [name, mechanism]] of models.entries()) {
        progress.update(k / models.length, name);
        results.push(...(await timeParallel(name, mechanism, counts, 1000 * options.seconds, terminal.signal)));
      }
      progress.finish();
      endThreads();
      if (options.json === true) {
        terminal.out(`${formatJson({ machine: await machine(), results })}\n`);
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
