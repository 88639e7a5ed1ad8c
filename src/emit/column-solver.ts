// H X = -B for many columns at once, by articulated bodies, two columns in the lanes of a vector. With the records of
// formulas/inverse-mass-matrix.ts, in the coordinates of the first link of a tree, a column passes along a chain of links as
//
//   inwards   t = b_k + S_k^T p,  x_k = -t / D_k,  p -= G_k t        outwards   x_k -= G_k^T a,  a += S_k x_k
//
// and stays in registers meanwhile. At the link a chain hangs from, forces of several chains add up. A column of B has entries
// in the rows that are related to it (formulas/derivative-columns.ts); accelerations come to all rows of the tree.

import type { DerivativeColumns } from '../formulas/derivative-columns.js';
import { RECORD, RECORD_D, RECORD_G } from '../formulas/inverse-mass-columns.js';
import * as B from './bytes.js';
import { type Loops, LoopWriter } from './inverse-mass-loops.js';
import type { ModuleFunction } from './module.js';

const NUMBER = 8;
const PAIR = 16;
const COMPONENTS = [0, 1, 2, 3, 4, 5];

/** Columns taken at a time: two vectors, one vector, one number. */
const TILES = [
  { columns: 4, lanes: 2, vectors: 2 },
  { columns: 2, lanes: 2, vectors: 1 },
  { columns: 1, lanes: 1, vectors: 1 },
] as const;
type Tile = (typeof TILES)[number];

/** The six components of each vector of a tile, in locals. */
function sixLocals(w: LoopWriter): { readonly [lanes in 1 | 2]: readonly (readonly number[])[] } {
  const make = (type: number): number[] => COMPONENTS.map(() => w.local(type));
  return { 1: [make(B.F64)], 2: [make(B.V128), make(B.V128)] };
}

/** Adds to what is on the stack, or takes from it, the product of six numbers of the record with six components, in sums that do not wait for each other. */
function addProduct(
  w: LoopWriter,
  lanes: 1 | 2,
  record: number,
  offset: number,
  six: readonly number[],
  add: 'add' | 'sub',
): void {
  const number = (c: number): void => {
    if (lanes === 2) w.splat(record, NUMBER * (offset + c));
    else w.load(1, record, NUMBER * (offset + c));
    w.get(six[c]).operate(lanes, 'mul');
  };
  for (const c of [0, 2, 4]) {
    number(c);
    number(c + 1);
    w.operate(lanes, 'add');
    if (c === 2) w.operate(lanes, 'add');
  }
  w.operate(lanes, 'add').operate(lanes, add);
}

/** Along a chain to its root: `record`, `b` and `x` are those of its last degree of freedom. */
function inwards(stride: number, rowBytes: number): ModuleFunction {
  const [record, degrees, b, x, from, beside, to, columns] = [0, 1, 2, 3, 4, 5, 6, 7];
  const w = new LoopWriter(8);
  const [own, left, row, out] = [B.I32, B.I32, B.I32, B.I32].map((type) => w.local(type));
  const six = sixLocals(w);
  const t = { 1: [w.local(B.F64)], 2: [w.local(B.V128), w.local(B.V128)] };
  const factor = { 1: w.local(B.F64), 2: w.local(B.V128) };
  const pass = ({ lanes, vectors, columns: wide }: Tile): void => {
    const all = six[lanes].slice(0, vectors);
    for (const [v, p] of all.entries())
      for (const c of COMPONENTS) w.load(lanes, from, c * stride + v * PAIR).set(p[c]);
    w.get(record).set(own).get(degrees).set(left).get(b).set(row).get(x).set(out);
    w.repeat(left, () => {
      for (const [v, p] of all.entries()) {
        w.load(lanes, row, v * PAIR);
        addProduct(w, lanes, own, 0, p, 'add');
        w.set(t[lanes][v]);
      }
      for (const [v] of all.entries()) {
        w.get(out).get(t[lanes][v]);
        if (lanes === 2) w.splat(own, NUMBER * RECORD_D);
        else w.load(1, own, NUMBER * RECORD_D);
        w.operate(lanes, 'mul').store(lanes, v * PAIR);
      }
      for (const c of COMPONENTS) {
        if (lanes === 2) w.splat(own, NUMBER * (RECORD_G + c));
        else w.load(1, own, NUMBER * (RECORD_G + c));
        w.set(factor[lanes]);
        for (const [v, p] of all.entries())
          w.get(p[c]).get(factor[lanes]).get(t[lanes][v]).operate(lanes, 'mul').operate(lanes, 'sub').set(p[c]);
      }
      w.advance(own, -NUMBER * RECORD)
        .advance(row, -rowBytes)
        .advance(out, -rowBytes);
    });
    for (const [v, p] of all.entries())
      for (const c of COMPONENTS)
        w.get(to)
          .get(p[c])
          .load(lanes, beside, c * stride + v * PAIR)
          .operate(lanes, 'add')
          .store(lanes, c * stride + v * PAIR);
    for (const pointer of [b, x, from, beside, to]) w.advance(pointer, NUMBER * wide);
  };
  for (const tile of TILES) w.blocks(columns, tile.columns, () => pass(tile));
  return w.finish();
}

