// Which links share the lanes of a vector. Subtrees that hang from one link and have the same shape (left and right arm,
// legs, fingers) are computed together: a unit is one link, or a pair of links at the same place of two such subtrees.
// The shape is that of the tree, the joint types and which entries of a placement's rotation are zero; numbers differ.

import type { Plan } from '../plan/plan.js';

export interface Unit {
  /** One link or two. */
  readonly links: readonly number[];
  /** Index of the parent's unit, -1 for the ground; parents come first. */
  readonly parent: number;
}

/** Every link for itself. */
export function singleUnits(plan: Plan): Unit[] {
  return plan.links.map(({ parent }, i) => ({ links: [i], parent }));
}

/** `alone`: links that share with nobody. */
export function pairedUnits(plan: Pick<Plan, 'links'>, alone: ReadonlySet<number> = new Set()): Unit[] {
  const { links } = plan;
  const children: number[][] = links.map(() => []);
  const roots: number[] = [];
  for (const [i, { parent }] of links.entries()) (parent < 0 ? roots : children[parent]).push(i);
  const shapes = shapesOf(plan, children, alone);
  const byShape = (list: readonly number[]): number[] => [...list].sort((a, b) => shapes[a] - shapes[b] || a - b);
  const units: Unit[] = [];
  // Breadth first; depth first takes the same time.
  const queue: { links: readonly number[]; parent: number }[] = [];
  const enqueueSiblings = (list: readonly number[], parent: number): void => {
    const sorted = byShape(list);
    for (let k = 0; k < sorted.length; k++) {
      const twin = k + 1 < sorted.length && shapes[sorted[k]] === shapes[sorted[k + 1]];
      queue.push({ links: twin ? [sorted[k], sorted[k + 1]] : [sorted[k]], parent });
      if (twin) k++;
    }
  };
  enqueueSiblings(roots, -1);
  for (let at = 0; at < queue.length; at++) {
    const unit = queue[at];
    units.push(unit);
    const [first, second] = unit.links;
    if (second === undefined) enqueueSiblings(children[first], at);
    else {
      const others = byShape(children[second]);
      for (const [k, child] of byShape(children[first]).entries())
        queue.push({ links: [child, others[k]], parent: at });
    }
  }
  return units;
}

/** A number for each link: equal for links whose subtrees have the same shape. */
function shapesOf(
  { links }: Pick<Plan, 'links'>,
  children: readonly (readonly number[])[],
  alone: ReadonlySet<number>,
): number[] {
  const known = new Map<string, number>();
  const shapes: number[] = new Array<number>(links.length).fill(0);
  for (let i = links.length - 1; i >= 0; i--) {
    const { type, E, armature, damped } = links[i];
    const below = children[i].map((child) => shapes[child]).sort((a, b) => a - b);
    const rotation = E.map((entry) => (entry === 0 ? '0' : 'x')).join('');
    const own = `${type} ${damped} ${rotation} ${armature.map((x) => (x === 0 ? '0' : 'x')).join('')} (${below.join(' ')})${alone.has(i) ? ` ${i}` : ''}`;
    let shape = known.get(own);
    if (shape === undefined) {
      shape = known.size;
      known.set(own, shape);
    }
    shapes[i] = shape;
  }
  return shapes;
}
