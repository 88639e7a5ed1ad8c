// What joints do by themselves in a rollout (src/formulas/passive.ts); damping and friction are linearly implicit: the
// armature grows by h times the slope of their force.

import { Q, V } from '../../formulas/links.js';
import { passiveForce, passiveSlope } from '../../formulas/passive.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import { isLinear } from '../../plan/length-units.js';
import { passiveJoints } from '../plain/passive.js';
import type { Passive } from './formulas.js';
import { STEEP, STEP } from './kernel.js';

/** Undefined where no joint has any. `length`: metres in the unit of length of the formulas. */
export function passiveOf(mechanism: Mechanism, length: number): Passive | undefined {
  const joints = passiveJoints(mechanism);
  if (joints.size === 0) return undefined;
  return {
    forces: (g, { v }, tau, { iv, iq }) => {
      const joint = joints.get(iv);
      if (joint === undefined) return tau;
      return tau.map((t, k) => {
        if (k >= v.length) return t;
        const inputs = { q: g.input(Q, iq), v: g.input(V, iv + k), steep: () => g.input(STEEP, iv + k) };
        return g.add(t, passiveForce(g, joint, k, inputs));
      });
    },
    armature: (g, { armature, type }, { iv }) => {
      const joint = joints.get(iv);
      if (joint === undefined || (joint.damping === 0 && joint.friction === 0)) return armature;
      return armature.map((a, k) => {
        const slope = passiveSlope(g, joint, () => g.input(STEEP, iv + k));
        const scaled = g.mul(slope, g.constant(isLinear(type, k) ? length ** 2 : 1));
        return g.add(a, g.mul(g.input(STEP, 0), scaled));
      });
    },
  };
}
