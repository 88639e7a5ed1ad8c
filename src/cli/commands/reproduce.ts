// The papers' own tables beside ours.

import { Argument, type Command } from 'commander';
import { schedule } from '../../dynamics/assembly/schedule.js';
import { formatJson } from '../../formats/index.js';
import { builtinMechanism } from '../../models/index.js';
import type { ScheduleTree } from '../../schedule/index.js';
import { InputError } from '../errors.js';
import { integer } from '../model-argument.js';
import { formatNumber, type Terminal, table } from '../terminal.js';
import { reproduce004 } from './reproduce-004.js';

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

export function addReproduce(program: Command, terminal: Terminal): void {
  program
    .command('reproduce')
    .description("a paper's figures beside ours")
    .addArgument(new Argument('<paper>', 'which paper').choices(['002', '004']))
    .option('--table <n>', 'which table (all of them where left out)', integer)
    .option('--svg <file>', '004: draw cost against n for all variants')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  manikin reproduce 002 --table 1\n  manikin reproduce 004')
    .action((paper: string, options: { table?: number; json?: boolean; svg?: string }) => {
      if (paper === '004') {
        reproduce004(options, terminal);
        return;
      }
      if (options.svg !== undefined) throw new InputError('--svg goes with paper 004.');
      if ((options.table ?? 1) !== 1)
        throw new InputError(`Of paper ${paper}, table 1 can be reproduced, not table ${options.table}.`);
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
