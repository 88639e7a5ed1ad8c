// The author's free root in a tree that is computed from another body: its forces act on its link from outside, and its
// accelerations follow from those of the link.

import type { Source } from '../plan/rooted-plan.js';
import { SOURCE_Q, SOURCE_QDD, SOURCE_TAU, SOURCE_V } from './block-records.js';
import type { Node } from './graph.js';
import { quaternionMatrix } from './joints.js';
import type { LinkMotion } from './motion.js';
import type { NodeVec3, Vec6, VectorGraph } from './vectors.js';

/** Link to body coordinates. */
export function sourceRotation(g: VectorGraph, { X }: Source): Node[] {
  return X.slice(0, 9).map((x) => g.constant(x));
}

function sourceOrigin(g: VectorGraph, { X }: Source, length: number): NodeVec3 {
  return g.vec((k) => g.constant(X[9 + k] / length));
}

/** Forces of the author's free root act on its body from outside: X^T f. `length`: metres in a unit of length. */
export function sourceForce(g: VectorGraph, source: Source, length: number): Vec6 {
  const t = sourceOrigin(g, source, length);
  const tau = [0, 1, 2, 3, 4, 5].map((i) => g.input(SOURCE_TAU, i));
  const E = sourceRotation(g, source);
  const force = g.times(g.constant(length), [tau[3], tau[4], tau[5]]);
  const f = g.applyT(E, force);
  const n = g.applyT(E, [tau[0], tau[1], tau[2]]);
  return [...g.plus(n, g.cross(t, f)), ...f];
}

/** Accelerations of the author's free root, from those of its link: body coordinates, gravity added. */
export function finishSource(
  g: VectorGraph,
  source: Source,
  length: number,
  { w, alpha, a }: LinkMotion,
  delta: Vec6,
): void {
  const total = g.plus(alpha, [delta[0], delta[1], delta[2]]);
  const linear = g.plus(a, [delta[3], delta[4], delta[5]]);
  const t = sourceOrigin(g, source, length);
  const atBody = g.plus(linear, g.plus(g.cross(total, t), g.cross(w, g.cross(w, t))));
  const E = sourceRotation(g, source);
  const angular = g.apply(E, total);
  const E0 = quaternionMatrix(
    g,
    [0, 1, 2, 3].map((i) => g.input(SOURCE_Q, i)),
  );
  const falling = g.apply(
    E0,
    g.vec((i) => g.constant(source.gravity[i] / length)),
  );
  const spin = g.vec((i) => g.input(SOURCE_V, i));
  const speed = g.times(
    g.constant(1 / length),
    g.vec((i) => g.input(SOURCE_V, 3 + i)),
  );
  // Components of the velocity in a turning frame: a - w x v.
  const point = g.minus(g.plus(g.apply(E, atBody), falling), g.cross(spin, speed));
  angular.forEach((node, i) => {
    g.output(SOURCE_QDD, i, node);
  });
  point.forEach((node, i) => {
    g.output(SOURCE_QDD, 3 + i, g.mul(g.constant(length), node));
  });
}
