// The steps of the articulated-body algorithm (see aba.ts) for any joint that is not a screw: with the motion space S as
// a matrix of up to six columns, and the transform as a general rotation.

import { JOINT_TYPES, PARAMETERS } from '../../joints/index.js';
import type { Tree } from '../../mechanism/tree.js';
import { compose, motionToB, TRANSFORM } from '../../spatial/spatial.js';
import {
  type AbaScratch,
  ACC,
  ALPHA,
  DELTA,
  IA_H,
  IA_J,
  IA_M,
  OMEGA,
  PA,
  R,
  RECORD,
  SINGULAR,
  W,
  WIDE_D,
  WIDE_S,
  WIDE_U,
  WIDE_u,
  WIDE_X,
} from './aba-layout.js';

/** Offsets in AbaScratch.work: joint transform, joint velocity, velocity-product acceleration of the joint. */
const WORK_X = 0;
const WORK_V = 12;
const WORK_C = 18;

/** Pass 1: OMEGA, ALPHA, ACC, R of link i from those of its parent. */
export function wideMove(tree: Tree, scratch: AbaScratch, i: number, q: Float64Array, qd: Float64Array): void {
  const { s, wide, work } = scratch;
  const { parameters, dof, iq, iv } = tree;
  const o = RECORD * (i + 1);
  const op = RECORD * (tree.parent[i] + 1);
  const at = scratch.wideAt[i];
  const model = JOINT_TYPES[tree.type[i]];
  model.transform(work, WORK_X, q, iq[i], parameters, PARAMETERS * i);
  compose(wide, at + WIDE_X, work, WORK_X, tree.X, TRANSFORM * i);
  model.motionSpace(wide, at + WIDE_S, q, iq[i], parameters, PARAMETERS * i);
  model.bias(work, WORK_C, q, iq[i], qd, iv[i], parameters, PARAMETERS * i);
  multiplyMotionSpaceAt(work, WORK_V, wide, at + WIDE_S, dof[i + 1] - dof[i], qd, iv[i]);
  const rx = wide[at + WIDE_X + 9];
  const ry = wide[at + WIDE_X + 10];
  const rz = wide[at + WIDE_X + 11];
  s[o + R] = rx;
  s[o + R + 1] = ry;
  s[o + R + 2] = rz;
  for (let k = 0; k < 3; k++) {
    const e0 = wide[at + WIDE_X + 3 * k];
    const e1 = wide[at + WIDE_X + 3 * k + 1];
    const e2 = wide[at + WIDE_X + 3 * k + 2];
    s[o + OMEGA + k] = e0 * s[op + OMEGA] + e1 * s[op + OMEGA + 1] + e2 * s[op + OMEGA + 2];
    s[o + ALPHA + k] = e0 * s[op + ALPHA] + e1 * s[op + ALPHA + 1] + e2 * s[op + ALPHA + 2];
    s[o + ACC + k] =
      e0 * (s[op + ACC] + s[op + W] * rx + s[op + W + 1] * ry + s[op + W + 2] * rz) +
      e1 * (s[op + ACC + 1] + s[op + W + 3] * rx + s[op + W + 4] * ry + s[op + W + 5] * rz) +
      e2 * (s[op + ACC + 2] + s[op + W + 6] * rx + s[op + W + 7] * ry + s[op + W + 8] * rz);
  }
  // With w of the parent and the joint's relative velocity [wJ, vJ], all in link coordinates:
  // alpha += cJ + w x wJ,   a += cJ' + (2 w + wJ) x vJ.
  const wx = s[o + OMEGA];
  const wy = s[o + OMEGA + 1];
  const wz = s[o + OMEGA + 2];
  const jx = work[WORK_V];
  const jy = work[WORK_V + 1];
  const jz = work[WORK_V + 2];
  const vx = work[WORK_V + 3];
  const vy = work[WORK_V + 4];
  const vz = work[WORK_V + 5];
  const bx = 2 * wx + jx;
  const by = 2 * wy + jy;
  const bz = 2 * wz + jz;
  s[o + OMEGA] = wx + jx;
  s[o + OMEGA + 1] = wy + jy;
  s[o + OMEGA + 2] = wz + jz;
  s[o + ALPHA] += work[WORK_C] + wy * jz - wz * jy;
  s[o + ALPHA + 1] += work[WORK_C + 1] + wz * jx - wx * jz;
  s[o + ALPHA + 2] += work[WORK_C + 2] + wx * jy - wy * jx;
  s[o + ACC] += work[WORK_C + 3] + by * vz - bz * vy;
  s[o + ACC + 1] += work[WORK_C + 4] + bz * vx - bx * vz;
  s[o + ACC + 2] += work[WORK_C + 5] + bx * vy - by * vx;
}

