// Many states at once on the GPU, with WebGPU: gpuBatch(mechanism, { states }); one large mechanism: gpuAssembly(mechanism).

import { MechanismError } from '../../mechanism/errors.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import { reasonForPlain } from '../wasm/compiled.js';
import { type Assembly, GpuAssembly } from './assembly.js';
import { CpuAssembly, LastingAssembly } from './cpu-assembly.js';
import { CpuBatch } from './cpu-batch.js';
import { type Gpu, type OpenOptions, openGpu } from './device.js';
import type { EngineOptions } from './engine.js';
import { GpuError } from './errors.js';
import { GpuBatch } from './gpu-batch.js';
import type { StateBatch } from './state-batch.js';

export { type Assembly, GpuAssembly } from './assembly.js';
export type { Memory } from './choose.js';
export { type Gpu, type OpenOptions, openGpu } from './device.js';
export { GpuError, type GpuErrorCode } from './errors.js';
export type { ArrayName, BatchTask, RolloutOptions, StateBatch } from './state-batch.js';
export type { HeldTorque, PdTorque, SequenceTorque, SplineTorque, Torque } from './torque.js';

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

export interface GpuBatchOptions extends EngineOptions, FallbackOptions {
  /** Number of states. */
  readonly states: number;
}

export type GpuAssemblyOptions = FallbackOptions;

/** Opens a device for what `make` makes; where that fails, what `instead` makes of the reason. */
async function onGpuOrElse<T>(
  options: FallbackOptions,
  make: (gpu: Gpu, close: boolean) => Promise<T>,
  instead: (reason: string) => T,
): Promise<T> {
  let gpu: Gpu | undefined;
  try {
    gpu = options.gpu ?? (await openGpu(options));
    return await make(gpu, options.gpu === undefined);
  } catch (error) {
    if (options.gpu === undefined) gpu?.close();
    if (options.fallback === 'error' || !(error instanceof GpuError)) throw error;
    options.onFallback?.(error.message);
    return instead(error.message);
  }
}

/** A batch of states of a mechanism, on the GPU if there is one. */
export function gpuBatch(mechanism: Mechanism, options: GpuBatchOptions): Promise<StateBatch> {
  const { states } = options;
  if (!Number.isInteger(states) || states < 1)
    return Promise.reject(
      MechanismError.of('states', 'states', `Expected a positive number of states, got ${states}.`),
    );
  return onGpuOrElse<StateBatch>(
    options,
    (gpu, close) => {
      const plain = reasonForPlain(mechanism);
      if (plain !== undefined) throw new GpuError('mechanism', plain);
      if (mechanism.nv === 0) throw new GpuError('mechanism', 'nothing in this mechanism can move.');
      return GpuBatch.create(gpu, mechanism, states, options, close);
    },
    (reason) => new CpuBatch(mechanism, states, reason),
  );
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
