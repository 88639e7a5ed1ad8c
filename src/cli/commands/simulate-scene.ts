// simulate with contacts: a scene, or a model on the ground.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { dynamics } from '../../dynamics/dynamics.js';
import { formatJson } from '../../formats/json-writer.js';
import type { Problem } from '../../mechanism/errors.js';
import { type EnergySample, type Moment, motionPicture } from '../../plot/motion-picture.js';
import { formatCheckpoint, parseCheckpoint } from '../../recording/checkpoint-file.js';
import { crc32 } from '../../recording/crc32.js';
import { Recorder } from '../../recording/recorder.js';
import { MAX_STEPS } from '../../scenes/parse-scene.js';
import { type RunFigures, RunSummary } from '../../scenes/run-summary.js';
import type { SceneWorld } from '../../scenes/scene-world.js';
import type { ContactSide } from '../../simulation/world/contact-report.js';
import { worldCsvHeader, worldCsvRow } from '../../simulation/world/csv.js';
import type { World } from '../../simulation/world/world.js';
import { InputError } from '../errors.js';
import { readInputText } from '../input-file.js';
import { OutputFile, writeOutput } from '../output-file.js';
import { RecordingFile } from '../recording-file.js';
import { ReplayFile, upwards } from '../replay-file.js';
import { formatNumber, Progress, type Terminal } from '../terminal.js';

export interface SceneRunOptions {
  readonly duration?: number;
  /** Seconds between lines, recorded moments and checkpoints. */
  readonly every?: number;
  readonly csv?: string;
  readonly svg?: string;
  readonly html?: string;
  readonly record?: string;
  readonly checkpoint?: string;
  readonly resume?: string;
  readonly json?: boolean;
}

/** Bytes of a chunk of the recording: what a crash may lose. */
const CHUNK = 32 * 1024;
/** Depth (m) at the start that is told of, and of how many pairs. */
const INSIDE = 1e-3;
const MOST_INSIDE = 5;
/** Where --every is left out. */
const EVERY = { lines: 0.01, checkpoints: 1 };

/** Seconds that a paper took for the same. */
export interface PaperTime {
  readonly name: string;
  readonly seconds: number;
}

/** What a checkpoint keeps besides the world. */
interface Kept {
  /** Checksum of what the world does not know of its scene. */
  readonly scene: string;
  readonly events: number;
  readonly figures: RunFigures;
}

export async function runScene(
  name: string,
  run: SceneWorld,
  options: SceneRunOptions,
  paper: PaperTime | undefined,
  terminal: Terminal,
): Promise<void> {
  const end = options.duration ?? run.duration;
  if (end / run.world.stepSize > MAX_STEPS)
    throw new InputError(
      `${Math.ceil(end / run.world.stepSize)} steps are too many; take a shorter time or a longer step.`,
    );
  const summary = new RunSummary(run.world, run);
  if (options.resume !== undefined) resume(options.resume, run, summary);
  const from = run.time;
  if (run.world.lengthTowards(end) === 0)
    throw new InputError(`The checkpoint is at ${rounded(from)} s already; give a --duration above that.`);
  const checkpoint = options.checkpoint === undefined ? undefined : new OutputFile(options.checkpoint).path;
  const output = await Output.open(name, run, options, end);
  await run.world.ready();
  // To ask for the signal is to be told of Ctrl-C instead of being ended by it: from here on there are files to finish.
  const { signal } = terminal;
  const inside = from === 0 ? insideAtStart(run.world) : [];
  for (const { where, message } of inside) terminal.err(`Warning: ${where}: ${message}\n`);
  const progress = new Progress(terminal, `Simulating ${name}`);
  const before = summary.figures.steps;
  let [inSteps, saved, looked] = [0, Math.floor(from / (options.every ?? EVERY.checkpoints)), performance.now()];
  const save = (): void => {
    if (checkpoint === undefined) return;
    const kept: Kept = { scene: sceneChecksum(run), events: run.save().events, figures: summary.figures };
    writeOutput(checkpoint, formatCheckpoint(run.world, kept));
  };
  try {
    for (;;) {
      const start = performance.now();
      if (!run.stepTowards(end)) break;
      inSteps += performance.now() - start;
      summary.look(run.world);
      await output.afterStep();
      const due = Math.floor((run.time + 1e-9) / (options.every ?? EVERY.checkpoints));
      if (due > saved) {
        save();
        saved = due;
      }
      if (performance.now() - looked < 50) continue;
      progress.update(
        run.time / end,
        `${run.time.toFixed(2)} s, ${shortNumber((1000 * (run.time - from)) / inSteps)} times real time`,
      );
      await nextTurn();
      signal.throwIfAborted();
      looked = performance.now();
    }
    save();
    await output.finish(name);
  } catch (error) {
    progress.finish();
    await output.rescue(signal.aborted);
    if (signal.aborted) {
      save();
      const resumed = checkpoint === undefined ? '' : ` Go on with --resume ${checkpoint}.`;
      terminal.err(`Stopped at ${formatNumber(rounded(run.time))} s of ${formatNumber(end)} s.${resumed}\n`);
    }
    throw error;
  } finally {
    progress.finish();
    const { notes } = run.world.threads;
    for (const note of notes) terminal.err(`Warning: ${note}\n`);
    await run.world.end();
  }
  const seconds = inSteps / 1000;
  const steps = summary.figures.steps - before;
  report(
    {
      name,
      run,
      options,
      summary,
      seconds,
      steps,
      simulated: run.time - from,
      files: [...output.files, ...(checkpoint === undefined ? [] : [checkpoint])],
      paper,
      inside,
    },
    terminal,
  );
}

