// Compiled functions against the readable algorithms and against laws, on random mechanisms of all joint types.
// MANIKIN_RANDOM=2000 tries that many.

import { describe, expect, it } from 'vitest';
import { MassMatrixSolver } from '../../../src/engines/plain/mass-matrix-solver.js';
import { CompiledDynamics } from '../../../src/engines/wasm/compiled.js';
import { createMechanism } from '../../../src/mechanism/create.js';
import type { Mechanism } from '../../../src/mechanism/mechanism.js';
import { State } from '../../../src/mechanism/state.js';
import { builtinMechanism } from '../../../src/models/index.js';
import type { Energy } from '../../../src/reference/energy.js';
import {
  ALL_JOINT_TYPES,
  randomMechanism,
  randomSpec,
  randomVector,
  relativeError,
} from '../../support/random-mechanism.js';
import { LONG } from '../../support/runs.js';

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
  const compiled = new CompiledDynamics(mechanism);
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
    compare('centroidal', () => compiled.centroidal(state), readable.centroidal(state));
    for (const body of mechanism.bodies.keys())
      compare('jacobian', () => compiled.jacobian(state, body), readable.jacobian(state, body));
    compare('energy', () => numbersOf(compiled.energy(state)), numbersOf(readable.energy(state)));
    compare('mass matrix', () => compiled.massMatrix(state).H, readable.massMatrix(state).H);
    compare('inverse mass matrix', () => compiled.inverseMassMatrix(state).Hinv, solver.inverse(state).Hinv);
    compare('solve', () => compiled.solve(state, given), solver.solve(state, given));
    const [got, expected] = [external.slice(), external.slice()];
    compiled.inverse(state, given, { external, jointForces: got });
    readable.inverse(state, given, { external, jointForces: expected });
    compare('joint forces of inverse dynamics', () => got, expected);
    const alone = { jointForces: got };
    compiled.forward(state, given, alone);
    readable.forward(state, given, { jointForces: expected });
    compare('joint forces of forward dynamics', () => got, expected);
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
    for (let seed = 1; seed <= (LONG ? 4 : 2); seed++)
      expectAgreement(randomMechanism(seed, { types: [type], bodies: 4, armature: seed % 2 === 0 }), seed);
  });

  it('random mechanisms', () => {
    const count = Number(process.env.MANIKIN_RANDOM ?? (LONG ? 60 : 25));
    for (let seed = 2001; seed <= 2000 + count; seed++)
      expectAgreement(
        randomMechanism(seed, { forest: seed % 3 === 0, armature: seed % 2 === 0, shuffled: seed % 5 === 0 }),
        seed,
      );
  });

  it('joint forces are compiled where no joint is fixed', () => {
    const mechanism = builtinMechanism('human-34');
    const compiled = new CompiledDynamics(mechanism);
    compiled.forward(State.random(mechanism, 1), undefined, {
      jointForces: new Float64Array(6 * mechanism.bodies.length),
    });
    expect(compiled.tierOf('inverseForces')).toBe('specialised');
    compiled.dispose();
  });

  it.each(['human-34', 'chain-10', 'compass'])('%s', (name) => {
    expectAgreement(builtinMechanism(name));
  });
});

describe('deep trees', () => {
  it('mass matrices by loops, and their inverses', () => {
    for (let seed = 1; seed <= (LONG ? 4 : 2); seed++)
      expectAgreement(randomMechanism(seed, { bodies: 40, forest: seed % 2 === 0, armature: true }), seed);
  });

  it('more links than code is made for fall back to the readable algorithms', () => {
    const mechanism = builtinMechanism('chain-300');
    const compiled = new CompiledDynamics(mechanism);
    const state = State.random(mechanism, 1);
    expect(compiled.poses(state)).toEqual(compiled.readable.poses(state));
    expect(compiled.tierOf('poses')).toBe('plain');
    compiled.dispose();
  });
});

