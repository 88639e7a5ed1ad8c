// Marker files: .trc and .c3d.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseC3d, parseTrc } from '../../src/formats/index.js';
import { ImportError } from '../../src/mechanism/errors.js';
import { type C3dContent, writeC3d } from '../support/c3d-writer.js';
import { hasShared, readShared } from '../support/shared.js';

const TRC = `PathFileType\t4\t(X/Y/Z)\tx.trc
DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames
100\t100\t2\t2\tmm\t100\t1\t2
Frame#\tTime\tR.ASIS\t\t\tL Knee\t\t
\t\tX1\tY1\tZ1\tX2\tY2\tZ2

1\t0.00\t1\t2\t3\t\t\t
2\t0.01\t4\t5\t6\t7000\t-8\t9e1
`;

describe('TRC', () => {
  it('has markers in metres, those not seen as NaN', () => {
    const { labels, rate, times, positions } = parseTrc(TRC);
    expect(labels).toEqual(['R.ASIS', 'L Knee']);
    expect(rate).toBe(100);
    expect([...times]).toEqual([0, 0.01]);
    const NOT = Number.NaN;
    expect([...positions]).toEqual([0.001, 0.002, 0.003, NOT, NOT, NOT, 0.004, 0.005, 0.006, 7, -0.008, 0.09]);
  });

  it('may have spaces for tabs, and before its numbers', () => {
    const spaced = TRC.replace('L Knee', 'L.Knee').replace('3\t\t\t', '3\t1\t2\t3').replaceAll('\t', '  ');
    const { labels, positions } = parseTrc(spaced.replace(/^(?=[12] )/gm, '   '));
    expect(labels).toEqual(['R.ASIS', 'L.Knee']);
    expect([...positions.slice(0, 6)]).toEqual([0.001, 0.002, 0.003, 0.001, 0.002, 0.003]);
  });

  it.each([
    ['another file', 'hello', 'PathFileType'],
    ['units', TRC.replace('mm', 'ells'), 'ells'],
    ['a word for a number', TRC.replace('7000', 'far'), 'far'],
    ['time that stands', TRC.replace('0.01', '0.00'), 'increase'],
    ['a name twice', TRC.replace('L Knee', 'R.ASIS'), 'R.ASIS'],
    ['no frames', TRC.split('\n').slice(0, 6).join('\n'), 'no frames'],
    ['markers without names', TRC.replace('\t2\tmm', '\t3\tmm'), '3 markers'],
  ])('refuses %s', (_, text, said) => {
    expect(() => parseTrc(text)).toThrow(said);
  });

  it.skipIf(!hasShared('data/opensim'))('the shared walk', () => {
    const { labels, positions, times } = parseTrc(readShared('data/opensim/subject01_walk.trc'));
    expect(labels).toHaveLength(41);
    expect(times).toHaveLength(151);
    expect(positions.slice(0, 3)).toEqual(Float64Array.of(617.24762e-3, 1055.27502e-3, 170.78198e-3));
  });
});

const CONTENT: C3dContent = {
  labels: ['HEAD', 'L_TOE', 'R'],
  rate: 120,
  positions: Float64Array.from({ length: 5 * 9 }, (_, k) => (k >= 12 && k < 15 ? Number.NaN : (k - 20) * 32)),
  analogLabels: ['Fz1', 'Mx1'],
  samples: 4,
  analog: Float64Array.from({ length: 5 * 8 }, (_, k) => k - 7),
  processor: 84,
};

describe('C3D', () => {
  it.each([
    ['Intel, floating point', CONTENT],
    ['Intel, integers', { ...CONTENT, scale: 0.5 }],
    [
      'Intel, integers without a sign',
      { ...CONTENT, scale: 0.5, unsigned: true, analog: CONTENT.analog.map((x) => 40_000 + x) },
    ],
    ['MIPS, floating point', { ...CONTENT, processor: 86 as const }],
    ['DEC, floating point', { ...CONTENT, processor: 85 as const }],
    ['DEC, integers', { ...CONTENT, processor: 85 as const, scale: 4 }],
  ])('comes back as written: %s', (_, content) => {
    const read = parseC3d(writeC3d(content));
    expect(read.labels).toEqual(content.labels);
    expect(read.rate).toBe(120);
    expect([...read.times]).toEqual([0, 1, 2, 3, 4].map((k) => k / 120));
    expect([...read.positions]).toEqual(
      [...content.positions].map((x) => (Number.isNaN(x) ? x : expect.closeTo(x / 1000, 12))),
    );
    expect(read.analog).toEqual({ labels: ['Fz1', 'Mx1'], units: ['N', 'N'], rate: 480, values: content.analog });
  });

  it('damaged files are refused or read, and nothing else', () => {
    const whole = writeC3d(CONTENT);
    let refused = 0;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(2700), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        fc.nat(whole.length),
        fc.boolean(),
        (changes, length, cut) => {
          const bytes = whole.slice(0, cut ? length : whole.length);
          for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
          try {
            parseC3d(bytes, { file: 'x.c3d' });
          } catch (error) {
            expect(error).toBeInstanceOf(ImportError);
            refused++;
          }
        },
      ),
      { numRuns: 400 },
    );
    expect(refused).toBeGreaterThan(20);
    expect(() => parseC3d(new Uint8Array(10))).toThrow('header');
    expect(() => parseC3d(new Uint8Array(600))).toThrow('C3D');
  });
});
