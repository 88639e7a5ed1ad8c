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
// The axes z and u of a universal joint go with a and with b. It forbids turning about n = z x u, |n|^2 = 1 - (z u)^2, and what
// the axes turn against each other adds to its line, with w the angular velocity of b against a,
//
//   |n| g = n^T (a_b - a_a + v_b x v_a) - R,   R = (w z - (z u) (w u)) (w u - (z u) (w z)) / |n|^2,   |n| df = dz x u + z x du
//
// Where loops depend on each other A is singular, and A dlambda = ... is solved for as many rows as A has rank: the others hold
// with them as long as the rank does not change. With coupled joints, v = G y, all lines are those of the independent
// coordinates y: J G, G^T H G, G^T E G, dg G.

import { JOINT_TYPES } from '../../joints/index.js';
import type { State } from '../../mechanism/state.js';
import type { Tree } from '../../mechanism/tree.js';
import { movesAtOnce } from '../../reference/column-motions.js';
import type { InverseDerivativesScratch } from '../../reference/inverse-derivatives.js';
import { solveFactored } from '../../reference/solve-positive.js';
import { addCrossForce, addCrossMotion, forceToA, TRANSFORM } from '../../spatial/spatial.js';
import type { ForwardDerivatives } from '../engine.js';
import { createLoops, type LoopScratch, updateLoops } from './assembly/loop-joint.js';
import { loopScales } from './assembly/loop-scales.js';
import { RANK_TOLERANCE } from './assembly/rank.js';
import { type Reduction, reduceMatrix, reductionOf } from './couplings.js';

