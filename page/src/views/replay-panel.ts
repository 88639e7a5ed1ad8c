// What a replay shows beside its motion: plots with a mark that moves along, facts, pictures.

import { type Replay, type ReplayCurve, type ReplayPlot, sideColors } from 'manikin/plot';
import uPlot from 'uplot';
import type { Store } from '../store.js';
import { element } from './dom.js';

/** Milliseconds between drawings of the mark. */
const BETWEEN = 100;
/** A value beside the name of its curve. */
const reading = (_: uPlot, value: number | null): string =>
  value === null || value === undefined ? '--' : String(Number(value.toPrecision(4)));
/** With a gap where there is no number. */
function gapped(values: Float32Array): Float32Array | (number | null)[] {
  return values.some(Number.isNaN) ? Array.from(values, (value) => (Number.isNaN(value) ? null : value)) : values;
}

/** A plot of a replay, with the curves that were chosen. */
class CurvePlot {
  readonly element = element('figure', { className: 'plot' });
  readonly #drawing = element('div');
  readonly #plot: ReplayPlot;
  readonly #times: Float64Array;
  readonly #seek: (time: number) => void;
  readonly #chosen: Set<ReplayCurve>;
  #drawn: uPlot | undefined;
  #now = 0;

  constructor(plot: ReplayPlot, times: Float64Array, seek: (time: number) => void) {
    this.#plot = plot;
    this.#times = times;
    this.#seek = seek;
    this.#chosen = new Set(plot.curves.slice(0, plot.shown ?? plot.curves.length));
    this.element.append(this.#drawing);
    if (plot.shaded !== undefined && plot.shaded.stretches.length > 0)
      this.element.append(element('figcaption', {}, `Shaded: ${plot.shaded.meaning}.`));
    if (plot.curves.length > 1) this.element.append(this.#choice());
  }

  /** A box for each curve, folded away where there are many. */
  #choice(): HTMLElement {
    const boxes = this.#plot.curves.map((curve) => {
      const box = element('input', { type: 'checkbox', checked: this.#chosen.has(curve) });
      box.onchange = () => {
        if (box.checked) this.#chosen.add(curve);
        else this.#chosen.delete(curve);
        this.draw();
      };
      return element('label', {}, box, ` ${curve.name}`);
    });
    const count = `${this.#plot.curves.length} curves to choose from`;
    return element(
      'details',
      { className: 'curves' },
      element('summary', {}, count),
      element('div', { className: 'row' }, ...boxes),
    );
  }

  draw(): void {
    this.#drawn?.destroy();
    const { title, unit, curves, x } = this.#plot;
    const shown = curves.filter((curve) => this.#chosen.has(curve));
    const colours = sideColors(shown.map(({ name }) => name));
    const text = getComputedStyle(document.body).color;
    const axis = {
      stroke: text,
      grid: { stroke: 'rgba(128,128,128,0.25)' },
      ticks: { stroke: 'rgba(128,128,128,0.4)' },
    };
    // A band is the space between two curves without lines.
    const bands = shown.flatMap(({ band }, k) => (band === undefined ? [] : [{ ...band, colour: colours[k] }]));
    const first = shown.length + 1;
    const plot = new uPlot(
      {
        title: `${title}, ${unit}`,
        width: Math.max(240, this.element.clientWidth || 320),
        height: 200,
        scales: { x: { time: false } },
        axes: [
          { ...axis, ...(x !== undefined && { label: x.label, labelSize: 18 }) },
          { ...axis, size: 58 },
        ],
        series: [
          { label: x?.label ?? 'time, s', value: reading },
          ...shown.map(({ name }, k) => ({ label: name, stroke: colours[k], width: 1.5, value: reading })),
          ...bands.flatMap(() =>
            ['low', 'high'].map((label) => ({ label, class: 'band', width: 0, points: { show: false } })),
          ),
        ],
        bands: bands.map(({ colour }, k) => ({
          series: [first + 2 * k + 1, first + 2 * k] as [number, number],
          fill: `${colour}33`,
        })),
        cursor: { drag: { x: true, y: false } },
        hooks: {
          drawAxes: [(self) => this.#shade(self)],
          draw: [(self) => this.#mark(self)],
          setCursor: [(self) => this.#read(self)],
        },
      },
      [
        x?.values ?? this.#times,
        ...shown.map(({ values }) => gapped(values)),
        ...bands.flatMap(({ low, high }) => [gapped(low), gapped(high)]),
      ] as unknown as uPlot.AlignedData,
      this.#drawing,
    );
    this.#drawn = plot;
    if (x !== undefined) return;
    plot.over.addEventListener('click', () => {
      const index = plot.cursor.idx;
      if (index !== undefined && index !== null) this.#seek(this.#times[index]);
    });
  }

  #shade({ ctx, bbox, valToPos }: uPlot): void {
    ctx.save();
    ctx.fillStyle = 'rgba(128,128,128,0.15)';
    for (const [from, to] of this.#plot.shaded?.stretches ?? []) {
      const [a, b] = [from, to].map((time) =>
        Math.min(bbox.left + bbox.width, Math.max(bbox.left, valToPos(time, 'x', true))),
      );
      ctx.fillRect(a, bbox.top, Math.max(1, b - a), bbox.height);
    }
    ctx.restore();
  }

  #mark({ ctx, bbox, valToPos }: uPlot): void {
    if (this.#plot.x !== undefined) return;
    const at = valToPos(this.#now, 'x', true);
    if (at < bbox.left || at > bbox.left + bbox.width) return;
    ctx.save();
    ctx.fillStyle = '#e8710a';
    ctx.fillRect(at - 1, bbox.top, 2, bbox.height);
    ctx.restore();
  }

  /** The mark goes to a time. */
  at(time: number): void {
    this.#now = time;
    if (this.#plot.x !== undefined || this.#drawn === undefined) return;
    this.#drawn.redraw(false);
    this.#read(this.#drawn);
  }

  /** Values of the present in the legend, while no pointer asks for others. */
  #read(plot: uPlot): void {
    if (this.#plot.x === undefined && (plot.cursor.left ?? -1) < 0)
      plot.setLegend({ idx: this.#frame(this.#now) }, false);
  }

  /** The last frame up to a time. */
  #frame(time: number): number {
    let [low, high] = [0, this.#times.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#times[middle] <= time + 1e-9) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  remove(): void {
    this.#drawn?.destroy();
  }
}

/** Fills a panel with a replay; the plots follow the time of the page until `remove`. */
export function replayPanel(
  panel: HTMLElement,
  store: Store,
  { plots, times, facts, pictures }: Replay,
  seek: (time: number) => void,
): { readonly remove: () => void } {
  const drawings = plots.map((plot) => new CurvePlot(plot, times, seek));
  const made: HTMLElement[] = drawings.map(({ element: figure }) => figure);
  for (const { svg, caption } of pictures) {
    const picture = element('img', {
      src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`,
      alt: caption,
      className: 'schedule',
    });
    made.push(element('figure', { className: 'plot' }, picture, element('figcaption', {}, caption)));
  }
  if (facts.length > 0)
    made.push(
      element(
        'dl',
        { className: 'facts' },
        ...facts.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]),
      ),
    );
  panel.append(...made);
  for (const drawing of drawings) drawing.draw();
  let drawn = 0;
  const leave = store.subscribe(({ frame, playing }, before) => {
    // While it stands still no later frame would bring the mark to its place.
    if (frame === undefined || frame === before.frame || (playing && performance.now() - drawn < BETWEEN)) return;
    if (panel.closest('[hidden]') !== null) return;
    drawn = performance.now();
    for (const drawing of drawings) drawing.at(frame.time);
  });
  return {
    remove: () => {
      leave();
      for (const drawing of drawings) drawing.remove();
      for (const part of made) part.remove();
    },
  };
}
