// Threads that make runs, one each at a time, the next one at hand: whoever asks for runs may be writing a result when a thread has made
// its own. A thread that ends (out of memory) takes the run that it was at with it and is replaced.

import { Worker } from 'node:worker_threads';
import type { RunInput } from '../../sweep/run-input.js';
import type { RunJob } from './job.js';
import type { RunOutcome, RunThreadData } from './run-thread.js';

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

/** Runs that a thread has: the one it is at, and the next. */
export const RUNS_AT_HAND = 2;

interface RunThread {
  readonly worker: Worker;
  readonly runs: Waiting[];
}

export class RunPool {
  readonly #root: string;
  /** Threads. */
  readonly most: number;
  readonly #threads: RunThread[] = [];
  readonly #waiting: Waiting[] = [];
  #ended: unknown;

  /** Threads are started when there is work for them, or by `warm`. */
  constructor(root: string, threads: number) {
    this.#root = root;
    this.most = threads;
  }

  /** Starts all threads: they load their program for runs of that kind while the caller still finds out what there is to do. */
  warm(kind: RunInput['kind'] | undefined): void {
    while (this.#threads.length < this.most) this.#start(kind).worker.unref();
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
    const threads = this.#threads.splice(0);
    for (const { failed } of [...threads.flatMap(({ runs }) => runs.splice(0)), ...this.#waiting.splice(0)])
      failed(reason);
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }

  /** Gives runs to threads that have none, then to new threads, then one more to each. */
  #next(): void {
    for (; this.#waiting.length > 0; ) {
      const idle = this.#threads.find(({ runs }) => runs.length === 0);
      const thread =
        idle ??
        (this.#threads.length < this.most ? this.#start() : undefined) ??
        this.#threads.find(({ runs }) => runs.length < RUNS_AT_HAND);
      if (thread === undefined) return;
      const waiting = this.#waiting.shift()!;
      thread.runs.push(waiting);
      thread.worker.ref();
      thread.worker.postMessage(waiting.job);
    }
  }

  #start(kind?: RunInput['kind']): RunThread {
    const workerData: RunThreadData = { root: this.#root, kind };
    const worker = new Worker(program(), { workerData, execArgv: [] });
    const thread: RunThread = { worker, runs: [] };
    this.#threads.push(thread);
    let reason = 'it has ended';
    worker.on('error', (error) => {
      reason = error.message;
    });
    worker.on('message', (outcome: RunOutcome) => {
      const made = thread.runs.shift();
      // The program ends where nothing else is to do.
      if (thread.runs.length === 0) worker.unref();
      made?.done(outcome);
      this.#next();
    });
    worker.on('exit', () => {
      const at = this.#threads.indexOf(thread);
      if (at >= 0) this.#threads.splice(at, 1);
      const [lost, ...rest] = thread.runs.splice(0);
      lost?.done({ fault: `The thread of this run was lost: ${reason}.`, permanent: false });
      this.#waiting.unshift(...rest);
      if (this.#ended === undefined) this.#next();
    });
    return thread;
  }
}
