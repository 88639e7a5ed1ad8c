// Derivatives of closed loops against differences of forward dynamics, on random mechanisms with loop joints of all types.
// MANIKIN_LONG=1: 500 of them.

import { expect, it } from 'vitest';
import { dynamics } from '../../src/dynamics/dynamics.js';
import { LoopDerivatives } from '../../src/engines/plain/loop-derivatives.js';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { createMechanism } from '../../src/mechanism/create.js';
import { SimulationError } from '../../src/mechanism/errors.js';
import { State } from '../../src/mechanism/state.js';
import { createTree } from '../../src/mechanism/tree.js';
import { createInverseDerivatives, inverseDerivatives } from '../../src/reference/inverse-derivatives.js';
import { numericalDerivative } from '../../src/toolbox/index.js';
import { closedSpec } from '../support/closed-mechanisms.js';
import { relativeError } from '../support/random-mechanism.js';

const COUNT = process.env.MANIKIN_LONG === '1' ? 500 : 24;

/** Undefined where the loops of a random state contradict each other. */
function accelerationsOf(compute: () => Float64Array): Float64Array | undefined {
  try {
    return compute();
  } catch (error) {
    if (error instanceof SimulationError) return undefined;
    throw error;
  }
}

it(`${COUNT} random mechanisms with loops`, () => {
  let exact = 0;
  for (let seed = 1; seed <= COUNT; seed++) {
    const mechanism = createMechanism(closedSpec(seed, 3 + (seed % 5), 1 + (seed % 2)));
    const { nv } = mechanism;
    const state = State.random(mechanism, seed);
    const tau = Float64Array.from({ length: nv }, (_, k) => Math.cos(seed + k));
    const door = dynamics(mechanism, { engine: 'plain' });
    const qdd = accelerationsOf(() => door.forward(state, tau));
    if (qdd === undefined) continue;
    const tree = createTree(mechanism);
    const scratch = createInverseDerivatives(tree);
    const square = () => new Float64Array(nv * nv);
    const [dq, dv] = [square(), square()];
    inverseDerivatives(tree, scratch, dq, dv, state.q, state.v, qdd);
    const out = { qdd, dq: square(), dv: square(), dtau: square() };
    const { Hinv } = new PlainDynamics(mechanism).inverseMassMatrix(state);
    if (!new LoopDerivatives(tree).forward(state, tau, Hinv, { dq, dv }, scratch, out)) continue;
    exact++;
    const accelerate = (moved: State): Float64Array => door.forward(moved, tau);
    for (const [by, ours] of [
      ['q', out.dq],
      ['v', out.dv],
    ] as const) {
      // Long steps of the differences err where the function bends, short ones round.
      const at = (h: number): number => relativeError(ours, numericalDerivative(mechanism, state, by, accelerate, h));
      const error = at(0.003);
      expect(error < 1e-9 ? error : Math.min(error, at(0.0008)), `seed ${seed}, ${by}`).toBeLessThan(1e-9);
    }
    // Linear in the forces.
    const push = Float64Array.from({ length: nv }, (_, k) => Math.sin(k));
    const pushed = door.forward(
      state,
      tau.map((x, k) => x + push[k]),
    );
    const change = qdd.map((x, i) => x + push.reduce((sum, force, j) => sum + out.dtau[nv * i + j] * force, 0));
    expect(relativeError(change, pushed), `seed ${seed}`).toBeLessThan(1e-9);
    // The door takes this way.
    expect(relativeError(door.forwardDerivatives(state, tau).dq, out.dq), `seed ${seed}`).toBeLessThan(1e-13);
  }
  // The others have universal joints, dependent loops or no freedom left.
  expect(exact).toBeGreaterThan(COUNT / 5);
});
