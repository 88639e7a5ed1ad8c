// Forward dynamics by assembly and disassembly in the form that papers 000 and 002 print (as corrected by the errata):
// every partial chain is known by its inverse articulated inertia Phi_uv and its bias acceleration b_u at all handles,
//
//   acceleration of handle u = sum_v Phi_uv (force on handle v) + b_u        ([002] eq. 2, for any number of handles).
//
// It is here to reproduce the papers, as a check of ada.ts, and as the yardstick of the papers' times. It inverts the
// inertia of every link: links without mass are refused, and large mass ratios cost its result (docs/ada.md).
//
// As in ada.ts, accelerations are differences from the motion with qdd = 0, which moveLinks finds with all its velocity
// products; so c_i of errata 002-7 and 000-8 is zero, and what a link needs for that motion is in its bias force p.
//
// Both sides of a tree joint are expressed in the frame of the link it carries, as in paper 002: the blocks of two parts can be
// added without any transform. The two ends of a loop joint are expressed in the frames of their own links, where loop-joint.ts
// has its constraint rows. The fixed base has Phi = 0 and b = 0 for ever (errata 002-1), so that handles on it are left out.

import { CONTRADICTION } from '../../engines/plain/assembly/ada.js';
import { CONTRADICTION_TOLERANCE, rowSize } from '../../engines/plain/assembly/close.js';
import { createLoops, type LoopScratch, updateLoops } from '../../engines/plain/assembly/loop-joint.js';
import { createAssemblyPlan } from '../../engines/plain/assembly/plan.js';
import { createPseudoInverse, type PseudoInverse, pseudoInvert } from '../../engines/plain/assembly/rank.js';
import { JOINT_TYPES } from '../../joints/index.js';
import { MechanismError } from '../../mechanism/errors.js';
import type { Tree } from '../../mechanism/tree.js';
import { createRnea, moveLinks, type RneaScratch } from '../../reference/rnea.js';
import type { ScheduleTree } from '../../schedule/tree.js';
import { addBlockTimes, BLOCK } from '../../spatial/blocks.js';
import { forceToA, motionToB, TRANSFORM } from '../../spatial/spatial.js';
import {
  addEndForce,
  type Constraint,
  createConstraint,
  createPart,
  eliminate,
  findLambda,
  formConstraint,
  type Handle,
  invertPositive,
  multiply,
  type PrintedPart,
} from './constraint.js';
import { invertInertias } from './inertia.js';
import { setJointSpaces } from './space.js';

/** Joint of a link between part A (its parent's) and part B, which stand side by side in `before`. */
interface PrintedJoin extends Constraint {
  readonly kind: 'join';
  readonly link: number;
  readonly parts: readonly [A: PrintedPart, B: PrintedPart];
  /** Rows of the motion space and, room for six, the constraint space (space.ts). */
  readonly R: Float64Array;
  readonly N: Float64Array;
  /** Whether they change with q, and have yet to be found. */
  readonly turning: boolean;
  fresh: boolean;
  /** R^T tau. */
  readonly drive: Float64Array;
}

/** Loop joints between links of one part. */
interface PrintedClose extends Constraint {
  readonly kind: 'close';
  /** For each end the loop, its rows Ga or Gb, and the number of its first constraint. */
  readonly sides: readonly { readonly loop: number; readonly G: Float64Array; readonly first: number }[];
  readonly pseudo: PseudoInverse;
  readonly scale: Float64Array;
}

export interface PrintedScratch {
  readonly operations: readonly (PrintedJoin | PrintedClose)[];
  /** What each link is before any joint is assembled. */
  readonly links: readonly PrintedPart[];
  readonly rnea: RneaScratch;
  readonly loops: LoopScratch;
  /** n x 36: M^-1 of each link. */
  readonly inverse: Float64Array;
  /** The first link whose inertia has no inverse; -1: all have one. */
  readonly singular: number;
  /** 36: work space; and forces at the handles of one part. */
  readonly work: Float64Array;
  readonly f: Float64Array;
  /** n x 6: force through each joint on its link, link coordinates; then those on both ends of the loop joints. A result. */
  readonly forces: Float64Array;
}

