import { describe, expect, it } from 'vitest';
import { formatStorage, parseStorage } from '../../src/formats/storage.js';
import { importProblems } from './support.js';

const HEAD = 'Coordinates\nversion=1\nnRows=2\nnColumns=3\ninDegrees=yes\n\nUnits are S.I. units\nendheader\n';
const table = (head = HEAD, labels = 'time\ta b\tc', rows = '0 1 2\n0.5 3 -4e-1'): string =>
  `${head}${labels}\n${rows}\n`;

const problem = (text: string): string => {
  const [{ where, code, message }] = importProblems(() => parseStorage(text, { file: 'm.mot' }));
  return `${where} ${code}: ${message}`;
};

describe('OpenSim tables', () => {
  it('are read', () => {
    const read = parseStorage(table().replaceAll('\n', '\r\n'));
    expect(read.name).toBe('Coordinates');
    expect(read.inDegrees).toBe(true);
    expect(read.labels).toEqual(['time', 'a b', 'c']);
    expect(Array.from(read.values)).toEqual([0, 1, 2, 0.5, 3, -0.4]);
  });

  it('with the header of SIMM, with trailing tabs, with nothing declared, with nan', () => {
    const simm = parseStorage(table('name x\ndatacolumns 3\ndatarows 2\nendheader\n', 'time a c'));
    expect(simm.labels).toEqual(['time', 'a', 'c']);
    expect(simm.inDegrees).toBe(false);
    const many = Array.from({ length: 300 }, (_, k) => `${k}\tnan\t1\t\t`).join('\n');
    const undeclared = parseStorage(table('x\t\t\nendheader\t\t\n', 'time\ta\tb\t\t', many));
    expect(undeclared.rowCount).toBe(300);
    expect(undeclared.values[1]).toBeNaN();
    expect(undeclared.values[299 * 3]).toBe(299);
  });

  it('are written so that they can be read', () => {
    const rows = [
      [0, 1 / 3, -1e-300],
      [0.1, Number.NaN, 5],
    ];
    const read = parseStorage(formatStorage('a\nb', ['time', 'x y', 'z'], rows));
    expect(read.labels).toEqual(['time', 'x_y', 'z']);
    expect(Array.from(read.values)).toEqual(rows.flat());
    expect(read.inDegrees).toBe(false);
  });

  it.each([
    ['nothing', '', /header/],
    ['no end of the header', 'a\nb\n', /m\.mot:2 header: There is no "endheader"/],
    ['no labels', 'a\nendheader\n', /m\.mot:2 truncated/],
    ['no rows', 'a\nendheader\ntime a\n', /no-rows/],
    ['no time', table(HEAD, 't\ta\tb'), /m\.mot:9 time: The first column must be time/],
    ['fewer labels than declared', table(HEAD, 'time\ta'), /declares 3 columns, but 2 have a label/],
    ['a label twice', table(HEAD, 'time\ta\ta'), /Two columns are called "a"/],
    ['a short row', table(HEAD, undefined, '0 1 2\n1 2'), /m\.mot:11 columns: Row 2 has 2 numbers, expected 3/],
    [
      'a word',
      table(HEAD, undefined, '0 1 2\n1 x 2'),
      /m\.mot:11 number: Row 2, column "a b": expected a finite number, got "x"/,
    ],
    ['no number for the time', table(HEAD, undefined, '0 1 2\nnan 1 2'), /Row 2, column "time"/],
    ['time that stands still', table(HEAD, undefined, '0 1 2\n0 1 2'), /m\.mot:11 time: Time does not increase/],
    ['fewer rows than declared', table(HEAD.replace('nRows=2', 'nRows=3')), /truncated: The header declares 3 rows/],
    ['more rows than declared', table(HEAD.replace('nRows=2', 'nRows=1')), /m\.mot:11 rows/],
    ['rows that no file could hold', table(HEAD.replace('nRows=2', 'nRows=9e15')), /m\.mot:9 truncated/],
    ['a strange number of rows', table(HEAD.replace('nRows=2', 'nRows=-1')), /expected a whole number/],
    ['degrees or not', table(HEAD.replace('inDegrees=yes', 'inDegrees=maybe')), /The value of inDegrees is yes or no/],
  ])('with %s are refused', (_what, text, expected) => {
    expect(problem(text)).toMatch(expected);
  });
});
