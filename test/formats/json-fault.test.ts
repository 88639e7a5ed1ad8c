import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonFaultOffset } from '../../src/formats/json-fault.js';

it.each([
  ['', 0],
  ['  ', 2],
  ['{', 1],
  ['{"a"', 4],
  ['{"a" 1}', 5],
  ['{"a": }', 6],
  ['{"a": 1,}', 8],
  ['{a: 1}', 1],
  ['{"a": 1 "b": 2}', 8],
  ['[1,, 2]', 3],
  ['[1, 2', 5],
  ['[1}', 2],
  ['[1] 2', 4],
  ['[01]', 2],
  ['[.5]', 1],
  ['[+1]', 1],
  ['[1.]', 2],
  ['[NaN]', 1],
  ["['a']", 1],
  ['["a', 3],
  ['["\\x"]', 2],
  ['["\\u12"]', 2],
  ['["a\nb"]', 3],
  ['[true, fals]', 7],
])('%j stops being JSON at %i', (text, offset) => {
  expect(jsonFaultOffset(text)).toBe(offset);
});

it('finds nothing wrong with JSON', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(jsonFaultOffset(text)).toBe(text.length);
    }),
  );
});

it('agrees with JSON.parse on texts that were changed anywhere', () => {
  const damage = fc.constantFrom('', '"', '\\', ',', '}', ']', ':', '0', '-', 'e', ' ');
  fc.assert(
    fc.property(fc.json(), fc.nat(), damage, (text, at, by) => {
      const i = at % (text.length + 1);
      const damaged = text.slice(0, i) + by + text.slice(i + 1);
      const offset = jsonFaultOffset(damaged);
      const message = complaint(damaged);
      if (message === undefined) expect(offset).toBe(damaged.length);
      // Of some faults the engine tells the place.
      const position = /^(?:Expected|Unexpected non-whitespace).* at position (\d+)/.exec(message ?? '')?.[1];
      if (position !== undefined) expect(offset).toBe(Number(position));
    }),
    { numRuns: 1000 },
  );
});

function complaint(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as SyntaxError).message;
  }
}

it('copes with nesting of any depth', () => {
  expect(jsonFaultOffset('['.repeat(5_000_000))).toBe(1000);
});
