// Orders of assembly that follow a simple rule, for tests and benchmarks; src/schedule finds the best one.

import type { Tree } from '#src/mechanism/tree.js';
import type { ScheduleTree } from '#src/schedule/tree.js';

/** The two sides of a connected set of links (ascending, each standing for its joint) when one of them is cut off. */
export function cut(tree: Tree, part: readonly number[], link: number): readonly [number[], number[]] {
  const end = new Set([link]);
  for (const other of part) if (end.has(tree.parent[other])) end.add(other);
  return [part.filter((other) => !end.has(other)), part.filter((other) => other !== link && end.has(other))];
}

/** The schedule (of the joints of the tree) whose last joint in every part is that of the link a rule chooses from it. */
export function scheduleBy(tree: Tree, choose: (part: readonly number[]) => number): ScheduleTree {
  type Node = [number, Node | null, Node | null];
  const top: Node = [-1, null, null];
  // A stack of our own: an order can be as deep as a chain is long.
  const waiting: { part: readonly number[]; above: Node; side: 1 | 2 }[] = [
    { part: Array.from({ length: tree.n }, (_, i) => i), above: top, side: 1 },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.part.length === 0) continue;
    const link = choose(next.part);
    const node: Node = [tree.joint[link], null, null];
    next.above[next.side] = node;
    const [rootSide, endSide] = cut(tree, next.part, link);
    waiting.push({ part: rootSide, above: node, side: 1 }, { part: endSide, above: node, side: 2 });
  }
  return top[1]!;
}

/** Each part is cut where its larger side is least. */
export function balancedSchedule(tree: Tree): ScheduleTree {
  return scheduleBy(tree, (part) => {
    // Joints beyond each link, itself included.
    const beyond = new Map<number, number>();
    let best = part[0];
    let least = Number.POSITIVE_INFINITY;
    for (let k = part.length - 1; k >= 0; k--) {
      const link = part[k];
      const below = (beyond.get(link) ?? 0) + 1;
      const parent = tree.parent[link];
      beyond.set(parent, (beyond.get(parent) ?? 0) + below);
      const larger = Math.max(below - 1, part.length - below);
      if (larger < least) {
        least = larger;
        best = link;
      }
    }
    return best;
  });
}

/** The end is assembled last: every part but the first has its root on the ground. */
export function rootToEndSchedule(tree: Tree): ScheduleTree {
  return scheduleBy(tree, (part) => part[part.length - 1]);
}
