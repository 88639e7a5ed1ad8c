import { afterEach, describe, expect, it } from 'vitest';
import { Random } from '../../src/mechanism/random.js';
import { environment } from '../../src/scenes/environment.js';
import { type EnvironmentTask, loadTask } from '../../src/scenes/environment-task.js';
import {
  type ParallelEnvironment,
  type ParallelEnvironmentOptions,
  parallelEnvironment,
} from '../../src/scenes/parallel-environment.js';
import type { Scene } from '../../src/scenes/scene.js';

const SCENE: Scene = {
  mechanisms: [{ model: 'chain-2' }, { model: { kind: 'box', size: [0.2, 0.2, 0.2] }, at: [0.4, 0, -0.4] }],
  ground: { plane: [0, 0, 1, -0.5] },
  step: 0.005,
  duration: 0.2,
};

const TASK = new URL('../support/environment-task.mjs', import.meta.url);

/** What is common to environments on one thread and on several. */
type Played = Pick<ParallelEnvironment, 'copies' | 'observation' | 'reward' | 'terminated' | 'truncated'> & {
  reset(seed: number): Played;
  step(actions: ArrayLike<number>): Played;
};

function played(env: Played, seed: number): number[] {
  const random = new Random(seed + 1000);
  const seen: number[] = [...env.reset(seed).observation];
  for (let k = 0; k < 12; k++) {
    env.step(Float64Array.from({ length: 2 * env.copies }, () => random.between(-5, 5)));
    seen.push(...env.observation, ...env.reward, ...env.terminated, ...env.truncated);
  }
  return seen;
}

describe('environment on threads', () => {
  const open: ParallelEnvironment[] = [];
  const made = async (more: Partial<ParallelEnvironmentOptions>): Promise<ParallelEnvironment> => {
    const env = await parallelEnvironment(SCENE, { task: TASK, copies: 5, ...more });
    open.push(env);
    return env;
  };
  afterEach(async () => {
    for (const env of open.splice(0)) await env.end();
  });

  it('has the bits of one thread, with any number of threads', async () => {
    const task: EnvironmentTask = await loadTask(String(TASK));
    const one = environment(SCENE, { ...task, copies: 5 });
    const [first, second] = [played(one, 7), played(one, -3)];
    for (const threads of [2, 3]) {
      const env = await made({ threads });
      expect(env.threads).toBe(threads);
      expect(played(env, 7), `${threads} threads`).toEqual(first);
      expect(played(env, -3), `${threads} threads`).toEqual(second);
    }
    // Never more threads than copies.
    expect((await made({ copies: 2, threads: 3 })).threads).toBe(2);
  });

  it('a copy that fails is over, whichever thread it is on; the others go on', async () => {
    const env = await made({ threads: 2 });
    env.reset(1);
    env.step([0, 0, Number.NaN, 0, 0, 0, 0, 0, Number.NaN, 0]);
    expect([...env.terminated]).toEqual([0, 1, 0, 0, 1]);
    expect([...env.failures.keys()]).toEqual([1, 4]);
    for (const [, failure] of env.failures) {
      expect(failure.message).toMatch(/The control gives NaN for joint "joint_1"/);
      expect(failure.joint).toBe('joint_1');
    }
    env.step(new Float64Array(10));
    expect([...env.terminated]).toEqual([0, 0, 0, 0, 0]);
    expect(env.failures.size).toBe(0);
  });

  it('tells what functions of the task throw, and goes on', async () => {
    const env = await made({ threads: 2 });
    const expected = [...env.reset(3).observation];
    expect(() => env.step([0, 0, 0, 0, 0, 0, 0, 0, 0, 77])).toThrow('no reward for 77');
    expect([...env.reset(3).observation]).toEqual(expected);
  });

  it('refuses what makes no sense, and what comes after its end', async () => {
    await expect(made({ threads: 0 })).rejects.toThrow('Expected a whole number of threads, got 0');
    await expect(made({ copies: 0 })).rejects.toThrow('copies: Expected a whole number');
    const none = new URL('./parallel-environment.test.js', import.meta.url);
    await expect(made({ task: `${none}x` })).rejects.toThrow();
    await expect(made({ task: 'data:text/javascript,export default 1' })).rejects.toThrow('must export a task');
    const env = await made({ threads: 2 });
    expect(() => env.step([1])).toThrow('Expected 10 numbers, got 1');
    await env.end();
    expect(() => env.reset(1)).toThrow('The environment has ended');
  });
});