describe('mechanisms far from the origin, bodies without mass, coupled joints', () => {
  it('the inverse of the mass matrix does not depend on where a free body is', () => {
    const mechanism = builtinMechanism('human-34');
    const compiled = new CompiledDynamics(mechanism);
    const state = State.random(mechanism, 3);
    const near = compiled.inverseMassMatrix(state).Hinv;
    const { iq } = mechanism.joints.find(({ model }) => model.name === 'floating')!;
    state.q[iq + 4] += 1e6;
    expect(relativeError(compiled.inverseMassMatrix(state).Hinv, near)).toBeLessThan(TOLERANCE);
    compiled.dispose();
  });

  it('massless links between joints', () => {
    for (let seed = 1; seed <= 6; seed++) {
      const spec = randomSpec(seed, { bodies: 9, types: ['revolute', 'fixed', 'prismatic'], base: 'floating' });
      const inner = new Set(spec.joints.map(({ parent }) => parent));
      const bodies = spec.bodies.map((body, i) =>
        i % 3 === 1 && inner.has(body.name) ? { name: body.name, mass: 0 } : body,
      );
      const mechanism = createMechanism({ ...spec, bodies });
      try {
        new MassMatrixSolver(mechanism).inverse(State.random(mechanism, 1));
      } catch {
        continue; // Singular: the readable algorithm refuses it too.
      }
      for (const [name, error] of disagreements(mechanism)) expect(error, `${name}, seed ${seed}`).toBeLessThan(1e-8);
    }
  });

  it('a singular mass matrix is refused with the words of the readable algorithm', () => {
    const mechanism = createMechanism({
      name: 'point on an axis',
      bodies: [{ name: 'a', mass: 1 }],
      joints: [{ name: 'j', parent: null, child: 'a', type: 'revolute' }],
    });
    const compiled = new CompiledDynamics(mechanism);
    const state = State.random(mechanism, 1);
    expect(() => compiled.inverseMassMatrix(state)).toThrow('j');
    expect(() => compiled.solve(state, new Float64Array([1]))).toThrow('j');
    compiled.dispose();
  });
});

describe('laws', () => {
  const seeds = Array.from({ length: LONG ? 20 : 6 }, (_, k) => 3001 + k);

  it.each(seeds)('J v is the velocity, H^-1 H = 1, T = v^T H v / 2: seed %i', (seed) => {
    const mechanism = randomMechanism(seed, { armature: seed % 2 === 0, shuffled: seed % 3 === 0 });
    const compiled = new CompiledDynamics(mechanism);
    const state = State.random(mechanism, seed);
    const { nv } = mechanism;
    const velocities = compiled.velocities(state);
    for (const body of mechanism.bodies.keys()) {
      const J = compiled.jacobian(state, body);
      const Jv = Float64Array.from({ length: 6 }, (_, row) =>
        state.v.reduce((sum, rate, k) => sum + J[row * nv + k] * rate, 0),
      );
      expect(relativeError(Jv, velocities.subarray(6 * body, 6 * body + 6))).toBeLessThan(TOLERANCE);
    }
    const { H } = compiled.massMatrix(state);
    const { Hinv } = compiled.inverseMassMatrix(state);
    let twice = 0;
    for (let i = 0; i < nv; i++)
      for (let j = 0; j < nv; j++) {
        twice += state.v[i] * H[i * nv + j] * state.v[j];
        let entry = 0;
        for (let k = 0; k < nv; k++) entry += Hinv[i * nv + k] * H[k * nv + j];
        expect(Math.abs(entry - (i === j ? 1 : 0))).toBeLessThan(1e-8);
      }
    const { kinetic, mass, com } = compiled.energy(state);
    expect(Math.abs(2 * kinetic - twice)).toBeLessThan(1e-10 * (1 + twice));
    expect(mass).toBeGreaterThan(0);
    expect(com.every(Number.isFinite)).toBe(true);
    compiled.dispose();
  });

  it.each(seeds)('without forces the energy stays: its rate by a small step, seed %i', (seed) => {
    const mechanism = randomMechanism(seed);
    const compiled = new CompiledDynamics(mechanism);
    const state = State.random(mechanism, seed);
    const qdd = compiled.forward(state);
    const total = (step: number): number => {
      const moved = state.clone();
      moved.v.forEach((_, k) => {
        moved.v[k] += (step / 2) * qdd[k];
      });
      for (const { model, iq, iv } of mechanism.joints) model.integrate(moved.q, iq, moved.v, iv, step);
      moved.v.forEach((_, k) => {
        moved.v[k] = state.v[k] + step * qdd[k];
      });
      const { kinetic, potential } = compiled.energy(moved);
      return kinetic + potential;
    };
    const step = 1e-5;
    const { kinetic, potential } = compiled.energy(state);
    expect(Math.abs(total(step) - total(-step)) / (2 * step)).toBeLessThan(1e-4 * (1 + kinetic + Math.abs(potential)));
    compiled.dispose();
  });
});
