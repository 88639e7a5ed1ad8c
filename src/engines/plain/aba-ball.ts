// The steps of the articulated-body algorithm (see aba.ts) for spherical joints, and for floating joints to the ground,
// without armature. With S = [1, 0]^T the blocks of I_A = [J H; H^T M] do the work:
//
//   D = J,  G = J^-1 H,  y = J^-1 (tau - n)
//   to the parent: no J and H at all, M' = M - H^T G, moment tau, force f' = f + H^T y
//   outwards: alpha = y - G a, where a is the acceleration of the link's origin, which the joint cannot change
//
// A floating joint to the ground goes on: a = M'^-1 (tau_f - f').

import { setRotation } from '../../joints/quaternion.js';
import { ROTATION_IDENTITY, type Tree } from '../../mechanism/tree.js';
import { compose, TRANSFORM } from '../../spatial/spatial.js';
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
  WIDE_U,
  WIDE_u,
  WIDE_X,
} from './aba-layout.js';
import { rotateSymmetric } from './aba-wide.js';

/** Where this file keeps G (9), y (3) and, for floating joints, M' (6) and tau_f - f' (3), among the wide fields. */
const BALL_G = WIDE_U;
const BALL_M = WIDE_U + 9;
const BALL_y = WIDE_u;
const BALL_f = WIDE_u + 3;

/** Pass 1, spherical and floating joints: OMEGA, ALPHA, ACC, R of link i from those of its parent. */
export function ballMove(
  tree: Tree,
  scratch: AbaScratch,
  i: number,
  floating: boolean,
  q: Float64Array,
  qd: Float64Array,
): void {
  const { s, wide, work } = scratch;
  const o = RECORD * (i + 1);
  const op = RECORD * (tree.parent[i] + 1);
  const at = scratch.wideAt[i] + WIDE_X;
  const iq = tree.iq[i];
  const iv = tree.iv[i];
  const target = tree.rotation[i] === ROTATION_IDENTITY ? wide : work;
  const to = target === wide ? at : 0;
  setRotation(target, to, q, iq);
  target[to + 9] = floating ? q[iq + 4] : 0;
  target[to + 10] = floating ? q[iq + 5] : 0;
  target[to + 11] = floating ? q[iq + 6] : 0;
  if (target === wide) {
    wide[at + 9] += tree.X[TRANSFORM * i + 9];
    wide[at + 10] += tree.X[TRANSFORM * i + 10];
    wide[at + 11] += tree.X[TRANSFORM * i + 11];
  } else compose(wide, at, work, 0, tree.X, TRANSFORM * i);
  const rx = wide[at + 9];
  const ry = wide[at + 10];
  const rz = wide[at + 11];
  const px = s[op + OMEGA];
  const py = s[op + OMEGA + 1];
  const pz = s[op + OMEGA + 2];
  const lx = s[op + ALPHA];
  const ly = s[op + ALPHA + 1];
  const lz = s[op + ALPHA + 2];
  const ax = s[op + ACC] + s[op + W] * rx + s[op + W + 1] * ry + s[op + W + 2] * rz;
  const ay = s[op + ACC + 1] + s[op + W + 3] * rx + s[op + W + 4] * ry + s[op + W + 5] * rz;
  const az = s[op + ACC + 2] + s[op + W + 6] * rx + s[op + W + 7] * ry + s[op + W + 8] * rz;
  const e0 = wide[at];
  const e1 = wide[at + 1];
  const e2 = wide[at + 2];
  const e3 = wide[at + 3];
  const e4 = wide[at + 4];
  const e5 = wide[at + 5];
  const e6 = wide[at + 6];
  const e7 = wide[at + 7];
  const e8 = wide[at + 8];
  const wx = e0 * px + e1 * py + e2 * pz;
  const wy = e3 * px + e4 * py + e5 * pz;
  const wz = e6 * px + e7 * py + e8 * pz;
  const jx = qd[iv];
  const jy = qd[iv + 1];
  const jz = qd[iv + 2];
  s[o + R] = rx;
  s[o + R + 1] = ry;
  s[o + R + 2] = rz;
  s[o + OMEGA] = wx + jx;
  s[o + OMEGA + 1] = wy + jy;
  s[o + OMEGA + 2] = wz + jz;
  s[o + ALPHA] = e0 * lx + e1 * ly + e2 * lz + (wy * jz - wz * jy);
  s[o + ALPHA + 1] = e3 * lx + e4 * ly + e5 * lz + (wz * jx - wx * jz);
  s[o + ALPHA + 2] = e6 * lx + e7 * ly + e8 * lz + (wx * jy - wy * jx);
  s[o + ACC] = e0 * ax + e1 * ay + e2 * az;
  s[o + ACC + 1] = e3 * ax + e4 * ay + e5 * az;
  s[o + ACC + 2] = e6 * ax + e7 * ay + e8 * az;
  if (!floating) return;
  // (2 w + wJ) x vJ, as in wideMove.
  const vx = qd[iv + 3];
  const vy = qd[iv + 4];
  const vz = qd[iv + 5];
  s[o + ACC] += (2 * wy + jy) * vz - (2 * wz + jz) * vy;
  s[o + ACC + 1] += (2 * wz + jz) * vx - (2 * wx + jx) * vz;
  s[o + ACC + 2] += (2 * wx + jx) * vy - (2 * wy + jy) * vx;
}