/** What a scene has in each other from the start: the deepest first, a few of them. */
function insideAtStart(world: World): Problem[] {
  const deepest = new Map<string, { readonly depth: number; readonly fixed: boolean }>();
  const named = ({ member, body }: ContactSide): string =>
    member === undefined ? `"${body}"` : `"${body}" of "${member}"`;
  for (const { a, b, depth } of world.overlaps()) {
    if (!(depth > INSIDE)) continue;
    const where = `${named(a)} and ${named(b)}`;
    const hangs = ({ member }: ContactSide): boolean =>
      member !== undefined && world.member(member).state.mechanism.joints.every(({ type }) => type !== 'floating');
    const fixed = (a.member === undefined && hangs(b)) || (b.member === undefined && hangs(a));
    if (depth > (deepest.get(where)?.depth ?? 0)) deepest.set(where, { depth, fixed });
  }
  return [...deepest]
    .sort(([, x], [, y]) => y.depth - x.depth)
    .slice(0, MOST_INSIDE)
    .map(([where, { depth, fixed }]) => {
      const hint = fixed
        ? ' Its base is fixed; with a floating one (--base, or "base" in a scene) it stands on the ground.'
        : '';
      const message = `They begin ${shortNumber(1000 * depth)} mm in each other; they are moved apart, which lifts them.${hint}`;
      return { code: 'inside', where, message };
    });
}

function resume(file: string, run: SceneWorld, summary: RunSummary): void {
  const { checkpoint, more } = parseCheckpoint(readInputText(file), run.world, { file });
  const { scene, events, figures } = (more ?? {}) as Partial<Kept>;
  if (scene === undefined || !Number.isSafeInteger(events) || !areFigures(figures))
    throw new InputError(`The checkpoint "${file}" was not written by "manikin simulate".`);
  if (scene !== sceneChecksum(run))
    throw new InputError(
      `The checkpoint "${file}" is of another scene: controls, connections, events or filters differ.`,
    );
  run.restore({ world: checkpoint, events: events! });
  summary.figures = figures;
}

/** A file may say anything. */
function areFigures(data: unknown): data is RunFigures {
  const { hash, ...counted } = (data ?? {}) as Partial<RunFigures>;
  const numbers = (list: readonly unknown[], count: number): boolean =>
    list.length === count && list.every(Number.isFinite);
  return Array.isArray(hash) && numbers(hash, 2) && numbers(Object.values(counted), 9);
}

/** Of what happens and what drives: the rest of a scene is in its world, and its duration may change. */
function sceneChecksum({ scene: { mechanisms, connect = [], events = [], filters = [] } }: SceneWorld): string {
  const driven = mechanisms.map(({ control = null, selfCollision = true }) => ({ control, selfCollision }));
  return crc32(new TextEncoder().encode(formatJson({ driven, connect, events, filters })));
}

