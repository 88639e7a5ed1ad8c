// Derivatives of dynamics for many states, by the formulas and in the steps of src/formulas/inverse-derivatives.ts and
// inverse-mass-matrix.ts, in three kernels:
//
//   records   code for the mechanism, one thread for each state: the numbers of every degree of freedom
//   products  one thread for each state and degree of freedom k: d tau for the rows and columns of k and those beyond it
//   columns   of forward dynamics, one thread for each state and column b of [1, -d tau / d q, -d tau / d v]:  H x = b by
//             articulated bodies; inwards u_k = b_k - S_k^T p, p += G_k u_k; outwards x_k = u_k / D_k - G_k^T a, a += S_k x_k
//
// Columns are in the order of inverse-mass-columns.ts, results in the author's.

import { FUNCTIONS } from '../../emit/wgsl.js';
import {
  type DerivativeColumns,
  derivativeColumns,
  ROW_F,
  ROW_P,
  ROW_PSI1,
  ROW_PSI2,
  ROW_Q,
  ROW_SUM,
  ROWS_OF_COLUMNS,
  ROWS_OF_MOTIONS,
} from '../../formulas/derivative-columns.js';
import type { Node } from '../../formulas/graph.js';
import { inverseDerivativeFormulas } from '../../formulas/inverse-derivatives.js';
import { RECORD, RECORD_D, RECORD_G } from '../../formulas/inverse-mass-columns.js';
import { inverseMassFormulas } from '../../formulas/inverse-mass-matrix.js';
import { singleUnits } from '../../formulas/lanes.js';
import { RESULT } from '../../formulas/links.js';
import type { Plan } from '../../plan/plan.js';
import { GpuGraph } from './formulas.js';
import { NOT_FINITE, placesOf, stateKernel, statements, TILE, type WgslKernel } from './kernel.js';
import type { DerivativeFunctionName } from './types.js';

/** Above so many operations compilers would take minutes. */
const MOST_OPERATIONS = 120_000;

export interface DerivativeTables {
  readonly kernels: readonly WgslKernel[];
  readonly rows: Uint32Array;
}

/** What a buffer keeps between the kernels, in numbers of a state: d tau twice, the rows and records of the columns. */
interface Kept {
  readonly rows: number;
  readonly records: number;
  readonly mass: number;
  readonly size: number;
}

/** Undefined where the code would be too long. */
export function derivativeKernels(plan: Plan, of: DerivativeFunctionName): DerivativeTables | undefined {
  const forward = of === 'forwardDerivatives';
  const columns = derivativeColumns(plan, forward);
  const { nv } = plan;
  const rows = 2 * nv * nv;
  const records = rows + ROWS_OF_COLUMNS * nv;
  const mass = records + ROWS_OF_MOTIONS * nv;
  const kept: Kept = { rows, records, mass, size: mass + (forward ? RECORD * nv : 0) };
  const graph = new RecordGraph(columns, kept);
  const units = singleUnits(plan);
  if (forward) inverseMassFormulas(graph, plan, units, { twoStates: true }, columns.order);
  inverseDerivativeFormulas(graph, plan, units, { twoStates: true }, columns);
  if (graph.size > MOST_OPERATIONS) return undefined;
  const { beyond, order, chains } = columns;
  const tables = {
    beyond: 0,
    end: nv,
    order: 2 * nv,
    chains: 3 * nv,
  };
  const table = [
    ...beyond,
    ...order.degrees.map(({ end }) => end),
    ...(order.order ?? Array.from({ length: nv }, (_, k) => k)),
    // The ground is chain 0.
    ...chains.flatMap(({ from, end, parent }) => [from, end, parent + 1]),
  ];
  return {
    kernels: [
      stateKernel(
        `${placesOf(plan.nq, nv)}\nvar size = 0.0f;\n${statements(graph, false)}\nflags[state] = 0u;`,
        kept.size,
        1,
        FUNCTIONS,
      ),
      productsKernel(kept, nv, tables, !forward),
      ...(forward ? [columnsKernel(kept, nv, tables, chains.length)] : []),
    ],
    rows: Uint32Array.from(table),
  };
}

/** Results of the formulas go to their places in the buffer; what only loops over several columns begin with is left out. */
class RecordGraph extends GpuGraph {
  readonly #columns: DerivativeColumns;
  readonly #kept: Kept;

  constructor(columns: DerivativeColumns, kept: Kept) {
    super();
    this.#columns = columns;
    this.#kept = kept;
  }

  override output(array: number, i: number, node: Node): void {
    const at = array === RESULT ? this.#placeOf(i) : i;
    if (at !== undefined) super.output(array, at, node);
  }

  #placeOf(i: number): number | undefined {
    const { inverse, motions, forces, stride, order } = this.#columns;
    const { nv } = order;
    if (i >= forces) return this.#kept.rows + Math.floor((i - forces) / stride) * nv + ((i - forces) % stride);
    if (i >= motions)
      return this.#kept.records + ((i - motions) % stride) * ROWS_OF_MOTIONS + Math.floor((i - motions) / stride);
    if (i >= inverse) return i - inverse;
    const own = i - order.records;
    return inverse > 0 && own >= 0 && own < RECORD * nv ? this.#kept.mass + own : undefined;
  }
}

type Tables = { readonly beyond: number; readonly end: number; readonly order: number; readonly chains: number };

const at = (place: string): string => `kept[atKept + ${TILE}u * (${place})]`;

/** Scalar product of numbers of the record of k with numbers of column j. */
function product(
  { rows }: Kept,
  nv: number,
  terms: readonly (readonly [record: number, row: number, count: number])[],
) {
  return terms
    .flatMap(([record, row, count]) => Array.from({ length: count }, (_, c) => [record + c, row + c] as const))
    .reduce((sum, [record, row]) => `fma(r[${record}], ${at(`${rows + row * nv}u + j`)}, ${sum})`, '0.0f');
}

