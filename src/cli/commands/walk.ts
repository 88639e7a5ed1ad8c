// manikin walk: a passive walker on a slope, its gait, its road to chaos.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { formatJson } from '../../formats/json-writer.js';
import {
  basinHints,
  bifurcationPlot,
  energyPlot,
  type Gait,
  gaitOf,
  makeWalker,
  phasePortrait,
  recordWalk,
  repeatsAfter,
  type Standing,
  type SweepPoint,
  standingAt,
  stickFigure,
  sweep,
  WALKERS,
  type WalkerModelName,
  type WalkerRequest,
  type WalkerSizes,
  type WalkerStep,
  type WalkSample,
  walk,
  walkReplay,
} from '../../papers/walker/index.js';
import { formatReplay, type Replay } from '../../plot/replay.js';
import { InputError } from '../errors.js';
import { integer, positive } from '../model-argument.js';
import { OutputFile, refuseSameFiles } from '../output-file.js';
import { replayPlayer } from '../replay-player.js';
import { formatNumber, Progress, type Terminal, table } from '../terminal.js';

interface Options extends WalkerSizes {
  readonly model: WalkerModelName;
  readonly slope?: number;
  readonly steps: number;
  readonly start?: readonly number[];
  readonly scuffing: 'ignore' | 'stop';
  readonly basin?: boolean;
  readonly sweep?: { from: number; to: number; count: number };
  readonly settle: number;
  readonly keep: number;
  readonly json?: boolean;
  readonly html?: string;
  readonly svg?: string;
  readonly phase?: string;
  readonly energy?: string;
  readonly bifurcation?: string;
}

const SIZES = [
  ['hipMass', '--hip-mass <kg>', 'mass at the hip'],
  ['legMass', '--leg-mass <kg>', 'compass: mass of a leg'],
  ['legLength', '--leg-length <m>', 'compass: length of a leg'],
  ['legMassFromFoot', '--leg-mass-from-foot <m>', "compass: a leg's mass from its foot"],
  ['thighMass', '--thigh-mass <kg>', 'kneed: mass of a thigh'],
  ['shankMass', '--shank-mass <kg>', 'kneed: mass of a shank'],
  ['thighLength', '--thigh-length <m>', 'kneed: length of a thigh'],
  ['shankLength', '--shank-length <m>', 'kneed: length of a shank'],
  ['thighMassFromKnee', '--thigh-mass-from-knee <m>', "kneed: a thigh's mass from the knee"],
  ['shankMassFromFoot', '--shank-mass-from-foot <m>', "kneed: a shank's mass from the foot"],
  ['gravity', '--gravity <m/s2>', 'gravity (default: 9.81)'],
] as const;

/** More than this is a slip of the hand. */
const MAX_STEPS = 1_000_000;
const MAX_SLOPES = 10_000;
/** Steps in a replay, at most. */
const REPLAYED = 20;

function finite(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('Expected a finite number.');
  return value;
}

function count(text: string): number {
  const value = integer(text);
  if (value < 0 || value > MAX_STEPS) throw new InvalidArgumentError(`Expected a number from 0 to ${MAX_STEPS}.`);
  return value;
}

function four(text: string): number[] {
  const values = text.split(',').map((word) => (word.trim() === '' ? Number.NaN : Number(word)));
  if (values.length !== 4 || !values.every(Number.isFinite))
    throw new InvalidArgumentError('Expected four finite numbers: stance, swing, and their rates.');
  return values;
}

function range(text: string): { from: number; to: number; count: number } {
  const [from, to, steps = 200, ...rest] = text.split(':').map(Number);
  if (
    rest.length > 0 ||
    ![from, to].every(Number.isFinite) ||
    !Number.isInteger(steps) ||
    steps < 1 ||
    steps > MAX_SLOPES
  )
    throw new InvalidArgumentError('Expected from:to or from:to:count, slopes in radians.');
  return { from, to, count: steps };
}

