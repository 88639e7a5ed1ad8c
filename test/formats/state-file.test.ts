import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatJson } from '../../src/formats/json-writer.js';
import { formatState, parseState } from '../../src/formats/state-file.js';
import { MechanismBuilder } from '../../src/mechanism/builder.js';
import { createMechanism } from '../../src/mechanism/create.js';
import { State } from '../../src/mechanism/state.js';
import { importProblems, randomSpec } from './support.js';

const arm = new MechanismBuilder('arm')
  .link('base', { parent: null, joint: { name: 'root', type: 'floating' }, mass: 1 })
  .link('hand', { parent: 'base', joint: { name: 'wrist', type: 'continuous' }, mass: 1 })
  .link('mark', { parent: 'hand', joint: { name: 'glue', type: 'fixed' } })
  .build();

const problemsOf = (source: string | object): string[] =>
  importProblems(() => parseState(source, arm, { file: 's.json' })).map(({ where, message }) => `${where}: ${message}`);

describe('state files', () => {
  it('come back to the last bit, for random mechanisms of all joint types', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const mechanism = createMechanism(randomSpec(seed));
        const state = State.random(mechanism, seed);
        const tau = State.random(mechanism, seed + 1).v;
        const qdd = State.random(mechanism, seed + 2).v;
        const read = parseState(formatJson(formatState(state, { tau, qdd })), mechanism);
        expect([...read.state.q]).toEqual([...state.q]);
        expect([...read.state.v]).toEqual([...state.v]);
        expect([...read.tau!]).toEqual([...tau]);
        expect([...read.qdd!]).toEqual([...qdd]);
      }),
      { numRuns: 50 },
    );
  });

  it('have a record for each joint, in the words of the description format', () => {
    const state = new State(arm).set('wrist', 0.5, 2);
    expect(formatState(state, { tau: [1, 2, 3, 4, 5, 6, 7] })).toEqual({
      time: 0,
      joints: [
        {
          name: 'root',
          body: 'base',
          type: 'floating',
          q: [1, 0, 0, 0, 0, 0, 0],
          v: [0, 0, 0, 0, 0, 0],
          tau: [1, 2, 3, 4, 5, 6],
        },
        { name: 'wrist', body: 'hand', type: 'revolute', q: [0.5], v: [2], tau: [7] },
        { name: 'glue', body: 'mark', type: 'fixed', q: [], v: [], tau: [] },
      ],
    });
  });

  it('may leave out joints, velocities, bodies and types, and have other results in them', () => {
    const read = parseState(
      { model: 'arm', joints: [{ name: 'wrist', q: 0.5, tau: [3], force: [1, 2, 3, 4, 5, 6] }] },
      arm,
    );
    expect([...read.state.q]).toEqual([1, 0, 0, 0, 0, 0, 0, 0.5]);
    expect([...read.state.v]).toEqual(new Array(7).fill(0));
    expect([...read.tau!]).toEqual([0, 0, 0, 0, 0, 0, 3]);
    expect(read.qdd).toBeUndefined();
  });

  it('may call a continuous joint by either name', () => {
    for (const type of ['revolute', 'continuous'])
      expect(parseState({ joints: [{ name: 'wrist', type, q: [1] }] }, arm).state.q[7]).toBe(1);
  });

  it.each([
    [{}, 'joints: Expected an array, got nothing.'],
    [{ joints: [7] }, 'joints[0]: Expected an object, got 7.'],
    [{ joints: [{ q: 1 }] }, 'joints[0].name: Expected a name, got nothing.'],
    [{ joints: [{ name: 'elbow', q: 1 }] }, 'joints[0].name: Expected the name of a joint of "arm", got "elbow".'],
    [{ joints: [{ name: 'wrist' }] }, 'joints[0].q: Expected a finite number, got nothing.'],
    [{ joints: [{ name: 'wrist', q: [1, 2] }] }, 'joints[0].q: Expected a finite number, got an array of 2.'],
    [{ joints: [{ name: 'wrist', q: [null] }] }, 'joints[0].q: Expected a finite number, got null among them.'],
    [
      { joints: [{ name: 'wrist', q: 1, v: [Number.NaN] }] },
      'joints[0].v: Expected a finite number, got NaN among them.',
    ],
    [{ joints: [{ name: 'wrist', q: 1, tau: [1, 2] }] }, 'joints[0].tau: Expected a finite number, got an array of 2.'],
    [{ joints: [{ name: 'wrist', body: 'foot', q: 1 }] }, 'joints[0].body: Expected "hand", got "foot".'],
    [{ joints: [{ name: 'wrist', type: 'prismatic', q: 1 }] }, 'joints[0].type: Expected "revolute", got "prismatic".'],
    [
      { joints: [{ name: 'root', q: [0, 0, 0, 0, 0, 0, 0] }] },
      'joints[0].q: Expected a unit quaternion, got one of length 0.',
    ],
    [
      {
        joints: [
          { name: 'wrist', q: 1 },
          { name: 'wrist', q: 2 },
        ],
      },
      'joints[1].name: Expected each joint once, got it twice.',
    ],
  ])('are refused: %j', (source, message) => {
    expect(problemsOf(source)).toEqual([`s.json: ${message}`]);
  });
});
