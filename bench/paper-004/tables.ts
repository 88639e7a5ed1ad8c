// The two tables of paper 004 beside counts of the running code.

import { State } from '#src/mechanism/state.js';
import { createTree } from '#src/mechanism/tree.js';
import {
  countMassMatrix,
  frameOf,
  MASS_MATRIX_ALGORITHMS,
  type MassMatrixAlgorithm,
} from '#src/papers/mass-matrix/algorithms.js';
import { type ArrayAlgorithm, massMatrixOnArray } from '#src/papers/mass-matrix/array/index.js';
import type { ArrayReport } from '#src/papers/mass-matrix/array/processor-array.js';
import { denavitHartenbergChain } from '#src/papers/mass-matrix/dh-chain.js';
import type { ProjectionFrame } from '#src/papers/mass-matrix/frames.js';
import { fitExactly, formatPolynomial } from './polynomial.js';

/** Multiplications and additions. */
export interface Count {
  readonly mul: number;
  readonly add: number;
}

/** In words, for any n. */
export interface General {
  readonly mul: string;
  readonly add: string;
}

export interface SerialRow {
  readonly algorithm: MassMatrixAlgorithm;
  /** The paper's abbreviation. */
  readonly name: string;
  readonly frame: string;
  readonly paper: { readonly general: General; readonly six: Count } | undefined;
  readonly general: General;
  /** From this n on, up to 32, the formulas are exact. */
  readonly exactFrom: number;
  readonly six: Count;
}

export interface FrameRow {
  readonly algorithm: MassMatrixAlgorithm;
  readonly frame: string;
  /** Vectors and matrices turned between frames. */
  readonly transformations: string;
  readonly six: Count;
  readonly thirtyTwo: Count;
}

export interface ParallelRow {
  readonly algorithm: ArrayAlgorithm;
  readonly name: string;
  readonly processors: 'n(n+1)/2' | 'n';
  readonly paper: { readonly general: General; readonly six: Count; readonly speedUp: number };
  readonly general: General;
  /** Largest count above its formula for n from 2 to 32, and the largest such n; zero: the formula is never exceeded. */
  readonly excess: number;
  readonly excessUpTo: number;
  readonly six: Count;
  /** Operations of the best serial algorithm, ours, divided by these, n = 6. */
  readonly speedUp: number;
  /** Steps that messages take, n = 6 and n = 32. */
  readonly nearest: readonly [number, number];
  readonly shuffle: readonly [number, number];
}

const FIRST = 2;
const LAST = 32;

const NAMES = new Map<MassMatrixAlgorithm, string>([
  ['kane', 'OKE'],
  ['kane-variant', 'VKE'],
  ['newton-euler', 'O N-E B'],
  ['newton-euler-variant', 'V N-E B'],
  ['composite', 'O C R-B'],
  ['composite-variant', 'V C R-B'],
]);

/** What the paper prints; the multiplications of V C R-B in general contradict its own n = 6 (errata 004-1). */
const PAPER_SERIAL = new Map<MassMatrixAlgorithm, { readonly general: General; readonly six: Count }>([
  [
    'newton-euler-variant',
    { general: { mul: '(39/2)n^2 + (195/2)n - 95', add: '19n^2 + 55n - 66' }, six: { mul: 1192, add: 948 } },
  ],
  [
    'composite-variant',
    { general: { mul: '(9/2)n^2 + (231/2)n - 181 (*)', add: '4n^2 + 88n - 137' }, six: { mul: 644, add: 535 } },
  ],
]);

const PAPER_PARALLEL = [
  {
    algorithm: 'composite-variant',
    processors: 'n(n+1)/2',
    paper: { general: { mul: '48 L + 100', add: '63 L + 65' }, six: { mul: 244, add: 254 }, speedUp: 2.4 },
  },
  {
    algorithm: 'newton-euler-variant',
    processors: 'n(n+1)/2',
    paper: { general: { mul: '33 L + 109', add: '33 L + 89' }, six: { mul: 208, add: 188 }, speedUp: 2.98 },
  },
  {
    algorithm: 'composite-variant',
    processors: 'n',
    paper: { general: { mul: '9n + 48 L + 58', add: '8n + 63 L + 24' }, six: { mul: 256, add: 261 }, speedUp: 2.32 },
  },
  {
    algorithm: 'newton-euler-variant',
    processors: 'n',
    paper: { general: { mul: '39n + 27 L + 25', add: '38n + 18 L - 2' }, six: { mul: 340, add: 280 }, speedUp: 1.9 },
  },
] as const;

const SIZES = Array.from({ length: LAST - FIRST + 1 }, (_, k) => FIRST + k);

function chainOf(n: number) {
  const mechanism = denavitHartenbergChain(n);
  return { tree: createTree(mechanism), q: State.random(mechanism, 4).q };
}

function countsOf(algorithm: MassMatrixAlgorithm, frame?: ProjectionFrame) {
  const runs = SIZES.map((n) => {
    const { tree, q } = chainOf(n);
    const { operations, transformations } = countMassMatrix(tree, q, algorithm, frame);
    return { mul: operations.multiplications, add: operations.additions, transformations };
  });
  const formula = (key: 'mul' | 'add' | 'transformations') =>
    fitExactly(
      FIRST,
      runs.map((run) => run[key]),
    );
  const at = (n: number): Count => ({ mul: runs[n - FIRST].mul, add: runs[n - FIRST].add });
  return { formula, at };
}

const describe = (fit: ReturnType<typeof fitExactly>): string =>
  fit === undefined ? 'no polynomial' : formatPolynomial(fit.polynomial);

