// Two independent references for small mechanisms, sharing nothing with src/schedule.
// 1. All schedule trees, one by one, each charged to the clocks of all its processes as ERRATA 002-11 says.
// 2. A table over all connected sets of joints, for mechanisms too large to list all trees of.

/** Costs as integers: own[j] + (k >= 2 ? inner[j] : 0) + shared(k). */
export interface Costs {
  readonly counts: 'joints' | 'links';
  readonly own: readonly number[];
  readonly inner: readonly number[];
  readonly shared: (handles: number) => number;
  readonly handOver: number;
}

export type Tree = [number, Tree | null, Tree | null];

/** [002] eq. 11 in tenths of a microsecond. */
export function paperTenths(
  dof: readonly number[],
  [alpha, beta, gamma, delta] = [16, 10, -10, 144],
  handOver = 0,
): Costs {
  return {
    counts: 'joints',
    own: dof.map((n) => gamma * n + delta),
    inner: dof.map(() => 0),
    shared: (k) => alpha * k * k + beta * k,
    handOver,
  };
}

export class Mechanism {
  readonly n: number;
  private readonly ends: [number, number][];
  private readonly costs: Costs;

  /** Links are the vertices: 0 is the base, i + 1 the child link of joint i. Joint 0 may sit on another link than 0. */
  constructor(parent: readonly number[], costs: Costs, rootLink = 0) {
    this.n = parent.length;
    this.ends = parent.map((p, i) => [p + 1, (i === 0 ? rootLink : i) + 1]);
    this.costs = costs;
  }

  /** Joints of a set on the two sides of one of them. */
  sides(set: number, joint: number): [number, number] {
    const rest = set & ~(1 << joint);
    return [this.flood(rest, this.ends[joint][0]), this.flood(rest, this.ends[joint][1])];
  }

  private flood(set: number, start: number): number {
    let found = 0;
    const stack = [start];
    while (stack.length > 0) {
      const link = stack.pop() as number;
      for (let j = 0; j < this.n; j++) {
        if (!((set >> j) & 1) || (found >> j) & 1 || !this.ends[j].includes(link)) continue;
        found |= 1 << j;
        stack.push(...this.ends[j]);
      }
    }
    return found;
  }

  handles(set: number): number {
    const links = new Set<number>();
    for (let j = 0; j < this.n; j++) if ((set >> j) & 1) for (const link of this.ends[j]) links.add(link);
    const handleLinks = new Set<number>(links.has(0) ? [0] : []);
    let joints = 0;
    for (let j = 0; j < this.n; j++) {
      if ((set >> j) & 1) continue;
      const touched = this.ends[j].filter((link) => links.has(link));
      if (touched.length > 0) joints++;
      for (const link of touched) handleLinks.add(link);
    }
    return this.costs.counts === 'joints' ? joints : handleLinks.size;
  }

  cost(set: number, joint: number): number {
    const k = this.handles(set);
    return this.costs.own[joint] + (k >= 2 ? this.costs.inner[joint] : 0) + this.costs.shared(k);
  }

  readonly all = (): number => 2 ** this.n - 1;

  // --- all schedule trees -------------------------------------------------------------------------------------------

  private readonly lists = new Map<number, Tree[]>();

  /** All schedule trees of a connected set of joints. */
  trees(set: number): (Tree | null)[] {
    if (set === 0) return [null];
    const known = this.lists.get(set);
    if (known) return known;
    const list: Tree[] = [];
    for (let j = 0; j < this.n; j++) {
      if (!((set >> j) & 1)) continue;
      const [root, end] = this.sides(set, j);
      for (const a of this.trees(root)) for (const b of this.trees(end)) list.push([j, a, b]);
    }
    this.lists.set(set, list);
    return list;
  }

  /**
   * Longest clock of a tree on so many processes; undefined if a part on one process is not its single-process optimum
   * (those are outside the search space of the paper, Section III-A).
   */
  makespan(tree: Tree, processors: number): number | undefined {
    const clocks = new Array<number>(processors).fill(0);
    let regular = true;
    const walk = (node: Tree, set: number, a: number, b: number): void => {
      if (b - a === 1 && this.serialOf(node, set) !== this.least(set, 1)) regular = false;
      const cost = this.cost(set, node[0]);
      for (let process = a; process < b; process++) clocks[process] += cost;
      const [root, end] = this.sides(set, node[0]);
      const middle = node[1] && node[2] && b - a > 1 ? a + Math.floor((b - a) / 2) : -1;
      if (node[1]) walk(node[1], root, a, middle < 0 ? b : middle);
      if (node[2]) walk(node[2], end, middle < 0 ? a : middle, b);
    };
    walk(tree, this.all(), 0, processors);
    return regular ? Math.max(...clocks) : undefined;
  }

  serialOf(tree: Tree | null, set: number): number {
    if (!tree) return 0;
    const [root, end] = this.sides(set, tree[0]);
    return this.cost(set, tree[0]) + this.serialOf(tree[1], root) + this.serialOf(tree[2], end);
  }

  // --- table over sets of joints ------------------------------------------------------------------------------------

  private readonly table = new Map<string, number>();

  /** Least makespan of a connected set of joints; with a hand-over cost, one process may do it all. */
  least(set: number, processors: number): number {
    if (set === 0) return 0;
    const key = `${set}/${processors}`;
    const known = this.table.get(key);
    if (known !== undefined) return known;
    let best = processors > 1 ? this.least(set, 1) : Number.POSITIVE_INFINITY;
    const half = Math.floor(processors / 2);
    for (let j = 0; j < this.n; j++) {
      if (!((set >> j) & 1)) continue;
      const [root, end] = this.sides(set, j);
      let below: number;
      if (processors === 1) below = this.least(root, 1) + this.least(end, 1);
      else if (root && end)
        below = this.costs.handOver + Math.max(this.least(root, half), this.least(end, processors - half));
      else below = this.least(root | end, processors);
      best = Math.min(best, this.cost(set, j) + below);
    }
    this.table.set(key, best);
    return best;
  }
}

export function preorderOf(tree: Tree): number[] {
  const [joint, root, end] = tree;
  return [joint, ...(root ? preorderOf(root) : []), ...(end ? preorderOf(end) : [])];
}

export function compareLists(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}

/** All mechanisms of n joints whose parents come before them: every tree, in every such numbering. */
export function allParents(n: number): number[][] {
  let lists: number[][] = [[]];
  for (let i = 0; i < n; i++) {
    lists = lists.flatMap((list) => Array.from({ length: i + 1 }, (_, k) => [...list, k - 1]));
  }
  return lists;
}
