// The products that derivatives of forward dynamics consist of (formulas/forward-derivatives.ts), two columns of H^-1 in the lanes
// of a vector. On their way inwards the columns beyond a degree of freedom j leave
//
//   y_ij = p^T Psi2_j + rho^T Psi1_j,   for v  p^T (Psi1_j + dS_j/dt) + rho^T S_j
//
// and once H^-1 is complete all columns go outwards along each chain:  a += S_j x_j,  d qdd_i = -r_j^T a - y_ij.

import { ROW_PSI1, ROW_PSI2, ROW_SUM } from '../formulas/derivative-columns.js';
import {
  type ForwardDerivativeColumns,
  ROW_CARRIED,
  ROW_R_DQ,
  ROW_R_DV,
  ROW_ZETA,
} from '../formulas/forward-derivative-columns.js';
import { forwardColumnKernel } from '../formulas/forward-derivatives.js';
import { chainsOf, RECORD, RECORD_D, RECORD_G } from '../formulas/inverse-mass-columns.js';
import * as B from './bytes.js';
import { callRows, linkNumbers, rowKernel } from './derivative-loops.js';
import { inverseMassLoops, type Loops, LoopWriter } from './inverse-mass-loops.js';
import type { ModuleFunction } from './module.js';
import type { ConstantPool } from './wasm.js';

const NUMBER = 8;
const PAIR = 16;
const COMPONENTS = [0, 1, 2, 3, 4, 5];

/** Columns taken at a time: two vectors, one vector, one number. */
const TILES = [
  { columns: 4, lanes: 2, vectors: 2 },
  { columns: 2, lanes: 2, vectors: 1 },
  { columns: 1, lanes: 1, vectors: 1 },
] as const;

/** Inwards as in inverse-mass-loops.ts, with rho and y. `apart`: bytes from y for q to y for v. */
function inwards(stride: number, apart: number): ModuleFunction {
  const [record, from, to, row, count, more, y] = [0, 1, 2, 3, 4, 5, 6];
  const w = new LoopWriter(7);
  const arrived = (type: number): number[] => Array.from({ length: 9 }, () => w.local(type));
  const forces = { 1: [arrived(B.F64)], 2: [arrived(B.V128), arrived(B.V128)] };
  const totals = { 1: [w.local(B.F64)], 2: [w.local(B.V128), w.local(B.V128)] };
  const factor = { 1: w.local(B.F64), 2: w.local(B.V128) };
  /** Numbers of a record, or of rows, and the components of forces that they are multiplied with. */
  type Terms = readonly (readonly [pointer: number, k: number, components: readonly number[]])[];
  const RHO = [6, 7, 8];
  const step = ({ lanes, vectors }: (typeof TILES)[number]): void => {
    const p = forces[lanes].slice(0, vectors);
    const t = totals[lanes];
    const number = (pointer: number, k: number): void => {
      const offset = k * (pointer === more ? stride : NUMBER);
      if (lanes === 2) w.splat(pointer, offset);
      else w.load(1, pointer, offset);
      w.set(factor[lanes]);
    };
    /** Each number is read once for all vectors. */
    const product = (...terms: Terms): void => {
      let first = true;
      for (const [pointer, k, components] of terms)
        for (const [at, c] of components.entries()) {
          number(pointer, k + at);
          for (const [v, six] of p.entries()) {
            if (!first) w.get(t[v]);
            w.get(six[c]).get(factor[lanes]).operate(lanes, 'mul');
            if (!first) w.operate(lanes, 'add');
            w.set(t[v]);
          }
          first = false;
        }
    };
    const write = (pointer: number, offset: number): void => {
      for (const v of p.keys())
        w.get(pointer)
          .get(t[v])
          .store(lanes, offset + v * PAIR);
    };
    for (const [v, six] of p.entries())
      for (const [c, local] of six.entries()) w.load(lanes, from, c * stride + v * PAIR).set(local);
    product([more, ROW_PSI2, COMPONENTS], [more, ROW_PSI1, RHO]);
    write(y, 0);
    product([more, ROW_SUM, COMPONENTS], [record, 0, RHO]);
    write(y, apart);
    product([record, 0, COMPONENTS]);
    number(record, RECORD_D);
    for (const v of p.keys())
      w.get(row)
        .get(t[v])
        .get(factor[lanes])
        .operate(lanes, 'mul')
        .store(lanes, v * PAIR);
    const pass = (pointer: number, k: number, c: number): void => {
      number(pointer, k);
      for (const [v, six] of p.entries())
        w.get(to)
          .get(six[c])
          .get(factor[lanes])
          .get(t[v])
          .operate(lanes, 'mul')
          .operate(lanes, 'sub')
          .store(lanes, c * stride + v * PAIR);
    };
    for (const c of COMPONENTS) pass(record, RECORD_G + c, c);
    for (const [k, c] of RHO.entries()) pass(more, ROW_ZETA + k, c);
  };
  for (const tile of TILES)
    w.blocks(count, tile.columns, () => {
      step(tile);
      for (const pointer of [from, to, row, y]) w.advance(pointer, NUMBER * tile.columns);
    });
  return w.finish();
}

