// Transforms of joints, and the motion of positions along velocities, with the bits of joints/ and spatial/trigonometry.ts.

import {
  type f64,
  type i32,
  JOINT_BALL,
  JOINT_FREE,
  JOINT_SCREW,
  PLACE_DOF,
  PLACE_INERTIA,
  PLACE_IQ,
  PLACE_JOINT,
  PLACE_JOINT_KIND,
  PLACE_LINKS,
  PLACE_PLACEMENT,
  PLACE_Q,
  PLACE_V,
  PLACE_WORK,
} from './layout.js';

const TWO_OVER_PI = 0.6366197723675814;
const HALF_PI_1 = 1.5707963267341256;
const HALF_PI_2 = 6.077100506303966e-11;
const HALF_PI_3 = 2.0222662487959506e-21;
const ROUNDING = 6755399441055744;

/** F[out] <- sin x, then cos x; see sineAndCosine. Angles are not large. */
export function setSineCosine(F: Float64Array, out: i32, x: f64): void {
  const k = x * TWO_OVER_PI + ROUNDING - ROUNDING;
  const first = x - k * HALF_PI_1;
  const second = k * HALF_PI_2;
  const near = first - second;
  const third = k * HALF_PI_3 + (second - (first - near));
  const r = near - third;
  const tail = near - r - third;
  const z = r * r;
  const p =
    -0.16666666666666632 +
    z *
      (0.00833333333332249 +
        z *
          (-0.0001984126982985795 +
            z * (2.7557313707070068e-6 + z * (-2.5050760253406863e-8 + z * 1.58969099521155e-10))));
  const s = r + (r * z * p + tail);
  const q =
    0.0416666666666666 +
    z *
      (-0.001388888888887411 +
        z *
          (2.480158728947673e-5 +
            z * (-2.7557314351390663e-7 + z * (2.087572321298175e-9 + z * -1.1359647557788195e-11))));
  const half = z * 0.5;
  const w = 1 - half;
  const c = w + (1 - w - half + (z * z * q - r * tail));
  const halfTurns = k * 0.5 + ROUNDING - ROUNDING;
  const next = (k + 1) * 0.5 + ROUNDING - ROUNDING;
  const a = k - (halfTurns + halfTurns);
  const b = k + 1 - (next + next);
  F[out] = s * b + c * a;
  F[out + 1] = c * b - s * a;
}

/** X <- rotation of a quaternion Q of any length, tree to child. */
export function setRotation(F: Float64Array, X: i32, Q: i32): void {
  const w = F[Q];
  const x = F[Q + 1];
  const y = F[Q + 2];
  const z = F[Q + 3];
  const k = 2 / (w * w + x * x + y * y + z * z);
  F[X] = 1 - k * (y * y + z * z);
  F[X + 1] = k * (x * y + w * z);
  F[X + 2] = k * (x * z - w * y);
  F[X + 3] = k * (x * y - w * z);
  F[X + 4] = 1 - k * (x * x + z * z);
  F[X + 5] = k * (y * z + w * x);
  F[X + 6] = k * (x * z + w * y);
  F[X + 7] = k * (y * z - w * x);
  F[X + 8] = 1 - k * (x * x + y * y);
}

/** Positions moved along the velocities for the time h; those of joints that the caller knows stay. */
export function integrateJoints(F: Float64Array, N: Int32Array, T: i32, h: f64): void {
  const links = N[T + PLACE_LINKS];
  for (let i = 0; i < links; i++) {
    const kind = N[N[T + PLACE_JOINT_KIND] + i];
    const q = N[T + PLACE_Q] + N[N[T + PLACE_IQ] + i];
    const v = N[T + PLACE_V] + N[N[T + PLACE_DOF] + i];
    if (kind === JOINT_SCREW) F[q] += h * F[v];
    else if (kind === JOINT_BALL) rotateQuaternion(F, q, F[v], F[v + 1], F[v + 2], h, N[T + PLACE_WORK]);
    else if (kind === JOINT_FREE) flyBase(F, N, T, i, q, v, h);
  }
}

/** q <- q exp(w h / 2), normalised. */
function rotateQuaternion(F: Float64Array, q: i32, wx: f64, wy: f64, wz: f64, h: f64, work: i32): void {
  const rx = h * wx;
  const ry = h * wy;
  const rz = h * wz;
  const angle = Math.sqrt(rx * rx + ry * ry + rz * rz);
  setSineCosine(F, work, angle / 2);
  let k = 0.5 - (angle * angle) / 48;
  if (angle > 1e-4) k = F[work] / angle;
  const dw = F[work + 1];
  const dx = k * rx;
  const dy = k * ry;
  const dz = k * rz;
  const w = F[q];
  const x = F[q + 1];
  const y = F[q + 2];
  const z = F[q + 3];
  const a = w * dw - x * dx - y * dy - z * dz;
  const b = w * dx + x * dw + y * dz - z * dy;
  const c = w * dy - x * dz + y * dw + z * dx;
  const d = w * dz + x * dy - y * dx + z * dw;
  const s = 1 / Math.sqrt(a * a + b * b + c * c + d * d);
  F[q] = s * a;
  F[q + 1] = s * b;
  F[q + 2] = s * c;
  F[q + 3] = s * d;
}

/** A free base turns about its centre of mass, which moves on a straight line; velocities in ground axes. */
function flyBase(F: Float64Array, N: Int32Array, T: i32, i: i32, q: i32, v: i32, h: f64): void {
  const P = N[T + PLACE_PLACEMENT] + 12 * i;
  const I = N[T + PLACE_INERTIA] + 10 * i;
  const X = N[T + PLACE_JOINT] + 12 * i;
  const mass = F[I];
  const cx = F[I + 1] / mass;
  const cy = F[I + 2] / mass;
  const cz = F[I + 3] / mass;
  // Motion in the joint's tree frame; then the turn in coordinates of the base.
  const a = F[P] * F[v] + F[P + 1] * F[v + 1] + F[P + 2] * F[v + 2];
  const b = F[P + 3] * F[v] + F[P + 4] * F[v + 1] + F[P + 5] * F[v + 2];
  const c = F[P + 6] * F[v] + F[P + 7] * F[v + 1] + F[P + 8] * F[v + 2];
  setRotation(F, X, q);
  for (let k = 0; k < 3; k++) {
    const shift = F[P + 3 * k] * F[v + 3] + F[P + 3 * k + 1] * F[v + 4] + F[P + 3 * k + 2] * F[v + 5];
    F[q + 4 + k] += h * shift + F[X + k] * cx + F[X + 3 + k] * cy + F[X + 6 + k] * cz;
  }
  rotateQuaternion(
    F,
    q,
    F[X] * a + F[X + 1] * b + F[X + 2] * c,
    F[X + 3] * a + F[X + 4] * b + F[X + 5] * c,
    F[X + 6] * a + F[X + 7] * b + F[X + 8] * c,
    h,
    N[T + PLACE_WORK],
  );
  setRotation(F, X, q);
  for (let k = 0; k < 3; k++) F[q + 4 + k] -= F[X + k] * cx + F[X + 3 + k] * cy + F[X + 6 + k] * cz;
}
