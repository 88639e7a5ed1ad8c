// Cuts a mechanism that repeats itself (a chain, a crowd) so that its threads can each compute two like segments at once, in
// the lanes of vectors (block-twins.ts). The way from the root to the furthest tip is searched for a period; what lies
// between two places a period apart is a cell. The root keeps some cells, the tip does, and each thread between them has two
// segments with as many cells each. (Unequal ones have few blocks in common: measured, they take longer than equal ones with
// more cells.)

import type { Mechanism } from '../../mechanism/mechanism.js';
import type { PlanLink } from '../../plan/plan.js';
import type { RootedPlan } from '../../plan/rooted-plan.js';
import { type Costs, type CutResult, predict } from './predict.js';
import { isBall } from './segments.js';
import { BALL, BOTH_LANES, type Weights } from './weights.js';

/** Links in a cell at most, along the way, and places in a cell at which cuts are tried. */
const LONGEST = 64;
const PLACES = 8;

/** The best cutting with twins, for three threads or more; undefined where the mechanism does not repeat itself enough. */
export function cutTwins(
  mechanism: Mechanism,
  { plan }: RootedPlan,
  weights: Weights,
  threads: number,
  costs: Costs,
): CutResult | undefined {
  const { links } = plan;
  if (threads < 3) return undefined;
  const { way, below } = mainWay(links, weights.own);
  const found = findPeriod(looksAlongWay(mechanism, plan, way));
  if (found === undefined) return undefined;
  const { from, end, period } = found;
  const places = Array.from({ length: period }, (_, k) => k);
  const balls = places.filter((k) => isBall(links[way[from + k]]));
  let best: CutResult | undefined;
  for (const place of (balls.length > 0 ? balls : places).slice(0, PLACES)) {
    /** Links at which cells begin. */
    const starts: number[] = [];
    for (let k = from + place; k < end; k += period) if (k > 0) starts.push(way[k]);
    if (starts.length < threads) continue;
    const sizes = distribute(cellWeights(links, weights, starts, way, below), threads);
    if (sizes === undefined) continue;
    const cutting = rowOf(links, starts, sizes);
    // The segment of the author's free root knows its angular velocity from there: it is nobody's twin.
    const source = weights.source < 0 ? -1 : cutting.segmentOf[weights.source];
    if (source >= 0 && (cutting.twins[source] >= 0 || cutting.twins.includes(source))) continue;
    const threadOf = sizes.flatMap((cells, thread) => cells.map(() => thread));
    const { ns, joins } = predict(links, weights, cutting, costs, threadOf);
    if (best === undefined || ns < best.ns) best = { cutting: { ...cutting, joins }, threadOf, ns };
  }
  return best;
}

/** The way from a root to the tip with the heaviest links below at every step, and what is below each link, itself included. */
function mainWay(
  links: readonly PlanLink[],
  own: Float64Array,
): { readonly way: number[]; readonly below: Float64Array } {
  const below = own.slice();
  for (let i = links.length - 1; i >= 0; i--) if (links[i].parent >= 0) below[links[i].parent] += below[i];
  const heaviest = new Map<number, number>();
  links.forEach(({ parent }, i) => {
    const known = heaviest.get(parent);
    if (known === undefined || below[i] > below[known]) heaviest.set(parent, i);
  });
  const way: number[] = [];
  for (let i = heaviest.get(-1); i !== undefined; i = heaviest.get(i)) way.push(i);
  return { way, below };
}

/** For each link of the way a number that says what it looks like, with all that hangs beside the way. */
function looksAlongWay({ bodies }: Mechanism, plan: RootedPlan['plan'], way: readonly number[]): number[] {
  const { links } = plan;
  // Masses in a plan have been regrouped along the way: those of the bodies count.
  const masses: string[] = links.map(() => '');
  plan.bodies.forEach(({ link }, body) => {
    const { mass, com, inertia } = bodies[body];
    if (link >= 0) masses[link] += ` ${mass} ${com} ${inertia}`;
  });
  const onWay = new Set(way);
  const beside: string[] = links.map(() => '');
  const numbers = new Map<string, number>();
  const looks = new Array<number>(links.length).fill(0);
  for (let i = links.length - 1; i >= 0; i--) {
    const { type, E, t, parameters, armature, damped, sense, angle, parent } = links[i];
    const text = JSON.stringify([type, E, t, parameters, armature, damped, sense, angle, masses[i], beside[i]]);
    let number = numbers.get(text);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(text, number);
    }
    looks[i] = number;
    if (parent >= 0 && !onWay.has(i)) beside[parent] += ` ${number}`;
  }
  return way.map((i) => looks[i]);
}

