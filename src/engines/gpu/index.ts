// The GPU, with WebGPU: openGpu() for a device that several users share, gpuAssembly(mechanism) for one large mechanism.
// Many states at once: batch() in src/batch.

import type { Mechanism } from '../../mechanism/mechanism.js';
import { GpuAssembly } from './assembly.js';
import { LastingAssembly } from './cpu-assembly.js';
import { type OpenGpu, openGpu as openDevice, opened } from './device.js';
import { GpuError } from './errors.js';
import type { Assembly, Gpu, OpenOptions } from './types.js';

export { GpuError, type GpuErrorCode } from './errors.js';
export type { Assembly, Gpu, Memory, OpenOptions } from './types.js';

/** Opens the GPU: a device that several users share. */
export function openGpu(options: OpenOptions = {}): Promise<Gpu> {
  return openDevice(options);
}

/** What is done where the GPU cannot do it. */
export interface FallbackOptions extends OpenOptions {
  /** Where there is no GPU that can do it: the CPU (the default), or an error. */
  readonly fallback?: 'cpu' | 'error';
  /**
   * When the device is lost: an error (the default), or the CPU finishes the call that was under way and does all later
   * ones. Inputs are kept on the host for that, which costs a batch one copy of its arrays in each call.
   */
  readonly onLoss?: 'error' | 'cpu';
  /** Told, once, why the CPU is used. */
  readonly onFallback?: (reason: string) => void;
  /** A device that is open already; it stays open when the batch or assembly is disposed of. */
  readonly gpu?: Gpu;
}

/** Options of `gpuAssembly`. */
export type GpuAssemblyOptions = FallbackOptions;

/** The forward dynamics of one large mechanism, on the GPU if there is one. */
export async function gpuAssembly(mechanism: Mechanism, options: GpuAssemblyOptions = {}): Promise<Assembly> {
  const { gpu: given, fallback, onLoss, onFallback } = options;
  let gpu: OpenGpu | undefined;
  try {
    gpu = given === undefined ? await openDevice(options) : opened(given);
    const assembly = await GpuAssembly.create(gpu, mechanism, given === undefined);
    return onLoss === 'cpu' ? new LastingAssembly(mechanism, assembly, onFallback) : assembly;
  } catch (error) {
    if (given === undefined) gpu?.close();
    if (fallback === 'error' || !(error instanceof GpuError)) throw error;
    onFallback?.(error.message);
    return new LastingAssembly(mechanism, error.message);
  }
}
