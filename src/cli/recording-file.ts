import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RecordingSink } from '../recording/recorder.js';
import { InputError } from './errors.js';
import { writeAll } from './output-file.js';

/** A recording that is written in place, chunk by chunk, so that what was written before a crash is there. */
export class RecordingFile implements RecordingSink {
  readonly path: string;
  #descriptor: number | undefined;

  constructor(path: string) {
    this.path = path;
    try {
      mkdirSync(dirname(path), { recursive: true });
      this.#descriptor = openSync(path, 'w');
    } catch (error) {
      throw new InputError(`The file "${path}" cannot be written: ${(error as Error).message}.`);
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      writeAll(this.#descriptor!, bytes);
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      const told = new Error(
        `The recording "${this.path}" could not be written on: ${message}. What came before is in it.`,
      );
      throw Object.assign(told, { code, syscall: 'write' });
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
