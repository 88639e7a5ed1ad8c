// The papers' tables of computation times, and figure 4 of paper 002, measured again with this engine.

import { availableParallelism, cpus } from 'node:os';
import { writeOutput } from '#src/cli/output-file.js';
import { type RanksOptions, startRanks } from '#src/cli/ranks-option.js';
import { formatNumber, Progress, type Terminal, table } from '#src/cli/terminal.js';
import { endThreads } from '#src/engines/threads/index.js';
import { ParallelDynamics } from '#src/engines/threads/parallel-dynamics.js';
import { Planner } from '#src/engines/threads/planner.js';
import { sharedPool } from '#src/engines/threads/pool.js';
import { ThreadProgram } from '#src/engines/threads/program.js';
import { formatJson } from '#src/formats/json-writer.js';
import { State } from '#src/mechanism/state.js';
import { builtinMechanism } from '#src/models/index.js';
import { linePlot, svgDocument } from '#src/plot/index.js';
import { playSegments } from '#src/schedule/segment-timeline.js';
import { coresOfOthers, machine } from '../machine.js';
import { type TimedCall, timings, warmUp } from '../measure.js';
import { type ParallelLine, timeParallel } from '../parallel.js';
import { timeSpread } from '../spread.js';

/** A table of a paper: milliseconds by mechanism and number of processes. */
interface PaperTable {
  readonly title: string;
  readonly rows: readonly {
    readonly model: string;
    readonly label: string;
    readonly ms: Readonly<Record<number, number>>;
  }[];
}

const TABLES = new Map<string, PaperTable>([
  [
    '000 1',
    {
      title: 'Paper 000, Table 1: serial chains of spherical joints, PentiumIII 1 GHz cluster',
      rows: [
        { model: 'chain-8-spherical', label: '8 links', ms: { 1: 1.31, 2: 0.984, 4: 0.897 } },
        { model: 'chain-16-spherical', label: '16 links', ms: { 1: 2.75, 2: 1.87, 4: 1.7, 8: 1.57 } },
        { model: 'chain-32-spherical', label: '32 links', ms: { 1: 6.08, 2: 3.93, 4: 3.39, 8: 2.9 } },
      ],
    },
  ],
  [
    '000 2',
    {
      title: 'Paper 000, Table 2: human figures, PentiumIII 1 GHz cluster',
      rows: [
        { model: 'human-34', label: '34 DOF', ms: { 1: 3.66, 2: 2.49, 4: 2.22 } },
        { model: 'human-48', label: '48 DOF', ms: { 1: 4.85, 2: 2.93, 4: 2.49 } },
      ],
    },
  ],
  [
    '003 1',
    {
      title: 'Paper 003, Table 1: human figures, Alpha 21264 500 MHz cluster',
      rows: [
        { model: 'human-34', label: '34 DOF', ms: { 1: 10.8, 2: 8.5, 4: 7.84 } },
        { model: 'human-48', label: '48 DOF', ms: { 1: 15.1, 2: 10.9, 4: 9.68 } },
      ],
    },
  ],
  [
    '002 2',
    {
      title: 'Paper 002, Table II: human figures, automatic schedules',
      rows: [
        { model: 'human-40', label: '40 DOF', ms: { 1: 0.249, 2: 0.155, 4: 0.153 } },
        { model: 'human-52', label: '52 DOF', ms: { 1: 0.301, 2: 0.186, 4: 0.177 } },
        { model: 'human-161', label: '161 DOF', ms: { 1: 0.773, 2: 0.443, 4: 0.356 } },
      ],
    },
  ],
]);

export interface TimesOptions extends RanksOptions {
  readonly table?: number;
  readonly figure?: number;
  readonly seconds: number;
  readonly every: number;
  readonly svg?: string;
  readonly json?: boolean;
}

/** Tables of times of a paper, by number. */
export const timedTables = (paper: string): number[] =>
  [...TABLES.keys()].filter((key) => key.startsWith(paper)).map((key) => Number(key.split(' ')[1]));

