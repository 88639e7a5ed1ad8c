// A scene as an environment for learning, in the words of Gymnasium: reset(seed), step(actions), observation, reward, terminated,
// truncated. Copies of the scene run side by side; arrays are written in place, one row for each copy.
//
// Functions cannot be handed to other threads, so these copies run one after the other in this one; parallelEnvironment takes a module
// instead.

import { MechanismError, type SimulationError } from '../mechanism/errors.js';
import {
  checkEnvironment,
  checkSeed,
  type EnvironmentArrays,
  EnvironmentCopies,
  type EnvironmentOptions,
  environmentArrays,
} from './environment-copies.js';
import type { Scene } from './scene.js';
import type { SceneWorld } from './scene-world.js';

/** Copies of a scene for an agent; `environment` makes it. */
export class Environment {
  readonly copies: number;
  /** copies x observations. */
  readonly observation: Float64Array;
  readonly reward: Float64Array;
  /** 1 where a copy is over; where it ran out of time. */
  readonly terminated: Uint8Array;
  readonly truncated: Uint8Array;
  readonly #copies: EnvironmentCopies;
  readonly #arrays: EnvironmentArrays;

  constructor(scene: Scene, options: EnvironmentOptions) {
    checkEnvironment(options);
    const arrays = environmentArrays(options, (bytes) => new ArrayBuffer(bytes));
    this.copies = options.copies ?? 1;
    this.#arrays = arrays;
    this.observation = arrays.observation;
    this.reward = arrays.reward;
    this.terminated = arrays.terminated;
    this.truncated = arrays.truncated;
    this.#copies = new EnvironmentCopies(scene, options, arrays, 0, this.copies);
    this.reset(0);
  }

  /** The copies, to look at. */
  get runs(): readonly SceneWorld[] {
    return this.#copies.runs;
  }

  /** What stopped copies in the last step: they count as terminated. */
  get failures(): ReadonlyMap<number, SimulationError> {
    return this.#copies.failures;
  }

  /** All copies begin anew; the same seed gives the same bits. */
  reset(seed: number): this {
    checkSeed(seed);
    this.#copies.reset(seed);
    return this;
  }

  /**
   * One step of every copy; `actions` has a row for each. A copy that was over after the last step begins anew instead, with reward 0
   * (Gymnasium's "next step" autoreset).
   */
  step(actions: ArrayLike<number>): this {
    takeActions(this.#arrays, actions);
    this.#copies.step();
    return this;
  }
}

/** Actions of all copies; as many numbers as they need. */
export function takeActions({ actions: own }: EnvironmentArrays, actions: ArrayLike<number>): void {
  if (actions.length !== own.length)
    throw MechanismError.of('actions', '', `Expected ${own.length} numbers, got ${actions.length}.`);
  own.set(actions);
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
