// What 32 bits do to the formulas for the GPU, without a device: graphs evaluated number by number, as a device with fma
// would. For the tests, and for the figures of bench/suites/gpu-errors.ts.

import { checkForces, checkState } from '../../bench/gpu.js';
import { AGAIN, KEPT, LOCAL, wholeForward, writeAccelerations, ZERO } from '../../src/engines/gpu/formulas.js';
import type { Split } from '../../src/engines/gpu/kernel.js';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import type { Graph } from '../../src/formulas/graph.js';
import { Q, QDD, TAU, V } from '../../src/formulas/links.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import type { State } from '../../src/mechanism/state.js';
import { createTree } from '../../src/mechanism/tree.js';
import { createPlan, type Plan } from '../../src/plan/plan.js';
import { graphValues, type Precision } from './graph-values.js';
import { relativeError } from './random-mechanism.js';

export const planOf = (mechanism: Mechanism): Plan => createPlan(createTree(mechanism));

/** `s`: the number of the check state. */
export type Forward = (state: State, tau: Float64Array, s?: number) => Float64Array;

/** Forward dynamics in one kernel. */
export function whole(mechanism: Mechanism): readonly Graph[] {
  const plan = planOf(mechanism);
  return [wholeForward(plan, writeAccelerations(plan))];
}

/** In several, with what goes through memory between them. */
export function inPasses({ passes }: Split): readonly Graph[] {
  return passes.flatMap((pass) => ('limbs' in pass ? pass.limbs : pass.graphs));
}

/** The graphs one after the other. */
export function forwardIn(precision: Precision, graphs: readonly Graph[]): Forward {
  const values = graphs.map((graph) => graphValues(graph, precision));
  return (state, tau) => {
    const made = new Map<number, ArrayLike<number>>([
      [ZERO, [0]],
      [Q, state.q],
      [V, state.v],
      [TAU, tau],
    ]);
    for (const array of [KEPT, LOCAL, QDD]) made.set(array, []);
    for (const compute of values)
      for (const [array, numbers] of compute((from, i) => made.get(from < AGAIN ? from : from - AGAIN)![i]))
        numbers.forEach((x, i) => {
          (made.get(array) as number[])[i] = x;
        });
    return Float64Array.from(made.get(QDD)!);
  };
}

export interface Errors {
  readonly worst: number;
  readonly median: number;
}

/** Worst and middle error over check states: the 64 of `manikin bench gpu`, or others. */
export function errorsOf(mechanism: Mechanism, compute: Forward, states = 64, first = 0): Errors {
  const readable = new PlainDynamics(mechanism);
  const all = Array.from({ length: states }, (_, k) => {
    const [state, tau] = [checkState(mechanism, first + k), checkForces(mechanism, first + k)];
    return relativeError(compute(state, tau, first + k), readable.forward(state, tau));
  }).sort((a, b) => a - b);
  return { worst: all[states - 1], median: all[states >> 1] };
}
