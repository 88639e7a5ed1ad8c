// The mass-matrix algorithms of [004] side by side: operations as the chain grows.

import uPlot from 'uplot';
import { element } from '../views/dom.js';
import { Studies } from './client.js';
import type { Counted } from './protocol.js';
import { type GalleryView, slider } from './views.js';

const COLOURS = ['#0072b2', '#56b4e9', '#d55e00', '#e69f00', '#009e73', '#cc79a7'];

export const countsView: GalleryView = (panel, { load }) => {
  const studies = new Studies();
  const found: Counted[] = [];
  let joints = 8;
  const head = element(
    'tr',
    {},
    ...['algorithm', 'multiplications', 'additions', 'times the least'].map((text) => element('th', {}, text)),
  );
  const body = element('tbody');
  const caption = element('caption');
  const table = element('table', { className: 'numbers' }, caption, element('thead', {}, head), body);
  const drawing = element('div');
  drawing.setAttribute('role', 'img');
  drawing.setAttribute('aria-label', 'Operations over the number of joints; the table below has the numbers');
  const figure = element('figure', { className: 'plot' }, drawing);
  const draw = (): void => {
    const shown = found.reduce<Counted | undefined>(
      (best, one) => (best === undefined || Math.abs(one.n - joints) < Math.abs(best.n - joints) ? one : best),
      undefined,
    );
    if (shown === undefined) return;
    caption.textContent = `A chain of ${shown.n} joints, counted`;
    const sums = shown.counts.map(({ multiplications, additions }) => multiplications + additions);
    const least = Math.min(...sums);
    body.replaceChildren(
      ...shown.counts.map(({ algorithm, multiplications, additions }, k) =>
        element(
          'tr',
          {},
          ...[algorithm, multiplications, additions, (sums[k] / least).toFixed(2)].map((cell) =>
            element('td', {}, String(cell)),
          ),
        ),
      ),
    );
  };
  panel.append(
    element('p', {}, 'Six ways to the same matrix (paper 004): the counts come from the code that computes it.'),
    slider('Joints', { min: 2, max: 32, step: 1, value: joints }, (value) => {
      joints = value;
      draw();
      load(`chain-${value}`);
    }),
    figure,
    table,
  );
  const stroke = getComputedStyle(document.body).color;
  const axis = { stroke, grid: { stroke: 'rgba(128,128,128,0.25)' }, ticks: { stroke: 'rgba(128,128,128,0.4)' } };
  let plot: uPlot | undefined;
  const plotted = (): void => {
    const [first] = found;
    if (first === undefined) return;
    plot ??= new uPlot(
      {
        title: 'Multiplications and additions',
        width: Math.max(240, figure.clientWidth || 340),
        height: 260,
        scales: { x: { time: false }, y: { distr: 3 } },
        axes: [
          { ...axis, label: 'joints', labelSize: 16 },
          {
            ...axis,
            size: 50,
            // Powers of ten, and nothing between them.
            splits: [10, 100, 1e3, 1e4, 1e5, 1e6],
            values: (_, splits) =>
              splits.map((value) => (value < 1e3 ? `${value}` : value < 1e6 ? `${value / 1e3}k` : `${value / 1e6}M`)),
          },
        ],
        series: [
          { label: 'joints' },
          ...first.counts.map(({ algorithm }, k) => ({ label: algorithm, stroke: COLOURS[k], width: 1.5 })),
        ],
      },
      [[], ...first.counts.map(() => [])],
      drawing,
    );
    plot.setData([
      found.map(({ n }) => n),
      ...first.counts.map((_, k) => found.map(({ counts }) => counts[k].multiplications + counts[k].additions)),
    ]);
  };
  studies
    .ask({ kind: 'counts' }, ({ counted }) => {
      if (counted === undefined) return;
      found.push(counted);
      plotted();
      draw();
    })
    .catch((error: unknown) => {
      caption.textContent = (error as Error).message;
    });
  load(`chain-${joints}`);
  return {
    close: () => {
      studies.end();
      plot?.destroy();
    },
  };
};
