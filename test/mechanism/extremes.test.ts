// Mechanisms at the border of what can be computed.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { createMechanism } from '../../src/mechanism/create.js';
import { SimulationError } from '../../src/mechanism/errors.js';
import { Random } from '../../src/mechanism/random.js';
import type { MechanismSpec } from '../../src/mechanism/spec.js';
import { State } from '../../src/mechanism/state.js';
import { type Mat3, scale } from '../../src/spatial/matrix3.js';
import { randomSpec, randomVector } from '../support/random-mechanism.js';
import { body, hinge, row } from './support.js';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

/**
 * Largest difference, each measured by the size of the terms that add up to it: where they cancel, digits are lost
 * whatever the method.
 */
function roundTripError(spec: MechanismSpec, seed: number): number {
  const mechanism = createMechanism(spec);
  const dynamics = new PlainDynamics(mechanism);
  const state = State.random(mechanism, seed);
  const tau = randomVector(seed + 1, mechanism.nv);
  const qdd = dynamics.forward(state, tau);
  const back = dynamics.inverse(state, qdd);
  const bias = dynamics.inverse(state);
  const { H, n } = dynamics.massMatrix(state);
  let worst = 0;
  for (let i = 0; i < n; i++) {
    let size = 1 + Math.abs(bias[i]);
    for (let j = 0; j < n; j++) size += Math.abs(H[i * n + j] * qdd[j]);
    worst = Math.max(worst, Math.abs(back[i] - tau[i]) / size);
  }
  return worst;
}

describe('RNEA(ABA(tau)) = tau', () => {
  it('for mass ratios up to a million, heavy and light in any order', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const spec = randomSpec(seed, { bodies: 8 });
        const random = new Random(seed);
        const bodies = spec.bodies.map((part) => {
          const factor = 10 ** random.between(-3, 3);
          const inertia = part.inertia!.map((x) => factor * x) as unknown as Mat3;
          return { ...part, mass: factor * part.mass!, inertia };
        });
        expect(roundTripError({ ...spec, bodies }, seed + 1)).toBeLessThan(1e-9);
      }),
      { numRuns: 200 },
    );
  });

  it('for a mechanism as small as a watch, and as large as a crane', () => {
    fc.assert(
      fc.property(seeds, fc.constantFrom(1e-3, 1e2), (seed, size) => {
        const spec = randomSpec(seed, { bodies: 6, types: ['revolute', 'spherical', 'universal', 'fixed'] });
        const bodies = spec.bodies.map((part) => ({
          ...part,
          mass: size ** 3 * part.mass!,
          com: scale(size, part.com!),
          inertia: part.inertia!.map((x) => size ** 5 * x) as unknown as Mat3,
        }));
        const joints = spec.joints.map((joint) => ({ ...joint, t: scale(size, joint.t!) }));
        const mechanism = createMechanism({ ...spec, bodies, joints });
        const dynamics = new PlainDynamics(mechanism);
        const state = State.random(mechanism, seed + 1);
        const tau = randomVector(seed + 2, mechanism.nv).map((t) => t * size ** 4);
        const back = dynamics.inverse(state, dynamics.forward(state, tau));
        for (let k = 0; k < mechanism.nv; k++) expect(Math.abs(back[k] - tau[k])).toBeLessThan(1e-9 * size ** 4);
      }),
      { numRuns: 100 },
    );
  });

  it('for massless links between massive ones', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const random = new Random(seed);
        // Three hinges through one point about three axes, two massless bodies between: a ball joint taken apart.
        const massless = { mass: 0, com: [0, 0, 0], inertia: [0, 0, 0, 0, 0, 0, 0, 0, 0] } as const;
        const spec: MechanismSpec = {
          bodies: [body('base'), body('x', massless), body('y', massless), body('arm', { com: [0.1, 0.2, 0.3] })],
          joints: [
            hinge('base', null, { type: random.pick(['revolute', 'floating', 'spherical'] as const) }),
            hinge('x', 'base', { axis: [1, 0, 0], t: [0.2, 0, 0] }),
            hinge('y', 'x', { axis: [0, 1, 0] }),
            hinge('arm', 'y', { axis: [0, 0, 1] }),
          ],
        };
        // Near a gimbal lock (second angle a quarter turn) no engine has an answer.
        const mechanism = createMechanism(spec);
        const state = State.random(mechanism, seed + 1);
        fc.pre(Math.abs(Math.cos(state.q[mechanism.joints[2].iq])) > 0.05);
        expect(roundTripError(spec, seed + 1)).toBeLessThan(1e-9);
      }),
      { numRuns: 100 },
    );
  });

  it('for links that are nothing but a rotor', () => {
    const massless = { mass: 0, com: [0, 0, 0], inertia: [0, 0, 0, 0, 0, 0, 0, 0, 0] } as const;
    const spec = row({
      bodies: [body('a'), body('b', massless), body('c', massless)],
      joints: [hinge('a', null), hinge('b', 'a', { armature: 0.1 }), hinge('c', 'b', { armature: 1e-6 })],
    });
    expect(roundTripError(spec, 1)).toBeLessThan(1e-9);
  });
});

describe('a singular mass matrix', () => {
  // A point on its own axis: turning it takes no force.
  const point = { com: [0, 0, 0], inertia: [0, 0, 0, 0, 0, 0, 0, 0, 0] } as const;
  const mechanism = createMechanism(row({ bodies: [body('a'), body('b'), body('c', point)] }));

  it.each(['aba', 'dense'] as const)('is an error that names body and joint (%s)', (algorithm) => {
    const call = () => new PlainDynamics(mechanism).forward(new State(mechanism), undefined, { algorithm });
    expect(call).toThrow(SimulationError);
    try {
      call();
    } catch (error) {
      expect(error).toMatchObject({ code: 'singular', body: 'c', joint: 'jc' });
    }
  });

  it('does not trouble what needs no inverse', () => {
    const dynamics = new PlainDynamics(mechanism);
    const state = new State(mechanism);
    expect(dynamics.inverse(state).every(Number.isFinite)).toBe(true);
    expect(dynamics.massMatrix(state).H[8]).toBe(0);
    expect(dynamics.energy(state).mass).toBe(3);
  });
});

describe('forces that are not finite', () => {
  const mechanism = createMechanism(row());
  const state = State.random(mechanism, 1);
  state.time = 2.5;

  it.each([
    ['NaN', Number.NaN],
    ['infinite', Number.POSITIVE_INFINITY],
  ])('%s: an error that names the joint they were given for, its body, and the time', (_what, value) => {
    for (const at of [0, 1, 2]) {
      const tau = new Float64Array(3);
      tau[at] = value;
      let caught: unknown;
      try {
        new PlainDynamics(mechanism).forward(state, tau);
      } catch (error) {
        caught = error;
      }
      expect(caught).toBeInstanceOf(SimulationError);
      expect(caught).toMatchObject({ code: 'not-finite', body: 'abc'[at], joint: `j${'abc'[at]}`, time: 2.5 });
    }
  });
});
