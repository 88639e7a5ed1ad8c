// The contact problem of an island: its impulses by Newton's method in velocity space. See velocity-newton.ts for the equations;
// here contacts stand on links, and their stiffness is put on the inertia of the links before the mass matrix is made of them:
//
//   K = S^T (I + sum of F W F^T) S        one link against the ground
//   K -= S_a^T F_a W F_b^T S_b            and the same with a and b exchanged, between two links

import { factoriseBlocks, solveBlocks } from './blocks.js';
import { clampLawful, largestResidual, linearise } from './laws.js';
import {
  BLOCKS,
  C,
  CHANGE,
  COMPOSITE,
  CROSS,
  D,
  DOFS,
  DV,
  E,
  FACTORS,
  FORCE,
  FREE,
  FREE_VELOCITY,
  type f64,
  H,
  H_LENGTH,
  IN_DIAGONAL,
  IN_LOWER,
  IN_UPPER,
  ISLAND_STRUCTURE,
  type i32,
  K,
  K_LENGTH,
  KIND,
  KIND_BOX,
  KIND_CONTACT,
  KIND_LIMIT,
  LAMBDA,
  LAST,
  LINK_OF,
  LINK_VECTOR,
  LINKS,
  MOTION,
  NODE_OF,
  NODE_PARENT,
  OFFSET,
  RIGID,
  ROOT,
  S_DIAGONAL,
  S_LOWER,
  S_SIZE,
  S_START,
  S_UPPER,
  SCALARS,
  SIDE_A,
  SIDE_B,
  TREE_STRUCTURE,
  TRIED,
  TRIED_U,
  U,
  W,
  WORK,
  WRENCH_A,
  WRENCH_B,
} from './layout.js';
import {
  accumulate,
  assemble,
  expandInertias,
  jointForces,
  jointResponse,
  linkResponse,
  linkVelocities,
} from './tree.js';

/** A part of the largest inverse inertia below which a row cannot move. */
const IMMOBILE = 1e-12;
const LEAST_EPS = 1e-5;
const PART = 0.4;