/** Pass 2. For a floating joint (to the ground) nothing is passed on. */
export function ballAssemble(
  tree: Tree,
  scratch: AbaScratch,
  i: number,
  op: number,
  floating: boolean,
  tau: Float64Array,
): boolean {
  const { s, wide, carried } = scratch;
  const o = RECORD * (i + 1);
  const at = scratch.wideAt[i];
  const iv = tree.iv[i];
  const jxx = s[o + IA_J];
  const jxy = s[o + IA_J + 1];
  const jxz = s[o + IA_J + 2];
  const jyy = s[o + IA_J + 3];
  const jyz = s[o + IA_J + 4];
  const jzz = s[o + IA_J + 5];
  // J = L D L^T: unlike cofactors it keeps its digits where the subtree is much heavier about one axis than about another.
  const i0 = 1 / jxx;
  const l1 = jxy * i0;
  const l2 = jxz * i0;
  const d1 = jyy - l1 * jxy;
  const i1 = 1 / d1;
  const t = jyz - l2 * jxy;
  const l3 = t * i1;
  const d2 = jzz - l2 * jxz - l3 * t;
  const i2 = 1 / d2;
  if (!(jxx > 0 && d1 > 0 && d2 > 0 && jxx * d1 * d2 > SINGULAR * (jxx + jyy + jzz) * jyy * jzz)) return false;
  const h0 = s[o + IA_H];
  const h1 = s[o + IA_H + 1];
  const h2 = s[o + IA_H + 2];
  const h3 = s[o + IA_H + 3];
  const h4 = s[o + IA_H + 4];
  const h5 = s[o + IA_H + 5];
  const h6 = s[o + IA_H + 6];
  const h7 = s[o + IA_H + 7];
  const h8 = s[o + IA_H + 8];
  // G = J^-1 H, column by column, and y = J^-1 (tau - n).
  const p0 = h3 - l1 * h0;
  const g6 = (h6 - l2 * h0 - l3 * p0) * i2;
  const g3 = p0 * i1 - l3 * g6;
  const g0 = h0 * i0 - l1 * g3 - l2 * g6;
  const p1 = h4 - l1 * h1;
  const g7 = (h7 - l2 * h1 - l3 * p1) * i2;
  const g4 = p1 * i1 - l3 * g7;
  const g1 = h1 * i0 - l1 * g4 - l2 * g7;
  const p2 = h5 - l1 * h2;
  const g8 = (h8 - l2 * h2 - l3 * p2) * i2;
  const g5 = p2 * i1 - l3 * g8;
  const g2 = h2 * i0 - l1 * g5 - l2 * g8;
  const ux = tau[iv] - s[o + PA];
  const uy = tau[iv + 1] - s[o + PA + 1];
  const uz = tau[iv + 2] - s[o + PA + 2];
  const p3 = uy - l1 * ux;
  const yz = (uz - l2 * ux - l3 * p3) * i2;
  const yy = p3 * i1 - l3 * yz;
  const yx = ux * i0 - l1 * yy - l2 * yz;
  const fx = s[o + PA + 3] + h0 * yx + h3 * yy + h6 * yz;
  const fy = s[o + PA + 4] + h1 * yx + h4 * yy + h7 * yz;
  const fz = s[o + PA + 5] + h2 * yx + h5 * yy + h8 * yz;
  const mxx = s[o + IA_M] - (h0 * g0 + h3 * g3 + h6 * g6);
  const mxy = s[o + IA_M + 1] - (h0 * g1 + h3 * g4 + h6 * g7);
  const mxz = s[o + IA_M + 2] - (h0 * g2 + h3 * g5 + h6 * g8);
  const myy = s[o + IA_M + 3] - (h1 * g1 + h4 * g4 + h7 * g7);
  const myz = s[o + IA_M + 4] - (h1 * g2 + h4 * g5 + h7 * g8);
  const mzz = s[o + IA_M + 5] - (h2 * g2 + h5 * g5 + h8 * g8);
  const G = at + BALL_G;
  wide[G] = g0;
  wide[G + 1] = g1;
  wide[G + 2] = g2;
  wide[G + 3] = g3;
  wide[G + 4] = g4;
  wide[G + 5] = g5;
  wide[G + 6] = g6;
  wide[G + 7] = g7;
  wide[G + 8] = g8;
  wide[at + BALL_y] = yx;
  wide[at + BALL_y + 1] = yy;
  wide[at + BALL_y + 2] = yz;
  if (floating) {
    const M = at + BALL_M;
    wide[M] = mxx;
    wide[M + 1] = mxy;
    wide[M + 2] = mxz;
    wide[M + 3] = myy;
    wide[M + 4] = myz;
    wide[M + 5] = mzz;
    wide[at + BALL_f] = tau[iv + 3] - fx;
    wide[at + BALL_f + 1] = tau[iv + 4] - fy;
    wide[at + BALL_f + 2] = tau[iv + 5] - fz;
    return mxx > SINGULAR * s[o + IA_M] && mxx * myy - mxy * mxy > SINGULAR * mxx * s[o + IA_M + 3];
  }
  carried[0] = mxx;
  carried[1] = mxy;
  carried[2] = mxz;
  carried[3] = myy;
  carried[4] = myz;
  carried[5] = mzz;
  carried[6] = tau[iv];
  carried[7] = tau[iv + 1];
  carried[8] = tau[iv + 2];
  carried[9] = fx;
  carried[10] = fy;
  carried[11] = fz;
  addToParent(scratch, op, at + WIDE_X);
  return true;
}

