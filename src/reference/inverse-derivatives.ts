// Derivatives of inverse dynamics with respect to positions and velocities, O(n d) for depth d, in ground coordinates, where
// nothing changes on its way from link to link (Singh, Russo and Wensing 2022). With the motions of column-motions.ts and
//
//   I^C, f^C        inertia and force of the subtree of a link
//   B^C m           sum over the subtree of v x* I m + m x* I v - I (v x m), twice the paper's B
//
// a displacement along degree of freedom j gives every link beyond it the force B Psi1_j + I Psi2_j and carries it along; a
// velocity gives it B S_j + I (Psi1_j + dS_j/dt). So, for k at j or beyond it and i before it,
//
//   d tau_k / d q_j = S_k^T (B_k^C Psi1_j + I_k^C Psi2_j)
//   d tau_i / d q_j = S_i^T (B_j^C Psi1_j + I_j^C Psi2_j + S_j x* f_j^C)
//   d tau_k / d v_j = S_k^T (B_k^C S_j + I_k^C (Psi1_j + dS_j/dt)),   d tau_i / d v_j likewise with those of j
//
// Point masses mu at x show what B is: the force B m is 2 mu a x (dx/dt) at every point, with a the angular part of m. So
//
//   B m = [2 (tr(K) a - K a), 2 a x p],   K = sum of mu (dx/dt) x^T,   p = sum of mu dx/dt
//
// Positions change on the manifold: by the velocities of the joints, as `integrate` moves them.

import { JOINT_TYPES } from '../joints/index.js';
import type { Tree } from '../mechanism/tree.js';
import { addCrossForce, addInertiaToA, dot6, INERTIA, inertiaTimes, TRANSFORM } from '../spatial/spatial.js';
import { type ColumnScratch, columnMotions, createColumns, movesAtOnce } from './column-motions.js';

export interface InverseDerivativesScratch extends ColumnScratch {
  /** n x 10, n x 6: inertia and force of each subtree. */
  readonly inertia: Float64Array;
  readonly force: Float64Array;
  /** n x 9, n x 6: K and momentum of each subtree; p is the linear part of that. */
  readonly K: Float64Array;
  readonly momentum: Float64Array;
  /** nv x 6: Psi1 + dS/dt. */
  readonly sum: Float64Array;
  /** 6 each: forces of one column, for positions and velocities, and what it carries along. */
  readonly forces: Float64Array;
}

export function createInverseDerivatives(tree: Tree): InverseDerivativesScratch {
  return {
    ...createColumns(tree),
    inertia: new Float64Array(INERTIA * tree.n),
    force: new Float64Array(6 * tree.n),
    K: new Float64Array(9 * tree.n),
    momentum: new Float64Array(6 * tree.n),
    sum: new Float64Array(6 * tree.dof[tree.n]),
    forces: new Float64Array(18),
  };
}

/** dq, dv <- nv x nv, row major: of the force at the degree of freedom of each row with respect to that of each column. */
export function inverseDerivatives(
  tree: Tree,
  scratch: InverseDerivativesScratch,
  dq: Float64Array,
  dv: Float64Array,
  q: Float64Array,
  qd: Float64Array,
  qdd: Float64Array,
): void {
  columnMotions(tree, scratch, q, qd, qdd, true);
  subtreeSums(tree, scratch);
  const { dof, iv, parent, n } = tree;
  const nv = dof[n];
  const { S, rate, psi1, psi2, sum, force, forces } = scratch;
  const carried = 12;
  dq.fill(0);
  dv.fill(0);
  for (let k = 0; k < 6 * nv; k++) sum[k] = psi1[k] + rate[k];
  for (let i = 0; i < n; i++) {
    const atOnce = movesAtOnce(JOINT_TYPES[tree.type[i]].name);
    for (let k = dof[i]; k < dof[i + 1]; k++) {
      const row = iv[i] + k - dof[i];
      // Rows of this degree of freedom k: columns at it or before it.
      for (let b = i; b >= 0; b = parent[b])
        for (let j = dof[b]; j < dof[b + 1]; j++) {
          if (b === i && j > k && !atOnce) continue;
          const column = iv[b] + j - dof[b];
          respond(scratch, 0, i, psi1, psi2, j);
          respond(scratch, 6, i, S, sum, j);
          dq[nv * row + column] = dot6(S, 6 * k, forces, 0);
          dv[nv * row + column] = dot6(S, 6 * k, forces, 6);
        }
      // Column of k: rows before it.
      respond(scratch, 0, i, psi1, psi2, k);
      respond(scratch, 6, i, S, sum, k);
      for (let c = 0; c < 6; c++) forces[carried + c] = 0;
      addCrossForce(forces, carried, S, 6 * k, force, 6 * i);
      for (let c = 0; c < 6; c++) forces[c] += forces[carried + c];
      for (let b = i; b >= 0; b = parent[b])
        for (let j = dof[b]; j < dof[b + 1]; j++) {
          if (b === i && (j >= k || atOnce)) continue;
          const before = iv[b] + j - dof[b];
          dq[nv * before + row] = dot6(S, 6 * j, forces, 0);
          dv[nv * before + row] = dot6(S, 6 * j, forces, 6);
        }
    }
  }
}

