// Code of the generic kernels: made at build time (prebuilt.ts) or when first needed, and kept. It holds no addresses but
// those of the constants, which are the same for all mechanisms.

import type { ModuleFunction } from '../../emit/module.js';
import { ConstantPool, emitFunctions } from '../../emit/wasm.js';
import { ANGLE_ROW } from '../../formulas/kernel-records.js';
import {
  angleFormulas,
  type GenericPass,
  type KernelKey,
  kernelFormulas,
  kernelPointers,
} from '../../formulas/kernels.js';
import type { VectorGraph } from '../../formulas/vectors.js';
import { GENERIC_CONSTANTS_AT } from './layout.js';
import { type Prebuilt, readPrebuilt } from './prebuilt.js';

/** A kernel by name, and a key that makes it. */
export interface KernelChoice {
  readonly pass: GenericPass;
  readonly name: string;
  readonly key: KernelKey;
}

export const ANGLE_KERNEL = 'angles';

const NUMBER = 8;
const KERNELS = new Map<string, ModuleFunction>();

/** Read once, when the first kernel is needed. */
let file: { readonly prebuilt: Prebuilt | undefined } | undefined;

export function kernelFunction({ name, pass, key }: KernelChoice): ModuleFunction {
  let made = KERNELS.get(name);
  if (made === undefined) {
    file ??= { prebuilt: readPrebuilt() };
    made = file.prebuilt?.kernel(name) ?? emitKernel(pass, key);
    KERNELS.set(name, made);
  }
  return made;
}

interface AngleKernel {
  readonly made: ModuleFunction;
  readonly constants: readonly number[];
}

let angles: AngleKernel | undefined;

/** The only one with constants in memory. */
export function angleKernel(): AngleKernel {
  if (angles === undefined) {
    file ??= { prebuilt: readPrebuilt() };
    const { prebuilt } = file;
    const made = prebuilt?.kernel(ANGLE_KERNEL);
    angles = prebuilt === undefined || made === undefined ? emitAngleKernel() : { made, constants: prebuilt.constants };
  }
  return angles;
}

/** For the build too. */
export function emitKernel(pass: GenericPass, key: KernelKey): ModuleFunction {
  return emit(kernelFormulas(pass, key), kernelPointers(pass), [], new ConstantPool(0));
}

export function emitAngleKernel(): AngleKernel {
  const pool = new ConstantPool(GENERIC_CONSTANTS_AT);
  const made = emit(angleFormulas(), [...ANGLE_ROW.q, ...ANGLE_ROW.turn], [ANGLE_ROW.numbers], pool);
  return { made, constants: pool.values };
}

function emit(
  graph: VectorGraph,
  pointers: readonly number[],
  parameterArrays: readonly number[],
  constants: ConstantPool,
): ModuleFunction {
  const [made] = emitFunctions(graph, {
    arrays: [
      ...pointers.map((_, k) => ({ parameter: 1 + k, offset: 0, stride: NUMBER })),
      // Numbers in the row itself.
      ...parameterArrays.map((offset) => ({ parameter: 0, offset, stride: NUMBER })),
    ],
    parameters: 1,
    pointers: pointers.map((offset) => ({ row: 0, offset })),
    functionSize: Number.MAX_SAFE_INTEGER,
    constants,
    slotsAt: 0,
  }).functions;
  return made;
}
