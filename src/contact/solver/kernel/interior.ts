// An interior-point method in velocity space, for islands that Newton's method (newton.ts) leaves: it needs no guess of what opens, sticks
// and slides. An iteration is one factorisation of the mass matrices with a stiffness of the contacts on them.
//
// With De Saxce's shift Coulomb's law is that of a cone: z = (lambda_n, lambda_t / mu) and w = (u_n + s, mu u_t), s = mu |u_t|, lie in
// the cone x_0 >= |(x_1, x_2)| and are at a right angle. Impulses and velocities are kept inside of their cones, and z o w, the product
// of the Jordan algebra of the cone, goes to zero evenly: z o w = t e for falling t. Newton's step for it is symmetric in the scaling of
// Nesterov and Todd, N z = N^-1 w:
//
//   N dz + N^-1 dw = N z \ (t e - N z o N z - second order),     dw = J dv + (ds, 0, 0) + rest + delta dz
//
// so that dz = K (wanted - J dv - ds), K = (N^2 + delta)^-1; delta is a proximal term, for redundant contacts. Two things make of it a
// method for friction:
// - s is linearised along the slip, smoothed near u_t = 0: s = sqrt(mu^2 |u_t|^2 + g^2) - g, g = w_0 - |w_t|, which vanishes where the
//   contact bears,
// - z and w of what slides turn about their cones, and a straight step would leave them: they go by the angle and the distance from
//   the side, so that turning does not shorten the step. z pays for it in equality of impulses, w by the curvature of s.
//
// Moments of contacts (spin.ts) are kept as they are: Newton's method finds them from where the others end.
//
// Limits have one number instead of a cone. Boxes have w = the velocities against both bounds, z between them; where there is no bound,
// velocities shall be zero. LAMBDA are the impulses that velocities are of: they follow z. See Wright, Primal-Dual Interior-Point
// Methods, and Andersen et al., CVXOPT's cone programs, for the steps; Acary et al. for friction.

import { clampLawful } from './laws.js';
import {
  ANSWER_A,
  ANSWER_B,
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
  NORMAL_W,
  OWN_ANSWER,
  SCALARS,
  TRIED_U,
  U,
  W,
} from './layout.js';
import { evaluate, factoriseStiff, newton, stepOfImpulses } from './newton.js';

/** How far inside everything begins, relative to the scale. */
const BEGIN = 0.3;
/** The proximal term, relative to D. */
const DELTA = 1e-7;
/** The part of the way to the next side that a step goes. */
const REACH = 0.95;
/** Least part of the mean product that a product may have. */
const CENTRAL = 0.01;
/** The least centring, and that after steps shorter than SHORT. */
const LEAST_CENTRING = 1e-3;
const CENTRING = 0.5;
const SHORT_STEP = 0.3;
/** Steps in a row that are so short lead nowhere. */
const STUCK_STEP = 0.02;
const STUCK = 5;
/** Turning in a step, relative to the radius. */
const TURN = 0.3;
/** Mean product (its root), and how good impulses have to be, from which on Newton's method is asked; how much less each time. */
const TRY = 1e-4;
const GOOD = 1e-4;
const AGAIN = 0.4;
const NEWTON_STEPS = 8;
const NEWTON_EPS = 1e-5;
const NEWTON_GROWTH = 10;
/** The same where moments were kept as they were: Newton's method is to find them. */
const GOOD_KEPT = 0.1;
const NEWTON_STEPS_KEPT = 25;
/** A mean product (its root) below which nothing gets better. */
const LEAST = 1e-9;
const FAR = 1e9;

// What a law is: one number, a cone, between bounds, without bounds, nothing at all, not to be changed.
const RAY = 0;
const CONE = 1;
const BETWEEN = 2;
const HOLDS = 3;
const NOTHING = 4;
const KEPT = 5;

// Numbers of a block in ANSWER_A, ANSWER_B and OWN_ANSWER, which sweeps need only outside of this.
const A_K = 0;
const A_SLOPE = 9;
const A_ETA = 11;
const A_POINT = 12;
const A_INNER_Z = 15;
const A_INNER_W = 16;
const A_PRODUCT = 17;
const B_Z = 0;
const B_W = 3;
const B_DZ = 6;
const B_DW = 9;
const B_AZ = 12;
const B_AW = 15;
const O_POINT = 0;
const O_REST = 3;
const O_X = 6;
const O_Y = 9;
const O_BEST = 12;
const O_HELD = 15;

