// A run as it travels to threads and through queues: its data, and the files that belong to it by their digests. Whoever gets one
// checks it like a file from a stranger.

import { createHash } from 'node:crypto';
import { ImportLog } from '../../formats/import-log.js';
import type { ModelFiles } from '../../formats/model-files.js';
import { ImportError, MechanismError, SimulationError } from '../../mechanism/errors.js';
import { SchemaCheck } from '../../scenes/check-schema.js';
import { type JsonSchema, object, text } from '../../scenes/schema.js';
import { canonicalJson, parseRunInput, type RunInput } from '../../sweep/run-input.js';

export interface RunJob {
  readonly format: 1;
  /** Of the program: another one may give other numbers. */
  readonly version: string;
  readonly input: RunInput;
  /** SHA-256 of every file that the run reads, by its path within the root. */
  readonly files: Readonly<Record<string, string>>;
}

export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** The name of a run's result: it depends on what goes into the run, and on nothing else. */
export const keyOf = (job: RunJob): string => sha256(canonicalJson(job)).slice(0, 32);

export const isKey = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

const MAX_FILES = 10_000;

const JOB_SCHEMA: JsonSchema = object(
  {
    format: { type: 'integer', minimum: 1, maximum: 1 },
    version: text,
    input: { type: 'object' },
    files: {
      type: 'object',
      maxProperties: MAX_FILES,
      additionalProperties: { type: 'string', minLength: 64, maxLength: 64 },
    },
  },
  ['format', 'version', 'input', 'files'],
);

/** Checks a job of any origin. */
export function parseJob(data: unknown): RunJob {
  const log = new ImportLog('job');
  new SchemaCheck(JOB_SCHEMA, log).check(data);
  log.throwIfBroken();
  const job = data as RunJob;
  return { ...job, input: parseRunInput(job.input, 'job') };
}

/** The files of a job and no others, as they were when the sweep was planned. */
export function filesOfJob({ files }: RunJob, root: ModelFiles): ModelFiles {
  const digests = new Map(Object.entries(files));
  return {
    folder: '',
    read: (path) => {
      const digest = digests.get(path);
      if (digest === undefined) return undefined;
      const bytes = root.read(path);
      if (bytes === undefined) throw ImportError.of('file', '', `There is no file "${path}" in the root; see --root.`);
      if (sha256(bytes) !== digest)
        throw ImportError.of('file', '', `The file "${path}" is not the one that the sweep was planned with.`);
      return bytes;
    },
  };
}

const LONGEST_FAULT = 500;

/** Why a run failed, on one line; nothing that a terminal obeys. */
export function oneLine(error: unknown): string {
  const problems = error instanceof ImportError || error instanceof MechanismError ? error.problems : [];
  const message = error instanceof Error ? error.message : String(error);
  const told =
    problems.length < 2
      ? message
      : problems.map(({ where, message: what }) => (where === '' ? what : `${where}: ${what}`)).join(' ');
  return plainLine(told);
}

export function plainLine(message: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to keep out
  const line = message.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim();
  return line.length > LONGEST_FAULT ? `${line.slice(0, LONGEST_FAULT)}...` : line;
}

/** Whether a run that failed so would fail everywhere; files may be there elsewhere. */
export function isPermanent(error: unknown): boolean {
  if (error instanceof SimulationError || error instanceof MechanismError) return true;
  return error instanceof ImportError && !error.problems.some(({ code }) => code === 'file');
}
