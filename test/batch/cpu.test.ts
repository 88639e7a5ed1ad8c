// Batches on the CPU against single states, by every joint type, number of threads and size of chunks.

import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { type Batch, batch, held, pd, sequence, spline, type Torque } from '../../src/batch/index.js';
import { connect } from '../../src/dynamics/connect.js';
import { dynamics } from '../../src/dynamics/dynamics.js';
import { LoopClosing } from '../../src/engines/plain/assembly/closing.js';
import { addPassiveForces, addPassiveSlope } from '../../src/engines/plain/passive.js';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { CpuBatch } from '../../src/engines/threads/cpu-batch.js';
import { endThreads } from '../../src/engines/threads/index.js';
import { applyTorque, checkedTorque } from '../../src/engines/torque.js';
import { fusedIsExact } from '../../src/engines/wasm/relaxed-simd.js';
import { webAssembly } from '../../src/engines/wasm/webassembly.js';
import { createMechanism } from '../../src/mechanism/create.js';
import { MechanismError } from '../../src/mechanism/errors.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { reroot } from '../../src/mechanism/reroot.js';
import { State } from '../../src/mechanism/state.js';
import { builtinMechanism } from '../../src/models/index.js';
import { randomMechanism, randomSpec, randomVector, relativeError } from '../support/random-mechanism.js';
import { LONG } from '../support/runs.js';

afterAll(() => endThreads());
afterEach(() => vi.unstubAllGlobals());

const human = builtinMechanism('human-34');
const SEEDS = Array.from({ length: LONG ? 12 : 5 }, (_, k) => k + 1);

/** Random states and forces in all rows. */
function fill(many: Batch, given: 'tau' | 'qdd' = 'tau'): void {
  const { mechanism, states } = many;
  for (let s = 0; s < states; s++) {
    many.setState(s, State.random(mechanism, s + 1));
    many.write(given, randomVector(s, mechanism.nv), s);
  }
}

const row = (many: Batch, name: 'q' | 'v' | 'tau' | 'qdd', s: number): Float64Array => {
  const n = name === 'q' ? many.mechanism.nq : many.mechanism.nv;
  return many.read(name, new Float64Array(n), s);
};

/** Steps of a rollout by the readable algorithms, one state. */
function simulate(state: State, s: number, tau: Float64Array, h: number, steps: number, torque: Torque): State {
  const { mechanism } = state;
  const dynamics = new PlainDynamics(mechanism);
  const closing = mechanism.loops.length > 0 ? new LoopClosing(dynamics.tree) : undefined;
  const { nq, nv } = mechanism;
  const hold = (): void => {
    state.applyCouplings();
    closing?.close(state);
    closing?.hold(state);
  };
  hold();
  for (let n = 0; n < steps; n++) {
    const [q, v, given] = [
      new Float64Array((s + 1) * nq),
      new Float64Array((s + 1) * nv),
      new Float64Array((s + 1) * nv),
    ];
    q.set(state.q, s * nq);
    v.set(state.v, s * nv);
    given.set(tau, s * nv);
    const forces = new Float64Array(nv);
    applyTorque(forces, 0, torque, { q, v, held: given }, mechanism, s, 1, n, { steps, step: h });
    addPassiveForces(mechanism, forces, state.q, state.v);
    const armature = dynamics.tree.armature.slice();
    addPassiveSlope(mechanism, armature, state.v, h);
    const a = dynamics.forward(state, forces, { armature });
    for (let k = 0; k < nv; k++) state.v[k] += h * a[k];
    for (const { model, iq, iv } of mechanism.joints) model.integrate(state.q, iq, state.v, iv, h);
    hold();
  }
  return state;
}

/** A random mechanism of all joint types whose joints have springs, damping, friction and armature. */
function passive(seed: number): Mechanism {
  const spec = randomSpec(seed, { armature: true, forest: true });
  return createMechanism({
    ...spec,
    joints: spec.joints.map((joint, i) => ({
      ...joint,
      ...(i % 2 === 0 && { damping: 0.1 * i }),
      ...(i % 3 === 0 && { friction: 0.02 }),
      ...(['revolute', 'prismatic'].includes(joint.type) && { stiffness: 3, rest: 0.1 }),
    })),
  });
}

