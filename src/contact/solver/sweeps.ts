// Sweeps over the contacts in a fixed order (Gauss-Seidel): each block in turn is solved exactly, the others held. Slow alone,
// good at finding which contacts stick, slide and open.
//
// One contact, c its velocity without its own impulse, G its own 3 x 3 block:
//
//   open    c_n >= 0
//   stick   lambda = -G^-1 c, where that lies in the cone
//   slide   u_n = 0 and friction mu lambda_n against the slip: with the normal eliminated, (P + gamma) s = -z for the friction s,
//           P the Schur complement; gamma > 0 such that |s| = mu lambda_n, a root of one variable in the eigenvectors of P

import type { DenseProblem } from './contact-matrix.js';
import { CONTACT, grown, LIMIT } from './problem.js';

export const OPEN = 0;
export const STICK = 1;
export const SLIDE = 2;

/** Of each contact: 1 / G_nn, G_1n, G_2n, the two eigenvalues of P, and the first eigenvector. */
const OWN = 7;
const MOST_ROOT_STEPS = 60;

export class Sweeps {
  #own = new Float64Array(0);
  /** Impulse, and mode. */
  readonly #one = new Float64Array(4);

  /** To be called for every new G. */
  prepare({ blocks, kind, firstRow, n, G, d }: DenseProblem): void {
    this.#own = grown(this.#own, OWN * blocks);
    for (let c = 0; c < blocks; c++) {
      const o = firstRow[c];
      const k = OWN * c;
      const own = this.#own;
      const A = G[o * n + o];
      // Zero for rows that cannot move: no impulse changes them.
      own[k] = A > 1e-13 * d[c] ? 1 / A : 0;
      if (kind[c] !== CONTACT) continue;
      const x = G[(o + 1) * n + o];
      const y = G[(o + 2) * n + o];
      const p11 = G[(o + 1) * n + o + 1] - (x * x) / A;
      const p12 = G[(o + 1) * n + o + 2] - (x * y) / A;
      const p22 = G[(o + 2) * n + o + 2] - (y * y) / A;
      const middle = (p11 + p22) / 2;
      const half = (p11 - p22) / 2;
      const spread = Math.sqrt(half * half + p12 * p12);
      const e1 = middle + spread;
      let ux = p12;
      let uy = e1 - p11;
      if (Math.abs(p11 - e1) < Math.abs(p22 - e1)) {
        ux = e1 - p22;
        uy = p12;
      }
      const length = Math.sqrt(ux * ux + uy * uy);
      own[k + 1] = x;
      own[k + 2] = y;
      own[k + 3] = e1;
      own[k + 4] = Math.max(middle - spread, 1e-14 * d[c]);
      own[k + 5] = length > 1e-300 ? ux / length : 1;
      own[k + 6] = length > 1e-300 ? uy / length : 0;
    }
  }

