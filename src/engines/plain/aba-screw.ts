// The steps of the articulated-body algorithm (see aba.ts) for joints of one degree of freedom about or along z ("screws":
// revolute, prismatic, helical), in two turns: the one by q touches only x and y, and the constant rotation of the placement
// is mostly a renaming of axes.

import { ROTATION_CYCLIC, ROTATION_CYCLIC_BACK, ROTATION_GENERAL } from '../../mechanism/tree.js';
import {
  ACC,
  ALPHA,
  C_ADVANCE,
  C_E,
  C_SENSE,
  C_T,
  C_TURN,
  COS,
  DELTA,
  G,
  IA_H,
  IA_J,
  IA_M,
  OMEGA,
  PA,
  R,
  SIN,
  UD,
  W,
} from './aba-layout.js';
import { addCarriedToParent } from './aba-wide.js';

/** A moment of inertia about the axis below this part of those about all three is rounding. */
const TURNED = 1e-15;

/** Pass 1, screws: OMEGA, ALPHA, ACC, R of the link from those of its parent. */
export function screwMove(
  s: Float64Array,
  o: number,
  op: number,
  c: Float64Array,
  k: number,
  kind: number,
  q: Float64Array,
  iq: number,
  qd: Float64Array,
  iv: number,
): void {
  const x = c[k + C_SENSE] * q[iq];
  const speed = c[k + C_SENSE] * qd[iv];
  const turn = c[k + C_TURN];
  const advance = c[k + C_ADVANCE];
  const cos = Math.cos(turn * x);
  const sin = Math.sin(turn * x);
  const distance = advance * x;
  const rx = c[k + C_T] + distance * c[k + C_E + 6];
  const ry = c[k + C_T + 1] + distance * c[k + C_E + 7];
  const rz = c[k + C_T + 2] + distance * c[k + C_E + 8];
  let wx = s[op + OMEGA];
  let wy = s[op + OMEGA + 1];
  let wz = s[op + OMEGA + 2];
  let lx = s[op + ALPHA];
  let ly = s[op + ALPHA + 1];
  let lz = s[op + ALPHA + 2];
  let ax = s[op + ACC] + s[op + W] * rx + s[op + W + 1] * ry + s[op + W + 2] * rz;
  let ay = s[op + ACC + 1] + s[op + W + 3] * rx + s[op + W + 4] * ry + s[op + W + 5] * rz;
  let az = s[op + ACC + 2] + s[op + W + 6] * rx + s[op + W + 7] * ry + s[op + W + 8] * rz;
  // Parent to tree coordinates.
  if (kind === ROTATION_CYCLIC) {
    const w0 = wx;
    const l0 = lx;
    const a0 = ax;
    wx = wy;
    wy = wz;
    wz = w0;
    lx = ly;
    ly = lz;
    lz = l0;
    ax = ay;
    ay = az;
    az = a0;
  } else if (kind === ROTATION_CYCLIC_BACK) {
    const w0 = wz;
    const l0 = lz;
    const a0 = az;
    wz = wy;
    wy = wx;
    wx = w0;
    lz = ly;
    ly = lx;
    lx = l0;
    az = ay;
    ay = ax;
    ax = a0;
  } else if (kind === ROTATION_GENERAL) {
    const e0 = c[k + C_E];
    const e1 = c[k + C_E + 1];
    const e2 = c[k + C_E + 2];
    const e3 = c[k + C_E + 3];
    const e4 = c[k + C_E + 4];
    const e5 = c[k + C_E + 5];
    const e6 = c[k + C_E + 6];
    const e7 = c[k + C_E + 7];
    const e8 = c[k + C_E + 8];
    const w0 = wx;
    const w1 = wy;
    const w2 = wz;
    wx = e0 * w0 + e1 * w1 + e2 * w2;
    wy = e3 * w0 + e4 * w1 + e5 * w2;
    wz = e6 * w0 + e7 * w1 + e8 * w2;
    const l0 = lx;
    const l1 = ly;
    const l2 = lz;
    lx = e0 * l0 + e1 * l1 + e2 * l2;
    ly = e3 * l0 + e4 * l1 + e5 * l2;
    lz = e6 * l0 + e7 * l1 + e8 * l2;
    const a0 = ax;
    const a1 = ay;
    const a2 = az;
    ax = e0 * a0 + e1 * a1 + e2 * a2;
    ay = e3 * a0 + e4 * a1 + e5 * a2;
    az = e6 * a0 + e7 * a1 + e8 * a2;
  }
  // Tree to link coordinates, then the joint's own motion: alpha += w x z qd, a += 2 w x z (advance qd).
  const ux = cos * wx + sin * wy;
  const uy = cos * wy - sin * wx;
  const spin = turn * speed;
  const slide = 2 * advance * speed;
  s[o + COS] = cos;
  s[o + SIN] = sin;
  s[o + R] = rx;
  s[o + R + 1] = ry;
  s[o + R + 2] = rz;
  s[o + OMEGA] = ux;
  s[o + OMEGA + 1] = uy;
  s[o + OMEGA + 2] = wz + spin;
  s[o + ALPHA] = cos * lx + sin * ly + uy * spin;
  s[o + ALPHA + 1] = cos * ly - sin * lx - ux * spin;
  s[o + ALPHA + 2] = lz;
  s[o + ACC] = cos * ax + sin * ay + uy * slide;
  s[o + ACC + 1] = cos * ay - sin * ax - ux * slide;
  s[o + ACC + 2] = az;
}

