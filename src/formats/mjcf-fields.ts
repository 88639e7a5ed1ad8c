// Attributes of MJCF elements, read by tables: a map from the name of an attribute to what it does to the element's data.
// The data starts as a copy of what the element's default class says, so an attribute that is not written changes nothing.

import { quoted } from './import-log.js';
import { parseNumber, type XmlElement } from './xml.js';

type Setter<T> = (target: T, element: XmlElement, attribute: string, text: string) => void;

/** What to do with each attribute of an element. */
export type Fields<T> = ReadonlyMap<string, Setter<T>>;

/** Keys of T whose values are V. */
type KeysOf<T, V> = { [K in keyof T]-?: V extends T[K] ? K : never }[keyof T];

type Loose = Record<PropertyKey, unknown>;

/** Reads what is written on the element over what `base` says. */
export function readFields<T extends object>(element: XmlElement, fields: Fields<T>, base: T): T {
  const target = { ...base };
  element.know(fields);
  const { attributes } = element;
  for (const name of Object.keys(attributes)) fields.get(name)?.(target, element, name, attributes[name]);
  return target;
}

/** So many finite numbers, at least and at most; undefined and a problem where the text is something else. */
export function numbersOf(
  element: XmlElement,
  attribute: string,
  text: string,
  least: number,
  most: number,
): number[] | undefined {
  const trimmed = text.trim();
  const words = trimmed === '' ? [] : trimmed.split(/\s+/, most + 1);
  const values: number[] = [];
  for (const word of words) {
    const value = parseNumber(word) ?? openEnd(attribute, word);
    if (value === undefined) break;
    values.push(value);
  }
  if (values.length === words.length && values.length >= least && values.length <= most) return values;
  const many = least === 0 ? '' : `at least ${least} `;
  const count = least === most ? `${least} ` : most >= 1e6 ? many : `${least} to ${most} `;
  const expected = most === 1 ? 'a finite number' : `${count}finite numbers`;
  element.attributeError(attribute, 'number', `expected ${expected}, got ${quoted(text)}`);
  return undefined;
}

/** An end of a range may be infinite: a number that nothing reaches, so that it can be written to any file. */
function openEnd(attribute: string, word: string): number | undefined {
  if (!attribute.endsWith('range') || !/^[+-]?inf(inity)?$/i.test(word)) return undefined;
  return word.startsWith('-') ? -Number.MAX_VALUE : Number.MAX_VALUE;
}

export function number<T>(key: KeysOf<T, number>): Setter<T> {
  return (target, element, attribute, text) => {
    const values = numbersOf(element, attribute, text, 1, 1);
    if (values !== undefined) (target as Loose)[key] = values[0];
  };
}

/** Exactly so many numbers. */
export function numbers<T>(key: KeysOf<T, readonly number[]>, count: number): Setter<T> {
  return (target, element, attribute, text) => {
    const values = numbersOf(element, attribute, text, count, count);
    if (values !== undefined) (target as Loose)[key] = values;
  };
}

/** Up to so many numbers: those that are written replace the first ones of what was there. */
export function leadingNumbers<T>(key: KeysOf<T, readonly number[]>, most: number): Setter<T> {
  return (target, element, attribute, text) => {
    const values = numbersOf(element, attribute, text, 1, most);
    if (values === undefined) return;
    const before = ((target as Loose)[key] ?? []) as readonly number[];
    (target as Loose)[key] = values.length >= before.length ? values : [...values, ...before.slice(values.length)];
  };
}

/** Any number of numbers. */
export function manyNumbers<T>(key: KeysOf<T, readonly number[]>): Setter<T> {
  return (target, element, attribute, text) => {
    const values = numbersOf(element, attribute, text, 0, 1e7);
    if (values !== undefined) (target as Loose)[key] = values;
  };
}

export function text<T>(key: KeysOf<T, string>): Setter<T> {
  return (target, _element, _attribute, written) => {
    (target as Loose)[key] = written;
  };
}

/** One of some words; `values` gives what each stands for. */
export function keyword<T, V>(key: keyof T, values: ReadonlyMap<string, V>): Setter<T> {
  return (target, element, attribute, written) => {
    const value = values.get(written);
    if (value !== undefined) (target as Loose)[key] = value;
    else
      element.attributeError(
        attribute,
        'keyword',
        `expected one of ${[...values.keys()].join(', ')}, got ${quoted(written)}`,
      );
  };
}

const BOOLEANS = new Map([
  ['true', true],
  ['false', false],
]);

export function flag<T>(key: KeysOf<T, boolean>): Setter<T> {
  return keyword(key, BOOLEANS);
}

export type Tristate = 'true' | 'false' | 'auto';

const TRISTATES = new Map<string, Tristate>([
  ['true', 'true'],
  ['false', 'false'],
  ['auto', 'auto'],
]);

export function tristate<T>(key: keyof T): Setter<T> {
  return keyword(key, TRISTATES);
}

/** Words that stand for themselves. */
export function words<const W extends string>(...list: readonly W[]): ReadonlyMap<string, W> {
  return new Map(list.map((word) => [word, word]));
}

/** Whether a range is in force: as is said, or where autolimits is on and the range goes upwards. */
export function isLimited(limited: Tristate, range: readonly number[], autolimits: boolean): boolean {
  if (limited !== 'auto') return limited === 'true';
  return autolimits && range[0] < range[1];
}
