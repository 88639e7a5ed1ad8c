// manikin schedule: the best order of assembly for a number of processors.

import type { Command } from 'commander';
import { schedule, topologyOf } from '../../engines/plain/assembly/schedule.js';
import { formatJson } from '../../formats/json-writer.js';
import { type CostModel, drawSvg, drawText, engineCost, paperCost, stringifyTree } from '../../schedule/index.js';
import { loadConstants } from '../calibration-file.js';
import { InputError } from '../errors.js';
import { integer, loadModel, type ModelOptions, positive, withModel } from '../model-argument.js';
import { writeOutput } from '../output-file.js';
import type { Terminal } from '../terminal.js';

interface Options extends ModelOptions {
  readonly procs: number;
  readonly cost: string;
  readonly budget: number;
  readonly full?: boolean;
  readonly svg?: string;
  readonly json?: boolean;
}

/** a,b,c,d; paper; engine; or calibrated. */
function costModel(text: string): CostModel {
  if (text === 'paper') return paperCost();
  if (text === 'engine') return engineCost();
  if (text === 'calibrated') return engineCost(loadConstants());
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (numbers.length !== 4 || !numbers.every(Number.isFinite))
    throw new InputError(`--cost expects four numbers a,b,c,d, or paper, engine, calibrated; got "${text}".`);
  const [alpha, beta, gamma, delta] = numbers;
  return paperCost({ alpha, beta, gamma, delta });
}

export function configureSchedule(command: Command, terminal: Terminal): void {
  withModel(command)
    .requiredOption('--procs <n>', 'number of processors', integer)
    .option('--cost <model>', "a,b,c,d of the paper's formula; paper; engine; or calibrated", 'paper')
    .option('--budget <ms>', 'time for the search', positive, 2000)
    .option('--full', 'draw every joint')
    .option('--svg <file>', 'draw the schedule tree and what every processor does')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  manikin schedule human-161 --procs 4 --svg out/schedule.svg')
    .action(async (name: string, options: Options) => {
      const { mechanism } = await loadModel(name, options, terminal);
      const { procs, budget } = options;
      const cost = costModel(options.cost);
      const found = schedule(mechanism, { processors: procs, cost, timeBudgetMs: budget });
      const topology = topologyOf(mechanism);
      if (options.svg !== undefined)
        writeOutput(options.svg, drawSvg(topology, found, { title: `${name} on ${procs} processors` }));
      const { makespan, serial, optimal, gap, bound, expansions, milliseconds, tree, assignment, method } = found;
      if (options.json === true) {
        const head = { model: name, procs, cost: options.cost, makespan, serial, optimal, gap, bound, method };
        // The tree can be as deep as a chain is long, so it is written by its own means and put in its place.
        const text = formatJson({ ...head, expansions, milliseconds, tree: null, assignment });
        terminal.out(`${text.replace('"tree": null', () => `"tree": ${stringifyTree(tree)}`)}\n`);
        return;
      }
      terminal.out(`${drawText(topology, found, { full: options.full === true })}\n`);
      if (options.svg !== undefined) terminal.out(`written: ${options.svg}\n`);
    });
}
