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

import { CONTRADICTION } from '../../engines/plain/assembly/ada.js';
import { createLoops, type LoopScratch, updateLoops } from '../../engines/plain/assembly/loop-joint.js';
import { JOINT_TYPES, PARAMETERS } from '../../joints/index.js';
import { State } from '../../mechanism/state.js';
import type { Tree } from '../../mechanism/tree.js';
import { createRnea, moveLinks, type RneaScratch } from '../../reference/rnea.js';
import type { ScheduleTree } from '../../schedule/tree.js';
import { addBlockTimes, BLOCK, copyBlock, transposeBlock } from '../../spatial/blocks.js';
import { motionToB, TRANSFORM } from '../../spatial/spatial.js';
import { assembleLoops, createPrintedLoops, disassembleLoops, type PrintedLoops } from './close.js';
import { invertInertias } from './inertia.js';
import { assembleJoint, createJointWork, disassembleJoint, type JointWork, type PrintedMemory } from './join.js';
import { biasAt, createPrintedPlan, type PrintedPart, type PrintedPlan, phiAt } from './plan.js';
import { setJointSpaces } from './space.js';

export interface PrintedScratch extends PrintedMemory {
  readonly plan: PrintedPlan;
  readonly rnea: RneaScratch;
  readonly loops: LoopScratch;
  /** For each operation that closes loops; undefined for the others. */
  readonly closes: readonly (PrintedLoops | undefined)[];
  readonly joints: readonly JointWork[];
  /** Links whose joint's motion space changes with q; R and N of all others are found once. */
  readonly turning: readonly number[];
  /** n x 36: M^-1 of each link. */
  readonly inverse: Float64Array;
  /** The first link whose inertia has no inverse; -1: all have one. */
  readonly singular: number;
  /** 72: two blocks. */
  readonly blocks: Float64Array;
  /** n x 6: force through each joint on its link, link coordinates; then those on both ends of the loop joints. A result. */
  readonly forces: Float64Array;
}

const TURNING_TYPES = new Set(['planar', 'universal']);

export function createPrinted(tree: Tree, schedule: ScheduleTree): PrintedScratch {
  const loops = createLoops(tree);
  const plan = createPrintedPlan(tree, schedule, loops);
  const most = plan.operations.reduce((k, { C }) => Math.max(k, C.handles.length), 1);
  const inverse = new Float64Array(BLOCK * tree.n);
  const joints = Array.from({ length: tree.n }, (_, i) => createJointWork(tree.dof[i + 1] - tree.dof[i]));
  setConstantSpaces(tree, joints);
  return {
    plan,
    loops,
    closes: plan.operations.map((operation) =>
      operation.kind === 'close' ? createPrintedLoops(operation, loops) : undefined,
    ),
    rnea: createRnea(tree),
    joints,
    turning: joints.map((_, i) => i).filter((i) => TURNING_TYPES.has(JOINT_TYPES[tree.type[i]].name)),
    inverse,
    singular: invertInertias(tree, inverse),
    m: new Float64Array(plan.memory),
    Z: new Float64Array(BLOCK * most),
    L: new Float64Array(BLOCK),
    x: new Float64Array(18),
    blocks: new Float64Array(2 * BLOCK),
    forces: new Float64Array(6 * (tree.n + 2 * loops.loops.length)),
  };
}

/** R and N of every joint at the neutral position. */
function setConstantSpaces(tree: Tree, joints: readonly JointWork[]): void {
  const { q } = new State(tree.mechanism);
  const S = new Float64Array(BLOCK);
  const work = new Float64Array(BLOCK);
  joints.forEach(({ R, N, nv }, i) => {
    JOINT_TYPES[tree.type[i]].motionSpace(S, 0, q, tree.iq[i], tree.parameters, PARAMETERS * i);
    setJointSpaces(R, N, S, 0, nv, work);
  });
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
  const { plan, rnea, loops, closes, joints, turning, forces, singular } = scratch;
  const { operations } = plan;
  if (singular >= 0) return singular;
  moveLinks(tree, rnea, q, qd, null, external);
  updateLoops(tree, loops, 'acceleration', rnea.a, q, qd);
  for (const i of turning)
    setJointSpaces(joints[i].R, joints[i].N, rnea.S, 6 * tree.dof[i], joints[i].nv, scratch.blocks);
  for (let i = 0; i < tree.n; i++) startLink(scratch, i, plan.links[i]);
  for (let k = 0; k < operations.length; k++) {
    const operation = operations[k];
    if (operation.kind === 'close') {
      if (!assembleLoops(scratch, operation, loops, closes[k]!)) return CONTRADICTION;
    } else {
      const { link } = operation;
      if (!assembleJoint(scratch, operation, joints[link], tau, armature, tree.iv[link])) return link;
    }
  }
  for (let k = operations.length - 1; k >= 0; k--) {
    const operation = operations[k];
    if (operation.kind === 'close') disassembleLoops(operation, loops, closes[k]!, forces);
    else disassembleJoint(scratch, operation, joints[operation.link], forces, qdd, tree.iv[operation.link]);
  }
  return -1;
}

/** Start values (errata 002-1): Phi_uv = J_u M^-1 J_v^T and b_u = -J_u M^-1 p at the handles of one link. */
function startLink({ m, inverse, rnea, blocks, x }: PrintedScratch, i: number, part: PrintedPart): void {
  const { X, f } = rnea;
  const { handles } = part;
  const [JM, transposed] = [0, BLOCK];
  x.fill(0, 0, 6);
  addBlockTimes(x, 0, -1, inverse, BLOCK * i, f, 6 * i);
  for (let t = 0; t < handles.length; t++) {
    // Rows of M^-1 are its columns: moved one by one they are those of (J_t M^-1)^T.
    moveRows(blocks, transposed, inverse, BLOCK * i, X, transformAt(handles[t].carries));
    transposeBlock(blocks, JM, blocks, transposed);
    for (let u = 0; u <= t; u++) moveRows(m, phiAt(part, t, u), blocks, JM, X, transformAt(handles[u].carries));
    moveRow(m, biasAt(part, t), x, 0, X, transformAt(handles[t].carries));
  }
  function transformAt(link: number): number {
    return link < 0 ? -1 : TRANSFORM * link;
  }
}

/** out = A J^T, J the transform at `at`, or the identity where that is negative. */
function moveRows(out: Float64Array, o: number, A: Float64Array, a: number, X: Float64Array, at: number): void {
  if (at < 0) copyBlock(out, o, A, a);
  else for (let row = 0; row < 36; row += 6) motionToB(out, o + row, X, at, A, a + row);
}

/** out = J y. */
function moveRow(out: Float64Array, o: number, y: Float64Array, iy: number, X: Float64Array, at: number): void {
  if (at >= 0) motionToB(out, o, X, at, y, iy);
  else for (let j = 0; j < 6; j++) out[o + j] = y[iy + j];
}
