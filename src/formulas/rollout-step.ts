// A step in time of rollouts, the same on every device: linearly implicit Euler, v' = v + h a(q, v) with the damping of
// v' in the armature, then positions along the new velocities for the time h.

import { isLinear } from '../plan/length-units.js';
import type { PlanLink } from '../plan/plan.js';
import type { Node } from './graph.js';
import { movePosition, type Precision } from './integration.js';
import { Q, type UnitFormulas, V } from './links.js';
import { type PassiveJoint, passiveForce, passiveSlope } from './passive.js';
import type { VectorGraph } from './vectors.js';

/** New positions and velocities of a step, by their numbers in a graph; and its length. */
export const NEXT_Q = 8;
export const NEXT_V = 9;
export const STEP = 10;

/** What joints do by themselves, by the offset of each joint in v. */
export type PassiveJoints = ReadonlyMap<number, PassiveJoint>;

/** Added to the joint forces and to the armature of a link before assembly. */
export interface Passive {
  readonly forces: (g: VectorGraph, link: UnitFormulas, tau: readonly Node[], of: PlanLink) => readonly Node[];
  readonly armature: (g: VectorGraph, link: UnitFormulas, of: PlanLink) => readonly Node[];
}

/**
 * Undefined where no joint has any. `length`: metres in the unit of length of the formulas. `steep`: tanh(v /
 * FRICTION_SPEED) of the velocity with that offset.
 */
export function passiveOf(
  joints: PassiveJoints,
  length: number,
  steep: (g: VectorGraph, iv: number) => Node,
): Passive | undefined {
  if (joints.size === 0) return undefined;
  return {
    forces: (g, { v }, tau, { iv, iq }) => {
      const joint = joints.get(iv);
      if (joint === undefined) return tau;
      return tau.map((t, k) => {
        if (k >= v.length) return t;
        const inputs = { q: g.input(Q, iq), v: g.input(V, iv + k), steep: () => steep(g, iv + k) };
        return g.add(t, passiveForce(g, joint, k, inputs));
      });
    },
    armature: (g, { armature, type }, { iv }) => {
      const joint = joints.get(iv);
      if (joint === undefined || (joint.damping === 0 && joint.friction === 0)) return armature;
      return armature.map((a, k) => {
        const slope = passiveSlope(g, joint, () => steep(g, iv + k));
        const scaled = g.mul(slope, g.constant(isLinear(type, k) ? length ** 2 : 1));
        return g.add(a, g.mul(g.input(STEP, 0), scaled));
      });
    },
  };
}

/** Next velocities and positions of a link's joint from its accelerations. */
export function stepLink(
  g: VectorGraph,
  { iq, iv, nq, type }: PlanLink,
  qdd: readonly Node[],
  precision: Precision,
): void {
  const h = g.input(STEP, 0);
  const v = qdd.map((a, k) => g.add(g.input(V, iv + k), g.mul(h, a)));
  v.forEach((value, k) => {
    g.output(NEXT_V, iv + k, value);
  });
  const q = Array.from({ length: nq }, (_, k) => g.input(Q, iq + k));
  const moved = v.map((rate) => g.mul(h, rate));
  movePosition(g, type, q, moved, { precision, normalise: true }).forEach((value, k) => {
    g.output(NEXT_Q, iq + k, value);
  });
}
