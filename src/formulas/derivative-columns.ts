// Where the derivatives of dynamics are computed: columns of degrees of freedom in the order of inverse-mass-columns.ts, in
// which every subtree stands side by side. Places are counted in numbers from the begin of the result.

import type { Plan } from '../plan/plan.js';
import { type InverseMassColumns, inverseMassColumns } from './inverse-mass-columns.js';

/** Of each degree of freedom k, for the columns beyond it: S (6), Psi1 (angular, 3), Psi2 (6), Psi1 + dS/dt (6). */
export const RECORD_OF_COLUMN = 22;
export const RECORD_PSI1 = 6;
export const RECORD_PSI2 = 9;
export const RECORD_SUM = 15;

/** Rows of numbers, one for each column: R (6), Q (6), P (3), F (6); see formulas/inverse-derivatives.ts. */
export const ROWS_OF_COLUMNS = 21;
export const ROW_Q = 6;
export const ROW_P = 12;
export const ROW_F = 15;

/** Columns of one chain, and the rows that are related to them: at it, before it and beyond it, in runs. */
export interface ColumnChain {
  readonly from: number;
  readonly end: number;
  /** The chain it hangs from, -1 for the ground; those come first. */
  readonly parent: number;
  readonly runs: readonly (readonly [from: number, end: number])[];
}

export interface DerivativeColumns {
  readonly order: InverseMassColumns;
  readonly chains: readonly ColumnChain[];
  /** First column beyond the link of each degree of freedom. */
  readonly beyond: readonly number[];
  /** The derivatives of inverse dynamics: nv x nv with respect to q, then the same with respect to v. */
  readonly inverse: number;
  /** The same of forward dynamics, where it is computed. */
  readonly forward: number;
  readonly rows: number;
  readonly records: number;
  readonly stride: number;
  /** Buffers of six rows: two, and one for the end of each chain (emit/column-solver.ts). */
  readonly ends: number;
  readonly size: number;
}

/** `forward`: with the inverse of the mass matrix, which stands first, and the derivatives of forward dynamics. */
export function derivativeColumns(plan: Pick<Plan, 'links' | 'nv'>, forward: boolean): DerivativeColumns {
  const order = inverseMassColumns(plan);
  const { nv, stride } = order;
  const even = (numbers: number): number => numbers + (numbers % 2);
  const forwardAt = forward ? even(order.size) : 0;
  const inverse = forwardAt + (forward ? even(2 * nv * nv) : 0);
  const rows = inverse + even(2 * nv * nv);
  const records = rows + ROWS_OF_COLUMNS * stride;
  const beyond: number[] = [];
  for (const [link, { nv: own }] of plan.links.entries())
    for (let k = 0; k < own; k++) beyond[order.first[link] + k] = order.first[link] + own;
  const chains = chainsOf(order);
  const ends = even(records + RECORD_OF_COLUMN * nv);
  return {
    order,
    chains,
    beyond,
    inverse,
    forward: forwardAt,
    rows,
    records,
    stride,
    ends,
    size: forward ? ends + 6 * stride * (2 + chains.length) : ends,
  };
}

function chainsOf({ degrees, nv }: InverseMassColumns): ColumnChain[] {
  const chains: (ColumnChain & { readonly subtree: number })[] = [];
  for (let from = 0; from < nv; ) {
    let end = from + 1;
    while (end < nv && degrees[end].accelerationsTo === degrees[from].accelerationsTo) end++;
    const subtree = degrees[from].end;
    const parent = chains.findLastIndex((chain) => from < chain.subtree);
    const above = chains.filter((chain) => from < chain.subtree).map((chain) => [chain.from, chain.end] as const);
    chains.push({ from, end, subtree, parent, runs: merged([...above, [from, subtree]]) });
    from = end;
  }
  return chains;
}

function merged(runs: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  const out: (readonly [number, number])[] = [];
  for (const [from, end] of runs) {
    const last = out.at(-1);
    if (last?.[1] === from) out[out.length - 1] = [last[0], end];
    else out.push([from, end]);
  }
  return out;
}
