// Velocities at the end of a step without contacts: v* = v0 + h H^-1 (tau - C), C the bias forces with velocity v, gravity and
// external forces in them.
//
//   a_i = a_p + V_i x (V_i - V_p) + (own)        accelerations with qdd = 0, less gravity; own: of joints whose axes turn in the link
//   f_i = I a_i + V_i x* I V_i - external,       C = S^T (sum of f over the subtree)

import { solveBlocks } from './blocks.js';
import { isMassless } from './books.js';
import {
  ACCELERATION,
  BIAS_VELOCITY,
  DOFS,
  DV,
  EXTERNAL,
  FACTORS,
  FREE,
  FREE_VELOCITY,
  type f64,
  INERTIAS,
  type i32,
  LINK_VECTOR,
  LINKS,
  OWN,
  PARENT,
  START_VELOCITY,
  TAU,
  TREE_STRUCTURE,
  WORK,
} from './layout.js';
import { jointForces, linkVelocities } from './tree.js';

/** FREE_VELOCITY <- v*, from START_VELOCITY, TAU, EXTERNAL, OWN, with the velocity terms of BIAS_VELOCITY. */
export function predict(F: Float64Array, N: Int32Array, h: f64, gx: f64, gy: f64, gz: f64): void {
  const links = N[LINKS];
  const V = N[LINK_VECTOR];
  const A = N[ACCELERATION];
  const parent = N[PARENT];
  const free = N[FREE];
  const own = N[OWN];
  linkVelocities(F, N, N[BIAS_VELOCITY], V);
  for (let i = 0; i < links; i++) {
    const p = N[parent + i];
    const o = V + 6 * i;
    const a = A + 6 * i;
    const wx = F[o];
    const wy = F[o + 1];
    const wz = F[o + 2];
    const vx = F[o + 3];
    const vy = F[o + 4];
    const vz = F[o + 5];
    const e = own + 6 * i;
    if (N[free + i] === 1) {
      // The point is one of the body: its velocity, not that of a fixed place, is the coordinate.
      F[a] = 0;
      F[a + 1] = 0;
      F[a + 2] = 0;
      F[a + 3] = -gx - (wy * vz - wz * vy);
      F[a + 4] = -gy - (wz * vx - wx * vz);
      F[a + 5] = -gz - (wx * vy - wy * vx);
    } else if (p < 0) {
      F[a] = F[e];
      F[a + 1] = F[e + 1];
      F[a + 2] = F[e + 2];
      F[a + 3] = F[e + 3] - gx;
      F[a + 4] = F[e + 4] - gy;
      F[a + 5] = F[e + 5] - gz;
    } else {
      const q = V + 6 * p;
      const b = A + 6 * p;
      const px = wx - F[q];
      const py = wy - F[q + 1];
      const pz = wz - F[q + 2];
      const qx = vx - F[q + 3];
      const qy = vy - F[q + 4];
      const qz = vz - F[q + 5];
      F[a] = F[b] + wy * pz - wz * py + F[e];
      F[a + 1] = F[b + 1] + wz * px - wx * pz + F[e + 1];
      F[a + 2] = F[b + 2] + wx * py - wy * px + F[e + 2];
      F[a + 3] = F[b + 3] + wy * qz - wz * qy + vy * pz - vz * py + F[e + 3];
      F[a + 4] = F[b + 4] + wz * qx - wx * qz + vz * px - vx * pz + F[e + 4];
      F[a + 5] = F[b + 5] + wx * qy - wy * qx + vx * py - vy * px + F[e + 5];
    }
  }
  for (let i = 0; i < links; i++) linkForce(F, N, i);
  const dv = N[DV];
  const out = N[FREE_VELOCITY];
  jointForces(F, N, V, dv);
  for (let k = 0; k < N[DOFS]; k++) F[dv + k] = F[N[TAU] + k] - F[dv + k];
  solveBlocks(F, N, N[TREE_STRUCTURE], N[FACTORS], dv, N[WORK]);
  for (let k = 0; k < N[DOFS]; k++) F[out + k] = F[N[START_VELOCITY] + k] + h * F[dv + k];
}

/** The velocity of a link is replaced by I a + V x* I V - external. */
function linkForce(F: Float64Array, N: Int32Array, i: i32): void {
  const o = N[LINK_VECTOR] + 6 * i;
  const a = N[ACCELERATION] + 6 * i;
  const I = N[INERTIAS] + 10 * i;
  const e = N[EXTERNAL] + 6 * i;
  if (isMassless(F, I) === 1) {
    for (let k = 0; k < 6; k++) F[o + k] = -F[e + k];
    return;
  }
  const m = F[I];
  const hx = F[I + 1];
  const hy = F[I + 2];
  const hz = F[I + 3];
  const xx = F[I + 4];
  const xy = F[I + 5];
  const xz = F[I + 6];
  const yy = F[I + 7];
  const yz = F[I + 8];
  const zz = F[I + 9];
  const wx = F[o];
  const wy = F[o + 1];
  const wz = F[o + 2];
  const vx = F[o + 3];
  const vy = F[o + 4];
  const vz = F[o + 5];
  const ax = F[a];
  const ay = F[a + 1];
  const az = F[a + 2];
  const bx = F[a + 3];
  const by = F[a + 4];
  const bz = F[a + 5];
  // Momentum I V: angular l, linear p.
  const lx = xx * wx + xy * wy + xz * wz + hy * vz - hz * vy;
  const ly = xy * wx + yy * wy + yz * wz + hz * vx - hx * vz;
  const lz = xz * wx + yz * wy + zz * wz + hx * vy - hy * vx;
  const px = m * vx - hy * wz + hz * wy;
  const py = m * vy - hz * wx + hx * wz;
  const pz = m * vz - hx * wy + hy * wx;
  F[o] = xx * ax + xy * ay + xz * az + hy * bz - hz * by + (wy * lz - wz * ly + vy * pz - vz * py) - F[e];
  F[o + 1] = xy * ax + yy * ay + yz * az + hz * bx - hx * bz + (wz * lx - wx * lz + vz * px - vx * pz) - F[e + 1];
  F[o + 2] = xz * ax + yz * ay + zz * az + hx * by - hy * bx + (wx * ly - wy * lx + vx * py - vy * px) - F[e + 2];
  F[o + 3] = m * bx - hy * az + hz * ay + (wy * pz - wz * py) - F[e + 3];
  F[o + 4] = m * by - hz * ax + hx * az + (wz * px - wx * pz) - F[e + 4];
  F[o + 5] = m * bz - hx * ay + hy * ax + (wx * py - wy * px) - F[e + 5];
}
