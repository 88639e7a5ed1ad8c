// The module of generic kernels: loops over the rows of the tables, each row handed to the kernel it names. It depends on
// the set of kernels only, not on the mechanism.

import * as B from '../../emit/bytes.js';
import { encodeModule, type ModuleFunction } from '../../emit/module.js';
import { ANGLE_ROW, ROW, VISIT } from '../../formulas/kernel-records.js';
import type { GenericPass } from '../../formulas/kernels.js';
import { angleKernel, type KernelChoice, kernelFunction } from './kernel-store.js';
import { GENERIC_CONSTANT_BYTES, GENERIC_CONSTANTS_AT } from './layout.js';

const INWARDS: ReadonlySet<GenericPass> = new Set(['assemble', 'assembleLoaded', 'inverseIn', 'composite']);

/**
 * Exports run(rows, end, angles, anglesEnd, visits, visitsEnd): addresses of the first row and after the last one.
 * `kernels`: for each pass, in the order of their numbers in the rows.
 */
export function genericModule(
  steps: readonly GenericPass[],
  kernels: readonly (readonly KernelChoice[])[],
): Uint8Array<ArrayBuffer> {
  const functions: ModuleFunction[] = [];
  const add = (made: ModuleFunction): number => functions.push(made) - 1;
  const { made: angles, constants } = angleKernel();
  const angle = add(angles);
  const passes = kernels.map((choices, pass) => {
    const made = choices.map((choice) => add(kernelFunction(choice)));
    const step = steps[pass];
    const visits = step === 'carry';
    const table = visits ? { at: VISIT.kernel, bytes: VISIT.bytes } : { at: ROW.kernel[pass], bytes: ROW.bytes };
    return { number: add(passLoop(made, table, INWARDS.has(step))), visits };
  });
  add(driver(add(angleLoop(angle)), passes));
  if (8 * constants.length > GENERIC_CONSTANT_BYTES) throw new RangeError(`${constants.length} constants`);
  return encodeModule({
    functions,
    memoryBytes: GENERIC_CONSTANTS_AT + GENERIC_CONSTANT_BYTES,
    data: { at: GENERIC_CONSTANTS_AT, values: constants },
  });
}

/** For all rows from the first to the last, or back: call the kernel whose number stands in the row. */
function passLoop(
  kernels: readonly number[],
  table: { readonly at: number; readonly bytes: number },
  inwards: boolean,
): ModuleFunction {
  const [rows, end] = [0, 1];
  const moving = inwards ? end : rows;
  const body = new B.Bytes().byte(0);
  const moveOn = (): void => {
    body.bytes(B.LOCAL_GET, moving, B.I32_CONST).signed(table.bytes);
    body.bytes(inwards ? B.I32_SUB : B.I32_ADD, B.LOCAL_SET, moving);
  };
  // The table may be empty.
  body.bytes(B.BLOCK, B.VOID, B.LOCAL_GET, rows, B.LOCAL_GET, end, B.I32_LT_U, I32_EQZ, B.BR_IF, 0);
  body.bytes(B.LOOP, B.VOID);
  if (inwards) moveOn();
  // Nested blocks, one for each kernel and one around them; br_table k leaves those inside of block k.
  for (let k = 0; k <= kernels.length; k++) body.bytes(B.BLOCK, B.VOID);
  body.bytes(B.LOCAL_GET, moving, B.I32_LOAD, 2).unsigned(table.at);
  body.byte(B.BR_TABLE).unsigned(kernels.length);
  for (let k = 0; k <= kernels.length; k++) body.unsigned(k);
  body.byte(B.END);
  kernels.forEach((kernel, k) => {
    body.bytes(B.LOCAL_GET, moving, B.CALL).unsigned(kernel);
    body.byte(B.BR).unsigned(kernels.length - 1 - k);
    body.byte(B.END);
  });
  if (!inwards) moveOn();
  body.bytes(B.LOCAL_GET, rows, B.LOCAL_GET, end, B.I32_LT_U, B.BR_IF, 0, B.END, B.END, B.END);
  return { parameters: 2, body };
}

function angleLoop(kernel: number): ModuleFunction {
  const [rows, end] = [0, 1];
  const body = new B.Bytes().byte(0);
  // There may be no angles at all.
  body.bytes(B.BLOCK, B.VOID, B.LOCAL_GET, rows, B.LOCAL_GET, end, B.I32_LT_U, I32_EQZ, B.BR_IF, 0);
  body.bytes(B.LOOP, B.VOID, B.LOCAL_GET, rows, B.CALL).unsigned(kernel);
  body.bytes(B.LOCAL_GET, rows, B.I32_CONST).signed(ANGLE_ROW.bytes);
  body.bytes(B.I32_ADD, B.LOCAL_TEE, rows, B.LOCAL_GET, end, B.I32_LT_U, B.BR_IF, 0, B.END, B.END, B.END);
  return { parameters: 2, body };
}

const I32_EQZ = 0x45;

function driver(
  angles: number,
  passes: readonly { readonly number: number; readonly visits: boolean }[],
): ModuleFunction {
  const body = new B.Bytes().byte(0);
  body.bytes(B.LOCAL_GET, 2, B.LOCAL_GET, 3, B.CALL).unsigned(angles);
  for (const { number, visits } of passes)
    body.bytes(B.LOCAL_GET, visits ? 4 : 0, B.LOCAL_GET, visits ? 5 : 1, B.CALL).unsigned(number);
  return { parameters: 6, body: body.byte(B.END), name: 'run' };
}
