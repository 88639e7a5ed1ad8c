// Forward dynamics of one mechanism on several threads: the interface of Dynamics, the results of Dynamics, and a choice
// between one thread and many that is measured, not believed.

import { CompiledDynamics, copyFinite, reasonForPlain } from '../compile/compiled.js';
import type { ForwardOptions, InverseOptions, MassMatrix } from '../dynamics/dynamics.js';
import { addPassiveForces } from '../dynamics/passive.js';
import { MechanismError, SimulationError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { State } from '../mechanism/state.js';
import { type Choice, chooseCutting } from './choose.js';
import { timings, warmUp } from './measure.js';
import { type Pool, sharedPool } from './pool.js';
import { COSTS } from './predict.js';
import { type Arrays, Program } from './program.js';
import type { Job } from './protocol.js';
import type { Runner } from './runner.js';
import { processors, reasonForOneThread } from './threads.js';

export interface ParallelOptions {
  /** Threads that take part, the caller's included; 'auto' (the default) finds the number that is fastest. */
  readonly workers?: 'auto' | number;
  /**
   * One way of cutting for all numbers of workers, and that one always: the same bits whatever runs it. Without it the
   * cutting depends on the number of workers, results agree to rounding, and one thread may be chosen.
   */
  readonly deterministic?: boolean;
  /** Cut for so many workers, however many there are. */
  readonly scheduleFor?: number;
  /** 'faster' (the default) stays on one thread where that takes less time; 'parallel' never does. */
  readonly prefer?: 'faster' | 'parallel';
  /**
   * What becomes of a step whose threads do not answer: 'serial' (the default) computes it on the caller's thread,
   * 'error' throws after `patience`.
   */
  readonly failure?: 'serial' | 'error';
  /** Milliseconds that a step waits for threads that have begun their part. */
  readonly patience?: number;
  /** After a step for which threads came late, compute some on one thread (the default): the machine may be busy. */
  readonly retreat?: boolean;
  /** Body at the root of the computation; chosen where left out. */
  readonly root?: string;
  /** Microseconds of random delay in every piece of work, for tests. */
  readonly jitter?: number;
}

/** Segments of the cutting that all numbers of workers share. */
const COMMON = 8;
/** A number of workers is not worth making code for where less than this part of the time is predicted to be saved. */
const WORTH = 0.03;
/** Links up to which code for the whole mechanism is made for one thread. */
const WHOLE_LINKS = 800;
/** Links from which on shared code (blocks.ts) is tried for one thread. */
const SHARED_LINKS = 160;
/** Steps on one thread after a first failure, and at most. */
const RETREAT = 4;
const MOST_RETREAT = 4096;
/** How often threads that are lost while they start are started again. */
const ATTEMPTS = 5;
/** Milliseconds after which a silent thread counts as lost. */
const LOST = 2000;

interface Team {
  readonly program: Program;
  readonly pool: Pool;
  readonly job: Job;
  readonly runner: Runner;
  readonly arrays: Arrays;
  readonly workers: number;
  /** Milliseconds of patience for a step. */
  patience: number;
}

export type Mode = 'serial' | 'parallel';

/** Arrays that forward dynamics works on in place, and the call. */
export interface InPlace extends Omit<Arrays, 'qdd'> {
  /** Accelerations for what stands in q, v and tau; the array is valid until the next call. */
  run(): Float64Array;
}

export class ParallelDynamics {
  readonly mechanism: Mechanism;
  /** What runs on one thread, and everything but plain forward dynamics. */
  readonly serial: CompiledDynamics;
  readonly #options: ParallelOptions;
  readonly #notes: string[] = [];
  #mode: Mode = 'serial';
  #team: Team | undefined;
  /** The same program alone, in a team; or one piece of shared code, where that is the fastest on one thread. */
  #alone: Program | undefined;
  #common: Program | undefined;
  #ready: Promise<void> | undefined;
  #retreat = 0;
  #failures = 0;
  #disposed = false;
  #lost: string | undefined;
  /** Nanoseconds of a step: predicted for the team, measured on one thread and by the team. */
  #predictedNs: number | undefined;
  #serialNs: number | undefined;
  #parallelNs: number | undefined;
  /** Steps by how they were computed. */
  readonly #counts = { parallel: 0, alone: 0, serial: 0, abandoned: 0, stolen: 0 };

  constructor(mechanism: Mechanism, options: ParallelOptions = {}) {
    const { workers = 'auto', scheduleFor } = options;
    for (const [name, value] of [
      ['workers', workers],
      ['scheduleFor', scheduleFor ?? 1],
    ] as const)
      if (value !== 'auto' && (!Number.isInteger(value) || value < 1 || value > 64))
        throw MechanismError.of('workers', name, `Expected 'auto' or a whole number from 1 to 64, got ${value}.`);
    this.mechanism = mechanism;
    this.#options = options;
    const large = mechanism.joints.length > WHOLE_LINKS;
    this.serial = new CompiledDynamics(mechanism, { specialise: large ? 'never' : 'background' });
  }

  /** How steps are computed now. */
  get mode(): Mode {
    return this.#mode;
  }

  /** Threads that take part now. */
  get workers(): number {
    return this.#mode === 'parallel' ? (this.#team?.workers ?? 1) : 1;
  }

  /** Nanoseconds of a step: predicted for several threads, measured on one, measured on several. */
  get times(): { readonly predictedNs?: number; readonly serialNs?: number; readonly parallelNs?: number } {
    return {
      ...(this.#predictedNs !== undefined && { predictedNs: this.#predictedNs }),
      ...(this.#serialNs !== undefined && { serialNs: this.#serialNs }),
      ...(this.#parallelNs !== undefined && { parallelNs: this.#parallelNs }),
    };
  }

  /**
   * Steps so far: by all threads together, by one (the same program, or code for one thread), given up; and pieces of
   * steps that the caller took back.
   */
  get counts(): {
    readonly parallel: number;
    readonly alone: number;
    readonly serial: number;
    readonly abandoned: number;
    readonly stolen: number;
  } {
    return { ...this.#counts };
  }

  /** Done when code is made, threads have started and the choice has been measured. Until then one thread computes. */
  ready(): Promise<void> {
    this.#ready ??= this.#prepare();
    return this.#ready;
  }

  /** Accelerations under the joint forces tau; options as in Dynamics, some of which take one thread. */
  forward(state: State, tau?: Float64Array, options?: ForwardOptions): Float64Array {
    if (this.#ready === undefined && !this.#disposed) void this.ready();
    // The same bits from the first call on, whether threads are there yet or not.
    if (this.#options.deterministic === true && this.#alone === undefined) this.#alone = this.#fixed();
    const { nq, nv } = this.mechanism;
    const special =
      options !== undefined &&
      (options.external !== undefined ||
        options.forces !== undefined ||
        options.armature !== undefined ||
        options.algorithm !== undefined ||
        options.schedule !== undefined ||
        options.form !== undefined);
    const fits = state.q.length === nq && state.v.length === nv && (tau === undefined || tau.length === nv);
    const out = options?.out;
    if (special || !fits || (out !== undefined && out.length !== nv)) return this.serial.forward(state, tau, options);
    const team = this.#mode === 'parallel' ? this.#team : undefined;
    if (team !== undefined && this.#retreat === 0) {
      const result = this.#together(team, state, tau, options);
      if (result !== undefined) return result;
    } else if (this.#retreat > 0) this.#retreat--;
    const alone = this.#alone;
    if (alone === undefined) {
      this.#counts.serial++;
      return this.serial.forward(state, tau, options);
    }
    const { arrays, runner } = alone.alone;
    this.#load(arrays, state, tau, options);
    runner.alone();
    this.#counts.alone++;
    return this.#result(arrays, state, tau, options);
  }

  /**
   * Arrays in the memory of whatever computes now, for loops that cannot afford copies: between threads every number that
   * the caller writes travels to another core. Nothing is checked. Ask again after `ready`; after threads were lost the
   * same arrays go on working, on one thread.
   */
  direct(): InPlace {
    if (this.#options.deterministic === true && this.#alone === undefined) this.#alone = this.#fixed();
    const team = this.#mode === 'parallel' ? this.#team : undefined;
    if (team !== undefined) {
      const { q, v, tau } = team.arrays;
      return { q, v, tau, run: () => this.#inPlace(team) };
    }
    if (this.#alone !== undefined) {
      const { arrays, runner } = this.#alone.alone;
      const { q, v, tau, qdd } = arrays;
      return {
        q,
        v,
        tau,
        run: () => {
          runner.alone();
          return qdd;
        },
      };
    }
    const compiled = this.serial.direct('forward');
    if (compiled !== undefined) {
      const { q, v, tau, qdd, run } = compiled;
      return {
        q,
        v,
        tau,
        run: () => {
          run();
          return qdd;
        },
      };
    }
    const state = new State(this.mechanism);
    const tau = new Float64Array(this.mechanism.nv);
    const options = { out: new Float64Array(this.mechanism.nv) };
    return { q: state.q, v: state.v, tau, run: () => this.serial.forward(state, tau, options) };
  }

  /** A step on the team's arrays. Where threads cannot do it, the same program alone, in its own memory: theirs may be in use. */
  #inPlace(team: Team): Float64Array {
    if (this.#team === team && this.#retreat === 0) {
      if (this.#isFree(team) && this.#step(team)) return team.arrays.qdd;
    } else if (this.#retreat > 0) this.#retreat--;
    const { arrays, runner } = team.program.alone;
    arrays.q.set(team.arrays.q);
    arrays.v.set(team.arrays.v);
    arrays.tau.set(team.arrays.tau);
    runner.alone();
    this.#counts.alone++;
    return arrays.qdd;
  }

  inverse(state: State, qdd?: Float64Array, options?: InverseOptions): Float64Array {
    return this.serial.inverse(state, qdd, options);
  }

  massMatrix(state: State, options?: { readonly out?: Float64Array }): MassMatrix {
    return this.serial.massMatrix(state, options);
  }

  /** What was chosen and why: prediction and measurement. */
  explain(): string {
    const us = (ns: number | undefined): string => (ns === undefined ? 'not measured' : `${(ns / 1000).toFixed(2)} us`);
    const { parallel, alone, serial, abandoned, stolen } = this.#counts;
    return [
      `${this.mechanism.name}: ${this.#mode === 'parallel' ? `${this.workers} threads` : 'one thread'}.`,
      `Several threads: predicted ${us(this.#predictedNs)}, measured ${us(this.#parallelNs)}; one thread: measured ${us(this.#serialNs)}.`,
      ...this.#notes,
      `Steps: ${parallel} by all threads, ${alone + serial} by one, ${abandoned} given up; pieces taken back: ${stolen}.`,
    ].join('\n');
  }

  dispose(): void {
    this.#disposed = true;
    this.#leave();
    this.#alone = undefined;
    this.#common = undefined;
    this.serial.dispose();
  }

  /** All threads on one step; undefined where it was given up or cannot be begun. */
  #together(team: Team, state: State, tau: Float64Array | undefined, options: ForwardOptions | undefined) {
    if (!this.#isFree(team)) return undefined;
    this.#load(team.arrays, state, tau, options);
    return this.#step(team, state.time) ? this.#result(team.arrays, state, tau, options) : undefined;
  }

  /** Whether all threads have left the step before. One that stays away too long is lost. */
  #isFree({ pool }: Team): boolean {
    const busy = pool.busyFor();
    if (busy > LOST) this.#lose('a thread does not answer');
    return busy <= 0;
  }

  /** One step by all threads, on their arrays; false where it was given up. */
  #step(team: Team, time?: number): boolean {
    const { pool, runner, job } = team;
    if (pool.step(job, runner, team.patience)) {
      this.#counts.parallel++;
      this.#counts.stolen += runner.stolen;
      // What was taken back says that threads come late: the machine is busy, or steps are rare.
      if (runner.stolen === 0) this.#failures = 0;
      else this.#retreatFrom();
      return true;
    }
    this.#counts.abandoned++;
    if (this.#options.failure === 'error') {
      this.#lose('a thread does not answer');
      throw new SimulationError(
        'threads',
        `The threads did not finish the step${time === undefined ? '' : ` at time ${time}`} within ${team.patience} ms. The state is unchanged; new threads are being started.`,
        time === undefined ? {} : { time },
      );
    }
    this.#retreatFrom();
    return false;
  }

  #retreatFrom(): void {
    if (this.#options.retreat === false) return;
    this.#retreat = Math.min(MOST_RETREAT, RETREAT << Math.min(10, this.#failures));
    this.#failures++;
  }

  #load(arrays: Arrays, state: State, tau: Float64Array | undefined, options: ForwardOptions | undefined): void {
    arrays.q.set(state.q);
    arrays.v.set(state.v);
    if (tau === undefined) arrays.tau.fill(0);
    else arrays.tau.set(tau);
    if (options?.passive === true) addPassiveForces(this.mechanism, arrays.tau, state.q, state.v);
  }

  /** Where something is wrong the readable algorithm finds out what and says it. */
  #result(arrays: Arrays, state: State, tau: Float64Array | undefined, options: ForwardOptions | undefined) {
    const out = options?.out ?? new Float64Array(this.mechanism.nv);
    if (copyFinite(out, arrays.qdd)) return out;
    return this.serial.readable.forward(state, tau, options);
  }

  /** The program of the one cutting for all numbers of workers; undefined where there can be no code. */
  #fixed(): Program | undefined {
    if (this.#disposed || this.serial.tier === 'plain') return undefined;
    this.#common ??= new Program(this.#choose(this.#options.scheduleFor ?? COMMON));
    return this.#common;
  }

  #choose(segments: number): Choice {
    const { root } = this.#options;
    const body = root === undefined ? undefined : this.mechanism.bodyIndex(root);
    return chooseCutting(this.mechanism, segments, COSTS, body);
  }

  async #prepare(): Promise<void> {
    const reason = reasonForPlain(this.mechanism) ?? reasonForOneThread();
    if (reason !== undefined) {
      this.#notes.push(`One thread: ${reason}`);
      await this.serial.ready();
      return;
    }
    if (this.serial.tier === 'plain') {
      this.#notes.push('One thread: WebAssembly cannot be used here.');
      return;
    }
    const { deterministic = false, prefer = 'faster' } = this.#options;
    const given = this.#options.workers ?? 'auto';
    const most = given === 'auto' ? await processors() : given;
    try {
      await this.serial.ready();
      const settled = (prefer === 'parallel' && given !== 'auto') || deterministic;
      if (!settled) this.#alone = await this.#onThread();
      let best: { team: Team; ns: number } | undefined;
      let alone = Number.POSITIVE_INFINITY;
      const counts = given === 'auto' && !deterministic ? powersOfTwo(most) : [most];
      for (const workers of counts) {
        if (workers < 2 && !deterministic && this.#options.scheduleFor === undefined) continue;
        const team = await this.#assemble(workers, settled || given !== 'auto');
        if (team === undefined) continue;
        if (settled) {
          this.#predictedNs = team.program.choice.predictedNs;
          if (this.#disposed) team.pool.remove(team.job.id);
          else this.#use(team);
          return;
        }
        const times = await this.#measure(team);
        alone = Math.min(alone, times.serial);
        if (best === undefined || times.parallel < best.ns) {
          if (best !== undefined) best.team.pool.remove(best.team.job.id);
          best = { team, ns: times.parallel };
        } else {
          team.pool.remove(team.job.id);
          break;
        }
      }
      if (this.#disposed) {
        best?.team.pool.remove(best.team.job.id);
        return;
      }
      if (best === undefined) {
        this.#notes.push('One thread: nothing to gain is predicted for several.');
        return;
      }
      this.#serialNs = alone;
      this.#parallelNs = best.ns;
      this.#predictedNs = best.team.program.choice.predictedNs;
      if (isFaster(best.ns, alone) || prefer === 'parallel') this.#use(best.team);
      else {
        this.#notes.push('One thread: measured to be faster.');
        best.team.pool.remove(best.team.job.id);
      }
      this.#retreat = 0;
      this.#failures = 0;
    } catch (error) {
      if (this.#disposed) return;
      this.#notes.push(`One thread: ${error instanceof Error ? error.message : String(error)}`);
      this.#mode = 'serial';
    }
  }

  /** Shared code for one thread, where a mechanism is too large for code of its own throughout. */
  async #onThread(): Promise<Program | undefined> {
    const choice = chooseCutting(this.mechanism, 1);
    if (choice.assembly.rooted.plan.links.length <= SHARED_LINKS) return undefined;
    const program = new Program(choice);
    const state = State.random(this.mechanism, 1);
    const { arrays, runner } = program.alone;
    const out = { out: new Float64Array(this.mechanism.nv) };
    this.#load(arrays, state, undefined, undefined);
    const byBlocks = (): void => {
      runner.alone();
      copyFinite(out.out, arrays.qdd);
    };
    const whole = (): void => void this.serial.forward(state, undefined, out);
    await warmUp(byBlocks);
    await warmUp(whole);
    const [shared, own] = timings([{ call: byBlocks }, { call: whole }]);
    return shared.ns < own.ns ? program : undefined;
  }

  async #assemble(workers: number, always: boolean): Promise<Team | undefined> {
    const { deterministic = false, jitter = 0, patience, failure, scheduleFor = workers } = this.#options;
    const fixed = deterministic ? this.#fixed() : undefined;
    const choice = fixed?.choice ?? this.#choose(scheduleFor);
    if (choice.segments < 2 && !always) return undefined;
    if (!always && choice.predictedNs > (1 - WORTH) * this.#choose(1).predictedNs) return undefined;
    const program = fixed ?? new Program(choice);
    const pool = sharedPool();
    const threads = Math.min(workers, choice.segments);
    const { arrays, job, runner } = program.shared(pool.newJob(), threads, pool.control, jitter);
    await pool.install(job, threads - 1, (reason) => this.#onLost(job.id, reason));
    const usual = failure === 'error' ? LOST / 2 : Math.max(0.2, (8 * choice.predictedNs) / 1e6);
    return { program, pool, job, runner, arrays, workers: threads, patience: patience ?? usual };
  }

  /** Nanoseconds of a step on one thread and by the team, in turn. */
  async #measure(team: Team): Promise<{ serial: number; parallel: number }> {
    const state = State.random(this.mechanism, 1);
    const options = { out: new Float64Array(this.mechanism.nv) };
    const { patience } = team;
    team.patience = 1000;
    const together = (): void => {
      this.#load(team.arrays, state, undefined, undefined);
      team.pool.step(team.job, team.runner, team.patience);
      copyFinite(options.out, team.arrays.qdd);
    };
    // With nothing in use yet, this is what one thread takes.
    const single = (): void => void this.forward(state, undefined, options);
    await warmUp(single);
    await warmUp(together);
    // Threads that have fallen asleep meanwhile are woken first.
    const wake = (): void => {
      for (let k = 0; k < 100; k++) {
        together();
        if (team.runner.stolen === 0) break;
      }
    };
    const [serial, parallel] = timings([{ call: single }, { call: together, before: wake }]);
    team.patience = patience;
    return { serial: serial.ns, parallel: parallel.ns };
  }

  #use(team: Team): void {
    this.#team = team;
    this.#alone = team.program;
    this.#mode = 'parallel';
    // The first call is for the engine.
    team.program.alone.runner.alone();
  }

  /** Threads are gone: one thread goes on with the same program, and new threads are started. */
  #onLost(job: number, reason: string): void {
    if (this.#team?.job.id !== job || this.#disposed) return;
    const { workers } = this.#team;
    this.#team = undefined;
    this.#lost = reason;
    this.#notes.push(`${reason} New threads are started.`);
    void this.#rejoin(workers);
  }

  async #rejoin(workers: number, attempt = 1): Promise<void> {
    const program = this.#alone;
    if (program === undefined) return;
    try {
      const pool = sharedPool();
      const { arrays, job, runner } = program.shared(pool.newJob(), workers, pool.control, this.#options.jitter ?? 0);
      await pool.install(job, workers - 1, (reason) => this.#onLost(job.id, reason));
      if (this.#disposed) {
        pool.remove(job.id);
        return;
      }
      const { failure, patience } = this.#options;
      const usual = failure === 'error' ? LOST / 2 : Math.max(0.2, (8 * program.choice.predictedNs) / 1e6);
      this.#team = { program, pool, job, runner, arrays, workers, patience: patience ?? usual };
      this.#lost = undefined;
      this.#retreat = 0;
      this.#failures = 0;
    } catch (error) {
      if (attempt < ATTEMPTS && !this.#disposed) await this.#rejoin(workers, attempt + 1);
      else this.#notes.push(`Threads could not be started again: ${String(error)}`);
    }
  }

  /** Why the threads were lost, while there are none. */
  get lost(): string | undefined {
    return this.#lost;
  }

  #lose(reason: string): void {
    const { pool } = this.#team!;
    pool.end(`A thread was lost: ${reason}.`);
  }

  #leave(): void {
    const team = this.#team;
    this.#team = undefined;
    this.#mode = 'serial';
    team?.pool.remove(team.job.id);
  }
}

/** Whether several threads are chosen: for the same time one is better. */
export const isFaster = (parallelNs: number, serialNs: number): boolean => parallelNs < 0.97 * serialNs;

/** 2, 4, 8, ... and the number itself. */
function powersOfTwo(most: number): number[] {
  const counts: number[] = [];
  for (let n = 2; n < most; n *= 2) counts.push(n);
  if (most > 1) counts.push(most);
  return counts;
}
