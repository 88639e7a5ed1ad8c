// How the segments of a mechanism hang together: how it is cut, by how many dimensions segments hang from each other, in which
// order they meet, the ways down through these meetings, and how they know their angular velocity.

import type { Block } from '../../formulas/block-records.js';
import type { MeetSizes } from '../../formulas/join.js';
import type { Size } from '../../formulas/part-record.js';
import type { PlanLink } from '../../plan/plan.js';

/** How a mechanism is cut. */
export interface Cutting {
  /** Segment of each link. The roots of a segment hang from one link (or the ground); parents have smaller numbers. */
  readonly segmentOf: Int32Array;
  /** For each segment: it hangs from a port, so that the one above it need not wait (one for each parent at most). */
  readonly atPort: readonly boolean[];
  /**
   * For each segment the parts that it takes in at its port, one after the other; each is named by its first segment and
   * hangs from the port of the one before. Left out, every segment takes in all that hangs from its port at once.
   */
  readonly joins?: readonly (readonly number[])[];
  /**
   * For each segment the one that is computed together with it in the lanes of vectors (twins.ts), -1 for none. That one
   * is the first that it takes in, and takes in nothing itself.
   */
  readonly twins?: readonly number[];
}

export interface Join {
  /** The first segment of the part that is taken in. */
  readonly part: number;
  readonly sizes: MeetSizes;
}

/** A meeting on the way down, and on which side of it the way goes on. */
export interface Turn {
  /** The segment that takes in, and which of its parts. */
  readonly taker: number;
  readonly k: number;
  /** The way goes on in what is taken in. */
  readonly below: boolean;
}

export interface Hops {
  /** The angular velocity of the base of that segment, as told by its parent ('rel') or by itself ('rise') ... */
  readonly from: { readonly segment: number; readonly record: 'rel' | 'rise' };
  /** ... then up from, or down to, the bases of these. */
  readonly steps: readonly { readonly segment: number; readonly direction: 'up' | 'down' }[];
  /** Segments whose first phase must be done. */
  readonly needs: readonly number[];
}

/** A joint that hands on no moment but that of its motor. */
export const isBall = ({ type, armature }: PlanLink): boolean => type === 'spherical' && armature.every((x) => x === 0);

/** The segment from which each one hangs, -1 for the ground. */
export function parentSegments(links: readonly PlanLink[], segmentOf: Int32Array, count: number): number[] {
  const parent = new Array<number>(count).fill(-1);
  links.forEach(({ parent: above }, i) => {
    if (above >= 0 && segmentOf[above] !== segmentOf[i]) parent[segmentOf[i]] = segmentOf[above];
  });
  return parent;
}

interface PortSizes {
  readonly handle: readonly Size[];
  readonly port: readonly Size[];
}

/** By how many dimensions segments hang, and how many their ports have. */
export function portSizes(
  links: readonly PlanLink[],
  { segmentOf, atPort }: Pick<Cutting, 'segmentOf' | 'atPort'>,
  parent: readonly number[],
  portChild: readonly number[],
): PortSizes {
  const roots: PlanLink[][] = parent.map(() => []);
  links.forEach((link, i) => {
    if (link.parent < 0 || segmentOf[link.parent] !== segmentOf[i]) roots[segmentOf[i]].push(link);
  });
  const handle = parent.map((above, s): Size => {
    if (above < 0) return 0;
    return atPort[s] && roots[s].length === 1 && isBall(roots[s][0]) ? 3 : 6;
  });
  return { handle, port: portChild.map((child) => (child < 0 ? 0 : handle[child])) };
}

/** Checks that parts follow each other, and finds their dimensions. */
export function findJoins(
  { joins: given }: Cutting,
  { handle, port }: PortSizes,
  portChild: readonly number[],
): Join[][] {
  /** The last segment of the part that each one is the first of. */
  const last = new Int32Array(portChild.length);
  const taken = new Set<number>();
  const joins: Join[][] = portChild.map(() => []);
  for (let s = portChild.length - 1; s >= 0; s--) {
    last[s] = s;
    for (const part of given?.[s] ?? (portChild[s] < 0 ? [] : [portChild[s]])) {
      if (part !== portChild[last[s]] || taken.has(part)) throw new RangeError(`segment ${s} cannot take in ${part}`);
      taken.add(part);
      joins[s].push({ part, sizes: { handle: handle[s], at: handle[part] as 3 | 6, port: port[last[part]] } });
      last[s] = last[part];
    }
  }
  for (const part of portChild) if (part >= 0 && !taken.has(part)) throw new RangeError(`nobody takes in ${part}`);
  return joins;
}

/** For each segment the way down from all of its row, through the meetings in which the row was put together. */
export function findPaths(
  joins: readonly (readonly Join[])[],
): { readonly row: number; readonly path: readonly Turn[] }[] {
  const takenBy = new Map<number, { readonly taker: number; readonly k: number }>();
  joins.forEach((list, taker) => {
    for (const [k, { part }] of list.entries()) takenBy.set(part, { taker, k });
  });
  return joins.map((_, s) => {
    const upwards: Turn[] = [];
    let row = s;
    let from = 0;
    for (;;) {
      for (let k = from; k < joins[row].length; k++) upwards.push({ taker: row, k, below: false });
      const by = takenBy.get(row);
      if (by === undefined) break;
      upwards.push({ ...by, below: true });
      row = by.taker;
      from = by.k + 1;
    }
    return { row, path: upwards.reverse() };
  });
}

/** How the angular velocity of a segment's base is found. */
export function findHops(
  s: number,
  parent: readonly number[],
  spin: readonly Block['spin'][],
  source: number,
): Hops | undefined {
  /** The segment below p, p excluded, on the way to the source. */
  const towards = (p: number): number => (source < 0 ? -1 : childTowards(parent, p, source));
  type Found = { from: Hops['from']; steps: Hops['steps'][number][]; needs: number[] };
  const ofBase = (c: number): Found => {
    const p = parent[c];
    if (c === source) return { from: { segment: c, record: 'rise' }, steps: [], needs: [c] };
    const below = towards(c);
    if (below >= 0) {
      const found = ofBase(below);
      found.steps.push({ segment: below, direction: 'up' });
      return { ...found, needs: [...found.needs, c] };
    }
    if (spin[p] === 'direct') return { from: { segment: c, record: 'rel' }, steps: [], needs: [p] };
    const found = ofOwn(p);
    found.steps.push({ segment: c, direction: 'down' });
    return { ...found, needs: [...found.needs, p] };
  };
  /** Of the base of p, or, where that is nothing, of its free root. */
  const ofOwn = (p: number): Found => {
    if (parent[p] >= 0) return ofBase(p);
    const below = towards(p);
    const found = ofBase(below);
    found.steps.push({ segment: below, direction: 'up' });
    return { ...found, needs: [...found.needs, p] };
  };
  // On the ground it is none; a free root that knows it has written it.
  if (parent[s] < 0 && (source < 0 || s === source)) return undefined;
  const { from, steps, needs } = ofOwn(s);
  return { from, steps, needs: [...new Set(needs)] };
}

/** The child of block b on the way to a block below it, b excluded; -1 where that is not below it. */
export function childTowards(parent: readonly number[], b: number, target: number): number {
  let at = target;
  while (at > b && parent[at] !== b) at = parent[at];
  return at > b ? at : -1;
}
