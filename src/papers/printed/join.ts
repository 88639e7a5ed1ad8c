// Assembly and disassembly of one tree joint in the printed form: the equations of paper 002 as the errata correct them,
// which are numbered 002-n. A is the part on the parent's side of joint i, B that of the link it carries, j a handle of A, k one of B.
//
//   V_i = (N_i (Phi_A,ii + Phi_B,ii) N_i^T)^-1,   W_i = N_i^T V_i N_i
//   beta_i = b_A,i - b_B,i - (Phi_A,ii + Phi_B,ii) R_i^T tau_i,   gamma_i = W_i beta_i + R_i^T tau_i              (002-7)
//   [002] eq. 3   Phi_C,jj' = Phi_A,jj' - Phi_A,ji W_i Phi_A,ij'                                               (002-3)
//   [002] eq. 4   Phi_C,kk' = Phi_B,kk' - Phi_B,ki W_i Phi_B,ik'                                               (002-3)
//   [002] eq. 5   Phi_C,jk = Phi_A,ji W_i Phi_B,ik                                                             (002-2)
//   [002] eq. 6   b_C,j = b_A,j - Phi_A,ji gamma_i
//   [002] eq. 7   b_C,k = b_B,k + Phi_B,ki gamma_i
//   [002] eq. 8   n_i = V_i N_i r_i,   r_i = beta_i + sum_j Phi_A,ij f_j - sum_k Phi_B,ik f_k                  (002-5)
//   [002] eq. 9   qdd_i = R_i ((Phi_A,ii + Phi_B,ii) N_i^T n_i - r_i)
//   [002] eq. 10  f_i = N_i^T n_i + R_i^T tau_i, on B; its opposite on A                                       (002-6)
//
// Paper 000 has Phi_C as [000] eq. 50, the force as [000] eq. 51 and qdd as [000] eq. 53 (errata 000-1 to 000-4).
//
// Accelerations are differences from the motion with qdd = 0, in which all velocity products c_i are contained. With
// V_i^-1 = L L^T and Y = L^-1 N_i we have W_i = Y^T Y, and with Z_j = Y Phi_A,ij, Z_k = -Y Phi_B,ik the equations for Phi_C
// are one: Phi_C,uv = Phi_uv - Z_u^T Z_v, where blocks between A and B are zero before.
//
// Armature has no place in the printed form. A rotor of inertia d on freedom m takes the force -d qdd_m: that is one more
// row R_m of N_i and 1 / d at its place in the diagonal of V_i^-1, and nothing else changes.

import { addBlockTimes, addTransposedTimes, BLOCK, copyBlock } from '../../spatial/blocks.js';
import { biasAt, type PrintedJoin, type PrintedPart, phiAt } from './plan.js';

/** What a joint keeps from assembly to disassembly. */
export interface JointWork {
  readonly nv: number;
  /** nv x 6. */
  readonly R: Float64Array;
  /** Up to 6 x 6: constraint space, then the rows of freedoms with a rotor. */
  readonly N: Float64Array;
  /** Phi_A,ii + Phi_B,ii. */
  readonly T: Float64Array;
  /** L^-1 N, row by row; `rows` of them. */
  readonly Y: Float64Array;
  rows: number;
  readonly beta: Float64Array;
  /** R^T tau. */
  readonly drive: Float64Array;
}

export function createJointWork(nv: number): JointWork {
  const block = (): Float64Array => new Float64Array(BLOCK);
  return {
    nv,
    R: block(),
    N: block(),
    T: block(),
    Y: block(),
    rows: 0,
    beta: new Float64Array(6),
    drive: new Float64Array(6),
  };
}

export interface PrintedMemory {
  /** Blocks and vectors of all parts. */
  readonly m: Float64Array;
  /** Z_u for the handles of one part, 36 numbers each. */
  readonly Z: Float64Array;
  /** 36: a matrix to be factorised. */
  readonly L: Float64Array;
  /** 18: three vectors. */
  readonly x: Float64Array;
}

