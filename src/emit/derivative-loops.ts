// The products that derivatives of dynamics consist of (formulas/inverse-derivatives.ts), two columns in the lanes of a
// vector, and d qdd = -H^-1 d tau for the rows that are related to a column.

import {
  type DerivativeColumns,
  RECORD_OF_COLUMN,
  RECORD_PSI1,
  RECORD_PSI2,
  RECORD_SUM,
  ROW_F,
  ROW_P,
  ROW_Q,
} from '../formulas/derivative-columns.js';
import * as B from './bytes.js';
import { columnSolver, solvingIsShorter } from './column-solver.js';
import { inverseMassLoops, type Loops, LoopWriter } from './inverse-mass-loops.js';
import type { ModuleFunction } from './module.js';

const NUMBER = 8;
const PAIR = 16;
/** Of a product: as many as registers hold sums for. */
const ROWS_AT_ONCE = 4;

/** Terms of a scalar product: numbers of a record with rows of columns. */
type Terms = readonly (readonly [record: number, row: number])[];
const terms = (record: number, row: number, count: number): Terms =>
  Array.from({ length: count }, (_, c) => [record + c, row + c] as const);
const UPPER_Q = terms(0, 0, 6);
const UPPER_V = terms(0, ROW_Q, 6);
const LOWER_Q = [...terms(RECORD_PSI1, ROW_P, 3), ...terms(RECORD_PSI2, ROW_F, 6)];
const LOWER_V = [...terms(0, ROW_P, 3), ...terms(RECORD_SUM, ROW_F, 6)];

/** The entries of a degree of freedom with columns beyond it. `apart`: bytes between the two matrices. */
function pairs(stride: number, rowBytes: number, apart: number): ModuleFunction {
  const [record, column, upper, lower, count] = [0, 1, 2, 3, 4];
  const w = new LoopWriter(5);
  const known = Array.from({ length: RECORD_SUM + 6 }, (_, k) => {
    const local = w.local(B.V128);
    w.splat(record, NUMBER * k).set(local);
    return local;
  });
  const value = { 1: w.local(B.F64), 2: w.local(B.V128) };
  const product = (lanes: 1 | 2, list: Terms): void => {
    list.forEach(([k, row], n) => {
      if (lanes === 2) w.get(known[k]);
      else w.load(1, record, NUMBER * k);
      w.load(lanes, column, row * stride).operate(lanes, 'mul');
      if (n > 0) w.operate(lanes, 'add');
    });
  };
  const step = (lanes: 1 | 2): void => {
    for (const [list, offset] of [
      [UPPER_Q, 0],
      [UPPER_V, apart],
    ] as const) {
      w.get(upper);
      product(lanes, list);
      w.store(lanes, offset);
    }
    for (const [list, offset] of [
      [LOWER_Q, 0],
      [LOWER_V, apart],
    ] as const) {
      product(lanes, list);
      w.set(value[lanes]).storeApart(lanes, lower, rowBytes, value[lanes], offset);
    }
  };
  w.twoByTwo(
    count,
    () => {
      step(2);
      w.advance(column, PAIR)
        .advance(upper, PAIR)
        .advance(lower, 2 * rowBytes);
    },
    () => step(1),
  );
  return w.finish();
}

/**
 * out -= A B for some rows of A and columns of B, of both matrices B: out begins at zero where `begins`. `inner`: columns of A
 * and rows of B.
 */
