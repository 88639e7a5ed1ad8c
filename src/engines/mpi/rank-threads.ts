// Threads inside a rank: each runs its own part of the step in the memory that they share, and calls MPI itself
// (rank-thread-worker.ts). The caller takes part, raises the number of the step and waits until all have left it.

import { openThread, type Thread } from '../../threads/thread.js';
import { FINISH_NAME } from '../threads/block-module.js';
import type { ThreadProgram } from '../threads/program.js';
import type { BegunMpi } from './library.js';
import { type RankProgram, rankProgram } from './messages.js';
import type { MpiTransport } from './mpi-transport.js';
import { RankRunner } from './rank-runner.js';
import { FLAG_WORDS } from './shared-memory.js';
import { threadTransport } from './thread-transport.js';
import type { Transport } from './transport.js';

/** What a thread is told. */
export interface ThreadJob {
  readonly mpi: BegunMpi;
  readonly neighbourhood: MpiTransport['neighbourhood'];
  readonly tag: number;
  readonly thread: number;
  readonly threads: number;
  readonly program: RankProgram;
  readonly module: unknown;
  readonly memory: unknown;
  readonly flags: Int32Array;
  readonly control: Int32Array;
}

/** Words of `control`: the step, a thread that has failed, and of each thread the last step that it has left and whether it sleeps. */
export const STEP = 0;
export const FAILED = FLAG_WORDS;
export const left = (thread: number): number => FLAG_WORDS * (2 + 2 * thread);
export const sleeps = (thread: number): number => FLAG_WORDS * (3 + 2 * thread);

/** Steps of this process by all of its threads. */
export class RankThreads {
  readonly #control: Int32Array;
  readonly #transport: Transport;
  readonly #runner: RankRunner;
  readonly #finish: (() => void) | undefined;
  readonly #workers: readonly Thread[];
  #step = 0;

  constructor(
    program: ThreadProgram,
    { memory, module, exports }: ReturnType<ThreadProgram['instance']>,
    transport: MpiTransport,
    { family, file, version, rank, ranks }: BegunMpi,
    threads: number,
  ) {
    const whole = rankProgram(program, threads * transport.ranks);
    const shared = (words: number): Int32Array => new Int32Array(new SharedArrayBuffer(4 * words));
    const flags = shared(FLAG_WORDS * Math.max(1, whole.messages.length));
    this.#control = shared(left(threads));
    // Ball joints at cuts are finished for all threads at once, when they are done.
    const finishes = whole.operations.some((list) => list.some((operation) => isFinish(operation)));
    this.#finish = finishes ? () => exports[FINISH_NAME]() : undefined;
    const { messages } = whole;
    const operations = whole.operations.map((list) => list.filter((operation) => !isFinish(operation)));
    const { tag, neighbourhood } = transport;
    this.#transport = threadTransport(0, threads, flags, transport);
    this.#runner = new RankRunner({ messages, operations }, { memory, exports }, this.#transport);
    this.#workers = Array.from({ length: threads - 1 }, (_, k) => {
      const worker = openThread(WORKER);
      const job: ThreadJob = {
        mpi: { family, file, version, rank, ranks, threads: true },
        neighbourhood,
        tag,
        thread: k + 1,
        threads,
        program: { messages, operations },
        module,
        memory,
        flags,
        control: this.#control,
      };
      worker.listen(
        () => {},
        () => {},
      );
      worker.send(job);
      worker.hold(false);
      return worker;
    });
  }

  step(): void {
    const control = this.#control;
    const step = ++this.#step;
    Atomics.store(control, STEP, step);
    for (let thread = 1; thread <= this.#workers.length; thread++)
      if (Atomics.load(control, sleeps(thread)) === 1) Atomics.notify(control, sleeps(thread));
    this.#runner.step(() => this.#check());
    for (let thread = 1; thread <= this.#workers.length; thread++)
      for (let waits = 0; Atomics.load(control, left(thread)) !== step; waits++) {
        this.#check();
        this.#transport.idle(waits);
      }
    this.#finish?.();
  }

  #check(): void {
    const thread = Atomics.load(this.#control, FAILED);
    if (thread !== 0) throw new Error(`thread ${thread} of this rank has failed`);
  }

  close(): void {
    for (const worker of this.#workers) void worker.end();
    this.#runner.close();
  }
}

const isFinish = (operation: RankProgram['operations'][number][number]): boolean =>
  'run' in operation && operation.run === FINISH_NAME;

const WORKER = {
  name: 'rank-thread-worker.js',
  file: () => {
    // Tests run from the sources, where the program stands compiled beside them.
    const here = import.meta.url;
    const file = './rank-thread-worker.js';
    return new URL(here.endsWith('.ts') ? `../../../dist/engines/mpi/${file.slice(2)}` : file, here);
  },
  inPage: (): never => {
    throw new Error('MPI needs Node');
  },
};
