// Kernels made when the package is built are those that would be made now.

import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ANGLE_KERNEL, emitAngleKernel, emitKernel } from '../../../src/engines/wasm/kernel-store.js';
import { Prebuilt, readPrebuilt } from '../../../src/engines/wasm/prebuilt.js';
import { type KernelKey, kernelName, PASSES } from '../../../src/formulas/kernels.js';

const FILE = new URL('../../../dist/engines/wasm/kernels.bin', import.meta.url);
const BOTH = [false, true];

describe('kernels made beforehand', () => {
  it('have the bytes that the emitter gives', () => {
    if (!existsSync(FILE)) throw new Error('dist is missing: run "npm run build" first');
    const prebuilt = new Prebuilt(new Uint8Array(readFileSync(FILE)));
    const { made, constants } = emitAngleKernel();
    expect(prebuilt.constants).toEqual(constants);
    expect(prebuilt.kernel(ANGLE_KERNEL)!.body.view()).toEqual(made.body.view());
    const seen = new Set<string>();
    for (const pass of PASSES.forward)
      for (const type of ['revolute', 'spherical', 'floating', 'prismatic'] as const)
        for (const rotation of ['none', 'yzx', 'zxy', 'any'] as const)
          for (const [grounded, parentRests, leaf, first] of BOTH.flatMap((a) =>
            BOTH.flatMap((b) => BOTH.flatMap((c) => BOTH.map((d) => [a, b, c, d] as const))),
          )) {
            const key: KernelKey = {
              type,
              rotation,
              armature: false,
              negative: type === 'revolute' && leaf,
              grounded,
              parentRests,
              leaf,
              first,
            };
            const name = kernelName(pass, key);
            const kernel = prebuilt.kernel(name);
            if (kernel === undefined || seen.has(name)) continue;
            seen.add(name);
            expect(kernel.body.view(), name).toEqual(emitKernel(pass, key).body.view());
          }
    expect(seen.size).toBeGreaterThan(60);
    expect([...seen].some((name) => name.includes('prismatic'))).toBe(false);
  });

  it('a missing file is no fault', () => {
    expect(readPrebuilt()).toBeInstanceOf(Prebuilt);
    expect(readPrebuilt(import.meta.url)).toBeUndefined();
  });
});
