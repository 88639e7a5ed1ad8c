// Forward dynamics by the articulated-body algorithm where joints share coordinates (couplings, mimic joints): O(n) for
// groups of bounded size, never with the whole mass matrix.
//
// Joints that are coupled to one source share one acceleration x_s; joint i of the group moves with qdd_i = k_i x_s. It
// cannot be eliminated before all of its members have been passed. So a part of the tree answers not only to the
// acceleration a of its root link, but to the unknowns x of the groups that are still open in it as well,
//
//   force on the root    f = I a + p + F x                        F: one column of six for each open group
//   the groups' own      0 = F^T a + M x + n                      M: symmetric, as many rows as open groups
//
// where the second row says that the forces in the joints of a group together are what tau asks for.
//
//   a body               F = 0, M = 0, n = 0
//   an ordinary joint    U = I S, D = S^T U + armature, u = tau - S^T p, phi = S^T F:
//                        I - U D^-1 U^T,   p + U D^-1 u,   F - U D^-1 phi,   M - phi^T D^-1 phi,   n + phi^T D^-1 u
//   a coupled joint      nothing is eliminated, since others share x_s; with U = I S, phi = S^T F:
//                        M_ss + k^2 (S^T U + armature) + 2 k phi_s,   M_sj + k phi_j,   n_s + k (S^T p - tau),   F_s + k U
//   the last of a group  x_s = -(F_s^T a + sum_j M_sj x_j + n_s) / M_ss, and with it
//                        I - F_s F_s^T / M_ss,   p - F_s n_s / M_ss,   F_j - F_s M_sj / M_ss,   M_ij - M_si M_sj / M_ss,
//                        n_j - M_sj n_s / M_ss
//   parts that meet      all of it adds up
//   a loop joint         its multipliers lambda are unknowns like x, open from its two links to the ground (column-loops.ts):
//                        F = -G^T, n = -beta; there A lambda = n with A = -M = J H^-1 J^T of the coupled mechanism
//
// The last member of a group is an ancestor of all others, or it lies beyond the link at which their paths meet: there the
// group is solved for at that link's body. Outwards, qdd = D^-1 (u - U^T a - phi x), and x as above. Every step is a Schur
// complement of one symmetric positive definite matrix, in another order than without couplings: no accuracy is lost.

import type { Tree } from '../../mechanism/tree.js';
import { type ColumnPlan, groupsOf, planColumns } from '../../plan/columns.js';
import {
  type AbaScratch,
  accelerateLink,
  addToRecord,
  assembleLink,
  beginLinks,
  createAba,
} from '../../reference/aba.js';
import { addBlockTimes, addColumnProduct, BLOCK } from '../../spatial/blocks.js';
import { dot6, forceToA, motionToB, TRANSFORM } from '../../spatial/spatial.js';
import { CONTRADICTION } from './assembly/ada.js';
import { createLoops, type LoopLevel, updateLoops } from './assembly/loop-joint.js';
import {
  type ColumnLoops,
  createColumnLoops,
  type OpenColumns as Open,
  solveLoops,
  startLoops,
} from './column-loops.js';

/** A group as it was when it was solved for: its column, its row of M, and the groups still open then. */
interface Solved {
  readonly F: Float64Array;
  readonly others: Int32Array;
  readonly M: Float64Array;
  count: number;
  own: number;
  n: number;
}

export interface CoupledAbaScratch {
  readonly plan: ColumnPlan;
  readonly aba: AbaScratch;
  /** The ground, then each link; undefined where no group is open. */
  readonly open: readonly (Open | undefined)[];
  readonly solved: readonly Solved[];
  /** Accelerations of the groups, then the multipliers of the loops. */
  readonly x: Float64Array;
  /** Where there are loops. */
  readonly closed: ColumnLoops | undefined;
  /** 6: a column on its way to the parent. */
  readonly work: Float64Array;
}

export function createCoupledAba(tree: Tree): CoupledAbaScratch {
  const couplings = tree.mechanism.couplings.map(({ joint, source, multiplier }) => ({
    link: tree.link[joint],
    source: tree.link[source],
    multiplier,
  }));
  const loops = createLoops(tree);
  const plan = planColumns(tree.parent, groupsOf(couplings), loops.loops);
  const { count, groups } = plan;
  const multipliers = Array.from({ length: count - groups.length }, (_, row) => groups.length + row);
  const openAt = (columns: readonly number[]): Open | undefined => {
    if (columns.length === 0) return undefined;
    const index = new Int32Array(count).fill(-1);
    columns.forEach((column, k) => {
      index[column] = k;
    });
    const size = columns.length;
    return {
      columns: Int32Array.from(columns),
      index,
      F: new Float64Array(6 * size),
      n: new Float64Array(size),
      M: new Float64Array(size * size),
      phi: new Float64Array(6 * size),
      done: new Uint8Array(size),
    };
  };
  return {
    plan,
    aba: createAba(tree),
    open: [openAt([...plan.atBody[0], ...multipliers]), ...plan.at.map(openAt)],
    closed: multipliers.length > 0 ? createColumnLoops(tree, loops, plan.firstOf) : undefined,
    solved: groups.map(() => ({
      F: new Float64Array(6),
      others: new Int32Array(count),
      M: new Float64Array(count),
      count: 0,
      own: 0,
      n: 0,
    })),
    x: new Float64Array(count),
    work: new Float64Array(6),
  };
}

