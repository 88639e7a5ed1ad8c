// Drawings of a walk: phase portrait and energies ([001] figures 10 and 11), the road to chaos, the walker in motion.

import { type LinePlotOptions, linePlot, type Series } from '../../plot/line-plot.js';
import { COLORS, FAINT, INK, px, svgDocument, text } from '../../plot/svg.js';
import type { SweepPoint, WalkSample } from './study.js';

const [WIDTH, HEIGHT] = [640, 440];
const GREY = '#999999';

function stepsOf(samples: readonly WalkSample[]): WalkSample[][] {
  const steps: WalkSample[][] = [];
  for (const sample of samples) {
    steps[sample.step] ??= [];
    steps[sample.step].push(sample);
  }
  return steps;
}

/** Angle and rate of one leg (of its thigh) over two steps, one swinging, one standing; velocities jump in between. */
export function phasePortrait(samples: readonly WalkSample[], title: string): string {
  const steps = stepsOf(samples);
  const curve = (stands: boolean): [number, number][] =>
    steps.flatMap((step) => {
      const part = step
        .filter((sample) => sample.stands === stands)
        .map(({ angle, rate }): [number, number] => [angle, rate]);
      // A gap between pieces, so that no line is drawn across.
      return part.length === 0 ? [] : [...part, [Number.NaN, Number.NaN] as [number, number]];
    });
  const jumps = steps.flatMap((step, k): [number, number][] => {
    const next = steps[k + 1] ?? steps[0];
    const [end, begin] = [step[step.length - 1], next[0]];
    return [
      [end.angle, end.rate],
      [begin.angle, begin.rate],
      [Number.NaN, Number.NaN],
    ];
  });
  const series: Series[] = [
    { label: 'swing', points: curve(false) },
    { label: 'support', points: curve(true) },
    { label: 'heel strike', points: jumps, color: GREY },
  ];
  return plot(series, title, 'angle of one leg from the vertical (rad)', 'its rate (rad/s)');
}

/** Potential over kinetic energy: along a line of constant sum during a step, to a lower one at each heel strike. */
export function energyPlot(samples: readonly WalkSample[], title: string): string {
  const steps = stepsOf(samples);
  const series: Series[] = steps.map((step, k) => ({
    label: `step ${k + 1}`,
    points: step.map(({ kinetic, potential }) => [kinetic, potential]),
  }));
  series.push({
    label: 'heel strike',
    color: GREY,
    points: steps.slice(1).flatMap((step, k): [number, number][] => {
      const end = steps[k][steps[k].length - 1];
      return [
        [end.kinetic, end.potential],
        [step[0].kinetic, step[0].potential],
        [Number.NaN, Number.NaN],
      ];
    }),
  });
  // A: just after a heel strike, B: highest, C: just before the next.
  const marks = steps.flatMap((step, k) => {
    const highest = step.reduce((best, sample) => (sample.potential > best.potential ? sample : best));
    const prime = "'".repeat(k);
    return [
      { at: [step[0].kinetic, step[0].potential] as const, label: `A${prime}` },
      { at: [highest.kinetic, highest.potential] as const, label: `B${prime}` },
      { at: [step[step.length - 1].kinetic, step[step.length - 1].potential] as const, label: `C${prime}` },
    ];
  });
  return plot(series, title, 'kinetic energy (J)', 'potential energy (J)', { marks });
}

/** Step periods over slopes: the road to chaos. */
export function bifurcationPlot(points: readonly SweepPoint[], title: string): string {
  const dots = points.flatMap(({ slope, periods }) => periods.map((period): [number, number] => [slope, period]));
  return plot(
    [{ label: 'steps', points: dots, dots: true, dotRadius: 0.7, color: INK }],
    title,
    'slope (rad)',
    'period of a step (s)',
    { legend: false },
  );
}

function plot(
  series: readonly Series[],
  title: string,
  xLabel: string,
  yLabel: string,
  more: Pick<LinePlotOptions, 'legend' | 'marks'> = {},
): string {
  return svgDocument(
    WIDTH,
    HEIGHT,
    // The legend goes below the title, which may be long.
    text(20, 24, title, 'font-weight="bold" font-size="14"') +
      linePlot(series, { x: 0, y: 28, width: WIDTH, height: HEIGHT - 28, xLabel, yLabel, ...more }),
  );
}

const STAGE = { width: 760, height: 360, margin: 40 };

/** Slope, size and title of a drawing of a walker. */
export interface StickFigureOptions {
  readonly slope: number;
  readonly legLength: number;
  readonly title: string;
}

/**
 * The walker over two steps, again and again, seen by someone who goes along with it, with faint traces of where it was and will
 * be. Animated by the SVG itself (SMIL): no script, so that it moves in any page and in an image.
 */
