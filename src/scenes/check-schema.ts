// Checks data against a schema, and says in words where it does not fit: one sentence for each mistake.

import { type ImportLog, quoted } from '../formats/import-log.js';
import { shown } from '../formats/json-reader.js';
import { nearNames } from '../mechanism/near-names.js';
import type { JsonSchema } from './schema.js';

type Type = NonNullable<JsonSchema['type']>;

const EXPECTED: Readonly<Record<Type, string>> = {
  object: 'an object',
  array: 'a list',
  number: 'a finite number',
  integer: 'a whole number',
  string: 'a text',
  boolean: 'true or false',
  null: 'null',
};

export class SchemaCheck {
  readonly #root: JsonSchema;
  readonly #log: ImportLog;

  constructor(root: JsonSchema, log: ImportLog) {
    this.#root = root;
    this.#log = log;
  }

  /** Tells the log what does not fit; `path` is where the value stands. */
  check(value: unknown, schema: JsonSchema = this.#root, path = ''): void {
    const options = this.#options(schema);
    const fitting = options.filter((one) => typeOf(one) === undefined || hasType(value, typeOf(one)!));
    if (fitting.length === 0) {
      const expected = [...new Set(options.map((one) => EXPECTED[typeOf(one)!]))].join(' or ');
      this.error(path, `Expected ${expected}, got ${shown(value)}.`);
      return;
    }
    const chosen = fitting.length === 1 ? fitting[0] : this.#choose(value as object, fitting, path);
    if (chosen !== undefined) this.#checkOne(value, chosen, path);
  }

  error(path: string, message: string, code = 'scene'): void {
    const { file } = this.#log;
    this.#log.error(code, [file, path].filter((part) => part !== undefined && part !== '').join(': '), message);
  }

  /** The schemas that a schema stands for. */
  #options(schema: JsonSchema): JsonSchema[] {
    if (schema.$ref !== undefined) return this.#options(this.#root.$defs![schema.$ref.slice('#/$defs/'.length)]);
    return schema.anyOf === undefined ? [schema] : schema.anyOf.flatMap((one) => this.#options(one));
  }

  /** Of several kinds of objects the one that is meant: by its kind, or by a key that only one of them must have. */
  #choose(value: object, options: readonly JsonSchema[], path: string): JsonSchema | undefined {
    const own = (key: string): unknown =>
      Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
    const kindOf = (one: JsonSchema): string | undefined => one.properties?.kind?.const;
    const present = options.filter((one) =>
      one.required?.every((key) => own(key) !== undefined && kindOf(one) === undefined),
    );
    if (present.length === 1) return present[0];
    const kinds = options.flatMap((one) => kindOf(one) ?? []);
    if (kinds.length > 0) {
      const found = options.find((one) => kindOf(one) !== undefined && kindOf(one) === own('kind'));
      if (found === undefined) this.#unknownWord(own('kind'), kinds, pathOf(path, 'kind'));
      return found;
    }
    const shared = new Set(options[0].required!.filter((key) => options.every((one) => one.required!.includes(key))));
    const telling = options.flatMap((one) => one.required!.filter((key) => !shared.has(key)));
    const [named] = options.filter((one) => one.required!.some((key) => !shared.has(key) && own(key) !== undefined));
    if (named !== undefined) return named;
    const unknown = Object.keys(value).find((key) => !options.some((one) => Object.hasOwn(one.properties!, key)));
    const hint = unknown === undefined ? '' : ` There is no key ${quoted(unknown)}. ${nearNames(unknown, telling)}`;
    this.error(path, `Expected one of ${telling.join(', ')}.${hint}`);
    return undefined;
  }

  #checkOne(value: unknown, schema: JsonSchema, path: string): void {
    if (typeof value === 'number') this.#number(value, schema, path);
    else if (typeof value === 'string') this.#text(value, schema, path);
    else if (Array.isArray(value)) this.#list(value, schema, path);
    else if (typeof value === 'object' && value !== null) this.#object(value, schema, path);
  }

  #number(value: number, { minimum, exclusiveMinimum, maximum }: JsonSchema, path: string): void {
    if (exclusiveMinimum !== undefined && !(value > exclusiveMinimum))
      this.error(path, `Expected a number above ${exclusiveMinimum}, got ${value}.`);
    else if (minimum !== undefined && !(value >= minimum))
      this.error(path, `Expected a number not below ${minimum}, got ${value}.`);
    else if (maximum !== undefined && !(value <= maximum))
      this.error(path, `Expected a number of at most ${maximum}, got ${value}.`);
  }

  #text(value: string, schema: JsonSchema, path: string): void {
    const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
    const words = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
    if (words !== undefined && !words.includes(value)) this.#unknownWord(value, words, path);
    // Characters, not halves of them, as the schema counts.
    else if (words === undefined && [...value].length < minLength)
      this.error(path, 'Expected a text, got an empty one.');
    else if (words === undefined && [...value].length > maxLength)
      this.error(path, `Expected a text of at most ${maxLength} characters, got ${[...value].length}.`);
  }

  #unknownWord(value: unknown, words: readonly string[], path: string): void {
    if (value === undefined || typeof value !== 'string') {
      this.error(path, `Expected one of ${words.join(', ')}, got ${shown(value)}.`);
      return;
    }
    const near = nearNames(value.slice(0, 100), words);
    this.error(
      path,
      `Expected one of ${words.join(', ')}, got ${quoted(value)}.${near.startsWith('Did') ? ` ${near}` : ''}`,
    );
  }

  #list(value: readonly unknown[], schema: JsonSchema, path: string): void {
    const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items } = schema;
    if (value.length < minItems || value.length > maxItems) {
      const expected =
        minItems === maxItems
          ? `${minItems} of them`
          : value.length < minItems
            ? `at least ${minItems}`
            : `at most ${maxItems}`;
      this.error(path, `Expected a list with ${expected}, got ${value.length}.`);
      return;
    }
    if (items !== undefined) for (let k = 0; k < value.length; k++) this.check(value[k], items, `${path}[${k}]`);
  }

  #object(value: object, schema: JsonSchema, path: string): void {
    const { properties = {}, required = [], additionalProperties, maxProperties = Number.POSITIVE_INFINITY } = schema;
    const keys = Object.keys(value);
    if (keys.length > maxProperties) {
      this.error(path, `Expected at most ${maxProperties} names, got ${keys.length}.`);
      return;
    }
    for (const key of required) if (!Object.hasOwn(value, key)) this.error(path, `The key ${quoted(key)} is missing.`);
    for (const key of keys) {
      const inner = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
      if (inner === false)
        this.error(
          pathOf(path, key),
          `There is no such key here. ${nearNames(key.slice(0, 100), Object.keys(properties))}`,
        );
      else if (inner !== undefined) this.check((value as Record<string, unknown>)[key], inner, pathOf(path, key));
    }
  }
}

/** Where a key stands. */
export function pathOf(path: string, key: string): string {
  if (!/^[\w$-]{1,60}$/.test(key)) return `${path}[${quoted(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

function typeOf(schema: JsonSchema): Type | undefined {
  return schema.type ?? (schema.const === undefined ? undefined : 'string');
}

function hasType(value: unknown, type: Type): boolean {
  switch (type) {
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'array':
      return Array.isArray(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}
