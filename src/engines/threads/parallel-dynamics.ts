// Forward dynamics of one mechanism on several threads: the interface of PlainDynamics, the results of PlainDynamics, and a choice
// between one thread and many that is measured, not believed.

import type { Mechanism } from '../../mechanism/mechanism.js';
import { State } from '../../mechanism/state.js';
import type { Engine, FunctionName, Runs } from '../engine.js';
import { turnsTooFar } from '../plain/large-angles.js';
import { type ForwardOptions, type InverseOptions, type MassMatrix, PlainDynamics } from '../plain/plain-dynamics.js';
import { CompiledDynamics } from '../wasm/compiled.js';
import { copyFinite } from '../wasm/copy-finite.js';
import { type Arrays, loadArrays } from './arrays.js';
import { checkOptions, type ParallelOptions } from './options.js';
import { Planner } from './planner.js';
import { prepare, type Times } from './prepare.js';
import { ThreadProgram } from './program.js';
import type { PlacedProgram, Team } from './team.js';

/** Segments of the cutting that all numbers of threads share. */
const COMMON = 8;

export type Mode = 'serial' | 'parallel';

/** Arrays that forward dynamics works on in place, and the call. */
export interface InPlace extends Omit<Arrays, 'qdd'> {
  /** Accelerations for what stands in q, v and tau; the array is valid until the next call. */
  run(): Float64Array;
}

export class ParallelDynamics implements Engine {
  readonly mechanism: Mechanism;
  /** What runs on one thread, and everything but plain forward dynamics. */
  readonly serial: CompiledDynamics;
  readonly #options: ParallelOptions;
  readonly #notes: string[] = [];
  #team: Team | undefined;
  /** The team's program alone. */
  #alone: ThreadProgram | undefined;
  #common: ThreadProgram | undefined;
  #planner: Planner | undefined;
  #ready: Promise<void> | undefined;
  #disposed = false;
  /** Nothing but the compiled engine is in use. */
  #plain = false;
  #times: Times = {};
  /** Steps on one thread: by the program of the team, and by the compiled engine. */
  readonly #counts = { alone: 0, serial: 0 };

  constructor(mechanism: Mechanism, options: ParallelOptions = {}, plain = new PlainDynamics(mechanism)) {
    checkOptions(options);
    this.mechanism = mechanism;
    this.#options = options;
    this.serial = new CompiledDynamics(mechanism, {}, plain);
  }

  /** How steps are computed now. */
  get mode(): Mode {
    return this.#team === undefined ? 'serial' : 'parallel';
  }

  /** Threads that take part now. */
  get threads(): number {
    return this.#team?.workers ?? 1;
  }

  /** Nanoseconds of a step: predicted and measured, on one thread and on several. */
  get times(): Times {
    return this.#times;
  }

