// The mass matrix of deep trees: the part that is made for one mechanism. As formulas (mass-matrix.ts) the way of every column
// F = I^c S up the tree is written out, and code grows with the square of the depth until fetching it is all the time there is.
// In the coordinates of the first link of a tree columns do not change on their way:
//
//   H_kj = S_k^T F_j for all j beyond k
//
// So S and F are turned there once, and a loop (emit/inverse-mass-loops.ts) forms the products.

import { inMetres } from '../plan/length-units.js';
import type { Plan } from '../plan/plan.js';
import { writeNumbers } from './body-frames.js';
import { Sum } from './forward.js';
import { forceToParent } from './inverse.js';
import { type InverseMassColumns, inverseMassColumns } from './inverse-mass-columns.js';
import { groundColumns } from './jacobian.js';
import { type Pose, poseNumbers, poseOf } from './joints.js';
import { groundPlace, type LinkPlace, placeOf } from './kinematics.js';
import type { Unit } from './lanes.js';
import { MASS_MATRIX, type UnitOptions, unitFormulas } from './links.js';
import { type Composite, momentum, toParent } from './mass-matrix.js';
import { matrixRotation } from './rotation.js';
import type { VectorGraph } from './vectors.js';

/** Pairs of a degree of freedom and one beyond it from which on loops are faster. */
const MANY_PAIRS = 1500;

/** The order of the columns, where the mass matrix is best computed by loops. */
export function massMatrixColumns(plan: Plan): InverseMassColumns | undefined {
  const columns = inverseMassColumns(plan);
  const pairs = columns.degrees.reduce((sum, { end }, k) => sum + end - k, 0);
  return columns.order === undefined && pairs >= MANY_PAIRS ? columns : undefined;
}

/** The result: six rows of -S, six rows of F; the diagonal of the matrix is complete. */
export function massMatrixColumnFormulas(
  g: VectorGraph,
  given: Plan,
  units: readonly Unit[],
  options: UnitOptions,
  { first, stride }: InverseMassColumns,
): void {
  const plan = inMetres(given);
  const links = unitFormulas(g, plan, units, options);
  const places: LinkPlace[] = [];
  const poses = links.map((link, i): Pose => {
    const pose = poseOf(g, link, poseNumbers(g, link));
    const { parent } = link.unit;
    places[i] = parent < 0 ? groundPlace(g) : placeOf(g, pose, places[parent]);
    g.mark();
    return pose;
  });
  const sums = links.map(({ mass, h, sigma, unit }) => new Sum(g, [mass, ...h, ...sigma], unit.links.length));
  for (let i = links.length - 1; i >= 0; i--) {
    const { unit, armature, rates } = links[i];
    const [mass, hx, hy, hz, ...sigma] = sums[i].total();
    const composite: Composite = { mass, h: [hx, hy, hz], sigma };
    const here = { rotation: matrixRotation(g, places[i].E), r: places[i].p };
    const S = groundColumns(g, poses[i], places[i]);
    poses[i].S.forEach((column, k) => {
      const F = momentum(g, composite, column);
      const at = unit.links.map((link) => first[link] + k);
      S[k].forEach((node, c) => {
        writeNumbers(g, c * stride, at, 1, 0, g.neg(g.mul(rates[k], node)));
      });
      forceToParent(g, here, F).forEach((node, c) => {
        writeNumbers(g, (6 + c) * stride, at, 1, 0, g.mul(rates[k], node));
      });
      const diagonal = g.add(g.dot(column, F), armature[k]);
      const [a, b] = at.map((degree) => degree * (plan.nv + 1));
      if (b === undefined) g.output(MASS_MATRIX, a, diagonal);
      else g.output(MASS_MATRIX, a, g.lanes[diagonal] === 2 ? diagonal : g.pair(diagonal, diagonal), b);
    });
    if (unit.parent >= 0) {
      const up = toParent(g, poses[i], composite);
      sums[unit.parent].add([up.mass, ...up.h, ...up.sigma], unit.links.length);
    }
    g.mark();
  }
}
