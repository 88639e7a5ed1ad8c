// The mass matrix of one mechanism as formulas: the composite-rigid-body algorithm over all units.
//
//   inwards   (m, h, Sigma) of the parent += those of the link, turned and shifted
//             F = I^c S,   H_ii = S^T F + armature
//             up the ancestors j:  F <- X^T F,   H_ji = S_j^T F
//
// All columns F that have come up to a link take the same way on. So they travel two by two, in the lanes of vectors:
// those of like limbs as they are, others as soon as two of them meet.

import { inMetres } from '../plan/length-units.js';
import type { Plan } from '../plan/plan.js';
import { Sum } from './forward.js';
import type { Node } from './graph.js';
import { forceToParent } from './inverse.js';
import { type Pose, poseNumbers, poseOf } from './joints.js';
import type { Unit } from './lanes.js';
import { MASS_MATRIX, type UnitFormulas, type UnitOptions, unitFormulas } from './links.js';
import { type NodeVec3, SYM, type Sym3, type Vec6, type VectorGraph } from './vectors.js';

/** Mass, first moment and second moments of a subtree as if rigid. */
export interface Composite {
  readonly mass: Node;
  readonly h: NodeVec3;
  readonly sigma: Sym3;
}

/** One column F on its way up, or two in the lanes of a vector: for each its row of the matrix and its sense. */
interface Columns {
  readonly F: Vec6;
  readonly rows: readonly number[];
  readonly senses: readonly number[];
}

export function massMatrixFormulas(g: VectorGraph, plan: Plan, units: readonly Unit[], options: UnitOptions): void {
  const links = unitFormulas(g, inMetres(plan), units, options);
  const poses = links.map((link) => {
    const pose = poseOf(g, link, poseNumbers(g, link));
    g.mark();
    return pose;
  });
  const sums = links.map(({ mass, h, sigma, unit }) => new Sum(g, [mass, ...h, ...sigma], unit.links.length));
  const arrived: Columns[][] = links.map(() => []);
  for (let i = links.length - 1; i >= 0; i--) {
    const { unit, armature } = links[i];
    const { S } = poses[i];
    const [mass, hx, hy, hz, ...sigma] = sums[i].total();
    const composite: Composite = { mass, h: [hx, hy, hz], sigma };
    const own = S.map((column, k): Columns => {
      const members = unit.links.map((link) => plan.links[link]);
      return {
        F: momentum(g, composite, column),
        rows: members.map(({ iv }) => iv + k),
        senses: members.map(({ sense }) => sense),
      };
    });
    own.forEach((columns, k) => {
      for (let l = 0; l <= k; l++) {
        const entry = g.dot(S[l], columns.F);
        writeEntries(g, plan, columns, links[i], l, k === l ? g.add(entry, armature[k]) : entry);
      }
    });
    for (const columns of arrived[i])
      S.forEach((column, l) => {
        writeEntries(g, plan, columns, links[i], l, g.dot(column, columns.F));
      });
    if (unit.parent >= 0) {
      const up = toParent(g, poses[i], composite);
      sums[unit.parent].add([up.mass, ...up.h, ...up.sigma], unit.links.length);
      const leaving = [...own, ...arrived[i]];
      const packed = options.twoStates || unit.links.length === 2 ? leaving : twoByTwo(g, leaving);
      for (const { F, ...columns } of packed)
        arrived[unit.parent].push({ ...columns, F: forceToParent(g, poses[i], F) });
    }
    g.mark();
  }
}

/** Single columns put together in pairs. */
function twoByTwo(g: VectorGraph, columns: readonly Columns[]): Columns[] {
  const singles = columns.filter(({ rows }) => rows.length === 1);
  const packed = columns.filter(({ rows }) => rows.length === 2);
  for (let k = 0; k + 1 < singles.length; k += 2) {
    const [a, b] = [singles[k], singles[k + 1]];
    packed.push({
      F: a.F.map((component, j) => g.pair(component, b.F[j])),
      rows: [...a.rows, ...b.rows],
      senses: [...a.senses, ...b.senses],
    });
  }
  return singles.length % 2 === 0 ? packed : [...packed, singles[singles.length - 1]];
}

/** E^T Sigma E + t h'^T + (E^T h) t^T with h' = E^T h + m t. */
export function toParent(
  g: VectorGraph,
  { rotation, r }: Pick<Pose, 'rotation' | 'r'>,
  { mass, h, sigma }: Composite,
): Composite {
  const turned = rotation.toParent(h);
  const moved = g.plus(turned, g.times(mass, r));
  const A = rotation.symToParent(sigma);
  const shifted: Node[] = [];
  for (let i = 0; i < 3; i++)
    for (let j = i; j < 3; j++) {
      const change =
        i === j ? g.mul(r[i], g.add(turned[i], moved[i])) : g.add(g.mul(r[i], turned[j]), g.mul(moved[i], r[j]));
      shifted[SYM[i][j]] = g.add(A[SYM[i][j]], change);
    }
  return { mass, h: moved, sigma: shifted };
}

/** I S = [I w + h x v, m v - h x w] for S = [w, v]. */
export function momentum(g: VectorGraph, { mass, h, sigma }: Composite, S: Vec6): Vec6 {
  const w: NodeVec3 = [S[0], S[1], S[2]];
  const v: NodeVec3 = [S[3], S[4], S[5]];
  const n = g.plus(g.applySym(g.complement(sigma), w), g.cross(h, v));
  const f = g.minus(g.times(mass, v), g.cross(h, w));
  return [...n, ...f];
}

/** Writes the entries of degree of freedom l of a unit with each of the columns, and their mirror images. */
function writeEntries(g: VectorGraph, plan: Plan, columns: Columns, at: UnitFormulas, l: number, entry: Node): void {
  const { rows, senses } = columns;
  const above = at.unit.links.map((link) => plan.links[link]);
  const [first, second = first] = above;
  const value = g.mul(g.constant(first.sense * senses[0], second.sense * (senses[1] ?? senses[0])), entry);
  const place = (lane: 0 | 1): readonly [number, number] => [rows[lane], (lane === 0 ? first : second).iv + l];
  const index = (row: number, column: number): number => row * plan.nv + column;
  const [row, column] = place(0);
  if (rows.length === 1) {
    g.output(MASS_MATRIX, index(row, column), value);
    if (row !== column) g.output(MASS_MATRIX, index(column, row), value);
    return;
  }
  const [otherRow, otherColumn] = place(1);
  const both = g.lanes[value] === 2 ? value : g.pair(value, value);
  g.output(MASS_MATRIX, index(row, column), both, index(otherRow, otherColumn));
  if (row !== column) g.output(MASS_MATRIX, index(column, row), both, index(otherColumn, otherRow));
}
