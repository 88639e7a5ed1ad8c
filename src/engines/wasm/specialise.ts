// Code for one mechanism: a pure function from a plan (plain data) to the bytes of a module, so a worker can call it.

import * as B from '../../emit/bytes.js';
import { encodeModule, type ModuleFunction } from '../../emit/module.js';
import { ConstantPool, emitFunctions } from '../../emit/wasm.js';
import { forwardFormulas } from '../../formulas/forward.js';
import type { Graph, OperationCount } from '../../formulas/graph.js';
import { inverseFormulas } from '../../formulas/inverse.js';
import { pairedUnits, singleUnits } from '../../formulas/lanes.js';
import { massMatrixFormulas } from '../../formulas/mass-matrix.js';
import { VectorGraph } from '../../formulas/vectors.js';
import type { Plan } from '../../plan/plan.js';
import { aligned, type Layout, placesOf } from './layout.js';

/**
 * What can be computed: qdd from tau (also with forces from outside, and an armature of damped joints, that are read from
 * memory), tau from qdd, the mass matrix.
 */
export type Task = 'forward' | 'forwardLoaded' | 'inverse' | 'massMatrix';

export interface SpecialiseOptions {
  readonly task: Task;
  readonly layout: Layout;
  /** First free address: constants and intermediate values go there. */
  readonly scratchAt: number;
  readonly shared: boolean;
  /** Like limbs in the lanes of one state (the default); never in batches. */
  readonly pairLimbs?: boolean;
  readonly fused?: boolean;
  readonly functionSize?: number;
}

export interface Specialised {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Memory the module needs, from address 0. */
  readonly memoryBytes: number;
  /** The numbers between these addresses are intermediate values. */
  readonly scratch: readonly [number, number];
  readonly operations: OperationCount;
}

const FUNCTION_SIZE = 400;

export interface FormulaOptions {
  /** Like limbs in the two lanes of a vector. */
  readonly pairLimbs: boolean;
  /** The lanes are for two states. */
  readonly twoStates: boolean;
}

/** Adds the formulas of a task to a graph. */
export function addFormulas(g: VectorGraph, plan: Plan, task: Task, { pairLimbs, twoStates }: FormulaOptions): void {
  const units = pairLimbs ? pairedUnits(plan) : singleUnits(plan);
  FORMULAS[task](g, plan, units, { twoStates, loaded: task === 'forwardLoaded' });
}

const FORMULAS = {
  forward: forwardFormulas,
  forwardLoaded: forwardFormulas,
  inverse: inverseFormulas,
  massMatrix: massMatrixFormulas,
};

/** The module exports `run`; for batches run(bytes): all pairs of states up to that many bytes into an array. */
export function specialise(plan: Plan, options: SpecialiseOptions): Specialised {
  const { task, layout, shared } = options;
  const batch = layout.stride > 1;
  const graph = new VectorGraph();
  addFormulas(graph, plan, task, { pairLimbs: !batch && options.pairLimbs !== false, twoStates: batch });
  const parameters = batch ? 1 : 0;
  // Slots lie behind the constants, whose number is known only after the code is written: they get their room first.
  const constants = new ConstantPool(aligned(options.scratchAt));
  const slotsAt = aligned(constants.at + 16 * countConstants(graph));
  const { functions, slotBytes } = emitFunctions(graph, {
    arrays: placesOf(layout, batch ? 0 : -1),
    parameters,
    functionSize: options.functionSize ?? FUNCTION_SIZE,
    constants,
    slotsAt,
    wide: batch,
    fused: options.fused === true,
  });
  const memoryBytes = slotsAt + slotBytes;
  const bytes = encodeModule({
    functions: [...functions, batch ? loop(functions.length) : sequence(functions.length)],
    memoryBytes,
    shared,
    data: { at: constants.at, values: constants.values },
  });
  return { bytes, memoryBytes, scratch: [slotsAt, memoryBytes], operations: graph.count() };
}

/** At most so many constants are put into memory. */
function countConstants(graph: Graph): number {
  let count = 0;
  for (let n = 0; n < graph.size; n++) if (graph.isConstant(n)) count++;
  return count;
}

function sequence(count: number): ModuleFunction {
  const body = new B.Bytes().byte(0);
  for (let k = 0; k < count; k++) body.byte(B.CALL).unsigned(k);
  return { parameters: 0, body: body.byte(B.END), name: 'run' };
}

/** for (at = 0; at < bytes; at += 16) every function for the two states there. */
function loop(count: number): ModuleFunction {
  const [bytes, at] = [0, 1];
  const body = new B.Bytes().bytes(1, 1, B.I32, B.LOOP, B.VOID);
  for (let k = 0; k < count; k++) body.bytes(B.LOCAL_GET, at, B.CALL).unsigned(k);
  body.bytes(B.LOCAL_GET, at, B.I32_CONST, 16, B.I32_ADD, B.LOCAL_TEE, at);
  body.bytes(B.LOCAL_GET, bytes, B.I32_LT_U, B.BR_IF, 0, B.END, B.END);
  return { parameters: 1, body, name: 'run' };
}
