// From a mechanism to what threads run: the scheduler (src/schedule) is told the costs of its links and says where it is cut;
// here that becomes an assembly of segments and blocks. A mechanism that is free in space can be computed from any of its
// bodies, and does best with one in the middle, where the halves are joined.

import { GROUND, type Mechanism } from '../../mechanism/mechanism.js';
import type { RootedPlan } from '../../plan/rooted-plan.js';
import { isFree, rootedPlan } from '../../plan/rooted-plan.js';
import { ENGINE_CONSTANTS, type EngineConstants } from '../../schedule/cost.js';
import { rootCandidates, scheduleSegments } from '../../schedule/find-segments.js';
import type { LinkCosts, SegmentSchedule } from '../../schedule/link-costs.js';
import { type Assembly, createAssembly, wholeLinks } from './blocks.js';
import { linkCosts } from './link-costs.js';

/** A schedule with the root of the computation, before code is made of it. */
export interface RootedSchedule extends SegmentSchedule {
  /** Body at the root of the computation, GROUND for the author's. */
  readonly root: number;
  readonly segments: number;
  readonly rooted: RootedPlan;
  readonly costs: LinkCosts;
}

/** A schedule and all that code is made from. */
export interface PlannedProgram {
  readonly schedule: RootedSchedule;
  readonly assembly: Assembly;
}

/** Finds schedules of one mechanism and remembers them: to plan a large mechanism takes longer than to schedule it. */
export class Planner {
  readonly mechanism: Mechanism;
  readonly constants: EngineConstants;
  readonly #onlyRoot: number | undefined;
  readonly #found = new Map<number, RootedSchedule>();
  readonly #rooted = new Map<number, { readonly rooted: RootedPlan; readonly costs: LinkCosts } | undefined>();
  #candidates: number[] | undefined;

  constructor(mechanism: Mechanism, constants: EngineConstants = ENGINE_CONSTANTS, onlyRoot?: number) {
    this.mechanism = mechanism;
    this.constants = constants;
    this.#onlyRoot = onlyRoot;
  }

  /** The best schedule for at most so many threads; for one it is the author's tree in one piece. */
  find(threads: number): RootedSchedule {
    const known = this.#found.get(threads);
    if (known !== undefined) return known;
    let best: RootedSchedule | undefined;
    for (const root of this.#roots(threads)) {
      const planned = this.#plan(root);
      if (planned === undefined) continue;
      const { rooted, costs } = planned;
      const found = scheduleSegments(costs, threads, this.constants);
      if (best === undefined || found.ns < best.ns)
        best = { ...found, root, segments: found.cutting.atPort.length, rooted, costs };
    }
    if (best === undefined) throw new RangeError('no body can be the root');
    this.#found.set(threads, best);
    return best;
  }

  plan(threads: number): PlannedProgram {
    return this.build(this.find(threads));
  }

  build(schedule: RootedSchedule): PlannedProgram {
    const { root, cutting, rooted } = schedule;
    const whole = wholeLinks(rooted.plan.links, cutting);
    const kept = whole.size === 0 ? rooted : rootedPlan(this.mechanism, root, whole)!;
    return { schedule, assembly: createAssembly(kept, cutting) };
  }

  #roots(threads: number): readonly number[] {
    // Results do not depend on the root: where a joint cannot be read backwards, the author's will do.
    if (this.#onlyRoot !== undefined)
      return [rootedPlan(this.mechanism, this.#onlyRoot) === undefined ? GROUND : this.#onlyRoot];
    if (threads < 2 || !isFree(this.mechanism)) return [GROUND];
    this.#candidates ??= this.#middleBodies();
    return this.#candidates;
  }

  /** The author's root, and the bodies that leave the lightest halves. */
  #middleBodies(): number[] {
    const { rooted, costs } = this.#plan(GROUND)!;
    // Bodies welded together are one link: the first of them stands for it.
    const bodyOf = new Map<number, number>();
    rooted.plan.bodies.forEach(({ link }, body) => {
      if (link >= 0 && !bodyOf.has(link)) bodyOf.set(link, body);
    });
    return [GROUND, ...rootCandidates(costs).map((link) => bodyOf.get(link)!)];
  }

  #plan(root: number) {
    if (!this.#rooted.has(root)) {
      const rooted = rootedPlan(this.mechanism, root);
      this.#rooted.set(root, rooted && { rooted, costs: linkCosts(this.mechanism, rooted, this.constants) });
    }
    return this.#rooted.get(root);
  }
}
