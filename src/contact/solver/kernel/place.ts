// Poses, motion spaces, inertias and velocities of the links of a tree, in axes of the ground about one point, from its positions and
// velocities. Origins are kept from that of the root: what moves as a whole keeps the bits of all the rest.

import { isMassless } from './books.js';
import { setRotation, setSineCosine } from './joints.js';
import {
  type f64,
  type i32,
  JOINT_BALL,
  JOINT_FIXED,
  JOINT_FREE,
  JOINT_SCREW,
  PLACE_ABOUT,
  PLACE_DOF,
  PLACE_INERTIA,
  PLACE_IQ,
  PLACE_JOINT,
  PLACE_JOINT_KIND,
  PLACE_LINKS,
  PLACE_LOCAL,
  PLACE_MOTION,
  PLACE_ORIGIN,
  PLACE_PARENT,
  PLACE_PLACEMENT,
  PLACE_POSE,
  PLACE_Q,
  PLACE_REFERENCE,
  PLACE_RIGID,
  PLACE_ROOT,
  PLACE_SCREW,
  PLACE_V,
  PLACE_VELOCITY,
  PLACE_WORK,
} from './layout.js';

/** Everything but velocities, from positions. */
export function placeLinks(F: Float64Array, N: Int32Array, T: i32): void {
  const links = N[T + PLACE_LINKS];
  for (let i = 0; i < links; i++) {
    placeLink(F, N, T, i);
    placeInertia(F, N, T, i);
    placeMotion(F, N, T, i);
  }
}

/** Poses and reference points after nothing but the positions of free bases changed. */
export function translateLinks(F: Float64Array, N: Int32Array, T: i32): void {
  const links = N[T + PLACE_LINKS];
  for (let i = 0; i < links; i++) {
    if (N[N[T + PLACE_JOINT_KIND] + i] === JOINT_FREE) {
      const X = N[T + PLACE_JOINT] + 12 * i;
      const q = N[T + PLACE_Q] + N[N[T + PLACE_IQ] + i];
      for (let k = 0; k < 3; k++) F[X + 9 + k] = F[q + 4 + k];
    }
    placeOrigin(F, N, T, i);
  }
}

