// "manikin inverse": joint forces of a captured motion.

import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  formatJson,
  formatStorage,
  parseBvh,
  parseExternalLoads,
  parseOsim,
  parseStorage,
} from '../../formats/index.js';
import { formatProblem, type Problem } from '../../mechanism/errors.js';
import {
  AppliedLoads,
  CoordinateModel,
  coordinateMotion,
  type DoubleSupport,
  differentiated,
  type Foot,
  type FrameForces,
  feetByName,
  figureFromBvh,
  givenSupport,
  inverseOfMotion,
  type MotionForces,
  smoothed,
  type Trajectory,
  type UpAxis,
  upOf,
} from '../../motion/index.js';
import { inversePicture } from '../../plot/inverse-picture.js';
import { motionPage } from '../../plot/motion-page.js';
import { csvField } from '../../simulation/csv.js';
import { dot, norm } from '../../spatial/matrix3.js';
import { InputError, Interrupted } from '../errors.js';
import { loadModel, positive, readInput } from '../model-argument.js';
import { OutputFile } from '../output-file.js';
import { formatNumber, type Terminal, table } from '../terminal.js';

interface Options {
  readonly model?: string;
  readonly loads?: string;
  readonly loadsData?: string;
  readonly cutoff: number | 'none';
  readonly mass?: number;
  readonly height?: number;
  readonly scale?: number;
  readonly up?: UpAxis;
  readonly support?: string;
  readonly double: DoubleSupport;
  readonly out?: string;
  readonly svg?: string;
  readonly html?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Hertz; what gait laboratories use for walking. */
const DEFAULT_CUTOFF = 6;
/** Figures in the picture, and curves. */
const MOMENTS = 9;
const CURVES = 6;

export function addInverseMotion(program: Command, terminal: Terminal): void {
  program
    .command('inverse')
    .description('inverse dynamics of a captured motion: joint forces, and the force of the ground, over time')
    .argument('<motion>', 'a file: .bvh, or .mot or .sto with --model')
    .option('--model <model>', 'for .mot and .sto: an .osim file, or any model whose joints are the coordinates')
    .option('--loads <file>', "measured forces: OpenSim's ExternalLoads (.xml)")
    .option('--loads-data <file>', 'the table of these forces, where it is not beside the .xml')
    .option(
      '--cutoff <hertz>',
      'of the low-pass filter for positions (zero-phase Butterworth), or none',
      cutoff,
      DEFAULT_CUTOFF,
    )
    .option('--mass <kilograms>', 'of the figure, for .bvh (default: 73)', positive)
    .option('--height <metres>', 'of the figure, for .bvh (default: 1.741)', positive)
    .option(
      '--scale <metres>',
      'a unit of the .bvh file (CMU: 0.056444); default: legs as long as the height tells',
      positive,
    )
    .addOption(new Option('--up <axis>', 'for .bvh: the axis that points up (default: y)').choices(['x', 'y', 'z']))
    .option('--support <foot>', 'left, right, both, none or a body; or from times on: 0:left,0.5:both,0.6:right')
    .addOption(
      new Option('--double <how>', 'both feet down: all on one foot, or the split of least norm')
        .choices(['one', 'split'])
        .default('one'),
    )
    .option('--out <file>', 'write the forces: .csv or .sto')
    .option('--svg <file>', 'draw the motion, the force of the ground and joint forces')
    .option('--html <file>', 'a page that plays the motion')
    .option('--json', 'print JSON')
    .option('--quiet', 'do not print warnings')
    .addHelpText(
      'after',
      `
Which foot carries the figure is found frame by frame. While both do, how they share the load cannot be known from the
motion: the whole is given, marked "double", and the leg torques are as if one foot carried all; see --double.

Examples:
  manikin inverse walk.bvh --height 1.8 --mass 75 --out out/walk.csv --html out/walk.html
  manikin inverse walk.mot --model subject.osim --loads grf.xml --out out/walk.sto`,
    )
    .action((motion: string, options: Options) => inverse(motion, options, terminal));
}

function cutoff(text: string): number | 'none' {
  if (text === 'none') return text;
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value)) throw new InvalidArgumentError('Expected a positive number, or none.');
  return value;
}

