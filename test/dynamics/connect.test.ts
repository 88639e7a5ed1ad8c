import { describe, expect, it } from 'vitest';
import { connect, disconnect } from '../../src/dynamics/connect.js';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { createMechanism } from '../../src/mechanism/create.js';
import { MechanismError } from '../../src/mechanism/errors.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { Random } from '../../src/mechanism/random.js';
import { State } from '../../src/mechanism/state.js';
import { mechanismSpec } from '../../src/mechanism/variants.js';
import { builtinMechanism } from '../../src/models/index.js';
import type { Vec3 } from '../../src/spatial/matrix3.js';
import { constraintJacobian, solveDense } from '../engines/plain/assembly/constrained.js';
import { randomVector, relativeError } from '../support/random-mechanism.js';

function originOf(mechanism: Mechanism, state: State, body: string): Vec3 {
  const p = 12 * mechanism.bodyIndex(body);
  return Array.from(new PlainDynamics(mechanism).poses(state).subarray(p + 9, p + 12)) as unknown as Vec3;
}

const flat = (mechanism: Mechanism, state: State): number[] => {
  const { momentum } = new PlainDynamics(mechanism).energy(state);
  return [...momentum.angular, ...momentum.linear];
};

describe('connect', () => {
  it.each(['spherical', 'revolute', 'fixed', 'universal', 'prismatic'] as const)(
    'an internal %s connection of a free figure keeps its momentum and takes energy',
    (type) => {
      for (let seed = 1; seed <= 5; seed++) {
        const figure = builtinMechanism('human-40');
        const state = State.random(figure, seed);
        const joined = connect(figure, state, {
          name: 'grip',
          a: 'left_hand',
          b: 'right_thigh',
          joint: { type },
          at: originOf(figure, state, 'left_hand'),
        });
        expect(relativeError(flat(joined.mechanism, joined.state), flat(figure, state))).toBeLessThan(1e-12);
        expect(joined.energyLost).toBeGreaterThan(0);
        expect(relativeError(joined.state.q, state.q)).toBe(0);
      }
    },
  );

  it('gives the impulse of a dense reference', () => {
    const figure = builtinMechanism('human-34');
    const state = State.random(figure, 3);
    const joined = connect(figure, state, {
      name: 'hold',
      a: 'right_hand',
      b: null,
      joint: { type: 'spherical' },
      at: originOf(figure, state, 'right_hand'),
    });
    // [H J^T; J 0] [dv; -impulse] = [0; -J v]
    const { rows } = constraintJacobian(joined.mechanism, joined.state);
    const { nv } = figure;
    const { H } = new PlainDynamics(figure).massMatrix(state);
    const A = Array.from({ length: nv + 3 }, (_, i) =>
      Array.from({ length: nv + 3 }, (_, j) => {
        if (i < nv && j < nv) return H[i * nv + j];
        if (i < nv) return rows[j - nv][i];
        return j < nv ? rows[i - nv][j] : 0;
      }),
    );
    const b = [
      ...new Array<number>(nv).fill(0),
      ...rows.map((row) => -row.reduce((sum, x, k) => sum + x * state.v[k], 0)),
    ];
    const solution = solveDense(A, b);
    const dv = joined.state.v.map((v, k) => v - state.v[k]);
    expect(relativeError(dv, solution.slice(0, nv))).toBeLessThan(1e-9);
    // On the ground at the hand's place; the force is what the rows' multipliers say, with their sign.
    const force = joined.impulse.subarray(3);
    expect(
      relativeError(
        force,
        solution.slice(nv).map((x) => -x),
      ),
    ).toBeLessThan(1e-9);
    const { kinetic } = new PlainDynamics(figure).energy(state);
    expect(joined.energyLost).toBeLessThan(kinetic);
  });

  it('refuses frames that are apart, unknown bodies and names that are taken', () => {
    const figure = builtinMechanism('human-34');
    const state = new State(figure);
    const grip = { name: 'grip', a: 'left_hand', b: 'right_hand', joint: { type: 'spherical' } } as const;
    expect(() => connect(figure, state, grip)).toThrow(MechanismError);
    expect(() => connect(figure, state, grip)).toThrow(/apart/);
    expect(() => connect(figure, state, { ...grip, a: 'third_hand' })).toThrow(/no body "third_hand"/);
    expect(() => connect(figure, state, { ...grip, name: 'left_knee', at: [0, 0, 0] })).toThrow(/has this name/);
    expect(() => connect(figure, state, { ...grip, b: 'left_hand', at: [0, 0, 0] })).toThrow(/two different bodies/);
    expect(() => disconnect(figure, state, 'nothing')).toThrow(/no loop joint "nothing"/);
  });
});

