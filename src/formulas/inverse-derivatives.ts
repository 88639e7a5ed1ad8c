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
// Entries within a joint are formed here.

import { inMetres } from '../plan/length-units.js';
import type { Plan } from '../plan/plan.js';
import { vec, writeNumbers } from './body-frames.js';
import {
  type DerivativeColumns,
  RECORD_OF_COLUMN,
  RECORD_PSI1,
  RECORD_PSI2,
  RECORD_SUM,
  ROW_F,
  ROW_P,
  ROW_Q,
} from './derivative-columns.js';
import { Sum } from './forward.js';
import type { Node } from './graph.js';
import { groundColumns } from './jacobian.js';
import { poseNumbers, poseOf } from './joints.js';
import { groundPlace, type LinkPlace, placeOf } from './kinematics.js';
import type { Unit } from './lanes.js';
import { QDD, readUnit, type UnitFormulas, type UnitOptions, unitFormulas } from './links.js';
import { type Composite, momentum, toParent } from './mass-matrix.js';
import { inertialForce, pointAcceleration } from './motion.js';
import { matrixRotation } from './rotation.js';
import type { NodeMat3, NodeVec3, Vec6, VectorGraph } from './vectors.js';

/** The motions of one degree of freedom. */
interface Column {
  readonly S: Vec6;
  readonly psi1: Vec6;
  readonly psi2: Vec6;
  /** Psi1 + dS/dt */
  readonly sum: Vec6;
}

/** Velocity and acceleration, gravity taken off, in the coordinates of the first link. */
interface Motion {
  readonly v: Vec6;
  readonly a: Vec6;
}

const ANGULAR = [0, 1, 2];

/** `accelerations`: those of a unit, in the author's coordinates; read from memory where left out. */
export function inverseDerivativeFormulas(
  g: VectorGraph,
  given: Plan,
  units: readonly Unit[],
  options: UnitOptions,
  places: DerivativeColumns,
  accelerations?: (unit: Unit) => readonly Node[],
): void {
  const plan = inMetres(given);
  const links = unitFormulas(g, plan, units, options);
  const at: LinkPlace[] = [];
  const motions: Motion[] = [];
  const columns: Column[][] = [];
  links.forEach((link, i) => {
    const { parent } = link.unit;
    const pose = poseOf(g, link, poseNumbers(g, link));
    at[i] = parent < 0 ? groundPlace(g) : placeOf(g, pose, at[parent]);
    const against = parent < 0 ? standing(g, plan, pose.rotation.toLink) : motions[parent];
    const given = accelerations?.(link.unit) ?? readUnit(g, plan, link.unit, QDD, (l) => l.iv, link.v.length);
    const qdd = given.map((x, k) => g.mul(link.rates[k], x));
    const moved = moveJoint(g, link, groundColumns(g, pose, at[i]), qdd, against);
    motions[i] = moved.motion;
    columns[i] = moved.columns;
    g.mark();
  });
  const sums = links.map((link, i) => new Sum(g, ownNumbers(g, link, at[i], motions[i]), link.unit.links.length));
  for (let i = links.length - 1; i >= 0; i--) {
    const { unit } = links[i];
    const numbers = sums[i].total();
    writeJoint(g, places, links[i], columns[i], subtreeOf(g, numbers));
    if (unit.parent >= 0) sums[unit.parent].add(numbers, unit.links.length);
    g.mark();
  }
}

function standing(g: VectorGraph, { gravity }: Plan, toLink: (x: NodeVec3) => NodeVec3): Motion {
  const down = toLink(g.vec((k) => g.constant(-gravity[k])));
  return { v: [...g.zero3, ...g.zero3], a: [...g.zero3, ...down] };
}

