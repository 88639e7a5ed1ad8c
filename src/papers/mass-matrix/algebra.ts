// 3-vectors, symmetric 3x3 matrices and rotations over any arithmetic.

import type { Arithmetic } from './arithmetic.js';

export type Vec<T> = readonly [T, T, T];
/** Row by row. */
export type Mat<T> = readonly [T, T, T, T, T, T, T, T, T];
/** Symmetric: xx, xy, xz, yy, yz, zz. */
export type Sym<T> = readonly [T, T, T, T, T, T];

/** Mass, first moment and second moment (inertia) of a body about some point. */
export interface Moments<T> {
  readonly m: T;
  readonly h: Vec<T>;
  readonly k: Sym<T>;
}

export class Algebra<T> {
  readonly arithmetic: Arithmetic<T>;
  readonly zero: T;
  readonly zero3: Vec<T>;
  readonly identity: Mat<T>;

  constructor(arithmetic: Arithmetic<T>) {
    this.arithmetic = arithmetic;
    const zero = arithmetic.constant(0);
    const one = arithmetic.constant(1);
    this.zero = zero;
    this.zero3 = [zero, zero, zero];
    this.identity = [one, zero, zero, zero, one, zero, zero, zero, one];
  }

  constants<const A extends readonly number[]>(values: A): { [K in keyof A]: T } {
    return values.map((x) => this.arithmetic.constant(x)) as { [K in keyof A]: T };
  }

  add(a: Vec<T>, b: Vec<T>): Vec<T> {
    const { arithmetic: r } = this;
    return [r.add(a[0], b[0]), r.add(a[1], b[1]), r.add(a[2], b[2])];
  }

  sub(a: Vec<T>, b: Vec<T>): Vec<T> {
    const { arithmetic: r } = this;
    return [r.sub(a[0], b[0]), r.sub(a[1], b[1]), r.sub(a[2], b[2])];
  }

  scale(s: T, a: Vec<T>): Vec<T> {
    const { arithmetic: r } = this;
    return [r.mul(s, a[0]), r.mul(s, a[1]), r.mul(s, a[2])];
  }

  cross(a: Vec<T>, b: Vec<T>): Vec<T> {
    const { arithmetic: r } = this;
    return [
      r.sub(r.mul(a[1], b[2]), r.mul(a[2], b[1])),
      r.sub(r.mul(a[2], b[0]), r.mul(a[0], b[2])),
      r.sub(r.mul(a[0], b[1]), r.mul(a[1], b[0])),
    ];
  }

  dot(a: Vec<T>, b: Vec<T>): T {
    const { arithmetic: r } = this;
    return r.add(r.add(r.mul(a[0], b[0]), r.mul(a[1], b[1])), r.mul(a[2], b[2]));
  }

  /** a . b + c . d, where a term may be known to vanish. */
  dot2(a: Vec<T>, b: Vec<T>, c: Vec<T>, d: Vec<T>): T {
    return this.arithmetic.add(this.dot(a, b), this.dot(c, d));
  }

  times([a, b, c, d, e, f, g, h, i]: Mat<T>, x: Vec<T>): Vec<T> {
    return [this.dot([a, b, c], x), this.dot([d, e, f], x), this.dot([g, h, i], x)];
  }

  symTimes([xx, xy, xz, yy, yz, zz]: Sym<T>, x: Vec<T>): Vec<T> {
    return [this.dot([xx, xy, xz], x), this.dot([xy, yy, yz], x), this.dot([xz, yz, zz], x)];
  }

  symAdd(A: Sym<T>, B: Sym<T>): Sym<T> {
    const { arithmetic: r } = this;
    return A.map((x, k) => r.add(x, B[k])) as unknown as Sym<T>;
  }

  multiply(A: Mat<T>, B: Mat<T>): Mat<T> {
    const rows = [A.slice(0, 3), A.slice(3, 6), A.slice(6, 9)] as unknown as Vec<T>[];
    const columns: Vec<T>[] = [
      [B[0], B[3], B[6]],
      [B[1], B[4], B[7]],
      [B[2], B[5], B[8]],
    ];
    return rows.flatMap((row) => columns.map((column) => this.dot(row, column))) as unknown as Mat<T>;
  }

  transpose(A: Mat<T>): Mat<T> {
    return [A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]];
  }

  /** R K R^T. The trace does not change, so that the last diagonal entry follows from the other two. */
  turnSym(R: Mat<T>, K: Sym<T>): Sym<T> {
    const { arithmetic: r } = this;
    const x: Vec<T> = [R[0], R[1], R[2]];
    const y: Vec<T> = [R[3], R[4], R[5]];
    const z: Vec<T> = [R[6], R[7], R[8]];
    const Kx = this.symTimes(K, x);
    const Ky = this.symTimes(K, y);
    const xx = this.dot(x, Kx);
    const yy = this.dot(y, Ky);
    const trace = r.add(r.add(K[0], K[3]), K[5]);
    return [xx, this.dot(y, Kx), this.dot(z, Kx), yy, this.dot(z, Ky), r.sub(trace, r.add(xx, yy))];
  }

  /**
   * The moments about a point O of a body whose moments about O + P are given:
   * H' = H + M P,   K' = K - M P^ P^ - P^ H^ - H^ P^  ([004] variant of the composite rigid body, step 1).
   * With G = H + H': the diagonal of the change is (Py Gy + Pz Gz, ...), beside it stands -(Px H'y + Hx Py), ...
   */
  shift({ m, h, k }: Moments<T>, P: Vec<T>): Moments<T> {
    const { arithmetic: r } = this;
    const moved = this.add(h, this.scale(m, P));
    const G = this.add(h, moved);
    const [ex, ey, ez] = [r.mul(P[0], G[0]), r.mul(P[1], G[1]), r.mul(P[2], G[2])];
    const beside = (i: 0 | 1 | 2, j: 0 | 1 | 2): T => r.add(r.mul(P[i], moved[j]), r.mul(h[i], P[j]));
    return {
      m,
      h: moved,
      k: [
        r.add(k[0], r.add(ey, ez)),
        r.sub(k[1], beside(0, 1)),
        r.sub(k[2], beside(0, 2)),
        r.add(k[3], r.add(ex, ez)),
        r.sub(k[4], beside(1, 2)),
        r.add(k[5], r.add(ex, ey)),
      ],
    };
  }

  joined(a: Moments<T>, b: Moments<T>): Moments<T> {
    return { m: this.arithmetic.add(a.m, b.m), h: this.add(a.h, b.h), k: this.symAdd(a.k, b.k) };
  }
}