/** qdd <- forward dynamics; arguments and result as for aba, or CONTRADICTION. The multipliers are in scratch.closed. */
export function coupledAba(
  tree: Tree,
  scratch: CoupledAbaScratch,
  qdd: Float64Array,
  q: Float64Array,
  qd: Float64Array,
  tau: Float64Array,
  external: Float64Array | null,
  armature: Float64Array = tree.armature,
): number {
  const { aba, closed } = scratch;
  beginLinks(tree, aba, q, qd, external);
  if (closed !== undefined) updateLoops(tree, closed.loops, 'acceleration', aba.a, q, qd);
  return passes(tree, scratch, qdd, tau, armature, true);
}

/** dv <- the velocities or the small motion that make the loop joints hold; as adaImpulse has it (assembly/ada.ts). */
export function coupledImpulse(
  still: Tree,
  scratch: CoupledAbaScratch,
  level: Exclude<LoopLevel, 'acceleration'>,
  dv: Float64Array,
  q: Float64Array,
  v: Float64Array,
  zero: Float64Array,
): number {
  const { aba, closed } = scratch;
  beginLinks(still, aba, q, zero, null);
  updateLoops(still, closed!.loops, level, aba.a, q, v);
  return passes(still, scratch, dv, zero, still.armature, false);
}

/** `strict`: what no force of the loop joints can bring about is a CONTRADICTION. */
function passes(
  tree: Tree,
  scratch: CoupledAbaScratch,
  qdd: Float64Array,
  tau: Float64Array,
  armature: Float64Array,
  strict: boolean,
): number {
  const { plan, aba, open, x, closed } = scratch;
  const { atBody, atJoint, groupOf, multiplier } = plan;
  const { X, S, u, delta } = aba;
  for (const here of open) if (here !== undefined) clear(here);
  if (closed !== undefined) startLoops(closed, open);
  for (let i = tree.n - 1; i >= 0; i--) {
    const here = open[i + 1];
    const to = tree.parent[i] + 1;
    if (here === undefined) {
      if (!assembleLink(tree, aba, i, to, tau, armature)) return i;
      continue;
    }
    for (const group of atBody[i + 1]) if (!solveGroup(scratch, here, group, i + 1)) return plan.groups[group].source;
    if (groupOf[i] < 0) {
      if (!assembleLink(tree, aba, i, to, tau, armature)) return i;
      passOrdinary(tree, aba, here, i);
    } else {
      passCoupled(tree, aba, here, i, here.index[groupOf[i]], multiplier[i], tau, armature);
      for (const group of atJoint[i]) if (!solveGroup(scratch, here, group, i + 1)) return plan.groups[group].source;
      addToRecord(aba, i, to, 0, 0);
    }
    addToParent(scratch, here, open[tree.parent[i] + 1], i);
  }
  for (const group of atBody[0]) if (!solveGroup(scratch, open[0]!, group, 0)) return plan.groups[group].source;
  if (closed !== undefined && !solveLoops(closed, open[0]!, x, strict)) return CONTRADICTION;
  for (let k = atBody[0].length - 1; k >= 0; k--) solveFor(scratch, atBody[0][k], 0);
  for (let i = 0; i < tree.n; i++) {
    const here = open[i + 1];
    if (here === undefined) {
      accelerateLink(tree, aba, i, qdd);
      continue;
    }
    const o = 6 * (i + 1);
    const first = tree.dof[i];
    if (groupOf[i] < 0) {
      for (let c = 0; c < here.columns.length; c++) {
        if (here.done[c] === 1) continue;
        for (let k = first; k < tree.dof[i + 1]; k++) u[k] -= here.phi[6 * c + k - first] * x[here.columns[c]];
      }
      accelerateLink(tree, aba, i, qdd);
    } else {
      motionToB(delta, o, X, TRANSFORM * i, delta, 6 * (tree.parent[i] + 1));
      for (const group of atJoint[i]) solveFor(scratch, group, o);
      const own = multiplier[i] * x[groupOf[i]];
      qdd[tree.iv[i]] = own;
      for (let j = 0; j < 6; j++) delta[o + j] += S[6 * first + j] * own;
    }
    for (let k = atBody[i + 1].length - 1; k >= 0; k--) solveFor(scratch, atBody[i + 1][k], o);
  }
  return -1;
}

function clear({ F, n, M, phi, done }: Open): void {
  F.fill(0);
  n.fill(0);
  M.fill(0);
  phi.fill(0);
  done.fill(0);
}

