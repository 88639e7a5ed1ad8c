import fc from 'fast-check';
import { expect, it } from 'vitest';
import { escapeXml, px, svgDocument, text } from '../../src/plot/svg.js';
import { drawn, named } from './support.js';

it('a document is well-formed, with its size', () => {
  const [svg, background] = drawn(svgDocument(320, 200.5, ''));
  expect(svg.attributes).toMatchObject({ viewBox: '0 0 320 200.5', width: '320', height: '200.5' });
  expect(svg.attributes.xmlns).toBe('http://www.w3.org/2000/svg');
  expect(background.attributes.fill).toBe('white');
});

it.each(['a < b & c > "d"', "it's", '</text><script>', '&amp;', ']]>', '<!--', 'Ärm №5 🤖'])(
  '%s stands for itself in a text',
  (name) => {
    const [label] = named(drawn(svgDocument(10, 10, text(1, 2, name))), 'text');
    expect(label.text).toBe(name);
  },
);

it('any text gives well-formed XML, control characters and broken surrogates too', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (name) => {
      drawn(`<g>${text(0, 0, name.replace(/NaN|Infinity|undefined|null/g, ''))}</g>`);
    }),
    { numRuns: 300 },
  );
  for (const name of ['\u0000', '\u0001', '\u001b[31m', '\ud800', '\udfff x', '\uffff', '\ufffe'])
    drawn(`<g>${text(0, 0, name)}</g>`);
});

it('escapes what is safe in attributes as well', () => {
  expect(escapeXml('"\'<>&')).toBe('&#34;&#39;&#60;&#62;&#38;');
  expect(escapeXml('plain text')).toBe('plain text');
});

it('coordinates have two digits', () => {
  expect([1 / 3, -2.005, 5, 1e6 + 1 / 7].map(px)).toEqual(['0.33', '-2', '5', '1000000.14']);
});
