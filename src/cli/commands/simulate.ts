import { resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { ENGINE_CHOICES, type EngineChoice } from '../../dynamics/dynamics.js';
import { formatJson } from '../../formats/json-writer.js';
import { formatState } from '../../formats/state-file.js';
import { type EnergySample, type Moment, motionPicture } from '../../plot/motion-picture.js';
import { csvHeader, csvRow } from '../../simulation/csv.js';
import { INTEGRATORS, type IntegratorName } from '../../simulation/integrators.js';
import { applyEvent, SCENES, sceneState } from '../../simulation/scene.js';
import { Simulation } from '../../simulation/simulation.js';
import { InputError } from '../errors.js';
import {
  chooseState,
  loadModel,
  type ModelOptions,
  positive,
  type StateOptions,
  withModel,
  withState,
} from '../model-argument.js';
import { OutputFile } from '../output-file.js';
import { formatNumber, Progress, type Terminal } from '../terminal.js';

interface Options extends ModelOptions, StateOptions {
  readonly duration: number;
  readonly step?: number;
  readonly integrator: IntegratorName;
  readonly relative?: number;
  readonly absolute?: number;
  readonly every: number;
  readonly engine: EngineChoice;
  readonly csv?: string;
  readonly svg?: string;
  readonly json?: boolean;
}

/** Figures drawn in the picture. */
const MOMENTS = 9;
/** More steps than this are taken for a slip of the hand. */
const MAX_STEPS = 1e9;

export function configureSimulate(command: Command, terminal: Terminal): void {
  withState(withModel(command))
    .option('--duration <seconds>', 'how long', positive, 2)
    .option('--step <seconds>', 'time step (default: 0.001; dopri5: 0.01, with its own steps within it)', positive)
    .addOption(
      new Option(
        '--integrator <name>',
        'dopri5, which chooses its own steps; rk4; midpoint, which keeps books of energy; or euler',
      )
        .choices(INTEGRATORS)
        .default('dopri5'),
    )
    .addOption(
      new Option(
        '--engine <name>',
        'wasm: generic kernels; compiled: code made for this mechanism; auto: compiled where that is quick',
      )
        .choices(ENGINE_CHOICES)
        .default('auto'),
    )
    .option('--relative <error>', 'dopri5: error of a step that is allowed, relative (default: 1e-6)', positive)
    .option('--absolute <error>', 'dopri5: and beside that, in metres and radians (default: 1e-8)', positive)
    .option('--every <seconds>', 'time between lines of the CSV file', positive, 0.01)
    .option('--csv <file>', 'write time, energies, positions and velocities')
    .option('--svg <file>', 'draw the motion and its energies')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  manikin simulate chain-8 --seed 3 --duration 5 --svg out/chain.svg\n  manikin simulate human-34-bar --svg out/bar.svg      (a scene: holds a bar, lets go)',
    )
    .action((name: string, options: Options) => simulate(name, options, terminal));
}

