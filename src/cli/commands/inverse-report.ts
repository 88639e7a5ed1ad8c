// What "manikin inverse" gives back: files, text, JSON.

import { basename, extname } from 'node:path';
import type { Motion } from '../../files/read-motion.js';
import { formatStorage } from '../../formats/storage.js';
import { edgeFrames } from '../../motion/frames-within.js';
import type { DoubleSupport, FrameForces, MotionForces, UpAxis } from '../../motion/index.js';
import { everydayNames } from '../../motion/segments.js';
import { inversePicture } from '../../plot/inverse-picture.js';
import {
  doubleSupport,
  motionCycles,
  motionReplay,
  strongest,
  type TorqueBand,
  torqueBand,
} from '../../plot/motion-replay.js';
import { formatReplay } from '../../plot/replay.js';
import { csvField } from '../../simulation/csv.js';
import { norm } from '../../spatial/matrix3.js';
import type { SplitCriterion } from '../../toolbox/load-split.js';
import { InputError } from '../errors.js';
import { OutputFile, refuseSameFiles } from '../output-file.js';
import { replayPlayer } from '../replay-player.js';
import { formatNumber, table } from '../terminal.js';

/** Words and numbers that the command was given. */
export interface InverseArguments {
  readonly model?: string;
  readonly loads?: string;
  readonly loadsData?: string;
  readonly cutoff: number | 'none';
  readonly mass?: number;
  readonly height?: number;
  readonly scale?: number;
  readonly up?: UpAxis;
  readonly support?: string;
  readonly supports?: string;
  readonly criterion?: SplitCriterion;
  readonly friction?: number;
  readonly double: DoubleSupport;
  readonly out?: string;
  readonly svg?: string;
  readonly html?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly root?: string;
  /** From a set-up file of OpenSim: its name, its filter, its times. */
  readonly setup?: {
    readonly file: string;
    readonly timeRange: readonly [number, number];
    readonly outputFile: string;
  };
}

/** Who says who carries gets the forces of least norm. */
const criterionOf = ({ supports, criterion }: InverseArguments): SplitCriterion | undefined =>
  criterion ?? (supports === undefined ? undefined : 'least-norm');

/** The cut-off as the library wants it. */
export function hertz({ cutoff: given }: InverseArguments): number | null {
  return given === 'none' ? null : given;
}

const edgeOf = ({ options, loaded }: InverseOutcome): number => edgeFrames(hertz(options), loaded.trajectory.interval);

const isEdge = (outcome: InverseOutcome, frame: number): boolean => {
  const edge = edgeOf(outcome);
  return frame < edge || frame >= outcome.result.frames.length - edge;
};

/** Figures in the picture, and curves. */
const MOMENTS = 9;
const CURVES = 6;

export interface InverseOutcome {
  readonly file: string;
  readonly options: InverseArguments;
  readonly loaded: Motion;
  readonly result: MotionForces;
  /** Of each frame. */
  readonly torques: readonly Float64Array[];
  readonly measured: boolean;
  /** The first frame of the motion that is computed. */
  readonly first: number;
}

/** The files that were asked for; they appear whole or not at all. */
export class InverseFiles {
  readonly #paths: { out: string | undefined; svg: string | undefined; html: string | undefined };
  readonly #files: OutputFile[] = [];

  constructor({ out, svg, html }: Pick<InverseArguments, 'out' | 'svg' | 'html'>) {
    refuseSameFiles({ out, svg, html });
    if (out !== undefined && !['.csv', '.sto'].includes(extname(out).toLowerCase()))
      throw new InputError(`--out writes .csv or .sto, got "${out}".`);
    this.#paths = { out, svg, html };
  }

  get files(): string[] {
    return this.#files.map(({ path }) => path);
  }

