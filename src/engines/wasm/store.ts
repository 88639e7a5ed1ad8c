// The one WebAssembly memory of a compiled mechanism: modules are instantiated on it one after the other, and it grows as
// they need. Growing detaches views of the old buffer, so views are asked for here and never kept across it.

import { PAGE } from '../../emit/module.js';
import { type WasmInstance, type WasmMemory, type WasmModule, webAssembly } from './webassembly.js';

const NO_CODE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

export class Store {
  readonly memory: WasmMemory;
  /** Called after the memory has grown. */
  onGrowth: () => void = () => {};
  #top: number;

  /** `end`: bytes in use from the start. */
  constructor(end: number) {
    // A page may allow memory and forbid code: better to know now than at the first call.
    new (webAssembly().Module)(NO_CODE);
    this.memory = new (webAssembly().Memory)({ initial: Math.ceil(end / PAGE) });
    this.#top = end;
  }

  /** First free address. */
  get top(): number {
    return this.#top;
  }

  /** Makes room up to that address. */
  reserve(end: number): void {
    this.#top = Math.max(this.#top, end);
    const missing = Math.ceil((end - this.memory.buffer.byteLength) / PAGE);
    if (missing <= 0) return;
    this.memory.grow(missing);
    this.onGrowth();
  }

  numbers(at: number, count: number): Float64Array<ArrayBuffer> {
    return new Float64Array(this.memory.buffer, at, count);
  }

  /** `functions`: what the module imports beside the memory. */
  instantiate(module: WasmModule, functions: WasmInstance['exports'] = {}): WasmInstance['exports'] {
    return new (webAssembly().Instance)(module, { manikin: { ...functions, memory: this.memory } }).exports;
  }
}
