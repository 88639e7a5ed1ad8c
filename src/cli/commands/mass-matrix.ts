// The command mass-matrix: by any of the algorithms, counted, on a simulated array of processors.

import { type Command, Option } from 'commander';
import { type MassMatrix, PlainDynamics } from '../../engines/plain/plain-dynamics.js';
import { formatJson } from '../../formats/json-writer.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import {
  ARRAY_ALGORITHMS,
  type ArrayAlgorithm,
  type ArrayReport,
  countOperationsOf,
  FRAMES,
  frameOf,
  MASS_MATRIX_ALGORITHMS,
  type MassMatrixAlgorithm,
  massMatrixBy,
  type Operations,
  type ProjectionFrame,
  simulateMassMatrix,
} from '../../papers/mass-matrix/index.js';
import { InputError } from '../errors.js';
import {
  chooseState,
  integer,
  loadModel,
  type ModelOptions,
  type StateOptions,
  withModel,
  withState,
} from '../model-argument.js';
import { formatNumber, type Terminal, table } from '../terminal.js';

/** Rows of a matrix that is printed: nine million numbers are some hundred megabytes of text. */
const MAX_ROWS = 3000;

interface Options extends ModelOptions, StateOptions {
  readonly json?: boolean;
  readonly algorithm?: 'crba' | MassMatrixAlgorithm;
  readonly frame?: ProjectionFrame | 'column';
  readonly count?: boolean;
  readonly processors?: number;
  readonly layout?: 'triangle' | 'columns';
}

/** What the command has found: the matrix, and what was asked for beside it. */
interface Found {
  readonly algorithm: string;
  readonly matrix: MassMatrix;
  readonly frame?: string;
  readonly operations?: Operations;
  readonly transformations?: number;
  readonly ns?: number;
  readonly array?: ArrayReport & { readonly layout: string; readonly frame: string };
}

const HELP = `
Algorithms: crba, the default, is the fastest here. The other six are those of paper 004, made to be read and counted:
Kane's equation, Newton-Euler and composite rigid bodies, each as first published and as the paper improves it.

Frames: where vectors are expressed. body: every link's own; root: that of the link on the ground; ground; tip: that of
the last link. Without --frame each algorithm takes the paper's choice. For a simulated array: column, that of the link
at the head of each column, or tip.

Examples:
  manikin mass-matrix compass
  manikin mass-matrix human-34 --seed 1 --algorithm newton-euler-variant --count
  manikin mass-matrix chain-6 --algorithm composite-variant --frame body --count
  manikin mass-matrix chain-90 --processors 4096 --json`;

export function configureMassMatrix(command: Command, terminal: Terminal): void {
  withState(withModel(command))
    .addOption(new Option('--algorithm <name>', 'how to compute it').choices(['crba', ...MASS_MATRIX_ALGORITHMS]))
    .addOption(new Option('--frame <name>', 'what the equations are projected onto').choices([...FRAMES, 'column']))
    .option('--count', 'count operations, and time it (without --algorithm: composite-variant)')
    .option('--processors <p>', 'on a simulated array of that many processors', integer)
    .addOption(
      new Option('--layout <name>', 'one processor for each pair of links, or for each link').choices([
        'triangle',
        'columns',
      ]),
    )
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (name: string, options: Options) => {
      refuseContradictions(options);
      const model = await loadModel(name, options, terminal);
      const { nv } = model.mechanism;
      if (nv > MAX_ROWS)
        throw new InputError(
          `The mass matrix of "${name}" has ${nv} rows, ${nv * nv} numbers; up to ${MAX_ROWS} rows are printed.`,
        );
      const { state } = await chooseState(model, options);
      const found = find(model.mechanism, state, options);
      if (options.json === true) {
        const { matrix, ...rest } = found;
        terminal.out(`${formatJson({ model: name, ...rest, joints: matrix.joints, H: rowsOf(matrix) })}\n`);
      } else print(terminal, found);
    });
}

