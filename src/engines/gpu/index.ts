// The GPU, with WebGPU: openGpu() for a device that several users share, gpuAssembly(mechanism) for one large mechanism.
// Many states at once: batch() in src/batch.

import type { Mechanism } from '../../mechanism/mechanism.js';
import { GpuAssembly } from './assembly.js';
import { CpuAssembly, LastingAssembly } from './cpu-assembly.js';
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

/** Opens a device for what `make` makes; where that fails, what `instead` makes of the reason. */
async function onGpuOrElse<T>(
  options: FallbackOptions,
  make: (gpu: OpenGpu, close: boolean) => Promise<T>,
  instead: (reason: string) => T,
): Promise<T> {
  let gpu: OpenGpu | undefined;
  try {
    gpu = options.gpu === undefined ? await openDevice(options) : opened(options.gpu);
    return await make(gpu, options.gpu === undefined);
  } catch (error) {
    if (options.gpu === undefined) gpu?.close();
    if (options.fallback === 'error' || !(error instanceof GpuError)) throw error;
    options.onFallback?.(error.message);
    return instead(error.message);
  }
}

/** The forward dynamics of one large mechanism, on the GPU if there is one. */
export function gpuAssembly(mechanism: Mechanism, options: GpuAssemblyOptions = {}): Promise<Assembly> {
  return onGpuOrElse<Assembly>(
    options,
    async (gpu, close) => {
      const assembly = await GpuAssembly.create(gpu, mechanism, close);
      return options.onLoss === 'cpu' ? new LastingAssembly(assembly, options.onFallback) : assembly;
    },
    (reason) => new CpuAssembly(mechanism, reason),
  );
}
