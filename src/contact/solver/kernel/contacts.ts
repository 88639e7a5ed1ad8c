// Contacts, limits and other rows of an island: J v, J^T lambda, and how easily each of them is moved.

import { solveBlocks } from './blocks.js';
import {
  BLOCKS,
  C,
  CHANGE,
  COMPLIANCE,
  D,
  DOFS,
  DV,
  FACTORS,
  FREE_VELOCITY,
  type f64,
  type i32,
  KIND,
  KIND_BOX,
  KIND_LIMIT,
  KIND_WRENCH,
  LINK_VECTOR,
  LINKS,
  OFFSET,
  ROOT,
  SCALARS,
  SIDE_A,
  SIDE_B,
  TREE_STRUCTURE,
  WORK,
  WRENCH_A,
  WRENCH_B,
} from './layout.js';
import { jointResponse, linkResponse } from './responses.js';
import { jointForces, linkVelocities } from './tree.js';

/** A part of the largest inverse inertia below which a row cannot move. */
const IMMOBILE = 1e-12;

/** D (where it is not known), C and the scale, which becomes no less than the fastest that a block would move. */
export function prepareBlocks(F: Float64Array, N: Int32Array, fresh: i32): void {
  const blocks = N[BLOCKS];
  const c = N[C];
  if (fresh === 1) findResponses(F, N);
  motionOfBlocks(F, N, N[FREE_VELOCITY], c);
  let fastest: f64 = 0;
  for (let b = 0; b < blocks; b++) {
    const o = c + 3 * b;
    fastest = Math.max(fastest, F[o] * F[o] + F[o + 1] * F[o + 1] + F[o + 2] * F[o + 2]);
  }
  F[N[SCALARS]] = Math.max(F[N[SCALARS]], Math.sqrt(fastest));
  for (let k = 0; k < 3 * blocks; k++) F[c + k] += F[N[OFFSET] + k];
}

/** D of every block. */
function findResponses(F: Float64Array, N: Int32Array): void {
  const blocks = N[BLOCKS];
  const d = N[D];
  let most: f64 = 0;
  // Of each velocity, where it is known: a joint may have a limit and dry friction.
  const known = N[CHANGE];
  for (let k = 0; k < N[DOFS]; k++) F[known + k] = 0;
  let lastA = -2;
  let lastB = -2;
  for (let b = 0; b < blocks; b++) {
    const x = N[N[SIDE_A] + b];
    const y = N[N[SIDE_B] + b];
    const kind = N[N[KIND] + b];
    if (kind === KIND_LIMIT || kind === KIND_BOX) F[d + b] = rowResponse(F, N, b, x, y);
    else {
      if (x !== lastA || y !== lastB) respond(F, N, x, y);
      lastA = x;
      lastB = y;
      F[d + b] = wrenchResponse(F, N, b, x, y);
    }
    most = Math.max(most, F[d + b]);
  }
  // Directions in which nothing can move, as redundant loops have them: any measure will do.
  for (let b = 0; b < blocks; b++) if (!(F[d + b] > IMMOBILE * most)) F[d + b] = most > 0 ? most : 1;
}

/** Answers of the links of a block, at WORK: of a (less b) in the first 36, of b in another tree in the next. */
function respond(F: Float64Array, N: Int32Array, x: i32, y: i32): void {
  const out = N[WORK] + 72;
  if (x >= 0 && y >= 0 && N[N[ROOT] + x] === N[N[ROOT] + y]) linkResponse(F, N, x, y, out);
  else {
    if (x >= 0) linkResponse(F, N, x, -1, out);
    if (y >= 0) linkResponse(F, N, y, -1, out + 36);
  }
}

function wrenchResponse(F: Float64Array, N: Int32Array, b: i32, x: i32, y: i32): f64 {
  const out = N[WORK] + 72;
  const rows = N[N[KIND] + b] === KIND_WRENCH ? 1 : 3;
  let sum = F[N[COMPLIANCE] + b];
  if (x >= 0) sum += projected(F, out, N[WRENCH_A] + 18 * b, rows);
  if (y >= 0 && (x < 0 || N[N[ROOT] + x] !== N[N[ROOT] + y])) sum += projected(F, out + 36, N[WRENCH_B] + 18 * b, rows);
  return sum / rows;
}

/** Trace of F^T A F. */
function projected(F: Float64Array, A: i32, wrench: i32, rows: i32): f64 {
  let sum: f64 = 0;
  for (let k = 0; k < rows; k++) {
    const w = wrench + k;
    for (let r = 0; r < 6; r++) {
      const a = A + 6 * r;
      sum +=
        F[w + 3 * r] *
        (F[a] * F[w] +
          F[a + 1] * F[w + 3] +
          F[a + 2] * F[w + 6] +
          F[a + 3] * F[w + 9] +
          F[a + 4] * F[w + 12] +
          F[a + 5] * F[w + 15]);
    }
  }
  return sum;
}

