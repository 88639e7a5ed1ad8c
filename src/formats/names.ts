import { quoted } from './import-log.js';

/** Why a text cannot be the name of a body or joint, or undefined. Control characters would garble messages. */
export function nameFault(name: string): string | undefined {
  if (name === '') return 'expected a name, got an empty text';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to keep out
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(name))
    return `expected a name without control characters, got ${quoted(name)}`;
  return undefined;
}

/** Gives out names that are not taken yet. */
export class NameGiver {
  readonly #taken: Set<string>;
  /** Where the search goes on when the same name is wanted again, so that many of one name cost no more than few. */
  readonly #next = new Map<string, number>();

  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }

  /** The wanted name, or the first of name_2, name_3, ... that is free. */
  give(wanted: string): string {
    let name = wanted;
    let k = this.#next.get(wanted) ?? 2;
    while (this.#taken.has(name)) name = `${wanted}_${k++}`;
    this.#next.set(wanted, k);
    this.#taken.add(name);
    return name;
  }
}