/** Improves LAMBDA; returns the iterations, and leaves the best impulses with U, FORCE, CHANGE and the residual. */
export function interior(F: Float64Array, N: Int32Array, tolerance: f64, aim: f64, most: i32): i32 {
  const blocks = N[BLOCKS];
  const lambda = N[LAMBDA];
  const u = N[U];
  const residual = N[SCALARS] + 1;
  const scale = F[N[SCALARS]];
  let good: f64 = GOOD;
  let steps: i32 = NEWTON_STEPS;
  let growth: f64 = NEWTON_GROWTH;
  for (let c = 0; c < blocks; c++)
    if (N[N[KIND] + c] >= KIND_SPIN) {
      good = GOOD_KEPT;
      growth = 0;
      steps = NEWTON_STEPS_KEPT;
    }
  clampLawful(F, N, lambda);
  let best = evaluate(F, N, lambda, u);
  keepImpulses(F, N);
  for (let c = 0; c < blocks; c++) begin(F, N, c);
  let iterations = 0;
  let last: f64 = 1;
  let tried: f64 = 1e300;
  let stuck = 0;
  while (iterations < most && best > tolerance && stuck < STUCK) {
    let gap: f64 = 0;
    let off: f64 = 0;
    for (let c = 0; c < blocks; c++) {
      gap += product(F, N, c, 0);
      off = Math.max(off, measure(F, N, c));
    }
    gap = gap / blocks;
    const root = Math.sqrt(gap) / scale;
    if (!(root < 1e100) || root < LEAST) break;
    if (root < TRY && off < 10 * TRY * scale && root < AGAIN * tried) {
      tried = root;
      for (let c = 0; c < blocks; c++)
        for (let k = 0; k < 3; k++) F[N[OWN_ANSWER] + 18 * c + O_HELD + k] = F[lambda + 3 * c + k];
      takeImpulses(F, N);
      let r = evaluate(F, N, lambda, u);
      if (r < best) {
        best = r;
        keepImpulses(F, N);
      }
      if (r > tolerance && r < good) {
        F[residual] = r;
        iterations += newton(F, N, aim, steps, NEWTON_EPS, growth);
        r = F[residual];
        if (r < best) {
          best = r;
          keepImpulses(F, N);
        }
      }
      if (best <= tolerance) break;
      for (let c = 0; c < blocks; c++)
        for (let k = 0; k < 3; k++) F[lambda + 3 * c + k] = F[N[OWN_ANSWER] + 18 * c + O_HELD + k];
      evaluate(F, N, lambda, u);
      for (let c = 0; c < blocks; c++) measure(F, N, c);
    }
    iterations++;
    for (let c = 0; c < blocks; c++) scaleBlock(F, N, c);
    for (let c = 0; c < blocks; c++) wanted(F, N, c, 0, 0);
    if (factoriseStiff(F, N) === 0) break;
    stepOfImpulses(F, N);
    for (let c = 0; c < blocks; c++) direct(F, N, c, 0, 0);
    const free = Math.min(1, longest(F, N));
    let left: f64 = 0;
    for (let c = 0; c < blocks; c++) left += product(F, N, c, free);
    const ratio = Math.max(0, left / blocks / gap);
    let centring = Math.max(LEAST_CENTRING, Math.min(1, ratio * ratio * ratio));
    let second = 1;
    if (last < SHORT_STEP) {
      centring = Math.max(centring, CENTRING);
      second = 0;
    }
    for (let c = 0; c < blocks; c++) {
      const B = N[ANSWER_B] + 18 * c;
      for (let k = 0; k < 6; k++) F[B + B_AZ + k] = F[B + B_DZ + k];
    }
    for (let c = 0; c < blocks; c++) wanted(F, N, c, centring * gap, second);
    stepOfImpulses(F, N);
    for (let c = 0; c < blocks; c++) direct(F, N, c, centring * gap, second);
    let part = Math.min(1, REACH * longest(F, N));
    for (let cut = 0; cut < 20; cut++) {
      const least = CENTRAL * gap * (1 - part * (1 - centring));
      let central = 1;
      for (let c = 0; c < blocks && central === 1; c++) central = isCentral(F, N, c, part, least);
      if (central === 1) break;
      part *= 0.8;
    }
    last = part;
    stuck++;
    if (part > STUCK_STEP) stuck = 0;
    for (let k = 0; k < 3 * blocks; k++) {
      F[lambda + k] += part * F[N[E] + k];
      F[u + k] += part * F[N[TRIED_U] + k];
    }
    for (let c = 0; c < blocks; c++) moveBlock(F, N, c, part);
  }
  if (best > tolerance) {
    takeImpulses(F, N);
    clampLawful(F, N, lambda);
    if (evaluate(F, N, lambda, u) < best) keepImpulses(F, N);
  }
  for (let c = 0; c < blocks; c++)
    for (let k = 0; k < 3; k++) F[lambda + 3 * c + k] = F[N[OWN_ANSWER] + 18 * c + O_BEST + k];
  F[residual] = evaluate(F, N, lambda, u);
  return iterations;
}

