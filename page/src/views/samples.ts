// Numbers of the frames that came, in the order of time: what plots draw and CSV files hold.

import type { Frame } from '../physics/protocol.js';
import type { Series } from './plot-kinds.js';

const MOST_SAMPLES = 3600;

export class Samples {
  readonly series: readonly Series[];
  /** Times first, then a list for each series. */
  readonly columns: number[][];

  constructor(series: readonly Series[]) {
    this.series = series;
    this.columns = [[], ...series.map(() => [])];
  }

  add(frame: Frame): void {
    const [times] = this.columns;
    // Who looks at the past changes nothing; who goes on from there writes it anew.
    if (frame.time < frame.to && frame.time <= (times.at(-1) ?? -1)) return;
    while (times.length > 0 && times[times.length - 1] >= frame.time) for (const list of this.columns) list.pop();
    times.push(frame.time);
    for (const [k, { value }] of this.series.entries()) this.columns[k + 1].push(value(frame));
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
