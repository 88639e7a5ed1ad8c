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
// where p and rho are zero for i that are not beyond j. Accelerations come on the way: with those that the links have without any in
// the joints taken off, what is left of the motion, delta, follows from forces alone, f_j = I^A delta_j + p^A. No derivative of inverse dynamics is formed: nothing is multiplied by H^-1.
// Loops do the products (emit/forward-derivative-loops.ts), in the coordinates of the first link of a tree.

import { inMetres } from '../plan/length-units.js';
import type { Plan } from '../plan/plan.js';
import { SYM6 } from './aba.js';
import { vec } from './body-frames.js';
import { ROW_PSI2, ROWS_OF_LINK } from './derivative-columns.js';
import {
  type ForwardDerivativeColumns,
  ROW_ARMATURE,
  ROW_BASE_PSI2,
  ROW_CARRIED,
  ROW_CARRIES,
  ROW_DELTA,
  ROW_R_DQ,
  ROW_R_DV,
  ROW_Y,
  ROW_ZETA,
  ROWS_OF_ARTICULATED,
} from './forward-derivative-columns.js';
import type { Node } from './graph.js';
import {
  carriedForce,
  crossMotion,
  groundMotions,
  readMotions,
  scaled,
  subtreeOf,
  writeGiven,
  writeMotions,
  writeRows,
} from './inverse-derivatives.js';
import { RECORD_D, RECORD_G } from './inverse-mass-columns.js';
import type { Unit } from './lanes.js';
import { RESULT, type UnitOptions, unitFormulas } from './links.js';
import type { Vec6, VectorGraph } from './vectors.js';

/** Numbers of I^A and of B^A (6 x 3), after which p^A stands. */
const [INERTIA, B] = [21, 18];

/**
 * Motions; then kernels find what every link is, eliminate the degrees of freedom one after the other and find the accelerations
 * (those below); then what the degrees of freedom of joints that move at once carry along.
 */
export function forwardDerivativeStages(
  g: VectorGraph,
  given: Plan,
  units: readonly Unit[],
  options: UnitOptions,
  places: ForwardDerivativeColumns,
): void {
  const plan = inMetres(given);
  const links = unitFormulas(g, plan, units, options);
  // Without accelerations of the joints, where they are not known.
  const none = (_: Unit, nv: number): Node[] => new Array<Node>(nv).fill(g.zero);
  const { at, motions, columns } = groundMotions(g, plan, links, places.known ? undefined : none);
  const { order, rows, articulated, joints, carried } = places;
  const { stride } = order;
  links.forEach(({ unit }, i) => {
    // Kernels finish Psi2 (zeros are not written).
    const unfinished = columns[i].map((column) => (places.known ? column : { ...column, psi2: none(unit, 6) }));
    writeMotions(g, { order, motions: rows, stride }, unit, unfinished);
    if (!places.known)
      columns[i].forEach(({ psi2 }, k) => {
        const here = unit.links.map((link) => order.first[link] + k);
        writeRows(g, rows + ROW_BASE_PSI2 * stride, stride, here, psi2);
      });
    writeGiven(g, places.links, unit, at[i], motions[i]);
    g.mark();
  });
  if (carried.length === 0) return;
  g.endPhase();
  links.forEach(({ unit }, i) => {
    const { from, end, parent, atOnce } = joints[unit.links[0]];
    if (!atOnce || parent < 0) return;
    const [first, second] = unit.links.map((link) => joints[link].end - 1);
    const read = (row: number, count: number): Node[] =>
      Array.from({ length: count }, (_, c) => {
        const place = articulated + (row + c) * stride;
        return g.input(RESULT, place + first, second === undefined ? -1 : place + second);
      });
    const moved = symmetricTimes(g, read(0, INERTIA), read(ROW_DELTA, 6));
    const force = g.addAll(read(INERTIA + B, 6), moved);
    for (let k = 1; k < end - from; k++) {
      const felt = columns[i].slice(0, k).map(({ S }) => g.dot(S, carriedForce(g, columns[i][k].S, force)));
      const here = unit.links.map((link) => order.first[link] + k);
      writeRows(g, rows + ROW_CARRIED * stride, stride, here, felt);
    }
    g.mark();
  });
  g.endPhase();
}

const ROWS = [0, 1, 2, 3, 4, 5];
/** Row and column of each number of a symmetric matrix. */
const ENTRIES = SYM6.flatMap((_, i) => SYM6.slice(i).map((__, k) => [i, i + k] as const));

