// Inverse dynamics with supports: the equation of motion by other algorithms (articulated bodies, MuJoCo), cones, the optimum
// against its conditions, brute force and cases known by heart; loops against the forces of least norm; fading supports.

import { describe, expect, it } from 'vitest';
import { MujocoModel } from '../../bench/mujoco.js';
import { type Dynamics, dynamics } from '../../src/dynamics/dynamics.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { Random } from '../../src/mechanism/random.js';
import { State } from '../../src/mechanism/state.js';
import { builtinMechanism } from '../../src/models/index.js';
import { solveConeProgram } from '../../src/toolbox/cone-program.js';
import { constrainedInverse, type SupportPoint } from '../../src/toolbox/index.js';
import { closedSpec } from '../support/closed-mechanisms.js';
import { randomCoupled } from '../support/random-couplings.js';
import { ALL_JOINT_TYPES, randomMechanism, relativeError } from '../support/random-mechanism.js';

type Force = { readonly force: readonly number[]; readonly moment: readonly number[] };

/** J^T f of supports. */
function generalised(door: Dynamics, state: State, supports: readonly SupportPoint[], forces: readonly Force[]) {
  const { nv } = door.mechanism;
  const out = new Float64Array(nv);
  supports.forEach(({ frame }, s) => {
    const J = door.jacobian(state, frame, { in: 'aligned' });
    const six = [...forces[s].moment, ...forces[s].force];
    for (let c = 0; c < 6; c++) for (let k = 0; k < nv; k++) out[k] += J[c * nv + k] * six[c];
  });
  return out;
}

const sum = (...vectors: readonly Float64Array[]): Float64Array =>
  vectors[0].map((_, k) => vectors.reduce((total, vector) => total + vector[k], 0));

/** A random motion that some forces in the cones and some motor forces produce. */
function possible(mechanism: Mechanism, seed: number, count: number) {
  const random = new Random(seed);
  const door = dynamics(mechanism);
  const state = State.random(mechanism, seed);
  const supports: SupportPoint[] = Array.from({ length: count }, (_, s) => ({
    frame: {
      frame: random.pick(mechanism.bodies).name,
      at: [random.between(-0.3, 0.3), random.between(-0.3, 0.3), random.between(-0.3, 0.3)],
    },
    normal: [0, 0, 1],
    ...(s % 4 === 3 ? { kind: 'grip' as const } : { friction: s % 3 === 2 ? 0 : random.between(0.2, 1.2) }),
  }));
  const forces = supports.map(({ kind, friction = 0 }): Force => {
    const any = (size: number) => [0, 1, 2].map(() => random.between(-size, size));
    if (kind === 'grip') return { force: any(50), moment: any(5) };
    const [push, angle, part] = [random.between(1, 200), random.between(0, 6), random.between(0, 1) * friction];
    return { force: [part * push * Math.cos(angle), part * push * Math.sin(angle), push], moment: [0, 0, 0] };
  });
  const tau = Float64Array.from({ length: mechanism.nv }, () => random.between(-20, 20));
  const floating = mechanism.joints.filter(({ type }) => type === 'floating');
  for (const { iv, model } of floating) tau.fill(0, iv, iv + model.nv);
  for (const { joint } of mechanism.couplings) tau[mechanism.joints[joint].iv] = 0;
  const qdd = door.forward(state, sum(tau, generalised(door, state, supports, forces)));
  return { door, state, supports, forces, tau, qdd };
}

/** Cones hold; returns by how much the nearest is to being left. */
function expectCones(supports: readonly SupportPoint[], forces: readonly Force[], unit: number): void {
  supports.forEach(({ kind, friction = 1 }, s) => {
    if (kind === 'grip') return;
    const [x, y, z] = forces[s].force;
    expect(Math.hypot(x, y) - friction * z, `support ${s}`).toBeLessThan(1e-9 * unit);
    expect(z).toBeGreaterThan(-1e-9 * unit);
    expect(Math.hypot(...forces[s].moment)).toBe(0);
  });
}

