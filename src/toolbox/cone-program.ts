// Small quadratic programs with cones of friction, dense, by a primal-dual interior-point method:
//
//   x^T P x / 2 + c^T x least,   s = h - G x in K      K: numbers that are not negative, then cones |(s1, s2)| <= s0
//
// The steps are Mehrotra's, in the scaling of Nesterov and Todd; the equations and their order are those of Vandenberghe, "The
// CVXOPT linear and quadratic cone program solvers" (2010). W with W z = W^-1 s = lambda makes s and z alike; a step solves
//
//   P dx + G^T dz = -rx,   G dx + ds = -rz,   lambda o (W dz + W^-1 ds) = d
//
// for dx by Cholesky's method: (P + G^T W^-2 G) dx = -rx - G^T W^-2 (rz + W (lambda \ d)).
//
// Our own and not a package: cones of friction are round, and what JavaScript has are programs with flat constraints.

import { factorPositive, solveFactored } from '../reference/solve-positive.js';

/** The numbers of a program; P is symmetric and not negative, G row major. */
export interface ConeProgram {
  readonly n: number;
  /** n x n */
  readonly P: Float64Array;
  readonly c: Float64Array;
  /** rows x n */
  readonly G: Float64Array;
  readonly h: Float64Array;
  /** The first rows, which stand alone; three by three the others are cones. */
  readonly linear: number;
}

export interface ConeSolution {
  /** 'infeasible': no x is allowed. 'stalled': rounding ended the search early. */
  readonly status: 'solved' | 'infeasible' | 'stalled';
  readonly x: Float64Array;
  /** Multipliers of the rows, in K too. */
  readonly z: Float64Array;
  readonly s: Float64Array;
  readonly iterations: number;
}

const TOLERANCE = 1e-12;
/** What is good enough where rounding allows no better. */
const ENOUGH = 1e-8;
const MOST_ITERATIONS = 80;
/** Part of the way to the wall of the cone. */
const SHORT = 0.99;