/** Moves M' (6), moment and force in scratch.carried to the parent's record, turned and shifted. */
function addToParent({ s, wide, carried }: AbaScratch, op: number, X: number): void {
  rotateSymmetric(carried, 0, wide, X);
  const nx = carried[6];
  const ny = carried[7];
  const nz = carried[8];
  const fx = carried[9];
  const fy = carried[10];
  const fz = carried[11];
  const rx = wide[X + 9];
  const ry = wide[X + 10];
  const rz = wide[X + 11];
  const mxx = carried[0];
  const mxy = carried[1];
  const mxz = carried[2];
  const myy = carried[3];
  const myz = carried[4];
  const mzz = carried[5];
  const p0 = ry * mxz - rz * mxy;
  const p1 = ry * myz - rz * myy;
  const p2 = ry * mzz - rz * myz;
  const p3 = rz * mxx - rx * mxz;
  const p4 = rz * mxy - rx * myz;
  const p5 = rz * mxz - rx * mzz;
  const p6 = rx * mxy - ry * mxx;
  const p7 = rx * myy - ry * mxy;
  const p8 = rx * myz - ry * mxz;
  s[op + IA_J] += ry * p2 - rz * p1;
  s[op + IA_J + 1] += rz * p0 - rx * p2;
  s[op + IA_J + 2] += rx * p1 - ry * p0;
  s[op + IA_J + 3] += rz * p3 - rx * p5;
  s[op + IA_J + 4] += rx * p4 - ry * p3;
  s[op + IA_J + 5] += rx * p7 - ry * p6;
  s[op + IA_H] += p0;
  s[op + IA_H + 1] += p1;
  s[op + IA_H + 2] += p2;
  s[op + IA_H + 3] += p3;
  s[op + IA_H + 4] += p4;
  s[op + IA_H + 5] += p5;
  s[op + IA_H + 6] += p6;
  s[op + IA_H + 7] += p7;
  s[op + IA_H + 8] += p8;
  s[op + IA_M] += mxx;
  s[op + IA_M + 1] += mxy;
  s[op + IA_M + 2] += mxz;
  s[op + IA_M + 3] += myy;
  s[op + IA_M + 4] += myz;
  s[op + IA_M + 5] += mzz;
  const gx = wide[X] * fx + wide[X + 3] * fy + wide[X + 6] * fz;
  const gy = wide[X + 1] * fx + wide[X + 4] * fy + wide[X + 7] * fz;
  const gz = wide[X + 2] * fx + wide[X + 5] * fy + wide[X + 8] * fz;
  s[op + PA] += wide[X] * nx + wide[X + 3] * ny + wide[X + 6] * nz + ry * gz - rz * gy;
  s[op + PA + 1] += wide[X + 1] * nx + wide[X + 4] * ny + wide[X + 7] * nz + rz * gx - rx * gz;
  s[op + PA + 2] += wide[X + 2] * nx + wide[X + 5] * ny + wide[X + 8] * nz + rx * gy - ry * gx;
  s[op + PA + 3] += gx;
  s[op + PA + 4] += gy;
  s[op + PA + 5] += gz;
}

