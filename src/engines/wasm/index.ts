// Compiled dynamics: compile(mechanism) gives the functions of Dynamics, many times faster, and compile(mechanism,
// { batch: n }) those for many states at once.

import type { Mechanism } from '../../mechanism/mechanism.js';
import { type BatchOptions, CompiledBatch } from './batch.js';
import { CompiledDynamics, type CompileOptions } from './compiled.js';

export type { OperationCount } from '../../formulas/graph.js';
export { createPlan, type Plan, type PlanLink } from '../../plan/plan.js';
export { type BatchOptions, type BatchTask, CompiledBatch } from './batch.js';
export { CompiledDynamics, type CompileOptions, type Tier } from './compiled.js';
export { countOperations } from './count.js';
export type { Layout } from './layout.js';
export { type Specialised, type SpecialiseOptions, specialise, type Task } from './specialise.js';
export type { Emit } from './specialiser.js';

export function compile(mechanism: Mechanism, options: BatchOptions): CompiledBatch;
export function compile(mechanism: Mechanism, options?: CompileOptions): CompiledDynamics;
export function compile(mechanism: Mechanism, options: CompileOptions | BatchOptions = {}) {
  return 'batch' in options ? new CompiledBatch(mechanism, options) : new CompiledDynamics(mechanism, options);
}
