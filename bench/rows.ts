// Rows of states on the thread that calls, with no promise in between: what benchmarks measure.

import { batchCode, rowsLayout } from '#src/engines/wasm/batch-code.js';
import { Store } from '#src/engines/wasm/store.js';
import { webAssembly } from '#src/engines/wasm/webassembly.js';
import type { Mechanism } from '#src/mechanism/mechanism.js';
import { createTree } from '#src/mechanism/tree.js';
import { createPlan } from '#src/plan/plan.js';

export interface RowsOnThisThread {
  readonly q: Float64Array;
  readonly v: Float64Array;
  readonly tau: Float64Array;
  readonly qdd: Float64Array;
  forward(): void;
}

/** Forward dynamics of an open mechanism. */
export function rowsOnThisThread(mechanism: Mechanism, states: number, fused: boolean): RowsOnThisThread {
  const { nq, nv } = mechanism;
  const plan = createPlan(createTree(mechanism));
  const layout = rowsLayout(nq, nv, states);
  const passive = new Map();
  const code = batchCode({ plan, of: 'forward', layout, passive, at: layout.end, shared: false, fused });
  const store = new Store(code.end + code.scratchBytes);
  const { run } = store.instantiate(new (webAssembly().Module)(code.bytes));
  const rows = (at: number, n: number): Float64Array => store.numbers(at, n * states);
  return {
    q: rows(layout.q, nq),
    v: rows(layout.v, nv),
    tau: rows(layout.tau, nv),
    qdd: rows(layout.qdd, nv),
    forward: () => run(0, 0, code.end, 0, 8 * nv * states),
  };
}