const squares = (x: Float64Array): number => x.reduce((total, value) => total + value * value, 0);

describe('motions that are possible', () => {
  const mechanisms = [
    ...[1, 2, 3, 4, 5, 6].map((seed) => randomMechanism(seed, { bodies: 6, base: 'floating', armature: true })),
    ...[7, 8].map((seed) => randomCoupled(seed, { base: 'floating' })),
  ];
  it.each(mechanisms.map((mechanism, k) => [`${mechanism.name}, seed ${k}`, mechanism, k] as const))(
    '%s: equation of motion, cones, nothing that was put in is cheaper',
    (_, mechanism, seed) => {
      const { door, state, supports, forces, tau, qdd } = possible(mechanism, 60 + seed, 4 + seed);
      for (const least of ['effort', 'forces'] as const) {
        const found = constrainedInverse(door, state, qdd, { supports, least });
        const back = door.forward(state, sum(found.tau, generalised(door, state, supports, found.supports)));
        expect(relativeError(back, qdd), least).toBeLessThan(1e-10);
        const size = Math.sqrt(squares(tau)) + 1000;
        expectCones(supports, found.supports, size);
        const costOf = (motors: Float64Array, of: readonly Force[]): number =>
          least === 'effort'
            ? squares(motors)
            : of.reduce((total, { force, moment }) => total + Math.hypot(...force, ...moment) ** 2, 0);
        expect(costOf(found.tau, found.supports)).toBeLessThan(costOf(tau, forces) * (1 + 1e-4));
        // Convex: on the way to any forces that are allowed the cost does not fall.
        const near = 1e-3;
        const mix = (a: number, b: number) => a + near * (b - a);
        const motors = found.tau.map((value, k) => mix(value, tau[k]));
        const mixed = found.supports.map(({ force, moment }, s) => ({
          force: force.map((value, c) => mix(value, forces[s].force[c])),
          moment: moment.map((value, c) => mix(value, forces[s].moment[c])),
        }));
        const best = costOf(found.tau, found.supports);
        expect(costOf(motors, mixed)).toBeGreaterThan(best * (1 - 1e-6));
      }
    },
  );

  it("MuJoCo's forward dynamics gives the same accelerations", async () => {
    const types = ALL_JOINT_TYPES.filter((type) => type !== 'helical');
    for (const seed of [11, 12, 13]) {
      const mechanism = randomMechanism(seed, { bodies: 5, base: 'floating', types });
      const { door, state, supports, qdd } = possible(mechanism, seed, 6);
      const found = constrainedInverse(door, state, qdd, { supports });
      const model = await MujocoModel.fromMechanism(mechanism);
      const theirs = model.forward(state, sum(found.tau, generalised(door, state, supports, found.supports)));
      model.delete();
      expect(relativeError(theirs, qdd), `seed ${seed}`).toBeLessThan(1e-9);
    }
  });
});

/** A table of 40 kg: a free body on four feet. */
const corner = (x: number, y: number): SupportPoint => ({ frame: { frame: 'table', at: [x, y, 0] }, friction: 0.5 });
const table = createMechanism({
  gravity: [0, 0, -10],
  bodies: [{ name: 'table', mass: 40, com: [0, 0, 0.5], inertia: [1, 0, 0, 0, 1, 0, 0, 0, 1] }],
  joints: [{ name: 'base', type: 'floating', parent: null, child: 'table' }],
});
const feet = [corner(-1, -1), corner(1, -1), corner(-1, 1), corner(1, 1)];

