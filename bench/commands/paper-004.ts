// Paper 004: its two tables of operation counts beside counts of the running code.

import { InputError } from '#src/cli/errors.js';
import { writeOutput } from '#src/cli/output-file.js';
import { Progress, type Terminal, table } from '#src/cli/terminal.js';
import { formatJson } from '#src/formats/json-writer.js';
import { linePlot, svgDocument } from '#src/plot/index.js';
import {
  type Count,
  type Curve,
  costCurves,
  frameTable,
  type ParallelRow,
  parallelTable,
  type SerialRow,
  serialTable,
} from '../paper-004/tables.js';

export interface Reproduce004Options {
  readonly table?: number;
  readonly json?: boolean;
  readonly svg?: string;
}

export function reproduce004(options: Reproduce004Options, terminal: Terminal): void {
  const which = options.table;
  if (which !== undefined && which !== 1 && which !== 2)
    throw new InputError(`Of paper 004, tables 1 and 2 can be reproduced, not table ${which}.`);
  if (options.svg !== undefined) {
    drawCosts(options.svg);
    terminal.err(`written: ${options.svg}\n`);
  }
  const serial = which === 2 ? undefined : serialTable();
  const frames = which === 2 ? undefined : frameTable();
  const progress = new Progress(terminal, 'simulating arrays');
  const parallel = which === 1 ? undefined : parallelTable((fraction) => progress.update(fraction));
  progress.finish();
  if (options.json === true) {
    terminal.out(`${formatJson({ paper: '004', serial, frames, parallel })}\n`);
    return;
  }
  const parts: string[] = [];
  if (serial !== undefined && frames !== undefined) parts.push(serialText(serial), frameText(frames));
  if (parallel !== undefined) parts.push(parallelText(parallel));
  terminal.out(`${parts.join('\n\n')}\n`);
}

const both = ({ mul, add }: Count): string => `${mul}m + ${add}a = ${mul + add}`;

function serialText(rows: readonly SerialRow[]): string {
  const general = rows.flatMap((row) => [
    [row.name, row.frame, 'mul', row.paper?.general.mul ?? '-', row.general.mul, `n >= ${row.exactFrom}`],
    ['', '', 'add', row.paper?.general.add ?? '-', row.general.add, ''],
  ]);
  const six = rows.map((row) => [
    row.name,
    row.algorithm,
    row.paper === undefined ? '-' : both(row.paper.six),
    both(row.six),
  ]);
  return `Paper 004, serial algorithms: multiplications and additions, chain of n revolute joints

${table(['algorithm', 'frame', '', 'paper', 'ours', 'exact to 32'], general)}

(*) Misprint: it gives 674 at n = 6, where the paper's table and its speed-ups have 644 (errata 004-1).

n = 6

${table(['algorithm', '--algorithm', 'paper', 'ours'], six)}

Ours are taken from the running code on a Denavit-Hartenberg chain with general numbers (n = 2 to 32; the formulas are
exact). The terms in n^2 are the paper's: V N-E B spends 39m + 38a on each pair of links, V C R-B 9m + 8a. The terms in n
are lower because
- the fixed frame is that of the first link, whose vectors are then constant, and whose joint angle drops out,
- R K R^T takes 33m + 24a: two rows of R K, and the trace, which does not change, for the last entry,
- in body frames a symmetric matrix is turned about one axis at a time, 8m + 8a each, and a vector, 4m + 2a,
- a composite body is shifted with 9m + 18a, since M P is constant,
- V(j,j) = 0 costs nothing, and neither does a result that no entry of the matrix needs.
Sines and cosines are not counted: two for each joint but the first. The paper prints no counts for the other four.`;
}

function frameText(rows: ReturnType<typeof frameTable>): string {
  const lines = rows.map((row) => [row.algorithm, row.frame, row.transformations, both(row.six), both(row.thirtyTwo)]);
  return `The choice of frame: O(n) or O(n^2) transformations of vectors and matrices

${table(['algorithm', 'frame', 'transformations', 'n = 6', 'n = 32'], lines)}`;
}

function parallelText(rows: readonly ParallelRow[]): string {
  const general = rows.flatMap((row) => [
    [row.name, row.processors, 'mul', row.paper.general.mul, row.general.mul],
    ['', '', 'add', row.paper.general.add, row.general.add],
  ]);
  const six = rows.map((row) => [
    row.name,
    row.processors,
    both(row.paper.six),
    both(row.six),
    row.paper.speedUp.toFixed(2),
    (1179 / (row.paper.six.mul + row.paper.six.add)).toFixed(2),
    row.speedUp.toFixed(2),
  ]);
  const messages = rows.map((row) => [row.name, row.processors, ...row.nearest, ...row.shuffle]);
  const over = rows.filter((row) => row.excess > 0);
  return `Paper 004, parallel algorithms: operations of the busiest processor, step after step; L = ceil(log2 n)

${table(['algorithm', 'processors', '', 'paper', 'ours'], general)}

n = 6

${table(['algorithm', 'processors', 'paper', 'ours', 'speed-up: paper', '1179 / paper', 'ours'], six)}

Ours are taken from simulated arrays that execute the algorithms. The formulas are exact at n = 8, 16, 32, 64 and are
upper bounds in between${over.map((row) => `; ${row.name} on ${row.processors} exceeds its formula by up to ${row.excess} for n <= ${row.excessUpTo}`).join('')}. Each doubling takes L rounds.
- Doubling R costs 27m + 18a a round, as in the paper.
- V N-E B on n(n+1)/2: the paper's 33 L contains P x F (6m + 6a) in every round; its own listing, which runs here, has it
  once. What is left are three sums of 3a: P, F, N.
- V C R-B: beside R the paper spends 21m + 45a a round on P and the composite bodies, ours 12m + 30a: P 3a, shift
  12m + 18a, join 9a (masses are constant). On n(n+1)/2 the frame is that of the head of each column, in which only one
  row of K is needed: 9m + 20a.
- Speed-ups: against the best serial algorithm, V C R-B, of the paper (1179 operations) and ours (815). The paper's 2.40
  and 2.32 do not follow from its own counts (errata 004-2).

Steps of messages

${table(['algorithm', 'processors', 'neighbours, n = 6', 'n = 32', 'with shuffles, n = 6', 'n = 32'], messages)}

With nearest neighbours alone they grow with n, with shuffles by log2 n on n(n+1)/2 processors, as the paper says. On n
processors every row must reach every column: n steps on both.`;
}

const WIDTH = 860;
const HEIGHT = 380;

/** Cost against n for all variants, as a picture. */
function drawCosts(path: string): void {
  const { serial, parallel } = costCurves();
  const best = serial[serial.length - 1];
  const axes = { x: 0, width: WIDTH, height: HEIGHT, xLabel: 'joints n', logX: true, logY: true } as const;
  const series = (curves: readonly Curve[]) => curves.map(({ name, points }) => ({ label: name, points }));
  const plots =
    linePlot(series(serial), { ...axes, y: 0, title: 'One processor', yLabel: 'operations' }) +
    linePlot(series([...parallel, { ...best, name: `${best.name}, 1` }]), {
      ...axes,
      y: HEIGHT,
      title: 'Several processors',
      yLabel: 'operations of the busiest',
    });
  writeOutput(path, svgDocument(WIDTH, 2 * HEIGHT, plots));
}
