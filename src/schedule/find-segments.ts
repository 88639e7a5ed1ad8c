// The best schedule of segments for a mechanism that can be computed from several roots: where it is cut, which processor
// computes what, in which order parts are joined and which segments share vectors.

import { ENGINE_CONSTANTS, type EngineConstants } from './cost.js';
import { cutByWeight, SMALL } from './cut-by-weight.js';
import { cutIntoLanePairs } from './lane-pairs.js';
import type { LinkCosts, SegmentSchedule } from './link-costs.js';

/** Segments that wait for side limbs do worse than predicted (16 cores): lane pairs are taken where they do almost as well. */
const DOUBT = 0.93;

/** The best schedule for at most `processors` of them; in one piece for one processor. */
export function scheduleSegments(
  links: LinkCosts,
  processors: number,
  constants: EngineConstants = ENGINE_CONSTANTS,
): SegmentSchedule {
  const byWeight = cutByWeight(links, processors, constants);
  const pairs = cutIntoLanePairs(links, processors, constants);
  const waits = byWeight.cutting.atPort.some((port, s) => s > 0 && !port);
  return pairs !== undefined && (waits ? DOUBT : 1) * pairs.ns < byWeight.ns ? pairs : byWeight;
}

/** Roots that are tried; fewer where a mechanism is large: neighbours differ little, and each takes its time to try. */
const CANDIDATES = 6;
const CANDIDATES_OF_MANY = 2;

/** Links of a free-flying mechanism from which it may well be computed: those that leave the lightest halves. */
export function rootCandidates({ parent, own }: Pick<LinkCosts, 'parent' | 'own'>): number[] {
  const below = own.slice();
  const heaviest = new Float64Array(own.length);
  for (let i = own.length - 1; i >= 0; i--) {
    if (parent[i] < 0) continue;
    below[parent[i]] += below[i];
    heaviest[parent[i]] = Math.max(heaviest[parent[i]], below[i]);
  }
  const total = own.reduce((sum, w) => sum + w, 0);
  const worst = (i: number): number => Math.max(heaviest[i], total - below[i]);
  return Array.from(own, (_, i) => i)
    .sort((a, b) => worst(a) - worst(b))
    .slice(0, own.length > SMALL ? CANDIDATES_OF_MANY : CANDIDATES);
}
