// The impulse that makes loop joints hold, with the arrays of an articulation: what closes gaps after each step. With W the columns of
// the constraints and H the mass matrix, change = -H^-1 W (W^T H^-1 W)^-1 broken.
//
// The assembly, which decides about rank, takes ten times as long; it is asked where this is in doubt.

import { responses, solveFactorised } from '../../contact/solver/block-matrix.js';
import type { LoopImpulse } from '../../engines/plain/assembly/closing.js';
import { createLoops, type LoopScratch, updateLoops } from '../../engines/plain/assembly/loop-joint.js';
import { forceToA, TRANSFORM } from '../../spatial/spatial.js';
import type { Articulation } from './articulation.js';

/** What is left of what a constraint could feel once those before it hold: rounding below, certainly no rounding above. */
const NOTHING = 1e-15;
const SOMETHING = 1e-9;
/** Of the largest gap: what constraints that others imply may lack. */
const CURVED = 1e-3;

export function loopImpulses(articulation: Articulation): LoopImpulse {
  const { tree, nv, mechanism, structure, factors, added } = articulation;
  const loops = createLoops(tree);
  const couplings = mechanism.couplings.map(({ joint, source, multiplier }) => ({
    at: tree.dof[tree.joint.indexOf(joint)],
    source: tree.dof[tree.joint.indexOf(source)],
    multiplier,
  }));
  const rows = loops.loops.reduce((sum, { k }) => sum + k, 0) + couplings.length;
  const W = new Float64Array(rows * nv);
  const used = new Float64Array(rows * nv);
  const G = new Float64Array(rows * rows);
  const order = new Int32Array(rows);
  /** What each constraint could feel: its response if no two of its parts took each other away. */
  const feels = new Float64Array(rows);
  const parts = new Float64Array(nv);
  const system = new Float64Array(rows * rows);
  const lambda = new Float64Array(rows);
  const asked = new Float64Array(rows);
  const still = new Float64Array(nv);
  const moves = new Float64Array(nv);
  const armature = new Float64Array(nv);
  for (let i = 0; i < tree.n; i++)
    for (let k = tree.dof[i]; k < tree.dof[i + 1]; k++) armature[k] = mechanism.joints[tree.joint[i]].armature;

  return (q, broken, change) => {
    articulation.place(q);
    added.set(armature);
    if (!articulation.factorise()) return false;
    updateLoops(tree, loops, 'position', noRecords(tree.n), q, still);
    W.fill(0);
    let row = 0;
    for (let l = 0; l < loops.loops.length; l++) {
      const { k } = loops.loops[l];
      for (let j = 0; j < k; j++, row++) {
        parts.fill(0);
        addColumn(articulation, loops, l, j, W, row * nv, parts);
        feels[row] = felt(articulation, parts);
        lambda[row] = -broken[l][j];
      }
    }
    for (const { at, source, multiplier } of couplings) {
      W[row * nv + at] = 1;
      W[row * nv + source] -= multiplier;
      feels[row] = 0;
      lambda[row++] = 0;
    }
    used.set(W);
    responses(structure, factors, used, rows, G);
    for (let r = 0; r < rows; r++) feels[r] = Math.max(feels[r], G[r * rows + r]);
    asked.set(lambda);
    system.set(G);
    if (!solveRedundant(G, lambda, order, feels) || !solves(system, lambda, asked)) return false;
    moves.fill(0);
    for (let r = 0; r < rows; r++) for (let k = 0; k < nv; k++) moves[k] += lambda[r] * W[r * nv + k];
    solveFactorised(structure, factors, moves);
    articulation.toAuthor(change, moves);
    return true;
  };
}

const wrench = new Float64Array(6);
const axes = new Float64Array(TRANSFORM);

