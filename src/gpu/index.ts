// Many states at once on the GPU, with WebGPU: gpuBatch(mechanism, { states }).

import { reasonForPlain } from '../compile/compiled.js';
import { MechanismError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { CpuBatch } from './cpu-batch.js';
import { type Gpu, type OpenOptions, openGpu } from './device.js';
import type { EngineOptions } from './engine.js';
import { GpuError } from './errors.js';
import { GpuBatch } from './gpu-batch.js';
import type { StateBatch } from './state-batch.js';

export { GpuAssembly, type GpuAssemblyOptions, gpuAssembly } from './assembly.js';
export type { Memory } from './choose.js';
export { type Gpu, type OpenOptions, openGpu } from './device.js';
export { GpuError, type GpuErrorCode } from './errors.js';
export type { ArrayName, BatchTask, RolloutOptions, StateBatch } from './state-batch.js';
export type { HeldTorque, PdTorque, SequenceTorque, SplineTorque, Torque } from './torque.js';

export interface GpuBatchOptions extends EngineOptions, OpenOptions {
  /** Number of states. */
  readonly states: number;
  /** Where there is no GPU that can do it: the CPU (the default), or an error. */
  readonly fallback?: 'cpu' | 'error';
  /** Told, once, why the CPU is used. */
  readonly onFallback?: (reason: string) => void;
  /** A device that is open already; it stays open when the batch is disposed of. */
  readonly gpu?: Gpu;
}

/** A batch of states of a mechanism, on the GPU if there is one. */
export async function gpuBatch(mechanism: Mechanism, options: GpuBatchOptions): Promise<StateBatch> {
  const { states, fallback = 'cpu', onFallback } = options;
  if (!Number.isInteger(states) || states < 1)
    throw MechanismError.of('states', 'states', `Expected a positive number of states, got ${states}.`);
  const plain = reasonForPlain(mechanism);
  let gpu: Gpu | undefined;
  try {
    if (plain !== undefined) throw new GpuError('mechanism', plain);
    if (mechanism.nv === 0) throw new GpuError('mechanism', 'nothing in this mechanism can move.');
    gpu = options.gpu ?? (await openGpu(options));
    return await GpuBatch.create(gpu, mechanism, states, options, options.gpu === undefined);
  } catch (error) {
    if (options.gpu === undefined) gpu?.close();
    if (fallback === 'error' || !(error instanceof GpuError)) throw error;
    onFallback?.(error.message);
    return new CpuBatch(mechanism, states, error.message);
  }
}
