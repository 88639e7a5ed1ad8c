// Cuts a tree of links into segments of about the same cost, one for each processor. From the tips to the root, a subtree is
// cut off as soon as it would cost more than a limit; the least limit that gives no more segments than asked for is found by
// bisection. Links that share a vector stay together. Then every segment either waits for those that hang from it
// (articulated inertia, one handle), or is assembled at the same time as one of them and joined to it later (mixed form, two
// handles); the predicted timeline decides.

import type { EngineConstants } from './cost.js';
import { type LinkCosts, parentSegments, type SegmentSchedule } from './link-costs.js';
import { playSegments } from './segment-timeline.js';
import { spreadLimbs } from './side-limbs.js';

/** The best cutting found into at most `count` segments, and at least two where that can be. */
export function cutByWeight(links: LinkCosts, count: number, constants: EngineConstants): SegmentSchedule {
  const total = links.own.reduce((sum, w) => sum + w, 0);
  const whole = withPorts(links, new Int32Array(links.parent.length), constants);
  if (count < 2) return whole;
  let best: SegmentSchedule | undefined;
  const compare = (segmentOf: Int32Array): void => {
    const found = withPorts(links, segmentOf, constants);
    if (found.cutting.atPort.length > 1 && (best === undefined || found.ns < best.ns)) best = found;
  };
  const balls = links.ball.some((ball, i) => i > 0 && ball === 1);
  for (const kind of balls ? (['ports', 'balls', 'waits'] as const) : (['ports', 'waits'] as const)) {
    let [low, high] = [total / count / 2, total];
    for (let k = 0; k < 24; k++) {
      const middle = (low + high) / 2;
      if (1 + Math.max(...segments(links, middle, kind)) > count) low = middle;
      else high = middle;
    }
    // A little more than the least: the root, which everyone waits for, may well be lighter.
    for (const factor of [1, 1.03, 1.06, 1.1, 1.15, 1.2]) compare(segments(links, high * factor, kind));
  }
  if (count === 2) for (const segmentOf of halves(links, total)) compare(segmentOf);
  return best === undefined ? whole : spreadLimbs(links, best, count, constants);
}

/** Links up to which a mechanism is small: no code is shared by its segments. */
export const SMALL = 160;

/** Halves that are tried, and the part of the whole that what is cut off must have at least. */
const HALVES = 40;
const LEAST = 0.2;

/** For two threads: limbs of one link, those first that leave equal halves. */
function halves({ parent, own, unit }: LinkCosts, total: number): Int32Array[] {
  const children: number[][] = Array.from(parent, () => []);
  const below = Float64Array.from(own);
  for (let i = parent.length - 1; i > 0; i--) {
    if (parent[i] < 0) continue;
    below[parent[i]] += below[i];
    children[parent[i]].push(i);
  }
  const found: Item[] = [];
  for (const list of children) {
    const items = itemsOf(list, below, unit).slice(0, 4);
    for (let mask = 1; mask < 1 << items.length; mask++) {
      const taken = items.filter((_, k) => (mask & (1 << k)) !== 0);
      // In large mechanisms code is shared by figures that are alike: not to be broken by odd pieces.
      if (parent.length > SMALL && taken.length > 1) continue;
      const weight = taken.reduce((sum, item) => sum + item.weight, 0);
      if (weight > LEAST * total && weight < (1 - LEAST) * total)
        found.push({ links: taken.flatMap((item) => item.links), weight });
    }
  }
  found.sort((a, b) => Math.abs(a.weight - total / 2) - Math.abs(b.weight - total / 2));
  return found.slice(0, HALVES).map((half) => {
    const segmentOf = new Int32Array(parent.length);
    for (const root of half.links) segmentOf[root] = 1;
    parent.forEach((above, i) => {
      if (above >= 0 && segmentOf[above] === 1) segmentOf[i] = 1;
    });
    return segmentOf;
  });
}

/** What is cut off is answered for at ports, which may be ball joints only, or waited for. */
type Kind = 'ports' | 'balls' | 'waits';