export async function reproduceTimes(paper: string, number: number, options: TimesOptions, everyone: Terminal) {
  const { title, rows } = TABLES.get(`${paper} ${number}`)!;
  const all = Math.max(...rows.flatMap(({ ms }) => Object.keys(ms).map(Number)));
  const cores = options.mpi === true ? cpus().length : availableParallelism();
  const spread = options.mpi === true ? await startRanks(options, everyone) : undefined;
  const { terminal } = spread ?? { terminal: everyone };
  const most = spread === undefined ? all : Math.min(all, spread.ranks.ranks);
  if (most < all) terminal.err(`The paper has up to ${all} processes: "mpirun -n ${all} ..." measures these too.\n`);
  if (most > cores)
    terminal.err(
      `Up to ${most} processes on ${cores} cores: where there are more processes than cores, they take turns.\n`,
    );
  // All ranks are quiet meanwhile: one that waited for a message would look like another program.
  const others = await coresOfOthers(300);
  if (others > 0.3)
    terminal.err(
      `Other programs use ${formatNumber(Math.round(10 * others) / 10)} of ${cores} cores: these times will be too long.\n`,
    );
  const progress = new Progress(terminal, 'Measuring');
  const results: {
    model: string;
    processes: number;
    paperMs: number;
    paperLess: number;
    ns: number;
    serialNs: number;
    less: number;
    printedSerialNs: number | null;
    lessThanPrinted: number | null;
    chosen: ParallelLine['chosen'];
  }[] = [];
  for (const [k, { model, ms }] of rows.entries()) {
    progress.update(k / rows.length, model);
    const counts = Object.keys(ms)
      .map(Number)
      .filter((count) => count <= most);
    const milliseconds = 1000 * options.seconds;
    const mechanism = builtinMechanism(model);
    const lines =
      spread === undefined
        ? await timeParallel(model, mechanism, counts, milliseconds, terminal.signal, false)
        : await timeSpread(model, mechanism, spread.ranks, { counts, milliseconds, threads: false, hashed: false });
    for (const line of lines) {
      // On one process the fastest code for one thread.
      const ns = line.workers === 1 ? line.serialNs : line.ns;
      results.push({
        model,
        processes: line.workers,
        paperMs: ms[line.workers],
        paperLess: 1 - ms[line.workers] / ms[1],
        ns,
        serialNs: line.serialNs,
        less: 1 - ns / line.serialNs,
        printedSerialNs: line.printedSerialNs,
        lessThanPrinted: line.printedSerialNs === null ? null : 1 - ns / line.printedSerialNs,
        chosen: line.chosen,
      });
    }
  }
  progress.finish();
  endThreads();
  if (spread !== undefined && spread.ranks.rank > 0) return;
  if (options.svg !== undefined) {
    const series = rows.flatMap(({ model, label, ms }) => {
      const own = results.filter((line) => line.model === model);
      return [
        {
          label: `${label}, paper`,
          points: own.map((line): [number, number] => [line.processes, line.paperMs / ms[1]]),
        },
        {
          label: `${label}, ours`,
          points: own.map((line): [number, number] => [line.processes, line.ns / line.serialNs]),
        },
      ];
    });
    const plot = linePlot(series, {
      x: 0,
      y: 0,
      width: 900,
      height: 420,
      title: `Paper ${paper}, table ${number}`,
      xLabel: 'processes',
      yLabel: 'time over that of one process',
    });
    writeOutput(options.svg, svgDocument(900, 420, plot));
  }
  if (options.json === true) {
    terminal.out(`${formatJson({ paper, table: number, ...spread?.about, machine: machine(), rows: results })}\n`);
    return;
  }
  const percent = (share: number): string =>
    share < -1 ? `${formatNumber(Number((1 - share).toPrecision(2)))} times as long` : `${Math.round(100 * share)} %`;
  const lines = results.map((line) => [
    line.model,
    line.processes,
    formatNumber(line.paperMs),
    percent(line.paperLess),
    formatNumber(line.ns / 1000),
    percent(line.less),
    line.lessThanPrinted === null ? '-' : percent(line.lessThanPrinted),
    line.chosen,
  ]);
  const head = [
    'model',
    'processes',
    'paper (ms)',
    'less than one',
    'ours (us)',
    'less than one',
    'less than printed, one thread',
    'chosen',
  ];
  const ours = spread === undefined ? '' : `; ours: ranks of ${spread.about.implementation}`;
  terminal.out(`${title}${ours}\n\n${table(head, lines)}\n`);
  if (options.svg !== undefined) terminal.out(`written: ${options.svg}\n`);
}

const JOINTS = 200;