const TURNING_TYPES = new Set(['planar', 'universal']);

export function createPrinted(tree: Tree, schedule: ScheduleTree): PrintedScratch {
  const loops = createLoops(tree);
  const loopForce = (loop: number, end: 0 | 1): number => 6 * (tree.n + 2 * loop + end);
  const handles = Array.from({ length: tree.n }, (_, i): Handle[] => [{ carries: -1, force: 6 * i, sign: 1 }]);
  for (let i = 0; i < tree.n; i++)
    if (tree.parent[i] >= 0) handles[tree.parent[i]].push({ carries: i, force: 6 * i, sign: -1 });
  loops.loops.forEach(({ a, b }, l) => {
    if (a >= 0) handles[a].push({ carries: -1, force: loopForce(l, 0), sign: 1 });
    if (b >= 0) handles[b].push({ carries: -1, force: loopForce(l, 1), sign: 1 });
  });
  const links = handles.map(createPart);
  // The part of each link, the ground first.
  const partOf = [createPart([]), ...links];
  const replace = (old: readonly PrintedPart[], part: PrintedPart): void => {
    for (const [k, one] of partOf.entries()) if (old.includes(one)) partOf[k] = part;
  };
  const find = (part: PrintedPart, force: number, sign: number): number =>
    part.handles.findIndex((handle) => handle.force === force && handle.sign === sign);
  const operations = createAssemblyPlan(tree, schedule).operations.map((operation): PrintedJoin | PrintedClose => {
    if (operation.kind === 'join') {
      const { a, b: link } = operation;
      const parts = [partOf[a + 1], partOf[link + 1]] as const;
      const before = createPart(parts.flatMap((part) => part.handles));
      const ends = [find(before, 6 * link, 1), find(before, 6 * link, -1)].filter((k) => k >= 0);
      const constraint = createConstraint(before, ends, 6, parts);
      replace(parts, constraint.after);
      const [R, N, drive] = [BLOCK, BLOCK, 6].map((count) => new Float64Array(count));
      const turning = TURNING_TYPES.has(JOINT_TYPES[tree.type[link]].name);
      return { kind: 'join', ...constraint, link, parts, R, N, turning, fresh: true, drive };
    }
    if (operation.kind === 'bridge')
      throw MechanismError.of(
        'schedule',
        '',
        'The printed form takes schedules in which loop joints come after the joints of the tree between their ends.',
      );
    const { a, b } = loops.loops[operation.loops[0]];
    const before = partOf[Math.max(a, b) + 1];
    let rows = 0;
    const sides = operation.loops.flatMap((loop) => {
      const first = rows;
      rows += loops.loops[loop].k;
      const both = [loops.Ga[loop], loops.Gb[loop]] as const;
      return both.map((G, end) => ({ loop, G, first, handle: find(before, loopForce(loop, end as 0 | 1), 1) }));
    });
    const known = sides.filter(({ handle }) => handle >= 0);
    const constraint = createConstraint(
      before,
      known.map(({ handle }) => handle),
      rows,
    );
    replace([before], constraint.after);
    const pseudo = createPseudoInverse(rows);
    return { kind: 'close', ...constraint, sides: known, pseudo, scale: new Float64Array(rows) };
  });
  const inverse = new Float64Array(BLOCK * tree.n);
  const most = operations.reduce((n, { before }) => Math.max(n, before.b.length), 6);
  return {
    operations,
    links,
    loops,
    rnea: createRnea(tree),
    inverse,
    singular: invertInertias(tree, inverse),
    work: new Float64Array(BLOCK),
    f: new Float64Array(most),
    forces: new Float64Array(6 * (tree.n + 2 * loops.loops.length)),
  };
}

/**
 * qdd <- forward dynamics; arguments and result as for ada. The forces in the joints are in scratch.forces. Also returns
 * the number of a link that has no inverse inertia, as a massless one, even where the mechanism as a whole can move.
 */
