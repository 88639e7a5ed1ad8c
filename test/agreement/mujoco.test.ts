import { describe, expect, it } from 'vitest';
import { Dynamics } from '../../src/dynamics/dynamics.js';
import type { JointTypeName } from '../../src/joints/index.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { MujocoModel } from '../support/mujoco.js';
import { ALL_JOINT_TYPES, randomMechanism, randomVector, relativeError } from '../support/random-mechanism.js';

/** Largest relative errors of accelerations, joint forces and mass matrix over some random states. */
function compare(model: MujocoModel, mechanism: Mechanism, states: number): void {
  const dynamics = new Dynamics(mechanism);
  for (let seed = 1; seed <= states; seed++) {
    const state = State.random(mechanism, seed);
    const tau = randomVector(seed + 100, mechanism.nv, 5);
    const qdd = randomVector(seed + 200, mechanism.nv, 5);
    expect(relativeError(dynamics.forward(state, tau), model.forward(state, tau)), `qdd, seed ${seed}`).toBeLessThan(1e-9);
    expect(relativeError(dynamics.inverse(state, qdd), model.inverse(state, qdd)), `tau, seed ${seed}`).toBeLessThan(1e-9);
    expect(relativeError(dynamics.massMatrix(state).H, model.massMatrix(state)), `H, seed ${seed}`).toBeLessThan(1e-9);
  }
}

describe('agreement with MuJoCo', () => {
  const known = ALL_JOINT_TYPES.filter((type) => type !== 'helical');
  it.each(['any', 'floating', 'fixed'] as const)('random mechanisms, base %s', async (base) => {
    for (let seed = 1; seed <= 25; seed++) {
      const mechanism = randomMechanism(seed, {
        types: known as readonly JointTypeName[],
        ...(base !== 'any' && { base }),
        forest: true,
        shuffled: true,
      });
      if (mechanism.nv === 0) continue;
      const model = await MujocoModel.fromMechanism(mechanism);
      expect(model.nv).toBe(mechanism.nv);
      compare(model, mechanism, 2);
      model.delete();
    }
  });
});