describe('a table', () => {
  const door = dynamics(table);
  const state = new State(table);

  it('stands on four feet by a quarter of its weight each', () => {
    const { supports } = constrainedInverse(door, state, undefined, { supports: feet });
    for (const { force } of supports) {
      expect(force[2]).toBeCloseTo(100, 7);
      expect(Math.hypot(force[0], force[1])).toBeLessThan(1e-6);
    }
  });

  it('a foot that fades hands its load to the others without a jump', () => {
    const load = (share: number): number[] =>
      constrainedInverse(door, state, undefined, { supports: [{ ...feet[0], share }, ...feet.slice(1)] }).supports.map(
        ({ force }) => force[2],
      );
    let before = load(1);
    for (let part = 0.95; part > 0; part -= 0.05) {
      const now = load(part);
      now.forEach((value, s) => {
        expect(Math.abs(value - before[s])).toBeLessThan(25);
      });
      expect(now[0]).toBeLessThan(before[0] + 1e-6);
      before = now;
    }
    expect(load(1e-3)[0]).toBeLessThan(1e-2);
    const gone = load(0);
    expect(gone[0]).toBe(0);
    load(1e-3).forEach((value, s) => {
      expect(Math.abs(value - gone[s])).toBeLessThan(0.05);
    });
  });

  it('says what is missing beyond the edge, and what comes nearest', () => {
    const two = feet.slice(0, 2);
    expect(() => constrainedInverse(door, state, undefined, { supports: two })).toThrow(
      /joint "base", without a motor, would need .* ask for the nearest/,
    );
    const { missing, supports } = constrainedInverse(door, state, undefined, { supports: two, nearest: true });
    const bias = door.inverse(state);
    const carried = generalised(door, state, two, supports);
    bias.forEach((value, k) => {
      expect(Math.abs(value - carried[k] - missing[k])).toBeLessThan(1e-9 * 400);
    });
    // The least squares of force and moment missing, by a search over equal pushes of both feet.
    const least = (push: number): number => (400 - 2 * push) ** 2 + (2 * push) ** 2;
    const best = Array.from({ length: 4001 }, (_, k) => least(k / 10)).reduce((a, b) => Math.min(a, b));
    expect(squares(missing)).toBeLessThan(best * (1 + 1e-5));
  });

  it('slides where friction cannot hold it', () => {
    const qdd = Float64Array.of(0, 0, 0, 4.9, 0, 0);
    const low = feet.map((foot) => ({ ...foot, friction: 0.489 }));
    expect(() => constrainedInverse(door, state, qdd, { supports: low })).toThrow(/cannot produce/);
    const { supports } = constrainedInverse(door, state, qdd, { supports: feet });
    expectCones(feet, supports, 400);
    expect(supports.reduce((total, { force }) => total + force[0], 0)).toBeCloseTo(40 * 4.9, 8);
  });

  it('names, shares and sizes are checked', () => {
    const door = dynamics(table);
    const given = (support: Partial<SupportPoint>) => () =>
      constrainedInverse(door, state, undefined, { supports: [{ ...feet[0], ...support }] });
    expect(given({ frame: 'tabel' })).toThrow(/table/);
    expect(given({ share: 2 })).toThrow(/between 0 and 1/);
    expect(given({ friction: -1 })).toThrow(/friction/);
    expect(given({ normal: [0, 0, 0] })).toThrow(/normal/);
    expect(() => constrainedInverse(door, state, new Float64Array(5))).toThrow(/Expected 6 numbers/);
    expect(() => constrainedInverse(door, state, undefined, { actuated: ['bse'] })).toThrow(/base/);
    expect(() => constrainedInverse(door, state, undefined, { external: new Float64Array(5) })).toThrow(/Expected 6/);
    expect(given({ kind: 'grap' as never })).toThrow(/'contact' and 'grip', not "grap"/);
    expect(given({ normal: [0, Number.POSITIVE_INFINITY, 1] })).toThrow(/three finite numbers/);
    expect(given({ frame: { frame: 'table', at: [0, Number.NaN, 0] } })).toThrow(/three finite numbers/);
    const numbers = (value: number): Float64Array => new Float64Array(6).fill(value);
    const none = numbers(Number.NaN);
    expect(() => constrainedInverse(door, state, none, { supports: feet })).toThrow(/qdd: Expected finite numbers/);
    for (const [options, message] of [
      [{ external: none }, /external: Expected finite numbers/],
      [{ weights: none }, /weights: Expected finite numbers/],
      [{ weights: numbers(-1) }, /Weights are not negative/],
      [{ limits: none }, /Limits are not negative/],
      [{ least: 'norm' as never }, /'effort' and 'forces', not "norm"/],
    ] as const)
      expect(() => constrainedInverse(door, state, undefined, { supports: feet, ...options })).toThrow(message);
  });

  it('a support with next to no share carries next to nothing, however little it is', () => {
    for (const least of ['effort', 'forces'] as const)
      for (const share of [1e-3, 1e-6, 1e-100, 5e-324]) {
        const supports = [{ ...feet[0], share }, ...feet.slice(1)];
        const forces = constrainedInverse(door, state, undefined, { supports, least }).supports;
        // Two across carry half of it each, and the third one nothing.
        [0, 200, 200, 0].forEach((load, s) => {
          expect(Math.abs(forces[s].force[2] - load), `${least} ${share} ${s}`).toBeLessThan(0.01);
        });
      }
  });
});