async function simulate(name: string, options: Options, terminal: Terminal): Promise<void> {
  const { duration, integrator, every, engine, csv, svg } = options;
  const step = stepOf(options);
  if (csv !== undefined && svg !== undefined && resolve(csv) === resolve(svg))
    throw new InputError(`--csv and --svg name the same file, "${csv}".`);
  const steps = Math.ceil(duration / step);
  if (steps > MAX_STEPS) throw new InputError(`${steps} steps are too many; take a shorter time or a longer step.`);
  const scene = SCENES.find((known) => known.name === name);
  const model = await loadModel(scene?.model ?? name, options, terminal);
  if (scene !== undefined && (options.seed !== undefined || options.state !== undefined))
    throw new InputError(`The scene "${name}" brings its own state; leave --seed and --state out.`);
  const state = scene === undefined ? (await chooseState(model, options)).state : sceneState(scene, model.mechanism);
  // Said once, however often the structure changes.
  let told = false;
  const onFallback = (reason: string): void => {
    if (!told) terminal.err(`Computing in plain TypeScript: ${reason}\n`);
    told = true;
  };
  const { relative, absolute } = options;
  if ((relative !== undefined || absolute !== undefined) && integrator !== 'dopri5')
    throw new InputError('--relative and --absolute go with --integrator dopri5.');
  const tolerances = { ...(relative !== undefined && { relative }), ...(absolute !== undefined && { absolute }) };
  const simulation = new Simulation(model.mechanism, { integrator, step, state, tolerances, engine, onFallback });
  const story: string[] = [];
  const events = [...(scene?.events ?? [])];
  // What is joined at the start belongs to the start.
  while (events.length > 0 && events[0].time <= simulation.time) story.push(applyEvent(simulation, events.shift()!));
  // To ask for the signal is to be told of Ctrl-C instead of being ended by it: from here on there are files to remove.
  const { signal } = terminal;
  const recording = new Recording(simulation, duration, every, options);
  const progress = new Progress(terminal, `Simulating ${name}`);
  const started = performance.now();
  try {
    const end = simulation.time + duration;
    const advance = (until: number): Promise<void> => run(simulation, until, end, recording, progress, signal);
    for (const event of events) {
      if (event.time >= end) break;
      await advance(event.time);
      story.push(applyEvent(simulation, event));
    }
    await advance(end);
    recording.finish(name);
  } catch (error) {
    recording.abandon();
    throw error;
  } finally {
    progress.finish();
  }
  report(name, options, simulation, recording, story, (performance.now() - started) / 1000, terminal);
}

/** Steps that choose their own length within are as long as the time between lines, within reason. */
const stepOf = ({ step, integrator, every }: Options): number =>
  step ?? (integrator === 'dopri5' ? Math.min(1e-2, Math.max(1e-3, every)) : 1e-3);

/** Steps until a time, letting Ctrl-C and the progress bar (on its way to the end) in now and then. */
async function run(
  simulation: Simulation,
  until: number,
  end: number,
  recording: Recording,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  let looked = performance.now();
  let looking = false;
  while (simulation.time < until - 1e-9 * simulation.stepSize) {
    looking = false;
    simulation.runUntil(until, () => {
      recording.afterStep();
      looking = performance.now() - looked > 50;
      return !looking;
    });
    if (!looking) break;
    progress.update(recording.elapsed / (end - simulation.time + recording.elapsed), `${simulation.time.toFixed(2)} s`);
    await nextTurn();
    signal.throwIfAborted();
    looked = performance.now();
  }
}

/** What is kept of the motion: lines of the CSV file, energies and poses for the picture. */
class Recording {
  readonly energies: EnergySample[] = [];
  readonly #simulation: Simulation;
  readonly #csv: OutputFile | undefined;
  readonly #svg: OutputFile | undefined;
  readonly #moments: Moment[] = [];
  readonly #begin: number;
  readonly #duration: number;
  readonly #every: number;
  #samples = 0;
  #rows = 0;

  constructor(simulation: Simulation, duration: number, every: number, files: { csv?: string; svg?: string }) {
    this.#simulation = simulation;
    this.#begin = simulation.time;
    this.#duration = duration;
    this.#every = every;
    if (files.csv !== undefined) this.#csv = new OutputFile(files.csv);
    try {
      if (files.svg !== undefined) this.#svg = new OutputFile(files.svg);
    } catch (error) {
      this.#csv?.abandon();
      throw error;
    }
    this.#csv?.write(csvHeader(simulation.mechanism));
    this.afterStep();
  }

  get elapsed(): number {
    return this.#simulation.time - this.#begin;
  }

