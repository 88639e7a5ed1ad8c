// One large mechanism, assembled on a software device, against the articulated-body algorithm in double precision.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connect } from '../../../src/dynamics/connect.js';
import { opened } from '../../../src/engines/gpu/device.js';
import { type Gpu, GpuError, gpuAssembly, openGpu } from '../../../src/engines/gpu/index.js';
import { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import type { JointTypeName } from '../../../src/joints/index.js';
import { createMechanism } from '../../../src/mechanism/create.js';
import type { Mechanism } from '../../../src/mechanism/mechanism.js';
import { Random } from '../../../src/mechanism/random.js';
import type { BodySpec, JointSpec, MechanismSpec } from '../../../src/mechanism/spec.js';
import { State } from '../../../src/mechanism/state.js';
import { builtinMechanism } from '../../../src/models/index.js';
import {
  ALL_JOINT_TYPES,
  lighterTree,
  type RandomOptions,
  randomMechanism,
  randomSpec,
  randomVector,
  relativeError,
} from '../../support/random-mechanism.js';
import { hasSoftwareGpu } from '../../support/software-gpu.js';

/** Bodies much like each other: none of them is kept as an inertia. */
function alike(seed: number, options: RandomOptions): Mechanism {
  const spec = randomSpec(seed, options);
  return createMechanism({
    ...spec,
    bodies: spec.bodies.map((body) => ({ ...body, mass: 1, inertia: [0.1, 0, 0.01, 0, 0.12, 0, 0.01, 0, 0.15] })),
  });
}

const none = { mass: 0, com: [0, 0, 0], inertia: [0, 0, 0, 0, 0, 0, 0, 0, 0] } as const;
const weight = { mass: 1, com: [0, 0, -0.3], inertia: [0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.01] } as const;

/** Joints in a row, each on the body before it. */
function row(links: readonly (Omit<BodySpec, 'name'> & Partial<JointSpec>)[]): MechanismSpec {
  return {
    name: 'row',
    gravity: [0, 0, -9.81],
    bodies: links.map(({ mass, com, inertia }, i) => ({ name: `b${i}`, mass, com, inertia }) as BodySpec),
    joints: links.map(({ mass: _m, com: _c, inertia: _i, ...joint }, i) => ({
      name: `j${i}`,
      parent: i === 0 ? null : `b${i - 1}`,
      child: `b${i}`,
      type: 'revolute',
      axis: [0, 1, 0],
      ...joint,
    })),
  };
}

const X = { axis: [1, 0, 0] } as const;
const Z = { axis: [0, 0, 1] } as const;

describe.skipIf(!hasSoftwareGpu())('assembly on the GPU', () => {
  let gpu: Gpu;

  beforeAll(async () => {
    gpu = await openGpu();
  });

  afterAll(() => gpu?.close());

  async function error(mechanism: Mechanism, seed: number, kept?: number): Promise<number> {
    const assembly = await gpuAssembly(mechanism, { gpu, fallback: 'error' });
    expect(assembly.where).toBe('gpu');
    if (kept !== undefined) expect(Number(/(\d+) of the links kept/.exec(assembly.explain())?.[1] ?? 0)).toBe(kept);
    const state = State.random(mechanism, seed);
    const tau = randomVector(seed, mechanism.nv);
    const got = await assembly.forward(state, tau);
    // Once more, with other numbers in between: calls leave nothing behind.
    await assembly.forward(State.random(mechanism, seed + 1));
    expect(await assembly.forward(state, tau)).toEqual(got);
    assembly.dispose();
    return relativeError(got, new PlainDynamics(mechanism).forward(state, tau));
  }

  it.each([
    ['chain-1', 1e-5],
    ['chain-2', 1e-4],
    ['chain-7', 1e-4],
    ['chain-1024', 1e-4],
    ['chain-33-spherical-free', 1e-5],
    ['human-161', 1e-5],
    ['human-34', 1e-4],
  ])('%s', async (name, bound) => {
    expect(await error(builtinMechanism(name), 3)).toBeLessThan(bound);
  });

  // One by one with MANIKIN_LONG=1; otherwise all of them in the trees below.
  it
    .runIf(process.env.MANIKIN_LONG === '1')
    .each(ALL_JOINT_TYPES.filter((type) => type !== 'fixed' && type !== 'continuous'))(
    'joints of the type %s, with and without armature, in parts and kept as inertias',
    async (type: JointTypeName) => {
      const options = { bodies: 9, types: [type], armature: true, forest: true };
      expect(await error(alike(5, options), 5, 0), 'in parts').toBeLessThan(1e-4);
      const unlike = randomMechanism(5, options);
      expect(await error(unlike, 5, unlike.bodies.length), 'kept').toBeLessThan(5e-5);
    },
  );

  it('trees of all joint types, on the ground in several places', async () => {
    const seeds = Number(process.env.MANIKIN_GPU_RUNS ?? 2);
    for (let seed = 1; seed <= seeds; seed++) {
      const options = { bodies: 12 + seed, forest: true, armature: seed % 2 === 0, shuffled: seed % 4 > 1 };
      const mechanism = seed % 3 === 1 ? alike(seed, options) : randomMechanism(seed, options);
      // 32 bits are few for some of these: a fault would show as 0.1 or more.
      expect(await error(mechanism, seed), `seed ${seed}`).toBeLessThan(2e-3);
    }
  });

  it('free-flying trees', async () => {
    const options = { bodies: 20, types: ['spherical', 'prismatic'], base: 'floating' } as const;
    expect(await error(alike(7, options), 7, 0)).toBeLessThan(2e-4);
    expect(await error(randomMechanism(7, options), 7)).toBeLessThan(2e-4);
  });

  it('bodies without mass, wherever the others hold them', async () => {
    // A hip of three hinges; an arm on two; a hub without mass with two legs.
    const hip = row([weight, { ...none, ...X }, none, { ...weight, ...Z, t: [0, 0, -0.5] }]);
    expect(await error(createMechanism(hip), 2)).toBeLessThan(1e-5);
    const hub: MechanismSpec = {
      ...row([weight, { ...none, t: [0, 0, -0.5] }, { ...weight, ...X, t: [0, 0.2, 0] }]),
    };
    const legs = createMechanism({
      ...hub,
      bodies: [...hub.bodies, { name: 'other', ...weight, com: [0, 0.1, -0.2] }],
      joints: [...hub.joints, { name: 'other', parent: 'b1', child: 'other', type: 'spherical', t: [0, -0.2, 0.1] }],
    });
    expect(await error(legs, 3)).toBeLessThan(1e-5);
    // An end without mass moves by its rotor alone.
    const rotor = createMechanism(row([weight, weight, { ...none, armature: 0.01, t: [0, 0, -0.3] }]));
    expect(await error(rotor, 4)).toBeLessThan(1e-5);
    // Points, and rods without inertia about their own axes.
    const point = { mass: 1, com: [0.1, 0, -0.4], inertia: none.inertia } as const;
    const rod = { mass: 1, com: [0, 0, -0.25], inertia: [0.02, 0, 0, 0, 0.02, 0, 0, 0, 0] } as const;
    const pendulums = [point, rod, point, rod].map((body) => ({ ...body, t: [0, 0, -0.5] as const }));
    expect(await error(createMechanism(row(pendulums)), 5)).toBeLessThan(1e-5);
    // A frame on a fixed joint, on the ground and in between.
    const frames = createMechanism(
      row([{ ...none, type: 'fixed', t: [1, 0, 0] }, weight, { ...none, type: 'fixed' }, { ...weight, ...X }]),
    );
    expect(await error(frames, 6, 0)).toBeLessThan(1e-5);
  });

  it('links far lighter than their neighbours', async () => {
    for (const [mass, inertia, bound] of [
      [1e-2, 1e-2, 2e-4],
      [1, 1e-6, 3e-5],
    ])
      expect(await error(createMechanism(lighterTree(mass, inertia)), 11), `${mass}`).toBeLessThan(bound);
  });

  it('a long chain in which some links have no mass', async () => {
    const random = new Random(1);
    const links = Array.from({ length: 300 }, (_, i) => ({
      ...(i % 60 === 30 ? none : weight),
      axis: random.direction(),
      t: i % 60 === 31 ? ([0, 0, 0] as const) : ([0, 0, -0.4] as const),
    }));
    const chain = createMechanism(row(links));
    const assembly = await gpuAssembly(chain, { gpu, fallback: 'error' });
    expect(assembly.rounds).toBeLessThan(50);
    expect(assembly.explain()).toContain('5 of the links kept');
    assembly.dispose();
    expect(await error(chain, 8)).toBeLessThan(1e-4);
    // All of them points: a round for each, which the CPU does faster.
    const point = { mass: 1, com: [0, 0, -0.4], inertia: none.inertia, t: [0, 0, -0.4] } as const;
    const points = createMechanism(row(Array.from({ length: 2500 }, () => point)));
    await expect(gpuAssembly(points, { gpu, fallback: 'error' })).rejects.toThrow('2499 rounds');
  });

  it('names the joint where there is no finite answer', async () => {
    // Two hinges about one axis, with nothing between them.
    const twice = createMechanism(row([weight, { ...none, t: [0, 0, -0.5] }, weight]));
    for (const fallback of ['error', 'cpu'] as const)
      await expect(gpuAssembly(twice, { gpu, fallback })).rejects.toThrow('felt by joint "j1" (body "b1")');
    const chain = builtinMechanism('chain-4');
    const assembly = await gpuAssembly(chain, { gpu, fallback: 'error' });
    const state = new State(chain);
    state.v[2] = 1e30;
    await expect(assembly.forward(state)).rejects.toThrow('gets no finite acceleration');
    // And goes on.
    expect((await assembly.forward(new State(chain))).every(Number.isFinite)).toBe(true);
    assembly.dispose();
  });

  it('says what it cannot do, or does it on the CPU', async () => {
    const small = { ...gpu, maxBindingBytes: 1000 };
    const chain = builtinMechanism('chain-64');
    await expect(gpuAssembly(chain, { gpu: small, fallback: 'error' })).rejects.toThrow(GpuError);
    const told: string[] = [];
    const assembly = await gpuAssembly(chain, { gpu: small, onFallback: (reason) => told.push(reason) });
    expect(told).toEqual([expect.stringContaining('64 joints need a buffer of 1 MB')]);
    expect(assembly.where).toBe('cpu');
    expect(assembly.explain()).toContain(`On the CPU: ${told[0]}`);
    const state = State.random(chain, 1);
    expect(await assembly.forward(state)).toEqual(new PlainDynamics(chain).forward(state, new Float64Array(64)));
    const human = builtinMechanism('human-34');
    const { mechanism: looped } = connect(human, new State(human), {
      name: 'grip',
      a: 'left_hand',
      b: null,
      at: [0, 0, 0],
      joint: { type: 'spherical' },
    });
    await expect(gpuAssembly(looped, { gpu, fallback: 'error' })).rejects.toThrow('Closed loops');
    expect((await gpuAssembly(looped, { gpu })).where).toBe('cpu');
    const still = createMechanism(row([{ ...weight, type: 'fixed' }]));
    await expect(gpuAssembly(still, { gpu, fallback: 'error' })).rejects.toThrow('Nothing in this mechanism');
    for (const one of [assembly, await gpuAssembly(builtinMechanism('chain-4'), { gpu })]) {
      await expect(one.forward(new State(one.mechanism), new Float64Array(3))).rejects.toThrow('numbers in tau, got 3');
      await expect(one.forward(new State(human))).rejects.toThrow('The state belongs to "human-34"');
      one.dispose();
    }
  });

  it('shares kernels with the other assemblies of the device', async () => {
    const compile = vi.spyOn(opened(gpu).device, 'createComputePipelineAsync');
    const make = async (name: string): Promise<void> =>
      (await gpuAssembly(builtinMechanism(name), { gpu, fallback: 'error' })).dispose();
    await make('chain-4');
    const calls = compile.mock.calls.length;
    await make('chain-5');
    expect(compile).toHaveBeenCalledTimes(calls);
    compile.mockRestore();
  });

  it('is one call at a time', async () => {
    const chain = builtinMechanism('chain-4');
    const assembly = await gpuAssembly(chain, { gpu, fallback: 'error' });
    const first = assembly.forward(new State(chain));
    await expect(assembly.forward(new State(chain))).rejects.toThrow('at work');
    await first;
    assembly.dispose();
  });
});
