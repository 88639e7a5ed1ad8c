// A mechanism cut into segments, and these into blocks. Segments are what threads compute; blocks are what code is made
// for. Where a mechanism repeats itself (links of a chain, figures of a crowd) its blocks have the same shape and share
// their code, so that thousands of links need no more of it than dozens.

import { restarts } from './aba.js';
import type { BallPlace, Block, BlockChild, Source } from './block-records.js';
import { checkTwins, pairBlocks } from './block-twins.js';
import type { MeetSizes } from './meet.js';
import type { Size } from './part-record.js';
import type { PlanLink } from './plan.js';
import type { ScaledPlan } from './units.js';

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

/** What is computed: a plan, with what another root of the computation brings with it. */
export interface RootedPlan {
  readonly plan: ScaledPlan;
  /** Links read backwards by a change of coordinates. */
  readonly reversed: ReadonlySet<number>;
  /** The author's free root, where link 0 is another one and free instead. */
  readonly source?: Source & { readonly iq: number; readonly iv: number };
}

export interface PlacedBlock {
  readonly block: Block;
  readonly segment: number;
  /** Blocks that hang from it, in the order of block.children. */
  readonly children: readonly number[];
  /** Offsets of its coordinates. */
  readonly iq: number;
  readonly iv: number;
}

export interface Segment {
  /** Its blocks, parents first; the first is its root. */
  readonly blocks: readonly number[];
  readonly parent: number;
  /** Segments that hang from it and are waited for. */
  readonly waitsFor: readonly number[];
  /** What it takes in at its port. */
  readonly joins: readonly Join[];
  /** The segment that has taken in all of its row in the end, and the way from there to this one. */
  readonly row: number;
  readonly path: readonly Turn[];
  /** Nothing is above it. */
  readonly grounded: boolean;
  /** Dimensions of what it hangs by, and of its own port. */
  readonly handle: Size;
  readonly port: Size;
  readonly spin: Block['spin'];
  /** Blocks in the order of the first phase. */
  readonly spinOrder: readonly number[];
  /** How the angular velocity of its base is found: from a record, then through others. None where it is known. */
  readonly hops: Hops | undefined;
  /** The segment that is computed together with this one, and all blocks of both, parents first; -1 for none. */
  readonly twin: number;
  readonly lanes: readonly Lane[];
  /** It is computed together with the one that takes it in, which does all that it would do. */
  readonly carried: boolean;
}

/** A block, or two blocks of the same shape in the lanes of vectors. */
export type Lane = readonly [number] | readonly [number, number];

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

export interface Assembly {
  readonly rooted: RootedPlan;
  readonly blocks: readonly PlacedBlock[];
  readonly segments: readonly Segment[];
}

/**
 * Links in a block, about, where a mechanism is too large for code of its own throughout. Where all links look alike a few are
 * enough, and their code stays in the instruction cache: fewer of them in mixed form, which takes more code for each. Where
 * a longer stretch repeats itself its code is read anew each time, and small blocks only cost.
 */
const BLOCK_LINKS = { alike: 8, alikeMixed: 4, different: 18 } as const;
/** Looks of links up to which they are alike. */
const FEW_LOOKS = 8;
/** Links up to which a mechanism is small: each segment is one block then, and no code is shared. */
export const SMALL = 160;

