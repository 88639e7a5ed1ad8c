// Inverse dynamics where loops are closed, or where only some joints have motors. The joint forces tau of the open tree and
// the multipliers lambda of the loop joints together produce a motion:
//
//   H qdd + C = tau + J^T lambda,   J qdd + beta = 0        J: rows of all loop joints (assembly/loop-joint.ts)
//
// so with t = H qdd + C from the recursive Newton-Euler algorithm, tau = t - J^T lambda for any lambda.
//
//   least norm        lambda makes |tau| least: tau is t without its part in the rows of J
//   chosen motors     lambda makes tau zero in all joints without one, J_N^T lambda = t_N; what that leaves open makes the
//                     rest of tau least: lambda + Z z with J_N^T Z = 0 and |tau_A - J_A^T Z z| least
//
// Where joints are coupled, t and the columns of J are those of the independent coordinates.

import type { Mechanism } from '../../mechanism/mechanism.js';
import type { Tree } from '../../mechanism/tree.js';
import { createJacobian, type JacobianScratch, jacobian } from '../../reference/jacobian.js';
import { createRnea, moveLinks, type RneaScratch } from '../../reference/rnea.js';
import { angleOf, cosine, sine } from '../../spatial/trigonometry.js';
import { createLoops, type LoopScratch, updateLoops } from './assembly/loop-joint.js';

export interface ClosedInverseScratch {
  readonly rnea: RneaScratch;
  readonly loops: LoopScratch;
  readonly jacobian: JacobianScratch;
  /** 6 x nv: of one link. */
  readonly J6: Float64Array;
  /** Constraints of all loops. */
  readonly m: number;
  /** m x nv: J of the independent coordinates; columns of followers are zero. */
  readonly J: Float64Array;
  /** m: multipliers. A result. */
  readonly lambda: Float64Array;
  /** n x 6: forces of the loop joints on the links, link coordinates. A result. */
  readonly push: Float64Array;
}

export function createClosedInverse(tree: Tree): ClosedInverseScratch {
  const loops = createLoops(tree);
  const { nv } = tree.mechanism;
  const m = loops.loops.reduce((sum, { k }) => sum + k, 0);
  return {
    rnea: createRnea(tree),
    loops,
    jacobian: createJacobian(tree),
    J6: new Float64Array(6 * nv),
    m,
    J: new Float64Array(m * nv),
    lambda: new Float64Array(m),
    push: new Float64Array(6 * tree.n),
  };
}

/** J at a state; returns the largest entry of J qdd + beta, relative to 1 and to beta. */
export function updateConstraints(
  tree: Tree,
  scratch: ClosedInverseScratch,
  q: Float64Array,
  v: Float64Array,
  qdd: Float64Array,
): number {
  const { rnea, loops, J, J6 } = scratch;
  const { nv } = tree.mechanism;
  moveLinks(tree, rnea, q, v, null, null);
  updateLoops(tree, loops, 'acceleration', rnea.a, q, v);
  J.fill(0);
  let first = 0;
  let largest = 0;
  loops.loops.forEach(({ a, b, k }, l) => {
    for (const [link, G] of [
      [a, loops.Ga[l]],
      [b, loops.Gb[l]],
    ] as const) {
      if (link < 0) continue;
      jacobian(tree, scratch.jacobian, J6, q, link);
      for (let row = 0; row < k; row++)
        for (let j = 0; j < 6; j++)
          for (let c = 0; c < nv; c++) J[nv * (first + row) + c] += G[6 * row + j] * J6[nv * j + c];
    }
    for (let row = 0; row < k; row++) {
      let sum = loops.beta[l][row];
      for (let c = 0; c < nv; c++) sum += J[nv * (first + row) + c] * qdd[c];
      largest = Math.max(largest, Math.abs(sum) / (1 + Math.abs(loops.beta[l][row])));
    }
    first += k;
  });
  foldColumns(tree.mechanism, J, scratch.m);
  return largest;
}

/** J <- J G for coupled joints, m rows. */
export function foldColumns({ couplings, joints, nv }: Mechanism, J: Float64Array, m: number): void {
  for (const { joint, source, multiplier } of couplings) {
    const [from, to] = [joints[joint].iv, joints[source].iv];
    for (let row = 0; row < m; row++) {
      J[nv * row + to] += multiplier * J[nv * row + from];
      J[nv * row + from] = 0;
    }
  }
}

/**
 * tau <- tau - J^T lambda. `passive`: 1 for each degree of freedom without a motor; undefined: the least norm of all. Returns
 * what is left in those joints, relative to 1 and to tau: not zero where no forces of the motors produce the motion.
 */
