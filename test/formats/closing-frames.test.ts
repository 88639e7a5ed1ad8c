// robot.yaml: which frames close the loops of a URDF, and the search for a pose in which they do.

import { describe, expect, it } from 'vitest';
import { dynamics } from '../../src/dynamics/dynamics.js';
import { searchClosed } from '../../src/engines/plain/assembly/closing-search.js';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { readModel } from '../../src/files/read-model.js';
import { parseClosingFrames } from '../../src/formats/closing-frames.js';
import { createMechanism } from '../../src/mechanism/create.js';
import { State } from '../../src/mechanism/state.js';
import { hasShared, readShared } from '../support/shared.js';

const FOLDERS = ['5bar_linkage', 'cassie_like', 'robot_delta'];
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function sharedModel(folder: string, options = {}) {
  const read = (path: string) =>
    path === 'robot.yaml' ? bytes(readShared(`data/loops/${folder}/robot.yaml`)) : undefined;
  return readModel(readShared(`data/loops/${folder}/robot.urdf`), 'robot.urdf', { files: { read }, ...options });
}

describe('closing frames', () => {
  it('are read from lists in brackets and from lines with dashes', () => {
    const expected = {
      pairs: [
        { a: 'a', b: "b's", type: 'fixed' },
        { a: 'c d', b: 'e', type: 'spherical' },
      ],
      motors: ['m1', 'm2'],
    };
    expect(
      parseClosingFrames(
        `# loops\nclosed_loop: [['a', 'b''s'], [c d,\n  "e"]] # two\ntype: ['6d', '3d']\nname_mot: [m1, m2]\nrotor_mass: 0.1\n`,
      ),
    ).toEqual(expected);
    expect(
      parseClosingFrames(
        `---\nclosed_loop:\n  - [a, 'b''s']\n  - ["c d", e]\ntype:\n- 6d\n- '3d'\nname_mot:\n  - m1\n  - m2`,
      ),
    ).toEqual(expected);
    expect(parseClosingFrames('other: 3')).toEqual({ pairs: [], motors: [] });
  });

  it.each([
    ['no list', 'closed_loop: a\ntype: [6d]'],
    ['pairs of three', 'closed_loop: [[a, b, c]]\ntype: [6d]'],
    ['a type too few', 'closed_loop: [[a, b]]\ntype: []'],
    ['a type that there is not', 'closed_loop: [[a, b]]\ntype: [5d]'],
    ['brackets that stay open', 'closed_loop: [[a, b]\ntype: [6d]'],
    ['lists within lists within lists', `closed_loop: ${'['.repeat(10_000)}`],
    ['something else', 'closed_loop: {a: b}\n? x'],
  ])('refuses %s', (_, text) => {
    expect(() => parseClosingFrames(text)).toThrow(/expected|Expected|not a list/);
  });

  describe.skipIf(!hasShared('data/loops'))('of shared mechanisms', () => {
    it.each(FOLDERS)('%s closes from the open pose, by its joints without motors', (folder) => {
      const { mechanism, state } = sharedModel(folder);
      const motors = parseClosingFrames(readShared(`data/loops/${folder}/robot.yaml`)).motors;
      for (const motor of motors) expect(state.q[mechanism.joint(motor).iq]).toBe(0);
      const door = dynamics(mechanism);
      expect(mechanism.loops.length).toBeGreaterThan(0);
      for (const { a, b } of mechanism.loops) {
        const [p, q] = [a, b].map(({ body }) => door.pose(state, mechanism.bodies[body].name));
        for (let k = 0; k < 3; k++) expect(Math.abs(p.t[k] - q.t[k])).toBeLessThan(1e-10);
        for (let k = 0; k < 9; k++) expect(Math.abs(p.E[k] - q.E[k])).toBeLessThan(1e-10);
      }
      expect(mechanism.warnings.some(({ code }) => code === 'loops-closed')).toBe(true);
      const qdd = door.forward(state);
      expect(qdd.every(Number.isFinite)).toBe(true);
      // The same with the links on fixed joints merged, and without loops.
      const merged = sharedModel(folder, { fixedJoints: 'merge' });
      const again = new PlainDynamics(merged.mechanism).forward(merged.state);
      const { iv } = mechanism.joint(motors[0]);
      expect(Math.abs(again[merged.mechanism.joint(motors[0]).iv] - qdd[iv])).toBeLessThan(
        1e-6 * (1 + Math.abs(qdd[iv])),
      );
      expect(sharedModel(folder, { loops: 'open' }).mechanism.loops).toHaveLength(0);
    });

    it('says what is left of a loop that cannot close', () => {
      const urdf = readShared('data/loops/5bar_linkage/robot.urdf');
      const yaml =
        "closed_loop: [['closedloop1_A', 'closedloop1_B']]\ntype: ['6d']\nname_mot: ['mot1', 'mot2', 'free1', 'free2']";
      const all = sharedModel('5bar_linkage').mechanism.joints.map(({ name }) => `'${name}'`);
      const read = () => bytes(yaml.replace(/name_mot.*/, `name_mot: [${all.join(', ')}]`));
      const { mechanism } = readModel(urdf, 'robot.urdf', { files: { read } });
      expect(mechanism.warnings.find(({ code }) => code === 'loops-open')?.message).toContain('1.57');
      const wrong = () => bytes(yaml.replace('closedloop1_A', 'closedloop1_C'));
      expect(() => readModel(urdf, 'robot.urdf', { files: { read: wrong } })).toThrow('closedloop1_A');
    });
  });

  it('half a turn is not closed', () => {
    const mechanism = createMechanism({
      bodies: [{ name: 'a', mass: 1, inertia: [1, 0, 0, 0, 1, 0, 0, 0, 1] }],
      joints: [{ name: 'j', type: 'revolute', axis: [0, 0.6, 0.8], parent: null, child: 'a' }],
      loops: [{ name: 'l', type: 'fixed', a: { body: null }, b: { body: 'a' } }],
    });
    const state = new State(mechanism);
    state.q[0] = Math.PI;
    const { before, after } = searchClosed(state);
    expect(before).toBeCloseTo(Math.PI * 0.8, 9);
    expect(after).toBeLessThan(1e-10);
    expect(Math.cos(state.q[0])).toBeCloseTo(1, 12);
  });
});
