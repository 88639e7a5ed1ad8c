// The matrix of a quaternion in 32 bits. With k = 2 / |q|^2 the rounding of |q|^2 would scale the matrix by up to 1e-7, more
// than all else in it. Quaternions have unit length but for the rounding of their numbers, so d = 1 - 1 / |q|^2 is tiny and
// can be known to many digits (unitDefect in wgsl.ts), and k x = 2 x - 2 d x is rounded just once.

import type { Node } from '../../formulas/graph.js';
import { quaternionMatrix } from '../../formulas/joints.js';
import type { NodeMat3, VectorGraph } from '../../formulas/vectors.js';

/** E of a quaternion [w, x, y, z], which need not be of unit length: tree to link coordinates. */
export function preciseQuaternionMatrix(g: VectorGraph, q: readonly Node[]): NodeMat3 {
  const d = g.unitDefect(q);
  return quaternionMatrix(g, q, (e) => {
    const twice = g.add(e, e);
    return g.sub(twice, g.mul(d, twice));
  });
}