export function printedAda(
  tree: Tree,
  scratch: PrintedScratch,
  qdd: Float64Array,
  q: Float64Array,
  qd: Float64Array,
  tau: Float64Array,
  external: Float64Array | null,
  armature: Float64Array = tree.armature,
): number {
  const { operations, links, rnea, loops, singular } = scratch;
  if (singular >= 0) return singular;
  moveLinks(tree, rnea, q, qd, null, external);
  updateLoops(tree, loops, 'acceleration', rnea.a, q, qd);
  for (const [i, part] of links.entries()) startLink(scratch, i, part);
  for (const operation of operations)
    if (operation.kind === 'close') {
      if (!assembleLoops(operation, loops)) return CONTRADICTION;
    } else if (!assembleJoint(tree, scratch, operation, tau, armature)) return operation.link;
  for (const operation of operations.toReversed()) disassemble(tree, scratch, operation, qdd);
  return -1;
}

/** Start values (errata 002-1): Phi_uv = J_u M^-1 J_v^T and b_u = -J_u M^-1 p at the handles of one link, column by column. */
function startLink(
  { inverse, rnea: { X, f }, work }: PrintedScratch,
  i: number,
  { handles, Phi, b }: PrintedPart,
): void {
  const n = b.length;
  const [force, motion, moved] = [0, 6, 12];
  // The last column is that of the bias force.
  for (let c = 0; c <= n; c++) {
    const v = Math.floor(c / 6);
    for (let j = 0; j < 6; j++) work[force + j] = c === n ? -f[6 * i + j] : 6 * v + j === c ? 1 : 0;
    if (c < n && handles[v].carries >= 0) forceToA(work, force, X, TRANSFORM * handles[v].carries, work, force);
    work.fill(0, motion, motion + 6);
    addBlockTimes(work, motion, 1, inverse, BLOCK * i, work, force);
    for (let u = 0; u < handles.length; u++) {
      const { carries } = handles[u];
      if (carries >= 0) motionToB(work, moved, X, TRANSFORM * carries, work, motion);
      const from = carries >= 0 ? moved : motion;
      if (c === n) for (let j = 0; j < 6; j++) b[6 * u + j] = work[from + j];
      else for (let j = 0; j < 6; j++) Phi[(6 * u + j) * n + c] = work[from + j];
    }
  }
}

/** True unless V_i does not exist. */
function assembleJoint(
  tree: Tree,
  { rnea, work }: PrintedScratch,
  join: PrintedJoin,
  tau: Float64Array,
  armature: Float64Array,
): boolean {
  const { link, parts, turning, before, ends, K, R, N, drive, compliance } = join;
  const [iv, nv] = [tree.iv[link], tree.dof[link + 1] - tree.dof[link]];
  if (turning || join.fresh) setJointSpaces(R, N, rnea.S, 6 * tree.dof[link], nv, work);
  join.fresh = false;
  const n = before.b.length;
  let at = 0;
  for (const { Phi, b } of parts) {
    for (let row = 0; row < b.length; row++)
      for (let c = 0; c < b.length; c++) before.Phi[(at + row) * n + at + c] = Phi[row * b.length + c];
    before.b.set(b, at);
    at += b.length;
  }
  // Armature has no place in the printed form. A rotor of inertia d on freedom m takes the force -d qdd_m: that is one more
  // row R_m of N_i and 1 / d at its place in the diagonal of V_i^-1, and nothing else changes.
  let rows = 6 - nv;
  compliance.fill(0);
  drive.fill(0);
  for (let k = 0; k < nv; k++) {
    for (let j = 0; j < 6; j++) drive[j] += R[6 * k + j] * tau[iv + k];
    if (!(armature[iv + k] > 0)) continue;
    for (let j = 0; j < 6; j++) N[6 * rows + j] = R[6 * k + j];
    compliance[rows++] = 1 / armature[iv + k];
  }
  join.rows = rows;
  for (let k = 0; k < ends.length; k++) {
    const e = ends[k];
    const { sign } = before.handles[e];
    for (let c = 0; c < 6 * rows; c++) K[k][c] = sign * N[c];
    for (let row = 0; row < n; row++)
      for (let j = 0; j < 6; j++) before.b[row] += sign * before.Phi[row * n + 6 * e + j] * drive[j];
  }
  formConstraint(join);
  if (!invertPositive(join.inverse, join.gamma, rows)) return false;
  eliminate(join);
  return true;
}