describe('a batch on the CPU', () => {
  it.each(SEEDS)('is what single states give, random mechanism %i', async (seed) => {
    const mechanism = randomMechanism(seed, { armature: true, forest: true, shuffled: seed % 2 === 0 });
    const readable = new PlainDynamics(mechanism);
    for (const threads of [1, 2]) {
      const many = await batch(mechanism, { states: 7, threads });
      for (const task of ['forward', 'inverse'] as const) {
        const [given, result] = task === 'forward' ? (['tau', 'qdd'] as const) : (['qdd', 'tau'] as const);
        fill(many, given);
        await many[task]();
        for (let s = 0; s < 7; s++) {
          const expected = readable[task](State.random(mechanism, s + 1), randomVector(s, mechanism.nv));
          expect(relativeError(row(many, result, s), expected), `seed ${seed}, ${task}, state ${s}`).toBeLessThan(1e-9);
        }
      }
      many.dispose();
    }
  });

  it.each(SEEDS)('rolls out as single states do, random mechanism %i', async (seed) => {
    const mechanism = passive(seed);
    const { nq, nv } = mechanism;
    if (nv === 0) return;
    const [states, steps, step] = [5, 20, 1e-4];
    const laws: Torque[] = [
      held(),
      sequence(randomVector(1, states * steps * nv)),
      spline(3e-4, 4, randomVector(2, states * 4 * nv)),
      pd({ stiffness: 2, damping: randomVector(3, nv).map(Math.abs) }, new State(mechanism).q),
    ];
    const many = await batch(mechanism, { states, threads: 1 });
    for (const [i, torque] of laws.entries()) {
      fill(many);
      await many.rollout({ steps, step, torque });
      expect(many.notFinite()).toEqual([]);
      const checked = checkedTorque(torque, mechanism, states, steps);
      for (let s = 0; s < states; s++) {
        const expected = simulate(State.random(mechanism, s + 1), s, randomVector(s, nv), step, steps, checked);
        expect(relativeError(row(many, 'v', s), expected.v), `seed ${seed}, law ${i}`).toBeLessThan(1e-8);
        expect(relativeError(row(many, 'q', s), expected.q), `seed ${seed}, law ${i}`).toBeLessThan(1e-9);
        expect(row(many, 'tau', s)).toEqual(randomVector(s, nv));
      }
    }
    expect(nq).toBeGreaterThan(0);
    many.dispose();
  });

  it('takes targets for each state', async () => {
    const many = await batch(human, { states: 3, threads: 1 });
    const targets = Float64Array.from([1, 2, 3].flatMap((seed) => [...State.random(human, seed).q]));
    for (const [s, seed] of [4, 5, 6].entries()) many.setState(s, State.random(human, seed));
    await many.rollout({ steps: 3, step: 1e-3, torque: pd({ stiffness: 10, damping: 1 }, targets) });
    for (const [s, seed] of [4, 5, 6].entries()) {
      const one = await batch(human, { states: 1, threads: 1 });
      one.setState(0, State.random(human, seed));
      await one.rollout({
        steps: 3,
        step: 1e-3,
        torque: pd({ stiffness: 10, damping: 1 }, targets.subarray(s * human.nq, (s + 1) * human.nq)),
      });
      expect(row(one, 'q', 0)).toEqual(row(many, 'q', s));
      one.dispose();
    }
    many.dispose();
  });

  it('gives the same bits for any number of threads and states, and for any size of chunks', async () => {
    const states = 777;
    const results: Float64Array[] = [];
    for (const [threads, chunk] of [
      [1, 64],
      [2, 64],
      [4, 16],
      [3, 250],
    ]) {
      const many = await CpuBatch.create(human, states, { threads, chunk });
      for (let s = 0; s < states; s++) {
        const state = State.random(human, s);
        many.arrays.q.set(state.q, s * human.nq);
        many.arrays.v.set(state.v, s * human.nv);
      }
      await many.forward(states);
      await many.rollout(3, 1e-3, pdOf());
      results.push(Float64Array.from([...many.arrays.qdd, ...many.arrays.q, ...many.arrays.v]));
      many.dispose();
    }
    for (const other of results.slice(1)) expect(other).toEqual(results[0]);
    const single = await batch(human, { states: 1, threads: 1 });
    single.setState(0, State.random(human, 500));
    await single.forward();
    expect(row(single, 'qdd', 0)).toEqual(results[0].slice(500 * human.nv, 501 * human.nv));
    single.dispose();

    function pdOf(): Torque {
      return checkedTorque(pd({ stiffness: 5, damping: 1 }, new State(human).q), human, states, 3);
    }
  });

  it('damps implicitly: a light hinge with strong damping comes to rest', async () => {
    const hinge = createMechanism({
      gravity: [0, 0, 0],
      bodies: [{ name: 'a', mass: 0.1, com: [0, 0, 0.05], inertia: [1e-4, 0, 0, 0, 1e-4, 0, 0, 0, 1e-4] }],
      joints: [{ name: 'j', type: 'revolute', parent: null, child: 'a', axis: [0, 1, 0], damping: 5 }],
    });
    for (const threads of [1, 2]) {
      const many = await batch(hinge, { states: 100, threads });
      many.write('v', new Float64Array(100).fill(1));
      await many.rollout({ steps: 1000, step: 1e-3 });
      expect(many.notFinite()).toEqual([]);
      for (const v of many.read('v')) expect(Math.abs(v)).toBeLessThan(1e-3);
      many.dispose();
    }
  });

  it.each(['floating', 'spherical', 'fixed'] as const)(
    're-rooted mechanisms keep their coordinates, %s base',
    async (joint) => {
      const start = State.random(human, 3);
      const options = { top: 'left_foot', at: [0.1, 0.2, 0.3], joint, pose: 'tree', velocity: 'drop' } as const;
      const { mechanism, state } = reroot(human, start, options);
      const tau = randomVector(1, mechanism.nv);
      const expected = new PlainDynamics(mechanism).forward(state, tau);
      for (const threads of [1, 2]) {
        const many = await batch(mechanism, { states: 3000, threads });
        for (let s = 0; s < 3000; s++) {
          many.setState(s, state);
          many.write('tau', tau, s);
        }
        await many.forward();
        for (const s of [0, 1500, 2999]) expect(relativeError(row(many, 'qdd', s), expected)).toBeLessThan(1e-10);
        many.dispose();
      }
    },
  );

  it('mechanisms that were accepted with a warning are accepted', async () => {
    const mechanism = createMechanism(
      {
        bodies: [{ name: 'a', mass: 1, inertia: [1, 0, 0, 0, 1, 0, 0, 0, 5] }],
        joints: [{ name: 'j', type: 'revolute', parent: null, child: 'a' }],
      },
      { inertia: 'warn' },
    );
    const many = await batch(mechanism, { states: 100_000, threads: 2 });
    many.write('tau', new Float64Array(100_000).fill(1));
    await many.forward();
    expect(many.read('qdd')[99_999]).toBeCloseTo(
      new PlainDynamics(mechanism).forward(new State(mechanism), Float64Array.of(1))[0],
    );
    many.dispose();
  });

  it('loops and couplings are computed one state after the other on all threads, and the report says so', async () => {
    const arm = createMechanism({
      bodies: ['a', 'b', 'c'].map((name) => ({
        name,
        mass: 1,
        com: [0.2, 0, 0] as const,
        inertia: [0.01, 0, 0, 0, 0.02, 0, 0, 0, 0.02] as const,
      })),
      joints: ['a', 'b', 'c'].map((name, i) => ({
        name: `j${name}`,
        type: 'revolute' as const,
        parent: i === 0 ? null : 'abc'[i - 1],
        child: name,
        axis: [0, 1, 0] as const,
        t: [i === 0 ? 0 : 0.4, 0, 0] as const,
        damping: 0.1,
      })),
      couplings: [{ joint: 'jc', source: 'jb', multiplier: 0.5 }],
    });
    const told: string[] = [];
    const open = builtinMechanism('chain-4');
    const grip = { name: 'grip', a: open.bodies[3].name, b: null, joint: { type: 'spherical' } } as const;
    const closed = connect(open, new State(open), { ...grip, at: [0.1, 0, 0] }).mechanism;
    for (const mechanism of [arm, closed]) {
      const many = await batch(mechanism, { states: 9, threads: 2, onFallback: (reason) => told.push(reason) });
      const state = new State(mechanism);
      const tau = randomVector(4, mechanism.nv);
      for (let s = 0; s < 9; s++) many.write('tau', tau, s);
      await many.forward();
      const alone = dynamics(mechanism, { engine: 'compiled' });
      expect(row(many, 'qdd', 8)).toEqual(alone.forward(state, tau));
      await many.rollout({ steps: 5, step: 1e-3 });
      const expected = simulate(new State(mechanism), 0, tau, 1e-3, 5, held());
      expect(relativeError(row(many, 'q', 8), expected.q)).toBeLessThan(1e-12);
      const inverse = mechanism === arm ? 'compiled' : 'plain';
      expect(many.report().functions.map(({ engine }) => engine)).toEqual([
        'compiled',
        inverse,
        'compiled',
        inverse,
        inverse,
      ]);
      expect(many.report().text).toMatch(/loops|coupled/);
      many.dispose();
    }
    expect(told.length).toBe(2);
  });

  it('angles of any size are right, in rollouts too', async () => {
    const many = await batch(human, { states: 90, threads: 1 });
    const states = Array.from({ length: 90 }, (_, s) => {
      const state = State.random(human, s + 1);
      if (s % 3 === 0) state.q[7 + (s % 28)] *= 10 ** (s / 5);
      many.setState(s, state);
      return state;
    });
    await many.forward();
    const readable = new PlainDynamics(human);
    for (const [s, state] of states.entries())
      expect(relativeError(row(many, 'qdd', s), readable.forward(state)), `state ${s}`).toBeLessThan(1e-9);
    await many.rollout({ steps: 3, step: 1e-4 });
    for (const [s, state] of states.entries()) {
      const expected = simulate(state, s, new Float64Array(human.nv), 1e-4, 3, held());
      expect(relativeError(row(many, 'v', s), expected.v), `state ${s}`).toBeLessThan(1e-8);
    }
    many.dispose();
  });

  it('states that have no numbers are named, and their neighbours are right', async () => {
    const many = await batch(human, { states: 10, threads: 1 });
    fill(many);
    await many.forward();
    const before = many.read('qdd');
    const bad = State.random(human, 4);
    bad.v[3] = Number.NaN;
    many.setState(3, bad);
    await many.forward();
    expect(many.notFinite()).toEqual([3]);
    for (const s of [2, 4]) expect(row(many, 'qdd', s)).toEqual(before.slice(s * human.nv, (s + 1) * human.nv));
    many.dispose();
  });

  it('rows can be written and read in place', async () => {
    const many = await batch(human, { states: 4, threads: 1 });
    await many.ready();
    const state = State.random(human, 9);
    many.arrays!.q.set(state.q, 2 * human.nq);
    many.arrays!.v.set(state.v, 2 * human.nv);
    expect(many.getState(2, new State(human)).q).toEqual(state.q);
    await many.forward();
    expect(many.arrays!.qdd.slice(2 * human.nv, 3 * human.nv)).toEqual(row(many, 'qdd', 2));
    const fork = many.fork();
    expect(fork.getState(2, new State(human)).q).toEqual(new State(human).q);
    fork.setState(1, state);
    await fork.forward();
    expect(row(fork, 'qdd', 1)).toEqual(row(many, 'qdd', 2));
    fork.dispose();
    await many.forward();
    many.dispose();
    await expect(many.forward()).rejects.toThrow(/disposed/);
  });

  it('stops when it is told to, and works again afterwards', async () => {
    for (const threads of [1, 2]) {
      const many = await batch(human, { states: 2000, threads });
      fill(many);
      const controller = new AbortController();
      const running = many.rollout({ steps: 1_000_000, step: 1e-6, signal: controller.signal });
      setTimeout(() => controller.abort(new Error('enough')), 50);
      await expect(running).rejects.toThrow('enough');
      await expect(many.forward({ signal: controller.signal })).rejects.toThrow('enough');
      fill(many);
      const told: number[] = [];
      await many.forward({ onProgress: (done) => told.push(done) });
      expect(told.at(-1)).toBe(2000);
      expect(many.notFinite()).toEqual([]);
      many.dispose();
    }
  });

  it('works again after its threads have ended', async () => {
    const many = await batch(human, { states: 3000, threads: 2 });
    fill(many);
    await many.forward();
    const before = many.read('qdd');
    endThreads();
    await many.forward();
    expect(many.read('qdd')).toEqual(before);
    many.dispose();
  });

  it('takes states from a stream only as fast as results are taken', async () => {
    const many = await batch(human, { states: 500, threads: 1 });
    const readable = new PlainDynamics(human);
    let taken = 0;
    function* source(): Generator<State> {
      for (; taken < 100_000; ) yield State.random(human, taken++);
    }
    let seen = 0;
    for await (const { state, qdd } of many.stream(source())) {
      if (seen % 250 === 0) expect(relativeError(qdd, readable.forward(state))).toBeLessThan(1e-10);
      if (++seen === 1500) break;
    }
    expect(seen).toBe(1500);
    expect(taken).toBeLessThan(3000);
    const rest: State[] = [];
    const some = [1, 2, 3].map((seed) => State.random(human, seed));
    for await (const { state } of many.stream(some)) rest.push(state);
    expect(rest).toEqual(some);
    many.dispose();
  });

  it('says what is wrong with its input', async () => {
    await expect(batch(human, { states: 0 })).rejects.toThrow(MechanismError);
    await expect(batch(human, { states: 1, threads: -1 })).rejects.toThrow(/whole number/);
    await expect(batch(human, { states: 1, device: 'tpu' as 'cpu' })).rejects.toThrow(/device|'auto'/);
    const many = await batch(human, { states: 2, threads: 1 });
    expect(() => many.write('q', new Float64Array(3))).toThrow(/numbers of q/);
    expect(() => many.write('v', new Float64Array(human.nv), 2)).toThrow(/numbers of v/);
    expect(() => many.setState(0, new State(builtinMechanism('chain-3')))).toThrow(/belongs to/);
    await expect(many.forward({ count: 3 })).rejects.toThrow(/at most 2/);
    await expect(many.rollout({ steps: 1, step: 0 })).rejects.toThrow(/positive step/);
    await expect(many.rollout({ steps: 0.5, step: 1 })).rejects.toThrow(/number of steps/);
    await expect(many.rollout({ steps: 1, step: 1, resume: true })).rejects.toThrow(/no rollout/);
    await expect(many.rollout({ steps: 2, step: 1, torque: sequence(new Float64Array(3)) })).rejects.toThrow(
      /136 numbers/,
    );
    many.dispose();
  });

  it.each([
    ['without WebAssembly', undefined],
    [
      'where code is forbidden',
      {
        Memory: webAssembly().Memory,
        Module: class {
          constructor() {
            throw new Error('blocked by Content Security Policy');
          }
        },
      },
    ],
  ])('%s readable algorithms compute it', async (_, stub) => {
    vi.stubGlobal('WebAssembly', stub);
    const told: string[] = [];
    const many = await batch(human, { states: 3, threads: 1, onFallback: (reason) => told.push(reason) });
    fill(many);
    await many.forward();
    const expected = new PlainDynamics(human).forward(State.random(human, 3), randomVector(2, human.nv));
    expect(row(many, 'qdd', 2)).toEqual(expected);
    expect(told).toEqual([expect.stringMatching(/no WebAssembly|blocked/)]);
    expect(many.report().functions[0]).toMatchObject({ engine: 'plain' });
    many.dispose();
  });

  it('leaves the states after the count alone, and begins with the neutral position', async () => {
    const many = await batch(human, { states: 6, threads: 1 });
    many.write('qdd', new Float64Array(6 * human.nv).fill(7));
    await many.forward({ count: 4 });
    for (const s of [4, 5]) expect(row(many, 'qdd', s)).toEqual(new Float64Array(human.nv).fill(7));
    const expected = new PlainDynamics(human).forward(new State(human));
    expect(relativeError(row(many, 'qdd', 3), expected)).toBeLessThan(1e-11);
    many.dispose();
  });

  it('fused arithmetic is close to the other where it is there', async () => {
    const many = await batch(human, { states: 2, threads: 1, fused: true });
    fill(many);
    await many.forward();
    const expected = new PlainDynamics(human).forward(State.random(human, 2), randomVector(1, human.nv));
    expect(relativeError(row(many, 'qdd', 1), expected)).toBeLessThan(1e-11);
    expect(many.report().text.includes('fused')).toBe(fusedIsExact());
    many.dispose();
  });

  it('auto is the CPU, unless single precision will do', async () => {
    const many = await batch(human, { states: 4 });
    expect(many.device).toBe('cpu');
    expect(many.report().device).toBe('cpu');
    many.dispose();
    const few = await batch(human, { states: 4, precision: 'single' });
    expect(few.device).toBe('cpu');
    few.dispose();
  });
});