const symmetricTimes = (g: VectorGraph, I: readonly Node[], x: Vec6): Node[] =>
  SYM6.map((row) =>
    g.dot(
      row.map((entry) => I[entry]),
      x,
    ),
  );

/** I, B and p of a link by itself (array 1), from its numbers (array 0). */
export function beginKernel(g: VectorGraph): void {
  const { inertia, M, p, f } = subtreeOf(g, g.inputs(0, 0, ROWS_OF_LINK));
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
  [...I, ...M, ...b, ...f].forEach((node, c) => {
    g.output(1, c, node);
  });
}

/** Where what is left after a degree of freedom goes: to the one before it in its joint, to what another joint feels, nowhere. */
export type Onward = 'set' | 'add' | 'none';

/**
 * Eliminates a degree of freedom. Arrays: 0 its rows, 1 what it feels, 2 the same of the one that feels what is left, 3 its record
 * and 4 its column for the inverse of the mass matrix, 5 the diagonal of that, 6 tau. `known`: accelerations are, p is a force.
 */
export function eliminateKernel(g: VectorGraph, onward: Onward, known: boolean): void {
  const S = g.inputs(0, 0, 6);
  const I = g.inputs(1, 0, INERTIA);
  const b = g.inputs(1, INERTIA, B);
  const p = g.inputs(1, INERTIA + B, 6);
  const U = symmetricTimes(g, I, S);
  const inverse = g.div(g.one, g.add(g.dot(S, U), g.input(0, ROW_ARMATURE)));
  const G = U.map((x) => g.mul(x, inverse));
  const z = [0, 1, 2].map((c) =>
    g.dot(
      ROWS.map((row) => b[3 * row + c]),
      S,
    ),
  );
  for (const c of ROWS) {
    g.output(3, c, S[c]);
    g.output(3, RECORD_G + c, G[c]);
    g.output(4, c, G[c]);
  }
  g.output(3, RECORD_D, g.neg(inverse));
  g.output(5, 0, inverse);
  for (const [c, node] of z.entries()) {
    const zeta = g.mul(node, inverse);
    g.output(0, ROW_ZETA + c, zeta);
    g.output(4, 6 + c, zeta);
  }
  let rest = p;
  if (!known) {
    const y = g.mul(g.sub(g.input(6, 0), g.dot(S, p)), inverse);
    g.output(0, ROW_Y, y);
    rest = g.addAll(p, scaled(g, y, U));
  }
  if (onward === 'none') return;
  const left = [
    ...I.map((entry, at) => g.sub(entry, g.mul(U[ENTRIES[at][0]], G[ENTRIES[at][1]]))),
    ...b.map((entry, at) => g.sub(entry, g.mul(G[Math.floor(at / 3)], z[at % 3]))),
    ...rest,
  ];
  left.forEach((node, c) => {
    g.output(2, c, onward === 'add' ? g.add(g.input(2, c), node) : node);
  });
}

/**
 * The acceleration of a degree of freedom, and its Psi2. Arrays: 0 its rows, 1 what it feels, with delta, 2 the same of the one whose delta it adds
 * to, 3 of the one whose delta displacements of it turn, 4 its record, 5 its qdd. On the ground there is none (`against`, `turned`).
 */
export function accelerateKernel(g: VectorGraph, against: boolean, turned: boolean): void {
  const S = g.inputs(0, 0, 6);
  const y = g.input(0, ROW_Y);
  const delta = against ? g.inputs(2, ROW_DELTA, 6) : [];
  const qdd = against ? g.sub(y, g.dot(g.inputs(4, RECORD_G, 6), delta)) : y;
  g.output(5, 0, qdd);
  const own = scaled(g, qdd, S);
  (against ? g.addAll(delta, own) : own).forEach((node, c) => {
    g.output(1, ROW_DELTA + c, node);
  });
  const base = g.inputs(0, ROW_BASE_PSI2, 6);
  const psi2 = turned ? g.addAll(base, crossMotion(g, g.inputs(3, ROW_DELTA, 6), S)) : base;
  psi2.forEach((node, c) => {
    g.output(0, ROW_PSI2 + c, node);
  });
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
  const p = numbers.slice(INERTIA + B, ROW_DELTA);
  const f = g.addAll(p, symmetricTimes(g, I, numbers.slice(ROW_DELTA)));
  const r = g.addAll(respond(psi1, psi2), scaled(g, g.input(0, ROW_CARRIES), carriedForce(g, S, f)));
  r.forEach((x, c) => {
    g.output(0, ROW_R_DQ + c, g.neg(x));
  });
  respond(S, sum).forEach((x, c) => {
    g.output(0, ROW_R_DV + c, g.neg(x));
  });
}
