// Damages a text the way editors, exporters, disks and attackers do.

import fc from 'fast-check';

export interface Mutation {
  readonly kind: 'delete' | 'duplicate' | 'swap' | 'insert' | 'number' | 'name' | 'element';
  /** Where, and where else: fractions of the text. */
  readonly at: number;
  readonly other: number;
  readonly length: number;
  readonly text: string;
}

const NASTY_NUMBERS = [
  'NaN',
  'Infinity',
  '-Infinity',
  '1e999',
  '1e308',
  '-1e308',
  '1e-320',
  '-0',
  '-1',
  '0',
  '0x10',
  '1,5',
  '',
  '1 2',
  '9'.repeat(400),
  '3.141592653589793238462643383279',
];

const SNIPPETS = [
  '<',
  '>',
  '"',
  "'",
  '&',
  '/',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<?',
  '&amp;',
  '&lol;',
  '&#0;',
  '&#10;',
  '<!DOCTYPE a>',
  '\u0000',
  '\ud800',
  '\u{1F600}',
  '\uFEFF',
  '\r',
  '</robot>',
  '<link name="x"/>',
  '{',
  '}',
  '[',
  'null,',
  '__proto__',
  '../',
];

// Not fc.double, which favours tiny numbers: all damage would be done to the first line.
const fraction = fc.noBias(fc.integer({ min: 0, max: 999_999 })).map((millionths) => millionths / 1e6);

function mutationsOf(kinds: Mutation['kind'][], text: fc.Arbitrary<string>): fc.Arbitrary<Mutation[]> {
  const mutation = fc.record({
    kind: fc.constantFrom(...kinds),
    at: fraction,
    other: fraction,
    length: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 3000 })),
    text,
  });
  return fc.array(mutation, { minLength: 1, maxLength: 5 });
}

const nastyNumber = fc.constantFrom(...NASTY_NUMBERS);

/** Half of them leave the text well-formed, or nothing behind the parser would ever be tried. */
export const mutations: fc.Arbitrary<Mutation[]> = fc.oneof(
  mutationsOf(['number', 'name', 'element'], nastyNumber),
  mutationsOf(
    ['delete', 'duplicate', 'swap', 'insert', 'number', 'name', 'element'],
    fc.oneof(nastyNumber, fc.constantFrom(...SNIPPETS), fc.string({ maxLength: 6 })),
  ),
);

export function mutate(text: string, list: readonly Mutation[]): string {
  return list.reduce(applied, text);
}

function applied(text: string, { kind, at, other, length, text: snippet }: Mutation): string {
  const i = Math.floor(at * text.length);
  const j = Math.floor(other * text.length);
  const replaced = (from: number, to: number, by: string): string => text.slice(0, from) + by + text.slice(to);
  switch (kind) {
    case 'delete':
      return replaced(i, i + length, '');
    case 'duplicate':
      return replaced(j, j, text.slice(i, i + length));
    case 'swap': {
      const [low, high] = i < j ? [i, j] : [j, i];
      const n = Math.min(length, high - low);
      return (
        replaced(low, low + n, text.slice(high, high + n)).slice(0, high) +
        text.slice(low, low + n) +
        text.slice(high + n)
      );
    }
    case 'insert':
      return replaced(i, i, snippet);
    case 'number':
      return replaceMatch(text, i, /[-+]?\d+(\.\d*)?(e[-+]?\d+)?/gi, snippet);
    case 'name': {
      // The value of one attribute, or one text of JSON, in the place of another.
      const donor = nextMatch(text, j, /"[^"<>]*"/g);
      return donor === undefined ? text : replaceMatch(text, i, /"[^"<>]*"/g, donor[0]);
    }
    case 'element': {
      // A whole element, or object, said twice: two links of one name, a joint with two parents.
      const donor = nextMatch(text, j, /<(\w+)[^<]*?(\/>|>[\s\S]*?<\/\1>)|\{[^{}]*\}/g);
      return donor === undefined ? text : replaced(donor.index, donor.index, donor[0]);
    }
  }
}

/** The first match behind a place, or the first of all. */
function nextMatch(text: string, from: number, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = from;
  return pattern.exec(text) ?? pattern.exec(text) ?? undefined;
}

function replaceMatch(text: string, from: number, pattern: RegExp, by: string): string {
  const found = nextMatch(text, from, pattern);
  return found === undefined ? text : text.slice(0, found.index) + by + text.slice(found.index + found[0].length);
}

/** A change of data that stays data: a value, a list or an object somewhere in it becomes another one, comes twice, or goes. */
export interface DataMutation {
  readonly kind: 'number' | 'scale' | 'swap' | 'copy' | 'drop' | 'value';
  readonly at: number;
  readonly other: number;
  readonly value: unknown;
}

const NUMBERS = [0, -0, 1, -1, 0.5, 1e-3, -1e-3, 1e-9, 1e3, 1e6, 1e9, -1e9, 1e-300, 1e300, 2 ** 31, 2 ** 53, 3];
const VALUES = [null, true, '', 'ground', '__proto__', [], {}, [[]], 'x'.repeat(2000), ...NUMBERS];

export const dataMutations: fc.Arbitrary<DataMutation[]> = fc.array(
  fc.record({
    // Most changes are small: what is refused at once tries nothing behind it.
    kind: fc.constantFrom('number', 'scale', 'number', 'scale', 'swap', 'copy', 'drop', 'value'),
    at: fraction,
    other: fraction,
    value: fc.oneof(fc.constantFrom(...NUMBERS), fc.constantFrom(...VALUES)),
  }) as fc.Arbitrary<DataMutation>,
  { minLength: 1, maxLength: 3 },
);

type Place = readonly [holder: Record<string, unknown>, key: string];

function placesIn(data: unknown, found: Place[] = []): Place[] {
  if (typeof data === 'object' && data !== null)
    for (const key of Object.keys(data)) {
      found.push([data as Record<string, unknown>, key]);
      placesIn((data as Record<string, unknown>)[key], found);
    }
  return found;
}

/** The data, changed; what was given stays as it is. */
export function mutateData(data: object, list: readonly DataMutation[]): object {
  const changed = structuredClone(data);
  for (const { kind, at, other, value } of list) {
    const all = placesIn(changed);
    const numbers = all.filter(([holder, key]) => typeof holder[key] === 'number');
    const places = (kind === 'number' || kind === 'scale') && numbers.length > 0 ? numbers : all;
    if (places.length === 0) break;
    const [holder, key] = places[Math.floor(at * places.length)];
    const [donor, from] = all[Math.floor(other * all.length)];
    if (kind === 'scale') holder[key] = Number(holder[key]) * 10 ** Math.round(8 * other - 4);
    else if (kind === 'number') holder[key] = NUMBERS[Math.floor(other * NUMBERS.length)];
    else if (kind === 'value') holder[key] = structuredClone(value);
    else if (kind === 'swap') holder[key] = structuredClone(donor[from]);
    else if (kind === 'copy' && Array.isArray(holder)) holder.push(structuredClone(holder[Number(key)]));
    else if (kind === 'drop' && Array.isArray(holder)) holder.splice(Number(key), 1);
    else if (kind === 'drop') delete holder[key];
  }
  return changed;
}
