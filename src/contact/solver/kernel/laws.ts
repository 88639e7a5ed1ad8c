// Laws of contact in the memory of the kernels: residual, cones, and what each block wants of Newton's step; see residual.ts and
// newton.ts for the equations.

import {
  BLOCKS,
  COMPLIANCE,
  D,
  E,
  type f64,
  type i32,
  KIND,
  KIND_CONTACT,
  KIND_LIMIT,
  KIND_SPIN,
  LAMBDA,
  MU,
  SCALARS,
  TRIED_U,
  U,
} from './layout.js';
import { clampSpin, lineariseSpin, spinMerit, spinViolation } from './spin.js';

/** The largest violation of all blocks, relative to the scale. */
export function largestResidual(F: Float64Array, N: Int32Array, lambda: i32, u: i32): f64 {
  const blocks = N[BLOCKS];
  let largest: f64 = 0;
  for (let c = 0; c < blocks; c++) {
    const r = blockViolation(F, N, c, lambda + 3 * c, u + 3 * c);
    // A number that is not one is the largest of all.
    if (!(r <= largest)) largest = r;
  }
  return largest / F[N[SCALARS]];
}

function blockViolation(F: Float64Array, N: Int32Array, c: i32, l: i32, u: i32): f64 {
  const kind = N[N[KIND] + c];
  const d = F[N[D] + c];
  const m = F[N[MU] + c];
  const l0 = F[l] * d;
  const u0 = F[u];
  if (kind === KIND_LIMIT) return Math.abs(Math.min(l0, u0));
  if (kind >= KIND_SPIN) return spinViolation(F, N, c, l, u);
  if (kind !== KIND_CONTACT) {
    const bound = m * d;
    return Math.abs(l0 - Math.min(bound, Math.max(-bound, l0 - u0)));
  }
  const l1 = F[l + 1] * d;
  const l2 = F[l + 2] * d;
  const u1 = F[u + 1];
  const u2 = F[u + 2];
  const lt = Math.sqrt(l1 * l1 + l2 * l2);
  const ut = Math.sqrt(u1 * u1 + u2 * u2);
  const w = u0 + m * ut;
  const cone = Math.max(-l0, (lt - m * l0) / Math.sqrt(1 + m * m));
  const size = Math.max(Math.max(Math.sqrt(l0 * l0 + lt * lt), Math.sqrt(w * w + ut * ut)), 1e-300);
  const complementarity = Math.abs(l0 * w + l1 * u1 + l2 * u2) / size;
  // The natural map: lambda less the nearest point of the cone to lambda - u - mu |u_t| n.
  let p0 = l0 - w;
  let p1 = l1 - u1;
  let p2 = l2 - u2;
  const t = Math.sqrt(p1 * p1 + p2 * p2);
  if (m * t <= -p0) {
    p0 = 0;
    p1 = 0;
    p2 = 0;
  } else if (t > m * p0) {
    const x = (p0 + m * t) / (1 + m * m);
    const f = (m * x) / t;
    p0 = x;
    p1 *= f;
    p2 *= f;
  }
  p0 = l0 - p0;
  p1 = l1 - p1;
  p2 = l2 - p2;
  const map = Math.sqrt(p0 * p0 + p1 * p1 + p2 * p2);
  return Math.max(Math.max(cone, -u0), Math.max(complementarity, map));
}

/** What Newton's method makes small: the sum of `blockMerit`, relative to the scale. */
export function merit(F: Float64Array, N: Int32Array, part: f64): f64 {
  const blocks = N[BLOCKS];
  let sum: f64 = 0;
  for (let c = 0; c < blocks; c++) sum += blockMerit(F, N, c, part);
  return sum / (F[N[SCALARS]] * F[N[SCALARS]]);
}

/**
 * The squared distance of d lambda from what Alart and Curnier's law makes of y = d lambda - u, at LAMBDA + part E and
 * U + part TRIED_U.
 */
export function blockMerit(F: Float64Array, N: Int32Array, c: i32, part: f64): f64 {
  const kind = N[N[KIND] + c];
  const d = F[N[D] + c];
  const m = F[N[MU] + c];
  const l = N[LAMBDA] + 3 * c;
  const e = N[E] + 3 * c;
  const v = N[U] + 3 * c;
  const w = N[TRIED_U] + 3 * c;
  const l0 = (F[l] + part * F[e]) * d;
  const u0 = F[v] + part * F[w];
  const y = l0 - u0;
  if (kind === KIND_LIMIT) {
    const f = Math.min(l0, u0);
    return f * f;
  }
  if (kind >= KIND_SPIN) return spinMerit(F, N, c, part);
  if (kind !== KIND_CONTACT) {
    const bound = m * d;
    const f = l0 - Math.min(bound, Math.max(-bound, y));
    return f * f;
  }
  const l1 = (F[l + 1] + part * F[e + 1]) * d;
  const l2 = (F[l + 2] + part * F[e + 2]) * d;
  if (!(y > 0)) return l0 * l0 + l1 * l1 + l2 * l2;
  const y1 = l1 - F[v + 1] - part * F[w + 1];
  const y2 = l2 - F[v + 2] - part * F[w + 2];
  const t = Math.sqrt(y1 * y1 + y2 * y2);
  let f: f64 = 1;
  if (t > m * y) f = (m * y) / t;
  const a = l1 - f * y1;
  const b = l2 - f * y2;
  return u0 * u0 + a * a + b * b;
}

