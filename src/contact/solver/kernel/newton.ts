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
// Then impulses are put back into their cones. eps falls with success and rises with failure, not below 1e-5: the equations
// cancel there.

import { factoriseBlocks, solveBlocks } from './blocks.js';
import { motionOfBlocks, toContacts, toForces } from './contacts.js';
import { clampLawful, largestResidual, linearise } from './laws.js';
import {
  BLOCKS,
  C,
  CHANGE,
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
  LAMBDA,
  LINK_VECTOR,
  SCALARS,
  TREE_STRUCTURE,
  TRIED,
  TRIED_U,
  U,
  W,
  WORK,
} from './layout.js';
import { addCoupling, addStiffness } from './stiffness.js';
import { accumulate, assemble, expandInertias, linkVelocities } from './tree.js';

const LEAST_EPS = 1e-5;
const PART = 0.4;

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
  const matrix = N[K];
  const e = N[E];
  for (let k = 0; k < 3 * blocks; k++) F[e + k] = 0;
  for (let b = 0; b < blocks; b++) linearise(F, N, b, eps);
  expandInertias(F, N);
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