export function configureWalk(command: Command, terminal: Terminal): void {
  command
    .addOption(new Option('--model <name>', 'which walker').choices(Object.keys(WALKERS)).default('compass'))
    .option('--slope <rad>', 'slope, downwards (default: 0.0524, kneed 0.0504)', finite);
  for (const [, flags, description] of SIZES)
    command.option(flags, description, flags.startsWith('--hip-mass') ? finite : positive);
  command
    .option('--steps <n>', 'steps to walk', count, 20)
    .option('--start <q,q,v,v>', 'where to start, just before a heel strike: stance, swing, and their rates', four)
    .addOption(
      new Option('--scuffing <how>', 'a foot that touches the ground while it swings past')
        .choices(['ignore', 'stop'])
        .default('ignore'),
    )
    .option('--basin', 'how far each coordinate may be off for the walker to come back')
    .option('--sweep <from:to:count>', 'what it settles to on many slopes', range)
    .option('--settle <n>', 'sweep: steps to settle on each slope', count, 120)
    .option('--keep <n>', 'sweep: steps to keep of each slope', count, 64)
    .option('--json', 'print JSON')
    .option('--html <file>', 'a replay: one page with the walker in motion and all plots')
    .option('--svg <file>', 'the walker in motion')
    .option('--phase <file>', 'phase portrait of one leg (figure 10), SVG')
    .option('--energy <file>', 'potential over kinetic energy (figure 11), SVG')
    .option('--bifurcation <file>', 'sweep: step periods over slopes, SVG')
    .addHelpText(
      'after',
      '\nExamples:\n  manikin walk --html out/walk.html\n  manikin walk --model kneed --slope 0.05 --json\n  manikin walk --sweep 0.07:0.0915:300 --bifurcation out/chaos.svg',
    )
    .action((options: Options) => walkCommand(options, terminal));
}

async function walkCommand(options: Options, terminal: Terminal): Promise<void> {
  const request = requestOf(options);
  const files = filesOf(options);
  if (options.bifurcation !== undefined && options.sweep === undefined)
    throw new InputError('--bifurcation needs --sweep from:to:count.');
  const progress = new Progress(terminal, 'Walking');
  const pause = async (fraction: number, note = ''): Promise<void> => {
    progress.update(fraction, note);
    await nextTurn();
    // Asked for only here: before the first pause Ctrl-C ends the program at once, as usual.
    terminal.signal.throwIfAborted();
  };
  try {
    // Where scuffing is to stop it, the gait is that of a walker that may scuff.
    const gait = gaitOf({ ...request, scuffing: 'ignore' });
    const walker = makeWalker(request);
    const from = startOf(options, request, gait);
    const walked = await walkAll(walker, from, options.steps, pause);
    const basin =
      options.basin === true ? await basinHints(makeWalker(rough(request)), gait, () => pause(0, 'basin')) : undefined;
    const swept = await sweepAll(options, request, pause);
    const samples = files.length === 0 ? [] : recordWalk(walker, standingAt(walker, gait.section), 2);
    const study = { request, gait, ...walked, basin, swept };
    const replay = (): string => {
      const steps = Math.min(REPLAYED, Math.max(2, options.steps));
      return formatReplay(replayOf(study, recordWalk(walker, from, steps), samples, walker.legLength), replayPlayer());
    };
    writeFiles(files, (what) => (what === 'html' ? replay() : pictures(study, samples, walker.legLength)[what]()));
    progress.finish();
    report(
      study,
      options,
      walker.gravity,
      files.map(({ path }) => path),
      terminal,
    );
  } finally {
    progress.finish();
  }
}

/** What a sweep and the edges of the basin need: many steps, few digits. */
function rough(request: WalkerRequest): WalkerRequest {
  return { ...request, tolerances: { relative: 1e-8, absolute: 1e-9 } };
}

function requestOf(options: Options): WalkerRequest {
  const { model, scuffing } = options;
  const known = WALKERS[model];
  const sizes: { -readonly [key in keyof WalkerSizes]: number } = {};
  for (const [name, flags] of SIZES) {
    const value = options[name];
    if (value === undefined) continue;
    if (!(name in known.sizes)) throw new InputError(`The ${model} walker has no ${flags.split(' ')[0]}.`);
    sizes[name] = value;
  }
  return { model, slope: options.slope ?? known.slope, sizes, scuffing };
}

/** The paper's Table 1 for the paper's walker, else the gait itself. */
function startOf({ start }: Options, request: WalkerRequest, gait: Gait): Standing {
  const walker = makeWalker(request);
  if (start !== undefined) return walker.beforeStrike(start.slice(0, 2), start.slice(2));
  const { slope, near } = WALKERS[request.model];
  const asPublished = request.slope === slope && Object.keys(request.sizes).length === 0;
  return standingAt(walker, asPublished ? near : gait.section);
}