  write(outcome: InverseOutcome): void {
    const { out, svg, html } = this.#paths;
    const contents: [string | undefined, () => string][] = [
      [out, () => (out!.toLowerCase().endsWith('.sto') ? sto(outcome) : csv(outcome))],
      [svg, () => picture(outcome)],
      [html, () => replayOf(outcome)],
    ];
    for (const [path, content] of contents) {
      if (path === undefined) continue;
      const file = new OutputFile(path);
      this.#files.push(file);
      file.write(content());
    }
    for (const file of this.#files) file.finish();
  }

  abandon(): void {
    for (const file of this.#files) file.abandon();
  }
}

const SUPPORT_CODES = { none: 0, left: 1, right: 2, double: 3, measured: 4, other: 5 } as const;
const AXES = ['x', 'y', 'z'] as const;

/** Time, one column for each coordinate; where the support was found, what it gives. */
function columns(outcome: InverseOutcome): { labels: string[]; rows: number[][] } {
  const { loaded, result, torques, measured, options } = outcome;
  const vector = (name: string): string[] => AXES.map((axis) => name + axis);
  const labels = ['time', ...loaded.coordinates];
  const split = (options.double !== 'one' || criterionOf(options) !== undefined) && !measured;
  const feet = [...new Set(result.frames.flatMap((frame) => frame.feet.map(({ body }) => body)))];
  if (!measured) labels.push('support', ...vector('support_p'), ...vector('support_f'), ...vector('support_m'));
  if (split)
    for (const foot of feet) labels.push(...vector(`${foot}_f`), ...vector(`${foot}_m`), ...vector(`${foot}_p`));
  const rows = result.frames.map((frame, k) => {
    const row = [frame.time, ...torques[k]];
    if (!measured) row.push(SUPPORT_CODES[frame.support], ...frame.point, ...frame.total.force, ...frame.total.moment);
    if (split)
      for (const foot of feet) {
        const given = frame.feet.find(({ body }) => body === foot);
        row.push(...(given?.force ?? [0, 0, 0]), ...(given?.moment ?? [0, 0, 0]), ...(given?.point ?? [0, 0, 0]));
      }
    return row;
  });
  return { labels, rows };
}

function csv(outcome: InverseOutcome): string {
  const { labels, rows } = columns(outcome);
  return `${[labels.map(csvField), ...rows].map((row) => row.join(',')).join('\n')}\n`;
}

function sto(outcome: InverseOutcome): string {
  const { labels, rows } = columns(outcome);
  const { units, coordinates } = outcome.loaded;
  // As OpenSim names them.
  const suffix = (k: number): string =>
    k < 1 || k > coordinates.length ? '' : units[k - 1] === 'N' ? '_force' : '_moment';
  const names = outcome.options.setup === undefined ? labels : labels.map((label, k) => label + suffix(k));
  return formatStorage(`Inverse dynamics of ${basename(outcome.file)}`, names, rows);
}

/** The coordinates whose forces change most, in their own order. */
function mostMoved({ loaded, torques }: InverseOutcome, count: number): number[] {
  return strongest(loaded, torques)
    .slice(0, count)
    .sort((a, b) => a - b);
}

function picture(outcome: InverseOutcome): string {
  const { loaded, result, torques } = outcome;
  const { frames, poses, mechanism, weight } = result;
  const bands = frames.map((_, k) => band(outcome, k));
  const names = everydayNames(loaded.coordinates);
  const shown = Math.min(MOMENTS, frames.length);
  const moments = Array.from({ length: shown }, (_, k) => {
    const frame = shown === 1 ? 0 : Math.round((k * (frames.length - 1)) / (shown - 1));
    return { time: frames[frame].time, poses: poses[frame] };
  });
  return inversePicture({
    title: titleOf(outcome),
    mechanism,
    moments,
    times: frames.map(({ time }) => time),
    edge: edgeOf(outcome),
    forces: frames.map(({ total }) => total.force),
    weight,
    shaded: doubleSupport(result),
    series: mostMoved(outcome, CURVES).map((c) => ({
      name: names[c],
      values: torques.map((row) => row[c]),
      low: torques.map((row, k) => bands[k]?.low[c] ?? row[c]),
      high: torques.map((row, k) => bands[k]?.high[c] ?? row[c]),
    })),
    seriesLabel: 'torque (N m)',
  });
}

function titleOf({ file, options, loaded }: InverseOutcome): string {
  const filter = options.cutoff === 'none' ? 'not filtered' : `filtered at ${options.cutoff} Hz`;
  return `${basename(file)}: ${loaded.coordinates.length} coordinates, ${filter}`;
}

function replayOf(outcome: InverseOutcome): string {
  const { loaded, result, torques } = outcome;
  const { first } = outcome;
  const replay = motionReplay(loaded, result, { title: titleOf(outcome), torques, edge: edgeOf(outcome), first });
  return formatReplay(replay, replayPlayer());
}

/** Root mean square and largest of what is left at the root, newtons and newton metres. */
function residuals(frames: readonly FrameForces[]) {
  const size = (key: 'force' | 'moment') => {
    const sizes = frames.map(({ residual }) => norm(residual[key]));
    const rms = Math.sqrt(sizes.reduce((sum, value) => sum + value * value, 0) / Math.max(1, sizes.length));
    return { rms, largest: sizes.reduce((most, value) => Math.max(most, value), 0) };
  };
  return { force: size('force'), moment: size('moment') };
}

function share(result: MotionForces): Record<string, number> {
  const count = (kind: string): number => result.supports.filter((support) => support.kind === kind).length;
  return {
    left: count('left'),
    right: count('right'),
    double: count('double'),
    none: count('none'),
    other: count('other'),
  };
}

/** Lowest and highest torque of each coordinate, whatever the share of the feet. */
function band({ loaded, result, torques, first }: InverseOutcome, k: number): TorqueBand | undefined {
  return torqueBand(loaded, result.frames[k], torques[k], first + k);
}

export function asJson(outcome: InverseOutcome, files: readonly string[]): object {
  const { file, options, loaded, result, torques, measured } = outcome;
  const { frames, mass, weight, strides, supports } = result;
  const { trajectory } = loaded;
  const criterion = criterionOf(options);
  return {
    motion: file,
    model: options.model ?? loaded.model,
    mass,
    ...(loaded.height !== undefined && { height: loaded.height, scale: loaded.scale }),
    cutoff: hertz(options),
    interval: trajectory.interval,
    coordinates: loaded.coordinates,
    units: loaded.units,
    supports: share(result),
    ...(measured ? {} : criterion === undefined ? { doubleSupport: options.double } : { criterion }),
    weight,
    strides: strides ?? null,
    residual: residuals(frames),
    warnings: [...loaded.warnings, ...result.warnings],
    files,
    edge: edgeFrames(hertz(options), trajectory.interval),
    gait: motionCycles(loaded, result, { torques, edge: edgeOf(outcome) }).map(({ curves, ...cycle }) => ({
      ...cycle,
      curves: curves.map(({ name, mean, low, high }) => ({ name, mean: [...mean], low: [...low], high: [...high] })),
    })),
    frames: frames.map((frame, k) => ({
      time: frame.time,
      support: supports[k].kind,
      ...(isEdge(outcome, k) && { edge: true }),
      torques: Array.from(torques[k]),
      ...(frame.extremes !== undefined && { band: band(outcome, k) }),
      force: frame.total.force,
      moment: frame.total.moment,
      point: frame.point,
      ...(frame.centreOfPressure !== undefined && { centreOfPressure: frame.centreOfPressure }),
      feet: frame.feet,
      ...(criterion !== undefined && { supports: frame.feet.map(({ body, ...force }) => ({ name: body, ...force })) }),
    })),
  };
}

export function asText(outcome: InverseOutcome, files: readonly string[]): string {
  const { file, options, loaded, result, torques, measured } = outcome;
  const { frames, mass, weight, strides } = result;
  const { trajectory } = loaded;
  const percent = (value: number): string => `${Number((100 * value).toFixed(2))} %`;
  const kind =
    options.setup === undefined ? 'zero-phase Butterworth, fourth order' : "OpenSim's, third order both ways";
  const filter = options.cutoff === 'none' ? 'not filtered' : `low-pass ${options.cutoff} Hz (${kind})`;
  const size = loaded.height === undefined ? '' : `, ${formatNumber(Number(loaded.height.toFixed(3)))} m tall`;
  const counts = share(result);
  const criterion = criterionOf(options);
  const rest = residuals(frames);
  const rows = mostMoved(outcome, 12).map((c) => {
    const values = torques.flatMap((row, k) => (isEdge(outcome, k) ? [] : [row[c]]));
    const rms = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
    const single = torques.flatMap((row, k) =>
      isEdge(outcome, k) || ['double', 'other'].includes(result.supports[k].kind) ? [] : [row[c]],
    );
    const most = (list: readonly number[]): number => list.reduce((m, value) => Math.max(m, Math.abs(value)), 0);
    return [loaded.coordinates[c], rms, most(values), single.length > 0 ? most(single) : '-'].map((cell) =>
      typeof cell === 'number' ? Number(cell.toPrecision(4)) : cell,
    );
  });
  const lines = [
    `${basename(file)}: ${frames.length} frames at ${formatNumber(Number((1 / trajectory.interval).toPrecision(5)))} Hz, ${loaded.coordinates.length} coordinates, ${filter}`,
    `figure: ${formatNumber(Number(mass.toFixed(3)))} kg${size}, weight ${formatNumber(Number(weight.toFixed(1)))} N`,
    `support: ${measured ? 'measured; ' : ''}left ${counts.left}, right ${counts.right}, both ${counts.double}, none ${counts.none}${counts.other > 0 ? `, with hands or a seat ${counts.other}` : ''} frames`,
    ...(strides === undefined
      ? ['strides: the motion does not repeat itself']
      : [
          `strides: of ${formatNumber(Number(strides.duration.toFixed(4)))} s; mean vertical force over a stride ${percent(strides.mean)} of the weight (${percent(strides.lowest)} to ${percent(strides.highest)} by where it begins)`,
        ]),
    ...motionCycles(loaded, result, { torques, edge: edgeOf(outcome) }).map(
      ({ foot, strides: n, duration }) =>
        `gait cycle of ${foot}: ${n} ${n === 1 ? 'stride' : 'strides'} of ${formatNumber(Number(duration.toFixed(3)))} s (mean and band with --json)`,
    ),
    `ends: the first and last ${edgeFrames(hertz(options), trajectory.interval)} frames, where the filter has no neighbours, are marked and not counted below`,
    `left at the root: ${formatNumber(Number(rest.force.rms.toPrecision(3)))} N, ${formatNumber(Number(rest.moment.rms.toPrecision(3)))} N m (root mean square)`,
    ...(criterion !== undefined
      ? [
          `shared by all that carries: forces of ${criterion === 'least-norm' ? 'least norm' : 'least effort of the joints'}${options.friction === undefined ? '' : `, feet within friction ${options.friction}`}`,
        ]
      : counts.double > 0 && !measured
        ? [
            {
              smooth:
                'both feet down: the split cannot be known; it is taken from where the whole force acts, handed over smoothly',
              one: 'both feet down: the split cannot be known; leg torques there are as if one foot carried all',
              split: 'both feet down: the split cannot be known; the one of least norm is shown',
            }[options.double],
          ]
        : []),
    '',
    table(['torque, N m', 'rms', 'largest', 'largest, not both feet'], rows),
    ...files.map((path) => `written: ${path}`),
    ...(options.setup !== undefined && options.out === undefined
      ? [`not written: ${options.setup.outputFile}, which the set-up names; --out FILE.sto writes it where you say`]
      : []),
  ];
  return lines.join('\n');
}