/** LAMBDA as the best so far. */
function keepImpulses(F: Float64Array, N: Int32Array): void {
  for (let c = 0; c < N[BLOCKS]; c++)
    for (let k = 0; k < 3; k++) F[N[OWN_ANSWER] + 18 * c + O_BEST + k] = F[N[LAMBDA] + 3 * c + k];
}

/** LAMBDA <- z. */
function takeImpulses(F: Float64Array, N: Int32Array): void {
  for (let c = 0; c < N[BLOCKS]; c++) {
    const law = lawOf(F, N, c);
    if (law === KEPT) continue;
    const l = N[LAMBDA] + 3 * c;
    const z = N[ANSWER_B] + 18 * c + B_Z;
    F[l] = F[z];
    F[l + 1] = 0;
    F[l + 2] = 0;
    if (law === CONE) {
      F[l + 1] = F[N[MU] + c] * F[z + 1];
      F[l + 2] = F[N[MU] + c] * F[z + 2];
    }
  }
}

function lawOf(F: Float64Array, N: Int32Array, c: i32): i32 {
  const kind = N[N[KIND] + c];
  const m = F[N[MU] + c];
  if (kind === KIND_LIMIT) return RAY;
  if (kind >= KIND_SPIN) return KEPT;
  if (kind === KIND_CONTACT) {
    if (m > 0) return CONE;
    return RAY;
  }
  if (m > 1e300) return HOLDS;
  if (m > 0) return BETWEEN;
  return NOTHING;
}

/** The way across the axis of a cone. */
function radius(F: Float64Array, x: i32): f64 {
  return Math.sqrt(F[x + 1] * F[x + 1] + F[x + 2] * F[x + 2]);
}

/** z and w inside, from LAMBDA and U. */
function begin(F: Float64Array, N: Int32Array, c: i32): void {
  const law = lawOf(F, N, c);
  const A = N[ANSWER_A] + 18 * c;
  const z = N[ANSWER_B] + 18 * c + B_Z;
  const w = N[ANSWER_B] + 18 * c + B_W;
  const l = N[LAMBDA] + 3 * c;
  const u = N[U] + 3 * c;
  const m = F[N[MU] + c];
  const way = BEGIN * F[N[SCALARS]];
  const d = F[N[D] + c];
  for (let k = 0; k < 12; k++) F[z + k] = 0;
  F[A + A_PRODUCT] = 0;
  if (law === RAY) {
    F[z] = Math.max(F[l], way / d);
    F[w] = Math.max(F[u], way);
  } else if (law === CONE) {
    F[z + 1] = F[l + 1] / m;
    F[z + 2] = F[l + 2] / m;
    const t = radius(F, z);
    F[A + A_INNER_Z] = Math.max(F[l] - t, way / d);
    F[z] = t + F[A + A_INNER_Z];
    F[w + 1] = m * F[u + 1];
    F[w + 2] = m * F[u + 2];
    F[A + A_INNER_W] = Math.max(F[u], way);
    F[w] = radius(F, w) + F[A + A_INNER_W];
  } else if (law === BETWEEN) {
    F[z] = Math.min(0.7 * m, Math.max(-0.7 * m, F[l]));
    F[w] = Math.max(F[u], 0) + way;
    F[w + 1] = Math.max(-F[u], 0) + way;
  } else if (law === HOLDS || law === KEPT) F[z] = F[l];
}

