import { type DynamicScheduler, type Entry, SERIAL } from './dynamic-programme.js';
import { type FlatTree, place, type Slot, TOP_SLOT } from './flat-tree.js';
import { jointsOfPart } from './parts.js';
import { SingleProcess } from './single-process.js';

/**
 * Turns the intervals of the dynamic programme into a schedule tree: among all trees within the makespan the one whose
 * joints, written root first, then root side, then end side, are lexicographically smallest. Parts on a single process
 * follow the single-process optimum ([002] Section III-A), whatever time they have.
 *
 * The two sides of a node do not influence each other once the time left to them is known, so the smallest joint that
 * still allows a completion may be taken at every node in turn.
 */
export function lexicographicTree(
  scheduler: DynamicScheduler,
  whole: Entry,
  into: FlatTree,
  slot: Slot = TOP_SLOT,
): { canonical: boolean } {
  const { meter } = scheduler;
  const ties = new TieBreaker(scheduler);
  const single = new SingleProcess(meter, into);
  const proved = whole.low === whole.high;
  const stack: { entry: Entry; limit: number; slot: Slot }[] = [{ entry: whole, limit: whole.high, slot }];
  while (stack.length > 0) {
    const { entry, limit, slot: open } = stack.pop() as { entry: Entry; limit: number; slot: Slot };
    if (entry.processors === 1) {
      single.place(entry.part, open);
      continue;
    }
    let v = proved && !scheduler.stopped ? ties.smallestTop(entry, limit) : SERIAL;
    if (v === SERIAL) v = entry.top; // no time for ties: the schedule that reached `high`
    if (v === SERIAL) {
      single.place(entry.part, open);
      continue;
    }
    const joint = meter.tree.jointOf[v];
    const { root, end } = scheduler.sides(entry, v);
    place(into, open, joint);
    const split = root !== undefined && end !== undefined;
    const rest = limit - (split ? scheduler.splitCost(v, entry.handles) : meter.nodeCost(v, entry.handles));
    const together = split && rest < Math.max(root.high, end.high);
    for (const [side, child] of [['end', end] as const, ['root', root] as const]) {
      if (!child) continue;
      const below = { parent: joint, side };
      if (together) single.place(child.part, below);
      else stack.push({ entry: child, limit: rest, slot: below });
    }
  }
  return { canonical: proved && !scheduler.stopped && !ties.gaveUp };
}

/** Joints that the slow mode of the search may look at for the sake of ties. */
const TIE_EFFORT = 300_000;

/** Chooses the top joints of parts. */
class TieBreaker {
  private readonly scheduler: DynamicScheduler;
  private readonly ruledOut: Uint8Array;
  private effort = TIE_EFFORT;
  /** Some choice could not be decided; the result is then optimal, but perhaps not the smallest of its kind. */
  gaveUp = false;

  constructor(scheduler: DynamicScheduler) {
    this.scheduler = scheduler;
    this.ruledOut = new Uint8Array(scheduler.meter.tree.links);
  }

  /** The smallest joint at the top of a schedule of the part within the limit; SERIAL where none was found. */
  smallestTop(entry: Entry, limit: number): number {
    const { meter } = this.scheduler;
    const joints = this.candidates(entry, limit);
    joints.sort((u, v) => meter.tree.jointOf[u] - meter.tree.jointOf[v]);
    for (const v of joints) {
      if (this.scheduler.hasToStop()) break;
      const { root, end } = this.scheduler.sides(entry, v);
      const alone = limit - meter.nodeCost(v, entry.handles);
      if (root && end) {
        const rest = limit - this.scheduler.splitCost(v, entry.handles);
        if (root.low <= rest && end.low <= rest && this.fits(root, rest) && this.fits(end, rest)) return v;
        // A hand-over can cost more than it saves: both sides then stay on one process.
        if (root.serial + end.serial <= alone && root.high < Infinity && end.high < Infinity) return v;
      } else {
        const other = root ?? end;
        if (other ? this.fits(other, alone) : alone >= 0) return v;
      }
    }
    return SERIAL;
  }

  /** The joints of the part, without the splits that their bounds rule out: entries for them would cost more time. */
  private candidates(entry: Entry, limit: number): number[] {
    const { scheduler, ruledOut } = this;
    const { tree } = scheduler.meter;
    if (entry.serial <= limit) return jointsOfPart(entry.part, tree);
    scheduler.eachSplit(entry, (v, cost, rootLow, endLow) => {
      if (cost + Math.max(rootLow, endLow) > limit) ruledOut[v] = 1;
    });
    if (scheduler.stopped) return [];
    const left = jointsOfPart(entry.part, tree).filter((v) => ruledOut[v] === 0);
    ruledOut.fill(0, entry.part.top, tree.end[entry.part.top]);
    return left;
  }

  private fits(entry: Entry, limit: number): boolean {
    const { fits, effortLeft } = this.scheduler.decide(entry, limit, this.effort);
    this.effort = effortLeft;
    if (!fits && entry.low <= limit) this.gaveUp = true;
    return fits;
  }
}
