// How the segments of a schedule hang together: the sizes of their joins, the joins on the way down to each segment, and how a
// segment knows the angular velocity of its base.

import type { Block } from '../../formulas/block-records.js';
import type { JoinSizes } from '../../formulas/join.js';
import type { Cutting, PortSizes } from '../../schedule/link-costs.js';

export interface SegmentJoin {
  /** The first segment of the part that is joined. */
  readonly part: number;
  readonly sizes: JoinSizes;
}

/** A join on the way down, and on which side of it the way goes on. */
export interface PathJoin {
  /** The upper segment, and which of its joins. */
  readonly upper: number;
  readonly k: number;
  /** The way goes on in the lower part. */
  readonly below: boolean;
}

export interface VelocityPath {
  /** The angular velocity of the base of that segment, as told by its parent ('rel') or by itself ('rise') ... */
  readonly from: { readonly segment: number; readonly record: 'rel' | 'rise' };
  /** ... then up from, or down to, the bases of these. */
  readonly steps: readonly { readonly segment: number; readonly direction: 'up' | 'down' }[];
  /** Segments whose first phase must be done. */
  readonly needs: readonly number[];
}

/** Checks that parts follow each other, and finds their dimensions. */
export function findJoins(
  { joins: given }: Cutting,
  { handle, port }: PortSizes,
  portChild: readonly number[],
): SegmentJoin[][] {
  /** The last segment of the part that each one is the first of. */
  const last = new Int32Array(portChild.length);
  const taken = new Set<number>();
  const joins: SegmentJoin[][] = portChild.map(() => []);
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

/** For each segment the joins on the way down to it, from its row as a whole. */
export function findPaths(
  joins: readonly (readonly SegmentJoin[])[],
): { readonly row: number; readonly path: readonly PathJoin[] }[] {
  const joinedBy = new Map<number, { readonly upper: number; readonly k: number }>();
  joins.forEach((list, upper) => {
    for (const [k, { part }] of list.entries()) joinedBy.set(part, { upper, k });
  });
  return joins.map((_, s) => {
    const upwards: PathJoin[] = [];
    let row = s;
    let from = 0;
    for (;;) {
      for (let k = from; k < joins[row].length; k++) upwards.push({ upper: row, k, below: false });
      const by = joinedBy.get(row);
      if (by === undefined) break;
      upwards.push({ ...by, below: true });
      row = by.upper;
      from = by.k + 1;
    }
    return { row, path: upwards.reverse() };
  });
}

/** How the angular velocity of a segment's base is found. */
export function findVelocityPath(
  s: number,
  parent: readonly number[],
  spin: readonly Block['spin'][],
  source: number,
): VelocityPath | undefined {
  /** The segment below p, p excluded, on the way to the source. */
  const towards = (p: number): number => (source < 0 ? -1 : childTowards(parent, p, source));
  type Found = { from: VelocityPath['from']; steps: VelocityPath['steps'][number][]; needs: number[] };
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
