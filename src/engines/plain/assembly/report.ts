// What a user wants to know about closed loops after forward dynamics: the forces in the loop joints, and which forces the
// laws of rigid bodies leave open.

import type { Tree } from '../../../mechanism/tree.js';
import { forceToA, TRANSFORM } from '../../../spatial/spatial.js';
import type { AdaScratch } from './ada.js';
import type { LoopScratch } from './loop-joint.js';
import { isUncertain, type PseudoInverse } from './rank.js';

/** What the closed loops of a mechanism are like at a state: constraints, their rank, and what is indeterminate. */
export interface LoopReport {
  /** Constraints that the loop joints impose, and how many of them are independent at this state. */
  readonly constraints: number;
  readonly rank: number;
  /**
   * Joints and loop joints whose force is indeterminate: redundant constraints could share the load in many ways, and the
   * result is the share of least norm over the loop joints.
   */
  readonly indeterminate: readonly string[];
  /** What lies beyond double precision here, in sentences: a rank that rounding can decide. */
  readonly warnings: readonly string[];
}

/** Entries of a null vector below this count as zero. */
const NULL_ENTRY = 1e-6;
/** A loop has to do with an uncertain direction if it has at least this part of it. */
const UNCERTAIN_ENTRY = 0.03;

/** forces <- 6 numbers for each loop joint: its force on body b, at that body's origin and in its coordinates; after ada. */
export function loopForces({ plan, loops, closes, work }: AdaScratch, forces: Float64Array): void {
  const { tree, operations } = plan;
  forces.fill(0);
  operations.forEach((operation, at) => {
    if (operation.kind !== 'close') return;
    let first = 0;
    for (const l of operation.loops) {
      const { b, k, closer } = loops.loops[l];
      if (closer) {
        first += k;
        continue;
      }
      work.fill(0, 0, 6);
      for (let row = 0; row < k; row++)
        for (let j = 0; j < 6; j++) work[j] += loops.Gb[l][6 * row + j] * closes[at]!.lambda[first + row];
      if (b < 0) forces.set(work.subarray(0, 6), 6 * l);
      else forceToA(forces, 6 * l, tree.offset, TRANSFORM * b, work, 0);
      first += k;
    }
  });
}

/** The same for the multipliers of all loop joints one after the other. */
export function loopForcesOf(tree: Tree, { loops, Gb }: LoopScratch, lambda: Float64Array, forces: Float64Array): void {
  const work = new Float64Array(6);
  let first = 0;
  loops.forEach(({ b, k }, l) => {
    work.fill(0);
    for (let row = 0; row < k; row++) for (let j = 0; j < 6; j++) work[j] += Gb[l][6 * row + j] * lambda[first + row];
    if (b < 0) forces.set(work, 6 * l);
    else forceToA(forces, 6 * l, tree.offset, TRANSFORM * b, work, 0);
    first += k;
  });
}

/** Loops that were closed at once, with their constraints. */
interface Closed {
  readonly loops: readonly number[];
  readonly k: number;
  readonly inverse: PseudoInverse;
}

export function loopReport({ plan, loops, closes }: AdaScratch): LoopReport {
  const closed = plan.operations.flatMap((operation, at): Closed[] =>
    operation.kind === 'close' ? [{ loops: operation.loops, k: closes[at]!.k, inverse: closes[at]!.inverse }] : [],
  );
  return reportOn(plan.tree, loops, closed);
}

export function reportOn(tree: Tree, loops: LoopScratch, closed: readonly Closed[]): LoopReport {
  const { joints } = tree.mechanism;
  const open = new Set<string>();
  const uncertain = new Set<string>();
  let constraints = 0;
  let rank = 0;
  for (const { loops: numbers, k, inverse } of closed) {
    constraints += k;
    rank += inverse.rank;
    for (const l of uncertainLoops(numbers, loops, inverse, k)) uncertain.add(loops.loops[l].joint.name);
    let first = 0;
    for (const l of numbers) {
      const { joint, a, b, k: own } = loops.loops[l];
      if (hasNullPart(inverse.vectors, k, k - inverse.rank, first, own)) {
        open.add(joint.name);
        for (const link of pathBetween(tree.parent, a, b)) open.add(joints[tree.joint[link]].name);
      }
      first += own;
    }
  }
  return { constraints, rank, indeterminate: [...open], warnings: uncertain.size > 0 ? [warningAbout(uncertain)] : [] };
}

function warningAbout(names: ReadonlySet<string>): string {
  const list = [...names].map((name) => `"${name}"`).join(', ');
  return `Whether the constraints of ${list} depend on each other lies near the limit of double precision (links of very different mass, or axes that are nearly but not exactly aligned): the rank, and motion along what it decides, are uncertain. Align the joints exactly, or leave out what is redundant.`;
}

/** Loops that take part in what isUncertain finds. */
function uncertainLoops(
  numbers: readonly number[],
  { loops }: LoopScratch,
  { values, scaled }: PseudoInverse,
  k: number,
): number[] {
  const found = new Set<number>();
  for (let column = 0; column < k; column++) {
    if (!isUncertain(values[column])) continue;
    let first = 0;
    for (const l of numbers) {
      for (let row = first; row < first + loops[l].k; row++)
        if (Math.abs(scaled[row * k + column]) > UNCERTAIN_ENTRY) found.add(l);
      first += loops[l].k;
    }
  }
  return [...found];
}

function hasNullPart(vectors: Float64Array, k: number, nulls: number, first: number, count: number): boolean {
  for (let column = 0; column < nulls; column++)
    for (let row = first; row < first + count; row++) if (Math.abs(vectors[row * k + column]) > NULL_ENTRY) return true;
  return false;
}

/** Links whose joints lie on the way from one link to another (-1: the ground). */
function pathBetween(parent: Int32Array, a: number, b: number): number[] {
  const path: number[] = [];
  let [x, y] = [a, b];
  // Parents have smaller numbers, so the larger of the two is never an ancestor of the other.
  while (x !== y) {
    if (x > y) {
      path.push(x);
      x = parent[x];
    } else {
      path.push(y);
      y = parent[y];
    }
  }
  return path;
}
