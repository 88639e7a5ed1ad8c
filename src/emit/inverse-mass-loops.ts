// The steps that columns of the inverse of the mass matrix take (formulas/inverse-mass-matrix.ts), two columns in the lanes of
// a vector: three loops for all mechanisms, and the calls of them for one.

import { type InverseMassColumns, RECORD, RECORD_D, RECORD_G } from '../formulas/inverse-mass-columns.js';
import * as B from './bytes.js';
import type { ModuleFunction } from './module.js';

const NUMBER = 8;
const PAIR = 16;
const SCALAR = { add: 0xa0, sub: 0xa1, mul: 0xa2, neg: 0x9a };
const VECTOR = { add: 0xf0, sub: 0xf1, mul: 0xf2, neg: 0xed };
const SHUFFLE = 0x0d;
const I32_EQZ = 0x45;
const COMPONENTS = [0, 1, 2, 3, 4, 5];
/** Both first lanes, both second lanes, as bytes of a shuffle. */
const FIRST_LANES = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
const SECOND_LANES = FIRST_LANES.map((byte) => byte + NUMBER);

/** A function in the making: operations on numbers (one lane) or pairs. */
export class LoopWriter {
  readonly code = new B.Bytes();
  readonly #parameters: number;
  readonly #types: number[] = [];

  constructor(parameters: number) {
    this.#parameters = parameters;
  }

  local(type: number): number {
    return this.#parameters + this.#types.push(type) - 1;
  }

  get(local: number): this {
    this.code.byte(B.LOCAL_GET).unsigned(local);
    return this;
  }

  set(local: number): this {
    this.code.byte(B.LOCAL_SET).unsigned(local);
    return this;
  }

  load(lanes: 1 | 2, pointer: number, offset: number): this {
    this.get(pointer);
    return this.#memory(lanes === 2 ? [B.SIMD, B.V128_LOAD] : [B.F64_LOAD], offset);
  }

  splat(pointer: number, offset: number): this {
    this.get(pointer);
    return this.#memory([B.SIMD, B.V128_LOAD64_SPLAT], offset);
  }

  /** The pointer must lie below the value. */
  store(lanes: 1 | 2, offset: number): this {
    return this.#memory(lanes === 2 ? [B.SIMD, B.V128_STORE] : [B.F64_STORE], offset);
  }

  /** The two lanes of a local (its number where there is one lane) to two places. */
  storeApart(lanes: 1 | 2, pointer: number, distance: number, value: number, offset = 0): this {
    if (lanes === 1) return this.get(pointer).get(value).store(1, offset);
    for (const lane of [0, 1]) {
      this.get(pointer)
        .get(value)
        .#memory([B.SIMD, B.V128_STORE64_LANE], offset + lane * distance);
      this.code.byte(lane);
    }
    return this;
  }

  operate(lanes: 1 | 2, operation: keyof typeof SCALAR): this {
    if (lanes === 1) this.code.byte(SCALAR[operation]);
    else this.code.byte(B.SIMD).unsigned(VECTOR[operation]);
    return this;
  }

  shuffle(bytes: readonly number[]): this {
    this.code
      .byte(B.SIMD)
      .unsigned(SHUFFLE)
      .bytes(...bytes);
    return this;
  }

  extract(): this {
    this.code.byte(B.SIMD).unsigned(B.F64X2_EXTRACT).byte(0);
    return this;
  }

  zero(lanes: 1 | 2): this {
    if (lanes === 1) this.code.byte(B.F64_CONST).bytes(0, 0, 0, 0, 0, 0, 0, 0);
    else
      this.code
        .byte(B.SIMD)
        .unsigned(B.V128_CONST)
        .bytes(...new Array<number>(16).fill(0));
    return this;
  }

  advance(pointer: number, bytes: number): this {
    this.get(pointer).code.byte(B.I32_CONST).signed(bytes).byte(B.I32_ADD);
    return this.set(pointer);
  }

