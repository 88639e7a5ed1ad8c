import { existsSync } from 'node:fs';

const FOLDER = '/usr/lib/chromium';

/** The driver file and the folder of a Vulkan loader, or undefined. */
export const SOFTWARE_GPU = existsSync(`${FOLDER}/libvk_swiftshader.so`)
  ? { driver: `${FOLDER}/vk_swiftshader_icd.json`, loader: FOLDER }
  : undefined;

/** The environment in which programs find that device, and no other. */
export const softwareGpuEnvironment = (): Record<string, string> =>
  SOFTWARE_GPU === undefined
    ? {}
    : {
        VK_ICD_FILENAMES: SOFTWARE_GPU.driver,
        VK_DRIVER_FILES: SOFTWARE_GPU.driver,
        LD_LIBRARY_PATH: [SOFTWARE_GPU.loader, process.env.LD_LIBRARY_PATH ?? ''].filter((x) => x !== '').join(':'),
      };
