// The kernels of the contact solver and the memory they work in, one for all worlds of a thread: an island is laid out there,
// solved, and read back before the next.

import { evaluate, factoriseInertia, motionOfBlocks, newton, prepareBlocks } from './kernel/newton.js';

/** Bytes that are there from the start. */
const FIRST = 1 << 20;

/** Numbers and integers over the same bytes. */
export class KernelMemory {
  F = new Float64Array(0);
  N = new Int32Array(0);

  /** At least so many bytes; never within a solve. */
  ensure(bytes: number): void {
    if (bytes <= this.F.byteLength) return;
    const buffer = new ArrayBuffer(Math.max(FIRST, 2 ** Math.ceil(Math.log2(bytes))));
    this.F = new Float64Array(buffer);
    this.N = new Int32Array(buffer);
  }
}

const run = { evaluate, factoriseInertia, motionOfBlocks, newton, prepareBlocks };

export type Kernels = typeof run;

const memory = new KernelMemory();

export function kernels(): { readonly run: Kernels; readonly memory: KernelMemory } {
  return { run, memory };
}
