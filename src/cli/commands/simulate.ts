import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ENGINE_CHOICES, type EngineChoice } from '../../dynamics/dynamics.js';
import type { Model } from '../../files/adapted.js';
import { formatJson } from '../../formats/json-writer.js';
import { formatState } from '../../formats/state-file.js';
import type { State } from '../../mechanism/state.js';
import { type EnergySample, type Moment, motionPicture } from '../../plot/motion-picture.js';
import { MAX_STEPS } from '../../scenes/parse-scene.js';
import { csvHeader, csvRow } from '../../simulation/csv.js';
import { INTEGRATORS, type IntegratorName } from '../../simulation/integrators.js';
import { Simulation } from '../../simulation/simulation.js';
import { InputError } from '../errors.js';
import {
  chooseState,
  loadModel,
  MODEL_HELP,
  type ModelOptions,
  positive,
  type StateOptions,
  withModel,
  withState,
} from '../model-argument.js';
import { OutputFile, refuseSameFiles } from '../output-file.js';
import { asksForRanks, type RanksOptions, withRanks } from '../ranks-option.js';
import { ReplayFile, upwards } from '../replay-file.js';
import { formatNumber, Progress, type Terminal } from '../terminal.js';
import type { FoundScene } from './scene-argument.js';

interface Options extends ModelOptions, StateOptions, RanksOptions {
  readonly duration?: number;
  readonly step?: number;
  readonly integrator?: IntegratorName;
  readonly relative?: number;
  readonly absolute?: number;
  readonly every?: number;
  readonly engine?: EngineChoice;
  readonly ground?: true;
  readonly record?: string;
  readonly checkpoint?: string;
  readonly resume?: string;
  readonly csv?: string;
  readonly svg?: string;
  readonly html?: string;
  readonly json?: boolean;
}

/** More cores than this no step makes use of. */
const MOST_THREADS = 64;
/** Figures drawn in the picture. */
const MOMENTS = 9;
/** Seconds, where nothing else is said: how long, and between lines. */
const DURATION = 2;
const EVERY = 0.01;

