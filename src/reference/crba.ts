// The mass matrix by the composite-rigid-body algorithm (CRBA), and its factorisation along the tree.
//
//   inwards   I^c_p += X_i^T I^c_i X_i,   F = I^c_i S_i,   H_ii = S_i^T F + armature
//             up the ancestors j:  F <- X^T F,   H_ji = S_j^T F
//
// Rows and columns are in link order (tree.dof). H_jk is zero unless j and k lie on one path to the root, so the
// factorisation H = L^T L that goes from the leaves to the root makes no fill-in (Featherstone 2005).

import type { Tree } from '../mechanism/tree.js';
import { addInertiaToA, dot6, forceToA, INERTIA, inertiaTimes, TRANSFORM } from '../spatial/spatial.js';
import { SINGULAR } from './aba.js';
import { createLinkScratch, type LinkScratch, updatePositions } from './links.js';

export interface CrbaScratch extends LinkScratch {
  /** n x 10: composite inertia of the subtree of each link, link coordinates. */
  readonly composite: Float64Array;
  /** 6 x 6: force columns of one joint, on their way up. */
  readonly F: Float64Array;
  /** nv x nv, row major, link order: the mass matrix; after factorise, L in its lower triangle. A result. */
  readonly H: Float64Array;
  /** For each degree of freedom (link order) the next one towards the root, -1 for none. */
  readonly above: Int32Array;
}

export function createCrba(tree: Tree): CrbaScratch {
  const nv = tree.dof[tree.n];
  return {
    ...createLinkScratch(tree),
    composite: new Float64Array(tree.n * INERTIA),
    F: new Float64Array(36),
    H: new Float64Array(nv * nv),
    above: dofParents(tree),
  };
}

/** The tree of degrees of freedom: each hangs from the one before it in its joint, or from the last one of an ancestor. */
function dofParents(tree: Tree): Int32Array {
  const above = new Int32Array(tree.dof[tree.n]);
  // Last degree of freedom at or above each link.
  const last = new Int32Array(tree.n);
  for (let i = 0; i < tree.n; i++) {
    const p = tree.parent[i];
    last[i] = p < 0 ? -1 : last[p];
    for (let k = tree.dof[i]; k < tree.dof[i + 1]; k++) {
      above[k] = last[i];
      last[i] = k;
    }
  }
  return above;
}

/** scratch.H <- mass matrix at q, both triangles, link order. */
export function crba(tree: Tree, scratch: CrbaScratch, q: Float64Array, armature: Float64Array = tree.armature): void {
  updatePositions(tree, scratch, q);
  const { n, parent, dof, iv, inertia } = tree;
  const { X, S, composite, F, H } = scratch;
  const nv = dof[n];
  H.fill(0);
  composite.set(inertia);
  for (let i = n - 1; i >= 0; i--) {
    const p = parent[i];
    if (p >= 0) addInertiaToA(composite, INERTIA * p, X, TRANSFORM * i, composite, INERTIA * i);
    const first = dof[i];
    const end = dof[i + 1];
    if (first === end) continue;
    for (let k = first; k < end; k++) {
      inertiaTimes(F, 6 * (k - first), composite, INERTIA * i, S, 6 * k);
      for (let l = first; l <= k; l++) H[k * nv + l] = H[l * nv + k] = dot6(S, 6 * l, F, 6 * (k - first));
      H[k * nv + k] += armature[iv[i] + k - first];
    }
    for (let child = i, j = p; j >= 0; child = j, j = parent[j]) {
      for (let k = first; k < end; k++) {
        const o = 6 * (k - first);
        forceToA(F, o, X, TRANSFORM * child, F, o);
        for (let l = dof[j]; l < dof[j + 1]; l++) {
          H[k * nv + l] = H[l * nv + k] = dot6(S, 6 * l, F, o);
        }
      }
    }
  }
}

/**
 * H = L^T L in place, L lower triangular with the sparsity of the tree. Returns -1, or the row where H is not positive definite: a pivot
 * is next to nothing beside what was there, or those of a joint, together, beside what its own elimination began with (as in aba.ts).
 * `dof`: where the degrees of freedom of each link begin (tree.dof).
 */
export function factorise(H: Float64Array, above: Int32Array, dof: ArrayLike<number>): number {
  const nv = above.length;
  const before = Float64Array.from(above, (_, k) => H[k * nv + k]);
  const entered = new Float64Array(nv);
  for (let i = dof.length - 2; i >= 0; i--) {
    for (let k = dof[i]; k < dof[i + 1]; k++) entered[k] = H[k * nv + k];
    let left = 1;
    for (let k = dof[i + 1] - 1; k >= dof[i]; k--) {
      const row = k * nv;
      const pivot = H[row + k];
      left *= pivot / entered[k];
      if (!(pivot > SINGULAR * before[k] && left > SINGULAR)) return k;
      const root = Math.sqrt(pivot);
      H[row + k] = root;
      for (let i = above[k]; i >= 0; i = above[i]) H[row + i] /= root;
      for (let i = above[k]; i >= 0; i = above[i])
        for (let j = i; j >= 0; j = above[j]) H[i * nv + j] -= H[row + i] * H[row + j];
    }
  }
  return -1;
}

/** x <- H^-1 x, given the factor of factorise; x in link order. First L^T y = x from the leaves, then L x = y from the root. */
export function solveFactorised(L: Float64Array, above: Int32Array, x: Float64Array): void {
  const nv = above.length;
  for (let k = nv - 1; k >= 0; k--) {
    const row = k * nv;
    x[k] /= L[row + k];
    for (let i = above[k]; i >= 0; i = above[i]) x[i] -= L[row + i] * x[k];
  }
  for (let k = 0; k < nv; k++) {
    const row = k * nv;
    for (let i = above[k]; i >= 0; i = above[i]) x[k] -= L[row + i] * x[i];
    x[k] /= L[row + k];
  }
}