  get files(): string[] {
    return [this.#csv, this.#svg].flatMap((file) => (file === undefined ? [] : [file.path]));
  }

  afterStep(): void {
    const { elapsed } = this;
    const slack = 1e-6 * this.#simulation.stepSize;
    if (this.#csv !== undefined && elapsed + slack >= this.#rows * this.#every) {
      this.#csv.write(csvRow(this.#simulation));
      this.#rows = Math.floor((elapsed + slack) / this.#every) + 1;
    }
    // A few hundred energies make a smooth curve, and tell the largest drift.
    if (elapsed + slack >= (this.#samples * this.#duration) / 400) {
      const { kinetic, potential } = this.#simulation.energy();
      this.energies.push({ time: this.#simulation.time, kinetic, potential });
      this.#samples = Math.floor(((elapsed + slack) / this.#duration) * 400) + 1;
    }
    if (this.#svg !== undefined && elapsed + slack >= (this.#moments.length * this.#duration) / (MOMENTS - 1)) {
      const { dynamics, state, time } = this.#simulation;
      this.#moments.push({ time, poses: dynamics.poses(state) });
    }
  }

  finish(name: string): void {
    const { mechanism, time } = this.#simulation;
    this.#svg?.write(
      motionPicture(mechanism, this.#moments, this.energies, `${name}, ${formatNumber(time - this.#begin)} s`),
    );
    this.#svg?.finish();
    this.#csv?.finish();
  }

  abandon(): void {
    this.#svg?.abandon();
    this.#csv?.abandon();
  }
}

const ENGINE_NAMES = {
  plain: 'plain TypeScript',
  wasm: 'WebAssembly kernels',
  compiled: 'WebAssembly for this mechanism',
  threads: 'threads',
};

/** What computes at the end of the run. */
function engineName({ engine: { engine, reason } }: Simulation): string {
  return ENGINE_NAMES[engine] + (reason === undefined ? '' : `: ${reason.replace(/\.$/, '')}`);
}

function report(
  name: string,
  options: Options,
  simulation: Simulation,
  recording: Recording,
  story: readonly string[],
  seconds: number,
  terminal: Terminal,
): void {
  const totals = recording.energies.map(({ kinetic, potential }) => kinetic + potential);
  const [start] = recording.energies;
  const last = recording.energies[recording.energies.length - 1];
  const largest = totals.reduce((worst, total) => Math.max(worst, Math.abs(total - totals[0])), 0);
  const { duration, integrator } = options;
  const step = stepOf(options);
  const realTimeFactor = duration / seconds;
  if (options.json === true) {
    const { time, state } = simulation;
    const energy = { start, end: last, largestChange: largest };
    const summary = { model: name, integrator, step, duration, time, energy, seconds, realTimeFactor };
    const { engine } = simulation;
    const { correction } = simulation;
    const changes = {
      ...(integrator === 'midpoint' && { correction }),
      events: [...story],
      loopDrift: simulation.loopDrift,
      files: recording.files,
    };
    terminal.out(`${formatJson({ ...summary, engine, ...changes, ...formatState(state) })}\n`);
    return;
  }
  const { mechanism } = simulation;
  const energyOf = (e: EnergySample): string =>
    `kinetic ${formatNumber(e.kinetic)} J, potential ${formatNumber(e.potential)} J, total ${formatNumber(e.kinetic + e.potential)} J`;
  const lines = [
    `${name}: ${mechanism.bodies.length} bodies, ${mechanism.nv - mechanism.couplings.length} degrees of freedom`,
    `simulated ${formatNumber(duration)} s in ${formatNumber(Number(seconds.toPrecision(3)))} s: ${formatNumber(Number(realTimeFactor.toPrecision(3)))} times real time (${integrator}, step ${formatNumber(step)} s, ${engineName(simulation)})`,
    `energy at the start: ${energyOf(start)}`,
    `energy at the end:   ${energyOf(last)}`,
    `largest change of the total: ${formatNumber(largest)} J`,
    ...(simulation.loopDrift > 0
      ? [`largest gap of a loop after a step, before it was closed again: ${formatNumber(simulation.loopDrift)}`]
      : []),
    ...(integrator === 'midpoint' ? [corrected(simulation)] : []),
    ...story,
    ...recording.files.map((file) => `written: ${file}`),
  ];
  terminal.out(`${lines.join('\n')}\n`);
}

/** The energy of this integrator is right by construction; what it takes to make it right shows its accuracy. */
function corrected({ correction: { scale, halved } }: Simulation): string {
  return `velocities were scaled by up to ${formatNumber(Number((100 * scale).toPrecision(2)))} % to keep the energy; ${halved} steps taken in halves`;
}
