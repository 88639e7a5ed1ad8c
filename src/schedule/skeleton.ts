/**
 * The order in which the joints between several handles of a part are cut, on a single process (ERRATA 002-12).
 *
 * T is the smallest subtree of the part that joins the links with handles. Every joint of T costs at least shared(2),
 * and only the joints where T is cut loose from a branching link or a link with handles can cost more. So T is reduced
 * to its skeleton: the links with handles, the links where T branches, and the segments of joints between them. A
 * segment of several joints is best cut next to one of its two ends: the remainder then hangs on the other side as a
 * "tail" with a handle at its tip, needs one more cut to come off there, and falls apart at shared(2) per joint.
 *
 * The extra cost depends on the skeleton only, not on the lengths of its segments or on anything off T, so few
 * different skeletons occur and their costs are kept.
 */
export interface Skeleton {
  /** Index of the parent node, smaller than the node's own; -1 for node 0. */
  readonly parent: readonly number[];
  /** Handles at the node (joints), or 1 for a link that is a handle (links). */
  readonly handles: readonly number[];
  /** Whether the segment to the parent has two joints or more. */
  readonly long: readonly boolean[];
}

/** More nodes than this and the exact answer is refused (docs/scheduling.md, memory). */
export const MOST_SKELETON_NODES = 15;

/**
 * Least sum of shared(k) - shared(2) over all cuts of T. A state is a connected set of nodes and the set of its
 * boundary segments that still have a tail on this side; both are bit masks.
 */
export function skeletonCost(
  skeleton: Skeleton,
  counts: 'joints' | 'links',
  shared: (handles: number) => number,
): number {
  const { parent, handles } = skeleton;
  const nodes = parent.length;
  const long = longSegments(skeleton);
  const below = subtreeMasks(parent);
  const memo = new Map<number, number>();

  const handleCount = (set: number, tails: number): number => {
    let count = 0;
    for (let node = 0; node < nodes; node++) {
      if (!((set >> node) & 1)) continue;
      let cutHere = 0;
      let tailsHere = 0;
      for (let other = 1; other < nodes; other++) {
        const touches = other === node ? parent[node] : parent[other] === node ? other : -1;
        if (touches < 0 || (set >> touches) & 1) continue;
        if ((tails >> other) & 1) tailsHere++;
        else cutHere++;
      }
      count += tailsHere + (counts === 'joints' ? handles[node] + cutHere : handles[node] + cutHere > 0 ? 1 : 0);
    }
    return count;
  };

  const solve = (set: number, tails: number): number => {
    if (tails === 0 && (set & (set - 1)) === 0) return 0;
    const key = set * 2 ** nodes + tails;
    const known = memo.get(key);
    if (known !== undefined) return known;
    const here = shared(handleCount(set, tails)) - shared(2);
    let best = Number.POSITIVE_INFINITY;
    for (let segment = 1; segment < nodes; segment++) {
      const bit = 1 << segment;
      if (tails & bit) {
        best = Math.min(best, here + solve(set, tails & ~bit));
      } else if ((set >> segment) & 1 && (set >> parent[segment]) & 1) {
        const outer = set & below[segment];
        const inner = set & ~below[segment];
        const outerTails = tails & below[segment] & ~bit;
        const innerTails = tails & ~below[segment];
        if (long[segment]) {
          best = Math.min(best, here + solve(outer, outerTails | bit) + solve(inner, innerTails));
          best = Math.min(best, here + solve(outer, outerTails) + solve(inner, innerTails | bit));
        } else {
          best = Math.min(best, here + solve(outer, outerTails) + solve(inner, innerTails));
        }
      }
    }
    memo.set(key, best);
    return best;
  };
  return solve(2 ** nodes - 1, 0);
}

/**
 * A segment that leads to an end with a single handle is cut next to its other end: what comes off has two handles
 * only. It counts as one joint.
 */
function longSegments({ parent, handles, long }: Skeleton): boolean[] {
  const segments = new Array<number>(parent.length).fill(0);
  for (let node = 1; node < parent.length; node++) {
    segments[node]++;
    segments[parent[node]]++;
  }
  const simple = (node: number): boolean => segments[node] === 1 && handles[node] === 1;
  return long.map((isLong, node) => isLong && !simple(node) && !simple(parent[node]));
}

function subtreeMasks(parent: readonly number[]): number[] {
  const masks = parent.map((_, node) => 1 << node);
  for (let node = parent.length - 1; node > 0; node--) masks[parent[node]] |= masks[node];
  return masks;
}
