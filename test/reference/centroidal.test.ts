// The centroidal momentum matrix: momentum as `energy` has it, reference values, and what a rigid whole has.

import { describe, expect, it } from 'vitest';
import { dynamics } from '../../src/dynamics/dynamics.js';
import { State } from '../../src/mechanism/state.js';
import { builtinMechanism } from '../../src/models/index.js';
import { randomMechanism, relativeError } from '../support/random-mechanism.js';
import { robots } from '../toolbox/reference.js';

const times = (A: Float64Array, v: Float64Array): number[] =>
  [0, 1, 2, 3, 4, 5].map((row) => v.reduce((sum, x, k) => sum + A[row * v.length + k] * x, 0));

describe('centroidal momentum matrix', () => {
  it.each(['plain', 'compiled'] as const)(
    '%s: times v is the momentum of energy, about the centre of mass',
    (engine) => {
      for (let seed = 1; seed <= 30; seed++) {
        // A free root: then nothing is welded to the ground.
        const mechanism = randomMechanism(seed, { bodies: 9, ...(seed % 2 === 0 && { base: 'floating' }) });
        if (mechanism.joints.some(({ type, parent }) => type === 'fixed' && parent < 0)) continue;
        const model = dynamics(mechanism, { engine });
        const state = State.random(mechanism, seed);
        const { momentum, com } = model.energy(state);
        const [px, py, pz] = momentum.linear;
        const [x, y, z] = com;
        const about = [y * pz - z * py, z * px - x * pz, x * py - y * px].map((e, k) => momentum.angular[k] - e);
        const got = times(model.centroidal(state), state.v);
        expect(relativeError(got, [...about, ...momentum.linear]), `seed ${seed}`).toBeLessThan(1e-12);
        model.dispose();
      }
    },
  );

  it.each(robots().map((robot) => [robot.name, robot] as const))('%s: reference values', (_name, robot) => {
    const { mechanism, state, at, values } = robot;
    for (const engine of ['plain', 'compiled'] as const) {
      const A = dynamics(mechanism, { engine }).centroidal(state);
      const expected = new Float64Array(A.length);
      (values.dofs as string[]).forEach((dof, k) => {
        for (let row = 0; row < 6; row++) expected[row * mechanism.nv + at[k]] = values.centroidal.matrix[dof][row];
      });
      expect(relativeError(A, expected), engine).toBeLessThan(1e-12);
    }
  });

  it('refuses an array of another length', () => {
    const model = dynamics(builtinMechanism('human-34'));
    const out = new Float64Array(3);
    expect(() => model.centroidal(new State(model.mechanism), { out })).toThrow(/out/);
  });
});
