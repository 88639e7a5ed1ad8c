// How frames of an open tree answer to forces at them, J H^-1 J^T, by articulated bodies in ground coordinates: O(n) for the inertias,
// then O(d) for each row of J and O(d) for each pair of rows, with d the degrees of freedom that carry a frame. Eliminating the
// degrees of freedom one after the other from the leaves on,
//
//   U = I^A S,  D = S^T U + armature,  I^A of what it hangs from += I^A - U U^T / D
//
// H = L^T D L for a unit lower triangle L, and x = L^-T j of a row j of J is found on its way to the ground:
//
//   x_k = j_k - S_k^T p,   p += U_k x_k / D_k,   (J H^-1 J^T)_ab = sum of x_ak x_bk / D_k

import type { Tree } from '../mechanism/tree.js';
import { addInertiaToA, dot6, INERTIA, TRANSFORM } from '../spatial/spatial.js';
import type { ColumnScratch } from './column-motions.js';

/** Numbers of a symmetric 6 x 6 matrix, all of them, row major. */
const SIZE = 36;

export class OperationalInertiaSolver {
  readonly #tree: Tree;
  readonly #rigid: Float64Array;
  readonly #articulated: Float64Array;
  /** nv x 6 and nv, in link order. */
  readonly #U: Float64Array;
  readonly #D: Float64Array;
  /** n x 6: forces on their way to the ground. */
  readonly #p: Float64Array;

  constructor(tree: Tree) {
    const nv = tree.dof[tree.n];
    this.#tree = tree;
    this.#rigid = new Float64Array(INERTIA);
    this.#articulated = new Float64Array(SIZE * tree.n);
    this.#U = new Float64Array(6 * nv);
    this.#D = new Float64Array(nv);
    this.#p = new Float64Array(6 * tree.n);
  }

  /** At the positions whose columns S are; false where a degree of freedom moves no mass. */
  update({ kinematics, S }: ColumnScratch): boolean {
    const { n, parent, dof, iv, armature, inertia } = this.#tree;
    const [A, U, D] = [this.#articulated, this.#U, this.#D];
    for (let i = 0; i < n; i++) {
      this.#rigid.fill(0);
      addInertiaToA(this.#rigid, 0, kinematics.pose, TRANSFORM * i, inertia, INERTIA * i);
      setMatrix(A, SIZE * i, this.#rigid);
    }
    for (let i = n - 1; i >= 0; i--) {
      const o = SIZE * i;
      for (let k = dof[i + 1] - 1; k >= dof[i]; k--) {
        for (let c = 0; c < 6; c++) U[6 * k + c] = dot6(A, o + 6 * c, S, 6 * k);
        D[k] = dot6(S, 6 * k, U, 6 * k) + armature[iv[i] + k - dof[i]];
        if (!(D[k] > 0)) return false;
        for (let r = 0; r < 6; r++)
          for (let c = 0; c < 6; c++) A[o + 6 * r + c] -= (U[6 * k + r] * U[6 * k + c]) / D[k];
      }
      if (parent[i] >= 0) for (let c = 0; c < SIZE; c++) A[SIZE * parent[i] + c] += A[o + c];
    }
    return true;
  }

  /** The links that carry one of these, from the leaves on. */
  carriers(links: readonly number[]): number[] {
    const { n, parent } = this.#tree;
    const carries = new Uint8Array(n);
    for (const link of links) for (let i = link; i >= 0; i = parent[i]) carries[i] = 1;
    return Array.from(carries.keys(), (k) => n - 1 - k).filter((i) => carries[i] === 1);
  }

  /** x <- L^-T j / sqrt(D) for a row j of J in the order of v, at what carries it, in link order: their products are the entries. */
  solve(x: Float64Array, j: Float64Array, { S }: ColumnScratch, carriers: readonly number[]): void {
    const { parent, dof, iv } = this.#tree;
    const [U, D, p] = [this.#U, this.#D, this.#p];
    for (const i of carriers) p.fill(0, 6 * i, 6 * i + 6);
    for (const i of carriers) {
      for (let k = dof[i + 1] - 1; k >= dof[i]; k--) {
        const left = j[iv[i] + k - dof[i]] - dot6(S, 6 * k, p, 6 * i);
        x[k] = left / Math.sqrt(D[k]);
        for (let c = 0; c < 6; c++) p[6 * i + c] += (U[6 * k + c] * left) / D[k];
      }
      if (parent[i] >= 0) for (let c = 0; c < 6; c++) p[6 * parent[i] + c] += p[6 * i + c];
    }
  }
}

/** The symmetric matrix of an inertia of ten numbers: m, h, J as xx, xy, xz, yy, yz, zz. */
function setMatrix(A: Float64Array, o: number, [m, x, y, z, xx, xy, xz, yy, yz, zz]: Float64Array): void {
  A.set(
    [
      ...[xx, xy, xz, 0, -z, y],
      ...[xy, yy, yz, z, 0, -x],
      ...[xz, yz, zz, -y, x, 0],
      ...[0, z, -y, m, 0, 0],
      ...[-z, 0, x, 0, m, 0],
      ...[y, -x, 0, 0, 0, m],
    ],
    o,
  );
}
