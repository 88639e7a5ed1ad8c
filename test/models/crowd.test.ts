import { expect, test } from 'vitest';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { State } from '../../src/mechanism/state.js';
import { crowd } from '../../src/models/crowd.js';
import { human } from '../../src/models/human.js';
import { randomVector, relativeError } from '../support/random-mechanism.js';

const one = human('human-34');

test('size', () => {
  const three = crowd(3);
  expect(three.nv).toBe(34 + 2 * 31);
  expect(three.bodies).toHaveLength(3 * one.bodies.length);
  const mass = (bodies: readonly { mass: number }[]): number => bodies.reduce((sum, body) => sum + body.mass, 0);
  expect(mass(three.bodies)).toBeCloseTo(3 * mass(one.bodies), 9);
  expect(three.joints.filter(({ parent }) => parent < 0)).toHaveLength(1);
});

test('a crowd of one is the figure', () => {
  const state = State.random(one, 3);
  const alone = crowd(1);
  const tau = randomVector(1, one.nv);
  const byName = new Map(one.joints.map((joint) => [`figure_1_${joint.name}`, joint]));
  const same = new State(alone);
  const force = new Float64Array(alone.nv);
  for (const { name, iq, iv, model } of alone.joints) {
    const joint = byName.get(name)!;
    for (let k = 0; k < model.nq; k++) same.q[iq + k] = state.q[joint.iq + k];
    for (let k = 0; k < model.nv; k++) same.v[iv + k] = state.v[joint.iv + k];
    for (let k = 0; k < model.nv; k++) force[iv + k] = tau[joint.iv + k];
  }
  const expected = new PlainDynamics(one).forward(state, tau);
  const got = new PlainDynamics(alone).forward(same, force);
  const back = new Float64Array(one.nv);
  for (const { name, iv, model } of alone.joints)
    for (let k = 0; k < model.nv; k++) back[byName.get(name)!.iv + k] = got[iv + k];
  expect(relativeError(back, expected)).toBeLessThan(1e-12);
});

// The second figure hangs by its hand; seen from its own pelvis its bodies are where the single figure's are.
test('coordinates of the other figures mean what they mean in one figure', () => {
  const two = crowd(2);
  const state = State.random(two, 5);
  const alone = State.random(one, 6);
  for (const { name, iq, model } of one.joints) {
    if (model.nv !== 1) continue;
    const joint = two.joints.find((other) => other.name === `figure_2_${name}`)!;
    alone.q[iq] = state.q[joint.iq];
  }
  const [crowdPoses, ownPoses] = [new PlainDynamics(two).poses(state), new PlainDynamics(one).poses(alone)];
  // Centres of mass seen from the pelvis, whatever the frames.
  const seen = (
    poses: Float64Array,
    body: number,
    com: readonly number[],
    pelvis: number,
    centre: readonly number[],
  ) => {
    const at = (b: number, c: readonly number[], k: number): number =>
      poses[12 * b + 9 + k] + poses[12 * b + k] * c[0] + poses[12 * b + 3 + k] * c[1] + poses[12 * b + 6 + k] * c[2];
    const d = [0, 1, 2].map((k) => at(body, com, k) - at(pelvis, centre, k));
    return [0, 1, 2].map((row) => d.reduce((sum, x, k) => sum + poses[12 * pelvis + 3 * row + k] * x, 0));
  };
  const pelvis = two.bodyIndex('figure_2_pelvis');
  one.bodies.forEach(({ name, com }, body) => {
    const other = two.bodyIndex(`figure_2_${name}`);
    const got = seen(crowdPoses, other, two.bodies[other].com, pelvis, two.bodies[pelvis].com);
    const expected = seen(ownPoses, body, com, one.bodyIndex('pelvis'), one.bodies[one.bodyIndex('pelvis')].com);
    got.forEach((x, k) => {
      expect(x, name).toBeCloseTo(expected[k], 10);
    });
  });
});
