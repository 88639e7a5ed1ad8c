// What a reader has to say about its input: problems, which end the import, and warnings, which go with the result.

import { ImportError, type Problem } from '../mechanism/errors.js';
import { nearNames } from '../mechanism/near-names.js';

/** After so many problems reading ends: a hostile file must not fill time and memory with its own faults. */
const MAX_PROBLEMS = 1000;

export class ImportLog {
  readonly file: string | undefined;
  readonly warnings: Problem[] = [];
  /** Parts of the model were left out: what refers to them is left out as well, where it would be a problem otherwise. */
  incomplete = false;
  readonly #problems: Problem[] = [];

  constructor(file: string | undefined) {
    this.file = file;
  }

  error(code: string, where: string, message: string): void {
    this.#problems.push({ code, where, message });
    if (this.#problems.length < MAX_PROBLEMS) return;
    this.#problems.push({ code: 'too-many', where: '', message: 'After so many problems the rest was not looked at.' });
    this.throwIfBroken();
  }

  warn(code: string, where: string, message: string): void {
    this.warnings.push({ code, where, message });
  }

  get broken(): boolean {
    return this.#problems.length > 0;
  }

  throwIfBroken(): void {
    if (this.broken) throw new ImportError(this.#problems, `${this.file ?? 'The text'} cannot be read`);
  }
}

const LONGEST_QUOTE = 60;

/** Text from a file as it may stand in a message: in quotes, on one line, not too long, nothing a terminal obeys. */
export function quoted(text: string): string {
  const shown = JSON.stringify(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}...` : text);
  return shown.replace(/[\u007f-\u009f\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A list for a message: the first few, in quotes. */
export function quotedList(names: readonly string[]): string {
  const shown = names.slice(0, 8).map(quoted).join(', ');
  return names.length > 8 ? `${shown} and ${names.length - 8} more` : shown;
}

/** Among more names than this none is looked for: a file may have a thousand such problems. */
const MOST_NAMES = 1000;

/** " Did you mean ...?" behind the sentence about a name that is not there; names of a file, known as they are written there. */
export function nearHint(name: string, known: Iterable<string>): string {
  const names = [...known];
  if (names.length > MOST_NAMES || name.length > LONGEST_QUOTE) return '';
  return ` ${nearNames(
    name,
    names.filter((one) => one !== '' && quoted(one) === `"${one}"`),
  )}`;
}
