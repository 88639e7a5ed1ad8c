// Plots of what was seen, with the numbers of the present. A click goes there in time, a drag selects a range, hovering shows all of
// them at one time: while it stands still, the scene, too.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Physics } from '../physics/client.js';
import type { Frame } from '../physics/protocol.js';
import type { PageState, Store } from '../store.js';
import { button, download, element, short } from './dom.js';
import { KINDS, type Kind } from './plot-kinds.js';
import { Portrait } from './portrait.js';
import { Samples } from './samples.js';

/** Milliseconds between drawings. */
const BETWEEN = 100;

/** What a plot does to the time of the page. */
interface Clock {
  /** Goes to a time and stays there. */
  seek(time: number): void;
  /** Shows a time as long as the mouse is there; undefined: it has left. */
  look(time: number | undefined): void;
}

/** One plot: its numbers since the scene was loaded, and the drawing. */
class Plot {
  readonly kind: Kind;
  readonly element = element('figure', { className: 'plot' });
  readonly #drawing = element('div');
  readonly #said = element('output', { className: 'range' });
  readonly #clock: Clock;
  #plot: uPlot | undefined;
  #portrait: Portrait | undefined;
  #samples = new Samples([]);
  /** Seconds that were selected; undefined: all. */
  #range: readonly [number, number] | undefined;
  #now = 0;

  constructor(kind: Kind, clock: Clock) {
    this.kind = kind;
    this.#clock = clock;
    const all = button('All', () => this.#select(undefined), 'All of the time');
    // A range without a mouse: from one present to another.
    const from = button('From', () => this.#cut(this.#now, this.#ends[1]), 'The range begins at this time');
    const to = button('To', () => this.#cut(this.#ends[0], this.#now), 'The range ends at this time');
    const csv = button(
      'CSV',
      () => download(`${kind.name}.csv`, this.csv(), 'text/csv'),
      'The range that is shown, as CSV',
    );
    const png = button('PNG', () =>
      this.#png()?.toBlob((blob) => blob && download(`${kind.name}.png`, blob, 'image/png')),
    );
    for (const [one, name] of [
      [all, 'all of the time'],
      [from, 'from this time on'],
      [to, 'up to this time'],
      [csv, 'as CSV'],
      [png, 'as PNG'],
    ] as const)
      one.setAttribute('aria-label', `${kind.name}: ${name}`);
    const hint = kind.portrait ? '' : ' Click: go there; drag: a range; click a name: hide or show it.';
    const ranges = kind.portrait ? [] : [all, from, to];
    this.element.setAttribute('aria-label', kind.name);
    this.element.append(this.#drawing, element('figcaption', {}, ...ranges, csv, png, this.#said, hint));
  }

  start(state: PageState): void {
    this.#plot?.destroy();
    this.#plot = undefined;
    this.#portrait = undefined;
    this.#range = undefined;
    this.#said.textContent = '';
    const { name, unit, missing = '', portrait } = this.kind;
    this.#samples = new Samples(this.kind.series(state));
    this.#drawing.replaceChildren();
    if (this.#samples.series.length === 0) {
      this.#drawing.append(element('p', {}, `${name}: ${missing}`));
      return;
    }
    if (!portrait) return;
    this.#portrait = new Portrait();
    this.#drawing.append(element('p', {}, `${this.#samples.series[0].label}: ${unit}`), this.#portrait.canvas);
  }

  #made(title: string): uPlot {
    const axis = {
      stroke: getComputedStyle(document.body).color,
      grid: { stroke: 'rgba(128,128,128,0.25)' },
      ticks: { stroke: 'rgba(128,128,128,0.4)' },
    };
    const plot = new uPlot(
      {
        title,
        width: Math.max(240, this.element.clientWidth || 320),
        height: 190,
        scales: { x: { time: false } },
        axes: [axis, { ...axis, size: 58 }],
        series: [
          { label: 's', value: (_, x) => (x === null ? '--' : short(x)) },
          ...this.#samples.series.map(({ label, stroke }) => ({
            label,
            stroke,
            width: 1.5,
            value: (_: uPlot, x: number | null) => (x === null ? '--' : short(Math.abs(x) < 1e-9 ? 0 : x)),
          })),
        ],
        cursor: { drag: { x: true, y: false, setScale: false }, sync: { key: 'time' } },
        hooks: {
          setSelect: [(self) => this.#selected(self)],
          draw: [(self) => this.#mark(self)],
          setLegend: [(self) => this.#read(self)],
        },
      },
      this.#samples.columns as unknown as uPlot.AlignedData,
      this.#drawing,
    );
    plot.ctx.canvas.setAttribute('role', 'img');
    plot.ctx.canvas.setAttribute('aria-label', title);
    const time = (): number | undefined => {
      const index = plot.cursor.idx;
      return index === undefined || index === null ? undefined : this.#samples.columns[0][index];
    };
    let pressed = 0;
    plot.over.addEventListener('mousedown', ({ clientX }) => {
      pressed = clientX;
    });
    plot.over.addEventListener('click', ({ clientX }) => {
      const at = time();
      if (at !== undefined && Math.abs(clientX - pressed) < 4) this.#clock.seek(at);
    });
    plot.over.addEventListener('mousemove', () => this.#clock.look(time()));
    plot.over.addEventListener('mouseleave', () => this.#clock.look(undefined));
    plot.over.addEventListener('dblclick', () => this.#select(undefined));
    return plot;
  }

  /** The numbers of the present, as long as nobody hovers. */
  #read(plot: uPlot): void {
    const idx = this.#present();
    if (idx >= 0 && (plot.cursor.idx ?? undefined) === undefined) plot.setLegend({ idx }, false);
  }

  /** The last sample that is not after the present; -1 where none is. */
  #present(): number {
    const [times] = this.#samples.columns;
    const next = times.findIndex((time) => time > this.#now + 1e-9);
    return (next < 0 ? times.length : next) - 1;
  }

  #selected({ select, posToVal }: uPlot): void {
    if (select.width > 3) this.#select([posToVal(select.left, 'x'), posToVal(select.left + select.width, 'x')]);
  }

  /** The range that is shown, seconds. */
  get #ends(): readonly [number, number] {
    const [times] = this.#samples.columns;
    return this.#range ?? [times[0] ?? 0, times.at(-1) ?? 0];
  }

  #cut(from: number, to: number): void {
    this.#select(from < to ? [from, to] : undefined);
  }

  #select(range: readonly [number, number] | undefined): void {
    this.#range = range;
    this.#said.textContent = range === undefined ? '' : `${short(range[0])} to ${short(range[1])} s`;
    this.#plot?.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.draw(this.#now);
  }

  /** The present, where it is not the last of what is drawn. */
  #mark({ ctx, bbox, valToPos }: uPlot): void {
    const at = valToPos(this.#now, 'x', true);
    if (!(at >= bbox.left && at <= bbox.left + bbox.width)) return;
    ctx.save();
    ctx.fillStyle = '#e8710a';
    ctx.fillRect(at - 1, bbox.top, 2, bbox.height);
    ctx.restore();
  }

  add(frame: Frame): void {
    this.#samples.add(frame);
  }

  draw(time: number): void {
    this.#now = time;
    if (this.element.hidden) return;
    const { columns, series } = this.#samples;
    const { name, unit, portrait } = this.kind;
    if (series.length > 0 && !portrait) this.#plot ??= this.#made(unit === '' ? name : `${name}, ${unit}`);
    this.#portrait?.draw(this.#samples, this.#present());
    if (this.#plot === undefined) return;
    const range = this.#range;
    this.#plot.setData(columns as unknown as uPlot.AlignedData, range === undefined);
    if (range !== undefined) this.#plot.setScale('x', { min: range[0], max: range[1] });
  }

  csv(): string {
    return this.#samples.csv(this.#range);
  }

  #png(): HTMLCanvasElement | undefined {
    return this.#portrait?.canvas ?? this.#plot?.ctx.canvas;
  }
}

/** Shows moments while the mouse is over a plot and the scene stands still; then goes back to where it was. */
class Hovering implements Clock {
  readonly #store: Store;
  readonly #physics: Physics;
  #before: number | undefined;
  #asking = false;

