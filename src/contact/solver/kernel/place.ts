// Poses, motion spaces and inertias of the links of one tree, in axes of the ground about one point, from the transforms of its
// joints. In a memory of its own.

import {
  type i32,
  PLACE_DOF,
  PLACE_FREE,
  PLACE_INERTIA,
  PLACE_JOINT,
  PLACE_LINKS,
  PLACE_LOCAL,
  PLACE_MOTION,
  PLACE_PARENT,
  PLACE_PLACEMENT,
  PLACE_POSE,
  PLACE_REFERENCE,
  PLACE_RIGID,
  PLACE_ROOT,
} from './layout.js';

/** out <- X2 after X1: rotation E2 E1 (9 numbers), origin r1 + E1^T r2 (3). */
function compose(F: Float64Array, out: i32, X2: i32, X1: i32): void {
  const e0 = F[X1];
  const e1 = F[X1 + 1];
  const e2 = F[X1 + 2];
  const e3 = F[X1 + 3];
  const e4 = F[X1 + 4];
  const e5 = F[X1 + 5];
  const e6 = F[X1 + 6];
  const e7 = F[X1 + 7];
  const e8 = F[X1 + 8];
  const rx = F[X1 + 9];
  const ry = F[X1 + 10];
  const rz = F[X1 + 11];
  const x = F[X2 + 9];
  const y = F[X2 + 10];
  const z = F[X2 + 11];
  for (let i = 0; i < 9; i += 3) {
    const a = F[X2 + i];
    const b = F[X2 + i + 1];
    const c = F[X2 + i + 2];
    F[out + i] = a * e0 + b * e3 + c * e6;
    F[out + i + 1] = a * e1 + b * e4 + c * e7;
    F[out + i + 2] = a * e2 + b * e5 + c * e8;
  }
  F[out + 9] = rx + e0 * x + e3 * y + e6 * z;
  F[out + 10] = ry + e1 * x + e4 * y + e7 * z;
  F[out + 11] = rz + e2 * x + e5 * y + e8 * z;
}

/** Everything from the joints' transforms (JOINT) and motion spaces in link axes (LOCAL). */
export function placeLinks(F: Float64Array, N: Int32Array): void {
  const links = N[PLACE_LINKS];
  const parent = N[PLACE_PARENT];
  const pose = N[PLACE_POSE];
  const joint = N[PLACE_JOINT];
  const placement = N[PLACE_PLACEMENT];
  for (let i = 0; i < links; i++) {
    const own = pose + 12 * i;
    const p = N[parent + i];
    if (p < 0) {
      compose(F, own, joint + 12 * i, placement + 12 * i);
      findReference(F, N, i);
    } else {
      // The transform of the joint makes room for that from the parent.
      compose(F, joint + 12 * i, joint + 12 * i, placement + 12 * i);
      compose(F, own, joint + 12 * i, pose + 12 * p);
    }
    placeInertia(F, N, i);
    placeMotion(F, N, i);
  }
}

/** The centre of mass of a root, or its origin where it has no mass. */
function findReference(F: Float64Array, N: Int32Array, i: i32): void {
  const o = N[PLACE_POSE] + 12 * i;
  const I = N[PLACE_INERTIA] + 10 * i;
  const r = N[PLACE_REFERENCE] + 3 * i;
  const mass = F[I];
  for (let k = 0; k < 3; k++) {
    let x = F[o + 9 + k];
    if (mass > 0) x += (F[o + k] * F[I + 1] + F[o + 3 + k] * F[I + 2] + F[o + 6 + k] * F[I + 3]) / mass;
    F[r + k] = x;
  }
}

