// Energy, momentum and centre of mass as formulas: velocities outwards, momenta inwards.
//
//   outwards  w, v of each link (kinematics.ts)
//   inwards   P = I [w, v] + what the children pass on: the momentum of the subtree, at the link's origin
//             T = sum over all joints of qd^T (S^T P + armature qd) / 2
//             first moment of mass: h_p += R^T h + m r
//
// What lies on the axes of the joints counts with the parent (plan/mass.ts), which moves as it does; the ground's share stands still.

import { inMetres } from '../plan/length-units.js';
import type { Plan } from '../plan/plan.js';
import { ENERGY } from '../plan/results.js';
import { vec } from './body-frames.js';
import { Sum } from './forward.js';
import { forceToParent } from './inverse.js';
import { type Pose, poseNumbers, poseOf } from './joints.js';
import { type Velocity, velocityOf } from './kinematics.js';
import type { Unit } from './lanes.js';
import { RESULT, type UnitOptions, unitFormulas } from './links.js';
import { momentum } from './mass-matrix.js';
import type { VectorGraph } from './vectors.js';

export function energyFormulas(g: VectorGraph, given: Plan, units: readonly Unit[], options: UnitOptions): void {
  const plan = inMetres(given);
  const links = unitFormulas(g, plan, units, options);
  const still = { w: g.zero3, v: g.zero3 };
  const poses: Pose[] = [];
  const velocities: Velocity[] = [];
  const sums: Sum[] = [];
  links.forEach((link, i) => {
    const { parent, links: lanes } = link.unit;
    poses[i] = poseOf(g, link, poseNumbers(g, link));
    velocities[i] = velocityOf(g, link, poses[i], parent < 0 ? still : velocities[parent]);
    const P = momentum(g, link, [...velocities[i].w, ...velocities[i].v]);
    sums[i] = new Sum(g, [link.mass, ...link.h, ...P], lanes.length);
    g.mark();
  });
  const { mass, h } = plan.ground;
  const ground = new Sum(
    g,
    [mass, ...h, 0, 0, 0, 0, 0, 0].map((x) => g.constant(x)),
    1,
  );
  const kinetic = new Sum(g, [g.zero], 1);
  for (let i = links.length - 1; i >= 0; i--) {
    const { unit, v, armature } = links[i];
    const [m, hx, hy, hz, ...P] = sums[i].total();
    poses[i].S.forEach((column, k) => {
      const p = g.add(g.dot(column, P), g.mul(armature[k], v[k]));
      kinetic.add([g.mul(v[k], p)], unit.links.length);
    });
    const moment = g.plus(poses[i].rotation.toParent([hx, hy, hz]), g.times(m, poses[i].r));
    const up = [m, ...moment, ...forceToParent(g, poses[i], P)];
    (unit.parent < 0 ? ground : sums[unit.parent]).add(up, unit.links.length);
    g.mark();
  }
  const [, ...all] = ground.total();
  const [h3, P] = [vec(all), all.slice(3)];
  g.output(RESULT, ENERGY.kinetic, g.mul(g.constant(0.5), kinetic.total()[0]));
  for (const k of h3.keys()) g.output(RESULT, ENERGY.moment + k, h3[k]);
  for (const k of P.keys()) g.output(RESULT, ENERGY.momentum + k, P[k]);
}
