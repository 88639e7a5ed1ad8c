// Files that runs name: paths within the root that the caller chose.

import { filePath, type ModelFiles } from '../formats/model-files.js';
import { ImportError } from '../mechanism/errors.js';

/** For names that are paths within the root already. */
export const rootOf = (files: ModelFiles): ModelFiles => ({ folder: '', read: (path) => files.read(path) });

/** The file of that name, which must be there. */
export function readFile(name: string, files: ModelFiles): { bytes: Uint8Array; path: string } {
  const found = filePath(name, [files.folder ?? '']);
  if ('expected' in found) throw ImportError.of('file', '', `Expected ${found.expected}, got "${name}".`);
  const bytes = files.read(found.path);
  if (bytes === undefined) throw ImportError.of('file', '', `There is no file "${found.path}" in the root.`);
  return { bytes, path: found.path };
}
