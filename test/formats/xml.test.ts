import { describe, expect, it } from 'vitest';
import { ImportLog } from '../../src/formats/import-log.js';
import { checkInputSize, MAX_INPUT_BYTES } from '../../src/formats/size-limit.js';
import { parseNumber, parseXml, type XmlElement } from '../../src/formats/xml.js';
import { MAX_DEPTH, MAX_ITEMS, MAX_LINE } from '../../src/formats/xml-guard.js';
import { warnOfUnused } from '../../src/formats/xml-unused.js';
import { importProblems } from './support.js';

function parse(text: string, file = 'a.xml'): { root: XmlElement; log: ImportLog } {
  const log = new ImportLog(file);
  return { root: parseXml(text, log), log };
}

const problemOf = (text: string) => importProblems(() => parse(text))[0];

describe('places', () => {
  it('counts lines and columns from 1', () => {
    const { root } = parse('<a>\n  <b/>\n</a>');
    expect(root.place).toBe('a.xml:1:1');
    expect(root.child('b')?.place).toBe('a.xml:2:3');
  });

  it('counts each kind of line end once', () => {
    const { root } = parse('<a>\r\n\r\n<b/>\r<c/></a>');
    expect(root.child('b')?.place).toBe('a.xml:3:1');
    expect(root.child('c')?.place).toBe('a.xml:4:1');
  });

  it('is right behind characters of two UTF-16 units, for elements and for errors', () => {
    const { root } = parse('<a><!-- \u{1F600} --><b/></a>');
    expect(root.child('b')?.place).toBe('a.xml:1:15');
    expect(problemOf('<a>\u{1F600}\u{1F600}\n\u{1F600}</b>').where).toBe('a.xml:2:3');
  });

  it('finds attributes, also over several lines', () => {
    const { root } = parse(`<a\n  first = "x='1'"\n  second='2'/>`);
    expect(root.attributePlace('first')).toBe('a.xml:2:3');
    expect(root.attributePlace('second')).toBe('a.xml:3:3');
  });

  it('takes a byte order mark', () => {
    expect(parse('\uFEFF<?xml version="1.0"?>\n<a/>').root.place).toBe('a.xml:2:1');
  });

  it('does without the name of a file', () => {
    const log = new ImportLog(undefined);
    expect(parseXml('<a><b/></a>', log).child('b')?.place).toBe('line 1, column 4');
  });
});