/** Along a chain from its root: `record` and `x` are those of its first degree of freedom. `begins`: x is zero so far. */
function outwards(stride: number, rowBytes: number, begins: boolean): ModuleFunction {
  const [record, degrees, x, from, to, columns] = [0, 1, 2, 3, 4, 5];
  const w = new LoopWriter(6);
  const [own, left, out] = [B.I32, B.I32, B.I32].map((type) => w.local(type));
  const six = sixLocals(w);
  const value = { 1: [w.local(B.F64)], 2: [w.local(B.V128), w.local(B.V128)] };
  const factor = { 1: w.local(B.F64), 2: w.local(B.V128) };
  const pass = ({ lanes, vectors, columns: wide }: Tile): void => {
    const all = six[lanes].slice(0, vectors);
    for (const [v, a] of all.entries())
      for (const c of COMPONENTS) w.load(lanes, from, c * stride + v * PAIR).set(a[c]);
    w.get(record).set(own).get(degrees).set(left).get(x).set(out);
    w.repeat(left, () => {
      for (const [v, a] of all.entries()) {
        if (begins) w.zero(lanes);
        else w.load(lanes, out, v * PAIR);
        addProduct(w, lanes, own, RECORD_G, a, 'sub');
        w.set(value[lanes][v]);
      }
      for (const [v] of all.entries())
        w.get(out)
          .get(value[lanes][v])
          .store(lanes, v * PAIR);
      for (const c of COMPONENTS) {
        if (lanes === 2) w.splat(own, NUMBER * c);
        else w.load(1, own, NUMBER * c);
        w.set(factor[lanes]);
        for (const [v, a] of all.entries())
          w.get(a[c]).get(factor[lanes]).get(value[lanes][v]).operate(lanes, 'mul').operate(lanes, 'add').set(a[c]);
      }
      w.advance(own, NUMBER * RECORD).advance(out, rowBytes);
    });
    for (const [v, a] of all.entries())
      for (const c of COMPONENTS)
        w.get(to)
          .get(a[c])
          .store(lanes, c * stride + v * PAIR);
    for (const pointer of [x, from, to]) w.advance(pointer, NUMBER * wide);
  };
  for (const tile of TILES) w.blocks(columns, tile.columns, () => pass(tile));
  return w.finish();
}

type Range = readonly [from: number, end: number];

/** Multiplications of both matrices, this way and by products with H^-1. */
export function solvingIsShorter({ chains, order }: DerivativeColumns): boolean {
  const related = chains.reduce(
    (sum, { from, end, runs }) => sum + (end - from) * runs.reduce((rows, [start, stop]) => rows + stop - start, 0),
    0,
  );
  const { nv } = order;
  // Columns wait for the numbers of the link before: measured, a multiplication takes twice as long.
  return 2 * 12 * (related + nv * nv) < nv * related;
}

/** X and B: addresses of matrices, nv x nv; functions from number `first` on. */
export function columnSolver(
  { chains, order, ends }: DerivativeColumns,
  resultAt: number,
  matrices: readonly { readonly X: number; readonly B: number }[],
  first: number,
): Loops {
  const { nv, degrees, records, stride: numbers } = order;
  const [stride, rowBytes] = [NUMBER * numbers, NUMBER * nv];
  const calls = new B.Bytes();
  const call = (index: number, ...values: readonly number[]): void => {
    for (const value of values) calls.byte(B.I32_CONST).signed(value);
    calls.byte(B.CALL).unsigned(first + index);
  };
  const at = (number: number): number => resultAt + NUMBER * number;
  const record = (k: number): number => at(records + RECORD * k);
  // Zeros that are never written, then what nobody reads, then the ends of the chains.
  const buffer = (index: number): number => at(ends + index * 6 * numbers);
  const [zeros, nobody] = [buffer(0), buffer(1)];
  const endOf = (chain: number): number => buffer(2 + chain);
  const hasLimbs = new Set(chains.map(({ parent }) => parent));
  const subtree = chains.map(({ from }) => degrees[from].end);
  const above = chains.map(({ parent }): Range[] => {
    const list: Range[] = [];
    for (let m = parent; m >= 0; m = chains[m].parent) list.unshift([chains[m].from, chains[m].end]);
    return list;
  });
  for (const { X, B: given } of matrices) {
    const visited = new Set<number>();
    for (let m = chains.length - 1; m >= 0; m--) {
      const { from, end, parent } = chains[m];
      const [p, to] = [hasLimbs.has(m) ? endOf(m) : zeros, parent < 0 ? nobody : endOf(parent)];
      const inward = ([start, stop]: Range, beside: number): void =>
        call(
          0,
          record(end - 1),
          end - from,
          given + NUMBER * (nv * (end - 1) + start),
          X + NUMBER * (nv * (end - 1) + start),
          p + NUMBER * start,
          beside + NUMBER * start,
          to + NUMBER * start,
          stop - start,
        );
      inward([from, subtree[m]], zeros);
      // Columns of links before it have forces from all limbs of a link.
      for (const range of above[m]) inward(range, visited.has(parent) && parent >= 0 ? to : zeros);
      visited.add(parent);
    }
    for (const [m, { from, end, parent }] of chains.entries()) {
      const root = above[m][0]?.[0] ?? from;
      const outward = (related: boolean, start: number, stop: number): void => {
        if (start < stop)
          call(
            related ? 1 : 2,
            record(from),
            end - from,
            X + NUMBER * (nv * from + start),
            (parent < 0 ? zeros : endOf(parent)) + NUMBER * start,
            (hasLimbs.has(m) ? endOf(m) : nobody) + NUMBER * start,
            stop - start,
          );
      };
      let done = root;
      for (const [start, stop] of [...above[m], [from, subtree[m]] as const]) {
        outward(false, done, start);
        outward(true, start, stop);
        done = stop;
      }
      outward(false, done, degrees[root].end);
    }
  }
  return {
    functions: [inwards(stride, rowBytes), outwards(stride, rowBytes, false), outwards(stride, rowBytes, true)],
    calls,
  };
}
