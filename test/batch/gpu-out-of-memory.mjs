// Run by gpu-loss.test.ts in a process with little memory: what becomes of batches that do not fit. Prints JSON.

import { batch } from '../../dist/batch/index.js';
import { gpuAssembly, openGpu } from '../../dist/engines/gpu/index.js';
import { State } from '../../dist/index.js';
import { builtinMechanism } from '../../dist/models/index.js';
import { askLessOften } from '../support/ask-less-often.mjs';

askLessOften();
const gpu = await openGpu();
const { device } = gpu;

/** Buffers that are there, and those of them that were made too large. */
const living = new Set();
const oversized = new Set();
/** With it, buffers from 64 kB on are as large as can be, which this process has no memory for. */
let tight = false;
const create = device.createBuffer.bind(device);
device.createBuffer = (descriptor) => {
  const large = tight && descriptor.size >= 2 ** 16 && descriptor.mappedAtCreation !== true;
  const buffer = create(large ? { ...descriptor, size: gpu.maxBufferBytes } : descriptor);
  living.add(buffer);
  if (large) oversized.add(buffer);
  const destroy = buffer.destroy.bind(buffer);
  buffer.destroy = () => {
    living.delete(buffer);
    oversized.delete(buffer);
    destroy();
  };
  return buffer;
};

const onGpu = (mechanism, states, options = {}) =>
  batch(mechanism, { states, device: 'gpu', gpu: { device: gpu, specialise: 'never' }, ...options });

// A small mechanism: kernels for any mechanism take the driver long to compile.
const arm = builtinMechanism('chain-5');
const states = 20_000;
tight = true;
const failed = await onGpu(arm, states, { fallback: 'error' }).then(
  () => ({ code: 'none' }),
  ({ code, message }) => ({ code, message }),
);
const left = living.size;
tight = false;

const few = await onGpu(arm, 64, { fallback: 'error' });
few.setState(3, State.random(arm, 1));
await few.forward();
const { dynamics } = await import('../../dist/index.js');
const expected = dynamics(arm, { engine: 'plain' }).forward(State.random(arm, 1), new Float64Array(5));
const small = Math.max(...expected.map((x, k) => Math.abs(x - few.read('qdd')[3 * 5 + k])));
few.dispose();

// Made while there was memory; a rollout needs more of it.
const strict = await onGpu(arm, states, { fallback: 'error' });
const lasting = await onGpu(arm, states);
tight = true;
const refused = await strict.rollout({ steps: 1, step: 1e-3 }).then(
  () => ({ code: 'none' }),
  ({ code, message }) => ({ code, message }),
);
const leaked = oversized.size;
await lasting.rollout({ steps: 1, step: 1e-3 });

const told = [];
const other = await onGpu(arm, states, { onFallback: (reason) => told.push(reason) });
other.setState(0, new State(arm));
await other.forward();
const why = [];
const assembly = await gpuAssembly(builtinMechanism('chain-512'), { gpu, onFallback: (reason) => why.push(reason) });
console.log(
  JSON.stringify({
    failed,
    left,
    small,
    fallback: { where: other.device, told, first: Number(Number.isFinite(other.read('qdd')[0])) },
    assembly: { where: assembly.where, told: why },
    rollout: { ...refused, leaked, where: lasting.device },
  }),
);
process.exit(0);
