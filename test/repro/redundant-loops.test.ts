// Loops that add no constraint, on bases that move: the motion is that of the mechanism without them.

import { describe, expect, it } from 'vitest';
import { connect } from '../../src/dynamics/connect.js';
import { dynamics as front } from '../../src/dynamics/dynamics.js';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import type { JointTypeName } from '../../src/joints/index.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { mechanismSpec } from '../../src/mechanism/variants.js';
import { Simulation } from '../../src/simulation/simulation.js';
import type { Mat3, Vec3 } from '../../src/spatial/matrix3.js';
import { relativeError } from '../support/random-mechanism.js';

const INERTIA: Mat3 = [0.05, 0, 0, 0, 0.06, 0, 0, 0, 0.07];

function door(base: JointTypeName, type: JointTypeName, axis: Vec3, second: Vec3 | undefined): Mechanism {
  return createMechanism({
    bodies: [
      { name: 'frame', mass: 5, com: [0.3, 0.1, 0.2], inertia: INERTIA },
      { name: 'door', mass: 1, com: [0.4, 0.05, 0.5], inertia: INERTIA },
    ],
    joints: [
      { name: 'base', type: base, parent: null, child: 'frame', axis: [0, 0.6, 0.8] },
      { name: 'hinge', type, parent: 'frame', child: 'door', axis, t: [0.2, 0, 0] },
    ],
    loops:
      second === undefined
        ? []
        : [
            {
              name: 'second',
              type,
              axis,
              a: { body: 'frame', t: [0.2 + second[0], second[1], second[2]] },
              b: { body: 'door', t: second },
            },
          ],
  });
}

describe('a second hinge or rail changes nothing', () => {
  it.each([
    ['door, frame on a ball joint', 'spherical', 'revolute', [0, 0, 1], [0, 0, 1]],
    ['door, same place', 'spherical', 'revolute', [0, 0, 1], [0, 0, 0]],
    ['drawer, frame on a ball joint', 'spherical', 'prismatic', [1, 0, 0], [0, 0.5, 0]],
    ['drawer on a boat', 'floating', 'prismatic', [1, 0, 0], [0, 0.5, 0]],
    ['door on a boat', 'floating', 'revolute', [0, 0, 1], [0, 0, 1]],
    ['door, hinged frame', 'revolute', 'revolute', [0, 0, 1], [0, 0, 1]],
    ['two welds in parallel', 'universal', 'fixed', [0, 0, 1], [0.1, 0.2, 0.3]],
    ['two ball joints in one place', 'planar', 'spherical', [0, 0, 1], [0, 0, 0]],
    ['two cylinders', 'helical', 'cylindrical', [0, 0, 1], [0, 0, 0.4]],
    ['two tables', 'prismatic', 'planar', [0, 0, 1], [0.3, -0.2, 0]],
  ] as const)('%s', (_, base, type, axis, second) => {
    const one = door(base, type, axis, undefined);
    const two = door(base, type, axis, second);
    const dynamics = new PlainDynamics(two);
    const engines = (['wasm', 'compiled', 'auto'] as const).map((engine) => front(two, { engine }));
    for (let seed = 1; seed <= 40; seed++) {
      const state = State.random(one, seed);
      const same = new State(two, { q: state.q.slice(), v: state.v.slice() });
      const expected = new PlainDynamics(one).forward(state);
      expect(relativeError(dynamics.forward(same), expected), `seed ${seed}`).toBeLessThan(1e-11);
      expect(dynamics.loopReport(), `seed ${seed}`).toMatchObject({ rank: 0, warnings: [] });
      for (const engine of engines)
        expect(relativeError(engine.forward(same), expected), `seed ${seed}`).toBeLessThan(1e-11);
    }
    const [first, next] = [State.random(one, 41), new State(two)];
    next.q.set(first.q);
    next.v.set(first.v);
    const simulations = [new Simulation(one, { state: first }), new Simulation(two, { state: next })];
    for (const simulation of simulations) for (let k = 0; k < 100; k++) simulation.step();
    expect(relativeError(simulations[1].state.v, simulations[0].state.v)).toBeLessThan(1e-8);
  });
});

