// The command mass-matrix with its algorithms, and reproduce 004.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { MASS_MATRIX_ALGORITHMS } from '../../src/papers/mass-matrix/index.js';
import { relativeError } from '../support/random-mechanism.js';
import { hasShared, readShared } from '../support/shared.js';
import { expectRefusal, json, manikin, output } from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'manikin-mass-matrix-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const flat = (H: number[][]): number[] => H.flat();

describe('mass-matrix --algorithm', () => {
  it.each(MASS_MATRIX_ALGORITHMS)('%s gives the matrix, its operations and its time', async (algorithm) => {
    const words = ['mass-matrix', 'human-34', '--seed', '1'];
    const reference = await json(...words);
    expect(reference.algorithm).toBe('crba');
    expect(reference.operations).toBeUndefined();
    const found = await json(...words, '--algorithm', algorithm, '--count');
    expect(found.joints).toEqual(reference.joints);
    expect(relativeError(flat(found.H), flat(reference.H))).toBeLessThan(1e-11);
    expect(Object.keys(found.operations)).toEqual(['multiplications', 'additions', 'divisions', 'trigonometric']);
    expect(found.operations.multiplications).toBeGreaterThan(1000);
    expect(found.ns).toBeGreaterThan(0);
  });

  it('counts composite-variant where none is named', async () => {
    const { algorithm, frame, operations } = await json('mass-matrix', 'chain-6', '--count');
    expect({ algorithm, frame }).toEqual({ algorithm: 'composite-variant', frame: 'body, then root' });
    expect(operations.divisions).toBe(0);
    expect(await output('mass-matrix', 'chain-6', '--count')).toMatch(/multiplications, \d+ additions/);
  });

  it('takes another frame', async () => {
    const count = async (frame: string) =>
      (await json('mass-matrix', 'chain-32', '--algorithm', 'composite-variant', '--count', '--frame', frame))
        .transformations;
    expect(await count('body')).toBe(32 * 32 + 32 - 2);
    expect(await count('root')).toBe(4 * 32 - 1);
  });
});

describe('mass-matrix --processors', () => {
  it('simulates an array', async () => {
    const reference = await json('mass-matrix', 'chain-12', '--seed', '3');
    for (const algorithm of ['newton-euler-variant', 'composite-variant']) {
      const found = await json(
        'mass-matrix',
        'chain-12',
        '--seed',
        '3',
        '--processors',
        '78',
        '--algorithm',
        algorithm,
      );
      expect(relativeError(flat(found.H), flat(reference.H))).toBeLessThan(1e-12);
      expect(found.array).toMatchObject({ layout: 'triangle', virtual: 78, processors: 78 });
      expect(found.array.shuffle.steps).toBeLessThan(found.array.nearest.steps);
    }
    const few = await json('mass-matrix', 'human-34', '--processors', '5');
    expect(few.array).toMatchObject({ layout: 'columns', virtual: 29, processors: 5 });
    expect(await output('mass-matrix', 'chain-6', '--processors', '21')).toContain('shuffle-exchange');
  });
});

describe('mass-matrix refuses', () => {
  it.each([
    ['--processors', '0'],
    ['--processors', 'many'],
    ['--processors', '4', '--algorithm', 'kane'],
    ['--processors', '4', '--frame', 'body'],
    ['--processors', '4', '--frame', 'tip', '--layout', 'columns'],
    ['--layout', 'columns'],
    ['--frame', 'column', '--algorithm', 'kane'],
    ['--algorithm', 'crba', '--count'],
    ['--algorithm', 'crba', '--frame', 'body'],
    ['--algorithm', 'nonsense'],
  ])('%s %s %s %s', async (...words) => {
    expectRefusal(await manikin('mass-matrix', 'chain-3', ...words.filter((word) => word !== undefined)), 2);
  });

  it('what is too large to count', async () => {
    expectRefusal(await manikin('mass-matrix', 'chain-200', '--algorithm', 'kane', '--count'), 2);
    expectRefusal(await manikin('mass-matrix', 'chain-400', '--processors', '100000'), 2);
    expectRefusal(await manikin('mass-matrix', 'chain-5000', '--algorithm', 'composite'), 2);
    expectRefusal(await manikin('mass-matrix', 'chain-900', '--algorithm', 'kane'), 2);
  });
});

describe('reproduce 004', () => {
  // Once for both tests: it counts all algorithms on mechanisms of many sizes.
  const all = json('reproduce', '004');

  it.skipIf(!hasShared('reference/opcounts.json'))('has the paper as printed, and ours no higher', async () => {
    const { n6 } = JSON.parse(readShared('reference/opcounts.json')) as {
      n6: Record<string, { printed_mul: number; printed_add: number }>;
    };
    const { serial, parallel } = await all;
    const printed = [...serial.filter((row: { paper?: object }) => row.paper !== undefined), ...parallel] as {
      name: string;
      processors?: string;
      paper: { six: object };
      six: { mul: number; add: number };
    }[];
    expect(printed.length).toBe(6);
    for (const row of printed) {
      const key = Object.keys(n6).find(
        (name) =>
          name.includes(row.name) &&
          (row.processors === undefined ? name.startsWith('serial') : name.includes(`, ${row.processors} processors`)),
      );
      const { printed_mul: mul, printed_add: add } = n6[key!];
      expect(row.paper.six, key).toEqual({ mul, add });
      expect(row.six.mul, key).toBeLessThanOrEqual(mul);
      expect(row.six.add, key).toBeLessThanOrEqual(add);
    }
  });

  it('the terms in n^2 are the paper’s, and no count is without a formula', async () => {
    const { serial, parallel } = await all;
    const general = (name: string) => serial.find((row: { name: string }) => row.name === name).general;
    expect(general('V N-E B').mul).toMatch(/^\(39\/2\)n\^2 /);
    expect(general('V N-E B').add).toMatch(/^19n\^2 /);
    expect(general('V C R-B').mul).toMatch(/^\(9\/2\)n\^2 /);
    expect(general('V C R-B').add).toMatch(/^4n\^2 /);
    expect(general('OKE').mul).toMatch(/n\^3/);
    for (const row of [...serial, ...parallel]) expect(`${row.general.mul} ${row.general.add}`).not.toContain('no ');
  });

  it('prints tables, and draws', async () => {
    const svg = join(folder, 'cost.svg');
    const text = await output('reproduce', '004', '--svg', svg);
    expect(text).toContain('644m + 535a = 1179');
    expect(text).toContain('33 L + 109');
    expect(readFileSync(svg, 'utf8')).toContain('V N-E B');
    expectRefusal(await manikin('reproduce', '004', '--table', '3'), 2);
    expectRefusal(await manikin('reproduce', '002', '--svg', svg), 2);
  });
});
