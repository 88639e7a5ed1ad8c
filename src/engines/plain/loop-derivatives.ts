// Derivatives of the accelerations of closed loops. A loop joint transmits forces f_r that go with its link b; in ground
// coordinates, with v and a of the links that it joins and J_rk = f_r^T S_k for k before b, less the same for k before a,
//
//   H qdd + C = tau + J^T lambda,      g_r = f_r^T (a_b - a_a + v_b x v_a) = 0
//
// Both lines are differentiated. With the motions of reference/column-motions.ts a displacement along degree of freedom j makes of
// what is beyond it  dv = Psi1_j + S_j x v,  da = Psi2_j + S_j x a + Psi1_j x v,  df = S_j x* f,  dS_k = S_j x S_k;  a velocity
// dv = S_j,  da = Psi1_j + dS_j/dt + S_j x v. With E = d(H qdd + C) - d(J^T lambda) and A = J H^-1 J^T,
//
//   A dlambda = J H^-1 E - dg,      d qdd = H^-1 (J^T dlambda - E),      d qdd / d tau = H^-1 - H^-1 J^T A^-1 J H^-1
//
// Forces of universal joints turn against b, and with dependent loops lambda is not unique: those are left to differences.

import { JOINT_TYPES } from '../../joints/index.js';
import type { State } from '../../mechanism/state.js';
import type { Tree } from '../../mechanism/tree.js';
import { movesAtOnce } from '../../reference/column-motions.js';
import type { InverseDerivativesScratch } from '../../reference/inverse-derivatives.js';
import { factorPositive, solveFactored } from '../../reference/solve-positive.js';
import { addCrossForce, addCrossMotion, dot6, forceToA, TRANSFORM } from '../../spatial/spatial.js';
import type { ForwardDerivatives } from '../engine.js';
import { createLoops, type LoopScratch, updateLoops } from './assembly/loop-joint.js';

/** What is left of a row of A, beside those before it, where they are independent. */
const INDEPENDENT = 1e-9;

export class LoopDerivatives {
  readonly #tree: Tree;
  readonly #loops: LoopScratch;
  /** For each degree of freedom, in link order, its link and its place in v. */
  readonly #linkOf: Int32Array;
  readonly #place: Int32Array;
  /** Links that are at a link or before it, as a table. */
  readonly #before: Uint8Array;
  /** Accelerations that nobody asks for at the level of velocities. */
  readonly #still: Float64Array;
  readonly #rows: number;
  readonly #possible: boolean;

  constructor(tree: Tree) {
    const { n, dof, iv, parent, mechanism } = tree;
    const nv = dof[n];
    this.#tree = tree;
    this.#loops = createLoops(tree);
    this.#still = new Float64Array(6 * n);
    this.#linkOf = new Int32Array(nv);
    this.#place = new Int32Array(nv);
    for (let i = 0; i < n; i++)
      for (let k = dof[i]; k < dof[i + 1]; k++) {
        this.#linkOf[k] = i;
        this.#place[k] = iv[i] + k - dof[i];
      }
    this.#before = new Uint8Array((n + 1) * n);
    for (let i = 0; i < n; i++) for (let b = i; b >= 0; b = parent[b]) this.#before[n * (i + 1) + b] = 1;
    this.#rows = this.#loops.loops.reduce((sum, { k }) => sum + k, 0);
    this.#possible =
      mechanism.couplings.length === 0 && mechanism.loops.every(({ type }) => type !== 'universal') && this.#rows <= nv;
  }

