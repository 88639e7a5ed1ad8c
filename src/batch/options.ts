// What a batch is asked for, and what it says about itself.

import type { Gpu, Memory, OpenOptions } from '../engines/gpu/index.js';
import type { BatchFunctionName } from '../engines/gpu/types.js';
import type { BatchRun } from '../engines/threads/cpu-batch.js';
import type { Torque } from '../engines/torque.js';
import type { Tier } from '../engines/wasm/code-choice.js';

export type { ArrayName, BatchFunctionName, DerivativeFunctionName, MatrixName } from '../engines/gpu/types.js';
export type { BatchRun } from '../engines/threads/cpu-batch.js';

/** Options of `batch`: how many states, and where they are computed. */
export interface BatchOptions {
  /** Number of states. */
  readonly states: number;
  /**
   * 'cpu': 64-bit numbers, all cores. 'gpu': 32-bit numbers; where there is no GPU that can do it, the CPU. 'auto' (the
   * default): the CPU, unless `precision: 'single'` says that 32 bits will do; then the GPU from AUTO_GPU_NUMBERS
   * velocities (states times nv) on. It looks at the mechanism and at the number of states, never at the clock.
   */
  readonly device?: 'auto' | 'cpu' | 'gpu';
  /** What results must be good for: 'double' (the default), or 'single', with which 'auto' may choose the GPU. */
  readonly precision?: 'double' | 'single';
  /** Threads of the CPU; 'auto' (the default) takes one for each processor, 1 leaves all work to the caller's. */
  readonly threads?: 'auto' | number;
  /** Where the GPU cannot do it, or is lost on the way: the CPU (the default), or an error. */
  readonly fallback?: 'cpu' | 'error';
  /** Told why another device or engine than the one asked for does the work. */
  readonly onFallback?: (reason: string) => void;
  /** CPU: fused multiplications and additions where there are any; faster, with bits that differ between machines. */
  readonly fused?: boolean;
  readonly gpu?: GpuChoice;
}

/** How the GPU is used. */
export interface GpuChoice extends OpenOptions {
  /** A device that is open already; it stays open when the batch is disposed of. */
  readonly device?: Gpu;
  /** Take this variant of the code (report().notes name them) instead of measuring which is fastest. */
  readonly variant?: string;
  /** Where the choice of the fastest is remembered; within this process where left out. */
  readonly memory?: Memory;
  /** 'never': only the generic kernels, which need no time to make. */
  readonly specialise?: 'background' | 'never';
}

/** A call for some of the states. */
export interface CountedRun extends BatchRun {
  /** The first so many states; all where left out. */
  readonly count?: number;
}

/** Steps of a rollout, and the forces during it. */
export interface RolloutOptions extends BatchRun {
  readonly steps: number;
  /** Seconds of a step. */
  readonly step: number;
  /** Where the joint forces come from: held(), pd(), sequence() or spline(); the array tau, held, where left out. */
  readonly torque?: Torque;
  /** Go on from where the last rollout ended: an error where q or v have been written since. */
  readonly resume?: boolean;
}

/** What runs a function: code for this mechanism, generic kernels, or readable algorithms. */
export type BatchEngine = 'compiled' | 'generic' | 'plain';

export const engineOf = (tier: Tier): BatchEngine => (tier === 'specialised' ? 'compiled' : tier);

/** What computes a batch, and why. */
export interface BatchReport {
  readonly device: 'cpu' | 'gpu';
  /** What the driver says of the GPU. */
  readonly adapter: string | undefined;
  /** Threads of the CPU. */
  readonly threads: number;
  readonly functions: readonly {
    readonly name: BatchFunctionName;
    readonly engine: BatchEngine;
    /** Why it is not the engine that was asked for. */
    readonly reason?: string;
  }[];
  /** Why another device does the work than the one asked for, code made, times of variants. */
  readonly notes: readonly string[];
  /** All of it in lines for a reader. */
  readonly text: string;
}