/** y -= kappa x: what a degree of freedom carries along is not felt by those before it that it carries, too. */
function subtractCarried(): ModuleFunction {
  const [factor, x, y, count] = [0, 1, 2, 3];
  const w = new LoopWriter(4);
  const step = (lanes: 1 | 2): void => {
    w.get(y).load(lanes, y, 0);
    if (lanes === 2) w.splat(factor, 0);
    else w.load(1, factor, 0);
    w.load(lanes, x, 0).operate(lanes, 'mul').operate(lanes, 'sub').store(lanes, 0);
  };
  w.twoByTwo(
    count,
    () => {
      step(2);
      w.advance(x, PAIR).advance(y, PAIR);
    },
    () => step(1),
  );
  return w.finish();
}

/** Outwards along a chain: `record`, `more`, `x` (a row of H^-1), `y` and `out` (a column) are those of its first degree of freedom. */
function outwards(stride: number, rowBytes: number, apart: number): ModuleFunction {
  const [record, more, degrees, x, y, out, from, to, columns] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const w = new LoopWriter(9);
  const [own, numbers, left, row, beyond, column] = Array.from({ length: 6 }, () => w.local(B.I32));
  const six = (type: number): number[] => COMPONENTS.map(() => w.local(type));
  const motions = { 1: [six(B.F64)], 2: [six(B.V128), six(B.V128)] };
  const sums = { 1: [w.local(B.F64)], 2: [w.local(B.V128), w.local(B.V128)] };
  const factor = { 1: w.local(B.F64), 2: w.local(B.V128) };
  const pass = ({ lanes, vectors, columns: wide }: (typeof TILES)[number]): void => {
    const all = motions[lanes].slice(0, vectors);
    const sum = sums[lanes];
    const number = (pointer: number, k: number): void => {
      const offset = k * (pointer === numbers ? stride : NUMBER);
      if (lanes === 2) w.splat(pointer, offset);
      else w.load(1, pointer, offset);
      w.set(factor[lanes]);
    };
    for (const [v, a] of all.entries())
      for (const c of COMPONENTS) w.load(lanes, from, c * stride + v * PAIR).set(a[c]);
    w.get(record).set(own).get(more).set(numbers).get(degrees).set(left);
    w.get(x).set(row).get(y).set(beyond).get(out).set(column);
    w.repeat(left, () => {
      for (const v of all.keys()) w.load(lanes, row, v * PAIR).set(sum[v]);
      for (const c of COMPONENTS) {
        number(own, c);
        for (const [v, a] of all.entries())
          w.get(a[c]).get(factor[lanes]).get(sum[v]).operate(lanes, 'mul').operate(lanes, 'add').set(a[c]);
      }
      for (const [at, matrix] of [
        [ROW_R_DQ, 0],
        [ROW_R_DV, apart],
      ] as const) {
        for (const c of COMPONENTS) {
          number(numbers, at + c);
          for (const [v, a] of all.entries()) {
            if (c > 0) w.get(sum[v]);
            w.get(a[c]).get(factor[lanes]).operate(lanes, 'mul');
            if (c > 0) w.operate(lanes, 'add');
            w.set(sum[v]);
          }
        }
        for (const v of all.keys()) {
          w.get(sum[v])
            .load(lanes, beyond, matrix + v * PAIR)
            .operate(lanes, 'sub')
            .set(sum[v]);
          w.storeApart(lanes, column, rowBytes, sum[v], matrix + 2 * v * rowBytes);
        }
      }
      w.advance(own, NUMBER * RECORD).advance(numbers, NUMBER);
      w.advance(row, rowBytes).advance(beyond, rowBytes).advance(column, NUMBER);
    });
    for (const [v, a] of all.entries())
      for (const c of COMPONENTS)
        w.get(to)
          .get(a[c])
          .store(lanes, c * stride + v * PAIR);
    for (const pointer of [x, y, from, to]) w.advance(pointer, NUMBER * wide);
    w.advance(out, rowBytes * wide);
  };
  for (const tile of TILES) w.blocks(columns, tile.columns, () => pass(tile));
  return w.finish();
}

