// Where a mechanism is cut, and from which of its bodies it is computed: a mechanism that is free in space can start
// from any of them, and does best with one in the middle, where the halves meet.

import { type Assembly, createAssembly, wholeLinks } from '../compile/blocks.js';
import { isFree, rootedPlan } from '../compile/rooted-plan.js';
import { GROUND, type Mechanism } from '../mechanism/mechanism.js';
import { cut } from './cut.js';
import { COSTS, type Costs } from './predict.js';
import { weigh } from './weights.js';

export interface Choice {
  readonly assembly: Assembly;
  /** Body at the root of the computation, GROUND for the author's. */
  readonly root: number;
  readonly segments: number;
  /** Thread of each segment, where there are enough of them. */
  readonly threadOf: readonly number[];
  /** Predicted nanoseconds of a step with a thread for each segment. */
  readonly predictedNs: number;
}

/** Roots that are tried. */
const CANDIDATES = 6;

/** The best cutting into at most `segments`; at one it is the author's tree in one piece. */
export function chooseCutting(mechanism: Mechanism, segments: number, costs: Costs = COSTS, onlyRoot?: number): Choice {
  let best: { root: number; cutting: ReturnType<typeof cut> } | undefined;
  const roots = onlyRoot !== undefined ? [onlyRoot] : segments > 1 ? candidates(mechanism) : [GROUND];
  for (const root of roots) {
    const rooted = rootedPlan(mechanism, root);
    if (rooted === undefined) continue;
    const cutting = cut(rooted.plan.links, weigh(rooted), segments, costs);
    if (best === undefined || cutting.ns < best.cutting.ns) best = { root, cutting };
  }
  if (best === undefined) throw new RangeError('no body can be the root');
  const { root } = best;
  const { cutting, threadOf, ns } = best.cutting;
  const whole = wholeLinks(rootedPlan(mechanism, root)!.plan.links, cutting);
  const assembly = createAssembly(rootedPlan(mechanism, root, whole)!, cutting);
  return { assembly, root, segments: cutting.atPort.length, threadOf, predictedNs: ns };
}

/** The author's root, and the bodies that leave the lightest halves. */
function candidates(mechanism: Mechanism): number[] {
  if (!isFree(mechanism)) return [GROUND];
  const { joints } = mechanism;
  const rooted = rootedPlan(mechanism)!;
  const { plan } = rooted;
  const { own } = weigh(rooted);
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
  const bodies = [...first.values()].sort((a, b) => worst(a) - worst(b)).slice(0, CANDIDATES);
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