/** The product of z and w, after a part of the step, times D. */
function product(F: Float64Array, N: Int32Array, c: i32, part: f64): f64 {
  const law = lawOf(F, N, c);
  const B = N[ANSWER_B] + 18 * c;
  const d = F[N[D] + c];
  const z0 = F[B + B_Z] + part * F[B + B_DZ];
  const w0 = F[B + B_W] + part * F[B + B_DW];
  if (law === RAY) return d * z0 * w0;
  const w1 = F[B + B_W + 1] + part * F[B + B_DW + 1];
  if (law === CONE) {
    const z1 = F[B + B_Z + 1] + part * F[B + B_DZ + 1];
    const z2 = F[B + B_Z + 2] + part * F[B + B_DZ + 2];
    return d * (z0 * w0 + z1 * w1 + z2 * (F[B + B_W + 2] + part * F[B + B_DW + 2]));
  }
  if (law === BETWEEN) {
    const m = F[N[MU] + c];
    return 0.5 * d * ((m + z0) * w0 + (m - z0) * w1);
  }
  return 0;
}

/** The rest of the equations of velocities; how far they and the impulses are off. */
function measure(F: Float64Array, N: Int32Array, c: i32): f64 {
  const law = lawOf(F, N, c);
  const A = N[ANSWER_A] + 18 * c;
  const z = N[ANSWER_B] + 18 * c + B_Z;
  const w = z + 3;
  const rest = N[OWN_ANSWER] + 18 * c + O_REST;
  const l = N[LAMBDA] + 3 * c;
  const u = N[U] + 3 * c;
  const d = F[N[D] + c];
  const give = F[N[COMPLIANCE] + c] * (F[z] - F[l]);
  let off = d * Math.abs(F[z] - F[l]);
  F[rest + 1] = 0;
  F[rest + 2] = 0;
  if (law === CONE) {
    const m = F[N[MU] + c];
    const g = F[A + A_INNER_W];
    const u1 = m * F[u + 1];
    const u2 = m * F[u + 2];
    F[rest] = F[u] + Math.sqrt(u1 * u1 + u2 * u2 + g * g) - g - F[w];
    F[rest + 1] = u1 - F[w + 1];
    F[rest + 2] = u2 - F[w + 2];
    off = Math.max(off, d * Math.max(Math.abs(m * F[z + 1] - F[l + 1]), Math.abs(m * F[z + 2] - F[l + 2])));
  } else if (law === RAY) F[rest] = F[u] - F[w];
  else if (law === BETWEEN) F[rest] = F[u] - F[w] + F[w + 1];
  else if (law === HOLDS) F[rest] = F[u];
  else F[rest] = 0;
  off = 0.3 * off;
  for (let k = 0; k < 3; k++) off = Math.max(off, Math.abs(F[rest + k]));
  F[rest] += give;
  return off;
}

