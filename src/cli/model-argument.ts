// MODEL and the options that go with it in every command: which mechanism, in which state.

import { basename, dirname, extname } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { adapted, type Model } from '../files/adapted.js';
import { MODEL_FILES } from '../files/kinds.js';
import { formatProblem, type Problem } from '../mechanism/errors.js';
import { groupedProblems } from '../mechanism/grouped-problems.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { keyframeOf } from '../mechanism/model-data.js';
import { Random } from '../mechanism/random.js';
import { State } from '../mechanism/state.js';
import type { OtherNames } from '../models/index.js';
import { InputError } from './errors.js';
import { filesBelow, readInput, readInputText } from './input-file.js';
import type { Terminal } from './terminal.js';

export interface ModelOptions {
  readonly base?: 'fixed' | 'floating';
  readonly mimic?: 'couple' | 'ignore';
  readonly merge?: boolean;
  readonly inertia?: 'reject' | 'warn' | 'repair';
  readonly package?: readonly string[];
  readonly root?: string;
  readonly loops?: 'close' | 'open';
  readonly massless?: 'lock' | 'error';
  readonly warnings?: 'grouped' | 'all';
  readonly quiet?: boolean;
}

export interface StateOptions {
  readonly seed?: number;
  readonly state?: string;
  readonly keyframe?: string;
}

/** What MODEL can be, as the help says it. */
export const MODEL_HELP =
  'a built-in name (see "manikin models") or a file: .urdf, .xml (MJCF), .sdf, .json, .bvh, .osim';

/** Adds MODEL (or several of them) and its options to a command. */
export function withModel(
  command: Command,
  argument: '<model>' | '<model...>' | '[model...]' | '<scene>' = '<model>',
  help = MODEL_HELP,
): Command {
  return command
    .argument(argument, help)
    .addOption(
      new Option('--base <how>', 'how the root hangs from the ground (URDF: fixed)').choices(['fixed', 'floating']),
    )
    .addOption(
      new Option('--mimic <how>', 'what becomes of mimic joints').choices(['couple', 'ignore']).default('couple'),
    )
    .option('--merge', 'URDF: make links on fixed joints part of their parents')
    .addOption(
      new Option('--inertia <mode>', 'inertias that no real body has (default: warn)').choices([
        'reject',
        'warn',
        'repair',
      ]),
    )
    .option('--package <name=folder...>', 'where the files of a package:// are')
    .option(
      '--root <folder>',
      'MJCF, SDF: included files and meshes are read from here and below (default: the folder of the model)',
    )
    .addOption(
      new Option('--loops <how>', 'whether loops are closed, or left open: the tree alone').choices(['close', 'open']),
    )
    .addOption(
      new Option('--massless <how>', 'URDF, SDF: joints that carry nothing that weighs (default: lock)').choices([
        'lock',
        'error',
      ]),
    )
    .addOption(
      new Option('--warnings <how>', 'one line for each kind of warning, or all of them').choices(['grouped', 'all']),
    )
    .option('--quiet', 'do not print warnings about the model');
}

/** Adds the options that choose a state. */
export function withState(command: Command): Command {
  return command
    .option('--seed <n>', 'a reproducible random state', integer)
    .option('--state <file>', 'the state in a file, in the form that fd and id print with --json')
    .option('--keyframe <name>', 'MJCF: the state of that name in the model');
}

export function integer(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(value)) throw new InvalidArgumentError('Expected a whole number.');
  return value;
}

export function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value)) throw new InvalidArgumentError('Expected a positive number.');
  return value;
}

/** The model of that name, from a file or built in; its warnings go to standard error. */
export async function loadModel(
  name: string,
  options: ModelOptions,
  terminal: Terminal,
  others?: OtherNames,
): Promise<Model> {
  const model = await findModel(name, options, others);
  if (options.quiet !== true) printWarnings(model.mechanism.warnings, options.warnings, terminal);
  return model;
}

