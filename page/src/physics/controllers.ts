// Ready controllers: each sets the motors of a mechanism anew. The gains of those that hold a pose are the person's: how stiff (1/s),
// and how damped (1: no swinging beyond).

import type { Dynamics } from 'manikin';
import type { Member } from 'manikin/world';
import { stand } from './balance.js';
import { CONTROLLERS, type ControllerName } from './controller-names.js';
import type { Gains } from './protocol.js';
import { swingUp } from './swing-up.js';

type Apply = (member: Member, dynamics: Dynamics, gains: Gains) => void;

function release(member: Member): void {
  for (const { joint } of member.motors) member.drive(joint.name, undefined);
  member.control = undefined;
}

/** Position motors on all joints of one degree of freedom, as strong as the inertia they move asks for. */
function hold(member: Member, dynamics: Dynamics, gains: Gains, wanted: (q: number) => number): void {
  release(member);
  const { state } = member;
  const { H, n } = dynamics.massMatrix(state);
  const followers = new Set(state.mechanism.couplings.map(({ joint }) => joint));
  state.mechanism.joints.forEach(({ name, model, iq, iv, limits }, j) => {
    if (model.nv !== 1 || followers.has(j)) return;
    const { lower = Number.NEGATIVE_INFINITY, upper = Number.POSITIVE_INFINITY } = limits;
    const inertia = H[iv * n + iv];
    member.drive(name, {
      kind: 'position',
      position: Math.min(upper, Math.max(lower, wanted(state.q[iq]))),
      ...motorGains(gains, inertia),
    });
  });
}

/** Spring and damper of a position motor on a joint that moves so much inertia. */
export function motorGains({ stiff, damped }: Gains, inertia: number): { stiffness: number; damping: number } {
  return { stiffness: stiff * stiff * inertia, damping: 2 * damped * stiff * inertia };
}

const APPLY: Readonly<Record<ControllerName, Apply>> = {
  none: release,
  hold: (member, dynamics, gains) => hold(member, dynamics, gains, (q) => q),
  straight: (member, dynamics, gains) => hold(member, dynamics, gains, () => 0),
  stand: (member) => {
    release(member);
    stand(member, { along: [400, 150], across: [400, 120], ahead: 0.026, hips: 0 });
  },
  balance: (member) => {
    release(member);
    stand(member, { along: [800, 250], across: [400, 120], ahead: 0.05, hips: 0.5 });
  },
  swing: (member) => {
    release(member);
    swingUp(member);
  },
};

/** The controller of that name: how it is called, and what it does to a member. */
export function controllerNamed(name: string): { readonly title: string; readonly apply: Apply } {
  const found = CONTROLLERS.find((controller) => controller.name === name);
  if (found === undefined) throw new Error(`There is no controller "${name}".`);
  return { title: found.title, apply: APPLY[found.name] };
}
