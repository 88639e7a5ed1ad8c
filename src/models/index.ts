// Built-in mechanisms by name. Nothing is built before it is asked for.

import { MechanismError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { editDistance } from '../mechanism/near-names.js';
import { type ChainOptions, chain, MAX_CHAIN } from './chain.js';
import { compass } from './compass.js';
import { crowd, MAX_CROWD } from './crowd.js';
import { FIGURES, type FigureName } from './figures.js';
import { human } from './human.js';
import { kneed } from './kneed.js';

export type { BodySize } from './anthropometry.js';
export type { ChainOptions } from './chain.js';
export { chain } from './chain.js';
export type { CompassOptions } from './compass.js';
export { compass } from './compass.js';
export { crowd } from './crowd.js';
export type { FigureName } from './figures.js';
export { human } from './human.js';
export type { KneedOptions } from './kneed.js';
export { kneed } from './kneed.js';

/** A line of the list of built-in mechanisms. */
export interface BuiltinModel {
  /** A name, or a pattern in which N stands for a number. */
  readonly name: string;
  readonly description: string;
  /** A name that can be given as it is; the name itself where that is no pattern. */
  readonly example: string;
}

const CHAINS: readonly BuiltinModel[] = [
  { name: 'chain-N', example: 'chain-32', description: 'N links on revolute joints, axes alternating, fixed root' },
  { name: 'chain-N-spherical', example: 'chain-32-spherical', description: 'N links on spherical joints, fixed root' },
  { name: 'chain-N-free', example: 'chain-32-free', description: 'N links, the first free, N - 1 revolute joints' },
  {
    name: 'chain-N-spherical-free',
    example: 'chain-32-spherical-free',
    description: 'N links, the first free, N - 1 spherical joints',
  },
];

const FIGURE_NAMES = Object.keys(FIGURES) as FigureName[];

/** All built-in mechanisms, as `manikin models` lists them. */
export const BUILTIN_MODELS: readonly BuiltinModel[] = [
  ...CHAINS,
  ...FIGURE_NAMES.map((name) => ({ name, example: name, description: FIGURES[name].description })),
  {
    name: 'crowd-N',
    example: 'crowd-3',
    description: 'N figures of 34 degrees of freedom hand in hand, free root: 34 + 31 (N - 1) degrees of freedom',
  },
  { name: 'compass', example: 'compass', description: 'compass biped of paper 001, standing on its stance foot' },
  {
    name: 'kneed',
    example: 'kneed',
    description: 'compass biped with knees: the stance knee locked, the swing knee free',
  },
];

/** Names that could be meant besides, for the message where there is no mechanism of that name: scenes, for example. */
export interface OtherNames {
  /** One of them: 'scene'. */
  readonly what: string;
  readonly names: readonly string[];
}

/** The built-in mechanism of that name: `builtinMechanism('human-34')`, `builtinMechanism('chain-200-free')`. */
export function builtinMechanism(name: string, others?: OtherNames): Mechanism {
  if (name === 'compass') return compass();
  if (name === 'kneed') return kneed();
  const figure = FIGURE_NAMES.find((known) => known === name);
  if (figure !== undefined) return human(figure);
  const figures = /^crowd-([0-9]+)$/.exec(name);
  if (figures !== null) return crowd(Number(figures[1]));
  const parts = /^chain-([0-9]+)(-spherical)?(-free)?$/.exec(name);
  if (parts !== null) {
    const options: ChainOptions = {
      joint: parts[2] === undefined ? 'revolute' : 'spherical',
      base: parts[3] === undefined ? 'fixed' : 'floating',
    };
    return chain(Number(parts[1]), options);
  }
  throw MechanismError.of('unknown-model', '', unknownModel(name, others));
}

/** Longer than any built-in name: such a text is no misspelt one, and comparing costs the square of its length. */
const LONGEST_NAME = 40;

function unknownModel(name: string, others: OtherNames | undefined): string {
  const shown = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}...` : name;
  const near = nearest(name, others?.names ?? []);
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  const known = BUILTIN_MODELS.map((model) => model.name).join(', ');
  const [or, besides] =
    others === undefined ? ['', ''] : [` or ${others.what}`, `; ${others.what}s: ${others.names.join(', ')}`];
  return `There is no built-in mechanism${or} "${shown}".${hint} Known are: ${known} (N from 1 to ${MAX_CHAIN}, of crowds to ${MAX_CROWD})${besides}.`;
}

/** The built-in name that differs from the given one by the fewest letters, if that is not more than half of it. */
function nearest(name: string, others: readonly string[]): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const links = /[0-9]+/.exec(name)?.[0] ?? '32';
  const candidates = [...BUILTIN_MODELS.map((model) => model.name.replace('-N', `-${links}`)), ...others];
  const distances = candidates.map((candidate) => editDistance(name.toLowerCase(), candidate, LONGEST_NAME));
  const least = Math.min(...distances);
  return least <= Math.ceil(name.length / 2) ? candidates[distances.indexOf(least)] : undefined;
}
