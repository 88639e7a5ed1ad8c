// Where the derivatives of forward dynamics are computed: the memory of the inverse of the mass matrix, whose forces have three
// numbers more, then the results, what comes of the links beyond each degree of freedom, and rows of numbers as in
// derivative-columns.ts.

import type { Plan } from '../plan/plan.js';
import { type LinkRowPlaces, linkRows, movesAtOnce } from './derivative-columns.js';
import { type InverseMassColumns, inverseMassColumns } from './inverse-mass-columns.js';

/** Of each degree of freedom (formulas/forward-derivatives.ts): S (6), Psi1 (angular, 3), Psi2 (6), Psi1 + dS/dt (6) ... */
export const ROW_ZETA = 21;
/** ... z / D (3), -r for q and for v (6 each), and the part of the force it carries along that those before it in its joint feel (5). */
export const ROW_R_DQ = 24;
export const ROW_R_DV = 30;
export const ROW_CARRIED = 36;
const ROWS = 41;
/** I^A (21), B^A (6 x 3) and the force that it carries along (6). */
export const ROWS_OF_ARTICULATED = 45;

/** Components of a buffer: a force, and rho. */
const COMPONENTS = 9;

export interface ForwardDerivativeColumns {
  readonly order: InverseMassColumns;
  /** d qdd / d q, nv x nv, then d qdd / d v. */
  readonly result: number;
  /** For each degree of freedom a row of what its columns get from beyond, for q, then for v. */
  readonly beyond: number;
  readonly rows: number;
  readonly articulated: number;
  readonly links: LinkRowPlaces;
  /** Pairs of degrees of freedom of one joint: what is carried by the second is felt by the first. */
  readonly carried: readonly { readonly by: number; readonly before: readonly number[] }[];
  readonly size: number;
}

export function forwardDerivativeColumns({ links, nv }: Pick<Plan, 'links' | 'nv'>): ForwardDerivativeColumns {
  const order = inverseMassColumns({ links, nv }, COMPONENTS);
  const even = (numbers: number): number => numbers + (numbers % 2);
  const result = even(order.size);
  const beyond = result + even(2 * nv * nv);
  const rows = beyond + even(2 * nv * nv);
  const articulated = rows + ROWS * order.stride;
  const placed = linkRows(order, articulated + ROWS_OF_ARTICULATED * order.stride);
  const carried = links.flatMap(({ type, parent, nv: own }, i) => {
    if (parent < 0 || !movesAtOnce(type)) return [];
    const degrees = Array.from({ length: own }, (_, k) => order.first[i] + k);
    return degrees.slice(1).map((by, k) => ({ by, before: degrees.slice(0, k + 1) }));
  });
  return { order, result, beyond, rows, articulated, links: placed, carried, size: placed.end };
}
