// One picture of a simulation: the mechanism at several moments in a row, and its energies over time.

import type { Mechanism } from '../mechanism/mechanism.js';
import { norm, type Vec3 } from '../spatial/matrix3.js';
import { TRANSFORM } from '../spatial/spatial.js';
import { figure, sideView } from './figure.js';
import { linePlot, type Series } from './line-plot.js';
import { COLORS, FAINT, px, svgDocument, text } from './svg.js';

/** A figure at a time. */
export interface Moment {
  readonly time: number;
  /** Poses of all bodies, as Dynamics.poses gives them. */
  readonly poses: Float64Array;
}

/** Energies at a time. */
export interface EnergySample {
  readonly time: number;
  readonly kinetic: number;
  readonly potential: number;
}

const WIDTH = 960;
const FIGURE_HEIGHT = 430;
const PLOT_HEIGHT = 250;

/**
 * Moments from left to right at one scale, each around its own place so that they do not hide each other, at its own
 * height: a figure that falls is drawn falling.
 */
export function motionPicture(
  mechanism: Mechanism,
  moments: readonly Moment[],
  energies: readonly EnergySample[],
  title: string,
): string {
  const series = (label: string, value: (sample: EnergySample) => number): Series => ({
    label,
    points: energies.map((sample) => [sample.time, value(sample)]),
  });
  const plot = linePlot(
    [
      series('kinetic', (e) => e.kinetic),
      series('potential', (e) => e.potential),
      series('total', (e) => e.kinetic + e.potential),
    ],
    { x: 0, y: FIGURE_HEIGHT, width: WIDTH, height: PLOT_HEIGHT, xLabel: 'time (s)', yLabel: 'energy (J)' },
  );
  const heading = text(20, 24, title, 'font-weight="bold" font-size="14"');
  const row = momentsRow(mechanism, moments, { width: WIDTH, height: FIGURE_HEIGHT });
  return svgDocument(WIDTH, FIGURE_HEIGHT + PLOT_HEIGHT, [heading, row, plot].join('\n'));
}

export interface RowOptions {
  readonly width: number;
  readonly height: number;
  /** Where it is seen from, as in sideView. */
  readonly azimuth?: number;
  readonly elevation?: number;
}

/** The moments in a row above a line for the ground, as an SVG group. */
export function momentsRow(
  mechanism: Mechanism,
  moments: readonly Moment[],
  { width, height, azimuth = -0.6, elevation = 0.15 }: RowOptions,
): string {
  const projection = sideView(mechanism.gravity, azimuth, elevation);
  const views = moments.map(({ poses }) => extent(mechanism, poses, projection));
  if (views.length === 0) views.push({ left: 0, right: 1, bottom: 0, top: 1 });
  const low = Math.min(...views.map((view) => view.bottom));
  const high = Math.max(...views.map((view) => view.top));
  const widest = Math.max(...views.map((view) => view.right - view.left));
  const cell = (width - 40) / views.length;
  const scale = Math.min((height - 70) / (high - low), cell / (0.8 * widest));
  const base = 40 + (height - 70 + scale * (high - low)) / 2;
  const parts = moments.map(({ time, poses }, k) => {
    const middle = (views[k].left + views[k].right) / 2;
    const x = 20 + cell * (k + 0.5);
    const origin: [number, number] = [x - scale * middle, base + scale * low];
    return (
      figure(mechanism, poses, { projection, scale, origin, color: COLORS[0] }) +
      text(x, height - 6, `${Number(time.toFixed(2))} s`, 'text-anchor="middle"')
    );
  });
  const ground = `<path d="M20 ${px(base)}H${width - 20}" stroke="${FAINT}"/>`;
  return [ground, ...parts].join('\n');
}

/** What the mechanism covers on the screen, in metres: origins and centres of mass, with a margin for its thickness. */
function extent(mechanism: Mechanism, poses: Float64Array, projection: (point: Vec3) => Vec3) {
  const box = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
  const include = (point: Vec3, margin: number): void => {
    const [x, y] = projection(point);
    box.left = Math.min(box.left, x - margin);
    box.right = Math.max(box.right, x + margin);
    box.bottom = Math.min(box.bottom, y - margin);
    box.top = Math.max(box.top, y + margin);
  };
  mechanism.bodies.forEach(({ com }, b) => {
    const P = poses.subarray(TRANSFORM * b, TRANSFORM * (b + 1));
    const origin: Vec3 = [P[9], P[10], P[11]];
    const margin = 0.05 + norm(com) / 2;
    include(origin, 0.02);
    include(
      [
        origin[0] + P[0] * com[0] + P[3] * com[1] + P[6] * com[2],
        origin[1] + P[1] * com[0] + P[4] * com[1] + P[7] * com[2],
        origin[2] + P[2] * com[0] + P[5] * com[1] + P[8] * com[2],
      ],
      margin,
    );
  });
  return box;
}
