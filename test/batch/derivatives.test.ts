// Derivatives of many states: on threads with the bits of single states, on a software GPU within single precision.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Batch, type BatchOptions, batch } from '../../src/batch/index.js';
import { dynamics } from '../../src/dynamics/dynamics.js';
import { type Gpu, openGpu } from '../../src/engines/gpu/index.js';
import { endThreads } from '../../src/engines/threads/index.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { builtinMechanism } from '../../src/models/index.js';
import { closedSpec } from '../support/closed-mechanisms.js';
import { randomCoupled } from '../support/random-couplings.js';
import { randomMechanism, randomVector, relativeError } from '../support/random-mechanism.js';
import { hasSoftwareGpu } from '../support/software-gpu.js';

afterAll(() => endThreads());

/** Numbers that 32 bits hold, angles within a radian: random hinges may be all but parallel. */
function fill(many: Batch): State[] {
  const { mechanism, states } = many;
  return Array.from({ length: states }, (_, s) => {
    const state = State.random(mechanism, s + 1);
    for (const { model, iq } of mechanism.joints)
      if (model.nq === model.nv) for (let k = 0; k < model.nq; k++) state.q[iq + k] *= 0.6;
    for (const array of [state.q, state.v]) array.set(Float32Array.from(array));
    many.setState(s, state);
    for (const name of ['tau', 'qdd'] as const) many.write(name, given(mechanism, s), s);
    return state;
  });
}

const given = ({ nv }: Mechanism, s: number): Float64Array =>
  Float64Array.from(Float32Array.from(randomVector(s + 1, nv)));

/** The largest error of any state against the front door for one. */
async function compare(many: Batch): Promise<number> {
  const { mechanism } = many;
  const { nv } = mechanism;
  const states = fill(many);
  const door = dynamics(mechanism);
  let worst = 0;
  const check = (name: 'dq' | 'dv' | 'dtau' | 'qdd', s: number, expected: Float64Array): void => {
    const ours = many.read(name, new Float64Array(expected.length), s);
    worst = Math.max(worst, relativeError(ours, expected));
  };
  if (mechanism.loops.length === 0) {
    await many.inverseDerivatives();
    states.forEach((state, s) => {
      const { dq, dv } = door.inverseDerivatives(state, given(mechanism, s));
      check('dq', s, dq);
      check('dv', s, dv);
    });
  }
  await many.forwardDerivatives();
  expect(many.notFinite()).toEqual([]);
  expect(many.read('dq')).toHaveLength(many.states * nv * nv);
  states.forEach((state, s) => {
    const { qdd, dq, dv, dtau } = door.forwardDerivatives(state, given(mechanism, s));
    for (const [name, expected] of Object.entries({ qdd, dq, dv, dtau })) check(name as 'dq', s, expected);
  });
  return worst;
}

const figure = builtinMechanism('human-34');

describe('on the CPU', () => {
  it.each([
    ['a figure on two threads', figure, { threads: 2, states: 40 }],
    ['a figure on the thread of the caller', figure, { threads: 1, states: 5 }],
    ['all joint types', randomMechanism(41, { bodies: 7, shuffled: true, forest: true }), { states: 9 }],
    ['coupled joints', randomCoupled(2), { states: 9 }],
    ['closed loops', createMechanism(closedSpec(3, 6, 1)), { states: 1 }],
  ] as const)('%s: the bits of single states', async (_, mechanism, options) => {
    const many = await batch(mechanism, options);
    const fresh = new State(mechanism);
    if (mechanism.loops.length > 0) many.setState(0, fresh);
    expect(await compare(many)).toBe(0);
    many.dispose();
  });

  it('some states only, states that are no numbers, arrays that are not there yet', async () => {
    const many = await batch(figure, { states: 3, threads: 1 });
    expect(() => many.read('dq')).toThrow(
      /no derivatives dq yet: call forwardDerivatives\(\) or inverseDerivatives\(\)/,
    );
    expect(() => many.write('dq' as never, [])).toThrow(/Derivatives are results/);
    fill(many);
    many.write('v', new Float64Array(figure.nv).fill(Number.NaN), 1);
    await many.forwardDerivatives();
    expect(many.notFinite()).toEqual([1]);
    await many.inverseDerivatives({ count: 1 });
    expect(many.notFinite()).toEqual([]);
    expect(many.report().functions.find(({ name }) => name === 'forwardDerivatives')?.engine).toBe('compiled');
    many.dispose();
  });
});

describe.skipIf(!hasSoftwareGpu())('on the GPU', () => {
  let gpu: Gpu;
  beforeAll(async () => {
    gpu = await openGpu();
  });
  afterAll(() => gpu?.close());

  const onGpu = (mechanism: Mechanism, options: Partial<BatchOptions> = {}): Promise<Batch> =>
    batch(mechanism, {
      states: 40,
      device: 'gpu',
      fallback: 'error',
      ...options,
      gpu: { device: gpu, specialise: 'never', ...options.gpu },
    });

  it.each([
    ['a free chain', builtinMechanism('chain-2-free')],
    ['all joint types', randomMechanism(12, { bodies: 6, shuffled: true, armature: true })],
    ['several trees', randomMechanism(14, { bodies: 6, forest: true, shuffled: true })],
  ] as const)('%s: as on the CPU, within single precision', async (_, mechanism) => {
    const many = await onGpu(mechanism);
    expect(await compare(many)).toBeLessThan(5e-4);
    many.dispose();
  });

  it('states that are no numbers are flagged, the others are right', async () => {
    const mechanism = builtinMechanism('chain-3');
    const many = await onGpu(mechanism);
    fill(many);
    many.write('v', [0, Number.NaN, 0], 33);
    for (const name of ['forwardDerivatives', 'inverseDerivatives'] as const) {
      await many[name]();
      expect(many.notFinite()).toEqual([33]);
    }
    expect(many.report().functions.find(({ name }) => name === 'inverseDerivatives')?.engine).toBe('compiled');
    many.dispose();
  });
});
