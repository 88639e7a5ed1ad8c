import { emptyFlatTree, type FlatTree, place, type Slot, TOP_SLOT } from '../../schedule/flat-tree.js';
import { endSideOf, jointsOfPart, type PartMeter, rootSideOf, type TreePart } from '../../schedule/parts.js';
import { SingleProcess } from '../../schedule/single-process.js';
import type { TimeLimit } from '../../schedule/time-limit.js';
import { rootSideShare } from '../../schedule/work-bound.js';
import { PriorityQueue } from './priority-queue.js';

/**
 * A* over partial schedule trees ([002] Section III-B and appendix), with the corrections of ERRATA 002-9 to 002-11.
 *
 * A state is a schedule tree built from the top, in preorder: the next joint always goes to the first open part, root
 * side before end side, and sides without joints are never open (002-9). Every schedule tree is reached along one path
 * only. A part whose range is down to one process is closed at once with its single-process optimum. The priority is
 *
 *   f = max( time of closed parts, over open parts X with p processes: time so far on them + S(X) / p )
 *
 * which never exceeds the best completion (002-10). Ties are ordered by the joints chosen so far: a state on the way
 * to the lexicographically smallest optimum has f no larger than the optimum and a smaller prefix than any other
 * optimum, so it is expanded before any other optimum is accepted.
 */
interface OpenPart {
  readonly part: TreePart;
  readonly processors: number;
  readonly handles: number;
  readonly serial: number;
  /** Time already spent by the processes of the part. */
  readonly active: number;
  readonly exact: boolean;
  readonly key: string;
}

interface State {
  readonly open: readonly OpenPart[];
  /** Time of the slowest closed part. */
  readonly closed: number;
  readonly f: number;
  /** Choices so far, twice the joint, plus one where both sides stay on one process. */
  readonly choices: readonly number[];
}

export interface AStarLimits {
  readonly time: TimeLimit;
  /** States kept at most. */
  readonly states: number;
}

export interface AStarResult {
  readonly tree: FlatTree;
  readonly low: number;
  readonly high: number;
  readonly expansions: number;
}

function compareStates(a: State, b: State): number {
  return a.f - b.f || compareChoices(a.choices, b.choices);
}