/** True unless V_i does not exist. `iv`: place of the joint's freedoms in tau and armature. */
export function assembleJoint(
  { m, Z, L, x }: PrintedMemory,
  { A, B, C, iA, iB }: PrintedJoin,
  joint: JointWork,
  tau: Float64Array,
  armature: Float64Array,
  iv: number,
): boolean {
  const { T, beta, drive, R, nv } = joint;
  const phiB = phiAt(B, iB, iB);
  for (let e = 0; e < BLOCK; e++) T[e] = m[phiB + e];
  if (iA >= 0) for (let e = 0, phiA = phiAt(A, iA, iA); e < BLOCK; e++) T[e] += m[phiA + e];
  for (let e = 0; e < 6; e++) {
    drive[e] = 0;
    for (let k = 0; k < nv; k++) drive[e] += R[6 * k + e] * tau[iv + k];
    beta[e] = (iA >= 0 ? m[biasAt(A, iA) + e] : 0) - m[biasAt(B, iB) + e];
  }
  addBlockTimes(beta, 0, -1, T, 0, drive, 0);
  if (!factorise(joint, L, armature, iv)) return false;
  const gamma = x;
  timesW(gamma, 0, joint, beta, 0);
  for (let e = 0; e < 6; e++) gamma[e] += drive[e];
  const firstOfB = iA >= 0 ? A.handles.length - 1 : A.handles.length;
  for (let u = 0; u < C.handles.length; u++) {
    const onB = u >= firstOfB;
    const [part, i] = onB ? [B, iB] : [A, iA];
    const own = sourceOf(u, firstOfB, iA, iB);
    for (let v = 0; v <= u; v++) {
      const to = phiAt(C, u, v);
      if (onB && v < firstOfB) m.fill(0, to, to + BLOCK);
      else copyBlock(m, to, m, phiAt(part, own, sourceOf(v, firstOfB, iA, iB)));
    }
    m.copyWithin(biasAt(C, u), biasAt(part, own), biasAt(part, own) + 6);
    if (i < 0) continue;
    const sign = onB ? -1 : 1;
    setZ(Z, BLOCK * u, sign, joint, m, part, i, own);
    addPhiTimes(m, biasAt(C, u), -sign, m, part, own, i, gamma, 0);
  }
  // Handles of A do not feel a joint on the fixed base.
  for (let u = iA < 0 ? firstOfB : 0; u < C.handles.length; u++)
    for (let v = iA < 0 ? firstOfB : 0; v <= u; v++) subtractZZ(m, phiAt(C, u, v), Z, BLOCK * u, BLOCK * v, joint.rows);
  return true;
}

/** The number in its own part of handle u of C. */
function sourceOf(u: number, firstOfB: number, iA: number, iB: number): number {
  if (u >= firstOfB) return u - firstOfB + (u - firstOfB >= iB ? 1 : 0);
  return iA >= 0 && u >= iA ? u + 1 : u;
}

/** Y = L^-1 N, with L L^T = N T N^T, plus 1 / armature for the rows of rotors. */
function factorise(joint: JointWork, L: Float64Array, armature: Float64Array, iv: number): boolean {
  const { N, R, T, Y, nv } = joint;
  let rows = 6 - nv;
  L.fill(0);
  for (let k = 0; k < nv; k++)
    if (armature[iv + k] > 0) {
      for (let j = 0; j < 6; j++) N[6 * rows + j] = R[6 * k + j];
      L[7 * rows] = 1 / armature[iv + k];
      rows++;
    }
  joint.rows = rows;
  for (let a = 0; a < rows; a++) {
    // Row a of Y holds row a of N T for now.
    for (let j = 0; j < 6; j++) Y[6 * a + j] = 0;
    addTransposedTimes(Y, 6 * a, 1, T, 0, N, 6 * a);
    for (let c = 0; c <= a; c++) for (let j = 0; j < 6; j++) L[6 * a + c] += Y[6 * a + j] * N[6 * c + j];
  }
  for (let a = 0; a < rows; a++) {
    for (let j = 0; j < 6; j++) Y[6 * a + j] = N[6 * a + j];
    for (let c = 0; c < a; c++) {
      let sum = L[6 * a + c];
      for (let e = 0; e < c; e++) sum -= L[6 * a + e] * L[6 * c + e];
      sum /= L[7 * c];
      L[6 * a + c] = sum;
      L[7 * a] -= sum * sum;
      for (let j = 0; j < 6; j++) Y[6 * a + j] -= sum * Y[6 * c + j];
    }
    if (!(L[7 * a] > 0)) return false;
    L[7 * a] = Math.sqrt(L[7 * a]);
    for (let j = 0; j < 6; j++) Y[6 * a + j] /= L[7 * a];
  }
  return true;
}

