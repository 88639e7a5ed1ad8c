// Newton's method in velocity space: the first solver. No G is formed; an iteration is one factorisation of the mass matrices
// with the stiffness of the contacts on them, and one pass through the mass matrices alone.
//
// With y = d lambda - u (Alart and Curnier) each block says what it wants of the change of impulses (laws.ts),
//
//   dlambda = e - W J dv,      H dv = J^T dlambda      =>      (H + J^T W J) dv = J^T e
//
//   open      y_n <= 0                    dlambda = -lambda
//   stick     |y_t| <= mu y_n             dlambda = -rho (u + J dv),  rho = 1 / (eps d): a proximal step towards u = 0
//   slide                                 the normal as stick; friction is mu lambda_n along y_t, and across it turns with the
//                                         slip: W couples friction with the normal and is not symmetric
//
// Impulses may leave their cones on the way. A step changes velocities by J dv exactly, so that its length can be searched for without
// another pass: the part of it that makes `merit` least. eps falls with whole steps and grows where they are short (Levenberg and
// Marquardt): nearly redundant contacts then change no more than they must. Where sweeps help it is a part of the distance instead.
// Not below 1e-6: the equations cancel there. The first steps are whole even where the merit rises a little: contacts that change what
// they do raise it on the way, and a short step changes few of them. Where the merit falls too slowly, a whole step is taken whatever it
// says: it has minima that are no solutions. Piles of bodies are swept over before and where steps are short. Near the solution W hardly
// changes: the factors of the last whole step serve another one, as long as that makes the merit much smaller.

import { factoriseBlocks, solveBlocks } from './blocks.js';
import { motionOfBlocks, toContacts, toForces } from './contacts.js';
import { clampLawful, largestResidual, linearise, merit } from './laws.js';
import {
  BEST,
  BLOCKS,
  C,
  CHANGE,
  COMPLIANCE,
  DOFS,
  DV,
  E,
  FACTORS,
  FORCE,
  type f64,
  IN_DIAGONAL,
  IN_LOWER,
  IN_UPPER,
  ISLAND_STRUCTURE,
  type i32,
  K,
  K_LENGTH,
  KIND,
  KIND_SPIN,
  LAMBDA,
  LINK_VECTOR,
  NORMAL_W,
  SCALARS,
  TREE_STRUCTURE,
  TRIED_U,
  U,
  W,
  WORK,
} from './layout.js';
import { sharePatches } from './patches.js';
import { behind } from './spin.js';
import { addCoupling, addStiffness } from './stiffness.js';
import { prepareSweeps, sweepContacts } from './sweeps.js';
import { accumulate, assemble, expandInertias, linkVelocities } from './tree.js';

/** The floor of eps; the second where contacts are nearly redundant and the first is not enough. */
const LEAST_EPS = 1e-6;
const TIGHT_EPS = 1e-7;
const MOST_EPS = 0.3;
/** Steps are shortened by this factor, not below the shortest. */
const SHORTER = 0.6;
const SHORTEST = 0.0005;
/** So many steps are whole where they make the merit (squared) no more than so many times as large. */
const BOLD = 3;
const RISE = 10;
/** Steps below this part are short. */
const SHORT = 0.3;
/** Sweeps at a time, and the residual from which on they come first. */
const SWEEPS = 10;
const ROUGH = 1e-3;
/** A merit (squared) below which the residual itself is looked at. */
const NEAR = 1e-12;
/** Steps in a row that lower the merit by less than a fifth, before one is taken whole with this eps. */
const PATIENCE = 4;
const JUMP_EPS = 0.01;
const MOST_JUMPS = 3;
/** A merit (squared) below which the floor of eps is the second. */
const CLOSE = 1e-10;
/** A merit from which on the factors of the last step are tried once more, and the part of it that they have to reach. */
const SETTLED = 1e-6;
const SAME = 1e-4;

/** u <- J (v* + H^-1 J^T lambda) + b + R lambda, with FORCE and CHANGE on the way; returns the residual. */
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
  giveWay(F, N, lambda, u);
  return largestResidual(F, N, lambda, u);
}

/** u += R lambda: what is compliant gives way along its normal. */
function giveWay(F: Float64Array, N: Int32Array, lambda: i32, u: i32): void {
  for (let b = 0; b < N[BLOCKS]; b++) F[u + 3 * b] += F[N[COMPLIANCE] + b] * F[lambda + 3 * b];
}

