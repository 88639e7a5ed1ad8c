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
import {
  accelerateKernel,
  beginKernel,
  eliminateKernel,
  forwardColumnKernel,
  type Onward,
} from '../formulas/forward-derivatives.js';
import { chainsOf, RECORD, RECORD_D, RECORD_G } from '../formulas/inverse-mass-columns.js';
import { VectorGraph } from '../formulas/vectors.js';
import * as B from './bytes.js';
import { callRows, linkNumbers, rowKernel } from './derivative-loops.js';
import { inverseMassLoops, type Loops, LoopWriter } from './inverse-mass-loops.js';
import { limbsOf, outside, pass } from './limb-loops.js';
import type { ModuleFunction } from './module.js';
import { type ArrayPlace, type ConstantPool, emitFunctions } from './wasm.js';

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

/** Where the numbers begin that loops and kernels work on. */
export interface DerivativePlaces {
  readonly result: number;
  readonly tau: number;
  readonly qdd: number;
}

/** A kernel for one degree of freedom, as a function of addresses: in which parameter each array has its own. */
function numberKernel(
  formulas: (g: VectorGraph) => void,
  arrays: readonly ArrayPlace[],
  constants: ConstantPool,
): ModuleFunction {
  const graph = new VectorGraph();
  formulas(graph);
  const parameters = 1 + Math.max(...arrays.map(({ parameter }) => parameter));
  const { functions } = emitFunctions(graph, {
    arrays,
    parameters,
    functionSize: graph.size,
    onDemand: true,
    constants,
    slotsAt: 0,
  });
  return functions[0];
}

/** Kernels that eliminate the degrees of freedom and find the accelerations, one after the other, and the calls of them. */
function eliminationKernels(
  { order, rows, articulated, links, joints, known }: ForwardDerivativeColumns,
  { result, tau, qdd }: DerivativePlaces,
  first: number,
  constants: ConstantPool,
): Loops {
  const at = (number: number): number => result + NUMBER * number;
  const stride = NUMBER * order.stride;
  const functions: ModuleFunction[] = [];
  const numbers = new Map<string, number>();
  const calls = new B.Bytes();
  const call = (name: string, make: () => ModuleFunction, ...values: readonly number[]): void => {
    if (!numbers.has(name)) numbers.set(name, functions.push(make()) - 1);
    for (const value of values) calls.byte(B.I32_CONST).signed(value);
    calls.byte(B.CALL).unsigned(first + numbers.get(name)!);
  };
  /** Columns of rows, by the bytes at which they stand in them. */
  const column = (parameter: number, from: number): ArrayPlace => ({ parameter, offset: at(from), stride });
  const line = (parameter: number): ArrayPlace => ({ parameter, offset: 0, stride: NUMBER });
  const byte = (k: number): number => NUMBER * k;
  const record = (k: number): number => at(order.records + RECORD * k);
  const place = (k: number): number => NUMBER * (order.order?.[k] ?? k);
  for (const { link, end } of joints)
    call(
      'begin',
      () =>
        numberKernel(
          beginKernel,
          [{ parameter: 0, offset: at(links.numbers), stride: NUMBER * links.stride }, column(1, articulated)],
          constants,
        ),
      byte(link),
      byte(end - 1),
    );
  for (const { from, end, parent } of joints.toReversed())
    for (let k = end - 1; k >= from; k--) {
      const onward: Onward = k > from ? 'set' : parent < 0 ? 'none' : 'add';
      call(
        onward,
        () =>
          numberKernel(
            (g) => eliminateKernel(g, onward, known),
            [
              column(0, rows),
              column(0, articulated),
              column(1, articulated),
              line(2),
              { parameter: 3, offset: 0, stride },
              line(4),
              line(5),
            ],
            constants,
          ),
        byte(k),
        byte(onward === 'set' ? k - 1 : Math.max(parent, 0)),
        record(k),
        at(order.degrees[k].forcesTo + k),
        at((order.nv + 1) * k),
        tau + place(k),
      );
    }
  if (known) return { functions, calls };
  for (const { from, end, parent, atOnce } of joints)
    for (let k = from; k < end; k++) {
      const before = k > from ? k - 1 : parent;
      const turning = atOnce ? parent : before;
      call(
        `accelerate ${before >= 0} ${turning >= 0}`,
        () =>
          numberKernel(
            (g) => accelerateKernel(g, before >= 0, turning >= 0),
            [column(0, rows), column(0, articulated), column(1, articulated), column(2, articulated), line(3), line(4)],
            constants,
          ),
        byte(k),
        byte(Math.max(before, 0)),
        byte(Math.max(turning, 0)),
        record(k),
        qdd + place(k),
      );
    }
  return { functions, calls };
}

/**
 * Loops and kernels, to stand from number `first` of a module's functions on, and the calls of them: `between` motions and what
 * joints carry along, and after them.
 */
export function forwardDerivativeLoops(
  columns: ForwardDerivativeColumns,
  places: DerivativePlaces,
  first: number,
  constants: ConstantPool,
): Loops {
  const { order, result, beyond, rows, articulated, links, carried } = columns;
  const { nv, degrees, stride: numbers } = order;
  const { result: resultAt } = places;
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
  const elimination = eliminationKernels(columns, places, kernels + 4, constants);
  const between = new B.Bytes();
  callRows(between, kernels, links.count);
  between.append(elimination.calls);
  // Where nothing is carried along the formulas have one phase only.
  if (carried.length === 0) calls.append(between);
  callRows(calls, kernels + 1, nv);
  calls.append(mass.calls);
  for (const { by, before } of carried)
    for (const [m, k] of before.entries()) {
      const [start, end] = [rootOf(by), degrees[rootOf(by)].end];
      call(0, more(by) + stride * (ROW_CARRIED + m), at(nv * k + start), at(beyond + nv * by + start), end - start);
    }
  const limbs = limbsOf(columns);
  for (const { from, end } of chains) {
    // Limbs by themselves; what they are to all others comes below.
    const limb = limbs.find((one) => one.from <= from && from < one.end);
    const start = limb?.from ?? rootOf(from);
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
      (limb?.end ?? degrees[start].end) - start,
    );
  }
  for (const { from, end } of limbs) {
    for (let k = end - 1; k >= from; k--) call(4, record(k), more(k), degrees[k].end - k);
    const start = rootOf(from);
    for (const [first, last] of [
      [start, from],
      [end, degrees[start].end],
    ])
      if (first < last)
        call(
          5,
          at(degrees[from].accelerationsFrom + first),
          more(from),
          at(result + nv * first + from),
          end - from,
          last - first,
        );
  }
  const forces = rowKernel(
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
      forces,
      pass(stride),
      outside(stride, rowBytes, apart),
      ...elimination.functions,
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
