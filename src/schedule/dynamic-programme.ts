import { balancedSplit } from './balanced-split.js';
import { handleRuns, leavesRoom, runStarts, savingPerCost } from './one-sided-cuts.js';
import { endSideOf, type PartMeter, partSize, rootSideOf, type TreePart } from './parts.js';
import { eachSplit, type JointSplit, learn } from './splits.js';
import type { TimeLimit } from './time-limit.js';
import { rootSideShare, WorkBound } from './work-bound.js';

/**
 * Exact dynamic programme over (part, number of processes).
 *
 * With the ranges of ERRATA 002-8 and the charge of 002-11 the makespan of a part X on p processes depends on X and p
 * only: T(X, 1) = S(X), and for the best top joint j with sides A and B
 *
 *   T(X, p) = cost(j, handles of X) + max( T(A, p1), T(B, p2) )       both sides have joints ("split")
 *   T(X, p) = cost(j, handles of X) + T(the other side, p)            one side is a bare link ("peel")
 *
 * Splits halve the range, so they nest at most log2 P deep; peels would multiply the parts without end. They are tamed
 * by exchange arguments and bounds (one-sided-cuts.ts): T(X, p) is the least of S(X), all splits, and the few peels that are
 * not proved useless, nearly always none.
 *
 * The programme answers "is T(X, p) <= limit?" and keeps a proven interval [low, high] per (part, p). Bisection on the
 * limit gives the optimum; when time or memory runs out, the interval reached so far is the anytime answer.
 */
export interface Entry {
  readonly part: TreePart;
  readonly processors: number;
  readonly handles: number;
  /** Least single-process cost of the part. */
  readonly serial: number;
  /** Proven: low <= T(part, processors) <= high. */
  low: number;
  high: number;
  /** Up to this limit the fast mode has found no schedule; that is a proof only below `low`. */
  undecided: number;
  /** Joint (link number) at the top of the schedule that reaches `high`; SERIAL: one process does it all. */
  top: number;
}

export const SERIAL = -1;

/**
 * Joints that the slow mode may go through to close the last gap: enough to decide mechanisms of dozens of joints. On
 * large ones the gap left is small, and not worth the rest of the time.
 */
const PROOF_EFFORT = 300_000;

export interface DynamicLimits {
  /** When it is up the search stops with what it has. */
  readonly time: TimeLimit;
  /** Entries kept at most; about 400 bytes each. */
  readonly entries: number;
}

export class DynamicScheduler {
  readonly meter: PartMeter;
  /** Number of times the joints of a part were gone through. */
  expansions = 0;
  /** Time or memory ran out; from then on nothing new is proved. */
  stopped = false;

  private readonly bound: WorkBound;
  private readonly limits: DynamicLimits;
  private readonly entries = new Map<string, Entry>();
  private readonly savings = new Map<number, number>();
  /** Extra cost of a split at a joint, by link number: keeps splits away from loops (loop-rule.ts). */
  private readonly splitPenalty: Float64Array | undefined;
  /**
   * The search has two modes. The fast one considers only the runs of peels that remain when branches without handles
   * are given their least cost (`handleRuns`). Where that does not decide, every run is considered (`runStarts`).
   */
  private everyPeel = false;
  /** Joints that may still be gone through in the slow mode. */
  private effortLeft = 0;

  constructor(meter: PartMeter, limits: DynamicLimits, splitPenalty?: Float64Array) {
    this.meter = meter;
    this.bound = new WorkBound(meter.costs);
    this.limits = limits;
    this.splitPenalty = splitPenalty;
  }

  /** The interval of a part, created on first use. */
  entry(part: TreePart, processors: number): Entry {
    const key = `${processors}:${part.top}:${part.cuts.join()}`;
    let entry = this.entries.get(key);
    if (!entry) {
      const { meter } = this;
      meter.measurePart(part);
      const { serial, handles } = meter;
      const high = meter.exact ? serial : Number.POSITIVE_INFINITY;
      const low = this.bound.makespan(serial, processors, handles);
      entry = { part, processors, handles, serial, low, high, undecided: -1, top: SERIAL };
      this.entries.set(key, entry);
      if (this.entries.size >= this.limits.entries) this.stopped = true;
    }
    return entry;
  }

  /** The entries of the two sides of joint v; undefined for a side without joints. */
  sides(entry: Entry, v: number): { root: Entry | undefined; end: Entry | undefined } {
    const { tree } = this.meter;
    const rootPart = rootSideOf(entry.part, tree, v);
    const endPart = endSideOf(entry.part, tree, v);
    const rootHasJoints = partSize(rootPart, tree) > 0;
    const endHasJoints = partSize(endPart, tree) > 0;
    const { processors } = entry;
    const divided = processors > 1 && rootHasJoints && endHasJoints;
    const rootShare = divided ? rootSideShare(processors) : processors;
    const endShare = divided ? processors - rootShare : processors;
    return {
      root: rootHasJoints ? this.entry(rootPart, rootShare) : undefined,
      end: endHasJoints ? this.entry(endPart, endShare) : undefined,
    };
  }