/** Warnings on standard error: one line for each kind, or all of them. */
export function printWarnings(
  warnings: readonly Problem[],
  how: ModelOptions['warnings'],
  terminal: Pick<Terminal, 'err'>,
): void {
  for (const line of how === 'all' ? warnings.map(formatProblem) : groupedProblems(warnings))
    terminal.err(`Warning: ${line}\n`);
}

/** Several models with their names. */
export async function namedModels(
  names: readonly string[],
  options: ModelOptions,
  terminal: Terminal,
): Promise<{ readonly name: string; readonly mechanism: Mechanism }[]> {
  const models: { readonly name: string; readonly mechanism: Mechanism }[] = [];
  for (const name of names) models.push({ name, mechanism: (await loadModel(name, options, terminal)).mechanism });
  return models;
}

async function findModel(name: string, options: ModelOptions, others: OtherNames | undefined): Promise<Model> {
  const { base, mimic, merge, inertia } = options;
  const packages = packageRoots(options.package ?? []);
  const extension = extname(name).toLowerCase();
  const adapt = {
    ...(base !== undefined && { base }),
    ...(mimic !== undefined && { mimic }),
    ...(options.loops !== undefined && { loops: options.loops }),
  };
  if ((MODEL_FILES as readonly string[]).includes(extension)) {
    const bytes = readInput(name);
    const { readModel } = await import('../files/read-model.js');
    return readModel(bytes, name, {
      ...adapt,
      fixedJoints: merge === true ? 'merge' : 'keep',
      packages,
      files: filesBelow(options.root ?? dirname(name), name),
      ...(inertia !== undefined && { inertia }),
      ...(options.massless !== undefined && { massless: options.massless }),
    });
  }
  if (extension !== '' || name.includes('/'))
    throw new InputError(
      `"${name}" is neither a built-in name nor a file of a known kind (${MODEL_FILES.join(', ')}).`,
    );
  const { builtinMechanism } = await import('../models/index.js');
  const mechanism = builtinMechanism(name, others);
  return adapted({ mechanism, state: new State(mechanism) }, adapt);
}

function packageRoots(given: readonly string[]): Map<string, string> {
  return new Map(
    given.map((item) => {
      const at = item.indexOf('=');
      // The name may be empty: some files write package:///path.
      if (at < 0) throw new InputError(`--package expects name=folder, got "${item}".`);
      return [item.slice(0, at), item.slice(at + 1)] as const;
    }),
  );
}

export interface ChosenState {
  readonly state: State;
  readonly tau: Float64Array | undefined;
  readonly qdd: Float64Array | undefined;
}

/** The state that --seed or --state ask for, with joint forces or accelerations where the file has them. */
export async function chooseState(model: Model, options: StateOptions): Promise<ChosenState> {
  const { mechanism, state } = model;
  if ([options.seed, options.state, options.keyframe].filter((given) => given !== undefined).length > 1)
    throw new InputError('Give one of --seed, --state and --keyframe, not several.');
  if (options.keyframe !== undefined)
    return { state: keyframeOf(model, options.keyframe).state, tau: undefined, qdd: undefined };
  if (options.seed !== undefined)
    return { state: State.random(mechanism, options.seed), tau: undefined, qdd: undefined };
  if (options.state !== undefined) {
    const { parseState } = await import('../formats/state-file.js');
    return parseState(readInputText(options.state), mechanism, { file: basename(options.state) });
  }
  return { state, tau: undefined, qdd: undefined };
}

/** Random joint forces or accelerations that go with --seed; zero for coupled joints, which have none of their own. */
export function randomVector(mechanism: Mechanism, seed: number): Float64Array {
  // Another stream than that of the state.
  const random = new Random(seed ^ 0x5bd1e995);
  const values = Float64Array.from({ length: mechanism.nv }, () => random.between(-1, 1));
  for (const { joint } of mechanism.couplings) values[mechanism.joints[joint].iv] = 0;
  return values;
}
