// One picture of an inverse-dynamics run: the figure at several moments in a row, the force of the ground over time, and
// the joint forces that change most.

import type { Mechanism } from '../mechanism/mechanism.js';
import { dot, norm, scale, subtract, type Vec3 } from '../spatial/matrix3.js';
import { TRANSFORM } from '../spatial/spatial.js';
import { sideView } from './figure.js';
import { linePlot } from './line-plot.js';
import { type Moment, momentsRow } from './motion-picture.js';
import { sideColors } from './sides.js';
import { svgDocument, text } from './svg.js';

/** What `inversePicture` draws. */
export interface InversePicture {
  readonly title: string;
  readonly mechanism: Mechanism;
  readonly moments: readonly Moment[];
  readonly times: readonly number[];
  /** Of each frame: the whole force of the ground, newtons. */
  readonly forces: readonly Vec3[];
  readonly weight: number;
  /** Stretches of time in which both feet are down, to be shaded. */
  readonly shaded: readonly (readonly [number, number])[];
  /** Frames at either end that curves leave out. */
  readonly edge?: number;
  /** Curves, and between which numbers they may lie. */
  readonly series: readonly {
    readonly name: string;
    readonly values: readonly number[];
    readonly low?: readonly number[];
    readonly high?: readonly number[];
  }[];
  readonly seriesLabel: string;
}

const WIDTH = 960;
const FIGURE_HEIGHT = 360;
const PLOT_HEIGHT = 230;
/** A motion and its joint forces over time as one SVG document. */
export function inversePicture(picture: InversePicture): string {
  const { title, mechanism, moments, times, forces, weight, shaded, series, seriesLabel, edge = 0 } = picture;
  const up =
    norm(mechanism.gravity) > 0 ? scale(-1 / norm(mechanism.gravity), mechanism.gravity) : ([0, 0, 1] as const);
  const vertical = forces.map((force) => dot(force, up) / weight);
  const level = forces.map((force, k) => Math.sqrt(Math.max(0, dot(force, force) / weight ** 2 - vertical[k] ** 2)));
  const pairs = (values: readonly number[]): [number, number][] =>
    times.map((time, k) => [time, k < edge || k >= times.length - edge ? Number.NaN : values[k]]);
  const colors = sideColors(series.map(({ name }) => name));
  const plots = [
    linePlot(
      [
        { label: 'vertical', points: pairs(vertical) },
        { label: 'level', points: pairs(level) },
      ],
      {
        x: 0,
        y: FIGURE_HEIGHT,
        width: WIDTH,
        height: PLOT_HEIGHT,
        title: 'Force of the ground (grey: both feet down)',
        xLabel: 'time (s)',
        yLabel: 'weights',
        bands: shaded,
      },
    ),
    linePlot(
      series.map(({ name, values, low, high }, k) => ({
        label: name,
        points: pairs(values),
        color: colors[k],
        ...(low !== undefined && high !== undefined && { band: { low: pairs(low), high: pairs(high) } }),
      })),
      {
        x: 0,
        y: FIGURE_HEIGHT + PLOT_HEIGHT,
        width: WIDTH,
        height: PLOT_HEIGHT + 40,
        xLabel: 'time (s)',
        yLabel: seriesLabel,
        bands: shaded,
      },
    ),
  ];
  const heading = text(20, 24, title, 'font-weight="bold" font-size="14"');
  const row = momentsRow(mechanism, moments, {
    width: WIDTH,
    height: FIGURE_HEIGHT,
    ...acrossTheWay(mechanism, moments),
  });
  return svgDocument(WIDTH, FIGURE_HEIGHT + 2 * PLOT_HEIGHT + 40, [heading, row, ...plots].join('\n'));
}

/** A view in which a figure that goes somewhere goes to the right: from its own right side, nearly level. */
function acrossTheWay(mechanism: Mechanism, moments: readonly Moment[]) {
  const place = (moment: Moment): Vec3 => {
    const root = Math.max(
      0,
      mechanism.bodies.findIndex(({ mass }) => mass > 0),
    );
    return [0, 1, 2].map((k) => moment.poses[TRANSFORM * root + 9 + k]) as unknown as Vec3;
  };
  if (moments.length < 2) return {};
  const way = subtract(place(moments[moments.length - 1]), place(moments[0]));
  // The level directions that sideView counts from.
  const forward = sideView(mechanism.gravity, 0, 0)(way)[0];
  const left = sideView(mechanism.gravity, Math.PI / 2, 0)(way)[0];
  if (Math.hypot(forward, left) < 0.3) return {};
  return { azimuth: Math.atan2(left, forward), elevation: 0.05 };
}