/** The entries of k with all j beyond its link: zero where j is not in its subtree. */
function productsKernel(kept: Kept, nv: number, { beyond, end, order }: Tables, results: boolean): WgslKernel {
  const matrices = [
    [
      product(kept, nv, [[0, 0, 6]]),
      product(kept, nv, [
        [ROW_PSI1, ROW_P, 3],
        [ROW_PSI2, ROW_F, 6],
      ]),
    ],
    [
      product(kept, nv, [[0, ROW_Q, 6]]),
      product(kept, nv, [
        [0, ROW_P, 3],
        [ROW_SUM, ROW_F, 6],
      ]),
    ],
  ] as const;
  const write = (matrix: number, row: string, column: string, value: string): string =>
    results
      ? `{ let to = atMatrix + ${TILE}u * (rows[${order}u + ${row}] * ${nv}u + rows[${order}u + ${column}]); ${matrix === 0 ? 'dq' : 'dv'}[to] = ${value}; size = fma(abs(${value}), 1e-30f, size); }`
      : `${at(`${matrix * nv * nv}u + ${row} * ${nv}u + ${column}`)} = ${value};`;
  // Entries within a joint are known; as results they go to their places.
  const own = results
    ? `for (var j = k; j < rows[${beyond}u + k]; j++) {
${[0, 1]
  .map((m) =>
    ['k, j', 'j, k']
      .map((pair) => {
        const [row, column] = pair.split(', ');
        return `{ let value = ${at(`${m * nv * nv}u + ${row} * ${nv}u + ${column}`)}; ${write(m, row, column, 'value')} }`;
      })
      .join('\n'),
  )
  .join('\n')}
}`
    : '';
  return stateKernel(
    `let k = group.y;
let atMatrix = (state >> 5u) * ${TILE * nv * nv}u + (state & 31u);
var size = 0.0f;
var r: array<f32, ${ROWS_OF_MOTIONS}>;
for (var c = 0u; c < ${ROWS_OF_MOTIONS}u; c++) { r[c] = ${at(`${kept.records}u + k * ${ROWS_OF_MOTIONS}u + c`)}; }
${own}
for (var j = rows[${beyond}u + k]; j < ${nv}u; j++) {
let related = j < rows[${end}u + k];
${matrices
  .map(
    ([upper, lower], m) => `{ let above = select(0.0f, ${upper}, related); let below = select(0.0f, ${lower}, related);
${write(m, 'k', 'j', 'above')} ${write(m, 'j', 'k', 'below')} }`,
  )
  .join('\n')}
}
${results ? `if (${NOT_FINITE}) { flags[state] = 1u; }` : ''}`,
    kept.size,
    nv,
  );
}

/** A column of accelerations; the ground is chain 0, whose forces nobody asks for and whose accelerations are zero. */
function columnsKernel(kept: Kept, nv: number, { order, chains }: Tables, count: number): WgslKernel {
  const record = (offset: string): string => at(`${kept.mass}u + k * ${RECORD}u + ${offset}`);
  const six = (from: number): string => Array.from({ length: 6 }, (_, c) => record(`${from + c}u`)).join(', ');
  const chain = `let first = rows[${chains}u + 3u * m]; let end = rows[${chains + 1}u + 3u * m]; let parent = rows[${chains + 2}u + 3u * m];`;
  const dot = (x: string, y: string): string =>
    Array.from({ length: 6 }, (_, c) => `${x}[${c}] * ${y}[${c}]`).join(' + ');
  const passOn = (to: string, factor: string, x: string): string =>
    Array.from({ length: 6 }, (_, c) => `${to}[${c}] = fma(${factor}, ${x}[${c}], ${to}[${c}]);`).join(' ');
  return stateKernel(
    `let kind = group.y / ${nv}u; let j = group.y % ${nv}u;
let atMatrix = (state >> 5u) * ${TILE * nv * nv}u + (state & 31u);
var size = 0.0f;
var x: array<f32, ${nv}>;
var ends: array<array<f32, 6>, ${count + 1}>;
for (var next = ${count}u; next > 0u; next--) { let m = next - 1u; ${chain}
var p = ends[m + 1u];
for (var below = end; below > first; below--) { let k = below - 1u;
let S = array<f32, 6>(${six(0)}); let G = array<f32, 6>(${six(RECORD_G)});
var b = select(0.0f, 1.0f, k == j);
if (kind > 0u) { b = -${at(`(kind - 1u) * ${nv * nv}u + k * ${nv}u + j`)}; }
let u = b - (${dot('S', 'p')});
x[k] = -u * ${record(`${RECORD_D}u`)};
${passOn('p', 'u', 'G')} }
for (var c = 0u; c < 6u; c++) { ends[parent][c] += p[c]; } }
ends[0] = array<f32, 6>(0, 0, 0, 0, 0, 0);
for (var m = 0u; m < ${count}u; m++) { ${chain}
var a = ends[parent];
for (var k = first; k < end; k++) {
let S = array<f32, 6>(${six(0)}); let G = array<f32, 6>(${six(RECORD_G)});
let value = x[k] - (${dot('G', 'a')});
let to = atMatrix + ${TILE}u * (rows[${order}u + k] * ${nv}u + rows[${order}u + j]);
switch (kind) { case 0u: { dtau[to] = value; } case 1u: { dq[to] = value; } default: { dv[to] = value; } }
size = fma(abs(value), 1e-30f, size);
${passOn('a', 'value', 'S')} }
ends[m + 1u] = a; }
if (${NOT_FINITE}) { flags[state] = 1u; }`,
    kept.size,
    3 * nv,
  );
}