/** K of a block, and W of it; of cones their scaling as well. */
function scaleBlock(F: Float64Array, N: Int32Array, c: i32): void {
  const law = lawOf(F, N, c);
  const A = N[ANSWER_A] + 18 * c;
  const z = N[ANSWER_B] + 18 * c + B_Z;
  const w = z + 3;
  const stiff = N[W] + 9 * c;
  const give = F[N[COMPLIANCE] + c];
  const m = F[N[MU] + c];
  const delta = DELTA * F[N[D] + c];
  for (let k = 0; k < 9; k++) {
    F[A + A_K + k] = 0;
    F[stiff + k] = 0;
  }
  F[A + A_SLOPE] = 0;
  F[A + A_SLOPE + 1] = 0;
  if (law === KEPT) {
    for (let k = 0; k < 3; k++) F[N[NORMAL_W] + 3 * c + k] = 0;
    return;
  }
  if (law !== CONE) {
    if (law === RAY) F[A + A_K] = 1 / (F[w] / F[z] + delta + give);
    else if (law === BETWEEN) F[A + A_K] = 1 / (F[w] / (m + F[z]) + F[w + 1] / (m - F[z]) + delta + give);
    else if (law === HOLDS) F[A + A_K] = 1 / (delta + give);
    F[stiff] = F[A + A_K];
    return;
  }
  const sw = 1 / Math.sqrt(F[A + A_INNER_W] * (F[w] + radius(F, w)));
  const sz = 1 / Math.sqrt(F[A + A_INNER_Z] * (F[z] + radius(F, z)));
  const w1 = F[w + 1] * sw;
  const w2 = F[w + 2] * sw;
  const z1 = F[z + 1] * sz;
  const z2 = F[z + 2] * sz;
  const half = 1 / Math.sqrt(2 * (1 + F[w] * sw * F[z] * sz + w1 * z1 + w2 * z2));
  const b1 = (w1 - z1) * half;
  const b2 = (w2 - z2) * half;
  const b = Math.sqrt(b1 * b1 + b2 * b2);
  const a = Math.sqrt(1 + b * b);
  const square = sz / sw;
  F[A + A_ETA] = Math.sqrt(square);
  F[A + A_POINT] = a;
  F[A + A_POINT + 1] = b1;
  F[A + A_POINT + 2] = b2;
  let e1: f64 = 1;
  let e2: f64 = 0;
  if (b > 0) {
    e1 = b1 / b;
    e2 = b2 / b;
  }
  // Eigenvalues of N^2: of (1, e), of (1, -e), and across e.
  const h = (a + b) * (a + b);
  const most = 1 / (square * h + delta);
  const least = 1 / (square / h + delta);
  const across = 1 / (square + delta);
  const x = 0.5 * (most + least);
  const y = 0.5 * (most - least);
  F[A + A_K] = x;
  F[A + A_K + 1] = y * e1;
  F[A + A_K + 2] = y * e2;
  F[A + A_K + 3] = y * e1;
  F[A + A_K + 6] = y * e2;
  F[A + A_K + 4] = x * e1 * e1 + across * e2 * e2;
  F[A + A_K + 5] = (x - across) * e1 * e2;
  F[A + A_K + 7] = (x - across) * e1 * e2;
  F[A + A_K + 8] = x * e2 * e2 + across * e1 * e1;
  if (give > 0) {
    const k0 = F[A + A_K];
    const k1 = F[A + A_K + 1];
    const k2 = F[A + A_K + 2];
    const s = give / (1 + give * k0);
    addSquareOf(F, A + A_K, k0, k1, k2, -s);
  }
  const u = N[U] + 3 * c;
  const g = F[A + A_INNER_W];
  const u1 = m * F[u + 1];
  const u2 = m * F[u + 2];
  const f = m / Math.max(1e-300, Math.sqrt(u1 * u1 + u2 * u2 + g * g));
  F[A + A_SLOPE] = f * u1;
  F[A + A_SLOPE + 1] = f * u2;
  for (let r = 0; r < 3; r++) {
    let s: f64 = m;
    if (r === 0) s = 1;
    const k = A + A_K + 3 * r;
    F[stiff + 3 * r] = s * F[k];
    F[stiff + 3 * r + 1] = s * (m * F[k + 1] + F[k] * F[A + A_SLOPE]);
    F[stiff + 3 * r + 2] = s * (m * F[k + 2] + F[k] * F[A + A_SLOPE + 1]);
  }
  // N z.
  const point = N[OWN_ANSWER] + 18 * c + O_POINT;
  for (let k = 0; k < 3; k++) F[point + k] = F[z + k];
  scalePoint(F, A, point, 1);
}

/** K (3 x 3) += s k k^T. */
function addSquareOf(F: Float64Array, K: i32, k0: f64, k1: f64, k2: f64, s: f64): void {
  F[K] += s * k0 * k0;
  F[K + 1] += s * k0 * k1;
  F[K + 2] += s * k0 * k2;
  F[K + 3] += s * k1 * k0;
  F[K + 4] += s * k1 * k1;
  F[K + 5] += s * k1 * k2;
  F[K + 6] += s * k2 * k0;
  F[K + 7] += s * k2 * k1;
  F[K + 8] += s * k2 * k2;
}

/** x <- N x; N^-1 x where `sign` is -1. */
function scalePoint(F: Float64Array, A: i32, x: i32, sign: f64): void {
  const a = F[A + A_POINT];
  const b1 = sign * F[A + A_POINT + 1];
  const b2 = sign * F[A + A_POINT + 2];
  let f = F[A + A_ETA];
  if (sign < 0) f = 1 / f;
  const dot = b1 * F[x + 1] + b2 * F[x + 2];
  const q = F[x] + dot / (1 + a);
  F[x] = f * (a * F[x] + dot);
  F[x + 1] = f * (F[x + 1] + b1 * q);
  F[x + 2] = f * (F[x + 2] + b2 * q);
}