/**
 * Loops and kernels, to stand from number `first` of a module's functions on, and the calls of them: `between` motions and
 * articulated inertias, and after them.
 */
export function forwardDerivativeLoops(
  { order, result, beyond, rows, articulated, links, carried }: ForwardDerivativeColumns,
  resultAt: number,
  first: number,
  constants: ConstantPool,
): Loops {
  const { nv, degrees, stride: numbers } = order;
  const [stride, rowBytes, apart] = [NUMBER * numbers, NUMBER * nv, NUMBER * nv * nv];
  const at = (number: number): number => resultAt + NUMBER * number;
  const record = (k: number): number => at(order.records + RECORD * k);
  const more = (k: number): number => at(rows + k);
  const mass = inverseMassLoops(order, resultAt, first, {
    inwards: inwards(stride, apart),
    more: (k, j) => [more(k), at(beyond + nv * k + j)],
  });
  const calls = new B.Bytes();
  const call = (index: number, ...values: readonly number[]): void => {
    for (const value of values) calls.byte(B.I32_CONST).signed(value);
    calls.byte(B.CALL).unsigned(first + mass.functions.length + index);
  };
  const chains = chainsOf(order);
  const rootOf = (k: number): number => chains.find(({ from, subtree }) => k >= from && k < subtree)!.from;
  // What was subtracted there by the call before is gone.
  for (const { by } of carried) {
    const [start, end] = [rootOf(by), degrees[rootOf(by)].end];
    for (const [a, b] of [
      [start, by + 1],
      [degrees[by].end, end],
    ])
      if (a < b) clear(calls, at(beyond + nv * by + a), NUMBER * (b - a));
  }
  const kernels = first + mass.functions.length + 2;
  const between = new B.Bytes();
  callRows(between, kernels, links.count);
  callRows(calls, kernels + 1, nv);
  calls.append(mass.calls);
  for (const { by, before } of carried)
    for (const [m, k] of before.entries()) {
      const [start, end] = [rootOf(by), degrees[rootOf(by)].end];
      call(0, more(by) + stride * (ROW_CARRIED + m), at(nv * k + start), at(beyond + nv * by + start), end - start);
    }
  for (const { from, end } of chains) {
    const start = rootOf(from);
    call(
      1,
      record(from),
      more(from),
      end - from,
      at(nv * from + start),
      at(beyond + nv * from + start),
      at(result + nv * start + from),
      at(degrees[from].accelerationsFrom + start),
      at(degrees[end - 1].accelerationsTo + start),
      degrees[start].end - start,
    );
  }
  const columns = rowKernel(
    forwardColumnKernel,
    [rows, articulated].map((row) => [at(row), stride] as const),
    constants,
  );
  return {
    functions: [
      ...mass.functions,
      subtractCarried(),
      outwards(stride, rowBytes, apart),
      linkNumbers(links, resultAt, constants),
      columns,
    ],
    between,
    calls,
  };
}

/** memory.fill with zeros. */
function clear(calls: B.Bytes, address: number, bytes: number): void {
  calls.byte(B.I32_CONST).signed(address).byte(B.I32_CONST).signed(0).byte(B.I32_CONST).signed(bytes);
  calls.bytes(0xfc, 0x0b, 0);
}
