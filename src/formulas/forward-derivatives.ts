// Derivatives of forward dynamics by articulated bodies: the part that is made for one mechanism. With x the accelerations under
// a unit force at degree of freedom i, and a_j = sum of S_k x_k for k at j or before it, the derivatives of inverse dynamics
// (formulas/inverse-derivatives.ts) give
//
//   d qdd_i / d q_j = -(a_j^T R_j + sum over k beyond j of x_k (P_k^T Psi1_j + F_k^T Psi2_j))
//
// and for v with Q_j, S_j and Psi1 + dS/dt. What lies beyond j answers to a_j and to the force at i alone, which comes to j as
// the force p_j: sum of x_k F_k = (I^A_j - I_j) a_j + p_j with the articulated inertia I^A. Likewise, for P, with
//
//   B^A = B + sum over the children of B^A - G z^T,   z = (B^A)^T S,       G = I^A S / D
//   rho_j = what comes of z_i / D_i at i; inwards, rho -= (z_k / D_k) t, as p -= G_k t with t = S_k^T p
//
//   d qdd_i / d q_j = -(a_j^T r_j + p_j^T Psi2_j + rho_j^T Psi1_j),    r_j = B^A Psi1_j + I^A Psi2_j + S_j x* f_j
//
// where p and rho are zero for i that are not beyond j. No derivative of inverse dynamics is formed: nothing is multiplied by H^-1.
// Loops do the products (emit/forward-derivative-loops.ts), in the coordinates of the first link of a tree.

import { inMetres } from '../plan/length-units.js';
import type { Plan } from '../plan/plan.js';
import { SYM6 } from './aba.js';
import { vec, writeAt } from './body-frames.js';
import { movesAtOnce } from './derivative-columns.js';
import { Sum } from './forward.js';
import {
  type ForwardDerivativeColumns,
  ROW_CARRIED,
  ROW_R_DQ,
  ROW_R_DV,
  ROW_ZETA,
  ROWS_OF_ARTICULATED,
} from './forward-derivative-columns.js';
import type { Node } from './graph.js';
import {
  type Column,
  carriedForce,
  groundMotions,
  readMotions,
  readNumbers,
  subtreeOf,
  writeGiven,
  writeMotions,
  writeRows,
} from './inverse-derivatives.js';
import type { GroundElimination } from './inverse-mass-matrix.js';
import type { Unit } from './lanes.js';
import { type UnitFormulas, type UnitOptions, unitFormulas } from './links.js';
import type { VectorGraph } from './vectors.js';

/** Numbers of I^A, of B^A (6 x 3) and of the force. */
const [INERTIA, B] = [21, 18];

/**
 * Motions, then, once loops have found what every link adds to its subtree, the articulated inertias. `eliminated`: of the
 * units, by the inverse of the mass matrix.
 */
export function forwardDerivativeStages(
  g: VectorGraph,
  given: Plan,
  units: readonly Unit[],
  options: UnitOptions,
  places: ForwardDerivativeColumns,
  eliminated: readonly (readonly GroundElimination[])[],
  accelerations?: (unit: Unit) => readonly Node[],
): void {
  const plan = inMetres(given);
  const links = unitFormulas(g, plan, units, options);
  const { at, motions, columns } = groundMotions(g, plan, links, accelerations);
  const { order, rows } = places;
  links.forEach(({ unit }, i) => {
    writeMotions(g, { order, motions: rows, stride: order.stride }, unit, columns[i]);
    writeGiven(g, places.links, unit, at[i], motions[i]);
    g.mark();
  });
  g.endPhase();
  const sums = links.map(({ unit }) => {
    const { inertia, M, p, f } = subtreeOf(g, readNumbers(g, places.links, unit));
    const J = g.complement(inertia.sigma);
    const H = g.skew(inertia.h);
    const { zero } = g;
    const I = [
      ...[J[0], J[1], J[2], H[0], H[1], H[2]],
      ...[J[3], J[4], H[3], H[4], H[5]],
      ...[J[5], H[6], H[7], H[8]],
      ...[inertia.mass, zero, zero, inertia.mass, zero, inertia.mass],
    ];
    const b = g.skew(p).map((x) => g.neg(x));
    return new Sum(g, [...I, ...M, ...b, ...f], unit.links.length);
  });
  for (let i = links.length - 1; i >= 0; i--) {
    const { unit } = links[i];
    const up = writeArticulated(g, places, links[i], columns[i], eliminated[i], sums[i].total());
    if (unit.parent >= 0) sums[unit.parent].add(up, unit.links.length);
    g.mark();
  }
  g.endPhase();
}

