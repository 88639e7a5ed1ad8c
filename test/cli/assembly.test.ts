// fd in the order of a schedule, closed loops, and the scene of paper 000.

import { describe, expect, it } from 'vitest';
import { formatDescription, formatJson } from '../../src/formats/index.js';
import { MechanismBuilder } from '../../src/mechanism/builder.js';
import { State } from '../../src/mechanism/state.js';
import { relativeError } from '../support/random-mechanism.js';
import { type JointJson, json, manikin, output, temporaryFolder } from './support.js';

const files = temporaryFolder();
const accelerations = (result: { joints: JointJson[] }): number[] => result.joints.flatMap(({ qdd }) => qdd);

describe('fd --algorithm ada', () => {
  it('agrees with aba, in any order, by numbers or by names', async () => {
    const reference = accelerations(await json('fd', 'chain-4', '--seed', '1'));
    const plain = await json('fd', 'chain-4', '--seed', '1', '--algorithm', 'ada');
    expect(plain.algorithm).toBe('ada');
    expect(relativeError(accelerations(plain), reference)).toBeLessThan(1e-12);
    const names = (await json('fd', 'chain-4')).joints.map(({ name }: JointJson) => name) as string[];
    const byNumber = files.write('order.json', [2, [0, null, [1, null, null]], [3, null, null]]);
    const byName = files.write('names.json', { tree: [names[2], [names[0], null, [names[1]]], [names[3]]] });
    for (const file of [byNumber, byName]) {
      const result = await json('fd', 'chain-4', '--seed', '1', '--order', file);
      expect(result.algorithm).toBe('ada');
      expect(relativeError(accelerations(result), reference)).toBeLessThan(1e-12);
    }
  });

  it('in the printed form too', async () => {
    const reference = accelerations(await json('fd', 'human-34', '--seed', '2'));
    const printed = await json('fd', 'human-34', '--seed', '2', '--algorithm', 'ada', '--form', 'printed', '--forces');
    expect(relativeError(accelerations(printed), reference)).toBeLessThan(1e-8);
    expect(printed.joints[3].force).toHaveLength(6);
  });

  it('refuses an order that is none, with the reason', async () => {
    const cases: [unknown, RegExp][] = [
      [[0, null, null], /leaves out joint 1/],
      [[0, null, [1, null, [1, null, null]]], /joint 1 .* twice/],
      [[7, null, null], /numbers from 0 to 1, got 7/],
      [['nobody', null, null], /name of a joint, got "nobody"/],
      [{ tree: 5 }, /got 5/],
      [[1, null, [0, null, null]], /root side/],
    ];
    for (const [data, message] of cases) {
      const { code, err } = await manikin('fd', 'chain-2', '--order', files.write('bad.json', data));
      expect(code, err).toBe(2);
      expect(err).toMatch(message);
    }
    const { code, err } = await manikin(
      'fd',
      'chain-2',
      '--order',
      files.write('o.json', [0, null, [1]]),
      '--algorithm',
      'dense',
    );
    expect(code).toBe(2);
    expect(err).toMatch(/--order and --form go with --algorithm ada/);
  });
});

describe('closed loops', () => {
  const ring = new MechanismBuilder('triangle')
    .link('left', {
      parent: null,
      joint: { type: 'revolute', axis: [0, 1, 0] },
      mass: 1,
      com: [0.5, 0, 0],
      inertia: [0.01, 0, 0, 0, 0.1, 0, 0, 0, 0.1],
    })
    .link('right', {
      parent: 'left',
      joint: { type: 'revolute', axis: [0, 1, 0] },
      at: [1, 0, 0],
      mass: 1,
      com: [0.5, 0, 0],
      inertia: [0.01, 0, 0, 0, 0.1, 0, 0, 0, 0.1],
    })
    .loop({
      name: 'foot',
      type: 'revolute',
      axis: [0, 1, 0],
      a: { body: null, t: [1, 0, 0] },
      b: { body: 'right', t: [1, 0, 0] },
    })
    .build();
  const state = new State(ring).set('left', -Math.PI / 3).set('right', (2 * Math.PI) / 3);

  it('fd prints the forces in loop joints and says which are open', async () => {
    const file = files.write('ring.json', formatJson(formatDescription(ring, state)));
    const result = await json('fd', file, '--forces');
    expect(result.algorithm).toBe('ada');
    // A triangle does not move.
    expect(Math.max(...accelerations(result).map(Math.abs))).toBeLessThan(1e-9);
    expect(result.loops).toHaveLength(1);
    expect([...result.indeterminate].sort()).toEqual(['foot', 'left', 'right']);
    const text = await output('fd', file, '--forces');
    expect(text).toContain('loop joint');
    expect(text).toContain('Indeterminate');
  });
});

describe('the scene of paper 000, figure 7', () => {
  it('holds a bar, releases the right hand, then the left', async () => {
    const result = await json('simulate', 'human-34-bar', '--duration', '1.5', '--step', '0.002');
    expect(result.events).toEqual(['0.8 s: right_grip released', '1.4 s: left_grip released']);
    expect(result.energy.largestGain).toBeLessThan(1e-3);
    expect(result.contacts.residual).toBeLessThan(1e-8);
    const { code, err } = await manikin('simulate', 'human-34-bar', '--seed', '1');
    expect(code).toBe(2);
    expect(err).toContain('brings its own state');
    expect(await output('models')).toContain('human-34-bar');
  });
});
