// A double pendulum with a motor at its second joint only is balanced upright by a linear-quadratic regulator, which comes from the
// exact derivatives of its dynamics.
import { dynamics, type LinkOptions, MechanismBuilder, State } from 'manikin';
import { integrate } from 'manikin/toolbox';

const rod: Partial<LinkOptions> = { mass: 1, com: [0, 0, 0.5], inertia: [0.083, 0, 0, 0, 0.083, 0, 0, 0, 0.001] };
const joint: LinkOptions['joint'] = { type: 'revolute', axis: [0, 1, 0] };
const mechanism = new MechanismBuilder('acrobot')
  .link('lower', { parent: null, joint, ...rod })
  .link('upper', { parent: 'lower', joint, at: [0, 0, 1], ...rod })
  .build();
const model = dynamics(mechanism);

// x' = A x + B u about standing still upright, taken in steps of 5 ms.
const step = 0.005;
const upright = new State(mechanism);
const { dq, dv, dtau } = model.forwardDerivatives(upright);
const n = 4;
const A = matrix(
  (i, j) =>
    (i === j ? 1 : 0) + step * (i < 2 ? (j === i + 2 ? 1 : 0) : j < 2 ? dq[2 * (i - 2) + j] : dv[2 * (i - 2) + j - 2]),
);
const B = [0, 0, step * dtau[1], step * dtau[3]];

// The regulator: P from the Riccati equation, run until it stands still.
let P = matrix((i, j) => (i === j ? 1 : 0));
let K: number[] = [];
for (let round = 0; round < 4000; round++) {
  const PA = multiply(P, A);
  const PB = B.map((_, i) => B.reduce((sum, b, k) => sum + P[i][k] * b, 0));
  const size = 0.01 + B.reduce((sum, b, k) => sum + b * PB[k], 0);
  K = B.map((_, j) => B.reduce((sum, b, k) => sum + b * PA[k][j], 0) / size);
  P = matrix((i, j) => (i === j ? 0.01 : 0) + A.reduce((sum, row, k) => sum + row[i] * (PA[k][j] - PB[k] * K[j]), 0));
}

// Let go a little off, and watch for ten seconds.
const state = new State(mechanism);
state.q.set([0.02, -0.01]);
const tau = new Float64Array(2);
for (let t = 0; t < 10; t += step) {
  tau[1] = -[...state.q, ...state.v].reduce((sum, x, k) => sum + K[k] * x, 0);
  const qdd = model.forward(state, tau);
  state.v.forEach((_, k) => {
    state.v[k] += step * qdd[k];
  });
  integrate(mechanism, state.q, state.v, step, state.q);
}
console.log(`after ten seconds it stands ${Math.max(...state.q.map(Math.abs)) < 1e-3 ? 'upright' : 'no more'}`);

function matrix(entry: (i: number, j: number) => number): number[][] {
  return Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => entry(i, j)));
}

function multiply(X: number[][], Y: number[][]): number[][] {
  return matrix((i, j) => Y.reduce((sum, row, k) => sum + X[i][k] * row[j], 0));
}
// prints: after ten seconds it stands upright