function compareChoices(a: readonly number[], b: readonly number[]): number {
  const common = Math.min(a.length, b.length);
  for (let i = 0; i < common; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}

export class AStarScheduler {
  private readonly meter: PartMeter;
  private readonly limits: AStarLimits;
  private readonly queue = new PriorityQueue<State>(compareStates);
  /** States seen, by their open parts: for duplicate detection. */
  private readonly seen = new Map<string, State[]>();
  private kept = 0;
  /** The best complete schedule so far: this state, with all its open parts on one process each. */
  private best: State | undefined;
  private bestTime = Number.POSITIVE_INFINITY;
  /** Least priority of the states left out because their parts have too many handles for an exact cost. */
  private leftOut = Number.POSITIVE_INFINITY;

  constructor(meter: PartMeter, limits: AStarLimits) {
    this.meter = meter;
    this.limits = limits;
  }

  solve(processors: number, joints: number): AStarResult {
    const { tree, costs } = this.meter;
    this.add([this.openPart(this.meter.whole(), processors, 0)], 0, []);
    let expansions = 0;
    let low = Number.POSITIVE_INFINITY;
    for (let state = this.queue.pop(); state; state = this.queue.pop()) {
      low = state.f;
      if (state.open.length === 0) {
        this.best = state;
        this.bestTime = state.f;
        break;
      }
      if (this.limits.time.isUp() || this.kept > this.limits.states) break;
      expansions++;
      const [first, ...others] = state.open;
      for (const v of jointsOfPart(first.part, tree)) {
        const choice = 2 * tree.jointOf[v];
        const now = first.active + this.meter.nodeCost(v, first.handles);
        const root = rootSideOf(first.part, tree, v);
        const end = endSideOf(first.part, tree, v);
        const sides = [this.openPart(root, 1, now), this.openPart(end, 1, now)];
        if (!sides[0] || !sides[1]) {
          const left = sides[0] ? root : end;
          this.add([this.openPart(left, first.processors, now), ...others], Math.max(state.closed, now), [
            ...state.choices,
            choice,
          ]);
          continue;
        }
        const share = rootSideShare(first.processors);
        const later = now + costs.handOver;
        const divided = [this.openPart(root, share, later), this.openPart(end, first.processors - share, later)];
        this.add([...divided, ...others], state.closed, [...state.choices, choice]);
        if (costs.handOver > 0) {
          const together = now + sides[0].serial + sides[1].serial;
          this.add(others, Math.max(state.closed, together), [...state.choices, choice + 1]);
        }
      }
    }
    const best = this.best as State;
    low = Math.min(low, this.leftOut, this.bestTime);
    return { tree: this.build(best, processors, joints), low, high: this.bestTime, expansions };
  }

  /** Undefined for a part without joints. */
  private openPart(part: TreePart, processors: number, active: number): OpenPart | undefined {
    this.meter.measurePart(part);
    const { size, handles, serial, exact } = this.meter;
    if (size === 0) return undefined;
    return { part, processors, handles, serial, active, exact, key: `${processors}:${part.top}:${part.cuts.join()}` };
  }

  /** Closes parts on one process, and queues the state unless it is too dear or another one is at least as good. */
  private add(parts: readonly (OpenPart | undefined)[], closedBefore: number, choices: readonly number[]): void {
    let closed = closedBefore;
    const open: OpenPart[] = [];
    for (const part of parts) {
      if (part?.processors === 1) closed = Math.max(closed, part.active + part.serial);
      else if (part) open.push(part);
    }
    let f = closed;
    let allSerial = closed;
    for (const part of open) {
      f = Math.max(f, part.active + Math.ceil(part.serial / part.processors));
      allSerial = Math.max(allSerial, part.active + part.serial);
    }
    if (f > this.bestTime) return;
    if (parts.some((part) => part && !part.exact)) {
      this.leftOut = Math.min(this.leftOut, f);
      return;
    }
    const state: State = { open, closed, f, choices };
    if (allSerial < this.bestTime) {
      this.bestTime = allSerial;
      this.best = state;
    }
    if (open.length > 0 && this.isDuplicate(state)) return;
    this.queue.push(state);
    this.kept++;
  }

  /** Whether a state with the same open parts is nowhere later and comes first among equals. */
  private isDuplicate(state: State): boolean {
    const key = state.open.map((part) => part.key).join(';');
    const others = this.seen.get(key);
    if (!others) {
      this.seen.set(key, [state]);
      return false;
    }
    const dominates = (other: State): boolean =>
      other.closed <= state.closed &&
      other.open.every((part, i) => part.active <= state.open[i].active) &&
      compareChoices(other.choices, state.choices) <= 0;
    if (others.some(dominates)) return true;
    others.push(state);
    return false;
  }

  /** Repeats the choices of a state; parts left open go to one process. */
  private build(state: State, processors: number, joints: number): FlatTree {
    const { tree } = this.meter;
    const flat = emptyFlatTree(joints);
    const single = new SingleProcess(this.meter, flat);
    const stack: { part: TreePart; processors: number; slot: Slot }[] = [
      { part: this.meter.whole(), processors, slot: TOP_SLOT },
    ];
    let next = 0;
    while (stack.length > 0) {
      const { part, processors: range, slot } = stack.pop() as { part: TreePart; processors: number; slot: Slot };
      if (range === 1 || next === state.choices.length) {
        single.place(part, slot);
        continue;
      }
      const choice = state.choices[next++];
      const joint = choice >> 1;
      const v = tree.linkOf[joint];
      place(flat, slot, joint);
      const root = rootSideOf(part, tree, v);
      const end = endSideOf(part, tree, v);
      const both = this.openPart(root, 1, 0) !== undefined && this.openPart(end, 1, 0) !== undefined;
      const share = choice % 2 === 1 ? 1 : both ? rootSideShare(range) : range;
      const rest = choice % 2 === 1 ? 1 : both ? range - share : range;
      if (this.openPart(end, 1, 0)) stack.push({ part: end, processors: rest, slot: { parent: joint, side: 'end' } });
      if (this.openPart(root, 1, 0))
        stack.push({ part: root, processors: share, slot: { parent: joint, side: 'root' } });
    }
    return flat;
  }
}
