// Steps inside WebAssembly against the same steps joint by joint: all joint types, passive forces, control, both tiers.

import { describe, expect, it } from 'vitest';
import { LoopClosing } from '../../src/engines/plain/assembly/closing.js';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { PlainStages } from '../../src/engines/plain/stages.js';
import { CompiledDynamics } from '../../src/engines/wasm/compiled.js';
import { DORMAND_PRINCE, RUNGE_KUTTA_4 } from '../../src/formulas/runge-kutta.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { Random } from '../../src/mechanism/random.js';
import { State } from '../../src/mechanism/state.js';
import { builtinMechanism } from '../../src/models/index.js';
import { closedSpec } from '../support/closed-mechanisms.js';
import { withCouplings } from '../support/random-couplings.js';
import { ALL_JOINT_TYPES, randomSpec } from '../support/random-mechanism.js';

const largest = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((worst, x, k) => Math.max(worst, Math.abs(x - b[k]) / (1 + Math.abs(b[k]))), 0);

function withPassive(seed: number): Mechanism {
  const spec = randomSpec(seed, { bodies: 8, types: ALL_JOINT_TYPES });
  const random = new Random(seed);
  return createMechanism({
    ...spec,
    joints: spec.joints.map((joint) => ({
      ...joint,
      ...(random.below(2) === 0 && joint.type !== 'fixed' && { damping: 0.3, friction: random.below(2) * 0.2 }),
      ...(joint.type === 'revolute' && { stiffness: 2, rest: 0.1 }),
    })),
  });
}

const control = (tau: Float64Array, state: State): void => {
  for (let k = 0; k < tau.length; k++) tau[k] = Math.sin(k + state.time) - 0.1 * state.v[k];
};