/** out = W y = Y^T Y y. */
function timesW(out: Float64Array, o: number, { Y, rows }: JointWork, y: Float64Array, iy: number): void {
  for (let j = 0; j < 6; j++) out[o + j] = 0;
  for (let a = 0; a < rows; a++) {
    let sum = 0;
    for (let j = 0; j < 6; j++) sum += Y[6 * a + j] * y[iy + j];
    for (let j = 0; j < 6; j++) out[o + j] += Y[6 * a + j] * sum;
  }
}

/** Z = sign Y Phi_iu. */
function setZ(
  Z: Float64Array,
  z: number,
  sign: number,
  { Y, rows }: JointWork,
  m: Float64Array,
  part: PrintedPart,
  i: number,
  u: number,
): void {
  for (let a = 0; a < rows; a++) {
    for (let j = 0; j < 6; j++) Z[z + 6 * a + j] = 0;
    addPhiTimes(Z, z + 6 * a, sign, m, part, u, i, Y, 6 * a);
  }
}

/** out += s Phi_tu y of a part, for any order of t and u. */
export function addPhiTimes(
  out: Float64Array,
  o: number,
  s: number,
  m: Float64Array,
  part: PrintedPart,
  t: number,
  u: number,
  y: Float64Array,
  iy: number,
): void {
  if (u <= t) addBlockTimes(out, o, s, m, phiAt(part, t, u), y, iy);
  else addTransposedTimes(out, o, s, m, phiAt(part, u, t), y, iy);
}

/** out -= Z_u^T Z_v: [002] eq. 3, [002] eq. 4 and [002] eq. 5. */
function subtractZZ(out: Float64Array, o: number, Z: Float64Array, u: number, v: number, rows: number): void {
  for (let i = 0; i < 6; i++)
    for (let j = 0; j < 6; j++) {
      let sum = 0;
      for (let a = 0; a < rows; a++) sum += Z[u + 6 * a + i] * Z[v + 6 * a + j];
      out[o + 6 * i + j] -= sum;
    }
}

/** Disassembly: forces[6 link ...] and qdd[iv ...] of the joint, from the forces at the handles of C. */
export function disassembleJoint(
  { m, x }: PrintedMemory,
  { link, A, B, iA, iB }: PrintedJoin,
  joint: JointWork,
  forces: Float64Array,
  qdd: Float64Array,
  iv: number,
): void {
  const { beta, drive, R, T, nv } = joint;
  const [r, f, relative] = [0, 6, 12];
  for (let e = 0; e < 6; e++) x[r + e] = beta[e];
  if (iA >= 0) addForces(x, r, 1, m, A, iA, forces);
  addForces(x, r, -1, m, B, iB, forces);
  timesW(x, f, joint, x, r);
  for (let e = 0; e < 6; e++) {
    forces[6 * link + e] = x[f + e] + drive[e];
    x[relative + e] = -x[r + e];
  }
  addBlockTimes(x, relative, 1, T, 0, x, f);
  for (let k = 0; k < nv; k++) {
    let sum = 0;
    for (let e = 0; e < 6; e++) sum += R[6 * k + e] * x[relative + e];
    qdd[iv + k] = sum;
  }
}

/** out += s sum over the handles u of a part but i of Phi_iu f_u. */
function addForces(
  out: Float64Array,
  o: number,
  s: number,
  m: Float64Array,
  part: PrintedPart,
  i: number,
  forces: Float64Array,
): void {
  for (let u = 0; u < part.handles.length; u++) {
    if (u === i) continue;
    const { force, sign } = part.handles[u];
    addPhiTimes(out, o, s * sign, m, part, i, u, forces, force);
  }
}