/** Row and column of each number of a symmetric matrix. */
const ENTRIES = SYM6.flatMap((_, i) => SYM6.slice(i).map((__, k) => [i, i + k] as const));
const ROWS = [0, 1, 2, 3, 4, 5];

/** Writes what a unit's degrees of freedom feel; returns what its parent adds up. */
function writeArticulated(
  g: VectorGraph,
  { order, rows, articulated }: ForwardDerivativeColumns,
  { unit, type }: UnitFormulas,
  columns: readonly Column[],
  eliminated: readonly GroundElimination[],
  numbers: readonly Node[],
): Node[] {
  const force = numbers.slice(INERTIA + B);
  let I = numbers.slice(0, INERTIA);
  let b = numbers.slice(INERTIA, INERTIA + B);
  // Joints that move at once carry the motions of all their degrees of freedom along, those before k as well.
  const atOnce = movesAtOnce(type);
  const alone = atOnce && unit.parent < 0;
  for (let k = columns.length - 1; k >= 0; k--) {
    const { S } = columns[k];
    const { G, inverse, D } = eliminated[k];
    const here = unit.links.map((link) => order.first[link] + k);
    const write = (row: number, nodes: readonly Node[]): void => writeRows(g, row, order.stride, here, nodes);
    write(articulated, [...I, ...b, ...(alone ? [] : force)]);
    if (atOnce && !alone) {
      const carried = carriedForce(g, S, force);
      const felt = columns.slice(0, k).map((before) => g.dot(before.S, carried));
      write(rows + ROW_CARRIED * order.stride, felt);
    }
    const z = [0, 1, 2].map((c) =>
      g.dot(
        ROWS.map((row) => b[3 * row + c]),
        S,
      ),
    );
    const zeta = z.map((x) => g.mul(x, inverse));
    write(rows + ROW_ZETA * order.stride, zeta);
    zeta.forEach((node, c) => {
      const places = here.map((degree) => order.degrees[degree].forcesTo + (6 + c) * order.stride + degree);
      writeAt(g, places, node);
    });
    const U = G.map((x) => g.mul(x, D));
    I = I.map((entry, at) => g.sub(entry, g.mul(U[ENTRIES[at][0]], G[ENTRIES[at][1]])));
    b = b.map((entry, at) => g.sub(entry, g.mul(G[Math.floor(at / 3)], z[at % 3])));
  }
  return [...I, ...b, ...force];
}

/** -r of a column, from its motions (array 0) and what it feels (array 1) to array 0. */
export function forwardColumnKernel(g: VectorGraph): void {
  const { S, psi1, psi2, sum } = readMotions(g);
  const numbers = g.inputs(1, 0, ROWS_OF_ARTICULATED);
  const I = numbers.slice(0, INERTIA);
  const b = numbers.slice(INERTIA, INERTIA + B);
  /** B^A m + I^A l */
  const respond = (m: readonly Node[], l: readonly Node[]): Node[] => {
    const a = vec(m.slice(0, 3));
    return SYM6.map((row, c) =>
      g.add(
        g.dot(
          row.map((entry) => I[entry]),
          l,
        ),
        g.dot(b.slice(3 * c, 3 * c + 3), a),
      ),
    );
  };
  const r = g.addAll(respond(psi1, psi2), carriedForce(g, S, numbers.slice(INERTIA + B)));
  r.forEach((x, c) => {
    g.output(0, ROW_R_DQ + c, g.neg(x));
  });
  respond(S, sum).forEach((x, c) => {
    g.output(0, ROW_R_DV + c, g.neg(x));
  });
}
