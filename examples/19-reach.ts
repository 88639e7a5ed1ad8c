// A Panda reaches for a point, holds itself there, and is driven along a line by computed torques of its hand.
import { dynamics, MechanismBuilder, State, type Vec3 } from 'manikin';
import { gravityForces, inverseKinematics, operationalInertia } from 'manikin/toolbox';

// Its joints, as its maker publishes them: where, how the axis is turned about x, limits; masses about.
const quarter = Math.PI / 2;
const joints = [
  { at: [0, 0, 0.333], turn: 0, lower: -2.8973, upper: 2.8973, mass: 5 },
  { at: [0, 0, 0], turn: -quarter, lower: -1.7628, upper: 1.7628, mass: 0.6 },
  { at: [0, -0.316, 0], turn: quarter, lower: -2.8973, upper: 2.8973, mass: 3.2 },
  { at: [0.0825, 0, 0], turn: quarter, lower: -3.0718, upper: -0.0698, mass: 3.6 },
  { at: [-0.0825, 0.384, 0], turn: -quarter, lower: -2.8973, upper: 2.8973, mass: 1.2 },
  { at: [0, 0, 0], turn: quarter, lower: -0.0175, upper: 3.7525, mass: 1.7 },
  { at: [0.088, 0, 0], turn: quarter, lower: -2.8973, upper: 2.8973, mass: 1.5 },
] as const;
const builder = new MechanismBuilder('panda');
joints.forEach(({ at, turn, lower, upper, mass }, k) => {
  builder.link(k === 6 ? 'hand' : `link${k + 1}`, {
    parent: k === 0 ? null : `link${k}`,
    joint: { type: 'revolute', axis: [0, 0, 1], limits: { lower, upper } },
    at,
    rpy: [turn, 0, 0],
    mass,
    com: [0, 0, k === 6 ? 0.15 : 0],
    inertia: [0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.01],
  });
});
const mechanism = builder.build();
const arm = dynamics(mechanism);

// Reach.
const target: Vec3 = [0.5, 0.2, 0.7];
const found = inverseKinematics(mechanism, [
  { kind: 'position', frame: { frame: 'hand', at: [0, 0, 0.2104] }, position: target },
  { kind: 'direction', frame: 'hand', axis: [0, 0, 1], direction: [1, 0, 0] },
]);
console.log(`reached: ${found.converged}`);

// Hold: gravity compensation leaves no acceleration.
const state = new State(mechanism);
state.q.set(found.q);
const hold = gravityForces(arm, state);
const drift = arm.forward(state, hold);
console.log(`drift under gravity compensation: ${Math.max(...drift.map(Math.abs)) < 1e-9 ? 'none' : 'some'}`);

// Drive the hand: with J qdd + (dJ/dt) v = a, the force Lambda (a - (dJ/dt) v) at the hand, through J^T, beside the bias.
const a = [0, 0, 0, 1, 0, 0];
const { inverse, jacobian, rows } = operationalInertia(arm, state, ['hand'], { in: 'aligned' });
const force = solve(inverse, rows, a);
const nv = mechanism.nv;
const tau = arm
  .inverse(state)
  .map((bias, k) => bias + force.reduce((sum, f, row) => sum + jacobian[row * nv + k] * f, 0));
const { linear } = arm.acceleration(state, 'hand', { in: 'aligned', qdd: arm.forward(state, tau) });
console.log(`the hand accelerates by ${linear.map((x) => x.toFixed(3).replace('-0.000', '0.000')).join(', ')} m/s^2`);

/** x with A x = b, by elimination. */
function solve(A: Float64Array, n: number, b: readonly number[]): number[] {
  const rows = Array.from({ length: n }, (_, i) => [...A.slice(i * n, (i + 1) * n), b[i]]);
  for (let k = 0; k < n; k++) {
    const best = rows.slice(k).reduce((at, row, i) => (Math.abs(row[k]) > Math.abs(rows[at][k]) ? k + i : at), k);
    [rows[k], rows[best]] = [rows[best], rows[k]];
    for (let i = 0; i < n; i++)
      if (i !== k) {
        const factor = rows[i][k] / rows[k][k];
        for (let j = k; j <= n; j++) rows[i][j] -= factor * rows[k][j];
      }
  }
  return rows.map((row, k) => row[n] / row[k]);
}
// prints: reached: true
// prints: drift under gravity compensation: none
// prints: the hand accelerates by 1.000, 0.000, 0.000 m/s^2
