import { describe, expect, it } from 'vitest';
import { Random } from '../../src/mechanism/random.js';
import { type Environment, environment } from '../../src/scenes/environment.js';
import type { EnvironmentOptions } from '../../src/scenes/environment-copies.js';
import { sceneWorld } from '../../src/scenes/make-scene.js';
import type { Scene } from '../../src/scenes/scene.js';

/** A chain on the ground beside a box: contacts, a limit of time, random starts. */
const SCENE: Scene = {
  mechanisms: [{ model: 'chain-2' }, { model: { kind: 'box', size: [0.2, 0.2, 0.2] }, at: [0.4, 0, -0.4] }],
  ground: { plane: [0, 0, 1, -0.5] },
  step: 0.005,
  duration: 0.2,
};

const OPTIONS: EnvironmentOptions = {
  copies: 3,
  observations: 4,
  actions: 2,
  frames: 2,
  act: ['joint_1', 'joint_2'],
  observe: ({ world }, observation) => {
    const { q, v } = world.members[0].state;
    observation.set([...q, ...v]);
  },
  reward: ({ world }, action) => world.members[0].state.q[0] - 0.01 * action[0] ** 2,
  terminated: ({ world }) => world.members[0].state.q[0] > 0.5,
  reset: ({ world }, random) => {
    const { q } = world.members[0].state;
    for (let k = 0; k < q.length; k++) q[k] = random.between(-0.3, 0.3);
  },
};

function played(env: Environment, seed: number): number[] {
  const random = new Random(seed + 1000);
  const seen: number[] = [...env.reset(seed).observation];
  for (let k = 0; k < 30; k++) {
    env.step(Float64Array.from({ length: 2 * env.copies }, () => random.between(-5, 5)));
    seen.push(...env.observation, ...env.reward, ...env.terminated, ...env.truncated);
  }
  return seen;
}

describe('environment', () => {
  it('gives the same bits for the same seed, again and in another environment', () => {
    const env = environment(SCENE, OPTIONS);
    const first = played(env, 7);
    const other = played(env, 8);
    expect(played(env, 7)).toEqual(first);
    expect(other).not.toEqual(first);
    expect(played(environment(SCENE, OPTIONS), 7)).toEqual(first);
  });

  it('begins anew with sensors that know nothing of what was before', () => {
    const observe: EnvironmentOptions['observe'] = ({ world }, observation) => {
      const [, box] = world.members;
      const { force } = world.contactForce(box, 'box');
      observation.set([...world.imu(box, 'box').acceleration, force[2]]);
    };
    const env = environment(SCENE, { ...OPTIONS, observe });
    const first = played(env, 7);
    expect(first.slice(0, 4)).toEqual([0, 0, 9.81, 0]);
    expect(first.some((x) => x > 10)).toBe(true);
    expect(played(env, 7)).toEqual(first);
  });

  it('starts copies apart, and ends each by itself', () => {
    const env = environment(SCENE, { ...OPTIONS, terminated: ({ time }) => time > 0.0649 });
    env.reset(1);
    expect(env.observation[0]).not.toBe(env.observation[4]);
    const ended: number[][] = [];
    for (let k = 0; k < 9; k++) ended.push([...env.step(new Float64Array(6)).terminated]);
    // Over after seven steps of 10 ms, begun anew in the eighth.
    expect(ended.map(([one]) => one)).toEqual([0, 0, 0, 0, 0, 0, 1, 0, 0]);
    expect(env.truncated[0]).toBe(0);
  });

  it('acts: forces on joints by name, or whatever a function does', () => {
    const turned = (env: Environment, action: number): number => {
      env.reset(1);
      for (let k = 0; k < 5; k++) env.step([action, 0, 0, 0, 0, 0]);
      return env.observation[0];
    };
    const byName = environment(SCENE, { ...OPTIONS, terminated: () => false });
    expect(turned(byName, 3)).toBeGreaterThan(turned(byName, 0) + 1e-3);
    const byFunction = environment(SCENE, {
      ...OPTIONS,
      terminated: () => false,
      act: ({ world }, action) => world.members[0].drive('joint_1', { kind: 'torque', torque: action[0] }),
    });
    expect(turned(byFunction, 3)).toBeCloseTo(turned(byName, 3), 12);
  });

  it('acts on the joint that is named also after another one was cut', () => {
    const scene: Scene = {
      mechanisms: [{ model: 'chain-3' }],
      events: [{ at: 0, disconnect: 'joint_1' }],
      step: 0.001,
    };
    const none = (): number => 0;
    const env = environment(scene, { observations: 0, actions: 1, act: ['joint_3'], observe: none, reward: none });
    const pushed = sceneWorld({
      ...scene,
      mechanisms: [{ model: 'chain-3', control: { kind: 'torque', torques: { joint_3: 1 } } }],
    });
    for (let k = 0; k < 3; k++) {
      env.step([1]);
      pushed.step();
    }
    expect(env.runs[0].world.members[0].state.v).toEqual(pushed.world.members[0].state.v);
    env.reset(0).step([1]);
    expect(env.runs[0].story).toHaveLength(1);
  });

  it('truncates where the scene ends', () => {
    const env = environment(SCENE, { ...OPTIONS, terminated: () => false });
    env.reset(1);
    for (let k = 1; k <= 20; k++) expect(env.step(new Float64Array(6)).truncated[0]).toBe(k === 20 ? 1 : 0);
    env.step(new Float64Array(6));
    expect([env.truncated[0], env.reward[0]]).toEqual([0, 0]);
  });

  it('a copy that fails is over, the others go on', () => {
    const env = environment(SCENE, OPTIONS);
    env.reset(1);
    env.step([0, 0, Number.NaN, 0, 0, 0]);
    expect([...env.terminated]).toEqual([0, 1, 0]);
    expect(env.failures.get(1)?.message).toMatch(/The control gives NaN for joint "joint_1"/);
    env.step(new Float64Array(6));
    expect([...env.terminated]).toEqual([0, 0, 0]);
    expect([...env.observation].every(Number.isFinite)).toBe(true);
  });

  it('refuses what makes no sense', () => {
    expect(() => environment(SCENE, { ...OPTIONS, copies: 0 })).toThrow('copies: Expected a whole number');
    expect(() => environment(SCENE, { ...OPTIONS, act: ['joint_1'] })).toThrow('An action has 2 numbers, but 1 joints');
    expect(() => environment(SCENE, { ...OPTIONS, act: ['joint_1', 'joint_3'] })).toThrow('Did you mean "joint_');
    expect(() => environment(SCENE, OPTIONS).step([1])).toThrow('Expected 6 numbers, got 1');
    for (const limit of [0, -1, 1.5, Number.NaN])
      expect(() => environment(SCENE, { ...OPTIONS, limit })).toThrow(
        `limit: Expected a whole number of steps, or Infinity, got ${limit}.`,
      );
    for (const name of ['observe', 'reward'])
      expect(() => environment(SCENE, { ...OPTIONS, [name]: undefined })).toThrow(`${name}: Expected a function.`);
    for (const seed of [1.5, Number.NaN, undefined as never])
      expect(() => environment(SCENE, OPTIONS).reset(seed)).toThrow(`seed: Expected a whole number, got ${seed}.`);
  });
});
