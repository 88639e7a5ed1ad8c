// 3-vectors, 3x3 matrices (row major) and unit quaternions [w, x, y, z] for set-up code: every function returns a fresh
// array. The hot paths do their own arithmetic on Float64Array (spatial.ts and the algorithms).

import { diagonalise } from './diagonalise.js';
import { angleOf, cosine, sine } from './trigonometry.js';

/** Three numbers: x, y, z. */
export type Vec3 = readonly [number, number, number];
/** A 3x3 matrix, row by row. */
export type Mat3 = readonly [number, number, number, number, number, number, number, number, number];
/** Unit quaternion [w, x, y, z]. */
export type Quat = readonly [number, number, number, number];

export const ZERO3: Vec3 = [0, 0, 0];
export const IDENTITY3: Mat3 = [1, 0, 0, 0, 1, 0, 0, 0, 1];

export function add(a: Vec3, b: Vec3): Vec3 {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

export function subtract(a: Vec3, b: Vec3): Vec3 {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

export function scale(s: number, a: Vec3): Vec3 {
  return [s * a[0], s * a[1], s * a[2]];
}

export function dot(a: Vec3, b: Vec3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function cross(a: Vec3, b: Vec3): Vec3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function norm(a: Vec3): number {
  return Math.hypot(a[0], a[1], a[2]);
}

export function multiply(A: Mat3, B: Mat3): Mat3 {
  const C = new Array<number>(9);
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < 3; j++) C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
  return C as unknown as Mat3;
}

export function transpose(A: Mat3): Mat3 {
  return [A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]];
}

export function apply(A: Mat3, x: Vec3): Vec3 {
  return [
    A[0] * x[0] + A[1] * x[1] + A[2] * x[2],
    A[3] * x[0] + A[4] * x[1] + A[5] * x[2],
    A[6] * x[0] + A[7] * x[1] + A[8] * x[2],
  ];
}

export function determinant(A: Mat3): number {
  return A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) + A[2] * (A[3] * A[7] - A[4] * A[6]);
}

/** Rotation of vectors by `angle` about the unit vector `axis` (Rodrigues). */
export function rotationAbout(axis: Vec3, angle: number): Mat3 {
  const [x, y, z] = axis;
  const c = cosine(angle);
  const s = sine(angle);
  const k = 1 - c;
  return [
    c + k * x * x,
    k * x * y - s * z,
    k * x * z + s * y,
    k * x * y + s * z,
    c + k * y * y,
    k * y * z - s * x,
    k * x * z - s * y,
    k * y * z + s * x,
    c + k * z * z,
  ];
}

/** Rotation of vectors by fixed-axis roll, pitch, yaw: Rz(yaw) Ry(pitch) Rx(roll), the convention of URDF. */
export function rotationFromRollPitchYaw(roll: number, pitch: number, yaw: number): Mat3 {
  const [cr, sr, cp, sp] = [cosine(roll), sine(roll), cosine(pitch), sine(pitch)];
  const [cy, sy] = [cosine(yaw), sine(yaw)];
  return [
    cy * cp,
    cy * sp * sr - sy * cr,
    cy * sp * cr + sy * sr,
    sy * cp,
    sy * sp * sr + cy * cr,
    sy * sp * cr - cy * sr,
    -sp,
    cp * sr,
    cp * cr,
  ];
}

/**
 * Roll, pitch, yaw of a rotation of vectors. The roll is taken after the yaw has been undone, so that the three together give
 * the rotation to rounding even where they are not unique (pitch of a quarter turn).
 */
export function rollPitchYaw(R: Mat3): Vec3 {
  const yaw = angleOf(R[3], R[0]);
  const [c, s] = [cosine(yaw), sine(yaw)];
  const pitch = angleOf(-R[6], c * R[0] + s * R[3]);
  const roll = angleOf(s * R[2] - c * R[5], c * R[4] - s * R[1]);
  return [roll, pitch, yaw];
}