describe('disconnect', () => {
  it('changes no velocity', () => {
    const figure = builtinMechanism('human-34');
    const state = State.random(figure, 5);
    const at = originOf(figure, state, 'left_hand');
    const held = connect(figure, state, { name: 'hold', a: 'left_hand', b: null, joint: { type: 'spherical' }, at });
    const released = disconnect(held.mechanism, held.state, 'hold');
    expect(released.mechanism.loops).toHaveLength(0);
    expect([...released.state.v]).toEqual([...held.state.v]);
    expect([...released.state.q]).toEqual([...held.state.q]);
  });

  it('of a joint of the tree lets its body float on as it moved', () => {
    const figure = builtinMechanism('human-34');
    const state = State.random(figure, 6);
    const dynamics = new PlainDynamics(figure);
    const cut = disconnect(figure, state, 'left_knee');
    const after = new PlainDynamics(cut.mechanism);
    expect(relativeError(after.poses(cut.state), dynamics.poses(state))).toBeLessThan(1e-12);
    expect(relativeError(after.velocities(cut.state), dynamics.velocities(state))).toBeLessThan(1e-12);
    expect(relativeError(flat(cut.mechanism, cut.state), flat(figure, state))).toBeLessThan(1e-12);
    // And it can be put back: the bodies still fit.
    const at = originOf(cut.mechanism, cut.state, 'left_shank');
    const again = connect(cut.mechanism, cut.state, {
      name: 'knee_again',
      a: 'left_thigh',
      b: 'left_shank',
      joint: { type: 'spherical' },
      at,
    });
    expect(again.energyLost).toBeLessThan(1e-12);
  });
});

describe('a mechanism that changed a thousand times', () => {
  it('is the one that would be built afresh, to the last bit', () => {
    const random = new Random(17);
    let mechanism = builtinMechanism('human-34');
    let state = State.random(mechanism, 1);
    let connected = 0;
    for (let change = 0; change < 1000; change++) {
      if (mechanism.loops.length > 0 && random.below(2) === 0) {
        ({ mechanism, state } = disconnect(mechanism, state, random.pick(mechanism.loops).name));
        continue;
      }
      if (mechanism.loops.length >= 4) continue;
      const [a, b] = [
        random.pick(mechanism.bodies).name,
        random.below(3) === 0 ? null : random.pick(mechanism.bodies).name,
      ];
      if (a === b) continue;
      const type = random.pick(['spherical', 'revolute', 'fixed', 'universal'] as const);
      const at = originOf(mechanism, state, a);
      ({ mechanism, state } = connect(mechanism, state, { name: `c${change}`, a, b, joint: { type }, at }));
      connected++;
      // A push, so that there is always something to stop.
      for (let k = 0; k < 6; k++) if (mechanism.loops.length < 3) state.v[k] += random.between(-0.5, 0.5);
    }
    expect(connected).toBeGreaterThan(200);
    const fresh = createMechanism(mechanismSpec(mechanism));
    expect(JSON.stringify(fresh)).toBe(JSON.stringify(mechanism));
    const probe = new State(fresh);
    probe.q.set(state.q);
    const tau = randomVector(3, mechanism.nv, 2);
    const still = state.clone();
    still.v.fill(0);
    const again = new PlainDynamics(fresh).forward(probe, tau);
    expect([...again]).toEqual([...new PlainDynamics(mechanism).forward(still, tau)]);
  });
});
