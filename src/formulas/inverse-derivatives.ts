// Derivatives of inverse dynamics: the part that is made for one mechanism. The algorithm and its symbols are those of
// reference/inverse-derivatives.ts, in the coordinates of the first link of a tree. For each degree of freedom j:
//
//   R_j = B Psi1 + I Psi2 + S x* f,   Q_j = B S + I (Psi1 + dS/dt)        with B, I, f of the subtree of its link
//   P_j = B^T S (no linear part),     F_j = I S
//
// and loops (emit/derivative-loops.ts) form, for every k before it,
//
//   d tau_k / d q_j = S_k^T R_j,      d tau_j / d q_k = P_j^T Psi1_k + F_j^T Psi2_k
//   d tau_k / d v_j = S_k^T Q_j,      d tau_j / d v_k = P_j^T S_k + F_j^T (Psi1_k + dS_k/dt)
//
// What is the same for all links and all degrees of freedom is computed in the lanes of vectors, two at a time, by kernels that all
// of them share: code for each of them would be as much again, and processors would wait for it.

import { inMetres, type ScaledPlan } from '../plan/length-units.js';
import type { Plan } from '../plan/plan.js';
import { vec, writeNumbers } from './body-frames.js';
import {
  type DerivativeColumns,
  type LinkRowPlaces,
  movesAtOnce,
  ROW_PSI1,
  ROW_PSI2,
  ROW_SUM,
  ROWS_GIVEN,
  ROWS_OF_INERTIA,
  ROWS_OF_LINK,
  ROWS_OF_MOTIONS,
} from './derivative-columns.js';
import { Sum } from './forward.js';
import type { Node } from './graph.js';
import { groundColumns } from './jacobian.js';
import { poseNumbers, poseOf } from './joints.js';
import { groundPlace, type LinkPlace, placeOf } from './kinematics.js';
import type { Unit } from './lanes.js';
import { QDD, RESULT, readUnit, type UnitFormulas, type UnitOptions, unitFormulas } from './links.js';
import { type Composite, momentum, toParent } from './mass-matrix.js';
import { inertialForce, pointAcceleration } from './motion.js';
import { matrixRotation } from './rotation.js';
import type { NodeMat3, NodeVec3, Vec6, VectorGraph } from './vectors.js';

/** The motions of one degree of freedom. */
export interface Column {
  readonly S: Vec6;
  readonly psi1: Vec6;
  readonly psi2: Vec6;
  /** Psi1 + dS/dt */
  readonly sum: Vec6;
}

/** Velocity and acceleration, gravity taken off, in the coordinates of the first link. */
export interface VelocityAndRate {
  readonly v: Vec6;
  readonly a: Vec6;
}

const ANGULAR = [0, 1, 2];

/** In one graph: what GPUs compute. `accelerations`: those of a unit, in the author's coordinates; read from memory where left out. */
export function inverseDerivativeFormulas(
  g: VectorGraph,
  given: Plan,
  units: readonly Unit[],
  options: UnitOptions,
  places: DerivativeColumns,
): void {
  const plan = inMetres(given);
  const links = unitFormulas(g, plan, units, options);
  const { at, motions, columns } = groundMotions(g, plan, links);
  const sums = links.map((link, i) => new Sum(g, ownNumbers(g, link, at[i], motions[i]), link.unit.links.length));
  for (let i = links.length - 1; i >= 0; i--) {
    const { unit } = links[i];
    const numbers = sums[i].total();
    writeMotions(g, places, unit, columns[i]);
    writeJoint(g, places, links[i], columns[i], numbers);
    if (unit.parent >= 0) sums[unit.parent].add(numbers, unit.links.length);
    g.mark();
  }
}

/**
 * The part that is made for one mechanism where the rest runs in loops (emit/derivative-loops.ts): motions, then, once loops
 * have found what every link adds to its subtree, the sums of the subtrees.
 */
