// A call of compiled code and, in the same call, whether its numbers can be trusted: the sum of the squares of all positions,
// and of zero times each number of the result, which is not a number where one of those is not finite. JavaScript reads one
// number afterwards; to look at every number itself would cost it a tenth of a small inverse dynamics.

import * as B from '../../emit/bytes.js';
import { encodeModule } from '../../emit/module.js';
import { LARGEST_ANGLE } from '../plain/large-angles.js';
import { LINE } from './layout.js';

/** The status is not above it where no angle is too large for the formulas and all of the result is finite. */
export const TRUSTED = LARGEST_ANGLE * LARGEST_ANGLE;

export interface Guard {
  /** Arguments of the imported function `code`. */
  readonly call: readonly number[];
  /** Address and count of the positions, and of the numbers that must be finite. Arrays fill whole cache lines, with zeros. */
  readonly positions: readonly [number, number];
  readonly result: readonly [number, number];
  /** Where the sum goes. */
  readonly status: number;
}

const NUMBER = 8;
const VECTOR = 16;
const SUMS = LINE / VECTOR;
const MULTIPLY = 0xf2;
const ADD = 0xf0;
/** Locals: an address, a vector just read, zero, and the sums. */
const [ADDRESS, READ, ZERO, FIRST_SUM] = [0, 1, 2, 3];

/** Imports `code`, exports `run`. */
export function guardModule({ call, positions, result, status }: Guard): Uint8Array<ArrayBuffer> {
  const body = new B.Bytes().bytes(2, 1, B.I32, 2 + SUMS, B.V128);
  for (const argument of call) body.byte(B.I32_CONST).signed(argument);
  body.bytes(B.CALL, 0);
  addUp(body, positions, READ);
  addUp(body, result, ZERO);
  body.byte(B.I32_CONST).signed(status).bytes(B.LOCAL_GET, FIRST_SUM);
  for (let k = 1; k < SUMS; k++) body.bytes(B.LOCAL_GET, FIRST_SUM + k, B.SIMD).unsigned(ADD);
  body.bytes(B.LOCAL_TEE, READ, B.SIMD, B.F64X2_EXTRACT, 0, B.LOCAL_GET, READ, B.SIMD, B.F64X2_EXTRACT, 1);
  body.bytes(B.F64_ADD, B.F64_STORE, 3, 0, B.END);
  return encodeModule({
    imports: [{ name: 'code', parameters: call.length }],
    functions: [{ parameters: 0, body, name: 'run' }],
    memoryBytes: status + NUMBER,
  });
}

/** Adds the products of all numbers with a local, READ being themselves; a cache line at a time. */
function addUp(body: B.Bytes, [at, count]: readonly [number, number], factor: number): void {
  if (count === 0) return;
  const end = at + NUMBER * count;
  body.byte(B.I32_CONST).signed(at).bytes(B.LOCAL_SET, ADDRESS, B.LOOP, B.VOID);
  for (let k = 0; k < SUMS; k++) {
    body.bytes(B.LOCAL_GET, FIRST_SUM + k, B.LOCAL_GET, ADDRESS, B.SIMD, B.V128_LOAD, 3).unsigned(VECTOR * k);
    body.bytes(B.LOCAL_TEE, READ, B.LOCAL_GET, factor, B.SIMD).unsigned(MULTIPLY);
    body
      .byte(B.SIMD)
      .unsigned(ADD)
      .bytes(B.LOCAL_SET, FIRST_SUM + k);
  }
  body.bytes(B.LOCAL_GET, ADDRESS, B.I32_CONST).signed(LINE).bytes(B.I32_ADD, B.LOCAL_TEE, ADDRESS);
  body.byte(B.I32_CONST).signed(end).bytes(B.I32_LT_U, B.BR_IF, 0, B.END);
}