it('a figure on both feet: forces from outside, limits of motors held', () => {
  const human = builtinMechanism('human-34');
  const door = dynamics(human);
  const state = new State(human);
  for (const { iq, model } of human.joints) if (model.nq === 1) state.q[iq] = 0.1 * Math.sin(iq);
  const names = human.bodies.map(({ name }) => name).filter((name) => name.endsWith('_foot'));
  const supports = names.flatMap((frame) =>
    [-0.08, 0.16].flatMap((x) => [-0.06, 0.06].map((y): SupportPoint => ({ frame: { frame, at: [x, y, 0] } }))),
  );
  const external = new Float64Array(6 * human.bodies.length);
  external[5] = -100;
  const free = constrainedInverse(door, state, undefined, { supports, external, nearest: true });
  const bias = door.inverse(state, undefined, { external });
  const carried = sum(free.tau, free.missing, generalised(door, state, supports, free.supports));
  expect(relativeError(carried, bias)).toBeLessThan(1e-10);
  // The hardest working joint of the left leg may do less; what else the legs can do suffices.
  const J = door.jacobian(state, names[0]);
  const leg = Array.from(free.tau, (value, k) =>
    [0, 1, 2, 3, 4, 5].some((c) => J[c * human.nv + k] !== 0) ? value : 0,
  );
  const most = Math.max(...leg.map(Math.abs));
  const limits = new Float64Array(human.nv).fill(Number.POSITIVE_INFINITY);
  const at = leg.findIndex((value) => Math.abs(value) === most);
  limits[at] = 0.9 * most;
  const limited = constrainedInverse(door, state, undefined, { supports, external, limits, nearest: true });
  expect(Math.abs(limited.tau[at])).toBeLessThan(0.9 * most * (1 + 1e-8));
  expect(Math.abs(limited.tau[at])).toBeGreaterThan(0.8 * most);
  expect(() =>
    constrainedInverse(door, state, undefined, { supports, external, limits: limits.fill(0.01), nearest: true }),
  ).toThrow(/limits/);
});

it('closed loops: the forces of least norm of inverse dynamics, for all motors and for some', () => {
  for (const seed of [3, 5, 8]) {
    const mechanism = createMechanism(closedSpec(seed, 6, 1));
    const door = dynamics(mechanism);
    const state = new State(mechanism);
    const qdd = door.forward(state);
    const actuated = mechanism.joints.filter(({ model }) => model.nv > 0).map(({ name }) => name);
    const loopForces = new Float64Array(6);
    const expected = door.inverse(state, qdd, { actuated, loopForces });
    const found = constrainedInverse(door, state, qdd, { actuated });
    const size = 1 + Math.sqrt(squares(door.inverse(state, qdd)));
    expected.forEach((value, k) => {
      expect(Math.abs(value - found.tau[k]), `seed ${seed}`).toBeLessThan(1e-4 * size);
    });
    expect(found.loopForces.length).toBe(6);
  }
});

