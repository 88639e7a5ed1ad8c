// Forward dynamics by the articulated-body algorithm (ABA, Featherstone 1983), O(n).
//
//   1 outwards  the motion with qdd = 0: angular velocity w, angular acceleration alpha, acceleration a of the origin
//               (less gravity), W = [alpha x] + [w x]^2; the force it needs is the bias force
//               p = [h x a + axial(W Sigma), m a + W h] - external,   I_A = I
//   2 inwards   U = I_A S,  D = S^T U + armature,  u = tau - S^T p_A
//               I_A of the parent += X^T (I_A - U D^-1 U^T) X,   p_A of the parent += X^T (p_A + U D^-1 u)
//   3 outwards  delta = X delta_p,  qdd = D^-1 (u - U^T delta),  delta += S qdd
//
// All velocity terms sit in pass 1, in the Newton-Euler form, which is cheaper than the customary c and I_A c.
// The force through joint i on link i is I_A delta + p_A.
//
// Numbers travel in arrays, never as arguments: a call that is not inlined would put them on the heap.
//
// aba-screw.ts has the steps of joints of one degree of freedom, aba-ball.ts those of spherical joints and the free base,
// aba-wide.ts those of all others.

import type { Tree } from '../../mechanism/tree.js';
import { ballAccelerate, ballAssemble, ballMove } from './aba-ball.js';
import {
  type AbaScratch,
  ACC,
  ALPHA,
  BALL,
  C_H,
  C_I,
  C_MASS,
  C_SIGMA,
  CONSTANTS,
  DELTA,
  FREE,
  IA_H,
  IA_J,
  IA_M,
  OMEGA,
  OTHER,
  PA,
  RECORD,
  SCREW,
  W,
} from './aba-layout.js';
import { screwAccelerate, screwAssemble, screwMove } from './aba-screw.js';
import { wideAccelerate, wideAssemble, wideMove } from './aba-wide.js';

export { type AbaScratch, createAba } from './aba-layout.js';

/**
 * qdd <- forward dynamics. `external`: n x 6 forces on the links in link coordinates, or null. `armature`: inertia added
 * to each degree of freedom, in the order of v.
 * Returns -1, or the first link at which the inertia felt by the joint is not positive: the mass matrix is singular.
 */
export function aba(
  tree: Tree,
  scratch: AbaScratch,
  qdd: Float64Array,
  q: Float64Array,
  qd: Float64Array,
  tau: Float64Array,
  external: Float64Array | null,
  armature: Float64Array = tree.armature,
): number {
  const { n, parent } = tree;
  moveLinks(tree, scratch, q, qd, external, armature);
  for (let i = n - 1; i >= 0; i--)
    if (!assembleLink(tree, scratch, i, RECORD * (parent[i] + 1), tau, armature)) return i;
  for (let i = 0; i < n; i++) accelerateLink(tree, scratch, i, qdd);
  return -1;
}

/** Pass 1: motion without qdd, own inertia and bias force of every link. */
export function moveLinks(
  tree: Tree,
  scratch: AbaScratch,
  q: Float64Array,
  qd: Float64Array,
  external: Float64Array | null,
  armature: Float64Array,
): void {
  const { n, parent, gravity, iq, iv, rotation } = tree;
  const { s, c, step } = scratch;
  chooseSteps(tree, scratch, armature);
  s.fill(0, 0, RECORD);
  s[ACC] = -gravity[0];
  s[ACC + 1] = -gravity[1];
  s[ACC + 2] = -gravity[2];
  for (let i = 0; i < n; i++) {
    const o = RECORD * (i + 1);
    const k = CONSTANTS * i;
    const kind = step[i];
    if (kind === SCREW) screwMove(s, o, RECORD * (parent[i] + 1), c, k, rotation[i], q, iq[i], qd, iv[i]);
    else if (kind === OTHER) wideMove(tree, scratch, i, q, qd);
    else ballMove(tree, scratch, i, kind === FREE, q, qd);
    setBias(s, o, c, k);
    if (external !== null) for (let j = 0; j < 6; j++) s[o + PA + j] -= external[6 * i + j];
  }
}