/**
 * Improves LAMBDA, whose U are known with residual F[SCALARS + 1]; returns the iterations, and leaves U, FORCE, CHANGE, residual. `growth`:
 * by what short steps multiply eps; 0: they make it a part of the distance.
 */
export function newton(F: Float64Array, N: Int32Array, tolerance: f64, most: i32, firstEps: f64, growth: f64): i32 {
  const rows = 3 * N[BLOCKS];
  const lambda = N[LAMBDA];
  const u = N[U];
  const e = N[E];
  const du = N[TRIED_U];
  const best = N[BEST];
  const residual = N[SCALARS] + 1;
  let iterations = 0;
  let slow = 0;
  let eps = firstEps;
  let floor = LEAST_EPS;
  let jumps = 0;
  let mark: f64 = 1e300;
  let settled = 0;
  let factorEps = firstEps;
  for (let k = 0; k < rows; k++) {
    F[best + k] = F[lambda + k];
    F[e + k] = 0;
    F[du + k] = 0;
  }
  let sweeps = 0;
  if (F[residual] > ROUGH) sweeps = prepareSweeps(F, N);
  if (sweeps === 1) smooth(F, N);
  sharePatches(F, N);
  let now = merit(F, N, 0);
  while (F[residual] > tolerance && iterations < most) {
    iterations++;
    let jump = 0;
    if (slow >= PATIENCE) {
      slow = 0;
      if (now < CLOSE && floor > TIGHT_EPS) {
        floor = TIGHT_EPS;
        eps = TIGHT_EPS;
      } else {
        // Three of them that lead nowhere are enough.
        if (now < 0.25 * mark) jumps = 0;
        mark = Math.min(mark, now);
        jumps++;
        if (jumps > MOST_JUMPS) break;
        jump = 1;
        eps = JUMP_EPS;
      }
    }
    let part: f64 = 1;
    let next: f64 = 1e300;
    if (settled === 1 && jump === 0) {
      stepWithFactors(F, N, factorEps);
      next = merit(F, N, 1);
    }
    if (!(next < SAME * now)) {
      if (newtonStep(F, N, eps) === 0) break;
      factorEps = eps;
      next = merit(F, N, 1);
    }
    const whole = jump === 1 || (sweeps === 0 && iterations <= BOLD && next < RISE * now);
    if (!(next < 0.3 * now) && !whole)
      for (let p: f64 = SHORTER; p > SHORTEST; p *= SHORTER) {
        const tried = merit(F, N, p);
        if (tried < next || !(next >= 0)) {
          next = tried;
          part = p;
        } else if (next < now && tried > 4 * next) break;
      }
    if (next < 0.8 * now || whole) slow = 0;
    else slow++;
    if (!(next < now) && !whole) {
      eps = Math.min(MOST_EPS, Math.max(10 * eps, 0.1 * Math.sqrt(now)));
      continue;
    }
    for (let k = 0; k < rows; k++) {
      F[lambda + k] += part * F[e + k];
      F[u + k] += part * F[du + k];
    }
    let grows = growth;
    if (sweeps === 1 && next > ROUGH * ROUGH) grows = 0;
    if (part === 1) eps = Math.max(floor, Math.min(0.1 * eps, 0.1 * Math.sqrt(next)));
    else if (part < SHORT) eps = Math.min(MOST_EPS, Math.max(grows * eps, Math.max(floor, 0.1 * Math.sqrt(next))));
    if (sweeps === 1 && next > ROUGH * ROUGH && (jump === 1 || part < SHORT)) smooth(F, N);
    else if (jump === 1 || next < NEAR) {
      const before = F[residual];
      clampLawful(F, N, lambda);
      const r = evaluate(F, N, lambda, u);
      if (!(r >= 0)) break;
      keepBest(F, N, r);
      // The impulses at hand are the best, and their velocities are known.
      if (F[residual] <= tolerance) return iterations;
      // As good as rounding lets it be.
      if (r < 4 * tolerance && r < before && r > 0.5 * before) break;
    }
    sharePatches(F, N);
    now = merit(F, N, 0);
    settled = part === 1 && jump === 0 && now < SETTLED ? 1 : 0;
  }
  if (F[residual] > tolerance) {
    clampLawful(F, N, lambda);
    keepBest(F, N, evaluate(F, N, lambda, u));
  }
  for (let k = 0; k < rows; k++) F[lambda + k] = F[best + k];
  F[residual] = evaluate(F, N, lambda, u);
  return iterations;
}

