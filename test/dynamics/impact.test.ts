// Impacts: against the mass matrix, against angular momenta, against the plastic impulse of connect, and the laws of
// restitution and friction.

import { describe, expect, it } from 'vitest';
import { connect } from '../../src/dynamics/connect.js';
import { impact } from '../../src/dynamics/impact.js';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { Random } from '../../src/mechanism/random.js';
import { State } from '../../src/mechanism/state.js';
import { mechanismSpec } from '../../src/mechanism/variants.js';
import { builtinMechanism } from '../../src/models/index.js';
import {
  add,
  apply,
  cross,
  dot,
  type Mat3,
  norm,
  scale,
  subtract,
  transpose,
  type Vec3,
} from '../../src/spatial/matrix3.js';
import { TRANSFORM } from '../../src/spatial/spatial.js';
import { solveDense } from '../engines/plain/assembly/constrained.js';
import { randomMechanism, relativeError } from '../support/random-mechanism.js';

/** J of a point, 3 x nv, ground coordinates. */
function pointJacobian(mechanism: Mechanism, state: State, body: string, at: Vec3): number[][] {
  const dynamics = new PlainDynamics(mechanism);
  const pose = dynamics.poses(state).subarray(TRANSFORM * mechanism.bodyIndex(body));
  const E = Array.from(pose.subarray(0, 9)) as unknown as Mat3;
  const x = apply(E, subtract(at, [pose[9], pose[10], pose[11]]));
  const J = dynamics.jacobian(state, mechanism.bodyIndex(body));
  const { nv } = mechanism;
  const columns = Array.from({ length: nv }, (_, k) => {
    const c = [0, 1, 2, 3, 4, 5].map((row) => J[row * nv + k]);
    return apply(transpose(E), add([c[3], c[4], c[5]], cross([c[0], c[1], c[2]], x)));
  });
  return [0, 1, 2].map((row) => columns.map((column) => column[row]));
}

const times = (rows: readonly number[][], v: ArrayLike<number>): Vec3 =>
  rows.map((row) => row.reduce((sum, x, k) => sum + x * v[k], 0)) as unknown as Vec3;

/** A point of the body that can move in all directions, and a normal against which it moves. */
function strike(mechanism: Mechanism, state: State, seed: number) {
  const random = new Random(seed);
  const b = mechanism.bodies.length - 1;
  const body = mechanism.bodies[b].name;
  const p = new PlainDynamics(mechanism).poses(state).subarray(TRANSFORM * b + 9);
  const at: Vec3 = [
    p[0] + random.between(-0.3, 0.3),
    p[1] + random.between(-0.3, 0.3),
    p[2] + random.between(-0.3, 0.3),
  ];
  const u = times(pointJacobian(mechanism, state, body, at), state.v);
  let normal: Vec3 = random.direction();
  if (dot(normal, u) > 0) normal = scale(-1, normal);
  return { body, at, normal };
}

const free = (seed: number): Mechanism => randomMechanism(seed, { bodies: 2 + (seed % 6), base: 'floating' });

