// A seven-axis arm reaches for a point, holds itself there, and is driven along a line by computed torques of its hand.
import { dynamics, MechanismBuilder, State, type Vec3 } from 'manikin';
import { gravityForces, inverseKinematics, operationalInertia } from 'manikin/toolbox';

const builder = new MechanismBuilder('arm');
for (let k = 0; k < 7; k++)
  builder.link(k === 6 ? 'hand' : `link${k}`, {
    parent: k === 0 ? null : `link${k - 1}`,
    joint: { type: 'revolute', axis: k % 2 === 0 ? [0, 0, 1] : [0, 1, 0], limits: { lower: -2.8, upper: 2.8 } },
    at: k === 0 ? [0, 0, 0.3] : [0, 0, 0.2],
    mass: 3 - 0.3 * k,
    com: [0, 0, 0.1],
    inertia: [0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.01],
  });
const mechanism = builder.build();
const arm = dynamics(mechanism);

// Reach.
const target: Vec3 = [0.5, 0.2, 0.7];
const found = inverseKinematics(mechanism, [
  { kind: 'position', frame: { frame: 'hand', at: [0, 0, 0.1] }, position: target },
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
