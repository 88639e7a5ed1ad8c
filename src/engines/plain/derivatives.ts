// Derivatives of dynamics by the readable algorithms, in the author's order.
//
//   d tau   reference/inverse-derivatives.ts; with couplings G^T (d tau) G, as followers move with their sources
//   d qdd   = -H^-1 d tau at the accelerations of forward dynamics;  d qdd / d tau = H^-1
//
// Closed loops: loop-derivatives.ts; where that cannot, central differences of the forward dynamics, exact to some 1e-10.

import { MechanismError } from '../../mechanism/errors.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import type { Tree } from '../../mechanism/tree.js';
import { numericalDerivative } from '../../reference/differences.js';
import {
  createInverseDerivatives,
  type InverseDerivativesScratch,
  inverseDerivatives,
} from '../../reference/inverse-derivatives.js';
import type { ForwardDerivatives, InverseDerivatives } from '../engine.js';
import { followSources, type Reduction, reduceMatrix, reductionOf } from './couplings.js';
import { LoopDerivatives } from './loop-derivatives.js';
import type { PlainDynamics } from './plain-dynamics.js';

export class PlainDerivatives {
  readonly #mechanism: Mechanism;
  readonly #tree: Tree;
  readonly #plain: PlainDynamics;
  readonly #scratch: InverseDerivativesScratch;
  readonly #qdd: Float64Array;
  readonly #dq: Float64Array;
  readonly #dv: Float64Array;
  #loops: LoopDerivatives | undefined;

  constructor(plain: PlainDynamics) {
    const { mechanism, tree } = plain;
    this.#mechanism = mechanism;
    this.#tree = tree;
    this.#plain = plain;
    this.#scratch = createInverseDerivatives(tree);
    this.#qdd = new Float64Array(mechanism.nv);
    this.#dq = new Float64Array(mechanism.nv ** 2);
    this.#dv = new Float64Array(mechanism.nv ** 2);
  }

  inverse(state: State, qdd: Float64Array, { dq, dv }: InverseDerivatives): void {
    refuseLoops(this.#mechanism);
    const given = this.#qdd;
    given.set(qdd);
    followSources(this.#mechanism, given);
    inverseDerivatives(this.#tree, this.#scratch, dq, dv, state.q, state.v, given);
    foldMatrices(this.#mechanism, dq, dv);
  }

  forward(state: State, tau: Float64Array, out: ForwardDerivatives): void {
    const { nv, couplings, loops } = this.#mechanism;
    this.#plain.forward(state, tau, { out: out.qdd });
    const [dq, dv] = [this.#dq, this.#dv];
    inverseDerivatives(this.#tree, this.#scratch, dq, dv, state.q, state.v, out.qdd);
    if (loops.length > 0) {
      this.#loops ??= new LoopDerivatives(this.#tree);
      const { Hinv } = this.#plain.inverseMassMatrix(state);
      if (!this.#loops.forward(state, tau, Hinv, { dq, dv }, this.#scratch, out)) this.#differences(state, tau, out);
      return;
    }
    const { Hinv } = this.#plain.inverseMassMatrix(state);
    if (couplings.length === 0) {
      out.dtau.set(Hinv);
      for (const [to, from] of [
        [out.dq, dq],
        [out.dv, dv],
      ] as const) {
        if (this.#plain.solveColumns(state, from, to)) for (let k = 0; k < to.length; k++) to[k] = -to[k];
        else subtractedProduct(to, Hinv, from, nv);
      }
      return;
    }
    const reduction = reductionOf(this.#mechanism);
    const { rows, follows, factor } = reduction;
    const reduced = new Float64Array(rows * rows);
    const answer = new Float64Array(rows * rows);
    for (const [from, to] of [
      [dq, out.dq],
      [dv, out.dv],
    ] as const) {
      reduceMatrix(reduced, from, reduction);
      subtractedProduct(answer, Hinv, reduced, rows);
      expand(to, answer, reduction, independent(this.#mechanism));
    }
    for (let i = 0; i < nv; i++)
      for (let j = 0; j < nv; j++) out.dtau[nv * i + j] = factor[i] * factor[j] * Hinv[rows * follows[i] + follows[j]];
  }

  /** Accelerations are linear in the forces; how they change with the rest only differences tell. */
  #differences(state: State, tau: Float64Array, { qdd, dq, dv, dtau }: ForwardDerivatives): void {
    const { nv } = this.#mechanism;
    const accelerate = (moved: State, forces = tau): Float64Array =>
      this.#plain.forward(moved, forces, { out: this.#qdd });
    dq.set(numericalDerivative(this.#mechanism, state, 'q', accelerate));
    dv.set(numericalDerivative(this.#mechanism, state, 'v', accelerate));
    for (let j = 0; j < nv; j++) {
      const more = tau.slice();
      more[j] += 1;
      accelerate(state, more);
      for (let i = 0; i < nv; i++) dtau[nv * i + j] = this.#qdd[i] - qdd[i];
    }
  }
}

function refuseLoops({ loops }: Mechanism): void {
  if (loops.length === 0) return;
  throw MechanismError.of(
    'loops',
    `loop "${loops[0].name}"`,
    'Joint forces are not unique in closed loops, and neither are their derivatives. Take forwardDerivatives, or remove the loop joints.',
  );
}

/** d tau with respect to independent coordinates: rows and columns of followers are zero, their sources have their part. */
export function foldMatrices(mechanism: Mechanism, dq: Float64Array, dv: Float64Array): void {
  const { couplings, joints, nv } = mechanism;
  for (const { joint, source, multiplier } of couplings) {
    const [follower, own] = [joints[joint].iv, joints[source].iv];
    for (const matrix of [dq, dv]) {
      for (let k = 0; k < nv; k++) {
        matrix[nv * own + k] += multiplier * matrix[nv * follower + k];
        matrix[nv * follower + k] = 0;
      }
      for (let k = 0; k < nv; k++) {
        matrix[nv * k + own] += multiplier * matrix[nv * k + follower];
        matrix[nv * k + follower] = 0;
      }
    }
  }
}

function independent({ couplings, joints }: Mechanism): (k: number) => boolean {
  const followers = new Set(couplings.map(({ joint }) => joints[joint].iv));
  return (k) => !followers.has(k);
}

/** out <- rows of the independent coordinates to all of them, G x. */
function expand(
  out: Float64Array,
  x: Float64Array,
  { rows, follows, factor }: Reduction,
  free: (k: number) => boolean,
): void {
  const nv = follows.length;
  for (let i = 0; i < nv; i++)
    for (let j = 0; j < nv; j++) out[nv * i + j] = free(j) ? factor[i] * x[rows * follows[i] + follows[j]] : 0;
}

/** out <- -A B, n x n. */
function subtractedProduct(out: Float64Array, A: Float64Array, B: Float64Array, n: number): void {
  out.fill(0);
  for (let i = 0; i < n; i++)
    for (let k = 0; k < n; k++) {
      const factor = A[n * i + k];
      for (let j = 0; j < n; j++) out[n * i + j] -= factor * B[n * k + j];
    }
}
