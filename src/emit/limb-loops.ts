// Limbs answer to all that is not part of them through the link they hang from: for a unit force anywhere else they only follow its
// acceleration a_b, and d qdd_i / d q_j = -r_j^T a_j = -(Phi_j^T r_j)^T a_b with what eliminating its degrees of freedom makes of
// r_j on its way to there, r -= G_k (S_k^T r) for k from j on. That takes 12 products for an entry of both derivatives in place of 18.

import type { ForwardDerivativeColumns } from '../formulas/forward-derivative-columns.js';
import { ROW_R_DQ, ROW_R_DV } from '../formulas/forward-derivative-columns.js';
import { chainsOf, RECORD_G } from '../formulas/inverse-mass-columns.js';
import * as B from './bytes.js';
import { LoopWriter, recordOf } from './inverse-mass-loops.js';
import type { ModuleFunction } from './module.js';

const NUMBER = 8;
const PAIR = 16;
const COMPONENTS = [0, 1, 2, 3, 4, 5];
const MATRICES = [ROW_R_DQ, ROW_R_DV];

/** The columns of a limb. */
export interface Limb {
  readonly from: number;
  readonly end: number;
}

/** Products that an entry saves, and those that a pair of degrees of freedom of the limb takes, as they were measured. */
const [SAVED, TAKEN] = [8, 26];

/** Limbs, none a part of another, for which it pays. */
export function limbsOf({ order, carried }: ForwardDerivativeColumns): Limb[] {
  const { degrees } = order;
  const chains = chainsOf(order);
  const root = (k: number) => chains.find(({ from, subtree }) => k >= from && k < subtree)!;
  const best = ({ from, end, subtree }: (typeof chains)[number]): { readonly gain: number; readonly limbs: Limb[] } => {
    const children = chains.filter(
      (chain) =>
        degrees[chain.from].accelerationsFrom === degrees[end - 1].accelerationsTo &&
        chain.from >= end &&
        chain.from < subtree,
    );
    const below = children.map(best);
    const apart = { gain: below.reduce((sum, { gain }) => sum + gain, 0), limbs: below.flatMap(({ limbs }) => limbs) };
    const { from: start, subtree: all } = root(from);
    const outside = all - start - (subtree - from);
    let pairs = 0;
    for (let k = from; k < subtree; k++) pairs += degrees[k].end - k;
    const gain = SAVED * (subtree - from) * outside - TAKEN * pairs;
    // What a degree of freedom carries along is felt everywhere.
    const alone = carried.some(({ by }) => by >= from && by < subtree) || from === start;
    return !alone && gain > Math.max(0, apart.gain) ? { gain, limbs: [{ from, end: subtree }] } : apart;
  };
  return chains.filter((chain) => root(chain.from) === chain).flatMap((chain) => best(chain).limbs);
}

/** r -= G_k (S_k^T r) of all columns beyond a degree of freedom k, and its own. */
export function pass(stride: number): ModuleFunction {
  const [record, rows, count] = [0, 1, 2];
  const w = new LoopWriter(3);
  const number = recordOf(w, record);
  const totals = { 1: w.local(B.F64), 2: w.local(B.V128) };
  const step = (lanes: 1 | 2): void => {
    for (const row of MATRICES) {
      for (const c of COMPONENTS) {
        number(lanes, c);
        w.load(lanes, rows, (row + c) * stride).operate(lanes, 'mul');
        if (c > 0) w.operate(lanes, 'add');
      }
      w.set(totals[lanes]);
      for (const c of COMPONENTS) {
        w.get(rows).load(lanes, rows, (row + c) * stride);
        number(lanes, RECORD_G + c);
        w.get(totals[lanes])
          .operate(lanes, 'mul')
          .operate(lanes, 'sub')
          .store(lanes, (row + c) * stride);
      }
    }
  };
  w.twoByTwo(
    count,
    () => {
      step(2);
      w.advance(rows, PAIR);
    },
    () => step(1),
  );
  return w.finish();
}

/** Entries of a limb's degrees of freedom (`own`) for columns outside of it, whose accelerations at the link it hangs from stand in `a`. */
export function outside(stride: number, rowBytes: number, apart: number): ModuleFunction {
  const [a, rows, out, own, columns] = [0, 1, 2, 3, 4];
  const w = new LoopWriter(5);
  const [r, to, left] = [B.I32, B.I32, B.I32].map((type) => w.local(type));
  const motions = [0, 1].map(() => COMPONENTS.map(() => w.local(B.V128)));
  const sums = { 1: [w.local(B.F64), w.local(B.F64)], 2: [w.local(B.V128), w.local(B.V128)] };
  const component = { 1: w.local(B.F64), 2: w.local(B.V128) };
  const tile = (lanes: 1 | 2, count: 1 | 2): void => {
    const sum = sums[lanes].slice(0, count);
    for (const [m, row] of MATRICES.entries()) {
      for (const c of COMPONENTS) {
        w.load(lanes, r, (row + c) * stride).set(component[lanes]);
        for (const [i, local] of sum.entries()) {
          if (c > 0) w.get(local);
          w.get(motions[i][c]);
          if (lanes === 1) w.extract();
          w.get(component[lanes]).operate(lanes, 'mul');
          if (c > 0) w.operate(lanes, 'add');
          w.set(local);
        }
      }
      for (const [i, local] of sum.entries())
        w.get(to)
          .get(local)
          .store(lanes, i * rowBytes + m * apart);
    }
  };
  const allRows = (count: 1 | 2): void => {
    for (let i = 0; i < count; i++) for (const c of COMPONENTS) w.splat(a, c * stride + i * NUMBER).set(motions[i][c]);
    w.get(rows).set(r).get(out).set(to).get(own).set(left);
    w.twoByTwo(
      left,
      () => {
        tile(2, count);
        w.advance(r, PAIR).advance(to, PAIR);
      },
      () => tile(1, count),
    );
  };
  w.twoByTwo(
    columns,
    () => {
      allRows(2);
      w.advance(a, PAIR).advance(out, 2 * rowBytes);
    },
    () => allRows(1),
  );
  return w.finish();
}