/** Pass 2, screws: adds the articulated inertia and bias force, seen through the joint, to the parent's. */
export function screwAssemble(
  s: Float64Array,
  o: number,
  op: number,
  c: Float64Array,
  k: number,
  kind: number,
  tau: Float64Array,
  armature: Float64Array,
  iv: number,
  carried: Float64Array,
): boolean {
  const turn = c[k + C_TURN];
  const advance = c[k + C_ADVANCE];
  let jxx = s[o + IA_J];
  let jxy = s[o + IA_J + 1];
  let jxz = s[o + IA_J + 2];
  let jyy = s[o + IA_J + 3];
  let jyz = s[o + IA_J + 4];
  let jzz = s[o + IA_J + 5];
  let h0 = s[o + IA_H];
  let h1 = s[o + IA_H + 1];
  let h2 = s[o + IA_H + 2];
  let h3 = s[o + IA_H + 3];
  let h4 = s[o + IA_H + 4];
  let h5 = s[o + IA_H + 5];
  let h6 = s[o + IA_H + 6];
  let h7 = s[o + IA_H + 7];
  let h8 = s[o + IA_H + 8];
  let mxx = s[o + IA_M];
  let mxy = s[o + IA_M + 1];
  let mxz = s[o + IA_M + 2];
  let myy = s[o + IA_M + 3];
  let myz = s[o + IA_M + 4];
  let mzz = s[o + IA_M + 5];
  let nx = s[o + PA];
  let ny = s[o + PA + 1];
  let nz = s[o + PA + 2];
  let fx = s[o + PA + 3];
  let fy = s[o + PA + 4];
  let fz = s[o + PA + 5];
  // U = I_A S with S = [0, 0, turn, 0, 0, advance]
  let ux = jxz;
  let uy = jyz;
  let uz = jzz;
  let vx = h6;
  let vy = h7;
  let vz = h8;
  if (advance !== 0) {
    ux = turn * ux + advance * h2;
    uy = turn * uy + advance * h5;
    uz = turn * uz + advance * h8;
    vx = turn * vx + advance * mxz;
    vy = turn * vy + advance * myz;
    vz = turn * vz + advance * mzz;
  }
  const D = turn * uz + advance * vz + armature[iv];
  // Turned into the axes of the link, an inertia has an error of rounding about each of them.
  if (!(D > 0 && D > TURNED * (turn !== 0 ? jxx + jyy + jzz : mxx + myy + mzz))) return false;
  const inverse = 1 / D;
  const u = (c[k + C_SENSE] * tau[iv] - turn * nz - advance * fz) * inverse;
  const gx = ux * inverse;
  const gy = uy * inverse;
  const gz = uz * inverse;
  const kx = vx * inverse;
  const ky = vy * inverse;
  const kz = vz * inverse;
  s[o + G] = gx;
  s[o + G + 1] = gy;
  s[o + G + 2] = gz;
  s[o + G + 3] = kx;
  s[o + G + 4] = ky;
  s[o + G + 5] = kz;
  s[o + UD] = u;
  jxx -= gx * ux;
  jxy -= gx * uy;
  jxz -= gx * uz;
  jyy -= gy * uy;
  jyz -= gy * uz;
  jzz -= gz * uz;
  h0 -= gx * vx;
  h1 -= gx * vy;
  h2 -= gx * vz;
  h3 -= gy * vx;
  h4 -= gy * vy;
  h5 -= gy * vz;
  h6 -= gz * vx;
  h7 -= gz * vy;
  h8 -= gz * vz;
  mxx -= kx * vx;
  mxy -= kx * vy;
  mxz -= kx * vz;
  myy -= ky * vy;
  myz -= ky * vz;
  mzz -= kz * vz;
  nx += ux * u;
  ny += uy * u;
  nz += uz * u;
  fx += vx * u;
  fy += vy * u;
  fz += vz * u;
  // Link to tree coordinates: a turn about z.
  const cos = s[o + COS];
  const sin = s[o + SIN];
  let e = sin * (jxx - jyy) + 2 * cos * jxy;
  let t = sin * e;
  jxx -= t;
  jyy += t;
  jxy = cos * e - jxy;
  t = jxz;
  jxz = cos * t - sin * jyz;
  jyz = sin * t + cos * jyz;
  e = sin * (mxx - myy) + 2 * cos * mxy;
  t = sin * e;
  mxx -= t;
  myy += t;
  mxy = cos * e - mxy;
  t = mxz;
  mxz = cos * t - sin * myz;
  myz = sin * t + cos * myz;
  e = sin * (h0 - h4) + cos * (h1 + h3);
  t = sin * e;
  h0 -= t;
  h4 += t;
  t = h1;
  h1 = cos * e - h3;
  h3 = cos * e - t;
  t = h2;
  h2 = cos * t - sin * h5;
  h5 = sin * t + cos * h5;
  t = h6;
  h6 = cos * t - sin * h7;
  h7 = sin * t + cos * h7;
  t = nx;
  nx = cos * t - sin * ny;
  ny = sin * t + cos * ny;
  t = fx;
  fx = cos * t - sin * fy;
  fy = sin * t + cos * fy;
  // Tree to parent coordinates.
  if (kind === ROTATION_CYCLIC) {
    // parent x, y, z = tree z, x, y
    t = jxx;
    jxx = jzz;
    jzz = jyy;
    jyy = t;
    t = jxy;
    jxy = jxz;
    jxz = jyz;
    jyz = t;
    t = mxx;
    mxx = mzz;
    mzz = myy;
    myy = t;
    t = mxy;
    mxy = mxz;
    mxz = myz;
    myz = t;
    t = h0;
    h0 = h8;
    h8 = h4;
    h4 = t;
    t = h1;
    h1 = h6;
    h6 = h5;
    h5 = t;
    t = h2;
    h2 = h7;
    h7 = h3;
    h3 = t;
    t = nx;
    nx = nz;
    nz = ny;
    ny = t;
    t = fx;
    fx = fz;
    fz = fy;
    fy = t;
  } else if (kind === ROTATION_CYCLIC_BACK) {
    // parent x, y, z = tree y, z, x
    t = jxx;
    jxx = jyy;
    jyy = jzz;
    jzz = t;
    t = jxy;
    jxy = jyz;
    jyz = jxz;
    jxz = t;
    t = mxx;
    mxx = myy;
    myy = mzz;
    mzz = t;
    t = mxy;
    mxy = myz;
    myz = mxz;
    mxz = t;
    t = h0;
    h0 = h4;
    h4 = h8;
    h8 = t;
    t = h1;
    h1 = h5;
    h5 = h6;
    h6 = t;
    t = h2;
    h2 = h3;
    h3 = h7;
    h7 = t;
    t = nx;
    nx = ny;
    ny = nz;
    nz = t;
    t = fx;
    fx = fy;
    fy = fz;
    fz = t;
  } else if (kind === ROTATION_GENERAL) {
    carried[0] = jxx;
    carried[1] = jxy;
    carried[2] = jxz;
    carried[3] = jyy;
    carried[4] = jyz;
    carried[5] = jzz;
    carried[6] = h0;
    carried[7] = h1;
    carried[8] = h2;
    carried[9] = h3;
    carried[10] = h4;
    carried[11] = h5;
    carried[12] = h6;
    carried[13] = h7;
    carried[14] = h8;
    carried[15] = mxx;
    carried[16] = mxy;
    carried[17] = mxz;
    carried[18] = myy;
    carried[19] = myz;
    carried[20] = mzz;
    carried[21] = nx;
    carried[22] = ny;
    carried[23] = nz;
    carried[24] = fx;
    carried[25] = fy;
    carried[26] = fz;
    addCarriedToParent(s, o, op, carried, c, k + C_E);
    return true;
  }
  // From the link's origin to the parent's: H_p = H + r x M, J_p = J + r x H^T - H_p r x.
  const rx = s[o + R];
  const ry = s[o + R + 1];
  const rz = s[o + R + 2];
  const p0 = h0 + ry * mxz - rz * mxy;
  const p1 = h1 + ry * myz - rz * myy;
  const p2 = h2 + ry * mzz - rz * myz;
  const p3 = h3 + rz * mxx - rx * mxz;
  const p4 = h4 + rz * mxy - rx * myz;
  const p5 = h5 + rz * mxz - rx * mzz;
  const p6 = h6 + rx * mxy - ry * mxx;
  const p7 = h7 + rx * myy - ry * mxy;
  const p8 = h8 + rx * myz - ry * mxz;
  s[op + IA_J] += jxx + ry * (h2 + p2) - rz * (h1 + p1);
  s[op + IA_J + 1] += jxy + rz * (p0 - h4) + ry * h5 - rx * p2;
  s[op + IA_J + 2] += jxz + ry * (h8 - p0) - rz * h7 + rx * p1;
  s[op + IA_J + 3] += jyy + rz * (h3 + p3) - rx * (h5 + p5);
  s[op + IA_J + 4] += jyz + rz * h6 + rx * (p4 - h8) - ry * p3;
  s[op + IA_J + 5] += jzz + rx * (h7 + p7) - ry * (h6 + p6);
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
  s[op + PA] += nx + ry * fz - rz * fy;
  s[op + PA + 1] += ny + rz * fx - rx * fz;
  s[op + PA + 2] += nz + rx * fy - ry * fx;
  s[op + PA + 3] += fx;
  s[op + PA + 4] += fy;
  s[op + PA + 5] += fz;
  return true;
}