/** True where the constraints can be satisfied. */
function assembleLoops(close: PrintedClose, loops: LoopScratch): boolean {
  const { before, ends, sides, K, rows, beta, bias, solvedBias, gamma, inverse, pseudo, scale } = close;
  const n = before.b.length;
  scale.fill(0);
  for (const [k, { loop, G, first }] of sides.entries()) {
    const count = loops.loops[loop].k;
    beta.set(loops.beta[loop], first);
    K[k].fill(0);
    K[k].set(G.subarray(0, 6 * count), 6 * first);
    const trace = (half: number): number =>
      [0, 1, 2].reduce((sum, j) => sum + Math.abs(before.Phi[(6 * ends[k] + 3 * half + j) * (n + 1)]), 0);
    for (let row = 0; row < count; row++)
      scale[first + row] += rowSize(G, 6 * row, Math.sqrt(trace(0)), Math.sqrt(trace(1)), loops.length);
  }
  formConstraint(close);
  // pseudoInvert destroys its argument, and the check below needs Gamma.
  const squares = scale.map((x) => x * x);
  pseudoInvert(pseudo, gamma.slice(), rows, squares);
  inverse.set(pseudo.inverse);
  eliminate(close);
  // Where Gamma Gamma^+ bias is not the bias, some constraint asks for what no force can bring about.
  const reached = new Float64Array(rows);
  multiply(reached, gamma, solvedBias, rows, 1);
  const size = bias.reduce((largest, x) => Math.max(largest, Math.abs(x)), 1);
  return reached.every((x, i) => Math.abs(x - bias[i]) <= CONTRADICTION_TOLERANCE * size);
}

/** Forces of the joint or of the loop joints, and joint accelerations, from the forces at the other handles of the part. */
function disassemble(
  tree: Tree,
  { f, forces }: PrintedScratch,
  operation: PrintedJoin | PrintedClose,
  qdd: Float64Array,
): void {
  const { before, ends, reach } = operation;
  const n = before.b.length;
  f.fill(0);
  for (let u = 0; u < before.handles.length; u++) {
    const { force, sign } = before.handles[u];
    if (!ends.includes(u)) for (let j = 0; j < 6; j++) f[6 * u + j] = sign * forces[force + j];
  }
  findLambda(operation, f);
  for (const [k, e] of ends.entries()) {
    addEndForce(f, 6 * e, operation, k);
    if (operation.kind === 'close') for (let j = 0; j < 6; j++) forces[before.handles[e].force + j] = f[6 * e + j];
  }
  if (operation.kind === 'close') return;
  const { link, R, drive } = operation;
  // The joint's handle on B comes first: [002] eq. 10, and [002] eq. 9 (which is [000] eq. 53), qdd = R (a_B - a_A).
  for (let j = 0; j < 6; j++) forces[6 * link + j] = f[6 * ends[0] + j] + drive[j];
  const [iv, nv] = [tree.iv[link], tree.dof[link + 1] - tree.dof[link]];
  qdd.fill(0, iv, iv + nv);
  for (let k = 0; k < ends.length; k++)
    for (let j = 0; j < 6; j++) {
      const row = 6 * ends[k] + j;
      const [first, end] = reach[k];
      let a = before.b[row];
      for (let c = first; c < end; c++) a += before.Phi[row * n + c] * f[c];
      for (let m = 0; m < nv; m++) qdd[iv + m] += before.handles[ends[k]].sign * R[6 * m + j] * a;
    }
}
