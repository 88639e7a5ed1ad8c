// The front door: every function on every engine against the plain one, fallback and report, checks, names.

import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Dynamics, dynamics, ENGINE_CHOICES } from '../../src/dynamics/dynamics.js';
import { FUNCTION_NAMES } from '../../src/engines/engine.js';
import { createMechanism } from '../../src/mechanism/create.js';
import { MechanismError } from '../../src/mechanism/errors.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { reroot } from '../../src/mechanism/reroot.js';
import { State } from '../../src/mechanism/state.js';
import { builtinMechanism } from '../../src/models/index.js';
import { randomSpec, randomVector, relativeError } from '../support/random-mechanism.js';

const human = builtinMechanism('human-34');
const OTHERS = ENGINE_CHOICES.filter((engine) => engine !== 'plain');

afterEach(() => {
  vi.unstubAllGlobals();
});

/** All joint types, with frames, damping and armature. */
function mechanismOf(seed: number): Mechanism {
  const spec = randomSpec(seed, { forest: true, armature: true, shuffled: true });
  const joints = spec.joints.map((joint, i) => (i % 2 === 0 ? { ...joint, damping: 0.3 } : joint));
  const frames = [{ name: 'tool', body: spec.bodies.at(-1)!.name, t: [0.1, 0.2, 0.3] as const }];
  return createMechanism({ ...spec, joints, frames });
}

/** Every function that has numbers, as one list of arrays. */
function everything(model: Dynamics, state: State): Map<string, ArrayLike<number>> {
  const { mechanism } = model;
  const { nv, bodies, loops, couplings } = mechanism;
  const tau = randomVector(7, nv);
  const external = randomVector(8, 6 * bodies.length);
  const armature = Float64Array.from(model.tree.armature);
  for (const { iv, damping, model: type } of mechanism.joints)
    if (damping > 0) for (let k = iv; k < iv + type.nv; k++) armature[k] += 0.01;
  const jointForces = new Float64Array(6 * bodies.length);
  const results = new Map<string, ArrayLike<number>>();
  results.set('forward', model.forward(state, tau));
  results.set('forward of no forces', model.forward(state));
  results.set('passive', model.forward(state, tau, { passive: true }));
  results.set('external', model.forward(state, tau, { external }));
  results.set('jointForces', jointForces);
  results.set('forward with jointForces', model.forward(state, tau, { jointForces }));
  results.set('armature', model.forward(state, tau, { armature }));
  if (loops.length === 0) {
    results.set('inverse', model.inverse(state, tau));
    results.set('inverse with external', model.inverse(state, tau, { external }));
  }
  const rows = nv - couplings.length;
  results.set('massMatrix', model.massMatrix(state).H);
  results.set('inverseMassMatrix', model.inverseMassMatrix(state).Hinv);
  results.set('solve', model.solve(state, randomVector(9, rows)));
  results.set('poses', model.poses(state));
  results.set('velocities', model.velocities(state));
  const both = { out: new Float64Array(6 * bodies.length), poses: new Float64Array(12 * bodies.length) };
  results.set('velocities with poses', model.velocities(state, both));
  results.set('poses with velocities', both.poses);
  for (const [b, { name }] of bodies.entries()) {
    const { E, t } = model.pose(state, name);
    expect(relativeError([...E, ...t], model.poses(state).subarray(12 * b, 12 * b + 12))).toBe(0);
    // Each takes code of its own.
    if (b !== 0 && b !== bodies.length - 1) continue;
    results.set(`jacobian ${name}`, model.jacobian(state, name));
    results.set(`jacobian ${name}, world`, model.jacobian(state, name, { in: 'aligned' }));
  }
  results.set('jacobians', model.jacobians(state));
  results.set('centroidal', model.centroidal(state));
  const { kinetic, potential, com, momentum } = model.energy(state);
  results.set('energy', [kinetic, potential, ...com, ...momentum.angular, ...momentum.linear]);
  return results;
}