export function stickFigure(samples: readonly WalkSample[], options: StickFigureOptions): string {
  const { width, height, margin } = STAGE;
  const { slope, legLength, title } = options;
  const first = samples[0];
  const last = samples[samples.length - 1];
  const duration = last.time - first.time;
  const [from, to] = [first.a[first.a.length - 1], last.a[last.a.length - 1]];
  const speed = [(to[0] - from[0]) / duration, (to[1] - from[1]) / duration] as const;
  const scale = (height - 2.4 * margin) / (1.12 * legLength);
  // The hip of someone who goes along is always at the middle.
  const along = (time: number): [number, number] => [
    from[0] + speed[0] * (time - first.time),
    from[1] + speed[1] * (time - first.time),
  ];
  const top = 1.7 * margin;
  const place = ([x, y]: readonly [number, number], [cx, cy]: readonly [number, number]): string =>
    `${px(width / 2 + scale * (x - cx))} ${px(top + scale * (cy - y))}`;
  const path = (leg: WalkSample['a'], centre: readonly [number, number]): string =>
    leg.map((point, k) => `${k === 0 ? 'M' : 'L'}${place(point, centre)}`).join('');
  const times = samples.map(({ time }) => Number(((time - first.time) / duration).toFixed(5)));
  times[times.length - 1] = 1;
  const keyTimes = `keyTimes="${times.join(';')}"`;
  const timing = `dur="${Number(duration.toFixed(4))}s" repeatCount="indefinite"`;
  const moving = (pick: (sample: WalkSample) => WalkSample['a'], color: string): string => {
    const values = samples.map((sample) => path(pick(sample), along(sample.time)));
    return `<path d="${values[0]}" fill="none" stroke="${color}" stroke-width="5" stroke-linecap="round" stroke-linejoin="round"><animate attributeName="d" ${timing} ${keyTimes} values="${values.join(';')}"/></path>`;
  };
  const hips = samples.map((sample) => place(sample.a[sample.a.length - 1], along(sample.time)).split(' '));
  const hip = `<circle cx="${hips[0][0]}" cy="${hips[0][1]}" r="9" fill="${INK}"><animate attributeName="cx" ${timing} ${keyTimes} values="${hips.map(([x]) => x).join(';')}"/><animate attributeName="cy" ${timing} ${keyTimes} values="${hips.map(([, y]) => y).join(';')}"/></circle>`;
  // The ground with a mark at every foothold of the standing figure, moving backwards by two steps a round.
  const foothold = first.a[0];
  const stride = [to[0] - from[0], to[1] - from[1]] as const;
  const reach = Math.ceil(width / (scale * Math.hypot(...stride))) + 2;
  const marks = Array.from({ length: 4 * reach + 1 }, (_, k) => {
    const steps = (k - 2 * reach) / 2;
    const [x, y] = place([foothold[0] + steps * stride[0], foothold[1] + steps * stride[1]], from)
      .split(' ')
      .map(Number);
    return `<path d="M${px(x)} ${px(y)}l-5 12h10z" fill="${GREY}"/>`;
  }).join('');
  const [gx, gy] = place(foothold, from).split(' ').map(Number);
  const far = 4 * width;
  const ground = `<path d="M${px(gx - far)} ${px(gy - far * Math.tan(slope))}L${px(gx + far)} ${px(gy + far * Math.tan(slope))}" stroke="${INK}" stroke-width="1.5"/>`;
  const shift = `${px(-scale * stride[0])} ${px(scale * stride[1])}`;
  // Every few samples of a stride, left behind on the ground.
  const traces = samples
    .filter((_, k) => k % 7 === 0)
    .flatMap((sample) => [sample.a, sample.b])
    .map((leg) => `<path d="${path(leg, from)}"/>`)
    .join('');
  const strides = Array.from({ length: 2 * reach + 1 }, (_, k) => {
    const x = (k - reach) * scale * stride[0];
    const y = -(k - reach) * scale * stride[1];
    return `<g transform="translate(${px(x)} ${px(y)})" fill="none" stroke="${FAINT}" stroke-width="2">${traces}</g>`;
  }).join('');
  const moved = `<g>${strides}${ground}${marks}<animateTransform attributeName="transform" type="translate" ${timing} values="0 0;${shift}"/></g>`;
  return svgDocument(
    width,
    height,
    [
      text(20, 24, title, 'font-weight="bold" font-size="14"'),
      `<clipPath id="stage"><rect y="34" width="${width}" height="${height - 34}"/></clipPath>`,
      `<g clip-path="url(#stage)">${moved}`,
      moving((sample) => sample.b, COLORS[1]),
      moving((sample) => sample.a, COLORS[0]),
      `${hip}</g>`,
    ].join('\n'),
  );
}
