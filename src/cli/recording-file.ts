import type { RecordingSink } from '../recording/recorder.js';
import { OutputFile } from './output-file.js';

/** A recording that stands in its place from its first chunk on, so that what was written before a crash is there. */
export class RecordingFile implements RecordingSink {
  readonly path: string;
  readonly #file: OutputFile;

  constructor(path: string) {
    this.path = path;
    this.#file = new OutputFile(path);
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#told(() => {
      this.#file.write(bytes);
      this.#file.appear();
    });
  }

  /** All of it is written. */
  finish(): void {
    this.#told(() => this.#file.finish());
  }

  /** What is written stays. */
  close(): void {
    this.#file.abandon();
  }

  #told(act: () => void): void {
    try {
      act();
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      const reason = message.replace(/^The file "[^"]*" could not be written: |\.$/g, '');
      const told = new Error(
        `The recording "${this.path}" could not be written on: ${reason}. What came before is in it.`,
      );
      throw Object.assign(told, { code, syscall: 'write' });
    }
  }
}
