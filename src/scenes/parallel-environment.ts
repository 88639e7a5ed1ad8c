// An environment for learning whose copies run on several threads: the same words and the same bits as on one.

import { MechanismError, SimulationError } from '../mechanism/errors.js';
import { loadThreads, processors, reasonForOneThread } from '../threads/surroundings.js';
import { openThread, type Thread } from '../threads/thread.js';
import { takeActions } from './environment.js';
import {
  checkEnvironment,
  checkSeed,
  type EnvironmentArrays,
  EnvironmentCopies,
  environmentArrays,
} from './environment-copies.js';
import {
  ANSWERED,
  ASKED,
  END,
  type EnvironmentReady,
  type EnvironmentShare,
  PER_THREAD,
  parseTold,
  RESET,
  SEED,
  STEP,
  TEXT,
  TEXT_ROOM,
  THREADS,
  WHAT,
} from './environment-protocol.js';
import { loadTask } from './environment-task.js';
import type { Scene } from './scene.js';

/** A task for an agent, how many copies of it there are, and who computes them. */
export interface ParallelEnvironmentOptions {
  /** A JavaScript module (a URL, or its address) whose default export is an EnvironmentTask: every thread loads it. */
  readonly task: { readonly href: string } | string;
  /** 1 where left out. */
  readonly copies?: number;
  /** This one included; as many as there are processors where left out. */
  readonly threads?: number;
  /** Seconds after which a thread that does not answer counts as lost; 60 where left out. */
  readonly patience?: number;
}

const PROGRAM = {
  name: 'environment-worker.js',
  // Tests run from the sources, where the program stands compiled beside them.
  file: () =>
    new URL(
      import.meta.url.endsWith('.ts') ? '../../dist/scenes/environment-worker.js' : './environment-worker.js',
      import.meta.url,
    ),
  inPage: () => {
    throw new Error('pages have no threads for environments');
  },
};

interface Helper {
  readonly thread: Thread;
  /** Place of its integers. */
  readonly own: number;
  readonly text: Uint8Array;
}

/** Copies of a scene for an agent, on several threads; `parallelEnvironment` makes it. */
export class ParallelEnvironment {
  readonly copies: number;
  /** This one included. */
  readonly threads: number;
  /** copies x observations. */
  readonly observation: Float64Array;
  readonly reward: Float64Array;
  /** 1 where a copy is over; where it ran out of time. */
  readonly terminated: Uint8Array;
  readonly truncated: Uint8Array;
  /** What stopped copies in the last step: they count as terminated. */
  readonly failures = new Map<number, SimulationError>();
  readonly #arrays: EnvironmentArrays;
  readonly #own: EnvironmentCopies;
  readonly #helpers: readonly Helper[];
  readonly #control: Int32Array;
  readonly #patience: number;
  #ended = false;

  private constructor(
    copies: number,
    arrays: EnvironmentArrays,
    own: EnvironmentCopies,
    helpers: readonly Helper[],
    control: Int32Array,
    patience: number,
  ) {
    this.copies = copies;
    this.threads = 1 + helpers.length;
    this.observation = arrays.observation;
    this.reward = arrays.reward;
    this.terminated = arrays.terminated;
    this.truncated = arrays.truncated;
    this.#arrays = arrays;
    this.#own = own;
    this.#helpers = helpers;
    this.#control = control;
    this.#patience = patience;
    this.reset(0);
  }

  /** Done when every thread has its copies. */
  static async start(
    scene: Scene,
    { task, copies = 1, threads, patience = 60 }: ParallelEnvironmentOptions,
  ): Promise<ParallelEnvironment> {
    const address = typeof task === 'string' ? task : task.href;
    const options = { ...(await loadTask(address)), copies };
    checkEnvironment(options);
    if (threads !== undefined && !(Number.isInteger(threads) && threads >= 1))
      throw MechanismError.of('environment', 'threads', `Expected a whole number of threads, got ${threads}.`);
    const shared = reasonForOneThread() === undefined;
    const count = shared ? Math.min(threads ?? (await processors()), copies) : 1;
    const memory = (bytes: number): ArrayBuffer | SharedArrayBuffer =>
      shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
    const arrays = environmentArrays(options, memory);
    const control = new Int32Array(memory(4 * (THREADS + PER_THREAD * count)));
    const bound = (k: number): number => Math.round((k * copies) / count);
    const library = await loadThreads();
    const helpers = Array.from({ length: count - 1 }, (_, k): Helper => {
      const helper = {
        thread: openThread(PROGRAM, library),
        own: THREADS + PER_THREAD * k,
        text: new Uint8Array(memory(TEXT_ROOM)),
      };
      const { own, text } = helper;
      const [first, end] = [bound(k + 1), bound(k + 2)];
      const share: EnvironmentShare = { scene, task: address, copies, first, end, arrays, control, own, text };
      helper.thread.send(share);
      return helper;
    });
    try {
      const own = new EnvironmentCopies(scene, options, arrays, 0, bound(1));
      await Promise.all(helpers.map(({ thread }) => ready(thread)));
      return new ParallelEnvironment(copies, arrays, own, helpers, control, 1000 * patience);
    } catch (error) {
      await Promise.all(helpers.map(({ thread }) => thread.end()));
      throw error;
    }
  }

