import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LinePlotOptions, linePlot, type Series } from '../../src/plot/line-plot.js';
import { drawn, named } from './support.js';

const SIZE: LinePlotOptions = { x: 10, y: 20, width: 600, height: 300, xLabel: 'x', yLabel: 'y' };
const LOGS: Partial<LinePlotOptions>[] = [{}, { logX: true }, { logY: true }, { logX: true, logY: true }];

const plotted = (points: Series['points'], more: Partial<LinePlotOptions> = {}, dots = false) =>
  drawn(linePlot([{ label: 'series', points, dots }], { ...SIZE, ...more }));

/** The curve of the only series: the path that is drawn with its width. */
const curveOf = (elements: ReturnType<typeof drawn>): string =>
  named(elements, 'path').find(({ attributes }) => attributes['stroke-width'] === '1.5')!.attributes.d;

describe.each(LOGS)('axes %j', (log) => {
  it.each<[string, Series['points']]>([
    ['nothing', []],
    ['one point', [[1, 2]]],
    ['the same point many times', new Array(5).fill([3, 3])],
    ['a constant', [0, 1, 2, 3].map((x) => [x, 5])],
    ['zero', [0, 1, 2, 3].map((x) => [x, 0])],
    ['one moment', [1, 2, 3].map((y) => [4, y])],
    ['negative values', [-3, -2, -1].map((x) => [x, 2 * x])],
    ['all signs', [-1, 0, 1, 2].map((x) => [x, x])],
    [
      'values that are not finite',
      [
        [1, 1],
        [2, Number.NaN],
        [3, Number.POSITIVE_INFINITY],
        [Number.NaN, 4],
        [5, 5],
      ],
    ],
    ['nothing but NaN', [[1, Number.NaN]]],
    [
      'huge values',
      [
        [1, 1e300],
        [2, 3e300],
      ],
    ],
    [
      'tiny values',
      [
        [1e-300, 1e-300],
        [2e-300, 3e-300],
      ],
    ],
    [
      'a huge constant',
      [
        [1e17, 1e17],
        [1e17, 1e17],
      ],
    ],
  ])('%s: finite numbers only', (_what, points) => {
    for (const dots of [false, true]) expect(plotted(points, log, dots).length).toBeGreaterThan(5);
  });

  it('any numbers at all', () => {
    const number = fc.oneof(fc.double(), fc.double({ min: -10, max: 10 }), fc.constantFrom(0, -0, 1));
    fc.assert(
      fc.property(fc.array(fc.tuple(number, number), { maxLength: 6 }), fc.boolean(), (points, dots) => {
        plotted(points, log, dots);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a plot', () => {
  it('puts its points where they belong: x to the right, y upwards, within the frame', () => {
    const d = curveOf(
      plotted([
        [0, 0],
        [5, 10],
        [10, 5],
      ]),
    );
    const points = [...d.matchAll(/(-?[\d.]+),(-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
    // 600 x 300 less the margins.
    expect(points).toEqual([
      [0, 232],
      [260, 0],
      [520, 116],
    ]);
  });

  it('writes a tenth as 0.1, and thousands with a k', () => {
    const svg = linePlot(
      [
        {
          label: 'a',
          points: [
            [0.02, 0.003],
            [5000, 20_000],
          ],
        },
      ],
      {
        ...{ x: 0, y: 0, width: 400, height: 300, xLabel: '', yLabel: '' },
        ...{ logX: true, logY: true },
      },
    );
    for (const label of ['0.1', '0.01', '1k']) expect(svg).toContain(`>${label}</text>`);
    expect(svg).not.toMatch(/>\d+m<\/text>/);
  });

  it('has decades at equal distances where the axis is logarithmic', () => {
    const d = curveOf(
      plotted(
        [
          [1, 1],
          [10, 10],
          [100, 100],
        ],
        { logX: true },
      ),
    );
    const xs = [...d.matchAll(/(-?[\d.]+),/g)].map(([, x]) => Number(x));
    expect(xs).toEqual([0, 260, 520]);
  });

  it('leaves out what cannot be drawn, and draws the rest', () => {
    const circles = named(
      plotted(
        [
          [1, 0],
          [2, 10],
          [3, -5],
          [4, 100],
        ],
        { logY: true },
        true,
      ),
      'circle',
    );
    expect(circles).toHaveLength(2);
  });

  it('has a legend, labels and a title, escaped', () => {
    const name = 'a<b> & "c"';
    const series = [1, 2, 3].map((k) => ({
      label: `${name} ${k}`,
      points: [
        [0, k],
        [1, k],
      ] as [number, number][],
    }));
    const texts = named(
      drawn(linePlot(series, { ...SIZE, title: `T ${name}`, xLabel: `X ${name}`, yLabel: `Y ${name}` })),
      'text',
    ).map((element) => element.text);
    for (const expected of [`${name} 1`, `${name} 2`, `${name} 3`, `T ${name}`, `X ${name}`, `Y ${name}`])
      expect(texts).toContain(expected);
  });

  it('gives each series its own colour', () => {
    const series = [1, 2, 3].map((k) => ({
      label: `${k}`,
      points: [
        [0, k],
        [1, k],
      ] as [number, number][],
    }));
    const paths = named(drawn(linePlot([...series, { ...series[0], color: '#123456' }], SIZE)), 'path');
    const strokes = paths
      .filter(({ attributes }) => attributes['stroke-width'] === '1.5')
      .map((p) => p.attributes.stroke);
    expect(new Set(strokes).size).toBe(4);
    expect(strokes[3]).toBe('#123456');
  });

  it('copes with many points, dots too', () => {
    const points = Array.from({ length: 200_000 }, (_, k): [number, number] => [k, Math.sin(k / 1000)]);
    for (const dots of [false, true])
      expect(linePlot([{ label: 'many', points, dots }], SIZE).length).toBeGreaterThan(10 * points.length);
  });
});