  /** Cost of cutting joint v when its two sides go to different processes. */
  splitCost(v: number, handles: number): number {
    return this.meter.nodeCost(v, handles) + this.meter.costs.handOver + (this.splitPenalty?.[v] ?? 0);
  }

  /** Narrows the interval of a part until it is a point or the limits are reached. */
  solve(entry: Entry): void {
    this.halve(entry);
    this.dive(entry);
    // First the best schedule of the fast mode. Most optima are close to the bound: climb in growing steps, then bisect.
    let floor = entry.low;
    for (let step = 1 / 128; floor < entry.high && !this.stopped; step *= 2) {
      const limit = Math.min(Math.floor((floor + entry.high) / 2), Math.floor(floor * (1 + step)));
      if (!this.atMost(entry, limit)) floor = Math.max(limit + 1, entry.low);
    }
    // Then what the fast mode could not prove.
    for (let effort = PROOF_EFFORT; entry.low < entry.high && effort > 0 && !this.stopped; ) {
      effort = this.decide(entry, Math.floor((entry.low + entry.high) / 2), effort).effortLeft;
    }
  }

  /**
   * Whether the part can be done within `limit`; false is proved if and only if entry.low > limit. The slow mode goes
   * through at most `effort` joints; gives back what is left of it.
   */
  decide(entry: Entry, limit: number, effort: number): { fits: boolean; effortLeft: number } {
    if (this.atMost(entry, limit)) return { fits: true, effortLeft: effort };
    if (entry.low > limit || this.stopped || effort <= 0) return { fits: false, effortLeft: effort };
    this.everyPeel = true;
    this.effortLeft = effort;
    const fits = this.atMost(entry, limit);
    this.everyPeel = false;
    return { fits, effortLeft: this.effortLeft };
  }

  /** A first schedule, in linear time, for those who have no time for more: every part divided evenly. */
  private halve(entry: Entry): void {
    if (entry.processors === 1) return;
    const v = balancedSplit(this.meter.tree, entry.part, entry.processors);
    if (v === undefined) return;
    const { root, end } = this.sides(entry, v) as { root: Entry; end: Entry };
    this.halve(root);
    this.halve(end);
    this.improve(entry, v, this.splitCost(v, entry.handles) + Math.max(root.high, end.high));
  }

  /** A better one: at every part the split whose bound is best. Makes `high` useful within milliseconds. */
  private dive(entry: Entry): void {
    if (entry.processors === 1 || this.hasToStop()) return;
    let [best, bestCost, bestLow] = [SERIAL, 0, Number.POSITIVE_INFINITY];
    this.eachSplit(entry, (v, cost, rootLow, endLow) => {
      const low = cost + Math.max(rootLow, endLow);
      if (low >= bestLow) return;
      best = v;
      bestCost = cost;
      bestLow = low;
    });
    if (best === SERIAL) return;
    const { root, end } = this.sides(entry, best);
    this.dive(root as Entry);
    this.dive(end as Entry);
    this.improve(entry, best, bestCost + Math.max((root as Entry).high, (end as Entry).high));
  }

  private improve(entry: Entry, top: number, high: number): void {
    if (high >= entry.high) return;
    entry.high = high;
    entry.top = top;
  }

  /** `decide` in the current mode. */
  private atMost(entry: Entry, limit: number): boolean {
    if (entry.high <= limit) return true;
    if (entry.low > limit || entry.processors === 1 || this.hasToStop()) return false;
    if (this.everyPeel && this.effortLeft <= 0) return false;
    if (!this.everyPeel && limit <= entry.undecided) return false;
    const splits: JointSplit[] = [];
    this.eachSplit(entry, (v, cost, rootLow, endLow) => {
      splits.push({ v, cost, rootLow, endLow, low: cost + Math.max(rootLow, endLow) });
    });
    // Nothing can be proved of a part that was not gone through to its end.
    if (this.stopped) return false;
    if (this.everyPeel) this.effortLeft -= splits.length + 1;
    if (this.trySplits(entry, splits, limit)) return true;
    if (this.stopped) return false;
    let low = entry.serial;
    let roomForPeels = false;
    for (const split of splits) {
      low = Math.min(low, split.low);
      roomForPeels ||= this.leavesRoom(entry, split, limit);
    }
    if (this.mayPeel(entry)) low = Math.min(low, limit + 1);
    if (roomForPeels) {
      const runs = this.everyPeel ? this.tryEveryPeel(entry, limit) : this.tryHandleRuns(entry, limit);
      if (entry.high <= limit) return true;
      if (this.stopped) return false;
      low = Math.min(low, runs);
    }
    entry.low = Math.max(entry.low, Math.min(low, entry.high));
    if (!this.everyPeel) entry.undecided = limit;
    return false;
  }

  /** Goes through the splits of a part; stops the search where time does not suffice. */
  eachSplit(entry: Entry, visit: Parameters<typeof eachSplit>[7]): void {
    this.expansions++;
    const { part, processors, handles } = entry;
    const cost = (v: number, k: number): number => this.splitCost(v, k);
    const { time } = this.limits;
    if (!eachSplit(this.meter, this.bound, part, processors, handles, cost, time, visit)) this.stopped = true;
  }