/** Rotation of a link, and where its origin lies from that of the root. */
function placeLink(F: Float64Array, N: Int32Array, T: i32, i: i32): void {
  const p = N[N[T + PLACE_PARENT] + i];
  const own = N[T + PLACE_POSE] + 12 * i;
  const origin = N[T + PLACE_ORIGIN] + 3 * i;
  const P = N[T + PLACE_PLACEMENT] + 12 * i;
  const kind = N[N[T + PLACE_JOINT_KIND] + i];
  const X = N[T + PLACE_JOINT] + 12 * i;
  const q = N[T + PLACE_Q] + N[N[T + PLACE_IQ] + i];
  // M: rotation of the joint's place.
  let m0 = F[P];
  let m1 = F[P + 1];
  let m2 = F[P + 2];
  let m3 = F[P + 3];
  let m4 = F[P + 4];
  let m5 = F[P + 5];
  let m6 = F[P + 6];
  let m7 = F[P + 7];
  let m8 = F[P + 8];
  let x: f64 = 0;
  let y: f64 = 0;
  let z: f64 = 0;
  if (p >= 0) {
    const A = N[T + PLACE_POSE] + 12 * p;
    const o = N[T + PLACE_ORIGIN] + 3 * p;
    const e0 = F[A];
    const e1 = F[A + 1];
    const e2 = F[A + 2];
    const e3 = F[A + 3];
    const e4 = F[A + 4];
    const e5 = F[A + 5];
    const e6 = F[A + 6];
    const e7 = F[A + 7];
    const e8 = F[A + 8];
    const a = F[P + 9];
    const b = F[P + 10];
    const c = F[P + 11];
    x = F[o] + e0 * a + e3 * b + e6 * c;
    y = F[o + 1] + e1 * a + e4 * b + e7 * c;
    z = F[o + 2] + e2 * a + e5 * b + e8 * c;
    const n0 = m0 * e0 + m1 * e3 + m2 * e6;
    const n1 = m0 * e1 + m1 * e4 + m2 * e7;
    const n2 = m0 * e2 + m1 * e5 + m2 * e8;
    const n3 = m3 * e0 + m4 * e3 + m5 * e6;
    const n4 = m3 * e1 + m4 * e4 + m5 * e7;
    const n5 = m3 * e2 + m4 * e5 + m5 * e8;
    const n6 = m6 * e0 + m7 * e3 + m8 * e6;
    const n7 = m6 * e1 + m7 * e4 + m8 * e7;
    const n8 = m6 * e2 + m7 * e5 + m8 * e8;
    m0 = n0;
    m1 = n1;
    m2 = n2;
    m3 = n3;
    m4 = n4;
    m5 = n5;
    m6 = n6;
    m7 = n7;
    m8 = n8;
  }
  if (kind === JOINT_FIXED || kind === JOINT_SCREW) {
    if (kind === JOINT_SCREW) {
      const work = N[T + PLACE_WORK];
      const screw = N[T + PLACE_SCREW] + 2 * i;
      const d = F[screw + 1] * F[q];
      if (F[screw] !== 0) {
        setSineCosine(F, work, F[screw] * F[q]);
        const s = F[work];
        const c = F[work + 1];
        const n0 = c * m0 + s * m3;
        const n1 = c * m1 + s * m4;
        const n2 = c * m2 + s * m5;
        m3 = c * m3 - s * m0;
        m4 = c * m4 - s * m1;
        m5 = c * m5 - s * m2;
        m0 = n0;
        m1 = n1;
        m2 = n2;
      }
      F[X + 9] = 0;
      F[X + 10] = 0;
      F[X + 11] = d;
      x += d * m6;
      y += d * m7;
      z += d * m8;
    }
    F[own] = m0;
    F[own + 1] = m1;
    F[own + 2] = m2;
    F[own + 3] = m3;
    F[own + 4] = m4;
    F[own + 5] = m5;
    F[own + 6] = m6;
    F[own + 7] = m7;
    F[own + 8] = m8;
  } else {
    if (kind === JOINT_BALL || kind === JOINT_FREE) {
      setRotation(F, X, q);
      for (let k = 0; k < 3; k++) F[X + 9 + k] = 0;
      if (kind === JOINT_FREE) for (let k = 0; k < 3; k++) F[X + 9 + k] = F[q + 4 + k];
    }
    for (let k = 0; k < 9; k += 3) {
      const a = F[X + k];
      const b = F[X + k + 1];
      const c = F[X + k + 2];
      F[own + k] = a * m0 + b * m3 + c * m6;
      F[own + k + 1] = a * m1 + b * m4 + c * m7;
      F[own + k + 2] = a * m2 + b * m5 + c * m8;
    }
    const a = F[X + 9];
    const b = F[X + 10];
    const c = F[X + 11];
    x += m0 * a + m3 * b + m6 * c;
    y += m1 * a + m4 * b + m7 * c;
    z += m2 * a + m5 * b + m8 * c;
  }
  F[origin] = x;
  F[origin + 1] = y;
  F[origin + 2] = z;
  if (p < 0) {
    // The reference point of the tree: the centre of mass of its root, or the origin of that where it has no mass.
    const I = N[T + PLACE_INERTIA] + 10 * i;
    const about = N[T + PLACE_ABOUT] + 3 * i;
    const mass = F[I];
    for (let k = 0; k < 3; k++) {
      F[origin + k] = 0;
      F[about + k] = 0;
      if (mass > 0)
        F[about + k] = (F[own + k] * F[I + 1] + F[own + 3 + k] * F[I + 2] + F[own + 6 + k] * F[I + 3]) / mass;
    }
  }
  placeOrigin(F, N, T, i);
}