export function shareLoad(
  { mechanism: { nv } }: Tree,
  { m, J, lambda }: ClosedInverseScratch,
  tau: Float64Array,
  passive: Uint8Array | undefined,
): number {
  let size = 1;
  for (let k = 0; k < nv; k++) size = Math.max(size, Math.abs(tau[k]));
  let scale = 0;
  for (let row = 0; row < m; row++) scale = Math.max(scale, Math.hypot(...J.subarray(nv * row, nv * (row + 1))));
  lambda.fill(0);
  const subtract = (multipliers: Float64Array): void => {
    for (let row = 0; row < m; row++) {
      lambda[row] += multipliers[row];
      for (let k = 0; k < nv; k++) tau[k] -= multipliers[row] * J[nv * row + k];
    }
  };
  const part = (of: (k: number) => boolean): Float64Array => J.map((e, at) => (of(at % nv) ? e : 0));
  // Twice: the second time with what the first has left behind.
  if (passive === undefined) {
    const rows = orthogonalRows(J, m, nv, scale);
    for (let round = 0; round < 2; round++) subtract(nearest(rows, tau, m, nv));
    return 0;
  }
  const still = orthogonalRows(
    part((k) => passive[k] === 1),
    m,
    nv,
    scale,
  );
  for (let round = 0; round < 2; round++) subtract(nearest(still, tau, m, nv));
  let left = 0;
  for (let k = 0; k < nv; k++) if (passive[k] === 1) left = Math.max(left, Math.abs(tau[k]));
  // Z: combinations of constraints that do nothing to joints without motors.
  const nulls = m - still.rank;
  if (nulls > 0) {
    const Z = still.V.subarray(m * still.rank);
    const moved = new Float64Array(nulls * nv);
    for (let z = 0; z < nulls; z++)
      for (let row = 0; row < m; row++)
        for (let k = 0; k < nv; k++) if (passive[k] === 0) moved[nv * z + k] += Z[m * z + row] * J[nv * row + k];
    const share = nearest(orthogonalRows(moved, nulls, nv, scale), tau, nulls, nv);
    const whole = new Float64Array(m);
    for (let z = 0; z < nulls; z++) for (let row = 0; row < m; row++) whole[row] += share[z] * Z[m * z + row];
    subtract(whole);
  }
  for (let k = 0; k < nv; k++) if (passive[k] === 1) tau[k] = 0;
  return left / size;
}

/** push <- G^T lambda on the links. */
export function pushLinks({ loops, lambda, push }: Pick<ClosedInverseScratch, 'loops' | 'lambda' | 'push'>): void {
  push.fill(0);
  let first = 0;
  loops.loops.forEach(({ a, b, k }, l) => {
    for (const [link, G] of [
      [a, loops.Ga[l]],
      [b, loops.Gb[l]],
    ] as const)
      if (link >= 0)
        for (let row = 0; row < k; row++)
          for (let j = 0; j < 6; j++) push[6 * link + j] += G[6 * row + j] * lambda[first + row];
    first += k;
  });
}

/** B = V A with orthogonal rows of B, the longest first; V orthogonal. The last rows, from `rank`, are zero. */
export interface OrthogonalRows {
  readonly B: Float64Array;
  readonly V: Float64Array;
  readonly rank: number;
}

/** Rows shorter than this part of the longest row that there was are zero. */
const RANK_TOLERANCE = 1e-9;

/** By rotations of two rows at a time (one-sided Jacobi). `scale`: length of the longest row of the whole problem. */
export function orthogonalRows(A: Float64Array, m: number, n: number, scale: number): OrthogonalRows {
  const B = A.slice();
  const V = new Float64Array(m * m);
  for (let k = 0; k < m; k++) V[m * k + k] = 1;
  const dot = (p: number, q: number): number => {
    let sum = 0;
    for (let k = 0; k < n; k++) sum += B[n * p + k] * B[n * q + k];
    return sum;
  };
  for (let sweep = 0, turned = true; turned && sweep < 40; sweep++) {
    turned = false;
    for (let p = 0; p < m; p++)
      for (let q = p + 1; q < m; q++) {
        const [pp, qq, pq] = [dot(p, p), dot(q, q), dot(p, q)];
        // The longer row comes first.
        const swap = qq > pp;
        // What is left of a dependent row is rounding, in any direction.
        if (!swap && (Math.abs(pq) <= 1e-15 * Math.sqrt(pp * qq) || qq <= (1e-15 * scale) ** 2)) continue;
        turned = true;
        const angle = angleOf(2 * pq, pp - qq) / 2;
        rotate(B, n, p, q, cosine(angle), sine(angle));
        rotate(V, m, p, q, cosine(angle), sine(angle));
      }
  }
  let rank = 0;
  while (rank < m && Math.sqrt(dot(rank, rank)) > RANK_TOLERANCE * scale) rank++;
  return { B, V, rank };
}

function rotate(A: Float64Array, n: number, p: number, q: number, c: number, s: number): void {
  for (let k = 0; k < n; k++) {
    const [x, y] = [A[n * p + k], A[n * q + k]];
    A[n * p + k] = c * x + s * y;
    A[n * q + k] = c * y - s * x;
  }
}

/** The shortest x for which x^T A is nearest to t. */
export function nearest({ B, V, rank }: OrthogonalRows, t: Float64Array, m: number, n: number): Float64Array {
  const x = new Float64Array(m);
  for (let row = 0; row < rank; row++) {
    let along = 0;
    let square = 0;
    for (let k = 0; k < n; k++) {
      along += B[n * row + k] * t[k];
      square += B[n * row + k] ** 2;
    }
    for (let k = 0; k < m; k++) x[k] += (V[m * row + k] * along) / square;
  }
  return x;
}
