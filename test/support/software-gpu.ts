// SwiftShader, the Vulkan device in software that Debian's chromium package brings. vitest.config.ts names its driver file
// before the processes of the tests start: the Vulkan loader reads that only once.

// @ts-expect-error A module of plain JavaScript, which programs of tests load, too.
import { askLessOften } from './ask-less-often.mjs';
import { SOFTWARE_GPU } from './software-gpu-files.js';

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
