// Impulses of a patch: several contacts of two links in one plane, as a foot has them. What they do to the links is a force and a
// moment, so that how they share them is open, and Newton's method creeps where one of them is at its cone and another has room.
// Friction shared by the normal impulses,
//
//   lambda_t = lambda_n (f + m n x r),      r from the centre of the normal impulses
//
// and normal impulses of four contacts as equal as they can be, keep all of them about equally far from their cones. Force and moment
// stay as they are, hence all velocities.

import { blockMerit } from './laws.js';
import {
  BLOCKS,
  type f64,
  type i32,
  KIND,
  KIND_CONTACT,
  LAMBDA,
  MU,
  SCALARS,
  SIDE_A,
  SIDE_B,
  TRIED,
  WRENCH_A,
  WRENCH_B,
} from './layout.js';

/** Contacts whose heights differ by more than this (m) are not one patch. */
const FLAT = 1e-9;
/** Of the squared size of a patch: normal impulses closer together than this cannot bear a moment. */
const NARROW = 1e-6;
/** A squared part of the scale below which a patch is left as it is. */
const LAWFUL = 1e-12;

/** Shares the impulses of every patch at LAMBDA where that lowers its merit. */
export function sharePatches(F: Float64Array, N: Int32Array): void {
  const blocks = N[BLOCKS];
  let c = 0;
  while (c < blocks) {
    let end = c + 1;
    if (bears(F, N, c) === 1) while (end < blocks && continues(F, N, c, end) === 1) end++;
    if (end - c > 1) {
      const before = keep(F, N, c, end);
      if (before > LAWFUL * F[N[SCALARS]] * F[N[SCALARS]]) {
        shareFriction(F, N, c, end);
        const after = restore(F, N, c, end, before);
        if (end - c === 4) {
          keep(F, N, c, end);
          shareNormals(F, N, c);
          shareFriction(F, N, c, end);
          restore(F, N, c, end, after);
        }
      }
    }
    c = end;
  }
}

/** TRIED <- the impulses of a patch; its merit. */
function keep(F: Float64Array, N: Int32Array, from: i32, end: i32): f64 {
  for (let k = 3 * from; k < 3 * end; k++) F[N[TRIED] + k] = F[N[LAMBDA] + k];
  return patchMerit(F, N, from, end);
}

/** The impulses at TRIED again, unless the present ones are better; the merit. */
function restore(F: Float64Array, N: Int32Array, from: i32, end: i32, before: f64): f64 {
  const after = patchMerit(F, N, from, end);
  if (after <= before) return after;
  for (let k = 3 * from; k < 3 * end; k++) F[N[LAMBDA] + k] = F[N[TRIED] + k];
  return before;
}

function patchMerit(F: Float64Array, N: Int32Array, from: i32, end: i32): f64 {
  let sum: f64 = 0;
  for (let c = from; c < end; c++) sum += blockMerit(F, N, c, 0);
  return sum;
}

function bears(F: Float64Array, N: Int32Array, c: i32): i32 {
  if (N[N[KIND] + c] === KIND_CONTACT && F[N[MU] + c] > 0) return 1;
  return 0;
}

/** Where the wrenches of a contact stand; both sides have the same points. */
function wrenchOf(N: Int32Array, c: i32): i32 {
  if (N[N[SIDE_A] + c] >= 0) return N[WRENCH_A] + 18 * c;
  return N[WRENCH_B] + 18 * c;
}

/** Whether contact e belongs to the patch that begins with c. */
function continues(F: Float64Array, N: Int32Array, c: i32, e: i32): i32 {
  if (bears(F, N, e) === 0) return 0;
  if (N[N[SIDE_A] + e] !== N[N[SIDE_A] + c] || N[N[SIDE_B] + e] !== N[N[SIDE_B] + c]) return 0;
  const w = wrenchOf(N, c);
  const v = wrenchOf(N, e);
  if (F[w + 9] !== F[v + 9] || F[w + 12] !== F[v + 12] || F[w + 15] !== F[v + 15]) return 0;
  if (!(Math.abs(heightOf(F, w) - heightOf(F, v)) <= FLAT)) return 0;
  return 1;
}