function hertz({ cutoff: given }: Options): number | null {
  return given === 'none' ? null : given;
}

/** A motion ready to be computed: the same from any kind of file. */
interface Loaded {
  readonly model: string;
  readonly trajectory: Trajectory;
  readonly feet: readonly Foot[];
  readonly coordinates: readonly string[];
  readonly units: readonly string[];
  /** Which of them move at all. */
  readonly moving: readonly boolean[];
  readonly height?: number;
  /** Metres a unit, for files that have their own. */
  readonly scale?: number;
  readonly warnings: readonly Problem[];
  /** Forces of the coordinates in a frame. */
  readonly forces: (frame: number, tau: Float64Array) => Float64Array;
}

function inverse(file: string, options: Options, terminal: Terminal): void {
  const writers = new Writers(options);
  const loaded = load(file, options, terminal);
  const loads = loadLoads(options, loaded.trajectory);
  const { trajectory, warnings } =
    loads === undefined ? { ...loaded, warnings: [] } : withinLoads(loaded.trajectory, loads);
  const first = Math.round((trajectory.start - loaded.trajectory.start) / trajectory.interval);
  if (options.quiet !== true)
    for (const warning of [...loaded.warnings, ...warnings]) terminal.err(`Warning: ${formatProblem(warning)}\n`);
  const times = Array.from({ length: trajectory.count }, (_, k) => trajectory.start + k * trajectory.interval);
  if (options.support !== undefined && loads !== undefined)
    throw new InputError(
      '--support and --loads exclude each other: measured forces say which foot carries the figure.',
    );
  const given =
    options.support === undefined ? undefined : givenSupport(options.support, loaded.feet, trajectory.mechanism, times);
  const result = inverseOfMotion(trajectory, {
    feet: given?.feet ?? loaded.feet,
    doubleSupport: options.double,
    ...(given !== undefined && { supports: given.supports }),
    ...(loads !== undefined && { loads }),
    ...(loaded.height !== undefined && { height: loaded.height }),
  });
  const torques = result.frames.map(({ tau }, k) => loaded.forces(first + k, tau));
  if (terminal.signal.aborted) throw new Interrupted();
  const outcome: Outcome = { file, options, loaded, result, torques, measured: loads !== undefined };
  try {
    writers.write(outcome);
  } catch (error) {
    writers.abandon();
    throw error;
  }
  if (options.json === true) terminal.out(`${formatJson(asJson(outcome, writers.files))}\n`);
  else terminal.out(`${asText(outcome, writers.files)}\n`);
}

// Input

function load(file: string, options: Options, terminal: Terminal): Loaded {
  const extension = extname(file).toLowerCase();
  if (extension === '.bvh') return loadBvh(file, options);
  if (extension === '.mot' || extension === '.sto') return loadCoordinates(file, options, terminal);
  throw new InputError(`"${file}" is not a motion of a known kind (.bvh, .mot, .sto).`);
}

function loadBvh(file: string, options: Options): Loaded {
  if (options.model !== undefined) throw new InputError('A .bvh file brings its own skeleton; leave --model out.');
  const { mass, height, scale, up } = options;
  const name = basename(file, extname(file));
  const figure = figureFromBvh(parseBvh(readInput(file), { file: basename(file) }), {
    name,
    ...(mass !== undefined && { mass }),
    ...(height !== undefined && { height }),
    ...(scale !== undefined && { scale }),
    ...(up !== undefined && { up }),
  });
  const { mechanism } = figure.positions;
  const trajectory = differentiated(smoothed(figure.positions, hertz(options)));
  return {
    model: name,
    trajectory,
    moving: figure.coordinates.map((_, c) => trajectory.v.some((v, k) => k % mechanism.nv === c && Math.abs(v) > 1e-9)),
    feet: figure.feet,
    coordinates: figure.coordinates,
    units: mechanism.joints.flatMap(({ model }) => Array.from({ length: model.nv }, (_, k) => (k < 3 ? 'N m' : 'N'))),
    height: figure.size.height,
    scale: figure.scale,
    warnings: figure.warnings,
    forces: (_, tau) => tau,
  };
}

