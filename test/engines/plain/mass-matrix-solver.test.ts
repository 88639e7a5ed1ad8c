import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MassMatrixSolver } from '../../../src/engines/plain/mass-matrix-solver.js';
import { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import { createMechanism } from '../../../src/mechanism/create.js';
import type { Mechanism } from '../../../src/mechanism/mechanism.js';
import { State } from '../../../src/mechanism/state.js';
import { BUILTIN_MODELS, builtinMechanism } from '../../../src/models/index.js';
import { randomMechanism, randomSpec, randomVector, relativeError } from '../../support/random-mechanism.js';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

/** Gauss-Jordan with row exchanges: knows nothing of trees or symmetry. */
function invert(H: Float64Array, n: number): Float64Array {
  const A = H.slice();
  const B = new Float64Array(n * n);
  for (let k = 0; k < n; k++) B[k * n + k] = 1;
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let r = k; r < n; r++) if (Math.abs(A[r * n + k]) > Math.abs(A[best * n + k])) best = r;
    for (const M of [A, B])
      for (let c = 0; c < n; c++) [M[k * n + c], M[best * n + c]] = [M[best * n + c], M[k * n + c]];
    const pivot = A[k * n + k];
    for (const M of [A, B]) for (let c = 0; c < n; c++) M[k * n + c] /= pivot;
    for (let r = 0; r < n; r++) {
      if (r === k) continue;
      const factor = A[r * n + k];
      for (const M of [A, B]) for (let c = 0; c < n; c++) M[r * n + c] -= factor * M[k * n + c];
    }
  }
  return B;
}

/** Largest sum of a row. */
function size(A: Float64Array, n: number): number {
  let largest = 0;
  for (let r = 0; r < n; r++)
    largest = Math.max(
      largest,
      A.subarray(r * n, (r + 1) * n).reduce((s, x) => s + Math.abs(x), 0),
    );
  return largest;
}

/** Largest relative difference to the inverse by elimination, in units of what elimination itself must lose. */
function errorOf(mechanism: Mechanism, seed: number): number {
  const dynamics = new PlainDynamics(mechanism);
  const state = State.random(mechanism, seed);
  const { H, n, joints } = dynamics.massMatrix(state);
  const inverse = new MassMatrixSolver(mechanism).inverse(state);
  expect(inverse.n).toBe(n);
  expect(inverse.joints).toEqual(joints);
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) expect(inverse.Hinv[i * n + j]).toBe(inverse.Hinv[j * n + i]);
  return (
    relativeError(inverse.Hinv, invert(H, n)) / (Math.max(10, size(H, n) * size(inverse.Hinv, n)) * Number.EPSILON)
  );
}

describe('the inverse mass matrix', () => {
  it('is the inverse, on random trees and forests of all joint types', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const mechanism = randomMechanism(seed, { armature: true, forest: true, shuffled: true });
        expect(errorOf(mechanism, seed + 1)).toBeLessThan(1000);
      }),
      { numRuns: 100 },
    );
  });

  it.each(BUILTIN_MODELS.map(({ example }) => example).filter((name) => builtinMechanism(name).nv <= 200))(
    'of %s',
    (name) => {
      expect(errorOf(builtinMechanism(name), 3)).toBeLessThan(10);
    },
  );

  it('with coupled joints is that of the independent ones', () => {
    const spec = randomSpec(11, { bodies: 6, types: ['revolute', 'prismatic'] });
    const couplings = [{ joint: 'j4', source: 'j1', multiplier: -0.7 }];
    expect(errorOf(createMechanism({ ...spec, couplings }), 12)).toBeLessThan(10);
  });

  it('columns are accelerations under unit forces', () => {
    const mechanism = builtinMechanism('human-34');
    const dynamics = new PlainDynamics(mechanism);
    const state = State.random(mechanism, 5);
    const { Hinv, n } = new MassMatrixSolver(mechanism).inverse(state);
    const free = dynamics.forward(state);
    const tau = new Float64Array(n);
    for (let j = 0; j < n; j++) {
      tau.fill(0);
      tau[j] = 1;
      const column = dynamics.forward(state, tau).map((x, i) => x - free[i]);
      expect(
        relativeError(
          column,
          Float64Array.from({ length: n }, (_, i) => Hinv[i * n + j]),
        ),
      ).toBeLessThan(1e-9);
    }
  });
});

describe('solving with the mass matrix', () => {
  const residual = (mechanism: Mechanism, seed: number): number => {
    const dynamics = new PlainDynamics(mechanism);
    const state = State.random(mechanism, seed);
    const { H, n } = dynamics.massMatrix(state);
    const b = randomVector(seed + 5, n, 3);
    const x = new MassMatrixSolver(mechanism).solve(state, b);
    let worst = 0;
    for (let i = 0; i < n; i++) {
      let [sum, size] = [-b[i], Math.abs(b[i])];
      for (let j = 0; j < n; j++) {
        sum += H[i * n + j] * x[j];
        size += Math.abs(H[i * n + j] * x[j]);
      }
      worst = Math.max(worst, Math.abs(sum) / size);
    }
    return worst;
  };

  it('leaves nothing, on random trees and forests of all joint types', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const mechanism = randomMechanism(seed, { armature: true, forest: true, shuffled: true });
        fc.pre(mechanism.nv > 0);
        expect(residual(mechanism, seed + 1)).toBeLessThan(1e-12);
      }),
      { numRuns: 100 },
    );
  });

  it('with coupled joints', () => {
    const spec = randomSpec(11, { bodies: 6, types: ['revolute', 'prismatic'] });
    const couplings = [{ joint: 'j4', source: 'j1', multiplier: -0.7 }];
    expect(residual(createMechanism({ ...spec, couplings }), 12)).toBeLessThan(1e-12);
  });
});