function multiplyMotionSpaceAt(
  out: Float64Array,
  o: number,
  S: Float64Array,
  at: number,
  nv: number,
  x: Float64Array,
  ix: number,
): void {
  for (let k = 0; k < 6; k++) {
    let sum = 0;
    for (let j = 0; j < nv; j++) sum += S[at + 6 * j + k] * x[ix + j];
    out[o + k] = sum;
  }
}

/** Pass 2: adds the articulated inertia and bias force, seen through the joint of link i, to the record at op. */
export function wideAssemble(
  tree: Tree,
  scratch: AbaScratch,
  i: number,
  op: number,
  tau: Float64Array,
  armature: Float64Array,
): boolean {
  const { s, wide, carried } = scratch;
  const { iv } = tree;
  const nv = tree.dof[i + 1] - tree.dof[i];
  const o = RECORD * (i + 1);
  const at = scratch.wideAt[i];
  const S = at + WIDE_S;
  const U = at + WIDE_U;
  const D = at + WIDE_D;
  const u = at + WIDE_u;
  for (let k = 0; k < nv; k++) articulatedTimes(wide, U + 6 * k, s, o, wide, S + 6 * k);
  // D = S^T U + armature = L L^T, row by row; u = L^-1 (tau - S^T p); U <- U L^-T, so that U D^-1 U^T = U U^T.
  for (let k = 0; k < nv; k++) {
    for (let l = 0; l <= k; l++) {
      let sum = k === l ? armature[iv[i] + k] : 0;
      for (let j = 0; j < 6; j++) sum += wide[S + 6 * l + j] * wide[U + 6 * k + j];
      wide[D + 6 * k + l] = sum;
    }
  }
  let left = 1;
  for (let k = 0; k < nv; k++) {
    for (let l = 0; l < k; l++) {
      let sum = wide[D + 6 * k + l];
      for (let j = 0; j < l; j++) sum -= wide[D + 6 * k + j] * wide[D + 6 * l + j];
      wide[D + 6 * k + l] = sum / wide[D + 6 * l + l];
    }
    const before = wide[D + 6 * k + k];
    let pivot = before;
    for (let j = 0; j < k; j++) pivot -= wide[D + 6 * k + j] * wide[D + 6 * k + j];
    left *= pivot / before;
    if (!(pivot > 0 && left > SINGULAR)) return false;
    const root = Math.sqrt(pivot);
    wide[D + 6 * k + k] = root;
    let force = tau[iv[i] + k];
    for (let j = 0; j < 6; j++) force -= wide[S + 6 * k + j] * s[o + PA + j];
    for (let l = 0; l < k; l++) {
      force -= wide[D + 6 * k + l] * wide[u + l];
      for (let j = 0; j < 6; j++) wide[U + 6 * k + j] -= wide[D + 6 * k + l] * wide[U + 6 * l + j];
    }
    wide[u + k] = force / root;
    for (let j = 0; j < 6; j++) wide[U + 6 * k + j] /= root;
  }
  // The ground does not care.
  if (op === 0) return true;
  for (let k = 0; k < 6; k++) {
    carried[k] = s[o + IA_J + k];
    carried[15 + k] = s[o + IA_M + k];
    carried[21 + k] = s[o + PA + k];
  }
  for (let k = 0; k < 9; k++) carried[6 + k] = s[o + IA_H + k];
  for (let k = 0; k < nv; k++) {
    const x = wide[U + 6 * k];
    const y = wide[U + 6 * k + 1];
    const z = wide[U + 6 * k + 2];
    const a = wide[U + 6 * k + 3];
    const b = wide[U + 6 * k + 4];
    const d = wide[U + 6 * k + 5];
    const f = wide[u + k];
    carried[0] -= x * x;
    carried[1] -= x * y;
    carried[2] -= x * z;
    carried[3] -= y * y;
    carried[4] -= y * z;
    carried[5] -= z * z;
    carried[6] -= x * a;
    carried[7] -= x * b;
    carried[8] -= x * d;
    carried[9] -= y * a;
    carried[10] -= y * b;
    carried[11] -= y * d;
    carried[12] -= z * a;
    carried[13] -= z * b;
    carried[14] -= z * d;
    carried[15] -= a * a;
    carried[16] -= a * b;
    carried[17] -= a * d;
    carried[18] -= b * b;
    carried[19] -= b * d;
    carried[20] -= d * d;
    carried[21] += x * f;
    carried[22] += y * f;
    carried[23] += z * f;
    carried[24] += a * f;
    carried[25] += b * f;
    carried[26] += d * f;
  }
  addCarriedToParent(s, o, op, carried, wide, at + WIDE_X);
  return true;
}

