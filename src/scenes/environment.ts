// A scene as an environment for learning, in the words of Gymnasium: reset(seed), step(actions), observation, reward, terminated,
// truncated. Copies of the scene run side by side; arrays are written in place, one row for each copy.
//
// Copies run one after the other in this thread: functions cannot be handed to other threads. To use all cores, make an environment in
// each of several workers, with seeds of their own.

import { MechanismError, SimulationError } from '../mechanism/errors.js';
import { Random } from '../mechanism/random.js';
import { pushJoints } from './controls.js';
import { type SceneOptions, sceneWorld } from './make-scene.js';
import type { Scene } from './scene.js';
import type { SceneCheckpoint, SceneWorld } from './scene-world.js';

/** What an agent sees, does and gets; `run` is one copy of the scene. */
export interface EnvironmentOptions extends SceneOptions {
  /** 1 where left out. */
  readonly copies?: number;
  /** Numbers in an observation, and in an action. */
  readonly observations: number;
  readonly actions: number;
  /** Writes the observation of a copy. */
  readonly observe: (run: SceneWorld, observation: Float64Array) => void;
  /** Does what an action says: once before the steps that it lasts for. Or names of joints of the first mechanism: the action is their forces. */
  readonly act: ((run: SceneWorld, action: Float64Array) => void) | readonly string[];
  /** Of the step that was taken. */
  readonly reward: (run: SceneWorld, action: Float64Array) => number;
  /** Whether it is over: the task is done or failed. */
  readonly terminated?: (run: SceneWorld) => boolean;
  /** Where a copy begins: the start of the scene, changed by this. Write to the states of `run.world.members`. */
  readonly reset?: (run: SceneWorld, random: Random) => void;
  /** Steps of the world in a step of the environment; 1 where left out. */
  readonly frames?: number;
  /** Steps of the environment until a copy is truncated; the duration of the scene where left out. */
  readonly limit?: number;
}

interface Copy {
  readonly run: SceneWorld;
  random: Random;
  readonly observation: Float64Array;
  readonly action: Float64Array;
  steps: number;
  /** Whether it was over after the last step: it begins anew in the next. */
  over: boolean;
}

/** Copies of a scene for an agent; `environment` makes it. */
export class Environment {
  readonly copies: number;
  /** copies x observations. */
  readonly observation: Float64Array;
  readonly reward: Float64Array;
  /** 1 where a copy is over; where it ran out of time. */
  readonly terminated: Uint8Array;
  readonly truncated: Uint8Array;
  /** What stopped copies in the last step: they count as terminated. */
  readonly failures = new Map<number, SimulationError>();
  readonly #options: EnvironmentOptions;
  readonly #copies: readonly Copy[];
  readonly #start: SceneCheckpoint;
  readonly #actions: Float64Array;
  readonly #limit: number;

  constructor(scene: Scene, options: EnvironmentOptions) {
    const { copies = 1, observations, actions, frames = 1 } = options;
    for (const [name, value] of Object.entries({ copies, observations, actions, frames }))
      if (!Number.isInteger(value) || value < (name === 'actions' || name === 'observations' ? 0 : 1) || value > 1e6)
        throw MechanismError.of('environment', name, `Expected a whole number of at most a million, got ${value}.`);
    if (typeof options.act !== 'function' && options.act.length !== actions)
      throw MechanismError.of(
        'act',
        '',
        `An action has ${actions} numbers, but ${options.act.length} joints are named.`,
      );
    this.#options = options;
    this.copies = copies;
    this.observation = new Float64Array(copies * observations);
    this.reward = new Float64Array(copies);
    this.terminated = new Uint8Array(copies);
    this.truncated = new Uint8Array(copies);
    this.#actions = new Float64Array(copies * actions);
    this.#copies = Array.from({ length: copies }, (_, k) => ({
      run: sceneWorld(scene, options),
      random: new Random(k),
      observation: this.observation.subarray(k * observations, (k + 1) * observations),
      action: this.#actions.subarray(k * actions, (k + 1) * actions),
      steps: 0,
      over: false,
    }));
    const [{ run }] = this.#copies;
    this.#limit = options.limit ?? Math.ceil(run.duration / (frames * run.world.stepSize) - 1e-9);
    this.#start = run.save();
    this.reset(0);
  }

  /** The copies, to look at. */
  get runs(): readonly SceneWorld[] {
    return this.#copies.map(({ run }) => run);
  }

  /** All copies begin anew; the same seed gives the same bits. */
  reset(seed: number): this {
    this.failures.clear();
    this.#copies.forEach((copy, k) => {
      // Neighbouring seeds and copies have streams of their own.
      copy.random = new Random(Math.imul(seed, 0x9e3779b1) ^ Math.imul(k + 1, 0x85ebca6b));
      this.#begin(copy, k);
    });
    return this;
  }

  /**
   * One step of every copy; `actions` has a row for each. A copy that was over after the last step begins anew instead, with reward 0
   * (Gymnasium's "next step" autoreset).
   */
  step(actions: ArrayLike<number>): this {
    if (actions.length !== this.#actions.length)
      throw MechanismError.of('actions', '', `Expected ${this.#actions.length} numbers, got ${actions.length}.`);
    this.#actions.set(actions);
    this.failures.clear();
    this.#copies.forEach((copy, k) => {
      if (copy.over) this.#begin(copy, k);
      else this.#advance(copy, k);
    });
    return this;
  }

  #begin(copy: Copy, k: number): void {
    const { run, random, observation, action } = copy;
    // Drives everything as the scene says, and no more.
    run.restore(this.#start);
    const { act } = this.#options;
    if (typeof act !== 'function') pushJoints(run.world.members[0], act, (place) => action[place]);
    this.#options.reset?.(run, random);
    for (const member of run.world.members) member.changed();
    copy.steps = 0;
    copy.over = false;
    this.reward[k] = 0;
    this.terminated[k] = this.truncated[k] = 0;
    this.#options.observe(run, observation);
  }

  #advance(copy: Copy, k: number): void {
    const { run, action, observation } = copy;
    const { act, frames = 1, observe, reward, terminated } = this.#options;
    try {
      if (typeof act === 'function') act(run, action);
      for (let frame = 0; frame < frames; frame++) run.step();
    } catch (error) {
      if (!(error instanceof SimulationError)) throw error;
      this.failures.set(k, error);
    }
    copy.steps++;
    observe(run, observation);
    this.reward[k] = reward(run, action);
    this.terminated[k] = this.failures.has(k) || terminated?.(run) === true ? 1 : 0;
    this.truncated[k] = copy.steps >= this.#limit ? 1 : 0;
    copy.over = this.terminated[k] === 1 || this.truncated[k] === 1;
  }
}

/**
 * Copies of a scene for learning, by Gymnasium's words.
 *
 *     const balance = environment(scene, { copies: 64, observations: 4, actions: 1, observe, act: ['cart'], reward });
 *     balance.reset(1);
 *     balance.step(actions);        // balance.observation, balance.reward, balance.terminated, balance.truncated
 */
export function environment(scene: Scene, options: EnvironmentOptions): Environment {
  return new Environment(scene, options);
}
