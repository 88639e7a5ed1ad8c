// Compiled dynamics: compile(mechanism) gives the functions of Dynamics, many times faster.

import type { Mechanism } from '../../mechanism/mechanism.js';
import { CompiledDynamics, type CompileOptions } from './compiled.js';

export type { OperationCount } from '../../formulas/graph.js';
export { createPlan, type Plan, type PlanLink } from '../../plan/plan.js';
export type { Tier } from './code-choice.js';
export { CompiledDynamics, type CompileOptions } from './compiled.js';
export { countOperations } from './count.js';
export type { Layout } from './layout.js';
export { type CompiledTask, type Specialised, type SpecialiseOptions, specialise } from './specialise.js';
export type { Emit } from './specialiser.js';

export function compile(mechanism: Mechanism, options: CompileOptions = {}): CompiledDynamics {
  return new CompiledDynamics(mechanism, options);
}