/** W[o...] <- what row j of loop l does to every degree of freedom: its wrenches on both links. `parts`: sums of absolute values. */
function addColumn(
  { tree, pose, reference, root, S }: Articulation,
  { loops, Ga, Gb }: LoopScratch,
  l: number,
  j: number,
  W: Float64Array,
  o: number,
  parts: Float64Array,
): void {
  const { parent, dof } = tree;
  for (let side = 0; side < 2; side++) {
    const link = side === 0 ? loops[l].a : loops[l].b;
    if (link < 0) continue;
    const P = TRANSFORM * link;
    const r = 3 * root[link];
    for (let k = 0; k < 9; k++) axes[k] = pose[P + k];
    for (let k = 0; k < 3; k++) axes[9 + k] = pose[P + 9 + k] - reference[r + k];
    forceToA(wrench, 0, axes, 0, side === 0 ? Ga[l] : Gb[l], 6 * j);
    for (let i = link; i >= 0; i = parent[i])
      for (let k = dof[i]; k < dof[i + 1]; k++)
        for (let m = 0; m < 6; m++) {
          const part = S[6 * k + m] * wrench[m];
          W[o + k] += part;
          parts[k] += Math.abs(part);
        }
  }
}

/** sum_k parts_k^2 / H_kk */
function felt({ structure, H, linkOf, tree }: Articulation, parts: Float64Array): number {
  const { nodes, size, diagonal } = structure;
  let sum = 0;
  for (let a = 0; a < nodes; a++)
    for (let k = 0; k < size[a]; k++) sum += parts[tree.dof[linkOf[a]] + k] ** 2 / H[diagonal[a] + k * (size[a] + 1)];
  return sum;
}

/** Whether those that were left out, too, get what they ask for, but for what is curved. */
function solves(G: Float64Array, x: Float64Array, asked: Float64Array): boolean {
  const n = x.length;
  let [most, wrong] = [0, 0];
  for (let r = 0; r < n; r++) {
    let sum = -asked[r];
    for (let c = 0; c < n; c++) sum += G[r * n + c] * x[c];
    most = Math.max(most, Math.abs(asked[r]));
    wrong = Math.max(wrong, Math.abs(sum));
  }
  return wrong <= CURVED * most;
}

/**
 * x <- a solution of G x = x, G symmetric and positive, by Cholesky's method with exchanges; rows that others imply get zero: where
 * next to nothing of what they could feel (`feels`) is left. False where it cannot be told whether one is implied.
 */
export function solveRedundant(G: Float64Array, x: Float64Array, order: Int32Array, feels: Float64Array): boolean {
  const n = x.length;
  for (let k = 0; k < n; k++) order[k] = k;
  let rank = 0;
  for (; rank < n; rank++) {
    let best = rank;
    let most = -1;
    for (let k = rank; k < n; k++) {
      const share = feels[order[k]] > 0 ? G[order[k] * n + order[k]] / feels[order[k]] : 0;
      if (share > most) [best, most] = [k, share];
    }
    if (most < SOMETHING) {
      if (most > NOTHING * n) return false;
      break;
    }
    [order[rank], order[best]] = [order[best], order[rank]];
    const p = order[rank];
    const pivot = Math.sqrt(G[p * n + p]);
    G[p * n + p] = pivot;
    for (let k = rank + 1; k < n; k++) G[order[k] * n + p] /= pivot;
    for (let k = rank + 1; k < n; k++) {
      const r = order[k];
      const factor = G[r * n + p];
      for (let m = rank + 1; m <= k; m++) {
        const c = order[m];
        G[r * n + c] -= factor * G[c * n + p];
        G[c * n + r] = G[r * n + c];
      }
    }
  }
  for (let k = 0; k < rank; k++) {
    const r = order[k];
    for (let m = 0; m < k; m++) x[r] -= G[r * n + order[m]] * x[order[m]];
    x[r] /= G[r * n + r];
  }
  for (let k = rank; k < n; k++) x[order[k]] = 0;
  for (let k = rank - 1; k >= 0; k--) {
    const r = order[k];
    for (let m = k + 1; m < rank; m++) x[r] -= G[order[m] * n + r] * x[order[m]];
    x[r] /= G[r * n + r];
  }
  return true;
}

let records = new Float64Array(0);

/** Records of accelerations, which nothing but the acceleration level reads. */
export function noRecords(links: number): Float64Array {
  const size = 128 * (links + 1);
  if (records.length < size) records = new Float64Array(size);
  return records;
}
