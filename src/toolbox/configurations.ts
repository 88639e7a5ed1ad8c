// Positions of a mechanism as points of a manifold: moved along velocities, compared, interpolated. Finite differences and
// optimisers over floating bases and balls need no more than this. All of it joint by joint.
//
//   integrate   q (+) v: every joint moved along its velocity for unit time
//   difference  b (-) a: the velocities with a (+) (b (-) a) = b, by the shorter way for quaternions

import { MechanismError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';

function checked(what: string, values: Float64Array, expected: number): void {
  if (values.length !== expected)
    throw MechanismError.of('length', what, `Expected ${expected} numbers, got ${values.length}.`);
}

/** q moved along the velocities v for the time h (one where left out). `out` may be q itself. */
export function integrate(
  mechanism: Mechanism,
  q: Float64Array,
  v: Float64Array,
  h = 1,
  out: Float64Array = new Float64Array(mechanism.nq),
): Float64Array {
  checked('q', q, mechanism.nq);
  checked('v', v, mechanism.nv);
  checked('out', out, mechanism.nq);
  if (out !== q) out.set(q);
  for (let i = 0; i < mechanism.joints.length; i++) {
    const { model, iq, iv } = mechanism.joints[i];
    if (model.nv > 0) model.integrate(out, iq, v, iv, h);
  }
  return out;
}

/** The velocities that take the positions `from` to the positions `to` in unit time: the inverse of `integrate`. */
export function difference(
  mechanism: Mechanism,
  from: Float64Array,
  to: Float64Array,
  out: Float64Array = new Float64Array(mechanism.nv),
): Float64Array {
  checked('from', from, mechanism.nq);
  checked('to', to, mechanism.nq);
  checked('out', out, mechanism.nv);
  for (let i = 0; i < mechanism.joints.length; i++) {
    const { model, iq, iv } = mechanism.joints[i];
    if (model.nv > 0) model.difference(out, iv, from, iq, to, iq);
  }
  return out;
}

/** The way from one to another, of each mechanism that was interpolated. */
const ways = new WeakMap<Mechanism, Float64Array>();

/** The positions on the way from one to another: `from` at part 0, `to` at part 1, evenly between. */
export function interpolate(
  mechanism: Mechanism,
  from: Float64Array,
  to: Float64Array,
  part: number,
  out: Float64Array = new Float64Array(mechanism.nq),
): Float64Array {
  let way = ways.get(mechanism);
  if (way === undefined) {
    way = new Float64Array(mechanism.nv);
    ways.set(mechanism, way);
  }
  return integrate(mechanism, from, difference(mechanism, from, to, way), part, out);
}

/** Derivatives of a map on positions: nv x nv each, row major. */
export interface ConfigurationDerivatives {
  /** With respect to the positions it starts from. */
  readonly from: Float64Array;
  /** With respect to the velocities (`integrate`) or to the positions it goes to (`difference`). */
  readonly to: Float64Array;
}

/**
 * Of q (+) v: `from` with respect to q, `to` with respect to v, each as a displacement of the result. With A = exp(-v),
 * (q exp(d)) exp(v) = q exp(v) exp(A d), and exp(v + d) = exp(v) exp(J d) with J = sum of (-ad v)^k / (k + 1)!.
 */
export function integrateDerivatives(mechanism: Mechanism, v: Float64Array): ConfigurationDerivatives {
  checked('v', v, mechanism.nv);
  return byJoint(mechanism, [1, 1], (type, iv) => {
    const ad = adjointRate(type, v, iv, -1);
    return { from: exponential(ad), to: leftJacobian(ad) };
  });
}

/**
 * Of the rate of u that belongs to the velocity v, v + u x v / 2 + u x (u x v) / 12 (`localRate` of joints/joint-type.ts): `from` with
 * respect to u, `to` with respect to v.
 */
export function localRateDerivatives(mechanism: Mechanism, u: Float64Array, v: Float64Array): ConfigurationDerivatives {
  const made = byJoint(mechanism, [1, 1], (type, iv) => {
    const [U, V] = [adjointRate(type, u, iv, 1), adjointRate(type, v, iv, 1)];
    // ad(u x v) = U V - V U
    const both = plus(multiply(U, V), multiply(V, U), -1);
    const twice = multiply(U, U);
    return {
      from: plus(scaled(V, -1 / 2), plus(both, multiply(U, V)), -1 / 12),
      to: plus(plus(identity(U.length), U, 1 / 2), twice, 1 / 12),
    };
  });
  // Elsewhere it is v whatever u is.
  const { nv, joints } = mechanism;
  for (const { model, iv } of joints)
    if (model.nq === model.nv) for (let k = iv; k < iv + model.nv; k++) made.from[k * nv + k] = 0;
  return made;
}

/** Of b (-) a: `from` with respect to a, `to` with respect to b. The inverses of those of `integrate`, at the difference. */
export function differenceDerivatives(
  mechanism: Mechanism,
  from: Float64Array,
  to: Float64Array,
): ConfigurationDerivatives {
  const v = difference(mechanism, from, to);
  return byJoint(mechanism, [-1, 1], (type, iv) => {
    const forwards = inverse(leftJacobian(adjointRate(type, v, iv, 1)));
    return {
      from: forwards.map((row) => row.map((x) => -x)),
      to: inverse(leftJacobian(adjointRate(type, v, iv, -1))),
    };
  });
}

/**
 * Of `interpolate`, q (+) part v with v = to (-) from: `from` and `to` with respect to those. The derivative with respect to `part` is
 * v itself.
 */
export function interpolateDerivatives(
  mechanism: Mechanism,
  from: Float64Array,
  to: Float64Array,
  part: number,
): ConfigurationDerivatives {
  const v = difference(mechanism, from, to);
  const moved = v.map((x) => part * x);
  return byJoint(mechanism, [1 - part, part], (type, iv) => {
    const ad = adjointRate(type, moved, iv, -1);
    const turned = scaled(leftJacobian(ad), part);
    const [before, after] = [1, -1].map((sign) => inverse(leftJacobian(adjointRate(type, v, iv, sign))));
    return { from: plus(exponential(ad), multiply(turned, before), -1), to: multiply(turned, after) };
  });
}

type Matrix = number[][];

/** A number times the identity for joints whose velocities are the rates of their positions, a block for the others. */
function byJoint(
  { joints, nv }: Mechanism,
  flat: readonly [from: number, to: number],
  block: (type: 'spherical' | 'floating', iv: number) => { readonly from: Matrix; readonly to: Matrix },
): ConfigurationDerivatives {
  const made = { from: new Float64Array(nv * nv), to: new Float64Array(nv * nv) };
  for (const { model, iv } of joints) {
    const { name } = model;
    const curved = name === 'spherical' || name === 'floating' ? block(name, iv) : undefined;
    for (const key of ['from', 'to'] as const)
      for (let i = 0; i < model.nv; i++)
        for (let j = 0; j < model.nv; j++)
          made[key][(iv + i) * nv + iv + j] = curved?.[key][i][j] ?? (i === j ? flat[key === 'from' ? 0 : 1] : 0);
  }
  return made;
}

/** The matrix of the cross product with sign v: of vectors, or of motions. */
function adjointRate(type: 'spherical' | 'floating', v: Float64Array, iv: number, sign: number): Matrix {
  const skew = (o: number): Matrix => {
    const [x, y, z] = [sign * v[o], sign * v[o + 1], sign * v[o + 2]];
    return [
      [0, -z, y],
      [z, 0, -x],
      [-y, x, 0],
    ];
  };
  const w = skew(iv);
  if (type === 'spherical') return w;
  const u = skew(iv + 3);
  return [...w.map((row) => [...row, 0, 0, 0]), ...w.map((row, i) => [...u[i], ...row])];
}

const identity = (n: number): Matrix =>
  Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => Number(i === j)));
