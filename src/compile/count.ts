// Operation counts of the formulas, sine and cosine counted as such.

import type { OperationCount } from './graph.js';
import type { Plan } from './plan.js';
import { addFormulas, type Task } from './specialise.js';
import { VectorGraph } from './vectors.js';

/** Operations of one task for one state, every number for itself: nothing shares the lanes of a vector. */
export function countOperations(plan: Plan, task: Task): OperationCount {
  const graph = new VectorGraph({ opaqueTrig: true });
  addFormulas(graph, plan, task, { pairLimbs: false, twoStates: true });
  return graph.count();
}