/** Sweeps over lawful impulses. */
function smooth(F: Float64Array, N: Int32Array): void {
  clampLawful(F, N, N[LAMBDA]);
  evaluate(F, N, N[LAMBDA], N[U]);
  sweepContacts(F, N, SWEEPS);
  keepBest(F, N, largestResidual(F, N, N[LAMBDA], N[U]));
}

/** BEST <- LAMBDA, where its residual r is the least so far. */
function keepBest(F: Float64Array, N: Int32Array, r: f64): void {
  const residual = N[SCALARS] + 1;
  if (!(r < F[residual]) && F[residual] >= 0) return;
  F[residual] = r;
  for (let k = 0; k < 3 * N[BLOCKS]; k++) F[N[BEST] + k] = F[N[LAMBDA] + k];
}

/** E <- change of impulses, TRIED_U <- that of the velocities; 0 where the matrix has no factors. */
function newtonStep(F: Float64Array, N: Int32Array, eps: f64): i32 {
  const blocks = N[BLOCKS];
  for (let k = 0; k < 3 * blocks; k++) F[N[E] + k] = 0;
  for (let b = 0; b < blocks; b++) linearise(F, N, b, eps, N[W] + 9 * b, N[NORMAL_W] + 3 * b);
  if (factoriseStiff(F, N) === 0) return 0;
  stepOfImpulses(F, N);
  return 1;
}

/** K <- factors of H + J^T W J; 0 where it has none. */
export function factoriseStiff(F: Float64Array, N: Int32Array): i32 {
  const blocks = N[BLOCKS];
  const matrix = N[K];
  expandInertias(F, N);
  for (let b = 0; b < blocks; b++) addStiffness(F, N, b);
  accumulate(F, N);
  const count = N[K_LENGTH];
  // lanes
  for (let k = 0; k < count; k++) F[matrix + k] = 0;
  assemble(F, N, matrix, N[IN_DIAGONAL], N[IN_LOWER], N[IN_UPPER]);
  addCoupling(F, N);
  return factoriseBlocks(F, N, N[ISLAND_STRUCTURE], matrix, 0, N[WORK]);
}

/** The same with W and the factors of the last step, which was made with that eps. */
function stepWithFactors(F: Float64Array, N: Int32Array, eps: f64): void {
  const blocks = N[BLOCKS];
  for (let k = 0; k < 3 * blocks; k++) F[N[E] + k] = 0;
  for (let b = 0; b < blocks; b++) linearise(F, N, b, eps, N[WORK], N[WORK] + 9);
  stepOfImpulses(F, N);
}

/** E <- E - W J dv and TRIED_U <- J dv, dv from the factors. */
export function stepOfImpulses(F: Float64Array, N: Int32Array): void {
  const blocks = N[BLOCKS];
  const matrix = N[K];
  const e = N[E];
  const dv = N[DV];
  toForces(F, N, e, dv);
  solveBlocks(F, N, N[ISLAND_STRUCTURE], matrix, dv, N[WORK]);
  const u = N[TRIED_U];
  motionOfBlocks(F, N, dv, u);
  for (let b = 0; b < blocks; b++) {
    const w = N[W] + 9 * b;
    const o = e + 3 * b;
    if (N[N[KIND] + b] >= KIND_SPIN) {
      const normal = F[u + 3 * (b - behind(N, b))];
      for (let k = 0; k < 3; k++) F[o + k] -= F[N[NORMAL_W] + 3 * b + k] * normal;
    } else if (F[w] === 0) continue;
    const u0 = F[u + 3 * b];
    const u1 = F[u + 3 * b + 1];
    const u2 = F[u + 3 * b + 2];
    F[o] -= F[w] * u0 + F[w + 1] * u1 + F[w + 2] * u2;
    F[o + 1] -= F[w + 3] * u0 + F[w + 4] * u1 + F[w + 5] * u2;
    F[o + 2] -= F[w + 6] * u0 + F[w + 7] * u1 + F[w + 8] * u2;
  }
  giveWay(F, N, e, u);
}