/** The first table: serial algorithms. */
export function serialTable(): SerialRow[] {
  return MASS_MATRIX_ALGORITHMS.map((algorithm) => {
    const { formula, at } = countsOf(algorithm);
    const [mul, add] = [formula('mul'), formula('add')];
    return {
      algorithm,
      name: NAMES.get(algorithm)!,
      frame: frameOf(algorithm),
      paper: PAPER_SERIAL.get(algorithm),
      general: { mul: describe(mul), add: describe(add) },
      exactFrom: Math.max(mul?.from ?? LAST, add?.from ?? LAST),
      six: at(6),
    };
  });
}

/** The paper's remark on the choice of frame: O(n) or O(n^2) transformations. */
export function frameTable(): FrameRow[] {
  const rows: readonly (readonly [MassMatrixAlgorithm, ProjectionFrame | undefined])[] = [
    ['newton-euler-variant', 'root'],
    ['newton-euler-variant', 'ground'],
    ['newton-euler-variant', 'body'],
    ['composite-variant', undefined],
    ['composite-variant', 'root'],
    ['composite-variant', 'body'],
  ];
  return rows.map(([algorithm, frame]) => {
    const { formula, at } = countsOf(algorithm, frame);
    return {
      algorithm,
      frame: frame ?? frameOf(algorithm),
      transformations: describe(formula('transformations')),
      six: at(6),
      thirtyTwo: at(32),
    };
  });
}

/** The second table: the parallel algorithms. `told` hears what is being counted. */
export function parallelTable(told: (fraction: number) => void = () => {}): ParallelRow[] {
  const { at } = countsOf('composite-variant');
  const serial = total(at(6));
  return PAPER_PARALLEL.map((row, index) => {
    const runs = new Map<number, ArrayReport>();
    const sizes = [...SIZES, 64];
    sizes.forEach((n, k) => {
      const { tree, q } = chainOf(n);
      const triangle = row.processors === 'n(n+1)/2';
      runs.set(
        n,
        massMatrixOnArray(tree, q, {
          algorithm: row.algorithm,
          layout: triangle ? 'triangle' : 'columns',
          // The paper's frames: the tip's for Newton-Euler, one at the base for composite bodies.
          frame: triangle && row.algorithm === 'newton-euler-variant' ? 'tip' : 'column',
        }),
      );
      told((index + (k + 1) / sizes.length) / PAPER_PARALLEL.length);
    });
    const count = (n: number): Count => {
      const { multiplications, additions } = runs.get(n)!.time;
      return { mul: multiplications, add: additions };
    };
    const mul = fitLogarithm((n) => count(n).mul);
    const add = fitLogarithm((n) => count(n).add);
    const excess = SIZES.map((n) => Math.max(count(n).mul - mul.at(n), count(n).add - add.at(n)));
    return {
      algorithm: row.algorithm,
      name: NAMES.get(row.algorithm)!,
      processors: row.processors,
      paper: row.paper,
      general: { mul: mul.text, add: add.text },
      excess: Math.max(0, ...excess),
      excessUpTo: SIZES.reduce((last, n, k) => (excess[k] > 0 ? n : last), 0),
      six: count(6),
      speedUp: serial / total(count(6)),
      nearest: [runs.get(6)!.nearest.steps, runs.get(32)!.nearest.steps],
      shuffle: [runs.get(6)!.shuffle.steps, runs.get(32)!.shuffle.steps],
    };
  });
}

function total({ mul, add }: Count): number {
  return mul + add;
}

/** a n + b L + c, L = ceil(log2 n), through n = 16, 32 and 64; it must then hold at n = 8, too. */
function fitLogarithm(count: (n: number) => number): { readonly text: string; readonly at: (n: number) => number } {
  const [up, upper] = [count(32) - count(16), count(64) - count(32)];
  const a = (upper - up) / 16;
  const b = up - 16 * a;
  const c = count(16) - 16 * a - 4 * b;
  const at = (n: number): number => a * n + b * Math.ceil(Math.log2(n)) + c;
  if (at(8) !== count(8)) return { text: `no formula in n and L`, at };
  const sign = (x: number): string => (x < 0 ? `- ${-x}` : `+ ${x}`);
  const linear = a === 0 ? '' : `${a}n + `;
  return { text: `${linear}${b} L ${sign(c)}`, at };
}

export interface Curve {
  readonly name: string;
  /** n, and all operations: of one processor, or of the busiest one step after step. */
  readonly points: readonly (readonly [number, number])[];
}

const DRAWN = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

/** Cost against n: all serial algorithms, and the parallel ones. */
export function costCurves(): { readonly serial: Curve[]; readonly parallel: Curve[] } {
  const curve = (name: string, cost: (n: number) => number): Curve => ({
    name,
    points: DRAWN.map((n) => [n, cost(n)]),
  });
  const operations = (o: { readonly multiplications: number; readonly additions: number }): number =>
    o.multiplications + o.additions;
  return {
    serial: MASS_MATRIX_ALGORITHMS.map((algorithm) =>
      curve(NAMES.get(algorithm)!, (n) => {
        const { tree, q } = chainOf(n);
        return operations(countMassMatrix(tree, q, algorithm).operations);
      }),
    ),
    parallel: PAPER_PARALLEL.map(({ algorithm, processors }) =>
      curve(`${NAMES.get(algorithm)!}, ${processors === 'n' ? 'n' : 'n²/2'}`, (n) => {
        const { tree, q } = chainOf(n);
        return operations(
          massMatrixOnArray(tree, q, { algorithm, layout: processors === 'n' ? 'columns' : 'triangle' }).time,
        );
      }),
    ),
  };
}
