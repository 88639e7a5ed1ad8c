// manikin schedule: the best order of assembly for a number of processors.

import type { Command } from 'commander';
import { schedule, topologyOf } from '../../engines/plain/assembly/schedule.js';
import type { ThreadTimelines } from '../../engines/threads/measured-timeline.js';
import { MAX_THREADS } from '../../engines/threads/protocol.js';
import { formatJson } from '../../formats/json-writer.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import { timelinesSvg, timelinesText } from '../../schedule/draw-timelines.js';
import { type CostModel, drawSvg, drawText, engineCost, paperCost, stringifyTree } from '../../schedule/index.js';
import { processors } from '../../threads/surroundings.js';
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
  readonly run?: boolean;
  readonly svg?: string;
  readonly json?: boolean;
}

const HELP = `
With --run threads run what the cost model of the engine finds (with --cost calibrated that of this machine), whatever
--cost says for the schedule tree: docs/scheduling.md tells why the two differ.

Examples:
  manikin schedule human-161 --procs 4 --svg out/schedule.svg
  manikin schedule human-161 --procs 2 --run --svg out/threads.svg`;

/** A segment with the names of its joints, the first and the last of them where they are many. */
function segmentText(segment: number, joints: readonly string[]): string {
  const names = joints.length <= 3 ? joints.join(', ') : `${joints[0]} to ${joints.at(-1)}, ${joints.length} joints`;
  return `segment ${segment}: ${names}`;
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

/** What threads of this machine make of it, and of what was predicted. */
async function runOnThreads(mechanism: Mechanism, options: Options, terminal: Terminal): Promise<ThreadTimelines> {
  const { procs, cost } = options;
  if (procs > MAX_THREADS) throw new InputError(`--run takes 1 to ${MAX_THREADS} threads, got ${procs}.`);
  const cores = await processors();
  if (procs > cores)
    terminal.err(
      `${procs} threads on ${cores} core${cores === 1 ? '' : 's'}: they wait for each other, and times mean little.\n`,
    );
  const { endThreads } = await import('../../engines/threads/pool.js');
  const { measureTimeline } = await import('../../engines/threads/measured-timeline.js');
  try {
    const constants = cost === 'calibrated' ? { constants: loadConstants() } : {};
    const found = await measureTimeline(mechanism, { threads: procs, ...constants, signal: terminal.signal });
    if (found.disturbed && procs <= cores)
      terminal.err('Threads came late, and others did their work: the machine is busy.\n');
    return found;
  } finally {
    endThreads();
  }
}

export function configureSchedule(command: Command, terminal: Terminal): void {
  withModel(command)
    .requiredOption('--procs <n>', 'number of processors', integer)
    .option('--cost <model>', "a,b,c,d of the paper's formula; paper; engine; or calibrated", 'paper')
    .option(
      '--budget <ms>',
      'milliseconds for the schedule, from the model that was read to the schedule found',
      positive,
      2000,
    )
    .option('--full', 'draw every joint')
    .option('--run', 'run it on threads, and show beside what was predicted what was measured')
    .option('--svg <file>', 'draw the schedule tree and what every processor does, or with --run both timelines')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (name: string, options: Options) => {
      const { mechanism } = await loadModel(name, options, terminal);
      const { procs, budget } = options;
      const cost = costModel(options.cost);
      const found = schedule(mechanism, { processors: procs, cost, timeBudgetMs: budget });
      const topology = topologyOf(mechanism);
      const ran = options.run === true ? await runOnThreads(mechanism, options, terminal) : undefined;
      const timelines = ran && [
        { name: 'predicted', ns: ran.predictedNs, spans: ran.predicted },
        { name: 'measured', ns: ran.measuredNs, spans: ran.measured },
      ];
      if (options.svg !== undefined)
        writeOutput(
          options.svg,
          timelines === undefined
            ? drawSvg(topology, found, { title: `${name} on ${procs} processors` })
            : timelinesSvg(`${name} on ${procs} threads`, timelines, (s) => segmentText(s, ran!.segments[s])),
        );
      const { makespan, serial, optimal, gap, bound, expansions, milliseconds, tree, assignment, method } = found;
      if (options.json === true) {
        const head = { model: name, procs, cost: options.cost, makespan, serial, optimal, gap, bound, method };
        // The tree can be as deep as a chain is long, so it is written by its own means and put in its place.
        const text = formatJson({ ...head, expansions, milliseconds, tree: null, assignment, ...ran });
        terminal.out(`${text.replace('"tree": null', () => `"tree": ${stringifyTree(tree)}`)}\n`);
        return;
      }
      terminal.out(`${drawText(topology, found, { full: options.full === true })}\n`);
      if (timelines !== undefined) {
        terminal.out('What threads run, cut by the cost model of the engine:\n');
        for (const [s, joints] of ran!.segments.entries()) terminal.out(`  ${segmentText(s, joints)}\n`);
        terminal.out(`\n${timelinesText(timelines)}`);
        terminal.out(`  without reading clocks a step takes ${(ran!.unrecordedNs / 1000).toFixed(2)} us\n`);
      }
      if (options.svg !== undefined) terminal.out(`written: ${options.svg}\n`);
    });
}