describe('what is not XML', () => {
  it.each([
    ['an unclosed element', '<a><b></a>', 'a.xml:1:7', /Missing end tag for element b/],
    ['nothing', '', 'a.xml:1:1', /Root element is missing/],
    ['two roots', '<a/>\n<b/>', 'a.xml:2:1', /Extra content at the end/],
    ['an attribute twice', '<a x="1" x="2"/>', 'a.xml:1:15', /Duplicate attribute: x/],
    ['an unknown entity', '<a x="&lol;"/>', 'a.xml:1:7', /entity isn't defined: &lol;/],
    ['a control character', '<a>\n\u0007</a>', 'a.xml:2:1', /U\+0007 is not allowed/],
    ['half a surrogate pair', '<a x="\ud800"/>', 'a.xml:1:7', /U\+D800 is not allowed/],
    ['a document type', '<?xml version="1.0"?>\n<!DOCTYPE a>\n<a/>', 'a.xml:2:1', /declarations are not read/],
  ])('refuses %s', (_, text, where, message) => {
    const problem = problemOf(text);
    expect(problem.where).toBe(where);
    expect(problem.message).toMatch(message);
    expect(problem.message).not.toContain('\n');
  });

  it('knows the entities that XML itself has', () => {
    expect(parse('<a x="&lt;&amp;&#65;"/>').root.text('x')).toBe('<&A');
  });
});

describe('guards', () => {
  const nested = (depth: number): string => '<a>'.repeat(depth) + '</a>'.repeat(depth);

  it('lets the greatest depth pass and no more', () => {
    expect(parse(nested(MAX_DEPTH)).root.name).toBe('a');
    expect(problemOf(nested(MAX_DEPTH + 1)).code).toBe('xml-depth');
  });

  it('does not count what only looks like an element', () => {
    const decoys = `<!-- ${'<b>'.repeat(500)} --><![CDATA[${'<b>'.repeat(500)}]]><?pi ${'<b>'.repeat(500)}?>`;
    expect(parse(`<a>${decoys}<b x="${'&lt;b>'.repeat(500)}"/>${'<b y=">"/>'.repeat(500)}</a>`).root.name).toBe('a');
  });

  it('sees through an attribute that hides the end of a tag', () => {
    expect(problemOf('<a x="/>">'.repeat(1000)).code).toBe('xml-depth');
  });

  it('refuses a line that never ends', () => {
    expect(problemOf(`<a>${' '.repeat(MAX_LINE)}`).code).toBe('too-large');
  });

  it('refuses more elements than memory should hold', () => {
    const problem = problemOf(`<a>\n${'<b c=""/>\n'.repeat(MAX_ITEMS / 2)}</a>`);
    expect(problem.code).toBe('too-large');
    expect(problem.where).toBe(`a.xml:${MAX_ITEMS / 2 + 1}:1`);
  });

  it('takes line ends of old Macintoshes without quadratic time', () => {
    // Quadratic time would take hours.
    parse(`<a>${'\r'.repeat(2_000_000)}</a>`);
  });

  it('refuses by size before it looks at anything', () => {
    expect(() => checkInputSize(MAX_INPUT_BYTES)).not.toThrow();
    const [problem] = importProblems(() => checkInputSize(200e6, 'big.urdf'));
    expect(problem).toEqual({
      code: 'too-large',
      where: 'big.urdf',
      message: 'The input has 200000000 bytes (190.7 MiB); at most 64 MiB are read.',
    });
  });
});

describe('numbers', () => {
  it.each([
    ['1', 1],
    ['+1', 1],
    ['-1.5', -1.5],
    ['.5', 0.5],
    ['5.', 5],
    ['1e-3', 0.001],
    ['1E+2', 100],
    ['-0', -0],
  ])('reads %s', (text, value) => {
    expect(parseNumber(text)).toBe(value);
  });

  it.each(['', 'NaN', 'nan', 'Infinity', '-inf', '0x10', '1,5', '1e', '.', '+', '1e999', '1 2', '--1', '1_000', '1d0'])(
    'refuses "%s"',
    (text) => {
      expect(parseNumber(text)).toBeUndefined();
    },
  );

  it('says what it expected and what it got', () => {
    const { root, log } = parse('<a one="x" three="1 2" none="" ok=" 1\t2\n3 "/>');
    expect(root.number('one')).toBeUndefined();
    expect(root.numbers('three', 3)).toBeUndefined();
    expect(root.number('none')).toBeUndefined();
    expect(root.requiredNumber('missing')).toBeUndefined();
    expect(root.number('missing')).toBeUndefined();
    expect(root.numbers('ok', 3)).toEqual([1, 2, 3]);
    expect(importProblems(() => log.throwIfBroken())).toEqual([
      { code: 'number', where: 'a.xml:1:4', message: 'Attribute one of <a>: expected a finite number, got "x".' },
      { code: 'number', where: 'a.xml:1:12', message: 'Attribute three of <a>: expected 3 finite numbers, got "1 2".' },
      { code: 'number', where: 'a.xml:1:24', message: 'Attribute none of <a>: expected a finite number, got "".' },
      { code: 'missing-attribute', where: 'a.xml:1:1', message: '<a> needs the attribute missing.' },
    ]);
  });

  it('gives up after a thousand problems', () => {
    const { root } = parse(`<a>${'<b x="?"/>'.repeat(1500)}</a>`);
    const problems = importProblems(() => {
      for (const child of root.children('b')) child.number('x');
    });
    expect(problems).toHaveLength(1001);
    expect(problems[1000].code).toBe('too-many');
  });
});

describe('what was not used', () => {
  const warningsOf = (text: string, read: (root: XmlElement) => void, extensions: string[] = []): string[] => {
    const { root, log } = parse(text);
    read(root);
    warnOfUnused(root, new Set(extensions), log);
    return log.warnings.map(({ where, message }) => `${where} ${message}`);
  };

  it('lists elements, attributes and texts, each with its place', () => {
    const text = '<a x="1" y="2" xmlns:z="u">\n <b w="3"/>\n <c v="4"/> stray\n</a>';
    expect(
      warningsOf(text, (root) => {
        root.text('x');
        root.child('b');
      }),
    ).toEqual([
      'a.xml:1:10 Attribute y of <a> is not used.',
      'a.xml:3:2 <c> in <a> is not used.',
      'a.xml:3:13 The text "stray" in <a> is not used.',
      'a.xml:2:5 Attribute w of <b> is not used.',
    ]);
  });

  it('tells that only the first of several is read', () => {
    expect(warningsOf('<a><b/><b/></a>', (root) => root.child('b'))).toEqual([
      'a.xml:1:8 <b> in <a> is not used, only the first one is.',
    ]);
  });

  it('lists the extensions of other programs once, with their number', () => {
    const text = '<a><gazebo/><gazebo/><gazebo/><q:x/><q:x/></a>';
    expect(warningsOf(text, () => {}, ['gazebo'])).toEqual([
      'a.xml:1:4 <gazebo> in <a> is not used (and 2 more of the kind).',
      'a.xml:1:31 <q:x> in <a> is not used (and 1 more of the kind).',
    ]);
  });

  it('lists a hundred of a kind one by one, then counts', () => {
    const warnings = warningsOf(`<a>${'<b/>'.repeat(1234)}</a>`, () => {});
    expect(warnings).toHaveLength(100);
    expect(warnings[98]).toMatch(/is not used\.$/);
    expect(warnings[99]).toMatch(/\(and 1134 more of the kind\)\.$/);
  });

  it('leaves out what the reader dismissed', () => {
    expect(warningsOf('<a><b x="1"><c/></b></a>', (root) => root.child('b')?.dismiss())).toEqual([]);
  });
});