/** Where a link is: from its place relative to the root, or that of the root itself. */
function placeOrigin(F: Float64Array, N: Int32Array, T: i32, i: i32): void {
  const at = N[T + PLACE_POSE] + 12 * i + 9;
  const root = N[N[T + PLACE_ROOT] + i];
  if (root === i) {
    const P = N[T + PLACE_PLACEMENT] + 12 * i;
    const X = N[T + PLACE_JOINT] + 12 * i;
    const ref = N[T + PLACE_REFERENCE] + 3 * i;
    const about = N[T + PLACE_ABOUT] + 3 * i;
    for (let k = 0; k < 3; k++) {
      F[at + k] = F[P + 9 + k] + F[P + k] * F[X + 9] + F[P + 3 + k] * F[X + 10] + F[P + 6 + k] * F[X + 11];
      F[ref + k] = F[at + k] + F[about + k];
    }
    return;
  }
  const origin = N[T + PLACE_ORIGIN] + 3 * i;
  const from = N[T + PLACE_POSE] + 12 * root + 9;
  for (let k = 0; k < 3; k++) F[at + k] = F[from + k] + F[origin + k];
}

/** Inertia of a link, from its frame (E, origin r from the reference point): E^T I E and the shift. */
function placeInertia(F: Float64Array, N: Int32Array, T: i32, i: i32): void {
  const X = N[T + PLACE_POSE] + 12 * i;
  const I = N[T + PLACE_INERTIA] + 10 * i;
  const out = N[T + PLACE_RIGID] + 10 * i;
  const origin = N[T + PLACE_ORIGIN] + 3 * i;
  const about = N[T + PLACE_ABOUT] + 3 * N[N[T + PLACE_ROOT] + i];
  // Links that only put joints together have none, and zeros stand there from the start.
  if (isMassless(F, I) === 1) return;
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
  const rx = F[origin] - F[about];
  const ry = F[origin + 1] - F[about + 1];
  const rz = F[origin + 2] - F[about + 2];
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
function placeMotion(F: Float64Array, N: Int32Array, T: i32, i: i32): void {
  const X = N[T + PLACE_POSE] + 12 * i;
  const origin = N[T + PLACE_ORIGIN] + 3 * i;
  const about = N[T + PLACE_ABOUT] + 3 * N[N[T + PLACE_ROOT] + i];
  const rx = F[origin] - F[about];
  const ry = F[origin + 1] - F[about + 1];
  const rz = F[origin + 2] - F[about + 2];
  const first = N[N[T + PLACE_DOF] + i];
  const end = N[N[T + PLACE_DOF] + i + 1];
  // That of a free base never changes.
  if (N[N[T + PLACE_JOINT_KIND] + i] === JOINT_FREE) return;
  for (let k = first; k < end; k++) {
    const s = N[T + PLACE_LOCAL] + 6 * k;
    const out = N[T + PLACE_MOTION] + 6 * k;
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

/** Velocities of all links, from those of the joints. */
export function moveLinks(F: Float64Array, N: Int32Array, T: i32): void {
  const links = N[T + PLACE_LINKS];
  const parent = N[T + PLACE_PARENT];
  const dof = N[T + PLACE_DOF];
  const S = N[T + PLACE_MOTION];
  const V = N[T + PLACE_VELOCITY];
  const v = N[T + PLACE_V];
  for (let i = 0; i < links; i++) {
    const o = V + 6 * i;
    const p = N[parent + i];
    let a: f64 = 0;
    let b: f64 = 0;
    let c: f64 = 0;
    let d: f64 = 0;
    let e: f64 = 0;
    let f: f64 = 0;
    if (p >= 0) {
      const q = V + 6 * p;
      a = F[q];
      b = F[q + 1];
      c = F[q + 2];
      d = F[q + 3];
      e = F[q + 4];
      f = F[q + 5];
    }
    for (let k = N[dof + i]; k < N[dof + i + 1]; k++) {
      const s = S + 6 * k;
      const w = F[v + k];
      a += F[s] * w;
      b += F[s + 1] * w;
      c += F[s + 2] * w;
      d += F[s + 3] * w;
      e += F[s + 4] * w;
      f += F[s + 5] * w;
    }
    F[o] = a;
    F[o + 1] = b;
    F[o + 2] = c;
    F[o + 3] = d;
    F[o + 4] = e;
    F[o + 5] = f;
  }
}
