// Whether this machine has fused multiply-add for vectors (relaxed SIMD), found by trying it.

import * as B from '../../emit/bytes.js';
import { encodeModule } from '../../emit/module.js';
import { Store } from './store.js';
import { webAssembly } from './webassembly.js';

let known: boolean | undefined;

/**
 * True where a * b + c is computed with one rounding. Engines without the instruction refuse the module; on processors
 * without it the product is rounded first.
 */
export function fusedIsExact(): boolean {
  known ??= probe();
  return known;
}

function probe(): boolean {
  // memory[48] = memory[0] * memory[16] + memory[32]
  const body = new B.Bytes().bytes(0, B.I32_CONST, 48);
  for (const at of [0, 16, 32]) body.bytes(B.I32_CONST, at, B.SIMD, B.V128_LOAD, 3, 0);
  body.byte(B.SIMD).unsigned(B.RELAXED_MADD).bytes(B.SIMD, B.V128_STORE, 3, 0, B.END);
  const bytes = encodeModule({ functions: [{ parameters: 0, body, name: 'run' }], memoryBytes: 64 });
  if (!webAssembly().validate(bytes)) return false;
  const store = new Store(64);
  const numbers = store.numbers(0, 8);
  // (1 + e)(1 - e) - 1 = -e^2, which a rounded product loses.
  const e = 2 ** -30;
  numbers.set([1 + e, 1 + e, 1 - e, 1 - e, -1, -1]);
  store.instantiate(new (webAssembly().Module)(bytes)).run();
  return numbers[6] === -(e * e) && numbers[7] === -(e * e);
}