describe('a plastic, slipless impact', () => {
  it('is the solution of [H J^T; J 0] on 100 random mechanisms, and of a spherical connection', () => {
    for (let seed = 1; seed <= 100; seed++) {
      const mechanism = free(seed);
      const state = State.random(mechanism, seed);
      const options = strike(mechanism, state, seed);
      const J = pointJacobian(mechanism, state, options.body, options.at);
      const { H } = new PlainDynamics(mechanism).massMatrix(state);
      const { nv } = mechanism;
      const A = Array.from({ length: nv + 3 }, (_, i) =>
        Array.from({ length: nv + 3 }, (_, j) =>
          i < nv && j < nv ? H[i * nv + j] : i < nv ? J[j - nv][i] : j < nv ? J[i - nv][j] : 0,
        ),
      );
      const b = [...new Array<number>(nv).fill(0), ...times(J, state.v).map((x) => -x)];
      const solution = solveDense(A, b);
      const result = impact(mechanism, state, options);
      // Where standing still would need the ground to pull, it does not.
      if (solution.slice(nv).reduce((sum, x, k) => sum - x * options.normal[k], 0) < 0) {
        expect(dot(result.impulse, options.normal), `seed ${seed}`).toBeGreaterThanOrEqual(-1e-14);
        expect(result.energyLost, `seed ${seed}`).toBeGreaterThan(0);
        continue;
      }
      const expected = state.v.map((v, k) => v + solution[k]);
      expect(relativeError(result.state.v, expected), `seed ${seed}`).toBeLessThan(1e-9);
      expect(
        relativeError(
          result.impulse,
          solution.slice(nv).map((x) => -x),
        ),
      ).toBeLessThan(1e-9);
      expect(norm(times(J, result.state.v))).toBeLessThan(1e-9);
      expect(result.contact).toBe('stick');
      expect(result.energyLost).toBeGreaterThan(0);
      const joined = connect(mechanism, state, {
        name: 'hold',
        a: options.body,
        b: null,
        joint: { type: 'spherical' },
        at: options.at,
      });
      expect(relativeError(result.state.v, joined.state.v), `seed ${seed}`).toBeLessThan(1e-9);
      expect(Math.abs(result.energyLost - joined.energyLost)).toBeLessThan(1e-9 * (1 + joined.energyLost));
    }
  });

  it('keeps the angular momentum about the point, and adds its impulse to the linear momentum', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const mechanism = free(seed);
      const state = State.random(mechanism, seed);
      const options = strike(mechanism, state, seed);
      const { impulse, state: after } = impact(mechanism, state, options);
      const momentum = (s: State) => {
        const { angular, linear } = new PlainDynamics(mechanism).energy(s).momentum;
        return { about: subtract(angular, cross(options.at, linear)), linear };
      };
      const [p, q] = [momentum(state), momentum(after)];
      expect(relativeError(q.about, p.about)).toBeLessThan(1e-10);
      expect(relativeError(q.linear, add(p.linear, impulse))).toBeLessThan(1e-10);
      expect([...after.q]).toEqual([...state.q]);
    }
  });

  it('respects loops and couplings', () => {
    const chain = mechanismSpec(builtinMechanism('chain-4-free'));
    const coupled = createMechanism({
      ...chain,
      couplings: [{ joint: 'joint_3', source: 'joint_2', multiplier: 0.5 }],
    });
    const state = State.random(coupled, 2);
    const struck = strike(coupled, state, 3);
    // Against its motion: then the ground presses.
    const coming = times(pointJacobian(coupled, state, struck.body, struck.at), state.v);
    const options = { ...struck, normal: coming.map((x) => -x) as unknown as Vec3 };
    const { state: after } = impact(coupled, state, options);
    expect(relativeError(after.clone().applyCouplings().v, after.v)).toBeLessThan(1e-14);
    expect(norm(times(pointJacobian(coupled, after, options.body, options.at), after.v))).toBeLessThan(1e-10);
    // A free chain whose ends are joined: the loop holds before and after.
    const figure = builtinMechanism('human-34');
    const start = State.random(figure, 4);
    const hand = new PlainDynamics(figure).poses(start).subarray(TRANSFORM * figure.bodyIndex('left_hand') + 9);
    const closed = connect(figure, start, {
      name: 'grip',
      a: 'left_hand',
      b: 'right_thigh',
      joint: { type: 'spherical' },
      at: [hand[0], hand[1], hand[2]],
    });
    const foot = { ...strike(closed.mechanism, closed.state, 5), body: 'right_foot' };
    const u = times(pointJacobian(closed.mechanism, closed.state, foot.body, foot.at), closed.state.v);
    const result = impact(closed.mechanism, closed.state, { ...foot, normal: scale(-1, u) });
    expect(norm(result.after)).toBeLessThan(1e-9);
    const again = connect(closed.mechanism, result.state, {
      name: 'check',
      a: 'left_hand',
      b: 'right_thigh',
      joint: { type: 'spherical' },
      at: [hand[0], hand[1], hand[2]],
    });
    // The hand is still held: holding it once more takes nothing.
    expect(Math.abs(again.energyLost)).toBeLessThan(1e-9);
  });

  it('of a body that leaves the ground is none', () => {
    const mechanism = free(3);
    const state = State.random(mechanism, 3);
    const options = strike(mechanism, state, 3);
    const result = impact(mechanism, state, { ...options, normal: scale(-1, options.normal) });
    expect([result.contact, result.energyLost, ...result.impulse]).toEqual(['none', 0, 0, 0, 0]);
    expect([...result.state.v]).toEqual([...state.v]);
  });
});

