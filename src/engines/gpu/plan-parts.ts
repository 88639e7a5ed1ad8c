// Which links of a large mechanism are kept as inertias (kept-inertias.ts) instead of being inverted and joined to parts.
// Kept ones are as accurate as the articulated-body algorithm, but each waits for all that it carries.

import { type Contraction, contract } from './contraction.js';
import { GpuError } from './errors.js';

/** A link so much unlike its neighbours is kept; errors of human-34, whose hips and shoulders have light links, were 1e-3. */
const UNLIKE = 30;
/** In deep trees, where keeping them all would take too many rounds. */
const VERY_UNLIKE = 1000;
/** Trees of so many levels are assembled level by level if any link is to be kept. */
const FEW_LEVELS = 32;
const MANY_ROUNDS = 200;
/** More would take longer than on the CPU. */
const MOST_ROUNDS = 2000;

export interface PartPlan {
  /** 1 for links that are kept. */
  readonly kept: Uint8Array;
  readonly contraction: Contraction;
}

/** `unlikeness` of each link (part-constants.ts), infinite for those that must be kept. */
export function planParts(parent: Int32Array, unlikeness: Float64Array): PartPlan {
  const plan = (limit: number): PartPlan => {
    const kept = Uint8Array.from(unlikeness, (x) => (x > limit ? 1 : 0));
    return { kept, contraction: contract(parent, kept) };
  };
  if (unlikeness.every((x) => x <= UNLIKE)) return plan(UNLIKE);
  if (levelsOf(parent) <= FEW_LEVELS) return plan(-1);
  const accurate = plan(UNLIKE);
  if (accurate.contraction.rounds.length <= MANY_ROUNDS) return accurate;
  const fast = plan(VERY_UNLIKE);
  const { length } = fast.contraction.rounds;
  if (length > MOST_ROUNDS)
    throw new GpuError(
      'mechanism',
      `Too many links with too little inertia, or far lighter than their neighbours, follow one another: their assembly would take ${length} rounds, one for each.`,
    );
  return fast;
}

function levelsOf(parent: Int32Array): number {
  const level = new Int32Array(parent.length);
  let most = 0;
  for (let i = 0; i < parent.length; i++) {
    level[i] = parent[i] < 0 ? 1 : level[parent[i]] + 1;
    most = Math.max(most, level[i]);
  }
  return most;
}
