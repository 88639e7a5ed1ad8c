// Units that make the formulas short. Lengths are counted in the length L that stands most often in the placements, so
// that many offsets become 1 and their multiplications vanish; masses are counted so that rotational inertias and moments
// keep their numbers: t / L, m L^2, h L, gravity / L, forces f L, second moments and joint moments as they are.

import type { FormulaType, Plan } from './plan.js';

/** A plan in other units of length; coordinates in memory are still in metres. */
export interface ScaledPlan extends Plan {
  /** Metres in a unit of length. */
  readonly length: number;
}

export const inMetres = (plan: Plan): ScaledPlan => ({ ...plan, length: 1 });

export function inShortestUnits(plan: Plan): ScaledPlan {
  const length = commonLength(plan);
  if (length === 1) return inMetres(plan);
  return {
    ...plan,
    length,
    gravity: plan.gravity.map((x) => x / length),
    loops: plan.loops.map((loop) => ({
      ...loop,
      Xa: loop.Xa.map((x, k) => (k < 9 ? x : x / length)),
      Xb: loop.Xb.map((x, k) => (k < 9 ? x : x / length)),
      pitch: loop.pitch / length,
    })),
    links: plan.links.map((link) => ({
      ...link,
      t: link.t.map((x) => x / length),
      mass: link.mass * length ** 2,
      h: link.h.map((x) => x * length),
      // Helical joints: metres per radian.
      parameters: link.type === 'helical' ? link.parameters.map((x) => x / length) : link.parameters,
      armature: link.armature.map((x, k) => (isLinear(link.type, k) ? x * length ** 2 : x)),
    })),
  };
}

/** Offsets below this part of the largest are what rounding has left of a zero: no unit to measure anything with. */
const ROUNDING = 1e-9;

/** The size that most offsets have, 1 where there are none. */
function commonLength({ links }: Plan): number {
  const counts = new Map<number, number>();
  const largest = links.reduce((most, { t }) => Math.max(most, ...t.map(Math.abs)), 0);
  let best = 1;
  for (const { t } of links)
    for (const x of t) {
      const size = Math.abs(x);
      if (size <= ROUNDING * largest) continue;
      const count = (counts.get(size) ?? 0) + 1;
      counts.set(size, count);
      if (count > (counts.get(best) ?? 0)) best = size;
    }
  return best;
}

/** Whether degree of freedom k is a length. */
export function isLinear(type: FormulaType, k: number): boolean {
  switch (type) {
    case 'prismatic':
      return true;
    case 'cylindrical':
      return k === 1;
    case 'planar':
      return k < 2;
    case 'floating':
      return k >= 3;
    default:
      return false;
  }
}
