// What joints do by themselves: viscous damping, dry friction, springs.

import { FRICTION_SPEED } from '../../formulas/passive.js';
import type { Joint, Mechanism } from '../../mechanism/mechanism.js';

/** tau += damping, friction and spring forces at (q, v). */
export function addPassiveForces(mechanism: Mechanism, tau: Float64Array, q: Float64Array, v: Float64Array): void {
  addSprings(mechanism, tau, q);
  addDamping(mechanism, tau, v);
}

/** tau += forces of springs. */
export function addSprings(mechanism: Pick<Mechanism, 'joints'>, tau: Float64Array, q: Float64Array): void {
  for (const { stiffness, rest, iq, iv } of mechanism.joints)
    if (stiffness !== 0) tau[iv] -= stiffness * (q[iq] - rest);
}

/** tau += damping and friction, which springs are not: they give back what they take. */
export function addDamping(mechanism: Pick<Mechanism, 'joints'>, tau: Float64Array, v: Float64Array): void {
  for (const { damping, friction, iv, model } of mechanism.joints) {
    if (damping === 0 && friction === 0) continue;
    for (let k = iv; k < iv + model.nv; k++) tau[k] -= damping * v[k] + friction * Math.tanh(v[k] / FRICTION_SPEED);
  }
}

/** out += h times the slope of damping and friction in v, which a linearly implicit step adds to the inertia. */
export function addPassiveSlope(mechanism: Mechanism, out: Float64Array, v: Float64Array, h: number): void {
  for (const { damping, friction, iv, model } of mechanism.joints) {
    if (damping === 0 && friction === 0) continue;
    for (let k = iv; k < iv + model.nv; k++) {
      const t = Math.tanh(v[k] / FRICTION_SPEED);
      out[k] += h * (damping + (friction * (1 - t * t)) / FRICTION_SPEED);
    }
  }
}

/** Joints that have passive forces, by their offset in v. */
export function passiveJoints({ joints }: Mechanism): Map<number, Joint> {
  const have = ({ model, damping, friction, stiffness }: Joint): boolean =>
    model.nv > 0 && (damping !== 0 || friction !== 0 || stiffness !== 0);
  return new Map(joints.filter(have).map((joint) => [joint.iv, joint]));
}

/** Power of damping and friction, which springs do not have: they store what they take. */
export function passivePower(mechanism: Mechanism, v: Float64Array): number {
  let power = 0;
  for (const { damping, friction, iv, model } of mechanism.joints) {
    if (damping === 0 && friction === 0) continue;
    for (let k = iv; k < iv + model.nv; k++)
      power -= (damping * v[k] + friction * Math.tanh(v[k] / FRICTION_SPEED)) * v[k];
  }
  return power;
}
