// The centroidal momentum matrix as formulas: momentum about the centre of mass for one unit of each degree of freedom.
//
//   outwards  E, p of each link (kinematics.ts)
//   inwards   (m, h, Sigma) of the parent += those of the link: composites (mass-matrix.ts); at the ground c = h / m
//   columns   F = I^c S at the link's origin, turned to the ground and moved to c:  [E^T n + (p - c) x E^T f,  E^T f]
//
// Bodies that are part of the ground do not count. What lies on the axes of the first joints counts with the ground's mass
// (plan/mass.ts) and is part of the centre of mass all the same.

import { inMetres } from '../plan/length-units.js';
import type { Plan } from '../plan/plan.js';
import { vec } from './body-frames.js';
import { Sum } from './forward.js';
import { forceToParent } from './inverse.js';
import { writeColumn } from './jacobian.js';
import { type Pose, poseNumbers, poseOf } from './joints.js';
import { groundPlace, type LinkPlace, placeOf } from './kinematics.js';
import type { Unit } from './lanes.js';
import { type UnitOptions, unitFormulas } from './links.js';
import { type Composite, momentum, toParent } from './mass-matrix.js';
import { matrixRotation } from './rotation.js';
import type { VectorGraph } from './vectors.js';

/** 6 x nv, row major: angular, then linear. */
export function centroidalFormulas(g: VectorGraph, given: Plan, units: readonly Unit[], options: UnitOptions): void {
  const plan = inMetres(given);
  const links = unitFormulas(g, plan, units, options);
  const places: LinkPlace[] = [];
  const poses = links.map((link, i): Pose => {
    const pose = poseOf(g, link, poseNumbers(g, link));
    const { parent } = link.unit;
    places[i] = placeOf(g, pose, parent < 0 ? groundPlace(g) : places[parent]);
    g.mark();
    return pose;
  });
  const { ground, welded } = plan;
  const still = [ground.mass - welded.mass, ...ground.h.map((x, k) => x - welded.h[k])];
  const whole = new Sum(
    g,
    still.map((x) => g.constant(x)),
    1,
  );
  const sums = links.map(({ mass, h, sigma, unit }) => new Sum(g, [mass, ...h, ...sigma], unit.links.length));
  const composites: Composite[] = [];
  for (let i = links.length - 1; i >= 0; i--) {
    const { unit } = links[i];
    const [mass, hx, hy, hz, ...sigma] = sums[i].total();
    composites[i] = { mass, h: [hx, hy, hz], sigma };
    const lanes = unit.links.length;
    const up = toParent(g, poses[i], composites[i]);
    if (unit.parent < 0) whole.add([up.mass, ...up.h], lanes);
    else sums[unit.parent].add([up.mass, ...up.h, ...up.sigma], lanes);
    g.mark();
  }
  const [mass, ...h] = whole.total();
  const com = g.times(mass === g.zero ? g.zero : g.div(g.one, mass), vec(h));
  links.forEach((link, i) => {
    const { E, p } = places[i];
    const here = { rotation: matrixRotation(g, E), r: g.minus(p, com) };
    poses[i].S.forEach((column, k) => {
      writeColumn(g, plan, link, k, forceToParent(g, here, momentum(g, composites[i], column)));
    });
    g.mark();
  });
}
