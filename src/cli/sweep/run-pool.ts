// Threads that make runs, one each at a time. A thread that ends (out of memory) takes its run with it and is replaced.

import { Worker } from 'node:worker_threads';
import type { RunJob } from './job.js';
import type { RunOutcome } from './run-thread.js';

function program(): URL {
  // Put together with the command (scripts/bundle-command.mjs); tests run from the sources, with dist beside them.
  const here = import.meta.url;
  return new URL(here.endsWith('.ts') ? '../../../dist/cli/parts/run-thread.js' : '../parts/run-thread.js', here);
}

interface Waiting {
  readonly job: RunJob;
  readonly done: (outcome: RunOutcome) => void;
  readonly failed: (reason: unknown) => void;
}

export class RunPool {
  readonly #root: string;
  readonly #threads: number;
  readonly #free: Worker[] = [];
  readonly #busy = new Map<Worker, Waiting>();
  readonly #waiting: Waiting[] = [];
  #ended: unknown;

  /** Threads are started when there is work for them. */
  constructor(root: string, threads: number) {
    this.#root = root;
    this.#threads = threads;
  }

  run(job: RunJob): Promise<RunOutcome> {
    return new Promise((done, failed) => {
      if (this.#ended !== undefined) {
        failed(this.#ended);
        return;
      }
      this.#waiting.push({ job, done, failed });
      this.#next();
    });
  }

  /** Ends the threads in the middle of whatever they do; runs that are under way fail with the reason. */
  async end(reason: unknown = new Error('The threads have ended.')): Promise<void> {
    this.#ended ??= reason;
    const waiting = [...this.#busy.values(), ...this.#waiting.splice(0)];
    const threads = [...this.#busy.keys(), ...this.#free.splice(0)];
    this.#busy.clear();
    for (const { failed } of waiting) failed(reason);
    await Promise.all(threads.map((thread) => thread.terminate()));
  }

  #next(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#free.pop() ?? (this.#busy.size < this.#threads ? this.#start() : undefined);
      if (thread === undefined) return;
      const waiting = this.#waiting.shift()!;
      this.#busy.set(thread, waiting);
      thread.ref();
      thread.postMessage(waiting.job);
    }
  }

  #start(): Worker {
    const thread = new Worker(program(), { workerData: { root: this.#root }, execArgv: [] });
    let reason = 'it has ended';
    thread.on('error', (error) => {
      reason = error.message;
    });
    thread.on('message', (outcome: RunOutcome) => {
      const waiting = this.#busy.get(thread);
      if (waiting === undefined) return;
      this.#busy.delete(thread);
      this.#free.push(thread);
      // The program ends where nothing else is to do.
      thread.unref();
      waiting.done(outcome);
      this.#next();
    });
    thread.on('exit', () => {
      const waiting = this.#busy.get(thread);
      this.#busy.delete(thread);
      const at = this.#free.indexOf(thread);
      if (at >= 0) this.#free.splice(at, 1);
      waiting?.done({ fault: `The thread of this run was lost: ${reason}.`, permanent: false });
      if (this.#ended === undefined) this.#next();
    });
    return thread;
  }
}
