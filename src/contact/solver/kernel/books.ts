// The books of a tree: kinetic energy, inertia and momentum of the whole, about the reference point of its first root.

import {
  type f64,
  type i32,
  PLACE_ARMATURE,
  PLACE_BOOKS,
  PLACE_DOF,
  PLACE_LINKS,
  PLACE_REFERENCE,
  PLACE_RIGID,
  PLACE_ROOT,
  PLACE_V,
  PLACE_VELOCITY,
} from './layout.js';

/** BOOKS <- kinetic energy with that of rotors, then inertia (10) and momentum (6); after placeLinks and moveLinks. */
export function bookLinks(F: Float64Array, N: Int32Array, T: i32): void {
  const links = N[T + PLACE_LINKS];
  const books = N[T + PLACE_BOOKS];
  const reference = N[T + PLACE_REFERENCE];
  const first = N[N[T + PLACE_ROOT]];
  const v = N[T + PLACE_V];
  const armature = N[T + PLACE_ARMATURE];
  const dofs = N[N[T + PLACE_DOF] + links];
  let kinetic: f64 = 0;
  for (let k = 0; k < 17; k++) F[books + k] = 0;
  for (let i = 0; i < links; i++) {
    const I = N[T + PLACE_RIGID] + 10 * i;
    if (isMassless(F, I) === 1) continue;
    const V = N[T + PLACE_VELOCITY] + 6 * i;
    const root = N[N[T + PLACE_ROOT] + i];
    const m = F[I];
    const hx = F[I + 1];
    const hy = F[I + 2];
    const hz = F[I + 3];
    const wx = F[V];
    const wy = F[V + 1];
    const wz = F[V + 2];
    const vx = F[V + 3];
    const vy = F[V + 4];
    const vz = F[V + 5];
    // Momentum I V: angular l, linear p.
    const lx = F[I + 4] * wx + F[I + 5] * wy + F[I + 6] * wz + hy * vz - hz * vy;
    const ly = F[I + 5] * wx + F[I + 7] * wy + F[I + 8] * wz + hz * vx - hx * vz;
    const lz = F[I + 6] * wx + F[I + 8] * wy + F[I + 9] * wz + hx * vy - hy * vx;
    const px = m * vx - hy * wz + hz * wy;
    const py = m * vy - hz * wx + hx * wz;
    const pz = m * vz - hx * wy + hy * wx;
    kinetic += 0.5 * (lx * wx + ly * wy + lz * wz + px * vx + py * vy + pz * vz);
    for (let k = 0; k < 10; k++) F[books + 1 + k] += F[I + k];
    F[books + 11] += lx;
    F[books + 12] += ly;
    F[books + 13] += lz;
    F[books + 14] += px;
    F[books + 15] += py;
    F[books + 16] += pz;
    if (root === first) continue;
    // The tree of another root: what its point being another one adds.
    const x = F[reference + 3 * root] - F[reference + 3 * first];
    const y = F[reference + 3 * root + 1] - F[reference + 3 * first + 1];
    const z = F[reference + 3 * root + 2] - F[reference + 3 * first + 2];
    F[books + 2] += m * x;
    F[books + 3] += m * y;
    F[books + 4] += m * z;
    F[books + 5] += 2 * (y * hy + z * hz) + m * (y * y + z * z);
    F[books + 6] -= x * hy + y * hx + m * x * y;
    F[books + 7] -= x * hz + z * hx + m * x * z;
    F[books + 8] += 2 * (x * hx + z * hz) + m * (x * x + z * z);
    F[books + 9] -= y * hz + z * hy + m * y * z;
    F[books + 10] += 2 * (x * hx + y * hy) + m * (x * x + y * y);
    F[books + 11] += y * pz - z * py;
    F[books + 12] += z * px - x * pz;
    F[books + 13] += x * py - y * px;
  }
  for (let k = 0; k < dofs; k++) kinetic += 0.5 * F[armature + k] * F[v + k] * F[v + k];
  F[books] = kinetic;
}

/** 1 where the ten numbers of an inertia at I are zero. */
export function isMassless(F: Float64Array, I: i32): i32 {
  if (F[I] !== 0 || F[I + 4] !== 0 || F[I + 7] !== 0 || F[I + 9] !== 0) return 0;
  return 1;
}
