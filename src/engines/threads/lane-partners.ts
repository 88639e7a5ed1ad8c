// Two segments that one thread computes together, blocks of the same shape in the two lanes of vectors. A chain leaves the
// lanes empty, and so do the trunk and the arms of a figure between two others; two pieces of a chain, or two figures, fill
// them. The price is that both are in mixed form and have to be joined.

import type { Lane, PlacedBlock } from './blocks.js';
import type { SegmentJoin, VelocityPath } from './segments.js';

/** Throws where segments cannot be computed together. */
export function checkPartners(
  partners: readonly number[],
  joins: readonly (readonly SegmentJoin[])[],
  velocityPaths: readonly (VelocityPath | undefined)[],
  source: number,
): void {
  partners.forEach((below, s) => {
    if (below < 0) return;
    // A segment that knows its angular velocity, on the ground or from the author's free root, has another first phase.
    const knows = velocityPaths[s] === undefined || s === source || below === source;
    const fits = joins[s][0]?.part === below && joins[below].length === 0 && !knows;
    if (!fits || partners[below] >= 0) throw new RangeError(`segments ${s} and ${below} cannot be computed together`);
  });
}

/**
 * All blocks of two segments in an order in which parents come first; two of the same shape and with the same numbers
 * together where that can be.
 */
export function pairBlocks(
  blocks: readonly PlacedBlock[],
  upper: readonly number[],
  lower: readonly number[],
): readonly Lane[] {
  const names = new Map([...upper, ...lower].map((b) => [b, JSON.stringify(blocks[b].block)]));
  const lanes: Lane[] = [];
  /** Of each segment: blocks whose parents are done, and how many are left in all. */
  const sides = [upper, lower].map((own) => ({ own: new Set(own), ready: [own[0]], left: own.length }));
  const take = (side: (typeof sides)[number], b: number): void => {
    side.ready.splice(side.ready.indexOf(b), 1);
    side.ready.push(...blocks[b].children.filter((child) => side.own.has(child)));
    side.left--;
  };
  const [first, second] = sides;
  while (first.left + second.left > 0) {
    const a = first.ready.find((one) => second.ready.some((other) => names.get(other) === names.get(one)));
    if (a !== undefined) {
      const b = second.ready.find((other) => names.get(other) === names.get(a))!;
      lanes.push([a, b]);
      take(first, a);
      take(second, b);
      continue;
    }
    // Alike from the tips: the larger one goes ahead.
    const side = first.left > second.left ? first : second.left > 0 ? second : first;
    const [alone] = side.ready;
    lanes.push([alone]);
    take(side, alone);
  }
  return lanes;
}
