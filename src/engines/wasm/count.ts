// Operation counts of the formulas, sine and cosine counted as such.

import type { OperationCount } from '../../formulas/graph.js';
import { VectorGraph } from '../../formulas/vectors.js';
import type { Plan } from '../../plan/plan.js';
import { addFormulas, type CompiledTask } from './specialise.js';

/** Operations of one task for one state, every number for itself: nothing shares the lanes of a vector. */
export function countOperations(plan: Plan, task: CompiledTask): OperationCount {
  const graph = new VectorGraph({ opaqueTrig: true });
  addFormulas(graph, plan, task, { pairLimbs: false, twoStates: true });
  return graph.count();
}