/** Segment of each link, none heavier than the limit if that can be. */
function segments({ parent, own, mixed, unit, ball }: LinkCosts, limit: number, kind: Kind): Int32Array {
  const n = parent.length;
  const ports = kind !== 'waits';
  const children: number[][] = Array.from(parent, () => []);
  for (const [i, above] of parent.entries()) if (above >= 0) children[above].push(i);
  const open = new Float64Array(n);
  /** 1 where a port lies below in the same segment. */
  const port = new Uint8Array(n);
  /** For links at which a segment begins, a number common to the roots of that segment. */
  const rootOf = new Int32Array(n).fill(-1);
  let groups = 0;
  for (let i = n - 1; i >= 0; i--) {
    let items = itemsOf(children[i], open, unit);
    const stays = kind === 'balls' ? items.filter((item) => !item.links.every((c) => ball[c] === 1)) : [];
    items = items.filter((item) => !stays.includes(item));
    const sum = (): number => [...items, ...stays].reduce((total, item) => total + item.weight, 0);
    const extra = (): number =>
      ports && (port[i] === 1 || [...items, ...stays].some(({ links: list }) => list.some((c) => port[c] === 1)))
        ? mixed[i]
        : 0;
    while (items.length > 0 && own[i] + extra() + sum() > limit) {
      const taken = bestSubset(items, limit);
      const group = groups++;
      for (const item of taken) for (const child of item.links) rootOf[child] = group;
      items = items.filter((item) => !taken.includes(item));
      port[i] = 1;
    }
    for (const { links: list } of [...items, ...stays]) for (const child of list) if (port[child] === 1) port[i] = 1;
    open[i] = own[i] + (ports && port[i] === 1 ? mixed[i] : 0) + sum();
  }
  return numbered(parent, rootOf);
}

interface Item {
  readonly links: number[];
  readonly weight: number;
}

/** Children, those that share a vector together. */
function itemsOf(children: readonly number[], open: Float64Array, unit: Int32Array): Item[] {
  const byUnit = new Map<number, number[]>();
  for (const child of children) {
    const list = byUnit.get(unit[child]);
    if (list === undefined) byUnit.set(unit[child], [child]);
    else list.push(child);
  }
  return [...byUnit.values()].map((list) => ({ links: list, weight: list.reduce((sum, c) => sum + open[c], 0) }));
}

/** The heaviest choice of items that stays within the limit; the lightest item where none does. */
function bestSubset(items: readonly Item[], limit: number): Item[] {
  const few = [...items].sort((a, b) => b.weight - a.weight).slice(0, 10);
  let best: Item[] = [few[few.length - 1]];
  let most = 0;
  for (let mask = 1; mask < 1 << few.length; mask++) {
    const taken = few.filter((_, k) => (mask & (1 << k)) !== 0);
    const weight = taken.reduce((sum, item) => sum + item.weight, 0);
    if (weight > limit || weight <= most) continue;
    most = weight;
    best = taken;
  }
  return best;
}

/** Segments numbered in the order of their first links, so that parents come first. */
function numbered(parent: Int32Array, rootOf: Int32Array): Int32Array {
  const segmentOf = new Int32Array(parent.length);
  const known = new Map<number, number>();
  let count = 0;
  const number = (group: number): number => {
    let s = known.get(group);
    if (s === undefined) {
      s = count++;
      known.set(group, s);
    }
    return s;
  };
  parent.forEach((above, i) => {
    // Everything on the ground is one segment unless cut off.
    if (rootOf[i] >= 0) segmentOf[i] = number(rootOf[i]);
    else segmentOf[i] = above < 0 ? number(-1) : segmentOf[above];
  });
  return segmentOf;
}

/** Ports where the prediction likes them: one for each segment at most. */
export function withPorts(links: LinkCosts, segmentOf: Int32Array, constants: EngineConstants): SegmentSchedule {
  const count = 1 + Math.max(...segmentOf, 0);
  const parent = parentSegments(links.parent, segmentOf, count);
  const at = (atPort: boolean[]): SegmentSchedule => {
    const { ns, joins } = playSegments(links, { segmentOf, atPort }, constants);
    return { cutting: { segmentOf, atPort, joins }, processorOf: atPort.map((_, s) => s), ns };
  };
  let best = at(new Array<boolean>(count).fill(false));
  for (const first of [true, false]) {
    // All at ports or none, the heaviest of each parent; then one after the other changed where that helps.
    const taken = new Set<number>();
    const start = Array.from(parent, (above) => {
      if (!first || above < 0 || taken.has(above)) return false;
      taken.add(above);
      return true;
    });
    let found = at(start);
    for (let s = 1; s < count; s++) {
      const changed = found.cutting.atPort.map((port, k) =>
        k === s ? !port : port && !(parent[k] === parent[s] && !found.cutting.atPort[s]),
      );
      const other = at(changed);
      if (other.ns < found.ns) found = other;
    }
    if (found.ns < best.ns) best = found;
  }
  return best;
}
