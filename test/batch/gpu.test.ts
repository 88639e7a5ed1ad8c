// The door on a software GPU: rollouts as on the CPU, fallbacks, large angles.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Batch,
  type BatchOptions,
  batch,
  held,
  pd,
  sequence,
  spline,
  type Torque,
} from '../../src/batch/index.js';
import { connect } from '../../src/dynamics/connect.js';
import { type Gpu, GpuError, openGpu } from '../../src/engines/gpu/index.js';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { endThreads } from '../../src/engines/threads/index.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { builtinMechanism } from '../../src/models/index.js';
import { Simulation } from '../../src/simulation/simulation.js';
import type { Mat3 } from '../../src/spatial/matrix3.js';
import { randomVector, relativeError } from '../support/random-mechanism.js';
import { hasSoftwareGpu } from '../support/software-gpu.js';

const diagonal = (x: number, y: number, z: number): Mat3 => [x, 0, 0, 0, y, 0, 0, 0, z];
/** All kinds of coordinates; springs and damping. */
const arm = createMechanism({
  name: 'arm',
  gravity: [0, 0, -9.81],
  bodies: [
    { name: 'a', mass: 1, com: [0, 0, -0.2], inertia: diagonal(0.02, 0.02, 0.01) },
    { name: 'b', mass: 0.5, com: [0, 0.02, -0.2], inertia: diagonal(0.01, 0.012, 0.005) },
    { name: 'c', mass: 0.5, com: [0.01, 0, -0.1], inertia: diagonal(0.01, 0.011, 0.006) },
  ],
  joints: [
    { name: 'base', type: 'floating', parent: null, child: 'a' },
    { name: 'elbow', type: 'revolute', parent: 'a', child: 'b', axis: [0, 1, 0], damping: 0.3, stiffness: 2 },
    { name: 'wrist', type: 'spherical', parent: 'b', child: 'c', t: [0, 0, -0.4], damping: 0.05 },
  ],
});

/** Joint angles within a radian: random mechanisms may have hinges all but parallel. */
function tameState(mechanism: Mechanism, seed: number): State {
  const state = State.random(mechanism, seed);
  for (const { model, iq } of mechanism.joints)
    if (model.nq === model.nv) for (let k = 0; k < model.nq; k++) state.q[iq + k] *= 0.6;
  for (const array of [state.q, state.v]) array.set(Float32Array.from(array));
  return state;
}

function fill(many: Batch): void {
  const { mechanism } = many;
  for (let s = 0; s < many.states; s++) {
    many.setState(s, tameState(mechanism, s + 1));
    many.write('tau', randomVector(s, mechanism.nv), s);
  }
}