describe('steps inside WebAssembly', () => {
  for (const [name, tableau] of [
    ['rk4', RUNGE_KUTTA_4],
    ['dopri5', DORMAND_PRINCE],
  ] as const)
    for (const tier of ['never', 'first-use'] as const)
      it(`${name}, ${tier === 'first-use' ? 'code for the mechanism' : 'generic kernels'}: as joint by joint`, () => {
        for (let seed = 1; seed <= 12; seed++) {
          const mechanism = withPassive(seed);
          const compiled = new CompiledDynamics(mechanism, { specialise: tier });
          const state = State.random(mechanism, seed);
          const fast = compiled.stages(state, tableau);
          expect(fast).not.toBeInstanceOf(PlainStages);
          const slow = new PlainStages(new PlainDynamics(mechanism), state, tableau);
          for (const law of [undefined, control])
            for (const h of [1e-3, 2e-2]) {
              for (const stages of [fast, slow]) {
                stages.begin(state);
                if (tableau.B === undefined) stages.accelerate(law, false);
                stages.run(h, law);
              }
              const told = `seed ${seed}, h ${h}, ${law === undefined ? 'free' : 'controlled'}`;
              expect(largest(fast.end.q, slow.end.q), told).toBeLessThan(1e-9);
              expect(largest(fast.end.v, slow.end.v), told).toBeLessThan(1e-8);
              expect(Math.abs(fast.work - slow.work), told).toBeLessThan(1e-8 * (1 + Math.abs(slow.work)));
              expect(fast.end.time).toBe(slow.end.time);
              if (tableau.B !== undefined) continue;
              expect(largest(fast.u, slow.u), told).toBeLessThan(1e-9);
              for (let s = 0; s < tableau.A.length; s++) {
                expect(largest(fast.rates[s], slow.rates[s]), told).toBeLessThan(1e-8);
                expect(largest(fast.accelerations[s], slow.accelerations[s]), told).toBeLessThan(1e-7);
              }
            }
        }
      });

  it('coupled joints follow', () => {
    const link = { mass: 1, com: [0, 0.1, -0.2], inertia: [0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.01] } as const;
    const joint = { type: 'revolute', axis: [1, 0, 0], t: [0, 0, -0.4], damping: 0.1 } as const;
    const mechanism = createMechanism({
      bodies: ['a', 'b', 'c'].map((name) => ({ name, ...link })),
      joints: [null, 'a', 'b'].map((parent, k) => ({ name: `j${k}`, parent, child: 'abc'[k], ...joint })),
      couplings: [{ joint: 'j2', source: 'j1', multiplier: -0.5, offset: 0.1 }],
    });
    const state = State.random(mechanism, 2);
    const compiled = new CompiledDynamics(mechanism);
    const fast = compiled.stages(state, RUNGE_KUTTA_4);
    expect(fast).not.toBeInstanceOf(PlainStages);
    const slow = new PlainStages(new PlainDynamics(mechanism), state, RUNGE_KUTTA_4);
    for (const stages of [fast, slow])
      for (let k = 0; k < 100; k++) {
        stages.begin(k === 0 ? state : stages.end);
        stages.run(5e-3, undefined);
      }
    expect(largest(fast.end.q, slow.end.q)).toBeLessThan(1e-9);
    expect(fast.end.q[2]).toBe(-0.5 * fast.end.q[1] + 0.1);
  });

  it('closed loops, with coupled joints too: as joint by joint, and where the rank is in doubt the plain engine decides', () => {
    let compared = 0;
    for (let seed = 1; seed <= 16; seed++) {
      const spec = closedSpec(seed, 10, 1);
      const mechanism = createMechanism(seed % 2 === 0 ? spec : withCouplings(seed, spec));
      const state = State.random(mechanism, seed);
      const compiled = new CompiledDynamics(mechanism);
      const plain = new PlainDynamics(mechanism);
      try {
        new LoopClosing(plain.tree).hold(state);
        plain.forward(state);
      } catch {
        continue;
      }
      compared++;
      for (const tableau of [RUNGE_KUTTA_4, DORMAND_PRINCE]) {
        const fast = compiled.stages(state, tableau);
        expect(fast).not.toBeInstanceOf(PlainStages);
        const slow = new PlainStages(plain, state, tableau);
        for (const law of [undefined, control]) {
          for (const stages of [fast, slow]) {
            stages.begin(state);
            if (tableau.B === undefined) stages.accelerate(law, false);
            stages.run(1e-3, law);
          }
          expect(largest(fast.end.q, slow.end.q), `seed ${seed}`).toBeLessThan(1e-9);
          expect(largest(fast.end.v, slow.end.v), `seed ${seed}`).toBeLessThan(1e-8);
        }
      }
    }
    expect(compared).toBeGreaterThan(8);
  });

  it('turns too large for the series go joint by joint', () => {
    const mechanism = builtinMechanism('chain-2-spherical-free');
    const compiled = new CompiledDynamics(mechanism, { specialise: 'never' });
    const state = State.random(mechanism, 3);
    state.v.fill(200, 0, 3);
    const fast = compiled.stages(state, RUNGE_KUTTA_4);
    const slow = new PlainStages(compiled, state, RUNGE_KUTTA_4);
    for (const stages of [fast, slow]) {
      stages.begin(state);
      stages.run(0.1, undefined);
    }
    expect(fast.end.q).toEqual(slow.end.q);
  });

  it('a control function may use the same dynamics', () => {
    const mechanism = builtinMechanism('human-34');
    const compiled = new CompiledDynamics(mechanism, { specialise: 'first-use' });
    const state = State.random(mechanism, 3);
    const other = State.random(mechanism, 4);
    const run = (disturb: boolean): State => {
      const stages = compiled.stages(state, RUNGE_KUTTA_4);
      stages.begin(state);
      stages.run(1e-3, (tau, at) => {
        if (disturb) {
          compiled.forward(other, tau);
          compiled.massMatrix(other);
          compiled.inverse(other);
        }
        control(tau, at);
      });
      return stages.end;
    };
    expect(run(true).v).toEqual(run(false).v);
  });
});