export function solveConeProgram({ n, P, c, G, h, linear }: ConeProgram): ConeSolution {
  const rows = h.length;
  const cone = new Cone(linear, rows);
  const x = new Float64Array(n);
  const [s, z] = [new Float64Array(rows), new Float64Array(rows)];
  const [rx, more, rz] = [new Float64Array(n), new Float64Array(n), new Float64Array(rows)];
  const [dx, dz, ds] = [new Float64Array(n), new Float64Array(rows), new Float64Array(rows)];
  const [H, scaledG] = [new Float64Array(n * n), new Float64Array(rows * n)];
  const [d, right] = [new Float64Array(rows), new Float64Array(rows)];
  let trace = 0;
  for (let i = 0; i < n; i++) trace += P[i * n + i];
  /** H <- factor of P + G^T W^-2 G. */
  const factor = (): boolean => {
    for (let j = 0; j < n; j++) {
      for (let r = 0; r < rows; r++) right[r] = G[r * n + j];
      cone.unscale(right);
      for (let r = 0; r < rows; r++) scaledG[r * n + j] = right[r];
    }
    let largest = trace;
    for (let i = 0; i < n; i++)
      for (let j = 0; j <= i; j++) {
        let sum = P[i * n + j];
        for (let r = 0; r < rows; r++) sum += scaledG[r * n + i] * scaledG[r * n + j];
        H[i * n + j] = sum;
        if (i === j) largest = Math.max(largest, sum);
      }
    for (let i = 0; i < n; i++) H[i * n + i] += 1e-16 * largest;
    return factorPositive(H, n);
  };
  /** dx, dz, ds for residuals times `part` and the right-hand side d of the last equation, which becomes lambda \ d. */
  const step = (part: number): void => {
    cone.divide(d);
    // right = W^-1 (part rz) + lambda \ d
    for (let r = 0; r < rows; r++) right[r] = part * rz[r];
    cone.unscale(right);
    for (let r = 0; r < rows; r++) right[r] += d[r];
    for (let i = 0; i < n; i++) {
      let sum = -part * rx[i];
      for (let r = 0; r < rows; r++) sum -= scaledG[r * n + i] * right[r];
      dx[i] = sum;
    }
    solveFactored(H, dx, n);
    // W dz = W^-1 (G dx + part rz) + lambda \ d, and W^-1 ds = lambda \ d - W dz.
    const answer = (change: Float64Array): void => {
      for (let r = 0; r < rows; r++) for (let i = 0; i < n; i++) dz[r] += scaledG[r * n + i] * change[i];
    };
    dz.set(right);
    answer(dx);
    // Once more with what rounding has left of the first equation.
    right.set(dz);
    cone.unscale(right);
    for (let i = 0; i < n; i++) {
      let sum = -part * rx[i];
      for (let j = 0; j < n; j++) sum -= P[i * n + j] * dx[j];
      for (let r = 0; r < rows; r++) sum -= G[r * n + i] * right[r];
      more[i] = sum;
    }
    solveFactored(H, more, n);
    answer(more);
    for (let i = 0; i < n; i++) dx[i] += more[i];
    for (let r = 0; r < rows; r++) ds[r] = d[r] - dz[r];
  };
  start();
  /** Where it was nearest to the optimum. */
  const best = { x: x.slice(), s: s.slice(), z: z.slice(), worst: Number.POSITIVE_INFINITY };
  let iterations = 0;
  for (; ; iterations++) {
    residuals();
    const gap = dot(s, z);
    const size = Math.max(1, Math.abs(dot(c, x)));
    const worst = Math.max(largest(rx) / (1 + largest(c)), largest(rz) / (1 + largest(h)), gap / size);
    if (worst < best.worst) {
      best.worst = worst;
      best.x.set(x);
      best.s.set(s);
      best.z.set(z);
    }
    if (best.worst < TOLERANCE || iterations === MOST_ITERATIONS) break;
    if (isRefused()) return { status: 'infeasible', x, s, z, iterations };
    if (!cone.update(s, z) || !factor()) break;
    // Predictor: straight to the end.
    cone.squared(d, -1);
    step(1);
    const affine = Math.min(1, cone.reach(ds), cone.reach(dz));
    const centring = (1 - affine) ** 3;
    // Corrector, with what the predictor's own product is off.
    cone.squared(d, -1);
    cone.subtractProduct(d, ds, dz);
    cone.addUnit(d, (centring * gap) / cone.degree);
    step(1 - centring);
    const reach = Math.min(1, SHORT * Math.min(cone.reach(ds), cone.reach(dz)));
    cone.scale(ds);
    cone.unscale(dz);
    if (!(reach > 1e-10) || !dx.every(Number.isFinite)) break;
    for (let i = 0; i < n; i++) x[i] += reach * dx[i];
    for (let r = 0; r < rows; r++) {
      s[r] += reach * ds[r];
      z[r] += reach * dz[r];
    }
  }
  return { status: best.worst < ENOUGH ? 'solved' : 'stalled', x: best.x, s: best.s, z: best.z, iterations };

  /** x with |G x - h| and the cost least; s and z from there into the cone. */
  function start(): void {
    cone.identity();
    factor();
    for (let i = 0; i < n; i++) {
      let sum = -c[i];
      for (let r = 0; r < rows; r++) sum += G[r * n + i] * h[r];
      x[i] = sum;
    }
    solveFactored(H, x, n);
    for (let r = 0; r < rows; r++) {
      let sum = -h[r];
      for (let i = 0; i < n; i++) sum += G[r * n + i] * x[i];
      z[r] = sum;
      s[r] = -sum;
    }
    cone.pullInside(s);
    cone.pullInside(z);
  }

  function residuals(): void {
    for (let i = 0; i < n; i++) {
      let sum = c[i];
      for (let j = 0; j < n; j++) sum += P[i * n + j] * x[j];
      for (let r = 0; r < rows; r++) sum += G[r * n + i] * z[r];
      rx[i] = sum;
    }
    for (let r = 0; r < rows; r++) {
      let sum = s[r] - h[r];
      for (let i = 0; i < n; i++) sum += G[r * n + i] * x[i];
      rz[r] = sum;
    }
  }

  /** Whether z proves that nothing is allowed: G^T z = 0 with h^T z below zero. */
  function isRefused(): boolean {
    const value = -dot(h, z);
    if (!(value > 0)) return false;
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let r = 0; r < rows; r++) sum += G[r * n + i] * z[r];
      if (!(Math.abs(sum) < 1e-9 * value)) return false;
    }
    return true;
  }
}