/** Pass 3, screws: the joint acceleration, and DELTA of the link. */
export function screwAccelerate(
  s: Float64Array,
  o: number,
  op: number,
  c: Float64Array,
  k: number,
  kind: number,
  qdd: Float64Array,
  iv: number,
): void {
  const rx = s[o + R];
  const ry = s[o + R + 1];
  const rz = s[o + R + 2];
  let x = s[op + DELTA];
  let y = s[op + DELTA + 1];
  let z = s[op + DELTA + 2];
  let ax = s[op + DELTA + 3] + y * rz - z * ry;
  let ay = s[op + DELTA + 4] + z * rx - x * rz;
  let az = s[op + DELTA + 5] + x * ry - y * rx;
  if (kind === ROTATION_CYCLIC) {
    let t = x;
    x = y;
    y = z;
    z = t;
    t = ax;
    ax = ay;
    ay = az;
    az = t;
  } else if (kind === ROTATION_CYCLIC_BACK) {
    let t = z;
    z = y;
    y = x;
    x = t;
    t = az;
    az = ay;
    ay = ax;
    ax = t;
  } else if (kind === ROTATION_GENERAL) {
    const x0 = x;
    const y0 = y;
    const z0 = z;
    const a0 = ax;
    const a1 = ay;
    const a2 = az;
    x = c[k + C_E] * x0 + c[k + C_E + 1] * y0 + c[k + C_E + 2] * z0;
    y = c[k + C_E + 3] * x0 + c[k + C_E + 4] * y0 + c[k + C_E + 5] * z0;
    z = c[k + C_E + 6] * x0 + c[k + C_E + 7] * y0 + c[k + C_E + 8] * z0;
    ax = c[k + C_E] * a0 + c[k + C_E + 1] * a1 + c[k + C_E + 2] * a2;
    ay = c[k + C_E + 3] * a0 + c[k + C_E + 4] * a1 + c[k + C_E + 5] * a2;
    az = c[k + C_E + 6] * a0 + c[k + C_E + 7] * a1 + c[k + C_E + 8] * a2;
  }
  const cos = s[o + COS];
  const sin = s[o + SIN];
  let t = x;
  x = cos * t + sin * y;
  y = cos * y - sin * t;
  t = ax;
  ax = cos * t + sin * ay;
  ay = cos * ay - sin * t;
  const own =
    s[o + UD] -
    (s[o + G] * x + s[o + G + 1] * y + s[o + G + 2] * z + s[o + G + 3] * ax + s[o + G + 4] * ay + s[o + G + 5] * az);
  s[o + DELTA] = x;
  s[o + DELTA + 1] = y;
  s[o + DELTA + 2] = z + c[k + C_TURN] * own;
  s[o + DELTA + 3] = ax;
  s[o + DELTA + 4] = ay;
  s[o + DELTA + 5] = az + c[k + C_ADVANCE] * own;
  qdd[iv] = c[k + C_SENSE] * own;
}