  constructor(store: Store, physics: Physics) {
    this.#store = store;
    this.#physics = physics;
  }

  seek(time: number): void {
    this.#before = undefined;
    this.#store.set({ playing: false });
    void this.#physics.ask({ do: 'show', time });
  }

  look(time: number | undefined): void {
    const { playing, frame } = this.#store.state;
    if (time === undefined) {
      if (this.#before !== undefined && !playing) void this.#physics.ask({ do: 'show', time: this.#before });
      this.#before = undefined;
      return;
    }
    if (playing || frame === undefined || this.#asking) return;
    this.#before ??= frame.time;
    this.#asking = true;
    void this.#physics.ask({ do: 'show', time }).then(() => {
      this.#asking = false;
    });
  }
}

/** `first`: frames that came before the panel was made. */
export function plotsPanel(panel: HTMLElement, store: Store, physics: Physics, first: readonly Frame[] = []): void {
  const clock = new Hovering(store, physics);
  const area = element('div');
  const choices = element('p', { className: 'row' });
  panel.append(choices, area);
  // Those that nobody looks at collect their numbers, too: whoever opens one later sees what was.
  const plots = KINDS.map((kind) => new Plot(kind, clock));
  plots.forEach((plot, k) => {
    const box = element('input', { type: 'checkbox', checked: k === 0 });
    box.onchange = () => {
      plot.element.hidden = !box.checked;
      plot.draw(store.state.frame?.time ?? 0);
    };
    plot.element.hidden = !box.checked;
    choices.append(element('label', {}, box, ` ${plot.kind.name}`));
    area.append(plot.element);
    plot.start(store.state);
    for (const frame of first) plot.add(frame);
  });
  let drawn = 0;
  let seen = false;
  store.subscribe((state, before) => {
    const anew = state.scene?.title !== before.scene?.title;
    for (const plot of plots) if (anew || (plot.kind.chosen && state.picked !== before.picked)) plot.start(state);
    const opened = !panel.hidden && !seen;
    seen = !panel.hidden;
    const { frame } = state;
    if (frame === undefined || (frame === before.frame && !opened)) return;
    for (const plot of plots) plot.add(frame);
    if (panel.hidden || (state.playing && !opened && performance.now() - drawn < BETWEEN)) return;
    drawn = performance.now();
    for (const plot of plots) plot.draw(frame.time);
  });
}
