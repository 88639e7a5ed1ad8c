// Operation counts of the formulas, sine and cosine counted as such.

import { addFormulas, type CompiledTask } from '#src/engines/wasm/specialise.js';
import type { OperationCount } from '#src/formulas/graph.js';
import { VectorGraph } from '#src/formulas/vectors.js';
import type { Plan } from '#src/plan/plan.js';

/** Operations of one task for one state, every number for itself: nothing shares the lanes of a vector. */
export function countOperations(plan: Plan, task: CompiledTask): OperationCount {
  const graph = new VectorGraph({ opaqueTrig: true });
  addFormulas(graph, plan, task, { pairLimbs: false, twoStates: true });
  return graph.count();
}
