// The inverse of the mass matrix in O(n^2), without the mass matrix: column j holds the accelerations under a unit force
// at degree of freedom j alone, of the mechanism at rest. All columns go through the articulated-body recursion together
// (Carpentier 2018):
//
//   inwards   U = I_A S,  D = S^T U + armature
//             row of joint i: D^-1 on its own columns, -D^-1 S^T p_j for the columns j of its subtree
//             p_j <- X^T (p_j + U row_j): the force that column j needs from the parent
//             I_A of the parent += X^T (I_A - U D^-1 U^T) X
//   outwards  for each column j, links i up to it:  a = X a_parent,  row_j -= D^-1 U^T a,  a += S row_j
//
// A column j is at one link at a time on its way inwards, the ancestors of j one after the other; outwards only rows up
// to j are needed, since the inverse is symmetric. It is full inside each tree that hangs from the ground, zero between
// two such trees.

import type { Tree } from '../../mechanism/tree.js';
import { dot6, forceToA, motionToB, TRANSFORM } from '../../spatial/spatial.js';
import { SINGULAR } from './aba-layout.js';
import { createLinkScratch, type LinkScratch, updatePositions } from './links.js';

export interface InverseMassScratch extends LinkScratch {
  /** n x 36: articulated inertias, row major. */
  readonly IA: Float64Array;
  /** 6 numbers for each degree of freedom: U. */
  readonly U: Float64Array;
  /** n x 36: D^-1 of each joint, row major with as many columns as the joint has degrees of freedom. */
  readonly Dinv: Float64Array;
  /** 6 numbers for each degree of freedom j: p_j where it has arrived. */
  readonly p: Float64Array;
  /** n x 6: accelerations of one column. */
  readonly a: Float64Array;
  /** 6 x 6: articulated inertia of one link as its parent feels it; one column on its way. */
  readonly Ia: Float64Array;
  readonly column: Float64Array;
  /** nv x nv, row major, link order. The result. */
  readonly Hinv: Float64Array;
  /** Degrees of freedom of the subtree of each link. */
  readonly below: readonly Int32Array[];
  /** Link that each degree of freedom belongs to. */
  readonly linkOf: Int32Array;
}

export function createInverseMass(tree: Tree): InverseMassScratch {
  const { n, dof, parent } = tree;
  const nv = dof[n];
  const below: number[][] = Array.from({ length: n }, () => []);
  const linkOf = new Int32Array(nv);
  for (let i = 0; i < n; i++)
    for (let k = dof[i]; k < dof[i + 1]; k++) {
      linkOf[k] = i;
      for (let j = i; j >= 0; j = parent[j]) below[j].push(k);
    }
  return {
    ...createLinkScratch(tree),
    IA: new Float64Array(36 * n),
    U: new Float64Array(6 * nv),
    Dinv: new Float64Array(36 * n),
    p: new Float64Array(6 * nv),
    a: new Float64Array(6 * n),
    Ia: new Float64Array(36),
    column: new Float64Array(12),
    Hinv: new Float64Array(nv * nv),
    below: below.map((list) => Int32Array.from(list)),
    linkOf,
  };
}

/** scratch.Hinv <- inverse mass matrix at q, both triangles, link order. Returns -1, or a link whose D is not positive. */
export function fillInverseMass(
  tree: Tree,
  scratch: InverseMassScratch,
  q: Float64Array,
  armature: Float64Array = tree.armature,
): number {
  updatePositions(tree, scratch, q);
  const failed = inwards(tree, scratch, armature);
  if (failed >= 0) return failed;
  outwards(tree, scratch);
  return -1;
}

