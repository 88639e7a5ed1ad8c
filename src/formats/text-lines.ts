// Text files of numbers, line by line: what the readers of BVH and of OpenSim's tables share.

import { ImportError } from '../mechanism/errors.js';
import { withoutMark } from './decode-text.js';
import { quoted } from './import-log.js';
import { checkInputSize } from './size-limit.js';
import { parseNumber } from './xml.js';

/** The lines of a text with their numbers, blank ones left out. */
export class TextLines {
  readonly file: string | undefined;
  readonly #text: string;
  #offset = 0;
  #line = 0;

  constructor(text: string, file: string | undefined) {
    checkInputSize(text.length, file);
    this.file = file;
    this.#text = withoutMark(text);
  }

  /** Number of the line read last, from 1. */
  get line(): number {
    return this.#line;
  }

  /** How much text is left: nothing can declare more than fits in it. */
  get remaining(): number {
    return this.#text.length - this.#offset;
  }

  /** The next line, blank or not, without its end; undefined after the last one. */
  next(): string | undefined {
    if (this.#offset >= this.#text.length) return undefined;
    const found = this.#text.indexOf('\n', this.#offset);
    const end = found === -1 ? this.#text.length : found;
    const line = this.#text.slice(this.#offset, end);
    this.#offset = end + 1;
    this.#line++;
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }

  /** The next line that is not blank. */
  nextFilled(): string | undefined {
    for (let line = this.next(); line !== undefined; line = this.next()) if (line.trim() !== '') return line;
    return undefined;
  }

  place(line = this.#line): string {
    return this.file === undefined ? `line ${line}` : `${this.file}:${line}`;
  }

  fail(code: string, message: string, line = this.#line): never {
    throw ImportError.of(code, this.place(line), message);
  }

  /** A finite decimal number. */
  number(word: string | undefined, what: string): number {
    const value = word === undefined ? undefined : parseNumber(word);
    if (value !== undefined) return value;
    return this.fail(
      'number',
      `${what}: expected a finite number, got ${word === undefined ? 'nothing' : quoted(word)}.`,
    );
  }

  /** A whole number that is not negative. */
  count(word: string | undefined, what: string): number {
    const value = this.number(word, what);
    if (Number.isSafeInteger(value) && value >= 0) return value;
    return this.fail('number', `${what}: expected a whole number, got ${quoted(word!)}.`);
  }

  /** out[from ...] <- the numbers of a line, which must be so many. */
  numbers(out: Float64Array, from: number, text: string, count: number, what: string): void {
    const words = wordsOf(text);
    if (words.length !== count) this.fail('columns', `${what} has ${words.length} numbers, expected ${count}.`);
    for (let k = 0; k < count; k++) out[from + k] = this.number(words[k], `${what}, number ${k + 1}`);
  }
}

export function wordsOf(text: string): string[] {
  const trimmed = text.trim();
  return trimmed === '' ? [] : trimmed.split(/\s+/);
}
