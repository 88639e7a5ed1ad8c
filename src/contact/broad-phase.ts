// Which shapes can touch, and which pairs of them are asked about.

import { GROUND, type Mechanism } from '../mechanism/mechanism.js';
import type { Collider } from './collider.js';
import { SweptShapes } from './swept-shapes.js';

/** Which pairs of shapes are asked about at all. */
export interface PairFilter {
  /** Pairs of bodies that never touch; GROUND is a body. */
  readonly without?: readonly (readonly [number, number])[];
  /** Pairs of colliders, by their numbers, that are asked about whatever else is said. */
  readonly include?: readonly (readonly [number, number])[];
  /** Decides last, for pairs that everything else lets through; asked once for each pair, when the broad phase is made. */
  readonly accept?: (a: Collider, b: Collider) => boolean;
}

/** Bodies joined by a joint: pairs that are left out by default. Bodies on the ground against the ground's shapes are not. */
export function neighbours(mechanism: Mechanism): [number, number][] {
  const pairs = mechanism.joints.map(({ parent }, body): [number, number] => [parent, body]);
  const loops = mechanism.loops.map(({ a, b }): [number, number] => [a.body, b.body]);
  return [...pairs, ...loops].filter(([a, b]) => a !== GROUND && b !== GROUND);
}

/** Whether two shapes may touch at all, by body, group and mask. */
function mayTouch(a: Collider, b: Collider): boolean {
  if (a.body === b.body) return false;
  return (a.group & b.mask) !== 0 || (b.group & a.mask) !== 0;
}

/** Pairs of shapes that may touch: sweep and prune over boxes along the axes. */
export class BroadPhase {
  /** Pair k: pairs[2 k] < pairs[2 k + 1], numbers of colliders, sorted. */
  pairs = new Int32Array(128);
  count = 0;
  /** How far each shape reaches beyond its surface: speculative margins, to be set by the caller; zero at first. */
  readonly margins: Float64Array;
  readonly #shapes: SweptShapes;

  constructor(colliders: readonly Collider[], filter: PairFilter = {}) {
    this.margins = new Float64Array(colliders.length);
    this.#shapes = new SweptShapes(colliders);
    allowPairs(this.#shapes, colliders, filter);
  }

  /** Finds the pairs with shapes at `poses`, as `placeColliders` writes them; gives how many. */
  update(poses: Float64Array): number {
    const count = this.#shapes.sweep(poses, this.margins);
    const { pairs } = this.#shapes;
    if (this.pairs.length < pairs.length) this.pairs = new Int32Array(pairs.length);
    for (let k = 0; k < 2 * count; k++) this.pairs[k] = pairs[k];
    this.count = count;
    return count;
  }
}

/** Allows the pairs that a filter lets through. */
export function allowPairs(
  shapes: SweptShapes,
  colliders: readonly Collider[],
  { without = [], include = [], accept }: PairFilter,
): void {
  const n = colliders.length;
  const key = (a: number, b: number): string => (a < b ? `${a} ${b}` : `${b} ${a}`);
  const excluded = new Set(without.map(([a, b]) => key(a, b)));
  for (let a = 0; a < n; a++)
    for (let b = a + 1; b < n; b++) {
      const [x, y] = [colliders[a], colliders[b]];
      if (mayTouch(x, y) && !excluded.has(key(x.body, y.body)) && accept?.(x, y) !== false) shapes.allow(a, b);
    }
  for (const [a, b] of include) shapes.allow(Math.min(a, b), Math.max(a, b));
}