/** K, and the scaling W at a pair s, z inside it. Vectors are changed in place. */
class Cone {
  readonly #linear: number;
  readonly #rows: number;
  /** Of the first rows: W. Of cones: v with W = beta (2 v v^T - J), J = diag(1, -1, -1). */
  readonly #w: Float64Array;
  readonly #beta: Float64Array;
  readonly #lambda: Float64Array;

  constructor(linear: number, rows: number) {
    this.#linear = linear;
    this.#rows = rows;
    this.#w = new Float64Array(rows);
    this.#beta = new Float64Array(rows);
    this.#lambda = new Float64Array(rows);
  }

  get degree(): number {
    return this.#linear + (this.#rows - this.#linear) / 3;
  }

  identity(): void {
    this.#w.fill(1, 0, this.#linear);
    for (let o = this.#linear; o < this.#rows; o += 3) {
      this.#w.set([1, 0, 0], o);
      this.#beta[o] = 1;
    }
  }

  /** False where s or z is not inside. */
  update(s: Float64Array, z: Float64Array): boolean {
    for (let r = 0; r < this.#linear; r++) {
      if (!(s[r] > 0 && z[r] > 0)) return false;
      this.#w[r] = Math.sqrt(s[r] / z[r]);
      this.#lambda[r] = Math.sqrt(s[r] * z[r]);
    }
    for (let o = this.#linear; o < this.#rows; o += 3) {
      const [ss, zz] = [inside(s, o), inside(z, o)];
      if (!(ss > 0 && zz > 0)) return false;
      const [a, b] = [1 / Math.sqrt(ss), 1 / Math.sqrt(zz)];
      const along = a * b * (s[o] * z[o] + s[o + 1] * z[o + 1] + s[o + 2] * z[o + 2]);
      const gamma = Math.sqrt((1 + along) / 2);
      const w0 = (a * s[o] + b * z[o]) / (2 * gamma);
      const size = 1 / Math.sqrt(2 * (w0 + 1));
      this.#w[o] = (w0 + 1) * size;
      for (const k of [1, 2]) this.#w[o + k] = ((a * s[o + k] - b * z[o + k]) / (2 * gamma)) * size;
      this.#beta[o] = Math.sqrt(Math.sqrt(ss / zz));
    }
    for (let o = this.#linear; o < this.#rows; o++) this.#lambda[o] = z[o];
    this.#scaleCones(this.#lambda);
    return true;
  }

  /** x <- W x */
  scale(x: Float64Array): void {
    for (let r = 0; r < this.#linear; r++) x[r] *= this.#w[r];
    this.#scaleCones(x);
  }

  #scaleCones(x: Float64Array): void {
    const w = this.#w;
    for (let o = this.#linear; o < this.#rows; o += 3) {
      const beta = this.#beta[o];
      const along = 2 * (w[o] * x[o] + w[o + 1] * x[o + 1] + w[o + 2] * x[o + 2]);
      x[o] = beta * (along * w[o] - x[o]);
      x[o + 1] = beta * (along * w[o + 1] + x[o + 1]);
      x[o + 2] = beta * (along * w[o + 2] + x[o + 2]);
    }
  }

  /** x <- W^-1 x */
  unscale(x: Float64Array): void {
    const w = this.#w;
    for (let r = 0; r < this.#linear; r++) x[r] /= w[r];
    for (let o = this.#linear; o < this.#rows; o += 3) {
      const beta = 1 / this.#beta[o];
      const along = 2 * (w[o] * x[o] - w[o + 1] * x[o + 1] - w[o + 2] * x[o + 2]);
      x[o] = beta * (along * w[o] - x[o]);
      x[o + 1] = beta * (x[o + 1] - along * w[o + 1]);
      x[o + 2] = beta * (x[o + 2] - along * w[o + 2]);
    }
  }

  /** out <- factor lambda o lambda */
  squared(out: Float64Array, factor: number): void {
    out.fill(0);
    addProduct(out, this.#lambda, this.#lambda, factor, this.#linear);
  }

  /** out <- out - x o y */
  subtractProduct(out: Float64Array, x: Float64Array, y: Float64Array): void {
    addProduct(out, x, y, -1, this.#linear);
  }

  addUnit(out: Float64Array, factor: number): void {
    for (let r = 0; r < this.#rows; r += r < this.#linear ? 1 : 3) out[r] += factor;
  }

  /** d <- lambda \ d */
  divide(d: Float64Array): void {
    const l = this.#lambda;
    for (let r = 0; r < this.#linear; r++) d[r] /= l[r];
    for (let o = this.#linear; o < this.#rows; o += 3) {
      const first = (l[o] * d[o] - l[o + 1] * d[o + 1] - l[o + 2] * d[o + 2]) / inside(l, o);
      for (const k of [1, 2]) d[o + k] = (d[o + k] - first * l[o + k]) / l[o];
      d[o] = first;
    }
  }

  /** How far lambda + t x stays in K. */
  reach(x: Float64Array): number {
    const l = this.#lambda;
    let far = Number.POSITIVE_INFINITY;
    for (let r = 0; r < this.#linear; r++) if (x[r] < 0) far = Math.min(far, -l[r] / x[r]);
    for (let o = this.#linear; o < this.#rows; o += 3) {
      // In the frame in which lambda is on the axis.
      const size = Math.sqrt(inside(l, o));
      const along = (l[o] * x[o] - l[o + 1] * x[o + 1] - l[o + 2] * x[o + 2]) / size;
      const shared = (along + x[o]) / (l[o] / size + 1) / size;
      const side = Math.hypot(x[o + 1] - shared * l[o + 1], x[o + 2] - shared * l[o + 2]);
      const rate = (side - along) / size;
      if (rate > 0) far = Math.min(far, 1 / rate);
    }
    return far;
  }

  /** x moved along the axes of K until it is well inside; left alone where it is. */
  pullInside(x: Float64Array): void {
    let out = Number.NEGATIVE_INFINITY;
    for (let r = 0; r < this.#linear; r++) out = Math.max(out, -x[r]);
    for (let o = this.#linear; o < this.#rows; o += 3) out = Math.max(out, Math.hypot(x[o + 1], x[o + 2]) - x[o]);
    if (out >= -1e-8 * Math.max(1, largest(x))) this.addUnit(x, 1 + out);
  }
}

/** x0^2 - x1^2 - x2^2 */
function inside(x: Float64Array, o: number): number {
  const side = Math.hypot(x[o + 1], x[o + 2]);
  return (x[o] - side) * (x[o] + side);
}

/** out <- out + factor x o y */
function addProduct(out: Float64Array, x: Float64Array, y: Float64Array, factor: number, linear: number): void {
  for (let r = 0; r < linear; r++) out[r] += factor * x[r] * y[r];
  for (let o = linear; o < out.length; o += 3) {
    out[o] += factor * (x[o] * y[o] + x[o + 1] * y[o + 1] + x[o + 2] * y[o + 2]);
    for (const k of [1, 2]) out[o + k] += factor * (x[o] * y[o + k] + y[o] * x[o + k]);
  }
}

const largest = (x: Float64Array): number => x.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < x.length; k++) sum += x[k] * y[k];
  return sum;
}
