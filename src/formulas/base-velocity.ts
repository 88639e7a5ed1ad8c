// The angular velocity of a segment's base, from that of another one: w_here = R w + w_rel.

import type { Node } from './graph.js';
import { VectorGraph } from './vectors.js';

/** w_here = R w + w_rel. Arrays: angular velocity, relation, result. */
export function velocityOfChild(): VectorGraph {
  const { g, R, rel, w } = relation();
  for (const i of [0, 1, 2]) g.output(2, i, g.add(rel[i], g.dot([R(i, 0), R(i, 1), R(i, 2)], w)));
  return g;
}

/** w = R^T (w_here - w_rel) */
export function velocityOfParent(): VectorGraph {
  const { g, R, rel, w } = relation();
  const over = w.map((node, i) => g.sub(node, rel[i]));
  for (const i of [0, 1, 2]) g.output(2, i, g.dot([R(0, i), R(1, i), R(2, i)], over));
  return g;
}

/** Places as in block-records.ts: columns 0 and 1 two by two, then column 2 and w. */
function relation() {
  const g = new VectorGraph();
  const R = (i: number, j: number): Node => g.input(1, j < 2 ? 2 * i + j : 6 + 2 * i);
  const rel = [0, 1, 2].map((i) => g.input(1, 7 + 2 * i));
  return { g, R, rel, w: g.inputs(0, 0, 3) };
}