describe('a loop between bodies that are welded together', () => {
  const body = (name: string) => ({ name, mass: 1, com: [0.1, 0.2, 0.05] as const, inertia: INERTIA });
  it.each(['spherical', 'prismatic'] as const)('%s base: connect changes no velocity', (base) => {
    for (const t of [[0, 0, 0] as const, [0, 0, 0.1] as const]) {
      const mechanism = createMechanism({
        bodies: ['hand', 'tool'].map(body),
        joints: [
          { name: 'wrist', type: base, parent: null, child: 'hand', axis: [0.6, 0, 0.8] },
          { name: 'weld', type: 'fixed', parent: 'hand', child: 'tool', t },
        ],
      });
      for (let seed = 1; seed <= 60; seed++)
        for (const type of ['fixed', 'revolute', 'spherical'] as const) {
          const state = State.random(mechanism, seed);
          const joined = connect(mechanism, state, {
            name: 'grip',
            a: 'tool',
            b: 'hand',
            joint: { type, axis: [0, 0, 1] },
            at: [0.5, 0.25, 0],
          });
          const where = `${type}, seed ${seed}`;
          expect(joined.state.v, where).toEqual(state.v);
          expect(Math.abs(joined.energyLost), where).toBeLessThan(1e-12);
          const dynamics = new PlainDynamics(joined.mechanism);
          const expected = new PlainDynamics(mechanism).forward(state);
          expect(relativeError(dynamics.forward(joined.state), expected), where).toBeLessThan(1e-12);
          expect(dynamics.loopReport().rank, where).toBe(0);
        }
    }
  });
});

describe('loops of light links beside loops of heavy ones', () => {
  it.each([
    [1, 1],
    [1e-3, 1e3],
    [1e-5, 1e6],
    [1e-6, 1e6],
    [1e-9, 1e9],
  ] as const)('%d and %d kg', (light, heavy) => {
    const names = ['l1', 'l2', 'h1', 'h2'];
    let mechanism = createMechanism({
      gravity: [0, 0, 0],
      bodies: names.map((name) => {
        const mass = name.startsWith('l') ? light : heavy;
        return { name, mass, inertia: [mass, 0, 0, 0, mass, 0, 0, 0, mass] };
      }),
      joints: names.map((name, i) => ({
        name: `j${name}`,
        type: 'prismatic',
        parent: null,
        child: name,
        axis: [1, 0, 0],
        t: [0, i, 0],
      })),
    });
    let state = new State(mechanism);
    for (const [a, b] of [
      ['l1', 'l2'],
      ['h1', 'h2'],
    ]) {
      const joined = connect(mechanism, state, { name: a + b, a, b, joint: { type: 'fixed' }, at: [0, 0, 0] });
      ({ mechanism, state } = joined);
    }
    const dynamics = new PlainDynamics(mechanism);
    const tau = new Float64Array(4);
    tau[2] = heavy;
    expect(relativeError(dynamics.forward(state, tau), [0, 0, 0.5, 0.5])).toBeLessThan(1e-12);
    expect(dynamics.loopReport().rank).toBe(2);
  });
});

it('a loop that constrains nothing in this state, and something in others', () => {
  // A hinge about z, and a universal joint in its place: it forbids turning about n, which is along y here and has a part along z elsewhere.
  const build = (loops: boolean): Mechanism => {
    const spec = mechanismSpec(door('spherical', 'revolute', [0, 0, 1], undefined));
    const universal = {
      name: 'cross',
      type: 'universal',
      axis: [0.5, 0, Math.sqrt(0.75)],
      axis2: [1, 0, 0],
      a: { body: 'frame', t: [0.2, 0, 0] },
      b: { body: 'door' },
    } as const;
    return createMechanism({ ...spec, loops: loops ? [universal] : [] });
  };
  const [one, two] = [build(false), build(true)];
  const engines = (['plain', 'wasm', 'compiled', 'auto'] as const).map((engine) => front(two, { engine }));
  for (let seed = 1; seed <= 40; seed++) {
    const state = State.random(one, seed).set('hinge', 0, 0);
    const expected = new PlainDynamics(one).forward(state);
    const same = new State(two, state);
    for (const engine of engines) {
      expect(relativeError(engine.forward(same), expected), `${engine.engine}, seed ${seed}`).toBeLessThan(1e-11);
      expect(engine.loopReport().rank, `${engine.engine}, seed ${seed}`).toBe(0);
    }
  }
  const away = State.random(two, 1).set('hinge', 1, 0);
  engines[0].forward(away);
  expect(engines[0].loopReport().rank).toBe(1);
});
