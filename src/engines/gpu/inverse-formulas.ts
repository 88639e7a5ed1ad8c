// Inverse dynamics as formulas in the order that suits a GPU: the recursive Newton-Euler algorithm of src/formulas/inverse.ts,
// depth first. A link's force is known, and its torque written, as soon as all that hangs on it is done.

import type { Node } from '../../formulas/graph.js';
import { forceToParent } from '../../formulas/inverse.js';
import { alongJoint, poseNumbers, poseOf } from '../../formulas/joints.js';
import { singleUnits } from '../../formulas/lanes.js';
import { QDD, readUnit, TAU, unitFormulas, writeUnit } from '../../formulas/links.js';
import { groundMotion, inertialForce, type LinkMotion, pointAcceleration, step } from '../../formulas/motion.js';
import type { Vec6 } from '../../formulas/vectors.js';
import { inShortestUnits } from '../../plan/length-units.js';
import type { Plan } from '../../plan/plan.js';
import { GpuGraph, orderedChildren } from './formulas.js';
import { preciseQuaternionMatrix } from './quaternion.js';

export function inverseForGpu(given: Plan): GpuGraph {
  const g = new GpuGraph();
  const plan = inShortestUnits(given);
  const links = unitFormulas(g, plan, singleUnits(plan), { twoStates: true }).map((link) => ({
    ...link,
    matrixOf: preciseQuaternionMatrix,
  }));
  const { children, roots } = orderedChildren(plan);
  /** The force that link i and all that hangs on it need from the parent, in the parent's frame. */
  const visit = (i: number, parent: LinkMotion): Vec6 => {
    const link = links[i];
    const { unit, rates, armature } = link;
    const pose = poseOf(g, link, poseNumbers(g, link));
    const qdd = readUnit(g, plan, unit, QDD, ({ iv }) => iv, link.v.length).map((x, k) => g.mul(rates[k], x));
    const { w, angular, linear, origin } = step(g, link, pose, parent);
    const [alphaJ, aJ] = alongJoint(g, pose.S, qdd);
    const alpha = g.plus(angular, alphaJ);
    const a = g.plus(g.plus(pose.rotation.toLink(origin), linear), aJ);
    const motion = { w, alpha, a, W: pointAcceleration(g, w, alpha) };
    const p = children[i].reduce(
      (sum: readonly Node[], child) => g.addAll(sum, visit(child, motion)),
      inertialForce(g, link, motion),
    );
    pose.S.forEach((column, k) => {
      const tau = g.add(g.dot(column, p), g.mul(armature[k], qdd[k]));
      writeUnit(g, plan, unit, TAU, k, g.mul(rates[k], tau));
    });
    return unit.parent < 0 ? p : forceToParent(g, pose, p);
  };
  const gravity = g.vec((k) => g.constant(plan.gravity[k]));
  for (const root of roots) visit(root, groundMotion(g, gravity));
  return g;
}
