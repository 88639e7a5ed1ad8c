// Numbers of what was computed, in the order of time: what plots draw and CSV files hold.

import type { Frame } from '../physics/protocol.js';
import { type Sample, sampleOf, unpacked } from '../physics/protocol-sample.js';
import type { Series } from './plot-kinds.js';

const MOST_SAMPLES = 7200;

export class Samples {
  readonly series: readonly Series[];
  /** Times first, then a list for each series. */
  readonly columns: number[][];

  constructor(series: readonly Series[]) {
    this.series = series;
    this.columns = [[], ...series.map(() => [])];
  }

  /** What was computed since the frame before, and the frame. */
  add(frame: Frame): void {
    for (const sample of unpacked(frame.since ?? new Float64Array(0))) this.#push(sample);
    const [times] = this.columns;
    // Who looks at the past changes nothing; who goes on from there writes it anew.
    if (frame.time >= frame.to || frame.time > (times.at(-1) ?? -1)) this.#push(sampleOf(frame));
  }

  #push(sample: Sample): void {
    const [times] = this.columns;
    while (times.length > 0 && times[times.length - 1] >= sample.time) for (const list of this.columns) list.pop();
    const values = this.series.map(({ value }) => value(sample));
    // Of another joint than that of these curves.
    if (values.every(Number.isNaN)) return;
    times.push(sample.time);
    for (const [k, value] of values.entries()) this.columns[k + 1].push(value);
    if (times.length > MOST_SAMPLES) for (const list of this.columns) list.shift();
  }

  /** Of a range of time. */
  csv([from, to]: readonly [number, number] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]): string {
    const head = ['time', ...this.series.map(({ label }) => label)].map((label) => `"${label}"`).join(',');
    const [times] = this.columns;
    const rows = times.flatMap((time, row) =>
      time < from || time > to ? [] : this.columns.map((list) => list[row]).join(','),
    );
    return `${[head, ...rows].join('\n')}\n`;
  }
}