/** Pass 3: the joint's accelerations, and DELTA of the link. */
export function wideAccelerate(tree: Tree, scratch: AbaScratch, i: number, qdd: Float64Array): void {
  const { s, wide } = scratch;
  const { iv } = tree;
  const nv = tree.dof[i + 1] - tree.dof[i];
  const o = RECORD * (i + 1);
  const at = scratch.wideAt[i];
  const S = at + WIDE_S;
  const U = at + WIDE_U;
  const D = at + WIDE_D;
  const u = at + WIDE_u;
  motionToB(s, o + DELTA, wide, at + WIDE_X, s, RECORD * (tree.parent[i] + 1) + DELTA);
  // qdd = L^-T (u - U^T delta), with u and U as wideAssemble left them.
  for (let k = nv - 1; k >= 0; k--) {
    let sum = wide[u + k];
    for (let j = 0; j < 6; j++) sum -= wide[U + 6 * k + j] * s[o + DELTA + j];
    for (let l = k + 1; l < nv; l++) sum -= wide[D + 6 * l + k] * qdd[iv[i] + l];
    qdd[iv[i] + k] = sum / wide[D + 6 * k + k];
  }
  for (let k = 0; k < nv; k++) for (let j = 0; j < 6; j++) s[o + DELTA + j] += wide[S + 6 * k + j] * qdd[iv[i] + k];
}

/** out = I_A x for the articulated inertia of the record at o. */
export function articulatedTimes(
  out: Float64Array,
  oo: number,
  s: Float64Array,
  o: number,
  m: Float64Array,
  om: number,
): void {
  const J = o + IA_J;
  const H = o + IA_H;
  const M = o + IA_M;
  const x = m[om];
  const y = m[om + 1];
  const z = m[om + 2];
  const a = m[om + 3];
  const b = m[om + 4];
  const d = m[om + 5];
  out[oo] = s[J] * x + s[J + 1] * y + s[J + 2] * z + s[H] * a + s[H + 1] * b + s[H + 2] * d;
  out[oo + 1] = s[J + 1] * x + s[J + 3] * y + s[J + 4] * z + s[H + 3] * a + s[H + 4] * b + s[H + 5] * d;
  out[oo + 2] = s[J + 2] * x + s[J + 4] * y + s[J + 5] * z + s[H + 6] * a + s[H + 7] * b + s[H + 8] * d;
  out[oo + 3] = s[H] * x + s[H + 3] * y + s[H + 6] * z + s[M] * a + s[M + 1] * b + s[M + 2] * d;
  out[oo + 4] = s[H + 1] * x + s[H + 4] * y + s[H + 7] * z + s[M + 1] * a + s[M + 3] * b + s[M + 4] * d;
  out[oo + 5] = s[H + 2] * x + s[H + 5] * y + s[H + 8] * z + s[M + 2] * a + s[M + 4] * b + s[M + 5] * d;
}

/**
 * Adds an articulated inertia and bias force t = [J, H, M, n, f] to the parent's record at op: first rotated by E^T
 * (E at oe), then moved by r, which the record at o holds: H_p = H + r x M, J_p = J + r x H^T - H_p r x, n_p = n + r x f.
 */
export function addCarriedToParent(
  s: Float64Array,
  o: number,
  op: number,
  t: Float64Array,
  E: Float64Array,
  oe: number,
): void {
  const rx = s[o + R];
  const ry = s[o + R + 1];
  const rz = s[o + R + 2];
  rotateSymmetric(t, 0, E, oe);
  rotateSymmetric(t, 15, E, oe);
  rotateFull(t, 6, E, oe);
  rotateVector(t, 21, E, oe);
  rotateVector(t, 24, E, oe);
  const h0 = t[6];
  const h1 = t[7];
  const h2 = t[8];
  const h3 = t[9];
  const h4 = t[10];
  const h5 = t[11];
  const h6 = t[12];
  const h7 = t[13];
  const h8 = t[14];
  const mxx = t[15];
  const mxy = t[16];
  const mxz = t[17];
  const myy = t[18];
  const myz = t[19];
  const mzz = t[20];
  const p0 = h0 + ry * mxz - rz * mxy;
  const p1 = h1 + ry * myz - rz * myy;
  const p2 = h2 + ry * mzz - rz * myz;
  const p3 = h3 + rz * mxx - rx * mxz;
  const p4 = h4 + rz * mxy - rx * myz;
  const p5 = h5 + rz * mxz - rx * mzz;
  const p6 = h6 + rx * mxy - ry * mxx;
  const p7 = h7 + rx * myy - ry * mxy;
  const p8 = h8 + rx * myz - ry * mxz;
  s[op + IA_J] += t[0] + ry * (h2 + p2) - rz * (h1 + p1);
  s[op + IA_J + 1] += t[1] + rz * (p0 - h4) + ry * h5 - rx * p2;
  s[op + IA_J + 2] += t[2] + ry * (h8 - p0) - rz * h7 + rx * p1;
  s[op + IA_J + 3] += t[3] + rz * (h3 + p3) - rx * (h5 + p5);
  s[op + IA_J + 4] += t[4] + rz * h6 + rx * (p4 - h8) - ry * p3;
  s[op + IA_J + 5] += t[5] + rx * (h7 + p7) - ry * (h6 + p6);
  s[op + IA_H] += p0;
  s[op + IA_H + 1] += p1;
  s[op + IA_H + 2] += p2;
  s[op + IA_H + 3] += p3;
  s[op + IA_H + 4] += p4;
  s[op + IA_H + 5] += p5;
  s[op + IA_H + 6] += p6;
  s[op + IA_H + 7] += p7;
  s[op + IA_H + 8] += p8;
  for (let k = 0; k < 6; k++) s[op + IA_M + k] += t[15 + k];
  const fx = t[24];
  const fy = t[25];
  const fz = t[26];
  s[op + PA] += t[21] + ry * fz - rz * fy;
  s[op + PA + 1] += t[22] + rz * fx - rx * fz;
  s[op + PA + 2] += t[23] + rx * fy - ry * fx;
  s[op + PA + 3] += fx;
  s[op + PA + 4] += fy;
  s[op + PA + 5] += fz;
}