/** Places in the memory for axes of universal joints, three numbers each: z, u, n, w, and changes of z, u, n, w. */
const [Z, U, N, W, DZ, DU, DN, DW] = [0, 3, 6, 9, 12, 15, 18, 21];

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
  /** Constraints, degrees of freedom, and those of them that move by themselves. */
  readonly #m: number;
  readonly #nv: number;
  readonly #rows: number;
  readonly #reduction: Reduction;
  /** 1 for each degree of freedom that follows another. */
  readonly #follows: Uint8Array;
  /** What each row of A could feel. */
  readonly #scale: readonly number[];
  /** m x 6: forces that the loops transmit. */
  readonly #f: Float64Array;
  /** m x nv, m x rows, m x rows: dg, J and J H^-1. */
  readonly #dg: Float64Array;
  readonly #J: Float64Array;
  readonly #JH: Float64Array;
  /** m x m: A, and the factor of its independent rows, one after the other. */
  readonly #A: Float64Array;
  readonly #L: Float64Array;
  readonly #order: Int32Array;
  readonly #left: Float64Array;
  #rank = 0;
  readonly #lambda: Float64Array;
  readonly #column: Float64Array;
  readonly #chosen: Float64Array;
  /** rows x rows: E, and d qdd. */
  readonly #E: Float64Array;
  readonly #change: Float64Array;
  /** rows x rows: JH E. */
  readonly #right: Float64Array;
  /** Six numbers each. */
  readonly #six: readonly Float64Array[];
  /** Results of products: numbers that a call returns may go onto the heap. */
  readonly #sum = new Float64Array(2);
  /** For each loop where it is universal: three numbers each. */
  readonly #axes: readonly (Float64Array | undefined)[];

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
    this.#reduction = reductionOf(mechanism);
    this.#follows = new Uint8Array(nv);
    for (const { joint } of mechanism.couplings) this.#follows[mechanism.joints[joint].iv] = 1;
    this.#scale = loopScales(tree).flat();
    const { rows } = this.#reduction;
    const m = this.#scale.length;
    const numbers = (count: number): Float64Array => new Float64Array(count);
    this.#m = m;
    this.#nv = nv;
    this.#rows = rows;
    this.#f = numbers(6 * m);
    this.#dg = numbers(m * nv);
    [this.#J, this.#JH, this.#right] = [numbers(m * rows), numbers(m * rows), numbers(m * rows)];
    [this.#A, this.#L] = [numbers(m * m), numbers(m * m)];
    this.#order = new Int32Array(m);
    [this.#left, this.#lambda, this.#column, this.#chosen] = [numbers(m), numbers(m), numbers(m), numbers(m)];
    [this.#E, this.#change] = [numbers(rows * rows), numbers(rows * rows)];
    this.#six = Array.from({ length: 6 }, () => numbers(6));
    this.#axes = this.#loops.loops.map(({ joint }) => (joint.type === 'universal' ? numbers(24) : undefined));
  }

  /**
   * `dq`, `dv`: derivatives of the joint forces of the open tree at out.qdd, with the motions and forces they were made of in
   * `motions`. `Hinv`: of the independent coordinates.
   */
  forward(
    state: State,
    tau: Float64Array,
    Hinv: Float64Array,
    dq: Float64Array,
    dv: Float64Array,
    motions: InverseDerivativesScratch,
    out: ForwardDerivatives,
  ): void {
    const m = this.#m;
    const nv = this.#nv;
    const rows = this.#rows;
    const { follows, factor } = this.#reduction;
    const { armature } = this.#tree;
    const JH = this.#JH;
    updateLoops(this.#tree, this.#loops, 'velocity', this.#still, state.q, state.v);
    this.#setForces(motions);
    this.#setJacobian(motions);
    multiply(JH, this.#J, Hinv, m, rows, rows);
    const A = this.#A;
    for (let r = 0; r < m; r++)
      for (let s = 0; s < m; s++) {
        let sum = 0;
        for (let k = 0; k < rows; k++) sum += JH[rows * r + k] * this.#J[rows * s + k];
        A[m * r + s] = sum;
      }
    this.#factorise();
    // J^T lambda is what the joint forces of the open tree exceed tau by.
    const lambda = this.#lambda.fill(0);
    for (let k = 0; k < nv; k++) {
      const at = this.#place[k];
      setDot(this.#sum, 0, motions.S, 6 * k, motions.force, 6 * this.#linkOf[k]);
      const excess = this.#sum[0] + armature[at] * out.qdd[at] - tau[at];
      for (let r = 0; r < m; r++) lambda[r] += JH[rows * r + follows[at]] * factor[at] * excess;
    }
    this.#solve(lambda);
    this.#subtractLoopForces(dq, motions);
    this.#differentiate(out.dq, dq, Hinv, motions, 'q');
    this.#differentiate(out.dv, dv, Hinv, motions, 'v');
    const change = this.#change;
    const column = this.#column;
    change.set(Hinv);
    for (let j = 0; j < rows; j++) {
      for (let r = 0; r < m; r++) column[r] = JH[rows * r + j];
      this.#solve(column);
      for (let r = 0; r < m; r++) for (let i = 0; i < rows; i++) change[rows * i + j] -= JH[rows * r + i] * column[r];
    }
    for (let i = 0; i < nv; i++)
      for (let j = 0; j < nv; j++)
        out.dtau[nv * i + j] = factor[i] * factor[j] * change[rows * follows[i] + follows[j]];
  }

  /** out <- d qdd, of all degrees of freedom. */
  #differentiate(
    out: Float64Array,
    forces: Float64Array,
    Hinv: Float64Array,
    motions: InverseDerivativesScratch,
    by: 'q' | 'v',
  ): void {
    const m = this.#m;
    const nv = this.#nv;
    const rows = this.#rows;
    const { follows, factor } = this.#reduction;
    const E = this.#E;
    const change = this.#change;
    const right = this.#right;
    const column = this.#column;
    const JH = this.#JH;
    reduceMatrix(E, forces, this.#reduction);
    this.#setConstraintDerivatives(motions, by);
    multiply(right, JH, E, m, rows, rows);
    for (let r = 0; r < m; r++)
      for (let j = 0; j < nv; j++) right[rows * r + follows[j]] -= factor[j] * this.#dg[nv * r + j];
    multiply(change, Hinv, E, rows, rows, rows);
    for (let j = 0; j < rows; j++) {
      for (let r = 0; r < m; r++) column[r] = right[rows * r + j];
      this.#solve(column);
      for (let i = 0; i < rows; i++) {
        let sum = -change[rows * i + j];
        for (let r = 0; r < m; r++) sum += JH[rows * r + i] * column[r];
        change[rows * i + j] = sum;
      }
    }
    for (let i = 0; i < nv; i++)
      for (let j = 0; j < nv; j++)
        out[nv * i + j] = this.#follows[j] === 1 ? 0 : factor[i] * change[rows * follows[i] + follows[j]];
  }

  /** The factor of as many rows of A as are independent, by Cholesky's method with diagonal pivots, measured as in rank.ts. */
  #factorise(): void {
    const m = this.#m;
    const A = this.#A;
    const L = this.#L;
    const order = this.#order;
    const left = this.#left;
    const scale = this.#scale;
    for (let r = 0; r < m; r++) {
      order[r] = r;
      left[r] = A[(m + 1) * r];
    }
    let rank = 0;
    // Rows of L in the order of the pivots; those not taken yet are kept up to date.
    for (; rank < m; rank++) {
      let best = rank;
      let most = 0;
      for (let i = rank; i < m; i++) {
        const could = scale[order[i]];
        const part = could > 0 ? left[order[i]] / could : 0;
        if (!(part > most)) continue;
        best = i;
        most = part;
      }
      if (!(most > RANK_TOLERANCE)) break;
      const p = order[best];
      order[best] = order[rank];
      order[rank] = p;
      for (let k = 0; k < rank; k++) {
        const kept = L[m * best + k];
        L[m * best + k] = L[m * rank + k];
        L[m * rank + k] = kept;
      }
      const root = Math.sqrt(left[p]);
      L[m * rank + rank] = root;
      for (let i = rank + 1; i < m; i++) {
        let sum = A[m * order[i] + p];
        for (let k = 0; k < rank; k++) sum -= L[m * i + k] * L[m * rank + k];
        L[m * i + rank] = sum / root;
        left[order[i]] -= (sum / root) ** 2;
      }
    }
    this.#rank = rank;
    // As solveFactored reads it.
    for (let i = 0; i < rank; i++) for (let k = 0; k <= i; k++) L[rank * i + k] = L[m * i + k];
  }

  /** x <- A^-1 x for the independent rows, zero for the others. */
  #solve(x: Float64Array): void {
    const rank = this.#rank;
    const order = this.#order;
    const chosen = this.#chosen;
    for (let i = 0; i < rank; i++) chosen[i] = x[order[i]];
    solveFactored(this.#L, chosen, rank);
    x.fill(0);
    for (let i = 0; i < rank; i++) x[order[i]] = chosen[i];
  }

  /** The forces that the loops transmit, and the axes of universal joints, ground coordinates. */
  #setForces({ kinematics: { pose }, v }: InverseDerivativesScratch): void {
    const f = this.#f;
    const { loops, Gb } = this.#loops;
    let r = 0;
    for (let l = 0; l < loops.length; l++) {
      const { a, b, k, Xa, Xb, axis2 } = loops[l];
      for (let row = 0; row < k; row++, r++)
        if (b >= 0) forceToA(f, 6 * r, pose, TRANSFORM * b, Gb[l], 6 * row);
        else for (let c = 0; c < 6; c++) f[6 * r + c] = Gb[l][6 * row + c];
      const axes = this.#axes[l];
      if (axes === undefined) continue;
      const six = this.#six[0];
      for (let c = 0; c < 3; c++) {
        six[c] = Xa[6 + c];
        six[3 + c] = Xb[c] * axis2[0] + Xb[3 + c] * axis2[1] + Xb[6 + c] * axis2[2];
        axes[W + c] = v[6 * (b + 1) + c] - v[6 * (a + 1) + c];
      }
      toGround(axes, Z, pose, a, six, 0);
      toGround(axes, U, pose, b, six, 3);
      axes.fill(0, N, N + 3);
      addCross(axes, N, axes, Z, axes, U);
    }
  }

  /** J, of the independent coordinates. */
  #setJacobian({ S }: InverseDerivativesScratch): void {
    const J = this.#J.fill(0);
    const rows = this.#rows;
    const { follows, factor } = this.#reduction;
    let r = 0;
    for (const { a, b, k } of this.#loops.loops)
      for (let row = 0; row < k; row++, r++)
        for (let j = 0; j < this.#nv; j++) {
          const sides = this.#isBefore(j, b) - this.#isBefore(j, a);
          const at = this.#place[j];
          if (sides === 0) continue;
          setDot(this.#sum, 0, S, 6 * j, this.#f, 6 * r);
          J[rows * r + follows[at]] += factor[at] * sides * this.#sum[0];
        }
  }

  /** Whether degree of freedom k moves a link, -1 being the ground. */
  #isBefore(k: number, link: number): number {
    return this.#before[this.#tree.n * (link + 1) + this.#linkOf[k]];
  }

  /** Whether degree of freedom j carries the motion space of k along. */
  #carries(j: number, k: number): boolean {
    const own = this.#linkOf[j];
    const other = this.#linkOf[k];
    if (own !== other) return this.#before[this.#tree.n * (other + 1) + own] === 1;
    return k >= j || movesAtOnce(JOINT_TYPES[this.#tree.type[own]].name);
  }

  /** What a displacement along j, which moves a and b or one of them, does to the axes of a universal joint. */
  #turnAxes(axes: Float64Array, S: Float64Array, j: number, movesA: number, movesB: number): void {
    axes.fill(0, DZ, DN + 3);
    if (movesA === 1) addCross(axes, DZ, S, 6 * j, axes, Z);
    if (movesB === 1) addCross(axes, DU, S, 6 * j, axes, U);
    addCross(axes, DN, axes, DZ, axes, U);
    addCross(axes, DN, axes, Z, axes, DU);
  }

  /** dq -= d(J^T lambda) / dq. */
  #subtractLoopForces(dq: Float64Array, { S }: InverseDerivativesScratch): void {
    const nv = this.#nv;
    const whole = this.#six[0];
    const fixed = this.#six[1];
    const turned = this.#six[2];
    const change = this.#six[3];
    const both = this.#sum;
    const f = this.#f;
    const lambda = this.#lambda;
    const { loops } = this.#loops;
    let first = 0;
    for (let l = 0; l < loops.length; l++) {
      const { a, b, k: rows } = loops[l];
      const axes = this.#axes[l];
      const last = first + rows - 1;
      // Of all forces, and of those that go with b.
      whole.fill(0);
      fixed.fill(0);
      for (let r = first; r <= last; r++)
        for (let c = 0; c < 6; c++) {
          const part = lambda[r] * f[6 * r + c];
          whole[c] += part;
          if (axes === undefined || r < last) fixed[c] += part;
        }
      for (let j = 0; j < nv; j++) {
        const movesA = this.#isBefore(j, a);
        const movesB = this.#isBefore(j, b);
        if (movesA + movesB === 0) continue;
        turned.fill(0);
        addCrossForce(turned, 0, S, 6 * j, whole, 0);
        change.fill(0);
        if (movesB === 1) addCrossForce(change, 0, S, 6 * j, fixed, 0);
        if (axes !== undefined) {
          this.#turnAxes(axes, S, j, movesA, movesB);
          const part = lambda[last] / Math.hypot(axes[N], axes[N + 1], axes[N + 2]);
          for (let c = 0; c < 3; c++) change[c] += part * axes[DN + c];
        }
        for (let k = 0; k < nv; k++) {
          const sides = this.#isBefore(k, b) - this.#isBefore(k, a);
          if (sides === 0) continue;
          // The motion space of k goes with j where that carries it.
          setDot(both, 0, S, 6 * k, change, 0);
          setDot(both, 1, S, 6 * k, turned, 0);
          dq[nv * this.#place[k] + this.#place[j]] -= sides * (this.#carries(j, k) ? both[0] - both[1] : both[0]);
        }
      }
      first += rows;
    }
  }

  /** dg at the accelerations. */
  #setConstraintDerivatives(motions: InverseDerivativesScratch, by: 'q' | 'v'): void {
    const { S, v, a } = motions;
    const nv = this.#nv;
    const dvA = this.#six[0];
    const dvB = this.#six[1];
    const change = this.#six[2];
    const gap = this.#six[3];
    const turned = this.#six[4];
    const work = this.#six[5];
    const parts = this.#sum;
    const f = this.#f;
    const dg = this.#dg;
    const { loops } = this.#loops;
    let first = 0;
    for (let l = 0; l < loops.length; l++) {
      const { a: from, b: to, k: rows } = loops[l];
      const axes = this.#axes[l];
      const atA = 6 * (from + 1);
      const atB = 6 * (to + 1);
      for (let c = 0; c < 6; c++) gap[c] = a[atB + c] - a[atA + c];
      addCrossMotion(gap, 0, v, atB, v, atA);
      for (let j = 0; j < nv; j++) {
        const movesA = this.#isBefore(j, from);
        const movesB = this.#isBefore(j, to);
        change.fill(0);
        this.#moveLink(dvB, change, work, motions, by, movesB === 1 ? to : undefined, j, 1);
        this.#moveLink(dvA, change, work, motions, by, movesA === 1 ? from : undefined, j, -1);
        addCrossMotion(change, 0, dvB, 0, v, atA);
        addCrossMotion(change, 0, v, atB, dvA, 0);
        const carried = by === 'q' && movesB === 1;
        for (let row = 0; row < rows; row++) {
          const r = first + row;
          setDot(parts, 0, f, 6 * r, change, 0);
          let sum = parts[0];
          if (axes !== undefined && row === rows - 1) {
            for (let c = 0; c < 3; c++) axes[DW + c] = dvB[c] - dvA[c];
            if (by === 'q') this.#turnAxes(axes, S, j, movesA, movesB);
            else axes.fill(0, DZ, DN + 3);
            sum += (dot3(axes, DN, gap, 0) - turnedAgainst(axes)) / Math.hypot(axes[N], axes[N + 1], axes[N + 2]);
          } else if (carried) {
            turned.fill(0);
            addCrossForce(turned, 0, S, 6 * j, f, 6 * r);
            setDot(parts, 0, turned, 0, gap, 0);
            sum += parts[0];
          }
          dg[nv * r + this.#place[j]] = sum;
        }
      }
      first += rows;
    }
  }

  /** change += sign da of a link, velocity <- dv of it; zero for a link that j does not move. */
  #moveLink(
    velocity: Float64Array,
    change: Float64Array,
    da: Float64Array,
    { S, psi1, psi2, rate, v, a }: InverseDerivativesScratch,
    by: 'q' | 'v',
    link: number | undefined,
    j: number,
    sign: number,
  ): void {
    velocity.fill(0);
    if (link === undefined) return;
    da.fill(0);
    const at = 6 * (link + 1);
    if (by === 'q') {
      addCrossMotion(velocity, 0, S, 6 * j, v, at);
      addCrossMotion(da, 0, S, 6 * j, a, at);
      addCrossMotion(da, 0, psi1, 6 * j, v, at);
    } else addCrossMotion(da, 0, S, 6 * j, v, at);
    for (let c = 0; c < 6; c++) {
      velocity[c] += by === 'q' ? psi1[6 * j + c] : S[6 * j + c];
      change[c] += sign * (da[c] + (by === 'q' ? psi2[6 * j + c] : psi1[6 * j + c] + rate[6 * j + c]));
    }
  }
}

/** d R of a universal joint. */
function turnedAgainst(axes: Float64Array): number {
  const s = dot3(axes, Z, axes, U);
  const wz = dot3(axes, W, axes, Z);
  const wu = dot3(axes, W, axes, U);
  const ds = dot3(axes, DZ, axes, U) + dot3(axes, Z, axes, DU);
  const dwz = dot3(axes, DW, axes, Z) + dot3(axes, W, axes, DZ);
  const dwu = dot3(axes, DW, axes, U) + dot3(axes, W, axes, DU);
  const first = wz - s * wu;
  const second = wu - s * wz;
  const square = 1 - s * s;
  const dFirst = dwz - ds * wu - s * dwu;
  const dSecond = dwu - ds * wz - s * dwz;
  return (dFirst * second + first * dSecond + (2 * s * ds * first * second) / square) / square;
}

/** out <- a direction of a link (-1: the ground) in ground coordinates. */
function toGround(out: Float64Array, o: number, pose: Float64Array, link: number, x: Float64Array, at: number): void {
  const E = TRANSFORM * link;
  for (let c = 0; c < 3; c++)
    out[o + c] = link < 0 ? x[at + c] : pose[E + c] * x[at] + pose[E + 3 + c] * x[at + 1] + pose[E + 6 + c] * x[at + 2];
}

/** out at o <- the product of two vectors of six. */
function setDot(out: Float64Array, o: number, x: Float64Array, i: number, y: Float64Array, j: number): void {
  let sum = 0;
  for (let c = 0; c < 6; c++) sum += x[i + c] * y[j + c];
  out[o] = sum;
}

function addCross(out: Float64Array, o: number, x: Float64Array, i: number, y: Float64Array, j: number): void {
  out[o] += x[i + 1] * y[j + 2] - x[i + 2] * y[j + 1];
  out[o + 1] += x[i + 2] * y[j] - x[i] * y[j + 2];
  out[o + 2] += x[i] * y[j + 1] - x[i + 1] * y[j];
}

const dot3 = (x: Float64Array, i: number, y: Float64Array, j: number): number =>
  x[i] * y[j] + x[i + 1] * y[j + 1] + x[i + 2] * y[j + 2];

/** out <- X Y, rows x inner times inner x columns. */
function multiply(
  out: Float64Array,
  X: Float64Array,
  Y: Float64Array,
  rows: number,
  inner: number,
  columns: number,
): void {
  for (let k = 0; k < rows * columns; k++) out[k] = 0;
  for (let i = 0; i < rows; i++)
    for (let k = 0; k < inner; k++) {
      const factor = X[inner * i + k];
      if (factor === 0) continue;
      for (let j = 0; j < columns; j++) out[columns * i + j] += factor * Y[columns * k + j];
    }
}