interface Period {
  /** From this place on, up to but not including the other one, everything repeats. */
  readonly from: number;
  readonly end: number;
  readonly period: number;
}

/** The shortest period of the longest part of a row that has one. */
function findPeriod(row: readonly number[]): Period | undefined {
  let best: Period | undefined;
  for (let period = 1; period <= Math.min(LONGEST, row.length / 3); period++) {
    let from = 0;
    for (let k = 0; k <= row.length - period; k++) {
      if (k < row.length - period && row[k] === row[k + period]) continue;
      // Equal from `from` up to here: so far and a period more.
      const end = k + period;
      if (end - from >= 3 * period && (best === undefined || end - from > best.end - best.from + period))
        best = { from, end, period };
      from = k + 1;
    }
  }
  return best;
}

interface Cells {
  readonly count: number;
  /** Instructions of what is before the first cell, of a cell, and of what a port below adds. */
  readonly before: number;
  readonly plain: number;
  readonly mixed: number;
}

function cellWeights(
  links: readonly PlanLink[],
  { own, mixed }: Weights,
  starts: readonly number[],
  way: readonly number[],
  below: Float64Array,
): Cells {
  const [first, second] = starts;
  const ball = isBall(links[first]) ? BALL : 1;
  const mixedTo = (from: number, end: number): number =>
    way.slice(from, end).reduce((sum, i) => sum + ball * mixed[i], 0);
  const before = own.reduce((sum, w) => sum + w, 0) - below[first] + mixedTo(0, way.indexOf(first));
  return {
    count: starts.length,
    before,
    plain: below[first] - below[second],
    mixed: mixedTo(way.indexOf(first), way.indexOf(second)),
  };
}

/**
 * For each thread how many cells its segments have: one segment for the root, with what is before the first cell, two equal
 * ones for each thread between, one for the tip. Undefined where there are too few.
 */
function distribute({ count, before, plain, mixed }: Cells, threads: number): number[][] | undefined {
  const full = plain + mixed;
  /** With no thread loaded more than that, if it can be. */
  const fits = (load: number): number[][] | undefined => {
    let root = Math.min(count, Math.max(0, Math.floor((load - before) / full)));
    // The tip has a cell at least.
    const tip = Math.max(1, Math.min(count - root, Math.floor(load / plain)));
    root = Math.min(root, count - tip);
    if ((count - root - tip) % 2 === 1) root--;
    const half = Math.floor(load / full / BOTH_LANES);
    if (root < 0 || (half === 0 && root + tip < count)) return undefined;
    const pairs: number[][] = [];
    for (let left = (count - root - tip) / 2; left > 0; left -= half) {
      const cells = Math.min(half, left);
      pairs.push([cells, cells]);
    }
    return pairs.length > threads - 2 ? undefined : [[root], ...pairs, [tip]];
  };
  let [low, high] = [0, (count + 1) * full + before];
  for (let k = 0; k < 40; k++) {
    const middle = (low + high) / 2;
    if (fits(middle) === undefined) low = middle;
    else high = middle;
  }
  const sizes = fits(high);
  return sizes?.some((cells) => cells.length === 2) ? sizes : undefined;
}

/** All segments in a row, each at the port of the one before. */
function rowOf(
  links: readonly PlanLink[],
  starts: readonly number[],
  sizes: readonly (readonly number[])[],
): { readonly segmentOf: Int32Array; readonly atPort: readonly boolean[]; readonly twins: readonly number[] } {
  const segmentAt = new Map<number, number>();
  const twins: number[] = [];
  let cell = 0;
  for (const cells of sizes)
    for (const [k, size] of cells.entries()) {
      const s = twins.push(k === 0 && cells.length === 2 ? twins.length + 1 : -1) - 1;
      // What is before the first cell belongs to segment 0.
      if (s > 0) segmentAt.set(starts[cell], s);
      cell += size;
    }
  const segmentOf = new Int32Array(links.length);
  links.forEach(({ parent }, i) => {
    segmentOf[i] = segmentAt.get(i) ?? (parent < 0 ? 0 : segmentOf[parent]);
  });
  return { segmentOf, atPort: twins.map((_, s) => s > 0), twins };
}