export function configureSimulate(command: Command, terminal: Terminal): void {
  withRanks(withState(withModel(command, '<scene>', `a scene, or a model: ${MODEL_HELP}`)), { threads: false })
    .option('--ground', 'let it touch a plane z = 0, itself, and what its file puts on the ground')
    .option('--threads <n>', 'with contacts: threads that compute it; with --mpi: inside each rank', threadCount)
    .option('--duration <seconds>', 'how long (default: what the scene says, or 2; on the ground 5)', positive)
    .option(
      '--step <seconds>',
      'time step (default: 0.001; dopri5: 0.01, with its own steps within it; with contacts 0.002)',
      positive,
    )
    .addOption(
      new Option(
        '--integrator <name>',
        'dopri5 (default), which chooses its own steps; rk4; midpoint, which keeps books of energy, the one with contacts; or euler',
      ).choices(INTEGRATORS),
    )
    .addOption(
      new Option(
        '--engine <name>',
        'without contacts: wasm, generic kernels; compiled, code made for this mechanism; auto (default), compiled where that is quick',
      ).choices(ENGINE_CHOICES),
    )
    .option('--relative <error>', 'dopri5: error of a step that is allowed, relative (default: 1e-6)', positive)
    .option('--absolute <error>', 'dopri5: and beside that, in metres and radians (default: 1e-8)', positive)
    .option(
      '--every <seconds>',
      'time between lines and between recorded moments (default: 0.01), between checkpoints (default: 1)',
      positive,
    )
    .option('--csv <file>', 'write time, energies, positions and velocities')
    .option('--record <file.mcap>', 'record everything, to be seen in Foxglove (needs contacts: a scene, or --ground)')
    .option('--checkpoint <file>', 'write where it is now and then, at the end, and on Ctrl-C')
    .option('--resume <file>', 'go on from a checkpoint of the same scene; the bits are those of a run in one piece')
    .option('--svg <file>', 'draw the motion and its energies')
    .option('--html <file>', 'a replay: one page that plays the motion in any browser')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
A scene is a name that "manikin models" lists, or a JSON file (docs/scenes.md). A scene, a model with --ground and a model whose file
has a ground run with contacts; any other model runs alone, without.

Examples:
  manikin simulate chain-8 --seed 3 --duration 5 --svg out/chain.svg
  manikin simulate human-34 --ground --record out/fall.mcap
  manikin simulate fall --html out/fall.html             (a scene, to be played in a browser)
  manikin simulate push                                  (a scene: stands, is pushed)
  manikin simulate scene.json --checkpoint out/run.checkpoint --every 10
  manikin simulate scene.json --resume out/run.checkpoint
  mpirun -n 4 manikin simulate chain-100000 --seed 1 --mpi --duration 0.1 --checkpoint out/chain.json`,
    )
    .action((name: string, options: Options) => simulate(name, options, terminal));
}

async function simulate(name: string, options: Options, terminal: Terminal): Promise<void> {
  const { csv, svg, html, record, checkpoint } = options;
  refuseSameFiles({ csv, svg, html, record, checkpoint });
  const { findScene, modelScene, SCENE_NAMES } = await import('./scene-argument.js');
  const found = findScene(name, options, terminal);
  const { threads, ...alone } = options;
  if (found !== undefined) {
    if (asksForRanks(alone)) throw new InputError('--mpi is for a model alone, which touches nothing.');
    return simulateScene(name, found, options, terminal);
  }
  const model = await loadModel(name, options, terminal, SCENE_NAMES);
  const { state } = await chooseState(model, options);
  if (asksForRanks(alone)) {
    refuseWithRanks(options);
    const { simulateByRanks } = await import('./simulate-ranks.js');
    return simulateByRanks(name, model, state, options, terminal);
  }
  const bringsGround = (model.ground?.collisions.length ?? 0) > 0;
  const { ground, resume } = options;
  if (ground === true || record !== undefined || checkpoint !== undefined || resume !== undefined || bringsGround)
    return simulateScene(name, modelScene(name, model, state, options, terminal), options, terminal);
  if (threads !== undefined)
    throw new InputError('--threads is for scenes, for models on the ground (--ground), and for ranks (--mpi).');
  return simulateAlone(name, model, state, options, terminal);
}

function threadCount(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > MOST_THREADS)
    throw new InvalidArgumentError(`Expected a whole number of threads from 1 to ${MOST_THREADS}.`);
  return value;
}

/** What ranks do not do. */
function refuseWithRanks({ integrator, engine, ground, csv, svg, record }: Options): void {
  if (integrator !== undefined && integrator !== 'rk4')
    throw new InputError(`With --mpi the integrator is "rk4"; "${integrator}" runs without.`);
  if (engine !== undefined || ground !== undefined || csv !== undefined || svg !== undefined || record !== undefined)
    throw new InputError(
      'With --mpi leave --engine, --ground, --csv, --svg and --record out; --checkpoint writes the state.',
    );
}

async function simulateScene(name: string, found: FoundScene, options: Options, terminal: Terminal): Promise<void> {
  const { integrator, engine, relative, absolute } = options;
  if (integrator !== undefined && integrator !== 'midpoint')
    throw new InputError(`With contacts the integrator is "midpoint"; "${integrator}" is for a model alone.`);
  if (engine !== undefined || relative !== undefined || absolute !== undefined)
    throw new InputError('--engine, --relative and --absolute are for a model alone, without contacts.');
  const { runScene } = await import('./simulate-scene.js');
  await runScene(name, found.make(), options, found.paper, terminal);
}

/** The short way: one mechanism that touches nothing. */
async function simulateAlone(
  name: string,
  model: Model,
  state: State,
  options: Options,
  terminal: Terminal,
): Promise<void> {
  const { duration = DURATION, integrator = 'dopri5', every = EVERY, engine = 'auto' } = options;
  const step = stepOf(options);
  const steps = Math.ceil(duration / step);
  if (steps > MAX_STEPS) throw new InputError(`${steps} steps are too many; take a shorter time or a longer step.`);
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
  // To ask for the signal is to be told of Ctrl-C instead of being ended by it: from here on there are files to remove.
  const { signal } = terminal;
  const recording = new Recording(name, simulation, duration, every, options);
  const progress = new Progress(terminal, `Simulating ${name}`);
  const started = performance.now();
  try {
    await run(simulation, simulation.time + duration, recording, progress, signal);
    recording.finish(name);
  } catch (error) {
    recording.abandon();
    throw error;
  } finally {
    progress.finish();
  }
  report(name, options, simulation, recording, (performance.now() - started) / 1000, terminal);
}

/** Steps that choose their own length within are as long as the time between lines, within reason. */
const stepOf = ({ step, integrator = 'dopri5', every = EVERY }: Options): number =>
  step ?? (integrator === 'dopri5' ? Math.min(1e-2, Math.max(1e-3, every)) : 1e-3);

/** Steps until the end, letting Ctrl-C and the progress bar in now and then. */
async function run(
  simulation: Simulation,
  end: number,
  recording: Recording,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  let looked = performance.now();
  let looking = false;
  while (simulation.time < end - 1e-9 * simulation.stepSize) {
    looking = false;
    simulation.runUntil(end, () => {
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
  readonly #html: ReplayFile | undefined;
  readonly #moments: Moment[] = [];
  readonly #begin: number;
  readonly #duration: number;
  readonly #every: number;
  #samples = 0;
  #rows = 0;

  constructor(
    name: string,
    simulation: Simulation,
    duration: number,
    every: number,
    files: Pick<Options, 'csv' | 'svg' | 'html'>,
  ) {
    this.#simulation = simulation;
    this.#begin = simulation.time;
    this.#duration = duration;
    this.#every = every;
    if (files.csv !== undefined) this.#csv = new OutputFile(files.csv);
    try {
      if (files.svg !== undefined) this.#svg = new OutputFile(files.svg);
      if (files.html !== undefined)
        this.#html = new ReplayFile(files.html, { title: name, up: upwards(simulation.mechanism.gravity) });
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
    return [this.#csv, this.#svg, this.#html].flatMap((file) => (file === undefined ? [] : [file.path]));
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
    if (this.#html?.due(this.#simulation.time) === true) {
      const { dynamics, state, mechanism, time } = this.#simulation;
      this.#html.add({
        time,
        members: [{ name: mechanism.name, mechanism }],
        poses: [dynamics.poses(state)],
        energy: this.#simulation.energy(),
      });
    }
    if (this.#svg !== undefined && elapsed + slack >= (this.#moments.length * this.#duration) / (MOMENTS - 1)) {
      const { dynamics, state, time } = this.#simulation;
      this.#moments.push({ time, poses: dynamics.poses(state) });
    }
  }

  finish(name: string): void {
    const { mechanism, time } = this.#simulation;
    this.#html?.finish();
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
  mpi: 'ranks of MPI',
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
  seconds: number,
  terminal: Terminal,
): void {
  const totals = recording.energies.map(({ kinetic, potential }) => kinetic + potential);
  const [start] = recording.energies;
  const last = recording.energies[recording.energies.length - 1];
  const largest = totals.reduce((worst, total) => Math.max(worst, Math.abs(total - totals[0])), 0);
  const { duration = DURATION, integrator = 'dopri5' } = options;
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
    ...recording.files.map((file) => `written: ${file}`),
  ];
  terminal.out(`${lines.join('\n')}\n`);
}

/** The energy of this integrator is right by construction; what it takes to make it right shows its accuracy. */
function corrected({ correction: { scale, halved } }: Simulation): string {
  return `velocities were scaled by up to ${formatNumber(Number((100 * scale).toPrecision(2)))} % to keep the energy; ${halved} steps taken in halves`;
}
