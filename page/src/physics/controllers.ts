// Ready controllers: each sets the motors of a mechanism anew.

import type { Dynamics } from 'manikin';
import type { Member } from 'manikin/world';

export interface Controller {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly apply: (member: Member, dynamics: Dynamics) => void;
}

/** 1/s: how fast a pose is taken. */
const STIFF = 20;

function release(member: Member): void {
  for (const { joint } of member.motors) member.drive(joint.name, undefined);
  member.control = undefined;
}

/** Position motors on all joints of one degree of freedom, as strong as the inertia they move asks for. */
function hold(member: Member, dynamics: Dynamics, wanted: (q: number) => number): void {
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
      stiffness: STIFF * STIFF * inertia,
      damping: 2 * STIFF * inertia,
    });
  });
}

export const CONTROLLERS: readonly Controller[] = [
  {
    name: 'none',
    title: 'All joints are free',
    about: 'No motors: only gravity, contacts and the mouse.',
    apply: release,
  },
  {
    name: 'hold',
    title: 'Every joint holds its place',
    about: 'A motor on each joint keeps the pose of this moment.',
    apply: (member, dynamics) => hold(member, dynamics, (q) => q),
  },
  {
    name: 'straight',
    title: 'Every joint goes to its middle pose',
    about: 'A motor on each joint brings it to zero, as far as its limits allow.',
    apply: (member, dynamics) => hold(member, dynamics, () => 0),
  },
];

/** The controller of that name. */
export function controllerNamed(name: string): Controller {
  const found = CONTROLLERS.find((controller) => controller.name === name);
  if (found === undefined) throw new Error(`There is no controller "${name}".`);
  return found;
}
