// The module of generic kernels: loops over the rows of the tables, each row handed to the kernel it names. It depends on
// the set of kernels only, not on the mechanism.

import * as B from './bytes.js';
import { ANGLE_ROW, ROW } from './generic-records.js';
import { angleFormulas, type KernelKey, kernelFormulas, kernelPointers, type Pass } from './kernels.js';
import { encodeModule, type ModuleFunction } from './module.js';
import type { VectorGraph } from './vectors.js';
import { ConstantPool, emitFunctions } from './wasm.js';

/** A kernel by name, and a key that makes it. */
export interface KernelChoice {
  readonly pass: Pass;
  readonly name: string;
  readonly key: KernelKey;
}

/** The pair constants of the angle kernel stand at the start of the memory after the arrays; so many bytes. */
export const GENERIC_CONSTANT_BYTES = 1024;

const NUMBER = 8;

const INWARDS: ReadonlySet<Pass> = new Set(['assemble', 'assembleLoaded', 'inverseIn']);

/** Kernels made so far in this process, by name: they hold no addresses, so other mechanisms can have them too. */
const KERNELS = new Map<string, ModuleFunction>();

/**
 * Exports run(rows, end, angles, anglesEnd): addresses of the first row and after the last one.
 * `kernels`: for each pass, in the order of their numbers in the rows.
 */
export function genericModule(
  kernels: readonly (readonly KernelChoice[])[],
  constantsAt: number,
  shared: boolean,
): Uint8Array<ArrayBuffer> {
  const constants = new ConstantPool(constantsAt);
  const functions: ModuleFunction[] = [];
  const add = (made: ModuleFunction): number => functions.push(made) - 1;
  const emit = (graph: VectorGraph, pointers: readonly number[], parameterArrays: readonly number[] = []): number => {
    const [made] = emitFunctions(graph, {
      arrays: [
        ...pointers.map((_, k) => ({ parameter: 1 + k, offset: 0, stride: NUMBER })),
        // Numbers in the row itself.
        ...parameterArrays.map((offset) => ({ parameter: 0, offset, stride: NUMBER })),
      ],
      parameters: 1,
      pointers,
      functionSize: Number.MAX_SAFE_INTEGER,
      constants,
      slotsAt: 0,
    }).functions;
    return add(made);
  };
  const angle = emit(angleFormulas(), [...ANGLE_ROW.q, ...ANGLE_ROW.turn], [ANGLE_ROW.numbers]);
  const passes = kernels.map((choices, pass) => {
    const made = choices.map(({ name, pass: step, key }) => {
      const known = KERNELS.get(name);
      if (known !== undefined) return add(known);
      const number = emit(kernelFormulas(step, key), kernelPointers(step));
      KERNELS.set(name, functions[number]);
      return number;
    });
    const inwards = choices.some(({ pass: name }) => INWARDS.has(name));
    return add(passLoop(made, ROW.kernel[pass], inwards));
  });
  add(driver(add(angleLoop(angle)), passes));
  if (constants.bytes > GENERIC_CONSTANT_BYTES) throw new RangeError(`${constants.bytes} bytes of constants`);
  return encodeModule({
    functions,
    memoryBytes: constantsAt + GENERIC_CONSTANT_BYTES,
    shared,
    data: { at: constantsAt, values: constants.values },
  });
}

/** For all rows from the first to the last, or back: call the kernel whose number stands in the row. */
function passLoop(kernels: readonly number[], numberAt: number, inwards: boolean): ModuleFunction {
  const [rows, end] = [0, 1];
  const moving = inwards ? end : rows;
  const body = new B.Bytes().byte(0);
  const moveOn = (): void => {
    body.bytes(B.LOCAL_GET, moving, B.I32_CONST).signed(ROW.bytes);
    body.bytes(inwards ? B.I32_SUB : B.I32_ADD, B.LOCAL_SET, moving);
  };
  body.bytes(B.LOOP, B.VOID);
  if (inwards) moveOn();
  // Nested blocks, one for each kernel and one around them; br_table k leaves those inside of block k.
  for (let k = 0; k <= kernels.length; k++) body.bytes(B.BLOCK, B.VOID);
  body.bytes(B.LOCAL_GET, moving, B.I32_LOAD, 2).unsigned(numberAt);
  body.byte(B.BR_TABLE).unsigned(kernels.length);
  for (let k = 0; k <= kernels.length; k++) body.unsigned(k);
  body.byte(B.END);
  kernels.forEach((kernel, k) => {
    body.bytes(B.LOCAL_GET, moving, B.CALL).unsigned(kernel);
    body.byte(B.BR).unsigned(kernels.length - 1 - k);
    body.byte(B.END);
  });
  if (!inwards) moveOn();
  body.bytes(B.LOCAL_GET, rows, B.LOCAL_GET, end, B.I32_LT_U, B.BR_IF, 0, B.END, B.END);
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

function driver(angles: number, passes: readonly number[]): ModuleFunction {
  const body = new B.Bytes().byte(0);
  body.bytes(B.LOCAL_GET, 2, B.LOCAL_GET, 3, B.CALL).unsigned(angles);
  for (const pass of passes) body.bytes(B.LOCAL_GET, 0, B.LOCAL_GET, 1, B.CALL).unsigned(pass);
  return { parameters: 4, body: body.byte(B.END), name: 'run' };
}
