// What an environment and its threads say to each other: the start by a message, then words in shared memory.

import { SimulationError } from '../mechanism/errors.js';
import type { EnvironmentArrays, EnvironmentCopies } from './environment-copies.js';
import type { Scene } from './scene.js';

// Places in the shared integers: how often something was asked for, what, with which seed; then for each thread how often it answered,
// and how many bytes of text it left.
export const ASKED = 0;
export const WHAT = 1;
export const SEED = 2;
export const THREADS = 3;
export const ANSWERED = 0;
export const TEXT = 1;
export const PER_THREAD = 2;

/** What is asked for. */
export const RESET = 0;
export const STEP = 1;
export const END = 2;

/** Room for what a thread has to tell, bytes. */
export const TEXT_ROOM = 1 << 16;

/** The first message to a thread: its share of the copies. */
export interface EnvironmentShare {
  readonly scene: Scene;
  /** Address of the module with the task. */
  readonly task: string;
  readonly copies: number;
  readonly first: number;
  readonly end: number;
  readonly arrays: EnvironmentArrays;
  readonly control: Int32Array;
  /** Place of its own integers in `control`. */
  readonly own: number;
  readonly text: Uint8Array;
}

/** The answer to it: undefined, or what went wrong. */
export interface EnvironmentReady {
  readonly error: string | undefined;
}

interface Told {
  readonly error?: string;
  readonly failures: readonly (readonly [number, string, string, string?, string?, number?])[];
}

/** Failures of copies, or an error that stopped the thread's share, as text; empty where all is well. */
export function formatTold({ failures }: EnvironmentCopies, error: unknown): string {
  if (failures.size === 0 && error === undefined) return '';
  const list = [...failures].map(
    ([k, { code, message, body, joint, time }]) => [k, code, message, body, joint, time] as const,
  );
  return JSON.stringify({ failures: list, ...(error !== undefined && { error: String(error) }) });
}

/** The same read again. */
export function parseTold(text: string): { readonly error?: string; readonly failures: [number, SimulationError][] } {
  const { failures, ...rest } = JSON.parse(text) as Told;
  return {
    ...rest,
    failures: failures.map(([k, code, message, body, joint, time]) => [
      k,
      new SimulationError(code, message, {
        ...(body && { body }),
        ...(joint && { joint }),
        ...(typeof time === 'number' && { time }),
      }),
    ]),
  };
}
