// A module that takes whole Runge-Kutta steps: the stages of formulas/runge-kutta.ts, and between them forward dynamics,
// imported from the module that computes it. Without a control function a step never leaves WebAssembly.

import * as B from '../../emit/bytes.js';
import { encodeModule, type ModuleFunction } from '../../emit/module.js';
import { ConstantPool, emitFunctions } from '../../emit/wasm.js';
import { STEP_ARRAYS, StepFormulas, type StepJoint, type Tableau } from '../../formulas/runge-kutta.js';
import type { VectorGraph } from '../../formulas/vectors.js';
import { aligned, type Layout } from './layout.js';

export interface StepModule {
  /**
   * Exports `step` (everything but forward dynamics at the base where the last stage is the end), `stage0` (passive
   * forces at the base, where there are any), `stage1` and so on, and `end` where the end is no stage. Imports `forward`.
   */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly memoryBytes: number;
  /** Addresses of the arrays. */
  readonly at: { readonly [name in keyof typeof STEP_ARRAYS]: number };
  readonly scratch: readonly [number, number];
}

export interface StepModuleOptions {
  readonly joints: readonly StepJoint[];
  readonly nq: number;
  readonly nv: number;
  readonly tableau: Tableau;
  readonly layout: Layout;
  /** First free address. */
  readonly top: number;
  readonly shared: boolean;
  /** Arguments of the imported function `forward`. */
  readonly forward: readonly number[];
}

const NUMBER = 8;
const FUNCTION_SIZE = 400;
const MOST_CONSTANTS = 400;

export function createStepModule(options: StepModuleOptions): StepModule {
  const { joints, nq, nv, tableau, layout, forward, shared } = options;
  const stages = tableau.A.length;
  let top = aligned(options.top);
  const take = (numbers: number): number => {
    const place = top;
    top = aligned(top + NUMBER * numbers);
    return place;
  };
  const at = {
    q: layout.q,
    v: layout.v,
    tau: layout.tau,
    qdd: layout.qdd,
    baseQ: take(nq),
    baseV: take(nv),
    u: take(nv),
    rate: take(stages * nv),
    acceleration: take(stages * nv),
    step: take(1),
    turn: take(stages),
    power: take(stages),
  };
  const arrays = Object.keys(STEP_ARRAYS).map((name) => ({
    parameter: -1,
    offset: at[name as keyof typeof at],
    stride: NUMBER,
  }));
  const constants = new ConstantPool(top);
  const slotsAt = aligned(top + 16 * MOST_CONSTANTS);
  const functions: ModuleFunction[] = [];
  let slotBytes = 0;
  const imports = [{ name: 'forward', parameters: forward.length }];
  /** Emits a graph as one function; undefined where there is none. */
  const add = (name: string, graph: VectorGraph | undefined): number | undefined => {
    if (graph === undefined) return undefined;
    const emitted = emitFunctions(graph, {
      arrays,
      parameters: 0,
      functionSize: FUNCTION_SIZE,
      onDemand: true,
      constants,
      slotsAt,
    });
    slotBytes = Math.max(slotBytes, emitted.slotBytes);
    const first = imports.length + functions.length;
    functions.push(...emitted.functions);
    const body = new B.Bytes().byte(0);
    emitted.functions.forEach((_, k) => {
      body.byte(B.CALL).unsigned(first + k);
    });
    functions.push({ parameters: 0, body: body.byte(B.END), name });
    return imports.length + functions.length - 1;
  };
  const formulas = new StepFormulas(joints, nv, tableau);
  const base = add('stage0', formulas.first());
  const moves = Array.from({ length: stages - 1 }, (_, s) => add(`stage${s + 1}`, formulas.stage(s + 1))!);
  const end = add('end', formulas.end());
  const step = new B.Bytes().byte(0);
  const call = (index: number | undefined): void => {
    if (index !== undefined) step.byte(B.CALL).unsigned(index);
  };
  const accelerate = (): void => {
    for (const argument of forward) step.byte(B.I32_CONST).signed(argument);
    step.byte(B.CALL).unsigned(0);
  };
  // Where the last stage is the end of the step its accelerations are those of the next step's base.
  if (tableau.B !== undefined) {
    call(base);
    accelerate();
  }
  for (const move of moves) {
    call(move);
    accelerate();
  }
  call(end);
  functions.push({ parameters: 0, body: step.byte(B.END), name: 'step' });
  if (constants.bytes > 16 * MOST_CONSTANTS) throw new RangeError('more constants than there is room for');
  const memoryBytes = slotsAt + slotBytes;
  const data = { at: constants.at, values: constants.values };
  const bytes = encodeModule({ imports, functions, memoryBytes, shared, data });
  return { bytes, memoryBytes, at, scratch: [slotsAt, memoryBytes] };
}