describe('the program itself', () => {
  it('conditions of the optimum on random programs: gradient, cones, no work between s and z', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const random = new Random(seed);
      const n = 1 + random.below(9);
      const linear = random.below(4);
      const rows = linear + 3 * (1 + random.below(4));
      const matrix = (r: number) => Float64Array.from({ length: r * n }, () => random.between(-1, 1));
      const [B, G] = [matrix(n), matrix(rows)];
      const P = new Float64Array(n * n);
      for (let i = 0; i < n; i++)
        for (let j = 0; j < n; j++) for (let k = 0; k < n; k++) P[i * n + j] += B[k * n + i] * B[k * n + j];
      for (let i = 0; i < n; i++) P[i * (n + 1)] += 1e-3;
      const c = Float64Array.from({ length: n }, () => random.between(-3, 3));
      // Something is allowed: s in the cone at a point of our choice.
      const h = Float64Array.from({ length: rows }, (_, r) => (r < linear || (r - linear) % 3 === 0 ? 1 : 0.3));
      const { status, x, s, z } = solveConeProgram({ n, P, c, G, h, linear });
      expect(status, `seed ${seed}`).toBe('solved');
      for (let i = 0; i < n; i++) {
        let gradient = c[i];
        for (let j = 0; j < n; j++) gradient += P[i * n + j] * x[j];
        for (let r = 0; r < rows; r++) gradient += G[r * n + i] * z[r];
        expect(Math.abs(gradient), `seed ${seed}`).toBeLessThan(1e-9);
      }
      let work = 0;
      for (let r = 0; r < rows; r++) {
        let slack = h[r];
        for (let i = 0; i < n; i++) slack -= G[r * n + i] * x[i];
        expect(Math.abs(slack - s[r])).toBeLessThan(1e-9);
        work += s[r] * z[r];
      }
      expect(work).toBeLessThan(1e-8);
      for (const v of [s, z]) {
        for (let r = 0; r < linear; r++) expect(v[r]).toBeGreaterThanOrEqual(0);
        for (let o = linear; o < rows; o += 3) expect(v[o] - Math.hypot(v[o + 1], v[o + 2])).toBeGreaterThan(-1e-12);
      }
    }
  });

  it('brute force: the nearest point of a cone, over a grid', () => {
    const given = [0.2, 1.5, -0.4];
    const I = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
    const c = Float64Array.from(given, (value) => -value);
    const { x } = solveConeProgram({ n: 3, P: I, c, G: I.map((value) => -value), h: new Float64Array(3), linear: 0 });
    let best = Number.POSITIVE_INFINITY;
    const distance = (a: number, b: number, d: number): number => Math.hypot(a - given[0], b - given[1], d - given[2]);
    for (let r = 0; r <= 2; r += 0.01)
      for (let angle = 0; angle < 6.29; angle += 0.01)
        best = Math.min(best, distance(r, r * Math.cos(angle), r * Math.sin(angle)));
    const found = distance(x[0], x[1], x[2]);
    expect(found).toBeLessThan(best + 1e-12);
    expect(found).toBeGreaterThan(best - 1e-3);
  });

  it('nothing allowed is said so', () => {
    const G = Float64Array.of(1, -1);
    const { status } = solveConeProgram({
      n: 1,
      P: Float64Array.of(1),
      c: Float64Array.of(0),
      G,
      h: Float64Array.of(-1, -1),
      linear: 2,
    });
    expect(status).toBe('infeasible');
  });
});
