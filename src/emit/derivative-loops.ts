// The products that derivatives of inverse dynamics consist of (formulas/inverse-derivatives.ts), two columns in the lanes of a
// vector.

import {
  type DerivativeColumns,
  type LinkRowPlaces,
  ROW_F,
  ROW_P,
  ROW_PSI1,
  ROW_PSI2,
  ROW_Q,
  ROW_STILL,
  ROW_SUM,
} from '../formulas/derivative-columns.js';
import { columnKernel, linkKernel } from '../formulas/inverse-derivatives.js';
import { VectorGraph } from '../formulas/vectors.js';
import * as B from './bytes.js';
import { type Loops, LoopWriter } from './inverse-mass-loops.js';
import type { ModuleFunction } from './module.js';
import { type ConstantPool, emitFunctions } from './wasm.js';

const NUMBER = 8;
const PAIR = 16;

/** Terms of a scalar product: rows of motions with rows of forces. */
type Terms = readonly (readonly [motion: number, force: number])[];
const terms = (motion: number, force: number, count: number): Terms =>
  Array.from({ length: count }, (_, c) => [motion + c, force + c] as const);
const UPPER_Q = terms(0, 0, 6);
const UPPER_V = terms(0, ROW_Q, 6);
const LOWER_Q = [...terms(ROW_PSI1, ROW_P, 3), ...terms(ROW_PSI2, ROW_F, 6)];
const LOWER_V = [...terms(0, ROW_P, 3), ...terms(ROW_SUM, ROW_F, 6)];

/** The entries of a degree of freedom with columns beyond it. `apart`: bytes between the two matrices. */
function pairs(stride: number, rowBytes: number, apart: number): ModuleFunction {
  const [motion, column, upper, lower, count] = [0, 1, 2, 3, 4];
  const w = new LoopWriter(5);
  const known = Array.from({ length: ROW_SUM + 6 }, (_, k) => {
    const local = w.local(B.V128);
    w.splat(motion, k * stride).set(local);
    return local;
  });
  const value = { 1: w.local(B.F64), 2: w.local(B.V128) };
  const product = (lanes: 1 | 2, list: Terms): void => {
    list.forEach(([k, row], n) => {
      if (lanes === 2) w.get(known[k]);
      else w.load(1, motion, k * stride);
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

/** Entries of a degree of freedom with those of its own joint; `q`: the row of forces for positions that counts. */
function within(stride: number, apart: number): ModuleFunction {
  const [motion, q, column, to, count] = [0, 1, 2, 3, 4];
  const w = new LoopWriter(5);
  w.repeat(count, () => {
    for (const [pointer, row, offset] of [
      [q, 0, 0],
      [column, ROW_Q, apart],
    ] as const) {
      w.get(to);
      for (let c = 0; c < 6; c++) {
        w.load(1, motion, c * stride)
          .load(1, pointer, (row + c) * stride)
          .operate(1, 'mul');
        if (c > 0) w.operate(1, 'add');
      }
      w.store(1, offset);
    }
    for (const pointer of [q, column, to]) w.advance(pointer, NUMBER);
  });
  return w.finish();
}

/**
 * A kernel for two columns of rows side by side, as a function of the bytes at which they stand in their rows. `rows`: address
 * of each array, and bytes from row to row.
 */
export function rowKernel(
  formulas: (g: VectorGraph) => void,
  rows: readonly (readonly [at: number, stride: number])[],
  constants: ConstantPool,
): ModuleFunction {
  const graph = new VectorGraph({ wide: true });
  formulas(graph);
  const { functions } = emitFunctions(graph, {
    arrays: rows.map(([offset, stride]) => ({ parameter: 0, offset, stride })),
    parameters: 1,
    functionSize: graph.size,
    onDemand: true,
    constants,
    slotsAt: 0,
    wide: true,
  });
  return functions[0];
}

/** Calls of a kernel for columns two by two; of an odd number the last is computed with what stands beside it. */
export function callRows(calls: B.Bytes, index: number, columns: number): void {
  for (let at = 0; at < columns; at += 2)
    calls
      .byte(B.I32_CONST)
      .signed(NUMBER * at)
      .byte(B.CALL)
      .unsigned(index);
}

/** What every link adds to its subtree. */
export function linkNumbers(links: LinkRowPlaces, resultAt: number, constants: ConstantPool): ModuleFunction {
  const stride = NUMBER * links.stride;
  const rows = [links.given, links.inertia, links.numbers].map((at) => [resultAt + NUMBER * at, stride] as const);
  return rowKernel(linkKernel, rows, constants);
}

/**
 * Loops and kernels, to stand from number `first` of a module's functions on, and the calls of them: `between` motions and sums
 * of the subtrees, and after them.
 */
export function derivativeLoops(
  columns: DerivativeColumns,
  resultAt: number,
  first: number,
  constants: ConstantPool,
): Loops {
  const { order, beyond, joints, inverse, motions, subtrees, forces, links } = columns;
  const { nv, degrees } = order;
  const [stride, rowBytes, apart] = [NUMBER * columns.stride, NUMBER * nv, NUMBER * nv * nv];
  const calls = new B.Bytes();
  const call = (index: number, ...values: readonly number[]): void => {
    for (const value of values) calls.byte(B.I32_CONST).signed(value);
    calls.byte(B.CALL).unsigned(first + index);
  };
  const at = (number: number): number => resultAt + NUMBER * number;
  const entry = (matrix: number, row: number, column: number): number => at(matrix + nv * row + column);
  const between = new B.Bytes();
  callRows(between, first, links.count);
  callRows(calls, first + 1, nv);
  for (const { from, end, atOnce } of joints)
    for (let k = from; k < end; k++) {
      /** `row`: of the forces for positions. */
      const inside = (row: number, begin: number, last: number): void => {
        const [column, to] = [at(forces + begin), entry(inverse, k, begin)];
        if (begin < last) call(2, at(motions + k), column + stride * row, column, to, last - begin);
      };
      // What a displacement of l carries along does not change the components along k, where k goes with it.
      const still = atOnce ? end : k + 1;
      inside(ROW_STILL, from, still);
      inside(0, still, end);
    }
  for (let k = 0; k < nv; k++) {
    const j = beyond[k];
    const { end } = degrees[k];
    if (j < end) call(3, at(motions + k), at(forces + j), entry(inverse, k, j), entry(inverse, j, k), end - j);
  }
  const columnForces = rowKernel(
    columnKernel,
    [motions, subtrees, forces].map((row) => [at(row), stride] as const),
    constants,
  );
  return {
    functions: [
      linkNumbers(links, resultAt, constants),
      columnForces,
      within(stride, apart),
      pairs(stride, rowBytes, apart),
    ],
    between,
    calls,
  };
}
