// Writes dist/engines/wasm/kernels.bin (see src/engines/wasm/prebuilt.ts): code of the generic kernels that most mechanisms need,
// those of forward dynamics of trees of revolute and spherical joints, on the ground or free, without armature. The others
// are made when they are needed.
import { writeFileSync } from 'node:fs';

const dist = new URL('../dist/engines/wasm/', import.meta.url);
const { ANGLE_KERNEL, emitAngleKernel, emitKernel } = await import(new URL('kernel-store.js', dist));
const { kernelName, PASSES } = await import(new URL('../../formulas/kernels.js', dist));

const BOTH = [false, true];
const kernels = new Map();
const { made, constants } = emitAngleKernel();
kernels.set(ANGLE_KERNEL, made);
for (const pass of PASSES.forward)
  for (const type of ['revolute', 'spherical', 'floating'])
    for (const rotation of ['none', 'yzx', 'zxy', 'any'])
      for (const grounded of BOTH)
        for (const parentRests of BOTH)
          for (const leaf of BOTH)
            for (const first of BOTH)
              for (const negative of BOTH) {
                if ((grounded && (parentRests || first)) || (negative && type !== 'revolute')) continue;
                const key = { type, rotation, armature: false, negative, grounded, parentRests, leaf, first };
                const name = kernelName(pass, key);
                if (!kernels.has(name)) kernels.set(name, emitKernel(pass, key));
              }
const ends = [];
let length = 0;
for (const { body } of kernels.values()) {
  length += body.length;
  ends.push(length);
}
const head = Buffer.from(JSON.stringify({ names: [...kernels.keys()], ends, constants }));
const size = Buffer.alloc(4);
size.writeUInt32LE(head.length);
const code = [...kernels.values()].map(({ body }) => body.view());
writeFileSync(new URL('kernels.bin', dist), Buffer.concat([size, head, ...code]));