type Pause = (fraction: number, note?: string) => Promise<void>;

async function walkAll(walker: ReturnType<typeof makeWalker>, from: Standing, total: number, pause: Pause) {
  const steps: WalkerStep[] = [];
  let at = from;
  while (steps.length < total) {
    const part = walk(walker, at, Math.min(10, total - steps.length));
    steps.push(...part.steps);
    at = part.at;
    if (part.fall !== undefined) return { steps, fall: part.fall };
    await pause(steps.length / total, `${steps.length} steps`);
  }
  return { steps, fall: undefined };
}

async function sweepAll(options: Options, request: WalkerRequest, pause: Pause): Promise<SweepPoint[] | undefined> {
  if (options.sweep === undefined) return undefined;
  const { from, to, count: n } = options.sweep;
  const slopes = Array.from({ length: n }, (_, k) => (n === 1 ? from : from + ((to - from) * k) / (n - 1)));
  const { settle, keep } = options;
  return sweep(rough(request), slopes, { settle, keep: Math.max(1, keep) }, (done) => pause(done, 'sweep'));
}

type Picture = 'html' | 'svg' | 'phase' | 'energy' | 'bifurcation';

function filesOf(options: Options): { what: Picture; path: string }[] {
  const files = (['html', 'svg', 'phase', 'energy', 'bifurcation'] as const).flatMap((what) => {
    const path = options[what];
    return path === undefined ? [] : [{ what, path }];
  });
  refuseSameFiles(Object.fromEntries(files.map(({ what, path }) => [what, path])));
  return files;
}

function writeFiles(files: readonly { what: Picture; path: string }[], make: (what: Picture) => string): void {
  const open: OutputFile[] = [];
  try {
    for (const { what, path } of files) {
      const file = new OutputFile(path);
      open.push(file);
      file.write(make(what));
    }
    for (const file of open) file.finish();
  } catch (error) {
    for (const file of open) file.abandon();
    throw error;
  }
}

interface Study {
  readonly request: WalkerRequest;
  readonly gait: Gait;
  readonly steps: readonly WalkerStep[];
  readonly fall: string | undefined;
  readonly basin: Awaited<ReturnType<typeof basinHints>> | undefined;
  readonly swept: readonly SweepPoint[] | undefined;
}

const lossOf = ({ energyLost, kneeLoss }: WalkerStep): number => energyLost + kneeLoss;
const sizeOf = ([re, im]: readonly [number, number]): number => Math.hypot(re, im);

function facts({ request, gait, steps, fall, basin }: Study): [string, string][] {
  const { step, eigenvalues } = gait;
  const complex = ([re, im]: readonly [number, number]): string =>
    im === 0 ? formatNumber(re) : `${formatNumber(re)} ${im < 0 ? '-' : '+'} ${formatNumber(Math.abs(im))}i`;
  const stable = eigenvalues.every((value) => sizeOf(value) < 1);
  return [
    ['slope', `${formatNumber(request.slope)} rad`],
    ['period of a step', `${formatNumber(step.period)} s`],
    ['length of a step', `${formatNumber(step.stepLength)} m`],
    ['speed', `${formatNumber(step.stepLength / step.period)} m/s`],
    ['stance and swing angle before the strike', `${step.q.map(formatNumber).join(', ')} rad`],
    ['their rates', `${step.v.map(formatNumber).join(', ')} rad/s`],
    ['energy lost at a heel strike', `${formatNumber(step.energyLost)} J`],
    ...(step.kneeLoss !== 0
      ? [['energy lost by the knee', `${formatNumber(step.kneeLoss)} J`] as [string, string]]
      : []),
    ['eigenvalues of the step map', eigenvalues.map(complex).join(', ')],
    [
      'gait',
      stable ? `stable: a disturbance shrinks to ${formatNumber(sizeOf(eigenvalues[0]))} of it each step` : 'unstable',
    ],
    ...(basin ?? []).map(({ coordinate, below, above }): [string, string] => [
      `comes back with ${coordinate} off by`,
      `-${formatNumber(below)} to +${formatNumber(above)}`,
    ]),
    ['walked', fall === undefined ? `${steps.length} steps` : `${steps.length} steps, then ${FALLS.get(fall) ?? fall}`],
  ];
}

