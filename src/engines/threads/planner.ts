// From a mechanism to what threads run: the scheduler (src/schedule) is told the costs of its links and says where it is cut;
// here that becomes an assembly of segments and blocks. A mechanism that is free in space can be computed from any of its
// bodies, and does best with one in the middle, where the halves are joined.

import { GROUND, type Mechanism } from '../../mechanism/mechanism.js';
import { matchFrames } from '../../plan/match-frames.js';
import type { RootedPlan } from '../../plan/rooted-plan.js';
import { isFree, rootedPlan } from '../../plan/rooted-plan.js';
import { ENGINE_CONSTANTS, type EngineConstants } from '../../schedule/cost.js';
import { SMALL } from '../../schedule/cut-by-weight.js';
import { rootCandidates, scheduleSegments } from '../../schedule/find-segments.js';
import { type LinkCosts, lanesPay, type SegmentSchedule } from '../../schedule/link-costs.js';
import { type BlockAssembly, createAssembly, lanePartners, wholeLinks } from './blocks.js';
import { linkCosts } from './link-costs.js';

/** Links from which on halves may share vectors, and links in a block then, about: code of both stays in the cache. */
const LEAST_IN_LANES = 60;
const LANE_BLOCK_LINKS = 8;

/** A schedule with the root of the computation, before code is made of it. */
export interface RootedSegments extends SegmentSchedule {
  /** Body at the root of the computation, GROUND for the author's. */
  readonly root: number;
  readonly segments: number;
  readonly rooted: RootedPlan;
  readonly costs: LinkCosts;
}

/** A schedule and all that code is made from. */
export interface PlannedProgram {
  readonly schedule: RootedSegments;
  readonly assembly: BlockAssembly;
}

/** Finds schedules of one mechanism and remembers them: to plan a large mechanism takes longer than to schedule it. */
export class Planner {
  readonly mechanism: Mechanism;
  readonly constants: EngineConstants;
  readonly #onlyRoot: number | undefined;
  readonly #found = new Map<number, RootedSegments>();
  readonly #rooted = new Map<number, { readonly rooted: RootedPlan; readonly costs: LinkCosts } | undefined>();
  #candidates: number[] | undefined;

  constructor(mechanism: Mechanism, constants: EngineConstants = ENGINE_CONSTANTS, onlyRoot?: number) {
    this.mechanism = mechanism;
    this.constants = constants;
    this.#onlyRoot = onlyRoot;
  }

  /** The best schedule for at most so many threads; for one it is the author's tree in one piece. */
  find(threads: number): RootedSegments {
    const known = this.#found.get(threads);
    if (known !== undefined) return known;
    let best: RootedSegments | undefined;
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

  /**
   * For one thread, code that blocks of links share; undefined where code for every link is as good. A mechanism that is free
   * in space is computed from its middle, two blocks at a time in the lanes of vectors, where that takes fewer instructions.
   */
  planShared(): PlannedProgram | undefined {
    const joints = this.mechanism.joints.filter(({ type }) => type !== 'fixed').length;
    const halves = joints >= LEAST_IN_LANES && this.#onlyRoot === undefined && isFree(this.mechanism);
    if (!halves && joints <= SMALL) return undefined;
    const asGiven = this.find(1);
    if (halves)
      for (const root of this.#middle().slice(1)) {
        const planned = this.#planLanes(root, asGiven);
        if (planned !== undefined) return planned;
      }
    return joints > SMALL ? this.build(asGiven) : undefined;
  }

  /** From that root in the lanes of vectors, if that pays. */
  #planLanes(root: number, asGiven: RootedSegments): PlannedProgram | undefined {
    const { cutting } = asGiven;
    const planned = this.#plan(root);
    if (planned === undefined) return undefined;
    const { rooted, costs } = planned;
    const kept = rootedPlan(this.mechanism, root, wholeLinks(rooted.plan.links, cutting, LANE_BLOCK_LINKS))!;
    const options = { blockLinks: LANE_BLOCK_LINKS, siblingLanes: true };
    const partnerOf = lanePartners(createAssembly(kept, cutting, options));
    if (!lanesPay(costs, partnerOf, asGiven.costs)) return undefined;
    const assembly = createAssembly(matchFrames(kept, partnerOf), cutting, options);
    return { schedule: { ...asGiven, root, rooted: assembly.rooted, costs }, assembly };
  }

  build(schedule: RootedSegments): PlannedProgram {
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
    return this.#middle();
  }

  #middle(): readonly number[] {
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