// With the normal n and directions a, b = n x a across it, columns of the forces, and moments p x n, p x a, p x b of a point p:
// p . a = n . (p x b),   p . b = -n . (p x a),   p . n = -a . (p x b).

function heightOf(F: Float64Array, w: i32): f64 {
  return -(F[w + 10] * F[w + 2] + F[w + 13] * F[w + 5] + F[w + 16] * F[w + 8]);
}

function alongA(F: Float64Array, w: i32): f64 {
  return F[w + 9] * F[w + 2] + F[w + 12] * F[w + 5] + F[w + 15] * F[w + 8];
}

function alongB(F: Float64Array, w: i32): f64 {
  return -(F[w + 9] * F[w + 1] + F[w + 12] * F[w + 4] + F[w + 15] * F[w + 7]);
}

function shareFriction(F: Float64Array, N: Int32Array, from: i32, end: i32): void {
  const lambda = N[LAMBDA];
  let total: f64 = 0;
  let x: f64 = 0;
  let y: f64 = 0;
  let a: f64 = 0;
  let b: f64 = 0;
  for (let c = from; c < end; c++) {
    const o = lambda + 3 * c;
    const w = wrenchOf(N, c);
    const n = Math.max(0, F[o]);
    total += n;
    x += n * alongA(F, w);
    y += n * alongB(F, w);
    a += F[o + 1];
    b += F[o + 2];
  }
  if (!(total > 0)) return;
  x = x / total;
  y = y / total;
  let moment: f64 = 0;
  let inertia: f64 = 0;
  let size: f64 = 0;
  for (let c = from; c < end; c++) {
    const o = lambda + 3 * c;
    const w = wrenchOf(N, c);
    const p = alongA(F, w) - x;
    const q = alongB(F, w) - y;
    moment += p * F[o + 2] - q * F[o + 1];
    inertia += Math.max(0, F[o]) * (p * p + q * q);
    size = Math.max(size, p * p + q * q);
  }
  if (!(inertia > NARROW * total * size)) return;
  a = a / total;
  b = b / total;
  moment = moment / inertia;
  for (let c = from; c < end; c++) {
    const o = lambda + 3 * c;
    const w = wrenchOf(N, c);
    const n = Math.max(0, F[o]);
    F[o + 1] = n * (a - moment * (alongB(F, w) - y));
    F[o + 2] = n * (b + moment * (alongA(F, w) - x));
  }
}

/** Normal impulses of the four contacts from `from`: with the areas of the triangles of the other three they do nothing together. */
function shareNormals(F: Float64Array, N: Int32Array, from: i32): void {
  const lambda = N[LAMBDA] + 3 * from;
  const a0 = area(F, N, from + 1, from + 2, from + 3);
  const a1 = -area(F, N, from, from + 2, from + 3);
  const a2 = area(F, N, from, from + 1, from + 3);
  const a3 = -area(F, N, from, from + 1, from + 2);
  const squares = a0 * a0 + a1 * a1 + a2 * a2 + a3 * a3;
  if (!(squares > 0)) return;
  const t = -(a0 * F[lambda] + a1 * F[lambda + 3] + a2 * F[lambda + 6] + a3 * F[lambda + 9]) / squares;
  const n0 = F[lambda] + t * a0;
  const n1 = F[lambda + 3] + t * a1;
  const n2 = F[lambda + 6] + t * a2;
  const n3 = F[lambda + 9] + t * a3;
  // Negative ones: as far as the first of them allows is not worth it.
  if (!(Math.min(Math.min(n0, n1), Math.min(n2, n3)) >= 0)) return;
  F[lambda] = n0;
  F[lambda + 3] = n1;
  F[lambda + 6] = n2;
  F[lambda + 9] = n3;
}

/** Twice the area of the triangle of three contacts, with its sign. */
function area(F: Float64Array, N: Int32Array, i: i32, j: i32, k: i32): f64 {
  const a = wrenchOf(N, i);
  const b = wrenchOf(N, j);
  const c = wrenchOf(N, k);
  const x = alongA(F, a);
  const y = alongB(F, a);
  return (alongA(F, b) - x) * (alongB(F, c) - y) - (alongB(F, b) - y) * (alongA(F, c) - x);
}
