import { closeSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { InputError } from './errors.js';

/**
 * A file that appears whole or not at all: written beside its place, moved there at the end, removed if anything goes
 * wrong or the user stops the program.
 */
export class OutputFile {
  readonly path: string;
  readonly #part: string;
  #descriptor: number | undefined;
  #buffer: string[] = [];
  #buffered = 0;

  constructor(path: string) {
    this.path = path;
    this.#part = `${path}.part`;
    try {
      mkdirSync(dirname(path), { recursive: true });
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new Error('it is a folder');
      this.#descriptor = openSync(this.#part, 'w');
    } catch (error) {
      throw new InputError(`The file "${path}" cannot be written: ${(error as Error).message}.`);
    }
  }

  write(text: string): void {
    this.#buffer.push(text);
    this.#buffered += text.length;
    if (this.#buffered > 1 << 18) this.#flush();
  }

  #flush(): void {
    writeSync(this.#descriptor!, this.#buffer.join(''));
    this.#buffer = [];
    this.#buffered = 0;
  }

  finish(): void {
    this.#flush();
    this.#close();
    renameSync(this.#part, this.path);
  }

  /** Also after finish, which may have failed or not. */
  abandon(): void {
    this.#close();
    rmSync(this.#part, { force: true });
  }

  #close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
