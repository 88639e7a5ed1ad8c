// A re-rooted mechanism is an ordinary one whose coordinates do not stand in the order of its joints. Every engine and
// every format must read joint.iq and joint.iv, and none may count.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MassMatrixSolver } from '../../src/engines/plain/mass-matrix-solver.js';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { CompiledDynamics } from '../../src/engines/wasm/compiled.js';
import { formatDescription, formatState, parseDescription, parseState } from '../../src/formats/index.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { reroot } from '../../src/mechanism/reroot.js';
import { State } from '../../src/mechanism/state.js';
import { MASS_MATRIX_ALGORITHMS, massMatrixBy } from '../../src/papers/mass-matrix/index.js';
import { Simulation } from '../../src/simulation/simulation.js';
import { randomMechanism, randomVector, relativeError } from '../support/random-mechanism.js';
import { runs } from '../support/runs.js';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

function rerooted(seed: number): { mechanism: Mechanism; state: State } {
  const original = randomMechanism(seed, { base: 'floating', shuffled: true });
  const { bodies } = original;
  const top = bodies[seed % bodies.length].name;
  return reroot(original, State.random(original, seed + 1), { top, at: [0.1, -0.2, 0.3], joint: 'floating' });
}

const property = (check: (seed: number) => void, numRuns = 40): void =>
  fc.assert(fc.property(seeds, check), { numRuns: runs(numRuns) });

describe('a re-rooted mechanism', () => {
  it('has coordinates out of the order of its joints', () => {
    let out = 0;
    for (let seed = 0; seed < 40; seed++) {
      const { joints } = rerooted(seed).mechanism;
      if (joints.some(({ iv }, i) => i > 0 && iv < joints[i - 1].iv)) out++;
    }
    expect(out).toBeGreaterThan(10);
  });

  it('all forward and inverse dynamics agree', () =>
    property((seed) => {
      const { mechanism, state } = rerooted(seed);
      const readable = new PlainDynamics(mechanism);
      const tau = randomVector(seed + 2, mechanism.nv, 3);
      const qdd = readable.forward(state, tau);
      expect(relativeError(readable.forward(state, tau, { algorithm: 'ada' }), qdd)).toBeLessThan(1e-9);
      expect(relativeError(readable.forward(state, tau, { algorithm: 'dense' }), qdd)).toBeLessThan(1e-9);
      expect(relativeError(readable.inverse(state, qdd), tau)).toBeLessThan(1e-9);
      for (const specialise of ['first-use', 'never'] as const) {
        const compiled = new CompiledDynamics(mechanism, { specialise });
        expect(relativeError(compiled.forward(state, tau), qdd)).toBeLessThan(1e-9);
        expect(relativeError(compiled.inverse(state, qdd), tau)).toBeLessThan(1e-9);
        const { H } = readable.massMatrix(state);
        expect(relativeError(compiled.massMatrix(state).H, H)).toBeLessThan(1e-11);
        compiled.dispose();
      }
    }, 15));

  it('mass matrices are in the order of v', () =>
    property((seed) => {
      const { mechanism, state } = rerooted(seed);
      const dynamics = new PlainDynamics(mechanism);
      const { H, n, joints } = dynamics.massMatrix(state);
      const { v } = state;
      // v^T H v / 2, with v as it stands, is the kinetic energy.
      let twice = 0;
      for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) twice += v[i] * H[i * n + j] * v[j];
      expect(relativeError([twice / 2], [dynamics.energy(state).kinetic])).toBeLessThan(1e-10);
      for (const { name, offset } of joints) expect(mechanism.joints[mechanism.jointIndex(name)].iv).toBe(offset);
      for (const algorithm of MASS_MATRIX_ALGORITHMS) {
        const by = massMatrixBy(mechanism, state, { algorithm });
        expect(relativeError(by.H, H)).toBeLessThan(1e-10);
        expect(by.joints).toEqual(joints);
      }
      const b = randomVector(seed + 3, n, 2);
      const solver = new MassMatrixSolver(mechanism);
      const x = solver.solve(state, b);
      const { Hinv } = solver.inverse(state);
      const by = Float64Array.from(b, (_, i) => b.reduce((sum, value, j) => sum + Hinv[i * n + j] * value, 0));
      expect(relativeError(by, x)).toBeLessThan(1e-7);
    }));

  it('is written and read back with its state', () =>
    property((seed) => {
      const { mechanism, state } = rerooted(seed);
      const text = JSON.stringify(formatDescription(mechanism, state));
      const again = parseDescription(text);
      const expected = new PlainDynamics(mechanism).energy(state);
      const got = new PlainDynamics(again.mechanism).energy(again.state);
      expect(relativeError([got.kinetic, got.potential], [expected.kinetic, expected.potential])).toBeLessThan(1e-10);
      const { state: read } = parseState(JSON.stringify(formatState(state)), mechanism);
      expect(read.q).toEqual(state.q);
      expect(read.v).toEqual(state.v);
    }));

  it('moves alike whatever computes it', () =>
    property((seed) => {
      const { mechanism, state } = rerooted(seed);
      const runs = (['plain', 'auto'] as const).map((engine) => {
        const simulation = new Simulation(mechanism, { state, engine, step: 1e-5 });
        for (let k = 0; k < 10; k++) simulation.step();
        return simulation.state;
      });
      expect(relativeError(runs[1].q, runs[0].q)).toBeLessThan(1e-9);
      expect(relativeError(runs[1].v, runs[0].v)).toBeLessThan(1e-7);
    }, 10));
});
