// A step in time of rollouts: linearly implicit Euler, v' = v + h a(q, v), then positions along the new velocities for the
// time h (src/formulas/integration.ts).

import type { Node } from '../../formulas/graph.js';
import { movePosition } from '../../formulas/integration.js';
import { Q, V } from '../../formulas/links.js';
import type { VectorGraph } from '../../formulas/vectors.js';
import type { Plan, PlanLink } from '../../plan/plan.js';
import type { Finish } from './formulas.js';
import { NEXT_Q, NEXT_V, STEP } from './kernel.js';

export const stepForward =
  (plan: Plan): Finish =>
  (g, link, qdd) => {
    stepLink(g, plan.links[link.unit.links[0]], qdd);
  };

/** Next velocities and positions of a link's joint from its accelerations. */
export function stepLink(g: VectorGraph, { iq, iv, nq, type }: PlanLink, qdd: readonly Node[]): void {
  const h = g.input(STEP, 0);
  const v = qdd.map((a, k) => g.add(g.input(V, iv + k), g.mul(h, a)));
  v.forEach((value, k) => {
    g.output(NEXT_V, iv + k, value);
  });
  const q = Array.from({ length: nq }, (_, k) => g.input(Q, iq + k));
  const moved = v.map((rate) => g.mul(h, rate));
  movePosition(g, type, q, moved, { precision: 'single', normalise: true }).forEach((value, k) => {
    g.output(NEXT_Q, iq + k, value);
  });
}
