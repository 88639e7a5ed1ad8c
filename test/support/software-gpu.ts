// SwiftShader, the Vulkan device in software that Debian's chromium package brings. vitest.config.ts names its driver file
// before the processes of the tests start: the Vulkan loader reads that only once.

import { SOFTWARE_GPU } from './software-gpu-files.js';

/**
 * The package `webgpu` asks its device in every turn of the event loop whether it has done something, by setImmediate. Here
 * the device is the processor itself, which has better to do meanwhile.
 */
function askLessOften(): void {
  globalThis.setImmediate = ((then: (...values: unknown[]) => void, ...values: unknown[]) =>
    setTimeout(then, 1, ...values)) as unknown as typeof setImmediate;
}

/** Whether there is a device for tests; prints a line where there is none. In CI there must be. */
export function hasSoftwareGpu(): boolean {
  if (SOFTWARE_GPU !== undefined) {
    askLessOften();
    return true;
  }
  if (process.env.MANIKIN_NEEDS_BROWSER === '1') throw new Error('the software GPU of the package chromium is missing');
  console.warn('skipped: no software GPU (chromium with libvk_swiftshader.so is not installed)');
  return false;
}
