// The columns of the inverse of the mass matrix, ordered so that the degrees of freedom of every subtree stand side by side,
// and the memory they are computed in. How they are computed: formulas/inverse-mass-matrix.ts.
//
// Chains of links end where the tree branches. All chains that hang from one link (or from the ground) share a buffer for the
// forces of their columns as they arrive at that link; each chain has a buffer for the accelerations of its end.

import type { Plan } from '../plan/plan.js';

/** A degree of freedom: its column, and where its numbers stand. Places are counted in numbers from the begin of the result. */
export interface ColumnDegree {
  /** First column behind its subtree. */
  readonly end: number;
  /** Buffer in which the forces of the columns beyond arrive, and the one where they go on. */
  readonly forcesFrom: number;
  readonly forcesTo: number;
  readonly accelerationsFrom: number;
  readonly accelerationsTo: number;
}

/** A link where chains part: their columns, one after the other, and the buffers at it. */
export interface Branch {
  /** The last degree of freedom before it. */
  readonly after: number;
  readonly forces: number;
  readonly accelerations: number;
  /** First column of each chain, and the end of the last. */
  readonly starts: readonly number[];
}

export interface InverseMassColumns {
  readonly nv: number;
  /** First column of each link of the plan. */
  readonly first: readonly number[];
  readonly degrees: readonly ColumnDegree[];
  readonly branches: readonly Branch[];
  /** Where the records of the degrees of freedom stand, RECORD numbers each. */
  readonly records: number;
  /** Distance between the six components of a buffer. */
  readonly stride: number;
  /** Numbers of memory, the matrix first. */
  readonly size: number;
  /** For each column its place in v; undefined where it is just that. */
  readonly order: Int32Array | undefined;
}

/** Degrees of freedom of one chain, and the end of all that hang from it. */
export interface DegreeChain {
  readonly from: number;
  readonly end: number;
  readonly subtree: number;
}

export function chainsOf({ degrees, nv }: InverseMassColumns): DegreeChain[] {
  const chains: DegreeChain[] = [];
  for (let from = 0; from < nv; ) {
    let end = from + 1;
    while (end < nv && degrees[end].accelerationsTo === degrees[from].accelerationsTo) end++;
    chains.push({ from, end, subtree: degrees[from].end });
    from = end;
  }
  return chains;
}

/** Of each degree of freedom: S (6), G (6), -1 / D. */
export const RECORD = 14;
export const RECORD_G = 6;
export const RECORD_D = 12;

/** `components`: numbers that a buffer has of each column. */
export function inverseMassColumns({ links, nv }: Pick<Plan, 'links' | 'nv'>, components = 6): InverseMassColumns {
  const children: number[][] = links.map(() => []);
  const roots: number[] = [];
  for (const [i, { parent }] of links.entries()) (parent < 0 ? roots : children[parent]).push(i);
  const byPlace = (list: readonly number[]): number[] => [...list].sort((a, b) => links[a].iv - links[b].iv);
  const records = nv * nv;
  const stride = nv + (nv % 2);
  let top = records + RECORD * nv;
  const buffer = (): number => {
    const at = top;
    top += components * stride;
    return at;
  };
  const first: number[] = links.map(() => -1);
  const degrees: ColumnDegree[] = [];
  const branches: Branch[] = [];
  const order = new Int32Array(nv);
  /** One chain, and all that hangs from its end. `forces`, `accelerations`: buffers where it hangs. */
  const visitChain = (start: number, forces: number, accelerations: number): void => {
    const chain = [start];
    while (children[chain.at(-1)!].length === 1) chain.push(children[chain.at(-1)!][0]);
    const own = buffer();
    const mine: { -readonly [key in keyof ColumnDegree]: ColumnDegree[key] }[] = [];
    for (const link of chain) {
      first[link] = degrees.length;
      for (let k = 0; k < links[link].nv; k++) {
        order[degrees.length] = links[link].iv + k;
        const degree = {
          end: 0,
          forcesFrom: forces,
          forcesTo: forces,
          accelerationsFrom: mine.length === 0 ? accelerations : own,
          accelerationsTo: own,
        };
        mine.push(degree);
        degrees.push(degree);
      }
    }
    const limbs = byPlace(children[chain.at(-1)!]);
    if (limbs.length > 0) {
      const after = degrees.length - 1;
      const arrivals = buffer();
      mine.at(-1)!.forcesFrom = arrivals;
      const starts: number[] = [];
      for (const limb of limbs) {
        starts.push(degrees.length);
        visitChain(limb, arrivals, own);
      }
      branches.push({ after, forces: arrivals, accelerations: own, starts: [...starts, degrees.length] });
    }
    for (const degree of mine) degree.end = degrees.length;
  };
  const [forces, still] = [buffer(), buffer()];
  for (const root of byPlace(roots)) visitChain(root, forces, still);
  const inOrder = order.every((at, column) => at === column);
  return { nv, first, degrees, branches, records, stride, size: top, order: inOrder ? undefined : order };
}