/** Rotation of vectors by a unit quaternion. */
export function rotationFromQuaternion([w, x, y, z]: Quat): Mat3 {
  return [
    1 - 2 * (y * y + z * z),
    2 * (x * y - w * z),
    2 * (x * z + w * y),
    2 * (x * y + w * z),
    1 - 2 * (x * x + z * z),
    2 * (y * z - w * x),
    2 * (x * z - w * y),
    2 * (y * z + w * x),
    1 - 2 * (x * x + y * y),
  ];
}

/** Unit quaternion of a rotation matrix, scalar part not negative. Shepperd's method: divide by the largest component. */
export function quaternionFromRotation(R: Mat3): Quat {
  const trace = R[0] + R[4] + R[8];
  let q: Quat;
  if (trace >= R[0] && trace >= R[4] && trace >= R[8]) {
    q = [1 + trace, R[7] - R[5], R[2] - R[6], R[3] - R[1]];
  } else if (R[0] >= R[4] && R[0] >= R[8]) {
    q = [R[7] - R[5], 1 + R[0] - R[4] - R[8], R[1] + R[3], R[2] + R[6]];
  } else if (R[4] >= R[8]) {
    q = [R[2] - R[6], R[1] + R[3], 1 - R[0] + R[4] - R[8], R[5] + R[7]];
  } else {
    q = [R[3] - R[1], R[2] + R[6], R[5] + R[7], 1 - R[0] - R[4] + R[8]];
  }
  const s = (q[0] < 0 ? -1 : 1) / Math.hypot(q[0], q[1], q[2], q[3]);
  return [s * q[0], s * q[1], s * q[2], s * q[3]];
}

/**
 * Coordinate change E into a frame whose z axis is the unit vector `n`: rows are e1, e2, n, so E n = [0, 0, 1].
 * For the coordinate axes the rows follow in cyclic order (x: y, z, x), so that E only renames components; otherwise the
 * construction of Duff et al., "Building an Orthonormal Basis, Revisited" (JCGT 2017).
 */
export function axisFrame(n: Vec3): Mat3 {
  const [x, y, z] = n;
  if (x === 1 && y === 0 && z === 0) return [0, 1, 0, 0, 0, 1, 1, 0, 0];
  if (y === 1 && x === 0 && z === 0) return [0, 0, 1, 1, 0, 0, 0, 1, 0];
  const sign = z < 0 ? -1 : 1;
  const a = -1 / (sign + z);
  const b = x * y * a;
  return [1 + sign * x * x * a, sign * b, -sign * x, b, sign + y * y * a, -y, x, y, z];
}

/** How far a matrix is from a rotation: largest entry of |E E^T - 1|, or 2 for a reflection. */
export function rotationDefect(E: Mat3): number {
  const P = multiply(E, transpose(E));
  let worst = 0;
  for (let k = 0; k < 9; k++) worst = Math.max(worst, Math.abs(P[k] - IDENTITY3[k]));
  if (Number.isNaN(worst)) return Number.NaN;
  return determinant(E) > 0 ? worst : 2;
}

/** Nearest rotation to an almost orthonormal matrix: two steps of the Newton-Schulz iteration for the polar factor. */
export function orthonormalised(E: Mat3): Mat3 {
  let R = E;
  for (let step = 0; step < 2; step++) {
    // R <- R (3 - R^T R) / 2
    const P = multiply(transpose(R), R);
    const Q = P.map((p, k) => (3 * IDENTITY3[k] - p) / 2) as unknown as Mat3;
    R = multiply(R, Q);
  }
  return R;
}

/** Eigenvalues (ascending) and eigenvectors (columns) of a symmetric 3x3 matrix. */
export function symmetricEigen(A: Mat3): { values: Vec3; vectors: Mat3 } {
  const [V, values] = [new Float64Array(9), new Float64Array(3)];
  // Of moderate size, so that squares stay within the range of numbers; powers of two round nothing.
  const largest = Math.max(...A.map(Math.abs));
  const unit = largest > 0 && Number.isFinite(largest) ? 2 ** Math.floor(Math.log2(largest)) : 1;
  const scaled = Float64Array.from(A, (x) => x / unit);
  diagonalise(scaled, V, values, 3, 0);
  return { values: [unit * values[0], unit * values[1], unit * values[2]], vectors: Array.from(V) as unknown as Mat3 };
}
