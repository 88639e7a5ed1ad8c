// A mechanism cut into segments, and these into blocks. Segments are what threads compute; blocks are what code is made
// for. Where a mechanism repeats itself (links of a chain, figures of a crowd) its blocks have the same shape and share
// their code, so that thousands of links need no more of it than dozens.

import { restarts } from '../../formulas/aba.js';
import type { BallPlace, Block, BlockChild } from '../../formulas/block-records.js';
import type { Size } from '../../formulas/part-record.js';
import type { PlanLink } from '../../plan/plan.js';
import type { RootedPlan } from '../../plan/rooted-plan.js';
import { SMALL } from '../../schedule/cut-by-weight.js';
import { type Cutting, parentSegments, portSizes } from '../../schedule/link-costs.js';
import { checkPartners, pairBlocks } from './lane-partners.js';
import { linkTree } from './link-costs.js';
import {
  childTowards,
  findJoins,
  findPaths,
  findVelocityPath,
  type PathJoin,
  type SegmentJoin,
  type VelocityPath,
} from './segments.js';
import { pairSiblings } from './sibling-lanes.js';

export interface PlacedBlock {
  readonly block: Block;
  readonly segment: number;
  /** Blocks that hang from it, in the order of block.children. */
  readonly children: readonly number[];
  /** Offsets of its coordinates. */
  readonly iq: number;
  readonly iv: number;
}

export interface BlockSegment {
  /** Its blocks, parents first; the first is its root. */
  readonly blocks: readonly number[];
  readonly parent: number;
  /** Segments that hang from it and are waited for. */
  readonly waitsFor: readonly number[];
  /** What it joins to itself at its port. */
  readonly joins: readonly SegmentJoin[];
  /** The segment that its whole row is joined to in the end, and the joins between that and this one. */
  readonly row: number;
  readonly path: readonly PathJoin[];
  /** Nothing is above it. */
  readonly grounded: boolean;
  /** Dimensions of what it hangs by, and of its own port. */
  readonly handle: Size;
  readonly port: Size;
  readonly spin: Block['spin'];
  /** Blocks in the order of the first phase. */
  readonly spinOrder: readonly number[];
  /** How the angular velocity of its base is found: from a record, then through others. None where it is known. */
  readonly velocityPath: VelocityPath | undefined;
  /** The segment that is computed together with this one, and all blocks of both, parents first; -1 for none. */
  readonly partner: number;
  readonly lanes: readonly Lane[];
  /** It fills the second lane of another segment's vectors, which does all that it would do. */
  readonly inSecondLane: boolean;
}

/** A block, or two blocks of the same shape in the lanes of vectors. */
export type Lane = readonly [number] | readonly [number, number];

export interface BlockAssembly {
  readonly rooted: RootedPlan;
  readonly blocks: readonly PlacedBlock[];
  readonly segments: readonly BlockSegment[];
}

/**
 * Links in a block, about, where a mechanism is too large for code of its own throughout. Where all links look alike a few are
 * enough, and their code stays in the instruction cache: fewer of them in mixed form, which takes more code for each. Where
 * a longer stretch repeats itself its code is read anew each time, and small blocks only cost.
 */
const BLOCK_LINKS = { alike: 8, alikeMixed: 4, different: 18 } as const;
/** Looks of links up to which they are alike. */
const FEW_LOOKS = 8;

export interface AssemblyOptions {
  /** Links in a block, about; found by what links look like where left out. */
  readonly blockLinks?: number;
  /** Blocks of one segment share vectors where they can (sibling-lanes.ts). */
  readonly siblingLanes?: boolean;
}

export function createAssembly(
  rooted: RootedPlan,
  cutting: Cutting,
  { blockLinks, siblingLanes = false }: AssemblyOptions = {},
): BlockAssembly {
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
  const tree = linkTree(links);
  const parentSegment = parentSegments(tree.parent, segmentOf, count);
  const spinOf = segmentBlocks.map(([first], s): Block['spin'] => {
    if (!beyond[first].leads && s !== sourceSegment) return 'none';
    const onGround = source === undefined && parentSegment[s] < 0;
    return onGround || s === sourceSegment ? 'direct' : 'relative';
  });

  const velocityPaths = segmentBlocks.map((_, s) => findVelocityPath(s, parentSegment, spinOf, sourceSegment));
  const portChild = segmentBlocks.map((_, s) => parentSegment.findIndex((above, c) => above === s && atPort[c]));
  const sizes = portSizes(tree, cutting, parentSegment, portChild);
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
        early: velocityPaths[s] !== undefined,
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

  const partners = cutting.partner ?? segmentBlocks.map(() => -1);
  checkPartners(partners, joins, velocityPaths, sourceSegment);
  const segments = segmentBlocks.map((own, s): BlockSegment => {
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
      velocityPath: velocityPaths[s],
      partner: partners[s],
      lanes: partners[s] < 0 ? own.map((b): Lane => [b]) : pairBlocks(placed, own, segmentBlocks[partners[s]]),
      inSecondLane: partners.includes(s),
    };
  });
  if (!siblingLanes) return { rooted, blocks: placed, segments };
  const [only] = segments;
  if (segments.length > 1) throw new RangeError('blocks share vectors where there is one segment');
  const { blocks: inOrder, lanes } = pairSiblings(placed, only.blocks);
  return { rooted, blocks: inOrder, segments: [{ ...only, lanes }] };
}

/** For the links of blocks in second lanes those in first lanes. */
export function lanePartners({ rooted, blocks, segments }: BlockAssembly): Map<number, number> {
  const linkAt = new Map(rooted.plan.links.map(({ iv }, i) => [iv, i]));
  const linksOf = (b: number): number[] => blocks[b].block.plan.links.map(({ iv }) => linkAt.get(blocks[b].iv + iv)!);
  const partnerOf = new Map<number, number>();
  for (const [a, b] of segments[0].lanes) {
    if (b === undefined) continue;
    const [links, partners] = [linksOf(b), linksOf(a)];
    for (const [k, link] of links.entries()) partnerOf.set(link, partners[k]);
  }
  return partnerOf;
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

function ballPlace({ plan, reversed }: RootedPlan, link: number): BallPlace {
  const { E, t } = plan.links[link];
  return { E, t, reversed: reversed.has(link) };
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