function inwards(tree: Tree, scratch: InverseMassScratch, armature: Float64Array): number {
  const { n, parent, dof, iv, inertia } = tree;
  const { X, S, IA, U, Dinv, p, Ia, column, Hinv, below } = scratch;
  const nv = dof[n];
  Hinv.fill(0);
  p.fill(0);
  for (let i = 0; i < n; i++) setInertia(IA, 36 * i, inertia, 10 * i);
  for (let i = n - 1; i >= 0; i--) {
    const first = dof[i];
    const m = dof[i + 1] - first;
    const up = parent[i];
    const D = 36 * i;
    for (let k = 0; k < m; k++) {
      const o = 6 * (first + k);
      for (let row = 0; row < 6; row++) U[o + row] = dot6(IA, 36 * i + 6 * row, S, o);
    }
    for (let k = 0; k < m; k++) {
      for (let l = 0; l < m; l++) Dinv[D + m * k + l] = dot6(S, 6 * (first + k), U, 6 * (first + l));
      Dinv[D + m * k + k] += armature[iv[i] + k];
    }
    if (!invertPositive(Dinv, D, m)) return i;
    for (const j of below[i]) {
      const own = j >= first && j < first + m;
      for (let k = 0; k < m; k++) {
        let value = 0;
        if (own) value = Dinv[D + m * k + j - first];
        else for (let l = 0; l < m; l++) value -= Dinv[D + m * k + l] * dot6(S, 6 * (first + l), p, 6 * j);
        Hinv[(first + k) * nv + j] = value;
      }
      if (up < 0) continue;
      for (let k = 0; k < m; k++) {
        const value = Hinv[(first + k) * nv + j];
        for (let row = 0; row < 6; row++) p[6 * j + row] += U[6 * (first + k) + row] * value;
      }
      forceToA(p, 6 * j, X, TRANSFORM * i, p, 6 * j);
    }
    if (up < 0) continue;
    // I_A - U D^-1 U^T, then column by column to the parent: X^T I X, its columns being X^T (I (X e_k)).
    for (let row = 0; row < 6; row++)
      for (let other = 0; other < 6; other++) {
        let value = IA[36 * i + 6 * row + other];
        for (let k = 0; k < m; k++)
          for (let l = 0; l < m; l++)
            value -= U[6 * (first + k) + row] * Dinv[D + m * k + l] * U[6 * (first + l) + other];
        Ia[6 * row + other] = value;
      }
    for (let k = 0; k < 6; k++) {
      column.fill(0);
      column[k] = 1;
      motionToB(column, 0, X, TRANSFORM * i, column, 0);
      for (let row = 0; row < 6; row++) column[6 + row] = dot6(Ia, 6 * row, column, 0);
      forceToA(column, 6, X, TRANSFORM * i, column, 6);
      // One triangle, mirrored: a difference between the two would double from link to link.
      for (let row = 0; row < k; row++) {
        IA[36 * up + 6 * row + k] += column[6 + row];
        IA[36 * up + 6 * k + row] = IA[36 * up + 6 * row + k];
      }
      IA[36 * up + 7 * k] += column[6 + k];
    }
  }
  return -1;
}

function outwards(tree: Tree, scratch: InverseMassScratch): void {
  const { n, parent, dof } = tree;
  const { X, S, U, Dinv, a, Hinv, linkOf } = scratch;
  const nv = dof[n];
  for (let j = 0; j < nv; j++) {
    for (let i = 0; i <= linkOf[j]; i++) {
      const up = parent[i];
      const o = 6 * i;
      const first = dof[i];
      const m = dof[i + 1] - first;
      if (up < 0) a.fill(0, o, o + 6);
      else {
        motionToB(a, o, X, TRANSFORM * i, a, 6 * up);
        for (let k = 0; k < m; k++) {
          let value = Hinv[(first + k) * nv + j];
          for (let l = 0; l < m; l++) value -= Dinv[36 * i + m * k + l] * dot6(U, 6 * (first + l), a, o);
          Hinv[(first + k) * nv + j] = value;
        }
      }
      for (let k = 0; k < m; k++) {
        const value = Hinv[(first + k) * nv + j];
        for (let row = 0; row < 6; row++) a[o + row] += S[6 * (first + k) + row] * value;
      }
    }
    for (let k = 0; k < j; k++) Hinv[j * nv + k] = Hinv[k * nv + j];
  }
}

/** A rigid inertia as a 6 x 6 matrix: [Io, h x; (h x)^T, m 1]. */
function setInertia(out: Float64Array, o: number, I: Float64Array, oi: number): void {
  const m = I[oi];
  const x = I[oi + 1];
  const y = I[oi + 2];
  const z = I[oi + 3];
  out.fill(0, o, o + 36);
  out[o] = I[oi + 4];
  out[o + 1] = out[o + 6] = I[oi + 5];
  out[o + 2] = out[o + 12] = I[oi + 6];
  out[o + 7] = I[oi + 7];
  out[o + 8] = out[o + 13] = I[oi + 8];
  out[o + 14] = I[oi + 9];
  out[o + 4] = out[o + 24] = -z;
  out[o + 9] = out[o + 19] = z;
  out[o + 5] = out[o + 30] = y;
  out[o + 15] = out[o + 20] = -y;
  out[o + 11] = out[o + 31] = -x;
  out[o + 16] = out[o + 26] = x;
  out[o + 21] = out[o + 28] = out[o + 35] = m;
}

/** A small symmetric positive definite matrix is replaced by its inverse (Gauss-Jordan); false where it is not positive. */
function invertPositive(A: Float64Array, o: number, m: number): boolean {
  const before = A.slice(o, o + m * m);
  let left = 1;
  for (let k = 0; k < m; k++) {
    const pivot = A[o + m * k + k];
    left *= pivot / before[m * k + k];
    if (!(pivot > 0 && left > SINGULAR)) return false;
    A[o + m * k + k] = 1;
    for (let c = 0; c < m; c++) A[o + m * k + c] /= pivot;
    for (let r = 0; r < m; r++) {
      if (r === k) continue;
      const factor = A[o + m * r + k];
      A[o + m * r + k] = 0;
      for (let c = 0; c < m; c++) A[o + m * r + c] -= factor * A[o + m * k + c];
    }
  }
  return true;
}