function loadCoordinates(file: string, options: Options, terminal: Terminal): Loaded {
  for (const option of ['mass', 'height', 'scale', 'up'] as const)
    if (options[option] !== undefined)
      throw new InputError(`--${option} goes with .bvh files; a model has its own size.`);
  if (options.model === undefined) throw new InputError(`"${file}" needs a model: --model FILE.osim.`);
  const osim = extname(options.model).toLowerCase() === '.osim';
  const model = osim
    ? CoordinateModel.ofOsim(parseOsim(readInput(options.model), { file: basename(options.model) }))
    : CoordinateModel.ofMechanism(loadModel(options.model, { quiet: true }, terminal).mechanism);
  const { mechanism, coordinates } = model;
  const storage = parseStorage(readInput(file), { file: basename(file) });
  const { motion, warnings } = coordinateMotion(storage, coordinates, hertz(options), basename(file));
  const forces = new Float64Array(coordinates.length);
  return {
    model: mechanism.name,
    trajectory: model.trajectory(motion),
    feet: feetByName(mechanism),
    coordinates: coordinates.map(({ name }) => name),
    moving: coordinates.map(() => true),
    units: coordinates.map(({ rotational }) => (rotational ? 'N m' : 'N')),
    warnings: [...mechanism.warnings, ...warnings],
    forces: (frame, tau) => {
      model.generalised(forces, motion.s, frame * coordinates.length, tau);
      return forces.slice();
    },
  };
}

function loadLoads(options: Options, { mechanism }: Trajectory): AppliedLoads | undefined {
  const { loads: file, loadsData } = options;
  if (file === undefined) {
    if (loadsData !== undefined) throw new InputError('--loads-data goes with --loads.');
    return undefined;
  }
  const loads = parseExternalLoads(readInput(file), { file: basename(file) });
  // A file must not send us anywhere in the system: the table is beside it, or the user names it.
  const inside = !isAbsolute(loads.dataFile) && !loads.dataFile.split(/[/\\]/).includes('..');
  if (loadsData === undefined && !inside)
    throw new InputError(
      `"${file}" names the table "${loads.dataFile}", which is elsewhere; give it with --loads-data.`,
    );
  const data = loadsData ?? join(dirname(file), loads.dataFile);
  return new AppliedLoads(loads, parseStorage(readInput(data), { file: basename(data) }), mechanism, basename(data));
}

/** The frames for which there are forces. */
function withinLoads(trajectory: Trajectory, loads: AppliedLoads): { trajectory: Trajectory; warnings: Problem[] } {
  const { start, interval, count, mechanism, q, v, qdd } = trajectory;
  const [from, to] = loads.range;
  const slack = 1e-6 * interval;
  const first = Math.max(0, Math.ceil((from - slack - start) / interval));
  const last = Math.min(count - 1, Math.floor((to + slack - start) / interval));
  const end = start + (count - 1) * interval;
  if (last < first)
    throw new InputError(
      `The forces and the motion do not overlap in time: forces from ${formatNumber(from)} to ${formatNumber(to)} s, motion from ${formatNumber(start)} to ${formatNumber(end)} s.`,
    );
  if (first === 0 && last === count - 1) return { trajectory, warnings: [] };
  const cut = (x: Float64Array, n: number): Float64Array => x.slice(first * n, (last + 1) * n);
  const message = `Forces reach from ${formatNumber(from)} to ${formatNumber(to)} s only; the other frames are left out.`;
  return {
    trajectory: {
      mechanism,
      start: start + first * interval,
      interval,
      count: last - first + 1,
      q: cut(q, mechanism.nq),
      v: cut(v, mechanism.nv),
      qdd: cut(qdd, mechanism.nv),
    },
    warnings: [{ code: 'overlap', where: '', message }],
  };
}

// Output

interface Outcome {
  readonly file: string;
  readonly options: Options;
  readonly loaded: Loaded;
  readonly result: MotionForces;
  /** Of each frame. */
  readonly torques: readonly Float64Array[];
  readonly measured: boolean;
}

class Writers {
  readonly #paths: { out: string | undefined; svg: string | undefined; html: string | undefined };
  readonly #files: OutputFile[] = [];

