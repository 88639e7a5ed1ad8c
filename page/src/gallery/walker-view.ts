// A passive walker with sliders for slope and masses, and the diagram of what it settles to on each slope.

import uPlot from 'uplot';
import { element, short } from '../views/dom.js';
import { Studies } from './client.js';
import type { Settled, Walked, WalkerName } from './protocol.js';
import { afterwards, type GalleryView, slider } from './views.js';

/** Names, bounds and published values of the masses; the slope that was published. */
const WALKERS = {
  compass: {
    slope: 0.0524,
    masses: [
      ['hipMass', 'Mass of the hip, kg', 0, 10, 2],
      ['legMass', 'Mass of a leg, kg', 0.2, 5, 1],
      ['legMassFromFoot', 'Its height above the foot, m', 0.1, 0.9, 0.5],
    ],
  },
  kneed: {
    slope: 0.0504,
    masses: [
      ['hipMass', 'Mass of the hip, kg', 0.1, 3, 0.5],
      ['thighMass', 'Mass of a thigh, kg', 0.1, 2, 0.5],
      ['shankMass', 'Mass of a shank, kg', 0.01, 0.5, 0.05],
    ],
  },
} as const;

export const walkerView =
  (model: WalkerName): GalleryView =>
  (panel, { play, store }) => {
    const { slope: published, masses } = WALKERS[model];
    let slope: number = published;
    let from: Walked['end'];
    const sizes: Record<string, number> = {};
    const result = element('p', { 'aria-live': 'polite', className: 'result' }, 'It starts to walk ...');
    const [walks, sweeps] = [new Studies(), new Studies()];
    const fail = (error: unknown): void => {
      result.textContent = (error as Error).message;
    };
    const walk = (): void => {
      const study = { kind: 'walk', model, slope, sizes, ...(from !== undefined && { from }) } as const;
      walks
        .ask(study, ({ walked }) => {
          if (walked === undefined) return;
          from = walked.end;
          result.textContent = walked.says;
          play(walked.replay);
          store.set({ message: '' });
        })
        .catch(fail);
    };
    const diagram = new Diagram();
    const sweep = (): void => {
      diagram.clear();
      sweeps
        .ask({ kind: 'bifurcation', model, sizes: { ...sizes } }, ({ settled }) => settled && diagram.add(settled))
        .catch(fail);
    };
    const [walkSoon, sweepSoon] = [afterwards(walk), afterwards(sweep, 600)];
    panel.append(
      slider('Slope, rad', { min: 0.002, max: 0.12, step: 0.0002, value: slope }, (value) => {
        slope = value;
        diagram.mark = value;
        walkSoon();
      }),
      ...masses.map(([size, name, min, max, value]) =>
        slider(name, { min, max, step: (max - min) / 200, value }, (mass) => {
          sizes[size] = mass;
          walkSoon();
          sweepSoon();
        }),
      ),
      result,
      diagram.element,
    );
    diagram.start(slope);
    walk();
    sweep();
    return {
      close: () => {
        walks.end();
        sweeps.end();
        diagram.remove();
      },
    };
  };

/** Step periods over slopes, with a mark at the slope of now. */
class Diagram {
  readonly element = element('figure', { className: 'plot' });
  readonly #drawing = element('div');
  readonly #caption = element('figcaption');
  #plot: uPlot | undefined;
  #points: Settled[] = [];
  #mark = 0;

  constructor() {
    this.#drawing.setAttribute('role', 'img');
    this.#drawing.setAttribute('aria-label', 'Bifurcation diagram: periods of steps over the slope');
    this.element.append(this.#drawing, this.#caption);
  }

  start(slope: number): void {
    this.#mark = slope;
    const stroke = getComputedStyle(document.body).color;
    const axis = { stroke, grid: { stroke: 'rgba(128,128,128,0.25)' }, ticks: { stroke: 'rgba(128,128,128,0.4)' } };
    this.#plot = new uPlot(
      {
        title: 'Period of a step over the slope, s',
        width: Math.max(240, this.element.clientWidth || 340),
        height: 230,
        // Periods that hardly differ lie on a level line.
        scales: { x: { time: false, range: [0, 0.12] }, y: { range: (_, low, high) => [0.98 * low, 1.02 * high] } },
        axes: [
          { ...axis, label: 'rad', labelSize: 16 },
          { ...axis, size: 58 },
        ],
        series: [
          { label: 'slope' },
          { label: 'period', stroke, paths: () => null, points: { show: true, size: 2, fill: stroke, width: 0 } },
        ],
        legend: { show: false },
        cursor: { show: false },
        hooks: {
          draw: [
            ({ ctx, bbox, valToPos }) => {
              ctx.save();
              ctx.fillStyle = '#e8710a';
              ctx.fillRect(valToPos(this.#mark, 'x', true) - 1, bbox.top, 2, bbox.height);
              ctx.restore();
            },
          ],
        },
      },
      [[], []],
      this.#drawing,
    );
  }

  set mark(slope: number) {
    this.#mark = slope;
    this.#plot?.redraw(false);
    this.#say();
  }

  clear(): void {
    this.#points = [];
    this.#draw();
  }

  add(point: Settled): void {
    this.#points.push(point);
    this.#draw();
  }

  #draw(): void {
    this.#points.sort((a, b) => a.slope - b.slope);
    const dots = this.#points.flatMap(({ slope, periods }) => periods.map((period) => [slope, period] as const));
    this.#plot?.setData([dots.map(([slope]) => slope), dots.map(([, period]) => period)]);
    this.#say();
  }

  #say(): void {
    const done = this.#points.length;
    const falls = this.#points.filter(({ periods }) => periods.length === 0).length;
    this.#caption.textContent = `${done} slopes so far${falls > 0 ? `, on ${falls} it falls` : ''}. The mark is the slope of now, ${short(this.#mark)} rad.`;
  }

  remove(): void {
    this.#plot?.destroy();
  }
}
