// How far impulses and velocities are from the laws of contact: one measure for all solvers.
//
// Everything is a velocity (impulses times d, the mean of the block's own inverse inertia) relative to `scale`, the largest
// of the velocities that there would be without impulses and of what gravity gives in a step. Of a contact it is the largest of
// - the distance of lambda from its cone,
// - how fast the bodies approach,
// - complementarity |lambda . (u + mu |u_t| n)|, made a length by the larger of the two vectors (De Saxce's form of Coulomb's
//   law: u + mu |u_t| n lies in the dual cone, at a right angle to lambda),
// - the natural map |lambda - P(lambda - u - mu |u_t| n)|, P the projection on the cone: complementarity alone is of second
//   order in the direction of slip.

import { CONTACT, LIMIT } from './problem.js';

/** What the laws are about, without the bodies. */
export interface ContactLaws {
  readonly blocks: number;
  readonly kind: Uint8Array;
  readonly firstRow: Int32Array;
  /** Coefficient of friction of contacts; bound of boxes. */
  readonly mu: Float64Array;
  readonly scale: number;
}

/** How good impulses are, and what that took. */
export interface Outcome {
  residual: number;
  iterations: number;
}

const projected = new Float64Array(3);

export function residual(laws: ContactLaws, d: Float64Array, lambda: Float64Array, u: Float64Array): number {
  const { blocks } = laws;
  let largest = 0;
  for (let c = 0; c < blocks; c++) {
    const r = blockResidual(laws, d, lambda, u, c);
    // A number that is not one is the largest of all.
    if (!(r <= largest)) largest = r;
  }
  return largest / laws.scale;
}

/** Of one block; not divided by scale. */
export function blockResidual(
  { kind, firstRow, mu }: ContactLaws,
  d: Float64Array,
  lambda: Float64Array,
  u: Float64Array,
  c: number,
): number {
  const o = firstRow[c];
  const dc = d[c];
  const l0 = lambda[o] * dc;
  const u0 = u[o];
  if (kind[c] === LIMIT) return Math.abs(Math.min(l0, u0));
  if (kind[c] !== CONTACT) {
    const bound = mu[c] * dc;
    return Math.abs(l0 - Math.min(bound, Math.max(-bound, l0 - u0)));
  }
  const m = mu[c];
  const l1 = lambda[o + 1] * dc;
  const l2 = lambda[o + 2] * dc;
  const u1 = u[o + 1];
  const u2 = u[o + 2];
  const lt = Math.sqrt(l1 * l1 + l2 * l2);
  const ut = Math.sqrt(u1 * u1 + u2 * u2);
  const w = u0 + m * ut;
  const cone = Math.max(-l0, (lt - m * l0) / Math.sqrt(1 + m * m));
  const size = Math.max(Math.sqrt(l0 * l0 + lt * lt), Math.sqrt(w * w + ut * ut), 1e-300);
  const complementarity = Math.abs(l0 * w + l1 * u1 + l2 * u2) / size;
  projected[0] = l0 - w;
  projected[1] = l1 - u1;
  projected[2] = l2 - u2;
  projectOnCone(projected, 0, m);
  const x = l0 - projected[0];
  const y = l1 - projected[1];
  const z = l2 - projected[2];
  return Math.max(cone, -u0, complementarity, Math.sqrt(x * x + y * y + z * z));
}

/** Nearest point of the cone |t| <= mu n to y = (n, t1, t2), in place. The polar cone is asked first: it is right for mu = 0. */
export function projectOnCone(y: Float64Array, o: number, mu: number): void {
  const n = y[o];
  const a = y[o + 1];
  const b = y[o + 2];
  const t = Math.sqrt(a * a + b * b);
  if (mu * t <= -n) {
    y[o] = y[o + 1] = y[o + 2] = 0;
  } else if (t > mu * n) {
    const x = (n + mu * t) / (1 + mu * mu);
    const f = (mu * x) / t;
    y[o] = x;
    y[o + 1] = f * a;
    y[o + 2] = f * b;
  }
}

/** Makes every impulse lawful by the shortest change across the normal: impulses that pull vanish, friction is cut to its cone. */
export function clampImpulses({ blocks, kind, firstRow, mu }: ContactLaws, lambda: Float64Array): void {
  for (let c = 0; c < blocks; c++) {
    const o = firstRow[c];
    if (kind[c] === CONTACT) {
      const n = lambda[o];
      if (!(n > 0)) {
        lambda[o] = lambda[o + 1] = lambda[o + 2] = 0;
        continue;
      }
      const t = Math.sqrt(lambda[o + 1] * lambda[o + 1] + lambda[o + 2] * lambda[o + 2]);
      const most = mu[c] * n;
      if (t > most) {
        lambda[o + 1] *= most / t;
        lambda[o + 2] *= most / t;
      }
    } else if (kind[c] === LIMIT) {
      if (!(lambda[o] > 0)) lambda[o] = 0;
    } else lambda[o] = Math.min(mu[c], Math.max(-mu[c], lambda[o]));
  }
}
