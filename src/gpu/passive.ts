// What joints do by themselves in a rollout, as formulas: springs and damping, damping linearly implicit as in
// src/simulation/integrators.ts (the armature grows by h times the damping).

import { Q, V } from '../compile/unit-formulas.js';
import { isLinear } from '../compile/units.js';
import type { Joint, Mechanism } from '../mechanism/mechanism.js';
import type { Passive } from './formulas.js';
import { STEP } from './kernel.js';

/** Undefined where no joint has any. `length`: metres in the unit of length of the formulas. */
export function passiveOf(mechanism: Mechanism, length: number): Passive | undefined {
  const byVelocity = new Map<number, Joint>();
  for (const joint of mechanism.joints)
    if (joint.model.nv > 0 && (joint.damping !== 0 || joint.stiffness !== 0)) byVelocity.set(joint.iv, joint);
  if (byVelocity.size === 0) return undefined;
  return {
    forces: (g, { v }, tau, { iv, iq }) => {
      const joint = byVelocity.get(iv);
      if (joint === undefined) return tau;
      const { damping, stiffness, rest } = joint;
      return tau.map((t, k) => {
        const slowed = k < v.length ? g.sub(t, g.mul(g.constant(damping), g.input(V, iv + k))) : t;
        if (k > 0 || stiffness === 0) return slowed;
        return g.sub(slowed, g.mul(g.constant(stiffness), g.sub(g.input(Q, iq), g.constant(rest))));
      });
    },
    armature: (g, { armature, type }, { iv }) => {
      const damping = byVelocity.get(iv)?.damping ?? 0;
      if (damping === 0) return armature;
      return armature.map((a, k) => {
        const scaled = g.constant(damping * (isLinear(type, k) ? length ** 2 : 1));
        return g.add(a, g.mul(g.input(STEP, 0), scaled));
      });
    },
  };
}

/** Why a rollout cannot run on the GPU; undefined where it can. */
export function reasonAgainstRollout({ joints }: Mechanism): string | undefined {
  const rough = joints.find(({ friction }) => friction !== 0);
  return rough === undefined ? undefined : `dry friction (joint "${rough.name}") is not part of the kernels.`;
}