  /**
   * Tries splits until one fits the limit; otherwise all have had their bounds raised above it, as far as could be
   * proved. One rejection rejects others (`learn`). Splits are taken alternately from the best and from the middle of
   * those left, which on a chain is a bisection.
   */
  private trySplits(entry: Entry, splits: readonly JointSplit[], limit: number): boolean {
    const { tree } = this.meter;
    let open = splits.filter((split) => split.low <= limit);
    open.sort((a, b) => a.low - b.low || tree.jointOf[a.v] - tree.jointOf[b.v]);
    for (let turn = 0; open.length > 0; turn++) {
      const split = open[turn % 2 === 0 ? 0 : open.length >> 1];
      if (this.trySplit(entry, split, limit)) return true;
      if (this.hasToStop()) return false;
      for (const other of open) if (other !== split) learn(other, split, tree.end);
      open = open.filter((other) => other !== split && other.low <= limit);
    }
    return false;
  }

  private trySplit(entry: Entry, split: JointSplit, limit: number): boolean {
    const sides = this.sides(entry, split.v);
    const root = sides.root as Entry;
    const end = sides.end as Entry;
    root.low = Math.min(root.high, Math.max(root.low, split.rootLow));
    end.low = Math.min(end.high, Math.max(end.low, split.endLow));
    const rest = limit - split.cost;
    const [harder, easier] = root.low > end.low ? [root, end] : [end, root];
    const fits = harder.low <= rest && this.atMost(harder, rest) && this.atMost(easier, rest);
    split.rootLow = root.low;
    split.endLow = end.low;
    split.low = split.cost + Math.max(root.low, end.low);
    if (fits) this.improve(entry, split.v, split.cost + Math.max(root.high, end.high));
    return fits;
  }

  /** Looks for a schedule that begins with a run of the fast mode; gives a lower bound of all such schedules. */
  private tryHandleRuns(entry: Entry, limit: number): number {
    let low = limit + 1;
    for (const run of handleRuns(this.meter, entry.part)) {
      const kept = this.entry(run.kept, entry.processors);
      if (this.atMost(kept, limit - run.least) && run.before) this.adopt(entry, [...run.before, run.last]);
      if (entry.high <= limit || this.stopped) break;
      low = Math.min(low, run.least + kept.low);
    }
    return low;
  }

  /** Makes a run of peels the best known schedule of a part, and of the parts left after each of them, if it is. */
  private adopt(entry: Entry, run: readonly number[]): void {
    const entries = [entry];
    for (const v of run) {
      const { root, end } = this.sides(entries[entries.length - 1], v);
      entries.push((root ?? end) as Entry);
    }
    for (let i = run.length - 1; i >= 0; i--) {
      this.improve(entries[i], run[i], this.meter.nodeCost(run[i], entries[i].handles) + entries[i + 1].high);
    }
  }

  /** Looks for a schedule that begins with any peel; gives a lower bound of all such schedules. */
  private tryEveryPeel(entry: Entry, limit: number): number {
    let low = limit + 1;
    for (const v of runStarts(this.meter, this.bound, entry.part, entry.processors, limit)) {
      const cost = this.meter.nodeCost(v, entry.handles);
      const { root, end } = this.sides(entry, v);
      const rest = (root ?? end) as Entry;
      if (this.atMost(rest, limit - cost)) this.improve(entry, v, cost + rest.high);
      if (entry.high <= limit || this.stopped) break;
      low = Math.min(low, cost + rest.low);
    }
    return low;
  }

  /** Whether a run of peels at the top of a part could be of any use. */
  private mayPeel(entry: Entry): boolean {
    return entry.handles > 0 || (this.everyPeel && entry.processors > 2);
  }

  private leavesRoom(entry: Entry, split: JointSplit, limit: number): boolean {
    if (!this.mayPeel(entry)) return false;
    const { costs, tree } = this.meter;
    const { handles } = entry;
    const fewest = Math.min(1, handles);
    // A run can merge handles, so that the split below it meets fewer of them.
    const cheaper = handles > 1 ? this.meter.nodeCost(split.v, handles) - this.meter.nodeCost(split.v, 1) : 0;
    const most = this.everyPeel || costs.counts === 'joints' ? tree.links : handles;
    const saving = this.saving(fewest, most);
    const leastPeel = costs.minOwn + costs.shared(fewest);
    return leavesRoom(limit - split.cost + cheaper, split.rootLow, split.endLow, saving, leastPeel);
  }

  private saving(from: number, to: number): number {
    const key = from * (this.meter.tree.links + 1) + to;
    let saving = this.savings.get(key);
    if (saving === undefined) {
      saving = savingPerCost(this.meter.costs, from, to);
      this.savings.set(key, saving);
    }
    return saving;
  }

  /** Whether the search has to end. */
  hasToStop(): boolean {
    this.stopped ||= this.limits.time.isUp();
    return this.stopped;
  }
}