describe.skipIf(!hasSoftwareGpu())('a batch on the GPU', () => {
  let gpu: Gpu;

  beforeAll(async () => {
    gpu = await openGpu();
  });

  afterAll(() => {
    gpu?.close();
    endThreads();
  });

  const onGpu = (mechanism: Mechanism, options: Partial<BatchOptions> = {}): Promise<Batch> =>
    batch(mechanism, {
      states: 70,
      device: 'gpu',
      fallback: 'error',
      ...options,
      gpu: { device: gpu, ...options.gpu },
    });

  it('rows go in and out as on the CPU', async () => {
    const many = await onGpu(arm, { states: 45, gpu: { specialise: 'never' } });
    const host = await batch(arm, { states: 45 });
    const rows = (n: number) => Float64Array.from(Float32Array.from(randomVector(n, 45 * n)));
    for (const on of [many, host]) {
      // Fresh states are neutral on every device.
      expect(on.getState(44, new State(arm)).q).toEqual(new State(arm).q);
      fill(on);
      on.write('tau', rows(arm.nv));
      expect(on.read('tau')).toEqual(rows(arm.nv));
      expect(on.read('tau', new Float32Array(2 * arm.nv), 7)).toEqual(
        Float32Array.from(rows(arm.nv).slice(7 * arm.nv, 9 * arm.nv)),
      );
      await on.forward();
    }
    expect(relativeError(many.read('qdd'), host.read('qdd'))).toBeLessThan(2e-5);
    expect(many.report()).toMatchObject({ device: 'gpu', adapter: gpu.adapter });
    expect(many.arrays).toBeUndefined();
    many.dispose();
    host.dispose();
  });

  it('auto takes it for large batches where single precision will do', async () => {
    const hinge = builtinMechanism('chain-1');
    const many = await batch(hinge, {
      states: 100_000,
      precision: 'single',
      gpu: { device: gpu, specialise: 'never' },
    });
    expect(many.device).toBe('gpu');
    many.dispose();
  });

  it('angles of any size are as exact as small ones', async () => {
    const figure = builtinMechanism('chain-5-free');
    for (const variant of [undefined, 'registers']) {
      const many = await onGpu(figure, {
        states: 40,
        gpu: variant === undefined ? { specialise: 'never' } : { variant },
      });
      await many.ready();
      const readable = new PlainDynamics(figure);
      for (let s = 0; s < 40; s++) {
        const state = tameState(figure, s + 1);
        const size = 10 ** (s % 10);
        for (const { model, iq } of figure.joints)
          if (model.name === 'revolute') state.q[iq] += 2 * Math.PI * Math.round(size);
        many.setState(s, state);
        const got = many.getState(s, new State(figure));
        // Read back as they were but for 32 bits of an angle within half a turn.
        got.q.forEach((x, k) => {
          expect(Math.abs(x - state.q[k])).toBeLessThan(3e-7 + 1e-15 * size);
        });
      }
      await many.forward();
      for (let s = 0; s < 40; s++) {
        const state = many.getState(s, new State(figure));
        const qdd = many.read('qdd', new Float64Array(figure.nv), s);
        expect(relativeError(qdd, readable.forward(state)), `state ${s}`).toBeLessThan(1e-5);
      }
      many.dispose();
    }
  });

  it('sines and cosines of 32-bit numbers up to 1e9 are right, and beyond 2^31 there are none', async () => {
    // A spring keeps the host from taking turns off; forward dynamics does not feel it.
    const swing = (gravity: readonly [number, number, number]) =>
      createMechanism({
        gravity,
        bodies: [{ name: 'a', mass: 1, com: [0, 0, 1], inertia: diagonal(0, 0, 0) }],
        joints: [{ name: 'j', type: 'revolute', parent: null, child: 'a', axis: [0, 1, 0], stiffness: 1 }],
      });
    for (const [gravity, of] of [
      [[0, 0, 1], (x: number) => -Math.sin(x)],
      [[1, 0, 0], Math.cos],
    ] as const) {
      const many = await onGpu(swing(gravity), { states: 2001, gpu: { specialise: 'never' } });
      const angles = Float32Array.from({ length: 2001 }, (_, s) => (s % 2 === 0 ? 1 : -1) * 10 ** ((9 * s) / 2000));
      many.write('q', angles);
      await many.forward();
      let worst = 0;
      many.read('qdd').forEach((x, s) => {
        worst = Math.max(worst, Math.abs(x - of(angles[s])));
      });
      expect(worst).toBeLessThan(3e-7);
      many.write('q', Float32Array.of(2 ** 31, Number.POSITIVE_INFINITY, Number.NaN), 5);
      await many.forward();
      expect(many.notFinite()).toEqual([5, 6, 7]);
      many.dispose();
    }
  });

  it('code for a mechanism: angles that keep their turns up to 1e4, and the states beyond are listed', async () => {
    const swing = createMechanism({
      gravity: [1, 0, 0],
      bodies: [{ name: 'a', mass: 1, com: [0, 0, 1], inertia: diagonal(0, 0, 0) }],
      joints: [{ name: 'j', type: 'revolute', parent: null, child: 'a', axis: [0, 1, 0], stiffness: 1 }],
    });
    const many = await onGpu(swing, { states: 2001, gpu: { variant: 'registers' } });
    await many.ready();
    const angles = Float32Array.from({ length: 2001 }, (_, s) => (s % 2 === 0 ? 1 : -1) * 10 ** ((4 * s) / 2000));
    many.write('q', angles);
    await many.forward();
    let worst = 0;
    many.read('qdd').forEach((x, s) => {
      worst = Math.max(worst, Math.abs(x - Math.cos(angles[s])));
    });
    expect(worst).toBeLessThan(3e-7);
    expect(many.notFinite()).toEqual([]);
    many.write('q', [10_001, -1e6, 1e30], 5);
    await many.forward();
    expect(many.notFinite()).toEqual([5, 6, 7]);
    many.dispose();
  });

  it('large angles in rollouts: springs and targets feel whole turns', async () => {
    const hinge = builtinMechanism('chain-1');
    const many = await onGpu(hinge, { states: 2, gpu: { specialise: 'never' } });
    const host = await batch(hinge, { states: 2 });
    for (const torque of [held(), pd({ stiffness: 1e-3, damping: 0 }, [0])]) {
      for (const on of [many, host]) {
        on.write('q', [200, -300]);
        on.write('v', [1, 2]);
        await on.rollout({ steps: 10, step: 1e-2, torque });
        await on.rollout({ steps: 10, step: 1e-2, torque, resume: true });
      }
      expect(relativeError(many.read('q'), host.read('q'))).toBeLessThan(1e-5);
      expect(relativeError(many.read('v'), host.read('v'))).toBeLessThan(1e-3);
    }
    for (const on of [many, host]) on.dispose();
  });

  describe('rollouts', () => {
    const mechanism = arm;
    const { nv, nq } = mechanism;
    const free = builtinMechanism('chain-5-spherical-free');
    const steps = 25;
    const states = 40;
    const target = new State(mechanism).q;
    const gains = { stiffness: randomVector(3, nv).map((x) => 3 + x), damping: 0.2 };
    const targets = Array.from({ length: states }, (_, s) => [...tameState(mechanism, s + 99).q]).flat();
    const laws: [string, Torque][] = [
      ['held', held()],
      ['sequence', sequence(randomVector(1, states * steps * nv))],
      ['spline', spline(0.01, 4, Float32Array.from(randomVector(2, states * 4 * nv)))],
      ['pd', pd(gains, target)],
      ['pd, targets for each state', pd(gains, targets)],
    ];
    it.each(laws)('%s: as on the CPU in double precision', async (_name, torque) => {
      expect(nq).toBe(12);
      const device = await onGpu(mechanism, { states });
      const host = await batch(mechanism, { states, device: 'cpu' });
      for (const many of [device, host]) {
        fill(many);
        await many.rollout({ steps, step: 2e-3, torque });
      }
      const [a, b] = [new State(mechanism), new State(mechanism)];
      for (let s = 0; s < states; s++) {
        device.getState(s, a);
        host.getState(s, b);
        expect(relativeError(a.q, b.q)).toBeLessThan(1e-5);
        expect(relativeError(a.v, b.v)).toBeLessThan(1e-4);
      }
      device.dispose();
      host.dispose();
    });

    it('laws do not depend on the kernels: generic ones', async () => {
      const generic = await onGpu(free, { states, gpu: { specialise: 'never' } });
      const host = await batch(free, { states });
      for (const many of [generic, host]) {
        fill(many);
        await many.rollout({ steps: 5, step: 2e-3, torque: pd({ stiffness: 1, damping: 0.1 }, new State(free).q) });
      }
      expect(relativeError(generic.read('v'), host.read('v'))).toBeLessThan(1e-4);
      generic.dispose();
      host.dispose();
    });

    it('go on where they ended, without an upload; the generic step agrees with the fused one', async () => {
      const generic = { gpu: { specialise: 'never' } } as const;
      const [once, twice] = [await onGpu(free, generic), await onGpu(free, generic)];
      for (const many of [once, twice]) fill(many);
      await once.rollout({ steps: 7, step: 1e-3 });
      await twice.rollout({ steps: 3, step: 1e-3 });
      await twice.rollout({ steps: 4, step: 1e-3, resume: true });
      expect(twice.read('q')).toEqual(once.read('q'));
      twice.write('q', twice.read('q'));
      await expect(twice.rollout({ steps: 4, step: 1e-3, resume: true })).rejects.toThrow(/written since/);
      const fused = await onGpu(free, { gpu: { variant: 'registers, poses computed twice' } });
      fill(fused);
      await fused.ready('rollout');
      await fused.rollout({ steps: 7, step: 1e-3 });
      const [a, b] = [new State(free), new State(free)];
      for (let s = 0; s < once.states; s++)
        expect(relativeError(fused.getState(s, a).v, once.getState(s, b).v)).toBeLessThan(1e-4);
      for (const many of [once, twice, fused]) many.dispose();
    });

    it('springs, damping, dry friction and armatures: as Simulation does it', async () => {
      // Sliders in metres, and velocities on both sides of where friction fades.
      const links = Array.from({ length: 6 }, (_, i) => ({
        body: { name: `b${i}`, mass: 1, com: [0.02, 0, -0.2] as const, inertia: diagonal(0.02, 0.021, 0.01) },
        joint: {
          name: `j${i}`,
          parent: i === 0 ? null : `b${i - 1}`,
          child: `b${i}`,
          type: (['revolute', 'prismatic', 'spherical', 'revolute', 'universal', 'cylindrical'] as const)[i],
          axis: i % 2 === 0 ? ([0, 1, 0] as const) : ([1, 0, 0] as const),
          axis2: [0, 0, 1] as const,
          t: [0, 0, i === 0 ? 0 : -0.3] as const,
          friction: [0.5, 1, 0.02, 0.05, 0, 0.1][i],
          damping: [0, 0.1, 0.05, 0, 0.2, 0][i],
          armature: [0.01, 0, 0.02, 0, 0, 0.03][i],
          ...(i === 1 && { stiffness: 50, rest: 0.1 }),
        },
      }));
      const rough = createMechanism({
        name: 'rough',
        gravity: [0, 0, -9.81],
        bodies: links.map(({ body }) => body),
        joints: links.map(({ joint }) => joint),
      });
      const many = await onGpu(rough, { states: 8, gpu: { variant: 'registers, poses computed twice' } });
      const start = Array.from({ length: 8 }, (_, s) => tameState(rough, s + 1));
      // The last one at rest.
      start[7].v.fill(0);
      start.forEach((state, s) => {
        many.setState(s, state);
      });
      await many.rollout({ steps: 100, step: 1e-3 });
      const got = new State(rough);
      start.forEach((state, s) => {
        // Joints that stick and slip by turns amplify rounding: by how much, a start as far off as 32 bits can tell.
        const [simulation, other] = [0, 1e-7].map((change) => {
          const from = state.clone();
          from.v.forEach((x, k) => {
            from.v[k] = x + change * Math.sin(k + 1);
          });
          const one = new Simulation(rough, { state: from, integrator: 'euler', step: 1e-3, engine: 'plain' });
          for (let k = 0; k < 100; k++) one.step();
          return one;
        });
        many.getState(s, got);
        const sensitivity = (name: 'q' | 'v'): number => relativeError(other.state[name], simulation.state[name]);
        for (const name of ['q', 'v'] as const)
          expect(relativeError(got[name], simulation.state[name]), `${name} of ${s}`).toBeLessThan(
            2e-5 + 100 * sensitivity(name),
          );
        expect(sensitivity('v')).toBeLessThan(1e-4);
      });
      many.dispose();
      // The generic step knows none of this, and says so.
      const generic = await onGpu(rough, { states: 8, gpu: { specialise: 'never' } });
      await expect(generic.rollout({ steps: 1, step: 1e-3 })).rejects.toThrow('Springs, damping and friction');
      generic.dispose();
    });

    it('closed loops and coupled joints run on the CPU, as Simulation does it', async () => {
      const spec = (couplings: object) => ({
        name: 'coupled',
        gravity: [0, 0, -9.81] as const,
        bodies: ['a', 'b'].map((name) => ({
          name,
          mass: 1,
          com: [0, 0.1, -0.2] as const,
          inertia: diagonal(0.02, 0.02, 0.01),
        })),
        joints: [
          { name: 'a', parent: null, child: 'a', type: 'revolute' as const, axis: [0, 1, 0] as const },
          {
            name: 'b',
            parent: 'a',
            child: 'b',
            type: 'revolute' as const,
            axis: [1, 0, 0] as const,
            t: [0, 0, -0.4] as const,
          },
        ],
        ...couplings,
      });
      const coupled = createMechanism(spec({ couplings: [{ joint: 'b', source: 'a', multiplier: 0.5, offset: 0.1 }] }));
      const looped = connect(arm, new State(arm), {
        name: 'hold',
        a: 'c',
        b: null,
        joint: { type: 'spherical' },
        at: [0, 0, -0.4],
      });
      for (const [one, state, reason] of [
        [coupled, new State(coupled), 'coupled joints'],
        [looped.mechanism, looped.state, 'closed loops'],
      ] as const) {
        const told: string[] = [];
        const many = await batch(one, {
          states: 3,
          device: 'gpu',
          gpu: { device: gpu },
          onFallback: (text) => told.push(text),
        });
        expect(many.device).toBe('cpu');
        // From the GPU to the CPU, and there to readable algorithms.
        expect(told).toEqual([expect.stringContaining(reason), expect.stringContaining(reason)]);
        expect(many.report().text).toContain(`On the CPU: ${reason}`);
        await expect(onGpu(one)).rejects.toThrow(GpuError);
        for (let s = 0; s < 3; s++) many.setState(s, state);
        await many.rollout({ steps: 100, step: 1e-3 });
        const simulation = new Simulation(one, { state, integrator: 'euler', step: 1e-3, engine: 'plain' });
        for (let k = 0; k < 100; k++) simulation.step();
        const got = many.getState(2, new State(one));
        expect(relativeError(got.q, simulation.state.q)).toBeLessThan(1e-9);
        expect(relativeError(got.v, simulation.state.v)).toBeLessThan(1e-9);
      }
    });
  });
});
