import { chainTimes, leastCommunication } from './assign.js';
import { type CostModel, type CostTable, costTable, paperCost } from './cost.js';
import { type DynamicLimits, DynamicScheduler } from './dynamic-programme.js';
import { ScheduleError } from './errors.js';
import { evaluate } from './evaluate.js';
import { emptyFlatTree, type FlatTree, TOP_SLOT } from './flat-tree.js';
import { lexicographicTree } from './lexicographic.js';
import { allJointsByVertex, linkTree } from './link-tree.js';
import { type ClosingJoints, ExactLoopScheduler, MOST_EXACT_LOOP_JOINTS } from './loop-exact.js';
import { scheduleByLoopRule } from './loop-rule.js';
import { PartMeter } from './parts.js';
import { graphWithRoot, scheduleWithChosenRoot } from './root.js';
import { TimeLimit } from './time-limit.js';
import { buildTimeline, type TimelineEntry } from './timeline.js';
import { freeJoint, type LinkGraph, linkGraph, type Topology } from './topology.js';
import { nestTree, type ScheduleTree } from './tree.js';

/** Options of `schedule`. */
export interface ScheduleOptions {
  /** Number of processors, 1 or more; not only powers of two. */
  readonly processors: number;
  /** Cost model; the paper's by default. */
  readonly cost?: CostModel;
  /**
   * Milliseconds within which the best schedule found is given, with its proven gap; 2000 by default. It covers all of the
   * call. What is linear in the number of joints is done in any case: about 3 microseconds for each joint (10 with loops),
   * and tens of milliseconds in a fresh process.
   */
  readonly timeBudgetMs?: number;
  /**
   * Which joints may close loops: the loop joints of the topology only (default), which suits the engine best, or whichever
   * joint of a loop comes last.
   */
  readonly closing?: ClosingJoints;
  /** For a free-flying mechanism under a cost model that counts links: choose the root of the computation as well. */
  readonly chooseRoot?: boolean;
}

/** An order of assembly, who does what, and how good it is. */
export interface Schedule {
  /** Nested [joint, rootSide, endSide]. Loop joint l is number `joints + l`. Made when it is first asked for. */
  readonly tree: ScheduleTree;
  /** Processors [from, to) of every joint; its work is done on `from`. Made when it is first asked for. */
  readonly assignment: readonly (readonly [from: number, to: number])[];
  /** Predicted time on all processors, in the unit of the cost model. */
  readonly makespan: number;
  /** Predicted time of the best schedule for one processor. */
  readonly serial: number;
  /** Whether the makespan is proved to be the least possible. */
  readonly optimal: boolean;
  /**
   * Whether the tree is proved to be the lexicographically smallest of all that reach the makespan (joints root first,
   * root side, end side; parts on one processor follow the single-process rule).
   */
  readonly canonical: boolean;
  /** Proven lower bound of the makespan. */
  readonly bound: number;
  /** makespan / bound - 1: the schedule is at most this fraction slower than the best one. */
  readonly gap: number;
  /** Search effort: states expanded (A*), or parts gone through (dynamic programme). */
  readonly expansions: number;
  readonly milliseconds: number;
  readonly method: 'astar' | 'dp' | 'loops-exact' | 'loops-rule';
  /** What every processor does when; made when it is first asked for. */
  readonly timeline: readonly (readonly TimelineEntry[])[];
  /** Root link of the computation (child link of this joint), where it was chosen. */
  readonly root?: number;
  /** For loops by rule: the makespan of the paper's suggestion (cut the loops, put the cut joints on top). */
  readonly paperSuggestion?: number;
}

/** Enough for any machine; keeps ranges and timelines small. */
const MOST_PROCESSORS = 65536;
const DEFAULT_BUDGET_MS = 2000;
/** How many times as long as what comes before the search that takes which comes behind it (measured), ... */
const WRITING = { open: 2, closed: 8 };
/** ... and the least part of the budget that is kept for it. */
const WRITING_SHARE = 0.02;
/** Memory bound, docs/scheduling.md: about 400 bytes an entry. */
const MOST_ENTRIES = 300_000;

