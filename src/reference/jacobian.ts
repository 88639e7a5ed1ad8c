// The geometric Jacobian of a link: v_link = J qd, spatial velocity in link coordinates.

import type { Tree } from '../mechanism/tree.js';
import { compose, motionToB, setIdentity, TRANSFORM } from '../spatial/spatial.js';
import { createLinkScratch, type LinkScratch, updatePositions } from './links.js';

export interface JacobianScratch extends LinkScratch {
  /** 12: from the joint at hand out to the link. */
  readonly out: Float64Array;
  readonly next: Float64Array;
  /** 6: one column. */
  readonly column: Float64Array;
}

export function createJacobian(tree: Tree): JacobianScratch {
  return {
    ...createLinkScratch(tree),
    out: new Float64Array(TRANSFORM),
    next: new Float64Array(TRANSFORM),
    column: new Float64Array(6),
  };
}

/**
 * J <- 6 x nv, row major, columns in the order of v; zero for joints that do not carry the link.
 * Columns of joint j: X_link ... X_child S_j, the product gathered on the way up.
 */
export function jacobian(tree: Tree, scratch: JacobianScratch, J: Float64Array, q: Float64Array, link: number): void {
  updatePositions(tree, scratch, q);
  const { parent, dof, iv } = tree;
  const { X, S, out, next, column } = scratch;
  const nv = dof[tree.n];
  J.fill(0);
  setIdentity(out, 0);
  for (let j = link; j >= 0; j = parent[j]) {
    for (let k = dof[j]; k < dof[j + 1]; k++) {
      motionToB(column, 0, out, 0, S, 6 * k);
      for (let row = 0; row < 6; row++) J[row * nv + iv[j] + k - dof[j]] = column[row];
    }
    compose(next, 0, out, 0, X, TRANSFORM * j);
    out.set(next);
  }
}
