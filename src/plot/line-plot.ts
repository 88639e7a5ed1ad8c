import { scaleLinear, scaleLog } from 'd3-scale';
import { area, line } from 'd3-shape';
import { COLORS, escapeXml, FAINT, INK, px, SHADE, text } from './svg.js';

/** A line, or a cloud of dots, of a plot. */
export interface Series {
  readonly label: string;
  readonly points: readonly (readonly [number, number])[];
  readonly color?: string;
  /** Where the line could lie: drawn behind it. */
  readonly band?: {
    readonly low: readonly (readonly [number, number])[];
    readonly high: readonly (readonly [number, number])[];
  };
  /** Points as dots instead of a line. */
  readonly dots?: boolean;
  /** For clouds of very many dots: their radius, pixels. Dots at the same place are drawn once. */
  readonly dotRadius?: number;
}

/** Place, axes and titles of a plot. */
export interface LinePlotOptions {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly title?: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly logX?: boolean;
  readonly logY?: boolean;
  /** Stretches of x to shade. */
  readonly bands?: readonly (readonly [number, number])[];
  /** Names of the series above the plot; true where left out. */
  readonly legend?: boolean;
  /** Points with a word beside them. */
  readonly marks?: readonly { readonly at: readonly [number, number]; readonly label: string }[];
}

const MARGIN = { left: 64, right: 16, top: 28, bottom: 40 };

/** Lines over two axes with ticks, grid and a legend, as an SVG group. */
export function linePlot(series: readonly Series[], options: LinePlotOptions): string {
  const { x, y, width, height, title, xLabel, yLabel, logX = false, logY = false, bands = [] } = options;
  const [w, h] = [width - MARGIN.left - MARGIN.right, height - MARGIN.top - MARGIN.bottom];
  const scaleOf = (log: boolean, values: readonly number[], range: [number, number]) => {
    let [low, high] = extent(values, log);
    if (high - low < 1e-290) [low, high] = log ? [low / 2, high * 2] : [low - 1, high + 1];
    return (log ? scaleLog() : scaleLinear()).domain([low, high]).range(range).nice();
  };
  const drawable = (p: readonly [number, number]): boolean => onAxis(p[0], logX) && onAxis(p[1], logY);
  const xs = series.flatMap(({ points }) => points.map((point) => point[0]));
  const ys = series.flatMap(({ points, band }) =>
    [points, band?.low ?? [], band?.high ?? []].flatMap((list) => list.map((point) => point[1])),
  );
  const sx = scaleOf(logX, xs, [0, w]);
  const sy = scaleOf(logY, ys, [h, 0]);
  const parts: string[] = bands.map(
    ([from, to]) => `<rect x="${px(sx(from))}" width="${px(sx(to) - sx(from))}" height="${px(h)}" fill="${SHADE}"/>`,
  );
  for (const tick of sx.ticks(6)) {
    parts.push(`<path d="M${px(sx(tick))} 0V${px(h)}" stroke="${FAINT}"/>`);
    parts.push(text(sx(tick), h + 16, tickLabel(sx.tickFormat(6)(tick), tick, logX), 'text-anchor="middle"'));
  }
  for (const tick of sy.ticks(5)) {
    parts.push(`<path d="M0 ${px(sy(tick))}H${px(w)}" stroke="${FAINT}"/>`);
    parts.push(text(-6, sy(tick) + 4, tickLabel(sy.tickFormat(5)(tick), tick, logY), 'text-anchor="end"'));
  }
  const entry = series.reduce((width, { label }) => Math.max(width, 36 + 7 * label.length), 110);
  parts.push(`<rect width="${px(w)}" height="${px(h)}" fill="none" stroke="${INK}"/>`);
  series.forEach(({ points, label, color, dots, dotRadius, band }, i) => {
    const stroke = color ?? COLORS[i % COLORS.length];
    if (band !== undefined) {
      const between = area<readonly [number, number]>()
        .defined(drawable)
        .x((p) => sx(p[0]))
        .y0((p) => sy(p[1]))
        .y1((_, k) => sy(band.high[k][1]))
        .digits(2);
      parts.push(`<path d="${between(band.low as [number, number][]) ?? ''}" fill="${stroke}" fill-opacity="0.18"/>`);
    }
    if (dots === true && dotRadius !== undefined) {
      // One path of strokes without length: a tenth of the text that circles would take.
      const places = new Set(points.filter(drawable).map((p) => `M${px(sx(p[0]))} ${px(sy(p[1]))}h0`));
      const pen = `stroke="${stroke}" stroke-width="${px(2 * dotRadius)}" stroke-linecap="round"`;
      parts.push(`<path d="${[...places].join('')}" fill="none" ${pen}/>`);
    } else if (dots === true) {
      const dot = (p: readonly [number, number]): string =>
        `<circle cx="${px(sx(p[0]))}" cy="${px(sy(p[1]))}" r="2.5" fill="${stroke}"/>`;
      parts.push(points.filter(drawable).map(dot).join('\n'));
    } else {
      const path = line<readonly [number, number]>(
        (p) => sx(p[0]),
        (p) => sy(p[1]),
      )
        .defined(drawable)
        .digits(2)(points as [number, number][]);
      parts.push(`<path d="${path ?? ''}" fill="none" stroke="${stroke}" stroke-width="1.5"/>`);
    }
    if (options.legend !== false) parts.push(legendEntry(w - entry * (series.length - i), label, stroke));
  });
  for (const { at, label } of options.marks ?? [])
    parts.push(
      `<circle cx="${px(sx(at[0]))}" cy="${px(sy(at[1]))}" r="3" fill="${INK}"/>`,
      text(sx(at[0]) + 6, sy(at[1]) - 6, label, 'font-style="italic"'),
    );
  parts.push(text(w / 2, h + 34, xLabel, 'text-anchor="middle"'));
  parts.push(
    `<g transform="translate(-50 ${px(h / 2)}) rotate(-90)">${text(0, 0, yLabel, 'text-anchor="middle"')}</g>`,
  );
  if (title !== undefined) parts.push(text(0, -10, title, 'font-weight="bold"'));
  return `<g transform="translate(${px(x + MARGIN.left)} ${px(y + MARGIN.top)})">${parts.join('\n')}</g>`;
}

/** On logarithmic axes thousands are "k"; but a tenth is 0.1, not "100m". Most ticks have no label there. */
function tickLabel(label: string, tick: number, log: boolean): string {
  return log && label !== '' && tick < 1 ? String(Number(tick.toPrecision(6))) : label;
}

/** Whether an axis has a place for the value; the largest and smallest of all numbers overflow when scaled. */
function onAxis(value: number, log: boolean): boolean {
  return Math.abs(value) <= 1e300 && (!log || value >= 1e-300);
}

/** Smallest and largest value that can be drawn. */
function extent(values: readonly number[], log: boolean): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (!onAxis(value, log)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low <= high) return [low, high];
  return log ? [1, 10] : [0, 1];
}

function legendEntry(x: number, label: string, stroke: string): string {
  return `<g transform="translate(${px(x)} -9)"><path d="M0 -4H18" stroke="${stroke}" stroke-width="2.5"/><text x="24" fill="${INK}">${escapeXml(label)}</text></g>`;
}
