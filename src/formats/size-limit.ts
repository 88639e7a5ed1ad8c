import { ImportError } from '../mechanism/errors.js';

/** Larger files are refused unread: the largest robots known are a few megabytes. */
export const MAX_INPUT_BYTES = 64 * 1024 * 1024;

/**
 * Refuses what is too large. Give it the size that the file system tells, before reading the file; the readers of this
 * folder call it again with the length of their text. Infinity stands for more than the limit, nobody knows how much.
 */
export function checkInputSize(bytes: number, file?: string, limit = MAX_INPUT_BYTES): void {
  if (bytes <= limit) return;
  const mib = (size: number): string => `${Number((size / 1024 / 1024).toFixed(1))} MiB`;
  const size = Number.isFinite(bytes) ? `${bytes} bytes (${mib(bytes)})` : `more than ${mib(limit)}`;
  const message = `The input has ${size}; at most ${mib(limit)} are read.`;
  throw ImportError.of('too-large', file ?? '', message);
}