const FALLS = new Map([
  ['fell', 'it fell'],
  ['scuffed', 'its foot touched the ground while it swung past'],
  ['no-strike', 'the swing foot did not come down'],
]);

const nameOf = ({ request }: Study): string => `${request.model} walker, slope ${formatNumber(request.slope)} rad`;

function pictures(study: Study, samples: readonly WalkSample[], legLength: number) {
  const { request, swept } = study;
  const name = nameOf(study);
  return {
    svg: () => stickFigure(samples, { slope: request.slope, legLength, title: name }),
    phase: () => phasePortrait(samples, `Phase portrait of one leg: ${name}`),
    energy: () => energyPlot(samples, `Energies over two steps: ${name}`),
    bifurcation: () => bifurcationPlot(swept ?? [], `Step periods over the slope: ${request.model} walker`),
  };
}

/** The walk that was asked for, and pictures of the gait. */
function replayOf(study: Study, walked: readonly WalkSample[], gait: readonly WalkSample[], legLength: number): Replay {
  const { request, swept, fall } = study;
  const drawn = pictures(study, gait, legLength);
  return walkReplay(walked, {
    title: `A passive walker: ${nameOf(study)}`,
    slope: request.slope,
    legLength,
    ...(fall !== undefined && { fall: FALLS.get(fall) ?? fall }),
    facts: facts(study),
    pictures: [
      {
        svg: drawn.phase(),
        caption: 'One leg swings, strikes, supports, leaves the ground; its rate jumps at both heel strikes.',
      },
      {
        svg: drawn.energy(),
        caption:
          'While it swings the sum is constant; each heel strike (and the knee, if it has one) takes what the slope has given.',
      },
      ...(swept === undefined
        ? []
        : [
            {
              svg: drawn.bifurcation(),
              caption: 'What the walker settles to: one period, then two, four, ... and chaos.',
            },
          ]),
    ],
  });
}

function report(study: Study, options: Options, g: number, files: readonly string[], terminal: Terminal): void {
  const { request, gait, steps, fall, basin, swept } = study;
  const { step } = gait;
  if (options.json === true) {
    const written = {
      model: request.model,
      slope: request.slope,
      g,
      period: step.period,
      stepLength: step.stepLength,
      preImpact: { q: [...step.q], v: [...step.v] },
      eigenvalues: gait.eigenvalues.map((value) => [...value]),
      energyLostPerStep: lossOf(step),
      stable: gait.eigenvalues.every((value) => sizeOf(value) < 1),
      residual: gait.residual,
      steps: steps.map((one) => ({
        period: one.period,
        stepLength: one.stepLength,
        q: [...one.q],
        v: [...one.v],
        energyLost: lossOf(one),
      })),
      fall: fall ?? null,
      basin,
      sweep: swept?.map(({ slope, periods }) => ({
        slope,
        repeatsAfter: repeatsAfter(periods, 1e-5) ?? null,
        periods: [...periods],
      })),
      files,
    };
    terminal.out(`${formatJson(written)}\n`);
    return;
  }
  const rows = facts(study);
  const width = Math.max(...rows.map(([name]) => name.length));
  terminal.out(`${request.model}\n\n${rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')}\n`);
  if (swept !== undefined)
    terminal.out(
      `\n${table(
        ['slope', 'repeats after', 'shortest step (s)', 'longest step (s)'],
        thinned(swept).map(({ slope, periods }) => [
          slope,
          periods.length === 0 ? 'falls' : String(repeatsAfter(periods, 1e-5) ?? 'more than 16'),
          periods.length === 0 ? '' : Math.min(...periods),
          periods.length === 0 ? '' : Math.max(...periods),
        ]),
      )}\n`,
    );
  if (files.length > 0) terminal.out(`\n${files.map((file) => `written: ${file}`).join('\n')}\n`);
}

/** Slopes where something changes, and some between. */
function thinned(points: readonly SweepPoint[]): SweepPoint[] {
  const kind = ({ periods }: SweepPoint): unknown => (periods.length === 0 ? 'falls' : repeatsAfter(periods, 1e-5));
  const every = Math.max(1, Math.ceil(points.length / 12));
  return points.filter((point, k) => k % every === 0 || kind(point) !== kind(points[k - 1]));
}
