// Jacobians as formulas.
//
// Of one body, in its coordinates: on the way from the body to the ground, with E from the coordinates of the link at hand to
// those of the body and r the body's origin in the link, a column is [E w, E (v + w x r)] for each column [w, v] of the
// joint's motion space; then E <- E R, r <- r_link + R^T r.
//
// Of all of them at once, in ground coordinates at the ground's origin: [w, v + p x w] with w and v turned to the ground. The
// Jacobian of any body has the columns of the joints that carry it, at another point or in other coordinates where wanted.

import { inMetres } from '../plan/length-units.js';
import type { Plan } from '../plan/plan.js';
import { vec, writeNumbers } from './body-frames.js';
import { type Pose, poseNumbers, poseOf } from './joints.js';
import { groundPlace, type LinkPlace, placeOf } from './kinematics.js';
import { singleUnits, type Unit } from './lanes.js';
import { type UnitFormulas, type UnitOptions, unitFormulas } from './links.js';
import type { NodeVec3, Vec6, VectorGraph } from './vectors.js';

/** 6 x nv, row major; columns of joints that do not carry the body stay zero. */
export function jacobianFormulas(g: VectorGraph, given: Plan, body: number, options: UnitOptions): void {
  const plan = inMetres(given);
  const { link, X } = plan.bodies[body];
  const all = singleUnits(plan);
  const path: Unit[] = [];
  for (let i = link; i >= 0; i = all[i].parent) path.push(all[i]);
  const links = unitFormulas(g, plan, path, options);
  let rows = [0, 3, 6].map((k): NodeVec3 => vec(X.slice(k, k + 3).map((x) => g.constant(x))));
  let r = vec(X.slice(9).map((x) => g.constant(x)));
  for (const link of links) {
    const pose = poseOf(g, link, poseNumbers(g, link));
    const turn = (x: NodeVec3): NodeVec3 => vec(rows.map((row) => g.dot(row, x)));
    pose.S.forEach((column, k) => {
      const [w, v] = [vec(column.slice(0, 3)), vec(column.slice(3))];
      writeColumn(g, plan, link, k, [...turn(w), ...turn(g.plus(v, g.cross(w, r)))]);
    });
    rows = rows.map((row) => pose.rotation.toParent(row));
    r = g.plus(pose.r, pose.rotation.toParent(r));
    g.mark();
  }
}

/** 6 x nv, row major: the motion that one unit of each degree of freedom gives all bodies it carries. */
export function jacobiansFormulas(g: VectorGraph, given: Plan, units: readonly Unit[], options: UnitOptions): void {
  const plan = inMetres(given);
  const links = unitFormulas(g, plan, units, options);
  const places: LinkPlace[] = [];
  links.forEach((link, i) => {
    const pose = poseOf(g, link, poseNumbers(g, link));
    const { parent } = link.unit;
    places[i] = placeOf(g, pose, parent < 0 ? groundPlace(g) : places[parent]);
    groundColumns(g, pose, places[i]).forEach((column, k) => {
      writeColumn(g, plan, link, k, column);
    });
    g.mark();
  });
}

/** The columns of a joint's motion space in ground coordinates, at the ground's origin. */
export function groundColumns(g: VectorGraph, { S }: Pick<Pose, 'S'>, { E, p }: LinkPlace): Vec6[] {
  return S.map((column) => {
    const w = g.applyT(E, vec(column.slice(0, 3)));
    return [...w, ...g.plus(g.applyT(E, vec(column.slice(3))), g.cross(p, w))];
  });
}

/** Column of degree of freedom k of a unit, in the author's sense. */
export function writeColumn(g: VectorGraph, plan: Plan, link: UnitFormulas, k: number, column: Vec6): void {
  const at = link.unit.links.map((i) => plan.links[i].iv + k);
  column.forEach((node, row) => {
    writeNumbers(g, row * plan.nv, at, 1, 0, g.mul(link.rates[k], node));
  });
}
