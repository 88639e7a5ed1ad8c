// Code for many states of one mechanism, one state per row: two states in the lanes of every vector, read from their rows
// where they stand. A pure function from plain data to the bytes of a module, so any thread can make it; all threads run
// the same module on one memory, each with scratch memory of its own.

import * as B from '../../emit/bytes.js';
import { encodeModule, type ModuleFunction } from '../../emit/module.js';
import { type ArrayPlace, ConstantPool, emitFunctions } from '../../emit/wasm.js';
import { forwardFormulas } from '../../formulas/forward.js';
import { inverseFormulas } from '../../formulas/inverse.js';
import { singleUnits } from '../../formulas/lanes.js';
import { Q, QDD, TAU, V } from '../../formulas/links.js';
import { FRICTION_SPEED, tanh } from '../../formulas/passive.js';
import { NEXT_Q, NEXT_V, type PassiveJoints, passiveOf, STEP, stepLink } from '../../formulas/rollout-step.js';
import { VectorGraph } from '../../formulas/vectors.js';
import type { Plan } from '../../plan/plan.js';
import { aligned, GENERIC_CONSTANT_BYTES, GENERIC_CONSTANTS_AT } from './layout.js';

export type BatchFunction = 'forward' | 'inverse' | 'step';

/** Addresses of the arrays: number k of state s of an array of n numbers stands at its address + 8 (s n + k). */
export interface RowsLayout {
  readonly nq: number;
  readonly nv: number;
  readonly q: number;
  readonly v: number;
  readonly tau: number;
  readonly qdd: number;
  /** First address after the arrays. */
  readonly end: number;
}

/** Rows for so many states, and for one more where that is odd: states go two by two. */
export function rowsLayout(nq: number, nv: number, states: number): RowsLayout {
  const rows = states + (states % 2);
  let top = aligned(GENERIC_CONSTANTS_AT + GENERIC_CONSTANT_BYTES);
  const take = (numbers: number): number => {
    const at = top;
    top = aligned(top + 8 * numbers * rows);
    return at;
  };
  const [q, v, tau, qdd] = [take(nq), take(nv), take(nv), take(nv)];
  return { nq, nv, q, v, tau, qdd, end: top };
}

export interface BatchCodeRequest {
  readonly plan: Plan;
  readonly of: BatchFunction;
  readonly layout: RowsLayout;
  readonly passive: PassiveJoints;
  /** First free address: the constants go there. */
  readonly at: number;
  readonly shared: boolean;
  readonly fused: boolean;
}

export interface BatchCode {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where constants end: scratch memory of the threads begins there. */
  readonly end: number;
  /** Scratch memory of each thread. */
  readonly scratchBytes: number;
}

/** Scratch memory begins with the length of a step, in both lanes, and the next positions and velocities of two states. */
export const STEP_BYTES = 16;

const FUNCTION_SIZE = 400;

/** Parameters of the code's functions: distances of the rows in q and in v, the scratch memory, the rows of tau. */
const [AT_Q, AT_V, SCRATCH, AT_TAU] = [0, 1, 2, 3];
const PARAMETERS = 4;

/**
 * The module exports run(atQ, atV, scratch, atTau, endV): all pairs of states from the rows at those distances (of a step
 * the address of tau) up to endV.
 */
