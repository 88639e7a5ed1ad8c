// Unit quaternions [w, x, y, z] in Float64Array: what the spherical and the floating joint share.

import { angleOf, cosine, sine } from '../spatial/trigonometry.js';

/** E: tree to child coordinates, for the orientation q of the child in the tree frame. q need not be of unit length. */
export function setRotation(X: Float64Array, o: number, q: Float64Array, iq: number): void {
  const w = q[iq];
  const x = q[iq + 1];
  const y = q[iq + 2];
  const z = q[iq + 3];
  const k = 2 / (w * w + x * x + y * y + z * z);
  X[o] = 1 - k * (y * y + z * z);
  X[o + 1] = k * (x * y + w * z);
  X[o + 2] = k * (x * z - w * y);
  X[o + 3] = k * (x * y - w * z);
  X[o + 4] = 1 - k * (x * x + z * z);
  X[o + 5] = k * (y * z + w * x);
  X[o + 6] = k * (x * z + w * y);
  X[o + 7] = k * (y * z - w * x);
  X[o + 8] = 1 - k * (x * x + y * y);
}

/** q <- q exp(w h / 2), normalised: rotates by the vector h w given in child coordinates. */
export function rotateQuaternion(q: Float64Array, iq: number, v: Float64Array, iv: number, h: number): void {
  const rx = h * v[iv];
  const ry = h * v[iv + 1];
  const rz = h * v[iv + 2];
  const angle = Math.sqrt(rx * rx + ry * ry + rz * rz);
  // sin(angle / 2) / angle, by its series where the quotient would lose digits.
  const k = angle > 1e-4 ? sine(angle / 2) / angle : 0.5 - (angle * angle) / 48;
  const dw = cosine(angle / 2);
  const dx = k * rx;
  const dy = k * ry;
  const dz = k * rz;
  const w = q[iq];
  const x = q[iq + 1];
  const y = q[iq + 2];
  const z = q[iq + 3];
  const a = w * dw - x * dx - y * dy - z * dz;
  const b = w * dx + x * dw + y * dz - z * dy;
  const c = w * dy - x * dz + y * dw + z * dx;
  const d = w * dz + x * dy - y * dx + z * dw;
  const s = 1 / Math.sqrt(a * a + b * b + c * c + d * d);
  q[iq] = s * a;
  q[iq + 1] = s * b;
  q[iq + 2] = s * c;
  q[iq + 3] = s * d;
}

/** Rotation vector, in child coordinates, that takes qa to qb by the shorter way: 2 log(qa^-1 qb). */
export function quaternionDifference(
  v: Float64Array,
  iv: number,
  qa: Float64Array,
  ia: number,
  qb: Float64Array,
  ib: number,
): void {
  const w1 = qa[ia];
  const x1 = -qa[ia + 1];
  const y1 = -qa[ia + 2];
  const z1 = -qa[ia + 3];
  const w2 = qb[ib];
  const x2 = qb[ib + 1];
  const y2 = qb[ib + 2];
  const z2 = qb[ib + 3];
  let w = w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2;
  let x = w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2;
  let y = w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2;
  let z = w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2;
  if (w < 0) {
    w = -w;
    x = -x;
    y = -y;
    z = -z;
  }
  const sine = Math.sqrt(x * x + y * y + z * z);
  // 2 atan(sine / w) / sine, by its series where the quotient would lose digits.
  const k = sine > 1e-5 ? (2 * angleOf(sine, w)) / sine : (2 / w) * (1 - (sine * sine) / (3 * w * w));
  v[iv] = k * x;
  v[iv + 1] = k * y;
  v[iv + 2] = k * z;
}
