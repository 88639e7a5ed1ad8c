// Where the derivatives of forward dynamics are computed: the memory of the inverse of the mass matrix, whose forces have three
// numbers more, then the results, what comes of the links beyond each degree of freedom, and rows of numbers as in
// derivative-columns.ts.

import type { Plan } from '../plan/plan.js';
import { type LinkRowPlaces, linkRows, movesAtOnce } from './derivative-columns.js';
import { type InverseMassColumns, inverseMassColumns } from './inverse-mass-columns.js';

/** Of each degree of freedom (formulas/forward-derivatives.ts): S (6), Psi1 (angular, 3), Psi2 (6), Psi1 + dS/dt (6) ... */
export const ROW_ZETA = 21;
/** ... z / D (3), -r for q and for v (6 each), the part of the force it carries along that those before it in its joint feel (5) ... */
export const ROW_R_DQ = 24;
export const ROW_R_DV = 30;
export const ROW_CARRIED = 36;
/** ... (tau - S^T p) / D, Psi2 without what delta adds (6), and two numbers that never change: its armature, and 1 where it carries a force along. */
export const ROW_Y = 41;
export const ROW_BASE_PSI2 = 42;
export const ROW_ARMATURE = 48;
export const ROW_CARRIES = 49;
const ROWS = 50;
/** I^A (21), B^A (6 x 3), p^A (6) and delta (6): the force that it carries along is I^A delta + p^A. */
export const ROWS_OF_ARTICULATED = 51;
export const ROW_DELTA = 45;

/** Components of a buffer: a force, and rho. */
const COMPONENTS = 9;

/** The degrees of freedom of a joint. */
export interface DerivativeJoint {
  readonly from: number;
  readonly end: number;
  /** The last one of the joint before it; -1 on the ground. */
  readonly parent: number;
  /** Column of its link in the rows of links. */
  readonly link: number;
  readonly atOnce: boolean;
}

export interface ForwardDerivativeColumns {
  readonly order: InverseMassColumns;
  /** d qdd / d q, nv x nv, then d qdd / d v. */
  readonly result: number;
  /** For each degree of freedom a row of what its columns get from beyond, for q, then for v. */
  readonly beyond: number;
  readonly rows: number;
  readonly articulated: number;
  readonly links: LinkRowPlaces;
  /** From the ground on. */
  readonly joints: readonly DerivativeJoint[];
  /** Whether accelerations are in memory: of coupled joints and closed loops. */
  readonly known: boolean;
  /** Pairs of degrees of freedom of one joint: what is carried by the second is felt by the first. */
  readonly carried: readonly { readonly by: number; readonly before: readonly number[] }[];
  readonly size: number;
}

export function forwardDerivativeColumns(
  plan: Pick<Plan, 'links' | 'nv' | 'groups' | 'loops'>,
): ForwardDerivativeColumns {
  const { links, nv, groups, loops } = plan;
  const order = inverseMassColumns({ links, nv }, COMPONENTS);
  const even = (numbers: number): number => numbers + (numbers % 2);
  const result = even(order.size);
  const beyond = result + even(2 * nv * nv);
  const rows = beyond + even(2 * nv * nv);
  const articulated = rows + ROWS * order.stride;
  const placed = linkRows(order, articulated + ROWS_OF_ARTICULATED * order.stride);
  const ends = links.map(({ nv: own }, i) => order.first[i] + own);
  const joints = links.map(
    ({ type, parent }, i): DerivativeJoint => ({
      from: order.first[i],
      end: ends[i],
      parent: parent < 0 ? -1 : ends[parent] - 1,
      link: placed.place[i],
      atOnce: movesAtOnce(type),
    }),
  );
  const carried = joints.flatMap(({ from, end, parent, atOnce }) => {
    if (parent < 0 || !atOnce) return [];
    const degrees = Array.from({ length: end - from }, (_, k) => from + k);
    return degrees.slice(1).map((by, k) => ({ by, before: degrees.slice(0, k + 1) }));
  });
  const known = groups.length > 0 || loops.length > 0;
  return { order, result, beyond, rows, articulated, links: placed, joints, known, carried, size: placed.end };
}

/** The rows of numbers that never change. */
export function constantRows(
  { links }: Pick<Plan, 'links'>,
  { order, joints }: ForwardDerivativeColumns,
): Float64Array {
  const { stride } = order;
  const numbers = new Float64Array(2 * stride);
  joints.forEach(({ from, end, parent, atOnce }, i) => {
    for (let k = from; k < end; k++) {
      numbers[k] = links[i].armature[k - from];
      // The first joint of a tree that moves at once carries nothing that another would feel.
      numbers[stride + k] = atOnce && parent < 0 ? 0 : 1;
    }
  });
  return numbers;
}