/** E of a block: the change of LAMBDA to z + K (wanted - rest), for z o w = target; `second`: 1 with the second order of the last step. */
function wanted(F: Float64Array, N: Int32Array, c: i32, target: f64, second: i32): void {
  const law = lawOf(F, N, c);
  const A = N[ANSWER_A] + 18 * c;
  const B = N[ANSWER_B] + 18 * c;
  const O = N[OWN_ANSWER] + 18 * c;
  const z = B + B_Z;
  const w = B + B_W;
  const e = N[E] + 3 * c;
  const l = N[LAMBDA] + 3 * c;
  const m = F[N[MU] + c];
  const t = target / F[N[D] + c];
  if (law === KEPT) {
    for (let k = 0; k < 3; k++) F[e + k] = 0;
    return;
  }
  F[e + 1] = -F[l + 1];
  F[e + 2] = -F[l + 2];
  if (law !== CONE) {
    let want: f64 = 0;
    if (law === RAY) {
      want = t / F[z] - F[w];
      if (second === 1) want -= (F[B + B_AZ] * F[B + B_AW]) / F[z];
    } else if (law === BETWEEN) {
      want = t / (m + F[z]) - t / (m - F[z]) - F[w] + F[w + 1];
      if (second === 1) want -= F[B + B_AZ] * (F[B + B_AW] / (m + F[z]) + F[B + B_AW + 1] / (m - F[z]));
    }
    F[e] = F[z] - F[l] + F[A + A_K] * (want - F[O + O_REST]);
    return;
  }
  const p = O + O_POINT;
  const n0 = F[p];
  const n1 = F[p + 1];
  const n2 = F[p + 2];
  let d0 = t - (n0 * n0 + n1 * n1 + n2 * n2);
  let d1 = -2 * n0 * n1;
  let d2 = -2 * n0 * n2;
  const x = O + O_X;
  const y = O + O_Y;
  if (second === 1) {
    for (let k = 0; k < 3; k++) {
      F[x + k] = F[B + B_AW + k];
      F[y + k] = F[B + B_AZ + k];
    }
    scalePoint(F, A, x, -1);
    scalePoint(F, A, y, 1);
    d0 -= F[x] * F[y] + F[x + 1] * F[y + 1] + F[x + 2] * F[y + 2];
    d1 -= F[x] * F[y + 1] + F[y] * F[x + 1];
    d2 -= F[x] * F[y + 2] + F[y] * F[x + 2];
  }
  const x0 = (n0 * d0 - n1 * d1 - n2 * d2) / (n0 * n0 - n1 * n1 - n2 * n2);
  F[x] = x0;
  F[x + 1] = (d1 - n1 * x0) / n0;
  F[x + 2] = (d2 - n2 * x0) / n0;
  scalePoint(F, A, x, 1);
  for (let k = 0; k < 3; k++) F[x + k] -= F[O + O_REST + k];
  for (let r = 0; r < 3; r++) {
    const k = A + A_K + 3 * r;
    let s: f64 = m;
    if (r === 0) s = 1;
    F[e + r] = s * (F[z + r] + F[k] * F[x] + F[k + 1] * F[x + 1] + F[k + 2] * F[x + 2]) - F[l + r];
  }
}

