import type { CostTable } from './cost.js';

/** How a range of processes is divided between the two sides of a node (ERRATA 002-8): [a, mid) and [mid, b). */
export function rootSideShare(processors: number): number {
  return Math.floor(processors / 2);
}

/**
 * A lower bound of the makespan of a part on p processes from its single-process cost S alone.
 *
 * In time t, p processes that split into p1 + p2 under a node of cost c do at most
 *   W_p(t) = max( t, c + W_p1(t - c - h) + W_p2(t - c - h) ),  W_1(t) = t,
 * work, since the node occupies them all and S(X) <= c + S(A) + S(B). Expanded, W_p(t) is the largest of the lines
 * q t - K_p(q) for q = 1 .. p processes in use, so
 *   makespan >= min over q of (S + K_p(q)) / q.
 * K_p is convex in q; its increments are merged from those of p1 and p2, and the best q is found by bisection.
 * With K = 0 this is the bound S/p of ERRATA 002-10.
 */
export class WorkBound {
  private readonly costs: CostTable;
  private readonly lines = new Map<number, { overhead: Float64Array; turn: Float64Array }>();
  /** Least cost of a node below the top: such a part has at least one handle. */
  private readonly leastNode: number;

  constructor(costs: CostTable) {
    this.costs = costs;
    this.leastNode = costs.minOwn + costs.shared(1);
  }

  /** Lower bound for a part of single-process cost `serial` whose top node has so many handles. */
  makespan(serial: number, processors: number, handles: number): number {
    if (processors === 1 || serial <= 0) return serial;
    const { overhead, turn } = this.linesOf(processors);
    const leastTop = (handles >= 2 ? this.costs.minInnerOwn : this.costs.minOwn) + this.costs.shared(handles);
    const dearer = leastTop - this.leastNode; // charged q - 1 times on top of the work itself
    let low = 0;
    let high = turn.length; // first q - 1 at which one more process no longer helps
    while (low < high) {
      const middle = (low + high) >> 1;
      if (turn[middle] + dearer < serial) low = middle + 1;
      else high = middle;
    }
    const inUse = low + 1;
    return Math.min(serial, Math.ceil((serial + overhead[low] + (inUse - 1) * dearer) / inUse));
  }

  /** overhead[q - 1] = K_p(q); turn[q - 1] = q K_p(q + 1) - (q + 1) K_p(q), the work from which q + 1 beat q. */
  private linesOf(processors: number): { overhead: Float64Array; turn: Float64Array } {
    const known = this.lines.get(processors);
    if (known) return known;
    const overhead = new Float64Array(processors);
    if (processors > 1) {
      const rootShare = rootSideShare(processors);
      const left = this.linesOf(rootShare).overhead;
      const right = this.linesOf(processors - rootShare).overhead;
      const perProcess = this.leastNode + this.costs.handOver;
      // Both sides use one process each, then the cheaper next one of either side.
      overhead[1] = 2 * perProcess - this.leastNode;
      let [i, j] = [0, 0];
      for (let q = 3; q <= processors; q++) {
        const nextLeft = i + 1 < left.length ? left[i + 1] - left[i] : Number.POSITIVE_INFINITY;
        const nextRight = j + 1 < right.length ? right[j + 1] - right[j] : Number.POSITIVE_INFINITY;
        if (nextLeft <= nextRight) i++;
        else j++;
        overhead[q - 1] = overhead[q - 2] + perProcess + Math.min(nextLeft, nextRight);
      }
    }
    const turn = new Float64Array(processors - 1);
    for (let q = 1; q < processors; q++) turn[q - 1] = q * overhead[q] - (q + 1) * overhead[q - 1];
    const lines = { overhead, turn };
    this.lines.set(processors, lines);
    return lines;
  }
}