function subtractProduct(rowBytes: number, apart: number, begins: boolean): ModuleFunction {
  const [A, right, out, inner, rows, columns] = [0, 1, 2, 3, 4, 5];
  const w = new LoopWriter(6);
  const [b, to, left, a, under, steps] = Array.from({ length: 6 }, () => w.local(B.I32));
  const each = (type: number): number[] => Array.from({ length: ROWS_AT_ONCE }, () => w.local(type));
  // Of both matrices, for each row.
  const sums = { 1: [each(B.F64), each(B.F64)], 2: [each(B.V128), each(B.V128)] };
  const entry = { 1: [w.local(B.F64), w.local(B.F64)], 2: [w.local(B.V128), w.local(B.V128)] };
  const factor = { 1: w.local(B.F64), 2: w.local(B.V128) };
  const tile = (lanes: 1 | 2, count: number): void => {
    const own = Array.from({ length: count }, (_, k) => k);
    for (const k of own)
      for (const m of [0, 1]) {
        if (begins) w.zero(lanes);
        else w.load(lanes, to, k * rowBytes + m * apart);
        w.set(sums[lanes][m][k]);
      }
    w.get(A).set(a).get(b).set(under).get(inner).set(steps);
    w.repeat(steps, () => {
      for (const m of [0, 1]) w.load(lanes, under, m * apart).set(entry[lanes][m]);
      for (const k of own) {
        if (lanes === 2) w.splat(a, k * rowBytes);
        else w.load(1, a, k * rowBytes);
        w.set(factor[lanes]);
        for (const m of [0, 1])
          w.get(sums[lanes][m][k])
            .get(factor[lanes])
            .get(entry[lanes][m])
            .operate(lanes, 'mul')
            .operate(lanes, 'sub')
            .set(sums[lanes][m][k]);
      }
      w.advance(a, NUMBER).advance(under, rowBytes);
    });
    for (const k of own)
      for (const m of [0, 1])
        w.get(to)
          .get(sums[lanes][m][k])
          .store(lanes, k * rowBytes + m * apart);
  };
  for (const count of [ROWS_AT_ONCE, 1])
    w.blocks(rows, count, () => {
      w.get(right).set(b).get(out).set(to).get(columns).set(left);
      w.twoByTwo(
        left,
        () => {
          tile(2, count);
          w.advance(b, PAIR).advance(to, PAIR);
        },
        () => tile(1, count),
      );
      w.advance(A, count * rowBytes).advance(out, count * rowBytes);
    });
  return w.finish();
}

/** The loops, to stand from number `first` of a module's functions on, and the calls of them. */
export function derivativeLoops(columns: DerivativeColumns, forward: boolean, resultAt: number, first: number): Loops {
  const { order, chains, beyond, inverse, records, rows, stride: numbers } = columns;
  const { nv, degrees } = order;
  const [stride, rowBytes, apart] = [NUMBER * numbers, NUMBER * nv, NUMBER * nv * nv];
  const calls = new B.Bytes();
  const call = (index: number, ...values: readonly number[]): void => {
    for (const value of values) calls.byte(B.I32_CONST).signed(value);
    calls.byte(B.CALL).unsigned(first + index);
  };
  const at = (number: number): number => resultAt + NUMBER * number;
  const entry = (matrix: number, row: number, column: number): number => at(matrix + nv * row + column);
  for (let k = 0; k < nv; k++) {
    const j = beyond[k];
    const { end } = degrees[k];
    if (j < end)
      call(0, at(records + RECORD_OF_COLUMN * k), at(rows + j), entry(inverse, k, j), entry(inverse, j, k), end - j);
  }
  const functions = [pairs(stride, rowBytes, apart)];
  if (!forward) return { functions, calls };
  if (solvingIsShorter(columns)) {
    const matrices = [0, 1].map((m) => ({
      X: at(columns.forward + m * nv * nv),
      B: at(inverse + m * nv * nv),
    }));
    const mass = inverseMassLoops(order, resultAt, first + 1);
    const solver = columnSolver(columns, resultAt, matrices, first + 1 + mass.functions.length);
    return {
      functions: [...functions, ...mass.functions, ...solver.functions],
      calls: calls.append(mass.calls).append(solver.calls),
    };
  }
  const mass = inverseMassLoops(order, resultAt, first + 3);
  calls.append(mass.calls);
  for (const { from, end, runs } of chains)
    for (const [run, [start, stop]] of runs.entries())
      call(
        run === 0 ? 1 : 2,
        entry(0, 0, start),
        entry(inverse, start, from),
        entry(columns.forward, 0, from),
        stop - start,
        nv,
        end - from,
      );
  functions.push(subtractProduct(rowBytes, apart, true), subtractProduct(rowBytes, apart, false), ...mass.functions);
  return { functions, calls };
}