const multiply = (A: Matrix, B: Matrix): Matrix =>
  A.map((row) => B[0].map((_, j) => row.reduce((sum, x, k) => sum + x * B[k][j], 0)));
const plus = (A: Matrix, B: Matrix, factor = 1): Matrix => A.map((row, i) => row.map((x, j) => x + factor * B[i][j]));

/** sum of A^k c_k, c_0 = 1, c_k = c_(k-1) / divisor(k), until it no longer changes. */
function series(A: Matrix, divisor: (k: number) => number): Matrix {
  let sum = identity(A.length);
  let term = sum;
  for (let k = 1; k < 60; k++) {
    term = multiply(term, A).map((row) => row.map((x) => x / divisor(k)));
    sum = plus(sum, term);
    if (term.every((row) => row.every((x) => Math.abs(x) < 1e-18))) break;
  }
  return sum;
}

/** exp(A) by halving until the series is short, then squaring. */
function exponential(A: Matrix): Matrix {
  const halvings = halvingsOf(A);
  let E = series(scaled(A, 2 ** -halvings), (k) => k);
  for (let k = 0; k < halvings; k++) E = multiply(E, E);
  return E;
}

/** J(A) = sum of A^k / (k + 1)!; from J(A / 2) by J(A) = (1 + exp(A / 2)) J(A / 2) / 2. */
function leftJacobian(A: Matrix): Matrix {
  const halvings = halvingsOf(A);
  let [J, E] = [series(scaled(A, 2 ** -halvings), (k) => k + 1), series(scaled(A, 2 ** -halvings), (k) => k)];
  for (let k = 0; k < halvings; k++) {
    J = scaled(plus(J, multiply(E, J)), 0.5);
    E = multiply(E, E);
  }
  return J;
}

const scaled = (A: Matrix, factor: number): Matrix => A.map((row) => row.map((x) => factor * x));
const halvingsOf = (A: Matrix): number => {
  const largest = Math.max(...A.slice(0, 3).flatMap((row) => row.slice(0, 3).map(Math.abs)));
  return largest < Number.POSITIVE_INFINITY ? Math.max(0, Math.ceil(Math.log2(largest)) + 1) : 0;
};

/** By elimination with the largest pivots. */
function inverse(A: Matrix): Matrix {
  const n = A.length;
  const rows = A.map((row, i) => [...row, ...identity(n)[i]]);
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[best][k])) best = i;
    [rows[k], rows[best]] = [rows[best], rows[k]];
    rows[k] = rows[k].map((x) => x / rows[k][k]);
    for (let i = 0; i < n; i++) if (i !== k) rows[i] = plus([rows[i]], [rows[k]], -rows[i][k])[0];
  }
  return rows.map((row) => row.slice(n));
}