/** Pass 3: the joint's accelerations, and DELTA of the link. */
export function ballAccelerate(tree: Tree, scratch: AbaScratch, i: number, floating: boolean, qdd: Float64Array): void {
  const { s, wide } = scratch;
  const o = RECORD * (i + 1);
  const op = RECORD * (tree.parent[i] + 1) + DELTA;
  const at = scratch.wideAt[i];
  const iv = tree.iv[i];
  const G = at + BALL_G;
  const X = at + WIDE_X;
  let ax: number;
  let ay: number;
  let az: number;
  if (floating) {
    // a = M'^-1 f by cofactors; the ground does not accelerate.
    const M = at + BALL_M;
    const xx = wide[M];
    const xy = wide[M + 1];
    const xz = wide[M + 2];
    const yy = wide[M + 3];
    const yz = wide[M + 4];
    const zz = wide[M + 5];
    const fx = wide[at + BALL_f];
    const fy = wide[at + BALL_f + 1];
    const fz = wide[at + BALL_f + 2];
    const cxx = yy * zz - yz * yz;
    const cxy = xz * yz - xy * zz;
    const cxz = xy * yz - xz * yy;
    const cyz = xy * xz - xx * yz;
    const inverse = 1 / (xx * cxx + xy * cxy + xz * cxz);
    ax = (cxx * fx + cxy * fy + cxz * fz) * inverse;
    ay = (cxy * fx + (xx * zz - xz * xz) * fy + cyz * fz) * inverse;
    az = (cxz * fx + cyz * fy + (xx * yy - xy * xy) * fz) * inverse;
    qdd[iv + 3] = ax;
    qdd[iv + 4] = ay;
    qdd[iv + 5] = az;
  } else {
    const rx = wide[X + 9];
    const ry = wide[X + 10];
    const rz = wide[X + 11];
    const bx = s[op + 3] + s[op + 1] * rz - s[op + 2] * ry;
    const by = s[op + 4] + s[op + 2] * rx - s[op] * rz;
    const bz = s[op + 5] + s[op] * ry - s[op + 1] * rx;
    ax = wide[X] * bx + wide[X + 1] * by + wide[X + 2] * bz;
    ay = wide[X + 3] * bx + wide[X + 4] * by + wide[X + 5] * bz;
    az = wide[X + 6] * bx + wide[X + 7] * by + wide[X + 8] * bz;
  }
  const x = wide[at + BALL_y] - (wide[G] * ax + wide[G + 1] * ay + wide[G + 2] * az);
  const y = wide[at + BALL_y + 1] - (wide[G + 3] * ax + wide[G + 4] * ay + wide[G + 5] * az);
  const z = wide[at + BALL_y + 2] - (wide[G + 6] * ax + wide[G + 7] * ay + wide[G + 8] * az);
  qdd[iv] = x - (wide[X] * s[op] + wide[X + 1] * s[op + 1] + wide[X + 2] * s[op + 2]);
  qdd[iv + 1] = y - (wide[X + 3] * s[op] + wide[X + 4] * s[op + 1] + wide[X + 5] * s[op + 2]);
  qdd[iv + 2] = z - (wide[X + 6] * s[op] + wide[X + 7] * s[op + 1] + wide[X + 8] * s[op + 2]);
  s[o + DELTA] = x;
  s[o + DELTA + 1] = y;
  s[o + DELTA + 2] = z;
  s[o + DELTA + 3] = ax;
  s[o + DELTA + 4] = ay;
  s[o + DELTA + 5] = az;
}
