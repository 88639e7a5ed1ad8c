// The mass matrix of one mechanism on several threads of this machine.

import type { MassMatrix } from '../../../engines/plain/author-order.js';
import { refuseLargeMatrix } from '../../../engines/plain/dense.js';
import { MechanismError } from '../../../mechanism/errors.js';
import type { Mechanism } from '../../../mechanism/mechanism.js';
import type { State } from '../../../mechanism/state.js';
import { createTree, type Tree } from '../../../mechanism/tree.js';
import { loadThreads } from '../../../threads/surroundings.js';
import { openThread, type Thread, type WebWorker, type WorkerProgram } from '../../../threads/thread.js';
import { type Assignment, CONTROL_WORDS, chunkBounds, computeTogether } from './crew.js';
import {
  type Columns,
  computeColumns,
  createColumns,
  createPreparation,
  type Preparation,
  prepare,
} from './fixed-frame.js';

/** Options of `ParallelMassMatrix`. */
export interface ParallelMassMatrixOptions {
  /** Threads in all, the caller's included; 2 where left out. */
  readonly threads?: number;
  /** Entries of the triangle below which one thread does it; measured where left out. */
  readonly worthwhile?: number;
}

/** Entries that take about 30 microseconds: less than that is not worth a hand-over. */
const WORTHWHILE = 8000;
const MAX_THREADS = 64;

/** A page's. */
declare const Worker: new (file: URL, options: { type: 'module' }) => WebWorker;

/** The mass matrix by the paper's composite variant, on several threads. */
export class ParallelMassMatrix {
  readonly mechanism: Mechanism;
  /** Threads that are asked for, the caller's included. */
  readonly threads: number;
  /** Why one thread does it all; undefined where several do. */
  readonly note: string | undefined;
  readonly #tree: Tree;
  #columns: Columns;
  readonly #preparation: Preparation;
  #assignment: Assignment | undefined;
  readonly #joints: MassMatrix['joints'];
  #workers: Thread[] | undefined;
  #ready: Promise<void> = Promise.resolve();
  #disposed = false;

  constructor(mechanism: Mechanism, { threads = 2, worthwhile = WORTHWHILE }: ParallelMassMatrixOptions = {}) {
    if (!Number.isInteger(threads) || threads < 1 || threads > MAX_THREADS)
      throw MechanismError.of('threads', '', `Expected 1 to ${MAX_THREADS} threads, got ${threads}.`);
    if (mechanism.couplings.length > 0)
      throw MechanismError.of('couplings', '', 'Coupled joints are not computed on threads; use Dynamics.massMatrix.');
    this.mechanism = mechanism;
    this.#tree = createTree(mechanism);
    refuseLargeMatrix(mechanism.nv);
    this.#joints = mechanism.joints
      .filter(({ model }) => model.nv > 0)
      .map(({ name, iv, model }) => ({ name, offset: iv, dof: model.nv }))
      .sort((a, b) => a.offset - b.offset);
    const sharable = typeof SharedArrayBuffer !== 'undefined' && typeof Atomics !== 'undefined';
    this.#columns = createColumns(this.#tree, sharable);
    this.#preparation = createPreparation(this.#tree);
    const entries = countEntries(this.#columns.above);
    this.note = !sharable
      ? 'Memory cannot be shared here (a page needs cross-origin isolation): one thread computes.'
      : threads === 1
        ? 'One thread was asked for.'
        : entries < worthwhile
          ? `The matrix has ${entries} entries on and below its diagonal; from ${worthwhile} on threads pay.`
          : undefined;
    this.threads = this.note === undefined ? threads : 1;
    if (this.note === undefined) this.#assignment = assign(this.#columns);
  }

  /** Done when all workers take part. They start at the first call; until they run, the caller computes alone. */
  async ready(): Promise<void> {
    this.#start();
    await this.#ready;
  }

  /** nv x nv, row major, in the order of v; valid until the next call. */
  compute(q: Float64Array): Float64Array {
    if (q.length !== this.mechanism.nq)
      throw MechanismError.of('length', 'q', `Expected ${this.mechanism.nq} numbers, got ${q.length}.`);
    prepare(this.#tree, this.#preparation, this.#columns, q);
    if (this.#assignment === undefined || this.#disposed) computeColumns(this.#columns, 0, this.#columns.nv);
    else {
      this.#start();
      if (!computeTogether(this.#assignment)) this.#replaceCrew(q);
    }
    return this.#columns.H;
  }

  /** A fresh matrix, as Dynamics.massMatrix gives it. */
  massMatrix(state: State): MassMatrix {
    return { n: this.#columns.nv, H: Float64Array.from(this.compute(state.q)), joints: this.#joints };
  }

  /** Ends the workers; computing goes on with one thread. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    await this.#ready;
    const workers = this.#workers ?? [];
    this.#workers = [];
    await Promise.all(workers.map((worker) => worker.end()));
  }

  /** A worker ended in the middle of its work: others, on fresh memory, from the next call on; this one alone. */
  #replaceCrew(q: Float64Array): void {
    for (const worker of this.#workers ?? []) void worker.end();
    this.#workers = undefined;
    this.#columns = createColumns(this.#tree, true);
    this.#assignment = assign(this.#columns);
    prepare(this.#tree, this.#preparation, this.#columns, q);
    computeColumns(this.#columns, 0, this.#columns.nv);
  }

  #start(): void {
    if (this.#workers !== undefined || this.#assignment === undefined || this.#disposed) return;
    this.#workers = [];
    this.#ready = this.#startWorkers(this.#workers, this.#assignment);
    // A worker that cannot be started leaves its part to the caller; ready() tells why.
    this.#ready.catch(() => {});
  }

  async #startWorkers(workers: Thread[], assignment: Assignment): Promise<void> {
    await Promise.all(
      Array.from({ length: this.threads - 1 }, async () => {
        const { worker, started } = await startThread(assignment);
        // The crew may have been given up in the meantime.
        if (this.#assignment !== assignment) void worker.end();
        else workers.push(worker);
        await started;
      }),
    );
  }
}

function assign(columns: Columns): Assignment {
  return {
    columns,
    control: new Int32Array(new SharedArrayBuffer(4 * CONTROL_WORDS)),
    bounds: chunkBounds(columns.above),
  };
}

function countEntries(above: Int32Array): number {
  const depth = new Int32Array(above.length);
  let total = 0;
  for (let k = 0; k < above.length; k++) {
    depth[k] = 1 + (above[k] < 0 ? 0 : depth[above[k]]);
    total += depth[k];
  }
  return total;
}

const PROGRAM: WorkerProgram = {
  name: 'mass-matrix-worker.js',
  file: () => new URL('./mass-matrix-worker.js', import.meta.url),
  inPage: () => new Worker(new URL('./mass-matrix-worker.js', import.meta.url), { type: 'module' }),
};

/** A worker that does not keep the program alive once it runs. */
async function startThread(assignment: Assignment): Promise<{ worker: Thread; started: Promise<void> }> {
  const worker = openThread(PROGRAM, await loadThreads());
  const started = new Promise<void>((done, fail) => {
    worker.listen(
      () => {
        worker.hold(false);
        done();
      },
      (reason) => fail(new Error(`A worker cannot be started: ${reason}.`)),
    );
  });
  worker.send(assignment);
  return { worker, started };
}
