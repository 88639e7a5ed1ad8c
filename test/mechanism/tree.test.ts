import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { createMechanism } from '../../src/mechanism/create.js';
import { GROUND } from '../../src/mechanism/mechanism.js';
import type { MechanismSpec } from '../../src/mechanism/spec.js';
import { State } from '../../src/mechanism/state.js';
import { createTree } from '../../src/mechanism/tree.js';
import { randomMechanism, randomSpec, randomVector, relativeError } from '../support/random-mechanism.js';
import { LONG } from '../support/runs.js';
import { body, hinge, refusal, row } from './support.js';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const shuffled = { forest: true, shuffled: true, armature: true } as const;

describe('createTree', () => {
  it('puts parents first, whatever the order of the author', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const mechanism = randomMechanism(seed, shuffled);
        const tree = createTree(mechanism);
        expect(tree.n).toBe(mechanism.bodies.length);
        expect([...tree.body].sort((a, b) => a - b)).toEqual(mechanism.bodies.map((_, i) => i));
        for (let i = 0; i < tree.n; i++) {
          const b = tree.body[i];
          expect(tree.link[b]).toBe(i);
          expect(tree.joint[i]).toBe(b);
          expect(tree.parent[i]).toBeLessThan(i);
          const parent = tree.parent[i] < 0 ? GROUND : tree.body[tree.parent[i]];
          expect(parent).toBe(mechanism.joints[b].parent);
        }
      }),
    );
  });

  it('keeps the coordinates where the author has them, and counts degrees of freedom in link order', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const mechanism = randomMechanism(seed, shuffled);
        const tree = createTree(mechanism);
        let dof = 0;
        for (let i = 0; i < tree.n; i++) {
          const { iq, iv, model, armature } = mechanism.joints[tree.joint[i]];
          expect([tree.iq[i], tree.iv[i], tree.dof[i]]).toEqual([iq, iv, dof]);
          for (let k = iv; k < iv + model.nv; k++) expect(tree.armature[k]).toBe(armature);
          dof += model.nv;
        }
        expect(tree.dof[tree.n]).toBe(mechanism.nv);
      }),
    );
  });

  it('gives the same physics for any order of the bodies', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const spec = randomSpec(seed, { bodies: 8, armature: true });
        const order = spec.bodies.map((_, i) => i).sort((i, j) => ((i * 7 + seed) % 8) - ((j * 7 + seed) % 8));
        const other: MechanismSpec = { ...spec, bodies: order.map((i) => spec.bodies[i]) };
        const [a, b] = [createMechanism(spec), createMechanism(other)];
        const [one, two] = [State.random(a, seed + 1), new State(b)];
        const tau = randomVector(seed + 2, a.nv);
        const otherTau = new Float64Array(b.nv);
        const moved = (from: Float64Array, to: Float64Array): void =>
          a.joints.forEach(({ name, iv, model }) => {
            to.set(from.subarray(iv, iv + model.nv), b.joints[b.jointIndex(name)].iv);
          });
        moved(tau, otherTau);
        moved(one.v, two.v);
        for (const { name, iq, model } of a.joints)
          two.q.set(one.q.subarray(iq, iq + model.nq), b.joints[b.jointIndex(name)].iq);
        const expected = new Float64Array(b.nv);
        moved(new PlainDynamics(a).forward(one, tau), expected);
        expect(relativeError(new PlainDynamics(b).forward(two, otherTau), expected)).toBeLessThan(1e-8);
      }),
      { numRuns: 100 },
    );
  });

  it('refuses a root that is tied to the ground by another body', () => {
    const mechanism = createMechanism(row());
    const { problems, message } = refusal(() => createTree(mechanism, 2));
    expect(problems[0].code).toBe('root');
    expect(message).toContain('"a" is tied to the ground by a revolute joint');
    expect(createTree(mechanism, 0).root).toBe(GROUND);
  });
});

describe('many bodies', () => {
  // More than a stack has room for, as calls in a row and as arguments of one.
  const large = (n: number, parentOf: (i: number) => string | null): MechanismSpec => ({
    gravity: [0, 0, 0],
    bodies: Array.from({ length: n }, (_, i) => body(`${i}`)),
    joints: Array.from({ length: n }, (_, i) => hinge(`${i}`, parentOf(i), { axis: [0, 1, 0], t: [0, 0, -0.1] })),
  });

  it.each<[number, string, (i: number) => string | null]>([
    [20_000, 'in a chain listed from its end', (i) => (i === 19_999 ? null : `${i + 1}`)],
    [LONG ? 130_000 : 30_000, 'in a star', (i) => (i === 0 ? null : '0')],
  ])('%i %s do not overflow the stack', (n, _shape, parentOf) => {
    const mechanism = createMechanism(large(n, parentOf));
    const qdd = new PlainDynamics(mechanism).forward(new State(mechanism));
    expect(qdd.every((a) => a === 0)).toBe(true);
  });

  it('in a circle are refused', () => {
    const { problems } = refusal(() => createMechanism(large(100_000, (i) => `${(i + 1) % 100_000}`)));
    expect(problems.map(({ code }) => code)).toEqual(['cycle']);
    expect(problems[0].message.length).toBeLessThan(300);
  });
});