/** Inertia of a link, from its frame (E, origin r from the reference point): E^T I E and the shift. */
function placeInertia(F: Float64Array, N: Int32Array, i: i32): void {
  const X = N[PLACE_POSE] + 12 * i;
  const I = N[PLACE_INERTIA] + 10 * i;
  const out = N[PLACE_RIGID] + 10 * i;
  const ref = N[PLACE_REFERENCE] + 3 * N[N[PLACE_ROOT] + i];
  const m = F[I];
  const bx = F[I + 1];
  const by = F[I + 2];
  const bz = F[I + 3];
  const e0 = F[X];
  const e1 = F[X + 1];
  const e2 = F[X + 2];
  const e3 = F[X + 3];
  const e4 = F[X + 4];
  const e5 = F[X + 5];
  const e6 = F[X + 6];
  const e7 = F[X + 7];
  const e8 = F[X + 8];
  const rx = F[X + 9] - F[ref];
  const ry = F[X + 10] - F[ref + 1];
  const rz = F[X + 11] - F[ref + 2];
  const xx = F[I + 4];
  const xy = F[I + 5];
  const xz = F[I + 6];
  const yy = F[I + 7];
  const yz = F[I + 8];
  const zz = F[I + 9];
  // P = I E
  const p0 = xx * e0 + xy * e3 + xz * e6;
  const p1 = xx * e1 + xy * e4 + xz * e7;
  const p2 = xx * e2 + xy * e5 + xz * e8;
  const p3 = xy * e0 + yy * e3 + yz * e6;
  const p4 = xy * e1 + yy * e4 + yz * e7;
  const p5 = xy * e2 + yy * e5 + yz * e8;
  const p6 = xz * e0 + yz * e3 + zz * e6;
  const p7 = xz * e1 + yz * e4 + zz * e7;
  const p8 = xz * e2 + yz * e5 + zz * e8;
  // g = E^T h; h about the point is g + m r, and I = E^T I E - r x (h) x - ((g) x r x).
  const gx = e0 * bx + e3 * by + e6 * bz;
  const gy = e1 * bx + e4 * by + e7 * bz;
  const gz = e2 * bx + e5 * by + e8 * bz;
  const hx = gx + m * rx;
  const hy = gy + m * ry;
  const hz = gz + m * rz;
  F[out] = m;
  F[out + 1] = hx;
  F[out + 2] = hy;
  F[out + 3] = hz;
  F[out + 4] = e0 * p0 + e3 * p3 + e6 * p6 + (ry * hy + rz * hz) + (gy * ry + gz * rz);
  F[out + 5] = e0 * p1 + e3 * p4 + e6 * p7 - rx * hy - gx * ry;
  F[out + 6] = e0 * p2 + e3 * p5 + e6 * p8 - rx * hz - gx * rz;
  F[out + 7] = e1 * p1 + e4 * p4 + e7 * p7 + (rx * hx + rz * hz) + (gx * rx + gz * rz);
  F[out + 8] = e1 * p2 + e4 * p5 + e7 * p8 - ry * hz - gy * rz;
  F[out + 9] = e2 * p2 + e5 * p5 + e8 * p8 + (rx * hx + ry * hy) + (gx * rx + gy * ry);
}

/** Motion spaces of a joint to the ground's axes about the reference point: E^T w, E^T v + r x E^T w. A free base has its own. */
function placeMotion(F: Float64Array, N: Int32Array, i: i32): void {
  const X = N[PLACE_POSE] + 12 * i;
  const ref = N[PLACE_REFERENCE] + 3 * N[N[PLACE_ROOT] + i];
  const rx = F[X + 9] - F[ref];
  const ry = F[X + 10] - F[ref + 1];
  const rz = F[X + 11] - F[ref + 2];
  const first = N[N[PLACE_DOF] + i];
  const end = N[N[PLACE_DOF] + i + 1];
  const free = N[N[PLACE_FREE] + i];
  for (let k = first; k < end; k++) {
    const s = N[PLACE_LOCAL] + 6 * k;
    const out = N[PLACE_MOTION] + 6 * k;
    if (free === 1) {
      for (let j = 0; j < 6; j++) F[out + j] = j === k - first ? 1 : 0;
      continue;
    }
    const a = F[s];
    const b = F[s + 1];
    const c = F[s + 2];
    const d = F[s + 3];
    const e = F[s + 4];
    const f = F[s + 5];
    const wx = F[X] * a + F[X + 3] * b + F[X + 6] * c;
    const wy = F[X + 1] * a + F[X + 4] * b + F[X + 7] * c;
    const wz = F[X + 2] * a + F[X + 5] * b + F[X + 8] * c;
    F[out] = wx;
    F[out + 1] = wy;
    F[out + 2] = wz;
    F[out + 3] = F[X] * d + F[X + 3] * e + F[X + 6] * f + (ry * wz - rz * wy);
    F[out + 4] = F[X + 1] * d + F[X + 4] * e + F[X + 7] * f + (rz * wx - rx * wz);
    F[out + 5] = F[X + 2] * d + F[X + 5] * e + F[X + 8] * f + (rx * wy - ry * wx);
  }
}
