// Processors that are left over take side limbs: subtrees such as legs, which lead to no other segment.

import type { EngineConstants } from './cost.js';
import type { LinkCosts, SegmentSchedule } from './link-costs.js';
import { playSegments } from './segment-timeline.js';

/** Segments of a schedule at most: the engine has flags for so many. */
export const MAX_SEGMENTS = 256;

/** Limbs lighter than this part of a processor's share are not worth a segment of their own. */
const LIGHT = 0.1;

/**
 * Where threads are left over, limbs that lead to no other segment are taken off the segment that is ready last, and given
 * to the processor that has least to do, as long as that helps.
 */
export function spreadLimbs(
  links: LinkCosts,
  start: SegmentSchedule,
  count: number,
  constants: EngineConstants,
): SegmentSchedule {
  const few = start.cutting.atPort.length;
  if (few >= count) return start;
  let best = start;
  const { segmentOf, atPort } = start.cutting;
  const limbs = limbsOf(links, segmentOf);
  const share = links.own.reduce((sum, w) => sum + w, 0) / count;
  /** For each limb taken off its processor. */
  const taken = new Map<Limb, number>();
  const load = new Float64Array(count);
  const closed = new Set<number>();
  const build = (): SegmentSchedule & { readonly ready: Float64Array; readonly original: number[] } => {
    // Limbs get numbers of their own for now; then all are numbered in the order of their first links.
    const groupOf = segmentOf.slice();
    let next = few;
    const processors = Array.from({ length: few }, (_, s) => s);
    for (const [limb, processor] of taken) {
      for (const i of limb.links) groupOf[i] = next;
      processors.push(processor);
      next++;
    }
    const known = new Map<number, number>();
    const renumbered = groupOf.map((group) => {
      let s = known.get(group);
      if (s === undefined) {
        s = known.size;
        known.set(group, s);
      }
      return s;
    });
    const original = [...known.keys()];
    const cutting = { segmentOf: renumbered, atPort: original.map((group) => atPort[group] ?? false) };
    const processorOf = original.map((group) => processors[group]);
    const { ns, joins, ready } = playSegments(links, cutting, constants, processorOf);
    return { cutting: { ...cutting, joins }, processorOf, ns, ready, original };
  };
  let current = build();
  for (;;) {
    // The segment, of those that are left, that is ready last.
    let slowest = -1;
    current.original.forEach((group, s) => {
      if (group < few && !closed.has(group) && (slowest < 0 || current.ready[s] > current.ready[slowest])) slowest = s;
    });
    if (slowest < 0) return best;
    const group = current.original[slowest];
    // Flags have room for so many segments.
    if (few + taken.size === MAX_SEGMENTS) return best;
    const limb = limbs.find((one) => one.segment === group && one.weight > LIGHT * share && !taken.has(one));
    if (limb === undefined) {
      closed.add(group);
      continue;
    }
    let processor = few;
    for (let t = few; t < count; t++) if (load[t] < load[processor]) processor = t;
    taken.set(limb, processor);
    load[processor] += limb.weight;
    const tried = build();
    if (tried.ns <= current.ns) {
      current = tried;
      if (tried.ns < best.ns) best = tried;
    } else {
      taken.delete(limb);
      load[processor] -= limb.weight;
      closed.add(group);
    }
  }
}

/** What hangs from one link of its segment and leads to no other segment; like limbs together. */
interface Limb {
  readonly segment: number;
  readonly links: readonly number[];
  readonly weight: number;
}

/** The limbs of all segments next to the ways to other segments, the heaviest first. */
function limbsOf({ parent, own, unit }: LinkCosts, segmentOf: Int32Array): Limb[] {
  const n = parent.length;
  const leads = new Uint8Array(n);
  for (let i = n - 1; i >= 0; i--) {
    const above = parent[i];
    if (above >= 0 && (leads[i] === 1 || segmentOf[above] !== segmentOf[i])) leads[above] = 1;
  }
  /** Limb of each link, named by the unit and the parent of its root. */
  const limbs = new Map<string, { segment: number; links: number[]; weight: number }>();
  const nameOf = new Array<string | undefined>(n);
  parent.forEach((above, i) => {
    if (above < 0 || leads[i] === 1 || segmentOf[above] !== segmentOf[i]) return;
    const name = leads[above] === 1 ? `${above} ${unit[i]}` : nameOf[above];
    nameOf[i] = name;
    if (name === undefined) return;
    let limb = limbs.get(name);
    if (limb === undefined) {
      limb = { segment: segmentOf[i], links: [], weight: 0 };
      limbs.set(name, limb);
    }
    limb.links.push(i);
    limb.weight += own[i];
  });
  return [...limbs.values()].sort((a, b) => b.weight - a.weight);
}
