// What joints do by themselves in a rollout, as formulas: springs, damping and dry friction (src/engines/plain/passive.ts); the
// last two linearly implicit as in src/simulation/integrators.ts: the armature grows by h times the slope of their force.

import { Q, V } from '../../formulas/links.js';
import type { Joint, Mechanism } from '../../mechanism/mechanism.js';
import { isLinear } from '../../plan/length-units.js';
import { FRICTION_SPEED } from '../plain/passive.js';
import type { Passive } from './formulas.js';
import { STEEP, STEP } from './kernel.js';

/** Undefined where no joint has any. `length`: metres in the unit of length of the formulas. */
export function passiveOf(mechanism: Mechanism, length: number): Passive | undefined {
  const byVelocity = new Map<number, Joint>();
  for (const joint of mechanism.joints)
    if (joint.model.nv > 0 && (joint.damping !== 0 || joint.friction !== 0 || joint.stiffness !== 0))
      byVelocity.set(joint.iv, joint);
  if (byVelocity.size === 0) return undefined;
  return {
    forces: (g, { v }, tau, { iv, iq }) => {
      const joint = byVelocity.get(iv);
      if (joint === undefined) return tau;
      const { damping, friction, stiffness, rest } = joint;
      return tau.map((t, k) => {
        if (k >= v.length) return t;
        const slowed = g.sub(t, g.mul(g.constant(damping), g.input(V, iv + k)));
        const rubbed = g.sub(slowed, g.mul(g.constant(friction), g.input(STEEP, iv + k)));
        if (k > 0 || stiffness === 0) return rubbed;
        return g.sub(rubbed, g.mul(g.constant(stiffness), g.sub(g.input(Q, iq), g.constant(rest))));
      });
    },
    armature: (g, { armature, type }, { iv }) => {
      const joint = byVelocity.get(iv);
      if (joint === undefined || (joint.damping === 0 && joint.friction === 0)) return armature;
      const { damping, friction } = joint;
      return armature.map((a, k) => {
        // Slope of friction tanh(v / speed): friction (1 - tanh^2) / speed.
        const steep = g.input(STEEP, iv + k);
        const rubbing = g.mul(g.constant(friction / FRICTION_SPEED), g.sub(g.one, g.mul(steep, steep)));
        const slope = g.add(g.constant(damping), rubbing);
        const scaled = g.mul(slope, g.constant(isLinear(type, k) ? length ** 2 : 1));
        return g.add(a, g.mul(g.input(STEP, 0), scaled));
      });
    },
  };
}