function rowResponse(F: Float64Array, N: Int32Array, b: i32, x: i32, y: i32): f64 {
  const w = N[WRENCH_A] + 18 * b;
  if (y < 0) {
    const known = N[CHANGE] + x;
    if (F[known] === 0) F[known] = jointResponse(F, N, x);
    return F[w] * F[w] * F[known];
  }
  const z = N[DV];
  for (let k = 0; k < N[DOFS]; k++) F[z + k] = 0;
  F[z + x] = F[w];
  F[z + y] = F[w + 1];
  solveBlocks(F, N, N[TREE_STRUCTURE], N[FACTORS], z, N[WORK]);
  return F[w] * F[z + x] + F[w + 1] * F[z + y];
}

/** u <- J v. */
export function motionOfBlocks(F: Float64Array, N: Int32Array, v: i32, u: i32): void {
  linkVelocities(F, N, v, N[LINK_VECTOR]);
  toContacts(F, N, v, N[LINK_VECTOR], u);
}

/** u <- J v, V the velocities of the links. */
export function toContacts(F: Float64Array, N: Int32Array, v: i32, V: i32, u: i32): void {
  const blocks = N[BLOCKS];
  const sideA = N[SIDE_A];
  const sideB = N[SIDE_B];
  for (let b = 0; b < blocks; b++) {
    const kind = N[N[KIND] + b];
    const x = N[sideA + b];
    const y = N[sideB + b];
    const o = u + 3 * b;
    const wa = N[WRENCH_A] + 18 * b;
    let u0: f64 = 0;
    let u1: f64 = 0;
    let u2: f64 = 0;
    if (kind === KIND_LIMIT || kind === KIND_BOX) {
      u0 = F[wa] * F[v + x];
      if (y >= 0) u0 += F[wa + 1] * F[v + y];
    } else {
      if (x >= 0) {
        const q = V + 6 * x;
        for (let r = 0; r < 6; r++) {
          const s = F[q + r];
          const w = wa + 3 * r;
          u0 += F[w] * s;
          u1 += F[w + 1] * s;
          u2 += F[w + 2] * s;
        }
      }
      if (y >= 0) {
        const q = V + 6 * y;
        const wb = N[WRENCH_B] + 18 * b;
        for (let r = 0; r < 6; r++) {
          const s = F[q + r];
          const w = wb + 3 * r;
          u0 -= F[w] * s;
          u1 -= F[w + 1] * s;
          u2 -= F[w + 2] * s;
        }
      }
    }
    F[o] = u0;
    F[o + 1] = u1;
    F[o + 2] = u2;
  }
}

/** tau <- J^T lambda. */
export function toForces(F: Float64Array, N: Int32Array, lambda: i32, tau: i32): void {
  const blocks = N[BLOCKS];
  const links = N[LINKS];
  const vector = N[LINK_VECTOR];
  for (let k = 0; k < 6 * links; k++) F[vector + k] = 0;
  for (let b = 0; b < blocks; b++) {
    const kind = N[N[KIND] + b];
    if (kind === KIND_LIMIT || kind === KIND_BOX) continue;
    const o = lambda + 3 * b;
    const l0 = F[o];
    const l1 = F[o + 1];
    const l2 = F[o + 2];
    const x = N[N[SIDE_A] + b];
    const y = N[N[SIDE_B] + b];
    if (x >= 0) {
      const q = vector + 6 * x;
      const wa = N[WRENCH_A] + 18 * b;
      for (let r = 0; r < 6; r++) F[q + r] += F[wa + 3 * r] * l0 + F[wa + 3 * r + 1] * l1 + F[wa + 3 * r + 2] * l2;
    }
    if (y >= 0) {
      const q = vector + 6 * y;
      const wb = N[WRENCH_B] + 18 * b;
      for (let r = 0; r < 6; r++) F[q + r] -= F[wb + 3 * r] * l0 + F[wb + 3 * r + 1] * l1 + F[wb + 3 * r + 2] * l2;
    }
  }
  jointForces(F, N, vector, tau);
  for (let b = 0; b < blocks; b++) {
    const kind = N[N[KIND] + b];
    if (kind !== KIND_LIMIT && kind !== KIND_BOX) continue;
    const w = N[WRENCH_A] + 18 * b;
    const y = N[N[SIDE_B] + b];
    F[tau + N[N[SIDE_A] + b]] += F[w] * F[lambda + 3 * b];
    if (y >= 0) F[tau + y] += F[w + 1] * F[lambda + 3 * b];
  }
}