/** After the joint's own step, which has left U L^-T, L and L^-1 u behind. */
function passOrdinary(tree: Tree, { S, U, L, u }: AbaScratch, { columns, F, n, M, phi, done }: Open, i: number): void {
  const first = tree.dof[i];
  const nv = tree.dof[i + 1] - first;
  const size = columns.length;
  for (let c = 0; c < size; c++) {
    if (done[c] === 1) continue;
    for (let k = 0; k < nv; k++) {
      let sum = dot6(S, 6 * (first + k), F, 6 * c);
      for (let l = 0; l < k; l++) sum -= L[BLOCK * i + 6 * k + l] * phi[6 * c + l];
      phi[6 * c + k] = sum / L[BLOCK * i + 7 * k];
    }
  }
  for (let c = 0; c < size; c++) {
    if (done[c] === 1) continue;
    for (let k = 0; k < nv; k++) {
      const factor = phi[6 * c + k];
      for (let j = 0; j < 6; j++) F[6 * c + j] -= U[6 * (first + k) + j] * factor;
      n[c] += factor * u[first + k];
      for (let d = 0; d < size; d++) if (done[d] === 0) M[c * size + d] -= factor * phi[6 * d + k];
    }
  }
}

/** Column s of `here` gains the joint of link i, with multiplier k. */
function passCoupled(
  tree: Tree,
  { S, IA, pA, U }: AbaScratch,
  { columns, F, n, M, done }: Open,
  i: number,
  own: number,
  k: number,
  tau: Float64Array,
  armature: Float64Array,
): void {
  const at = 6 * tree.dof[i];
  const size = columns.length;
  U.fill(0, at, at + 6);
  addBlockTimes(U, at, 1, IA, BLOCK * (i + 1), S, at);
  const inertia = armature[tree.iv[i]] + dot6(S, at, U, at);
  const force = dot6(S, at, pA, 6 * (i + 1)) - tau[tree.iv[i]];
  for (let c = 0; c < size; c++) {
    if (done[c] === 1) continue;
    const phi = dot6(S, at, F, 6 * c);
    // On the diagonal this happens twice.
    M[own * size + c] += k * phi;
    M[c * size + own] += k * phi;
  }
  M[own * size + own] += k * k * inertia;
  n[own] += k * force;
  for (let j = 0; j < 6; j++) F[6 * own + j] += k * U[at + j];
}

/** Solves for a group: what is left of I_A and p_A of a record, and of the other columns at `here`. False where it feels no inertia. */
function solveGroup({ aba, solved }: CoupledAbaScratch, here: Open, group: number, record: number): boolean {
  const { columns, F, n, M, done } = here;
  const { IA, pA } = aba;
  const size = columns.length;
  const own = here.index[group];
  const row = own * size;
  const pivot = M[row + own];
  if (!(pivot > 0)) return false;
  done[own] = 1;
  const kept = solved[group];
  kept.own = pivot;
  kept.n = n[own];
  kept.count = 0;
  for (let j = 0; j < 6; j++) kept.F[j] = F[6 * own + j];
  addColumnProduct(IA, BLOCK * record, -1 / pivot, kept.F, 0, kept.F, 0, 1);
  for (let j = 0; j < 6; j++) pA[6 * record + j] -= (kept.F[j] * kept.n) / pivot;
  for (let c = 0; c < size; c++) {
    if (done[c] === 1) continue;
    const factor = M[row + c] / pivot;
    for (let d = 0; d < size; d++) if (done[d] === 0) M[c * size + d] -= factor * M[row + d];
    for (let j = 0; j < 6; j++) F[6 * c + j] -= factor * kept.F[j];
    n[c] -= factor * kept.n;
    kept.others[kept.count] = columns[c];
    kept.M[kept.count++] = M[row + c];
  }
  return true;
}

/** x of a group, given the acceleration at `at` and the groups that were open when it was solved for. */
function solveFor({ aba, solved, x }: CoupledAbaScratch, group: number, at: number): void {
  const { F, others, M, count, own, n } = solved[group];
  let sum = n + dot6(F, 0, aba.delta, at);
  for (let k = 0; k < count; k++) sum += M[k] * x[others[k]];
  x[group] = -sum / own;
}

/** Columns that are still open go to the parent. */
function addToParent(
  { aba, work }: CoupledAbaScratch,
  { columns, F, n, M, done }: Open,
  to: Open | undefined,
  i: number,
): void {
  const size = columns.length;
  for (let c = 0; c < size; c++) {
    if (done[c] === 1) continue;
    const above = to!.index[columns[c]];
    forceToA(work, 0, aba.X, TRANSFORM * i, F, 6 * c);
    for (let j = 0; j < 6; j++) to!.F[6 * above + j] += work[j];
    to!.n[above] += n[c];
    for (let d = 0; d < size; d++)
      if (done[d] === 0) to!.M[above * to!.columns.length + to!.index[columns[d]]] += M[c * size + d];
  }
}
