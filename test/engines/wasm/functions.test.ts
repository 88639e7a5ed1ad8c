// Compiled functions against the readable algorithms and against laws, on random mechanisms of all joint types.
// MANIKIN_RANDOM=2000 tries that many.

import { describe, expect, it } from 'vitest';
import type { Energy } from '../../../src/engines/plain/energy.js';
import { MassMatrixSolver } from '../../../src/engines/plain/mass-matrix-solver.js';
import { CompiledDynamics } from '../../../src/engines/wasm/compiled.js';
import type { Mechanism } from '../../../src/mechanism/mechanism.js';
import { State } from '../../../src/mechanism/state.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { ALL_JOINT_TYPES, randomMechanism, randomVector, relativeError } from '../../support/random-mechanism.js';

const TOLERANCE = 1e-11;

const numbersOf = ({ kinetic, potential, mass, com, momentum }: Energy): number[] => [
  kinetic,
  potential,
  mass,
  ...com,
  ...momentum.angular,
  ...momentum.linear,
];

/** The largest relative difference of each function from the readable one, with intermediate memory full of NaN. */
function disagreements(mechanism: Mechanism, states = 2): Map<string, number> {
  const compiled = new CompiledDynamics(mechanism, { specialise: 'now', tasks: [] });
  const { readable } = compiled;
  const solver = new MassMatrixSolver(mechanism);
  const worst = new Map<string, number>();
  const compare = (name: string, got: () => ArrayLike<number>, expected: ArrayLike<number>): void => {
    got();
    compiled.fillScratch(Number.NaN);
    const error = relativeError(got(), expected);
    if (!(error <= (worst.get(name) ?? -1))) worst.set(name, error);
  };
  const external = randomVector(9, 6 * mechanism.bodies.length, 3);
  for (let seed = 1; seed <= states; seed++) {
    const state = State.random(mechanism, seed);
    const given = randomVector(seed, mechanism.nv, 5);
    compare('poses', () => compiled.poses(state), readable.poses(state));
    compare('velocities', () => compiled.velocities(state), readable.velocities(state));
    const both = new Float64Array(12 * mechanism.bodies.length);
    compare('both', () => compiled.velocities(state, undefined, both), readable.velocities(state));
    compare('both', () => both, readable.poses(state));
    compare('jacobians', () => compiled.jacobians(state), readable.jacobians(state));
    for (const body of mechanism.bodies.keys())
      compare('jacobian', () => compiled.jacobian(state, body), readable.jacobian(state, body));
    compare('energy', () => numbersOf(compiled.energy(state)), numbersOf(readable.energy(state)));
    compare('inverse mass matrix', () => compiled.inverseMassMatrix(state).Hinv, solver.inverse(state).Hinv);
    compare('solve', () => compiled.solve(state, given), solver.solve(state, given));
    const loaded = { external };
    compare('inverse', () => compiled.inverse(state, given, loaded), readable.inverse(state, given, loaded));
  }
  compiled.dispose();
  return worst;
}

function expectAgreement(mechanism: Mechanism, seed?: number): void {
  for (const [name, error] of disagreements(mechanism))
    expect(error, `${name}${seed === undefined ? '' : `, seed ${seed}`}`).toBeLessThan(TOLERANCE);
}

describe('compiled functions agree with the readable ones', () => {
  it.each(ALL_JOINT_TYPES)('%s joints', (type) => {
    for (let seed = 1; seed <= 4; seed++)
      expectAgreement(randomMechanism(seed, { types: [type], bodies: 4, armature: seed % 2 === 0 }), seed);
  });

  it('random mechanisms', () => {
    const count = Number(process.env.MANIKIN_RANDOM ?? 60);
    for (let seed = 2001; seed <= 2000 + count; seed++)
      expectAgreement(
        randomMechanism(seed, { forest: seed % 3 === 0, armature: seed % 2 === 0, shuffled: seed % 5 === 0 }),
        seed,
      );
  });

  it.each(['human-34', 'chain-10', 'compass'])('%s', (name) => {
    expectAgreement(builtinMechanism(name));
  });
});
