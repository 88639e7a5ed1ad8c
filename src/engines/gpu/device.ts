// The GPU: WebGPU of the browser, or of the npm package `webgpu` in Node.

/// <reference types="@webgpu/types" />

import { GpuError } from './errors.js';
import type { Gpu, OpenOptions } from './types.js';

/** An open device with its object of WebGPU. */
export interface OpenGpu extends Gpu {
  readonly device: GPUDevice;
}

/**
 * Options of Dawn, which the package `webgpu` brings. Our kernels stay within their buffers by construction, so the
 * driver need not check every access; and times need no rounding.
 */
const DAWN = [
  'enable-dawn-features=allow_unsafe_apis,disable_robustness,disable_workgroup_init',
  'disable-dawn-features=timestamp_quantization',
];

async function findGpu(): Promise<GPU> {
  const own = (globalThis as { navigator?: { gpu?: GPU } }).navigator?.gpu;
  if (own !== undefined && own !== null) return own;
  if ((globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node === undefined)
    throw new GpuError('no-webgpu', 'This browser has no WebGPU (navigator.gpu is missing).');
  let dawn: typeof import('webgpu');
  try {
    // By a name that bundlers for pages do not look for: only Node needs it.
    const name = 'webgpu';
    dawn = await import(/* webpackIgnore: true */ /* @vite-ignore */ name);
  } catch (error) {
    throw new GpuError('no-webgpu', 'Node needs the package "webgpu" for this: npm install webgpu.', { cause: error });
  }
  return dawn.create(DAWN);
}

/** A device that a user holds: every one comes from `openGpu()`. */
export const opened = (gpu: Gpu): OpenGpu => gpu as OpenGpu;

/** One GPU object for the process: the package's must not be collected while a device lives. */
let known: Promise<GPU> | undefined;

/** Opens the GPU: WebGPU of the browser, or of the package "webgpu" in Node. */
export async function openGpu(options: OpenOptions = {}): Promise<OpenGpu> {
  known ??= findGpu();
  let gpu: GPU;
  try {
    gpu = await known;
  } catch (error) {
    known = undefined;
    throw error;
  }
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (adapter === null)
    throw new GpuError(
      'no-adapter',
      'WebGPU finds no adapter: no GPU, or no driver that it can use (Vulkan, Metal, D3D12).',
    );
  const { limits, features } = adapter;
  const timestamps = features.has('timestamp-query');
  let device: GPUDevice;
  try {
    device = await adapter.requestDevice({
      requiredFeatures: timestamps ? ['timestamp-query'] : [],
      requiredLimits: {
        maxBufferSize: limits.maxBufferSize,
        maxStorageBufferBindingSize: limits.maxStorageBufferBindingSize,
        maxComputeWorkgroupStorageSize: limits.maxComputeWorkgroupStorageSize,
        maxComputeInvocationsPerWorkgroup: limits.maxComputeInvocationsPerWorkgroup,
        maxComputeWorkgroupSizeX: limits.maxComputeWorkgroupSizeX,
      },
    });
  } catch (error) {
    throw new GpuError('no-device', `The adapter gives no device: ${String(error)}`, { cause: error });
  }
  let reason: string | undefined;
  const listeners: ((reason: string) => void)[] = [];
  void device.lost.then((info) => {
    reason = info.message === '' ? info.reason : info.message;
    for (const listener of listeners) listener(reason);
  });
  const { vendor, architecture, device: model, description } = adapter.info;
  return {
    device,
    adapter: [vendor, architecture, model, description].filter((text) => text !== '').join(' '),
    timestamps,
    maxBindingBytes: Math.min(limits.maxStorageBufferBindingSize, options.maxBindingBytes ?? Infinity),
    maxBufferBytes: Math.min(limits.maxBufferSize, options.maxBufferBytes ?? Infinity),
    maxGroups: limits.maxComputeWorkgroupsPerDimension,
    lost: () => reason,
    onLost: (listener) => listeners.push(listener),
    close: () => device.destroy(),
  };
}

/** Milliseconds in which a device that was lost says so, after something has failed for it. */
const PATIENCE = 200;

/** Why the device was lost, if it was: what fails for it fails before it tells. */
export async function lossOf(gpu: OpenGpu): Promise<string | undefined> {
  if (gpu.lost() === undefined) {
    let timer: ReturnType<typeof setTimeout> | undefined;
    await Promise.race([
      gpu.device.lost,
      new Promise((resolve) => {
        timer = setTimeout(resolve, PATIENCE);
      }),
    ]);
    clearTimeout(timer);
    // Listeners to the loss come first.
    await Promise.resolve();
  }
  return gpu.lost();
}

/**
 * Runs what makes GPU objects; errors of validation and memory, which WebGPU only notes, are thrown. `advice`: what to do
 * about a lack of memory.
 */
export async function checked<T>(
  { device }: Pick<OpenGpu, 'device'>,
  what: string,
  make: () => T | Promise<T>,
  advice = '',
): Promise<T> {
  device.pushErrorScope('validation');
  device.pushErrorScope('out-of-memory');
  let made: T | undefined;
  let thrown: unknown;
  try {
    made = await make();
  } catch (error) {
    thrown = error;
  }
  const memory = await device.popErrorScope();
  const validation = await device.popErrorScope();
  if (thrown instanceof GpuError) throw thrown;
  // Buffers that are mapped from the start are refused with a RangeError.
  const refused = memory?.message ?? (thrown instanceof RangeError ? thrown.message : undefined);
  if (refused !== undefined)
    throw new GpuError(
      'memory',
      `The GPU has not enough memory for ${what}${advice === '' ? '' : `: ${advice}`} (${refused.split('\n')[0]}).`,
      { cause: thrown },
    );
  const message = validation?.message ?? (thrown === undefined ? undefined : String(thrown));
  if (message !== undefined) throw new GpuError('compile', `The GPU refuses ${what}: ${message}`, { cause: thrown });
  return made as T;
}
