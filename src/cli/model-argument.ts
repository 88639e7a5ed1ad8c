// MODEL and the options that go with it in every command: which mechanism, in which state.

import { readFileSync, statSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  checkInputSize,
  osimMechanism,
  parseBvh,
  parseDescription,
  parseOsim,
  parseState,
  parseUrdf,
} from '../formats/index.js';
import { formatProblem } from '../mechanism/errors.js';
import { Mechanism } from '../mechanism/mechanism.js';
import { Random } from '../mechanism/random.js';
import { State } from '../mechanism/state.js';
import { carriedOver } from '../mechanism/structure.js';
import { withBase, withoutCouplings } from '../mechanism/variants.js';
import { builtinMechanism } from '../models/index.js';
import { figureFromBvh } from '../motion/index.js';
import { InputError } from './errors.js';
import type { Terminal } from './terminal.js';

export interface ModelOptions {
  readonly base?: 'fixed' | 'floating';
  readonly mimic?: 'couple' | 'ignore';
  readonly merge?: boolean;
  readonly inertia?: 'reject' | 'warn' | 'repair';
  readonly package?: readonly string[];
  readonly quiet?: boolean;
}

export interface StateOptions {
  readonly seed?: number;
  readonly state?: string;
}

export interface LoadedModel {
  readonly mechanism: Mechanism;
  /** The state that came with the file, or the neutral one. */
  readonly state: State;
}

/** Adds MODEL (or several of them) and its options to a command. */
export function withModel(command: Command, argument: '<model>' | '<model...>' | '[model...]' = '<model>'): Command {
  return command
    .argument(argument, 'a built-in name (see "manikin models") or a file: .urdf, .json, .bvh, .osim')
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
    .option('--quiet', 'do not print warnings about the model');
}

/** Adds the options that choose a state. */
export function withState(command: Command): Command {
  return command
    .option('--seed <n>', 'a reproducible random state', integer)
    .option('--state <file>', 'the state in a file, in the form that fd and id print with --json');
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

/** Reads a file that the user named, after a look at its size. */
export function readInput(file: string): string {
  try {
    const { size } = statSync(file);
    checkInputSize(size, file);
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') throw new InputError(`There is no file "${file}".`);
    if (code === 'EISDIR') throw new InputError(`"${file}" is a folder, not a file.`);
    if (code !== undefined) throw new InputError(`The file "${file}" cannot be read: ${(error as Error).message}.`);
    throw error;
  }
}

export function loadModel(name: string, options: ModelOptions, terminal: Terminal): LoadedModel {
  const loaded = readModel(name, options);
  let { mechanism, state } = loaded;
  if (options.mimic === 'ignore') mechanism = withoutCouplings(mechanism);
  const roots = mechanism.joints.filter(({ parent }) => parent < 0);
  if (options.base !== undefined && roots.some(({ type }) => type !== options.base))
    mechanism = withBase(mechanism, options.base);
  if (mechanism !== loaded.mechanism) state = carriedOver(state, mechanism);
  if (options.quiet !== true)
    for (const warning of mechanism.warnings) terminal.err(`Warning: ${formatProblem(warning)}\n`);
  return { mechanism, state };
}

function readModel(name: string, options: ModelOptions): LoadedModel {
  const { base, mimic, merge, inertia } = options;
  const extension = extname(name).toLowerCase();
  const packages = packageRoots(options.package ?? []);
  if (extension === '.urdf') {
    const mechanism = parseUrdf(readInput(name), {
      file: basename(name),
      fixedJoints: merge === true ? 'merge' : 'keep',
      packages,
      ...(base !== undefined && { base }),
      ...(mimic !== undefined && { mimic }),
      ...(inertia !== undefined && { inertia }),
    });
    return { mechanism, state: new State(mechanism) };
  }
  if (extension === '.json')
    return parseDescription(readInput(name), {
      file: basename(name),
      packages,
      ...(inertia !== undefined && { inertia }),
    });
  if (extension === '.bvh') {
    const { positions, warnings } = figureFromBvh(parseBvh(readInput(name), { file: basename(name) }), {
      name: basename(name, extname(name)),
    });
    const mechanism = new Mechanism({ ...positions.mechanism, warnings });
    const state = new State(mechanism);
    state.q.set(positions.q.subarray(0, mechanism.nq));
    return { mechanism, state };
  }
  if (extension === '.osim') {
    const model = parseOsim(readInput(name), { file: basename(name), ...(inertia !== undefined && { inertia }) });
    const mechanism = osimMechanism(model);
    const state = new State(mechanism);
    for (const { name: joint, defaultValue } of model.coordinates)
      if (mechanism.hasJoint(joint)) state.set(joint, defaultValue);
    return { mechanism, state: state.applyCouplings() };
  }
  if (extension !== '' || name.includes('/'))
    throw new InputError(
      `"${name}" is neither a built-in name nor a file of a known kind (.urdf, .json, .bvh, .osim).`,
    );
  const mechanism = builtinMechanism(name);
  return { mechanism, state: new State(mechanism) };
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
export function chooseState({ mechanism, state }: LoadedModel, options: StateOptions): ChosenState {
  if (options.seed !== undefined && options.state !== undefined)
    throw new InputError('Give either --seed or --state, not both.');
  if (options.seed !== undefined)
    return { state: State.random(mechanism, options.seed), tau: undefined, qdd: undefined };
  if (options.state !== undefined)
    return parseState(readInput(options.state), mechanism, { file: basename(options.state) });
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
