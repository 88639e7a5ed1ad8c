// One large mechanism, assembled on a software device, against the articulated-body algorithm in double precision.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Dynamics } from '../../src/dynamics/dynamics.js';
import { type Gpu, GpuError, gpuAssembly, openGpu } from '../../src/gpu/index.js';
import type { JointTypeName } from '../../src/joints/index.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { builtinMechanism } from '../../src/models/index.js';
import { randomMechanism, randomVector, relativeError } from '../support/random-mechanism.js';
import { hasSoftwareGpu } from '../support/software-gpu.js';

const TYPES: readonly JointTypeName[] = ['revolute', 'continuous', 'prismatic', 'spherical', 'fixed'];

describe.skipIf(!hasSoftwareGpu())('assembly on the GPU', () => {
  let gpu: Gpu;

  beforeAll(async () => {
    gpu = await openGpu();
  });

  afterAll(() => gpu?.close());

  async function error(mechanism: Mechanism, seed: number): Promise<number> {
    const assembly = await gpuAssembly(mechanism, { gpu });
    const state = State.random(mechanism, seed);
    const tau = randomVector(seed, mechanism.nv);
    const got = await assembly.forward(state, tau);
    // Once more, with other numbers in between: calls leave nothing behind.
    await assembly.forward(State.random(mechanism, seed + 1));
    expect(await assembly.forward(state, tau)).toEqual(got);
    assembly.dispose();
    return relativeError(got, new Dynamics(mechanism).forward(state, tau));
  }

  it.each([
    ['chain-1', 1e-5],
    ['chain-2', 1e-4],
    ['chain-7', 1e-4],
    ['chain-1024', 1e-4],
    ['chain-33-spherical-free', 1e-5],
  ])('%s', async (name, bound) => {
    expect(await error(builtinMechanism(name), 3)).toBeLessThan(bound);
  });

  it('trees of all joint types that it knows, on the ground in several places', async () => {
    for (let seed = 1; seed <= 3; seed++) {
      const mechanism = randomMechanism(seed, { bodies: 20, types: TYPES, forest: true });
      expect(await error(mechanism, seed), `seed ${seed}`).toBeLessThan(2e-4);
    }
  });

  it('a free-flying tree', async () => {
    const mechanism = randomMechanism(7, { bodies: 20, types: ['spherical', 'prismatic'], base: 'floating' });
    expect(await error(mechanism, 7)).toBeLessThan(2e-4);
  });

  it('says what it cannot do', async () => {
    const universal = randomMechanism(1, { bodies: 2, types: ['universal'] });
    await expect(gpuAssembly(universal, { gpu })).rejects.toThrow('is universal');
    const small = { ...gpu, maxBindingBytes: 1000 };
    await expect(gpuAssembly(builtinMechanism('chain-64'), { gpu: small })).rejects.toThrow(GpuError);
    const chain = await gpuAssembly(builtinMechanism('chain-4'), { gpu });
    await expect(chain.forward(new State(chain.mechanism), new Float64Array(3))).rejects.toThrow('Expected 4 numbers');
    chain.dispose();
  });
});
