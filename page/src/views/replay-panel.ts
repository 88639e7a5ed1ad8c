// What a replay shows beside its motion: plots with a mark that moves along, facts, pictures.

import type { Replay, ReplayCurve, ReplayPlot } from 'manikin/plot';
import uPlot from 'uplot';
import type { Store } from '../store.js';
import { element } from './dom.js';

/** Milliseconds between drawings of the mark. */
const BETWEEN = 100;
/** Left and right in two families of colours that stay apart for colour-blind readers. */
const LEFT = ['#0072b2', '#56b4e9', '#3a5ba9', '#00a3a3'];
const RIGHT = ['#d55e00', '#e69f00', '#b03060', '#8c564b'];
/** Of curves that belong to no side: all of them, and where some belong to a side. */
const ALONE = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'];
const BETWEEN_SIDES = ['#777777', '#009e73', '#cc79a7', '#9a7f00'];

/** Names that people know: knee_angle_r and RightLeg are of the right. */
function sideOf(name: string): 'left' | 'right' | undefined {
  if (/left|(?:^|_)l(?:_|$)/i.test(name)) return 'left';
  return /right|(?:^|_)r(?:_|$)/i.test(name) ? 'right' : undefined;
}

/** A colour for each of the curves that are shown. */
export function coloursOf(names: readonly string[]): string[] {
  const used = { left: 0, right: 0, other: 0 };
  const others = names.some((name) => sideOf(name) !== undefined) ? BETWEEN_SIDES : ALONE;
  return names.map((name) => {
    const side = sideOf(name) ?? 'other';
    const family = side === 'left' ? LEFT : side === 'right' ? RIGHT : others;
    return family[used[side]++ % family.length];
  });
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
    const colours = coloursOf(shown.map(({ name }) => name));
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
          { label: x?.label ?? 's' },
          ...shown.map(({ name }, k) => ({ label: name, stroke: colours[k], width: 1.5 })),
          ...bands.flatMap(() => ['low', 'high'].map((label) => ({ label, width: 0, points: { show: false } }))),
        ],
        bands: bands.map(({ colour }, k) => ({
          series: [first + 2 * k + 1, first + 2 * k] as [number, number],
          fill: `${colour}33`,
        })),
        legend: { show: bands.length === 0 },
        cursor: { drag: { x: true, y: false } },
        hooks: {
          drawAxes: [(self) => this.#shade(self)],
          draw: [(self) => this.#mark(self)],
        },
      },
      [
        x?.values ?? this.#times,
        ...shown.map(({ values }) => values),
        ...bands.flatMap(({ low, high }) => [low, high]),
      ] as unknown as uPlot.AlignedData,
      this.#drawing,
    );
    this.#drawn = plot;
    if (bands.length > 0)
      this.#drawing.append(
        element('p', { className: 'legend' }, ...shown.flatMap(({ name }, k) => legendEntry(name, colours[k]))),
      );
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
    if (this.#plot.x === undefined) this.#drawn?.redraw(false);
  }

  remove(): void {
    this.#drawn?.destroy();
  }
}

function legendEntry(name: string, colour: string): HTMLElement[] {
  const mark = element('span', { className: 'swatch' });
  mark.style.background = colour;
  return [mark, element('span', {}, `${name} `)];
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
  let [drawn, gone] = [0, false];
  store.subscribe(({ frame }, before) => {
    if (gone || frame === undefined || frame === before.frame || performance.now() - drawn < BETWEEN) return;
    if (panel.closest('[hidden]') !== null) return;
    drawn = performance.now();
    for (const drawing of drawings) drawing.at(frame.time);
  });
  return {
    remove: () => {
      gone = true;
      for (const drawing of drawings) drawing.remove();
      for (const part of made) part.remove();
    },
  };
}
