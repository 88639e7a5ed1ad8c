// A state of another mechanism of the same size, or of this one before it was re-rooted, is refused by every function.

import { describe, expect, it } from 'vitest';
import { connect, disconnect } from '../../src/dynamics/connect.js';
import { dynamics, ENGINE_CHOICES } from '../../src/dynamics/dynamics.js';
import { impact } from '../../src/dynamics/impact.js';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { formatState, parseState } from '../../src/formats/index.js';
import { createMechanism } from '../../src/mechanism/create.js';
import { reroot } from '../../src/mechanism/reroot.js';
import { State } from '../../src/mechanism/state.js';
import { mechanismSpec } from '../../src/mechanism/variants.js';
import { builtinMechanism } from '../../src/models/index.js';
import { Simulation } from '../../src/simulation/simulation.js';

const human = builtinMechanism('human-34');
const state = State.random(human, 1);
const rerooted = reroot(human, state, { top: 'head', at: [0, 0, 0], joint: 'floating' });
const refused = /The state (belongs to|does not belong to)/;

describe.each(ENGINE_CHOICES)('%s', (engine) => {
  it.each([
    ['before re-rooting', rerooted.mechanism, state],
    ['after re-rooting', human, rerooted.state],
    [
      'of another model of the same size',
      builtinMechanism('chain-8'),
      new State(builtinMechanism('chain-8-spherical')),
    ],
    ['of another chain', builtinMechanism('chain-40'), State.random(builtinMechanism('compass'), 1)],
  ])('a state %s', (_what, mechanism, foreign) => {
    const door = dynamics(mechanism, { engine });
    expect(() => door.forward(foreign)).toThrow(refused);
    expect(() => door.inverse(foreign)).toThrow(refused);
    expect(() => door.massMatrix(foreign)).toThrow(refused);
    expect(() => door.energy(foreign)).toThrow(refused);
    expect(() => door.poses(foreign)).toThrow(refused);
    expect(() => door.velocities(foreign)).toThrow(refused);
    expect(() => door.jacobians(foreign)).toThrow(refused);
    expect(() => door.solve(foreign, new Float64Array(mechanism.nv))).toThrow(refused);
    door.dispose();
  });
});

it('impact, connect, disconnect, reroot, simulation', () => {
  const { mechanism } = rerooted;
  expect(() => impact(mechanism, state, { body: 'head', at: [0, 0, 0], normal: [0, 0, 1] })).toThrow(refused);
  expect(() =>
    connect(mechanism, state, { name: 'x', a: 'head', b: null, joint: { type: 'fixed' }, at: [0, 0, 0] }),
  ).toThrow(refused);
  expect(() => disconnect(mechanism, state, mechanism.joints[3].name)).toThrow(refused);
  expect(() => reroot(mechanism, state, { top: 'head', at: [0, 0, 0], joint: 'floating' })).toThrow(refused);
  expect(() => new Simulation(mechanism, { state })).toThrow(refused);
});

it('mechanisms with the same joints share their states', () => {
  const held = connect(human, state, { name: 'hold', a: 'head', b: null, joint: { type: 'spherical' }, at: [0, 0, 1] });
  expect(() => new PlainDynamics(held.mechanism).energy(state)).not.toThrow();
  expect(() => new PlainDynamics(human).forward(held.state)).not.toThrow();
  const copy = createMechanism(mechanismSpec(human));
  expect(new PlainDynamics(copy).forward(state)).toEqual(new PlainDynamics(human).forward(state));
});

it('a state file keeps the time', () => {
  const later = state.clone();
  later.time = 12.5;
  const { state: back } = parseState(JSON.parse(JSON.stringify(formatState(later))) as object, human);
  expect(back.time).toBe(12.5);
  expect(back.q).toEqual(later.q);
});
