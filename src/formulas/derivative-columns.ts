// Where the derivatives of dynamics are computed: columns of degrees of freedom in the order of inverse-mass-columns.ts, in
// which every subtree stands side by side. Places are counted in numbers from the begin of the result. Numbers stand in rows, one
// for each component, so that those of neighbouring columns fill the lanes of a vector.

import type { Plan } from '../plan/plan.js';
import { type InverseMassColumns, inverseMassColumns } from './inverse-mass-columns.js';

/** Motions of each degree of freedom k, for the columns beyond it: S (6), Psi1 (angular, 3), Psi2 (6), Psi1 + dS/dt (6). */
export const ROWS_OF_MOTIONS = 21;
export const ROW_PSI1 = 6;
export const ROW_PSI2 = 9;
export const ROW_SUM = 15;

/** Forces of each degree of freedom: R (6), Q (6), P (3), F (6); see formulas/inverse-derivatives.ts ... */
export const ROWS_OF_COLUMNS = 21;
export const ROW_Q = 6;
export const ROW_P = 12;
export const ROW_F = 15;
/** ... and R without what is carried along (6), for the entries within a joint. */
export const ROW_STILL = 21;
const ROWS_OF_FORCES = 27;

/** What a link is given: E (9), p (3), v (6), a (6), then its own mass, first and second moments (10) ... */
export const ROWS_GIVEN = 24;
export const ROWS_OF_INERTIA = 10;
/** ... and what it adds to its subtree: mass, first and second moments (10), 2 K (9), 2 p (3), force (6). */
export const ROWS_OF_LINK = 28;

/** Columns of one chain, and the chain it hangs from. */
export interface ColumnChain {
  readonly from: number;
  readonly end: number;
  /** -1 for the ground; those come first. */
  readonly parent: number;
}

/** Rows with a column for each link, in the order of their first degrees of freedom. */
export interface LinkRowPlaces {
  readonly count: number;
  /** The column of each link. */
  readonly place: readonly number[];
  readonly given: number;
  readonly inertia: number;
  readonly numbers: number;
  readonly stride: number;
  /** Behind them. */
  readonly end: number;
}

export interface DerivativeColumns {
  readonly order: InverseMassColumns;
  readonly chains: readonly ColumnChain[];
  /** First column beyond the link of each degree of freedom. */
  readonly beyond: readonly number[];
  /** Columns of each joint, and whether its degrees of freedom move at once: the others follow each other. */
  readonly joints: readonly { readonly from: number; readonly end: number; readonly atOnce: boolean }[];
  /** The derivatives of inverse dynamics: nv x nv with respect to q, then the same with respect to v. */
  readonly inverse: number;
  /** Motions, the numbers of subtrees (as those of links) and forces, a column for each degree of freedom. */
  readonly motions: number;
  readonly subtrees: number;
  readonly forces: number;
  readonly stride: number;
  readonly links: LinkRowPlaces;
  readonly size: number;
}

/** Joints whose degrees of freedom do not follow each other. */
export const movesAtOnce = (type: string): boolean => type === 'spherical' || type === 'floating';

const even = (numbers: number): number => numbers + (numbers % 2);

/** `mass`: with the inverse of the mass matrix, which stands first. */
export function derivativeColumns(plan: Pick<Plan, 'links' | 'nv'>, mass: boolean): DerivativeColumns {
  const order = inverseMassColumns(plan);
  const { nv, stride } = order;
  const inverse = mass ? even(order.size) : 0;
  const motions = inverse + even(2 * nv * nv);
  const subtrees = motions + ROWS_OF_MOTIONS * stride;
  const forces = subtrees + ROWS_OF_LINK * stride;
  const links = linkRows(order, forces + ROWS_OF_FORCES * stride);
  const joints = plan.links.map(({ type, nv: own }, link) => {
    const from = order.first[link];
    return { from, end: from + own, atOnce: movesAtOnce(type) };
  });
  const beyond: number[] = [];
  for (const { from, end } of joints) for (let k = from; k < end; k++) beyond[k] = end;
  return {
    order,
    chains: chainsOf(order),
    beyond,
    joints,
    inverse,
    motions,
    subtrees,
    forces,
    stride,
    links,
    size: links.end,
  };
}

/** Rows of links from a place on. */
export function linkRows({ first }: InverseMassColumns, from: number): LinkRowPlaces {
  const inOrder = [...first.keys()].sort((a, b) => first[a] - first[b] || a - b);
  const place: number[] = [];
  for (const [column, link] of inOrder.entries()) place[link] = column;
  const stride = even(first.length);
  const inertia = from + ROWS_GIVEN * stride;
  const numbers = inertia + ROWS_OF_INERTIA * stride;
  return { count: first.length, place, given: from, inertia, numbers, stride, end: numbers + ROWS_OF_LINK * stride };
}

function chainsOf({ degrees, nv }: InverseMassColumns): ColumnChain[] {
  const chains: (ColumnChain & { readonly subtree: number })[] = [];
  for (let from = 0; from < nv; ) {
    let end = from + 1;
    while (end < nv && degrees[end].accelerationsTo === degrees[from].accelerationsTo) end++;
    const parent = chains.findLastIndex((chain) => from < chain.subtree);
    chains.push({ from, end, subtree: degrees[from].end, parent });
    from = end;
  }
  return chains;
}