export function createAssembly(rooted: RootedPlan, cutting: Cutting, blockLinks?: number): Assembly {
  const { plan, source } = rooted;
  const { links } = plan;
  const { segmentOf, atPort } = cutting;
  const count = atPort.length;
  const { blockOf, members } = blocksOf(links, segmentOf, linksInBlock(links, cutting, blockLinks));
  const blocks = members.length;
  const baseLink = members.map(([first]) => links[first].parent);
  const segmentOfBlock = members.map(([first]) => segmentOf[first]);
  const parentBlock = baseLink.map((link) => (link < 0 ? -1 : blockOf[link]));
  const childrenOf: number[][] = members.map(() => []);
  for (const [b, parent] of parentBlock.entries()) if (parent >= 0) childrenOf[parent].push(b);
  const sourceBlock = source === undefined ? -1 : blockOf[source.link];
  const sourceSegment = source === undefined ? -1 : segmentOf[source.link];

  // From the tips to the root: what lies beyond each block in its own segment.
  const kindOf = (b: number): BlockChild['kind'] => {
    const parent = parentBlock[b];
    if (parent >= 0 && segmentOfBlock[parent] === segmentOfBlock[b]) return 'inner';
    return atPort[segmentOfBlock[b]] ? 'port' : 'segment';
  };
  const beyond = members.map(() => ({ leads: false, waits: false, port: false }));
  for (let b = blocks - 1; b >= 0; b--) {
    const own = beyond[b];
    if (b === sourceBlock) own.leads = true;
    for (const child of childrenOf[b]) {
      const kind = kindOf(child);
      own.leads ||= kind !== 'inner' || beyond[child].leads;
      own.waits ||= kind === 'segment' || (kind === 'inner' && beyond[child].waits);
      own.port ||= kind === 'port' || (kind === 'inner' && beyond[child].port);
    }
  }

  const segmentBlocks: number[][] = Array.from({ length: count }, () => []);
  for (const [b, s] of segmentOfBlock.entries()) segmentBlocks[s].push(b);
  const parentSegment = parentSegments(links, segmentOf, count);
  const spinOf = segmentBlocks.map(([first], s): Block['spin'] => {
    if (!beyond[first].leads && s !== sourceSegment) return 'none';
    const onGround = source === undefined && parentSegment[s] < 0;
    return onGround || s === sourceSegment ? 'direct' : 'relative';
  });

  const hops = segmentBlocks.map((_, s) => findHops(s, parentSegment, spinOf, sourceSegment));
  const portChild = segmentBlocks.map((_, s) => parentSegment.findIndex((above, c) => above === s && atPort[c]));
  const sizes = portSizes(links, cutting, parentSegment, portChild);
  const joins = findJoins(cutting, sizes, portChild);
  const paths = findPaths(joins);
  const placed = members.map((own, b): PlacedBlock => {
    const first = own[0];
    const s = segmentOfBlock[b];
    const top = segmentBlocks[s][0] === b;
    const local = new Map(own.map((link, k) => [link, k]));
    const base = baseLink[b];
    const free = source !== undefined && base < 0;
    const counted = own.filter((link) => !(free && link === first)).map((link) => links[link]);
    const [iq, iv] = counted.length === 0 ? [0, 0] : [least(counted, 'iq'), least(counted, 'iv')];
    const children = childrenOf[b].map((child): BlockChild => {
      const kind = kindOf(child);
      const inner = kind === 'inner';
      return {
        link: local.get(baseLink[child])!,
        kind,
        leads: !inner || beyond[child].leads,
        waits: kind === 'segment' || (inner && beyond[child].waits),
        passesPort: inner && beyond[child].port,
        ...(kind === 'port' && sizes.port[s] === 3 && { ball: ballPlace(rooted, members[child][0]) }),
      };
    });
    const toSource = sourceBlock < 0 || s !== sourceSegment ? -1 : childTowards(parentBlock, b, sourceBlock);
    return {
      segment: s,
      children: childrenOf[b],
      iq,
      iv,
      block: {
        plan: {
          ...plan,
          bodies: [],
          nq: 0,
          nv: 0,
          links: own.map((link) => {
            const { parent } = links[link];
            const isFree = free && link === first;
            return {
              ...links[link],
              parent: local.get(parent) ?? -1,
              iq: isFree ? 0 : links[link].iq - iq,
              iv: isFree ? 0 : links[link].iv - iv,
            };
          }),
        },
        base: base < 0 ? (free ? 'free' : 'ground') : top || restarts(links[base].type) ? 'rest' : 'moving',
        children,
        spin: beyond[b].leads ? spinOf[s] : 'none',
        early: hops[s] !== undefined,
        spinFrom: b === sourceBlock ? 'source' : toSource >= 0 ? childrenOf[b].indexOf(toSource) : 'base',
        top,
        handle: top ? sizes.handle[s] : 6,
        port: beyond[b].port ? sizes.port[s] : 0,
        reversed: own.flatMap((link, k) => (rooted.reversed.has(link) ? [k] : [])),
        ...(b === sourceBlock && {
          source: { link: local.get(source!.link)!, X: source!.X, gravity: source!.gravity },
        }),
      },
    };
  });

  const twins = cutting.twins ?? segmentBlocks.map(() => -1);
  checkTwins(twins, joins, hops);
  const segments = segmentBlocks.map((own, s): Segment => {
    const hanging = parentSegment.flatMap((parent, child) => (parent === s ? [child] : []));
    const onWay = own.filter((b) => placed[b].block.spinFrom !== 'base' && placed[b].block.spin !== 'none');
    const others = own.filter((b) => {
      const { spin, early } = placed[b].block;
      return (spin !== 'none' || early) && !onWay.includes(b);
    });
    return {
      blocks: own,
      parent: parentSegment[s],
      waitsFor: hanging.filter((child) => !atPort[child]),
      joins: joins[s],
      ...paths[s],
      grounded: parentSegment[s] < 0,
      handle: sizes.handle[s],
      port: sizes.port[s],
      spin: spinOf[s],
      spinOrder: [...onWay.reverse(), ...others],
      hops: hops[s],
      twin: twins[s],
      lanes: twins[s] < 0 ? own.map((b): Lane => [b]) : pairBlocks(placed, own, segmentBlocks[twins[s]]),
      carried: twins.includes(s),
    };
  });
  return { rooted, blocks: placed, segments };
}