export function inverseDerivativeStages(
  g: VectorGraph,
  given: Plan,
  units: readonly Unit[],
  options: UnitOptions,
  places: DerivativeColumns,
): void {
  const plan = inMetres(given);
  const links = unitFormulas(g, plan, units, options);
  const { at, motions, columns } = groundMotions(g, plan, links);
  links.forEach(({ unit }, i) => {
    writeMotions(g, places, unit, columns[i]);
    writeGiven(g, places.links, unit, at[i], motions[i]);
    g.mark();
  });
  g.endPhase();
  const { order, subtrees, stride } = places;
  const sums = links.map(({ unit }) => new Sum(g, readNumbers(g, places.links, unit), unit.links.length));
  for (let i = links.length - 1; i >= 0; i--) {
    const { unit } = links[i];
    const numbers = sums[i].total();
    columns[i].forEach((_, k) => {
      writeRows(
        g,
        subtrees,
        stride,
        unit.links.map((link) => order.first[link] + k),
        numbers,
      );
    });
    if (unit.parent >= 0) sums[unit.parent].add(numbers, unit.links.length);
    g.mark();
  }
  g.endPhase();
}

/** A column of rows: component c at start + c stride + column; of two links two columns. */
export function writeRows(
  g: VectorGraph,
  start: number,
  stride: number,
  columns: readonly number[],
  nodes: readonly Node[],
): void {
  nodes.forEach((node, c) => {
    writeNumbers(g, start + c * stride, columns, 1, 0, node);
  });
}

export function writeGiven(
  g: VectorGraph,
  { place, given, stride }: LinkRowPlaces,
  { links }: Unit,
  { E, p }: LinkPlace,
  { v, a }: VelocityAndRate,
): void {
  writeRows(
    g,
    given,
    stride,
    links.map((link) => place[link]),
    [...E, ...p, ...v, ...a],
  );
}

export function readNumbers(g: VectorGraph, { place, numbers, stride }: LinkRowPlaces, { links }: Unit): Node[] {
  const [first, second] = links.map((link) => place[link]);
  return Array.from({ length: ROWS_OF_LINK }, (_, c) => {
    const row = numbers + c * stride;
    return g.input(RESULT, row + first, second === undefined ? -1 : row + second);
  });
}

/** Mass, first and second moments of all links: numbers that stand in memory from the begin. */
export function inertiaRows(given: Plan, { place, stride }: LinkRowPlaces): Float64Array {
  const rows = new Float64Array(ROWS_OF_INERTIA * stride);
  inMetres(given).links.forEach(({ mass, h, sigma }, link) => {
    [mass, ...h, ...sigma].forEach((x, c) => {
      rows[c * stride + place[link]] = x;
    });
  });
  return rows;
}

/** What a link adds to its subtree, from its rows (array 0) and its inertia (array 1) to array 2. */
export function linkKernel(g: VectorGraph): void {
  const given = g.inputs(0, 0, ROWS_GIVEN);
  const [mass, hx, hy, hz, ...sigma] = g.inputs(1, 0, ROWS_OF_INERTIA);
  const place = { E: given.slice(0, 9), p: vec(given.slice(9, 12)) };
  const motion = { v: given.slice(12, 18), a: given.slice(18, 24) };
  const numbers = ownNumbers(g, { mass, h: [hx, hy, hz], sigma }, place, motion);
  numbers.forEach((node, c) => {
    g.output(2, c, node);
  });
}

/** The forces of a column, from its motions (array 0) and the numbers of its subtree (array 1) to array 2. */
export function columnKernel(g: VectorGraph): void {
  const subtree = subtreeOf(g, g.inputs(1, 0, ROWS_OF_LINK));
  const { R, Q, P, F, still } = columnForces(g, readMotions(g), subtree);
  [...R, ...Q, ...P, ...F, ...still].forEach((node, c) => {
    g.output(2, c, node);
  });
}

/** Motions of a column in array 0. Nothing asks for the linear part of Psi1. */
export function readMotions(g: VectorGraph): Column {
  const rows = g.inputs(0, 0, ROWS_OF_MOTIONS);
  return {
    S: rows.slice(0, 6),
    psi1: [...rows.slice(ROW_PSI1, ROW_PSI1 + 3), ...g.zero3],
    psi2: rows.slice(ROW_PSI2, ROW_PSI2 + 6),
    sum: rows.slice(ROW_SUM, ROW_SUM + 6),
  };
}