describe('restitution and friction', () => {
  it('an elastic impact without friction keeps the energy', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const mechanism = free(seed);
      const state = State.random(mechanism, seed);
      const options = strike(mechanism, state, seed);
      const result = impact(mechanism, state, { ...options, restitution: 1, friction: 0 });
      expect(Math.abs(result.energyLost)).toBeLessThan(1e-9 * new PlainDynamics(mechanism).energy(state).kinetic);
      const n = scale(1 / norm(options.normal), options.normal);
      expect(dot(result.after, n)).toBeCloseTo(-dot(result.before, n), 9);
      // The impulse is along the normal.
      expect(norm(cross(result.impulse, n))).toBeLessThan(1e-12 * norm(result.impulse));
    }
  });

  it('obeys Newton and Coulomb: the impulse is in the cone, on its edge against the slip where the point slides', () => {
    const kinds = new Map<string, number>();
    for (let seed = 1; seed <= 200; seed++) {
      const mechanism = free(seed);
      const state = State.random(mechanism, seed);
      const options = strike(mechanism, state, seed);
      const n = scale(1 / norm(options.normal), options.normal);
      const [restitution, friction] = [(seed % 4) / 4, 0.1 + (seed % 7) / 6];
      const result = impact(mechanism, state, { ...options, restitution, friction });
      kinds.set(result.contact, (kinds.get(result.contact) ?? 0) + 1);
      const along = dot(result.impulse, n);
      const across = subtract(result.impulse, scale(along, n));
      const slip = subtract(result.after, scale(dot(result.after, n), n));
      expect(along, `seed ${seed}`).toBeGreaterThan(0);
      expect(norm(across)).toBeLessThan(friction * along * (1 + 1e-9));
      expect(result.energyLost, `seed ${seed}`).toBeGreaterThan(-1e-9);
      if (result.contact === 'stick') {
        expect(norm(slip)).toBeLessThan(1e-9);
      } else {
        expect(norm(across)).toBeCloseTo(friction * along, 9);
        expect(dot(across, slip)).toBeCloseTo(-norm(across) * norm(slip), 8);
      }
      // Newton's law, unless it had to be lowered so as not to make energy.
      const bounce = -dot(result.after, n) / dot(result.before, n);
      expect(bounce).toBeLessThan(restitution + 1e-9);
      if (result.energyLost > 1e-6) expect(bounce).toBeCloseTo(restitution, 8);
    }
    expect(kinds.get('stick')).toBeGreaterThan(20);
    expect(kinds.get('slip')).toBeGreaterThan(20);
  });

  it('a ball without friction: v_n becomes -e v_n, the rest stays', () => {
    const ball = createMechanism({
      bodies: [{ name: 'ball', mass: 2, inertia: [0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1] }],
      joints: [{ name: 'free', type: 'floating', parent: null, child: 'ball' }],
    });
    const state = new State(ball).set('free', [1, 0, 0, 0, 0, 0, 0.5], [0, 0, 0, 1, 0, -3]);
    const floor = { body: 'ball', at: [0, 0, 0] as Vec3, normal: [0, 0, 4] as Vec3 };
    expect([...impact(ball, state, { ...floor, friction: 0, restitution: 0.5 }).state.v]).toEqual([0, 0, 0, 1, 0, 1.5]);
    // Sliding all the way: the tangential impulse is mu times the normal one, 2 kg x 3 m/s x 0.01.
    const slid = impact(ball, state, { ...floor, friction: 0.01 });
    expect(slid.contact).toBe('slip');
    expect(slid.impulse[0]).toBeCloseTo(-0.06, 12);
    expect(slid.impulse[2]).toBeCloseTo(6, 12);
    // Enough friction: it rolls.
    const rolled = impact(ball, state, { ...floor, friction: 1 });
    expect(rolled.contact).toBe('stick');
    expect(norm(rolled.after)).toBeLessThan(1e-12);
  });
});

describe('refuses', () => {
  const mechanism = free(1);
  const state = State.random(mechanism, 1);
  const good = { body: 'b0', at: [0, 0, 0] as Vec3, normal: [0, 0, 1] as Vec3 };
  it.each([
    [{ body: 'nobody' }, 'There is no body "nobody"'],
    [{ at: [0, 0, Number.NaN] as Vec3 }, 'The point must be three finite numbers'],
    [{ normal: [0, 0, 0] as Vec3 }, 'not all zero'],
    [{ normal: [0, 0, Number.POSITIVE_INFINITY] as Vec3 }, 'The normal must be three finite numbers'],
    [{ restitution: 1.5 }, 'Restitution is from 0 to 1, got 1.5'],
    [{ friction: -1 }, 'must not be negative, got -1'],
    [{ friction: Number.NaN }, 'must not be negative, got NaN'],
  ])('%j', (change, message) => {
    expect(() => impact(mechanism, state, { ...good, ...change })).toThrow(message);
  });
});
