// A figure that stands on its feet: motors hold a posture, and ankles bring the centre of mass back over the feet.

import type { State } from 'manikin';
import type { Member } from 'manikin/world';
import { dynamicsOf } from './dynamics-of.js';

/** A posture that stands without locked knees; joints that are not named here go to zero. */
const STANCE: ReadonlyMap<string, number> = new Map(
  ['left', 'right'].flatMap((side) => [
    [`${side}_hip_y`, -0.25] as const,
    [`${side}_knee`, 0.5] as const,
    [`${side}_ankle_y`, -0.25] as const,
    [`${side}_elbow`, -0.4] as const,
  ]),
);
/** Of the posture: N m/rad and N m s/rad. */
const [STIFF, DAMPED] = [500, 50];
const [ANKLE_STIFF, ANKLE_DAMPED] = [900, 60];
/** The strongest that feet of a person can press, N m. */
const STRONGEST = 80;

/** How ankles answer: N m for a metre and for a metre a second, along x and along y. */
export interface Feedback {
  readonly along: readonly [number, number];
  readonly across: readonly [number, number];
  /** Metres before the ankles where the centre of mass is to be. */
  readonly ahead: number;
  /** Part of the moment across that hips make, too: they shift the weight from foot to foot. */
  readonly hips: number;
}

const ANKLES = ['left_ankle_y', 'left_ankle_x', 'right_ankle_y', 'right_ankle_x'] as const;

export function stand(member: Member, feedback: Feedback): void {
  const { mechanism } = member.state;
  if (!ANKLES.every((name) => mechanism.hasJoint(name)))
    throw new Error(`"${member.name}" cannot stand: it has no ankles as human-34 has them.`);
  for (const { name, model } of mechanism.joints) {
    if (model.nv !== 1) continue;
    const ankle = (ANKLES as readonly string[]).includes(name);
    const [stiffness, damping] = ankle ? [ANKLE_STIFF, ANKLE_DAMPED] : [STIFF, DAMPED];
    member.drive(name, { kind: 'position', position: STANCE.get(name) ?? 0, stiffness, damping });
  }
  member.control = (tau, state) => press(tau, state, feedback);
}

/**
 * Toes or heels press harder where the centre of mass c is, and where it goes: tau = k (c - f - a) + d c', f between the feet.
 * A foot about y has its toes down with a positive moment; about x its left edge up.
 */
function press(tau: Float64Array, state: State, { along, across, ahead, hips }: Feedback): void {
  const { mechanism } = state;
  const own = dynamicsOf(mechanism);
  const { com, mass, momentum } = own.energy(state);
  const feet = ['left_foot', 'right_foot'].filter((name) => mechanism.hasBody(name));
  if (feet.length === 0) return;
  const places = feet.map((name) => own.pose(state, name));
  const middle = [0, 1].map((k) => places.reduce((sum, { t }) => sum + t[k], 0) / places.length);
  // Which way the feet point, on the ground.
  const heading = Math.atan2(...([1, 0].map((k) => places.reduce((sum, { E }) => sum + E[k], 0)) as [number, number]));
  const [c, s] = [Math.cos(heading), Math.sin(heading)];
  const [dx, dy] = [com[0] - middle[0], com[1] - middle[1]];
  const [vx, vy] = [momentum.linear[0] / mass, momentum.linear[1] / mass];
  const forward = limited(along[0] * (c * dx + s * dy - ahead) + along[1] * (c * vx + s * vy));
  const sideways = limited(across[0] * (c * dy - s * dx) + across[1] * (c * vy - s * vx));
  // Axes of the right side are mirrored.
  const add = (joint: string, about: 0 | 1, moment: number): void => {
    if (!mechanism.hasJoint(joint)) return;
    const { iv, axis } = mechanism.joint(joint);
    tau[iv] += axis[about] * moment;
  };
  for (const side of ['left', 'right']) {
    add(`${side}_ankle_y`, 1, forward);
    add(`${side}_ankle_x`, 0, -sideways);
    add(`${side}_hip_x`, 0, hips * sideways);
  }
}

function limited(moment: number): number {
  return Math.min(STRONGEST, Math.max(-STRONGEST, moment));
}
