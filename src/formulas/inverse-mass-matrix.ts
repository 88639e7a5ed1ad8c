// The inverse of the mass matrix: the part that is made for one mechanism. Column j holds the accelerations under a unit force
// at degree of freedom j alone, of the mechanism at rest (Carpentier 2018; engines/plain/inverse-mass-matrix.ts).
//
// Here all degrees of freedom are eliminated as in aba.ts, which gives for each of them S, G = U / D and 1 / D. They are
// turned to the coordinates of the first link of their tree: there forces and motions pass from link to link unchanged, so that
// the columns of all mechanisms take the same steps (emit/inverse-mass-loops.ts):
//
//   inwards   p_j = G_j;  for each k above j:   t = S_k^T p_j,  x_kj = -t / D_k,  p_j -= G_k t
//   outwards  for k and j at it or beyond:      x_kj -= G_k^T a_j,  a_j += S_k x_kj
//   between limbs that part at a link b:        x_kj = -p_k^T a_j, with p_k as it arrives at b and a_j the acceleration of b

import { inMetres } from '../plan/length-units.js';
import type { Plan } from '../plan/plan.js';
import { assemble, type EliminatedColumn, rigidInertia } from './aba.js';
import { writeAt } from './body-frames.js';
import { Sum } from './forward.js';
import type { Node } from './graph.js';
import { forceToParent } from './inverse.js';
import { type InverseMassColumns, RECORD, RECORD_D, RECORD_G } from './inverse-mass-columns.js';
import { groundColumns } from './jacobian.js';
import { type Pose, poseNumbers, poseOf } from './joints.js';
import { groundPlace, type LinkPlace, placeOf } from './kinematics.js';
import type { Unit } from './lanes.js';
import { type UnitFormulas, type UnitOptions, unitFormulas } from './links.js';
import { matrixRotation } from './rotation.js';
import type { VectorGraph } from './vectors.js';

export function inverseMassFormulas(
  g: VectorGraph,
  given: Plan,
  units: readonly Unit[],
  options: UnitOptions,
  columns: InverseMassColumns,
): void {
  const plan = inMetres(given);
  const links = unitFormulas(g, plan, units, { ...options, atRest: true });
  const places: LinkPlace[] = [];
  const poses = links.map((link, i): Pose => {
    const pose = poseOf(g, link, poseNumbers(g, link));
    const { parent } = link.unit;
    places[i] = parent < 0 ? groundPlace(g) : placeOf(g, pose, places[parent]);
    g.mark();
    return pose;
  });
  const { zero3, zero } = g;
  const none = { angular: zero3, linear: zero3, origin: zero3 };
  const still = new Array<Node>(6).fill(zero);
  const bodies = links.map((link) => new Sum(g, rigidInertia(g, link), link.unit.links.length));
  for (let i = links.length - 1; i >= 0; i--) {
    const { unit, v } = links[i];
    const body = { I: bodies[i].total(), p: still };
    const { columns: own, up } = assemble(
      g,
      links[i],
      poses[i],
      none,
      body,
      v.map(() => zero),
    );
    if (unit.parent >= 0) bodies[unit.parent].add(up.I, unit.links.length);
    writeDegrees(g, columns, links[i], poses[i], places[i], own);
    g.mark();
  }
}

/** The records of a unit's degrees of freedom, and what its own columns begin with. */
function writeDegrees(
  g: VectorGraph,
  columns: InverseMassColumns,
  { unit, rates }: UnitFormulas,
  pose: Pose,
  place: LinkPlace,
  own: readonly EliminatedColumn[],
): void {
  const { nv, records, stride, degrees } = columns;
  const S = groundColumns(g, pose, place);
  const here = { rotation: matrixRotation(g, place.E), r: place.p };
  own.forEach(({ G, inverse }, k) => {
    const at = unit.links.map((link) => columns.first[link] + k);
    const record = (offset: number): number[] => at.map((degree) => records + RECORD * degree + offset);
    S[k].forEach((node, c) => {
      writeAt(g, record(c), g.mul(rates[k], node));
    });
    const turned = forceToParent(g, here, G).map((node) => g.mul(rates[k], node));
    turned.forEach((component, c) => {
      writeAt(g, record(RECORD_G + c), component);
      writeAt(
        g,
        at.map((degree) => degrees[degree].forcesTo + c * stride + degree),
        component,
      );
    });
    writeAt(g, record(RECORD_D), g.neg(inverse!));
    writeAt(
      g,
      at.map((degree) => (nv + 1) * degree),
      inverse!,
    );
  });
}