export function batchCode({ plan, of, layout, passive, at, shared, fused }: BatchCodeRequest): BatchCode {
  const { nq, nv } = layout;
  const graph = new VectorGraph({ wide: true });
  addFormulas(graph, plan, of, passive);
  const nextQ = STEP_BYTES;
  const nextV = nextQ + 16 * nq;
  const constants = new ConstantPool(aligned(at));
  const slotsAt = aligned(nextV + 16 * nv);
  const rows = (parameter: number, offset: number, n: number): ArrayPlace => ({
    parameter,
    offset,
    stride: 8,
    apart: 8 * n,
  });
  const arrays: ArrayPlace[] = [];
  arrays[Q] = rows(AT_Q, layout.q, nq);
  arrays[V] = rows(AT_V, layout.v, nv);
  arrays[TAU] = of === 'step' ? rows(AT_TAU, 0, nv) : rows(AT_V, layout.tau, nv);
  arrays[QDD] = rows(AT_V, layout.qdd, nv);
  arrays[NEXT_Q] = rows(SCRATCH, nextQ, nq);
  arrays[NEXT_V] = rows(SCRATCH, nextV, nv);
  arrays[STEP] = { parameter: SCRATCH, offset: 0, stride: STEP_BYTES };
  const { functions, slotBytes } = emitFunctions(graph, {
    arrays,
    parameters: PARAMETERS,
    functionSize: FUNCTION_SIZE,
    constants,
    slotsAt,
    slotParameter: SCRATCH,
    onDemand: true,
    wide: true,
    fused,
  });
  const end = aligned(constants.at + constants.bytes);
  const copies =
    of === 'step'
      ? [
          { parameter: AT_Q, to: layout.q, from: nextQ, bytes: 16 * nq },
          { parameter: AT_V, to: layout.v, from: nextV, bytes: 16 * nv },
        ]
      : [];
  const bytes = encodeModule({
    functions: [...functions, loop(functions.length, layout, copies)],
    memoryBytes: end,
    shared,
    data: { at: constants.at, values: constants.values },
  });
  return { bytes, end, scratchBytes: aligned(slotsAt + slotBytes) };
}

function addFormulas(g: VectorGraph, plan: Plan, of: BatchFunction, passive: PassiveJoints): void {
  const units = singleUnits(plan);
  if (of === 'inverse') inverseFormulas(g, plan, units, { twoStates: true });
  else if (of === 'forward') forwardFormulas(g, plan, units, { twoStates: true });
  else {
    const steep = (_: VectorGraph, iv: number) => tanh(g, g.mul(g.input(V, iv), g.constant(1 / FRICTION_SPEED)));
    forwardFormulas(g, plan, units, {
      twoStates: true,
      passive: (length) => passiveOf(passive, length, steep),
      finish: (link, qdd) => stepLink(g, link, qdd, 'double'),
    });
  }
}

interface Copy {
  readonly parameter: number;
  readonly to: number;
  readonly from: number;
  readonly bytes: number;
}

/** Every function for the two states at the distances, then the copies of what has become of them, then the next two. */
function loop(count: number, { nq, nv }: RowsLayout, copies: readonly Copy[]): ModuleFunction {
  const end = PARAMETERS;
  const body = new B.Bytes().bytes(0, B.LOOP, B.VOID);
  const get = (local: number): B.Bytes => body.bytes(B.LOCAL_GET, local);
  const plus = (constant: number): B.Bytes =>
    body
      .byte(B.I32_CONST)
      .signed(constant | 0)
      .byte(B.I32_ADD);
  for (let k = 0; k < count; k++) {
    for (let parameter = 0; parameter < PARAMETERS; parameter++) get(parameter);
    body.byte(B.CALL).unsigned(k);
  }
  for (const { parameter, to, from, bytes } of copies) {
    get(parameter);
    plus(to);
    get(SCRATCH);
    plus(from);
    body
      .byte(B.I32_CONST)
      .signed(bytes)
      .bytes(...B.MEMORY_COPY);
  }
  for (const [parameter, n] of [
    [AT_Q, nq],
    [AT_TAU, nv],
    [AT_V, nv],
  ]) {
    get(parameter);
    plus(16 * n);
    body.bytes(parameter === AT_V ? B.LOCAL_TEE : B.LOCAL_SET, parameter);
  }
  get(end).bytes(B.I32_LT_U, B.BR_IF, 0, B.END, B.END);
  return { parameters: PARAMETERS + 1, body, name: 'run' };
}
