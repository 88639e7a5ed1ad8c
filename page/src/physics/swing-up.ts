// Swinging up: what hangs bends with the swing, so that each swing takes it higher, as children on a swing and gymnasts on a bar do.
// The bend that is wanted goes with the rate of the swing, q = A (2 / pi) atan(k w) (Spong, The swing up control problem for the
// acrobot, 1995), and against it where there is more energy than standing upside down takes.

import type { State, Vec3 } from 'manikin';
import type { Member } from 'manikin/world';
import { dynamicsOf } from './dynamics-of.js';

/** 1/s: how fast joints follow. */
const FAST = 20;
const SENSITIVE = 6;

/** A joint that bends: where about, and by how much of the amplitude. */
interface Bend {
  readonly joint: string;
  readonly rest: number;
  readonly part: number;
}

const FIGURE: readonly Bend[] = [
  { joint: 'waist_y', rest: 0, part: -0.7 },
  ...['left', 'right'].flatMap((side) => [
    { joint: `${side}_hip_y`, rest: -0.3, part: -1.4 },
    { joint: `${side}_shoulder_y`, rest: -2.9, part: 0.42 },
    { joint: `${side}_knee`, rest: 0.05, part: 0 },
    { joint: `${side}_elbow`, rest: 0, part: 0 },
  ]),
];

export function swingUp(member: Member): void {
  const { mechanism } = member.state;
  const own = dynamicsOf(mechanism);
  const hanging = FIGURE.every(({ joint }) => mechanism.hasJoint(joint));
  const bends = hanging
    ? FIGURE
    : // All joints of a chain but the one it hangs from, towards x.
      mechanism.joints.flatMap(({ name, parent, model, axis }): Bend[] =>
        parent < 0 || model.nv !== 1 ? [] : [{ joint: name, rest: 0, part: axis[1] < 0 ? 1 : -1 }],
      );
  if (
    bends.length === 0 ||
    (hanging && mechanism.loops.length === 0) ||
    (!hanging && mechanism.joints[0].model.nv !== 1)
  )
    throw new Error('Nothing hangs here that could swing: take the figure on a bar, or two links of a chain.');
  const pivot: Vec3 = hanging
    ? own.pose(member.state, 'left_hand').t
    : own.pose(member.state, mechanism.bodies[0].name).t;
  const { H, n } = own.massMatrix(member.state);
  for (const { joint, rest, part } of bends) {
    const { iv } = mechanism.joint(joint);
    const inertia = H[iv * n + iv];
    member.drive(joint, {
      kind: 'position',
      position: (_time, state) => rest + part * pumping(state, pivot),
      stiffness: FAST * FAST * inertia,
      damping: 2 * FAST * inertia,
    });
  }
}

/** From -1 to 1: with the swing, or against it. */
function pumping(state: State, pivot: Vec3): number {
  const { com, mass, momentum, kinetic, potential } = dynamicsOf(state.mechanism).energy(state);
  const arm = [0, 1, 2].map((k) => com[k] - pivot[k]);
  const rate = momentum.linear.map((p) => p / mass);
  const far = arm[0] ** 2 + arm[1] ** 2 + arm[2] ** 2 || 1;
  // About the horizontal axis y: what hangs swings to x.
  const w = (arm[0] * rate[2] - arm[2] * rate[0]) / far;
  const { gravity } = state.mechanism;
  const weight = -mass * gravity[2];
  const upright = weight * (pivot[2] + Math.sqrt(far));
  const missing = (upright - kinetic - potential) / (Math.abs(weight) * Math.sqrt(far) || 1);
  return (2 / Math.PI) * Math.atan(SENSITIVE * w) * Math.min(1, Math.max(-1, 4 * missing));
}