/** Makes every impulse lawful by the shortest change across the normal. */
export function clampLawful(F: Float64Array, N: Int32Array, lambda: i32): void {
  const blocks = N[BLOCKS];
  for (let c = 0; c < blocks; c++) {
    const kind = N[N[KIND] + c];
    const m = F[N[MU] + c];
    const o = lambda + 3 * c;
    const n = F[o];
    if (kind === KIND_CONTACT) {
      if (!(n > 0)) {
        F[o] = 0;
        F[o + 1] = 0;
        F[o + 2] = 0;
        continue;
      }
      const a = F[o + 1];
      const b = F[o + 2];
      const t = Math.sqrt(a * a + b * b);
      const most = m * n;
      if (t > most) {
        F[o + 1] = a * (most / t);
        F[o + 2] = b * (most / t);
      }
    } else if (kind === KIND_LIMIT) {
      if (!(n > 0)) F[o] = 0;
    } else if (kind >= KIND_SPIN) clampSpin(F, N, c, lambda);
    else F[o] = Math.min(m, Math.max(-m, n));
  }
}

/**
 * E of a block at the present impulses and velocities, and W (9 numbers at w): dlambda = E - W J dv. Moments also have a column (3
 * numbers) for the motion along the normal.
 */
export function linearise(F: Float64Array, N: Int32Array, c: i32, eps: f64, w: i32, column: i32): void {
  if (N[N[KIND] + c] >= KIND_SPIN) {
    lineariseSpin(F, N, c, eps, w, column);
    return;
  }
  lineariseLaw(F, N, c, eps, w);
  const give = F[N[COMPLIANCE] + c];
  if (give > 0) yieldBlock(F, N[E] + 3 * c, w, give);
}

/** dlambda = e - W (J dv + R dlambda), R being `give` for the normal: dlambda = (1 + W R)^-1 (e - W J dv). */
function yieldBlock(F: Float64Array, e: i32, w: i32, give: f64): void {
  const s = 1 / (1 + F[w] * give);
  F[e] *= s;
  for (let k = 0; k < 3; k++) F[w + k] *= s;
  for (let r = 1; r < 3; r++) {
    // The normal's column as it was.
    const x = F[w + 3 * r] * give;
    F[e + r] -= x * F[e];
    for (let k = 0; k < 3; k++) F[w + 3 * r + k] -= x * F[w + k];
  }
}

function lineariseLaw(F: Float64Array, N: Int32Array, c: i32, eps: f64, w: i32): void {
  const kind = N[N[KIND] + c];
  const d = F[N[D] + c];
  const m = F[N[MU] + c];
  const l = N[LAMBDA] + 3 * c;
  const u = N[U] + 3 * c;
  const e = N[E] + 3 * c;
  const rho = 1 / (eps * d);
  const l0 = F[l];
  const y = l0 * d - F[u];
  for (let k = 0; k < 9; k++) F[w + k] = 0;
  if (kind === KIND_LIMIT) {
    if (y > 0) {
      F[w] = rho;
      F[e] = -rho * F[u];
    } else F[e] = -l0;
    return;
  }
  if (kind !== KIND_CONTACT) {
    if (Math.abs(y) <= m * d) {
      F[w] = rho;
      F[e] = -rho * F[u];
    } else if (y > 0) F[e] = m - l0;
    else F[e] = -m - l0;
    return;
  }
  const l1 = F[l + 1];
  const l2 = F[l + 2];
  if (!(y > 0)) {
    F[e] = -l0;
    F[e + 1] = -l1;
    F[e + 2] = -l2;
    return;
  }
  const y1 = l1 * d - F[u + 1];
  const y2 = l2 * d - F[u + 2];
  const length = Math.sqrt(y1 * y1 + y2 * y2);
  F[e] = -rho * F[u];
  F[w] = rho;
  if (length <= m * y) {
    F[e + 1] = -rho * F[u + 1];
    F[e + 2] = -rho * F[u + 2];
    F[w + 4] = rho;
    F[w + 8] = rho;
    return;
  }
  const e1 = y1 / length;
  const e2 = y2 / length;
  const f = Math.min((m * y) / length, 1 / (1 + eps));
  const across = f / ((1 - f) * d);
  const turn = (e2 * l1 - e1 * l2) / (1 - f);
  const along = m * (l0 + F[e]) - (e1 * l1 + e2 * l2);
  F[e + 1] = e1 * along - e2 * turn;
  F[e + 2] = e2 * along + e1 * turn;
  F[w + 3] = m * e1 * rho;
  F[w + 6] = m * e2 * rho;
  F[w + 4] = across * e2 * e2;
  F[w + 5] = -across * e1 * e2;
  F[w + 7] = -across * e1 * e2;
  F[w + 8] = across * e1 * e1;
}
