// A figure stands on both feet, and takes one off the ground: how its weight is shared is not given by the motion. The least effort
// of its motors decides, forces stay within the cones of friction, and a support that fades hands its load over smoothly.
import { dynamics, State } from 'manikin';
import { builtinMechanism } from 'manikin/models';
import { constrainedInverse, inverseKinematics } from 'manikin/toolbox';

const mechanism = builtinMechanism('human-34');
const figure = dynamics(mechanism);
const state = new State(mechanism);

// Both feet stay where they are, the centre of mass comes to stand above the left one.
const feet = ['left_foot', 'right_foot'];
const left = figure.pose(state, 'left_foot').t;
const found = inverseKinematics(mechanism, [
  ...feet.map((frame) => ({ kind: 'pose', frame, pose: figure.pose(state, frame) })),
  { kind: 'centreOfMass', position: [0.05, left[1], 0.95] },
]);
state.q.set(found.q);

const corners = [
  [-0.05, -0.04],
  [-0.05, 0.04],
  [0.15, -0.04],
  [0.15, 0.04],
];
const supports = (share) =>
  feet.flatMap((frame) =>
    corners.map(([x, y]) => ({
      frame: { frame, at: [x, y, -0.068] },
      friction: 0.8,
      share: frame === 'right_foot' ? share : 1,
    })),
  );
for (const share of [1, 0.2, 0.1, 0.05, 0]) {
  const { tau, supports: forces } = constrainedInverse(figure, state, undefined, { supports: supports(share) });
  const carried = (from) => forces.slice(from, from + 4).reduce((sum, { force }) => sum + force[2], 0);
  const effort = Math.sqrt(tau.reduce((sum, force) => sum + force * force, 0));
  console.log(
    `share ${share}: left ${carried(0).toFixed(0)} N, right ${carried(4).toFixed(0)} N, effort ${effort.toFixed(0)}`,
  );
}
// prints: share 1: left 553 N, right 163 N
// prints: share 0.05: left 710 N, right 6 N
// prints: share 0: left 716 N, right 0 N
