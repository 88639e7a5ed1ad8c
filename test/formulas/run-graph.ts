// Runs a graph as WebAssembly: array 0 in, array 1 out.

import * as B from '../../src/emit/bytes.js';
import { encodeModule } from '../../src/emit/module.js';
import { ConstantPool, emitFunctions, type WasmOptions } from '../../src/emit/wasm.js';
import { Store } from '../../src/engines/wasm/store.js';
import { webAssembly } from '../../src/engines/wasm/webassembly.js';
import type { Graph } from '../../src/formulas/graph.js';

const IN = 64;
const OUT = 4096;
const CONSTANTS = 8192;
const SLOTS = 32768;

export interface Ran {
  readonly out: Float64Array;
  readonly functions: number;
}

/** A function from inputs to outputs; `out` is the same array each time. */
export function runner(graph: Graph, options: Partial<WasmOptions> = {}): (input: readonly number[]) => Ran {
  const constants = new ConstantPool(CONSTANTS);
  const stride = options.wide === true ? 16 : 8;
  const { functions, slotBytes } = emitFunctions(graph, {
    arrays: [IN, OUT].map((offset) => ({ parameter: -1, offset, stride })),
    parameters: 0,
    functionSize: 1000,
    constants,
    slotsAt: SLOTS,
    ...options,
  });
  const body = new B.Bytes().byte(0);
  for (const k of functions.keys()) body.byte(B.CALL).unsigned(k);
  const memoryBytes = SLOTS + slotBytes;
  const bytes = encodeModule({
    functions: [...functions, { parameters: 0, body: body.byte(B.END), name: 'run' }],
    memoryBytes,
    data: { at: CONSTANTS, values: constants.values },
  });
  const store = new Store(memoryBytes);
  const { run } = store.instantiate(new (webAssembly().Module)(bytes));
  const input = store.numbers(IN, (OUT - IN) / 8);
  const out = store.numbers(OUT, (CONSTANTS - OUT) / 8);
  const slots = store.numbers(SLOTS, slotBytes / 8);
  return (values) => {
    input.set(values);
    slots.fill(Number.NaN);
    run();
    return { out, functions: functions.length };
  };
}
