// Forward dynamics by assembly and disassembly (papers 000, 002, 003), in the order of any schedule tree: joints are added
// one by one to partial chains, which answer to what happens at their root and at their tips; then they are removed in the
// opposite order, and each gives its acceleration and its force. With the schedule from the ends to the root this is the
// articulated-body algorithm, step by step.

import type { Tree } from '../../../mechanism/tree.js';
import {
  type AbaScratch,
  accelerateLink,
  assembleLink,
  beginLinks,
  createAba,
  linkForce,
} from '../../../reference/aba.js';
import type { ScheduleTree } from '../../../schedule/tree.js';
import { BLOCK } from '../../../spatial/blocks.js';
import { bridgeParts, finishClosers, partBridge, pushClosers } from './bridge.js';
import { type CloseScratch, closeLoops, createClose, openLoops } from './close.js';
import { JOIN_WORK, joinTips, type PartMemory, separate } from './join.js';
import { createLoops, type LoopScratch, updateLoops } from './loop-joint.js';
import { type AssemblyPlan, createAssemblyPlan } from './plan.js';

export interface AdaScratch extends PartMemory {
  readonly plan: AssemblyPlan;
  readonly aba: AbaScratch;
  readonly loops: LoopScratch;
  /** For each operation that closes loops; undefined for the others. */
  readonly closes: readonly (CloseScratch | undefined)[];
  /** n x 6: force through each joint on its link, link coordinates. A result. */
  readonly forces: Float64Array;
}

export function createAda(tree: Tree, schedule: ScheduleTree): AdaScratch {
  const plan = createAssemblyPlan(tree, schedule);
  const loops = createLoops(tree, plan.closers);
  return {
    plan,
    loops,
    closes: plan.operations.map((operation) =>
      operation.kind === 'close' ? createClose(operation, loops) : undefined,
    ),
    aba: createAba(tree),
    m: new Float64Array(plan.memory),
    f: new Float64Array(6 * tree.n),
    work: new Float64Array(JOIN_WORK),
    forces: new Float64Array(6 * tree.n),
  };
}

/** What ada returns where loop joints demand accelerations that no force can bring about. */
export const CONTRADICTION = -2;

/**
 * qdd <- forward dynamics; arguments and result as for aba, or CONTRADICTION. The forces in the joints are in
 * scratch.forces, the multipliers of the loop joints in scratch.closes.
 */
export function ada(
  tree: Tree,
  scratch: AdaScratch,
  qdd: Float64Array,
  q: Float64Array,
  qd: Float64Array,
  tau: Float64Array,
  external: Float64Array | null,
  armature: Float64Array = tree.armature,
): number {
  const { aba, loops } = scratch;
  beginLinks(tree, aba, q, qd, external);
  updateLoops(tree, loops, 'acceleration', aba.a, q, qd);
  return assembleAndDisassemble(tree, scratch, qdd, tau, armature, true);
}

/**
 * The same passes for impulses: dv <- the velocities that joints gain when the loop joints are made to hold at once, plastically
 * (level 'velocity'), or the small motion that closes their gaps (level 'position'), both of least kinetic energy. No force acts
 * meanwhile. `still`: the same tree without gravity.
 */
export function adaImpulse(
  still: Tree,
  scratch: AdaScratch,
  level: 'position' | 'velocity',
  dv: Float64Array,
  q: Float64Array,
  v: Float64Array,
  zero: Float64Array,
): number {
  const { aba, loops } = scratch;
  beginLinks(still, aba, q, zero, null);
  updateLoops(still, loops, level, aba.a, q, v);
  return assembleAndDisassemble(still, scratch, dv, zero, still.armature, false);
}

function assembleAndDisassemble(
  tree: Tree,
  scratch: AdaScratch,
  qdd: Float64Array,
  tau: Float64Array,
  armature: Float64Array,
  strict: boolean,
): number {
  const { plan, aba, f, forces, loops, closes } = scratch;
  const { operations } = plan;
  const spare = tree.n + 1;
  if (plan.closers.length > 0) pushClosers(tree, aba, loops, tau);
  for (let k = 0; k < operations.length; k++) {
    const operation = operations[k];
    if (operation.kind === 'bridge') {
      if (!bridgeParts(aba, scratch, operation)) return operation.endPart.root;
      continue;
    }
    if (operation.kind === 'close') {
      if (!closeLoops(aba, scratch, loops, operation, closes[k]!, strict)) return CONTRADICTION;
      continue;
    }
    const { a, b, atTip } = operation;
    if (atTip) {
      aba.IA.fill(0, BLOCK * spare);
      aba.pA.fill(0, 6 * spare);
    }
    if (!assembleLink(tree, aba, b, atTip ? spare : a + 1, tau, armature)) return b;
    if (operation.general) joinTips(tree, aba, scratch, operation);
  }
  f.fill(0);
  aba.delta.fill(0, 0, 6);
  for (let k = operations.length - 1; k >= 0; k--) {
    const operation = operations[k];
    if (operation.kind === 'close') openLoops(aba, scratch, loops, operation, closes[k]!);
    else if (operation.kind === 'bridge') partBridge(aba, scratch, operation);
    else if (operation.general) separate(tree, aba, scratch, operation, qdd, forces);
    else {
      const { b } = operation;
      accelerateLink(tree, aba, b, qdd);
      linkForce(aba, b, forces);
    }
  }
  if (plan.closers.length > 0) finishClosers(tree, aba, loops, tau, qdd, forces);
  return -1;
}
