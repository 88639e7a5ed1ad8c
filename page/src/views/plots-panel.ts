// Plots of what was seen: energies, contacts, joints, phase portraits. The cursor on a plot moves the time.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Physics } from '../physics/client.js';
import type { Frame } from '../physics/protocol.js';
import type { PageState, Store } from '../store.js';
import { button, download, element } from './dom.js';

const MOST_SAMPLES = 3600;
/** Milliseconds between drawings. */
const BETWEEN = 100;

interface Series {
  readonly label: string;
  readonly stroke: string;
  readonly value: (frame: Frame) => number;
}

interface Kind {
  readonly name: string;
  readonly unit: string;
  readonly series: (state: PageState) => readonly Series[];
}

const BLUE = '#1f77d0';
const RED = '#d33a2c';
const GREEN = '#2ca02c';
const ORANGE = '#e8710a';

/** The first number of the chosen joint in q and v of all members. */
function chosen({
  scene,
  picked,
}: PageState): { readonly name: string; readonly q: number; readonly v: number } | undefined {
  if (scene === undefined || picked === undefined) return undefined;
  let [q, v] = [0, 0];
  for (const [m, { joints }] of scene.members.entries()) {
    if (m === picked.member) {
      const joint = joints[picked.body];
      return joint === undefined || joint.nv === 0 ? undefined : { name: joint.name, q: q + joint.iq, v: v + joint.iv };
    }
    for (const { nq, nv } of joints) {
      q += nq;
      v += nv;
    }
  }
  return undefined;
}

const KINDS: readonly Kind[] = [
  {
    name: 'Energy',
    unit: 'J',
    series: () => [
      { label: 'kinetic', stroke: RED, value: ({ kinetic }) => kinetic },
      { label: 'potential', stroke: BLUE, value: ({ potential }) => potential },
      { label: 'total', stroke: GREEN, value: ({ kinetic, potential }) => kinetic + potential },
      { label: 'put in', stroke: ORANGE, value: ({ work }) => work },
    ],
  },
  {
    name: 'Contacts',
    unit: '',
    series: () => [
      { label: 'points', stroke: BLUE, value: ({ contacts }) => contacts },
      { label: 'depth, 0.1 mm', stroke: RED, value: ({ depth }) => 1e4 * depth },
    ],
  },
  {
    name: 'Chosen joint',
    unit: 'rad, rad/s',
    series: (state) => {
      const joint = chosen(state);
      if (joint === undefined) return [];
      return [
        { label: `${joint.name} position`, stroke: BLUE, value: ({ q }) => q[joint.q] },
        { label: 'velocity', stroke: RED, value: ({ v }) => v[joint.v] },
      ];
    },
  },
  {
    name: 'Force in the watched joint',
    unit: 'N, N m',
    series: () => [
      { label: 'force', stroke: BLUE, value: ({ jointForce }) => size(jointForce?.force) },
      { label: 'moment', stroke: RED, value: ({ jointForce }) => size(jointForce?.moment) },
    ],
  },
];

function size(x: readonly number[] | undefined): number {
  return x === undefined ? Number.NaN : Math.hypot(...x);
}

/** One plot: its numbers since the scene was loaded, and the drawing. */
class Plot {
  readonly kind: Kind;
  readonly element = element('figure', { className: 'plot' });
  readonly #drawing = element('div');
  #plot: uPlot | undefined;
  #data: number[][] = [[]];
  #series: readonly Series[] = [];