function refuseContradictions({ algorithm, frame, processors, layout }: Options): void {
  if (layout !== undefined && processors === undefined) throw new InputError('--layout goes with --processors.');
  if (processors !== undefined) {
    if (processors < 1) throw new InputError(`--processors expects at least 1, got ${processors}.`);
    if (algorithm !== undefined && !isArrayAlgorithm(algorithm))
      throw new InputError(`On an array there are ${ARRAY_ALGORITHMS.join(' and ')}, not ${algorithm}.`);
    if (frame !== undefined && frame !== 'column' && frame !== 'tip')
      throw new InputError(`On an array the frame is column or tip, not ${frame}.`);
  } else if (frame === 'column') throw new InputError('--frame column goes with --processors.');
  if (algorithm === 'crba' && frame !== undefined)
    throw new InputError('crba has no choice of frame; --algorithm composite-variant has.');
}

function isArrayAlgorithm(name: string): name is ArrayAlgorithm {
  return (ARRAY_ALGORITHMS as readonly string[]).includes(name);
}

function find(mechanism: Mechanism, state: State, options: Options): Found {
  if (options.processors !== undefined) return onArray(mechanism, state, options, options.processors);
  const count = options.count === true;
  const algorithm = options.algorithm ?? (count ? 'composite-variant' : 'crba');
  if (algorithm === 'crba') {
    if (count)
      throw new InputError(
        `Operations are counted for ${MASS_MATRIX_ALGORITHMS.join(', ')}. (crba is composite-variant --frame body.)`,
      );
    return { algorithm, matrix: new PlainDynamics(mechanism).massMatrix(state) };
  }
  const frame = options.frame as ProjectionFrame | undefined;
  const choice = { algorithm, ...(frame !== undefined && { frame }) };
  const compute = (): MassMatrix => massMatrixBy(mechanism, state, choice);
  const found = { algorithm, frame: frame ?? frameOf(algorithm), matrix: compute() };
  if (!count) return found;
  const { transformations, ...operations } = countOperationsOf(mechanism, state, choice);
  return { ...found, operations, transformations, ns: nanoseconds(compute) };
}

function onArray(mechanism: Mechanism, state: State, options: Options, processors: number): Found {
  const algorithm = (options.algorithm ?? 'composite-variant') as ArrayAlgorithm;
  const { n, H, joints, ...array } = simulateMassMatrix(mechanism, state, {
    algorithm,
    processors,
    ...(options.layout !== undefined && { layout: options.layout }),
    ...(options.frame !== undefined && { frame: options.frame as 'column' | 'tip' }),
  });
  return { algorithm, matrix: { n, H, joints }, array, operations: array.work };
}

/** The shortest of many calls in a fifth of a second. */
function nanoseconds(call: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (const end = performance.now() + 200; performance.now() < end; ) {
    const start = process.hrtime.bigint();
    call();
    best = Math.min(best, Number(process.hrtime.bigint() - start));
  }
  return best === Number.POSITIVE_INFINITY ? 0 : best;
}

function rowsOf({ n, H }: MassMatrix): number[][] {
  return Array.from({ length: n }, (_, row) => Array.from(H.subarray(row * n, (row + 1) * n)));
}

function print(terminal: Terminal, { algorithm, frame, matrix, operations, transformations, ns, array }: Found): void {
  const labels = matrix.joints.flatMap(({ name: joint, dof }) =>
    Array.from({ length: dof }, (_, k) => (dof === 1 ? joint : `${joint}[${k}]`)),
  );
  terminal.out(
    `${table(
      ['', ...labels],
      rowsOf(matrix).map((row, k) => [labels[k], ...row]),
    )}\n`,
  );
  const lines: string[] = [];
  const spoken = (o: Operations): string =>
    `${o.multiplications} multiplications, ${o.additions} additions, ${o.divisions} divisions, ${o.trigonometric} sines and cosines`;
  if (array !== undefined) {
    const { layout, virtual, processors, steps, time, work, messages, words, nearest, shuffle } = array;
    lines.push(
      `${algorithm} on ${processors} processors (${layout} of ${virtual}, frame: ${array.frame})`,
      `time      ${spoken(time)}, in ${steps} steps`,
      `work      ${spoken(work)}`,
      `messages  ${messages} of ${words} numbers together`,
      `          nearest neighbour: ${nearest.steps} steps; shuffle-exchange with nearest neighbour: ${shuffle.steps} steps`,
    );
  } else if (operations !== undefined)
    lines.push(
      `${algorithm} (frame: ${frame})`,
      spoken(operations),
      `${transformations} vectors and matrices turned between frames`,
    );
  if (ns !== undefined) lines.push(`${formatNumber(ns / 1000)} us`);
  if (lines.length > 0) terminal.out(`\n${lines.join('\n')}\n`);
}