/** Pass 2 for one link: what it is through its joint is added to the record at op. False where the joint feels no inertia. */
export function assembleLink(
  tree: Tree,
  scratch: AbaScratch,
  i: number,
  op: number,
  tau: Float64Array,
  armature: Float64Array,
): boolean {
  const { s, c, step, carried } = scratch;
  const kind = step[i];
  if (kind === SCREW)
    return screwAssemble(
      s,
      RECORD * (i + 1),
      op,
      c,
      CONSTANTS * i,
      tree.rotation[i],
      tau,
      armature,
      tree.iv[i],
      carried,
    );
  if (kind === OTHER) return wideAssemble(tree, scratch, i, op, tau, armature);
  return ballAssemble(tree, scratch, i, op, kind === FREE, tau);
}

/** Pass 3 for one link: qdd of its joint and DELTA, given DELTA of its parent. */
export function accelerateLink(tree: Tree, scratch: AbaScratch, i: number, qdd: Float64Array): void {
  const { s, c, step } = scratch;
  const kind = step[i];
  if (kind === SCREW) {
    const op = RECORD * (tree.parent[i] + 1);
    screwAccelerate(s, RECORD * (i + 1), op, c, CONSTANTS * i, tree.rotation[i], qdd, tree.iv[i]);
  } else if (kind === OTHER) wideAccelerate(tree, scratch, i, qdd);
  else ballAccelerate(tree, scratch, i, kind === FREE, qdd);
}

/** Rotor inertia on a spherical or free joint couples what their short cut keeps apart: those take the general steps. */
function chooseSteps(tree: Tree, { step, shortCut }: AbaScratch, armature: Float64Array): void {
  for (let i = 0; i < step.length; i++) {
    step[i] = shortCut[i];
    if (shortCut[i] !== BALL && shortCut[i] !== FREE) continue;
    const end = tree.iv[i] + (shortCut[i] === BALL ? 3 : 6);
    for (let k = tree.iv[i]; k < end; k++) if (armature[k] !== 0) step[i] = OTHER;
  }
}

/** forces <- n x 6: the force through each joint on its link, link coordinates; after aba. f = I_A delta + p_A. */
export function abaForces(tree: Tree, scratch: AbaScratch, forces: Float64Array): void {
  for (let i = 0; i < tree.n; i++) linkForce(scratch.s, RECORD * (i + 1), forces, 6 * i);
}

/** forces <- I_A delta + p_A of the record at o. */
export function linkForce(s: Float64Array, o: number, forces: Float64Array, f: number): void {
  const J = o + IA_J;
  const H = o + IA_H;
  const M = o + IA_M;
  const x = s[o + DELTA];
  const y = s[o + DELTA + 1];
  const z = s[o + DELTA + 2];
  const a = s[o + DELTA + 3];
  const b = s[o + DELTA + 4];
  const d = s[o + DELTA + 5];
  forces[f] = s[o + PA] + s[J] * x + s[J + 1] * y + s[J + 2] * z + s[H] * a + s[H + 1] * b + s[H + 2] * d;
  forces[f + 1] =
    s[o + PA + 1] + s[J + 1] * x + s[J + 3] * y + s[J + 4] * z + s[H + 3] * a + s[H + 4] * b + s[H + 5] * d;
  forces[f + 2] =
    s[o + PA + 2] + s[J + 2] * x + s[J + 4] * y + s[J + 5] * z + s[H + 6] * a + s[H + 7] * b + s[H + 8] * d;
  forces[f + 3] = s[o + PA + 3] + s[H] * x + s[H + 3] * y + s[H + 6] * z + s[M] * a + s[M + 1] * b + s[M + 2] * d;
  forces[f + 4] =
    s[o + PA + 4] + s[H + 1] * x + s[H + 4] * y + s[H + 7] * z + s[M + 1] * a + s[M + 3] * b + s[M + 4] * d;
  forces[f + 5] =
    s[o + PA + 5] + s[H + 2] * x + s[H + 5] * y + s[H + 8] * z + s[M + 2] * a + s[M + 4] * b + s[M + 5] * d;
}

