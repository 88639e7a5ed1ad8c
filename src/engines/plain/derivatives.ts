// Derivatives of dynamics by the readable algorithms, in the author's order.
//
//   d tau   reference/inverse-derivatives.ts; with couplings G^T (d tau) G, as followers move with their sources
//   d qdd   = -H^-1 d tau at the accelerations of forward dynamics;  d qdd / d tau = H^-1
//
// Closed loops: loop-derivatives.ts.

import { MechanismError } from '../../mechanism/errors.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import type { Tree } from '../../mechanism/tree.js';
import {
  createInverseDerivatives,
  type InverseDerivativesScratch,
  inverseDerivatives,
} from '../../reference/inverse-derivatives.js';
import type { ForwardDerivatives, InverseDerivatives } from '../engine.js';
import { followSources, type Reduction, reduceMatrix, reductionOf } from './couplings.js';
import { LoopDerivatives } from './loop-derivatives.js';
import type { PlainDynamics } from './plain-dynamics.js';

/** What gives accelerations and H^-1: this engine or another. */
export interface ForwardAndInverseMass {
  forward(state: State, tau: Float64Array, options: { readonly out: Float64Array }): unknown;
  inverseMassMatrix(state: State, options: { readonly out: Float64Array }): unknown;
}

export class PlainDerivatives {
  readonly #mechanism: Mechanism;
  readonly #tree: Tree;
  readonly #plain: PlainDynamics;
  readonly #scratch: InverseDerivativesScratch;
  readonly #qdd: Float64Array;
  readonly #dq: Float64Array;
  readonly #dv: Float64Array;
  /** Of the independent coordinates: H^-1, and matrices with couplings. */
  readonly #inverse: { readonly out: Float64Array };
  readonly #reduced: Float64Array;
  readonly #answer: Float64Array;
  readonly #reduction: Reduction;
  /** 1 for each degree of freedom that follows another. */
  readonly #follows: Uint8Array;
  readonly #accelerations: { readonly out: Float64Array };
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
    this.#reduction = reductionOf(mechanism);
    this.#follows = new Uint8Array(mechanism.nv);
    for (const { joint } of mechanism.couplings) this.#follows[mechanism.joints[joint].iv] = 1;
    const square = this.#reduction.rows ** 2;
    this.#inverse = { out: new Float64Array(square) };
    this.#accelerations = { out: new Float64Array(mechanism.nv) };
    const coupled = mechanism.couplings.length > 0 ? square : 0;
    this.#reduced = new Float64Array(coupled);
    this.#answer = new Float64Array(coupled);
  }

  inverse(state: State, qdd: Float64Array, { dq, dv }: InverseDerivatives): void {
    refuseLoops(this.#mechanism);
    const given = this.#qdd;
    given.set(qdd);
    followSources(this.#mechanism, given);
    inverseDerivatives(this.#tree, this.#scratch, dq, dv, state.q, state.v, given);
    foldMatrices(this.#mechanism, dq, dv);
  }

  /** `by`: what computes the accelerations and H^-1. */
  forward(state: State, tau: Float64Array, out: ForwardDerivatives, by: ForwardAndInverseMass = this.#plain): void {
    const { nv, couplings, loops } = this.#mechanism;
    by.forward(state, tau, this.#accelerations);
    out.qdd.set(this.#accelerations.out);
    const dq = this.#dq;
    const dv = this.#dv;
    inverseDerivatives(this.#tree, this.#scratch, dq, dv, state.q, state.v, out.qdd);
    by.inverseMassMatrix(state, this.#inverse);
    const Hinv = this.#inverse.out;
    if (loops.length > 0) {
      this.#loops ??= new LoopDerivatives(this.#tree);
      this.#loops.forward(state, tau, Hinv, dq, dv, this.#scratch, out);
      return;
    }
    if (couplings.length === 0) {
      out.dtau.set(Hinv);
      this.#times(out.dq, Hinv, dq, state);
      this.#times(out.dv, Hinv, dv, state);
      return;
    }
    const { rows, follows, factor } = this.#reduction;
    this.#reducedTimes(out.dq, Hinv, dq);
    this.#reducedTimes(out.dv, Hinv, dv);
    for (let i = 0; i < nv; i++)
      for (let j = 0; j < nv; j++) out.dtau[nv * i + j] = factor[i] * factor[j] * Hinv[rows * follows[i] + follows[j]];
  }

  /** out <- -H^-1 B */
  #times(out: Float64Array, Hinv: Float64Array, B: Float64Array, state: State): void {
    if (this.#plain.solveColumns(state, B, out)) for (let k = 0; k < out.length; k++) out[k] = -out[k];
    else subtractedProduct(out, Hinv, B, this.#mechanism.nv);
  }

  /** The same of the independent coordinates, then of all. */
  #reducedTimes(out: Float64Array, Hinv: Float64Array, B: Float64Array): void {
    const { rows, follows, factor } = this.#reduction;
    const { nv } = this.#mechanism;
    reduceMatrix(this.#reduced, B, this.#reduction);
    subtractedProduct(this.#answer, Hinv, this.#reduced, rows);
    for (let i = 0; i < nv; i++)
      for (let j = 0; j < nv; j++)
        out[nv * i + j] = this.#follows[j] === 1 ? 0 : factor[i] * this.#answer[rows * follows[i] + follows[j]];
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
    const follower = joints[joint].iv;
    const own = joints[source].iv;
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

/** out <- -A B, n x n. */
function subtractedProduct(out: Float64Array, A: Float64Array, B: Float64Array, n: number): void {
  out.fill(0);
  for (let i = 0; i < n; i++)
    for (let k = 0; k < n; k++) {
      const factor = A[n * i + k];
      for (let j = 0; j < n; j++) out[n * i + j] -= factor * B[n * k + j];
    }
}