  constructor({ out, svg, html }: Options) {
    const named = [out, svg, html].filter((path) => path !== undefined);
    if (new Set(named.map((path) => resolve(path))).size < named.length)
      throw new InputError('Two of --out, --svg and --html name the same file.');
    if (out !== undefined && !['.csv', '.sto'].includes(extname(out).toLowerCase()))
      throw new InputError(`--out writes .csv or .sto, got "${out}".`);
    this.#paths = { out, svg, html };
  }

  get files(): string[] {
    return this.#files.map(({ path }) => path);
  }

  write(outcome: Outcome): void {
    const { out, svg, html } = this.#paths;
    const contents: [string | undefined, () => string][] = [
      [out, () => (out!.toLowerCase().endsWith('.sto') ? sto(outcome) : csv(outcome))],
      [svg, () => picture(outcome)],
      [html, () => page(outcome)],
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

const SUPPORT_CODES = { none: 0, left: 1, right: 2, double: 3, measured: 4 } as const;
const AXES = ['x', 'y', 'z'] as const;

/** Time, one column for each coordinate; where the support was found, what it gives. */
function columns(outcome: Outcome): { labels: string[]; rows: number[][] } {
  const { loaded, result, torques, measured, options } = outcome;
  const vector = (name: string): string[] => AXES.map((axis) => name + axis);
  const labels = ['time', ...loaded.coordinates];
  const split = options.double === 'split' && !measured;
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

function csv(outcome: Outcome): string {
  const { labels, rows } = columns(outcome);
  return `${[labels.map(csvField), ...rows].map((row) => row.join(',')).join('\n')}\n`;
}

function sto(outcome: Outcome): string {
  const { labels, rows } = columns(outcome);
  return formatStorage(`Inverse dynamics of ${basename(outcome.file)}`, labels, rows);
}

/** Stretches of time with both feet down. */
function doubleStretches(frames: readonly FrameForces[], result: MotionForces): [number, number][] {
  const stretches: [number, number][] = [];
  result.supports.forEach(({ kind }, k) => {
    if (kind !== 'double') return;
    const { time } = frames[k];
    if (k > 0 && result.supports[k - 1].kind === 'double') stretches.at(-1)![1] = time;
    else stretches.push([time, time]);
  });
  return stretches;
}

/** Coordinates whose forces change most, between bodies: not those of the root. */
function strongest({ loaded, torques }: Outcome, count: number): number[] {
  const spread = loaded.coordinates.map((_, c) => {
    const mean = torques.reduce((sum, row) => sum + row[c], 0) / torques.length;
    return torques.reduce((sum, row) => sum + (row[c] - mean) ** 2, 0);
  });
  return spread
    .map((_, c) => c)
    .filter((c) => loaded.units[c] === 'N m' && loaded.moving[c] && spread[c] > 1e-12)
    .sort((a, b) => spread[b] - spread[a])
    .slice(0, count)
    .sort((a, b) => a - b);
}

function picture(outcome: Outcome): string {
  const { loaded, result, torques } = outcome;
  const { frames, poses, mechanism, weight } = result;
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
    forces: frames.map(({ total }) => total.force),
    weight,
    shaded: doubleStretches(frames, result),
    series: strongest(outcome, CURVES).map((c) => ({
      name: loaded.coordinates[c],
      values: torques.map((row) => row[c]),
    })),
    seriesLabel: 'torque (N m)',
  });
}

function titleOf({ file, options, loaded }: Outcome): string {
  const filter = options.cutoff === 'none' ? 'not filtered' : `filtered at ${options.cutoff} Hz`;
  return `${basename(file)}: ${loaded.coordinates.length} coordinates, ${filter}`;
}

/** Frames in a page, at most: longer motions are thinned out, or browsers would choke on them. */
const PAGE_FRAMES = 2000;

function page(outcome: Outcome): string {
  const { loaded, result, torques } = outcome;
  const { frames, poses, mechanism, weight, supports } = result;
  const step = Math.ceil(frames.length / PAGE_FRAMES);
  const shown = frames.map((_, k) => k).filter((k) => k % step === 0);
  const up = upOf(mechanism.gravity);
  const words = { left: 'left foot', right: 'right foot', double: 'both feet', none: 'no foot' } as const;
  return motionPage({
    title: titleOf(outcome),
    mechanism,
    times: shown.map((k) => frames[k].time),
    poses: shown.map((k) => poses[k]),
    captions: shown.map((k) => words[supports[k].kind]),
    forces: shown.map((k) => {
      const { feet, total, point, centreOfPressure } = frames[k];
      // At the points on the ground where they act.
      return feet.length < 2 ? [{ point: centreOfPressure ?? point, force: total.force }] : feet;
    }),
    forceScale: weight,
    series: [
      {
        name: 'vertical force of the ground',
        unit: 'weights',
        values: shown.map((k) => dot(up, frames[k].total.force) / weight),
      },
      ...strongest(outcome, loaded.coordinates.length).map((c) => ({
        name: loaded.coordinates[c],
        unit: loaded.units[c],
        values: shown.map((k) => torques[k][c]),
      })),
    ],
  });
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
  return { left: count('left'), right: count('right'), double: count('double'), none: count('none') };
}

function asJson(outcome: Outcome, files: readonly string[]): object {
  const { file, options, loaded, result, torques, measured } = outcome;
  const { frames, mass, weight, strides, supports } = result;
  const { trajectory } = loaded;
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
    ...(measured ? {} : { doubleSupport: options.double }),
    weight,
    strides: strides ?? null,
    residual: residuals(frames),
    warnings: loaded.warnings,
    files,
    frames: frames.map((frame, k) => ({
      time: frame.time,
      support: supports[k].kind,
      torques: Array.from(torques[k]),
      force: frame.total.force,
      moment: frame.total.moment,
      point: frame.point,
      ...(frame.centreOfPressure !== undefined && { centreOfPressure: frame.centreOfPressure }),
      feet: frame.feet,
    })),
  };
}

function asText(outcome: Outcome, files: readonly string[]): string {
  const { file, options, loaded, result, torques, measured } = outcome;
  const { frames, mass, weight, strides } = result;
  const { trajectory } = loaded;
  const percent = (value: number): string => `${Number((100 * value).toFixed(2))} %`;
  const filter =
    options.cutoff === 'none' ? 'not filtered' : `low-pass ${options.cutoff} Hz (zero-phase Butterworth, fourth order)`;
  const size = loaded.height === undefined ? '' : `, ${formatNumber(Number(loaded.height.toFixed(3)))} m tall`;
  const counts = share(result);
  const rest = residuals(frames);
  const rows = strongest(outcome, 12).map((c) => {
    const values = torques.map((row) => row[c]);
    const rms = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
    const single = values.filter((_, k) => result.supports[k].kind !== 'double');
    const most = (list: readonly number[]): number => list.reduce((m, value) => Math.max(m, Math.abs(value)), 0);
    return [loaded.coordinates[c], rms, most(values), most(single)].map((cell) =>
      typeof cell === 'number' ? Number(cell.toPrecision(4)) : cell,
    );
  });
  const lines = [
    `${basename(file)}: ${frames.length} frames at ${formatNumber(Number((1 / trajectory.interval).toPrecision(5)))} Hz, ${loaded.coordinates.length} coordinates, ${filter}`,
    `figure: ${formatNumber(Number(mass.toFixed(3)))} kg${size}, weight ${formatNumber(Number(weight.toFixed(1)))} N`,
    `support: ${measured ? 'measured; ' : ''}left ${counts.left}, right ${counts.right}, both ${counts.double}, none ${counts.none} frames`,
    ...(strides === undefined
      ? ['strides: the motion does not repeat itself']
      : [
          `strides: of ${formatNumber(Number(strides.duration.toFixed(4)))} s; mean vertical force over a stride ${percent(strides.mean)} of the weight (${percent(strides.lowest)} to ${percent(strides.highest)} by where it begins)`,
        ]),
    `left at the root: ${formatNumber(Number(rest.force.rms.toPrecision(3)))} N, ${formatNumber(Number(rest.moment.rms.toPrecision(3)))} N m (root mean square)`,
    ...(counts.double > 0 && !measured
      ? [
          options.double === 'one'
            ? 'both feet down: the split cannot be known; leg torques there are as if one foot carried all (--double split shares it)'
            : 'both feet down: the split cannot be known; the one of least norm is shown',
        ]
      : []),
    '',
    table(['torque, N m', 'rms', 'largest', 'largest, not both feet'], rows),
    ...files.map((path) => `written: ${path}`),
  ];
  return lines.join('\n');
}
