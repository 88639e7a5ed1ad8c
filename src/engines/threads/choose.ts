// Where a mechanism is cut, and from which of its bodies it is computed: a mechanism that is free in space can start
// from any of them, and does best with one in the middle, where the halves meet.

import { GROUND, type Mechanism } from '../../mechanism/mechanism.js';
import type { Plan } from '../../plan/plan.js';
import type { RootedPlan } from '../../plan/rooted-plan.js';
import { isFree, rootedPlan } from '../../plan/rooted-plan.js';
import { type Assembly, createAssembly, SMALL, wholeLinks } from './blocks.js';
import { cut } from './cut.js';
import { COSTS, type Costs } from './predict.js';
import type { Cutting } from './segments.js';
import { cutTwins } from './twins.js';
import { type Weights, weigh } from './weights.js';

export interface Choice {
  readonly assembly: Assembly;
  /** Body at the root of the computation, GROUND for the author's. */
  readonly root: number;
  readonly segments: number;
  /** Thread of each segment, where there are enough of them. */
  readonly threadOf: readonly number[];
  /** Predicted nanoseconds of a step on those threads. */
  readonly predictedNs: number;
}

/** Roots that are tried; fewer where a mechanism is large: neighbours differ little, and each takes its time to try. */
const CANDIDATES = 6;
const CANDIDATES_OF_MANY = 2;

/** Segments that wait for limbs do worse than predicted (16 cores): twins are taken where they do almost as well. */
const DOUBT = 0.93;

/** A cutting that has been found, before anything is made of it. */
export interface Found {
  readonly root: number;
  readonly cutting: Cutting;
  readonly segments: number;
  readonly threadOf: readonly number[];
  readonly predictedNs: number;
  readonly rooted: RootedPlan;
}

/** Finds cuttings of one mechanism and remembers them: to weigh a large mechanism takes longer than to cut it. */
export class Cutter {
  readonly mechanism: Mechanism;
  readonly #costs: Costs;
  readonly #onlyRoot: number | undefined;
  readonly #found = new Map<number, Found>();
  readonly #rooted = new Map<number, { readonly rooted: RootedPlan; readonly weights: Weights } | undefined>();
  #candidates: number[] | undefined;

  constructor(mechanism: Mechanism, costs: Costs = COSTS, onlyRoot?: number) {
    this.mechanism = mechanism;
    this.#costs = costs;
    this.#onlyRoot = onlyRoot;
  }

  /** The best cutting into at most `segments`; at one it is the author's tree in one piece. */
  find(segments: number): Found {
    const known = this.#found.get(segments);
    if (known !== undefined) return known;
    let best: Found | undefined;
    for (const root of this.#roots(segments)) {
      const planned = this.#plan(root);
      if (planned === undefined) continue;
      const { rooted, weights } = planned;
      const twins = cutTwins(this.mechanism, rooted, weights, segments, this.#costs);
      const others = cut(rooted.plan.links, weights, segments, this.#costs);
      const waits = others.cutting.atPort.some((port, s) => s > 0 && !port);
      const better = twins !== undefined && (waits ? DOUBT : 1) * twins.ns < others.ns;
      const { cutting, threadOf, ns } = better ? twins : others;
      if (best === undefined || ns < best.predictedNs)
        best = { root, cutting, segments: cutting.atPort.length, threadOf, predictedNs: ns, rooted };
    }
    if (best === undefined) throw new RangeError('no body can be the root');
    this.#found.set(segments, best);
    return best;
  }

  choose(segments: number): Choice {
    const { root, cutting, rooted, segments: count, threadOf, predictedNs } = this.find(segments);
    const whole = wholeLinks(rooted.plan.links, cutting);
    const kept = whole.size === 0 ? rooted : rootedPlan(this.mechanism, root, whole)!;
    return { assembly: createAssembly(kept, cutting), root, segments: count, threadOf, predictedNs };
  }

  #roots(segments: number): readonly number[] {
    if (this.#onlyRoot !== undefined) return [this.#onlyRoot];
    if (segments < 2 || !isFree(this.mechanism)) return [GROUND];
    const { rooted, weights } = this.#plan(GROUND)!;
    this.#candidates ??= candidates(this.mechanism, rooted.plan, weights);
    return this.#candidates;
  }

  #plan(root: number) {
    if (!this.#rooted.has(root)) {
      const rooted = rootedPlan(this.mechanism, root);
      this.#rooted.set(root, rooted && { rooted, weights: weigh(rooted) });
    }
    return this.#rooted.get(root);
  }
}

/** The author's root, and the bodies that leave the lightest halves. */
function candidates(mechanism: Mechanism, plan: Plan, { own }: Weights): number[] {
  const { joints } = mechanism;
  const of = new Float64Array(joints.length);
  // Bodies welded together are one link: the first of them stands for it.
  const first = new Map<number, number>();
  plan.bodies.forEach(({ link }, body) => {
    if (link < 0 || first.has(link)) return;
    first.set(link, body);
    of[body] = own[link];
  });
  const below = of.slice();
  const heaviest = new Float64Array(joints.length);
  for (const body of childrenFirst(mechanism)) {
    const { parent } = joints[body];
    if (parent < 0) continue;
    below[parent] += below[body];
    heaviest[parent] = Math.max(heaviest[parent], below[body]);
  }
  const total = own.reduce((sum, w) => sum + w, 0);
  const worst = (body: number): number => Math.max(heaviest[body], total - below[body]);
  const bodies = [...first.values()]
    .sort((a, b) => worst(a) - worst(b))
    .slice(0, own.length > SMALL ? CANDIDATES_OF_MANY : CANDIDATES);
  return [GROUND, ...bodies];
}

/** Bodies with children before parents, whatever the author's order. */
function childrenFirst({ joints }: Mechanism): number[] {
  const children: number[][] = joints.map(() => []);
  const order: number[] = [];
  for (const [body, { parent }] of joints.entries()) (parent < 0 ? order : children[parent]).push(body);
  for (const body of order) order.push(...children[body]);
  return order.reverse();
}