/** Places and motions of all units in the coordinates of the first link, and those of their degrees of freedom. */
export function groundMotions(
  g: VectorGraph,
  plan: ScaledPlan,
  links: readonly UnitFormulas[],
  accelerations?: (unit: Unit, nv: number) => readonly Node[],
): { readonly at: LinkPlace[]; readonly motions: VelocityAndRate[]; readonly columns: Column[][] } {
  const at: LinkPlace[] = [];
  const motions: VelocityAndRate[] = [];
  const columns: Column[][] = [];
  links.forEach((link, i) => {
    const { parent } = link.unit;
    const pose = poseOf(g, link, poseNumbers(g, link));
    at[i] = parent < 0 ? groundPlace(g) : placeOf(g, pose, at[parent]);
    const against = parent < 0 ? standing(g, plan, pose.rotation.toLink) : motions[parent];
    const given =
      accelerations?.(link.unit, link.v.length) ?? readUnit(g, plan, link.unit, QDD, (l) => l.iv, link.v.length);
    const qdd = given.map((x, k) => g.mul(link.rates[k], x));
    const moved = moveJoint(g, link, groundColumns(g, pose, at[i]), qdd, against);
    motions[i] = moved.motion;
    columns[i] = moved.columns;
    g.mark();
  });
  return { at, motions, columns };
}

function standing(g: VectorGraph, { gravity }: Plan, toLink: (x: NodeVec3) => NodeVec3): VelocityAndRate {
  const down = toLink(g.vec((k) => g.constant(-gravity[k])));
  return { v: [...g.zero3, ...g.zero3], a: [...g.zero3, ...down] };
}

function moveJoint(
  g: VectorGraph,
  { type, v, rates }: UnitFormulas,
  S: readonly Vec6[],
  qdd: readonly Node[],
  against: VelocityAndRate,
): { readonly columns: Column[]; readonly motion: VelocityAndRate } {
  const atOnce = movesAtOnce(type);
  let motion = against;
  const made = S.map((own, k) => {
    const before = atOnce ? against : motion;
    const psi1 = crossMotion(g, before.v, own);
    const psi2 = g.addAll(crossMotion(g, before.a, own), crossMotion(g, before.v, psi1));
    motion = {
      v: g.addAll(motion.v, scaled(g, v[k], own)),
      a: g.addAll(motion.a, g.addAll(scaled(g, v[k], psi1), scaled(g, qdd[k], own))),
    };
    return { S: own, psi1, psi2 };
  });
  const columns = made.map(({ S: own, psi1, psi2 }, k): Column => {
    const rate = atOnce ? crossMotion(g, motion.v, own) : psi1;
    const inSense = (x: Vec6): Vec6 => scaled(g, rates[k], x);
    return { S: inSense(own), psi1: inSense(psi1), psi2: inSense(psi2), sum: inSense(g.addAll(psi1, rate)) };
  });
  return { columns, motion };
}

/** Of a link itself: mass, first and second moments, 2 K, 2 p, force; in the coordinates of the first link. */
function ownNumbers(
  g: VectorGraph,
  { mass, h, sigma }: Composite,
  { E, p }: LinkPlace,
  { v, a }: VelocityAndRate,
): Node[] {
  const here = toParent(g, { rotation: matrixRotation(g, E), r: p }, { mass, h, sigma });
  const [w, u] = [vec(v.slice(0, 3)), vec(v.slice(3))];
  const [w2, u2] = [g.plus(w, w), g.plus(u, u)];
  // K = u h^T + [w x] Sigma
  const S = here.sigma;
  const columnsOfSigma: NodeVec3[] = [
    [S[0], S[1], S[2]],
    [S[1], S[3], S[4]],
    [S[2], S[4], S[5]],
  ];
  const turned = columnsOfSigma.map((column) => g.cross(w2, column));
  const K = ANGULAR.flatMap((row) => ANGULAR.map((c) => g.add(g.mul(u2[row], here.h[c]), turned[c][row])));
  const p2 = g.plus(g.times(here.mass, u2), g.cross(w2, here.h));
  const alpha = vec(a.slice(0, 3));
  const force = inertialForce(g, here, {
    w,
    alpha,
    a: g.plus(vec(a.slice(3)), g.cross(w, u)),
    W: pointAcceleration(g, w, alpha),
  });
  return [here.mass, ...here.h, ...here.sigma, ...K, ...p2, ...force];
}

export interface Subtree {
  readonly inertia: Composite;
  /** B m = [M a, a x p] for m with the angular part a. */
  readonly M: NodeMat3;
  readonly p: NodeVec3;
  readonly f: Vec6;
}