/** Mass matrices and their factors; 0 where some joint feels no inertia. */
export function factoriseInertia(F: Float64Array, N: Int32Array): i32 {
  const tree = N[TREE_STRUCTURE];
  const rigid = N[RIGID];
  const composite = N[COMPOSITE];
  expandInertias(F, N);
  for (let k = 0; k < 36 * N[LINKS]; k++) F[composite + k] = F[rigid + k];
  accumulate(F, N);
  assemble(F, N, N[H], N[tree + S_DIAGONAL], N[tree + S_LOWER], N[tree + S_UPPER]);
  for (let k = 0; k < N[H_LENGTH]; k++) F[N[FACTORS] + k] = F[N[H] + k];
  return factoriseBlocks(F, N, tree, N[FACTORS], N[WORK]);
}

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
  const rows = N[N[KIND] + b] === KIND_CONTACT ? 3 : 1;
  let sum: f64 = 0;
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
  if (y < 0) return F[w] * F[w] * jointResponse(F, N, x);
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
function toContacts(F: Float64Array, N: Int32Array, v: i32, V: i32, u: i32): void {
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
function toForces(F: Float64Array, N: Int32Array, lambda: i32, tau: i32): void {
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

/** u <- J (v* + H^-1 J^T lambda) + b, with FORCE and CHANGE on the way; returns the residual. */
export function evaluate(F: Float64Array, N: Int32Array, lambda: i32, u: i32): f64 {
  const dofs = N[DOFS];
  const force = N[FORCE];
  const change = N[CHANGE];
  const V = N[LINK_VECTOR];
  toForces(F, N, lambda, force);
  for (let k = 0; k < dofs; k++) F[change + k] = F[force + k];
  solveBlocks(F, N, N[TREE_STRUCTURE], N[FACTORS], change, N[WORK]);
  linkVelocities(F, N, change, V);
  toContacts(F, N, change, V, u);
  for (let k = 0; k < 3 * N[BLOCKS]; k++) F[u + k] += F[N[C] + k];
  return largestResidual(F, N, lambda, u);
}

/** Improves LAMBDA, whose U are known with residual F[SCALARS + 1]; returns the iterations, and leaves U, FORCE, CHANGE, residual. */
export function newton(F: Float64Array, N: Int32Array, tolerance: f64, most: i32, firstEps: f64): i32 {
  const rows = 3 * N[BLOCKS];
  const lambda = N[LAMBDA];
  const tried = N[TRIED];
  let r = F[N[SCALARS] + 1];
  let iterations = 0;
  let rises = 0;
  let eps = firstEps;
  let fresh = 1;
  while (r > tolerance && iterations < most) {
    iterations++;
    if (newtonStep(F, N, eps) === 0) break;
    let next = tryPart(F, N, 1);
    // Where the whole step does not help, a part of it may.
    if (!(next < r)) {
      const part = tryPart(F, N, PART);
      if (part < r) next = part;
      else next = tryPart(F, N, 1);
    }
    fresh = 0;
    if (!(next < r) && rises > 0) {
      eps = Math.min(0.3, 100 * eps);
      rises = 0;
      continue;
    }
    // One rise is allowed: the way to the solution may lead over it.
    if (next < r) eps = Math.max(LEAST_EPS, eps / 10);
    else {
      rises++;
      eps = Math.min(0.1, 10 * eps);
    }
    if (!(next >= 0)) break;
    for (let k = 0; k < rows; k++) {
      F[lambda + k] = F[tried + k];
      F[N[U] + k] = F[N[TRIED_U] + k];
    }
    r = next;
    fresh = 1;
  }
  if (fresh === 0) r = evaluate(F, N, lambda, N[U]);
  F[N[SCALARS] + 1] = r;
  return iterations;
}

/** The residual of LAMBDA with a part of the step E, in TRIED and TRIED_U. */
function tryPart(F: Float64Array, N: Int32Array, part: f64): f64 {
  const tried = N[TRIED];
  for (let k = 0; k < 3 * N[BLOCKS]; k++) F[tried + k] = F[N[LAMBDA] + k] + part * F[N[E] + k];
  clampLawful(F, N, tried);
  return evaluate(F, N, tried, N[TRIED_U]);
}

/** E <- change of impulses; 0 where the matrix has no factors. */
function newtonStep(F: Float64Array, N: Int32Array, eps: f64): i32 {
  const blocks = N[BLOCKS];
  const links = N[LINKS];
  const matrix = N[K];
  const composite = N[COMPOSITE];
  const rigid = N[RIGID];
  const e = N[E];
  for (let k = 0; k < 3 * blocks; k++) F[e + k] = 0;
  for (let b = 0; b < blocks; b++) linearise(F, N, b, eps);
  for (let k = 0; k < 36 * links; k++) F[composite + k] = F[rigid + k];
  for (let b = 0; b < blocks; b++) addStiffness(F, N, b);
  accumulate(F, N);
  for (let k = 0; k < N[K_LENGTH]; k++) F[matrix + k] = 0;
  assemble(F, N, matrix, N[IN_DIAGONAL], N[IN_LOWER], N[IN_UPPER]);
  addCoupling(F, N);
  if (factoriseBlocks(F, N, N[ISLAND_STRUCTURE], matrix, N[WORK]) === 0) return 0;
  const dv = N[DV];
  toForces(F, N, e, dv);
  solveBlocks(F, N, N[ISLAND_STRUCTURE], matrix, dv, N[WORK]);
  // The velocities of the blocks go where the tried ones will.
  const u = N[TRIED_U];
  motionOfBlocks(F, N, dv, u);
  for (let b = 0; b < blocks; b++) {
    const w = N[W] + 9 * b;
    if (F[w] === 0) continue;
    const o = e + 3 * b;
    const u0 = F[u + 3 * b];
    const u1 = F[u + 3 * b + 1];
    const u2 = F[u + 3 * b + 2];
    F[o] -= F[w] * u0 + F[w + 1] * u1 + F[w + 2] * u2;
    F[o + 1] -= F[w + 3] * u0 + F[w + 4] * u1 + F[w + 5] * u2;
    F[o + 2] -= F[w + 6] * u0 + F[w + 7] * u1 + F[w + 8] * u2;
  }
  return 1;
}

/** COMPOSITE of the links of a block += F W F^T. */
function addStiffness(F: Float64Array, N: Int32Array, b: i32): void {
  const w = N[W] + 9 * b;
  const kind = N[N[KIND] + b];
  if (F[w] === 0 || kind === KIND_LIMIT || kind === KIND_BOX) return;
  const x = N[N[SIDE_A] + b];
  const y = N[N[SIDE_B] + b];
  if (x >= 0) addProduct(F, N[COMPOSITE] + 36 * x, N[WRENCH_A] + 18 * b, w, N[WRENCH_A] + 18 * b);
  if (y >= 0) addProduct(F, N[COMPOSITE] + 36 * y, N[WRENCH_B] + 18 * b, w, N[WRENCH_B] + 18 * b);
}

/** A (6 x 6) += P W Q^T; P and Q 6 x 3. */
function addProduct(F: Float64Array, A: i32, P: i32, w: i32, Q: i32): void {
  const w0 = F[w];
  const w1 = F[w + 1];
  const w2 = F[w + 2];
  const w3 = F[w + 3];
  const w4 = F[w + 4];
  const w5 = F[w + 5];
  const w6 = F[w + 6];
  const w7 = F[w + 7];
  const w8 = F[w + 8];
  for (let r = 0; r < 6; r++) {
    const p0 = F[P + 3 * r];
    const p1 = F[P + 3 * r + 1];
    const p2 = F[P + 3 * r + 2];
    const a = p0 * w0 + p1 * w3 + p2 * w6;
    const b = p0 * w1 + p1 * w4 + p2 * w7;
    const c = p0 * w2 + p1 * w5 + p2 * w8;
    const o = A + 6 * r;
    F[o] += a * F[Q] + b * F[Q + 1] + c * F[Q + 2];
    F[o + 1] += a * F[Q + 3] + b * F[Q + 4] + c * F[Q + 5];
    F[o + 2] += a * F[Q + 6] + b * F[Q + 7] + c * F[Q + 8];
    F[o + 3] += a * F[Q + 9] + b * F[Q + 10] + c * F[Q + 11];
    F[o + 4] += a * F[Q + 12] + b * F[Q + 13] + c * F[Q + 14];
    F[o + 5] += a * F[Q + 15] + b * F[Q + 16] + c * F[Q + 17];
  }
}

/** K += rows of joints, and what couples the two links of a contact; after assemble. */
function addCoupling(F: Float64Array, N: Int32Array): void {
  const blocks = N[BLOCKS];
  const matrix = N[K];
  const C1 = N[WORK] + 72;
  const C2 = C1 + 36;
  let open = 0;
  for (let b = 0; b < blocks; b++) {
    const kind = N[N[KIND] + b];
    const w = N[W] + 9 * b;
    const x = N[N[SIDE_A] + b];
    const y = N[N[SIDE_B] + b];
    const at = N[N[CROSS] + b];
    if (kind === KIND_LIMIT || kind === KIND_BOX) {
      if (F[w] === 0) continue;
      const f = N[WRENCH_A] + 18 * b;
      addDiagonal(F, N, x, F[f] * F[f] * F[w]);
      if (y < 0) continue;
      addDiagonal(F, N, y, F[f + 1] * F[f + 1] * F[w]);
      F[matrix + N[at]] += F[f] * F[f + 1] * F[w];
      F[matrix + N[at + 1]] += F[f] * F[f + 1] * F[w];
      continue;
    }
    if (x < 0 || y < 0) continue;
    if (open === 0) for (let k = 0; k < 72; k++) F[C1 + k] = 0;
    open = 1;
    if (F[w] !== 0) {
      addProduct(F, C1, N[WRENCH_A] + 18 * b, w, N[WRENCH_B] + 18 * b);
      addProduct(F, C2, N[WRENCH_B] + 18 * b, w, N[WRENCH_A] + 18 * b);
    }
    if (at < 0) continue;
    open = 0;
    couple(F, N, x, y, C1, C2, at);
  }
}

function addDiagonal(F: Float64Array, N: Int32Array, k: i32, value: f64): void {
  const tree = N[TREE_STRUCTURE];
  const n = N[N[NODE_OF] + N[N[LINK_OF] + k]];
  const s = N[N[tree + S_SIZE] + n];
  const own = k - N[N[tree + S_START] + n];
  F[N[K] + N[N[IN_DIAGONAL] + n] + own * (s + 1)] += value;
}

/** K -= S_a^T C1 S_b and S_b^T C2 S_a, on all nodes that move link a and link b; `list`: where their blocks stand. */
function couple(F: Float64Array, N: Int32Array, a: i32, b: i32, C1: i32, C2: i32, list: i32): void {
  const tree = N[TREE_STRUCTURE];
  const size = N[tree + S_SIZE];
  const start = N[tree + S_START];
  const above = N[NODE_PARENT];
  const free = N[FREE];
  const linkOf = N[LINK_OF];
  const S = N[MOTION];
  const matrix = N[K];
  const last = N[LAST];
  let at = list;
  let endX = N[last + a];
  for (let x = N[N[NODE_OF] + a]; x >= 0; x = N[above + x]) {
    const fromX = N[start + x];
    const sizeX = N[size + x];
    let endY = N[last + b];
    for (let y = N[N[NODE_OF] + b]; y >= 0; y = N[above + y]) {
      const fromY = N[start + y];
      const sizeY = N[size + y];
      const xy = matrix + N[at];
      const yx = matrix + N[at + 1];
      at += 2;
      if (N[free + N[linkOf + fromX]] === 1 && N[free + N[linkOf + fromY]] === 1) {
        for (let k = 0; k < 36; k++) {
          F[xy + k] -= F[C1 + k];
          F[yx + k] -= F[C2 + k];
        }
      } else
        for (let i = fromX; i < endX; i++) {
          const s = S + 6 * i;
          const s0 = F[s];
          const s1 = F[s + 1];
          const s2 = F[s + 2];
          const s3 = F[s + 3];
          const s4 = F[s + 4];
          const s5 = F[s + 5];
          // C1^T S_i after C1's rows, and C2 S_i.
          const work = N[WORK];
          for (let c = 0; c < 6; c++) {
            const p = C1 + c;
            const q = C2 + 6 * c;
            F[work + c] = s0 * F[p] + s1 * F[p + 6] + s2 * F[p + 12] + s3 * F[p + 18] + s4 * F[p + 24] + s5 * F[p + 30];
            F[work + 6 + c] = s0 * F[q] + s1 * F[q + 1] + s2 * F[q + 2] + s3 * F[q + 3] + s4 * F[q + 4] + s5 * F[q + 5];
          }
          for (let j = fromY; j < endY; j++) {
            const t = S + 6 * j;
            let f: f64 = 0;
            let g: f64 = 0;
            for (let c = 0; c < 6; c++) {
              f += F[work + c] * F[t + c];
              g += F[work + 6 + c] * F[t + c];
            }
            F[xy + (i - fromX) * sizeY + j - fromY] -= f;
            F[yx + (j - fromY) * sizeX + i - fromX] -= g;
          }
        }
      const nextY = N[above + y];
      if (nextY >= 0) endY = N[start + nextY] + N[size + nextY];
    }
    const nextX = N[above + x];
    if (nextX >= 0) endX = N[start + nextX] + N[size + nextX];
  }
}
