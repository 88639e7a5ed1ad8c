// Memory that the ranks of one machine share: a file without a disk below it, mapped by all of them over a WebAssembly memory, which
// JavaScript may use like that of threads.

import { builtinModule } from '../../threads/builtin.js';
import { webAssembly } from '../wasm/webassembly.js';
import { HOST_MEMORY } from './host-transport.js';
import type { MpiLibrary } from './library.js';
import type { MpiRanks } from './mpi.js';

interface Files {
  openSync(path: string, flags: string, mode?: number): number;
  writeSync(file: number, bytes: Uint8Array): number;
  closeSync(file: number): void;
  unlinkSync(path: string): void;
}

const PAGE = 65_536;

/** The same memory on all ranks, zeros; undefined on all of them where that cannot be. All call it. */
export function hostMemory(ranks: MpiRanks, library: MpiLibrary): SharedArrayBuffer | undefined {
  const all = (good: boolean): boolean => ranks.gather(Float64Array.of(Number(good))).every((yes) => yes === 1);
  const files = builtinModule('node:fs') as Files | undefined;
  const attempt = <T>(act: () => T): T | undefined => {
    try {
      return act();
    } catch {
      return undefined;
    }
  };
  const first = ranks.rank === 0;
  const name = ranks.tellText(first ? `/dev/shm/manikin-${Math.random().toString(36).slice(2)}` : '');
  // All of it is written: where there is no room for a page, whoever touches it later would be killed.
  const made =
    first && files !== undefined
      ? attempt(() => {
          const file = files.openSync(name, 'wx+', 0o600);
          const zeros = new Uint8Array(new ArrayBuffer(1 << 20));
          for (let left = HOST_MEMORY; left > 0; )
            left -= files.writeSync(file, zeros.subarray(0, Math.min(left, 1 << 20)));
          return file;
        })
      : undefined;
  ranks.barrier();
  const file = first ? made : attempt(() => files!.openSync(name, 'r+'));
  const pages = HOST_MEMORY / PAGE;
  const { buffer } = new (webAssembly().Memory)({ initial: pages, maximum: pages, shared: true });
  const mapped = file !== undefined && library.map(file, new Uint8Array(buffer));
  const good = all(mapped);
  if (file !== undefined) files!.closeSync(file);
  if (first) attempt(() => files?.unlinkSync(name));
  if (!good) return undefined;
  const memory = buffer as unknown as SharedArrayBuffer;
  const words = new Int32Array(memory);
  if (first) Atomics.store(words, 0, 1);
  ranks.barrier();
  const same = all(Atomics.load(words, 0) === 1);
  if (first) Atomics.store(words, 0, 0);
  ranks.barrier();
  return same ? memory : undefined;
}