export function subtreeOf(g: VectorGraph, numbers: readonly Node[]): Subtree {
  const [mass, hx, hy, hz] = numbers;
  const [xx, xy, xz, yx, yy, yz, zx, zy, zz] = numbers.slice(10, 19);
  return {
    inertia: { mass, h: [hx, hy, hz], sigma: numbers.slice(4, 10) },
    M: [g.add(yy, zz), g.neg(xy), g.neg(xz), g.neg(yx), g.add(xx, zz), g.neg(yz), g.neg(zx), g.neg(zy), g.add(xx, yy)],
    p: vec(numbers.slice(19, 22)),
    f: numbers.slice(22, 28),
  };
}

/** The forces of a column; `still`: R without what is carried along. */
function columnForces(
  g: VectorGraph,
  { S, psi1, psi2, sum }: Column,
  { inertia, M, p, f }: Subtree,
): Record<'still' | 'R' | 'Q' | 'P' | 'F', Node[]> {
  const apply = (m: Vec6, l: Vec6): Vec6 => {
    const a = vec(m.slice(0, 3));
    return g.addAll([...g.apply(M, a), ...g.cross(a, p)], momentum(g, inertia, l));
  };
  const [w, l] = [vec(S.slice(0, 3)), vec(S.slice(3))];
  const still = [...apply(psi1, psi2)];
  return {
    still,
    R: g.addAll(still, carriedForce(g, S, f)),
    Q: [...apply(S, sum)],
    P: [...g.plus(g.applyT(M, w), g.cross(p, l))],
    F: [...momentum(g, inertia, S)],
  };
}

/** Motions of the degrees of freedom of a unit. */
export function writeMotions(
  g: VectorGraph,
  { order, motions, stride }: Pick<DerivativeColumns, 'order' | 'motions' | 'stride'>,
  { links }: Unit,
  columns: readonly Column[],
): void {
  columns.forEach(({ S, psi1, psi2, sum }, k) => {
    const numbers = [...S, ...psi1.slice(0, 3), ...psi2, ...sum];
    writeRows(
      g,
      motions,
      stride,
      links.map((link) => order.first[link] + k),
      numbers,
    );
  });
}

function writeJoint(
  g: VectorGraph,
  { order, forces, stride, inverse }: DerivativeColumns,
  { unit, type }: UnitFormulas,
  columns: readonly Column[],
  numbers: readonly Node[],
): void {
  const { nv } = order;
  const subtree = subtreeOf(g, numbers);
  const made = columns.map((column) => columnForces(g, column, subtree));
  columns.forEach(({ S }, k) => {
    const { R, Q, P, F } = made[k];
    writeRows(
      g,
      forces,
      stride,
      unit.links.map((link) => order.first[link] + k),
      [...R, ...Q, ...P, ...F],
    );
    // Row k of the joint's own block.
    columns.forEach((_, l) => {
      const places = unit.links.map((link) => (order.first[link] + k) * nv + order.first[link] + l);
      // What a displacement of l carries along does not change the components along k, where k goes with it.
      const force = k >= l || movesAtOnce(type) ? made[l].still : made[l].R;
      writeNumbers(g, inverse, places, 1, 0, g.dot(S, force));
      writeNumbers(g, inverse + nv * nv, places, 1, 0, g.dot(S, made[l].Q));
    });
  });
}

/** S x* f */
export function carriedForce(g: VectorGraph, S: Vec6, f: Vec6): Node[] {
  const [w, l] = [vec(S.slice(0, 3)), vec(S.slice(3))];
  const [n, force] = [vec(f.slice(0, 3)), vec(f.slice(3))];
  return [...g.plus(g.cross(w, n), g.cross(l, force)), ...g.cross(w, force)];
}

export const scaled = (g: VectorGraph, factor: Node, x: Vec6): Node[] => x.map((component) => g.mul(factor, component));

/** [w x a, w x l + u x a] */
export function crossMotion(g: VectorGraph, v: Vec6, m: Vec6): Vec6 {
  const [w, u] = [vec(v.slice(0, 3)), vec(v.slice(3))];
  const [a, l] = [vec(m.slice(0, 3)), vec(m.slice(3))];
  return [...g.cross(w, a), ...g.plus(g.cross(w, l), g.cross(u, a))];
}