/**
 * Links that must keep all of their mass: those at ports, where a real inertia is asked for, and where code is to be
 * shared the roots of all blocks, since regrouped mass (mass.ts) would make every block different.
 */
export function wholeLinks(links: readonly PlanLink[], cutting: Cutting, blockLinks?: number): Set<number> {
  const { segmentOf, atPort } = cutting;
  const most = linksInBlock(links, cutting, blockLinks);
  const { blockOf } = blocksOf(links, segmentOf, most);
  const shares = Number.isFinite(most);
  const whole = new Set<number>();
  links.forEach(({ parent }, i) => {
    if (parent < 0 || blockOf[parent] === blockOf[i]) return;
    if (shares || (segmentOf[parent] !== segmentOf[i] && atPort[segmentOf[i]])) whole.add(i);
  });
  return whole;
}

function linksInBlock(links: readonly PlanLink[], { atPort }: Cutting, blockLinks?: number): number {
  if (blockLinks !== undefined) return blockLinks;
  if (links.length <= SMALL) return Number.POSITIVE_INFINITY;
  const looks = new Set<string>();
  for (const { type, E, t } of links) {
    looks.add(`${type} ${E} ${t}`);
    if (looks.size > FEW_LOOKS) return BLOCK_LINKS.different;
  }
  return atPort.includes(true) ? BLOCK_LINKS.alikeMixed : BLOCK_LINKS.alike;
}

const least = (links: readonly PlanLink[], key: 'iq' | 'iv'): number =>
  links.reduce((smallest, link) => Math.min(smallest, link[key]), Number.POSITIVE_INFINITY);

/** The child of block b on the way to a block below it, b excluded; -1 where that is not below it. */
function childTowards(parent: readonly number[], b: number, target: number): number {
  let at = target;
  while (at > b && parent[at] !== b) at = parent[at];
  return at > b ? at : -1;
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

function ballPlace({ plan, reversed }: RootedPlan, link: number): BallPlace {
  const { E, t } = plan.links[link];
  return { E, t, reversed: reversed.has(link) };
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
function findJoins({ joins: given }: Cutting, { handle, port }: PortSizes, portChild: readonly number[]): Join[][] {
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
function findPaths(joins: readonly (readonly Join[])[]): Pick<Segment, 'row' | 'path'>[] {
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

/** From the tips to the root, a block is closed as soon as it is large enough; what is left is the segment's first one. */
function blocksOf(
  links: readonly PlanLink[],
  segmentOf: Int32Array,
  most: number,
): { readonly blockOf: Int32Array; readonly members: readonly (readonly number[])[] } {
  const open = new Int32Array(links.length).fill(1);
  const closed = new Uint8Array(links.length);
  for (let i = links.length - 1; i >= 0; i--) {
    const { parent } = links[i];
    if (parent < 0 || segmentOf[parent] !== segmentOf[i]) continue;
    if (open[i] >= most) closed[i] = 1;
    else open[parent] += open[i];
  }
  const blockOf = new Int32Array(links.length);
  const members: number[][] = [];
  const firstOf = new Map<number, number>();
  links.forEach(({ parent }, i) => {
    const s = segmentOf[i];
    const root = parent < 0 || segmentOf[parent] !== s;
    let b = root ? firstOf.get(s) : closed[i] === 1 ? undefined : blockOf[parent];
    if (b === undefined) {
      b = members.push([]) - 1;
      if (root) firstOf.set(s, b);
    }
    blockOf[i] = b;
    members[b].push(i);
  });
  return { blockOf, members };
}

/** How the angular velocity of a segment's base is found. */
function findHops(
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