function moveJoint(
  g: VectorGraph,
  { type, v, rates }: UnitFormulas,
  S: readonly Vec6[],
  qdd: readonly Node[],
  against: Motion,
): { readonly columns: Column[]; readonly motion: Motion } {
  const atOnce = type === 'spherical' || type === 'floating';
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
function ownNumbers(g: VectorGraph, { mass, h, sigma }: UnitFormulas, { E, p }: LinkPlace, { v, a }: Motion): Node[] {
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

interface Subtree {
  readonly inertia: Composite;
  /** B m = [M a, a x p] for m with the angular part a. */
  readonly M: NodeMat3;
  readonly p: NodeVec3;
  readonly f: Vec6;
}

function subtreeOf(g: VectorGraph, numbers: readonly Node[]): Subtree {
  const [mass, hx, hy, hz] = numbers;
  const [xx, xy, xz, yx, yy, yz, zx, zy, zz] = numbers.slice(10, 19);
  return {
    inertia: { mass, h: [hx, hy, hz], sigma: numbers.slice(4, 10) },
    M: [g.add(yy, zz), g.neg(xy), g.neg(xz), g.neg(yx), g.add(xx, zz), g.neg(yz), g.neg(zx), g.neg(zy), g.add(xx, yy)],
    p: vec(numbers.slice(19, 22)),
    f: numbers.slice(22, 28),
  };
}

function writeJoint(
  g: VectorGraph,
  { order, rows, records, stride, inverse }: DerivativeColumns,
  { unit, type }: UnitFormulas,
  columns: readonly Column[],
  { inertia, M, p, f }: Subtree,
): void {
  const { nv } = order;
  const apply = (m: Vec6, l: Vec6): Vec6 => {
    const a = vec(m.slice(0, 3));
    return g.addAll([...g.apply(M, a), ...g.cross(a, p)], momentum(g, inertia, l));
  };
  const made = columns.map(({ S, psi1, psi2, sum }) => {
    const [w, l] = [vec(S.slice(0, 3)), vec(S.slice(3))];
    const [n, force] = [vec(f.slice(0, 3)), vec(f.slice(3))];
    const still = apply(psi1, psi2);
    const carried = [...g.plus(g.cross(w, n), g.cross(l, force)), ...g.cross(w, force)];
    return {
      still,
      R: g.addAll(still, carried),
      Q: apply(S, sum),
      P: g.plus(g.applyT(M, w), g.cross(p, l)),
      F: momentum(g, inertia, S),
    };
  });
  const atOnce = type === 'spherical' || type === 'floating';
  columns.forEach(({ S, psi1, psi2, sum }, k) => {
    const { R, Q, P, F } = made[k];
    const here = unit.links.map((link) => order.first[link] + k);
    const row = (r: number, nodes: readonly Node[]): void => {
      nodes.forEach((node, c) => {
        writeNumbers(g, rows + (r + c) * stride, here, 1, 0, node);
      });
    };
    row(0, R);
    row(ROW_Q, Q);
    row(ROW_P, P);
    row(ROW_F, F);
    const record = (offset: number, nodes: readonly Node[]): void => {
      nodes.forEach((node, c) => {
        writeNumbers(g, records + offset, here, RECORD_OF_COLUMN, c, node);
      });
    };
    record(0, S);
    record(RECORD_PSI1, psi1.slice(0, 3));
    record(RECORD_PSI2, psi2);
    record(RECORD_SUM, sum);
    // Row k of the joint's own block.
    columns.forEach((_, l) => {
      const places = unit.links.map((link) => (order.first[link] + k) * nv + order.first[link] + l);
      // What a displacement of l carries along does not change the components along k, where k goes with it.
      const force = k >= l || atOnce ? made[l].still : made[l].R;
      writeNumbers(g, inverse, places, 1, 0, g.dot(S, force));
      writeNumbers(g, inverse + nv * nv, places, 1, 0, g.dot(S, made[l].Q));
    });
  });
}

const scaled = (g: VectorGraph, factor: Node, x: Vec6): Node[] => x.map((component) => g.mul(factor, component));

/** [w x a, w x l + u x a] */
function crossMotion(g: VectorGraph, v: Vec6, m: Vec6): Vec6 {
  const [w, u] = [vec(v.slice(0, 3)), vec(v.slice(3))];
  const [a, l] = [vec(m.slice(0, 3)), vec(m.slice(3))];
  return [...g.cross(w, a), ...g.plus(g.cross(w, l), g.cross(u, a))];
}
