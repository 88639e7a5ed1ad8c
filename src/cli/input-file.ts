import { closeSync, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { decodeText } from '../formats/decode-text.js';
import type { ModelFiles } from '../formats/model-files.js';
import { checkInputSize, MAX_INPUT_BYTES } from '../formats/size-limit.js';
import { InputError } from './errors.js';
import { interruptible } from './signals.js';

/** Reads a file that the user named: never more than is allowed, whatever the file system says of its size. */
export function readInput(file: string): Uint8Array {
  try {
    // A FIFO may stay silent for ever.
    return interruptible(() => readNow(file));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') throw new InputError(`There is no file "${file}".`);
    if (code === 'ERR_INVALID_ARG_VALUE')
      throw new InputError(`"${file.replaceAll('\0', '\\0')}" is no name of a file.`);
    if (code === 'EISDIR') throw new InputError(`"${file}" is a folder, not a file.`);
    if ((error as NodeJS.ErrnoException).syscall !== undefined)
      throw new InputError(`The file "${file}" cannot be read: ${(error as Error).message}.`);
    throw error;
  }
}

function readNow(file: string): Uint8Array {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    checkInputSize(size, file);
    return readUpToLimit(descriptor, size, file);
  } finally {
    closeSync(descriptor);
  }
}

/** The same as text. */
export function readInputText(file: string): string {
  return decodeText(readInput(file));
}

/** Devices and pipes have no size, and a file may grow while it is read. */
function readUpToLimit(descriptor: number, size: number, file: string): Uint8Array {
  let bytes = new Uint8Array(Math.max(size + 1, 1 << 16));
  let length = 0;
  for (;;) {
    const read = readSync(descriptor, bytes, length, bytes.length - length, null);
    if (read === 0) return bytes.subarray(0, length);
    length += read;
    if (length > MAX_INPUT_BYTES) checkInputSize(Number.POSITIVE_INFINITY, file);
    if (length < bytes.length) continue;
    const larger = new Uint8Array(Math.min(2 * bytes.length, MAX_INPUT_BYTES + 1));
    larger.set(bytes);
    bytes = larger;
  }
}

/**
 * The files of a root folder, for a model that is in it: nothing outside is ever opened, also not by way of symbolic links.
 */
export function filesBelow(root: string, model: string): ModelFiles {
  const top = realOf(resolve(root)) ?? resolve(root);
  const folder = relative(top, realOf(dirname(resolve(model))) ?? dirname(resolve(model)));
  if (folder.split(sep)[0] === '..') throw new InputError(`The model "${model}" is not in the root "${root}".`);
  return {
    folder: folder.split(sep).join('/'),
    read: (path) => {
      const real = realOf(resolve(top, path));
      if (real === undefined || !real.startsWith(top.endsWith(sep) ? top : top + sep)) return undefined;
      return readInput(real);
    },
  };
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