/** Pass 1, every joint: W, and the link's own inertia and bias force. */
function setBias(s: Float64Array, o: number, c: Float64Array, k: number): void {
  const wx = s[o + OMEGA];
  const wy = s[o + OMEGA + 1];
  const wz = s[o + OMEGA + 2];
  const lx = s[o + ALPHA];
  const ly = s[o + ALPHA + 1];
  const lz = s[o + ALPHA + 2];
  const ax = s[o + ACC];
  const ay = s[o + ACC + 1];
  const az = s[o + ACC + 2];
  const m = c[k + C_MASS];
  const hx = c[k + C_H];
  const hy = c[k + C_H + 1];
  const hz = c[k + C_H + 2];
  const sxx = c[k + C_SIGMA];
  const sxy = c[k + C_SIGMA + 1];
  const sxz = c[k + C_SIGMA + 2];
  const syy = c[k + C_SIGMA + 3];
  const syz = c[k + C_SIGMA + 4];
  const szz = c[k + C_SIGMA + 5];
  const xx = wx * wx;
  const yy = wy * wy;
  const zz = wz * wz;
  const xy = wx * wy;
  const xz = wx * wz;
  const yz = wy * wz;
  const w0 = -(yy + zz);
  const w1 = xy - lz;
  const w2 = xz + ly;
  const w3 = xy + lz;
  const w4 = -(xx + zz);
  const w5 = yz - lx;
  const w6 = xz - ly;
  const w7 = yz + lx;
  const w8 = -(xx + yy);
  s[o + W] = w0;
  s[o + W + 1] = w1;
  s[o + W + 2] = w2;
  s[o + W + 3] = w3;
  s[o + W + 4] = w4;
  s[o + W + 5] = w5;
  s[o + W + 6] = w6;
  s[o + W + 7] = w7;
  s[o + W + 8] = w8;
  // axial(W Sigma) = integral of x cross W x
  s[o + PA] = hy * az - hz * ay + w6 * sxy - w3 * sxz + w7 * syy - w5 * szz + (zz - yy) * syz;
  s[o + PA + 1] = hz * ax - hx * az + w1 * syz - w7 * sxy + w2 * szz - w6 * sxx + (xx - zz) * sxz;
  s[o + PA + 2] = hx * ay - hy * ax + w5 * sxz - w2 * syz + w3 * sxx - w1 * syy + (yy - xx) * sxy;
  s[o + PA + 3] = m * ax + w0 * hx + w1 * hy + w2 * hz;
  s[o + PA + 4] = m * ay + w3 * hx + w4 * hy + w5 * hz;
  s[o + PA + 5] = m * az + w6 * hx + w7 * hy + w8 * hz;
  s[o + IA_J] = c[k + C_I];
  s[o + IA_J + 1] = c[k + C_I + 1];
  s[o + IA_J + 2] = c[k + C_I + 2];
  s[o + IA_J + 3] = c[k + C_I + 3];
  s[o + IA_J + 4] = c[k + C_I + 4];
  s[o + IA_J + 5] = c[k + C_I + 5];
  s[o + IA_H] = 0;
  s[o + IA_H + 1] = -hz;
  s[o + IA_H + 2] = hy;
  s[o + IA_H + 3] = hz;
  s[o + IA_H + 4] = 0;
  s[o + IA_H + 5] = -hx;
  s[o + IA_H + 6] = -hy;
  s[o + IA_H + 7] = hx;
  s[o + IA_H + 8] = 0;
  s[o + IA_M] = m;
  s[o + IA_M + 1] = 0;
  s[o + IA_M + 2] = 0;
  s[o + IA_M + 3] = m;
  s[o + IA_M + 4] = 0;
  s[o + IA_M + 5] = m;
}
