// The rotation part of a joint's placement or of its motion: E maps parent to child coordinates. Three kinds, told apart
// by the mechanism, never by the numbers of a state: none, about a coordinate axis (two numbers, a plane of
// coordinates turns), and any other.

import type { Algebra, Mat, Moments, Sym, Vec } from './algebra.js';

export interface LinkRotation<T> {
  /** E x. */
  toChild(x: Vec<T>): Vec<T>;
  /** E^T x. */
  toParent(x: Vec<T>): Vec<T>;
  /** E^T K E. */
  symToParent(K: Sym<T>): Sym<T>;
  /** R E^T: the orientation of the child from that of the parent. */
  below(R: Mat<T>): Mat<T>;
  /** R E: the orientation of the parent from that of the child. */
  above(R: Mat<T>): Mat<T>;
}

export function momentsToParent<T>(rotation: LinkRotation<T>, { m, h, k }: Moments<T>): Moments<T> {
  return { m, h: rotation.toParent(h), k: rotation.symToParent(k) };
}

export function noRotation<T>(): LinkRotation<T> {
  return { toChild: (x) => x, toParent: (x) => x, symToParent: (K) => K, below: (R) => R, above: (R) => R };
}

/** Places of [uu, uv, uw, vv, vw, ww] in a symmetric matrix for the plane (u, v) that turns about the axis w. */
const PLANES = [
  { u: 1, v: 2, sym: [3, 4, 1, 5, 2, 0] },
  { u: 2, v: 0, sym: [5, 2, 4, 0, 1, 3] },
  { u: 0, v: 1, sym: [0, 1, 2, 3, 4, 5] },
] as const;

/** The child is turned by an angle about axis 0, 1 or 2; c and s are its cosine and sine. */
export function axisRotation<T>(algebra: Algebra<T>, axis: 0 | 1 | 2, c: T, s: T): LinkRotation<T> {
  const { arithmetic: r } = algebra;
  const { u, v, sym } = PLANES[axis];
  const turned = (x: Vec<T>, sine: T): Vec<T> => {
    const out = [...x] as [T, T, T];
    out[u] = r.sub(r.mul(c, x[u]), r.mul(sine, x[v]));
    out[v] = r.add(r.mul(sine, x[u]), r.mul(c, x[v]));
    return out;
  };
  const minus = r.neg(s);
  const turnedRows = (R: Mat<T>, sine: T): Mat<T> =>
    [0, 3, 6].flatMap((row) => turned([R[row], R[row + 1], R[row + 2]], sine)) as unknown as Mat<T>;
  return {
    toChild: (x) => turned(x, minus),
    toParent: (x) => turned(x, s),
    below: (R) => turnedRows(R, minus),
    above: (R) => turnedRows(R, s),
    // With p = s (uu - vv) + 2 c uv: uu' = uu - s p, vv' = vv + s p, uv' = c p - uv.
    symToParent: (K) => {
      const [uu, uv, uw, vv, vw, ww] = sym.map((at) => K[at]);
      const p = r.add(r.mul(s, r.sub(uu, vv)), r.mul(c, r.add(uv, uv)));
      const change = r.mul(s, p);
      const out = new Array<T>(6);
      const turnedValues = [
        r.sub(uu, change),
        r.sub(r.mul(c, p), uv),
        r.sub(r.mul(c, uw), r.mul(s, vw)),
        r.add(vv, change),
        r.add(r.mul(s, uw), r.mul(c, vw)),
        ww,
      ];
      sym.forEach((at, k) => {
        out[at] = turnedValues[k];
      });
      return out as unknown as Sym<T>;
    },
  };
}

/** Any rotation, given by E. */
export function matrixRotation<T>(algebra: Algebra<T>, E: Mat<T>): LinkRotation<T> {
  const transposed = algebra.transpose(E);
  return {
    toChild: (x) => algebra.times(E, x),
    toParent: (x) => algebra.times(transposed, x),
    symToParent: (K) => algebra.turnSym(transposed, K),
    below: (R) => algebra.multiply(R, transposed),
    above: (R) => algebra.multiply(R, E),
  };
}

/** The rotation of constant numbers. */
export function constantRotation<T>(algebra: Algebra<T>, E: ArrayLike<number>): LinkRotation<T> {
  const { arithmetic: r } = algebra;
  // The axis itself must stay exactly: the cosine of a small angle is 1, too.
  const isOne = (k: number): boolean =>
    E[4 * k] === 1 && [1, 2].every((d) => E[3 * k + ((k + d) % 3)] === 0 && E[3 * ((k + d) % 3) + k] === 0);
  if (isOne(0) && isOne(1) && isOne(2)) return noRotation();
  for (const axis of [0, 1, 2] as const) {
    const { u, v } = PLANES[axis];
    if (isOne(axis)) return axisRotation(algebra, axis, r.constant(E[4 * u]), r.constant(E[3 * u + v]));
  }
  return matrixRotation(algebra, Array.from({ length: 9 }, (_, k) => r.constant(E[k])) as unknown as Mat<T>);
}