  constructor(kind: Kind) {
    this.kind = kind;
    this.element.append(this.#drawing);
  }

  start(state: PageState, seek: (time: number) => void): void {
    this.#plot?.destroy();
    this.#series = this.kind.series(state);
    this.#data = [[], ...this.#series.map(() => [])];
    const text = getComputedStyle(document.body).color;
    const axis = {
      stroke: text,
      grid: { stroke: 'rgba(128,128,128,0.25)' },
      ticks: { stroke: 'rgba(128,128,128,0.4)' },
    };
    this.#plot = new uPlot(
      {
        title: this.kind.unit === '' ? this.kind.name : `${this.kind.name}, ${this.kind.unit}`,
        width: Math.max(240, this.element.clientWidth || 320),
        height: 190,
        scales: { x: { time: false } },
        axes: [axis, { ...axis, size: 58 }],
        series: [{ label: 's' }, ...this.#series.map(({ label, stroke }) => ({ label, stroke, width: 1.5 }))],
        cursor: { drag: { x: true, y: false } },
      },
      this.#data as unknown as uPlot.AlignedData,
      this.#drawing,
    );
    this.#plot.over.addEventListener('dblclick', () => {
      const index = this.#plot?.cursor.idx;
      if (index !== undefined && index !== null) seek(this.#data[0][index]);
    });
  }

  add(frame: Frame): void {
    const [times] = this.#data;
    // Who looks at the past changes nothing; who goes on from there writes it anew.
    if (frame.time < frame.to && frame.time <= (times.at(-1) ?? -1)) return;
    while (times.length > 0 && times[times.length - 1] >= frame.time) for (const list of this.#data) list.pop();
    times.push(frame.time);
    for (const [k, { value }] of this.#series.entries()) this.#data[k + 1].push(value(frame));
    if (times.length > MOST_SAMPLES) for (const list of this.#data) list.shift();
  }

  remove(): void {
    this.#plot?.destroy();
    this.element.remove();
  }

  draw(): void {
    this.#plot?.setData(this.#data as unknown as uPlot.AlignedData);
  }

  csv(): string {
    const head = ['time', ...this.#series.map(({ label }) => label)].map((label) => `"${label}"`).join(',');
    return [head, ...this.#data[0].map((_, row) => this.#data.map((list) => list[row]).join(','))].join('\n') + '\n';
  }

  png(): HTMLCanvasElement | undefined {
    return this.#plot?.ctx.canvas;
  }
}

export function plotsPanel(panel: HTMLElement, store: Store, physics: Physics): void {
  const seek = (time: number): void => {
    store.set({ playing: false });
    void physics.ask({ do: 'show', time });
  };
  const shown = new Map<string, Plot>();
  const area = element('div');
  const choices = element('p', { className: 'row' });
  const toggle = (kind: Kind, on: boolean): void => {
    const old = shown.get(kind.name);
    if (!on) {
      old?.remove();
      shown.delete(kind.name);
      return;
    }
    const plot = new Plot(kind);
    area.append(plot.element);
    plot.start(store.state, seek);
    shown.set(kind.name, plot);
    plot.element.append(
      element(
        'figcaption',
        {},
        button('CSV', () => download(`${kind.name}.csv`, plot.csv(), 'text/csv')),
        button('PNG', () => plot.png()?.toBlob((blob) => blob && download(`${kind.name}.png`, blob, 'image/png'))),
        ' double click: go there in time',
      ),
    );
  };
  for (const kind of KINDS) {
    const box = element('input', { type: 'checkbox', checked: kind === KINDS[0] });
    box.onchange = () => toggle(kind, box.checked);
    choices.append(element('label', {}, box, ` ${kind.name}`));
  }
  panel.append(choices, area);
  toggle(KINDS[0], true);
  let drawn = 0;
  store.subscribe((state, before) => {
    if (state.scene?.title !== before.scene?.title) for (const plot of shown.values()) plot.start(state, seek);
    else if (state.picked !== before.picked) shown.get('Chosen joint')?.start(state, seek);
    const { frame } = state;
    if (frame === undefined || frame === before.frame) return;
    for (const plot of shown.values()) plot.add(frame);
    if (panel.hidden || performance.now() - drawn < BETWEEN) return;
    drawn = performance.now();
    for (const plot of shown.values()) plot.draw();
  });
}
