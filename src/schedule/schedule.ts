import { chainTimes, leastCommunication } from './assign.js';
import { AStarScheduler } from './astar.js';
import { type CostModel, type CostTable, costTable, paperCost } from './cost.js';
import { DynamicScheduler } from './dynamic-programme.js';
import { ScheduleError } from './errors.js';
import { evaluate } from './evaluate.js';
import { emptyFlatTree, type FlatTree, TOP_SLOT } from './flat-tree.js';
import { lexicographicTree } from './lexicographic.js';
import { linkTree } from './link-tree.js';
import { type ClosingJoints, ExactLoopScheduler, MOST_EXACT_LOOP_JOINTS } from './loop-exact.js';
import { scheduleByLoopRule } from './loop-rule.js';
import { PartMeter } from './parts.js';
import { graphWithRoot, scheduleWithChosenRoot } from './root.js';
import { buildTimeline, type TimelineEntry } from './timeline.js';
import { freeJoint, type LinkGraph, linkGraph, type Topology } from './topology.js';
import { nestTree, type ScheduleTree } from './tree.js';

/** Options of `schedule`. */
export interface ScheduleOptions {
  /** Number of processors, 1 or more; not only powers of two. */
  readonly processors: number;
  /** Cost model; the paper's by default. */
  readonly cost?: CostModel;
  /** Milliseconds after which the best schedule so far is given, with its proven gap. */
  readonly timeBudgetMs?: number;
  /** 'astar' for the search of the paper, 'dp' for the dynamic programme; 'auto' takes the faster one. */
  readonly method?: 'auto' | 'astar' | 'dp';
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
  /** Nested [joint, rootSide, endSide]. Loop joint l is number `joints + l`. */
  readonly tree: ScheduleTree;
  /** Processors [from, to) of every joint; its work is done on `from`. */
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
  /** What every processor does when. */
  readonly timeline: readonly (readonly TimelineEntry[])[];
  /** Root link of the computation (child link of this joint), where it was chosen. */
  readonly root?: number;
  /** For loops by rule: the makespan of the paper's suggestion (cut the loops, put the cut joints on top). */
  readonly paperSuggestion?: number;
}

/** Enough for any machine; keeps ranges and timelines small. */
const MOST_PROCESSORS = 65536;
const DEFAULT_BUDGET_MS = 2000;
/** The rest of the time budget is for writing the schedule out. */
const SEARCH_SHARE = 0.9;
/** Memory bounds, docs/scheduling.md: about 400 bytes an entry, about 1.3 KB a state. */
const MOST_ENTRIES = 300_000;
const MOST_STATES = 100_000;

/** One request, checked. */
interface Task {
  readonly topology: Topology;
  readonly graph: LinkGraph;
  readonly costs: CostTable;
  readonly processors: number;
  readonly limits: { readonly deadline: number; readonly entries: number };
  readonly options: ScheduleOptions;
}

/** What a search found, in ticks. */
interface Found {
  readonly tree: FlatTree;
  readonly low: number;
  readonly high: number;
  readonly serial: number;
  readonly canonical: boolean;
  readonly expansions: number;
  readonly method: Schedule['method'];
  readonly root?: number;
  readonly paperSuggestion?: number;
}

/** The optimal schedule of a mechanism, or the best one found in the time given, with a proof or a gap. */
export function schedule(topology: Topology, options: ScheduleOptions): Schedule {
  const started = performance.now();
  const { processors, cost = paperCost(), timeBudgetMs = DEFAULT_BUDGET_MS } = options;
  checkOptions(topology, options);
  const graph = linkGraph(topology);
  const costs = costTable(cost, graph, processors);
  const limits = { deadline: started + SEARCH_SHARE * timeBudgetMs, entries: MOST_ENTRIES };
  const task: Task = { topology, graph, costs, processors, limits, options };
  const found = graph.joints > graph.treeJoints ? searchClosed(task) : searchOpen(task);
  return report(task, found, started);
}