/** [002] figure 4: a fixed chain of 200 joints on two threads, cut at one joint after the other. */
export async function reproduceFigure4(options: TimesOptions, terminal: Terminal): Promise<void> {
  const mechanism = builtinMechanism(`chain-${JOINTS}`);
  const planner = new Planner(mechanism);
  const whole = planner.find(1);
  const { links } = whole.rooted.plan;
  const state = State.random(mechanism, 1);
  const out = { out: new Float64Array(mechanism.nv) };
  const progress = new Progress(terminal, 'Measuring');
  const serial = new ParallelDynamics(mechanism, { threads: 1, scheduleFor: 1, prefer: 'parallel' });
  await serial.ready();
  const { serial: compiled } = serial;
  await compiled.ready();
  const single = (): void => void compiled.forward(state, undefined, out);
  await warmUp([single], 2000 * options.seconds);
  const pool = sharedPool();
  const rows: { root: number; ns: number; serialNs: number; predictedNs: number }[] = [];
  for (let root = 1; root < JOINTS; root += options.every) {
    terminal.signal.throwIfAborted();
    progress.update(root / JOINTS, `root ${root}`);
    const segmentOf = Int32Array.from(links, (_, i) => (i >= root ? 1 : 0));
    const cutting = { segmentOf, atPort: [false, true] };
    const predictedNs = Math.round(playSegments(whole.costs, cutting, planner.constants).ns);
    const schedule = { ...whole, cutting, segments: 2, processorOf: [0, 1], ns: predictedNs };
    const program = new ThreadProgram(planner.build(schedule));
    const { arrays, job, runner } = program.shared(pool.newJob(), 2, pool.control);
    await pool.install(job, 1, () => {});
    const call = (): void => {
      arrays.q.set(state.q);
      arrays.v.set(state.v);
      pool.step(job, runner, performance.now() + 1000);
      out.out.set(arrays.qdd);
    };
    const before = (): void => {
      for (let k = 0; k < 200; k++) {
        call();
        if (runner.stolen === 0) return;
      }
    };
    await warmUp([call], 2000 * options.seconds);
    const tasks: TimedCall[] = [{ call: single }, { call, before }];
    const [one, two] = timings(tasks, { milliseconds: (4000 * options.seconds * options.every) / JOINTS });
    rows.push({ root, ns: two.ns, serialNs: one.ns, predictedNs });
    pool.remove(job.id);
  }
  progress.finish();
  endThreads();
  serial.dispose();
  const serialNs = Math.min(...rows.map((row) => row.serialNs));
  const best = rows.reduce((least, row) => (row.ns < least.ns ? row : least));
  if (options.svg !== undefined) {
    const plot = linePlot(
      [
        { label: 'two threads', points: rows.map(({ root, ns }): [number, number] => [root, ns / 1000]) },
        {
          label: 'predicted',
          points: rows.map(({ root, predictedNs }): [number, number] => [root, predictedNs / 1000]),
        },
        { label: 'one thread', points: [1, JOINTS].map((root): [number, number] => [root, serialNs / 1000]) },
      ],
      {
        x: 0,
        y: 0,
        width: 640,
        height: 420,
        title: 'Paper 002, figure 4',
        xLabel: 'joint at the root of the schedule',
        yLabel: 'time (us)',
      },
    );
    writeOutput(options.svg, svgDocument(640, 420, plot));
  }
  if (options.json === true) {
    terminal.out(`${formatJson({ paper: '002', figure: 4, machine: machine(), serialNs, best, rows })}\n`);
    return;
  }
  const lines = rows.map(({ root, ns, predictedNs }) => [
    root,
    formatNumber(ns / 1000),
    formatNumber(predictedNs / 1000),
    `${Math.round(100 * (1 - ns / serialNs))} %`,
  ]);
  terminal.out(
    `Paper 002, figure 4: a fixed chain of ${JOINTS} joints on two threads, by the joint at the root of the schedule\n\n${table(['root', 'time (us)', 'predicted', 'less than one thread'], lines)}\n\n` +
      `one thread: ${formatNumber(serialNs / 1000)} us; best root: ${best.root}, ${Math.round(100 * (1 - best.ns / serialNs))} % less (the paper: 33 % less, measured with its own serial times)\n`,
  );
  if (options.svg !== undefined) terminal.out(`written: ${options.svg}\n`);
}
