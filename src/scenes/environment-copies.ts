// Copies of a scene that an agent acts in: each has a row in arrays that are shared by all.

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
  /** Steps of the environment until a copy is truncated, Infinity for never; the duration of the scene where left out. */
  readonly limit?: number;
}

/** What all copies write to, and read their actions from: a row for each. */
export interface EnvironmentArrays {
  readonly observation: Float64Array;
  readonly reward: Float64Array;
  /** 1 where a copy is over; where it ran out of time. */
  readonly terminated: Uint8Array;
  readonly truncated: Uint8Array;
  readonly actions: Float64Array;
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

/** Refuses options that make no sense. */
export function checkEnvironment(options: EnvironmentOptions): void {
  const { copies = 1, observations, actions, frames = 1, limit = 1 } = options;
  for (const name of ['observe', 'reward'] as const)
    if (typeof options[name] !== 'function') throw MechanismError.of('environment', name, 'Expected a function.');
  for (const [name, value] of Object.entries({ copies, observations, actions, frames }))
    if (!Number.isInteger(value) || value < (name === 'actions' || name === 'observations' ? 0 : 1) || value > 1e6)
      throw MechanismError.of('environment', name, `Expected a whole number of at most a million, got ${value}.`);
  if (!(limit >= 1 && (Number.isInteger(limit) || limit === Number.POSITIVE_INFINITY)))
    throw MechanismError.of('environment', 'limit', `Expected a whole number of steps, or Infinity, got ${limit}.`);
  if (typeof options.act !== 'function' && options.act.length !== actions)
    throw MechanismError.of('act', '', `An action has ${actions} numbers, but ${options.act.length} joints are named.`);
}

/** Refuses seeds that are no whole numbers: they would begin as others do. */
export function checkSeed(seed: number): void {
  if (!Number.isSafeInteger(seed))
    throw MechanismError.of('environment', 'seed', `Expected a whole number, got ${seed}.`);
}

/** Arrays for so many copies; `memory` makes the memory of each, of so many bytes. */
export function environmentArrays(
  { copies = 1, observations, actions }: EnvironmentOptions,
  memory: (bytes: number) => ArrayBuffer | SharedArrayBuffer,
): EnvironmentArrays {
  return {
    observation: new Float64Array(memory(8 * copies * observations)),
    reward: new Float64Array(memory(8 * copies)),
    terminated: new Uint8Array(memory(copies)),
    truncated: new Uint8Array(memory(copies)),
    actions: new Float64Array(memory(8 * copies * actions)),
  };
}

export class EnvironmentCopies {
  /** What stopped copies in the last step: they count as terminated. */
  readonly failures = new Map<number, SimulationError>();
  readonly #options: EnvironmentOptions;
  readonly #arrays: EnvironmentArrays;
  /** Number of the first of them among all copies. */
  readonly #first: number;
  readonly #copies: readonly Copy[];
  readonly #start: SceneCheckpoint;
  readonly #limit: number;

  /** Copies from number `first` to before `end`, one at least. */
  constructor(scene: Scene, options: EnvironmentOptions, arrays: EnvironmentArrays, first: number, end: number) {
    const { observations, actions, frames = 1 } = options;
    this.#options = options;
    this.#arrays = arrays;
    this.#first = first;
    this.#copies = Array.from({ length: end - first }, (_, at) => ({
      run: sceneWorld(scene, options),
      random: new Random(first + at),
      observation: arrays.observation.subarray((first + at) * observations, (first + at + 1) * observations),
      action: arrays.actions.subarray((first + at) * actions, (first + at + 1) * actions),
      steps: 0,
      over: false,
    }));
    const [{ run }] = this.#copies;
    this.#limit = options.limit ?? Math.ceil(run.duration / (frames * run.world.stepSize) - 1e-9);
    this.#start = run.save();
  }

  get runs(): readonly SceneWorld[] {
    return this.#copies.map(({ run }) => run);
  }

  /** All begin anew. */
  reset(seed: number): void {
    this.failures.clear();
    this.#copies.forEach((copy, at) => {
      const k = this.#first + at;
      // Neighbouring seeds and copies have streams of their own.
      copy.random = new Random(Math.imul(seed, 0x9e3779b1) ^ Math.imul(k + 1, 0x85ebca6b));
      this.#begin(copy, k);
    });
  }

  /** One step of each, by its actions; those that were over begin anew instead. */
  step(): void {
    this.failures.clear();
    this.#copies.forEach((copy, at) => {
      if (copy.over) this.#begin(copy, this.#first + at);
      else this.#advance(copy, this.#first + at);
    });
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
    this.#arrays.reward[k] = 0;
    this.#arrays.terminated[k] = this.#arrays.truncated[k] = 0;
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
    this.#arrays.reward[k] = reward(run, action);
    this.#arrays.terminated[k] = this.failures.has(k) || terminated?.(run) === true ? 1 : 0;
    this.#arrays.truncated[k] = copy.steps >= this.#limit ? 1 : 0;
    copy.over = this.#arrays.terminated[k] === 1 || this.#arrays.truncated[k] === 1;
  }
}
