// A module that takes whole Runge-Kutta steps: the stages of formulas/runge-kutta.ts, and between them forward dynamics,
// imported from the module that computes it. Without a control function a step never leaves WebAssembly.

import * as B from '../../emit/bytes.js';
import { encodeModule, type ModuleFunction } from '../../emit/module.js';
import { type ArrayPlace, ConstantPool, emitFunctions } from '../../emit/wasm.js';
import {
  STEP_ARRAYS,
  StepFormulas,
  type StepGroup,
  type StepJoint,
  stepGroups,
  type Tableau,
} from '../../formulas/runge-kutta.js';
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
  /** Arguments of the imported function `forward`. */
  readonly forward: readonly number[];
}

const NUMBER = 8;
const FUNCTION_SIZE = 400;
const MOST_CONSTANTS = 400;
/** Arrays that no group has a part of. */
const ALONE: ReadonlySet<string> = new Set(['step', 'turn', 'power']);

export function createStepModule(options: StepModuleOptions): StepModule {
  const { joints, nq, nv, tableau, layout, forward } = options;
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
  // Functions of a group take the bytes to its first position and its first velocity.
  const places = (inGroups: boolean): ArrayPlace[] =>
    Object.keys(STEP_ARRAYS).map((name) => {
      const parameter = !inGroups || ALONE.has(name) ? -1 : name === 'q' || name === 'baseQ' ? 0 : 1;
      return { parameter, offset: at[name as keyof typeof at], stride: NUMBER };
    });
  const [ofGroups, ofAll] = [places(true), places(false)];
  const constants = new ConstantPool(top);
  const slotsAt = aligned(top + 16 * MOST_CONSTANTS);
  const functions: ModuleFunction[] = [];
  let slotBytes = 0;
  const imports = [{ name: 'forward', parameters: forward.length }];
  const add = (made: ModuleFunction): number => imports.length + functions.push(made) - 1;
  /** The functions of a graph. */
  const addGraph = (graph: VectorGraph, arrays: readonly ArrayPlace[], functionSize: number): number[] => {
    const parameters = arrays === ofAll ? 0 : 2;
    const emitted = emitFunctions(graph, { arrays, parameters, functionSize, onDemand: true, constants, slotsAt });
    slotBytes = Math.max(slotBytes, emitted.slotBytes);
    return emitted.functions.map(add);
  };
  const formulas = new StepFormulas(nv, tableau);
  const groups = stepGroups(joints);
  /** A stage: turns from zero on, all groups moved, then the passive forces there. */
  const addStage = (name: string, s: number, graphOf?: (group: StepGroup) => VectorGraph): number | undefined => {
    const body = new B.Bytes().byte(0);
    const passive = name === 'end' ? undefined : formulas.passive(s, joints);
    if (graphOf !== undefined) {
      body.byte(B.I32_CONST).signed(at.turn + NUMBER * s);
      body.byte(B.F64_CONST).float(0).bytes(B.F64_STORE, 3, 0);
      const kinds = new Map<string, number>();
      for (const group of groups) {
        const kind = `${group.type} ${group.joints}`;
        let move = kinds.get(kind);
        if (move === undefined) {
          [move] = addGraph(graphOf(group), ofGroups, Number.POSITIVE_INFINITY);
          kinds.set(kind, move);
        }
        for (const offset of [group.iq, group.iv]) body.byte(B.I32_CONST).signed(NUMBER * offset);
        body.byte(B.CALL).unsigned(move);
      }
    } else if (passive === undefined) return undefined;
    if (passive !== undefined)
      for (const index of addGraph(passive, ofAll, FUNCTION_SIZE)) body.byte(B.CALL).unsigned(index);
    return add({ parameters: 0, body: body.byte(B.END), name });
  };
  const base = addStage('stage0', 0);
  const moves = Array.from({ length: stages - 1 }, (_, s) =>
    addStage(`stage${s + 1}`, s + 1, (group) => formulas.stage(s + 1, group)),
  );
  const end = tableau.B && addStage('end', 0, (group) => formulas.end(group)!);
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
  const bytes = encodeModule({ imports, functions, memoryBytes, data });
  return { bytes, memoryBytes, at, scratch: [slotsAt, memoryBytes] };
}
