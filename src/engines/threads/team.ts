// A program on threads: its steps, the retreat from a busy machine, and the loss and replacement of threads.

import type { Arrays } from './arrays.js';
import type { ParallelOptions } from './options.js';
import { type Pool, sharedPool } from './pool.js';
import type { ThreadProgram } from './program.js';
import type { Fault, Job } from './protocol.js';
import type { Runner } from './runner.js';

/** Steps on one thread after a first failure, and at most. */
const RETREAT = 4;
const MOST_RETREAT = 4096;
/** How often threads that are lost while they start are started again. */
const ATTEMPTS = 5;
/** Milliseconds after which a silent thread counts as lost. */
const LOST = 2000;

/** The program in a pool of threads. When threads are lost it is lost with them, memory and all: one may still write there. */
export interface PlacedProgram {
  readonly pool: Pool;
  readonly job: Job;
  readonly runner: Runner;
  readonly arrays: Arrays;
}

export class Team {
  readonly program: ThreadProgram;
  /** Threads, the caller's included. */
  readonly workers: number;
  /** Milliseconds of patience for a step. */
  patience: number;
  /** Steps by all threads and steps given up; pieces that the caller took back. */
  readonly counts = { parallel: 0, abandoned: 0, stolen: 0 };
  readonly #options: ParallelOptions;
  readonly #lostAfter: number;
  readonly #note: (note: string) => void;
  #place: PlacedProgram | undefined;
  #lost: string | undefined;
  /** Steps that are left to one thread, and failures in a row. */
  #retreat = 0;
  #failures = 0;
  #left = false;

  private constructor(program: ThreadProgram, workers: number, options: ParallelOptions, note: (note: string) => void) {
    const { schedule } = program.plan;
    this.program = program;
    this.workers = Math.min(workers, schedule.segments);
    this.#options = options;
    this.#lostAfter = options.lostAfter ?? LOST;
    this.#note = note;
    this.patience = options.patience ?? Math.max(0.2, (8 * schedule.ns) / 1e6);
  }

  /** Done when at most `workers` threads have the program; `note` is told about what happens to them. */
  static async start(
    program: ThreadProgram,
    workers: number,
    options: ParallelOptions,
    note: (note: string) => void,
  ): Promise<Team> {
    const team = new Team(program, workers, options, note);
    await team.#join(options.fault);
    return team;
  }

  /** Where it runs now; undefined while there are no threads. */
  get place(): PlacedProgram | undefined {
    return this.#place;
  }

  /** Why the threads were lost, while there are none. */
  get lost(): string | undefined {
    return this.#lost;
  }

  /** Asked once before each step: whether threads are there, nobody is at work on an earlier step, and the machine is not busy. */
  begins(): boolean {
    if (this.#retreat > 0) {
      this.#retreat--;
      return false;
    }
    if (this.#place === undefined) return false;
    // A thread that stays away too long is lost.
    const busy = this.#place.pool.busyFor();
    if (busy > this.#lostAfter) this.#giveUp();
    return busy <= 0;
  }

  /** One step by all threads, on their arrays; false where it was given up. */
  step(): boolean {
    const { pool, runner, job } = this.#place!;
    const { counts } = this;
    if (pool.step(job, runner, this.patience)) {
      counts.parallel++;
      counts.stolen += runner.stolen;
      // What was taken back says that threads come late: the machine is busy, or steps are rare.
      if (runner.stolen === 0) this.#failures = 0;
      else this.#retreatFrom();
      return true;
    }
    counts.abandoned++;
    this.#retreatFrom();
    return false;
  }

  /** Forgets failures of the past. */
  encourage(): void {
    this.#retreat = 0;
    this.#failures = 0;
  }

  /** Lets go of the threads. */
  leave(): void {
    this.#left = true;
    const place = this.#place;
    this.#place = undefined;
    place?.pool.remove(place.job.id);
  }

  #retreatFrom(): void {
    if (this.#options.retreat === false) return;
    this.#retreat = Math.min(MOST_RETREAT, RETREAT << Math.min(10, this.#failures));
    this.#failures++;
  }

  async #join(fault: Fault | undefined, attempt = 1): Promise<void> {
    const pool = sharedPool();
    const hooks = { jitter: this.#options.jitter ?? 0, fault };
    const { arrays, job, runner } = this.program.shared(pool.newJob(), this.workers, pool.control, hooks);
    try {
      await pool.install(job, this.workers - 1, (reason) => this.#onLost(job.id, reason));
      if (pool.ended) throw new Error('the threads have ended');
    } catch (error) {
      if (attempt === ATTEMPTS || this.#left) throw error;
      await this.#join(fault, attempt + 1);
      return;
    }
    if (this.#left) {
      pool.remove(job.id);
      return;
    }
    this.#place = { pool, job, runner, arrays };
    this.#lost = undefined;
    this.encourage();
  }

  /** A thread does not answer: all are ended, which tells everyone who uses them. */
  #giveUp(): void {
    this.#place!.pool.end('A thread was lost: it does not answer.');
  }

  /** Threads are gone, and new ones are started. */
  #onLost(job: number, reason: string): void {
    if (this.#place?.job.id !== job) return;
    this.#place = undefined;
    this.#lost = reason;
    this.#note(`${reason} New threads are started.`);
    this.#join(undefined).catch((error: unknown) => {
      if (!this.#left) this.#note(`Threads could not be started again: ${String(error)}`);
    });
  }
}