  /** All copies begin anew; the same seed gives the same bits, with any number of threads. */
  reset(seed: number): this {
    checkSeed(seed);
    this.#control[SEED] = seed;
    return this.#all(RESET, () => this.#own.reset(seed | 0));
  }

  /** One step of every copy; `actions` has a row for each. As that of an Environment. */
  step(actions: ArrayLike<number>): this {
    takeActions(this.#arrays, actions);
    return this.#all(STEP, () => this.#own.step());
  }

  /** Ends the threads. */
  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.#ask(END);
    await Promise.all(this.#helpers.map(({ thread }) => thread.end()));
  }

  #ask(what: number): number {
    this.#control[WHAT] = what;
    const asked = Atomics.add(this.#control, ASKED, 1) + 1;
    Atomics.notify(this.#control, ASKED);
    return asked;
  }

  /** Has it done by all threads, this one included. */
  #all(what: number, own: () => void): this {
    if (this.#ended) throw new SimulationError('ended', 'The environment has ended; make another one.');
    const asked = this.#ask(what);
    let problem: unknown;
    try {
      own();
    } catch (error) {
      problem = error;
    }
    this.failures.clear();
    for (const [k, failure] of this.#own.failures) this.failures.set(k, failure);
    for (const helper of this.#helpers) problem = this.#hear(helper, asked) ?? problem;
    if (problem !== undefined) throw problem;
    return this;
  }

  /** Waits for a thread, and reads what it has to tell. */
  #hear({ own, text }: Helper, asked: number): Error | undefined {
    const control = this.#control;
    const end = performance.now() + this.#patience;
    for (let answered = Atomics.load(control, own + ANSWERED); answered !== asked; ) {
      if (Atomics.wait(control, own + ANSWERED, answered, end - performance.now()) === 'timed-out') {
        void this.end();
        throw new SimulationError('thread', 'A thread of the environment does not answer; make the environment again.');
      }
      answered = Atomics.load(control, own + ANSWERED);
    }
    if (control[own + TEXT] === 0) return undefined;
    const { failures, error } = parseTold(new TextDecoder().decode(text.slice(0, control[own + TEXT])));
    for (const [k, failure] of failures) this.failures.set(k, failure);
    return error === undefined ? undefined : new Error(error);
  }
}

/** Done when a thread has made its copies. */
function ready(thread: Thread): Promise<void> {
  return new Promise((resolve, reject) => {
    thread.listen(
      (message) => {
        const { error } = message as EnvironmentReady;
        if (error === undefined) resolve();
        else reject(new SimulationError('thread', `A thread of the environment did not start: ${error}`));
        // From now on it is asked in shared memory, and nobody waits for it at the end of the program.
        thread.hold(false);
      },
      (reason) => reject(new SimulationError('thread', `A thread of the environment did not start: ${reason}`)),
    );
  });
}

/**
 * Copies of a scene for learning on several threads. The task is a module, since functions cannot be handed to threads:
 *
 *     // task.js: export default { observations: 4, actions: 1, observe, act: ['cart'], reward, terminated, reset };
 *     const task = new URL('./task.js', import.meta.url);
 *     const balance = await parallelEnvironment(scene, { task, copies: 64, threads: 8 });
 *     balance.reset(1);
 *     balance.step(actions);        // balance.observation, balance.reward, balance.terminated, balance.truncated
 *     await balance.end();
 */
export function parallelEnvironment(scene: Scene, options: ParallelEnvironmentOptions): Promise<ParallelEnvironment> {
  return ParallelEnvironment.start(scene, options);
}