  /** `step` while two are left, `last` for one that is left over. `count` goes down to zero. */
  twoByTwo(count: number, step: () => void, last: () => void): void {
    const atLeastTwo = (): void => {
      this.code.byte(B.I32_CONST).signed(1);
      this.get(count).code.byte(B.I32_LT_U);
    };
    this.code.bytes(B.BLOCK, B.VOID);
    atLeastTwo();
    this.code.bytes(I32_EQZ, B.BR_IF, 0, B.LOOP, B.VOID);
    step();
    this.advance(count, -2);
    atLeastTwo();
    this.code.bytes(B.BR_IF, 0, B.END, B.END);
    this.code.bytes(B.BLOCK, B.VOID);
    this.get(count).code.bytes(I32_EQZ, B.BR_IF, 0);
    last();
    this.code.byte(B.END);
  }

  /** `step` while at least `size` are left; `count` goes down by that much each time. */
  blocks(count: number, size: number, step: () => void): void {
    const enough = (): void => {
      this.code.byte(B.I32_CONST).signed(size - 1);
      this.get(count).code.byte(B.I32_LT_U);
    };
    this.code.bytes(B.BLOCK, B.VOID);
    enough();
    this.code.bytes(I32_EQZ, B.BR_IF, 0, B.LOOP, B.VOID);
    step();
    this.advance(count, -size);
    enough();
    this.code.bytes(B.BR_IF, 0, B.END, B.END);
  }

  /** `step` as often as `count` says, at least once. `count` goes down to zero. */
  repeat(count: number, step: () => void): void {
    this.code.bytes(B.LOOP, B.VOID);
    step();
    this.advance(count, -1).get(count);
    this.code.bytes(B.BR_IF, 0, B.END);
  }

