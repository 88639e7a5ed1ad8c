// Cuts a mechanism that repeats itself (a chain, a crowd) so that a processor can compute two equal segments at once, one in
// each lane of its vectors. The path from the root to the furthest tip is searched for a period; what lies between two places
// a period apart is a cell. The root keeps some cells, the tip does, and each processor between them has two segments with as
// many cells each. (Unequal ones have few blocks in common: measured, they take longer than equal ones with more cells.)

import type { EngineConstants } from './cost.js';
import { BALL, BOTH_LANES, type Cutting, type LinkCosts, type SegmentSchedule } from './link-costs.js';
import { playSegments } from './segment-timeline.js';

/** Links in a cell at most, along the path, and places in a cell at which cuts are tried. */
const LONGEST = 64;
const PLACES = 8;

/** The best cutting into pairs, for three processors or more; undefined where the mechanism does not repeat itself enough. */
export function cutIntoLanePairs(
  links: LinkCosts,
  processors: number,
  constants: EngineConstants,
): SegmentSchedule | undefined {
  if (processors < 3) return undefined;
  const { path, below } = mainPath(links);
  const found = findPeriod(looksAlongPath(links, path));
  if (found === undefined) return undefined;
  const { from, end, period } = found;
  const places = Array.from({ length: period }, (_, k) => k);
  const balls = places.filter((k) => links.ball[path[from + k]] === 1);
  let best: SegmentSchedule | undefined;
  for (const place of (balls.length > 0 ? balls : places).slice(0, PLACES)) {
    /** Links at which cells begin. */
    const starts: number[] = [];
    for (let k = from + place; k < end; k += period) if (k > 0) starts.push(path[k]);
    if (starts.length < processors) continue;
    const sizes = distribute(cellCosts(links, starts, path, below), processors);
    if (sizes === undefined) continue;
    const cutting = rowOf(links, starts, sizes);
    // The segment of the author's free root knows its angular velocity from there, and has other code: it is no partner.
    const source = links.source < 0 ? -1 : cutting.segmentOf[links.source];
    if (source >= 0 && (cutting.partner[source] >= 0 || cutting.partner.includes(source))) continue;
    const processorOf = sizes.flatMap((cells, processor) => cells.map(() => processor));
    const { ns, joins } = playSegments(links, cutting, constants, processorOf);
    if (best === undefined || ns < best.ns) best = { cutting: { ...cutting, joins }, processorOf, ns };
  }
  return best;
}

/** The path from a root to a tip along the most expensive subtrees, and the cost of every subtree. */
function mainPath({ parent, own }: LinkCosts): { readonly path: number[]; readonly below: Float64Array } {
  const below = own.slice();
  for (let i = parent.length - 1; i >= 0; i--) if (parent[i] >= 0) below[parent[i]] += below[i];
  const heaviest = new Map<number, number>();
  parent.forEach((above, i) => {
    const known = heaviest.get(above);
    if (known === undefined || below[i] > below[known]) heaviest.set(above, i);
  });
  const path: number[] = [];
  for (let i = heaviest.get(-1); i !== undefined; i = heaviest.get(i)) path.push(i);
  return { path, below };
}

/** For each link of the path a number that says what it looks like, with all that hangs beside the path. */
function looksAlongPath({ parent, look }: LinkCosts, path: readonly number[]): number[] {
  const onPath = new Set(path);
  const beside: string[] = Array.from(parent, () => '');
  const numbers = new Map<string, number>();
  const looks = new Int32Array(parent.length);
  for (let i = parent.length - 1; i >= 0; i--) {
    const text = `${look[i]}:${beside[i]}`;
    let number = numbers.get(text);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(text, number);
    }
    looks[i] = number;
    if (parent[i] >= 0 && !onPath.has(i)) beside[parent[i]] += ` ${number}`;
  }
  return path.map((i) => looks[i]);
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

function cellCosts(
  { own, mixed, ball }: LinkCosts,
  starts: readonly number[],
  path: readonly number[],
  below: Float64Array,
): Cells {
  const [first, second] = starts;
  const share = ball[first] === 1 ? BALL : 1;
  const mixedTo = (from: number, end: number): number =>
    path.slice(from, end).reduce((sum, i) => sum + share * mixed[i], 0);
  const before = own.reduce((sum, w) => sum + w, 0) - below[first] + mixedTo(0, path.indexOf(first));
  return {
    count: starts.length,
    before,
    plain: below[first] - below[second],
    mixed: mixedTo(path.indexOf(first), path.indexOf(second)),
  };
}

/**
 * For each processor how many cells its segments have: one segment for the root, with what is before the first cell, two
 * equal ones for each processor between, one for the tip. Undefined where there are too few.
 */
function distribute({ count, before, plain, mixed }: Cells, processors: number): number[][] | undefined {
  const full = plain + mixed;
  /** With no processor loaded more than that, if it can be. */
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
    return pairs.length > processors - 2 ? undefined : [[root], ...pairs, [tip]];
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
  { parent }: LinkCosts,
  starts: readonly number[],
  sizes: readonly (readonly number[])[],
): Required<Omit<Cutting, 'joins'>> {
  const segmentAt = new Map<number, number>();
  const partner: number[] = [];
  let cell = 0;
  for (const cells of sizes)
    for (const [k, size] of cells.entries()) {
      const s = partner.push(k === 0 && cells.length === 2 ? partner.length + 1 : -1) - 1;
      // What is before the first cell belongs to segment 0.
      if (s > 0) segmentAt.set(starts[cell], s);
      cell += size;
    }
  const segmentOf = new Int32Array(parent.length);
  parent.forEach((above, i) => {
    segmentOf[i] = segmentAt.get(i) ?? (above < 0 ? 0 : segmentOf[above]);
  });
  return { segmentOf, atPort: partner.map((_, s) => s > 0), partner };
}
