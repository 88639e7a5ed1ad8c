// What joints do by themselves, as formulas: springs, damping and dry friction, and the slope of the last two in the
// velocity, which a linearly implicit step adds to the armature: (H + h D) a = tau - D v.

import type { Node } from './graph.js';
import type { VectorGraph } from './vectors.js';

/**
 * Below this speed (rad/s or m/s) dry friction fades to zero instead of jumping at rest: friction tanh(v / FRICTION_SPEED).
 * A force with a jump has no derivative, and no fixed step could follow it.
 */
export const FRICTION_SPEED = 1e-3;

/** What a joint does by itself: damping and friction in each degree of freedom, a spring in its first. */
export interface PassiveJoint {
  readonly damping: number;
  readonly friction: number;
  readonly stiffness: number;
  readonly rest: number;
}

/** What the formulas read of a degree of freedom; `steep` is tanh(v / FRICTION_SPEED), asked for where there is friction. */
export interface PassiveInputs {
  readonly q: Node;
  readonly v: Node;
  readonly steep: () => Node;
}

/** The force on degree of freedom k of a joint; springs act on the first. */
export function passiveForce(g: VectorGraph, joint: PassiveJoint, k: number, { q, v, steep }: PassiveInputs): Node {
  const { damping, friction, stiffness, rest } = joint;
  const slowed = g.mul(g.constant(-damping), v);
  const rubbed = friction === 0 ? slowed : g.sub(slowed, g.mul(g.constant(friction), steep()));
  if (k > 0 || stiffness === 0) return rubbed;
  return g.sub(rubbed, g.mul(g.constant(stiffness), g.sub(q, g.constant(rest))));
}

/** The slope D of damping and friction: damping + friction (1 - tanh^2) / FRICTION_SPEED. */
export function passiveSlope(g: VectorGraph, { damping, friction }: PassiveJoint, steep: () => Node): Node {
  if (friction === 0) return g.constant(damping);
  const t = steep();
  const rubbing = g.mul(g.constant(friction / FRICTION_SPEED), g.sub(g.one, g.mul(t, t)));
  return g.add(g.constant(damping), rubbing);
}

/**
 * tanh x in operations that every emitter has: y = x / 64 within +-20 / 64 by its Taylor series, then
 * tanh 2y = 2 tanh y / (1 + tanh^2 y) six times. Good to some 1e-15; beyond +-20 the result is 1 to rounding anyway.
 */
export function tanh(g: VectorGraph, x: Node): Node {
  const limit = g.constant(20);
  // The nearest of x and the limits; exact within them but for rounding of the sums.
  const within = g.mul(g.constant(1 / 2), g.sub(g.abs(g.add(x, limit)), g.abs(g.sub(x, limit))));
  const y = g.mul(within, g.constant(1 / 64));
  const y2 = g.mul(y, y);
  const series = TANH.reduceRight((sum, c) => g.add(g.constant(c), g.mul(y2, sum)), g.zero);
  let t = g.mul(y, series);
  for (let doubling = 0; doubling < 6; doubling++) t = g.div(g.add(t, t), g.add(g.one, g.mul(t, t)));
  return t;
}

/** Taylor series of tanh y / y in y^2, to y^20. */
const TANH = [
  1,
  -1 / 3,
  2 / 15,
  -17 / 315,
  62 / 2835,
  -1382 / 155925,
  21844 / 6081075,
  -929569 / 638512875,
  6404582 / 10854718875,
  -443861162 / 1856156927625,
  18888466084 / 194896477400625,
];