  finish(): ModuleFunction {
    const body = new B.Bytes().unsigned(this.#types.length);
    for (const type of this.#types) body.unsigned(1).byte(type);
    return { parameters: this.#parameters, body: body.append(this.code).byte(B.END) };
  }

  #memory(opcode: readonly number[], offset: number): this {
    this.code.bytes(...opcode);
    this.code.unsigned(3).unsigned(offset);
    return this;
  }
}

/** Twelve numbers of a record, splatted once for all columns, and read as they are for a last one. */
export function recordOf(w: LoopWriter, record: number): (lanes: 1 | 2, k: number) => void {
  const locals = Array.from({ length: RECORD_D + 1 }, (_, k) => {
    const local = w.local(B.V128);
    w.splat(record, NUMBER * k).set(local);
    return local;
  });
  return (lanes, k) => {
    if (lanes === 2) w.get(locals[k]);
    else w.load(1, record, NUMBER * k);
  };
}

/** x_kj = -t / D_k, p_j -= G_k t with t = S_k^T p_j. */
function inwards(stride: number): ModuleFunction {
  const [record, from, to, row, count] = [0, 1, 2, 3, 4];
  const w = new LoopWriter(5);
  const number = recordOf(w, record);
  const totals = { 1: w.local(B.F64), 2: w.local(B.V128) };
  const step = (lanes: 1 | 2): void => {
    for (const c of COMPONENTS) {
      number(lanes, c);
      w.load(lanes, from, c * stride).operate(lanes, 'mul');
      if (c > 0) w.operate(lanes, 'add');
    }
    w.set(totals[lanes]).get(row).get(totals[lanes]);
    number(lanes, RECORD_D);
    w.operate(lanes, 'mul').store(lanes, 0);
    for (const c of COMPONENTS) {
      w.get(to).load(lanes, from, c * stride);
      number(lanes, RECORD_G + c);
      w.get(totals[lanes])
        .operate(lanes, 'mul')
        .operate(lanes, 'sub')
        .store(lanes, c * stride);
    }
  };
  w.twoByTwo(
    count,
    () => {
      step(2);
      w.advance(from, PAIR).advance(to, PAIR).advance(row, PAIR);
    },
    () => step(1),
  );
  return w.finish();
}

/** x_kj -= G_k^T a_j, a_j += S_k x_kj, and the mirror image of the row. */
function outwards(stride: number, rowBytes: number): ModuleFunction {
  const [record, from, to, row, mirror, count] = [0, 1, 2, 3, 4, 5];
  const w = new LoopWriter(6);
  const number = recordOf(w, record);
  const values = { 1: w.local(B.F64), 2: w.local(B.V128) };
  const step = (lanes: 1 | 2): void => {
    w.load(lanes, row, 0);
    for (const c of COMPONENTS) {
      number(lanes, RECORD_G + c);
      w.load(lanes, from, c * stride)
        .operate(lanes, 'mul')
        .operate(lanes, 'sub');
    }
    w.set(values[lanes]).get(row).get(values[lanes]).store(lanes, 0);
    w.storeApart(lanes, mirror, rowBytes, values[lanes]);
    for (const c of COMPONENTS) {
      w.get(to).load(lanes, from, c * stride);
      number(lanes, c);
      w.get(values[lanes])
        .operate(lanes, 'mul')
        .operate(lanes, 'add')
        .store(lanes, c * stride);
    }
  };
  w.twoByTwo(
    count,
    () => {
      step(2);
      w.advance(from, PAIR)
        .advance(to, PAIR)
        .advance(row, PAIR)
        .advance(mirror, 2 * rowBytes);
    },
    () => step(1),
  );
  return w.finish();
}

/** x_kj = -p_k^T a_j for all k of one limb and all j of the limbs behind it, and the mirror image. */
function between(stride: number, rowBytes: number): ModuleFunction {
  const [forces, accelerations, row, mirror, rows, columns] = [0, 1, 2, 3, 4, 5];
  const w = new LoopWriter(6);
  const [a, to, back, left] = [B.I32, B.I32, B.I32, B.I32].map((type) => w.local(type));
  const p = [0, 1].map(() => COMPONENTS.map(() => w.local(B.V128)));
  const x = { 1: [w.local(B.F64), w.local(B.F64)], 2: [w.local(B.V128), w.local(B.V128)] };
  const component = { 1: w.local(B.F64), 2: w.local(B.V128) };
  const tile = (lanes: 1 | 2, count: 1 | 2): void => {
    const own = [0, 1].slice(0, count);
    for (const c of COMPONENTS) {
      w.load(lanes, a, c * stride).set(component[lanes]);
      for (const k of own) {
        if (c > 0) w.get(x[lanes][k]);
        w.get(p[k][c]);
        if (lanes === 1) w.extract();
        w.get(component[lanes]).operate(lanes, 'mul');
        if (c > 0) w.operate(lanes, 'add');
        w.set(x[lanes][k]);
      }
    }
    for (const k of own)
      w.get(to)
        .get(x[lanes][k])
        .store(lanes, k * rowBytes);
    if (count === 1) w.storeApart(lanes, back, rowBytes, x[lanes][0]);
    else if (lanes === 1) {
      for (const k of own)
        w.get(back)
          .get(x[1][k])
          .store(1, k * NUMBER);
    } else
      for (const [k, bytes] of [FIRST_LANES, SECOND_LANES].entries())
        w.get(back)
          .get(x[2][0])
          .get(x[2][1])
          .shuffle(bytes)
          .store(2, k * rowBytes);
  };
  const allColumns = (count: 1 | 2): void => {
    for (let k = 0; k < count; k++)
      for (const c of COMPONENTS)
        w.splat(forces, c * stride + k * NUMBER)
          .operate(2, 'neg')
          .set(p[k][c]);
    w.get(accelerations).set(a).get(row).set(to).get(mirror).set(back).get(columns).set(left);
    w.twoByTwo(
      left,
      () => {
        tile(2, count);
        w.advance(a, PAIR)
          .advance(to, PAIR)
          .advance(back, 2 * rowBytes);
      },
      () => tile(1, count),
    );
  };
  w.twoByTwo(
    rows,
    () => {
      allColumns(2);
      w.advance(forces, PAIR)
        .advance(row, 2 * rowBytes)
        .advance(mirror, PAIR);
    },
    () => allColumns(1),
  );
  return w.finish();
}

export interface Loops {
  readonly functions: readonly ModuleFunction[];
  /** Calls after the formulas, and between their phases where there are two. */
  readonly calls: B.Bytes;
  readonly between?: B.Bytes;
}

/** Another way inwards, with more parameters for degree of freedom k and the columns from j on. */
export interface InwardLoop {
  readonly inwards: ModuleFunction;
  readonly more: (k: number, j: number) => readonly number[];
}

/** The loops, to stand from number `first` of a module's functions on, and the calls of them, once the records are written. */
export function inverseMassLoops(
  { nv, degrees, branches, records, stride: numbers }: InverseMassColumns,
  resultAt: number,
  first: number,
  way?: InwardLoop,
): Loops {
  const stride = NUMBER * numbers;
  const rowBytes = NUMBER * nv;
  const calls = new B.Bytes();
  const call = (index: number, ...values: readonly number[]): void => {
    for (const value of values) calls.byte(B.I32_CONST).signed(value);
    calls.byte(B.CALL).unsigned(first + index);
  };
  const at = (number: number): number => resultAt + NUMBER * number;
  const record = (k: number): number => at(records + RECORD * k);
  for (let k = nv - 1; k >= 0; k--) {
    const { end, forcesFrom, forcesTo } = degrees[k];
    const j = k + 1;
    if (j < end)
      call(0, record(k), at(forcesFrom + j), at(forcesTo + j), at(nv * k + j), end - j, ...(way?.more(k, j) ?? []));
  }
  for (let k = 0; k < nv; k++) {
    const { end, accelerationsFrom, accelerationsTo } = degrees[k];
    const [from, to] = [at(accelerationsFrom + k), at(accelerationsTo + k)];
    call(1, record(k), from, to, at(nv * k + k), at(nv * k + k), end - k);
    for (const { after, forces, accelerations, starts } of branches) {
      if (after !== k) continue;
      const last = starts.at(-1)!;
      for (let limb = 0; limb + 2 < starts.length; limb++) {
        const [r, c] = [starts[limb], starts[limb + 1]];
        call(2, at(forces + r), at(accelerations + c), at(nv * r + c), at(nv * c + r), c - r, last - c);
      }
    }
  }
  return { functions: [way?.inwards ?? inwards(stride), outwards(stride, rowBytes), between(stride, rowBytes)], calls };
}

/**
 * The mass matrix from its columns (formulas/mass-matrix-columns.ts): H_kj = S_k^T F_j, two degrees of freedom of a chain at a
 * time.
 */
export function massMatrixLoops(
  { nv, degrees, stride: numbers }: InverseMassColumns,
  resultAt: number,
  matrixAt: number,
  first: number,
): Loops {
  const stride = NUMBER * numbers;
  const rowBytes = NUMBER * nv;
  const calls = new B.Bytes();
  const call = (row: number, column: number, rows: number, columns: number): void => {
    if (columns === 0) return;
    const places = [
      resultAt + NUMBER * row,
      resultAt + 6 * stride + NUMBER * column,
      matrixAt + NUMBER * (nv * row + column),
      matrixAt + NUMBER * (nv * column + row),
    ];
    for (const value of [...places, rows, columns]) calls.byte(B.I32_CONST).signed(value);
    calls.byte(B.CALL).unsigned(first);
  };
  for (let k = 0; k < nv; k++) {
    const { end } = degrees[k];
    if (k + 1 < end && chained(degrees, k)) {
      call(k, k + 1, 1, 1);
      call(k, k + 2, 2, end - k - 2);
      k++;
    } else call(k, k + 1, 1, end - k - 1);
  }
  return { functions: [between(stride, rowBytes)], calls };
}

/** Whether the next degree of freedom is on the same chain: it moves on from where this one arrives. */
const chained = (degrees: InverseMassColumns['degrees'], k: number): boolean =>
  degrees[k + 1].accelerationsTo === degrees[k].accelerationsTo;
