// What is wrong with a file, with the lines around it.

import type { FileProblem } from './protocol.js';

/** Of a text that is shown: bytes that are read, lines before and after, letters of a line. */
const [MOST_TEXT, AROUND, LONGEST] = [4 * 1024 * 1024, 3, 300];

export type Files = ReadonlyMap<string, Uint8Array>;

/** A problem with the lines around it. */
export function inText({ where, message }: FileProblem, files: Files): FileProblem {
  const [, path, number] = /^(.+?):(\d+)(?::\d+)?$/.exec(where) ?? [];
  const bytes = path === undefined ? undefined : read(files, path);
  if (bytes === undefined) return { where, message };
  const line = Number(number);
  const lines = new TextDecoder().decode(bytes.subarray(0, MOST_TEXT)).split('\n');
  const from = Math.max(0, line - 1 - AROUND);
  const text = lines.slice(from, line + AROUND).map((own, k) => [from + k + 1, own.slice(0, LONGEST)] as const);
  return { where, message, line, text };
}

/** The file at a path; files that were dropped one by one have lost their folders. */
export function read(files: Files, path: string): Uint8Array | undefined {
  const name = (full: string): string => full.slice(full.lastIndexOf('/') + 1);
  return files.get(path) ?? [...files].find(([other]) => name(other) === name(path))?.[1];
}