function agree(mechanism: Mechanism, state: State, tolerance = 1e-9): void {
  const expected = everything(dynamics(mechanism, { engine: 'plain' }), state);
  for (const engine of OTHERS) {
    const model = dynamics(mechanism, { engine });
    for (const [name, numbers] of everything(model, state))
      expect(relativeError(numbers, expected.get(name)!), `${engine}: ${name}`).toBeLessThan(tolerance);
    model.dispose();
    // Still there, on the plain engine.
    expect(model.forward(state, randomVector(7, mechanism.nv))).toEqual(expected.get('forward'));
  }
}

describe('every engine gives what the plain one gives', () => {
  it('all joint types', () => {
    fc.assert(
      fc.property(fc.nat(1e6), (seed) => {
        const mechanism = mechanismOf(seed);
        agree(mechanism, State.random(mechanism, seed));
      }),
      { numRuns: 10 },
    );
  }, 300_000);

  it('couplings', () => {
    const spec = randomSpec(4, { bodies: 8, types: ['revolute', 'prismatic', 'helical'] });
    const couplings = [{ joint: 'j5', source: 'j1', multiplier: -1.5, offset: 0.2 }];
    const mechanism = createMechanism({ ...spec, couplings });
    agree(mechanism, State.random(mechanism, 1));
  });

  it('a closed loop', () => {
    const spec = randomSpec(5, { bodies: 7, types: ['spherical', 'revolute'] });
    const loops = [{ name: 'loop', type: 'spherical' as const, a: { body: 'b3' }, b: { body: 'b6' } }];
    const open = createMechanism(spec);
    const state = State.random(open, 2);
    state.v.fill(0);
    // The loop is closed where the two bodies are now: a frame on b6 at the origin of b3.
    const model = dynamics(open, { engine: 'plain' });
    const [a, b] = [model.pose(state, 'b3'), model.pose(state, 'b6')];
    const d = a.t.map((x, k) => x - b.t[k]);
    const t = [0, 1, 2].map((row) => b.E[3 * row] * d[0] + b.E[3 * row + 1] * d[1] + b.E[3 * row + 2] * d[2]);
    const [{ a: at }] = loops;
    const closed = createMechanism({
      ...spec,
      loops: [{ ...loops[0], a: at, b: { body: 'b6', t: [t[0], t[1], t[2]] } }],
    });
    agree(closed, new State(closed).copy(state), 1e-8);
  });

  it('a re-rooted mechanism', () => {
    const { mechanism, state } = reroot(human, State.random(human, 3), {
      top: 'left_hand',
      at: [0, 0, 1],
      joint: { type: 'floating' },
    });
    agree(mechanism, state);
  });

  it('another root of the computation', () => {
    const state = State.random(human, 3);
    const expected = dynamics(human, { engine: 'plain' }).forward(state);
    for (const engine of ENGINE_CHOICES) {
      const model = dynamics(human, { engine, root: 'left_hand' });
      expect(relativeError(model.forward(state), expected)).toBeLessThan(1e-10);
      model.dispose();
    }
  });
});

describe('bits', () => {
  it.each(['human-34', 'chain-100'])('are those of the first call, before and after ready: %s', async (name) => {
    const mechanism = builtinMechanism(name);
    const state = State.random(mechanism, 1);
    const model = dynamics(mechanism);
    const early = dynamics(mechanism);
    const first = [early.forward(state), early.inverse(state), early.massMatrix(state).H];
    const promise = model.ready('forward', 'inverse');
    // While the code is being made elsewhere.
    expect(model.forward(state)).toEqual(first[0]);
    await promise;
    await model.ready('massMatrix');
    for (let k = 0; k < 3; k++)
      expect([model.forward(state), model.inverse(state), model.massMatrix(state).H]).toEqual(first);
    const { engine } = model.report().functions.find((one) => one.name === 'forward')!;
    expect(engine).toBe(name === 'human-34' ? 'compiled' : 'wasm');
  });

  it('do not depend on the number of threads where that is asked for', async () => {
    const mechanism = builtinMechanism('human-161');
    const state = State.random(mechanism, 1);
    const results: Float64Array[] = [];
    for (const threads of [1, 2, 3]) {
      const model = dynamics(mechanism, { threads, deterministic: true });
      results.push(model.forward(state));
      await model.ready();
      results.push(model.forward(state));
      model.dispose();
    }
    for (const result of results) expect(result).toEqual(results[0]);
  });
});

