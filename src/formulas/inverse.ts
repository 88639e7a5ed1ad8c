// Inverse dynamics of one mechanism as formulas: the recursive Newton-Euler algorithm over all units.
//
//   outwards  the motion with qdd (motion.ts), and the force p each link needs for it
//   inwards   tau = S^T p + armature qdd,   p_parent += X^T p

import { inShortestUnits, type ScaledPlan } from '../plan/length-units.js';
import type { Plan } from '../plan/plan.js';
import { forBodies, vec, writeNumbers } from './body-frames.js';
import { Sum } from './forward.js';
import { alongJoint, type Pose, poseNumbers, poseOf } from './joints.js';
import type { Unit } from './lanes.js';
import { QDD, readExternal, readUnit, TAU, type UnitOptions, unitFormulas, writeUnit } from './links.js';
import { groundMotion, inertialForce, type LinkMotion, pointAcceleration, step } from './motion.js';
import { matrixRotation } from './rotation.js';
import type { NodeVec3, Vec6, VectorGraph } from './vectors.js';

export function inverseFormulas(g: VectorGraph, given: Plan, units: readonly Unit[], options: UnitOptions): void {
  const plan = inShortestUnits(given);
  const links = unitFormulas(g, plan, units, options);
  const ground = groundMotion(
    g,
    g.vec((k) => g.constant(plan.gravity[k])),
  );
  const accelerations = links.map(({ unit, v, rates }) =>
    readUnit(g, plan, unit, QDD, (l) => l.iv, v.length).map((x, k) => g.mul(rates[k], x)),
  );
  const poses: Pose[] = [];
  const motions: LinkMotion[] = [];
  const forces: Sum[] = [];
  links.forEach((link, i) => {
    const { parent, links: lanes } = link.unit;
    poses[i] = poseOf(g, link, poseNumbers(g, link));
    const { w, angular, linear, origin } = step(g, link, poses[i], parent < 0 ? ground : motions[parent]);
    const [alphaJ, aJ] = alongJoint(g, poses[i].S, accelerations[i]);
    const alpha = g.plus(angular, alphaJ);
    const a = g.plus(g.plus(poses[i].rotation.toLink(origin), linear), aJ);
    motions[i] = { w, alpha, a, W: pointAcceleration(g, w, alpha) };
    const own = inertialForce(g, link, motions[i]);
    const external = options.loaded === true ? readExternal(g, plan, link.unit) : undefined;
    const force = external === undefined ? own : own.map((component, k) => g.sub(component, external[k]));
    forces[i] = new Sum(g, force, lanes.length);
    g.mark();
  });
  for (let i = links.length - 1; i >= 0; i--) {
    const { unit, armature, rates } = links[i];
    const p = forces[i].total();
    if (options.jointForces === true) writeForces(g, plan, unit, p);
    poses[i].S.forEach((column, k) => {
      const tau = g.add(g.dot(column, p), g.mul(armature[k], accelerations[i][k]));
      writeUnit(g, plan, unit, TAU, k, g.mul(rates[k], tau));
    });
    if (unit.parent >= 0) forces[unit.parent].add(forceToParent(g, poses[i], p), unit.links.length);
    g.mark();
  }
}

/** The force through the joint of each link of a unit on the body it carries, at that body's origin, body coordinates. */
function writeForces(g: VectorGraph, plan: ScaledPlan, unit: Unit, p: Vec6): void {
  forBodies(g, plan, unit, (bodies, E, r, lane) => {
    const rotation = matrixRotation(g, E);
    const f = g.times(g.constant(1 / plan.length), vec(p.slice(3).map(lane)));
    const n = g.minus(vec(p.slice(0, 3).map(lane)), g.cross(r, f));
    [...rotation.toLink(n), ...rotation.toLink(f)].forEach((node, k) => {
      writeNumbers(g, 0, bodies, 6, k, node);
    });
  });
}

/** X^T p: [E^T n + r x E^T f, E^T f]. */
export function forceToParent(g: VectorGraph, { rotation, r }: Pick<Pose, 'rotation' | 'r'>, p: Vec6): Vec6 {
  const f: NodeVec3 = rotation.toParent([p[3], p[4], p[5]]);
  const n = rotation.toParent([p[0], p[1], p[2]]);
  return [...g.plus(n, g.cross(r, f)), ...f];
}