/** A <- E^T A E for a symmetric A (6 numbers). */
export function rotateSymmetric(t: Float64Array, o: number, E: Float64Array, oe: number): void {
  const xx = t[o];
  const xy = t[o + 1];
  const xz = t[o + 2];
  const yy = t[o + 3];
  const yz = t[o + 4];
  const zz = t[o + 5];
  const e0 = E[oe];
  const e1 = E[oe + 1];
  const e2 = E[oe + 2];
  const e3 = E[oe + 3];
  const e4 = E[oe + 4];
  const e5 = E[oe + 5];
  const e6 = E[oe + 6];
  const e7 = E[oe + 7];
  const e8 = E[oe + 8];
  const a0 = xx * e0 + xy * e3 + xz * e6;
  const a3 = xy * e0 + yy * e3 + yz * e6;
  const a6 = xz * e0 + yz * e3 + zz * e6;
  const a1 = xx * e1 + xy * e4 + xz * e7;
  const a4 = xy * e1 + yy * e4 + yz * e7;
  const a7 = xz * e1 + yz * e4 + zz * e7;
  const a2 = xx * e2 + xy * e5 + xz * e8;
  const a5 = xy * e2 + yy * e5 + yz * e8;
  const a8 = xz * e2 + yz * e5 + zz * e8;
  t[o] = e0 * a0 + e3 * a3 + e6 * a6;
  t[o + 1] = e0 * a1 + e3 * a4 + e6 * a7;
  t[o + 2] = e0 * a2 + e3 * a5 + e6 * a8;
  t[o + 3] = e1 * a1 + e4 * a4 + e7 * a7;
  t[o + 4] = e1 * a2 + e4 * a5 + e7 * a8;
  t[o + 5] = e2 * a2 + e5 * a5 + e8 * a8;
}

/** A <- E^T A E for a full A (9 numbers). */
function rotateFull(t: Float64Array, o: number, E: Float64Array, oe: number): void {
  for (let row = 0; row < 3; row++) rotateVector(t, o + 3 * row, E, oe);
  const e0 = E[oe];
  const e1 = E[oe + 1];
  const e2 = E[oe + 2];
  const e3 = E[oe + 3];
  const e4 = E[oe + 4];
  const e5 = E[oe + 5];
  const e6 = E[oe + 6];
  const e7 = E[oe + 7];
  const e8 = E[oe + 8];
  for (let column = 0; column < 3; column++) {
    const x = t[o + column];
    const y = t[o + 3 + column];
    const z = t[o + 6 + column];
    t[o + column] = e0 * x + e3 * y + e6 * z;
    t[o + 3 + column] = e1 * x + e4 * y + e7 * z;
    t[o + 6 + column] = e2 * x + e5 * y + e8 * z;
  }
}

/** x <- E^T x. */
function rotateVector(t: Float64Array, o: number, E: Float64Array, oe: number): void {
  const x = t[o];
  const y = t[o + 1];
  const z = t[o + 2];
  t[o] = E[oe] * x + E[oe + 3] * y + E[oe + 6] * z;
  t[o + 1] = E[oe + 1] * x + E[oe + 4] * y + E[oe + 7] * z;
  t[o + 2] = E[oe + 2] * x + E[oe + 5] * y + E[oe + 8] * z;
}
