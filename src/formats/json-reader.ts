// Reads plain data of unknown shape, and says by JSON path what is wrong with it: `bodies[3].E: expected ...`.

import { ImportError } from '../mechanism/errors.js';
import { type Mat3, norm, type Vec3 } from '../spatial/matrix3.js';
import { withoutMark } from './decode-text.js';
import { type ImportLog, quoted } from './import-log.js';
import { jsonFaultOffset } from './json-fault.js';
import { LineIndex } from './line-index.js';
import { nameFault } from './names.js';
import { checkInputSize } from './size-limit.js';

const UNIT_TOLERANCE = 1e-3;

/** Lists and objects in a text; each takes some hundred bytes once parsed, and in millions a lot of time. */
const MAX_ITEMS = 3_000_000;

/** A JSON text, or data that came from one, as an object to read from. */
export function readJson(source: string | object, log: ImportLog): JsonObject {
  const data = typeof source === 'string' ? parseJson(source, log) : source;
  const object = JsonObject.from(data, '', log);
  log.throwIfBroken();
  return object!;
}

/** The data of a JSON text, with the place of the fault where it is none. */
export function parseJson(source: string, log: ImportLog): unknown {
  const text = withoutMark(source);
  checkInputSize(text.length, log.file);
  if (countBrackets(text) > MAX_ITEMS)
    throw ImportError.of(
      'too-large',
      log.file ?? '',
      `A text of more than ${MAX_ITEMS} lists and objects is not read.`,
    );
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const offset = jsonFaultOffset(text);
    const character = String.fromCodePoint(text.codePointAt(offset) ?? 0);
    const fault = offset < text.length ? `${quoted(character)} does not belong here` : 'the text ends too soon';
    throw ImportError.of('json', new LineIndex(text).place(offset, log.file), `This is not JSON: ${fault}.`);
  }
}

function countBrackets(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x5b || code === 0x7b) count++;
  }
  return count;
}

/**
 * An object that remembers which of its keys were read. The reading methods report what is wrong and return undefined
 * or a harmless value, so that one run finds every problem. Only an object's own keys count.
 */
export class JsonObject {
  readonly path: string;
  readonly #data: object;
  readonly #log: ImportLog;
  readonly #read = new Set<string>();

  private constructor(data: object, path: string, log: ImportLog) {
    this.path = path;
    this.#data = data;
    this.#log = log;
  }

  static from(data: unknown, path: string, log: ImportLog): JsonObject | undefined {
    if (typeof data === 'object' && data !== null && !Array.isArray(data)) return new JsonObject(data, path, log);
    log.error('json', whereIs(path, log), `Expected an object, got ${shown(data)}.`);
    return undefined;
  }

  pathOf(key: string): string {
    // A key that the author chose may be any text.
    if (!/^[\w-]{1,60}(\[\d+\])?$/.test(key)) return `${this.path}[${quoted(key)}]`;
    return this.path === '' ? key : `${this.path}.${key}`;
  }

  error(key: string, expected: string, got: string): void {
    this.#log.error('json', whereIs(this.pathOf(key), this.#log), `Expected ${expected}, got ${got}.`);
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#data, key) && this.value(key) !== undefined;
  }

  keys(): string[] {
    return Object.keys(this.#data);
  }

  unreadKeys(): string[] {
    return this.keys().filter((key) => !this.#read.has(key));
  }

  value(key: string): unknown {
    this.#read.add(key);
    return Object.hasOwn(this.#data, key) ? (this.#data as { [key: string]: unknown })[key] : undefined;
  }

  number(key: string): number {
    const value = this.value(key);
    if (isFiniteNumber(value)) return value;
    this.error(key, 'a finite number', shown(value));
    return 0;
  }

  /** A number that must not be below zero. */
  amount(key: string): number {
    const value = this.number(key);
    if (value < 0) this.error(key, 'a number not below zero', shown(value));
    return value;
  }

  boolean(key: string): boolean {
    const value = this.value(key);
    if (typeof value !== 'boolean') this.error(key, 'true or false', shown(value));
    return value === true;
  }

  text(key: string): string {
    const value = this.value(key);
    if (typeof value === 'string') return value;
    this.error(key, 'a text', shown(value));
    return '';
  }

  /** A text fit to be a name. */
  name(key: string): string {
    const value = this.value(key);
    if (typeof value !== 'string') this.error(key, 'a name', shown(value));
    else {
      const fault = nameFault(value);
      if (fault === undefined) return value;
      this.#log.error('name', whereIs(this.pathOf(key), this.#log), `${fault[0].toUpperCase()}${fault.slice(1)}.`);
    }
    return '';
  }

  numbers(key: string, count: number): number[] {
    return this.#finiteNumbers(key, count) ?? new Array(count).fill(0);
  }

  /** As many numbers as there are. */
  numberList(key: string): number[] {
    const value = this.value(key);
    if (Array.isArray(value)) return this.#finiteNumbers(key, value.length) ?? [];
    this.error(key, 'an array of numbers', shown(value));
    return [];
  }

  vector(key: string): Vec3 {
    return this.numbers(key, 3) as unknown as Vec3;
  }

  /** A vector whose length may be off by as much as rounding to three digits makes it. */
  unitVector(key: string): Vec3 {
    const vector = this.#finiteNumbers(key, 3) as unknown as Vec3 | undefined;
    if (vector === undefined) return [0, 0, 1];
    const length = norm(vector);
    if (!(Math.abs(length - 1) <= UNIT_TOLERANCE)) this.error(key, 'a unit vector', `one of length ${length}`);
    return vector;
  }

  #finiteNumbers(key: string, count: number): number[] | undefined {
    const value = this.value(key);
    const expected = `${count} finite numbers`;
    if (!Array.isArray(value)) this.error(key, expected, shown(value));
    else if (value.length !== count) this.error(key, expected, `${value.length}`);
    else {
      const bad = value.findIndex((item) => !isFiniteNumber(item));
      if (bad === -1) return [...value];
      this.error(`${key}[${bad}]`, 'a finite number', shown(value[bad]));
    }
    return undefined;
  }

  matrix(key: string): Mat3 {
    return this.numbers(key, 9) as unknown as Mat3;
  }

  object(key: string): JsonObject | undefined {
    return JsonObject.from(this.value(key), this.pathOf(key), this.#log);
  }

  /** The objects in an array. */
  objects(key: string): JsonObject[] {
    const value = this.value(key);
    if (!Array.isArray(value)) {
      this.error(key, 'an array', shown(value));
      return [];
    }
    // A plain map would pass over the holes of a sparse array.
    return Array.from(value, (item, k) => JsonObject.from(item, `${this.pathOf(key)}[${k}]`, this.#log) ?? []).flat();
  }
}

export function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function whereIs(path: string, log: ImportLog): string {
  return [log.file, path].filter((part) => part !== undefined && part !== '').join(': ');
}

/** A value as it may stand in a message. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' || typeof value === 'symbol' ? `a ${typeof value}` : String(value).slice(0, 60);
}