/** One request, checked. */
export interface ScheduleRequest {
  readonly topology: Topology;
  readonly graph: LinkGraph;
  readonly costs: CostTable;
  readonly processors: number;
  readonly options: ScheduleOptions;
  /** When the call began, by `performance.now()`. */
  readonly started: number;
}

/** What a search found, in ticks. */
export interface FoundSchedule {
  readonly tree: FlatTree;
  readonly low: number;
  readonly high: number;
  readonly serial: number;
  readonly canonical: boolean;
  readonly expansions: number;
  readonly method: Schedule['method'];
  readonly root?: number;
  readonly paperSuggestion?: number | undefined;
}

/**
 * The optimal schedule of a mechanism, or the best one found in the time given, with a proof or a gap. `started`: when the time
 * began, by `performance.now()`, where the topology took some of it.
 */
export function schedule(topology: Topology, options: ScheduleOptions, started = performance.now()): Schedule {
  return scheduleWith(
    topology,
    options,
    (request) => (request.graph.joints > request.graph.treeJoints ? searchClosed(request) : searchOpen(request)),
    started,
  );
}

/** The schedule that a search finds; `limits` are those of a search that begins when they are asked for. */
export function scheduleWith(
  topology: Topology,
  options: ScheduleOptions,
  search: (request: ScheduleRequest, limits: () => DynamicLimits) => FoundSchedule,
  started = performance.now(),
): Schedule {
  const { processors, cost = paperCost() } = options;
  checkOptions(topology, options);
  const graph = linkGraph(topology);
  const costs = costTable(cost, graph, processors);
  const request: ScheduleRequest = { topology, graph, costs, processors, options, started };
  return report(
    request,
    search(request, () => limitsOf(request, 'open')),
  );
}

/** The limits of a search that begins now. */
function limitsOf({ started, options }: ScheduleRequest, kind: 'open' | 'closed'): DynamicLimits {
  const { timeBudgetMs = DEFAULT_BUDGET_MS } = options;
  const writing = Math.max(WRITING_SHARE * timeBudgetMs, WRITING[kind] * (performance.now() - started));
  return { time: new TimeLimit(started + timeBudgetMs - writing), entries: MOST_ENTRIES };
}

function checkOptions(topology: Topology, options: ScheduleOptions): void {
  const { processors, timeBudgetMs = DEFAULT_BUDGET_MS, closing = 'loop-joints', chooseRoot = false } = options;
  if (!Number.isInteger(processors) || processors < 1 || processors > MOST_PROCESSORS) {
    throw new ScheduleError(
      'bad-processors',
      `A schedule for ${processors} processors is impossible; expected an integer from 1 to ${MOST_PROCESSORS}.`,
      { field: 'processors', expected: `integer 1..${MOST_PROCESSORS}`, found: String(processors) },
    );
  }
  if (typeof timeBudgetMs !== 'number' || !(timeBudgetMs >= 0)) {
    throw new ScheduleError('bad-option', `The time budget is ${timeBudgetMs} ms; expected a number of at least 0.`, {
      field: 'timeBudgetMs',
      expected: '>= 0',
      found: String(timeBudgetMs),
    });
  }
  if (closing !== 'loop-joints' && closing !== 'any') {
    throw new ScheduleError('bad-option', `The option closing is "${String(closing)}"; expected loop-joints or any.`, {
      field: 'closing',
      expected: 'loop-joints or any',
      found: String(closing),
    });
  }
  if (chooseRoot && !topology.freeRoot) {
    throw new ScheduleError('bad-option', 'Only a free-flying mechanism has a root that can be chosen.', {
      field: 'chooseRoot',
      expected: 'a topology with freeRoot',
      found: 'a fixed base',
    });
  }
}