/** The files of a run, but for its checkpoints. */
class Output {
  readonly #run: SceneWorld;
  readonly #every: number;
  readonly #csv: OutputFile | undefined;
  readonly #file: RecordingFile | undefined;
  #recorder: Recorder | undefined;
  #moments = 0;
  readonly #picture: Picture | undefined;
  readonly #replay: ReplayFile | undefined;

  private constructor(name: string, run: SceneWorld, options: SceneRunOptions, end: number) {
    const { every, csv, record, svg, html } = options;
    this.#run = run;
    if (html !== undefined)
      this.#replay = new ReplayFile(html, {
        title: name,
        ...(run.scene.description !== undefined && { about: run.scene.description }),
        obstacles: run.world.obstacles.map(({ shape }) => shape),
        up: upwards(run.world.gravity),
      });
    if (svg !== undefined) this.#picture = new Picture(run.world, svg, end);
    this.#every = every ?? EVERY.lines;
    if (csv !== undefined) this.#csv = new OutputFile(csv);
    if (record !== undefined) this.#file = new RecordingFile(record);
  }

  static async open(name: string, run: SceneWorld, options: SceneRunOptions, end: number): Promise<Output> {
    const output = new Output(name, run, options, end);
    try {
      if (output.#file !== undefined)
        output.#recorder = await Recorder.begin(run.world, output.#file, { chunkSize: CHUNK });
      output.#replay?.lookAt(run.world);
      output.#csv?.write(worldCsvHeader(run.world));
      output.#csv?.write(worldCsvRow(run.world));
      output.#moments = Math.floor(run.time / output.#every) + 1;
    } catch (error) {
      await output.rescue(false);
      throw error;
    }
    return output;
  }

  get files(): string[] {
    return [this.#csv, this.#file, this.#picture, this.#replay].flatMap((file) =>
      file === undefined ? [] : [file.path],
    );
  }

  async afterStep(): Promise<void> {
    const { world } = this.#run;
    this.#picture?.look();
    this.#replay?.lookAt(world);
    if (world.time + 1e-6 * world.stepSize < this.#moments * this.#every) return;
    this.#moments = Math.floor((world.time + 1e-6 * world.stepSize) / this.#every) + 1;
    this.#csv?.write(worldCsvRow(world));
    await this.#recorder?.record();
  }

  async finish(name: string): Promise<void> {
    await this.#recorder?.end();
    this.#file?.finish();
    this.#csv?.finish();
    this.#picture?.finish(name);
    this.#replay?.finish();
  }

  /** After something went wrong: the recording is finished as far as it goes, lines are kept where the user stopped the run. */
  async rescue(stopped: boolean): Promise<void> {
    try {
      await this.#recorder?.end();
    } catch {
      // It could not be written on before; what is there can be read.
    }
    this.#file?.close();
    if (stopped) this.#replay?.finish();
    if (stopped) this.#csv?.finish();
    else this.#csv?.abandon();
  }
}

/** Figures drawn in the picture, and energies in its curve. */
const [FIGURES, ENERGIES] = [9, 400];

/** The motion of one mechanism, drawn. */
class Picture {
  readonly path: string;
  readonly #world: World;
  readonly #file: OutputFile;
  readonly #energies: EnergySample[] = [];
  readonly #moments: Moment[] = [];
  readonly #from: number;
  readonly #duration: number;

  constructor(world: World, path: string, end: number) {
    if (world.members.length !== 1)
      throw new InputError(
        `--svg draws one mechanism, this scene has ${world.members.length}; record it with --record.`,
      );
    this.#world = world;
    this.path = path;
    this.#file = new OutputFile(path);
    this.#from = world.time;
    this.#duration = end - world.time;
    this.look();
  }

  look(): void {
    const { time, stepSize, members } = this.#world;
    const part = (time - this.#from + 1e-6 * stepSize) / this.#duration;
    if (part * ENERGIES >= this.#energies.length) {
      const { kinetic, potential } = this.#world.energy();
      this.#energies.push({ time, kinetic, potential });
    }
    if (part * (FIGURES - 1) < this.#moments.length) return;
    const { state } = members[0];
    this.#moments.push({ time, poses: dynamics(state.mechanism, { engine: 'plain' }).poses(state) });
  }

  finish(name: string): void {
    const { mechanism } = this.#world.members[0].state;
    const title = `${name}, ${formatNumber(this.#duration)} s`;
    this.#file.write(motionPicture(mechanism, this.#moments, this.#energies, title));
    this.#file.finish();
  }
}

interface Told {
  readonly name: string;
  readonly run: SceneWorld;
  readonly options: SceneRunOptions;
  readonly summary: RunSummary;
  /** In steps. */
  readonly seconds: number;
  readonly steps: number;
  readonly simulated: number;
  readonly files: readonly string[];
  readonly paper: PaperTime | undefined;
  readonly inside: readonly Problem[];
}

function report(told: Told, terminal: Terminal): void {
  const { name, run, options, summary, seconds, steps, simulated, files, paper, inside } = told;
  const { figures, hash } = summary;
  const { world } = run;
  const end = world.energy();
  const realTimeFactor = simulated / seconds;
  if (options.json === true) {
    const { energyStart: start, largestGain, mostContacts: most, deepest, residual, unsolved } = figures;
    const document = {
      scene: name,
      time: rounded(run.time),
      steps: figures.steps,
      step: world.stepSize,
      stepNs: (1e9 * seconds) / steps,
      seconds,
      realTimeFactor,
      energy: { start, end: end.total, largestGain },
      contacts: { most, deepest, residual, unsolved },
      events: run.story,
      warnings: [...run.warnings, ...inside].map(({ code, where, message }: Problem) => ({ code, where, message })),
      files,
      hash,
      ...(paper !== undefined && { paper: { ...paper, ratio: paper.seconds / seconds } }),
    };
    terminal.out(`${formatJson(document)}\n`);
    return;
  }
  const mechanisms = world.members.map(({ state }) => state.mechanism);
  const sum = (count: (mechanism: (typeof mechanisms)[number]) => number): number =>
    mechanisms.reduce((total, mechanism) => total + count(mechanism), 0);
  const bodies = sum((mechanism) => mechanism.bodies.length);
  const dof = sum((mechanism) => mechanism.nv - mechanism.couplings.length);
  const contacts = figures.mostContacts;
  const lines = [
    `${name}: ${counted(world.members.length, 'mechanism')}, ${bodies === 1 ? '1 body' : `${bodies} bodies`}, ${dof === 1 ? '1 degree' : `${dof} degrees`} of freedom`,
    `simulated ${formatNumber(Number(simulated.toPrecision(6)))} s in ${shortNumber(seconds)} s: ${shortNumber(realTimeFactor)} times real time (${counted(steps, 'step')} of ${formatNumber(world.stepSize)} s, ${shortNumber((1e6 * seconds) / steps)} us each)`,
    ...(paper === undefined
      ? []
      : [`${paper.name} took ${paper.seconds} s: ${shortNumber(paper.seconds / seconds)} times as long`]),
    `energy: ${formatNumber(figures.energyStart)} J at the start, ${formatNumber(end.total)} J at the end (kinetic ${formatNumber(end.kinetic)} J), largest rise ${formatNumber(figures.largestGain)} J`,
    contacts === 0
      ? 'contacts: none'
      : `contacts: ${contacts} at most, deepest penetration ${formatNumber(1000 * figures.deepest)} mm`,
    figures.unsolved === 0
      ? `solver: largest residual ${figures.residual.toExponential(1)}`
      : `solver: largest residual ${figures.residual.toExponential(1)}; ${counted(figures.unsolved, 'step')} above 1e-8: take shorter steps if that matters`,
    ...run.story,
    `hash of all states: ${hash}`,
    ...files.map((file) => `written: ${file}`),
  ];
  terminal.out(`${lines.join('\n')}\n`);
}

/** Times are sums of steps: without what the rounding of these sums leaves. */
const rounded = (time: number): number => Number(time.toFixed(9));
const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
const shortNumber = (value: number): string => formatNumber(Number(value.toPrecision(3)));
