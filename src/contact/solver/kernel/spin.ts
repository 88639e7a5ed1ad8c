// Friction against spinning and rolling. A contact may have a second block: the moment about its normal, and that across it. In units of
// the normal impulse, the moments being divided by the coefficients (lengths) and the angular velocities multiplied by them,
//
//   |m_n| <= lambda_n,   |m_t| <= lambda_n
//
// with lambda_n the normal impulse of the contact: where the bodies do not spin (roll) the moment is what that takes, where they do it is
// at its bound, against the motion. The bound moves with the contact: Newton's step for the moments has a column for the contact's normal.

import { D, E, type f64, type i32, KIND, KIND_SPIN, LAMBDA, MU, TRIED_U, U, W } from './layout.js';

/** By how many blocks a block of moments stands behind its contact. */
export function behind(N: Int32Array, c: i32): i32 {
  return N[N[KIND] + c] - KIND_SPIN + 1;
}

/** How far the moments at l are from their law; velocities at u. */
export function spinViolation(F: Float64Array, N: Int32Array, c: i32, l: i32, u: i32): f64 {
  const d = F[N[D] + c];
  const bound = F[N[MU] + c] * Math.max(0, F[l - 3 * behind(N, c)]) * d;
  return Math.sqrt(distance(F[l] * d, F[l + 1] * d, F[l + 2] * d, F[u], F[u + 1], F[u + 2], bound));
}

/** The squared distance of moments from the nearest lawful ones to moments less velocities. */
function distance(l0: f64, l1: f64, l2: f64, u0: f64, u1: f64, u2: f64, bound: f64): f64 {
  const spin = l0 - Math.min(bound, Math.max(-bound, l0 - u0));
  const y1 = l1 - u1;
  const y2 = l2 - u2;
  const t = Math.sqrt(y1 * y1 + y2 * y2);
  let f: f64 = 1;
  if (t > bound) f = bound / t;
  const a = l1 - f * y1;
  const b = l2 - f * y2;
  return spin * spin + a * a + b * b;
}

/** See blockMerit: the bound is that of y of the contact. */
export function spinMerit(F: Float64Array, N: Int32Array, c: i32, part: f64): f64 {
  const n = c - behind(N, c);
  const d = F[N[D] + c];
  const own = F[N[D] + n];
  const normal = F[N[LAMBDA] + 3 * n] + part * F[N[E] + 3 * n];
  const y = normal * own - F[N[U] + 3 * n] - part * F[N[TRIED_U] + 3 * n];
  const bound = (F[N[MU] + c] * Math.max(0, y) * d) / own;
  const l = N[LAMBDA] + 3 * c;
  const e = N[E] + 3 * c;
  const u = N[U] + 3 * c;
  const w = N[TRIED_U] + 3 * c;
  return distance(
    (F[l] + part * F[e]) * d,
    (F[l + 1] + part * F[e + 1]) * d,
    (F[l + 2] + part * F[e + 2]) * d,
    F[u] + part * F[w],
    F[u + 1] + part * F[w + 1],
    F[u + 2] + part * F[w + 2],
    bound,
  );
}

/** Cuts the moments to their bounds; the contact is lawful already. */
export function clampSpin(F: Float64Array, N: Int32Array, c: i32, lambda: i32): void {
  const o = lambda + 3 * c;
  const bound = F[N[MU] + c] * F[o - 3 * behind(N, c)];
  F[o] = Math.min(bound, Math.max(-bound, F[o]));
  const t = Math.sqrt(F[o + 1] * F[o + 1] + F[o + 2] * F[o + 2]);
  if (!(t > bound)) return;
  F[o + 1] = F[o + 1] * (bound / t);
  F[o + 2] = F[o + 2] * (bound / t);
}

/** E, W and the column NORMAL_W of moments, after those of their contact: dlambda = E - W J dv - NORMAL_W (J dv of the contact's normal). */
export function lineariseSpin(F: Float64Array, N: Int32Array, c: i32, eps: f64, w: i32, column: i32): void {
  const n = c - behind(N, c);
  const d = F[N[D] + c];
  const own = F[N[D] + n];
  const m = F[N[MU] + c];
  const l = N[LAMBDA] + 3 * c;
  const u = N[U] + 3 * c;
  const e = N[E] + 3 * c;
  const rho = 1 / (eps * d);
  const normal = F[N[LAMBDA] + 3 * n];
  const stiffness = F[N[W] + 9 * n];
  // In the measure of the moments' own y; what the bound will be after the step is m times `next`.
  const bound = (m * Math.max(0, normal * own - F[N[U] + 3 * n]) * d) / own;
  const next = m * (normal + F[N[E] + 3 * n]);
  for (let k = 0; k < 9; k++) F[w + k] = 0;
  for (let k = 0; k < 3; k++) F[column + k] = 0;
  const y0 = F[l] * d - F[u];
  if (Math.abs(y0) <= bound) {
    F[w] = rho;
    F[e] = -rho * F[u];
  } else {
    let sign: f64 = 1;
    if (y0 < 0) sign = -1;
    F[e] = sign * next - F[l];
    F[column] = sign * m * stiffness;
  }
  const l1 = F[l + 1];
  const l2 = F[l + 2];
  const y1 = l1 * d - F[u + 1];
  const y2 = l2 * d - F[u + 2];
  const length = Math.sqrt(y1 * y1 + y2 * y2);
  if (length <= bound) {
    F[e + 1] = -rho * F[u + 1];
    F[e + 2] = -rho * F[u + 2];
    F[w + 4] = rho;
    F[w + 8] = rho;
    return;
  }
  const e1 = y1 / length;
  const e2 = y2 / length;
  const f = Math.min(bound / length, 1 / (1 + eps));
  const across = f / ((1 - f) * d);
  const turn = (e2 * l1 - e1 * l2) / (1 - f);
  const along = next - (e1 * l1 + e2 * l2);
  F[e + 1] = e1 * along - e2 * turn;
  F[e + 2] = e2 * along + e1 * turn;
  F[column + 1] = e1 * m * stiffness;
  F[column + 2] = e2 * m * stiffness;
  F[w + 4] = across * e2 * e2;
  F[w + 5] = -across * e1 * e2;
  F[w + 7] = -across * e1 * e2;
  F[w + 8] = across * e1 * e1;
}