function checkOptions(topology: Topology, options: ScheduleOptions): void {
  const {
    processors,
    timeBudgetMs = DEFAULT_BUDGET_MS,
    method = 'auto',
    closing = 'loop-joints',
    chooseRoot = false,
  } = options;
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
  if (method !== 'auto' && method !== 'astar' && method !== 'dp') {
    throw new ScheduleError('bad-option', `The method "${String(method)}" is unknown; expected auto, astar or dp.`, {
      field: 'method',
      expected: 'auto, astar or dp',
      found: String(method),
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

function searchOpen(task: Task): Found {
  const { graph, costs, processors, limits, options } = task;
  const meter = new PartMeter(linkTree(graph), costs);
  meter.measurePart(meter.whole());
  const { serial } = meter;
  if (options.method === 'astar') {
    const search = new AStarScheduler(meter, { deadline: limits.deadline, states: MOST_STATES });
    const result = search.solve(processors, graph.joints);
    return { ...result, serial, canonical: result.low === result.high, method: 'astar' };
  }
  const scheduler = new DynamicScheduler(meter, limits);
  const whole = scheduler.entry(meter.whole(), processors);
  scheduler.solve(whole);
  const tree = emptyFlatTree(graph.joints);
  const { canonical } = lexicographicTree(scheduler, whole, tree);
  const { low, high } = whole;
  const found: Found = { tree, low, high, serial, canonical, expansions: scheduler.expansions, method: 'dp' };
  return options.chooseRoot && costs.counts === 'links' ? withChosenRoot(task, found) : found;
}

/** Compares the schedule with the root as given to the one with the best root and the free joint on top. */
function withChosenRoot(task: Task, asGiven: Found): Found {
  const { topology, graph, costs, processors, limits } = task;
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

function searchClosed(task: Task): Found {
  const { graph, costs, processors, limits, options } = task;
  const closing = options.closing ?? 'loop-joints';
  if (graph.joints <= MOST_EXACT_LOOP_JOINTS) {
    const all = Array.from({ length: graph.joints }, (_, joint) => joint);
    const search = new ExactLoopScheduler(graph, costs, all, closing);
    const tree = emptyFlatTree(graph.joints);
    search.place(tree, TOP_SLOT, processors);
    const least = search.makespan(processors);
    const serial = search.makespan(1);
    const { expansions } = search;
    return { tree, low: least, high: least, serial, canonical: true, expansions, method: 'loops-exact' };
  }
  return { ...scheduleByLoopRule(graph, costs, processors, closing, limits), canonical: false, method: 'loops-rule' };
}

function report(task: Task, found: Found, started: number): Schedule {
  const { topology, costs, processors } = task;
  const moved = found.root !== undefined;
  const graph = moved ? graphWithRoot(task.graph, freeJoint(topology), found.root as number) : task.graph;
  const { tree } = found;
  const { ticks } = evaluate(tree, graph, costs);
  const ranges = leastCommunication(tree, processors, ticks, costs.handOver, found.high);
  const makespan = chainTimes(tree, ranges, ticks, costs.handOver)[tree.top];
  const assignment = Array.from(ticks, (_, joint): [number, number] => [ranges.from[joint], ranges.to[joint]]);
  return {
    tree: nestTree(tree),
    assignment,
    makespan: costs.toTime(makespan),
    serial: costs.toTime(found.serial),
    optimal: makespan <= found.low,
    canonical: found.canonical,
    bound: costs.toTime(found.low),
    gap: makespan > found.low ? makespan / found.low - 1 : 0,
    expansions: found.expansions,
    timeline: buildTimeline(tree, ranges, ticks, costs, processors),
    method: found.method,
    ...(moved ? { root: found.root as number } : {}),
    ...(found.paperSuggestion === undefined ? {} : { paperSuggestion: costs.toTime(found.paperSuggestion) }),
    milliseconds: performance.now() - started,
  };
}
