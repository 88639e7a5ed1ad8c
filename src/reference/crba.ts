// The mass matrix by the composite-rigid-body algorithm (CRBA), and its factorisation along the tree.
//
//   inwards   I^c_p += X_i^T I^c_i X_i,   [n, f] = I^c_i S_i, turned to the axes of the ground, which all links share
//             up the degrees of freedom l above k:  H_kl = S_l . [n, f],   n <- n + P_l x f,   H_kk += armature
//
// with S_l in the same axes and P_l its origin from that of the one above it: [004] variant of the composite rigid body, step 2.
// Rows and columns are in link order (tree.dof). H_jk is zero unless j and k lie on one path to the root, so the
// factorisation H = L^T L that goes from the leaves to the root makes no fill-in (Featherstone 2005).

import type { Tree } from '../mechanism/tree.js';
import { addInertiaToA, INERTIA, inertiaTimes, ORIGIN, rotateBack, TRANSFORM } from '../spatial/spatial.js';
import { SINGULAR } from './aba.js';
import { createKinematics, type KinematicsScratch, poses } from './kinematics.js';

export interface CrbaScratch extends KinematicsScratch {
  /** n x 10: composite inertia of the subtree of each link, link coordinates. */
  readonly composite: Float64Array;
  /** 6: force of one degree of freedom, on its way up. */
  readonly F: Float64Array;
  /** nv x 9: motion space and P of each degree of freedom, axes of the ground. */
  readonly axes: Float64Array;
  /** nv x nv, row major, link order: the mass matrix; after factorise, L in its lower triangle. A result. */
  readonly H: Float64Array;
  /** For each degree of freedom (link order) the next one towards the root, -1 for none, and its own link. */
  readonly above: Int32Array;
  readonly linkOf: Int32Array;
}

export function createCrba(tree: Tree): CrbaScratch {
  const nv = tree.dof[tree.n];
  const linkOf = new Int32Array(nv);
  for (let i = 0; i < tree.n; i++) linkOf.fill(i, tree.dof[i], tree.dof[i + 1]);
  return {
    ...createKinematics(tree),
    composite: new Float64Array(tree.n * INERTIA),
    F: new Float64Array(6),
    axes: new Float64Array(9 * nv),
    H: new Float64Array(nv * nv),
    above: dofParents(tree),
    linkOf,
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
  poses(tree, scratch, q);
  const { n, parent, dof, iv, inertia } = tree;
  const { X, S, pose, composite, F, axes, H, above, linkOf } = scratch;
  const nv = dof[n];
  H.fill(0);
  for (let k = 0; k < nv; k++) {
    const own = TRANSFORM * linkOf[k];
    rotateBack(axes, 9 * k, pose, own, S, 6 * k);
    rotateBack(axes, 9 * k + 3, pose, own, S, 6 * k + 3);
    if (above[k] < 0) continue;
    const up = TRANSFORM * linkOf[above[k]];
    for (let d = 0; d < 3; d++) axes[9 * k + 6 + d] = pose[own + ORIGIN + d] - pose[up + ORIGIN + d];
  }
  composite.set(inertia);
  for (let i = n - 1; i >= 0; i--) {
    if (parent[i] >= 0) addInertiaToA(composite, INERTIA * parent[i], X, TRANSFORM * i, composite, INERTIA * i);
    for (let k = dof[i]; k < dof[i + 1]; k++) {
      inertiaTimes(F, 0, composite, INERTIA * i, S, 6 * k);
      rotateBack(F, 0, pose, TRANSFORM * i, F, 0);
      rotateBack(F, 3, pose, TRANSFORM * i, F, 3);
      let nx = F[0];
      let ny = F[1];
      let nz = F[2];
      const fx = F[3];
      const fy = F[4];
      const fz = F[5];
      for (let l = k; l >= 0; l = above[l]) {
        const o = 9 * l;
        const turning = axes[o] * nx + axes[o + 1] * ny + axes[o + 2] * nz;
        H[k * nv + l] = H[l * nv + k] = turning + axes[o + 3] * fx + axes[o + 4] * fy + axes[o + 5] * fz;
        nx += axes[o + 7] * fz - axes[o + 8] * fy;
        ny += axes[o + 8] * fx - axes[o + 6] * fz;
        nz += axes[o + 6] * fy - axes[o + 7] * fx;
      }
      H[k * nv + k] += armature[iv[i] + k - dof[i]];
    }
  }
}

/** H = L^T L in place, L lower triangular with the sparsity of the tree. Returns -1, or the row where H is not positive definite. */
export function factorise(H: Float64Array, above: Int32Array): number {
  const nv = above.length;
  const before = Float64Array.from(above, (_, k) => H[k * nv + k]);
  for (let k = nv - 1; k >= 0; k--) {
    const row = k * nv;
    const pivot = H[row + k];
    if (!(pivot > SINGULAR * before[k])) return k;
    const root = Math.sqrt(pivot);
    H[row + k] = root;
    for (let i = above[k]; i >= 0; i = above[i]) H[row + i] /= root;
    for (let i = above[k]; i >= 0; i = above[i])
      for (let j = i; j >= 0; j = above[j]) H[i * nv + j] -= H[row + i] * H[row + j];
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
