// Run by loss.test.ts in a process with little memory: what becomes of batches that do not fit. Prints JSON.

import { gpuAssembly, gpuBatch, openGpu } from '../../../dist/engines/gpu/index.js';
import { State } from '../../../dist/index.js';
import { builtinMechanism } from '../../../dist/models/index.js';

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

const human = builtinMechanism('human-34');
tight = true;
const failed = await gpuBatch(human, { states: 600, gpu, fallback: 'error' }).then(
  () => ({ code: 'none' }),
  ({ code, message }) => ({ code, message }),
);
const left = living.size;
tight = false;

const chain = builtinMechanism('chain-5');
const batch = await gpuBatch(chain, { states: 64, gpu, fallback: 'error', specialise: 'never' });
batch.setState(3, State.random(chain, 1));
await batch.forward();
const { dynamics } = await import('../../../dist/index.js');
const expected = dynamics(chain, { engine: 'plain' }).forward(State.random(chain, 1), new Float64Array(5));
const small = Math.max(...expected.map((x, k) => Math.abs(x - batch.qdd[batch.at('qdd', k, 3)])));
batch.dispose();

// Made while there was memory; a rollout needs more of it.
const states = 600;
const strict = await gpuBatch(human, { states, gpu, fallback: 'error', specialise: 'never' });
const lasting = await gpuBatch(human, { states, gpu, fallback: 'error', specialise: 'never', onLoss: 'cpu' });
tight = true;
const refused = await strict.rollout({ steps: 1, step: 1e-3 }).then(
  () => ({ code: 'none' }),
  ({ code, message }) => ({ code, message }),
);
const leaked = oversized.size;
await lasting.rollout({ steps: 1, step: 1e-3 });

const told = [];
const other = await gpuBatch(human, { states, gpu, onFallback: (reason) => told.push(reason) });
other.setState(0, new State(human));
await other.forward();
const why = [];
const assembly = await gpuAssembly(builtinMechanism('chain-512'), { gpu, onFallback: (reason) => why.push(reason) });
console.log(
  JSON.stringify({
    failed,
    left,
    small,
    fallback: { where: other.where, told, first: Number(Number.isFinite(other.qdd[other.at('qdd', 0, 0)])) },
    assembly: { where: assembly.where, told: why },
    rollout: { ...refused, leaked, where: lasting.where },
  }),
);
process.exit(0);
