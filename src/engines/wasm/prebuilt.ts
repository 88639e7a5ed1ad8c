// Kernels made when the package is built (scripts/prebuild-kernels.mjs), in a file beside this one: Node reads them from
// there, in a fraction of the time that making them takes in a process that has never done it. A page makes its kernels
// when it needs them, to the same bytes: its bundle would grow by a third.
//
// The file: length of the head (32 bits, little end first), head (JSON), code of the kernels one after the other.

import { Bytes } from '../../emit/bytes.js';
import type { ModuleFunction } from '../../emit/module.js';
import { fileSystem } from './node-modules.js';

export interface PrebuiltHead {
  /** The kernels by name, and where the code of each ends. */
  readonly names: readonly string[];
  readonly ends: readonly number[];
  /** The numbers that the angle kernel finds in memory. */
  readonly constants: readonly number[];
}

export class Prebuilt {
  readonly #head: PrebuiltHead;
  readonly #code: Uint8Array<ArrayBuffer>;

  constructor(file: Uint8Array<ArrayBuffer>) {
    const start = 4 + new DataView(file.buffer, file.byteOffset).getUint32(0, true);
    this.#head = JSON.parse(new TextDecoder().decode(file.subarray(4, start))) as PrebuiltHead;
    this.#code = file.subarray(start);
  }

  get constants(): readonly number[] {
    return this.#head.constants;
  }

  kernel(name: string): ModuleFunction | undefined {
    const { names, ends } = this.#head;
    const at = names.indexOf(name);
    if (at < 0) return undefined;
    return { parameters: 1, body: new Bytes().copy(this.#code.subarray(at === 0 ? 0 : ends[at - 1], ends[at])) };
  }
}

/** What stands beside this file; undefined where there is none. */
// `here` is a name of its own: were both in one call, bundlers would put the file among those of a page.
export function readPrebuilt(here = import.meta.url): Prebuilt | undefined {
  try {
    const file = fileSystem()?.readFileSync(new URL('./kernels.bin', here));
    return file === undefined ? undefined : new Prebuilt(file);
  } catch {
    // In the sources, or put into a bundle.
    return undefined;
  }
}