  /** One sweep; u stays G lambda + g. `modes` gets what each block does. */
  sweep(problem: DenseProblem, lambda: Float64Array, u: Float64Array, modes: Uint8Array): void {
    const { blocks, kind, firstRow, mu, n, G } = problem;
    const one = this.#one;
    for (let c = 0; c < blocks; c++) {
      const o = firstRow[c];
      const r0 = o * n;
      if (kind[c] !== CONTACT) {
        const old = lambda[o];
        let x = old - u[o] * this.#own[OWN * c];
        if (kind[c] === LIMIT) {
          if (!(x > 0)) x = 0;
          modes[c] = x > 0 ? STICK : OPEN;
        } else {
          modes[c] = Math.abs(x) <= mu[c] ? STICK : SLIDE;
          x = Math.min(mu[c], Math.max(-mu[c], x));
        }
        const change = x - old;
        lambda[o] = x;
        if (change !== 0) for (let j = 0; j < n; j++) u[j] += G[r0 + j] * change;
        continue;
      }
      const r1 = r0 + n;
      const r2 = r1 + n;
      const l0 = lambda[o];
      const l1 = lambda[o + 1];
      const l2 = lambda[o + 2];
      one[0] = u[o] - G[r0 + o] * l0 - G[r0 + o + 1] * l1 - G[r0 + o + 2] * l2;
      one[1] = u[o + 1] - G[r1 + o] * l0 - G[r1 + o + 1] * l1 - G[r1 + o + 2] * l2;
      one[2] = u[o + 2] - G[r2 + o] * l0 - G[r2 + o + 1] * l1 - G[r2 + o + 2] * l2;
      solveOne(this.#own, OWN * c, mu[c], one);
      modes[c] = one[3];
      const x = one[0] - l0;
      const y = one[1] - l1;
      const z = one[2] - l2;
      lambda[o] = one[0];
      lambda[o + 1] = one[1];
      lambda[o + 2] = one[2];
      if (x !== 0 || y !== 0 || z !== 0)
        for (let j = 0; j < n; j++) u[j] += G[r0 + j] * x + G[r1 + j] * y + G[r2 + j] * z;
    }
  }
}

/** one: in, the velocity without own impulse; out, the impulse, and the mode at [3]. */
function solveOne(own: Float64Array, k: number, mu: number, one: Float64Array): void {
  const cn = one[0];
  if (cn >= 0) {
    one.fill(0);
    return;
  }
  const inverse = own[k];
  const e1 = own[k + 3];
  const e2 = own[k + 4];
  const ux = own[k + 5];
  const uy = own[k + 6];
  const b1 = one[1] - own[k + 1] * inverse * cn;
  const b2 = one[2] - own[k + 2] * inverse * cn;
  // In the directions of the eigenvectors.
  const z1 = ux * b1 + uy * b2;
  const z2 = ux * b2 - uy * b1;
  const n1 = ux * own[k + 1] + uy * own[k + 2];
  const n2 = ux * own[k + 2] - uy * own[k + 1];
  let s1 = -z1 / e1;
  let s2 = -z2 / e2;
  let normal = -(cn + n1 * s1 + n2 * s2) * inverse;
  let friction = Math.sqrt(s1 * s1 + s2 * s2);
  one[3] = STICK;
  if (friction > mu * normal) {
    one[3] = SLIDE;
    if (mu === 0) {
      s1 = 0;
      s2 = 0;
      normal = -cn * inverse;
    } else {
      // Newton on mu lambda_n / |s| - 1, nearly linear in gamma, within a bracket.
      let low = 0;
      let high = Number.POSITIVE_INFINITY;
      let gamma = 0;
      for (let it = 0; it < MOST_ROOT_STEPS; it++) {
        const f1 = 1 / (e1 + gamma);
        const f2 = 1 / (e2 + gamma);
        s1 = -z1 * f1;
        s2 = -z2 * f2;
        friction = Math.sqrt(s1 * s1 + s2 * s2);
        normal = -(cn + n1 * s1 + n2 * s2) * inverse;
        const excess = friction - mu * normal;
        if (excess > 0) low = gamma;
        else high = gamma;
        if (Math.abs(excess) <= 1e-15 * friction) break;
        const ds1 = -s1 * f1;
        const ds2 = -s2 * f2;
        const dFriction = (s1 * ds1 + s2 * ds2) / friction;
        const dNormal = -(n1 * ds1 + n2 * ds2) * inverse;
        const value = (mu * normal) / friction - 1;
        const slope = (mu * (dNormal * friction - normal * dFriction)) / (friction * friction);
        let next = gamma - value / slope;
        if (!(next > low && next < high))
          next = high === Number.POSITIVE_INFINITY ? 2 * gamma + e1 : 0.5 * (low + high);
        if (Math.abs(next - gamma) <= 1e-15 * (gamma + e2)) break;
        gamma = next;
      }
      normal = Math.max(normal, 0);
      const cut = friction > 0 ? (mu * normal) / friction : 0;
      s1 *= cut;
      s2 *= cut;
    }
  }
  one[0] = normal;
  one[1] = ux * s1 - uy * s2;
  one[2] = uy * s1 + ux * s2;
}
