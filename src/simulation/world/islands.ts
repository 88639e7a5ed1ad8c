// Islands: members that contacts join, found by union-find; the ground joins nobody.

import type { Member } from './member.js';
import type { ShapePair } from './world-shape.js';

export interface Island {
  /** Numbers of the members, ascending. */
  readonly members: readonly number[];
  readonly pairs: readonly ShapePair[];
}

/** In the order of their first members; members that cannot move are in none. */
export function createIslands(members: readonly Member[], pairs: readonly ShapePair[]): Island[] {
  const parent = Int32Array.from(members.keys());
  const find = (i: number): number => {
    let k = i;
    while (parent[k] !== k) {
      parent[k] = parent[parent[k]];
      k = parent[k];
    }
    return k;
  };
  for (const { a, b } of pairs) {
    if (a.node < 0 || b.node < 0) continue;
    const [x, y] = [find(a.memberIndex), find(b.memberIndex)];
    // The smaller number is the root, so that the order of the islands does not depend on that of the pairs.
    if (x < y) parent[y] = x;
    else parent[x] = y;
  }
  const islands = new Map<number, { members: number[]; pairs: ShapePair[] }>();
  for (const m of members.keys()) {
    if (members[m].articulation.nv === 0) continue;
    const root = find(m);
    const island = islands.get(root);
    if (island === undefined) islands.set(root, { members: [m], pairs: [] });
    else island.members.push(m);
  }
  for (const pair of pairs)
    islands.get(find(pair.a.node >= 0 ? pair.a.memberIndex : pair.b.memberIndex))!.pairs.push(pair);
  return [...islands.values()];
}
