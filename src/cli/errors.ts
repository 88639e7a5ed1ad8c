import { CommanderError } from 'commander';
import { ImportError, MechanismError, SimulationError } from '../mechanism/errors.js';
import { ScheduleError } from '../schedule/errors.js';

/** Bad input or usage: exit code 2. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

export const EXIT_GOOD = 0;
export const EXIT_FAILED = 1;
export const EXIT_BAD_INPUT = 2;
/** What a shell expects of a program that a signal ended: 128 and its number. */
const EXIT_BY_SIGNAL = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly code: number;

  constructor(signal: keyof typeof EXIT_BY_SIGNAL = 'SIGINT') {
    super(signal === 'SIGINT' ? 'Interrupted.' : `Ended by ${signal}.`);
    this.code = EXIT_BY_SIGNAL[signal];
  }
}

/** The exit code for an error, and what to tell the user about it. Errors that are no fault of the input keep their stack. */
export function explain(error: unknown): { code: number; message: string } {
  if (error instanceof Interrupted) return { code: error.code, message: error.message };
  // What an AbortSignal throws that was aborted without a reason of ours.
  if (error instanceof Error && error.name === 'AbortError') return explain(new Interrupted());
  if (error instanceof CommanderError)
    // Commander has printed its message already.
    return { code: error.exitCode === 0 ? EXIT_GOOD : EXIT_BAD_INPUT, message: '' };
  if (error instanceof ScheduleError) return { code: EXIT_BAD_INPUT, message: `Error: ${error.message}` };
  if (error instanceof InputError || error instanceof ImportError || error instanceof MechanismError)
    return { code: EXIT_BAD_INPUT, message: `Error: ${error.message}` };
  if (error instanceof SimulationError) return { code: EXIT_FAILED, message: `Error: ${error.message}` };
  if (
    error instanceof RangeError &&
    /allocation failed|[Ii]nvalid (typed )?array length|string length/.test(error.message)
  )
    return { code: EXIT_FAILED, message: `Error: This is more than fits into memory (${error.message}).` };
  // The system refused something: a full disk, too many files.
  if (error instanceof Error && 'syscall' in error) return { code: EXIT_FAILED, message: `Error: ${error.message}` };
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: EXIT_FAILED, message: `Unexpected error. Please report it.\n${text}` };
}