/** B_i^C m + I_i^C l, into `forces` at o. */
function respond(
  scratch: InverseDerivativesScratch,
  o: number,
  i: number,
  m: Float64Array,
  l: Float64Array,
  k: number,
): void {
  inertiaTimes(scratch.forces, o, scratch.inertia, INERTIA * i, l, 6 * k);
  addTwiceB(scratch.forces, o, scratch, i, m, 6 * k);
}

/** I, f, K and p of every subtree: in ground coordinates they just add up. */
export function subtreeSums(tree: Tree, scratch: InverseDerivativesScratch): void {
  const { kinematics, v, a, inertia, force, K, momentum } = scratch;
  inertia.fill(0);
  force.fill(0);
  for (let i = 0; i < tree.n; i++) {
    const I = INERTIA * i;
    const o = 6 * i;
    const own = 6 * (i + 1);
    addInertiaToA(inertia, I, kinematics.pose, TRANSFORM * i, tree.inertia, I);
    inertiaTimes(force, o, inertia, I, a, own);
    inertiaTimes(momentum, o, inertia, I, v, own);
    addCrossForce(force, o, v, own, momentum, o);
    setK(K, 9 * i, inertia, I, v, own);
  }
  for (let i = tree.n - 1; i >= 0; i--) {
    const to = tree.parent[i];
    if (to < 0) continue;
    for (let c = 0; c < INERTIA; c++) inertia[INERTIA * to + c] += inertia[INERTIA * i + c];
    for (let c = 0; c < 6; c++) {
      force[6 * to + c] += force[6 * i + c];
      momentum[6 * to + c] += momentum[6 * i + c];
    }
    for (let c = 0; c < 9; c++) K[9 * to + c] += K[9 * i + c];
  }
}

/** K = u h^T + [w x] Sigma, with v = [w, u] and second moments Sigma = tr(J) / 2 - J of the rotational inertia J. */
function setK(K: Float64Array, o: number, I: Float64Array, oi: number, v: Float64Array, ov: number): void {
  const half = (I[oi + 4] + I[oi + 7] + I[oi + 9]) / 2;
  for (let row = 0; row < 3; row++) {
    const y = (row + 1) % 3;
    const z = (row + 2) % 3;
    for (let column = 0; column < 3; column++)
      K[o + 3 * row + column] =
        v[ov + 3 + row] * I[oi + 1 + column] +
        v[ov + y] * sigmaOf(I, oi, half, z, column) -
        v[ov + z] * sigmaOf(I, oi, half, y, column);
  }
}

/** Entry of Sigma = half the trace of J - J; J stands as xx, xy, xz, yy, yz, zz from oi + 4 on. */
function sigmaOf(I: Float64Array, oi: number, half: number, i: number, j: number): number {
  const low = Math.min(i, j);
  const entry = I[oi + 4 + i + j + (low > 0 ? 1 : 0)];
  return i === j ? half - entry : -entry;
}

/** out += B_i^C m. */
export function addTwiceB(
  out: Float64Array,
  o: number,
  { K, momentum }: InverseDerivativesScratch,
  i: number,
  m: Float64Array,
  om: number,
): void {
  const k = 9 * i;
  const p = 6 * i + 3;
  const trace = K[k] + K[k + 4] + K[k + 8];
  for (let row = 0; row < 3; row++) {
    const y = (row + 1) % 3;
    const z = (row + 2) % 3;
    const turned = K[k + 3 * row] * m[om] + K[k + 3 * row + 1] * m[om + 1] + K[k + 3 * row + 2] * m[om + 2];
    out[o + row] += 2 * (trace * m[om + row] - turned);
    out[o + 3 + row] += 2 * (m[om + y] * momentum[p + z] - m[om + z] * momentum[p + y]);
  }
}
