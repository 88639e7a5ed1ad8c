// All runs of a sweep by number: which values the parameters have in each.

import { Random } from '../mechanism/random.js';
import { countOf, isDraw, seedCount } from './parse-sweep.js';
import type { Json, Sweep, SweepDraw, SweepGrid, SweepValues } from './sweep.js';

/** The values of one run. */
export interface Assignment {
  readonly values: ReadonlyMap<string, Json>;
  readonly seed: number | undefined;
}

/**
 * Cases change slowest, then the parameters in the order of the file, seeds fastest. What is drawn depends on the seed and the
 * name of the parameter alone: other parameters, and more seeds, do not change it.
 */
export class Assignments {
  readonly count: number;
  readonly #cases: readonly Readonly<Record<string, Json>>[];
  readonly #parameters: readonly (readonly [string, SweepValues])[];
  readonly #seeds: Sweep['seeds'];
  readonly #seedCount: number;

  constructor(sweep: Sweep) {
    this.#cases = sweep.cases ?? [{}];
    this.#parameters = Object.entries(sweep.parameters ?? {});
    this.#seeds = sweep.seeds;
    this.#seedCount = seedCount(sweep);
    this.count = this.#parameters.reduce(
      (product, [, values]) => product * countOf(values),
      this.#cases.length * this.#seedCount,
    );
  }

  at(index: number): Assignment {
    let rest = Math.floor(index / this.#seedCount);
    const seed = this.#seed(index % this.#seedCount);
    const chosen: [string, Json][] = [];
    for (const [name, values] of [...this.#parameters].reverse()) {
      const count = countOf(values);
      chosen.unshift([name, valueAt(values, rest % count, name, seed)]);
      rest = Math.floor(rest / count);
    }
    return { values: new Map([...Object.entries(this.#cases[rest]), ...chosen]), seed };
  }

  #seed(k: number): number | undefined {
    const seeds = this.#seeds;
    if (seeds === undefined) return undefined;
    if (typeof seeds === 'number') return k + 1;
    return 'count' in seeds ? seeds.from + k : seeds[k];
  }
}

function valueAt(values: SweepValues, k: number, name: string, seed: number | undefined): Json {
  if (isDraw(values)) return drawn(values, name, seed ?? 0);
  return 'count' in values ? onGrid(values, k) : values[k];
}

function onGrid({ from, to, count, scale }: SweepGrid, k: number): number {
  return k === count - 1 && count > 1 ? to : between(from, to, count === 1 ? 0 : k / (count - 1), scale);
}

function drawn({ random: [low, high], scale }: SweepDraw, name: string, seed: number): number {
  // Another stream for each name (FNV-1a).
  let mixed = 0x811c9dc5;
  for (const character of name) mixed = Math.imul(mixed ^ character.codePointAt(0)!, 0x01000193);
  const stream = new Random(mixed ^ Math.imul(seed, 0x9e3779b1));
  // Neighbouring seeds start at neighbouring states: the second number is far from the neighbour's.
  stream.next();
  return between(low, high, stream.next(), scale);
}

const between = (low: number, high: number, part: number, scale: SweepGrid['scale']): number =>
  scale === 'log' ? low * (high / low) ** part : low + (high - low) * part;