  /**
   * `dq`, `dv`: derivatives of the joint forces of the open tree at out.qdd, with the motions and forces they were made of in
   * `motions`. False where differences must do it; then `out` is as it was.
   */
  forward(
    state: State,
    tau: Float64Array,
    Hinv: Float64Array,
    { dq, dv }: { readonly dq: Float64Array; readonly dv: Float64Array },
    motions: InverseDerivativesScratch,
    out: ForwardDerivatives,
  ): boolean {
    if (!this.#possible) return false;
    const tree = this.#tree;
    const nv = this.#place.length;
    const m = this.#rows;
    updateLoops(tree, this.#loops, 'velocity', this.#still, state.q, state.v);
    const f = this.#forces(motions);
    const J = new Float64Array(m * nv);
    this.#eachRow((r, a, b) => {
      for (let k = 0; k < nv; k++) {
        const sides = this.#isBefore(k, b) - this.#isBefore(k, a);
        if (sides !== 0) J[nv * r + this.#place[k]] = sides * dot6(motions.S, 6 * k, f, 6 * r);
      }
    });
    const JH = product(J, Hinv, m, nv, nv);
    const A = new Float64Array(m * m);
    for (let r = 0; r < m; r++)
      for (let s = 0; s <= r; s++) for (let k = 0; k < nv; k++) A[m * r + s] += JH[nv * r + k] * J[nv * s + k];
    const diagonal = Float64Array.from({ length: m }, (_, r) => A[(m + 1) * r]);
    if (!factorPositive(A, m)) return false;
    for (let r = 0; r < m; r++) if (!(A[(m + 1) * r] ** 2 > INDEPENDENT * diagonal[r])) return false;
    // J^T lambda is what the joint forces of the open tree exceed tau by.
    const lambda = new Float64Array(m);
    for (let k = 0; k < nv; k++) {
      const at = this.#place[k];
      const excess =
        dot6(motions.S, 6 * k, motions.force, 6 * this.#linkOf[k]) + tree.armature[at] * out.qdd[at] - tau[at];
      for (let r = 0; r < m; r++) lambda[r] += JH[nv * r + at] * excess;
    }
    solveFactored(A, lambda, m);
    this.#subtractLoopForces(dq, motions, f, lambda);
    const column = new Float64Array(m);
    for (const [E, to, by] of [
      [dq, out.dq, 'q'],
      [dv, out.dv, 'v'],
    ] as const) {
      const right = product(JH, E, m, nv, nv);
      const dg = this.#constraintDerivatives(motions, f, by);
      to.set(product(Hinv, E, nv, nv, nv));
      for (let j = 0; j < nv; j++) {
        for (let r = 0; r < m; r++) column[r] = right[nv * r + j] - dg[nv * r + j];
        solveFactored(A, column, m);
        for (let i = 0; i < nv; i++) {
          let sum = -to[nv * i + j];
          for (let r = 0; r < m; r++) sum += JH[nv * r + i] * column[r];
          to[nv * i + j] = sum;
        }
      }
    }
    out.dtau.set(Hinv);
    for (let j = 0; j < nv; j++) {
      for (let r = 0; r < m; r++) column[r] = JH[nv * r + j];
      solveFactored(A, column, m);
      for (let i = 0; i < nv; i++) for (let r = 0; r < m; r++) out.dtau[nv * i + j] -= JH[nv * r + i] * column[r];
    }
    return true;
  }

  /** m x 6: the forces that the loops transmit, ground coordinates. */
  #forces({ kinematics }: InverseDerivativesScratch): Float64Array {
    const f = new Float64Array(6 * this.#rows);
    let r = 0;
    for (const [l, { b, k }] of this.#loops.loops.entries())
      for (let row = 0; row < k; row++, r++)
        if (b >= 0) forceToA(f, 6 * r, kinematics.pose, TRANSFORM * b, this.#loops.Gb[l], 6 * row);
        else f.set(this.#loops.Gb[l].subarray(6 * row, 6 * row + 6), 6 * r);
    return f;
  }

  #eachRow(visit: (r: number, a: number, b: number) => void): void {
    let r = 0;
    for (const { a, b, k } of this.#loops.loops) for (let row = 0; row < k; row++) visit(r++, a, b);
  }

  /** Whether degree of freedom k moves a link, -1 being the ground. */
  #isBefore(k: number, link: number): number {
    return this.#before[this.#tree.n * (link + 1) + this.#linkOf[k]];
  }

  /** Whether degree of freedom j carries the motion space of k along. */
  #carries(j: number, k: number): boolean {
    const [own, other] = [this.#linkOf[j], this.#linkOf[k]];
    if (own !== other) return this.#before[this.#tree.n * (other + 1) + own] === 1;
    return k >= j || movesAtOnce(JOINT_TYPES[this.#tree.type[own]].name);
  }

  /** dq -= d(J^T lambda) / dq. */
  #subtractLoopForces(dq: Float64Array, { S }: InverseDerivativesScratch, f: Float64Array, lambda: Float64Array): void {
    const nv = this.#place.length;
    const [whole, turned] = [new Float64Array(6), new Float64Array(6)];
    let r = 0;
    for (const { a, b, k: rows } of this.#loops.loops) {
      whole.fill(0);
      for (let row = 0; row < rows; row++, r++) for (let c = 0; c < 6; c++) whole[c] += lambda[r] * f[6 * r + c];
      for (let j = 0; j < nv; j++) {
        const [movesA, movesB] = [this.#isBefore(j, a), this.#isBefore(j, b)];
        if (movesA + movesB === 0) continue;
        turned.fill(0);
        addCrossForce(turned, 0, S, 6 * j, whole, 0);
        for (let k = 0; k < nv; k++) {
          const sides = this.#isBefore(k, b) - this.#isBefore(k, a);
          if (sides === 0) continue;
          // The force turns with b, the motion space of k with j where that carries it.
          const factor = movesB - (this.#carries(j, k) ? 1 : 0);
          if (factor !== 0) dq[nv * this.#place[k] + this.#place[j]] -= sides * factor * dot6(S, 6 * k, turned, 0);
        }
      }
    }
  }

  /** m x nv: d g at the accelerations. */
  #constraintDerivatives(
    { S, psi1, psi2, rate, v, a }: InverseDerivativesScratch,
    f: Float64Array,
    by: 'q' | 'v',
  ): Float64Array {
    const nv = this.#place.length;
    const out = new Float64Array(this.#rows * nv);
    const [dvA, dvB, change, gap, turned] = Array.from({ length: 5 }, () => new Float64Array(6));
    /** change += sign da of a link, velocity <- dv of it. */
    const moveLink = (velocity: Float64Array, link: number, j: number, sign: number): void => {
      velocity.fill(0);
      turned.fill(0);
      if (this.#isBefore(j, link) === 0) return;
      const at = 6 * (link + 1);
      if (by === 'q') {
        addCrossMotion(velocity, 0, S, 6 * j, v, at);
        addCrossMotion(turned, 0, S, 6 * j, a, at);
        addCrossMotion(turned, 0, psi1, 6 * j, v, at);
      } else addCrossMotion(turned, 0, S, 6 * j, v, at);
      for (let c = 0; c < 6; c++) {
        velocity[c] += by === 'q' ? psi1[6 * j + c] : S[6 * j + c];
        turned[c] += by === 'q' ? psi2[6 * j + c] : psi1[6 * j + c] + rate[6 * j + c];
        change[c] += sign * turned[c];
      }
    };
    let first = 0;
    for (const { a: from, b: to, k: rows } of this.#loops.loops) {
      const [atA, atB] = [6 * (from + 1), 6 * (to + 1)];
      for (let c = 0; c < 6; c++) gap[c] = a[atB + c] - a[atA + c];
      addCrossMotion(gap, 0, v, atB, v, atA);
      for (let j = 0; j < nv; j++) {
        change.fill(0);
        moveLink(dvB, to, j, 1);
        moveLink(dvA, from, j, -1);
        addCrossMotion(change, 0, dvB, 0, v, atA);
        addCrossMotion(change, 0, v, atB, dvA, 0);
        const carried = by === 'q' && this.#isBefore(j, to) === 1;
        for (let r = first; r < first + rows; r++) {
          let sum = dot6(f, 6 * r, change, 0);
          if (carried) {
            turned.fill(0);
            addCrossForce(turned, 0, S, 6 * j, f, 6 * r);
            sum += dot6(turned, 0, gap, 0);
          }
          out[nv * r + this.#place[j]] = sum;
        }
      }
      first += rows;
    }
    return out;
  }
}

/** X Y, rows x inner times inner x columns. */
function product(X: Float64Array, Y: Float64Array, rows: number, inner: number, columns: number): Float64Array {
  const out = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++)
    for (let k = 0; k < inner; k++) {
      const factor = X[inner * i + k];
      if (factor === 0) continue;
      for (let j = 0; j < columns; j++) out[columns * i + j] += factor * Y[columns * k + j];
    }
  return out;
}