describe('report', () => {
  it('names every function and the engine that runs it', () => {
    for (const engine of ENGINE_CHOICES) {
      const model = dynamics(human, { engine });
      const report = model.report();
      expect(report.engine).toBe(engine);
      expect(report.functions.map(({ name }) => name)).toEqual([...FUNCTION_NAMES]);
      for (const { engine: used, reason } of report.functions)
        if (engine !== 'plain' && used === 'plain') expect(reason).toMatch(/\.$/);
      model.dispose();
    }
    const engines = Object.fromEntries(
      dynamics(human, { engine: 'wasm' })
        .report()
        .functions.map(({ name, engine }) => [name, engine]),
    );
    expect(engines).toMatchObject({ forward: 'wasm', 'forward with external': 'wasm', massMatrix: 'wasm' });
  });

  it('says why the plain engine runs', () => {
    const why = (mechanism: Mechanism, options = {}) =>
      dynamics(mechanism, options)
        .report()
        .functions.find(({ name }) => name === 'forward');
    expect(why(human, { root: 'left_hand' })).toMatchObject({
      engine: 'plain',
      reason: expect.stringContaining('root'),
    });
    expect(why(human, { engine: 'plain' })).toEqual({ name: 'forward', engine: 'plain' });
    vi.stubGlobal('WebAssembly', undefined);
    expect(why(human)).toMatchObject({ engine: 'plain', reason: expect.stringContaining('WebAssembly') });
    expect(dynamics(human).report().text).toContain('forward: plain (WebAssembly cannot be used here');
  });

  it('goes with what can be computed without WebAssembly', () => {
    vi.stubGlobal('WebAssembly', undefined);
    const state = State.random(human, 1);
    const expected = dynamics(human, { engine: 'plain' }).forward(state);
    for (const engine of ENGINE_CHOICES) expect(dynamics(human, { engine }).forward(state)).toEqual(expected);
  });
});

describe('checks at the door', () => {
  const model = dynamics(human);
  const state = new State(human);
  const three = new Float64Array(3);

  it('sizes', () => {
    const calls: [string, () => unknown][] = [
      ['tau', () => model.forward(state, three)],
      ['out', () => model.forward(state, undefined, { out: three })],
      ['external', () => model.forward(state, undefined, { external: three })],
      ['jointForces', () => model.forward(state, undefined, { jointForces: three })],
      ['loopForces', () => model.forward(state, undefined, { loopForces: three })],
      ['armature', () => model.forward(state, undefined, { armature: three })],
      ['qdd', () => model.inverse(state, three)],
      ['out', () => model.inverse(state, undefined, { out: three })],
      ['out', () => model.massMatrix(state, { out: three })],
      ['out', () => model.inverseMassMatrix(state, { out: three })],
      ['b', () => model.solve(state, three)],
      ['out', () => model.solve(state, new Float64Array(human.nv), { out: three })],
      ['out', () => model.poses(state, { out: three })],
      ['out', () => model.velocities(state, { out: three })],
      ['poses', () => model.velocities(state, { poses: three })],
      ['out', () => model.jacobian(state, 'left_hand', { out: three })],
      ['out', () => model.jacobians(state, { out: three })],
    ];
    for (const [where, call] of calls) {
      expect(call).toThrow(MechanismError);
      expect(call).toThrow(`${where}: Expected`);
    }
  });

  it('states of another mechanism', () => {
    const foreign = new State(builtinMechanism('chain-3'));
    for (const call of [
      () => model.forward(foreign),
      () => model.inverse(foreign),
      () => model.massMatrix(foreign),
      () => model.inverseMassMatrix(foreign),
      () => model.solve(foreign, new Float64Array(human.nv)),
      () => model.poses(foreign),
      () => model.velocities(foreign),
      () => model.pose(foreign, 'left_hand'),
      () => model.velocity(foreign, 'left_hand'),
      () => model.jacobian(foreign, 'left_hand'),
      () => model.jacobians(foreign),
      () => model.energy(foreign),
    ])
      expect(call).toThrow('The state belongs to "chain-3", not to "human-34".');
  });

  it('options', () => {
    expect(() => dynamics(human, { engine: 'fast' as 'plain' })).toThrow('take auto, plain, wasm, compiled, threads');
    expect(() => dynamics(human, { engine: 'wasm', threads: 2 })).toThrow('runs on one thread');
    expect(() => dynamics(human, { threads: 0 })).toThrow('whole number');
    expect(() => dynamics(human, { root: 'left_hnd' })).toThrow('Did you mean "left_hand"');
  });

  it('names, with near ones', () => {
    expect(() => model.pose(state, 'left_hnad')).toThrow(
      'There is no body or frame "left_hnad". Did you mean "left_hand"',
    );
    expect(() => human.joint('left_nkee')).toThrow('Did you mean "left_knee"');
    expect(() => human.body('nothing like it')).toThrow('There are: ');
  });
});