function searchOpen(request: ScheduleRequest): FoundSchedule {
  const { graph, costs, processors, options } = request;
  const meter = new PartMeter(linkTree(graph), costs);
  meter.measurePart(meter.whole());
  const limits = limitsOf(request, 'open');
  const { serial } = meter;
  const scheduler = new DynamicScheduler(meter, limits);
  const whole = scheduler.entry(meter.whole(), processors);
  scheduler.solve(whole);
  const tree = emptyFlatTree(graph.joints);
  const { canonical } = lexicographicTree(scheduler, whole, tree);
  const { low, high } = whole;
  const found: FoundSchedule = { tree, low, high, serial, canonical, expansions: scheduler.expansions, method: 'dp' };
  return options.chooseRoot && costs.counts === 'links' ? withChosenRoot(request, found, limits) : found;
}

/** Compares the schedule with the root as given to the one with the best root and the free joint on top. */
function withChosenRoot(request: ScheduleRequest, asGiven: FoundSchedule, limits: DynamicLimits): FoundSchedule {
  const { topology, graph, costs, processors } = request;
  const free = freeJoint(topology);
  const rooted = scheduleWithChosenRoot(graph, free, costs, processors, limits);
  const better = rooted.high <= asGiven.high ? { ...asGiven, ...rooted } : { ...asGiven, root: free };
  return {
    ...better,
    low: Math.min(rooted.low, asGiven.low),
    canonical: rooted.canonical && asGiven.canonical,
    expansions: rooted.expansions + asGiven.expansions,
  };
}

function searchClosed(request: ScheduleRequest): FoundSchedule {
  const { graph, costs, processors, options } = request;
  const closing = options.closing ?? 'loop-joints';
  if (graph.joints <= MOST_EXACT_LOOP_JOINTS) {
    const all = Array.from({ length: graph.joints }, (_, joint) => joint);
    const search = new ExactLoopScheduler(graph, allJointsByVertex(graph), costs, all, closing);
    const tree = emptyFlatTree(graph.joints);
    search.place(tree, TOP_SLOT, processors);
    const least = search.makespan(processors);
    const serial = search.makespan(1);
    const { expansions } = search;
    return { tree, low: least, high: least, serial, canonical: true, expansions, method: 'loops-exact' };
  }
  const found = scheduleByLoopRule(graph, costs, processors, closing, limitsOf(request, 'closed'));
  return { ...found, canonical: false, method: 'loops-rule' };
}

function report(request: ScheduleRequest, found: FoundSchedule): Schedule {
  const { topology, costs, processors } = request;
  const moved = found.root !== undefined;
  const graph = moved ? graphWithRoot(request.graph, freeJoint(topology), found.root as number) : request.graph;
  const { tree } = found;
  const { ticks, order } = evaluate(tree, graph, costs);
  const ranges = leastCommunication(tree, processors, ticks, costs.handOver, found.high, order);
  const makespan = chainTimes(tree, ranges, ticks, costs.handOver, order)[tree.top];
  let nested: ScheduleTree | undefined;
  let assignment: [number, number][] | undefined;
  let timeline: TimelineEntry[][] | undefined;
  return {
    get tree() {
      nested ??= nestTree(tree, order);
      return nested;
    },
    get assignment() {
      assignment ??= Array.from(ranges.from, (from, joint) => [from, ranges.to[joint]]);
      return assignment;
    },
    makespan: costs.toTime(makespan),
    serial: costs.toTime(found.serial),
    optimal: makespan <= found.low,
    canonical: found.canonical,
    bound: costs.toTime(found.low),
    gap: makespan > found.low ? makespan / found.low - 1 : 0,
    expansions: found.expansions,
    get timeline() {
      timeline ??= buildTimeline(tree, ranges, ticks, costs, processors);
      return timeline;
    },
    method: found.method,
    ...(moved ? { root: found.root as number } : {}),
    ...(found.paperSuggestion === undefined ? {} : { paperSuggestion: costs.toTime(found.paperSuggestion) }),
    milliseconds: performance.now() - request.started,
  };
}