  /** Why the threads were lost, while there are none. */
  get lost(): string | undefined {
    return this.#team?.lost;
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
    const { parallel, abandoned, stolen } = this.#team?.counts ?? NO_STEPS;
    return { ...this.#counts, parallel, abandoned, stolen };
  }

  /** Done when code is made, threads have started and the choice has been measured. Until then one thread computes. */
  ready(): Promise<void> {
    this.#ready ??= this.#prepare();
    return this.#ready;
  }

  /** Accelerations under the joint forces tau; options as in PlainDynamics, some of which take one thread. */
  forward(state: State, tau?: Float64Array, options?: ForwardOptions): Float64Array {
    // Small mechanisms take less time than all questions below together.
    if (this.#plain) return this.serial.forward(state, tau, options);
    if (this.#ready === undefined && !this.#disposed) void this.ready();
    // The same bits from the first call on, whether threads are there yet or not.
    if (this.#options.deterministic === true && this.#alone === undefined) this.#alone = this.#fixed();
    const special =
      options !== undefined &&
      (options.external !== undefined ||
        options.jointForces !== undefined ||
        options.armature !== undefined ||
        options.algorithm !== undefined ||
        options.schedule !== undefined);
    if (special || turnsTooFar(this.mechanism, state.q)) return this.serial.forward(state, tau, options);
    const team = this.#team;
    if (team?.begins() === true) {
      const { arrays } = team.place!;
      loadArrays(this.mechanism, arrays, state, tau, options);
      if (team.step()) return this.#result(arrays, state, tau, options);
    }
    const alone = this.#alone;
    if (alone === undefined) {
      this.#counts.serial++;
      return this.serial.forward(state, tau, options);
    }
    const { arrays, runner } = alone.alone;
    loadArrays(this.mechanism, arrays, state, tau, options);
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
    const team = this.#team;
    if (team?.place !== undefined) {
      const { place } = team;
      const { q, v, tau } = place.arrays;
      return { q, v, tau, run: () => this.#inPlace(team, place) };
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
  #inPlace(team: Team, place: PlacedProgram): Float64Array {
    if (team.begins() && team.place === place && team.step()) return place.arrays.qdd;
    const { arrays, runner } = team.program.alone;
    arrays.q.set(place.arrays.q);
    arrays.v.set(place.arrays.v);
    arrays.tau.set(place.arrays.tau);
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

  /** What runs a function now: threads do plain forward dynamics only. */
  runs(name: FunctionName): Runs {
    if (name === 'forward' && this.mode === 'parallel') return { engine: 'threads' };
    const serial = this.serial.runs(name);
    if (name !== 'forward') return serial;
    const reason = this.#notes.findLast((note) => note.startsWith('One thread: '))?.slice('One thread: '.length);
    return { reason: reason ?? 'threads are not ready yet.', ...serial };
  }

  get notes(): readonly string[] {
    return this.explain().split('\n');
  }

  /** What was chosen and why: prediction and measurement. */
  explain(): string {
    const us = (ns: number | undefined, otherwise: string): string =>
      ns === undefined ? otherwise : `${(ns / 1000).toFixed(2)} us`;
    const { predictedSerialNs, predictedNs, serialNs, parallelNs } = this.#times;
    const { parallel, alone, serial, abandoned, stolen } = this.counts;
    const line = (predicted: number | undefined, measured: number | undefined): string =>
      `predicted ${us(predicted, 'nothing')}, measured ${us(measured, 'nothing')}`;
    return [
      `${this.mechanism.name}: ${this.mode === 'parallel' ? `${this.threads} threads` : 'one thread'}.`,
      `Several threads: ${line(predictedNs, parallelNs)}; one thread: ${line(predictedSerialNs, serialNs)}.`,
      ...this.#notes,
      `Steps: ${parallel} by all threads, ${alone + serial} by one, ${abandoned} given up; pieces taken back: ${stolen}.`,
    ].join('\n');
  }

  dispose(): void {
    this.#disposed = true;
    this.#team?.leave();
    this.#team = undefined;
    this.#alone = undefined;
    this.#common = undefined;
    this.#planner = undefined;
    this.serial.dispose();
  }

  /** Where something is wrong the readable algorithm finds out what and says it. */
  #result(arrays: Arrays, state: State, tau: Float64Array | undefined, options: ForwardOptions | undefined) {
    const out = options?.out ?? new Float64Array(this.mechanism.nv);
    if (copyFinite(out, arrays.qdd)) return out;
    return this.serial.readable.forward(state, tau, options);
  }

  /** The program of the one cutting for all numbers of threads; undefined where there can be no code. */
  #fixed(): ThreadProgram | undefined {
    if (this.#disposed || this.serial.runs('forward').engine === 'plain') return undefined;
    this.#common ??= new ThreadProgram(this.#plans().plan(this.#options.scheduleFor ?? COMMON));
    return this.#common;
  }

  #plans(): Planner {
    const { root, constants } = this.#options;
    const body = root === undefined ? undefined : this.mechanism.bodyIndex(root);
    this.#planner ??= new Planner(this.mechanism, constants, body);
    return this.#planner;
  }

  async #prepare(): Promise<void> {
    try {
      const { team, times } = await prepare({
        serial: this.serial,
        options: this.#options,
        planner: this.#plans(),
        fixed: () => this.#fixed(),
        note: (note) => this.#notes.push(note),
        stopped: () => this.#disposed,
      });
      if (this.#disposed) {
        team?.leave();
        return;
      }
      this.#times = times;
      this.#team?.leave();
      this.#team = team;
      this.#plain = false;
      this.#alone = undefined;
      if (team !== undefined) {
        this.#alone = team.program;
        // The first call is for the engine.
        team.program.alone.runner.alone();
      } else if (this.#options.deterministic !== true) this.#plain = true;
    } catch (error) {
      if (!this.#disposed) this.#notes.push(`One thread: ${error instanceof Error ? error.message : String(error)}`);
    }
    this.#planner = undefined;
  }
}

const NO_STEPS = { parallel: 0, abandoned: 0, stolen: 0 };