/** dz and dw of a block from the changes of impulses and velocities that `wanted` led to. */
function direct(F: Float64Array, N: Int32Array, c: i32, target: f64, second: i32): void {
  const law = lawOf(F, N, c);
  const A = N[ANSWER_A] + 18 * c;
  const B = N[ANSWER_B] + 18 * c;
  const rest = N[OWN_ANSWER] + 18 * c + O_REST;
  const e = N[E] + 3 * c;
  const l = N[LAMBDA] + 3 * c;
  const du = N[TRIED_U] + 3 * c;
  const m = F[N[MU] + c];
  const delta = DELTA * F[N[D] + c];
  const z = B + B_Z;
  const dz = B + B_DZ;
  const dw = B + B_DW;
  F[dz] = F[l] + F[e] - F[z];
  // The compliance is in du for all of E, and in the rest for what impulses are off.
  const give = F[N[COMPLIANCE] + c] * (F[z] - F[l]);
  F[dw] = F[du] + F[rest] - give + delta * F[dz];
  if (law === RAY) return;
  if (law === CONE) {
    F[dz + 1] = (F[l + 1] + F[e + 1]) / m - F[z + 1];
    F[dz + 2] = (F[l + 2] + F[e + 2]) / m - F[z + 2];
    F[dw] += F[A + A_SLOPE] * F[du + 1] + F[A + A_SLOPE + 1] * F[du + 2];
    F[dw + 1] = m * F[du + 1] + F[rest + 1] + delta * F[dz + 1];
    F[dw + 2] = m * F[du + 2] + F[rest + 2] + delta * F[dz + 2];
    return;
  }
  F[dw] = 0;
  F[dw + 1] = 0;
  if (law !== BETWEEN) return;
  const t = target / F[N[D] + c];
  const low = m + F[z];
  const high = m - F[z];
  F[dw] = t / low - F[B + B_W] * (1 + F[dz] / low);
  F[dw + 1] = t / high - F[B + B_W + 1] * (1 - F[dz] / high);
  if (second === 0) return;
  F[dw] -= (F[B + B_AZ] * F[B + B_AW]) / low;
  F[dw + 1] += (F[B + B_AZ] * F[B + B_AW + 1]) / high;
}

/** The longest part of the step that all blocks allow. */
function longest(F: Float64Array, N: Int32Array): f64 {
  let part: f64 = FAR;
  for (let c = 0; c < N[BLOCKS]; c++) {
    const law = lawOf(F, N, c);
    const A = N[ANSWER_A] + 18 * c;
    const B = N[ANSWER_B] + 18 * c;
    if (law === CONE) {
      part = Math.min(part, reachOfCone(F, B + B_Z, B + B_DZ, F[A + A_INNER_Z]));
      part = Math.min(part, reachOfCone(F, B + B_W, B + B_DW, F[A + A_INNER_W]));
    } else if (law === RAY) {
      part = Math.min(part, reach(F[B + B_Z], F[B + B_DZ]));
      part = Math.min(part, reach(F[B + B_W], F[B + B_DW]));
    } else if (law === BETWEEN) {
      const m = F[N[MU] + c];
      part = Math.min(part, reach(m + F[B + B_Z], F[B + B_DZ]));
      part = Math.min(part, reach(m - F[B + B_Z], -F[B + B_DZ]));
      part = Math.min(part, reach(F[B + B_W], F[B + B_DW]));
      part = Math.min(part, reach(F[B + B_W + 1], F[B + B_DW + 1]));
    }
  }
  return part;
}

/** How far x may go along dx before it is zero. */
function reach(x: f64, dx: f64): f64 {
  if (dx < 0) return -x / dx;
  return FAR;
}

/** How far x, `inner` from the side of the cone, may go along dx: straight, or turning about the cone, whichever is farther. */
function reachOfCone(F: Float64Array, x: i32, dx: i32, inner: f64): f64 {
  const t = radius(F, x);
  const d0 = F[dx];
  const d1 = F[dx + 1];
  const d2 = F[dx + 2];
  const tip = reach(F[x], d0);
  let straight = tip;
  // (x0 + p d0)^2 = |x1 + p d1|^2
  const a = d0 * d0 - d1 * d1 - d2 * d2;
  const b = F[x] * d0 - F[x + 1] * d1 - F[x + 2] * d2;
  const c = inner * (F[x] + t);
  const q = b * b - a * c;
  if (q >= 0) {
    const root = Math.sqrt(q);
    const p1 = c / (root - b);
    const p2 = -c / (root + b);
    if (p1 > 0) straight = Math.min(straight, p1);
    if (p2 > 0) straight = Math.min(straight, p2);
  }
  if (!(t > 0)) return straight;
  const along = (F[x + 1] * d1 + F[x + 2] * d2) / t;
  const across = Math.abs(F[x + 1] * d2 - F[x + 2] * d1) / t;
  let turning = Math.min(tip, Math.min(reach(inner, d0 - along), reach(0.9 * t, along)));
  if (across > 0) turning = Math.min(turning, (TURN * t) / across);
  return Math.max(straight, turning);
}

