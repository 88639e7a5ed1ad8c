// What users see of the GPU. Nothing here names a type of WebGPU: a program without them must compile.

import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';

/** Limits of the device, to try what smaller ones do. */
export interface OpenOptions {
  /** Bindings and buffers of at most so many bytes, however much more the adapter has. */
  readonly maxBindingBytes?: number;
  readonly maxBufferBytes?: number;
}

/** An open device, as `openGpu()` gives it. */
export interface Gpu {
  /** The GPUDevice, for users with the types of WebGPU. */
  readonly device: object;
  /** What the driver says of the adapter. */
  readonly adapter: string;
  /** Whether kernels can be timed by the device's own clock. */
  readonly timestamps: boolean;
  /** The largest part of a buffer that a kernel can see, and the largest buffer, bytes. */
  readonly maxBindingBytes: number;
  readonly maxBufferBytes: number;
  readonly maxGroups: number;
  /** Why the device was lost; undefined while it is there. */
  lost(): string | undefined;
  /** Called once, when the device is lost. */
  onLost(listener: (reason: string) => void): void;
  /** Gives the device back. */
  close(): void;
}

/** Forward dynamics of one large mechanism, wherever it is computed. */
export interface Assembly {
  readonly mechanism: Mechanism;
  readonly where: 'gpu' | 'cpu';
  /** What the driver says of the GPU; empty on the CPU. */
  readonly adapter: string;
  /** Rounds of assembly; 0 on the CPU. */
  readonly rounds: number;
  /** Seconds that the device took for the last call, by its own clock; NaN where it has none. */
  readonly deviceSeconds: number;
  /** Accelerations under the joint forces tau, without joint forces where left out. */
  forward(state: State, tau?: Float64Array): Promise<Float64Array>;
  /** What computes, in a sentence. */
  explain(): string;
  /** Frees memory and device. */
  dispose(): void;
}

/** Where choices are remembered: a Map, or something that lasts, like a file or localStorage. */
export interface Memory {
  /** What was kept under this key. */
  get(key: string): string | undefined;
  /** Keeps a value. */
  set(key: string, value: string): unknown;
}

/** The arrays of a batch, one state per row. */
export type ArrayName = 'q' | 'v' | 'tau' | 'qdd';

/** Matrices of derivatives, nv x nv numbers for each state, row major: results only. */
export type MatrixName = 'dq' | 'dv' | 'dtau';

/** Derivatives of dynamics. */
export type DerivativeFunctionName = 'inverseDerivatives' | 'forwardDerivatives';

/** What a batch computes. */
export type BatchFunctionName = 'forward' | 'inverse' | 'rollout' | DerivativeFunctionName;
