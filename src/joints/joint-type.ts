// What every joint type provides. A type is written in its own canonical frame, in which its axis is z; the tree that
// computes a mechanism (mechanism/tree.ts) turns its link frames so that the author's axes become z, so arbitrary axes
// cost nothing here.
//
// Words: the joint connects a predecessor (tree) frame with a successor (child) frame; both coincide at the neutral
// position. `q` are its positions, `v` its velocities: the relative spatial velocity is S(q) v in child coordinates.

import { setZero } from '../spatial/spatial.js';
import { sineAndCosine } from '../spatial/trigonometry.js';

/** Sine and cosine of the angle at hand. */
const turn = new Float64Array(2);

/** The joint types. */
export type JointTypeName =
  | 'fixed'
  | 'revolute'
  | 'continuous'
  | 'prismatic'
  | 'helical'
  | 'cylindrical'
  | 'universal'
  | 'planar'
  | 'spherical'
  | 'floating';

/**
 * Numbers a joint keeps beside its coordinates. Universal joints: their second axis. The others with an axis: the pitch
 * (helical joints), and at SENSE 1 or -1: whether positive coordinates go along z or against it.
 */
export const PARAMETERS = 3;
export const PITCH = 0;
export const SENSE = 1;

export interface JointType {
  readonly name: JointTypeName;
  /** Numbers in q. */
  readonly nq: number;
  /** Numbers in v: the degrees of freedom. */
  readonly nv: number;
  /** How many axes the author gives: 0, 1 (`axis`) or 2 (`axis`, `axis2`). */
  readonly axes: 0 | 1 | 2;
  /** Writes the neutral position. */
  neutral(q: Float64Array, iq: number): void;
  /** X: tree to child coordinates (12 numbers, see spatial.ts). */
  transform(X: Float64Array, o: number, q: Float64Array, iq: number, p: Float64Array, ip: number): void;
  /** S: motion space, nv columns of 6, in child coordinates. */
  motionSpace(S: Float64Array, o: number, q: Float64Array, iq: number, p: Float64Array, ip: number): void;
  /** c = (dS/dt) v, the derivative of S taken in child coordinates; 6 numbers. */
  bias(
    c: Float64Array,
    o: number,
    q: Float64Array,
    iq: number,
    v: Float64Array,
    iv: number,
    p: Float64Array,
    ip: number,
  ): void;
  /** Moves q along v for the time h, v constant in child coordinates; in place. */
  integrate(q: Float64Array, iq: number, v: Float64Array, iv: number, h: number): void;
  /** The v that takes qa to qb in unit time: the inverse of integrate. */
  difference(v: Float64Array, iv: number, qa: Float64Array, ia: number, qb: Float64Array, ib: number): void;
  /**
   * With q = q0 moved along u: the rate of u that belongs to the velocity v. Runge-Kutta methods integrate u, a plain
   * vector, instead of q. Exact to O(u^4), enough for methods of order up to five.
   */
  localRate(rate: Float64Array, o: number, u: Float64Array, ou: number, v: Float64Array, iv: number): void;
  /**
   * The same joint read from child to tree. Types whose sense can simply be turned round need no change of coordinates
   * and have none of this. Reversing twice is the identity, so each map is also its own inverse, given the other q.
   */
  readonly reverse?: JointReversal;
}

export interface JointReversal {
  /** The two axes of the reversed joint come in the other order, and turned round. */
  readonly swapsAxes: boolean;
  position(qr: Float64Array, ir: number, q: Float64Array, iq: number): void;
  /** vr = R(q) v. */
  velocity(vr: Float64Array, ir: number, q: Float64Array, iq: number, v: Float64Array, iv: number): void;
  /** ar = R(q) a + (dR/dt) v. */
  acceleration(
    ar: Float64Array,
    ir: number,
    q: Float64Array,
    iq: number,
    v: Float64Array,
    iv: number,
    a: Float64Array,
    ia: number,
  ): void;
  /** Forces f = R(q)^T fr: from the reversed joint's forces to those of the joint whose position is q. */
  force(f: Float64Array, of: number, q: Float64Array, iq: number, fr: Float64Array, ir: number): void;
}

/** For the types whose velocities are the rates of their positions. */
export function integratePlain(n: number): JointType['integrate'] {
  return (q, iq, v, iv, h) => {
    for (let k = 0; k < n; k++) q[iq + k] += h * v[iv + k];
  };
}

export function differencePlain(n: number): JointType['difference'] {
  return (v, iv, qa, ia, qb, ib) => {
    for (let k = 0; k < n; k++) v[iv + k] = qb[ib + k] - qa[ia + k];
  };
}

export function localRatePlain(n: number): JointType['localRate'] {
  return (rate, o, _u, _ou, v, iv) => {
    for (let k = 0; k < n; k++) rate[o + k] = v[iv + k];
  };
}

export function neutralZero(n: number): JointType['neutral'] {
  return (q, iq) => {
    q.fill(0, iq, iq + n);
  };
}

/** For the types whose S is constant in child coordinates. */
export function noBias(c: Float64Array, o: number): void {
  setZero(c, o, 6);
}

/** Angle and distance of the screw at hand: as arguments they would go onto the heap. */
export const screw = new Float64Array(2);

/** Writes a rotation by the angle q about z ([001] eq. 6, [001] eq. 7), tree to child, and the translation [0, 0, distance], of `screw`. */
export function setScrew(X: Float64Array, o: number): void {
  sineAndCosine(turn, screw, 0);
  const s = turn[0];
  const c = turn[1];
  X[o] = c;
  X[o + 1] = s;
  X[o + 2] = 0;
  X[o + 3] = -s;
  X[o + 4] = c;
  X[o + 5] = 0;
  X[o + 6] = 0;
  X[o + 7] = 0;
  X[o + 8] = 1;
  X[o + 9] = 0;
  X[o + 10] = 0;
  X[o + 11] = screw[1];
}