/** out (3) <- x after a part of dx, how far from the side of the cone is the result; `curve`: 1 where the side goes along (w), 0: x stays under it (z). */
function turned(F: Float64Array, x: i32, dx: i32, inner: f64, part: f64, curve: i32, out: i32): f64 {
  const t = radius(F, x);
  for (let k = 0; k < 3; k++) F[out + k] = F[x + k] + part * F[dx + k];
  const to = radius(F, out);
  if (!(t > 0)) return F[out] - to;
  const along = (F[x + 1] * F[dx + 1] + F[x + 2] * F[dx + 2]) / t;
  const across = (part * (F[x + 1] * F[dx + 2] - F[x + 2] * F[dx + 1])) / t;
  const straight = t + part * along;
  const wish = inner + part * (F[dx] - along);
  // Without cancellation: |x1| grows by the square of what goes across.
  let left = wish - (across * across) / (to + Math.abs(straight));
  if (straight < 0) left += 2 * straight;
  if (!(straight >= 0.1 * t) || !(wish > 0) || left >= wish) return left;
  if (curve === 1) {
    F[out] = to + wish;
    return wish;
  }
  const f = (F[out] - wish) / to;
  if (!(f > 0)) return left;
  F[out + 1] *= f;
  F[out + 2] *= f;
  return wish;
}

/** Whether the product of a block is at least so large after a part of the step, or falls little. */
function isCentral(F: Float64Array, N: Int32Array, c: i32, part: f64, least: f64): i32 {
  const law = lawOf(F, N, c);
  if (law >= HOLDS) return 1;
  const A = N[ANSWER_A] + 18 * c;
  const B = N[ANSWER_B] + 18 * c;
  const d = F[N[D] + c];
  let one: f64 = 0;
  if (law === CONE) {
    const out = N[OWN_ANSWER] + 18 * c + O_X;
    const gz = turned(F, B + B_Z, B + B_DZ, F[A + A_INNER_Z], part, 0, out);
    const z = F[out] + radius(F, out);
    const gw = turned(F, B + B_W, B + B_DW, F[A + A_INNER_W], part, 1, out);
    const w = F[out] + radius(F, out);
    if (!(gz > 0) || !(gw > 0)) return 0;
    one = d * Math.sqrt(gz * z * gw * w);
  } else {
    const z = F[B + B_Z] + part * F[B + B_DZ];
    const w = F[B + B_W] + part * F[B + B_DW];
    one = d * z * w;
    if (law === BETWEEN) {
      const m = F[N[MU] + c];
      one = d * Math.min((m + z) * w, (m - z) * (F[B + B_W + 1] + part * F[B + B_DW + 1]));
    }
  }
  if (one < Math.min(least, 0.9 * F[A + A_PRODUCT]) || !(one >= 0)) return 0;
  return 1;
}

function moveBlock(F: Float64Array, N: Int32Array, c: i32, part: f64): void {
  const law = lawOf(F, N, c);
  const A = N[ANSWER_A] + 18 * c;
  const B = N[ANSWER_B] + 18 * c;
  const d = F[N[D] + c];
  if (law === CONE) {
    const out = N[OWN_ANSWER] + 18 * c + O_X;
    const gz = turned(F, B + B_Z, B + B_DZ, F[A + A_INNER_Z], part, 0, out);
    for (let k = 0; k < 3; k++) F[B + B_Z + k] = F[out + k];
    const gw = turned(F, B + B_W, B + B_DW, F[A + A_INNER_W], part, 1, out);
    for (let k = 0; k < 3; k++) F[B + B_W + k] = F[out + k];
    F[A + A_INNER_Z] = gz;
    F[A + A_INNER_W] = gw;
    F[A + A_PRODUCT] = d * Math.sqrt(gz * (F[B + B_Z] + radius(F, B + B_Z)) * gw * (F[B + B_W] + radius(F, B + B_W)));
    return;
  }
  for (let k = 0; k < 2; k++) {
    F[B + B_Z + k] += part * F[B + B_DZ + k];
    F[B + B_W + k] += part * F[B + B_DW + k];
  }
  F[A + A_PRODUCT] = d * F[B + B_Z] * F[B + B_W];
  if (law === BETWEEN) {
    const m = F[N[MU] + c];
    F[A + A_PRODUCT] = d * Math.min((m + F[B + B_Z]) * F[B + B_W], (m - F[B + B_Z]) * F[B + B_W + 1]);
  }
}
