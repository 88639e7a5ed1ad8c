// A figure stands on both feet, and takes one off the ground: how its weight is shared is not given by the motion. The least effort
// of its motors decides, forces stay within the cones of friction, and a support that fades hands its load over smoothly.
import { dynamics, State } from 'manikin';
import { builtinMechanism } from 'manikin/models';
import { constrainedInverse, type IkTask, inverseKinematics, type SupportPoint } from 'manikin/toolbox';

const mechanism = builtinMechanism('human-34');
const figure = dynamics(mechanism);
const state = new State(mechanism);

// Both feet stay where they are, the centre of mass comes to stand above the left one.
const feet = ['left_foot', 'right_foot'];
const [, aside] = figure.pose(state, 'left_foot').t;
const stay = feet.map((frame): IkTask => ({ kind: 'pose', frame, pose: figure.pose(state, frame) }));
const found = inverseKinematics(mechanism, [...stay, { kind: 'centreOfMass', position: [0.05, aside, 0.95] }]);
state.q.set(found.q);

const corners = [
  [-0.05, -0.04],
  [-0.05, 0.04],
  [0.15, -0.04],
  [0.15, 0.04],
];
const supportsOf = (foot: string, share: number): SupportPoint[] =>
  corners.map(([x, y]) => ({ frame: { frame: foot, at: [x, y, -0.068] }, friction: 0.8, share }));
for (const share of [1, 0.2, 0.1, 0.05, 0]) {
  const supports = [...supportsOf('left_foot', 1), ...supportsOf('right_foot', share)];
  const { tau, supports: forces } = constrainedInverse(figure, state, undefined, { supports });
  const carried = (points: typeof forces): string => points.reduce((sum, { force }) => sum + force[2], 0).toFixed(0);
  const [left, right] = [forces.slice(0, corners.length), forces.slice(corners.length)];
  const effort = Math.sqrt(tau.reduce((sum, force) => sum + force * force, 0));
  console.log(`share ${share}: left ${carried(left)} N, right ${carried(right)} N, effort ${effort.toFixed(0)}`);
}
// prints: share 1: left 553 N, right 163 N
// prints: share 0.05: left 710 N, right 6 N
// prints: share 0: left 716 N, right 0 N
