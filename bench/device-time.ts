// How long a device takes.

import type { OpenGpu } from '#src/engines/gpu/device.js';
import { type Bound, encode, USAGE } from '#src/engines/gpu/pipeline.js';

const MAP_READ = 1;

export interface DeviceTime {
  /** Seconds of one run by the device's clock, by the host's where it has none. */
  readonly device: number;
  /** By the host's clock. */
  readonly wall: number;
}

/** Runs kernels one after the other, `times` times, on what is in the device's memory. */
export async function timeOf(gpu: OpenGpu, kernels: readonly Bound[], times: number): Promise<DeviceTime> {
  const { device, timestamps } = gpu;
  const set = timestamps ? device.createQuerySet({ type: 'timestamp', count: 2 }) : undefined;
  const resolved = device.createBuffer({ size: 16, usage: USAGE.queryResolve | USAGE.copySource });
  const read = device.createBuffer({ size: 16, usage: USAGE.mapRead | USAGE.copyTarget });
  try {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass(
      set && { timestampWrites: { querySet: set, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 } },
    );
    for (let k = 0; k < times; k++) for (const kernel of kernels) encode(pass, kernel);
    pass.end();
    if (set !== undefined) {
      encoder.resolveQuerySet(set, 0, 2, resolved, 0);
      encoder.copyBufferToBuffer(resolved, 0, read, 0, 16);
    }
    const commands = encoder.finish();
    const start = performance.now();
    device.queue.submit([commands]);
    await device.queue.onSubmittedWorkDone();
    const wall = (performance.now() - start) / 1e3 / times;
    if (set === undefined) return { device: wall, wall };
    await read.mapAsync(MAP_READ);
    const [from, to] = new BigUint64Array(read.getMappedRange());
    return { device: Number(to - from) / 1e9 / times, wall };
  } finally {
    set?.destroy();
    resolved.destroy();
    read.destroy();
  }
}
