// The matrix of a quaternion in 32 bits. With k = 2 / |q|^2 the rounding of |q|^2 would scale the matrix by up to 1e-7, more
// than all else in it. Quaternions have unit length but for the rounding of their numbers, so d = 1 - 1 / |q|^2 is tiny and
// can be known to many digits (unitDefect in wgsl.ts); what d corrects is rounded once.

import type { Node } from '../compile/graph.js';
import type { Mat3, VectorGraph } from '../compile/vectors.js';

/** E of a quaternion [w, x, y, z], which need not be of unit length: tree to link coordinates, as quaternionMatrix. */
export function preciseQuaternionMatrix(g: VectorGraph, q: readonly Node[]): Mat3 {
  const [w, x, y, z] = q;
  const d = g.unitDefect(q);
  const twice = (e: Node): Node => g.add(e, e);
  const [x2, y2, z2] = [twice(x), twice(y), twice(z)];
  const [xx, yy, zz] = [g.mul(x, x2), g.mul(y, y2), g.mul(z, z2)];
  const [xy, xz, yz] = [g.mul(x, y2), g.mul(x, z2), g.mul(y, z2)];
  const [wx, wy, wz] = [g.mul(w, x2), g.mul(w, y2), g.mul(w, z2)];
  /** t (1 - d) */
  const corrected = (t: Node): Node => g.sub(t, g.mul(d, t));
  const diagonal = (t: Node): Node => g.add(g.sub(g.one, t), g.mul(d, t));
  return [
    diagonal(g.add(yy, zz)),
    corrected(g.add(xy, wz)),
    corrected(g.sub(xz, wy)),
    corrected(g.sub(xy, wz)),
    diagonal(g.add(xx, zz)),
    corrected(g.add(yz, wx)),
    corrected(g.add(xz, wy)),
    corrected(g.sub(yz, wx)),
    diagonal(g.add(xx, yy)),
  ];
}
