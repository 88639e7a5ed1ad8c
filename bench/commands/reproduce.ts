// The papers' own tables beside ours.

import { Argument, type Command } from 'commander';
import { InputError } from '#src/cli/errors.js';
import { integer, positive } from '#src/cli/model-argument.js';
import { withRanks } from '#src/cli/ranks-option.js';
import { formatNumber, type Terminal, table } from '#src/cli/terminal.js';
import { schedule } from '#src/engines/plain/assembly/schedule.js';
import { formatJson } from '#src/formats/index.js';
import { builtinMechanism } from '#src/models/index.js';
import type { ScheduleTree } from '#src/schedule/index.js';
import { reproduce004 } from './paper-004.js';
import { reproduceFigure4, reproduceTimes, type TimesOptions, timedTables } from './paper-times.js';
import { PAPERS } from './papers.js';

/** [002] Table I: joints of a serial chain of one degree of freedom each, and the joints at the cuts. */
const TABLE_1 = [
  { joints: 16, a: 7, b: 7, c: 3, d: 11 },
  { joints: 32, a: 15, b: 15, c: 8, d: 22 },
  { joints: 64, a: 31, b: 31, c: 17, d: 45 },
] as const;

interface Row {
  joints: number;
  processors: number;
  paper: number[];
  ours: number[];
  makespan: number;
  serial: number;
  optimal: boolean;
  milliseconds: number;
}

/** The cuts of a schedule: its top joint and, for four processors, the top joints of its two sides. */
function cuts(tree: ScheduleTree, processors: number): number[] {
  const [top, rootSide, endSide] = tree;
  return processors === 2 ? [top] : [top, rootSide![0], endSide![0]];
}

function table1(): Row[] {
  return TABLE_1.flatMap(({ joints, a, b, c, d }) =>
    [2, 4].map((processors) => {
      const found = schedule(builtinMechanism(`chain-${joints}`), { processors });
      return {
        joints,
        processors,
        paper: processors === 2 ? [a] : [b, c, d],
        ours: cuts(found.tree, processors),
        makespan: found.makespan,
        serial: found.serial,
        optimal: found.optimal,
        milliseconds: found.milliseconds,
      };
    }),
  );
}

/** Prints a title before the first result; a refusal has none. */
function titled(terminal: Terminal, title: string): Terminal {
  let first = true;
  return {
    err: (text) => terminal.err(text),
    interactive: terminal.interactive,
    // Asking for the signal begins to watch for signals.
    get signal() {
      return terminal.signal;
    },
    out: (text) => {
      terminal.out(first ? title + text : text);
      first = false;
    },
  };
}

export function configure(command: Command, plain: Terminal): void {
  withRanks(command, { threads: false })
    .addArgument(new Argument('<paper>', 'which paper').choices([...PAPERS.keys()]))
    .option('--table <n>', 'which table (the first where left out; of 004, all)', integer)
    .option('--figure <n>', 'of paper 002: figure 4', integer)
    .option('--seconds <s>', 'time for each mechanism of a table of times', positive, 1)
    .option('--every <n>', 'figure 4: every so many joints', integer, 8)
    .option('--svg <file>', 'draw what was measured')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Papers:
${[...PAPERS].map(([number, paper]) => `  ${number}  ${paper}`).join('\n')}

Examples:
  manikin reproduce 002 --table 1
  manikin reproduce 000 --table 2 --svg out/table-2.svg
  manikin reproduce 002 --figure 4 --every 4 --svg out/figure-4.svg
  manikin reproduce 004
  mpirun -n 4 manikin reproduce 000 --mpi                    (its processes are ranks)`,
    )
    .action(async (paper: string, options: TimesOptions) => {
      const terminal = options.json === true ? plain : titled(plain, `${PAPERS.get(paper)}\n\n`);
      if (options.every < 1) throw new InputError('--every expects 1 or more.');
      if (options.mpi === true && (options.figure !== undefined || !timedTables(paper).includes(options.table ?? 1)))
        throw new InputError('--mpi goes with tables of times: those of papers 000 and 003, and table 2 of 002.');
      if (paper === '001') {
        pointToWalker(options, terminal);
        return;
      }
      if (paper === '004') {
        if (options.figure !== undefined)
          throw new InputError('Of the figures, figure 4 of paper 002 can be reproduced.');
        reproduce004(options, terminal);
        return;
      }
      if (options.figure !== undefined) {
        if (paper !== '002' || options.figure !== 4)
          throw new InputError(
            `Of the figures, figure 4 of paper 002 can be reproduced, not figure ${options.figure} of ${paper}.`,
          );
        await reproduceFigure4(options, terminal);
        return;
      }
      const number = options.table ?? 1;
      const timed = timedTables(paper);
      if (timed.includes(number)) {
        await reproduceTimes(paper, number, options, terminal);
        return;
      }
      const known = paper === '002' ? [1, ...timed] : timed;
      if (!known.includes(number))
        throw new InputError(`Of paper ${paper}, table ${known.join(' or ')} can be reproduced, not table ${number}.`);
      if (options.svg !== undefined) throw new InputError(`Of paper ${paper}, table ${number} is not drawn.`);
      const rows = table1();
      if (options.json === true) {
        terminal.out(`${formatJson({ paper, table: 1, rows })}\n`);
        return;
      }
      const lines = rows.map((row) => [
        row.joints,
        row.processors,
        row.paper.join(', '),
        row.ours.join(', '),
        formatNumber(row.makespan),
        formatNumber(row.serial),
        row.optimal ? 'proved' : 'not proved',
      ]);
      const head = ['joints', 'processors', 'paper: cuts', 'ours: cuts', 'time (us)', 'one processor (us)', 'optimum'];
      terminal.out(
        `Paper 002, Table I: where the best schedules of serial chains are cut (a; b, c, d)\n\n${table(head, lines)}\n`,
      );
    });
}

/** What that paper shows has commands of its own. */
const OF_PAPER_001 = [
  ['manikin walk', 'its passive walker: the gait, its stability'],
  ['manikin walk --sweep 0.07:0.09:200 --bifurcation out/chaos.svg', 'the road to chaos'],
  ['manikin reroot human-34 --top BODY --at x,y,z --joint TYPE', 'another body on the ground'],
  ['manikin inverse walk.bvh', 'joint forces of a captured motion, section 7.1'],
] as const;

function pointToWalker(options: TimesOptions, terminal: Terminal): void {
  if (options.table !== undefined || options.figure !== undefined)
    throw new InputError('Paper 001 has no tables to reproduce; "manikin reproduce 001" says what there is.');
  if (options.json === true) {
    const commands = OF_PAPER_001.map(([command, shows]) => ({ command, shows }));
    terminal.out(`${formatJson({ paper: '001', title: PAPERS.get('001'), commands })}\n`);
    return;
  }
  terminal.out(`${table(['command', 'what it shows'], OF_PAPER_001)}\n`);
}
