// Inertia and damping that actuators, and inertia that tendons bring along (attributes armature and damping). What pulls at
// one joint adds the square of its lever times its own to the joint's; across several joints it would couple their
// accelerations, which no joint can carry.

import type { Actuator, Tendon, Transmission } from '../mechanism/actuation.js';
import type { MjcfParts } from './mjcf-mechanism.js';

/** Adds what can be added; `refused` is told what cannot. */
export function addReflected(
  { joints }: MjcfParts,
  tendons: readonly Tendon[],
  actuators: readonly Actuator[],
  refused: (part: Tendon | Actuator) => void,
): void {
  const ofTendon = (tendon: Tendon | undefined) =>
    tendon?.kind === 'fixed' && tendon.joints.length === 1 ? tendon.joints[0] : undefined;
  const lever = (transmission: Transmission) => {
    if (transmission.kind === 'joint') return { joint: transmission.joint, coefficient: 1 };
    return transmission.kind === 'tendon'
      ? ofTendon(tendons.find(({ name }) => name === transmission.tendon))
      : undefined;
  };
  const add = (part: Tendon | Actuator, at: ReturnType<typeof lever>, gear: number, own: Reflected): void => {
    const k = at === undefined ? -1 : joints.findIndex(({ name }) => name === at.joint);
    if (at === undefined || k === -1 || !['revolute', 'prismatic'].includes(joints[k].type)) {
      refused(part);
      return;
    }
    const arm = gear * at.coefficient;
    const { armature = 0, damping = 0 } = joints[k];
    joints[k] = {
      ...joints[k],
      armature: armature + own.armature * arm * arm,
      damping: damping + own.damping * arm * arm,
    };
  };
  for (const tendon of tendons)
    if (tendon.armature !== 0) add(tendon, ofTendon(tendon), 1, { armature: tendon.armature, damping: 0 });
  for (const actuator of actuators) {
    const { armature = 0, damping = 0, transmission, gear } = actuator;
    if (armature !== 0 || damping !== 0) add(actuator, lever(transmission), gear[0], { armature, damping });
  }
}

interface Reflected {
  readonly armature: number;
  readonly damping: number;
}