describe('names', () => {
  it('a joint knows its places', () => {
    const { index, q, v } = human.joint('left_knee');
    const state = new State(human).set('left_knee', 0.3, 0.7);
    expect([state.q[q[0]], q[1] - q[0], state.v[v[0]], v[1] - v[0]]).toEqual([0.3, 1, 0.7, 1]);
    expect(human.joints[index].name).toBe('left_knee');
    expect(state.get('left_knee').q).toEqual(Float64Array.of(0.3));
    state.get('left_knee').v[0] = 2;
    expect(state.v[v[0]]).toBe(2);
  });

  it('frames move with their bodies', () => {
    fc.assert(
      fc.property(fc.nat(1e6), (seed) => {
        const mechanism = mechanismOf(seed);
        const state = State.random(mechanism, seed);
        const model = dynamics(mechanism, { engine: 'plain' });
        const { E, t } = model.pose(state, 'tool');
        const own = model.velocity(state, 'tool');
        const world = model.velocity(state, 'tool', { in: 'aligned' });
        const J = model.jacobian(state, 'tool');
        const W = model.jacobian(state, 'tool', { in: 'aligned' });
        const times = (M: Float64Array) =>
          [0, 1, 2, 3, 4, 5].map((row) => state.v.reduce((sum, x, k) => sum + M[row * mechanism.nv + k] * x, 0));
        expect(relativeError(times(J), [...own.angular, ...own.linear])).toBeLessThan(1e-10);
        expect(relativeError(times(W), [...world.angular, ...world.linear])).toBeLessThan(1e-10);
        // The origin moves as its velocity says.
        const h = 1e-6;
        const [after, before] = [state.clone(), state.clone()];
        for (const { model: type, iq, iv } of mechanism.joints) {
          type.integrate(after.q, iq, state.v, iv, h);
          type.integrate(before.q, iq, state.v, iv, -h);
        }
        const [ta, tb] = [model.pose(after, 'tool').t, model.pose(before, 'tool').t];
        const moved = ta.map((x, k) => (x - tb[k]) / (2 * h));
        expect(relativeError(moved, world.linear)).toBeLessThan(1e-7);
        // E takes ground to frame coordinates.
        const turned = [0, 1, 2].map((row) => world.linear.reduce((sum, x, k) => sum + E[3 * row + k] * x, 0));
        expect(relativeError(turned, own.linear)).toBeLessThan(1e-12);
        expect(t.every(Number.isFinite)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});
